//! Recurrent convolutional networks that contain a learning algorithm (Goel, Kakade, Kalai and Zhang 2022, "Recurrent
//! convolutional neural networks learn succinct learning algorithms").
//!
//! | module | what it gives |
//! |---|---|
//! | [`data`] | [`Drawn`] data sets of a [`Family`] of concepts, for both |
//! | `problem` | [`LearningProblem`]: what a run is about; [`Measured`]: what is measured of it |
//! | `mistake`, `limits` | what can be wrong with data and programs, and how large they may be |
//! | [`grid`] | SGD that writes examples into a table, and a filter that runs a program on the table: depth is running time |
//! | [`search`] | a space of 19,683 short programs, in which random restarts and validation find a learning algorithm (ours) |
//!
//! In `grid` the filter is given and the table is learned; in `search` the rule is found by search.

pub mod data;
pub mod grid;
mod limits;
mod mistake;
mod problem;
pub mod search;

pub use data::{Concept, Data, Drawn, Family};
pub use limits::{
    MOST_EXAMPLES, MOST_INPUTS, MOST_LETTERS, MOST_NOISE, MOST_RULES, MOST_STATES, MOST_STEPS, MOST_SYMBOLS,
    MOST_TEXT,
};
pub use mistake::Mistake;
pub use problem::{LearningProblem, Measured};
