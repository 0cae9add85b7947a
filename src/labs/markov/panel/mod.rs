//! Panels of this lab: one sequence with the network's prediction, and the theory of two steps.

pub mod action;
pub mod change;
pub mod diagram;
pub mod texts;
