//! Training: the one loop that page, command line and tests drive, and what it needs.

pub mod loss;
pub mod optimizers;
