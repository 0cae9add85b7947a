//! The charts of transformers that run a machine: tokens beside the tape, the step that is shown block by block, and sweeps.

use super::state::MachineState;
use super::step::AT_STEP;
use super::sweeps::{self, is_over};
use super::{grids, words};
use vivarium_model::tasks::turing_machine::charts;
use vivarium_plot::analysis::curves::series;
use vivarium_plot::analysis::replicas::Of;
use vivarium_plot::analysis::{Bars, Lines, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, with_axes};

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::COLUMNS, |run| {
        Reading::Grid(run.state().map(|state| grids::columns(state, &run.link.view)).unwrap_or_default())
    })
    .probe(AT_STEP)
    .title(words::columns_title)
    .summary(words::columns)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::TAPE, |run| Reading::Grid(run.state().map(grids::tape).unwrap_or_default()))
        .probe(AT_STEP)
        .summary(words::tape)
        .follows(Follows::Sequence),
    ChartSpec::new(charts::STRAY, |run| {
        Reading::Bars(run.state().map(|state| stray(run, state)).unwrap_or_default())
    })
    .probe(AT_STEP)
    .summary(words::stray)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::STRAYED, |run| Reading::Lines(strayed(run)))
        .summary(|run| Some(words::strayed(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::RECALL, |run| {
        Reading::Grid(run.state().map(|state| grids::recall(state, &run.link.view)).unwrap_or_default())
    })
    .probe(AT_STEP)
    .summary(words::recall)
    .follows(Follows::Sequence),
    ChartSpec::new(charts::CORRECT, |run| Reading::Lines(correct(run)))
        .summary(|run| Some(words::correct(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::BY_NOISE, |run| Reading::Lines(sweeps::by_noise(run)))
        .applies(|run| match is_over(run, "sigma") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the noise σ.").into()),
        })
        .summary(|run| Some(words::by(run, "σ")))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::BY_BETA, |run| Reading::Lines(sweeps::by_beta(run)))
        .applies(|run| match is_over(run, "beta") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the inverse temperature β.").into()),
        })
        .summary(|run| Some(words::by_beta(run)))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::DEPTH, |run| Reading::Lines(sweeps::depth(run)))
        .applies(|run| match is_over(run, "t") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the number T of steps.").into()),
        })
        .summary(|run| Some(words::depth(run)))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::MATRIX, |run| {
        Reading::Grid(run.state().map(|state| grids::matrix(state, &run.link.view)).unwrap_or_default())
    })
    .probe(AT_STEP)
    .title(words::matrix_title)
    .summary(words::matrix)
    .follows(Follows::Sequence),
];

/// One bar for each block of the step that is shown.
fn stray(run: &RunView, state: &MachineState) -> Bars {
    let stages = state.trace.as_ref().map_or(&[][..], |trace| trace.blocks.as_slice());
    let bar = |(at, stage): (usize, &vivarium_science::machines::BlockTrace)| {
        (
            format!("{} {}", at + 1, stage.kind.name()),
            vivarium_science::machines::clamp_to_f32(stage.deviation),
        )
    };
    Bars {
        x_label: tr!("block").into(),
        y_label: tr!("largest distance from the nearer of 0 and 1, before rounding").into(),
        bars: stages.iter().enumerate().map(bar).collect(),
        marked: state.stage(&run.link.view).checked_sub(1).into_iter().collect(),
        marked_name: tr!("block shown").into(),
        ..Default::default()
    }
}

fn strayed(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("largest distance from the nearer of 0 and 1"));
    lines.series = vec![
        Series { under: 1, ..series(&run.history, tr!("in all steps so far"), Role::Other, Of::TestLoss) },
        series(&run.history, tr!("in this step"), Role::Test, Of::TrainLoss),
    ];
    // Rounding repairs what is below.
    lines.references.push((1.0 / 3.0, tr!("rounding removes errors below 1/3").into()));
    let mut lines = marked(lines, run);
    lines.log_y = true;
    lines
}

fn correct(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("share of steps"));
    lines.y_range = Some((0.0, 1.0));
    lines.series = vec![
        Series {
            under: 1,
            ..series(
                &run.history,
                tr!("steps executed before any error, as a share of T"),
                Role::Other,
                Of::TestAccuracy,
            )
        },
        series(&run.history, tr!("correct, as a share of the steps so far"), Role::Test, Of::TrainAccuracy),
    ];
    if let Some((halts, _)) = run.state().and_then(|state: &MachineState| state.run.halt) {
        lines.marks.push((halts as f64, tr!("the machine halts").into()));
    }
    marked(lines, run)
}
