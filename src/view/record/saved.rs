//! A run as a browser stores it, and the check of what is read back.
//!
//! # Why
//! What lies in a browser's storage may be of an older version of this page, of a newer one, of another program on the
//! same host, or damaged. So it is checked like a file: one function, and each flaw is a sentence. An entry with a flaw
//! is left where it is, and nothing of it is used.
//!
//! What a person says of a run (its name, its pin, that it is deleted) is stored apart from what was measured of it: a
//! tab that trains writes the one, and whoever presses a button writes the other, so that neither can overwrite both.

use serde::{Deserialize, Serialize};

use super::values::shortened;
use super::weights::Header;
use super::{FileError, read};
use vivarium_core::language::is_hidden;
use vivarium_core::settings::Range;
use vivarium_model::permalink::{Link, decode};
use vivarium_model::protocol::Row;
use vivarium_model::run::RunSpec;

/// The version of the format that is written. Entries of this version and of earlier versions can be read. The names of
/// measures in [files of runs](super::VERSION) are not those of an entry, which nobody reads by name.
pub const FORMAT: u64 = 1;
/// Largest size of one run in bytes, which is also the limit for all runs together.
pub const MOST_BYTES: usize = 200 << 20;
/// Most measurements of one run: its curves are thinned to fewer.
const MOST_ROWS: usize = 1 << 13;
/// Longest name.
const LONGEST_NAME: usize = 80;
/// The latest time that a browser has, in milliseconds since 1970.
const LATEST: f64 = 8.64e15;
/// Largest whole number that a browser's numbers hold exactly.
const LARGEST: u64 = (1 << 53) - 1;

/// What is written down of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedRun {
    /// The version of the format; 0 where it was written before there were any.
    pub format: u64,
    /// The part of its link that determines the numbers of the run.
    pub id: String,
    /// Its whole link, with the settings of the view.
    pub link: String,
    /// What the person, or the page, calls it.
    pub name: String,
    /// Which colour its curves have.
    pub colour: usize,
    /// Whether the person has pinned the run, so that it is not deleted to make room.
    pub pinned: bool,
    /// When it was deleted, in milliseconds since 1970; 0 where it was not.
    pub deleted: f64,
    /// Number of changes that the person has made to its marks. Of two tabs' marks, those with more changes are kept.
    pub revision: u64,
    /// When it was last written down, in milliseconds since 1970.
    pub at: f64,
    /// Steps made.
    pub step: u64,
    /// Whether it has ended.
    pub ended: bool,
    /// Bytes that it takes, roughly.
    pub bytes: usize,
    /// Replicas that reached the target, with the step.
    pub solved: Vec<(usize, u64)>,
    /// The file with its initial weights and what that file is; both empty if the link draws the weights.
    pub initial: [String; 2],
    /// The file of its table, where it is about one.
    pub table: Option<TableFile>,
    /// Its curves, thinned.
    pub rows: Vec<Row>,
}

/// The file that a run's table was read from, so that it can be asked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableFile {
    /// What it was called.
    pub name: String,
    /// Bytes of the file.
    pub size: u64,
    /// Which of its columns is the label, from 0.
    pub label: usize,
}

/// What a person has said of a run, stored apart from the run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Marks {
    /// What the run is called.
    pub name: String,
    /// Whether it is pinned.
    pub pinned: bool,
    /// When it was deleted; 0 where it was not.
    pub deleted: f64,
    /// Counts the changes.
    pub revision: u64,
}

/// A change of a run's marks: a field that is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Edit {
    /// The run.
    pub id: String,
    /// The new name.
    pub name: Option<String>,
    /// Whether the run is pinned now.
    pub pinned: Option<bool>,
    /// Deleted at this time, or brought back with 0.
    pub deleted: Option<f64>,
}

/// A name of at most [`LONGEST_NAME`] characters that can be shown.
pub fn name(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).take(LONGEST_NAME).collect()
}

/// The number of the table that a run is about; `None` if the table is generated, or the run is about no table.
pub fn table_of(spec: &RunSpec) -> Option<u64> {
    spec.task.config().own_number()
}

/// Whether the table that a run is about is not open here. Such a run can be named and listed, but not trained.
pub fn lacks_table(spec: &RunSpec) -> bool {
    table_of(spec).is_some() && !spec.task.config().has_own_data()
}

/// The link of a saved run, whole. Where its table is not open here, it still names that table: [`decode`] would put a
/// generated one in its place.
///
/// # Errors
/// [`FileError::Link`] with what cannot be read.
pub fn link(text: &str) -> Result<Link, FileError> {
    let flaw = match read::link(text) {
        Ok(link) => return Ok(link),
        Err(flaw) => flaw,
    };
    let (mut link, notices) = decode(text);
    let query = text.split_once('?').map_or("", |(_, query)| query);
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if link.spec.knob(key).is_some() && link.spec.parse(key, value).is_err() {
            return Err(flaw);
        }
    }
    // What was mended for want of the table is as it was written; anything else is a flaw.
    let is_mended = notices.iter().all(|notice| link.spec.knob(&notice.key).is_some());
    let lacks_nothing_else = link.spec.problems().iter().all(|problem| problem.key == "data");
    if lacks_table(&link.spec) && is_mended && lacks_nothing_else { Ok(link) } else { Err(flaw) }
}

/// The checkpoint of a run as it was read from storage, if the run can go on from it.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn check_state(kept: &SavedRun, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let header = Header::read(&bytes).map_err(|flaw| flaw.to_string())?;
    let of = link(&kept.link).map_err(|flaw| flaw.to_string())?.spec;
    // When and where a run stops, and what was changed since, is its link's, as a worker has it.
    let mut same = header.spec;
    (same.run.steps, same.run.halt, same.run.device) = (of.run.steps, of.run.halt, of.run.device);
    same.run.schedule.clone_from(&of.run.schedule);
    if same != of {
        return Err(tr!("the weights belong to another run").into());
    }
    match header.step == kept.step {
        true => Ok(bytes),
        false => Err(tr!(
            "the weights belong to step {found}, but the run is at step {step}",
            found = header.step,
            step = kept.step
        )),
    }
}

impl Marks {
    /// What is said of a run.
    pub fn of(kept: &SavedRun) -> Marks {
        let SavedRun { name, pinned, deleted, revision, .. } = kept.clone();
        Marks { name, pinned, deleted, revision }
    }

    /// The marks after a check; `None` if their values are impossible.
    pub fn check(self) -> Option<Marks> {
        let is_whole = is_time(self.deleted) && self.revision <= LARGEST;
        is_whole.then(|| Marks { name: name(&self.name), ..self })
    }

    /// After a change.
    pub fn edited(self, edit: &Edit) -> Marks {
        Marks {
            name: edit.name.as_deref().map_or(self.name, name),
            pinned: edit.pinned.unwrap_or(self.pinned),
            deleted: edit.deleted.unwrap_or(self.deleted),
            revision: (self.revision + 1).min(LARGEST),
        }
    }
}

fn is_time(time: f64) -> bool {
    (0.0..=LATEST).contains(&time)
}

impl SavedRun {
    /// The same with what a person says of it.
    pub fn marked(self, marks: Marks) -> SavedRun {
        let Marks { name, pinned, deleted, revision } = marks;
        SavedRun { name, pinned, deleted, revision, ..self }
    }

    /// What was read from storage, where it was found under `key`, if a run can be made of it.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn check(mut self, key: &str) -> Result<SavedRun, FileError> {
        if self.format > FORMAT {
            return Err(FileError::Newer(self.format));
        }
        if self.id != key {
            return Err(FileError::field(tr!("the link"), tr!("the link under which the entry is stored")));
        }
        let (of, shown) = (link(&self.id)?.spec, link(&self.link)?);
        if of != shown.spec {
            return Err(FileError::field(tr!("the link"), tr!("the link under which the entry is stored")));
        }
        if !of.run.sweep.is_empty() {
            return Err(FileError::field(tr!("the link"), tr!("the link of one run, not of a sweep")));
        }
        if !is_time(self.at) || !is_time(self.deleted) || self.revision > LARGEST {
            return Err(FileError::field(tr!("the time of this entry"), tr!("milliseconds since 1970")));
        }
        if self.bytes > MOST_BYTES {
            return Err(FileError::TooLarge(self.bytes as u64 >> 20, MOST_BYTES as u64 >> 20));
        }
        let most = match of.knob("steps").map(|knob| knob.range) {
            Some(Range::Int(_, most)) => most,
            _ => LARGEST,
        };
        let expected = || tr!("a whole number up to {most}", most);
        if self.step > most {
            return Err(FileError::field("step", expected()));
        }
        self.solved(of.run.replicas, most)?;
        if self.rows.len() > MOST_ROWS {
            return Err(FileError::TooMany(MOST_ROWS));
        }
        for (at, row) in (1..).zip(&self.rows) {
            check_row(row, at, &of)?;
        }
        for (at, pair) in (2..).zip(self.rows.windows(2)) {
            if pair[1].step <= pair[0].step {
                return Err(FileError::Order { at, step: pair[1].step, before: pair[0].step });
            }
        }
        if self.rows.last().is_some_and(|row| row.step > most) {
            return Err(FileError::field(tr!("the last measurement's step"), expected()));
        }
        // Curves reach a little further than the weights that one can go on from.
        self.solved.retain(|(_, step)| *step <= self.step);
        self.name = name(&self.name);
        self.initial = self.initial.map(|text| shortened(&text));
        self.table = match table_of(&of) {
            Some(_) => self.table.map(|file| TableFile { name: name(&file.name), ..file }),
            None => None,
        };
        Ok(self)
    }

    /// Checks the steps at which replicas reached the target.
    fn solved(&self, replicas: usize, most: u64) -> Result<(), FileError> {
        let mut seen = vec![false; replicas];
        for (replica, step) in &self.solved {
            let is_new = seen.get_mut(*replica).is_some_and(|seen| !std::mem::replace(seen, true));
            if !is_new || *step > most {
                let expected = tr!("a step or null for each of {replicas} replicas", replicas);
                return Err(FileError::field("solved", expected));
            }
        }
        Ok(())
    }
}

/// Checks a measurement: each of its numbers for each replica, or for none where that can be.
fn check_row(row: &Row, at: usize, spec: &RunSpec) -> Result<(), FileError> {
    let replicas = spec.run.replicas;
    let must = [
        ("train_loss", &row.train_loss),
        ("train_accuracy", &row.train_accuracy),
        ("test_loss", &row.test_loss),
        ("test_accuracy", &row.test_accuracy),
    ];
    if row.measures.len() > spec.task.examples().measures().more.len() {
        return Err(FileError::field(format!("measures of measurement {at}"), tr!("absent in this lab")));
    }
    let may = row.measures.iter().chain([&row.margin]).filter(|values| !values.is_empty());
    let may = may.map(|values| ("measures", values));
    match must.into_iter().chain(may).find(|(_, values)| values.len() != replicas) {
        None => Ok(()),
        Some((key, values)) => Err(FileError::field(
            format!("{key} of measurement {at}"),
            tr!(
                "one number for each of the {replicas} replicas, but there are {values} numbers",
                replicas,
                values = values.len()
            ),
        )),
    }
}
