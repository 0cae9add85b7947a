//! What only this lab shows on the page: the table, and how another one is opened.

pub mod file;

#[cfg(all(feature = "ui", target_family = "wasm"))]
mod card;
#[cfg(all(feature = "ui", target_family = "wasm"))]
mod places;
