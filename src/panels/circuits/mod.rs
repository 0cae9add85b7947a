//! The panels of the lab of Boolean circuits.

mod context;
mod drawing;
mod editor;
mod inside;
mod lab_panel;
