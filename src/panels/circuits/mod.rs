//! The panels of the lab of Boolean circuits.

mod drawing;
mod inside;
mod news;
mod places;
mod written;
