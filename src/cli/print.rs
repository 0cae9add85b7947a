//! How `lab run` prints, be it of one run or of a sweep.

use std::io::Write;

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;

use vivarium_core::settings::Value;
use vivarium_view::record::Environment;

/// How metrics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table to read. With several replicas it has medians and ranges over the replicas.
    Table,
    /// CSV for programs: one line per measurement and replica; for a sweep, one line per run and replica.
    Csv,
    /// The run with its link, environment and measurements. The page and the command line can open this file.
    Json,
}

/// Which names measures have in CSV and JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Names {
    /// The names that say what each measure is, behind a description of the run.
    #[default]
    New,
    /// The format of the previous version: the same four names for all tasks. The next version will not have it.
    Old,
}

/// How a description is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Described {
    /// Text to read.
    Text,
    /// JSON for programs.
    Json,
}

/// The value of a setting as JSON: a number if it is one number, and otherwise the text of a link.
pub fn typed(value: &Value) -> serde_json::Value {
    match value {
        Value::Int(number) => (*number).into(),
        Value::Real(number) => (*number).into(),
        other => other.to_string().into(),
    }
}

/// Prints a description as JSON.
///
/// # Errors
/// When it cannot be written.
pub fn write_json(described: &impl Serialize) -> Result<(), anyhow::Error> {
    let text = serde_json::to_string_pretty(described).context("cannot write the description")?;
    write(&mut std::io::stdout().lock(), &(text + "\n"))
}

/// What a sweep needs of the arguments of `lab run`.
#[derive(Debug, Clone, Copy)]
pub struct Print {
    /// Held-out examples to measure on while a run goes on.
    pub held_out: Option<usize>,
    /// How metrics are printed.
    pub format: Format,
    /// Which names measures have.
    pub names: Names,
    /// Whether there is no progress bar and no closing line.
    pub quiet: bool,
}

/// Prints; that nobody reads on, as in `lab run … | head`, is no failure.
///
/// # Errors
/// When the file is full or gone.
pub fn write(output: &mut dyn Write, printed: &str) -> Result<(), anyhow::Error> {
    match output.write_all(printed.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the metrics"),
    }
}

/// Where a run was trained, for its file.
pub fn environment(device: &str, learner: &str) -> Environment {
    Environment {
        program: Environment::program(),
        front: "lab".into(),
        device: device.into(),
        learner: learner.into(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ..Default::default()
    }
}
