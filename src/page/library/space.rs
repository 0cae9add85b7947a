//! Space for saved runs: what cannot be stored stays on the page with a warning, and nothing is deleted unasked.

use super::{
    Library, MAX_BYTES, MAX_RUNS, SavedRun, StorageAnswer, StorageCommand, StorageError, StorageStatus,
    Unstored, UnstoredReason,
};
use crate::effect::Effect;
use vivarium_view::display::words;

/// Seconds after which the user is told that the browser's storage does not answer.
const SILENCE_LIMIT_S: u32 = 10;

impl Library {
    /// Begins to wait for the storage if one of `effects` is a command that it answers.
    pub(crate) fn note_commands(&mut self, effects: &[Effect]) {
        let is_answered = |effect: &Effect| {
            matches!(
                effect,
                Effect::Library(
                    StorageCommand::Load
                        | StorageCommand::Reread(_)
                        | StorageCommand::WriteRun(..)
                        | StorageCommand::ReadRun(..)
                        | StorageCommand::ReadCurves(_)
                )
            )
        };
        if self.awaited_s.is_none() && effects.iter().any(is_answered) {
            self.awaited_s = Some(0);
        }
    }

    /// Counts a second of waiting for the storage; updates the warning when the storage has been silent for too long.
    pub(super) fn count_awaited_second(&mut self) {
        let Some(seconds) = &mut self.awaited_s else { return };
        *seconds += 1;
        if *seconds == SILENCE_LIMIT_S {
            self.update_warning();
        }
    }

    /// Ends the wait for the storage at its answer, and removes the warning that it is silent. A message that another tab
    /// has written runs is no answer.
    pub(super) fn note_answer(&mut self, answer: &StorageAnswer) {
        if matches!(answer, StorageAnswer::RunsChanged(_)) {
            return;
        }
        let was_silent = self.is_silent();
        self.awaited_s = None;
        if was_silent {
            self.update_warning();
        }
    }

    /// Whether the storage has not answered a command for [`SILENCE_LIMIT_S`] seconds.
    fn is_silent(&self) -> bool {
        self.awaited_s.is_some_and(|seconds| seconds >= SILENCE_LIMIT_S)
    }

    /// Whether the run with this id is in the browser's storage, and not only in the page's memory.
    pub fn is_stored(&self, id: &str) -> bool {
        self.unstored.iter().all(|unstored| unstored.id != id)
    }

    /// Notes that a run is only in the page's memory, with its checkpoint and the reason, and updates the warning.
    pub(super) fn mark_unstored(&mut self, id: &str, bytes: Option<Vec<u8>>, reason: UnstoredReason) {
        self.unstored.retain(|unstored| unstored.id != id);
        self.writing.retain(|sent| sent != id);
        self.unstored.push(Unstored { id: id.into(), checkpoint: bytes, reason });
        // All curves stay, and the latest checkpoints as far as there is memory.
        let mut room = MAX_BYTES;
        for unstored in self.unstored.iter_mut().rev() {
            let size = unstored.checkpoint.as_ref().map_or(0, Vec::len);
            if size > room {
                unstored.checkpoint = None;
            }
            room = room.saturating_sub(size);
        }
        self.update_warning();
    }

    /// Notes that a run is in the browser's storage, and updates the warning.
    pub(super) fn mark_stored(&mut self, id: &str) {
        self.writing.retain(|sent| sent != id);
        if !self.is_stored(id) {
            self.unstored.retain(|unstored| unstored.id != id);
            self.update_warning();
        }
    }

    /// Returns the number of runs that are not stored for this reason, as text such as "2 kept runs"; None if there are
    /// none.
    fn count_unstored(&self, reason: UnstoredReason) -> Option<String> {
        let is_listed = |id: &str| self.find(id).is_some_and(|saved| saved.deleted == 0.0);
        let count = self.unstored.iter().filter(|held| held.reason == reason && is_listed(&held.id)).count();
        (count > 0).then(|| words::format_count(count, "kept run"))
    }

    /// Rewrites the warning to the user about runs that are not stored.
    pub(super) fn update_warning(&mut self) {
        let mut sentences: Vec<String> = vec![];
        match &self.storage {
            StorageStatus::Unknown | StorageStatus::Ready if self.is_silent() => sentences.push(tr!(
                "The browser's storage of kept runs has not answered for {seconds} seconds. Runs that are not stored are lost when this page is closed. The browser may need a restart.",
                seconds = SILENCE_LIMIT_S
            )),
            StorageStatus::Unknown | StorageStatus::Ready => {}
            StorageStatus::Absent => sentences.push(
                tr!("This browser stores nothing for this page: runs are lost when the page is closed.").into(),
            ),
            StorageStatus::Refused(StorageError::NewerVersion) => sentences.push(
                tr!(
                    "A newer version of this page is open in another tab and stores the kept runs now. New runs of this page are lost when the page is closed or reloaded. After a reload, runs are stored again."
                )
                .into(),
            ),
            StorageStatus::Refused(StorageError::BlockedByOlderVersion) => sentences.push(
                tr!(
                    "An older version of this page is open in another tab and blocks the storage of kept runs: close \
                     that tab. Until then, runs are lost when this page is closed."
                )
                .into(),
            ),
            StorageStatus::Refused(StorageError::ConnectionLost) => sentences.push(
                tr!("The browser has closed this page's storage; the page is opening the storage again.").into(),
            ),
            StorageStatus::Refused(StorageError::Failed(why)) => sentences.push(tr!(
                "The browser could not store the kept runs ({why}). The runs stay on this page until the page is closed, and the page tries again to store the runs.",
                why
            )),
        }
        if let Some(runs) = self.count_unstored(UnstoredReason::NoRoom) {
            sentences.push(tr!(
                "There is no room left to store {runs}. Runs that are not stored are lost when this page is closed. Delete kept runs that you no longer need; then the page tries again to store the other runs. To keep a run as a file, first open the run, then save it.",
                runs
            ));
        }
        if let Some(runs) = self.count_unstored(UnstoredReason::Deleted) {
            sentences.push(tr!(
                "The browser has deleted the stored data of this page. The page still has {runs}, but only until the page is closed. To keep a run as a file, first open the run, then save it.",
                runs
            ));
        }
        if self.is_partial {
            sentences.push(
                tr!(
                    "There was no room to move all kept runs to the new storage. No run is lost: delete kept runs that you no \
                     longer need, and reload the page."
                )
                .into(),
            );
        }
        self.warning = sentences.join(" ");
    }

    /// Deletes for good the runs that the user has deleted, to make space; Undo cannot restore them. Returns whether
    /// there were any.
    fn purge_deleted(&mut self, effects: &mut Vec<Effect>) -> bool {
        let (gone, runs): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.runs).into_iter().partition(|saved| saved.deleted > 0.0);
        self.runs = runs;
        let gone: Vec<String> = gone.into_iter().map(|saved| saved.id).collect();
        self.unstored.retain(|unstored| !gone.contains(&unstored.id));
        let any = !gone.is_empty();
        if any {
            effects.push(Effect::Library(StorageCommand::Delete(gone)));
        }
        any
    }

    /// Whether the limits on number and bytes of stored runs leave space for this run.
    fn has_room(&self, run: &SavedRun) -> bool {
        let others = || self.runs.iter().filter(|other| other.id != run.id && self.is_stored(&other.id));
        let bytes = others().fold(run.bytes, |bytes, other| bytes.saturating_add(other.bytes));
        others().count() < MAX_RUNS && bytes <= MAX_BYTES
    }

    /// Stores a run with its checkpoint if there is space, or keeps it only in the page's memory.
    pub(super) fn store_run(&mut self, saved: SavedRun, bytes: Option<Vec<u8>>, effects: &mut Vec<Effect>) {
        if self.storage != StorageStatus::Ready {
            return self.mark_unstored(&saved.id, bytes, UnstoredReason::NoStorage);
        }
        if saved.deleted > 0.0 && !self.has_room(&saved) {
            // It goes on training, but the user has deleted it.
            return;
        }
        if self.has_room(&saved) || (self.purge_deleted(effects) && self.has_room(&saved)) {
            self.write_run(saved, bytes, effects);
        } else {
            self.mark_unstored(&saved.id, bytes, UnstoredReason::NoRoom);
        }
    }

    /// Sends a run with its checkpoint to the browser's storage.
    fn write_run(&mut self, run: SavedRun, bytes: Option<Vec<u8>>, effects: &mut Vec<Effect>) {
        if !self.writing.contains(&run.id) {
            self.writing.push(run.id.clone());
        }
        effects.push(Effect::Library(StorageCommand::WriteRun(Box::new(run), bytes)));
    }

    /// Tries again to store the runs that are only in the page's memory, except those that the browser had deleted.
    pub(super) fn retry_unstored(&mut self, effects: &mut Vec<Effect>) {
        self.update_warning();
        if self.storage != StorageStatus::Ready {
            return;
        }
        let held: Vec<Unstored> =
            self.unstored.iter().filter(|held| held.reason != UnstoredReason::Deleted).cloned().collect();
        for Unstored { id, checkpoint: bytes, .. } in held {
            if let Some(saved) = self.find(&id).filter(|saved| saved.deleted == 0.0).cloned() {
                self.store_run(saved, bytes, effects);
            }
        }
    }

    /// Puts a run that the storage could not write back into the list of saved runs, only in the page's memory.
    fn restore_unwritten(&mut self, saved: SavedRun, bytes: Option<Vec<u8>>, reason: UnstoredReason) {
        let id = saved.id.clone();
        // The list may have been read again meanwhile, without the curves of the run.
        match self.runs.iter_mut().find(|known| known.id == id) {
            Some(known) if known.rows.is_empty() => known.rows = saved.rows,
            Some(_) => {}
            None => self.runs.push(saved),
        }
        self.mark_unstored(&id, bytes, reason);
    }

    /// Handles the storage's answer that it had no space to carry out `command`.
    pub(super) fn handle_no_room(&mut self, command: StorageCommand, effects: &mut Vec<Effect>) {
        match command {
            StorageCommand::WriteRun(saved, _) | StorageCommand::WriteRunOnClose(saved, _)
                if saved.deleted > 0.0 =>
            {
                self.mark_stored(&saved.id);
            }
            StorageCommand::WriteRun(saved, bytes) | StorageCommand::WriteRunOnClose(saved, bytes) => {
                if self.purge_deleted(effects) {
                    self.write_run(*saved, bytes, effects);
                } else {
                    self.restore_unwritten(*saved, bytes, UnstoredReason::NoRoom);
                }
            }
            // Runs that are deleted anyway need no space.
            StorageCommand::WriteEdits(edits)
                if edits.iter().all(|edit| edit.deleted.is_some_and(|at| at > 0.0)) =>
            {
                self.purge_deleted(effects);
                self.retry_unstored(effects);
            }
            StorageCommand::WriteEdits(_) => {
                self.warning = tr!(
                    "There is no room left to store this change. The change is lost when this page is closed. Delete kept \
                     runs that you no longer need, and make the change again."
                )
                .into();
            }
            _ => {}
        }
    }

    /// Handles a failure of the storage; a run that `command` was to write stays in the page's memory.
    pub(super) fn handle_error(
        &mut self,
        error: StorageError,
        command: Option<StorageCommand>,
        effects: &mut Vec<Effect>,
    ) {
        let was_lost = self.storage == StorageStatus::Refused(StorageError::ConnectionLost);
        self.storage = match (&self.storage, error) {
            // A storage that failed from the beginning does not exist.
            (StorageStatus::Unknown | StorageStatus::Absent, StorageError::Failed(_)) => {
                StorageStatus::Absent
            }
            // Failures that follow from the first reason are not reported.
            (
                StorageStatus::Refused(why @ (StorageError::NewerVersion | StorageError::ConnectionLost)),
                StorageError::Failed(_),
            ) => StorageStatus::Refused(why.clone()),
            (_, refusal) => StorageStatus::Refused(refusal),
        };
        if let Some(StorageCommand::WriteRun(saved, bytes) | StorageCommand::WriteRunOnClose(saved, bytes)) =
            command
        {
            self.restore_unwritten(*saved, bytes, UnstoredReason::NoStorage);
        }
        if self.storage == StorageStatus::Refused(StorageError::ConnectionLost) && !was_lost {
            // The storage may be available again at once, with or without its runs; otherwise it is tried at intervals.
            effects.push(Effect::Library(StorageCommand::Load));
        }
        self.update_warning();
    }
}
