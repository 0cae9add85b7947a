//! How answers of the browser's storage change the list of saved runs.

use super::merge::merge_read;
use super::{
    Library, SavedRun, StorageAnswer, StorageCommand, StorageError, StorageStatus, StoredRuns,
    UnstoredReason, run_id,
};
use crate::effect::Effect;
use crate::state::State;
use vivarium_core::sorting;
use vivarium_model::permalink::decode;
use vivarium_view::display::words::format_thousands;
use vivarium_view::record::preamble::file_name;
use vivarium_view::record::saved::RunMarks;

/// Milliseconds after which the deletion of a saved run is final and cannot be undone.
const UNDO_DELETE_MS: f64 = 3_600_000.0;

impl Library {
    /// Merges a run that was read from the browser's storage into the list of saved runs.
    fn merge_stored(&mut self, stored: SavedRun) {
        match self.runs.iter_mut().find(|known| known.id == stored.id) {
            Some(known) => *known = merge_read(std::mem::take(known), stored),
            None => self.runs.push(stored),
        }
    }

    /// Merges all runs that were read from storage into the list of saved runs, deletes those whose deletion is final,
    /// and writes pending edits.
    fn handle_stored_runs(&mut self, stock: StoredRuns, effects: &mut Vec<Effect>) {
        let StoredRuns { runs, mut damaged, is_partial, now_ms: now } = stock;
        self.deleted_damaged.retain(|key| damaged.iter().any(|(damaged, _)| damaged == key));
        damaged.retain(|(key, _)| !self.deleted_damaged.contains(key));
        let was_lost = matches!(self.storage, StorageStatus::Refused(_));
        (self.storage, self.damaged, self.is_partial, self.now_ms) =
            (StorageStatus::Ready, damaged, is_partial, now);
        let is_old = |saved: &SavedRun| saved.deleted > 0.0 && saved.deleted < now - UNDO_DELETE_MS;
        let (old, runs): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_old);
        let is_read = |known: &SavedRun| runs.iter().any(|saved| saved.id == known.id);
        let (known, missing): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.runs).into_iter().partition(is_read);
        self.runs = known;
        runs.into_iter().for_each(|saved| self.merge_stored(saved));
        // A run that is missing now was deleted in another tab, unless it was never written, or the browser has
        // deleted everything.
        for saved in missing {
            let id = saved.id.clone();
            let is_lost = was_lost && saved.deleted == 0.0;
            if !self.is_stored(&id) || self.writing.contains(&id) || is_lost {
                self.runs.push(saved);
            }
            if is_lost && self.is_stored(&id) && !self.writing.contains(&id) {
                self.mark_unstored(&id, None, UnstoredReason::Deleted);
            }
        }
        if was_lost {
            // The current run is saved again, since it goes on.
            self.last_written = Default::default();
        }
        if !old.is_empty() {
            let old = old.into_iter().map(|saved| saved.id).collect();
            effects.push(Effect::Library(StorageCommand::Delete(old)));
        }
        if !self.pending_edits.is_empty() {
            effects
                .push(Effect::Library(StorageCommand::WriteEdits(std::mem::take(&mut self.pending_edits))));
        }
        self.update_warning();
    }
}

impl State {
    /// Handles an answer of the storage of saved runs, then drops curves that take too much memory.
    pub(super) fn handle_answer(&mut self, answer: StorageAnswer, effects: &mut Vec<Effect>) {
        self.library.note_answer(&answer);
        self.apply_answer(answer, effects);
        self.library.drop_old_curves();
    }

    /// Applies an answer of the storage of saved runs to the state.
    fn apply_answer(&mut self, answer: StorageAnswer, effects: &mut Vec<Effect>) {
        match answer {
            StorageAnswer::Loaded(stock) => {
                let is_first = self.library.storage == StorageStatus::Unknown;
                self.library.handle_stored_runs(stock, effects);
                if is_first {
                    let (blank, current) = (self.library.is_blank, run_id(self.player.run.spec()));
                    let mut last: Vec<&SavedRun> = self.library.listed_runs();
                    sorting::sort_by(&mut last, |a, b| b.at.total_cmp(&a.at));
                    let offer = last.into_iter().find(|saved| !saved.ended && (blank || saved.id == current));
                    self.library.last_open_run = offer.map(|saved| saved.id.clone());
                    let recalled = std::mem::take(&mut self.library.awaiting_curves);
                    self.add_compared_runs(recalled, effects);
                } else if self.library.unstored.iter().any(|held| held.reason == UnstoredReason::NoStorage) {
                    self.library.retry_unstored(effects);
                }
            }
            StorageAnswer::Reread(runs, gone) => {
                runs.into_iter().for_each(|saved| self.library.merge_stored(saved));
                let library = &mut self.library;
                let stays = |id: &String| !library.is_stored(id) || library.writing.contains(id);
                let gone: Vec<String> = gone.into_iter().filter(|id| !stays(id)).collect();
                self.library.runs.retain(|saved| !gone.contains(&saved.id));
            }
            StorageAnswer::RunsChanged(ids) => {
                let read = match ids.is_empty() {
                    true => StorageCommand::Load,
                    false => StorageCommand::Reread(ids),
                };
                effects.push(Effect::Library(read));
            }
            StorageAnswer::RunRead(id, fetched) => {
                let Some(known) = self.library.find(&id).cloned() else { return };
                let held = self.library.unstored.iter().find(|held| held.id == id);
                let (saved, bytes) = match (held, fetched) {
                    (Some(held), _) => {
                        let none = || tr!("this browser has not stored the weights").to_string();
                        (known, held.checkpoint.clone().ok_or_else(none))
                    }
                    // Its curves are not in memory, and curves and checkpoint must belong to the same run.
                    (None, Ok((stored, bytes))) => (stored.with_marks(RunMarks::of(&known)), Ok(bytes)),
                    (None, Err(why)) => (known, Err(why)),
                };
                if !self.wait_for_table(&saved) {
                    self.resume_saved_run(saved, bytes, effects);
                }
            }
            StorageAnswer::Curves(id, rows) => self.add_curves(id, rows),
            StorageAnswer::Stored(stored) => {
                self.library.mark_stored(&stored.id);
                // It replaces an entry that could not be read.
                self.library.damaged.retain(|(key, _)| *key != stored.id);
                if let Some(known) = self.library.runs.iter_mut().find(|known| known.id == stored.id)
                    && known.revision <= stored.revision
                {
                    let marks = RunMarks::of(&stored);
                    *known = std::mem::take(known).with_marks(marks);
                }
            }
            StorageAnswer::NoRoom(command) => self.library.handle_no_room(*command, effects),
            StorageAnswer::NoRoomForTable(name) => {
                self.player.message = tr!(
                    "There is no room left to keep {name} in this browser. If you close this page and later open a run \
                     that uses the file, the page asks for the file again.",
                    name
                );
            }
            StorageAnswer::Failed(refusal, command) => {
                if let Some(StorageCommand::ReadRun(id, _)) = command.as_deref() {
                    let why = match &refusal {
                        StorageError::Failed(why) => why.clone(),
                        _ => tr!("the weights cannot be read now").into(),
                    };
                    return self.apply_answer(StorageAnswer::RunRead(id.clone(), Err(why)), effects);
                }
                if let Some(StorageCommand::ReadCurves(id)) = command.as_deref() {
                    self.library.awaiting_curves.retain(|recalled| recalled != id);
                    self.player.message = tr!("The curves of the kept run cannot be read now.").into();
                }
                self.library.handle_error(refusal, command.map(|command| *command), effects);
            }
        }
    }

    /// Resumes a saved run from its checkpoint, or restarts it if the checkpoint cannot be read.
    fn resume_saved_run(
        &mut self,
        saved: SavedRun,
        checkpoint: Result<Vec<u8>, String>,
        effects: &mut Vec<Effect>,
    ) {
        self.library.waiting_run = None;
        self.write_current_run(true, effects);
        let link = decode(&saved.link).0;
        let message = match &checkpoint {
            Ok(_) => tr!(
                "Opened the kept run “{name}” at step {step}.",
                step = format_thousands(saved.step),
                name = saved.name
            ),
            Err(why) if !saved.initial[0].is_empty() => tr!(
                "The weights of “{name}” cannot be used: {why}. The run is trained again from its start, with \
                 initial weights computed from the link of the run and not with the weights in {file}.",
                name = saved.name,
                why,
                file = file_name(&saved.initial[0])
            ),
            Err(why) => tr!(
                "The weights of “{name}” cannot be used: {why}. The run is trained again from its start, and \
                 training gives the same numbers.",
                name = saved.name,
                why
            ),
        };
        self.library.resumed_run = Some((saved, checkpoint.ok()));
        self.change_link(link, message, effects);
    }
}
