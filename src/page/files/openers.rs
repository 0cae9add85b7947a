//! Functions that open files, find reasons why a run cannot learn, and mark terms of the glossary; they are in the
//! page's second program.
//!
//! # Why
//! As for [`mod@vivarium_labs::lazy`]: all dialogs for files are in the second program, so that the first one does not
//! need the code that reads files.

use crate::html;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_labs::cannot_learn;
use vivarium_model::platform::file::UploadedFile;
use vivarium_model::run::RunSpec;
use vivarium_view::record::reading::ReadProgress;

/// Functions of the second program that the first program calls once they are loaded.
pub struct Openers {
    /// Opens a file with a run, with weights or with a table.
    pub open_file: fn(&mut State, &str, UploadedFile, &mut Vec<Effect>),
    /// Opens a table; the last number is the index of the label column.
    pub open_table: fn(&mut State, &str, UploadedFile, usize, &mut Vec<Effect>),
    /// Handles a message of the worker that reads a file.
    pub handle_message: fn(&mut State, u64, ReadProgress, &mut Vec<Effect>),
    /// Returns the reasons why a run cannot learn, one sentence each.
    pub learning_obstacles: fn(&RunSpec) -> Vec<String>,
    /// Converts a text to HTML in which the terms of the glossary are buttons.
    pub glossary_html: fn(&str) -> String,
}

/// The functions of this program.
pub const OPENERS: Openers = Openers {
    open_file: State::read_file,
    open_table: State::read_table,
    handle_message: State::handle_read_message,
    learning_obstacles: cannot_learn,
    glossary_html: html::glossary_html,
};

/// The functions, once they are installed.
#[cfg(feature = "ui")]
static ARRIVED: std::sync::OnceLock<Openers> = std::sync::OnceLock::new();

/// Returns the functions; None until the second program is loaded.
#[cfg(feature = "ui")]
pub fn openers() -> Option<&'static Openers> {
    ARRIVED.get()
}

/// Returns the functions, which are always there without the `ui` feature.
#[cfg(not(feature = "ui"))]
pub fn openers() -> Option<&'static Openers> {
    Some(&OPENERS)
}

/// Installs the functions when the second program is loaded.
#[cfg(feature = "ui")]
pub fn install(openers: Openers) {
    // It is called once.
    let _ = ARRIVED.set(openers);
}
