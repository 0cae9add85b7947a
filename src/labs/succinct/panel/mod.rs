//! What only this lab shows on the page: the test input, the program and its editor, the rule that a search has found, and
//! lemma 5 of the paper in one dimension.

pub mod action;
pub mod editor;
pub mod listing;
pub mod sentences;
pub mod through;

#[cfg(all(feature = "ui", target_family = "wasm"))]
mod inside;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod news;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod places;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod plane;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod program;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod query;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod rule;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod written;
