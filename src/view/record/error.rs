//! What can be wrong with a file, a sentence each.

use super::VERSION;

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// There is nothing in it.
    #[error("{}", tr!("this file is empty"))]
    Empty,
    /// It is larger than what is read of its kind.
    #[error("{}", tr!("this file has {size} MB, and at most {most} MB are read", size = _0, most = _1))]
    TooLarge(u64, u64),
    /// It cannot be read to its end: it has changed, or the disk is gone.
    #[error("{}", tr!("this file cannot be read to its end; the file may have been changed or moved during reading"))]
    Unreadable,
    /// A text in it is longer than any of a run's.
    #[error("{}", tr!("a text in this file has more than {most} MB", most = _0))]
    LongText(usize),
    /// A table that is no text.
    #[error("{}", tr!("this file is not UTF-8 text"))]
    NotText,
    /// A table that cannot be learned from, and why.
    #[error("{0}")]
    NoTable(String),
    /// It is a table of metrics.
    #[error("{}", tr!("this file is a table of metrics; open the run's JSON file instead"))]
    Table,
    /// It is something else altogether.
    #[error("{}", tr!("this file contains neither a run (JSON) nor weights (safetensors)"))]
    Unknown,
    /// The file is not complete and valid JSON.
    #[error("{}", tr!("this file is not complete JSON: it ends too early or is damaged at line {line}, column {column}", line, column))]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// Whether the file is valid up to this place and ends there.
        ends_early: bool,
    },
    /// JSON of another program.
    #[error("{}", tr!("this file begins like JSON, but is not a run of this program: the file does not contain \"format\": \"vivarium-run\""))]
    Foreign,
    /// An entry of a browser's storage that holds something else.
    #[error("{}", tr!("this entry of the browser's storage contains no run: {why}", why = _0))]
    Entry(String),
    /// A newer version of this program wrote the file.
    #[error("{}", tr!("this run was written by a newer version of this program (file format {format}; this version reads formats up to {known})", format = _0, known = VERSION))]
    Newer(u64),
    /// Its link has parts that mean nothing here, so its numbers would be shown of another run.
    #[error("{}", tr!("this version of the program cannot read the link of this file: {why}", why = _0))]
    Link(String),
    /// Its settings are not those of its link, so one of the two was changed.
    #[error("{}", tr!("the link and the settings of this file contradict each other: {key} is {linked} according to the link, and {listed} according to the settings", key, linked, listed))]
    Settings {
        /// The key of the first setting that differs.
        key: String,
        /// Its value in the link, or the default.
        linked: String,
        /// Its value among the settings.
        listed: String,
    },
    /// A part is missing or is not what it should be.
    #[error("{}", tr!("{place} should be {expected}", place, expected))]
    Field {
        /// Which part: "step", "test_loss of measurement 3".
        place: String,
        /// What it should be.
        expected: String,
    },
    /// Steps do not rise.
    #[error("{}", tr!("the step numbers of this run do not increase: measurement {at} was made at step {step}, and the previous measurement at step {before}", at, step, before))]
    Order {
        /// Which measurement, from 1.
        at: usize,
        /// Its step.
        step: u64,
        /// The step before.
        before: u64,
    },
    /// More measurements than a run has.
    #[error("{}", tr!("this run has more than {most} measurements, which is the largest number that can be read", most = _0))]
    TooMany(usize),
    /// Weights of another program.
    #[error("{}", tr!("this file contains weights of another program: the header of the file names no run"))]
    ForeignWeights,
    /// The file of weights ends early or has too much.
    #[error("{}", tr!("this file of weights is damaged or cut off: it has {found} bytes, but according to its header it should have {expected} bytes", found, expected))]
    Length {
        /// Bytes that there are.
        found: u64,
        /// Bytes that the header speaks of.
        expected: u64,
    },
    /// A tensor is missing or is not of this run.
    #[error("{}", tr!("the weights {name} should be {expected}", name, expected))]
    Tensor {
        /// Its name.
        name: String,
        /// What it should be.
        expected: String,
    },
}

impl FileError {
    /// A part that should be something else.
    pub(super) fn field(place: impl Into<String>, expected: impl Into<String>) -> Self {
        FileError::Field { place: place.into(), expected: expected.into() }
    }
}
