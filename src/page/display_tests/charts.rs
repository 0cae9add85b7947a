//! Charts of every lab, and that each lab's charts keep what is said of them.

use crate::state::{Action, State};
use vivarium_model::chart;
use vivarium_model::chart::{Chart, ChartKind};
use vivarium_model::protocol::Measurement;
use vivarium_model::tasks::sparse_parity::charts as parity_charts;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;

#[test]
fn axes_are_there_before_any_measurement_and_weights_before_any_worker() {
    let mut state = State::default();
    state.apply(Action::Open(String::new()));
    let Reading::Lines(lines) = chart::LOSS.reading(&state.player.run) else { panic!("curves") };
    assert_eq!((lines.x_range, lines.y_range), (Some((0.0, 1000.0)), Some((0.0, 1.2))));
    let Reading::Grid(grid) = chart::WEIGHTS.reading(&state.player.run) else { panic!("a matrix") };
    assert_eq!((grid.rows, grid.columns, grid.marked_rows.len()), (20, 64, 3));
    assert!(chart::ACCURACY.summary(&state.player.run).contains("– on training examples"));
}

#[test]
fn every_chart_has_the_shape_that_the_catalogue_says() {
    let mut state = State::default();
    state.apply(Action::Open(String::new()));
    for chart in Chart::ALL {
        let kind = chart.info().kind;
        if chart.applies(&state.player.run).is_ok() {
            let shape = match chart.reading(&state.player.run) {
                Reading::Lines(_) => ChartKind::Lines,
                Reading::Grid(_) => ChartKind::Grid,
                Reading::Bars(_) => ChartKind::Bars,
            };
            assert_eq!(shape, kind, "{chart:?}");
            assert!(
                chart.summary(&state.player.run).ends_with('.') && !chart.title(&state.player.run).is_empty()
            );
        }
    }
}

#[test]
fn on_a_logarithmic_axis_accuracy_is_error() {
    let mut state = State::default();
    state.apply(Action::Open("#v1/sparse-parity?x=log&y=log".into()));
    let row = Measurement { test_accuracy: vec![0.75, 0.5], train_accuracy: vec![1.0], ..Default::default() };
    state.player.run.history.push(row);
    let Reading::Lines(lines) = chart::ACCURACY.reading(&state.player.run) else { panic!("curves") };
    assert!(lines.log_x && lines.log_y && lines.y_range.is_none());
    assert_eq!(lines.series[0].y, [0.0]);
    assert_eq!((lines.series[1].y[0], lines.series[1].band[0]), (0.375, (0.25, 0.5)));
    assert_eq!((lines.title.as_str(), lines.y_label.as_str()), ("Error, 1 − accuracy", "error"));
}

#[test]
fn stamps_change_with_what_is_shown() {
    let mut state = State::default();
    state.apply(Action::Open(String::new()));
    let before = chart::LOSS.stamp(&state.player.run);
    state.player.run.history.push(Measurement { step: 50, ..Default::default() });
    assert_ne!(chart::LOSS.stamp(&state.player.run), before);
    let before = chart::LOSS.stamp(&state.player.run);
    state.apply(Action::ToggleAxis("y"));
    assert_ne!(chart::LOSS.stamp(&state.player.run), before);
}

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

#[test]
fn the_first_parameter_goes_by_its_own_name() {
    let state = open("#v1/sparse-parity?model=parity-transformer&opt=adam&n=10");
    assert_eq!(chart::WEIGHTS.title(&state.player.run), "Positional embeddings P");
    assert!(
        chart::WEIGHTS
            .summary(&state.player.run)
            .starts_with("Positional embeddings P, 10 input bits by 32 comp")
    );
    assert!(
        parity_charts::MOVEMENT
            .summary(&state.player.run)
            .starts_with("Positional embeddings P have changed")
    );
    assert_eq!(parity_charts::PATHS.title(&state.player.run), "Path of every position, component 1");
    let Reading::Grid(grid) = chart::WEIGHTS.reading(&state.player.run) else { panic!("a matrix") };
    assert_eq!((grid.title.as_str(), grid.x_label.as_str()), ("Positional embeddings P", "component"));
    let state = open("#v1/sparse-parity?n=10&width=1");
    assert_eq!(parity_charts::PATHS.title(&state.player.run), "Path of every weight");
    assert!(
        chart::WEIGHTS
            .summary(&state.player.run)
            .starts_with("First-layer weights W, 10 input bits by 1 neuron:")
    );
    let state = open("#v1/sparse-parity?n=10&model=disjoint-polynet");
    assert!(
        chart::WEIGHTS
            .summary(&state.player.run)
            .starts_with("Weights w of the blocks, 10 input bits: the largest absolute value is ")
    );
}

#[test]
fn what_has_a_sign_stays_linear() {
    let is_log = |link: &str, chart: Chart| match chart.reading(&open(link).player.run) {
        Reading::Lines(lines) => lines.log_y,
        _ => false,
    };
    let link = "#v1/sparse-parity?n=10&y=log";
    assert!(
        [chart::LOSS, parity_charts::MOVEMENT, parity_charts::GAP].iter().all(|chart| is_log(link, *chart))
    );
    assert!(!is_log(link, parity_charts::PATHS) && !is_log("#v1/sparse-parity?loss=corr&y=log", chart::LOSS));
}

#[test]
fn bars_have_their_axes_before_any_finding() {
    let state = open("#v1/sparse-parity?n=9&model=parity-transformer");
    for (chart, names) in
        [(parity_charts::SPECTRUM, "0 1 2 3 4 5 6 7 8 9"), (parity_charts::ATTENTION, "1 2 3 4 5 6 7 8 9")]
    {
        let Reading::Bars(bars) = chart.reading(&state.player.run) else { panic!("bars") };
        let found: Vec<&str> = bars.bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(found.join(" "), names);
        assert!(bars.bars.iter().all(|bar| bar.1.is_nan()));
    }
}

#[test]
fn stages_are_marked_once_they_begin() {
    let mut state = open("#v1/sparse-parity?model=deep-mlp&k=4&layers=greedy&steps=1000");
    let marks = |state: &State| match chart::ACCURACY.reading(&state.player.run) {
        Reading::Lines(lines) => lines.marks,
        _ => vec![],
    };
    state.player.run.step = 499;
    assert_eq!(marks(&state), []);
    state.player.run.step = 500;
    assert_eq!(marks(&state), [(500.0, "training of layer 2 begins".to_string())]);
}

#[test]
fn a_sweep_shows_its_whole_way_and_where_too_few_arrive() {
    let mut state = open("#v1/sparse-parity?replicas=2&sweep=n:10_20_30&series=wd:0.001_0.003");
    let lines = |state: &State| match chart::SWEEP.reading(&state.player.run) {
        Reading::Lines(lines) => lines,
        _ => panic!("curves"),
    };
    let mut done = |times: [Option<u64>; 2]| {
        state.player.run.sweep.as_mut().unwrap().solved_steps.push(times.to_vec());
        lines(&state)
    };
    let none = done([None; 2]);
    assert_eq!((none.x_range, none.y_range), (Some((10.0, 30.0)), Some((10.0, 1e4))));
    assert!(none.marks.is_empty(), "the other curve may have a median here");
    let names: Vec<&str> = none.series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["λ = 0.001", "λ = 0.003", "random search, k = 3"]);
    let missed = done([None; 2]);
    assert_eq!(missed.marks, [(10.0, "0 of 4".to_string())]);
    done([Some(5), Some(6)]);
    let found = done([None; 2]);
    assert_eq!((found.marks.len(), found.y_range), (1, None));
    assert_eq!(
        chart::SWEEP.summary(&state.player.run),
        "4 of the sweep's 6 runs have ended; 2 of their 8 networks have reached the target."
    );
    let words = lines(&open("#v1/sparse-parity?replicas=2&sweep=loss:hinge_ce"));
    assert_eq!((words.x_label.as_str(), words.log_x), ("Loss: 1 Hinge, 2 Cross-entropy", false));
}
