//! Functions that open files, find reasons why a run cannot learn, and mark terms of the glossary; they are in the
//! page's second WebAssembly module.
//!
//! # Why
//! As for [`mod@vivarium_labs::lazy`]: all dialogs for files are in the second module, so that the first one does not
//! need the code that reads files.

use crate::effect::Effect;
use crate::html;
use crate::state::State;
use vivarium_labs::cannot_learn;
use vivarium_model::platform::file::UploadedFile;
use vivarium_model::run::RunSpec;
use vivarium_view::record::dataset::TableChoices;
use vivarium_view::record::reading::ReadProgress;

/// Functions that are in the page's second WebAssembly module (loaded after the first paint), as pointers that the
/// first module calls.
pub struct FileFunctions {
    /// Opens a file with a run, with weights or with a table; arguments: state, file name, file, effects.
    pub open_file: fn(&mut State, &str, UploadedFile, &mut Vec<Effect>),
    /// Opens a data table from a file; arguments: state, file name, file, choices on how it is read, effects.
    pub open_table: fn(&mut State, &str, UploadedFile, &TableChoices, &mut Vec<Effect>),
    /// Handles a message of the worker that reads a file; arguments: state, number of the file, message, effects.
    pub handle_message: fn(&mut State, u64, ReadProgress, &mut Vec<Effect>),
    /// Returns the reasons why a run cannot learn, one sentence each.
    pub learning_obstacles: fn(&RunSpec) -> Vec<String>,
    /// Converts a text to HTML in which the terms of the glossary are buttons.
    pub glossary_html: fn(&str) -> String,
}

/// Pointers to the functions on files, which the second WebAssembly module passes to `install`.
pub const FILE_FUNCTIONS: FileFunctions = FileFunctions {
    open_file: State::read_file,
    open_table: State::read_table,
    handle_message: State::handle_read_message,
    learning_obstacles: cannot_learn,
    glossary_html: html::glossary_html,
};

/// Pointers to the functions on files in the second WebAssembly module; empty until that module is loaded.
#[cfg(feature = "ui")]
static INSTALLED: std::sync::OnceLock<FileFunctions> = std::sync::OnceLock::new();

/// Returns the pointers to the functions on files; None until the second WebAssembly module is loaded.
#[cfg(feature = "ui")]
pub fn openers() -> Option<&'static FileFunctions> {
    INSTALLED.get()
}

/// Returns the pointers to the functions on files, which are always available without the feature `ui`.
#[cfg(not(feature = "ui"))]
pub fn openers() -> Option<&'static FileFunctions> {
    Some(&FILE_FUNCTIONS)
}

/// Stores the pointers to the functions on files when the second WebAssembly module is loaded.
#[cfg(feature = "ui")]
pub fn install(openers: FileFunctions) {
    // It is called once.
    let _ = INSTALLED.set(openers);
}
