//! The runs that this browser keeps: what is written down of each, and what stays on the page where nothing is stored.
//!
//! # Why
//! A run is what its link says, so its link is what it is found by: the same run trained twice is one entry, in
//! whichever tab. Nothing here knows where entries lie; that is the browser's part, and a map's in the tests.
//!
//! Nothing is deleted unasked. A run that cannot be stored is listed as the others, and lasts as long as the page; the
//! person is told, and storing is tried again. What the person has deleted waits for its Undo only as long as its room is
//! not needed.
//!
//! Tabs write one at a time, and what they write is merged: of a run, what got further counts; of what a person says of
//! it, the later word. A tab that is being closed has no time to read what it would overwrite, so it writes beside, and
//! whoever reads next merges that too. One that is hidden may be closed without another word, and does the same; seen
//! again, it merges that itself. What is read is checked ([`vivarium_view::record::saved`]).

#[cfg(test)]
mod storage_tests;
#[cfg(test)]
pub(crate) mod tests;

mod answers;
pub(super) mod curves;
#[cfg(test)]
mod curves_tests;
pub mod keeper;
pub mod merge;
mod room;
mod tables;
mod update;

use vivarium_core::language::translated;
use vivarium_core::sorting;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::Row;
use vivarium_model::run::RunSpec;
use vivarium_view::display::{RunView, words};
pub use vivarium_view::record::saved::{Edit, SavedRun};

/// Most runs that are stored.
pub const MOST_RUNS: usize = 100;
/// Most bytes that all of them take.
pub const MOST_BYTES: usize = vivarium_view::record::saved::MOST_BYTES;
/// Colours that curves of kept runs have.
pub const COLOURS: usize = vivarium_plot::charts::MUTED.len();

/// What the browser is to do with what it keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryCommand {
    /// Read all that is kept.
    Load,
    /// Read these runs again: another tab has written them.
    Refresh(Vec<String>),
    /// Write down a run, with its checkpoint if there is a new one.
    Keep(Box<SavedRun>, Option<Vec<u8>>),
    /// The same at once and beside what is stored, because the page may be gone soon: nothing can be waited for.
    Leave(Box<SavedRun>, Option<Vec<u8>>),
    /// Write down what the person says of runs.
    Edit(Vec<Edit>),
    /// Forget these runs.
    Forget(Vec<String>),
    /// Open the table of this number, if one is named and kept, and give this run with its curves and its checkpoint.
    Fetch(String, Option<u64>),
    /// Give the curves of this run.
    ReadCurves(String),
}

/// All that is kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stock {
    /// The runs that can be used, without their curves.
    pub runs: Vec<SavedRun>,
    /// The entries that cannot: what each is stored under, and why.
    pub damaged: Vec<(String, String)>,
    /// Whether there was no room for all that an earlier version of this page, or one that was closed, had kept.
    pub is_partial: bool,
    /// Milliseconds since 1970.
    pub now: f64,
}

/// Why the browser does not store runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It stores nothing, or a reading or writing has failed, in the browser's words.
    Failed(String),
    /// A newer version of this page has taken the storage over.
    Newer,
    /// An older version of this page does not let go of it.
    Blocked,
    /// The browser has deleted or closed the storage while this page was open.
    Lost,
}

/// What the browser answers.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAnswer {
    /// All that is kept.
    Loaded(Stock),
    /// These runs, which another tab has written, without their curves, and those of them that are kept no longer.
    Refreshed(Vec<SavedRun>, Vec<String>),
    /// Another tab has written these runs; without any, it may be all.
    News(Vec<String>),
    /// A run as it is stored, with its checkpoint, or why there is none.
    Fetched(String, Result<(Box<SavedRun>, Vec<u8>), String>),
    /// The curves of a run; none where it is not stored.
    Curves(String, Vec<Row>),
    /// What is kept of a run after it was written down, without its curves: another tab may have had its say.
    Stored(Box<SavedRun>),
    /// There is no room for what was to be written, which comes back.
    Full(Box<LibraryCommand>),
    /// There is no room for the table of this name.
    NoRoomForTable(String),
    /// It was not done, and why; what was to be written comes back.
    Refused(Refusal, Option<Box<LibraryCommand>>),
}

/// What a person wants of kept runs, and what the browser answers.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAction {
    /// See what is kept now.
    Load,
    /// Call a run so.
    Rename(String, String),
    /// Pin a run, or no longer.
    Pin(String),
    /// Delete a run.
    Delete(String),
    /// Delete all runs but those that are pinned and the one under way.
    DeleteUnpinned,
    /// Delete an entry that cannot be read.
    DeleteDamaged(String),
    /// Draw its curves over those of the run under way, or no longer.
    Overlay(String),
    /// Keep the run of the page, and draw its curves with those of the runs that come.
    Compare,
    /// Draw the curves of kept runs no longer.
    StopComparing,
    /// Draw the curves of these runs again: the page was left while they were compared.
    Recall(Vec<String>),
    /// Draw the curves of these runs alone, as they were before the last change.
    CompareAgain(Vec<String>),
    /// Take a run up where it is.
    TakeUp(String),
    /// Do without the run that waits for its table.
    NotNow,
    /// The page is being left, or nobody sees it any more.
    Leave,
    /// The browser's answer.
    Heard(LibraryAnswer),
}

/// Where runs are stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Storage {
    /// It is not known yet.
    #[default]
    Unknown,
    /// In the browser.
    Ready,
    /// Nowhere.
    Absent,
    /// Nowhere now, for this reason.
    Refused(Refusal),
}

/// Why a run is on the page alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// There is no room.
    NoRoom,
    /// Nothing can be stored at all.
    NoStorage,
    /// The browser has deleted it. It is not stored again by itself, since somebody may have wanted that.
    Deleted,
}

/// A run that the browser does not store.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unstored {
    pub(super) id: String,
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) reason: Reason,
}

/// A run that was to be taken up, and waits for its table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waiting {
    pub(super) kept: SavedRun,
    /// The number of the table.
    pub(super) table: u64,
}

/// A run whose curves are drawn with those of the run of the page.
#[derive(Debug, Clone)]
pub struct ComparedRun {
    /// What it is found by.
    pub id: String,
    /// The run, with its curves.
    pub run: RunView,
    /// Which colour its curves have.
    pub tint: usize,
    /// Whether the person has deleted the kept run: its curves are drawn again if that is undone.
    pub deleted: bool,
}

/// The kept runs, as the page knows them.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// All of them, deleted ones too. Of those that are stored, most are without their curves.
    pub runs: Vec<SavedRun>,
    /// The entries that cannot be read, each with what it is stored under and why.
    pub damaged: Vec<(String, String)>,
    /// What the person must know of them, in a sentence or two.
    pub trouble: String,
    /// The runs whose curves are drawn, of which deleted ones are hidden.
    pub(super) compared: Vec<ComparedRun>,
    /// The runs whose curves will be drawn once they are read.
    pub(super) recalled: Vec<String>,
    /// The runs that were compared before, for Undo.
    pub(super) aside: Vec<ComparedRun>,
    /// The number of the run of the page that the person has kept last, to compare it.
    pub(super) kept_run: Option<u64>,
    /// Counts changes of what is drawn of kept runs, and of their names.
    pub(super) drawings: u64,
    /// Whether the page was opened without a link.
    pub(super) is_blank: bool,
    /// The runs that are not stored, with their checkpoints: they last as long as the page.
    pub(super) unstored: Vec<Unstored>,
    /// What the person has said of runs while nothing could be stored, in one edit for each run.
    pub(super) edits: Vec<Edit>,
    /// The runs that are being written.
    pub(super) sent: Vec<String>,
    /// The run that the page was left at.
    pub(super) offer: Option<String>,
    /// The run that waits for its table.
    pub(super) waiting: Option<Box<Waiting>>,
    pub(super) storage: Storage,
    /// Whether there was no room for all that an earlier version of this page had kept.
    pub(super) is_partial: bool,
    /// Milliseconds since 1970, and seconds since the run began.
    pub(super) now: f64,
    pub(super) age: u32,
    /// Run, step and end of what was written down last.
    pub(super) written: (u64, u64, bool),
    /// The run that is being taken up.
    pub(super) handed: Option<(SavedRun, Option<Vec<u8>>)>,
}

/// What a run is found by.
pub fn id_of(spec: &RunSpec) -> String {
    encode(&Link::of(spec.clone()))
}

/// A name for a run: its preset's, or its lab's with what differs from that lab's own settings.
pub(super) fn name_of(spec: &RunSpec) -> String {
    if let Some(preset) = vivarium_labs::preset_of(spec) {
        return translated(preset.name).into();
    }
    let info = spec.task.info();
    let plain = RunSpec::of_lab(info.slug).unwrap_or_default();
    let differs = spec.differences(&plain).into_iter().take(3);
    let differs: Vec<String> = differs.map(|(key, _, now)| words::setting(spec, &key, &now)).collect();
    format!("{} {}", translated(info.name), differs.join(", ")).trim().into()
}

impl Library {
    /// The runs that are not deleted: those that are pinned first, and then the newest.
    pub fn listed(&self) -> Vec<&SavedRun> {
        let mut listed: Vec<&SavedRun> = self.runs.iter().filter(|kept| kept.deleted == 0.0).collect();
        sorting::sort_by(&mut listed, |a, b| b.pinned.cmp(&a.pinned).then(b.at.total_cmp(&a.at)));
        listed
    }

    /// A run by what it is found by.
    pub fn find(&self, id: &str) -> Option<&SavedRun> {
        self.runs.iter().find(|kept| kept.id == id)
    }

    /// The runs whose curves are drawn.
    pub fn compared(&self) -> impl Iterator<Item = &ComparedRun> {
        self.compared.iter().filter(|compared| !compared.deleted)
    }

    /// Whether its curves are drawn.
    pub fn is_drawn(&self, id: &str) -> bool {
        self.compared().any(|compared| compared.id == id)
    }

    /// Which colour a kept run has: while its curves are drawn, one that no other drawn run has.
    pub fn tint(&self, kept: &SavedRun) -> usize {
        let drawn = self.compared().find(|compared| compared.id == kept.id);
        drawn.map_or(kept.colour, |compared| compared.tint)
    }
}
