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
//!
//! # Speed
//! Not measured on hardware: this is arithmetic from the counts of [`plan`], for x² with Adam on all pairs, one
//! replica, on a GPU like an NVIDIA H200: 132 processors of four schedulers at 1.98 GHz, 67 Tflop/s in single
//! precision, some 5 TB/s from a cache of 50 MB that holds weights, moments and slopes throughout.
//!
//! - Arithmetic is 6 d³ m operations a step, at the peak rate.
//! - Bandwidth: each tile of neurons reads all d³ slopes; each tile of pairs reads its rows of u and v, and all of
//!   w. That is many times the weights, moments and slopes themselves, read and written once.
//! - Instructions: those of the busiest processor, the tiles' costs in [`plan`] with a pair of tiles on a processor
//!   where there are more than 132, at one per cycle and scheduler.
//! - Launches: two, of 5 µs each where a driver does nothing else, of 25 µs as autodiff's take.
//!
//! ```text
//! d, m                        23, 200   31, 256   71, 500   113, 512   120, 2000
//! tiles of pairs, of neurons   26, 20    31, 32    61, 32    188, 32   212, 143
//! arithmetic, µs                  0.2       0.7        16         66         310
//! bandwidth, µs                   0.5       1.4        15         56         280
//! instructions, µs                 10        17       233        814       1,960
//! launches, µs                 10..50    10..50    10..50     10..50      10..50
//! steps/s, at most             50,000    37,000     4,100      1,200         510
//! steps/s, at a quarter        11,000     8,500     1,000        300         250
//! ```
//!
//! The last line takes a quarter of the instructions per cycle, and launches of 25 µs. A tile of neurons has but one
//! warp on each scheduler, and its inner loop waits for workgroup memory, some 30 cycles in 8 instructions unless
//! the compiler unrolls it, so that line is the likelier one. With two tiles on a processor each waits while the
//! other works, which is why the largest network loses least.
//!
//! So up to d = 31 launches and instructions weigh about alike, and either line is beyond ten times PyTorch's 541
//! steps/s, which are launches too.
//! From d = 71 on it is neither launches nor bandwidth nor arithmetic but the chain of a tile of neurons, d slabs one
//! after the other, on 32 of 132 processors: four times PyTorch's 484 steps/s, 1,940, need half an instruction per
//! cycle. The plan counts on 32 workgroups at once, which suits a laptop; were it 132, there would be 84 tiles of
//! neurons, half the instructions (114 µs), and 1,980 steps/s at a quarter. d = 113 would go from 300 to 690
//! against PyTorch's 478. 2026-11-21.

mod data;
mod launch;
mod neurons;
mod outputs;
pub mod plan;
mod steps;
pub mod trial;

pub use data::{Record, Run, Shape, Weights};
pub use launch::{GroupNetReplicas, Others, plan as plan_of};

/// Numbers of one measurement: loss, right answers, broken losses, least margin, or Σ‖ω‖^ν and whether it is
/// broken; and last the number of the launch.
const FIELDS: usize = 5;
/// The record of a launch that measures nothing.
const NO_RECORD: u32 = u32::MAX;
