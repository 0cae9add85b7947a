//! What only this lab shows on the page: the table, and how another one is opened.

pub mod file;
