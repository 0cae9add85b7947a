//! What changes the kept runs: what a person wants of them, what the browser answers, and the run under way.

use super::{
    COLOURS, Library, LibraryAction, LibraryAnswer, LibraryCommand, SavedRun, edited, id_of, merged, name_of,
};
use crate::analysis::curves::History;
use crate::app::state::{State, UndoEntry};
use crate::app::trainer::Effect;
use crate::display::words::thousands;
use crate::display::{Phase, RunView};
use crate::permalink::{decode, encode};
use crate::protocol::Row;

/// Most bytes of the curves of one run, roughly.
const MOST_OF_CURVES: usize = 256 << 10;
/// Seconds between two times that a run under way is written down.
const BETWEEN_S: u32 = 3;
/// Seconds that a run must have lived to be worth it, unless it has ended.
const LEAST_S: u32 = 2;
/// Milliseconds after which what was deleted cannot be brought back.
const DELETED_MS: f64 = 3_600_000.0;

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

impl Library {}

impl State {
    /// Counts changes of which kept runs are drawn.
    pub fn drawings(&self) -> u64 {
        self.library.drawings
    }

    /// Does what is wished of kept runs.
    pub(in crate::app) fn wish(&mut self, wish: LibraryAction, effects: &mut Vec<Effect>) {
        match wish {
            LibraryAction::Rename(id, name) => {
                self.change_kept(&id, effects, |kept, _| kept.name = name.chars().take(80).collect())
            }
            LibraryAction::Pin(id) => self.change_kept(&id, effects, |kept, _| kept.pinned = !kept.pinned),
            LibraryAction::Delete(id) => {
                self.change_kept(&id, effects, |kept, now| kept.deleted = now.max(1.0));
                self.library.drawn.retain(|(drawn, _)| *drawn != id);
                self.library.drawings += 1;
                self.library.store_held(effects);
                self.message = tr!("Deleted from the kept runs; Undo brings it back.").into();
            }
            LibraryAction::Overlay(id) => self.overlay(id),
            LibraryAction::TakeUp(id) => {
                // What is on the page alone need not be fetched.
                match self.library.unstored.iter().find(|(unstored, _)| *unstored == id) {
                    Some((_, bytes)) => self.answered(LibraryAnswer::Fetched(id, bytes.clone()), effects),
                    None => effects.push(Effect::Library(LibraryCommand::Fetch(id))),
                }
            }
            LibraryAction::Leave => {
                let mut last = vec![];
                self.keep(true, &mut last);
                effects.extend(last.into_iter().map(|effect| match effect {
                    Effect::Library(LibraryCommand::Keep(kept, bytes)) => {
                        Effect::Library(LibraryCommand::Leave(kept, bytes))
                    }
                    other => other,
                }));
            }
            LibraryAction::Heard(answer) => self.answered(answer, effects),
        }
    }

    /// Takes back what was last done to a kept run.
    pub(in crate::app) fn undo_kept(&mut self, before: &SavedRun, effects: &mut Vec<Effect>) {
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
    fn change_kept(&mut self, id: &str, effects: &mut Vec<Effect>, change: impl FnOnce(&mut SavedRun, f64)) {
        let bare = |kept: &SavedRun| SavedRun { rows: vec![], ..kept.clone() };
        let before = self.library.find(id).map(bare);
        self.edit_kept(id, effects, change);
        if let Some(before) = before.filter(|before| self.library.find(id).map(bare).as_ref() != Some(before))
        {
            self.remember(UndoEntry::SavedRun(Box::new(before)));
        }
    }

    fn edit_kept(&mut self, id: &str, effects: &mut Vec<Effect>, change: impl FnOnce(&mut SavedRun, f64)) {
        let now = self.library.now;
        if let Some(kept) = self.library.runs.iter_mut().find(|kept| kept.id == id) {
            change(kept, now);
            // Curves stay where they are.
            let edit = SavedRun { rows: vec![], ..kept.clone() };
            effects.push(Effect::Library(LibraryCommand::Edit(Box::new(edit))));
        }
    }

    fn overlay(&mut self, id: String) {
        self.library.drawings += 1;
        if self.library.is_drawn(&id) {
            return self.library.drawn.retain(|(drawn, _)| *drawn != id);
        }
        let Some(kept) = self.library.find(&id) else { return };
        let mut drawn = RunView {
            link: decode(&kept.link).0,
            step: kept.step,
            labs: self.run.labs,
            ..RunView::default()
        };
        kept.rows.iter().for_each(|row| drawn.history.push(row.clone()));
        drawn.state.clone_from(&self.run.state);
        drawn.link.view.clone_from(&self.run.link.view);
        self.library.drawn.push((id, drawn));
    }

    fn answered(&mut self, answer: LibraryAnswer, effects: &mut Vec<Effect>) {
        let current = id_of(self.run.spec());
        match answer {
            LibraryAnswer::Loaded(runs, now) => {
                let first = !std::mem::replace(&mut self.library.ready, true);
                self.library.now = now;
                let is_old = |kept: &SavedRun| kept.deleted > 0.0 && kept.deleted < now - DELETED_MS;
                let (old, runs): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_old);
                let before = std::mem::replace(&mut self.library.runs, runs);
                let unstored: Vec<SavedRun> =
                    before.into_iter().filter(|kept| !self.library.is_stored(&kept.id)).collect();
                self.library.runs.retain(|kept| unstored.iter().all(|newer| newer.id != kept.id));
                self.library.runs.extend(unstored);
                if !old.is_empty() {
                    let old = old.into_iter().map(|kept| kept.id).collect();
                    effects.push(Effect::Library(LibraryCommand::Forget(old)));
                }
                if first {
                    let blank = self.library.is_blank;
                    let mut last = self.library.listed().into_iter();
                    self.library.offer = last
                        .find(|kept| !kept.ended && (blank || kept.id == current))
                        .map(|kept| kept.id.clone());
                }
            }
            LibraryAnswer::Fetched(id, bytes) => {
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
            LibraryAnswer::Called(called) => {
                self.library.release(&called.id);
                if let Some(kept) = self.library.runs.iter_mut().find(|kept| kept.id == called.id) {
                    *kept = edited(kept, *called);
                }
            }
            LibraryAnswer::Full(deed) => self.library.no_room(*deed, effects),
            LibraryAnswer::Closed => {
                self.library.ready = false;
                self.library.trouble =
                    tr!("This browser keeps nothing for this page: runs are gone when it is closed.").into();
            }
        }
    }

    /// Another run is about to begin; the one under way is written down.
    pub(in crate::app) fn turn_page(&mut self, effects: &mut Vec<Effect>) {
        self.keep(false, effects);
        self.library.age = 0;
    }

    /// Puts the run that is taken up in place of its beginning.
    pub(in crate::app) fn take_handed(&mut self) {
        let Some((kept, bytes)) = self.library.handed.take() else { return };
        let Some(bytes) = bytes else { return };
        (self.run.step, self.run.solved, self.paused) = (kept.step, kept.solved, kept.ended);
        let made = kept.rows.into_iter().filter(|row| row.step <= kept.step);
        for row in made {
            self.run.measured(row);
        }
        self.past.push(self.run.step, &bytes, self.run.level());
        self.checkpoint = Some((self.run.step, bytes));
    }

    /// The run that the page was left at, if there is more of it than of the one under way.
    pub fn offer(&self) -> Option<&SavedRun> {
        let kept = self.library.find(self.library.offer.as_ref()?)?;
        let is_ahead = kept.id != id_of(self.run.spec()) || kept.step > self.run.step;
        (self.run.runs == 1 && kept.deleted == 0.0 && is_ahead && kept.step > 0).then_some(kept)
    }

    /// A second has passed.
    pub(in crate::app) fn keep_time(&mut self, effects: &mut Vec<Effect>) {
        self.library.now += 1e3;
        self.library.age += 1;
        let rests = !matches!(self.run.phase, Phase::Running | Phase::Loading);
        if rests || self.library.age.is_multiple_of(BETWEEN_S) {
            self.keep(rests, effects);
        }
    }

    /// Writes the run down as it is now, if there is news of it; a young one only if it `must` be.
    fn keep(&mut self, must: bool, effects: &mut Vec<Effect>) {
        let run = self.whole();
        let ended = matches!(run.phase, Phase::Finished(_) | Phase::Diverged { .. });
        // What can be gone on from; curves reach a little further.
        let state = self.past.before(u64::MAX);
        let step = state.map_or(0, |(step, _)| step);
        let news = (self.run.runs, step, ended);
        let young = self.library.age < LEAST_S && !must && !ended;
        if !self.library.ready
            || self.run.sweep.is_some()
            || young
            || step == 0
            || self.library.written == news
        {
            return;
        }
        let spec = run.spec();
        let rows = thinned(&run.history);
        let bytes = state.map(|(_, bytes)| bytes.to_vec());
        let kept = SavedRun {
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
