//! What a person wants of sweeps.

pub mod form;
pub mod map;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(all(test, feature = "session"))]
mod worker_tests;
pub mod workers;

mod update;

use vivarium_model::permalink::Link;

/// What a person wants of sweeps.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepAction {
    /// Make the one of this link.
    Make(Box<Link>),
    /// Make no more runs, and keep what was found.
    Cancel,
}
