//! The life of the run on display: how it begins, what a person does to it, and the line that says how it stands.

mod asking;
pub mod consent;
pub mod lifecycle;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod preset;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod readouts;
pub mod status;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod task;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod transport;
