//! Data of charts from arrays of numbers ([`analysis`]), and drawing of charts ([`charts`]).

#[macro_use]
extern crate vivarium_core;

pub mod analysis;
pub mod charts;
pub mod scene;
