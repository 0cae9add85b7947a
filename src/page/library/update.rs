//! How actions, answers of the storage and the current run change the saved runs.

use super::curves::{rows_bytes as bytes_of, thin_history};
use super::merge::merge_written;
use super::tables::{missing_table, table_file};
use super::{
    COLOUR_COUNT, Library, LibraryAction, SavedRun, StorageAnswer, StorageCommand, StorageError,
    StorageStatus, UnstoredReason, default_name, run_id,
};
use crate::effect::Effect;
use crate::state::{State, UndoEntry};
use vivarium_model::permalink::encode;
use vivarium_view::display::RunPhase;
use vivarium_view::display::words::format_count;
use vivarium_view::record::saved::{ENTRY_FORMAT, MarksEdit, RunMarks, clean_name, parse_saved_link};

/// Seconds between two saves of a run that is training to the browser's storage.
const SAVE_INTERVAL_S: u32 = 3;
/// Minimum age of a run, in seconds since it was opened: a younger run is not saved unless it has ended.
const MIN_AGE_S: u32 = 2;
/// Seconds between two attempts to open the browser's storage of runs after it has failed.
const RETRY_INTERVAL_S: u32 = 30;

impl Library {
    /// Queues edits of names, pins and deletions until they can be stored; of several edits of a run, the last name,
    /// pin and deletion count.
    fn queue_edits(&mut self, edits: Vec<MarksEdit>) {
        for edit in edits {
            match self.pending_edits.iter_mut().find(|known| known.id == edit.id) {
                // Of several edits of a run, the last one of each kind counts.
                Some(known) => {
                    known.name = edit.name.or(known.name.take());
                    known.pinned = edit.pinned.or(known.pinned);
                    known.deleted = edit.deleted.or(known.deleted);
                }
                None => self.pending_edits.push(edit),
            }
        }
    }
}

impl State {
    /// Returns the number of changes of the compared runs so far; charts are drawn again when it changes.
    pub fn drawing_version(&self) -> u64 {
        self.library.drawing_version
    }

    /// Applies an action of the user on the saved runs, or an answer of the storage.
    pub(super) fn handle_library_action(&mut self, action: LibraryAction, effects: &mut Vec<Effect>) {
        match action {
            LibraryAction::Load => effects.push(Effect::Library(StorageCommand::Load)),
            LibraryAction::Rename(id, text) => {
                // An empty name restores the default name.
                let own = self.library.find(&id).filter(|_| text.trim().is_empty());
                let text = own
                    .and_then(|saved| Some(default_name(&parse_saved_link(&saved.link).ok()?.spec)))
                    .unwrap_or(text);
                let edit = MarksEdit { name: Some(clean_name(&text)), ..MarksEdit::default() };
                self.edit_with_undo(vec![MarksEdit { id, ..edit }], effects);
            }
            LibraryAction::Pin(id) => {
                let pinned = self.library.find(&id).map(|saved| !saved.pinned);
                self.edit_with_undo(vec![MarksEdit { id, pinned, ..MarksEdit::default() }], effects);
            }
            LibraryAction::Delete(id) => {
                self.delete_saved_runs(vec![id], effects);
                self.player.message =
                    tr!("Deleted the run from the kept runs; Undo restores the run.").into();
            }
            LibraryAction::DeleteUnpinned => {
                let current = run_id(self.player.run.spec());
                let listed = self.library.listed_runs().into_iter().filter(|saved| !saved.pinned);
                let ids: Vec<String> =
                    listed.map(|saved| saved.id.clone()).filter(|id| *id != current).collect();
                if ids.is_empty() {
                    self.player.message =
                        tr!("Nothing was deleted: all kept runs other than the run of this page are pinned.")
                            .into();
                    return;
                }
                let runs = format_count(ids.len(), "kept run");
                self.delete_saved_runs(ids, effects);
                self.player.message = tr!("Deleted {runs}; Undo restores all of them.", runs);
            }
            LibraryAction::DeleteDamaged(key) => {
                self.library.damaged.retain(|(damaged, _)| *damaged != key);
                self.library.deleted_damaged.push(key.clone());
                effects.push(Effect::Library(StorageCommand::Delete(vec![key])));
            }
            LibraryAction::ToggleCompared(id) => self.toggle_compared(id, effects),
            LibraryAction::Compare => self.compare_current_run(effects),
            LibraryAction::StopComparing => self.stop_comparing(),
            LibraryAction::AddCompared(ids) => self.add_compared_runs(ids, effects),
            LibraryAction::RestoreComparison(ids) => self.restore_comparison(&ids, effects),
            LibraryAction::Resume(id) => {
                self.library.waiting_run = None;
                let table = self.library.find(&id).and_then(missing_table);
                // A run that is on the page only need not be read.
                match table.is_none() && !self.library.is_stored(&id) {
                    true => self.handle_answer(StorageAnswer::RunRead(id, Err(String::new())), effects),
                    false => effects.push(Effect::Library(StorageCommand::ReadRun(id, table))),
                }
            }
            LibraryAction::CancelWaiting => self.library.waiting_run = None,
            LibraryAction::PageHidden => {
                // A write in progress may not be finished before the page is closed.
                if self.library.writing.contains(&run_id(self.player.latest_run().spec())) {
                    self.library.last_written = Default::default();
                }
                let mut last = vec![];
                self.write_current_run(true, &mut last);
                for effect in last {
                    effects.push(match effect {
                        Effect::Library(StorageCommand::WriteRun(saved, bytes)) => {
                            // Only a failure is answered.
                            self.library.writing.retain(|sent| *sent != saved.id);
                            Effect::Library(StorageCommand::WriteRunOnClose(saved, bytes))
                        }
                        other => other,
                    });
                }
            }
            LibraryAction::Answer(answer) => self.handle_answer(answer, effects),
        }
    }

    /// Deletes saved runs; Undo can restore them.
    fn delete_saved_runs(&mut self, ids: Vec<String>, effects: &mut Vec<Effect>) {
        if self.library.waiting_run.as_ref().is_some_and(|waiting| ids.contains(&waiting.saved.id)) {
            self.library.waiting_run = None;
        }
        let deleted = Some(self.library.now_ms.max(1.0));
        let edits = ids.into_iter().map(|id| MarksEdit { id, deleted, ..MarksEdit::default() }).collect();
        self.edit_with_undo(edits, effects);
        self.library.retry_unstored(effects);
    }

    /// Restores names, pins and deletions as they were in `before`: the effect of Undo.
    pub(super) fn restore_saved_runs(&mut self, before: &[SavedRun], effects: &mut Vec<Effect>) {
        let known = |before: &SavedRun| Some((before.clone(), self.library.find(&before.id)?.clone()));
        let there: Vec<(SavedRun, SavedRun)> = before.iter().filter_map(known).collect();
        let Some((was, is)) = there.first() else {
            self.player.message =
                tr!("The deleted run cannot be restored: its storage space was needed for other runs.")
                    .into();
            return;
        };
        self.player.message = match (is.deleted > was.deleted, is.name != was.name) {
            (true, _) if before.len() > 1 => {
                tr!("Restored by Undo: {runs}.", runs = format_count(there.len(), "kept run"))
            }
            (true, _) => tr!("After Undo, the run is restored.").into(),
            (_, true) => tr!("After Undo, the name is “{name}” again.", name = was.name),
            _ if was.pinned => tr!("After Undo, the run is pinned again.").into(),
            _ => tr!("After Undo, the run is no longer pinned.").into(),
        };
        let edits = there.into_iter().map(|(was, is)| MarksEdit {
            name: (is.name != was.name).then_some(was.name),
            pinned: (is.pinned != was.pinned).then_some(was.pinned),
            deleted: (is.deleted != was.deleted).then_some(was.deleted),
            id: was.id,
        });
        self.edit_saved_runs(edits.collect(), effects);
    }

    /// Edits names, pins or deletions of saved runs, and adds an entry to the list of Undo.
    fn edit_with_undo(&mut self, edits: Vec<MarksEdit>, effects: &mut Vec<Effect>) {
        let bare = |saved: &SavedRun| SavedRun { rows: vec![], revision: 0, ..saved.clone() };
        let find = |state: &State, id: &str| state.library.find(id).map(bare);
        let before: Vec<SavedRun> = edits.iter().filter_map(|edit| find(self, &edit.id)).collect();
        self.edit_saved_runs(edits, effects);
        let is_changed = |before: &SavedRun| find(self, &before.id).as_ref() != Some(before);
        let changed: Vec<SavedRun> = before.into_iter().filter(|before| is_changed(before)).collect();
        if !changed.is_empty() {
            self.push_undo(UndoEntry::SavedRuns(changed));
        }
    }

    /// Edits names, pins or deletions of saved runs, in the page's memory and in the storage.
    fn edit_saved_runs(&mut self, edits: Vec<MarksEdit>, effects: &mut Vec<Effect>) {
        for edit in &edits {
            if let Some(saved) = self.library.runs.iter_mut().find(|saved| saved.id == edit.id) {
                let marks = RunMarks::of(saved).apply(edit);
                *saved = std::mem::take(saved).with_marks(marks);
                let deleted = saved.deleted > 0.0;
                let of_it = self.library.compared.iter_mut().filter(|compared| compared.id == edit.id);
                of_it.for_each(|compared| compared.deleted = deleted);
            }
        }
        // The name is drawn too.
        self.library.drawing_version += 1;
        // Also for runs that are on the page only: an earlier state may be stored.
        match self.library.storage {
            StorageStatus::Ready => effects.push(Effect::Library(StorageCommand::WriteEdits(edits))),
            _ => self.library.queue_edits(edits),
        }
    }

    /// Saves the current run before another one begins.
    pub fn save_before_next_run(&mut self, effects: &mut Vec<Effect>) {
        self.save_run(false, effects);
        self.library.run_age_s = 0;
    }

    /// Returns the run that was open when the page was closed last, if it has trained further than the current one or
    /// has other settings.
    pub fn resume_offer(&self) -> Option<&SavedRun> {
        let offer = self.library.last_open_run.as_ref().filter(|_| self.player.run.run_count == 1)?;
        let saved = self.library.find(offer).filter(|saved| saved.deleted == 0.0 && saved.step > 0)?;
        let is_ahead = saved.step > self.player.run.step || saved.id != run_id(self.player.run.spec());
        is_ahead.then_some(saved)
    }

    /// Counts one second; saves the run every few seconds, and tries to open a failed storage again.
    pub fn tick_library(&mut self, effects: &mut Vec<Effect>) {
        self.library.now_ms += 1e3;
        self.library.run_age_s += 1;
        self.library.count_awaited_second();
        let may_return = matches!(
            self.library.storage,
            StorageStatus::Refused(
                StorageError::Failed(_) | StorageError::BlockedByOlderVersion | StorageError::ConnectionLost
            )
        );
        if may_return && self.library.run_age_s.is_multiple_of(RETRY_INTERVAL_S) {
            effects.push(Effect::Library(StorageCommand::Load));
        }
        let rests = !matches!(self.player.run.phase, RunPhase::Running | RunPhase::Loading);
        if rests || self.library.run_age_s.is_multiple_of(SAVE_INTERVAL_S) {
            self.save_run(rests, effects);
        }
    }

    /// Saves the current run if it has changed since the last save; a run that was opened less than [`MIN_AGE_S`] ago
    /// only if `even_if_young`.
    pub(super) fn write_current_run(&mut self, even_if_young: bool, effects: &mut Vec<Effect>) {
        self.update_compared_run();
        let run = self.player.latest_run();
        let ended = run.phase.has_ended();
        // The latest checkpoint; curves reach a little further.
        let state = self.player.checkpoints.latest_before(u64::MAX);
        let step = state.map_or(0, |(step, _)| step);
        let version = (self.player.run.run_count, step, ended);
        let is_wanted = even_if_young || self.library.compared_run_number == Some(self.player.run.run_count);
        let young = self.library.run_age_s < MIN_AGE_S && !is_wanted && !ended;
        if self.library.storage == StorageStatus::Unknown
            || self.player.run.sweep.is_some()
            || young
            || step == 0
            || self.library.last_written == version
        {
            return;
        }
        let spec = run.spec();
        let rows = thin_history(&run.history);
        let bytes = state.map(|(_, bytes)| bytes.to_vec());
        let saved = SavedRun {
            format: ENTRY_FORMAT,
            id: run_id(spec),
            link: encode(&run.link),
            name: default_name(spec),
            // Two tabs that start at the same time get different colours.
            colour: run_id(spec).bytes().map(usize::from).sum::<usize>() % COLOUR_COUNT,
            at: self.library.now_ms,
            step,
            ended,
            bytes: bytes_of(&rows) + bytes.as_ref().map_or(0, Vec::len),
            solved: run.solved.clone(),
            initial: run.initial_weights_file.clone(),
            table: table_file(spec),
            rows,
            ..Default::default()
        };
        self.library.last_written = version;
        let old = self.library.runs.iter().position(|old| old.id == saved.id);
        let Some(saved) = merge_written(old.map(|at| &self.library.runs[at]), saved) else { return };
        match old {
            Some(at) => self.library.runs[at] = saved.clone(),
            None => self.library.runs.push(saved.clone()),
        }
        // During training, storing is not tried again at every measurement.
        let reason = self.library.unstored.iter().find(|held| held.id == saved.id).map(|held| held.reason);
        match reason {
            Some(reason @ UnstoredReason::NoRoom) if !even_if_young && !ended => {
                self.library.mark_unstored(&saved.id, bytes, reason)
            }
            _ => self.library.store_run(saved, bytes, effects),
        }
        self.library.drop_old_curves();
    }
}
