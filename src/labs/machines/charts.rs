//! Charts of transformers that run a machine: tokens and tape, the blocks of the displayed step, and sweeps.

use super::state::MachineState;
use super::step::CURRENT_STEP;
use super::sweeps::{self, sweeps_over};
use super::{grids, texts};
use vivarium_model::tasks::turing_machine::charts;
use vivarium_plot::analysis::curves::median_series;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::{BarChart, LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec, add_step_marks, empty_lines};

/// Charts of the lab on executed Turing machines, in the order of the chart menu.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::COLUMNS, |run| {
        Reading::Grid(
            run.lab_state().map(|state| grids::draw_tokens(state, &run.link.view)).unwrap_or_default(),
        )
    })
    .probe(CURRENT_STEP)
    .title(texts::tokens_title)
    .summary(texts::describe_tokens)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::TAPE, |run| {
        Reading::Grid(run.lab_state().map(grids::draw_tape).unwrap_or_default())
    })
    .probe(CURRENT_STEP)
    .summary(texts::describe_tape)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::STRAY, |run| {
        Reading::Bars(run.lab_state().map(|state| draw_deviation_by_block(run, state)).unwrap_or_default())
    })
    .probe(CURRENT_STEP)
    .summary(texts::describe_deviation_by_block)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::STRAYED, |run| Reading::Lines(draw_deviation_by_step(run)))
        .summary(|run| Some(texts::describe_deviation_by_step(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::RECALL, |run| {
        Reading::Grid(
            run.lab_state()
                .map(|state| grids::draw_past_attention(state, &run.link.view))
                .unwrap_or_default(),
        )
    })
    .probe(CURRENT_STEP)
    .summary(texts::describe_past_attention)
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::CORRECT, |run| Reading::Lines(draw_correct_steps(run)))
        .summary(|run| Some(texts::describe_correct_steps(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::BY_NOISE, |run| Reading::Lines(sweeps::draw_first_wrong_by_noise(run)))
        .applies(|run| match sweeps_over(run, "sigma") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the noise σ.").into()),
        })
        .summary(|run| Some(texts::describe_first_wrong(run, "σ")))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::BY_BETA, |run| Reading::Lines(sweeps::draw_first_wrong_by_beta(run)))
        .applies(|run| match sweeps_over(run, "beta") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the inverse temperature β.").into()),
        })
        .summary(|run| Some(texts::describe_first_wrong_by_beta(run)))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::DEPTH, |run| Reading::Lines(sweeps::draw_block_count(run)))
        .applies(|run| match sweeps_over(run, "t") {
            true => Ok(()),
            false => Err(tr!("This chart needs a sweep over the number T of steps.").into()),
        })
        .summary(|run| Some(texts::describe_block_count(run)))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::MATRIX, |run| {
        Reading::Grid(
            run.lab_state().map(|state| grids::draw_matrix(state, &run.link.view)).unwrap_or_default(),
        )
    })
    .probe(CURRENT_STEP)
    .title(texts::matrix_title)
    .summary(texts::describe_matrix)
    .depends_on(ChartDependency::Sequence),
];

/// Bars, one per block of the transformer in the displayed step: largest distance of an entry of the residual vector
/// from the nearer of 0 and 1, before rounding.
fn draw_deviation_by_block(run: &RunView, state: &MachineState) -> BarChart {
    let stages = state.trace.as_ref().map_or(&[][..], |trace| trace.blocks.as_slice());
    let bar = |(at, stage): (usize, &vivarium_science::machines::BlockTrace)| {
        (
            format!("{} {}", at + 1, stage.kind.name()),
            vivarium_science::machines::clamp_to_f32(stage.deviation),
        )
    };
    BarChart {
        x_label: tr!("block").into(),
        y_label: tr!("largest distance from the nearer of 0 and 1, before rounding").into(),
        bars: stages.iter().enumerate().map(bar).collect(),
        marked: state.shown_block(&run.link.view).checked_sub(1).into_iter().collect(),
        marked_name: tr!("block shown").into(),
        ..Default::default()
    }
}

/// Draws the largest distance of a token entry from the nearer of 0 and 1 against the step: in that step alone, and the
/// maximum over all steps so far.
fn draw_deviation_by_step(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("largest distance from the nearer of 0 and 1"));
    lines.series = vec![
        Series {
            covering_curves: 1,
            ..median_series(&run.history, tr!("in all steps so far"), Role::Other, ReplicaMeasure::TestLoss)
        },
        median_series(&run.history, tr!("in this step"), Role::Test, ReplicaMeasure::TrainLoss),
    ];
    // Rounding removes deviations below this line.
    lines.reference_lines.push((1.0 / 3.0, tr!("rounding removes errors below 1/3").into()));
    let mut lines = add_step_marks(lines, run);
    lines.log_y = true;
    lines
}

/// Draws two curves against the step: the share of the steps so far whose token agrees with the simulator, and the
/// number of steps before the first error as a share of all T steps.
fn draw_correct_steps(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("share of steps"));
    lines.y_range = Some((0.0, 1.0));
    lines.series = vec![
        Series {
            covering_curves: 1,
            ..median_series(
                &run.history,
                tr!("steps executed before any error, as a share of T"),
                Role::Other,
                ReplicaMeasure::TestAccuracy,
            )
        },
        median_series(
            &run.history,
            tr!("correct, as a share of the steps so far"),
            Role::Test,
            ReplicaMeasure::TrainAccuracy,
        ),
    ];
    if let Some((halts, _)) = run.lab_state().and_then(|state: &MachineState| state.run.halt) {
        lines.marks.push((halts as f64, tr!("the machine halts").into()));
    }
    add_step_marks(lines, run)
}
