//! The life of the run on display: how it begins, what a person does to it, and the line that says how it stands.

pub mod lifecycle;
pub mod status;
#[cfg(test)]
pub(in crate::app) mod tests;
