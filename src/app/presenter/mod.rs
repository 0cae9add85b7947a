//! Presenter mode on the screen.

pub mod cover;
pub mod view;
