//! Networks on sequences of symbols: training with the mean cross-entropy over all places, on sequences that are
//! drawn on the device.
//!
//! A step is two launches: `gradient_all`, in which a workgroup takes a sequence forward and back, and `update_all`, in which
//! a lane adds up a parameter's gradients in a fixed order and updates it. A third kernel has drawn the sequences
//! of a whole slice of steps before, and a fourth answers the evaluator's contexts wherever something is to be
//! measured.
//!
//! # Why
//! Attention is a t by t matrix that nothing but its own row needs, so no more of it is kept than a row's largest score
//! and sum (Milakov and Gimelshein 2018; Dao et al. 2022). On the way back it is made again 16 columns at a time: in
//! workgroup memory, from where other lanes add it up along columns, for keys and values, and along diagonals, for
//! distances. So every sum has one lane, and there are no atomics. Everything else of a sequence is rows of d numbers
//! in a scratch buffer, 115 KiB for the network below, which the first-level cache holds.
//!
//! Besides the weights the buffers hold a mirror of them with rows and columns exchanged: lanes side by side then read
//! numbers side by side in both directions, R included, which a row reads backwards.
//!
//! A lane draws a sequence with its chain from whole numbers, as the processor does, and in the few cases that need it
//! from the processor's double precision: the symbols are the processor's, bit for bit. That takes hundreds of
//! dependent instructions, but thousands of lanes do it at once, since a slice has many steps.
//!
//! # What is the same, and what is not
//! A run has the same bits however it is cut into segments, and on the same device again. Replicas share nothing,
//! so that a replica has the bits of the same run with fewer of them, as long as every sequence has a workgroup of
//! its own; beyond 1,024 workgroups, or a buffer's size, a workgroup takes several sequences in turn, and sums are
//! rounded in another order. Between devices, and between these kernels and the processor, training differs by
//! rounding: after 100 steps of small networks by less than 2e-6 of the largest weight.
//!
//! MLPs, hidden sizes above 64, more than four layers, an α other than 1 and chains of more than 32 contexts are
//! left to autodiff, and [`covers`] says which it is.
//!
//! # Speed
//! Not measured on hardware: this is arithmetic from the instructions, for k = 3, t = 100, d = 16, two layers of
//! one head, relative positions without norms, batch 64, on a GPU like an NVIDIA H200: 132 processors of four
//! schedulers at 1.98 GHz, of which a step keeps 64 busy, with 8 warps each.
//!
//! ```text
//! of one layer                      instructions of a warp   loads of a warp
//! queries, keys and values                      7,000             3,000
//! attention forward                            30,000            13,000
//! attention back, rows                         36,000            19,000
//! along columns and diagonals                  45,000            17,000
//! matrices, and back through them              17,000             8,000
//! both layers, with the ends                  280,000           125,000
//! ```
//!
//! A workgroup meets two barriers for each block of columns of a head on the way back, 7 of 16 here, and some ten
//! more for each layer: 50 for the network. That is a few hundredths of the cycles below, since no lane waits for
//! more than the longest row of its block.
//!
//! At an instruction per cycle and scheduler that is 70,000 cycles; at a load per cycle and processor 125,000, or
//! 63 µs. So loads bound a step, and with the second launch, which reads 1.2 MB, it is some 70 µs: at most 14,000
//! steps/s. 5,000 leave 200 µs: two launches of 25 µs each, as they take where a driver is slow, and 2.3 cycles to
//! a load. A second replica costs little, since it takes the other half of the processors. What would help most is
//! to load four components of keys and values at once, which would save some 30,000 of the loads. 2026-11-21.
//!
//! The lab's own network (k = 2, t = 50, batch 32) has a quarter of the attention and half of the rest: 35,000
//! loads to a sequence. On the same GPU that is 18 µs, so that its 400 steps are bound by 800 launches, 40 ms at
//! most. A laptop's integrated GPU of six subslices at 1.3 GHz, each of which loads 64 bytes in a cycle, takes 5.3
//! sequences of 70,000 cycles in turn: 0.3 ms a step, and half a second with its launches for what takes 200 steps
//! to drop and 400 to end.

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
pub mod double;
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

#[cfg(feature = "fused")]
pub use data::Record;
#[cfg(feature = "fused")]
pub use launch::{Compiled, SequenceNet};

/// The record of a launch that measures nothing.
#[cfg(feature = "fused")]
const NO_RECORD: u32 = u32::MAX;

/// Whether kernels cover the run, as far as that can be known without a GPU.
///
/// # Errors
/// A sentence for the person.
pub fn covers(spec: &vivarium_model::run::RunSpec) -> Result<(), String> {
    plan::Network::of(spec)?;
    chains::Sampling::of(spec)?;
    Ok(())
}
