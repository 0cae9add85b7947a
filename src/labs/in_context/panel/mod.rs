//! What only this lab shows on the page: one prompt, how much of it is shown, and what everybody predicts for its next
//! point.

pub mod action;
