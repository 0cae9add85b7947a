//! The view of the benchmark.

pub mod view;
