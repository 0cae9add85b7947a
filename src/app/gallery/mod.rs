//! The moving tiles and the cards of the gallery.

pub mod cards;
pub mod tiles;
