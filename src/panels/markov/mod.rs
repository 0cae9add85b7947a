//! The panels of the lab of Markov chains.

mod chain;
mod heads;
mod news;
mod places;
mod sequence;
mod theory;
