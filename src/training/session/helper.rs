//! Helpers: other threads that make some shards of the large steps of a run.
//!
//! # Why
//! A page has no memory that several of its workers could share, since it may be embedded and hosted anywhere. So weights go to
//! a helper and gradients come back in messages. A step waits for the helpers that were ready when it began, and what a helper
//! owes when it fails is made where the step is: the numbers of a run do not depend on how many helpers there are.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use vivarium_model::run::RunSpec;

/// Some shards of one step of one replica.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardJob {
    /// Number of the replica.
    pub replica: usize,
    /// Number of the step.
    pub step: u64,
    /// Which shards.
    pub shards: Range<usize>,
    /// How many shards the step has.
    pub of: usize,
}

/// What a helper is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// Make ready for the run of this number.
    Run(u32, Box<RunSpec>),
    /// Compute gradients with the weights that come along; the first number comes back with them.
    Shards(u32, ShardJob),
}

/// What a helper says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It is ready for the run of this number.
    Ready(u32),
    /// The gradients of the order of this number come along.
    Gradients(u32),
}
