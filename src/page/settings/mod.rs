//! The form of the settings, and what a panel asks of them.

pub mod form;
pub mod inputs;
mod panel_keys;
mod requests;
