//! Networks on sequences of symbols: training with the mean cross-entropy over all places.

#![allow(
    missing_docs,
    clippy::assign_op_pattern,
    clippy::collapsible_if,
    clippy::manual_is_multiple_of,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

mod backward;
mod data;
mod forward;
mod launch;
mod minimal;
mod pieces;
pub mod plan;
pub mod sampling;
mod steps;

pub use data::Record;
pub use launch::SequenceNet;

/// The record of a launch that measures nothing.
const NO_RECORD: u32 = u32::MAX;
