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

/// A step to which the trainer trains silently, because it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Seek {
    /// Target step.
    pub step: u64,
    /// Phase of the run once the step is reached.
    pub phase_on_arrival: RunPhase,
}
