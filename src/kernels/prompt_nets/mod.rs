//! What the kernels of networks on prompts share: the networks of runs side by side, prompts that the host draws for a slice
//! of steps at a time, and measuring.
//!
//! # Why
//! Tokens are normal numbers in the processor's double precision, and WebGPU has none: so the host draws them, and every
//! learner trains on the same bits. A [`PromptPlan`] is what differs between families: how a step is divided and launched.

mod data;
mod runs;
mod steps;

pub use data::Record;
pub use runs::{Compiled, Launch, PromptNet, PromptPlan};
pub use steps::measure;

/// Numbers of a line of the table: the network among all, the first of its held-out prompts, the first of its sample, and
/// where its run's schedule begins.
pub const LINE: usize = 4;
/// Numbers of a measurement: the sum of squared errors, broken outputs, and the number of the launch.
pub const FIELDS: usize = 3;
/// The record of a launch that measures nothing.
pub const NO_RECORD: u32 = u32::MAX;
