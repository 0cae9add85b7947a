//! The panels of the lab of Markov chains.

mod chain;
mod context;
mod heads;
mod lab_panel;
mod sequence;
mod theory;
