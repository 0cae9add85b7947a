//! The runs that this browser keeps: what is written down of each, and what stays on the page where there is no room.
//!
//! # Why
//! A run is what its link says, so its link is what it is found by: the same run trained twice is one entry, in
//! whichever tab. Nothing here knows where entries lie; that is the browser's part, and a map's in the tests.
//!
//! Nothing is deleted unasked. A run for which there is no room is listed as the others, and lasts as long as the page; the
//! person is told, and storing is tried again when another one is deleted. What the person has deleted waits for its
//! Undo only as long as its room is not needed.

#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod list;
#[cfg(test)]
pub(in crate::app) mod tests;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod web;

mod room;
mod update;

use serde::{Deserialize, Serialize};

use crate::display::{RunView, words};
use crate::language::translated;
use crate::permalink::{Link, View, encode};
use crate::protocol::Row;
use crate::run::RunSpec;

/// Most runs that are stored.
pub const MOST_RUNS: usize = 100;
/// Most bytes that all of them take.
pub const MOST_BYTES: usize = 200 << 20;
/// Colours that curves of kept runs have.
pub const COLOURS: usize = crate::charts::MUTED.len();

/// What is written down of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedRun {
    /// Its link, as far as it changes a number of the run.
    pub id: String,
    /// Its link with how it was shown.
    pub link: String,
    /// What the person, or the page, calls it.
    pub name: String,
    /// Which of the [`COLOURS`].
    pub colour: usize,
    /// Whether the person has marked it as one to stay.
    pub pinned: bool,
    /// When it was deleted, in milliseconds since 1970; 0 where it was not.
    pub deleted: f64,
    /// When it was last written down, likewise.
    pub at: f64,
    /// Steps made.
    pub step: u64,
    /// Whether it has ended.
    pub ended: bool,
    /// Bytes that it takes, roughly.
    pub bytes: usize,
    /// Replicas that reached the target, with the step.
    pub solved: Vec<(usize, u64)>,
    /// Its curves, thinned.
    pub rows: Vec<Row>,
}

/// What the browser is to do with what it keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryCommand {
    /// Write down a run, with its checkpoint if there is a new one.
    Keep(Box<SavedRun>, Option<Vec<u8>>),
    /// The same at once, because the page is about to be gone: nothing of it can be waited for.
    Leave(Box<SavedRun>, Option<Vec<u8>>),
    /// Write down what the person calls a run, and whether it is pinned or deleted.
    Edit(Box<SavedRun>),
    /// Forget these runs.
    Forget(Vec<String>),
    /// Give the checkpoint of this run.
    Fetch(String),
}

/// What the browser answers.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAnswer {
    /// All that is kept, at this time in milliseconds since 1970.
    Loaded(Vec<SavedRun>, f64),
    /// The checkpoint of a run.
    Fetched(String, Option<Vec<u8>>),
    /// What the person calls a run that was written down, who may have said so in another tab.
    Called(Box<SavedRun>),
    /// There is no room for what was to be written, which comes back.
    Full(Box<LibraryCommand>),
    /// Nothing can be kept.
    Closed,
}

/// What a person wants of kept runs, and what the browser answers.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAction {
    /// Call a run so.
    Rename(String, String),
    /// Pin a run, or no longer.
    Pin(String),
    /// Delete a run.
    Delete(String),
    /// Draw its curves over those of the run under way, or no longer.
    Overlay(String),
    /// Take a run up where it is.
    TakeUp(String),
    /// The page is being left.
    Leave,
    /// The browser's answer.
    Heard(LibraryAnswer),
}

/// The kept runs, as the page knows them.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// All of them, deleted ones too.
    pub runs: Vec<SavedRun>,
    /// What the person must know of them, in a sentence.
    pub trouble: String,
    /// The runs whose curves are drawn.
    pub(super) drawn: Vec<(String, RunView)>,
    /// Counts changes of that.
    pub(super) drawings: u64,
    /// Whether the page was opened without a link.
    pub(super) is_blank: bool,
    /// The runs that there was no room for, with their checkpoints: they last as long as the page.
    pub(super) unstored: Vec<(String, Option<Vec<u8>>)>,
    /// The run that the page was left at.
    offer: Option<String>,
    /// Whether it is known what is kept.
    ready: bool,
    /// Milliseconds since 1970, and seconds since the run began.
    now: f64,
    age: u32,
    /// Run, step and end of what was written down last.
    written: (u64, u64, bool),
    /// The run that is being taken up.
    pub(super) handed: Option<(SavedRun, Option<Vec<u8>>)>,
}

/// What stands in the library after `new` is written over `old`: of two tabs that train the same run, the one that
/// got further; names and pins are the person's.
pub fn merged(old: Option<&SavedRun>, new: SavedRun) -> Option<SavedRun> {
    match old {
        Some(old) if old.step > new.step => None,
        Some(old) => {
            let SavedRun { name, colour, pinned, deleted, .. } = old.clone();
            Some(SavedRun { name, colour, pinned, deleted, ..new })
        }
        None => Some(new),
    }
}

/// The same after an edit, which changes nothing but what is the person's.
pub fn edited(old: &SavedRun, edit: SavedRun) -> SavedRun {
    let SavedRun { name, pinned, deleted, .. } = edit;
    SavedRun { name, pinned, deleted, ..old.clone() }
}

/// What a run is found by.
pub fn id_of(spec: &RunSpec) -> String {
    encode(&Link { spec: spec.clone(), view: View::of(&spec.task), ..Default::default() })
}

/// A name for a run: its preset's, or its lab's with what differs from that lab's own settings.
fn name_of(spec: &RunSpec) -> String {
    if let Some(preset) = crate::labs::preset_of(spec) {
        return translated(preset.name).into();
    }
    let info = spec.task.info();
    let plain = RunSpec::of_lab(info.slug).unwrap_or_default();
    let differs = spec.differences(&plain).into_iter().take(3);
    let differs: Vec<String> = differs.map(|(key, _, now)| words::setting(spec, &key, &now)).collect();
    format!("{} {}", translated(info.name), differs.join(", ")).trim().into()
}

impl Library {
    /// The runs that are not deleted, the newest first.
    pub fn listed(&self) -> Vec<&SavedRun> {
        let mut listed: Vec<&SavedRun> = self.runs.iter().filter(|kept| kept.deleted == 0.0).collect();
        listed.sort_by(|a, b| b.at.total_cmp(&a.at));
        listed
    }

    /// A run by what it is found by.
    pub fn find(&self, id: &str) -> Option<&SavedRun> {
        self.runs.iter().find(|kept| kept.id == id)
    }

    /// Whether its curves are drawn.
    pub fn is_drawn(&self, id: &str) -> bool {
        self.drawn.iter().any(|(drawn, _)| drawn == id)
    }
}
