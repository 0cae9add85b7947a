//! The form of the settings, and the requests of panels.

pub mod form;
pub mod inputs;
pub mod layer_drawing;
pub mod layers;
mod panel_keys;
mod requests;
