//! The charts of networks that contain a learning algorithm.

use super::probes::MEMORY;
use super::state::SuccinctState;
use super::{grids, sweeps, texts};
use vivarium_model::models::Family;
use vivarium_model::tasks::succinct_learning::charts;
use vivarium_plot::analysis::curves::median_series;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_science::succinct::LearningMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec, add_step_marks, empty_lines};

/// Charts of the lab on networks that contain a learning algorithm, in the order of the chart menu.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::TABLE, |run| {
        Reading::Grid(run.lab_state().map(grids::draw_table).unwrap_or_default())
    })
    .applies(check_runs_program)
    .probe(MEMORY)
    .summary(texts::describe_table),
    ChartSpec::new(charts::GRADIENT, |run| {
        Reading::Grid(run.lab_state().map(grids::draw_gradient).unwrap_or_default())
    })
    .applies(check_runs_program)
    .probe(MEMORY)
    .summary(texts::describe_gradient),
    ChartSpec::new(charts::CELLS, |run| {
        Reading::Grid(run.lab_state().map(grids::draw_cells).unwrap_or_default())
    })
    .applies(check_runs_program)
    .probe(MEMORY)
    .summary(texts::describe_cells),
    ChartSpec::new(charts::ANSWERS, |run| Reading::Lines(draw_answers(run)))
        .applies(check_runs_program)
        .summary(|run| Some(texts::describe_answers(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::TIMES, |run| Reading::Lines(sweeps::draw_time_by_size(run)))
        .applies(|run| check_runs_program(run).and_then(|()| check_is_sweep(run)))
        .summary(|run| Some(texts::describe_times(run)))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::LEARNED, |run| Reading::Lines(sweeps::draw_accuracy(run)))
        .applies(check_is_sweep)
        .summary(|run| Some(texts::describe_accuracy(run)))
        .depends_on(ChartDependency::Sweep)
        .uses_measurements_only(),
    ChartSpec::new(charts::CLOUD, |run| {
        Reading::Grid(run.lab_state().map(grids::draw_rule_counts).unwrap_or_default())
    })
    .applies(check_is_search)
    .probe(MEMORY)
    .summary(texts::describe_rule_counts),
    ChartSpec::new(charts::CHOSEN, |run| Reading::Lines(draw_chosen_rule(run)))
        .applies(check_is_search)
        .summary(|run| Some(texts::describe_chosen_rule(run)))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::RULE, |run| {
        let rule = |state: &SuccinctState| state.search_state().map(grids::draw_rule);
        Reading::Grid(run.lab_state().and_then(rule).unwrap_or_default())
    })
    .applies(check_is_search)
    .probe(MEMORY)
    .summary(texts::describe_rule),
];

/// Returns an error message unless the network runs a learning program, written as rules of a head on a grid of cells.
fn check_runs_program(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().family() {
        Some(Family::ProgramOnGrid(_)) => Ok(()),
        _ => Err(tr!("This chart is available only for networks that run a program.").into()),
    }
}

/// Returns an error message unless the run searches for a cell-update rule that learns.
fn check_is_search(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().family() {
        Some(Family::RuleSearch(_)) => Ok(()),
        _ => Err(tr!("This chart is available only for a search among rules.").into()),
    }
}

/// Returns an error message unless the link is a sweep over the number of inputs or examples, the label noise or the
/// number of validation queries.
fn check_is_sweep(run: &RunView) -> Result<(), String> {
    match sweeps::swept_setting(run) {
        Some(_) => Ok(()),
        None => {
            Err(tr!("This chart needs a sweep over the number of inputs, the number of examples, the label noise or the number of validation queries.").into())
        }
    }
}

/// Draws the share of test inputs that the network's program has answered, and the share answered correctly, against
/// the step.
fn draw_answers(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("share of test inputs"));
    lines.y_range = Some((0.0, 1.0));
    let answered = median_series(
        &run.history,
        tr!("answered"),
        Role::Other,
        ReplicaMeasure::TaskMeasure(LearningMetric::AnsweredShare as usize),
    );
    lines.series = vec![
        Series { covering_curves: 1, ..answered },
        median_series(&run.history, tr!("answered correctly"), Role::Test, ReplicaMeasure::TestAccuracy),
    ];
    let state: Option<&SuccinctState> = run.lab_state();
    if let Some(state) = state.filter(|state| state.layers_applied() > 0) {
        lines.marks.push((state.problem.writing_steps() as f64, tr!("the table is full").into()));
    }
    add_step_marks(lines, run)
}

/// Draws the accuracy of the rule chosen by the search against the restarts: on validation queries, on test queries,
/// and on queries with twice as many inputs and examples.
fn draw_chosen_rule(run: &RunView) -> LineChart {
    let mut lines = empty_lines(tr!("step"), tr!("accuracy of the chosen rule"));
    lines.y_range = Some((0.0, 1.0));
    lines.series = vec![
        median_series(&run.history, tr!("validation queries"), Role::Train, ReplicaMeasure::TrainAccuracy),
        median_series(&run.history, tr!("test queries"), Role::Test, ReplicaMeasure::TestAccuracy),
        median_series(
            &run.history,
            tr!("queries with twice as many inputs and examples"),
            Role::Relevant,
            ReplicaMeasure::TaskMeasure(LearningMetric::TwiceSizeAccuracy as usize),
        ),
    ];
    lines.reference_lines.push((0.5, tr!("guessing").into()));
    add_step_marks(lines, run)
}
