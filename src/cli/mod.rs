//! The command line: the same runs as on the page, headless.
#![doc = include_str!("README.md")]

mod bench;
mod claims;
mod disk;
mod docs;
mod files;
mod golden;
mod headless;
mod journal;
mod list;
mod open;
mod output;
mod plot;
mod pool;
mod previews;
mod print;
mod record;
mod rows;
mod run;
pub mod science;
mod signals;
mod sweep;
mod sweeps;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use claims::{LARGE, LONG, is_affordable};
pub use docs::{Readme, readmes};
pub use golden::{Golden, golden_path};
pub use words::{all_texts, places, table};

use crate::protocol::Failure;

/// Small neural networks that learn, headless: the same runs and the same numbers as on the page.
#[derive(Debug, Parser)]
#[command(name = "lab", version, max_term_width = 100)]
struct Arguments {
    /// A CSV file for runs on tables (#v1/tabular): they are about it, wherever their link names no other.
    #[arg(long, global = true, value_name = "FILE")]
    table: Option<PathBuf>,
    /// The column of that file which is the label, by its name; else one that is called so, or the last.
    #[arg(long, global = true, requires = "table", value_name = "COLUMN")]
    label: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Train the run of a link or preset and print its metrics, or those of its sweep how long each took.
    Run(run::Arguments),
    /// Train the run of a link or preset and draw the charts that it shows, as the page does, as SVG or PNG.
    Plot(plot::Arguments),
    /// Make all runs of a sweep on every core, as CSV and as a figure; made again, it goes on where it was stopped.
    Sweep(sweeps::Arguments),
    /// Put the files of a sweep's parts together.
    Merge(sweeps::Merged),
    /// List labs, models, optimizers, presets and their settings.
    List,
    /// Say what a link means and what in it cannot be read.
    Link {
        /// The link, or a preset's name.
        link: String,
    },
    /// Say what a file of a run or of weights holds, and whether it is whole.
    Check {
        /// The file, as the page or `lab run` wrote it.
        file: String,
    },
    /// Print a PyTorch script that states the same experiment.
    Script(files::Arguments),
    /// Measure steps per second on this machine.
    Bench(bench::Arguments),
    /// Check the presets' claims, on twenty seeds each.
    Claims(claims::Arguments),
    /// Compare the presets with their recorded runs, or record them anew.
    Golden(golden::Arguments),
    /// Record the presets' runs as the curves of the page's gallery.
    Record(record::Arguments),
    /// Write the pages that say what a preset's link shows, with their pictures, from the recorded curves.
    Previews(previews::Arguments),
    /// Refresh the catalogue of the page's texts, which a translation begins from.
    Words {
        /// The file.
        #[arg(default_value = "www/languages/en.json")]
        file: PathBuf,
        /// Only say whether it is up to date.
        #[arg(long)]
        check: bool,
    },
    /// Refresh the generated tables of the READMEs.
    Docs {
        /// The folder of the repository.
        #[arg(default_value = ".")]
        root: PathBuf,
        /// Only say whether they are up to date.
        #[arg(long)]
        check: bool,
    },
}

/// Why a command failed, with the exit code that goes with it.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The link has parts that cannot be read, or asks for what there is not: exit code 2.
    #[error("{}", .0.join("\n"))]
    BadLink(Vec<String>),
    /// The run cannot go on: exit code 1.
    #[error(transparent)]
    Run(#[from] Failure),
    /// It was asked to stop, and says what is kept: the exit code that shells give for the signal.
    #[error("{0}")]
    Stopped(String, u8),
    /// A file or a picture could not be made: exit code 1.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Runs the command line.
#[expect(clippy::print_stderr, reason = "this is where errors reach the person")]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = signals::end_with_the_reader() {
        eprintln!("{error:#}");
        return ExitCode::FAILURE;
    }
    if let Some(file) = &arguments.table
        && let Err(error) = open::table(file, arguments.label.as_deref())
    {
        eprintln!("{error:#}");
        return ExitCode::FAILURE;
    }
    let done = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Sweep(arguments) => sweeps::sweep(&arguments),
        Command::Merge(arguments) => sweeps::merge(&arguments),
        Command::List => list::list(),
        Command::Link { link } => list::explain(&link),
        Command::Check { file } => files::check(&file),
        Command::Script(arguments) => files::script(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Claims(arguments) => claims::claims(&arguments),
        Command::Golden(arguments) => golden::golden(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Previews(arguments) => previews::run(&arguments),
        Command::Words { file, check } => words::words(&file, check),
        Command::Docs { root, check } => docs::docs(&root, check),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::BadLink(lines)) => {
            lines.iter().for_each(|line| eprintln!("{line}"));
            ExitCode::from(2)
        }
        Err(Trouble::Run(failure)) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
        Err(Trouble::Stopped(sentence, code)) => {
            eprintln!("{sentence}");
            ExitCode::from(code)
        }
        Err(Trouble::Other(error)) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
