//! What only this lab shows on the page: one sequence and what the network makes of it, and the theory of two steps.

pub mod action;
pub mod change;
pub mod diagram;
pub mod words;
