//! What is shown of charts and how: which are on display, the part in view, axes, crosshair and titles.

pub mod crosshair;
#[cfg(test)]
mod crosshair_tests;
pub mod scale;
pub mod shown;
pub mod titles;
pub mod viewport;
