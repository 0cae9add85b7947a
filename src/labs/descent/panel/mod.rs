//! What only this lab shows on the page: one step layer by layer, one token as a strip, and the examples on a plot that a person
//! can change.

pub mod action;
pub mod plane;
pub mod steps;
pub mod strip;

#[cfg(all(feature = "ui", target_family = "wasm"))]
mod inside;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod layers;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod news;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod places;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod plot;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod token;
