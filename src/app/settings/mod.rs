//! The form of the settings.

pub mod sections;
