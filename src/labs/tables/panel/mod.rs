//! Panels of this lab: the table, and the control that opens another one.

pub mod file;
