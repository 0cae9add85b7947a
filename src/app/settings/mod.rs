//! The form of the settings.

pub mod form;
