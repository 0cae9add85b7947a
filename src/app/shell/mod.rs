//! The frame of the page: layout, second WebAssembly module, help, glossary and keyboard shortcuts.

mod glossary;
pub mod help;
pub mod later;
pub mod page;
pub mod second;
