//! The buttons, numbers and texts of the current run.

pub mod preset;
pub mod readouts;
pub mod task;
pub mod transport;
