//! Room for kept runs: what cannot be stored stays on the page and is said to, and nothing is deleted unasked.

use super::{Library, LibraryCommand, MOST_BYTES, MOST_RUNS, Reason, Refusal, SavedRun, Storage, Unstored};
use crate::trainer::Effect;
use vivarium_view::display::words;

impl Library {
    /// Whether the browser has it; else it is gone with the page.
    pub fn is_stored(&self, id: &str) -> bool {
        self.unstored.iter().all(|unstored| unstored.id != id)
    }

    /// Keeps a run on the page alone, and says so.
    pub(super) fn hold(&mut self, id: &str, bytes: Option<Vec<u8>>, reason: Reason) {
        self.unstored.retain(|unstored| unstored.id != id);
        self.sent.retain(|sent| sent != id);
        self.unstored.push(Unstored { id: id.into(), bytes, reason });
        // The curves of all of them stay, and the latest checkpoints.
        let mut room = MOST_BYTES;
        for unstored in self.unstored.iter_mut().rev() {
            let size = unstored.bytes.as_ref().map_or(0, Vec::len);
            if size > room {
                unstored.bytes = None;
            }
            room = room.saturating_sub(size);
        }
        self.say();
    }

    /// A run is stored.
    pub(super) fn release(&mut self, id: &str) {
        self.sent.retain(|sent| sent != id);
        if !self.is_stored(id) {
            self.unstored.retain(|unstored| unstored.id != id);
            self.say();
        }
    }

    /// How many runs are on the page alone for this reason, in words; none where there are none.
    fn held(&self, reason: Reason) -> Option<String> {
        let is_listed = |id: &str| self.find(id).is_some_and(|kept| kept.deleted == 0.0);
        let many = self.unstored.iter().filter(|held| held.reason == reason && is_listed(&held.id)).count();
        (many > 0).then(|| words::count(many, "kept run"))
    }

    /// Says which runs are not stored, and what helps.
    pub(super) fn say(&mut self) {
        let mut said: Vec<String> = vec![];
        match &self.storage {
            Storage::Unknown | Storage::Ready => {}
            Storage::Absent => said.push(
                tr!("This browser stores nothing for this page: runs are lost when the page is closed.").into(),
            ),
            Storage::Refused(Refusal::Newer) => said.push(
                tr!(
                    "A newer version of this page is open in another tab and stores the kept runs now. New runs of this page are lost when the page is closed or reloaded. After a reload, runs are stored again."
                )
                .into(),
            ),
            Storage::Refused(Refusal::Blocked) => said.push(
                tr!(
                    "An older version of this page is open in another tab and blocks the storage of kept runs: close \
                     that tab. Until then, runs are lost when this page is closed."
                )
                .into(),
            ),
            Storage::Refused(Refusal::Lost) => said.push(
                tr!("The browser has closed this page's storage; the page is opening the storage again.").into(),
            ),
            Storage::Refused(Refusal::Failed(why)) => said.push(tr!(
                "The browser could not store the kept runs ({why}). The runs stay on this page until the page is closed, and the page tries again to store the runs.",
                why
            )),
        }
        if let Some(runs) = self.held(Reason::NoRoom) {
            said.push(tr!(
                "There is no room left to store {runs}. Runs that are not stored are lost when this page is closed. Delete kept runs that you no longer need; then the page tries again to store the other runs. To keep a run as a file, first open the run, then save it.",
                runs
            ));
        }
        if let Some(runs) = self.held(Reason::Deleted) {
            said.push(tr!(
                "The browser has deleted the stored data of this page. The page still has {runs}, but only until the page is closed. To keep a run as a file, first open the run, then save it.",
                runs
            ));
        }
        if self.is_partial {
            said.push(
                tr!(
                    "There was no room to move all kept runs to the new storage. No run is lost: delete kept runs that you no \
                     longer need, and reload the page."
                )
                .into(),
            );
        }
        self.trouble = said.join(" ");
    }

    /// Forgets what the person has deleted, which then cannot be undone; whether there was any.
    fn forget_deleted(&mut self, effects: &mut Vec<Effect>) -> bool {
        let (gone, runs): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.runs).into_iter().partition(|kept| kept.deleted > 0.0);
        self.runs = runs;
        let gone: Vec<String> = gone.into_iter().map(|kept| kept.id).collect();
        self.unstored.retain(|unstored| !gone.contains(&unstored.id));
        let any = !gone.is_empty();
        if any {
            effects.push(Effect::Library(LibraryCommand::Forget(gone)));
        }
        any
    }

    /// Whether the page's own limits leave room for a run besides all others that are stored.
    fn has_room(&self, kept: &SavedRun) -> bool {
        let others = || self.runs.iter().filter(|other| other.id != kept.id && self.is_stored(&other.id));
        let bytes = others().fold(kept.bytes, |bytes, other| bytes.saturating_add(other.bytes));
        others().count() < MOST_RUNS && bytes <= MOST_BYTES
    }

    /// Writes a run down where there is room for it, or keeps it on the page.
    pub(super) fn store(&mut self, kept: SavedRun, bytes: Option<Vec<u8>>, effects: &mut Vec<Effect>) {
        if self.storage != Storage::Ready {
            return self.hold(&kept.id, bytes, Reason::NoStorage);
        }
        if kept.deleted > 0.0 && !self.has_room(&kept) {
            // It goes on training, but nobody wants it kept.
            return;
        }
        if self.has_room(&kept) || (self.forget_deleted(effects) && self.has_room(&kept)) {
            self.send(kept, bytes, effects);
        } else {
            self.hold(&kept.id, bytes, Reason::NoRoom);
        }
    }

    /// Has the browser write a run down.
    fn send(&mut self, kept: SavedRun, bytes: Option<Vec<u8>>, effects: &mut Vec<Effect>) {
        if !self.sent.contains(&kept.id) {
            self.sent.push(kept.id.clone());
        }
        effects.push(Effect::Library(LibraryCommand::Keep(Box::new(kept), bytes)));
    }

    /// Tries again to store what is on the page alone, as far as somebody would want that.
    pub(super) fn store_held(&mut self, effects: &mut Vec<Effect>) {
        self.say();
        if self.storage != Storage::Ready {
            return;
        }
        let held: Vec<Unstored> =
            self.unstored.iter().filter(|held| held.reason != Reason::Deleted).cloned().collect();
        for Unstored { id, bytes, .. } in held {
            if let Some(kept) = self.find(&id).filter(|kept| kept.deleted == 0.0).cloned() {
                self.store(kept, bytes, effects);
            }
        }
    }

    /// Keeps on the page what was to be written.
    fn take_back(&mut self, kept: SavedRun, bytes: Option<Vec<u8>>, reason: Reason) {
        let id = kept.id.clone();
        // The list may have been read anew meanwhile, and its curves may be gone.
        match self.runs.iter_mut().find(|known| known.id == id) {
            Some(known) if known.rows.is_empty() => known.rows = kept.rows,
            Some(_) => {}
            None => self.runs.push(kept),
        }
        self.hold(&id, bytes, reason);
    }

    /// The browser had no room for this.
    pub(super) fn no_room(&mut self, command: LibraryCommand, effects: &mut Vec<Effect>) {
        match command {
            LibraryCommand::Keep(kept, _) | LibraryCommand::Leave(kept, _) if kept.deleted > 0.0 => {
                self.release(&kept.id);
            }
            LibraryCommand::Keep(kept, bytes) | LibraryCommand::Leave(kept, bytes) => {
                if self.forget_deleted(effects) {
                    self.send(*kept, bytes, effects);
                } else {
                    self.take_back(*kept, bytes, Reason::NoRoom);
                }
            }
            // What is to be deleted anyway needs no room.
            LibraryCommand::Edit(edits)
                if edits.iter().all(|edit| edit.deleted.is_some_and(|at| at > 0.0)) =>
            {
                self.forget_deleted(effects);
                self.store_held(effects);
            }
            LibraryCommand::Edit(_) => {
                self.trouble = tr!(
                    "There is no room left to store this change. The change is lost when this page is closed. Delete kept \
                     runs that you no longer need, and make the change again."
                )
                .into();
            }
            _ => {}
        }
    }

    /// The browser stores nothing now, for this reason; what was to be written stays on the page.
    pub(super) fn refused(
        &mut self,
        refusal: Refusal,
        command: Option<LibraryCommand>,
        effects: &mut Vec<Effect>,
    ) {
        let was_lost = self.storage == Storage::Refused(Refusal::Lost);
        self.storage = match (&self.storage, refusal) {
            // What failed from the beginning is not there.
            (Storage::Unknown | Storage::Absent, Refusal::Failed(_)) => Storage::Absent,
            // What fails because of it says no more.
            (Storage::Refused(why @ (Refusal::Newer | Refusal::Lost)), Refusal::Failed(_)) => {
                Storage::Refused(why.clone())
            }
            (_, refusal) => Storage::Refused(refusal),
        };
        if let Some(LibraryCommand::Keep(kept, bytes) | LibraryCommand::Leave(kept, bytes)) = command {
            self.take_back(*kept, bytes, Reason::NoStorage);
        }
        if self.storage == Storage::Refused(Refusal::Lost) && !was_lost {
            // It may be there again at once, with everything or with nothing; if not, it is tried now and then.
            effects.push(Effect::Library(LibraryCommand::Load));
        }
        self.say();
    }
}
