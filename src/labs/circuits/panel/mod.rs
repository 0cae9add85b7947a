//! What only this lab shows on the page: the circuit as a diagram whose gates are lit, the bits of its input, circuits to
//! begin with, and an editor.

pub mod action;
pub mod diagram;
pub mod editor;

#[cfg(all(feature = "ui", target_family = "wasm"))]
mod drawing;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod inside;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod news;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod places;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod written;
