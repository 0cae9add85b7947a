//! The panels of the lab of tables.

mod card;
mod lab_panel;
