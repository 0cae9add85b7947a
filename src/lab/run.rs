//! `lab run`: a run's metrics as a table or as CSV; those of a sweep are in [`super::sweep`].

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};

use super::{Trouble, open, sweep};
use crate::analysis::curves::spread;
use crate::app::sweeping::Sweep;
use crate::markov::Measure;
use crate::protocol::{Ending, Row};
use crate::run::RunSpec;
use crate::training::checkpoint::Checkpoint;
use crate::training::session::{Options, Outcome, Session};

/// How metrics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading: medians, and the range over replicas where there are several.
    Table,
    /// For programs: one line per measurement and replica; of a sweep, one per run and replica.
    Csv,
}

/// What `lab run` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, or a preset's name.
    link: String,
    /// Last step, instead of the link's.
    #[arg(long)]
    steps: Option<u64>,
    /// Device, instead of the link's: auto, cpu or gpu.
    #[arg(long)]
    device: Option<String>,
    /// Held-out examples to measure on while the run goes on, as the page does on the CPU.
    #[arg(long, value_name = "EXAMPLES")]
    pub held_out: Option<usize>,
    /// How metrics are printed.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File for the metrics instead of standard output.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// File for the final weights, as safetensors; the run can be resumed from it.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Go on from this checkpoint, whose own link it follows, to the last step of the given link.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// No progress bar and no closing line.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The link's run with what the arguments change.
fn specification(arguments: &Arguments) -> Result<RunSpec, Trouble> {
    let mut spec = open::link(&arguments.link)?.spec;
    if let Some(steps) = arguments.steps {
        open::set(&mut spec, "steps", &steps.to_string())?;
    }
    if let Some(device) = &arguments.device {
        open::set(&mut spec, "device", device)?;
    }
    Ok(spec)
}

/// What one run can be asked for and a sweep, which is many, cannot.
fn only_of_one_run(arguments: &Arguments) -> Result<(), Trouble> {
    let given = [("--checkpoint", &arguments.checkpoint), ("--resume", &arguments.resume)];
    let sentence = |name: &str| format!("{name} is for one run, and this link is a sweep of several");
    let given = given.into_iter().filter(|(_, file)| file.is_some());
    let bad: Vec<String> = given.map(|(name, _)| sentence(name)).collect();
    if bad.is_empty() { Ok(()) } else { Err(Trouble::BadLink(bad)) }
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

/// Runs `lab run`.
///
/// # Errors
/// A bad link, no device, or a file that cannot be written.
#[expect(clippy::print_stderr, reason = "the closing line is for the person, not for the pipe")]
pub fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let spec = specification(arguments)?;
    let swept = Sweep::of(&spec);
    if swept.is_some() {
        only_of_one_run(arguments)?;
    }
    // Before an hour of training, not after it.
    let mut output: Box<dyn Write> = match &arguments.output {
        Some(path) => {
            Box::new(std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?)
        }
        None => Box::new(std::io::stdout().lock()),
    };
    if let Some(swept) = swept {
        return sweep::sweep(&spec, swept, arguments, &mut *output);
    }
    let device = open::device(&spec)?;
    let options = Options { held_out_limit: arguments.held_out };
    let mut session = match &arguments.resume {
        None => Session::start(&spec, &device, options)?,
        Some(path) => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let mut checkpoint = Checkpoint::decode(&bytes)?;
            checkpoint.spec.run.steps = spec.run.steps;
            Session::resume(&checkpoint, &device, options)?
        }
    };
    let bar = open::bar(spec.run.steps, arguments.quiet);
    bar.set_position(session.step());
    let begin = crate::platform::now_ms();
    let from = session.step();
    let outcome = pollster::block_on(session.finish(|step| bar.set_position(step)))?;
    bar.finish_and_clear();
    let seconds = (crate::platform::now_ms() - begin) / 1e3;
    let printed = match arguments.format {
        Format::Table => table(&outcome.rows),
        Format::Csv => csv(&outcome.rows)?,
    };
    write(&mut *output, &printed)?;
    if let Some(path) = &arguments.checkpoint {
        let bytes = pollster::block_on(session.checkpoint())?.encode()?;
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if !arguments.quiet {
        let report = device.report();
        let rate = (outcome.step - from) as f64 / seconds;
        eprintln!(
            "{} {} ({}, {seconds:.1} s, {rate:.0} steps/s)",
            closing(&outcome),
            report.name,
            session.learner()
        );
    }
    if outcome.ending == Some(Ending::Diverged) {
        return Err(Trouble::Other(anyhow::anyhow!(
            "the loss is no longer finite; try a lower learning rate"
        )));
    }
    Ok(())
}

/// How the run ended, in one sentence.
pub fn closing(outcome: &Outcome) -> String {
    let solved: Vec<u64> = outcome.solved.iter().flatten().copied().collect();
    let found = match (solved.len(), outcome.solved.len()) {
        (0, _) => "The target accuracy was not reached.".to_string(),
        (1, 1) => format!("Target accuracy reached at step {}.", solved[0]),
        (some, all) => {
            let steps: Vec<f32> = solved.iter().map(|s| *s as f32).collect();
            let (middle, low, high) = spread(&steps);
            format!(
                "Target accuracy reached by {some} of {all} replicas, at steps {low} to {high}, median {middle}."
            )
        }
    };
    match outcome.ending {
        Some(Ending::Diverged) => {
            format!("The loss stopped being finite; last good step {}. {found}", outcome.step)
        }
        _ => format!("{} steps. {found}", outcome.step),
    }
}

/// Metrics for reading.
fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    // How each law and each strategy fares is for programs: a line has to fit a screen.
    let is_short = |column: &Column| !column.0.starts_with("on-") && !column.0.ends_with("gram");
    let columns: Vec<Column> =
        columns(rows).into_iter().filter(is_short).filter(|c| c.0 != "uniform").collect();
    table.set_header(std::iter::once("step").chain(columns.iter().map(|column| column.0)));
    for row in rows {
        let cell = |values: &[f32]| {
            let (middle, low, high) = spread(values);
            if values.len() == 1 {
                format!("{middle:.6}")
            } else {
                format!("{middle:.4} ({low:.4} to {high:.4})")
            }
        };
        let numbers = columns.iter().map(|(_, _, of, which)| cell(of(row, *which)));
        table.add_row(std::iter::once(row.step.to_string()).chain(numbers));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}
