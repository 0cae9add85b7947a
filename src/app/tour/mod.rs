//! The passages of a story.

pub mod paper;
pub mod passage;
