//! The cards of the gallery.

pub mod cards;
