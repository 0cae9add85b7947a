//! The charts of networks that contain a learning algorithm.

use super::probes::MEMORY;
use super::state::SuccinctState;
use super::{grids, sweeps, words};
use vivarium_model::models::Family;
use vivarium_model::tasks::succinct_learning::charts;
use vivarium_plot::analysis::curves::series;
use vivarium_plot::analysis::replicas::Of;
use vivarium_plot::analysis::{Lines, Reading, Role, Series};
use vivarium_science::succinct::LearningMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, with_axes};

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::TABLE, |run| Reading::Grid(run.state().map(grids::table).unwrap_or_default()))
        .applies(of_program)
        .probe(MEMORY)
        .summary(words::table),
    ChartSpec::new(charts::GRADIENT, |run| {
        Reading::Grid(run.state().map(grids::gradient).unwrap_or_default())
    })
    .applies(of_program)
    .probe(MEMORY)
    .summary(words::gradient),
    ChartSpec::new(charts::CELLS, |run| Reading::Grid(run.state().map(grids::cells).unwrap_or_default()))
        .applies(of_program)
        .probe(MEMORY)
        .summary(words::cells),
    ChartSpec::new(charts::ANSWERS, |run| Reading::Lines(answers(run)))
        .applies(of_program)
        .summary(|run| Some(words::answers(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::TIMES, |run| Reading::Lines(sweeps::by_size(run)))
        .applies(|run| of_program(run).and_then(|()| of_sweep(run)))
        .summary(|run| Some(words::times(run)))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::LEARNED, |run| Reading::Lines(sweeps::by_examples(run)))
        .applies(of_sweep)
        .summary(|run| Some(words::learned(run)))
        .follows(Follows::Sweep)
        .of_measurements(),
    ChartSpec::new(charts::CLOUD, |run| Reading::Grid(run.state().map(grids::cloud).unwrap_or_default()))
        .applies(of_search)
        .probe(MEMORY)
        .summary(words::cloud),
    ChartSpec::new(charts::CHOSEN, |run| Reading::Lines(chosen(run)))
        .applies(of_search)
        .summary(|run| Some(words::chosen(run)))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::RULE, |run| {
        let rule = |state: &SuccinctState| state.searched().map(grids::rule);
        Reading::Grid(run.state().and_then(rule).unwrap_or_default())
    })
    .applies(of_search)
    .probe(MEMORY)
    .summary(words::rule),
];

fn of_program(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().family() {
        Some(Family::ProgramOnGrid(_)) => Ok(()),
        _ => Err(tr!("This chart is available only for networks that run a program.").into()),
    }
}

fn of_search(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().family() {
        Some(Family::RuleSearch(_)) => Ok(()),
        _ => Err(tr!("This chart is available only for a search among rules.").into()),
    }
}

fn of_sweep(run: &RunView) -> Result<(), String> {
    match sweeps::over(run) {
        Some(_) => Ok(()),
        None => {
            Err(tr!("This chart needs a sweep over the number of inputs, the number of examples, the label noise or the number of validation queries.").into())
        }
    }
}

/// Shares of test inputs over the steps.
fn answers(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("share of test inputs"));
    lines.y_range = Some((0.0, 1.0));
    let answered = series(
        &run.history,
        tr!("answered"),
        Role::Other,
        Of::Measure(LearningMetric::AnsweredShare as usize),
    );
    lines.series = vec![
        Series { under: 1, ..answered },
        series(&run.history, tr!("answered correctly"), Role::Test, Of::TestAccuracy),
    ];
    let state: Option<&SuccinctState> = run.state();
    if let Some(state) = state.filter(|state| state.layers() > 0) {
        lines.marks.push((state.problem.writing_steps() as f64, tr!("the table is full").into()));
    }
    marked(lines, run)
}

/// Accuracy of the chosen rule over the restarts.
fn chosen(run: &RunView) -> Lines {
    let mut lines = with_axes(tr!("step"), tr!("accuracy of the chosen rule"));
    lines.y_range = Some((0.0, 1.0));
    lines.series = vec![
        series(&run.history, tr!("validation queries"), Role::Train, Of::TrainAccuracy),
        series(&run.history, tr!("test queries"), Role::Test, Of::TestAccuracy),
        series(
            &run.history,
            tr!("queries with twice as many inputs and examples"),
            Role::Relevant,
            Of::Measure(LearningMetric::TwiceSizeAccuracy as usize),
        ),
    ];
    lines.references.push((0.5, tr!("guessing").into()));
    marked(lines, run)
}
