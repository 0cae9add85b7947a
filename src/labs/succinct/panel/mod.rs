//! Panels of this lab: the test input, the program and its editor, the rule that a search has found,
//! and lemma 5 of the paper in one dimension.

pub mod action;
pub mod editor;
pub mod interpolation;
pub mod listing;
pub mod sentences;
