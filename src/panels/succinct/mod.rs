//! The panels of the lab of programs in networks.

mod context;
mod editor;
mod inside;
mod lab_panel;
mod plane;
mod program;
mod query;
mod rule;
