//! The buttons, numbers and texts of the run on display.

pub mod preset;
pub mod readouts;
pub mod task;
pub mod transport;
