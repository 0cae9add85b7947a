//! The panel on the page.

mod blocks;
mod context;
mod editor;
mod inside;
mod lab_panel;
mod paint;
mod rows;
mod tape_and_tokens;
