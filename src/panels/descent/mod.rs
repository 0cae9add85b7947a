//! The panels of the lab of descent in tokens.

mod context;
mod inside;
mod lab_panel;
mod layers;
mod plot;
mod token;
