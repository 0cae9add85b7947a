//! Errors of reading a file, each displayed as a sentence.

use super::VERSION;
use super::dataset::RefusedTable;
use super::head::ForeignFormat;

/// Error of reading a file: why it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The file is empty.
    #[error("{}", tr!("this file is empty"))]
    Empty,
    /// The file is larger than the limit of its kind; size and limit in MB.
    #[error("{}", tr!("this file has {size} MB, and at most {most} MB are read", size = _0, most = _1))]
    TooLarge(u64, u64),
    /// The file cannot be read to its end, since it was changed or moved.
    #[error("{}", tr!("this file cannot be read to its end; the file may have been changed or moved during reading"))]
    Unreadable,
    /// A text in the file is longer than the limit, which is given in MB.
    #[error("{}", tr!("a text in this file has more than {most} MB", most = _0))]
    LongText(usize),
    /// The file should be a table, but is not UTF-8 text.
    #[error("{}", tr!("this file is not UTF-8 text: open it in the program that wrote it, and save it with the encoding UTF-8 (in Excel with the file type “CSV UTF-8”, in LibreOffice with “Edit filter settings”)"))]
    NotText,
    /// The file has another format, which a table must be converted from.
    #[error("{}", _0.describe())]
    OtherFormat(ForeignFormat),
    /// The table cannot be used with this column as the label, for the reason that is given there; another column may
    /// be chosen.
    #[error("{}", _0.reason)]
    Label(Box<RefusedTable>),
    /// The table cannot be used for training, for this reason.
    #[error("{0}")]
    NoTable(String),
    /// The file is a table of metrics written by this program, not data.
    #[error("{}", tr!("this file is a table of metrics; open the run's JSON file instead"))]
    Table,
    /// The file is of an unknown kind.
    #[error("{}", tr!("this file contains neither a run (JSON) nor weights (safetensors)"))]
    Unknown,
    /// The file is not complete and valid JSON.
    #[error("{}", tr!("this file is not complete JSON: it ends too early or is damaged at line {line}, column {column}", line, column))]
    NotJson {
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error, from 1.
        column: usize,
        /// Whether the file is valid up to this position and ends there.
        ends_early: bool,
    },
    /// The file is JSON of another program.
    #[error("{}", tr!("this file begins like JSON, but is not a run of this program: the file does not contain \"format\": \"vivarium-run\""))]
    Foreign,
    /// The entry of the browser's storage holds no run, for this reason.
    #[error("{}", tr!("this entry of the browser's storage contains no run: {why}", why = _0))]
    Entry(String),
    /// The file was written by a newer version of this program, with this format version.
    #[error("{}", tr!("this run was written by a newer version of this program (file format {format}; this version reads formats up to {known})", format = _0, known = VERSION))]
    Newer(u64),
    /// The link of the file has invalid parts, so its measurements would be shown for a different run.
    #[error("{}", tr!("this version of the program cannot read the link of this file: {why}", why = _0))]
    Link(String),
    /// The settings in the file contradict its link.
    #[error("{}", tr!("the link and the settings of this file contradict each other: {key} is {linked} according to the link, and {listed} according to the settings", key, linked, listed))]
    Settings {
        /// Key of the first setting that differs.
        key: String,
        /// Value in the link, or the default.
        linked: String,
        /// Value among the settings of the file.
        listed: String,
    },
    /// A part of the file is missing or invalid.
    #[error("{}", tr!("{place} should be {expected}", place, expected))]
    Field {
        /// Name of the part: "step", "test_loss of measurement 3".
        place: String,
        /// Description of a valid value.
        expected: String,
    },
    /// The steps of the measurements do not increase.
    #[error("{}", tr!("the step numbers of this run do not increase: measurement {at} was made at step {step}, and the previous measurement at step {before}", at, step, before))]
    Order {
        /// Number of the measurement, from 1.
        at: usize,
        /// Step of this measurement.
        step: u64,
        /// Step of the previous measurement.
        before: u64,
    },
    /// The run has more measurements than this limit.
    #[error("{}", tr!("this run has more than {most} measurements, which is the largest number that can be read", most = _0))]
    TooMany(usize),
    /// The file contains weights of another program.
    #[error("{}", tr!("this file contains weights of another program: the header of the file names no run"))]
    ForeignWeights,
    /// The file of weights is too short or too long.
    #[error("{}", tr!("this file of weights is damaged or cut off: it has {found} bytes, but according to its header it should have {expected} bytes", found, expected))]
    Length {
        /// Size of the file in bytes.
        found: u64,
        /// Size according to the header, in bytes.
        expected: u64,
    },
    /// A tensor is missing or does not match the run.
    #[error("{}", tr!("the weights {name} should be {expected}", name, expected))]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// Description of a valid tensor.
        expected: String,
    },
}

impl FileError {
    /// The error [`FileError::Field`]: the part `place` of the file is not `expected`, a description of valid values.
    pub(super) fn invalid_field(place: impl Into<String>, expected: impl Into<String>) -> Self {
        FileError::Field { place: place.into(), expected: expected.into() }
    }
}
