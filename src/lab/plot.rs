//! `lab plot`: a run's curves and weights as one figure.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::{Trouble, open};
use crate::analysis::curves::{History, accuracy, error, loss, trained_on};
use crate::analysis::{Grid, Reading, weights};
use crate::charts::Theme;
use crate::charts::picture;
use crate::permalink::{Axis, Link, encode};
use crate::training::session::{Options, Session};

/// What `lab plot` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, or a preset's name.
    link: String,
    /// The picture; its ending, .svg or .png, decides its kind.
    #[arg(long, short, default_value = "run.svg")]
    output: PathBuf,
    /// Last step, instead of the link's.
    #[arg(long)]
    steps: Option<u64>,
    /// Logarithmic steps, which show memorising and understanding apart; the link can ask for them too.
    #[arg(long)]
    log_x: bool,
    /// Logarithmic loss, and the error rate instead of the accuracy: how a solution sharpens.
    #[arg(long)]
    log_y: bool,
    /// Dark background.
    #[arg(long)]
    dark: bool,
    /// No progress bar.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs `lab plot`.
///
/// # Errors
/// A bad link, no device, or a picture that cannot be written.
pub fn plot(arguments: &Arguments) -> Result<(), Trouble> {
    let Link { mut spec, view, .. } = open::link(&arguments.link)?;
    if let Some(steps) = arguments.steps {
        spec.parse("steps", &steps.to_string()).map_err(|p| Trouble::BadLink(vec![p.to_string()]))?;
    }
    let kind = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if kind != "svg" && kind != "png" {
        return Err(anyhow::anyhow!("{} should end in .svg or .png", arguments.output.display()).into());
    }
    let device = open::device(&spec)?;
    let mut session = Session::start(&spec, &device, Options::default())?;
    let bar = open::bar(spec.run.steps, arguments.quiet);
    let outcome = pollster::block_on(session.finish(|step| bar.set_position(step)))?;
    bar.finish_and_clear();
    let (values, width) = pollster::block_on(session.first_layer())?;
    let log = (arguments.log_x || view.x_axis == Axis::Log, arguments.log_y || view.y_axis == Axis::Log);
    let readings = readings(&spec, outcome, &values, width, log);
    let theme = if arguments.dark { Theme::dark() } else { Theme::light() };
    let title = encode(&Link { spec, ..Default::default() });
    let figure = picture::Figure { readings: &readings, title: &title, columns: 3, panel: (480, 320) };
    let path = &arguments.output;
    let written = match kind.as_str() {
        "svg" => std::fs::write(path, picture::figure_svg(&figure, &theme)),
        _ => picture::figure_png(&figure, &theme.scaled(2.0), path),
    };
    written.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// Loss, accuracy or error rate, and first-layer weights of a finished run.
fn readings(
    spec: &crate::run::RunSpec,
    outcome: crate::training::session::Outcome,
    values: &[f32],
    width: usize,
    (log_x, log_y): (bool, bool),
) -> Vec<Reading> {
    let mut history = History::default();
    outcome.rows.into_iter().for_each(|row| history.push(row));
    let task = spec.task.sampler();
    let train = trained_on(task.sample_size().is_some(), spec.run.batch);
    let found =
        outcome.solved.iter().flatten().copied().max().filter(|_| outcome.solved.iter().all(Option::is_some));
    let relevant = task.relevant(spec.run.seed);
    let answers = if log_y { error } else { accuracy };
    let mut curves = [loss(&history, train, found), answers(&history, train, found)];
    curves.iter_mut().for_each(|lines| (lines.log_x, lines.log_y) = (log_x, log_y));
    curves[0].log_y &= !spec.run.loss.is_signed();
    let rows = spec.model.architecture().rows();
    let grid = weights::first_layer(values, task.inputs(), width, &relevant);
    let grid = Grid { title: rows.name.into(), x_label: rows.column.into(), ..grid };
    curves.into_iter().map(Reading::Lines).chain([Reading::Grid(grid)]).collect()
}
