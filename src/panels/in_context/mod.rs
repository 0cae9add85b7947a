//! The panels of the lab of learning in context.

mod places;
mod prompt;
