//! The frame of the page: layout, second WebAssembly module, help, glossary and keyboard shortcuts.

pub mod deferred;
mod focus;
mod glossary;
pub mod help;
mod mount_queue;
pub mod page;
pub mod second_module;
mod single_keys;
