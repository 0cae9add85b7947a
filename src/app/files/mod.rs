//! The dialog that saves a run, and the reader of files that are opened.

pub mod dialog;
pub mod reader;
