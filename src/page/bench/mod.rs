//! The benchmark: how fast this browser trains a few networks on its devices, in place of the run.
//!
//! # Why
//! A developer does not have all GPUs. A user who has one runs the benchmark for up to two minutes, and has a table to
//! send or to compare with another one. The networks and the format of the table are in
//! [`vivarium_view::record::bench`]; `lab bench --device` makes the same table without a browser. The networks are
//! timed in workers of the benchmark, one after the other, while the run of the page is paused.

mod markup;
pub mod update;

#[cfg(test)]
pub(crate) mod tests;

use vivarium_player::trainer::{Program, TrainerMessage};
use vivarium_view::record::bench::BenchTable;

/// Fragment of the address that opens the benchmark.
pub const FRAGMENT: &str = "#bench";

/// State of the benchmark: results so far, progress, and a table to compare with.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    /// Whether the benchmark is shown in place of the run.
    pub is_open: bool,
    /// Number of changes of the benchmark's display so far; its HTML is rebuilt when the number changes.
    pub version: u64,
    /// Devices and training speeds that the benchmark has measured so far.
    pub table: BenchTable,
    /// Why worker programs could not be timed, one sentence each.
    notes: Vec<String>,
    /// The measurement in progress; None while the benchmark is stopped or complete.
    progress: Option<BenchProgress>,
    /// Whether the benchmark has interrupted the timing of the run, which has to be repeated.
    has_interrupted: bool,
    /// Whether all networks were timed.
    is_complete: bool,
    /// Pasted benchmark table of another browser, shown for comparison; None without one.
    other_table: Option<BenchTable>,
    /// Why a pasted text is not a benchmark table; empty if it is one.
    table_error: String,
}

/// The benchmark's measurement in progress: which worker program times which network.
#[derive(Debug, Clone, PartialEq)]
struct BenchProgress {
    /// The worker program (device and learner) whose speed the benchmark measures now.
    program: Program,
    /// Device as the benchmark's worker reports it; None before its first message.
    device: Option<vivarium_model::protocol::DeviceInfo>,
    /// Index, from 0, in the list of benchmark networks; None while the peak speed of the device is measured.
    network_index: Option<usize>,
    /// Seconds since the last message of the benchmark's worker.
    silent_seconds: u32,
}

/// An action of the user in the benchmark, or a message of its worker.
#[derive(Debug, Clone, PartialEq)]
pub enum BenchAction {
    /// Start all measurements again.
    Start,
    /// Stop; the results so far stay.
    Stop,
    /// The worker that runs this program sent a message or ended.
    Worker(Program, TrainerMessage),
    /// Compare with this table, or show why a pasted text is not one; None removes the other table.
    Compare(Option<Result<BenchTable, String>>),
    /// Close the benchmark and show the run.
    Close,
}

impl Bench {
    /// Whether one of the benchmark's measurements is in progress.
    pub fn is_running(&self) -> bool {
        self.progress.is_some()
    }
}
