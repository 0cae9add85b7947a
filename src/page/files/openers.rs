//! What opens files, gives advice and explains terms: of the page's second program, behind a table.
//!
//! # Why
//! As [`mod@vivarium_labs::lazy`] has it for what labs compute: all that chooses files comes with the second program, so
//! that the first one need not hold what reads them.

use crate::html;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_labs::cannot_learn;
use vivarium_model::platform::file::GivenFile;
use vivarium_model::run::RunSpec;
use vivarium_view::record::reading::News;

/// The functions.
pub struct Openers {
    /// Opens a file of a run, of weights or of a table.
    pub file: fn(&mut State, &str, GivenFile, &mut Vec<Effect>),
    /// Opens a table, with the column of its label.
    pub table: fn(&mut State, &str, GivenFile, usize, &mut Vec<Effect>),
    /// Handles a message about the file that is being read.
    pub news: fn(&mut State, u64, News, &mut Vec<Effect>),
    /// Reasons why a run cannot learn, each a sentence.
    pub advice: fn(&RunSpec) -> Vec<String>,
    /// A text as HTML with its terms of the glossary marked.
    pub explained: fn(&str) -> String,
}

/// All of them.
pub const OPENERS: Openers = Openers {
    file: State::read_file,
    table: State::read_table,
    news: State::hear_of_file,
    advice: cannot_learn,
    explained: html::explained,
};

#[cfg(feature = "ui")]
static ARRIVED: std::sync::OnceLock<Openers> = std::sync::OnceLock::new();

/// The functions, where they are there: on the page, from the arrival of its second program on.
#[cfg(feature = "ui")]
pub fn openers() -> Option<&'static Openers> {
    ARRIVED.get()
}

/// The functions, where they are there.
#[cfg(not(feature = "ui"))]
pub fn openers() -> Option<&'static Openers> {
    Some(&OPENERS)
}

/// The second program is there.
#[cfg(feature = "ui")]
pub fn install(openers: Openers) {
    // It comes once.
    let _ = ARRIVED.set(openers);
}
