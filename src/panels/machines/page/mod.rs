//! The panel on the page.

mod blocks;
mod inside;
mod news;
mod paint;
mod places;
mod rows;
mod tape_and_tokens;
mod writing;
