//! `lab run`: a run's metrics as a table or as CSV; those of a sweep are in [`super::sweep`].

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};

use super::print::{Format, Print, environment, write};
use super::{Trouble, open, sweep};
use crate::analysis::curves::spread;
use crate::display::sweep::Sweep;
use crate::permalink::Link;
use crate::protocol::{Ending, Row};
use crate::record::{Column, Environment, Record, columns, csv};
use crate::training::session::checkpoint::Checkpoint;
use crate::training::session::{Options, Outcome, Session};

/// What `lab run` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file of a run or of weights.
    link: String,
    /// Last step, instead of the link's.
    #[arg(long)]
    steps: Option<u64>,
    /// Device, instead of the link's: auto, cpu or gpu.
    #[arg(long)]
    device: Option<String>,
    /// Held-out examples to measure on while the run goes on, as the page does on the CPU.
    #[arg(long, value_name = "EXAMPLES")]
    held_out: Option<usize>,
    /// How metrics are printed.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
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
    quiet: bool,
}

/// The link with what the arguments change in its run.
fn link(arguments: &Arguments) -> Result<Link, Trouble> {
    let mut link = open::link(&arguments.link)?;
    let spec = &mut link.spec;
    if let Some(steps) = arguments.steps {
        open::set(spec, "steps", &steps.to_string())?;
    }
    if let Some(device) = &arguments.device {
        open::set(spec, "device", device)?;
    }
    Ok(link)
}

/// What one run can be asked for and a sweep, which is many, cannot.
fn only_of_one_run(arguments: &Arguments) -> Result<(), Trouble> {
    let given = [("--checkpoint", &arguments.checkpoint), ("--resume", &arguments.resume)];
    let sentence = |name: &str| format!("{name} is for one run, and this link is a sweep of several");
    let given = given.into_iter().filter(|(_, file)| file.is_some());
    let bad: Vec<String> = given.map(|(name, _)| sentence(name)).collect();
    if bad.is_empty() { Ok(()) } else { Err(Trouble::BadLink(bad)) }
}

/// Runs `lab run`.
///
/// # Errors
/// A bad link, no device, or a file that cannot be written.
#[expect(clippy::print_stderr, reason = "the closing line is for the person, not for the pipe")]
pub fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let link = link(arguments)?;
    let spec = link.spec.clone();
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
        let Arguments { held_out, format, quiet, .. } = *arguments;
        return sweep::sweep(&link, swept, Print { held_out, format, quiet }, &mut *output);
    }
    let (cost, seconds) = (spec.cost(), crate::run::cost::seconds(&spec));
    if !arguments.quiet && cost.is_dear(seconds) {
        eprintln!("this run needs {}", cost.needs(seconds));
    }
    let device = open::device(&spec)?;
    let options = Options { held_out_limit: arguments.held_out, ..Default::default() };
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
        Format::Csv => csv(outcome.rows.iter()),
        Format::Json => {
            let environment = environment(&device.report().name, session.learner());
            record(&link, environment, &outcome, arguments.held_out).to_json()
        }
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

/// The run's file.
fn record(link: &Link, environment: Environment, outcome: &Outcome, held_out: Option<usize>) -> Record {
    let whole = link.spec.held_out();
    Record {
        link: link.clone(),
        environment,
        step: outcome.step,
        ending: outcome.ending,
        held_out: held_out.unwrap_or(whole).min(whole),
        solved: outcome.solved.clone(),
        rows: outcome.rows.clone(),
        times: vec![],
    }
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
    let is_short = |column: &Column| !column.name.starts_with("on-") && !column.name.ends_with("gram");
    let columns: Vec<Column> =
        columns(rows.iter()).into_iter().filter(is_short).filter(|c| c.name != "uniform").collect();
    table.set_header(std::iter::once("step").chain(columns.iter().map(|column| column.name)));
    for row in rows {
        let cell = |values: &[f32]| {
            let (middle, low, high) = spread(values);
            if values.len() == 1 {
                format!("{middle:.6}")
            } else {
                format!("{middle:.4} ({low:.4} to {high:.4})")
            }
        };
        let numbers = columns.iter().map(|column| cell(column.of(row)));
        table.add_row(std::iter::once(row.step.to_string()).chain(numbers));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}
