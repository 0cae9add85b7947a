//! Output formats that several commands share, and functions that write them.

use std::io::Write;

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;

use vivarium_core::settings::Value;
use vivarium_view::record::TrainingEnvironment;

/// Format of printed metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricsFormat {
    /// A table to read. With several replicas it has medians and ranges over the replicas.
    Table,
    /// CSV for programs: one line per measurement and replica; for a sweep, one line per run and replica.
    Csv,
    /// The run with its link, environment and measurements. The page and the command line can open this file.
    Json,
}

/// Version of the names of measures in CSV and JSON files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum NameVersion {
    /// The names that say what each measure is, behind a description of the run.
    #[default]
    New,
    /// The format of the previous version: the same four names for all tasks. The next version will not have it.
    Old,
}

/// Format in which a command prints a description, such as a catalogue or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DescriptionFormat {
    /// Text to read.
    Text,
    /// JSON for programs.
    Json,
}

/// The value of a setting as JSON: a number if it is a single number, otherwise its text in a link.
pub fn value_to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Int(number) => (*number).into(),
        Value::Real(number) => (*number).into(),
        other => other.to_string().into(),
    }
}

/// Prints `described` as JSON on standard output.
///
/// # Errors
/// When it cannot be written.
pub fn write_json(described: &impl Serialize) -> Result<(), anyhow::Error> {
    let text = serde_json::to_string_pretty(described).context("cannot write the description")?;
    write_text(&mut std::io::stdout().lock(), &(text + "\n"))
}

/// Output options of `lab run` for a sweep.
#[derive(Debug, Clone, Copy)]
pub struct SweepOutputOptions {
    /// Largest number of held-out examples on which a network is measured at a step; None for all.
    pub held_out: Option<usize>,
    /// Format in which the results of the runs are printed: table, CSV or JSON.
    pub format: MetricsFormat,
    /// Whether the results have the new or the old names of measures.
    pub names: NameVersion,
    /// Whether the progress bar and the closing line are left out.
    pub quiet: bool,
}

/// Writes the whole text and flushes the output; a pipe whose reader has gone, as in `lab run … | head`, is
/// not an error.
///
/// # Errors
/// When the disk is full or the file is gone.
pub fn write_text(output: &mut dyn Write, text: &str) -> Result<(), anyhow::Error> {
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the metrics"),
    }
}

/// Program, device, learner and operating system of a run, for the file of the run.
pub fn describe_environment(device: &str, learner: &str) -> TrainingEnvironment {
    TrainingEnvironment {
        program: TrainingEnvironment::program(),
        frontend: "lab".into(),
        device: device.into(),
        learner: learner.into(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ..Default::default()
    }
}
