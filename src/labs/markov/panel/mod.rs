//! What only this lab shows on the page: one sequence and what the network makes of it, and the theory of two steps.

pub mod action;
pub mod change;
pub mod diagram;
pub mod words;

#[cfg(all(feature = "ui", target_family = "wasm"))]
mod chain;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod heads;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod news;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod places;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod sequence;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod theory;
