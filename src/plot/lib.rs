//! From arrays of numbers to readings ([`analysis`]), and from readings to pictures ([`charts`]).

#[macro_use]
extern crate vivarium_core;

pub mod analysis;
pub mod charts;
