//! Comparison: the curves of saved runs in the charts of the current run.
//!
//! # Why
//! The compared runs belong to the tab, not to the list of saved runs: another tab compares others. All runs are saved
//! anyway, so comparing a run stores nothing, and removing it from the comparison deletes nothing.
//!
//! A run that is continued is not a second run. So a saved run is not drawn while its curves are the beginning of the
//! current run's curves: before a setting changes, and where only the learning rate was changed during training. It is
//! drawn as soon as the curves differ.
//!
//! All of this is in the page's second WebAssembly module, reached through
//! [`LibraryFunctions`](super::library::functions::LibraryFunctions) alone.

mod draw;
mod update;

#[cfg(test)]
mod tests;

pub use draw::NamedRun;

/// Largest number of runs compared with the current run, equal to the number of their colours; no further run can be
/// added.
pub const MAX_COMPARED: usize = super::library::COLOUR_COUNT;
