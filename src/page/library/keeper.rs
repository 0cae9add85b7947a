//! What changes the kept runs: of the page's second program, behind a table.
//!
//! # Why
//! As [`mod@crate::files::openers`] has it for files. The second program reads what is kept, and until it has,
//! nothing is written down, wished or taken back. By reachability in the linked program, 2026-11-23: 11 KiB after
//! compression that the first program need not hold.

use super::{LibraryAction, SavedRun};
use crate::state::State;
use crate::trainer::Effect;
use vivarium_model::chart::Chart;
use vivarium_plot::analysis::Lines;

/// The functions.
pub struct Keeper {
    wish: fn(&mut State, LibraryAction, &mut Vec<Effect>),
    write_down: fn(&mut State, bool, &mut Vec<Effect>),
    take_back: fn(&mut State, &[SavedRun], &mut Vec<Effect>),
    draw: fn(&State, Chart, &mut Lines),
}

/// All of them.
pub const KEEPER: Keeper = Keeper {
    wish: State::do_wish,
    write_down: State::write_down,
    take_back: State::take_back_kept,
    draw: State::draw_compared,
};

#[cfg(feature = "ui")]
static ARRIVED: std::sync::OnceLock<Keeper> = std::sync::OnceLock::new();

/// The functions, where they are there: on the page, from the arrival of its second program on.
#[cfg(feature = "ui")]
fn keeper() -> Option<&'static Keeper> {
    ARRIVED.get()
}

/// The functions, where they are there.
#[cfg(not(feature = "ui"))]
fn keeper() -> Option<&'static Keeper> {
    Some(&KEEPER)
}

/// The second program is there.
#[cfg(feature = "ui")]
pub fn install(keeper: Keeper) {
    // It comes once.
    let _ = ARRIVED.set(keeper);
}

impl State {
    /// Does what is wished of kept runs.
    pub fn wish(&mut self, wish: LibraryAction, effects: &mut Vec<Effect>) {
        match keeper() {
            Some(keeper) => (keeper.wish)(self, wish, effects),
            None if matches!(wish, LibraryAction::Compare) => {
                self.message = tr!("A part of the page is still loading. Try again in a moment.").into();
            }
            None => {}
        }
    }

    /// Writes the run down as it is now, if there is news of it; a young one only if it `must` be.
    pub fn keep(&mut self, must: bool, effects: &mut Vec<Effect>) {
        if let Some(keeper) = keeper() {
            (keeper.write_down)(self, must, effects);
        }
    }

    /// Draws what is compared with the run of the page over the curves of a chart.
    pub fn draw_kept(&self, chart: Chart, lines: &mut Lines) {
        if let Some(keeper) = keeper() {
            (keeper.draw)(self, chart, lines);
        }
    }

    /// Takes back what was last done to kept runs.
    pub fn undo_kept(&mut self, before: &[SavedRun], effects: &mut Vec<Effect>) {
        if let Some(keeper) = keeper() {
            (keeper.take_back)(self, before, effects);
        }
    }
}
