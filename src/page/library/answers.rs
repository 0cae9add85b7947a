//! What the browser's answers change in the kept runs.

use super::merge::newest;
use super::{Library, LibraryAnswer, LibraryCommand, Reason, Refusal, SavedRun, Stock, Storage, id_of};
use crate::state::State;
use crate::trainer::Effect;
use vivarium_core::sorting;
use vivarium_model::permalink::decode;
use vivarium_view::display::words::thousands;
use vivarium_view::record::preamble::file_name;
use vivarium_view::record::saved::Marks;

/// Milliseconds after which what was deleted cannot be brought back.
const DELETED_MS: f64 = 3_600_000.0;

impl Library {
    /// Takes in a run that was read.
    fn take_in(&mut self, stored: SavedRun) {
        match self.runs.iter_mut().find(|known| known.id == stored.id) {
            Some(known) => *known = newest(std::mem::take(known), stored),
            None => self.runs.push(stored),
        }
    }

    /// Takes in all that is kept.
    fn take_stock(&mut self, stock: Stock, effects: &mut Vec<Effect>) {
        let Stock { runs, damaged, is_partial, now } = stock;
        let was_lost = matches!(self.storage, Storage::Refused(_));
        (self.storage, self.damaged, self.is_partial, self.now) = (Storage::Ready, damaged, is_partial, now);
        let is_old = |kept: &SavedRun| kept.deleted > 0.0 && kept.deleted < now - DELETED_MS;
        let (old, runs): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_old);
        let is_read = |known: &SavedRun| runs.iter().any(|kept| kept.id == known.id);
        let (known, missing): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.runs).into_iter().partition(is_read);
        self.runs = known;
        runs.into_iter().for_each(|kept| self.take_in(kept));
        // What is not read any more was forgotten in another tab, unless it was never written, or the browser has
        // deleted everything.
        for kept in missing {
            let id = kept.id.clone();
            let is_lost = was_lost && kept.deleted == 0.0;
            if !self.is_stored(&id) || self.sent.contains(&id) || is_lost {
                self.runs.push(kept);
            }
            if is_lost && self.is_stored(&id) && !self.sent.contains(&id) {
                self.hold(&id, None, Reason::Deleted);
            }
        }
        if was_lost {
            // The run under way is written down again: it goes on.
            self.written = Default::default();
        }
        if !old.is_empty() {
            let old = old.into_iter().map(|kept| kept.id).collect();
            effects.push(Effect::Library(LibraryCommand::Forget(old)));
        }
        if !self.edits.is_empty() {
            effects.push(Effect::Library(LibraryCommand::Edit(std::mem::take(&mut self.edits))));
        }
        self.say();
    }
}

impl State {
    pub(super) fn answered(&mut self, answer: LibraryAnswer, effects: &mut Vec<Effect>) {
        self.take_answer(answer, effects);
        self.library.let_go_of_curves();
    }

    fn take_answer(&mut self, answer: LibraryAnswer, effects: &mut Vec<Effect>) {
        match answer {
            LibraryAnswer::Loaded(stock) => {
                let is_first = self.library.storage == Storage::Unknown;
                self.library.take_stock(stock, effects);
                if is_first {
                    let (blank, current) = (self.library.is_blank, id_of(self.run.spec()));
                    let mut last: Vec<&SavedRun> = self.library.listed();
                    sorting::sort_by(&mut last, |a, b| b.at.total_cmp(&a.at));
                    let offer = last.into_iter().find(|kept| !kept.ended && (blank || kept.id == current));
                    self.library.offer = offer.map(|kept| kept.id.clone());
                    let recalled = std::mem::take(&mut self.library.recalled);
                    self.recall_compared(recalled, effects);
                } else if self.library.unstored.iter().any(|held| held.reason == Reason::NoStorage) {
                    self.library.store_held(effects);
                }
            }
            LibraryAnswer::Refreshed(runs, gone) => {
                runs.into_iter().for_each(|kept| self.library.take_in(kept));
                let library = &mut self.library;
                let stays = |id: &String| !library.is_stored(id) || library.sent.contains(id);
                let gone: Vec<String> = gone.into_iter().filter(|id| !stays(id)).collect();
                self.library.runs.retain(|kept| !gone.contains(&kept.id));
            }
            LibraryAnswer::News(ids) => {
                let read = match ids.is_empty() {
                    true => LibraryCommand::Load,
                    false => LibraryCommand::Refresh(ids),
                };
                effects.push(Effect::Library(read));
            }
            LibraryAnswer::Fetched(id, fetched) => {
                let Some(known) = self.library.find(&id).cloned() else { return };
                let held = self.library.unstored.iter().find(|held| held.id == id);
                let (kept, bytes) = match (held, fetched) {
                    (Some(held), _) => {
                        let none = || tr!("this browser has not stored the weights").to_string();
                        (known, held.bytes.clone().ok_or_else(none))
                    }
                    // Its curves are not on the page, and they and the checkpoint must be of the same run.
                    (None, Ok((stored, bytes))) => (stored.marked(Marks::of(&known)), Ok(bytes)),
                    (None, Err(why)) => (known, Err(why)),
                };
                if !self.await_table(&kept) {
                    self.take_up_kept(kept, bytes, effects);
                }
            }
            LibraryAnswer::Curves(id, rows) => self.draw_over(id, rows),
            LibraryAnswer::Stored(stored) => {
                self.library.release(&stored.id);
                // In place of one that could not be read.
                self.library.damaged.retain(|(key, _)| *key != stored.id);
                if let Some(known) = self.library.runs.iter_mut().find(|known| known.id == stored.id)
                    && known.revision <= stored.revision
                {
                    let marks = Marks::of(&stored);
                    *known = std::mem::take(known).marked(marks);
                }
            }
            LibraryAnswer::Full(command) => self.library.no_room(*command, effects),
            LibraryAnswer::NoRoomForTable(name) => {
                self.message = tr!(
                    "There is no room left to keep {name} in this browser. If you close this page and later open a run \
                     that uses the file, the page asks for the file again.",
                    name
                );
            }
            LibraryAnswer::Refused(refusal, command) => {
                if let Some(LibraryCommand::Fetch(id, _)) = command.as_deref() {
                    let why = match &refusal {
                        Refusal::Failed(why) => why.clone(),
                        _ => tr!("the weights cannot be read now").into(),
                    };
                    return self.take_answer(LibraryAnswer::Fetched(id.clone(), Err(why)), effects);
                }
                if let Some(LibraryCommand::ReadCurves(id)) = command.as_deref() {
                    self.library.recalled.retain(|recalled| recalled != id);
                    self.message = tr!("The curves of the kept run cannot be read now.").into();
                }
                self.library.refused(refusal, command.map(|command| *command), effects);
            }
        }
    }

    /// Goes on with a kept run where it was, or trains it anew where its weights cannot be used.
    fn take_up_kept(&mut self, kept: SavedRun, bytes: Result<Vec<u8>, String>, effects: &mut Vec<Effect>) {
        self.library.waiting = None;
        self.write_down(true, effects);
        let link = decode(&kept.link).0;
        let message = match &bytes {
            Ok(_) => tr!(
                "Opened the kept run “{name}” at step {step}.",
                step = thousands(kept.step),
                name = kept.name
            ),
            Err(why) if !kept.initial[0].is_empty() => tr!(
                "The weights of “{name}” cannot be used: {why}. The run is trained again from its start, with \
                 initial weights computed from the link of the run and not with the weights in {file}.",
                name = kept.name,
                why,
                file = file_name(&kept.initial[0])
            ),
            Err(why) => tr!(
                "The weights of “{name}” cannot be used: {why}. The run is trained again from its start, and \
                 training gives the same numbers.",
                name = kept.name,
                why
            ),
        };
        self.library.handed = Some((kept, bytes.ok()));
        self.change(link, message, effects);
    }
}
