//! The panels of the lab of descent in tokens.

mod inside;
mod layers;
mod news;
mod places;
mod plot;
mod token;
