//! Going back to an earlier step of the run, and on from there.
//!
//! # Why
//! Nothing but checkpoints is kept of the past: from the nearest one before, the same training is made again up to the
//! very step that is asked for. So every panel shows that step without knowing of it, whichever lab it is of, and
//! what is played from there is the same run, number by number. The alternative, keeping what each panel has shown,
//! would grow with the panels, and could not go on from where it is. 2026-11-21.

pub mod checkpoints;
#[cfg(test)]
pub(crate) mod tests;

mod overlay;
mod update;

use vivarium_view::display::Phase;

/// A step that the trainer is on its way to.
#[derive(Debug, Clone, PartialEq)]
pub struct Seek {
    /// The step.
    pub to: u64,
    /// What the run does once it is there.
    pub then: Phase,
}
