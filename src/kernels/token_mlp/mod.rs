//! Token MLPs: feedforward networks on whole prompts of tokens, trained with the mean squared error over all positions.
//!
//! ```text
//! h_0 = (z_1; …; z_N),   h_l = max(h_{l−1} W_l + b_l, 0),   ŷ = h_L W_{L+1} + b_{L+1}
//! ```
//!
//! A step writes the prompts down as networks see them, goes forward layer by layer, takes the errors, goes back layer by
//! layer, and updates layer by layer: 3 L + 4 launches. A lane makes one number, in a loop over what it is a sum of: so every
//! sum has one order, and there are no atomics.
//!
//! # Why
//! Gradients of the weights need all prompts, so that a workgroup for each prompt would leave as many copies of the weights
//! as there are prompts; here a lane adds up its weight's gradient over the prompts and updates it at once. What a layer is
//! comes as numbers, so that five shaders serve networks of any depth.
//!
//! # What is the same, and what is not
//! A run has the same bits however it is cut into segments, and on the same device again; a replica has those of the same
//! run with fewer of them. Between devices, and between these kernels and the processor, training differs by rounding.
//!
//! # Speed
//! Not measured on hardware yet. A lane reads two numbers for each product, and inputs are written out with their zeros: of
//! one-hot codes of long prompts most products of the first layer are with zero. 2026-11-23.

#![allow(
    missing_docs,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

#[cfg(feature = "fused")]
mod launch;
pub mod plan;
#[cfg(feature = "fused")]
mod steps;

/// Whether kernels cover the run, as far as that can be known without a GPU.
///
/// # Errors
/// A sentence for the person.
pub fn covers(spec: &vivarium_model::run::RunSpec) -> Result<(), String> {
    plan::Network::of(spec).map(drop)
}
