//! Panel of this lab: one prompt, which the user can change, and the network's answers.

pub mod action;
