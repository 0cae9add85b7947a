//! The dialog for sweeps and the map of their cells.

pub mod cells;
pub mod dialog;
