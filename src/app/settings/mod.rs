//! The form of the settings.

mod layers;
pub mod sections;
