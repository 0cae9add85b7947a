//! Sweeps: the dialog, the map of the results, and the workers that train runs in parallel.

pub mod form;
pub mod map;
#[cfg(test)]
mod result_tests;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod worker_tests;
pub mod workers;

mod update;

use vivarium_model::permalink::Link;

/// An action of the user on sweeps, such as starting or cancelling one.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepAction {
    /// Start the sweep of this link.
    Start(Box<Link>),
    /// Cancel the sweep; results so far stay.
    Cancel,
}
