//! The frame of the page: where its parts stand, what its second program brings, help, terms and keys.

mod glossary;
pub mod help;
pub mod later;
pub mod page;
pub mod second;
