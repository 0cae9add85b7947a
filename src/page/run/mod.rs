//! The life of the current run: how it starts, how actions change it, and its status line.

mod asking;
pub mod consent;
pub mod lifecycle;
pub mod status;
#[cfg(test)]
pub(crate) mod tests;
