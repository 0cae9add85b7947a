//! The list of kept runs, and their storage in this browser.

pub mod list;
pub mod storage;
