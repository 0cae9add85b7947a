//! The command line: the same runs as on the page, headless.
#![doc = include_str!("README.md")]

#[macro_use]
extern crate vivarium_core;

mod bench;
mod claims;
pub mod disk;
mod docs;
mod files;
mod golden;
pub mod headless;
pub mod journal;
mod json;
mod list;
mod look;
mod markdown;
mod measured;
pub mod open;
mod output;
pub mod plot;
pub mod pool;
mod previews;
pub mod print;
mod probe;
mod record;
mod rows;
mod run;
pub mod science;
mod signals;
pub mod sweep;
pub mod sweeps;
mod tensors;
mod tiles;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use claims::{LARGE_PRESETS, LONG_PRESETS, is_checked_by_default};
pub use docs::{Readme, build_readmes};
pub use golden::{GoldenRun, golden_path};
pub use words::{collect_texts, find_placeholders, format_catalogue};

use vivarium_model::protocol::RunError;
use vivarium_view::record::dataset::TableChoices;

/// Train small neural networks without a browser: the same runs and the same numbers as on the page.
#[derive(Debug, Parser)]
#[command(name = "lab", version, max_term_width = 100)]
struct Arguments {
    /// A CSV file for runs on tables (#v1/tabular), or - for the standard input. Links that name no other table, and presets on tables, use this file.
    #[arg(long, global = true, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Name of the label's column in the CSV file. Without this option: a column with a usual name for labels, or the last column.
    #[arg(long, global = true, requires = "table", value_name = "COLUMN")]
    label: Option<String>,
    /// Whether the first line of the CSV file holds the names of the columns. Without this option, it is recognised.
    #[arg(long, global = true, requires = "table", value_enum, value_name = "YES|NO")]
    header: Option<HeaderChoice>,
    /// Keep columns that count the rows of the CSV file, such as one called "id"; otherwise they are left out.
    #[arg(long, global = true, requires = "table")]
    row_numbers: bool,
    #[command(subcommand)]
    command: Command,
}

/// Whether the first line of a CSV file holds the names of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum HeaderChoice {
    /// The first line holds the names.
    Yes,
    /// The first line is data.
    No,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Train the run of a link or preset and print its metrics. For a sweep: print the steps that each run needed.
    Run(run::Arguments),
    /// Draw the charts of a run or a sweep as SVG, PNG or PDF: trained from a link or preset, or read from a CSV or JSON file.
    Plot(plot::Arguments),
    /// Write what the charts of a run show as data, at any steps, and what is inside its network: CSV, JSON or npz.
    Probe(probe::Arguments),
    /// Train all runs of a sweep on all cores and write a CSV file. The same command continues a stopped sweep.
    Sweep(sweeps::Arguments),
    /// Merge the CSV files of the parts of a sweep.
    Merge(sweeps::MergeArguments),
    /// List labs, models, optimizers, presets and their settings.
    List {
        /// How it is printed. JSON has all texts, defaults and ranges.
        #[arg(long, value_enum, default_value = "text")]
        format: print::DescriptionFormat,
    },
    /// Explain a link setting by setting, and list the parts of it that cannot be read.
    Link {
        /// The link, or a preset's name.
        link: String,
        /// How it is printed. JSON is printed even if parts of the link cannot be read, and lists these parts.
        #[arg(long, value_enum, default_value = "text")]
        format: print::DescriptionFormat,
    },
    /// Describe a file of a run or of weights, and check that it is not damaged.
    Check {
        /// The file, as the page or `lab run` wrote it.
        file: String,
    },
    /// Print a PyTorch script of the same experiment.
    Script(files::Arguments),
    /// Measure steps per second on this machine.
    Bench(bench::Arguments),
    /// Check the claims of presets on twenty seeds for each preset.
    Claims(claims::Arguments),
    /// Compare the presets with their recorded runs, or replace these records.
    Golden(golden::Arguments),
    /// Record the presets' runs as the curves of the page's gallery.
    Record(record::Arguments),
    /// Write a preview page with a picture for each preset, from the recorded curves.
    Previews(previews::Arguments),
    /// Record the runs of the moving tiles at the top of the page's gallery.
    Tiles(tiles::Arguments),
    /// Refresh the catalogue of the page's texts. Translations are made from this catalogue.
    Words {
        /// The file.
        #[arg(default_value = "www/languages/en.json")]
        file: PathBuf,
        /// Only report whether the file is up to date.
        #[arg(long)]
        check: bool,
    },
    /// Refresh the generated tables of the READMEs.
    Docs {
        /// The folder of the repository.
        #[arg(default_value = ".")]
        root: PathBuf,
        /// Only report whether the tables are up to date.
        #[arg(long)]
        check: bool,
    },
}

impl Command {
    /// Whether the command reads a link or a file of a run, which may be a run on a table.
    fn may_use_table(&self) -> bool {
        matches!(
            self,
            Command::Run(_)
                | Command::Plot(_)
                | Command::Probe(_)
                | Command::Sweep(_)
                | Command::Merge(_)
                | Command::Link { .. }
                | Command::Check { .. }
                | Command::Script(_)
        )
    }
}

/// Error of a command; it determines the exit code.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The link cannot be read, or an argument is invalid; one sentence per error. Exit code 2.
    #[error("{}", .0.join("\n"))]
    BadLink(Vec<String>),
    /// The run failed. Exit code 1.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A signal stopped the command: a sentence on what is kept, and the exit code by the convention of shells.
    #[error("{0}")]
    Stopped(String, u8),
    /// Any other error, such as a file that cannot be written. Exit code 1.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl CommandError {
    /// A [`CommandError::BadLink`] with one sentence.
    pub fn bad_link(sentence: impl Into<String>) -> CommandError {
        CommandError::BadLink(vec![sentence.into()])
    }
}

/// Parses the arguments, runs the command, prints its error, and returns the exit code.
#[expect(clippy::print_stderr, reason = "this is where errors reach the person")]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    output::exit_on_print_error();
    if let Err(error) = signals::exit_on_broken_pipe() {
        eprintln!("{error:#}");
        return ExitCode::FAILURE;
    }
    if let Some(file) = &arguments.table {
        if !arguments.command.may_use_table() {
            eprintln!("--table has no effect with this command, which reads no link; nothing was done.");
            return ExitCode::from(2);
        }
        let choices = TableChoices {
            has_header: arguments.header.map(|header| header == HeaderChoice::Yes),
            keeps_counters: arguments.row_numbers,
            ..TableChoices::default()
        };
        if let Err(error) = open::open_table(file, arguments.label.as_deref(), choices) {
            eprintln!("{error:#}");
            return ExitCode::FAILURE;
        }
    }
    let done = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Probe(arguments) => probe::probe(&arguments),
        Command::Sweep(arguments) => sweeps::sweep(&arguments),
        Command::Merge(arguments) => sweeps::merge(&arguments),
        Command::List { format } => list::list(format),
        Command::Link { link, format } => list::explain_link(&link, format),
        Command::Check { file } => files::check(&file),
        Command::Script(arguments) => files::script(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Claims(arguments) => claims::claims(&arguments),
        Command::Golden(arguments) => golden::golden(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Previews(arguments) => previews::run(&arguments),
        Command::Tiles(arguments) => tiles::run(&arguments),
        Command::Words { file, check } => words::words(&file, check),
        Command::Docs { root, check } => docs::docs(&root, check),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::BadLink(lines)) => {
            lines.iter().for_each(|line| eprintln!("{line}"));
            ExitCode::from(2)
        }
        Err(CommandError::Run(failure)) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
        Err(CommandError::Stopped(sentence, code)) => {
            eprintln!("{sentence}");
            ExitCode::from(code)
        }
        Err(CommandError::Other(error)) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
