//! `lab plot`: the charts that a link shows, as one figure.
//!
//! # Why
//! The figure is what the page shows, by construction: see [`super::headless`].

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::disk::{Native, replace};
use super::headless::Headless;
use super::{Trouble, open};
use crate::analysis::Reading;
use crate::app::state::State;
use crate::catalog::chart::Chart;
use crate::charts::Theme;
use crate::charts::picture::{Figure, figure_png, figure_svg};
use crate::display::Phase;
use crate::permalink::{Axis, Link, encode};
use crate::record::File;

/// What `lab plot` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file. `show` in the link chooses the charts. With the file of a run, nothing is trained.
    link: String,
    /// File for the picture, ending in .svg or .png.
    #[arg(long, short, default_value = "run.svg")]
    output: PathBuf,
    /// Last training step, instead of the last step in the link.
    #[arg(long)]
    steps: Option<u64>,
    /// Logarithmic axis of steps, as with x=log in the link. It separates memorisation from later generalisation.
    #[arg(long)]
    log_x: bool,
    /// Logarithmic axis of the loss, and the error rate instead of the accuracy, as with y=log in the link.
    #[arg(long)]
    log_y: bool,
    /// Dark background.
    #[arg(long)]
    dark: bool,
    /// No progress bar.
    #[arg(long, short)]
    quiet: bool,
}

/// The link with what the arguments change.
fn link(arguments: &Arguments) -> Result<Link, Trouble> {
    let mut link = open::link(&arguments.link)?;
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
#[expect(clippy::print_stderr, reason = "what is missing in the picture is for the person")]
pub fn plot(arguments: &Arguments) -> Result<(), Trouble> {
    let link = link(arguments)?;
    let path = &arguments.output;
    let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if kind != "svg" && kind != "png" {
        return Err(anyhow::anyhow!("{} should end in .svg or .png", path.display()).into());
    }
    // The measurements of a file are there already; its weights are not.
    let is_record = matches!(open::file(&arguments.link)?, Some(File::Run(_))) && arguments.steps.is_none();
    let mut page = match is_record {
        true => {
            let bytes =
                std::fs::read(&arguments.link).with_context(|| format!("cannot read {}", arguments.link))?;
            Headless::of_record(&link, &arguments.link, bytes)
        }
        false => Headless::open(&link),
    };
    let (shown, left_out) = charts(page.state());
    // Other runs of a sweep may have what the first has not.
    if shown.is_empty() && page.state().run.sweep.is_none() {
        return Err(Trouble::BadLink(left_out));
    }
    if !is_record {
        train(&mut page, arguments.quiet)?;
    }
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
    let title = encode(&Link { spec: link.spec, ..Default::default() });
    let columns = columns(readings.len());
    let figure = Figure { readings: &readings, title: &title, columns, panel: (480, 320) };
    let theme = if arguments.dark { Theme::dark() } else { Theme::light() };
    let written = match kind.as_str() {
        "svg" => replace(&Native, path, figure_svg(&figure, &theme).as_bytes()),
        _ => figure_png(&figure, &theme.scaled(2.0), path)
            .with_context(|| format!("cannot write {}", path.display())),
    };
    Ok(written?)
}

/// Trains behind a bar of steps, or of a sweep's runs.
fn train(page: &mut Headless, quiet: bool) -> Result<(), Trouble> {
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
