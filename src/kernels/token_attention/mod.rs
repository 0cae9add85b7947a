//! Token attention: networks of one layer of attention on prompts of tokens, trained with the mean squared error over all
//! positions, on prompts that the host draws.
//!
//! ```text
//! a_ij = softmax_j (s_iᵀ W_h s_j),   head_h = Σ_j a_ij v_j,   ŷ_i = w₂ᵀ max(W₁ᵀ (head_1; …; head_H) + b₁, 0) + b₂
//! ```
//!
//! s and v are a token with its codes, or a part of that. A step is two launches: `gradient_all`, in which a workgroup takes
//! a prompt forward and back, and `update_all`, in which a lane adds up a parameter's gradients in a fixed order and
//! updates it. Where the table of scores (see [`plan`]) is no parameter itself, four more make it and take its gradient
//! back. Another kernel measures the errors on prompts that are not trained on.
//!
//! # Why
//! A code is one of N, so that a score is a sum of (q + 1)² numbers of a table, whatever the length of codes: nothing of
//! length (q + 1) d_e is ever multiplied with a matrix for a prompt. The gradient of the table is
//!
//! ```text
//! ∂loss/∂T[f, g] = Σ over prompts, positions i that have feature f and j that have g, of ∂loss/∂score_ij
//! ```
//!
//! A prompt's workgroup adds up the columns, for which the host lists who names whom, and the update the rows and prompts.
//! So every sum has one lane, and there are no atomics. Gradients of the MLP are added up by workgroup, as they are small.
//!
//! Tokens are normal numbers in the processor's double precision: they are drawn on the host, so that every learner trains
//! on the same bits.
//!
//! # What is the same, and what is not
//! A run has the same bits however it is cut into segments, and on the same device again. Replicas share nothing, so that a
//! replica has the bits of the same run with fewer of them, as long as every prompt has a workgroup of its own; beyond
//! 1,024 workgroups, or a buffer's size, a workgroup takes several prompts in turn, and sums are rounded in another order.
//! Between devices, and between these kernels and the processor, training differs by rounding: after 100 steps of small
//! networks by less than 1/1,000 of the largest weight, which the tests hold it to.
//!
//! # Speed
//! Not measured on hardware yet. Where all positions have one list of names, one lane of the update adds up all positions of
//! a prompt for a named position, and a step takes as long as that lane. 2026-11-23.

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
#[cfg(feature = "fused")]
mod forward;
#[cfg(feature = "fused")]
mod launch;
pub mod plan;
#[cfg(feature = "fused")]
mod steps;
#[cfg(feature = "fused")]
mod tables;

/// Whether kernels cover the run, as far as that can be known without a GPU.
///
/// # Errors
/// A sentence for the person.
pub fn covers(spec: &vivarium_model::run::RunSpec) -> Result<(), String> {
    let network = plan::Network::of(spec)?;
    plan::is_short(spec, network.batch)
}
