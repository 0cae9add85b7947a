//! `lab plot`: the charts that a link shows, as one figure, or what a file of a run or a sweep holds.
//!
//! # Why
//! The figure is what the page shows, by construction: see [`super::headless`].

use std::path::PathBuf;
use vivarium_view::display::charts::ChartOfRun;

use anyhow::Context;
use clap::Args;

use super::headless::Headless;
use super::journal::{Found, is_journal};
use super::look::{Kind, Look};
use super::measured::{Measured, read};
use super::{Trouble, open, sweep, sweeps};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Axis, Link, encode};
use vivarium_page::state::State;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::Phase;
use vivarium_view::record::preamble::file_name;
use vivarium_view::record::{File, FileError};

/// What `lab plot` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file. `show` in the link chooses the charts. With the CSV or JSON file of a run or a sweep, nothing is trained.
    link: String,
    /// File for the picture, ending in .svg, .png or .pdf.
    #[arg(long, short, default_value = "run.svg")]
    output: PathBuf,
    /// The link of the run in a CSV file that does not name its run; its `show` chooses the charts of a CSV file.
    #[arg(long = "link", value_name = "LINK")]
    of: Option<String>,
    /// Last training step, instead of the last step in the link.
    #[arg(long)]
    steps: Option<u64>,
    /// Logarithmic axis of steps, as with x=log in the link. It separates memorisation from later generalisation.
    #[arg(long)]
    log_x: bool,
    /// Logarithmic axis of the loss, and the error rate instead of the accuracy, as with y=log in the link.
    #[arg(long)]
    log_y: bool,
    #[command(flatten)]
    look: Look,
    /// No progress bar, and no fitted power law.
    #[arg(long, short)]
    quiet: bool,
}

/// What is drawn.
enum Source {
    /// A run that is trained for it.
    Link,
    /// A run's or a sweep's JSON.
    Json,
    /// What `lab sweep` wrote.
    Journal(Box<Found>),
    /// A table of metrics.
    Table(Measured),
}

/// What the argument is: a file that has all numbers, or something that has to be trained.
fn source(arguments: &Arguments) -> Result<Source, Trouble> {
    let path = &arguments.link;
    let no_table = |source| match &arguments.of {
        Some(_) => Err(Trouble::bad(format!("--link belongs to a CSV file, and {path} is none"))),
        None => Ok(source),
    };
    if !std::path::Path::new(path).is_file() {
        return no_table(Source::Link);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
    if is_journal(&bytes) {
        return no_table(Source::Journal(Box::new(Found::read(path.as_ref())?)));
    }
    match File::read(&bytes) {
        // The measurements of a file are there already; its weights are not.
        Ok(File::Run(_)) if arguments.steps.is_none() => no_table(Source::Json),
        Ok(_) => no_table(Source::Link),
        Err(flaw @ (FileError::Table | FileError::Unknown)) => {
            let Ok(text) = std::str::from_utf8(&bytes) else {
                return Err(Trouble::bad(format!("{path} cannot be opened: {flaw}")));
            };
            if arguments.steps.is_some() {
                return Err(Trouble::bad(format!("--steps needs a link to train, and {path} is a table")));
            }
            let given = arguments.of.as_deref().map(open::link).transpose()?;
            Ok(Source::Table(read(path, text, given.as_ref())?))
        }
        Err(flaw) => Err(anyhow::anyhow!("{path} cannot be opened: {flaw}").into()),
    }
}

/// The link with what the arguments change.
fn changed(mut link: Link, arguments: &Arguments) -> Result<Link, Trouble> {
    if let Some(steps) = arguments.steps {
        open::set(&mut link.spec, "steps", &steps.to_string())?;
    }
    if arguments.log_x {
        link.view.x_axis = Axis::Log;
    }
    if arguments.log_y {
        link.view.y_axis = Axis::Log;
    }
    Ok(link)
}

/// Runs `lab plot`.
///
/// # Errors
/// A bad link, charts that do not apply, no device, or a picture that cannot be written.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "what is missing in the picture and its power laws are for the person"
)]
pub fn plot(arguments: &Arguments) -> Result<(), Trouble> {
    Kind::of(&arguments.output)?;
    arguments.look.check()?;
    let path = &arguments.link;
    let page = match source(arguments)? {
        Source::Journal(found) => {
            sweeps::draw(&arguments.output, &found, &arguments.look)?;
            if !arguments.quiet {
                print!("{}", sweeps::laws(&found)?);
            }
            return Ok(());
        }
        Source::Link => {
            open::other_start(path)?.iter().for_each(|sentence| eprintln!("{sentence}"));
            let mut page = Headless::open(&changed(open::link(path)?, arguments)?);
            let (shown, left_out) = charts(page.state());
            // Other runs of a sweep may have what the first has not.
            if shown.is_empty() && page.state().run.sweep.is_none() {
                return Err(Trouble::BadLink(left_out));
            }
            train(&mut page, arguments.quiet)?;
            page
        }
        Source::Json => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
            Headless::of_record(&changed(open::link(path)?, arguments)?, path, bytes)?
        }
        Source::Table(Measured::Run(record)) => {
            let link = changed(record.link.clone(), arguments)?;
            Headless::of_record(&link, path, record.to_json().into_bytes())?
        }
        Source::Table(Measured::Sweep(swept)) => {
            let (link, sweep) = *swept;
            Headless::of_sweep(&changed(link, arguments)?, sweep)
        }
    };
    let state = page.state();
    if matches!(state.run.phase, Phase::Diverged { .. }) {
        eprintln!("{}", state.message);
    }
    let (shown, left_out) = charts(state);
    if shown.is_empty() {
        return Err(Trouble::BadLink(left_out));
    }
    left_out.iter().for_each(|sentence| eprintln!("{sentence}"));
    let readings: Vec<Reading> = shown.iter().map(|chart| chart.reading(&state.run)).collect();
    if let Some(swept) = state.run.sweep.as_ref().filter(|_| !arguments.quiet) {
        print!("{}", sweep::laws(&state.run.link.spec, swept));
    }
    let link = encode(&Link::of(state.run.link.spec.clone()));
    // The link alone would say that it draws the initial weights.
    let title = match file_name(&state.run.initial[0]) {
        "" => link,
        file => format!("{link}, initial weights from {file}"),
    };
    let columns = columns(readings.len());
    arguments.look.draw(&arguments.output, readings, &title, columns, (480, 320))
}

/// Trains behind a bar of steps, or of a sweep's runs.
///
/// # Errors
/// As [`Headless::finish`].
pub(super) fn train(page: &mut Headless, quiet: bool) -> Result<(), Trouble> {
    let bar = match &page.state().run.sweep {
        Some(sweep) => open::bar_of_runs(sweep.cells.len() as u64, quiet),
        None => open::bar(page.state().run.spec().run.steps, quiet),
    };
    let finished = page.finish(|state| match &state.run.sweep {
        Some(sweep) => bar.set_position(sweep.done.len() as u64),
        None => bar.set_position(state.run.step),
    });
    bar.finish_and_clear();
    finished
}

/// The charts on show that there are of this run, and a sentence for each that there is not.
pub fn charts(state: &State) -> (Vec<Chart>, Vec<String>) {
    let (mut shown, mut left_out) = (vec![], vec![]);
    for chart in &state.run.link.view.show {
        match chart.applies(&state.run) {
            Ok(()) => shown.push(*chart),
            Err(why) => left_out.push(format!("{} is left out. {why}", chart.info().name)),
        }
    }
    (shown, left_out)
}

/// Charts per row: two where that makes at most two rows without a gap, otherwise three.
pub fn columns(charts: usize) -> usize {
    if charts <= 4 && charts.is_multiple_of(2) { 2 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_full_where_two_or_three_charts_fill_them() {
        assert_eq!([2, 3, 4, 5, 6, 7, 9].map(columns), [2, 3, 2, 3, 3, 3, 3]);
    }
}
