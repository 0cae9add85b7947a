//! The view of the charts: which are shown, zoom, axes and crosshair.

pub mod crosshair;
#[cfg(test)]
mod crosshair_tests;
pub mod shown;
pub mod viewport;
