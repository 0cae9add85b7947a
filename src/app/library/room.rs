//! Room for kept runs: what has none stays on the page and is said to, and nothing is deleted unasked.

use super::{Library, LibraryCommand, MOST_BYTES, MOST_RUNS, SavedRun};
use crate::app::trainer::Effect;
use crate::display::words;

impl Library {
    /// Whether the browser has it; else it is gone with the page.
    pub fn is_stored(&self, id: &str) -> bool {
        self.unstored.iter().all(|(unstored, _)| unstored != id)
    }

    /// Keeps a run on the page alone, because there is no room to store it, and says so.
    pub(super) fn hold(&mut self, id: &str, bytes: Option<Vec<u8>>) {
        self.unstored.retain(|(unstored, _)| unstored != id);
        self.unstored.push((id.into(), bytes));
        // The curves of all of them stay, and the latest checkpoints.
        let mut room = MOST_BYTES;
        for (_, bytes) in self.unstored.iter_mut().rev() {
            let size = bytes.as_ref().map_or(0, Vec::len);
            if size > room {
                *bytes = None;
            }
            room = room.saturating_sub(size);
        }
        self.say_room();
    }

    /// A run has found room.
    pub(super) fn release(&mut self, id: &str) {
        if !self.is_stored(id) {
            self.unstored.retain(|(unstored, _)| unstored != id);
            self.say_room();
        }
    }

    /// Says which runs are not stored, and what helps.
    fn say_room(&mut self) {
        let held = |id: &String| self.find(id).is_some_and(|kept| kept.deleted == 0.0);
        let many = self.unstored.iter().filter(|(id, _)| held(id)).count();
        self.trouble = match many {
            0 => String::new(),
            _ => tr!(
                "There is no room left to store {runs}, gone when this page is closed: delete kept runs that you no \
                 longer need (open and download them first to have them as files), and storing is tried again.",
                runs = words::count(many, "kept run")
            ),
        };
    }

    /// Forgets what the person has deleted, which then cannot be undone; whether there was any.
    fn forget_deleted(&mut self, effects: &mut Vec<Effect>) -> bool {
        let (gone, runs): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.runs).into_iter().partition(|kept| kept.deleted > 0.0);
        self.runs = runs;
        let gone: Vec<String> = gone.into_iter().map(|kept| kept.id).collect();
        self.unstored.retain(|(id, _)| !gone.contains(id));
        let any = !gone.is_empty();
        if any {
            effects.push(Effect::Library(LibraryCommand::Forget(gone)));
        }
        any
    }

    /// Whether the page's own limits leave room for a run besides all others that are stored.
    fn has_room(&self, kept: &SavedRun) -> bool {
        let others = || self.runs.iter().filter(|other| other.id != kept.id && self.is_stored(&other.id));
        let bytes: usize = others().map(|other| other.bytes).sum();
        others().count() < MOST_RUNS && bytes.saturating_add(kept.bytes) <= MOST_BYTES
    }

    /// Writes a run down where there is room for it, or keeps it on the page.
    pub(super) fn store(&mut self, kept: SavedRun, bytes: Option<Vec<u8>>, effects: &mut Vec<Effect>) {
        if kept.deleted > 0.0 && !self.has_room(&kept) {
            // It goes on training, but nobody wants it kept.
            return;
        }
        if self.has_room(&kept) || (self.forget_deleted(effects) && self.has_room(&kept)) {
            effects.push(Effect::Library(LibraryCommand::Keep(Box::new(kept), bytes)));
        } else {
            self.hold(&kept.id, bytes);
        }
    }

    /// Tries again to store what is on the page alone.
    pub(super) fn store_held(&mut self, effects: &mut Vec<Effect>) {
        if !self.unstored.is_empty() {
            self.say_room();
        }
        for (id, bytes) in self.unstored.clone() {
            if let Some(kept) = self.find(&id).filter(|kept| kept.deleted == 0.0).cloned() {
                self.store(kept, bytes, effects);
            }
        }
    }

    /// The browser had no room for this.
    pub(super) fn no_room(&mut self, deed: LibraryCommand, effects: &mut Vec<Effect>) {
        match deed {
            LibraryCommand::Keep(kept, _) if kept.deleted > 0.0 => {}
            LibraryCommand::Keep(kept, bytes) => {
                if self.forget_deleted(effects) {
                    effects.push(Effect::Library(LibraryCommand::Keep(kept, bytes)));
                } else {
                    let id = kept.id.clone();
                    // The list may have been read anew meanwhile.
                    if self.find(&id).is_none() {
                        self.runs.push(*kept);
                    }
                    self.hold(&id, bytes);
                }
            }
            // What is to be deleted anyway needs no room.
            LibraryCommand::Edit(edit) if edit.deleted > 0.0 => {
                self.forget_deleted(effects);
                self.store_held(effects);
            }
            _ => {
                self.trouble = tr!(
                    "There is no room left to store this change: it is gone when this page is closed. Delete kept \
                     runs that you no longer need, and make it again."
                )
                .into();
            }
        }
    }
}
