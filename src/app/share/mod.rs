//! The dialogs for links and lessons.

pub mod embed_header;
pub mod links;
pub mod teacher;
