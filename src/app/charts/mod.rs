//! Canvases with charts, their toolbar and their tables.

pub mod curves;
pub mod input;
pub mod numbers;
pub mod plots;
pub mod toolbar;
