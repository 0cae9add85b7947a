//! The form of the settings, and what a panel asks of them.

pub mod form;
pub mod inputs;
mod panel_keys;
mod requests;
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod sections;
