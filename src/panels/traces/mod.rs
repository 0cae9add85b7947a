//! The panels of the lab of machine traces.

mod lab_panel;
