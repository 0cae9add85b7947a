//! The panel of this lab: one step layer by layer, one token as a strip, and the examples on a plot that the user can
//! edit.

pub mod action;
pub mod plane;
pub mod steps;
pub mod strip;
