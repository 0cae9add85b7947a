//! The panels of the lab of look-ups.

mod lab_panel;
mod prompt;
