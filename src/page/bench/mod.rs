//! The bench: how fast this browser trains a few networks on its devices, in place of the run.
//!
//! # Why
//! Nobody has all GPUs. Whoever has one presses a button, waits for up to two minutes, and has a table to send on, or to hold
//! against that of somebody else. What is timed and how the table is written is in [`vivarium_view::record::bench`]; `lab bench
//! --device` makes the same table without a browser. The networks are timed in workers of the bench's own, one after the
//! other, while the run of the page waits.

mod markup;
pub mod update;

#[cfg(test)]
pub(crate) mod tests;

use crate::trainer::{Program, TrainerMessage};
use vivarium_view::record::bench::BenchTable;

/// The fragment that opens it.
pub const FRAGMENT: &str = "#bench";

/// What is shown of the bench, and how far it is.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    /// Whether it stands in place of the run.
    pub is_open: bool,
    /// Counts changes of what is shown.
    pub version: u64,
    /// What has been found.
    pub table: BenchTable,
    /// Why some of it could not be, a sentence for each program.
    notes: Vec<String>,
    /// What is timed now.
    progress: Option<BenchProgress>,
    /// Whether it has given up the timing of the run, which is to be timed anew.
    has_interrupted: bool,
    /// Whether it was timed to the end.
    is_complete: bool,
    /// The table of somebody else.
    theirs: Option<BenchTable>,
    /// What is wrong with the text that was to be one.
    flaw: String,
}

/// What is timed.
#[derive(Debug, Clone, PartialEq)]
struct BenchProgress {
    program: Program,
    /// What its worker says that its device is, once it has said so.
    device: Option<vivarium_model::protocol::DeviceReport>,
    /// The network, or none where it is the device's most.
    network: Option<usize>,
    /// Seconds since the worker said something.
    silence: u32,
}

/// What can happen to it.
#[derive(Debug, Clone, PartialEq)]
pub enum BenchAction {
    /// Time everything anew.
    Start,
    /// Leave it at what has been found.
    Stop,
    /// The bench's worker with this program gave a sign.
    Heard(Program, TrainerMessage),
    /// Hold what has been found against this table, or say why a text is none; or show what has been found alone.
    Compare(Option<Result<BenchTable, String>>),
    /// Go back to the run.
    Close,
}

impl Bench {
    /// Whether something is timed.
    pub fn is_running(&self) -> bool {
        self.progress.is_some()
    }
}
