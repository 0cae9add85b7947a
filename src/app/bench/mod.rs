//! The view of the bench.

pub mod view;
