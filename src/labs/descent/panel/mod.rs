//! What only this lab shows on the page: one step layer by layer, one token as a strip, and the examples on a plot that a person
//! can change.

pub mod action;
pub mod plane;
pub mod steps;
pub mod strip;
