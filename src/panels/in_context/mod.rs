//! The panels of the lab of learning in context.

mod lab_panel;
mod prompt;
