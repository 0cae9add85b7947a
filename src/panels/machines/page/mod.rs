//! The panel on the page.

mod beside;
mod blocks;
mod inside;
mod news;
mod paint;
mod places;
mod rows;
mod writing;
