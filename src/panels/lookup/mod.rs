//! The panels of the lab of look-ups.

mod places;
mod prompt;
