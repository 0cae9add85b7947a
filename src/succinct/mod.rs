//! Recurrent convolutional networks that contain a learning algorithm (Goel, Kakade, Kalai and Zhang 2022, "Recurrent
//! convolutional neural networks learn succinct learning algorithms").
//!
//! | module | what it gives |
//! |---|---|
//! | [`grid`] | SGD that writes examples into a table, and a filter that runs a program on the table: depth is running time |
//! | [`search`] | a space of 19,683 short programs, in which random restarts and validation find a learning algorithm (ours) |
//!
//! In the first the filter is given and the table is learned; in the second the rule is found by search.

pub mod grid;
pub mod search;
