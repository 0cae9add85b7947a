//! What can be wrong with a file, a sentence each.

use super::VERSION;

/// Why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// There is nothing in it.
    #[error("this file is empty")]
    Empty,
    /// It is larger than any run's.
    #[error("this file has {0} MB, and a run's has at most {1} MB")]
    TooLarge(usize, usize),
    /// It is a table of metrics.
    #[error("this is a table of metrics, which does not say of which run: open the run's JSON instead")]
    Table,
    /// It is something else altogether.
    #[error("this is neither a run (JSON) nor weights (safetensors)")]
    Unknown,
    /// It does not go on as JSON does.
    #[error("this file is no whole JSON: it breaks off or is damaged at line {line}, column {column}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// JSON of another program.
    #[error("this is JSON, but not a run of this program: there is no \"format\": \"vivarium-run\" in it")]
    Foreign,
    /// From the future.
    #[error(
        "this run was written by a newer version of this program (format {0}; this one reads up to {VERSION})"
    )]
    Newer(u64),
    /// Its link has parts that mean nothing here, so its numbers would be shown of another run.
    #[error("the link of this file cannot be read here: {0}")]
    Link(String),
    /// A part is missing or is not what it should be.
    #[error("{place} should be {expected}")]
    Field {
        /// Which part: "step", "test_loss of measurement 3".
        place: String,
        /// What it should be.
        expected: String,
    },
    /// Steps do not rise.
    #[error(
        "the steps of this run do not rise: measurement {at} is of step {step}, the one before of step {before}"
    )]
    Order {
        /// Which measurement, from 1.
        at: usize,
        /// Its step.
        step: u64,
        /// The step before.
        before: u64,
    },
    /// More measurements than a run has.
    #[error("this run has {0} measurements, and at most {1} are read")]
    TooMany(usize, usize),
    /// Weights of another program.
    #[error("these are weights of another program: their header names no run")]
    ForeignWeights,
    /// The file of weights ends early or has too much.
    #[error(
        "this file of weights is damaged or cut off: it has {found} bytes, and its header speaks of {expected}"
    )]
    Length {
        /// Bytes that there are.
        found: usize,
        /// Bytes that the header speaks of.
        expected: usize,
    },
    /// A tensor is missing or is not of this run.
    #[error("the weights {name} should be {expected}")]
    Tensor {
        /// Its name.
        name: String,
        /// What it should be.
        expected: String,
    },
}

impl Flaw {
    /// A part that should be something else.
    pub(super) fn field(place: impl Into<String>, expected: impl Into<String>) -> Self {
        Flaw::Field { place: place.into(), expected: expected.into() }
    }
}
