//! The passages of a story.

pub mod passage;
pub mod printing;
