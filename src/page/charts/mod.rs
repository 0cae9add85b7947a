//! What is shown of charts and how: which are on display, the part in view, axes and crosshair.

pub mod crosshair;
#[cfg(test)]
mod crosshair_tests;
pub mod shown;
pub mod viewport;
