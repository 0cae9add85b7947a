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

#[cfg(feature = "fused")]
mod backward;
pub mod chains;
#[cfg(feature = "fused")]
mod data;
#[cfg(feature = "fused")]
mod forward;
#[cfg(feature = "fused")]
mod launch;
#[cfg(feature = "fused")]
mod minimal;
#[cfg(feature = "fused")]
mod pieces;
pub mod plan;
#[cfg(feature = "fused")]
mod sampling;
#[cfg(feature = "fused")]
mod steps;
#[cfg(all(test, feature = "cli"))]
mod tests;

#[cfg(feature = "fused")]
pub use data::Record;
#[cfg(feature = "fused")]
pub use launch::SequenceNet;

/// The record of a launch that measures nothing.
#[cfg(feature = "fused")]
const NO_RECORD: u32 = u32::MAX;

/// Whether kernels cover the run, as far as that can be known without a GPU.
///
/// # Errors
/// A sentence for the person.
pub fn covers(spec: &crate::run::RunSpec) -> Result<(), String> {
    plan::Network::of(spec)?;
    chains::Sampling::of(spec)?;
    Ok(())
}
