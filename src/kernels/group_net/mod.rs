//! Networks on pairs of group elements: full-batch training with the mean cross-entropy and a norm penalty.
//!
//! ```text
//! f(a, b)[c] = Σ_i σ(u_i[a] + v_i[b]) w_i[c],   σ(z) = z² or max(z, 0),   a, b, c ∈ 0..d
//! loss = mean over the pairs of −ln softmax(f)[label] + λ Σ_i ‖ω_i‖₂^ν,   ω_i = (u_i, v_i, w_i)
//! ```
//!
//! ν = 3 is the L_{2,3} penalty under which z² attains the largest margin (Morwani et al. 2023), ν = 2 plain L2.
//!
//! # Why
//! A step has two phases that many workgroups can share: ∂loss/∂f of every pair, and everything about a neuron.
//! A neuron's gradients need all pairs but no other neuron, so a workgroup adds them up alone, in a fixed
//! order, with no partial sums to be combined and no atomics; its penalty and its update come with them. Inputs
//! are looked up, never one-hot products.
//!
//! Absent pairs have zero slopes in a table of all of them, and cost what present ones do in the second phase: in
//! return a lane's place in the table is known when the kernel is compiled. If small training sets of large
//! groups matter one day, the rows of a slab should become lists.
//!
//! Where one workgroup makes a step in less time than two launches take, it makes many steps per launch; see
//! [`plan`].

mod launch;
mod neurons;
mod outputs;
pub mod plan;
mod steps;
pub mod trial;

pub use launch::{GroupNet, Others, Record, Shape, Weights};

/// Numbers of one measurement: loss, right answers, broken losses, least margin, or Σ‖ω‖^ν and whether it is
/// broken; and last the number of the launch.
const FIELDS: usize = 5;
/// The record of a launch that measures nothing.
const NO_RECORD: u32 = u32::MAX;
