//! The charts of the lab, what is said of them, and what its presets claim.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use vivarium_view::display::charts::ChartOfRun;

use crate::opened::{chart_bars, chart_grid, chart_lines, open_page};
use crate::state::State;
use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::presets::PRESETS;
use vivarium_labs::circuits::probes::PERTURBATION;
use vivarium_model::protocol::{EndReason, Measurement, ProbeResult};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::boolean_circuit::charts;
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::{BarChart, Reading};
use vivarium_science::circuits::{CircuitMetric, SIGMA_ZETA};
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};
use vivarium_view::display::summary::{extra_number, metric_names};
use vivarium_view::display::words::format_significant;
use vivarium_view::display::{RunPhase, status};
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

fn open(rest: &str) -> State {
    open_page(&format!("#v1/boolean-circuit{rest}"))
}

fn of(state: &State) -> &CircuitState {
    state.player.run.lab_state().expect("the state of the lab")
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a loop on the processor waits for nothing"),
    }
}

/// The measurements of a run, and what the probe finds at its end.
fn train(spec: &RunSpec) -> (Vec<Measurement>, ProbeResult) {
    let mut session = Session::start(spec, &Device::cpu(), Options::default()).unwrap();
    let rows = ready(session.finish(|_| {})).unwrap().rows;
    let count = spec.parameters().len();
    let weights = ready(session.checkpoint()).unwrap().weights.parameters;
    let replicas = spec.run.replicas;
    let first = weights.into_iter().take(count).map(|all| all[..all.len() / replicas].to_vec()).collect();
    let found = vivarium_labs::run_probe(&PERTURBATION.id(), spec, spec.run.steps, first).unwrap();
    (rows, found)
}

/// Shows the run with all of its steps.
fn play(state: &mut State) {
    let (rows, found) = train(&state.player.run.link.spec);
    let step = rows.last().unwrap().step;
    rows.into_iter().for_each(|row| state.player.run.add_measurement(row));
    state.player.run.step = step;
    state.player.run.add_result(step, found);
}

#[test]
fn norms_fall_to_the_exact_margin_and_stay_above_the_bounds() {
    let mut state = open("?circuit=toy&levels=9&steps=120&every=10");
    play(&mut state);
    let drawn = chart_lines(charts::NORMS, &state);
    let curves: Vec<&str> = drawn.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(
        curves,
        [
            "smallest noise",
            "smallest perturbation found",
            "exact margin",
            "bound by the proof of D.6 (rounding parameters fixed)",
            "bound by the formula of D.6 (rounding parameters fixed)",
            "bound of theorem D.6"
        ]
    );
    let last: Vec<f32> = drawn.series.iter().map(|series| *series.y.last().unwrap()).collect();
    assert!(last[0] >= last[1] && (last[1] - last[2]).abs() < 1e-5 && last[1] > last[3] && last[3] > last[4]);
    assert!(drawn.log_y && drawn.series[1].y.is_sorted_by(|a, b| a >= b));
    let text = charts::NORMS.summary(&state.player.run);
    assert!(text.contains("After 120 steps") && text.contains("The exact margin is 0.491."), "{text}");

    let mut bare = open("?n=2&round=no&steps=60&every=10");
    play(&mut bare);
    let curves: Vec<String> =
        chart_lines(charts::NORMS, &bare).series.iter().map(|of| of.name.clone()).collect();
    assert_eq!(curves, ["smallest noise", "smallest perturbation found"]);
    assert!(
        charts::NORMS.summary(&bare.player.run).ends_with("Without rounding, theorem D.6 gives no bound.")
    );
}

#[test]
fn values_are_those_of_the_circuit_without_noise() {
    let mut state = open("?n=3&in=1.0.1&steps=20");
    play(&mut state);
    let drawn = chart_grid(charts::VALUES, &state);
    let layered = &of(&state).layered;
    assert_eq!((drawn.rows, drawn.columns), (layered.depth(), layered.width()));
    for (layer, values) in layered.evaluate_layers(&[true, false, true]).unwrap().iter().enumerate() {
        for at in 0..drawn.columns {
            let value = drawn.values[layer * drawn.columns + at];
            match values.get(at) {
                Some(bit) => assert_eq!(value, f32::from(u8::from(*bit))),
                None => assert!(value.is_nan()),
            }
        }
    }
    assert_eq!((drawn.row_names[0].as_str(), drawn.texts[0].as_str()), ("inputs", "x1"));
    let text = charts::VALUES.summary(&state.player.run);
    assert!(
        text.contains("For the input 101 the circuit gives 0, and 100.0 % of the network's gates agree with the circuit."),
        "{text}"
    );
}

/// By hand, for the parity of 4 bits: gate layers of 4, 4, 3, 3, 3, 2, 2, 2 and 1 gates, of which 6 are AND, 3 OR, 3 NOT and
/// 12 ID. The first parameters have the norm 4·6 + 5·3 + 3·3 + 2·12 + 3 = 75; one of them, the weight of the output, is 2 and
/// the others ±1. Rounding r values takes 4r² + 3r parameters with norm 9r: 4·72 + 3·24 = 360 and 9·24 = 216.
#[test]
fn all_parameters_are_counted_by_part() {
    let state = open("?in=1.1.1.1");
    let text = charts::VALUES.summary(&state.player.run);
    let counts = "with 200 parameters that a perturbation may change; 74 of them are not 0, and their part of ‖θ‖₁ is 75. In addition, 360 parameters stay fixed, mainly those of rounding if there is any; their part of ‖θ‖₁ is 216.";
    assert!(text.contains(counts), "{text}");
}

#[test]
fn rounding_takes_deviations_away_and_no_rounding_lets_them_grow() {
    let [with, without] = ["yes", "no"].map(|round| {
        let mut state = open(&format!("?n=6&sigma=0.02&steps=5&round={round}"));
        play(&mut state);
        state
    });
    let drawn = chart_lines(charts::STRAYS, &with);
    let largest = |y: &[f32]| y.iter().fold(0.0, |most: f32, y| most.max(*y));
    assert_eq!(drawn.series.len(), 2);
    assert!(largest(&drawn.series[0].y) < SIGMA_ZETA as f32 && largest(&drawn.series[1].y) == 0.0);
    assert_eq!(drawn.reference_lines.len(), 1);
    let bare = chart_lines(charts::STRAYS, &without);
    assert_eq!((bare.series.len(), bare.series[0].name.as_str()), (1, "values of the gates"));
    assert!(largest(&bare.series[0].y) > largest(&drawn.series[0].y));
    assert_eq!(bare.series[0].x.len(), of(&without).layered.depth() - 1);
    assert!(charts::STRAYS.summary(&with.player.run).ends_with("before rounding and 0 after rounding."));
    // A run without noise shows an example: half of the noise that makes the answer wrong. Its gates have no noise.
    let exact = open("");
    let example = chart_lines(charts::STRAYS, &exact);
    assert!(largest(&example.series[0].y) > 0.0, "the curve is not flat");
    let sigma = of(&exact).deviation_sigma();
    assert!(
        sigma > 0.0
            && of(&exact).network_values().iter().all(|layer| layer.iter().all(|v| *v == 0.0 || *v == 1.0))
    );
    let text = charts::STRAYS.summary(&exact.player.run);
    assert!(text.starts_with("Without noise all gate values are 0 or 1; this run has none."), "{text}");
    assert!(text.contains(&format!("standard deviation {}", format_significant(sigma))), "{text}");
    for link in ["?circuit=adder&n=5", "?circuit=random&n=6&gates=40", "?circuit=relay&levels=50"] {
        let state = open(link);
        let is_example = of(&state).network.theta().len() <= 4000;
        assert_eq!(of(&state).deviation_sigma() > 0.0, is_example, "{link}");
        let text = charts::STRAYS.summary(&state.player.run);
        assert!(text.starts_with("Without noise all gate values are 0 or 1"), "{link}: {text}");
        assert_eq!(text.contains("The curves are an example."), is_example, "{link}: {text}");
        let title = charts::STRAYS.title(&state.player.run);
        assert_eq!(title.ends_with(": none, because the noise σ is 0"), !is_example, "{link}: {title}");
    }
    assert_eq!(charts::STRAYS.title(&with.player.run), "Deviation from 0 and 1 by layer");
    assert_eq!(
        charts::STRAYS.title(&exact.player.run),
        format!("Deviation from 0 and 1 by layer, for example with noise σ = {}", format_significant(sigma))
    );
}

#[test]
fn the_perturbation_has_its_norm_in_the_layers() {
    let mut state = open("?circuit=toy&levels=100&steps=100&every=100");
    assert_eq!(charts::WHERE.summary(&state.player.run), "No step of the search has been made yet.");
    play(&mut state);
    let BarChart { bars, .. } = chart_bars(charts::WHERE, &state);
    assert!(bars.len() <= 49 && bars.last().unwrap().0 == "output");
    let whole: f32 = bars.iter().map(|(_, part)| part * part).sum::<f32>().sqrt();
    let least = state.player.run.history.latest().unwrap().measures[CircuitMetric::LeastNorm as usize][0];
    assert!((whole - least).abs() < 1e-4, "{whole} {least}");
    // With rounding nearly all of it is in a few weights, since each further one adds a ninth of the one before.
    let largest = bars.iter().fold(0.0, |most: f32, (_, part)| most.max(*part));
    assert!(largest > 0.9 * whole);
    assert!(charts::WHERE.summary(&state.player.run).contains("Its largest part is in layer "));
}

#[test]
fn the_table_has_a_row_for_each_input() {
    let state = open("?circuit=majority&n=3");
    let drawn = chart_grid(charts::TRUTH, &state);
    assert_eq!((drawn.rows, drawn.columns), (8, 5));
    assert_eq!(drawn.column_names, ["x1", "x2", "x3", "circuit", "network"]);
    assert!(drawn.values.chunks(5).all(|row| row[3] == row[4]));
    assert_eq!((drawn.row_names[7].as_str(), drawn.marked_rows.as_slice()), ("111", [7].as_slice()));
    assert!(
        charts::TRUTH.summary(&state.player.run).ends_with("give the same answer for 8 of these inputs.")
    );
    assert_eq!(chart_grid(charts::TRUTH, &open("?circuit=toy&levels=3")).rows, 1);
    assert_eq!(chart_grid(charts::TRUTH, &open("?circuit=adder&n=8")).rows, 64);
}

#[test]
fn charts_of_sweeps_are_of_sweeps_over_depth_or_bits() {
    assert!(charts::DEPTHS.applies(&open("").player.run).is_err());
    let state = open("?circuit=toy&sweep=levels:1_4_25&series=round:yes_no");
    assert_eq!(charts::DEPTHS.applies(&state.player.run), Ok(()));
    let drawn = chart_lines(charts::DEPTHS, &state);
    let exact = drawn.series.iter().find(|of| of.name == "exact margin with rounding").unwrap();
    assert!((exact.y.last().unwrap() - 0.49068).abs() < 1e-4);
    assert_eq!(charts::DEPTHS.summary(&state.player.run), "No run of the sweep has ended yet.");
    assert_eq!(charts::DEPTHS.title(&open("?sweep=n:2_4").player.run), "Margin by number of bits");
}

#[test]
fn words_say_that_it_is_a_search() {
    let mut state = open("?n=2&steps=40&every=10");
    state.player.run.phase = RunPhase::Running;
    play(&mut state);
    assert_eq!(metric_names(&state.player.run)[2], "Share of correct gates");
    assert_eq!(extra_number(&state.player.run, 0).0, "Smallest perturbation found");
    let text = status::describe_status(&state.player.run, String::new);
    assert!(text.contains("the smallest perturbation found so far has norm 0."), "{text}");
    state.player.run.phase = RunPhase::Finished(EndReason::LastStep);
    assert_eq!(status::describe_status(&state.player.run, String::new), "Done: 40 steps.");
}

#[test]
fn pictures_are_drawn_of_every_circuit_before_its_first_step() {
    for link in [
        "",
        "?circuit=tree&n=8",
        "?circuit=adder&n=5",
        "?circuit=majority&n=7",
        "?circuit=random&n=6&gates=40",
        "?circuit=relay&levels=50",
        "?circuit=toy&levels=400",
        "?circuit=own",
        "?levels=300",
    ] {
        let state = open(link);
        for chart in [charts::NORMS, charts::VALUES, charts::STRAYS, charts::WHERE, charts::TRUTH] {
            assert_eq!(chart.applies(&state.player.run), Ok(()), "{link}");
            assert!(!matches!(chart.reading(&state.player.run), Reading::Lines(of) if of.x_label.is_empty()));
            assert!(!chart.summary(&state.player.run).is_empty());
        }
    }
}

/// The median of a measure in one row.
fn median(row: &Measurement, measure: ExpectedMeasure) -> f32 {
    match measure {
        ExpectedMeasure::Circuit(of) => median_range(&row.measures[of as usize]).0,
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
    let rows: Vec<_> = runs.iter().map(|(series, at, spec)| (*series, *at, train(spec).0)).collect();
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
fn where_the_target_is_the_whole_the_status_says_all_inputs() {
    let text = |rest: &str| {
        vivarium_labs::circuits::texts::describe_result(&open(rest).player.run, "all 4 networks", "at step 2")
    };
    assert_eq!(text(""), "The answer is right for all tested inputs at step 2.");
    assert_eq!(
        text("?replicas=4"),
        "The answer is right for all tested inputs in all 4 networks, at step 2."
    );
    assert_eq!(text("?target=0.9"), "The answer is right for at least 90.0 % of the inputs at step 2.");
}

#[test]
fn presets_hold() {
    PRESETS.iter().copied().flatten().for_each(check_preset);
}
