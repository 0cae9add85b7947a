//! Reading a run's JSON, piece by piece.
//!
//! # Why
//! A tree of all values takes thirty times the bytes of a file of small numbers. Here nothing is kept but what a run has:
//! lists are counted before they grow, texts and depth have a limit, and of many measurements as many are kept as a page
//! draws. What follows from the link is checked afterwards ([`Raw::check`]), so that a program that knows no links can
//! read the file.

use std::cell::RefCell;
use std::io::{self, BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::preamble::{self, LAB_KEY};
use super::values::{About, AnyValue, Key, Listed, Loose, MOST_TEXT, Texts, shortened};
use super::{ABOUT, ENDINGS, Environment, FORMAT, FileError, Record, VERSION};
use vivarium_model::permalink::{Link, RESERVED, decode};
use vivarium_model::protocol::{Ending, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::cells;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::measures::{EARLIER, Named, Slot, named};

/// Most measurements of a run.
const MOST_ROWS: usize = 1 << 20;

/// Most replicas: the largest that the setting can be.
const MOST_REPLICAS: usize = 4096;

/// Most runs of a sweep, and most times of all of them together.
const MOST_RUNS: usize = 1 << 16;
const MOST_TIMES: usize = 1 << 22;

/// The link of a file, whole.
pub(super) fn link(text: &str) -> Result<Link, FileError> {
    let (link, notices) = decode(text);
    let kept = |key: &str| RESERVED.contains(&key) && link.reserved.iter().any(|r| r.0 == key);
    match notices.iter().find(|notice| !kept(&notice.key)) {
        Some(notice) => Err(FileError::Link(notice.to_string())),
        None => Ok(link),
    }
}

/// What is known of a run before its measurements are read.
pub(super) struct Form {
    /// Replicas; where they are not known, the first list of numbers says.
    pub(super) replicas: Option<usize>,
    /// From so many measurements on, every second one is dropped, again and again.
    pub(super) most_rows: usize,
}

/// A run as it stands in the file, before it is held against its link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Raw {
    /// Whether it names our format.
    pub(super) is_ours: bool,
    version: Option<u64>,
    pub(super) link: Option<String>,
    /// The settings that stand beside the link, as text.
    settings: Vec<(String, String)>,
    environment: [String; ABOUT.len()],
    step: Option<u64>,
    ending: Option<Ending>,
    held_out: Option<u64>,
    solved: Option<Vec<Option<u64>>>,
    times: Vec<Vec<Option<u64>>>,
    /// How many measurements the file has.
    pub measurements: Option<usize>,
    /// The first measurement that has further measures, from 1.
    judged: Option<usize>,
    /// Replicas that the measurements have.
    replicas: Option<usize>,
    /// The measurements that are kept; they travel beside the rest.
    #[serde(skip)]
    pub(super) rows: Vec<Row>,
}

impl Raw {
    /// Takes what `source` holds: any source, so that all of this is there once.
    pub(super) fn read(&mut self, source: &mut dyn Read, form: &Form) -> Result<(), FileError> {
        let context = Context { flaw: RefCell::new(None), form };
        let source = BufReader::with_capacity(1 << 16, Texts::new(source));
        let mut reader = serde_json::Deserializer::from_reader(source);
        let read =
            Whole { raw: self, context: &context }.deserialize(&mut reader).and_then(|()| reader.end());
        let Err(error) = read else { return Ok(()) };
        use serde_json::error::Category;
        Err(match (error.classify(), context.flaw.into_inner()) {
            (Category::Data, flaw) => flaw.unwrap_or(FileError::Foreign),
            (Category::Io, _) if error.io_error_kind() == Some(io::ErrorKind::InvalidData) => {
                FileError::LongText(MOST_TEXT >> 20)
            }
            (Category::Io, _) => FileError::Unreadable,
            (category, _) => FileError::NotJson {
                line: error.line(),
                column: error.column().max(1),
                ends_early: category == Category::Eof,
            },
        })
    }

    /// The measurements that are kept, taken out.
    pub fn take_rows(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }

    /// The same with these measurements.
    pub fn with_rows(self, rows: Vec<Row>) -> Raw {
        Raw { rows, ..self }
    }

    /// The run, if all of it is what its link speaks of.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn check(self) -> Result<Record, FileError> {
        if !self.is_ours {
            return Err(FileError::Foreign);
        }
        let whole = |value: Option<u64>, place: &str| {
            value.ok_or_else(|| FileError::field(place, tr!("a whole number")))
        };
        whole(self.version, tr!("the version of the format"))?;
        let text = self.link.as_deref();
        let link = link(
            text.ok_or_else(|| FileError::field(tr!("the link"), tr!("a text that begins with #v1/")))?,
        )?;
        if let Some(flaw) = contradiction(&link.spec, &self.settings) {
            return Err(flaw);
        }
        let runs = cells(&link.spec);
        let replicas = link.spec.run.replicas;
        let steps = |values: Vec<Option<u64>>, place: &str, replicas: usize| match values.len() == replicas {
            true => Ok(values),
            false => Err(FileError::field(place, steps_of(replicas))),
        };
        let solved = match (runs.is_empty(), self.solved) {
            (false, _) => vec![],
            (true, None) => return Err(FileError::field("solved", tr!("a list"))),
            (true, Some(solved)) => steps(solved, "solved", replicas)?,
        };
        let times = self.times.into_iter().zip(&runs).enumerate();
        let times = times.map(|(i, (times, cell))| {
            steps(times, &format!("times of run {}", i + 1), cell.spec.run.replicas)
        });
        let times = times.collect::<Result<_, _>>()?;
        if self.measurements.is_none() {
            return Err(FileError::field("rows", tr!("a list")));
        }
        if let Some(found) = self.replicas.filter(|found| *found != replicas) {
            let name = link.spec.measures().names[0];
            return Err(FileError::field(of(name, 1), numbers_of(replicas, found)));
        }
        if let Some(at) = self.judged.filter(|_| !link.spec.task.examples().measures().has_more()) {
            return Err(FileError::field(of("measures", at), tr!("absent in this lab")));
        }
        let [program, front, device, learner, system, weights, weights_of] = self.environment;
        Ok(Record {
            environment: Environment { program, front, device, learner, system, weights, weights_of },
            step: whole(self.step, "step")?,
            ending: self.ending,
            held_out: whole(self.held_out, "held_out")? as usize,
            solved,
            rows: self.rows,
            times,
            link,
        })
    }
}

/// The first of these settings that is not as the link has it: the measurements would be shown of another run. What an
/// earlier version wrote may lack settings, have others, or write the same value in other words.
fn contradiction(spec: &RunSpec, listed: &[(String, String)]) -> Option<FileError> {
    let same = |key: &str, linked: &str, text: &str| {
        if linked == text {
            return true;
        }
        if key == LAB_KEY {
            return Task::from_slug(text).is_some_and(|task| task.info().slug == linked);
        }
        let mut read = spec.clone();
        read.parse(key, text).is_ok() && read.value(key) == spec.value(key)
    };
    let all = preamble::settings(spec);
    let differs = |(key, linked): (&'static str, String)| {
        let text = &listed.iter().find(|(of, _)| of == key)?.1;
        (!same(key, &linked, text)).then(|| FileError::Settings {
            key: key.into(),
            linked: shortened(&linked),
            listed: shortened(text),
        })
    };
    all.into_iter().find_map(differs)
}

/// A part of a measurement, counted from 1.
fn of(key: &str, at: usize) -> String {
    format!("{key} of measurement {at}")
}

fn steps_of(replicas: usize) -> String {
    tr!("a step or null for each of {replicas} replicas", replicas)
}

fn numbers_of(replicas: usize, values: usize) -> String {
    tr!("one number for each of the {replicas} replicas, but there are {values} numbers", replicas, values)
}

/// What was found wrong, in our words, while the JSON itself is right.
struct Context<'a> {
    flaw: RefCell<Option<FileError>>,
    form: &'a Form,
}

impl Context<'_> {
    /// The first flaw counts: it is the innermost.
    fn note(&self, flaw: impl FnOnce() -> FileError) {
        self.flaw.borrow_mut().get_or_insert_with(flaw);
    }

    /// An error that stands for that flaw.
    fn refuse<E: Error>(&self, flaw: impl FnOnce() -> FileError) -> E {
        self.note(flaw);
        E::custom("refused")
    }
}

/// Declares a reader of lists or of objects alone, which has one field for what it fills and one for the context.
macro_rules! reads {
    ($name:ident, $visit:ident: $access:ident, $words:literal, |$this:ident, $from:ident| -> $value:ty $body:block) => {
        impl<'de> DeserializeSeed<'de> for $name<'_> {
            type Value = $value;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<$value, D::Error> {
                from.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_> {
            type Value = $value;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str($words)
            }

            fn $visit<A: $access<'de>>(self, mut $from: A) -> Result<$value, A::Error> {
                let $this = self;
                $body
            }
        }
    };
}

/// Numbers of replicas; null is a number that was not finite.
struct Numbers<'a> {
    /// Whose.
    place: &'a dyn Fn() -> String,
    replicas: &'a mut Option<usize>,
    context: &'a Context<'a>,
}

reads!(Numbers, visit_seq: SeqAccess, "a list", |this, list| -> Vec<f32> {
    let most = this.replicas.unwrap_or(MOST_REPLICAS);
    let (mut values, mut count) = (Vec::with_capacity(this.replicas.unwrap_or(0).min(MOST_REPLICAS)), 0);
    while let Some(value) = list.next_element_seed(AnyValue)? {
        let value = match value {
            Loose::Null => f32::NAN,
            Loose::Whole(value) => value as f64 as f32,
            Loose::Real(value) => value as f32,
            _ => {
                return Err(this.context.refuse(|| {
                    FileError::field((this.place)(), tr!("numbers, or null"))
                }));
            }
        };
        count += 1;
        // Those that are too many are counted and not kept; of a list without end not even that.
        if count <= most {
            values.push(value);
        } else if count > MOST_REPLICAS {
            break;
        }
    }
    let replicas = *this.replicas.get_or_insert(count.min(MOST_REPLICAS));
    match count == replicas {
        true => Ok(values),
        false => Err(this.context.refuse(|| FileError::field((this.place)(), numbers_of(replicas, count)))),
    }
});

/// Steps of replicas, null where there is none.
struct Steps<'a> {
    place: &'a dyn Fn() -> String,
    context: &'a Context<'a>,
}

reads!(Steps, visit_seq: SeqAccess, "a list", |this, list| -> Vec<Option<u64>> {
    let wrong = || FileError::field((this.place)(), steps_of(MOST_REPLICAS));
    let mut steps = vec![];
    while let Some(value) = list.next_element_seed(AnyValue)? {
        let step = match value {
            Loose::Null => None,
            value => Some(value.whole().ok_or_else(|| this.context.refuse(wrong))?),
        };
        if steps.len() == MOST_REPLICAS {
            return Err(this.context.refuse(wrong));
        }
        steps.push(step);
    }
    Ok(steps)
});

/// Steps of the replicas of each run of a sweep.
struct Times<'a> {
    context: &'a Context<'a>,
}

reads!(Times, visit_seq: SeqAccess, "a list", |this, list| -> Vec<Vec<Option<u64>>> {
    let (mut times, mut count): (Vec<Vec<_>>, usize) = (vec![], 0);
    loop {
        let place = || format!("times of run {}", times.len() + 1);
        let next = list.next_element_seed(Steps { place: &place, context: this.context });
        let note = |_: &A::Error| this.context.note(|| FileError::field(place(), tr!("a list")));
        let Some(steps) = next.inspect_err(note)? else { return Ok(times) };
        count += steps.len();
        if times.len() == MOST_RUNS || count > MOST_TIMES {
            let expected = tr!("at most {most} lists", most = MOST_RUNS);
            return Err(this.context.refuse(|| FileError::field("times", expected)));
        }
        times.push(steps);
    }
});

/// Which of the lists of numbers of a measurement has this name: in the order of [`Row`], of which the last one may be
/// absent. Each task has names of its own, and files of the version before have the [earlier ones](EARLIER).
fn list_of(name: &Named) -> Option<usize> {
    let slots = [Slot::TrainLoss, Slot::TrainAccuracy, Slot::TestLoss, Slot::TestAccuracy, Slot::Margin];
    slots.iter().position(|slot| *slot == name.slot)
}

/// Names in files: those of the version before, then those of all tasks; behind them "step" and "measures".
struct Names {
    /// Keys of a measurement.
    keys: Vec<&'static str>,
    /// Which list each of them is, if it is one.
    lists: Vec<Option<usize>>,
    /// Keys of further measures, with the place of each among those of its task, and how many these are.
    further: (Vec<&'static str>, Vec<(usize, usize)>),
}

impl Names {
    fn new() -> Names {
        let mut keys: Vec<&'static str> = EARLIER.into();
        let mut lists: Vec<_> = (0..EARLIER.len()).map(Some).collect();
        let (mut further, mut places) = (vec![], vec![]);
        for name in named() {
            match list_of(name) {
                // The first that is found counts, and the same names stand for the same numbers.
                Some(list) if !keys.contains(&name.name) => {
                    keys.push(name.name);
                    lists.push(Some(list));
                }
                None if name.slot == Slot::Further => {
                    further.push(name.name);
                    places.push(name.further);
                }
                _ => {}
            }
        }
        let earlier = Task::ENTRIES.iter().filter_map(|entry| Task::from_slug(entry.info.slug));
        for task in earlier {
            let more = task.examples().measures().more;
            further.extend(more.iter().map(|measure| measure.slug));
            places.extend((0..more.len()).map(|at| (at, more.len())));
        }
        keys.extend(["step", "measures"]);
        lists.extend([None, None]);
        Names { keys, lists, further: (further, places) }
    }
}

/// One measurement, and whether it has further measures.
struct OneRow<'a> {
    at: usize,
    /// What files have.
    names: &'a Names,
    /// What the lists of this file should be called.
    own: [&'static str; 4],
    replicas: &'a mut Option<usize>,
    context: &'a Context<'a>,
}

reads!(OneRow, visit_map: MapAccess, "an object", |this, object| -> (Row, bool) {
    let (at, context, names) = (this.at, this.context, this.names);
    let (mut step, mut lists, mut measures) = (None, [const { None }; EARLIER.len()], None);
    while let Some(key) = object.next_key_seed(Key(&names.keys))? {
        match key.map(|key| (key, names.lists[key])) {
            Some((key, Some(list))) => {
                let place = || of(names.keys[key], at);
                let numbers = Numbers { place: &place, replicas: &mut *this.replicas, context };
                let note = |_: &A::Error| context.note(|| FileError::field(place(), tr!("a list")));
                lists[list] = Some(object.next_value_seed(numbers).inspect_err(note)?);
            }
            Some((key, None)) if names.keys[key] == "step" => {
                step = object.next_value_seed(AnyValue)?.whole();
            }
            Some(_) => {
                let all = Measures { at, names, replicas: &mut *this.replicas, context };
                let wrong = || FileError::field(of("measures", at), tr!("an object"));
                measures = Some(object.next_value_seed(all).inspect_err(|_| context.note(wrong))?);
            }
            None => drop(object.next_value_seed(AnyValue)?),
        }
    }
    let step = step
        .ok_or_else(|| context.refuse(|| FileError::field(of("step", at), tr!("a whole number"))))?;
    if let Some(missing) = lists[..4].iter().position(Option::is_none) {
        return Err(context.refuse(|| FileError::field(of(this.own[missing], at), tr!("a list"))));
    }
    let [train_loss, train_accuracy, test_loss, test_accuracy, margin] = lists.map(Option::unwrap_or_default);
    let is_judged = measures.is_some();
    let measures = measures.unwrap_or_default();
    Ok((Row { step, train_loss, train_accuracy, test_loss, test_accuracy, margin, measures }, is_judged))
});

/// Further measures of a measurement.
struct Measures<'a> {
    at: usize,
    names: &'a Names,
    replicas: &'a mut Option<usize>,
    context: &'a Context<'a>,
}

reads!(Measures, visit_map: MapAccess, "an object", |this, object| -> Vec<Vec<f32>> {
    let (names, places) = &this.names.further;
    let mut measures = vec![];
    while let Some(key) = object.next_key_seed(Key(names))? {
        match key {
            Some(which) => {
                let place = || of(names[which], this.at);
                let numbers = Numbers { place: &place, replicas: &mut *this.replicas, context: this.context };
                let note = |_: &A::Error| this.context.note(|| FileError::field(place(), tr!("a list")));
                let values = object.next_value_seed(numbers).inspect_err(note)?;
                let (at, all) = places[which];
                measures.resize(measures.len().max(all), vec![]);
                measures[at] = values;
            }
            None => drop(object.next_value_seed(AnyValue)?),
        }
    }
    Ok(measures)
});

/// All measurements, of which as many are kept as are wanted.
struct Rows<'a> {
    raw: &'a mut Raw,
    context: &'a Context<'a>,
}

reads!(Rows, visit_seq: SeqAccess, "a list", |this, list| -> () {
    let Rows { raw, context } = this;
    let (mut replicas, mut last, mut stride) = (context.form.replicas, None::<Row>, 1);
    // The link stands before the measurements in every file that this program has written.
    let own = raw.link.as_deref().and_then(|text| link(text).ok());
    let earlier = [EARLIER[0], EARLIER[1], EARLIER[2], EARLIER[3]];
    let own = own.filter(|_| raw.version != Some(1)).map_or(earlier, |link| link.spec.measures().names);
    let names = Names::new();
    raw.rows.clear();
    raw.judged = None;
    let mut seen = 0;
    loop {
        let at = seen + 1;
        let next = list.next_element_seed(OneRow { at, names: &names, own, replicas: &mut replicas, context });
        let note = |_: &A::Error| {
            context.note(|| FileError::field(tr!("measurement {at}", at), tr!("an object")));
        };
        let Some((row, is_judged)) = next.inspect_err(note)? else { break };
        if seen == MOST_ROWS {
            return Err(context.refuse(|| FileError::TooMany(MOST_ROWS)));
        }
        if let Some(before) = last.as_ref().map(|row| row.step).filter(|before| *before >= row.step) {
            return Err(context.refuse(|| FileError::Order { at, step: row.step, before }));
        }
        if is_judged {
            raw.judged.get_or_insert(at);
        }
        // As the curves of a page are thinned while it trains.
        if let Some(before) = last.replace(row).filter(|_| (seen - 1).is_multiple_of(stride)) {
            raw.rows.push(before);
        }
        seen += 1;
        if raw.rows.len() >= context.form.most_rows.max(2) {
            let mut place = 0;
            raw.rows.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            stride *= 2;
        }
    }
    raw.rows.extend(last);
    (raw.measurements, raw.replicas) = (Some(seen), replicas.filter(|_| seen > 0));
    Ok(())
});

/// The whole file.
struct Whole<'a> {
    raw: &'a mut Raw,
    context: &'a Context<'a>,
}

reads!(Whole, visit_map: MapAccess, "an object", |this, object| -> () {
    let Whole { raw, context } = this;
    const KEYS: [&str; 11] = [
        "format", "version", "link", "settings", "environment", "step", "ending", "held_out", "solved", "times",
        "rows",
    ];
    while let Some(key) = object.next_key_seed(Key(&KEYS))? {
        let place = || key.map_or_else(String::new, |key| KEYS[key].into());
        let a_list = |_: &A::Error| context.note(|| FileError::field(place(), tr!("a list")));
        match key.map(|key| KEYS[key]) {
            Some("format") => {
                let format = object.next_value_seed(AnyValue)?.text();
                let ours = format.filter(|format| format == FORMAT);
                ours.ok_or_else(|| context.refuse(|| FileError::Foreign))?;
                raw.is_ours = true;
            }
            Some("version") => {
                raw.version = object.next_value_seed(AnyValue)?.whole();
                // Of another program "version" may be anything.
                if let Some(newer) = raw.version.filter(|it| *it > VERSION && raw.is_ours) {
                    return Err(context.refuse(|| FileError::Newer(newer)));
                }
            }
            Some("link") => raw.link = object.next_value_seed(AnyValue)?.text(),
            Some("settings") => {
                raw.settings.clear();
                object.next_value_seed(Listed { settings: &mut raw.settings })?;
            }
            Some("environment") => object.next_value_seed(About { words: &mut raw.environment })?,
            Some("step") => raw.step = object.next_value_seed(AnyValue)?.whole(),
            Some("ending") => {
                raw.ending = match object.next_value_seed(AnyValue)? {
                    Loose::Null => None,
                    word => {
                        let word = word.text();
                        let known = ENDINGS.iter().find(|(_, known)| word.as_deref() == Some(known));
                        let words = || ENDINGS.map(|(_, word)| word).join(", ");
                        let wrong =
                            || FileError::field("ending", tr!("null or one of {words}", words = words()));
                        Some(known.ok_or_else(|| context.refuse(wrong))?.0)
                    }
                }
            }
            Some("held_out") => raw.held_out = object.next_value_seed(AnyValue)?.whole(),
            Some("solved") => {
                let steps = Steps { place: &place, context };
                raw.solved = Some(object.next_value_seed(steps).inspect_err(a_list)?);
            }
            Some("times") => raw.times = object.next_value_seed(Times { context }).inspect_err(a_list)?,
            Some(_) => object.next_value_seed(Rows { raw: &mut *raw, context }).inspect_err(a_list)?,
            None => drop(object.next_value_seed(AnyValue)?),
        }
    }
    // Said here too, since the version may stand before the format.
    match raw.version.filter(|version| *version > VERSION && raw.is_ours) {
        Some(newer) => Err(context.refuse(|| FileError::Newer(newer))),
        None => Ok(()),
    }
});
