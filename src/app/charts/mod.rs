//! What is shown of charts and how: which are on display, the part in view, axes and crosshair.

pub mod crosshair;
#[cfg(test)]
mod crosshair_tests;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod curves;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod hand;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod numbers;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod plots;
pub mod shown;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod toolbar;
pub mod viewport;
