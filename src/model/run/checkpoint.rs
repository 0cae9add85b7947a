//! Metadata of a checkpoint: the entries in the header of its safetensors file that name the run, and the names of its
//! tensors.
//!
//! # Why
//! Two readers need them: the trainer, which loads the tensors, and the page, which checks a file without a tensor
//! library.

/// Value of the entry "format" in the files of this program.
pub const FORMAT: &str = "vivarium-checkpoint-1";

/// Keys of the entries for the name of the file with the initial weights, and for its description.
pub const INITIAL_WEIGHTS_KEYS: [&str; 2] = ["weights", "weights_of"];

/// Part of the name of a tensor of the optimizer's state, between the name of the parameter and the number of the tensor.
pub const MOMENT_INFIX: &str = ".moment";

/// Entries in the header of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointMetadata<'a> {
    /// Link of the run; empty if the header has none.
    pub link: &'a str,
    /// Training steps completed when the checkpoint was written.
    pub step: u64,
    /// For each replica, the step at which it reached the target, `None` if it did not.
    pub solved: Vec<Option<u64>>,
    /// Name of the file with the initial weights, and its description; both empty if the link determines the weights.
    pub initial_weights_file: [&'a str; 2],
}

/// Why the entries in a header are not those of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointMetadataError {
    /// The entry "format" is missing or is that of another program.
    #[error("it was written by another program")]
    Format,
    /// The entry "step" is missing or is no whole number.
    #[error("its step is not a number")]
    Step,
}

impl<'a> CheckpointMetadata<'a> {
    /// Reads the entries of a header; `entry` returns the entry with a key.
    ///
    /// # Errors
    /// If the format or the step is not that of a checkpoint.
    pub fn read(entry: impl Fn(&str) -> Option<&'a str>) -> Result<Self, CheckpointMetadataError> {
        if entry("format") != Some(FORMAT) {
            return Err(CheckpointMetadataError::Format);
        }
        let step = entry("step").and_then(|text| text.parse().ok()).ok_or(CheckpointMetadataError::Step)?;
        let solved = entry("solved").unwrap_or_default().split_whitespace();
        Ok(CheckpointMetadata {
            link: entry("link").unwrap_or_default(),
            step,
            solved: solved.map(|text| text.parse().ok()).collect(),
            initial_weights_file: INITIAL_WEIGHTS_KEYS.map(|key| entry(key).unwrap_or_default()),
        })
    }
}

/// Returns the name of the tensor with number `index`, from 0, of the optimizer's state of a parameter.
pub fn moment_name(parameter: &str, index: usize) -> String {
    format!("{parameter}{MOMENT_INFIX}{index}")
}
