//! The dialogs for links and lessons.

pub mod framed;
pub mod links;
pub mod teacher;
