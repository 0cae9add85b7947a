//! Going back to an earlier step of the run, and on from there.
//!
//! # Why
//! Only checkpoints of the past are kept: from the nearest earlier one, training is repeated up to the requested step.
//! So every panel shows that step without special code, and playing from there gives the same run, number by number.
//! The alternative, keeping what each panel has shown, would need memory for every panel, and could not continue from
//! there. 2026-11-21.

pub mod checkpoints;
#[cfg(test)]
pub(crate) mod tests;

mod overlay;
mod update;

use vivarium_view::display::RunPhase;

/// A jump to an earlier step: the page shows that step while the trainer trains to it without showing progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Seek {
    /// Training step that the page shows and to which the trainer trains.
    pub step: u64,
    /// Phase of the run (such as paused or finished) once the trainer has reached the step.
    pub phase_on_arrival: RunPhase,
}
