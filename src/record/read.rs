//! Reading a run's JSON.

use serde_json::{Map, Value};

use super::{ENDINGS, Environment, FORMAT, FileError, Record, VERSION};
use crate::markov::Measure;
use crate::permalink::{Link, RESERVED, decode};
use crate::protocol::Row;
use crate::sweep::cells;

/// Largest file that is read.
const MOST_BYTES: usize = 128 << 20;
/// Most measurements of a run.
const MOST_ROWS: usize = 1 << 20;

type Object = Map<String, Value>;

/// The link of a file, whole.
pub(super) fn link(text: &str) -> Result<Link, FileError> {
    let (link, notices) = decode(text);
    let kept = |key: &str| RESERVED.contains(&key) && link.reserved.iter().any(|r| r.0 == key);
    match notices.iter().find(|notice| !kept(&notice.key)) {
        Some(notice) => Err(FileError::Link(notice.to_string())),
        None => Ok(link),
    }
}

fn whole(object: &Object, key: &str, place: &str) -> Result<u64, FileError> {
    object.get(key).and_then(Value::as_u64).ok_or_else(|| FileError::field(place, tr!("a whole number")))
}

fn list<'a>(value: Option<&'a Value>, place: &str) -> Result<&'a [Value], FileError> {
    Ok(value.and_then(Value::as_array).ok_or_else(|| FileError::field(place, tr!("a list")))?)
}

/// Steps of replicas, null where there is none.
fn steps(value: Option<&Value>, place: &str, replicas: usize) -> Result<Vec<Option<u64>>, FileError> {
    let values = list(value, place)?;
    let wrong = || FileError::field(place, tr!("a step or null for each of {replicas} replicas", replicas));
    if values.len() != replicas {
        return Err(wrong());
    }
    let step = |v: &Value| if v.is_null() { Ok(None) } else { v.as_u64().map(Some).ok_or_else(wrong) };
    values.iter().map(step).collect()
}

/// Numbers of replicas; null is a number that was not finite.
fn numbers(value: Option<&Value>, place: &str, replicas: usize) -> Result<Vec<f32>, FileError> {
    let values = list(value, place)?;
    if values.len() != replicas {
        let expected = tr!(
            "a number for each of {replicas} replicas, not {values} of them",
            replicas,
            values = values.len()
        );
        return Err(FileError::field(place, expected));
    }
    let number = |v: &Value| match v {
        Value::Null => Ok(f32::NAN),
        v => v.as_f64().map(|v| v as f32).ok_or_else(|| FileError::field(place, tr!("numbers, or null"))),
    };
    values.iter().map(number).collect()
}

fn row(value: &Value, at: usize, replicas: usize, judged: bool) -> Result<Row, FileError> {
    let place = |key: &str| format!("{key} of measurement {at}");
    let object =
        value.as_object().ok_or_else(|| FileError::field(tr!("measurement {at}", at), tr!("an object")))?;
    let of = |key: &str| numbers(object.get(key), &place(key), replicas);
    let optional = |object: &Object, key: &str| match object.get(key) {
        None => Ok(vec![]),
        value => numbers(value, &place(key), replicas),
    };
    let measures = match object.get("measures") {
        None => vec![],
        Some(_) if !judged => return Err(FileError::field(place("measures"), tr!("absent in this lab"))),
        Some(Value::Object(measures)) => {
            Measure::ALL.iter().map(|m| optional(measures, m.slug())).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(FileError::field(place("measures"), tr!("an object"))),
    };
    Ok(Row {
        step: whole(object, "step", &place("step"))?,
        train_loss: of("train_loss")?,
        train_accuracy: of("train_accuracy")?,
        test_loss: of("test_loss")?,
        test_accuracy: of("test_accuracy")?,
        margin: optional(object, "margin")?,
        measures,
    })
}

fn environment(object: &Object) -> Environment {
    let part = object.get("environment").and_then(Value::as_object);
    let word = |key: &str| {
        let text = part.and_then(|part| part.get(key)).and_then(Value::as_str).unwrap_or_default();
        // It is shown, and nobody needs more of it.
        text.chars().filter(|c| !c.is_control()).take(300).collect()
    };
    Environment {
        program: word("program"),
        front: word("front"),
        device: word("device"),
        learner: word("learner"),
        system: word("system"),
    }
}

impl Record {
    /// Reads a file that [`Record::to_json`] wrote.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn parse(bytes: &[u8]) -> Result<Record, FileError> {
        if bytes.len() > MOST_BYTES {
            return Err(FileError::TooLarge(bytes.len() >> 20, MOST_BYTES >> 20));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(FileError::Empty);
        }
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|e| FileError::NotJson { line: e.line(), column: e.column().max(1) })?;
        let object = value.as_object().ok_or(FileError::Foreign)?;
        if object.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(FileError::Foreign);
        }
        match whole(object, "version", "the version of the format")? {
            version if version > VERSION => return Err(FileError::Newer(version)),
            _ => {}
        }
        let text = object.get("link").and_then(Value::as_str);
        let link = link(
            text.ok_or_else(|| FileError::field(tr!("the link"), tr!("a text that begins with #v1/")))?,
        )?;
        let runs = cells(&link.spec);
        let replicas = link.spec.run.replicas;
        let is_sweep = !runs.is_empty();
        let solved = match is_sweep {
            true => vec![],
            false => steps(object.get("solved"), "solved", replicas)?,
        };
        let times = match object.get("times") {
            None => vec![],
            value => list(value, "times")?
                .iter()
                .zip(&runs)
                .enumerate()
                .map(|(i, (value, cell))| {
                    steps(Some(value), &format!("times of run {}", i + 1), cell.spec.run.replicas)
                })
                .collect::<Result<_, _>>()?,
        };
        let ending = match object.get("ending") {
            None | Some(Value::Null) => None,
            Some(word) => {
                let known = ENDINGS.iter().find(|(_, known)| word.as_str() == Some(known));
                let words = ENDINGS.map(|(_, word)| word).join(", ");
                Some(known.ok_or_else(|| FileError::field("ending", tr!("null or one of {words}", words)))?.0)
            }
        };
        let values = list(object.get("rows"), "rows")?;
        if values.len() > MOST_ROWS {
            return Err(FileError::TooMany(values.len(), MOST_ROWS));
        }
        let mut rows: Vec<Row> = vec![];
        for (at, value) in (1..).zip(values) {
            let row = row(value, at, replicas, link.spec.task.sampler().has_measures())?;
            if let Some(before) = rows.last().map(|row| row.step).filter(|before| *before >= row.step) {
                return Err(FileError::Order { at, step: row.step, before });
            }
            rows.push(row);
        }
        Ok(Record {
            environment: environment(object),
            step: whole(object, "step", "step")?,
            ending,
            held_out: whole(object, "held_out", "held_out")? as usize,
            solved,
            rows,
            times,
            link,
        })
    }
}
