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
    pub(crate) file: fn(&mut State, &str, GivenFile, &mut Vec<Effect>),
    pub(crate) table: fn(&mut State, &str, GivenFile, usize, &mut Vec<Effect>),
    pub(crate) news: fn(&mut State, u64, News, &mut Vec<Effect>),
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "only the page gives advice"))]
    pub(crate) advice: fn(&RunSpec) -> Vec<String>,
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "only the page shows texts"))]
    pub(crate) explained: fn(&str) -> String,
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
