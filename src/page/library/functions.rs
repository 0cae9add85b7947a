//! Functions on saved runs, which are in the page's second WebAssembly module, as a table of function pointers.
//!
//! # Why
//! As for [`mod@crate::files::openers`]. The second module reads the saved runs; until it has, nothing is saved,
//! changed or restored. By reachability in the linked program, 2026-11-23: 11 KiB after compression that the first
//! module need not hold.

use super::{LibraryAction, SavedRun};
use crate::effect::Effect;
use crate::state::State;
use vivarium_model::chart::Chart;
use vivarium_plot::analysis::LineChart;

/// Functions on saved runs that are in the page's second WebAssembly module (loaded after the first paint), as pointers
/// that the first module calls.
pub struct LibraryFunctions {
    /// Applies an action of the user on saved runs, or an answer of the storage.
    apply_action: fn(&mut State, LibraryAction, &mut Vec<Effect>),
    /// Saves the current run; if the flag is true, even a run that was opened less than two seconds ago.
    save: fn(&mut State, bool, &mut Vec<Effect>),
    /// Restores names, pins and deletions of saved runs as the given saved runs have them: the effect of Undo.
    undo: fn(&mut State, &[SavedRun], &mut Vec<Effect>),
    /// Adds the curves of the compared runs to the curves that a chart draws.
    draw_compared: fn(&State, Chart, &mut LineChart),
}

/// Pointers to the functions on saved runs, which the second WebAssembly module passes to `install`.
pub const LIBRARY_FUNCTIONS: LibraryFunctions = LibraryFunctions {
    apply_action: State::handle_library_action,
    save: State::write_current_run,
    undo: State::restore_saved_runs,
    draw_compared: State::draw_compared_runs,
};

/// Pointers to the functions on saved runs in the second WebAssembly module; empty until that module is loaded.
#[cfg(feature = "ui")]
static INSTALLED: std::sync::OnceLock<LibraryFunctions> = std::sync::OnceLock::new();

/// Returns the functions on saved runs; None until the second WebAssembly module is loaded.
#[cfg(feature = "ui")]
fn functions() -> Option<&'static LibraryFunctions> {
    INSTALLED.get()
}

/// Returns the functions on saved runs, which are always available without the feature `ui`.
#[cfg(not(feature = "ui"))]
fn functions() -> Option<&'static LibraryFunctions> {
    Some(&LIBRARY_FUNCTIONS)
}

/// Stores the pointers to the functions on saved runs when the second WebAssembly module is loaded.
#[cfg(feature = "ui")]
pub fn install(functions: LibraryFunctions) {
    // It is called once.
    let _ = INSTALLED.set(functions);
}

impl State {
    /// Applies an action on the saved runs; does nothing before the second WebAssembly module is loaded.
    pub fn apply_library_action(&mut self, action: LibraryAction, effects: &mut Vec<Effect>) {
        match functions() {
            Some(functions) => (functions.apply_action)(self, action, effects),
            None if matches!(action, LibraryAction::Compare) => {
                self.player.message =
                    tr!("A part of the page is still loading. Try again in a moment.").into();
            }
            None => {}
        }
    }

    /// Saves the current run if it has changed since the last save; a run that was opened less than two seconds ago
    /// only if `even_if_young`.
    pub fn save_run(&mut self, even_if_young: bool, effects: &mut Vec<Effect>) {
        if let Some(functions) = functions() {
            (functions.save)(self, even_if_young, effects);
        }
    }

    /// Adds the curves of the compared runs to the curves of a chart.
    pub fn draw_saved_runs(&self, chart: Chart, lines: &mut LineChart) {
        if let Some(functions) = functions() {
            (functions.draw_compared)(self, chart, lines);
        }
    }

    /// Restores names, pins and deletions of saved runs as they were in `before`: the effect of Undo.
    pub fn undo_library_change(&mut self, before: &[SavedRun], effects: &mut Vec<Effect>) {
        if let Some(functions) = functions() {
            (functions.undo)(self, before, effects);
        }
    }
}
