//! The form of the settings, and the requests of panels.

pub mod form;
pub mod inputs;
mod panel_keys;
mod requests;
