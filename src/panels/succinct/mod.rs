//! The panels of the lab of programs in networks.

mod inside;
mod news;
mod places;
mod plane;
mod program;
mod query;
mod rule;
mod written;
