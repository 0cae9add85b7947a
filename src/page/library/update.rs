//! What changes the kept runs: what a person wants of them, what the browser answers, and the run under way.

use super::curves::{bytes as bytes_of, thinned};
use super::merge::merged;
use super::tables::{file_of, lacking};
use super::{
    COLOURS, Library, LibraryAction, LibraryAnswer, LibraryCommand, Reason, Refusal, SavedRun, Storage,
    id_of, name_of,
};
use crate::state::{State, UndoEntry};
use crate::trainer::Effect;
use vivarium_model::permalink::encode;
use vivarium_view::display::Phase;
use vivarium_view::display::words::count;
use vivarium_view::record::saved::{Edit, FORMAT, Marks, link, name};

/// Seconds between two times that a run under way is written down.
const BETWEEN_S: u32 = 3;
/// Seconds that a run must have lived to be worth it, unless it has ended.
const LEAST_S: u32 = 2;
/// Seconds between two attempts to open a storage that has failed.
const AGAIN_S: u32 = 30;

impl Library {
    /// Keeps what the person says of runs until it can be stored.
    fn hold_edits(&mut self, edits: Vec<Edit>) {
        for edit in edits {
            match self.edits.iter_mut().find(|known| known.id == edit.id) {
                // However often somebody changes their mind, the last word of each kind counts.
                Some(known) => {
                    known.name = edit.name.or(known.name.take());
                    known.pinned = edit.pinned.or(known.pinned);
                    known.deleted = edit.deleted.or(known.deleted);
                }
                None => self.edits.push(edit),
            }
        }
    }
}

impl State {
    /// Counts changes of which kept runs are drawn.
    pub fn drawings(&self) -> u64 {
        self.library.drawings
    }

    /// Does what is wished of kept runs: what [`State::wish`] calls.
    pub(super) fn do_wish(&mut self, wish: LibraryAction, effects: &mut Vec<Effect>) {
        match wish {
            LibraryAction::Load => effects.push(Effect::Library(LibraryCommand::Load)),
            LibraryAction::Rename(id, text) => {
                // Without a name, the page's own is back.
                let own = self.library.find(&id).filter(|_| text.trim().is_empty());
                let text = own.and_then(|kept| Some(name_of(&link(&kept.link).ok()?.spec))).unwrap_or(text);
                let edit = Edit { name: Some(name(&text)), ..Edit::default() };
                self.change_kept(vec![Edit { id, ..edit }], effects);
            }
            LibraryAction::Pin(id) => {
                let pinned = self.library.find(&id).map(|kept| !kept.pinned);
                self.change_kept(vec![Edit { id, pinned, ..Edit::default() }], effects);
            }
            LibraryAction::Delete(id) => {
                self.delete_kept(vec![id], effects);
                self.message = tr!("Deleted the run from the kept runs; Undo restores the run.").into();
            }
            LibraryAction::DeleteUnpinned => {
                let current = id_of(self.run.spec());
                let listed = self.library.listed().into_iter().filter(|kept| !kept.pinned);
                let ids: Vec<String> =
                    listed.map(|kept| kept.id.clone()).filter(|id| *id != current).collect();
                if ids.is_empty() {
                    self.message =
                        tr!("Nothing was deleted: all kept runs other than the run of this page are pinned.")
                            .into();
                    return;
                }
                let runs = count(ids.len(), "kept run");
                self.delete_kept(ids, effects);
                self.message = tr!("Deleted {runs}; Undo restores all of them.", runs);
            }
            LibraryAction::DeleteDamaged(key) => {
                self.library.damaged.retain(|(damaged, _)| *damaged != key);
                effects.push(Effect::Library(LibraryCommand::Forget(vec![key])));
            }
            LibraryAction::Overlay(id) => self.toggle_compared(id, effects),
            LibraryAction::Compare => self.keep_and_compare(effects),
            LibraryAction::StopComparing => self.stop_comparing(),
            LibraryAction::Recall(ids) => self.recall_compared(ids, effects),
            LibraryAction::CompareAgain(ids) => self.compare_again(&ids, effects),
            LibraryAction::TakeUp(id) => {
                self.library.waiting = None;
                let table = self.library.find(&id).and_then(lacking);
                // What is on the page alone need not be fetched.
                match table.is_none() && !self.library.is_stored(&id) {
                    true => self.answered(LibraryAnswer::Fetched(id, Err(String::new())), effects),
                    false => effects.push(Effect::Library(LibraryCommand::Fetch(id, table))),
                }
            }
            LibraryAction::NotNow => self.library.waiting = None,
            LibraryAction::Leave => {
                // What the browser is still writing may not be there before the page is gone.
                if self.library.sent.contains(&id_of(self.whole().spec())) {
                    self.library.written = Default::default();
                }
                let mut last = vec![];
                self.write_down(true, &mut last);
                for effect in last {
                    effects.push(match effect {
                        Effect::Library(LibraryCommand::Keep(kept, bytes)) => {
                            // Only what goes wrong with it is answered.
                            self.library.sent.retain(|sent| *sent != kept.id);
                            Effect::Library(LibraryCommand::Leave(kept, bytes))
                        }
                        other => other,
                    });
                }
            }
            LibraryAction::Heard(answer) => self.answered(answer, effects),
        }
    }

    /// Deletes kept runs, which can be undone.
    fn delete_kept(&mut self, ids: Vec<String>, effects: &mut Vec<Effect>) {
        if self.library.waiting.as_ref().is_some_and(|waiting| ids.contains(&waiting.kept.id)) {
            self.library.waiting = None;
        }
        let deleted = Some(self.library.now.max(1.0));
        let edits = ids.into_iter().map(|id| Edit { id, deleted, ..Edit::default() }).collect();
        self.change_kept(edits, effects);
        self.library.store_held(effects);
    }

    /// Takes back what was last done to kept runs: what [`State::undo_kept`] calls.
    pub(super) fn take_back_kept(&mut self, before: &[SavedRun], effects: &mut Vec<Effect>) {
        let known = |before: &SavedRun| Some((before.clone(), self.library.find(&before.id)?.clone()));
        let there: Vec<(SavedRun, SavedRun)> = before.iter().filter_map(known).collect();
        let Some((was, is)) = there.first() else {
            self.message =
                tr!("The deleted run cannot be restored: its storage space was needed for other runs.")
                    .into();
            return;
        };
        self.message = match (is.deleted > was.deleted, is.name != was.name) {
            (true, _) if before.len() > 1 => {
                tr!("Restored by Undo: {runs}.", runs = count(there.len(), "kept run"))
            }
            (true, _) => tr!("After Undo, the run is restored.").into(),
            (_, true) => tr!("After Undo, the name is “{name}” again.", name = was.name),
            _ if was.pinned => tr!("After Undo, the run is pinned again.").into(),
            _ => tr!("After Undo, the run is no longer pinned.").into(),
        };
        let edits = there.into_iter().map(|(was, is)| Edit {
            name: (is.name != was.name).then_some(was.name),
            pinned: (is.pinned != was.pinned).then_some(was.pinned),
            deleted: (is.deleted != was.deleted).then_some(was.deleted),
            id: was.id,
        });
        self.edit_kept(edits.collect(), effects);
    }

    /// Changes what is said of kept runs in a way that can be undone.
    fn change_kept(&mut self, edits: Vec<Edit>, effects: &mut Vec<Effect>) {
        let bare = |kept: &SavedRun| SavedRun { rows: vec![], revision: 0, ..kept.clone() };
        let find = |state: &State, id: &str| state.library.find(id).map(bare);
        let before: Vec<SavedRun> = edits.iter().filter_map(|edit| find(self, &edit.id)).collect();
        self.edit_kept(edits, effects);
        let is_changed = |before: &SavedRun| find(self, &before.id).as_ref() != Some(before);
        let changed: Vec<SavedRun> = before.into_iter().filter(|before| is_changed(before)).collect();
        if !changed.is_empty() {
            self.remember(UndoEntry::SavedRuns(changed));
        }
    }

    fn edit_kept(&mut self, edits: Vec<Edit>, effects: &mut Vec<Effect>) {
        for edit in &edits {
            if let Some(kept) = self.library.runs.iter_mut().find(|kept| kept.id == edit.id) {
                let marks = Marks::of(kept).edited(edit);
                *kept = std::mem::take(kept).marked(marks);
                let deleted = kept.deleted > 0.0;
                let of_it = self.library.compared.iter_mut().filter(|compared| compared.id == edit.id);
                of_it.for_each(|compared| compared.deleted = deleted);
            }
        }
        // Also its name is drawn.
        self.library.drawings += 1;
        // Also of what is on the page alone: an earlier state of it may be stored.
        match self.library.storage {
            Storage::Ready => effects.push(Effect::Library(LibraryCommand::Edit(edits))),
            _ => self.library.hold_edits(edits),
        }
    }

    /// Another run is about to begin; the one under way is written down.
    pub fn turn_page(&mut self, effects: &mut Vec<Effect>) {
        self.keep(false, effects);
        self.library.age = 0;
    }

    /// Puts the run that is taken up in place of its beginning.
    pub fn take_handed(&mut self) {
        let Some((kept, bytes)) = self.library.handed.take() else { return };
        let Some(bytes) = bytes else { return };
        (self.run.step, self.run.solved, self.paused) = (kept.step, kept.solved, kept.ended);
        let made = kept.rows.into_iter().filter(|row| row.step <= kept.step);
        for row in made {
            self.run.measured(row);
        }
        self.run.initial = kept.initial;
        self.past.push(self.run.step, &bytes, self.run.level());
        self.checkpoint = Some((self.run.step, bytes));
    }

    /// The run that the page was left at, if there is more of it than of the one under way.
    pub fn offer(&self) -> Option<&SavedRun> {
        let offer = self.library.offer.as_ref().filter(|_| self.run.runs == 1)?;
        let kept = self.library.find(offer).filter(|kept| kept.deleted == 0.0 && kept.step > 0)?;
        let is_ahead = kept.step > self.run.step || kept.id != id_of(self.run.spec());
        is_ahead.then_some(kept)
    }

    /// A second has passed.
    pub fn keep_time(&mut self, effects: &mut Vec<Effect>) {
        self.library.now += 1e3;
        self.library.age += 1;
        let may_return = matches!(
            self.library.storage,
            Storage::Refused(Refusal::Failed(_) | Refusal::Blocked | Refusal::Lost)
        );
        if may_return && self.library.age.is_multiple_of(AGAIN_S) {
            effects.push(Effect::Library(LibraryCommand::Load));
        }
        let rests = !matches!(self.run.phase, Phase::Running | Phase::Loading);
        if rests || self.library.age.is_multiple_of(BETWEEN_S) {
            self.keep(rests, effects);
        }
    }

    /// Writes the run down as it is now, if there is news of it: what [`State::keep`] calls.
    pub(super) fn write_down(&mut self, must: bool, effects: &mut Vec<Effect>) {
        self.grow_compared();
        let run = self.whole();
        let ended = matches!(run.phase, Phase::Finished(_) | Phase::Diverged { .. });
        // What can be gone on from; curves reach a little further.
        let state = self.past.before(u64::MAX);
        let step = state.map_or(0, |(step, _)| step);
        let news = (self.run.runs, step, ended);
        let is_wanted = must || self.library.kept_run == Some(self.run.runs);
        let young = self.library.age < LEAST_S && !is_wanted && !ended;
        if self.library.storage == Storage::Unknown
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
            format: FORMAT,
            id: id_of(spec),
            link: encode(&run.link),
            name: name_of(spec),
            // Two tabs that begin at once shall not take the same.
            colour: id_of(spec).bytes().map(usize::from).sum::<usize>() % COLOURS,
            at: self.library.now,
            step,
            ended,
            bytes: bytes_of(&rows) + bytes.as_ref().map_or(0, Vec::len),
            solved: run.solved.clone(),
            initial: run.initial.clone(),
            table: file_of(spec),
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
        let reason = self.library.unstored.iter().find(|held| held.id == kept.id).map(|held| held.reason);
        match reason {
            Some(reason @ Reason::NoRoom) if !must && !ended => self.library.hold(&kept.id, bytes, reason),
            _ => self.library.store(kept, bytes, effects),
        }
        self.library.let_go_of_curves();
    }
}
