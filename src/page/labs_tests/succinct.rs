//! The charts of the lab, what is said of them, and what its presets claim.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use vivarium_view::display::charts::ChartOfRun;

use crate::opened::{chart_grid, chart_lines, open_page};
use crate::state::State;
use vivarium_labs::succinct::SuccinctState;
use vivarium_labs::succinct::presets::PRESETS;
use vivarium_labs::succinct::probes::MEMORY;
use vivarium_model::protocol::{EndReason, Measurement, ProbeResult};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::succinct_learning::charts;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::curves::median_range;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};
use vivarium_view::display::summary::{extra_number, metric_names};
use vivarium_view::display::{RunPhase, status};
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

const SEARCH: &str = "?inputs=4&examples=6&model=cell-rules&held=100&valid=40&steps=200&every=20";

fn open(rest: &str) -> State {
    open_page(&format!("#v1/succinct-learning{rest}"))
}

fn of(state: &State) -> &SuccinctState {
    state.player.run.lab_state().expect("the state of the lab")
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a loop on the processor waits for nothing"),
    }
}

/// Trains a run for this number of steps. Returns its measurements and the finding of the probe at its end.
fn train(spec: &RunSpec, steps: u64) -> (Vec<Measurement>, ProbeResult) {
    let mut spec = spec.clone();
    spec.run.steps = steps;
    let mut session = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
    let rows = ready(session.finish(|_| {})).unwrap().rows;
    let count = spec.parameters().len();
    let weights = ready(session.checkpoint()).unwrap().weights.parameters;
    let replicas = spec.run.replicas;
    let first = weights.into_iter().take(count).map(|all| all[..all.len() / replicas].to_vec()).collect();
    let found = vivarium_labs::run_probe(&MEMORY.id(), &spec, steps, first).unwrap();
    (rows, found)
}

/// Shows the run after so many steps.
fn play(state: &mut State, steps: u64) {
    let (rows, found) = train(&state.player.run.link.spec, steps);
    rows.into_iter().for_each(|row| state.player.run.add_measurement(row));
    state.player.run.step = steps;
    state.player.run.add_result(steps, found);
}

#[test]
fn one_row_is_written_in_each_step() {
    let mut state = open("?inputs=3&examples=5");
    assert!(charts::TABLE.summary(&state.player.run).starts_with("All numbers of the table are 0."));
    assert!(charts::GRADIENT.summary(&state.player.run).starts_with("The gradient is 0 everywhere."));
    for step in 1..=6 {
        play(&mut state, step);
        let (table, gradient) = (chart_grid(charts::TABLE, &state), chart_grid(charts::GRADIENT, &state));
        assert_eq!((table.rows, table.columns, table.row_names[5].as_str()), (6, 4, "dummy"));
        assert_eq!(table.marked_rows, [step as usize - 1]);
        for row in 0..6 {
            let of_row = |values: &[f32]| values[4 * row..][..4].to_vec();
            let is_newest = row + 1 == step as usize;
            assert_eq!(of_row(&table.values).iter().all(|w| *w != 0.0), row < step as usize);
            // −18 y [x, 1], of which 1/54 is taken away from 0.
            let expected = of_row(&table.values).into_iter().map(|w| if is_newest { -54.0 * w } else { 0.0 });
            for (found, expected) in of_row(&gradient.values).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-4, "step {step}, row {row}");
            }
        }
        let text = charts::GRADIENT.summary(&state.player.run);
        assert!(text.contains(&format!("everywhere except in row {step}.")), "{text}");
        let text = charts::TABLE.summary(&state.player.run);
        assert!(text.contains(&format!("{step} of 6 rows")) && text.ends_with("is 0."), "{text}");
    }
    let (data, table) = (&of(&state).sample.data, chart_grid(charts::TABLE, &state));
    for (at, (x, y)) in data.examples().enumerate() {
        let expected: Vec<f32> = x.iter().chain([&1]).map(|x| f32::from(x * y) / 3.0).collect();
        assert_eq!(table.values[4 * at..][..4], expected);
    }
}

#[test]
fn cells_follow_the_program_to_its_answer() {
    let mut state = open("?inputs=3&examples=5");
    assert!(charts::CELLS.summary(&state.player.run).starts_with("While SGD writes the table"));
    assert!(!chart_grid(charts::CELLS, &state).note.is_empty());
    play(&mut state, 7);
    let drawn = chart_grid(charts::CELLS, &state);
    assert_eq!((drawn.rows, drawn.columns, drawn.note.as_str()), (8, 6, ""));
    // Layer 1 sets the head at the bottom right of the block.
    assert_eq!(drawn.outlines, [(6..7, 4..5)]);
    assert!(drawn.texts[6 * 6 + 4].ends_with("\nstart"), "{:?}", drawn.texts);
    let text = charts::CELLS.summary(&state.player.run);
    assert!(text.starts_with("Layers applied: 1. In state start the head reads "), "{text}");
    assert!(text.ends_with("has reached 1 of 48 cells."), "{text}");
    play(&mut state, 300);
    let text = charts::CELLS.summary(&state.player.run);
    let own = of(&state);
    let label = own.sample.concept.label(&own.query);
    assert_eq!(own.program_state().unwrap().answer(), Some(label));
    let sign = if label == 1 { "+1" } else { "−1" };
    let end = format!("Its answer is {sign}. The label of the test input is {sign}.");
    assert!(text.ends_with(&end), "{text}");
    let text = charts::ANSWERS.summary(&state.player.run);
    assert!(
        text.starts_with("With 294 layers 100.0 % of the test inputs are answered, and 100.0 %"),
        "{text}"
    );
    assert!(text.contains("until the program halts"), "{text}");
    let curves = chart_lines(charts::ANSWERS, &state);
    assert_eq!(curves.marks[0], (6.0, "the table is full".into()));
    assert_eq!(*curves.series[1].y.last().unwrap(), 1.0);
}

/// The head goes along the working tape for ever, whose first column is all that the parameters hold.
#[test]
fn a_head_on_the_working_tape_is_shown() {
    let mut state = open("?inputs=2&examples=3&program=own&grid=a~*~~*~S~b;b~*~~-~R~c;c~*~~+~R~b");
    // 20 layers: the first sets the head in column 3, the second stays, and 18 move it.
    play(&mut state, 24);
    let drawn = chart_grid(charts::CELLS, &state);
    assert_eq!((drawn.rows, drawn.columns, drawn.outlines), (6, 22, vec![(4..5, 21..22)]));
    assert_eq!(drawn.column_names[..6], ["border", "x1", "x2", "label", "border", "2"]);
    assert_eq!(drawn.texts[4 * 22 + 3..][..3], ["-", "+", "-"]);
    assert!(charts::CELLS.summary(&state.player.run).contains("the head reads _, writes"));
    // 81 columns are more than are shown.
    play(&mut state, 4 + 80);
    let drawn = chart_grid(charts::CELLS, &state);
    assert_eq!((drawn.columns, drawn.outlines.len()), (64, 0));
    assert_eq!(drawn.note, "The head is in column 78 of the working tape, which is not shown.");
    // A tape of 5 columns ends at column 8.
    let mut state = open("?inputs=2&examples=3&program=own&grid=a~*~~*~S~b;b~*~~-~R~c;c~*~~+~R~b&columns=5");
    play(&mut state, 24);
    assert!(charts::CELLS.summary(&state.player.run).contains("The head has left the grid"));
}

#[test]
fn the_cloud_holds_every_rule_that_was_tried() {
    let mut state = open(SEARCH);
    for chart in [charts::CLOUD, charts::CHOSEN, charts::RULE] {
        assert_eq!(chart.applies(&state.player.run), Ok(()));
        assert!(charts::CHOSEN.summary(&state.player.run).starts_with("No rule has been tried yet."));
    }
    assert!(
        charts::CELLS.applies(&state.player.run).is_err()
            && charts::CLOUD.applies(&open("").player.run).is_err()
    );
    play(&mut state, 200);
    let cloud = chart_grid(charts::CLOUD, &state);
    let rules: f32 = cloud.values.iter().map(|value| 10f32.powf(*value) - 1.0).sum();
    assert!((rules - 200.0).abs() < 0.1);
    assert_eq!((cloud.row_names[0].as_str(), cloud.column_names[0].as_str()), ("1.00", "0.00"));
    // Nothing lies above the chosen rule's row.
    let row = cloud.outlines[0].0.start;
    assert!(cloud.values[..41 * row].iter().all(|value| *value == 0.0));
    assert!(cloud.values[41 * row..][..41].iter().any(|value| *value > 0.0));
    assert!(charts::CLOUD.summary(&state.player.run).starts_with("Rules tried: 200."));
    let rule = of(&state).search_state().unwrap().rule.unwrap();
    let drawn = chart_grid(charts::RULE, &state);
    assert_eq!(vivarium_model::models::cell_rules::rule_of(&drawn.values), rule);
    let text = charts::RULE.summary(&state.player.run);
    assert!(
        text.starts_with(&format!("This is rule {}", rule.number()))
            && text.contains("A cell with the value +1"),
        "{text}"
    );
    assert_eq!(chart_lines(charts::CHOSEN, &state).series.len(), 3);
    // Validation accuracy of the best never falls.
    assert!(chart_lines(charts::CHOSEN, &state).series[0].y.is_sorted());
}

#[test]
fn charts_of_sweeps_are_of_sweeps_over_sizes_or_noise() {
    assert!(charts::TIMES.applies(&open("").player.run).is_err());
    let state = open("?sweep=inputs:3_4_6");
    assert_eq!(
        (charts::TIMES.applies(&state.player.run), charts::LEARNED.applies(&state.player.run)),
        (Ok(()), Ok(()))
    );
    assert!(chart_lines(charts::TIMES, &state).log_y);
    assert_eq!(charts::TIMES.summary(&state.player.run), "No run of the sweep has ended yet.");
    assert_eq!(charts::LEARNED.summary(&state.player.run), "No run of the sweep has ended yet.");
    assert_eq!(charts::LEARNED.applies(&open(&format!("{SEARCH}&sweep=valid:10_40")).player.run), Ok(()));
}

#[test]
fn words_tell_program_and_search_apart() {
    let mut state = open("?steps=40");
    state.player.run.phase = RunPhase::Running;
    play(&mut state, 5);
    assert_eq!(metric_names(&state.player.run)[2], "Rows written");
    let text = status::describe_status(&state.player.run, String::new);
    assert!(text.contains("SGD has written 5 of 9 rows of the table"), "{text}");
    play(&mut state, 30);
    assert_eq!(extra_number(&state.player.run, 0), ("Layers".into(), "21".into()));
    let text = status::describe_status(&state.player.run, String::new);
    assert!(text.contains("the table is full, and the network has applied 21 layers since then"), "{text}");
    state.player.run.phase = RunPhase::Finished(EndReason::LastStep);
    assert_eq!(status::describe_status(&state.player.run, String::new), "Done: 30 steps.");
    let mut search = open(SEARCH);
    search.player.run.phase = RunPhase::Running;
    play(&mut search, 100);
    assert_eq!(metric_names(&search.player.run)[3], "Test accuracy");
    let text = status::describe_status(&search.player.run, String::new);
    assert!(text.contains("rules tried: 100; the best rule is rule "), "{text}");
}

#[test]
fn pictures_are_drawn_of_every_run_before_its_first_step() {
    for link in ["", "?inputs=31&examples=100", "?inputs=1&examples=1", "?program=own", SEARCH] {
        let state = open(link);
        for chart in charts::CHARTS.iter().filter(|chart| chart.applies(&state.player.run).is_ok()) {
            assert!(!matches!(chart.reading(&state.player.run), Reading::Lines(of) if of.x_label.is_empty()));
            assert!(!chart.summary(&state.player.run).is_empty());
        }
    }
}

/// The median of a measure in one row.
fn median(row: &Measurement, measure: ExpectedMeasure) -> f32 {
    match measure {
        ExpectedMeasure::Succinct(of) => median_range(&row.measures[of as usize]).0,
        ExpectedMeasure::TestAccuracy => median_range(&row.test_accuracy).0,
        ExpectedMeasure::TrainAccuracy => median_range(&row.train_accuracy).0,
        _ => panic!("{measure:?} is no measure of this lab"),
    }
}

fn check_preset(preset: &Preset) {
    let spec = preset.link().spec;
    let cells = vivarium_model::sweep::cells(&spec);
    let runs: Vec<(usize, usize, RunSpec)> = match cells.is_empty() {
        true => vec![(0, 0, spec)],
        false => cells.into_iter().map(|cell| (cell.series_index, cell.sweep_index, cell.spec)).collect(),
    };
    let rows: Vec<_> =
        runs.iter().map(|(series, at, spec)| (*series, *at, train(spec, spec.run.steps).0)).collect();
    for expect in preset.expectations {
        let (found, between) = match *expect {
            Expectation::Median { measure, step, between } => {
                let row = rows[0].2.iter().find(|row| row.step == step).unwrap();
                (median(row, measure), between)
            }
            Expectation::FinalMeasure { measure, series, at, between } => {
                let (_, _, rows) =
                    rows.iter().find(|(line, value, _)| (*line, *value) == (series, at)).unwrap();
                (median(rows.last().unwrap(), measure), between)
            }
            _ => panic!("{}: {expect:?}", preset.slug),
        };
        assert!(between.0 <= found && found <= between.1, "{}: {found} for {expect:?}", preset.slug);
    }
}

#[test]
fn presets_hold() {
    // One is of another lab, which tests it.
    let own = |preset: &&Preset| preset.link.starts_with("#v1/succinct-learning");
    PRESETS.iter().copied().flatten().filter(own).for_each(check_preset);
}
