//! The life of the run on display: how it begins, what a person does to it, and the line that says how it stands.

mod asking;
pub mod consent;
pub mod lifecycle;
pub mod status;
#[cfg(test)]
pub(crate) mod tests;
