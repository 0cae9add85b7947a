//! `lab plot`: draws the charts of a link, or the contents of a file of a run or a sweep, as one figure.
//!
//! # Why
//! The figure shows exactly what the page shows: see [`super::headless`].

use std::path::PathBuf;
use vivarium_view::display::charts::ChartOfRun;

use anyhow::Context;
use clap::Args;

use super::headless::HeadlessRun;
use super::journal::{SweepIndex, is_journal};
use super::look::{FigureFormat, FigureStyle};
use super::measured::{MeasuredTable, read_table};
use super::{CommandError, open, sweep, sweeps};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{AxisScale, Link, encode};
use vivarium_player::Player;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::RunPhase;
use vivarium_view::record::preamble::file_name;
use vivarium_view::record::{FileError, RunFile};

/// Command-line arguments of `lab plot`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file. `show` in the link chooses the charts. With the CSV or JSON file of a run or a sweep, nothing is trained.
    link: String,
    /// File for the picture, ending in .svg, .png or .pdf.
    #[arg(long, short, default_value = "run.svg")]
    output: PathBuf,
    /// The link of the run in a CSV file that does not name its run; its `show` chooses the charts of a CSV file.
    #[arg(long = "link", value_name = "LINK")]
    csv_link: Option<String>,
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
    look: FigureStyle,
    /// No progress bar, and no fitted power law.
    #[arg(long, short)]
    quiet: bool,
}

/// Where the data of a figure come from: a run that is trained, or a file.
enum PlotSource {
    /// A run that is trained for the figure.
    Link,
    /// JSON file of a run or a sweep.
    Json,
    /// A sweep file of `lab sweep`.
    Journal(Box<SweepIndex>),
    /// CSV table of metrics.
    Table(MeasuredTable),
}

/// Source of the data of a figure: a file with all numbers, or a run that must be trained.
fn find_source(arguments: &Arguments) -> Result<PlotSource, CommandError> {
    let path = &arguments.link;
    let no_table = |source| match &arguments.csv_link {
        Some(_) => Err(CommandError::bad_link(format!("--link belongs to a CSV file, and {path} is none"))),
        None => Ok(source),
    };
    if !std::path::Path::new(path).is_file() {
        return no_table(PlotSource::Link);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
    if is_journal(&bytes) {
        return no_table(PlotSource::Journal(Box::new(SweepIndex::read(path.as_ref())?)));
    }
    match RunFile::read(&bytes) {
        // A file has the measurements but not the weights, so it cannot be trained further.
        Ok(RunFile::Run(_)) if arguments.steps.is_none() => no_table(PlotSource::Json),
        Ok(_) => no_table(PlotSource::Link),
        Err(flaw @ (FileError::Table | FileError::Unknown)) => {
            let Ok(text) = std::str::from_utf8(&bytes) else {
                return Err(CommandError::bad_link(format!("{path} cannot be opened: {flaw}")));
            };
            if arguments.steps.is_some() {
                return Err(CommandError::bad_link(format!(
                    "--steps needs a link to train, and {path} is a table"
                )));
            }
            let given = arguments.csv_link.as_deref().map(open::read_link).transpose()?;
            Ok(PlotSource::Table(read_table(path, text, given.as_ref())?))
        }
        Err(flaw) => Err(anyhow::anyhow!("{path} cannot be opened: {flaw}").into()),
    }
}

/// The link with the last step and the logarithmic axes of the arguments.
fn apply_arguments(mut link: Link, arguments: &Arguments) -> Result<Link, CommandError> {
    if let Some(steps) = arguments.steps {
        open::override_setting(&mut link.spec, "steps", &steps.to_string())?;
    }
    if arguments.log_x {
        link.view.x_axis = AxisScale::Log;
    }
    if arguments.log_y {
        link.view.y_axis = AxisScale::Log;
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
pub fn plot(arguments: &Arguments) -> Result<(), CommandError> {
    FigureFormat::from_path(&arguments.output)?;
    arguments.look.check()?;
    let path = &arguments.link;
    let page = match find_source(arguments)? {
        PlotSource::Journal(found) => {
            sweeps::draw_figure(&arguments.output, &found, &arguments.look)?;
            if !arguments.quiet {
                print!("{}", sweeps::format_power_laws(&found)?);
            }
            return Ok(());
        }
        PlotSource::Link => {
            open::describe_other_start(path)?.iter().for_each(|sentence| eprintln!("{sentence}"));
            let mut page = HeadlessRun::open(&apply_arguments(open::read_link(path)?, arguments)?);
            let (shown, left_out) = applicable_charts(page.player());
            // Charts that the first run of a sweep lacks may apply to others.
            if shown.is_empty() && page.player().run.sweep.is_none() {
                return Err(CommandError::BadLink(left_out));
            }
            train_page(&mut page, arguments.quiet)?;
            page
        }
        PlotSource::Json => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
            HeadlessRun::from_record(&apply_arguments(open::read_link(path)?, arguments)?, path, bytes)?
        }
        PlotSource::Table(MeasuredTable::Run(record)) => {
            let link = apply_arguments(record.link.clone(), arguments)?;
            HeadlessRun::from_record(&link, path, record.to_json().into_bytes())?
        }
        PlotSource::Table(MeasuredTable::Sweep(swept)) => {
            let (link, sweep) = *swept;
            HeadlessRun::from_sweep(&apply_arguments(link, arguments)?, sweep)
        }
    };
    let player = page.player();
    if matches!(player.run.phase, RunPhase::Diverged { .. }) {
        eprintln!("{}", player.message);
    }
    let (shown, left_out) = applicable_charts(player);
    if shown.is_empty() {
        return Err(CommandError::BadLink(left_out));
    }
    left_out.iter().for_each(|sentence| eprintln!("{sentence}"));
    let readings: Vec<Reading> = shown.iter().map(|chart| chart.reading(&player.run)).collect();
    if let Some(swept) = player.run.sweep.as_ref().filter(|_| !arguments.quiet) {
        print!("{}", sweep::format_power_laws(&player.run.link.spec, swept));
    }
    let link = encode(&Link::from_spec(player.run.link.spec.clone()));
    // The link alone would imply initial weights drawn from the seed.
    let title = match file_name(&player.run.initial_weights_file[0]) {
        "" => link,
        file => format!("{link}, initial weights from {file}"),
    };
    let columns = figure_columns(readings.len());
    arguments.look.draw(&arguments.output, readings, &title, columns, (480, 320))
}

/// Trains the run or sweep of a page to its end, with a progress bar over steps, or over the runs of a sweep;
/// `hides_bar` leaves out the bar.
///
/// # Errors
/// As [`HeadlessRun::finish`].
pub(super) fn train_page(page: &mut HeadlessRun, hides_bar: bool) -> Result<(), CommandError> {
    let bar = match &page.player().run.sweep {
        Some(sweep) => open::run_bar(sweep.cells.len() as u64, hides_bar),
        None => open::step_bar(page.player().run.spec().run.steps, hides_bar),
    };
    let finished = page.finish(|player| match &player.run.sweep {
        Some(sweep) => bar.set_position(sweep.solved_steps.len() as u64),
        None => bar.set_position(player.run.step),
    });
    bar.finish_and_clear();
    finished
}

/// Charts of the link that apply to the run, and for each other chart of the link a sentence with the reason.
pub fn applicable_charts(player: &Player) -> (Vec<Chart>, Vec<String>) {
    let (mut shown, mut left_out) = (vec![], vec![]);
    for chart in &player.run.link.view.show {
        match chart.applies(&player.run) {
            Ok(()) => shown.push(*chart),
            Err(why) => left_out.push(format!("{} is left out. {why}", chart.info().name)),
        }
    }
    (shown, left_out)
}

/// Number of charts per row in a figure of `chart_count` charts: two if that gives one or two full rows,
/// otherwise three.
pub fn figure_columns(chart_count: usize) -> usize {
    if chart_count <= 4 && chart_count.is_multiple_of(2) { 2 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_full_where_two_or_three_charts_fill_them() {
        assert_eq!([2, 3, 4, 5, 6, 7, 9].map(figure_columns), [2, 3, 2, 3, 3, 3, 3]);
    }
}
