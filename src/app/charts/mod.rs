//! Canvases with charts, their toolbar and their tables.

pub mod curves;
pub mod hand;
pub mod numbers;
pub mod plots;
pub mod toolbar;
