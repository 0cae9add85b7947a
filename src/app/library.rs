//! The runs that this browser keeps: what is written down of each, and what stays on the page where there is no room.
//!
//! # Why
//! A run is what its link says, so its link is what it is found by: the same run trained twice is one entry, in
//! whichever tab. Nothing here knows where entries lie; that is the browser's part, and a map's in the tests.
//!
//! Nothing is deleted unasked. A run for which there is no room is listed as the others, and lasts as long as the page; the
//! person is told, and storing is tried again when another one is deleted. What the person has deleted waits for its
//! Undo only as long as its room is not needed.

use serde::{Deserialize, Serialize};

use super::state::{Before, Phase, State};
use super::trainer::Effect;
use super::words::{self, thousands};
use crate::analysis::curves::History;
use crate::language::translated;
use crate::permalink::{Link, View, decode, encode};
use crate::protocol::Row;
use crate::run::RunSpec;

/// Most runs that are stored.
pub const MOST_RUNS: usize = 100;
/// Most bytes that all of them take.
pub const MOST_BYTES: usize = 200 << 20;
/// Most bytes of the curves of one run, roughly.
const MOST_OF_CURVES: usize = 256 << 10;
/// Seconds between two times that a run under way is written down.
const BETWEEN_S: u32 = 3;
/// Seconds that a run must have lived to be worth it, unless it has ended.
const LEAST_S: u32 = 2;
/// Milliseconds after which what was deleted cannot be brought back.
const DELETED_MS: f64 = 3_600_000.0;
/// Colours that curves of kept runs have.
pub const COLOURS: usize = crate::charts::MUTED.len();

/// What is written down of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
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
pub enum Deed {
    /// Write down a run, with its checkpoint if there is a new one.
    Keep(Box<Kept>, Option<Vec<u8>>),
    /// The same at once, because the page is about to be gone: nothing of it can be waited for.
    Leave(Box<Kept>, Option<Vec<u8>>),
    /// Write down what the person calls a run, and whether it is pinned or deleted.
    Edit(Box<Kept>),
    /// Forget these runs.
    Forget(Vec<String>),
    /// Give the checkpoint of this run.
    Fetch(String),
}

/// What the browser answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// All that is kept, at this time in milliseconds since 1970.
    Loaded(Vec<Kept>, f64),
    /// The checkpoint of a run.
    Fetched(String, Option<Vec<u8>>),
    /// What the person calls a run that was written down, who may have said so in another tab.
    Called(Box<Kept>),
    /// There is no room for what was to be written, which comes back.
    Full(Box<Deed>),
    /// Nothing can be kept.
    Closed,
}

/// What a person wants of kept runs, and what the browser answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
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
    Heard(Answer),
}

/// The kept runs, as the page knows them.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// All of them, deleted ones too.
    pub runs: Vec<Kept>,
    /// What the person must know of them, in a sentence.
    pub trouble: String,
    /// The runs whose curves are drawn, as states of the page.
    pub(super) drawn: Vec<(String, Box<State>)>,
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
    pub(super) handed: Option<(Kept, Option<Vec<u8>>)>,
}

/// What stands in the library after `new` is written over `old`: of two tabs that train the same run, the one that
/// got further; names and pins are the person's.
pub fn merged(old: Option<&Kept>, new: Kept) -> Option<Kept> {
    match old {
        Some(old) if old.step > new.step => None,
        Some(old) => {
            let Kept { name, colour, pinned, deleted, .. } = old.clone();
            Some(Kept { name, colour, pinned, deleted, ..new })
        }
        None => Some(new),
    }
}

/// The same after an edit, which changes nothing but what is the person's.
pub fn edited(old: &Kept, edit: Kept) -> Kept {
    let Kept { name, pinned, deleted, .. } = edit;
    Kept { name, pinned, deleted, ..old.clone() }
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

/// Some of the rows, evenly, the first and the last among them.
fn thinned(history: &History) -> Vec<Row> {
    let rows: Vec<&Row> = history.rows().collect();
    let size = rows.last().map_or(1, |row| size(row));
    let stride = rows.len().div_ceil((MOST_OF_CURVES / size).max(16)).max(1);
    let last = rows.len().saturating_sub(1);
    rows.into_iter()
        .enumerate()
        .filter(|(i, _)| i % stride == 0 || *i == last)
        .map(|(_, row)| row.clone())
        .collect()
}

/// Bytes that a row takes where numbers are of eight.
fn size(row: &Row) -> usize {
    64 + 8 * (5 * row.test_loss.len() + row.measures.iter().map(Vec::len).sum::<usize>())
}

impl Library {
    /// The runs that are not deleted, the newest first.
    pub fn listed(&self) -> Vec<&Kept> {
        let mut listed: Vec<&Kept> = self.runs.iter().filter(|kept| kept.deleted == 0.0).collect();
        listed.sort_by(|a, b| b.at.total_cmp(&a.at));
        listed
    }

    /// A run by what it is found by.
    pub fn find(&self, id: &str) -> Option<&Kept> {
        self.runs.iter().find(|kept| kept.id == id)
    }

    /// Whether its curves are drawn.
    pub fn is_drawn(&self, id: &str) -> bool {
        self.drawn.iter().any(|(drawn, _)| drawn == id)
    }
}

impl State {
    /// Counts changes of which kept runs are drawn.
    pub fn drawings(&self) -> u64 {
        self.library.drawings
    }

    /// Does what is wished of kept runs.
    pub(super) fn wish(&mut self, wish: Wish, effects: &mut Vec<Effect>) {
        match wish {
            Wish::Rename(id, name) => {
                self.change_kept(&id, effects, |kept, _| kept.name = name.chars().take(80).collect())
            }
            Wish::Pin(id) => self.change_kept(&id, effects, |kept, _| kept.pinned = !kept.pinned),
            Wish::Delete(id) => {
                self.change_kept(&id, effects, |kept, now| kept.deleted = now.max(1.0));
                self.library.drawn.retain(|(drawn, _)| *drawn != id);
                self.library.drawings += 1;
                self.library.store_held(effects);
                self.message = tr!("Deleted from the kept runs; Undo brings it back.").into();
            }
            Wish::Overlay(id) => self.overlay(id),
            Wish::TakeUp(id) => {
                // What is on the page alone need not be fetched.
                match self.library.unstored.iter().find(|(unstored, _)| *unstored == id) {
                    Some((_, bytes)) => self.answered(Answer::Fetched(id, bytes.clone()), effects),
                    None => effects.push(Effect::Library(Deed::Fetch(id))),
                }
            }
            Wish::Leave => {
                let mut last = vec![];
                self.keep(true, &mut last);
                effects.extend(last.into_iter().map(|effect| match effect {
                    Effect::Library(Deed::Keep(kept, bytes)) => Effect::Library(Deed::Leave(kept, bytes)),
                    other => other,
                }));
            }
            Wish::Heard(answer) => self.answered(answer, effects),
        }
    }

    /// Takes back what was last done to a kept run.
    pub(super) fn undo_kept(&mut self, before: &Kept, effects: &mut Vec<Effect>) {
        let Some(now) = self.library.runs.iter().find(|kept| kept.id == before.id) else {
            self.message = tr!("That run had to make room meanwhile, and cannot come back.").into();
            return;
        };
        self.message = match (now.deleted > before.deleted, now.name != before.name) {
            (true, _) => tr!("Undone: the run is kept again.").into(),
            (_, true) => tr!("Undone: the name is “{name}” again.", name = before.name),
            _ if before.pinned => tr!("Undone: the run is pinned again.").into(),
            _ => tr!("Undone: the run is no longer pinned.").into(),
        };
        self.edit_kept(&before.id, effects, |kept, _| {
            (kept.name, kept.pinned, kept.deleted) = (before.name.clone(), before.pinned, before.deleted);
        });
    }

    /// Changes a kept run in a way that can be undone.
    fn change_kept(&mut self, id: &str, effects: &mut Vec<Effect>, change: impl FnOnce(&mut Kept, f64)) {
        let bare = |kept: &Kept| Kept { rows: vec![], ..kept.clone() };
        let before = self.library.find(id).map(bare);
        self.edit_kept(id, effects, change);
        if let Some(before) = before.filter(|before| self.library.find(id).map(bare).as_ref() != Some(before))
        {
            self.remember(Before::Kept(Box::new(before)));
        }
    }

    fn edit_kept(&mut self, id: &str, effects: &mut Vec<Effect>, change: impl FnOnce(&mut Kept, f64)) {
        let now = self.library.now;
        if let Some(kept) = self.library.runs.iter_mut().find(|kept| kept.id == id) {
            change(kept, now);
            // Curves stay where they are.
            let edit = Kept { rows: vec![], ..kept.clone() };
            effects.push(Effect::Library(Deed::Edit(Box::new(edit))));
        }
    }

    fn overlay(&mut self, id: String) {
        self.library.drawings += 1;
        if self.library.is_drawn(&id) {
            return self.library.drawn.retain(|(drawn, _)| *drawn != id);
        }
        let Some(kept) = self.library.find(&id) else { return };
        let mut drawn = State { link: decode(&kept.link).0, step: kept.step, ..State::default() };
        kept.rows.iter().for_each(|row| drawn.history.push(row.clone()));
        drawn.chains.clone_from(&self.chains);
        drawn.link.view.clone_from(&self.link.view);
        self.library.drawn.push((id, Box::new(drawn)));
    }

    fn answered(&mut self, answer: Answer, effects: &mut Vec<Effect>) {
        let current = id_of(self.spec());
        match answer {
            Answer::Loaded(runs, now) => {
                let first = !std::mem::replace(&mut self.library.ready, true);
                self.library.now = now;
                let is_old = |kept: &Kept| kept.deleted > 0.0 && kept.deleted < now - DELETED_MS;
                let (old, runs): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_old);
                let before = std::mem::replace(&mut self.library.runs, runs);
                let unstored: Vec<Kept> =
                    before.into_iter().filter(|kept| !self.library.is_stored(&kept.id)).collect();
                self.library.runs.retain(|kept| unstored.iter().all(|newer| newer.id != kept.id));
                self.library.runs.extend(unstored);
                if !old.is_empty() {
                    let old = old.into_iter().map(|kept| kept.id).collect();
                    effects.push(Effect::Library(Deed::Forget(old)));
                }
                if first {
                    let blank = self.library.is_blank;
                    let mut last = self.library.listed().into_iter();
                    self.library.offer = last
                        .find(|kept| !kept.ended && (blank || kept.id == current))
                        .map(|kept| kept.id.clone());
                }
            }
            Answer::Fetched(id, bytes) => {
                if let Some(kept) = self.library.find(&id).cloned() {
                    self.keep(true, effects);
                    let link = decode(&kept.link).0;
                    let message = tr!(
                        "Taken up at step {step}: {name}.",
                        step = thousands(kept.step),
                        name = kept.name
                    );
                    self.library.handed = Some((kept, bytes));
                    self.change(link, message, effects);
                }
            }
            Answer::Called(called) => {
                self.library.release(&called.id);
                if let Some(kept) = self.library.runs.iter_mut().find(|kept| kept.id == called.id) {
                    *kept = edited(kept, *called);
                }
            }
            Answer::Full(deed) => self.library.no_room(*deed, effects),
            Answer::Closed => {
                self.library.ready = false;
                self.library.trouble =
                    tr!("This browser keeps nothing for this page: runs are gone when it is closed.").into();
            }
        }
    }

    /// Another run is about to begin; the one under way is written down.
    pub(super) fn turn_page(&mut self, effects: &mut Vec<Effect>) {
        self.keep(false, effects);
        self.library.age = 0;
    }

    /// Puts the run that is taken up in place of its beginning.
    pub(super) fn take_handed(&mut self) {
        let Some((kept, bytes)) = self.library.handed.take() else { return };
        let Some(bytes) = bytes else { return };
        (self.step, self.solved, self.paused) = (kept.step, kept.solved, kept.ended);
        let made = kept.rows.into_iter().filter(|row| row.step <= kept.step);
        for row in made {
            self.note(&row);
            self.history.push(row);
        }
        self.past.push(self.step, &bytes, self.level());
        self.checkpoint = Some((self.step, bytes));
    }

    /// The run that the page was left at, if there is more of it than of the one under way.
    pub fn offer(&self) -> Option<&Kept> {
        let kept = self.library.find(self.library.offer.as_ref()?)?;
        let is_ahead = kept.id != id_of(self.spec()) || kept.step > self.step;
        (self.runs == 1 && kept.deleted == 0.0 && is_ahead && kept.step > 0).then_some(kept)
    }

    /// A second has passed.
    pub(super) fn keep_time(&mut self, effects: &mut Vec<Effect>) {
        self.library.now += 1e3;
        self.library.age += 1;
        let rests = !matches!(self.phase, Phase::Running | Phase::Loading);
        if rests || self.library.age.is_multiple_of(BETWEEN_S) {
            self.keep(rests, effects);
        }
    }

    /// Writes the run down as it is now, if there is news of it; a young one only if it `must` be.
    fn keep(&mut self, must: bool, effects: &mut Vec<Effect>) {
        let run = self.end.as_deref().unwrap_or(self);
        let ended = matches!(run.phase, Phase::Finished(_) | Phase::Diverged { .. });
        // What can be gone on from; curves reach a little further.
        let state = self.past.before(u64::MAX);
        let step = state.map_or(0, |(step, _)| step);
        let news = (self.runs, step, ended);
        let young = self.library.age < LEAST_S && !must && !ended;
        if !self.library.ready || self.sweep.is_some() || young || step == 0 || self.library.written == news {
            return;
        }
        let spec = run.spec();
        let rows = thinned(&run.history);
        let bytes = state.map(|(_, bytes)| bytes.to_vec());
        let kept = Kept {
            id: id_of(spec),
            link: encode(&run.link),
            name: name_of(spec),
            // Two tabs that begin at once shall not take the same.
            colour: id_of(spec).bytes().map(usize::from).sum::<usize>() % COLOURS,
            at: self.library.now,
            step,
            ended,
            bytes: rows.iter().map(size).sum::<usize>() + bytes.as_ref().map_or(0, Vec::len),
            solved: run.solved.clone(),
            rows,
            ..Default::default()
        };
        self.library.written = news;
        let old = self.library.runs.iter().position(|old| old.id == kept.id);
        let Some(kept) = merged(old.map(|at| &self.library.runs[at]), kept) else { return };
        match old {
            Some(at) => self.library.runs[at] = kept.clone(),
            None => self.library.runs.push(kept.clone()),
        }
        // While it goes on, there is no new attempt at every measurement.
        match must || ended || self.library.is_stored(&kept.id) {
            true => self.library.store(kept, bytes, effects),
            false => self.library.hold(&kept.id, bytes),
        }
    }
}
