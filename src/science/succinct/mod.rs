//! Recurrent convolutional networks that contain a learning algorithm (Goel, Kakade, Kalai and Zhang 2022, "Recurrent
//! convolutional neural networks learn succinct learning algorithms").
//!
//! | module | contents |
//! |---|---|
//! | [`data`] | [`SampledProblem`] data sets of a [`ConceptFamily`] of concepts, for both |
//! | `problem` | [`LearningProblem`]: the settings of a run; [`LearningMetric`]: its metrics |
//! | `error`, `limits` | [`SuccinctError`]: errors of data and programs; maximum sizes |
//! | [`grid`] | SGD that writes examples into a table, and a filter that runs a program on the table: depth is running time |
//! | [`search`] | a space of 19,683 short programs, in which random restarts and validation find a learning algorithm (ours) |
//!
//! In `grid` the filter is given and the table is learned; in `search` the rule is found by search.

pub mod data;
mod error;
pub mod grid;
mod limits;
mod problem;
pub mod search;

pub use data::{Concept, ConceptFamily, Dataset, SampledProblem};
pub use error::SuccinctError;
pub use limits::{
    MAX_EXAMPLE_INPUTS, MAX_EXAMPLES, MAX_LABEL_NOISE, MAX_PROGRAM_RULES, MAX_PROGRAM_STATES,
    MAX_PROGRAM_STEPS, MAX_PROGRAM_SYMBOLS, MAX_PROGRAM_TEXT_BYTES, MAX_STATE_NAME_LENGTH,
};
pub use problem::{LearningMetric, LearningProblem};
