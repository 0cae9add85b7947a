//! The list of saved runs, and their storage in the browser.

pub mod list;
pub mod storage;
