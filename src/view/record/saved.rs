//! Runs stored in the browser, and the checks when they are read.
//!
//! # Why
//! What lies in a browser's storage may be of an older version of this page, of a newer one, of another program on the
//! same host, or damaged. So it is checked like a file: one function, and each error is a sentence. An entry with an
//! error is left in storage and not used.
//!
//! The user's marks (name, pin, deletion) are stored apart from the measurements: a tab that trains writes the
//! measurements, and a tab in which the user acts writes the marks, so that neither overwrites the other.

use serde::{Deserialize, Serialize};

use super::values::shorten;
use super::weights::CheckpointHeader;
use super::{FileError, read};
use vivarium_core::language::is_hidden;
use vivarium_core::settings::Range;
use vivarium_model::permalink::{Link, decode};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::tabular::TABLE_ORIGIN_KEY;

/// Version of the format of saved runs that is written; entries of earlier versions can be read. Keys of measures in it
/// do not depend on [the version of files](super::VERSION).
pub const ENTRY_FORMAT: u64 = 1;
/// Size limit in bytes of one saved run, and of all saved runs together; an entry of the storage beyond it is rejected.
pub const MAX_RUN_BYTES: usize = 200 << 20;
/// Largest number of measurements of a saved run in the storage; an entry with more is rejected.
const MAX_ROWS: usize = 1 << 13;
/// Largest number of characters of a saved run's name; a longer name is cut.
const MAX_NAME_CHARS: usize = 80;
/// Latest time that a JavaScript `Date` can represent, in milliseconds since 1970; stored times beyond it are invalid.
const MAX_TIME_MS: f64 = 8.64e15;
/// Largest integer that a JavaScript number holds exactly; stored counts beyond it are invalid.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A run as the page stores it in the browser's database.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedRun {
    /// Version of the format in which this entry was saved; 0 for entries without a version.
    pub format: u64,
    /// Part of the run's link that determines the measurements; also the key of the entry in the storage.
    pub id: String,
    /// Whole link of the run, with the settings of the view.
    pub link: String,
    /// Name of the run, given by the user or the page.
    pub name: String,
    /// Index, from 0, of the colour of the run's curves in charts that compare runs.
    pub colour: usize,
    /// Whether the person has pinned the run, so that it is not deleted to make room.
    pub pinned: bool,
    /// Time of deletion, in milliseconds since 1970; 0 if not deleted.
    pub deleted: f64,
    /// Number of changes that the user has made to name, pin and deletion; if two browser tabs disagree, the higher
    /// number wins.
    pub revision: u64,
    /// Time at which the saved run was last written to the storage, in milliseconds since 1970.
    pub at: f64,
    /// Training steps that the saved run has completed.
    pub step: u64,
    /// Whether the run has ended.
    pub ended: bool,
    /// Approximate size of the saved run in bytes.
    pub bytes: usize,
    /// Indices, from 0, of the replicas that have reached the target, each with its step.
    pub solved: Vec<(usize, u64)>,
    /// Name of the file with the initial weights, and its description; both empty if the link determines the weights.
    pub initial: [String; 2],
    /// CSV file from which the run's table was read; `None` if the run uses no uploaded table.
    pub table: Option<TableFile>,
    /// Measurements of the run, of which at most [`MAX_ROWS`] are stored.
    pub rows: Vec<Measurement>,
}

/// CSV file from which a saved run's table was read, so that the page can ask the user for the file again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableFile {
    /// Name of the CSV file, without folders.
    pub name: String,
    /// Size of the CSV file in bytes.
    pub size: u64,
    /// Index, from 0, of the label column among the columns of the CSV file.
    pub label: usize,
}

/// Name, pin and deletion time that the user has given a saved run; stored apart from the run itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunMarks {
    /// Name of the saved run, given by the user or the page.
    pub name: String,
    /// Whether the run is pinned.
    pub pinned: bool,
    /// Time of deletion, in milliseconds since 1970; 0 if not deleted.
    pub deleted: f64,
    /// Number of changes that the user has made to name, pin and deletion.
    pub revision: u64,
}

/// Change of a saved run's name, pin or deletion time; fields that are `None` stay as they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarksEdit {
    /// Id of the saved run that is changed.
    pub id: String,
    /// New name of the saved run; `None` leaves its name.
    pub name: Option<String>,
    /// Whether the saved run is pinned after the change; `None` leaves it as it is.
    pub pinned: Option<bool>,
    /// New time of deletion in milliseconds since 1970; 0 restores the run.
    pub deleted: Option<f64>,
}

/// Cleans a name: removes control and invisible characters and cuts it to [`MAX_NAME_CHARS`] characters.
pub fn clean_name(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).take(MAX_NAME_CHARS).collect()
}

/// Hash of the uploaded table that a run uses; `None` if its table is generated or it uses none.
pub fn table_number(spec: &RunSpec) -> Option<u64> {
    spec.task.config().uploaded_data_id()
}

/// Whether the run's uploaded table is not open in this page, so that the run can be listed but not trained.
pub fn is_table_missing(spec: &RunSpec) -> bool {
    table_number(spec).is_some() && !spec.task.config().has_uploaded_data()
}

/// Decodes the link of a saved run. If the run's uploaded table is not open in this page, the link still names that
/// table, where [`decode`] would substitute a generated one.
///
/// # Errors
/// [`FileError::Link`] with what cannot be read.
pub fn parse_saved_link(text: &str) -> Result<Link, FileError> {
    let flaw = match read::parse_link(text) {
        Ok(link) => return Ok(link),
        Err(flaw) => flaw,
    };
    let (mut link, notices) = decode(text);
    let query = text.split_once('?').map_or("", |(_, query)| query);
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if link.spec.setting(key).is_some() && link.spec.parse(key, value).is_err() {
            return Err(flaw);
        }
    }
    // Notices caused by the missing table are expected; anything else is an error.
    let has_known_keys = notices.iter().all(|notice| link.spec.setting(&notice.key).is_some());
    let lacks_only_table = link.spec.invalid_settings().iter().all(|problem| problem.key == TABLE_ORIGIN_KEY);
    if is_table_missing(&link.spec) && has_known_keys && lacks_only_table { Ok(link) } else { Err(flaw) }
}

/// Checks that `bytes`, a checkpoint read from storage, belongs to the saved run `kept` (apart from the settings on
/// stopping, device and changes of the learning rate) and to its step; returns the checkpoint's bytes.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn check_checkpoint(kept: &SavedRun, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let header = CheckpointHeader::read(&bytes).map_err(|flaw| flaw.to_string())?;
    let of = parse_saved_link(&kept.link).map_err(|flaw| flaw.to_string())?.spec;
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

impl RunMarks {
    /// Name, pin, deletion time and number of changes of a saved run.
    pub fn of(kept: &SavedRun) -> RunMarks {
        let SavedRun { name, pinned, deleted, revision, .. } = kept.clone();
        RunMarks { name, pinned, deleted, revision }
    }

    /// Checks name, pin and deletion time read from storage and cleans the name; `None` if the time or the number of
    /// changes is invalid.
    pub fn check(self) -> Option<RunMarks> {
        let is_whole = is_valid_time(self.deleted) && self.revision <= MAX_SAFE_INTEGER;
        is_whole.then(|| RunMarks { name: clean_name(&self.name), ..self })
    }

    /// Applies a change of the user and adds 1 to the number of changes.
    pub fn apply(self, edit: &MarksEdit) -> RunMarks {
        RunMarks {
            name: edit.name.as_deref().map_or(self.name, clean_name),
            pinned: edit.pinned.unwrap_or(self.pinned),
            deleted: edit.deleted.unwrap_or(self.deleted),
            revision: (self.revision + 1).min(MAX_SAFE_INTEGER),
        }
    }
}

/// Whether `time` is a valid time in milliseconds since 1970: at least 0 and at most [`MAX_TIME_MS`].
fn is_valid_time(time: f64) -> bool {
    (0.0..=MAX_TIME_MS).contains(&time)
}

impl SavedRun {
    /// Replaces name, pin, deletion time and number of changes of the run.
    pub fn with_marks(self, marks: RunMarks) -> SavedRun {
        let RunMarks { name, pinned, deleted, revision } = marks;
        SavedRun { name, pinned, deleted, revision, ..self }
    }

    /// Checks a run read from storage under `key` and cleans its texts.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn check(mut self, key: &str) -> Result<SavedRun, FileError> {
        if self.format > ENTRY_FORMAT {
            return Err(FileError::Newer(self.format));
        }
        if self.id != key {
            return Err(FileError::invalid_field(
                tr!("the link"),
                tr!("the link under which the entry is stored"),
            ));
        }
        let (of, shown) = (parse_saved_link(&self.id)?.spec, parse_saved_link(&self.link)?);
        if of != shown.spec {
            return Err(FileError::invalid_field(
                tr!("the link"),
                tr!("the link under which the entry is stored"),
            ));
        }
        if !of.run.sweep.is_empty() {
            return Err(FileError::invalid_field(
                tr!("the link"),
                tr!("the link of one run, not of a sweep"),
            ));
        }
        if !is_valid_time(self.at) || !is_valid_time(self.deleted) || self.revision > MAX_SAFE_INTEGER {
            return Err(FileError::invalid_field(
                tr!("the time of this entry"),
                tr!("milliseconds since 1970"),
            ));
        }
        if self.bytes > MAX_RUN_BYTES {
            return Err(FileError::TooLarge(self.bytes as u64 >> 20, MAX_RUN_BYTES as u64 >> 20));
        }
        let most = match of.setting("steps").map(|setting| setting.range) {
            Some(Range::Int(_, most)) => most,
            _ => MAX_SAFE_INTEGER,
        };
        let expected = || tr!("a whole number up to {most}", most);
        if self.step > most {
            return Err(FileError::invalid_field("step", expected()));
        }
        self.check_solved(of.run.replicas, most)?;
        if self.rows.len() > MAX_ROWS {
            return Err(FileError::TooMany(MAX_ROWS));
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
            return Err(FileError::invalid_field(tr!("the last measurement's step"), expected()));
        }
        // Curves reach a little further than the weights that one can go on from.
        self.solved.retain(|(_, step)| *step <= self.step);
        self.name = clean_name(&self.name);
        self.initial = self.initial.map(|text| shorten(&text));
        self.table = match table_number(&of) {
            Some(_) => self.table.map(|file| TableFile { name: clean_name(&file.name), ..file }),
            None => None,
        };
        Ok(self)
    }

    /// Checks the list of replicas that reached the target: indices below `replicas` without duplicates, and steps of
    /// at most `most`, the upper limit of the setting of the number of steps.
    fn check_solved(&self, replicas: usize, most: u64) -> Result<(), FileError> {
        let mut seen = vec![false; replicas];
        for (replica, step) in &self.solved {
            let is_new = seen.get_mut(*replica).is_some_and(|seen| !std::mem::replace(seen, true));
            if !is_new || *step > most {
                let expected = tr!("a step or null for each of {replicas} replicas", replicas);
                return Err(FileError::invalid_field("solved", expected));
            }
        }
        Ok(())
    }
}

/// Checks measurement number `at` (from 1) of a saved run: one number per replica in each list; margins and further
/// measures may be empty.
fn check_row(row: &Measurement, at: usize, spec: &RunSpec) -> Result<(), FileError> {
    let replicas = spec.run.replicas;
    let must = [
        ("train_loss", &row.train_loss),
        ("train_accuracy", &row.train_accuracy),
        ("test_loss", &row.test_loss),
        ("test_accuracy", &row.test_accuracy),
    ];
    if row.measures.len() > spec.task.examples().measure_names().further_measures.len() {
        return Err(FileError::invalid_field(
            format!("measures of measurement {at}"),
            tr!("absent in this lab"),
        ));
    }
    let may = row.measures.iter().chain([&row.margin]).filter(|values| !values.is_empty());
    let may = may.map(|values| ("measures", values));
    match must.into_iter().chain(may).find(|(_, values)| values.len() != replicas) {
        None => Ok(()),
        Some((key, values)) => Err(FileError::invalid_field(
            format!("{key} of measurement {at}"),
            tr!(
                "one number for each of the {replicas} replicas, but there are {values} numbers",
                replicas,
                values = values.len()
            ),
        )),
    }
}
