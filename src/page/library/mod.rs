//! The runs that are saved in this browser, and those that exist on the page only because storage failed.
//!
//! # Why
//! A run follows from its link, so the link is its id: the same run trained twice is one entry, in whichever tab. This
//! module does not know where entries are stored; that is the browser's part, and a map's in the tests.
//!
//! Nothing is deleted unasked. A run that cannot be stored is listed like the others, and lasts as long as the page;
//! the user is warned, and storing is tried again. A run that the user has deleted can be restored with Undo only as
//! long as its space is not needed.
//!
//! Tabs write one at a time, and what they write is merged: the training that is further counts, and the later edit of
//! name, pin or deletion. A tab that is being closed has no time to read what it would overwrite, so it writes a
//! pending run, which the next reader merges. A hidden tab may be ended at any time, and does the same; it merges its
//! pending run when it is visible again. Everything that is read is checked ([`vivarium_view::record::saved`]).

#[cfg(test)]
mod silence_tests;
#[cfg(test)]
mod storage_tests;
#[cfg(test)]
pub(crate) mod tests;

mod answers;
pub(super) mod curves;
#[cfg(test)]
mod curves_tests;
pub mod functions;
pub mod merge;
mod space;
mod tables;
mod update;

use vivarium_core::language::translated;
use vivarium_core::sorting;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_player::player::ResumedRun;
use vivarium_view::display::{RunView, words};
pub use vivarium_view::record::saved::{MarksEdit, SavedRun};

/// Largest number of runs in the browser's storage; a further run stays in the page's memory only.
pub const MAX_RUNS: usize = 100;
/// Largest total size in bytes of the stored runs with their checkpoints; a run beyond it stays in the page's memory
/// only.
pub const MAX_BYTES: usize = vivarium_view::record::saved::MAX_RUN_BYTES;
/// Number of colours for the curves of saved runs in charts that compare runs.
pub const COLOUR_COUNT: usize = vivarium_plot::charts::MUTED_COLOURS.len();

/// A command to the browser's storage of runs, such as writing or deleting a run.
#[derive(Debug, Clone, PartialEq)]
pub enum StorageCommand {
    /// Read all runs, without curves.
    Load,
    /// Read the runs with these ids again, because another tab has written them.
    Reread(Vec<String>),
    /// Write a run, and its checkpoint if there is a new one.
    WriteRun(Box<SavedRun>, Option<Vec<u8>>),
    /// Write a run to the list of pending runs without waiting, because the page may be closed; it is merged later.
    WriteRunOnClose(Box<SavedRun>, Option<Vec<u8>>),
    /// Write changes of names, pins and deletions.
    WriteEdits(Vec<MarksEdit>),
    /// Delete the runs with these ids.
    Delete(Vec<String>),
    /// Read the run with this id, its curves and its checkpoint; before that, open the data table with this number if
    /// one is given.
    ReadRun(String, Option<u64>),
    /// Read the curves of the run with this id.
    ReadCurves(String),
}

/// All runs in the browser's storage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredRuns {
    /// Stored runs that can be used, without their curves.
    pub runs: Vec<SavedRun>,
    /// Stored entries that cannot be read as runs: (key of the entry, reason).
    pub damaged: Vec<(String, String)>,
    /// Whether saved runs of an earlier version of the page could not be moved to the database for lack of space.
    pub is_partial: bool,
    /// Time when the runs were read, in milliseconds since 1970.
    pub now_ms: f64,
}

/// Why the browser does not store runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageError {
    /// Storage is not available, or reading or writing failed with this message of the browser.
    Failed(String),
    /// A newer version of this page in another tab uses the database.
    NewerVersion,
    /// An older version of this page in another tab blocks the database.
    BlockedByOlderVersion,
    /// The browser deleted or closed the database while this page was open.
    ConnectionLost,
}

/// An answer or a message of the browser's storage of runs.
#[derive(Debug, Clone, PartialEq)]
pub enum StorageAnswer {
    /// All stored runs.
    Loaded(StoredRuns),
    /// Runs that were read again, without curves; and ids of runs that no longer exist.
    Reread(Vec<SavedRun>, Vec<String>),
    /// Another tab has written the runs with these ids; an empty list stands for any runs.
    RunsChanged(Vec<String>),
    /// The run with this id and its checkpoint, or why it could not be read.
    RunRead(String, Result<(Box<SavedRun>, Vec<u8>), String>),
    /// The curves of the run with this id; empty if it is not stored.
    Curves(String, Vec<Measurement>),
    /// The run as stored, without curves; another tab may have changed its name or pin.
    Stored(Box<SavedRun>),
    /// There was no space to carry out this command.
    NoRoom(Box<StorageCommand>),
    /// There was no space for the data table of this name.
    NoRoomForTable(String),
    /// The storage failed; second, the command that was not carried out, if one was.
    Failed(StorageError, Option<Box<StorageCommand>>),
}

/// An action of the user on saved runs, or an answer of the storage.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAction {
    /// Read the saved runs.
    Load,
    /// Rename the run with this id (first) to this name.
    Rename(String, String),
    /// Pin the run with this id, or unpin it.
    Pin(String),
    /// Delete the run with this id.
    Delete(String),
    /// Delete all runs that are neither pinned nor the current one.
    DeleteUnpinned,
    /// Delete the stored entry with this key, which cannot be read.
    DeleteDamaged(String),
    /// Add the run with this id to the comparison, or remove it.
    ToggleCompared(String),
    /// Save the current run and add it to the comparison.
    Compare,
    /// Remove all runs from the comparison.
    StopComparing,
    /// Add the runs with these ids to the comparison, after a reload of the page.
    AddCompared(Vec<String>),
    /// Set the compared runs to these ids: the effect of Undo.
    RestoreComparison(Vec<String>),
    /// Resume the run with this id.
    Resume(String),
    /// Give up resuming the run that waits for its data table.
    CancelWaiting,
    /// The page is hidden or closed.
    PageHidden,
    /// The storage answered.
    Answer(StorageAnswer),
}

/// Whether saved runs can be stored in the browser.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum StorageStatus {
    /// Not known before the first answer.
    #[default]
    Unknown,
    /// Runs are stored in the browser.
    Ready,
    /// The browser has no storage.
    Absent,
    /// Storage has failed for this reason, and is tried again.
    Refused(StorageError),
}

/// Why a run is only in the page's memory and not in the browser's storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnstoredReason {
    /// There is no space for the run.
    NoRoom,
    /// The storage is not available.
    NoStorage,
    /// The browser deleted the run. It is not stored again by itself, because the user may have cleared the storage.
    Deleted,
}

/// A run that is only in the page's memory and not in the browser's storage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unstored {
    /// Id of the run, which is its link.
    pub(super) id: String,
    /// Checkpoint of the run, which encodes its weights and optimizer state; None if there is none, or it was dropped
    /// to save memory.
    pub(super) checkpoint: Option<Vec<u8>>,
    /// Why the run is only in the page's memory.
    pub(super) reason: UnstoredReason,
}

/// A saved run that can be resumed only when the user opens the file with its data table again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WaitingRun {
    /// The saved run that waits for its data table.
    pub(super) saved: SavedRun,
    /// Number of the data table that the run needs: a checksum of its content.
    pub(super) table_number: u64,
}

/// A run whose curves are drawn in the charts of the current run.
#[derive(Debug, Clone)]
pub struct ComparedRun {
    /// Id of the saved run whose curves are drawn.
    pub id: String,
    /// The compared run, whose history holds its curves.
    pub run: RunView,
    /// Index of the colour of the run's curves, below [`COLOUR_COUNT`].
    pub colour: usize,
    /// Whether the saved run was deleted; its curves are hidden so that Undo can restore them.
    pub deleted: bool,
}

/// The saved runs of this browser, as far as the page knows them.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// All saved runs, including deleted ones; most stored runs are without curves.
    pub runs: Vec<SavedRun>,
    /// Entries of the browser's storage that cannot be read as runs: (key of the entry, reason).
    pub damaged: Vec<(String, String)>,
    /// Keys of damaged entries whose deletion was requested; a list that was read before the deletion still has them.
    pub(super) deleted_damaged: Vec<String>,
    /// Sentences on runs that are not stored; empty if all are.
    pub warning: String,
    /// The runs that are compared with the current run; those that the user has deleted stay in the list and are
    /// hidden.
    pub(super) compared: Vec<ComparedRun>,
    /// Ids of runs that are added to the comparison when their curves have been read.
    pub(super) awaiting_curves: Vec<String>,
    /// Runs that were removed from the comparison, with their curves, so that Undo can restore them.
    pub(super) removed: Vec<ComparedRun>,
    /// Number, among the runs since the page was opened, of the run that the user added to the comparison while it was
    /// the current run; None if there is no such run, or it was removed from the comparison, also by Undo.
    pub(super) compared_run_number: Option<u64>,
    /// Number of changes of the compared runs and their names so far; charts are drawn again when it changes.
    pub(super) drawing_version: u64,
    /// Whether the page was opened without a run in its address.
    pub(super) is_blank: bool,
    /// The runs that are only in the page's memory, with their checkpoints.
    pub(super) unstored: Vec<Unstored>,
    /// Changes of names, pins and deletions that could not be stored yet, at most one per run.
    pub(super) pending_edits: Vec<MarksEdit>,
    /// Ids of the runs that were sent to the storage and not yet confirmed.
    pub(super) writing: Vec<String>,
    /// Id of the run that was open when the page was closed last.
    pub(super) last_open_run: Option<String>,
    /// The run that can be resumed only when the user opens its data table; None without one.
    pub(super) waiting_run: Option<Box<WaitingRun>>,
    /// Whether saved runs can be stored in the browser.
    pub(super) storage: StorageStatus,
    /// Seconds for which an answer of the storage has been awaited; None if no answer is awaited.
    pub(super) awaited_s: Option<u32>,
    /// Whether saved runs of an earlier version of the page could not be moved to the database for lack of space.
    pub(super) is_partial: bool,
    /// Current time in milliseconds since 1970, as far as the page has been told it.
    pub(super) now_ms: f64,
    /// Seconds since the current run was opened on the page.
    pub(super) run_age_s: u32,
    /// (number of the run since the page was opened, training step, whether the run has ended) at the last save, to
    /// detect that nothing has changed.
    pub(super) last_written: (u64, u64, bool),
    /// (saved run, checkpoint) that is being resumed and not yet shown; None otherwise.
    pub(super) resumed_run: Option<(SavedRun, Option<Vec<u8>>)>,
}

/// Returns the id of a run with these settings, which is its link.
pub fn run_id(spec: &RunSpec) -> String {
    encode(&Link::from_spec(spec.clone()))
}

/// Returns the default name of a run: that of its preset, or the lab with up to three settings that differ from the
/// lab's default.
pub(super) fn default_name(spec: &RunSpec) -> String {
    if let Some(preset) = vivarium_labs::find_matching_preset(spec) {
        return translated(preset.name).into();
    }
    let info = spec.task.info();
    let plain = RunSpec::default_of_lab(info.slug).unwrap_or_default();
    let differs = spec.list_differences(&plain).into_iter().take(3);
    let differs: Vec<String> = differs.map(|(key, _, now)| words::format_setting(spec, &key, &now)).collect();
    format!("{} {}", translated(info.name), differs.join(", ")).trim().into()
}

impl Library {
    /// Takes the saved run that is to be resumed, if it has a checkpoint.
    pub(crate) fn take_resumed_run(&mut self) -> Option<ResumedRun> {
        let (saved, checkpoint) = self.resumed_run.take()?;
        Some(ResumedRun {
            step: saved.step,
            checkpoint: checkpoint?,
            rows: saved.rows,
            solved: saved.solved,
            initial_weights_file: saved.initial,
            has_ended: saved.ended,
        })
    }

    /// Returns the saved runs that are not deleted, pinned ones first, each group from the latest to the oldest.
    pub fn listed_runs(&self) -> Vec<&SavedRun> {
        let mut listed: Vec<&SavedRun> = self.runs.iter().filter(|saved| saved.deleted == 0.0).collect();
        sorting::sort_by(&mut listed, |a, b| b.pinned.cmp(&a.pinned).then(b.at.total_cmp(&a.at)));
        listed
    }

    /// Returns the ids of the listed runs in the order of a list that shows `shown` already: rows keep their places while
    /// their runs are saved again and again, because a row that moves loses the focus and the text that is being typed.
    /// Pinned runs are first; of either group new runs precede the others.
    pub fn list_order(&self, shown: &[String]) -> Vec<String> {
        let mut listed = self.listed_runs();
        let place = |run: &SavedRun| shown.iter().position(|id| *id == run.id);
        sorting::sort_by(&mut listed, |a, b| b.pinned.cmp(&a.pinned).then(place(a).cmp(&place(b))));
        listed.into_iter().map(|saved| saved.id.clone()).collect()
    }

    /// Returns the saved run with this id; None if there is none.
    pub fn find(&self, id: &str) -> Option<&SavedRun> {
        self.runs.iter().find(|saved| saved.id == id)
    }

    /// Iterates over the compared runs that are not deleted.
    pub fn compared_runs(&self) -> impl Iterator<Item = &ComparedRun> {
        self.compared.iter().filter(|compared| !compared.deleted)
    }

    /// Whether the run with this id is compared, so that charts draw its curves.
    pub fn is_drawn(&self, id: &str) -> bool {
        self.compared_runs().any(|compared| compared.id == id)
    }

    /// Returns the index of a saved run's colour; among compared runs it is unique.
    pub fn colour_of(&self, run: &SavedRun) -> usize {
        let drawn = self.compared_runs().find(|compared| compared.id == run.id);
        drawn.map_or(run.colour, |compared| compared.colour)
    }
}
