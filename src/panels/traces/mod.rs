//! The panels of the lab of machine traces.

mod places;
