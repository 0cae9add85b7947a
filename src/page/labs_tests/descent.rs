//! The charts of the lab, what is said of them, and one step layer by layer.

use crate::opened::{chart_grid, chart_lines, open_page};
use crate::state::{Action, State};
use vivarium_labs::cannot_learn;
use vivarium_labs::descent::weights::PARAMETERS;
use vivarium_labs::descent::{DescentState, StepTrace, presets};
use vivarium_model::chart;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::decode;
use vivarium_model::protocol::{EndReason, Measurement, ProbeResult};
use vivarium_model::tasks::in_context_regression::charts;
use vivarium_plot::analysis::{BarChart, Heatmap, Reading};
use vivarium_science::descent::{
    self, ComparisonMeasure, DescentComparison, INTERPOLATION_RELUS, TokenBlock, euclidean_distance,
};
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::status;
use vivarium_view::display::summary::{extra_number, metric_names};
use vivarium_view::display::sweep::SweepRunResult;
use vivarium_view::display::{LabState, RunPhase, WorkProgress};

fn open(rest: &str) -> State {
    open_page(&format!("#v1/in-context-regression{rest}"))
}

fn of(state: &State) -> &DescentState {
    state.player.run.lab_state().expect("the state of the lab")
}

/// Returns the comparison with gradient descent at the first step.
fn comparison(state: &DescentState) -> DescentComparison {
    DescentComparison::new(&state.plan, state.examples.clone(), &state.initial_weights)
}

/// Measurement of a race by a learner.
fn row(race: &DescentComparison, variance: f64) -> Measurement {
    let standing = race.measure();
    let explained = |loss: f64| vec![(1.0 - 2.0 * loss / variance) as f32];
    Measurement {
        step: standing.step,
        train_loss: vec![standing.token_loss as f32],
        train_accuracy: explained(standing.token_loss),
        test_loss: vec![standing.direct_loss as f32],
        test_accuracy: explained(standing.direct_loss),
        measures: standing.measures().map(|measure| vec![measure]).to_vec(),
        ..Default::default()
    }
}

fn finding(race: &DescentComparison) -> ProbeResult {
    ProbeResult::new(PARAMETERS.id()).with_numbers(race.state().to_tensors().concat())
}

/// Runs the first replica of the run on show.
fn play(state: &mut State, steps: u64) -> DescentComparison {
    let (mut race, variance) = (comparison(of(state)), of(state).label_variance);
    state.player.run.add_measurement(row(&race, variance));
    for _ in 0..steps {
        race.step();
        state.player.run.add_measurement(row(&race, variance));
    }
    state.player.run.step = steps;
    state.player.run.add_result(steps, finding(&race));
    race
}

#[test]
fn losses_and_distances_are_those_of_the_race() {
    let mut state = open("");
    play(&mut state, 100);
    let drawn = chart_lines(charts::BOTH, &state);
    let last: Vec<f32> = drawn.series.iter().map(|series| *series.y.last().unwrap()).collect();
    assert!(last.iter().all(|loss| (loss - 0.04845).abs() < 1e-4), "{last:?}");
    assert_eq!(drawn.series[2].x.len(), 101);
    let text = charts::BOTH.summary(&state.player.run);
    assert!(
        text.starts_with(
            "Loss after 100 steps: 0.0485 with the weights in the tokens, 0.0485 with direct gradient descent,"
        ),
        "{text}"
    );

    let drawn = chart_lines(charts::APART, &state);
    let [corollary, recursion, single, tokens] = &drawn.series[..] else { panic!("four curves") };
    assert!(drawn.log_y && tokens.y[50] < 1e-14 && (1e-4..1e-3).contains(&tokens.y[100]), "{:?}", tokens.y);
    assert!(single.y[1..].iter().all(|y| (1e-8..1e-5).contains(y)));
    for step in 1..=100 {
        // Single precision rounds all three.
        let above = |bound: f32| f64::from(bound) * 1.000_001 >= f64::from(tokens.y[step]);
        assert!(above(corollary.y[step]) && above(recursion.y[step]), "{step}");
    }
    let (low, high) = drawn.y_range.unwrap();
    assert!(low < f64::from(tokens.y[1]) && high > 1e-3 && high < 10.0, "{low} {high}");
    let text = charts::APART.summary(&state.player.run);
    assert!(text.contains("and the weights of direct gradient descent is 4.13e−4. "), "{text}");
    assert!(text.contains("and the initial weights is 0.756. "), "{text}");

    // The charts of every lab have the names of the lab.
    let drawn = chart_lines(chart::LOSS, &state);
    let curves: Vec<&str> = drawn.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(curves, ["with the weights in the tokens", "with direct gradient descent"]);
    assert_eq!(chart::LOSS.title(&state.player.run), "Loss");
    let text = chart::LOSS.summary(&state.player.run);
    assert_eq!(
        text,
        "Loss after 100 steps: 0.048 with the weights in the tokens and 0.048 with direct gradient descent."
    );
    assert!(
        chart::ACCURACY
            .summary(&state.player.run)
            .starts_with("Share of the variance explained after 100 steps")
    );
}

#[test]
fn words_say_that_layers_are_executed() {
    let mut state = open("");
    state.player.run.phase = RunPhase::Running;
    play(&mut state, 100);
    assert_eq!(metric_names(&state.player.run)[0], "Loss, weights in tokens");
    assert_eq!(extra_number(&state.player.run, 0), ("Layers executed".into(), "1,000".into()));
    assert_eq!(
        extra_number(&state.player.run, 1),
        ("Distance to direct gradient descent".into(), "4.13e−4".into())
    );
    let text = status::describe_status(&state.player.run, String::new);
    assert_eq!(
        text,
        "Running: the loss is 0.048 with the weights in the tokens and 0.048 with direct gradient descent; the distance between the weights is 4.13e−4"
    );
    state.player.run.add_solved(0, 100);
    assert!(
        status::describe_found(&state.player.run).ends_with(" of the variance is explained at step 100.")
    );
}

/// No network is trained, so that no target is missed.
#[test]
fn a_run_that_has_made_its_steps_is_done() {
    let mut state = open("");
    let mut text = |phase: RunPhase, step: u64| {
        (state.player.run.phase, state.player.run.step) = (phase, step);
        status::describe_status(&state.player.run, String::new)
    };
    let last = || RunPhase::Finished(EndReason::LastStep);
    assert_eq!(text(last(), 100), "Done: 100 steps.");
    assert_eq!(text(last(), 1), "Done: 1 step.");
    assert_eq!(text(last(), 12_000), "Done: 12,000 steps.");
    assert_eq!(text(RunPhase::Paused, 100), "Paused at step 100");
    // Of a target that somebody has set, it is told that it was reached.
    let mut state = open("?target=0.7");
    (state.player.run.phase, state.player.run.step) = (last(), 100);
    state.player.run.add_solved(0, 40);
    let text = status::describe_status(&state.player.run, String::new);
    assert_eq!(text, "At least 70.0 % of the variance is explained at step 40. Ended at step 100.");
}

#[test]
fn tokens_are_those_after_the_layer_that_is_shown() {
    let mut state = open("");
    let race = play(&mut state, 12);
    let transformer = race.transformer().clone();
    let states = transformer.trace(race.tokens().clone());
    let layout = transformer.layout();
    for layer in 0..=10 {
        state.apply(Action::Edit("layer".into(), layer.to_string()));
        let drawn = chart_grid(charts::TOKENS, &state);
        assert_eq!((drawn.rows, drawn.columns), (17, 145));
        for (at, value) in drawn.values.iter().enumerate() {
            assert_eq!(*value, states[layer].row(at % 145)[at / 145] as f32, "{layer} {at}");
        }
        assert_eq!((drawn.row_names[16].as_str(), drawn.column_names[144].as_str()), ("query", "t"));
        let trace = &of(&state).trace;
        assert_eq!((trace.layer, trace.step, trace.token_index), (layer, 12, 0));
        assert_eq!(trace.token_by_layer.len(), 11);
        assert_eq!((&trace.after, &trace.before), (&states[layer], &states[layer.saturating_sub(1)]));
        assert_eq!(trace.phase(&transformer), layer.checked_sub(1).map(|at| descent::LayerPhase::all(3)[at]));
        let title = charts::TOKENS.title(&state.player.run);
        match layer {
            0 => {
                assert_eq!(title, "Tokens after step 12");
                assert!(drawn.outlines.is_empty());
                let scratch = layout.workspace();
                assert!((0..17).all(|row| scratch.clone().all(|c| drawn.values[row * 145 + c] == 0.0)));
            }
            4 => {
                assert_eq!(title, "Tokens after layer 4 of 10 in step 13: Slopes");
                assert!(drawn.outlines.contains(&(0..17, layout.block_range(TokenBlock::Derivatives))));
            }
            _ => assert!(title.contains("in step 13"), "{title}"),
        }
    }
    state.apply(Action::Edit("place".into(), "0".into()));
    assert_eq!(
        (of(&state).trace.token_index, chart_grid(charts::TOKENS, &state).marked_rows),
        (16, vec![16])
    );
    // The token of the first example, after every layer.
    state.apply(Action::Edit("place".into(), "1".into()));
    let trace = &of(&state).trace;
    assert!(trace.token_by_layer.iter().zip(&states).all(|(token, all)| *token == all.token(0)));
    assert_eq!(chart_grid(charts::TOKENS, &state).marked_rows, [0]);
    assert!(
        charts::TOKENS
            .summary(&state.player.run)
            .contains("17 tokens with 145 numbers each; 88 of the numbers in each token are weights.")
    );
    // A layer that there is not is the last one.
    state.apply(Action::Edit("layer".into(), "16".into()));
    assert_eq!(of(&state).trace.layer, 10);
}

/// The numbers of the layer that a bare link shows are not 0 in the token that it shows.
#[test]
fn the_usual_token_shows_what_the_usual_layer_writes() {
    let mut state = open("");
    play(&mut state, 0);
    let written = |state: &State| -> Vec<f64> {
        let of = of(state);
        let range = of.layout().written_by(of.trace.phase(&of.transformer).unwrap());
        range.map(|at| of.trace.token_by_layer[of.trace.layer][at]).collect()
    };
    assert!(written(&state).iter().any(|value| *value != 0.0));
    state.apply(Action::Edit("place".into(), "0".into()));
    assert!(written(&state).iter().all(|value| *value == 0.0), "the query has no error");
}

/// Bounds grow far beyond what is drawn: they end there instead of standing still at the edge.
#[test]
fn bounds_end_where_they_leave_the_chart() {
    let mut state = open("?replicas=3");
    let (mut race, variance) = (comparison(of(&state)), of(&state).label_variance);
    for step in 0..3 {
        let mut row = row(&race, variance);
        let losses =
            [&mut row.train_loss, &mut row.train_accuracy, &mut row.test_loss, &mut row.test_accuracy];
        for column in losses.into_iter().chain(&mut row.measures) {
            *column = [1.0, 2.0, 3.0].map(|factor| factor * column[0]).to_vec();
        }
        if step == 2 {
            row.measures[ComparisonMeasure::Corollary as usize] = vec![1e30, 1e38, 1e38];
        }
        state.player.run.add_measurement(row);
        race.step();
    }
    let drawn = chart_lines(charts::APART, &state);
    let (_, high) = drawn.y_range.unwrap();
    let [corollary, recursion, single, tokens] = &drawn.series[..] else { panic!("four curves") };
    assert!(f64::from(corollary.y[2]) > 1e20 * high, "known, but not drawn");
    assert!(corollary.is_clipped && recursion.is_clipped && !single.is_clipped && !tokens.is_clipped);
    assert!(corollary.band.is_empty() && recursion.band.is_empty());
    assert_eq!((single.band.len(), tokens.band.len()), (3, 3));
}

/// Where all losses agree, those below are wider, so that their rims are seen.
#[test]
fn no_loss_hides_the_others() {
    let state = open("");
    let under = |chart: Chart, name: &str| {
        chart_lines(chart, &state)
            .series
            .iter()
            .find(|series| series.name == name)
            .map(|series| series.covering_curves)
    };
    let names =
        ["direct gradient descent, single precision", "direct gradient descent", "weights in the tokens"];
    assert_eq!(names.map(|name| under(charts::BOTH, name)), [Some(2), Some(1), Some(0)]);
    let names = ["direct gradient descent", "network stored in the tokens"];
    assert_eq!(names.map(|name| under(charts::FITTED, name)), [Some(1), Some(0)]);
}

/// A head of a neuron that is 0 for every example: a white square says nothing.
#[test]
fn a_head_that_is_0_everywhere_is_reported() {
    let text = "The attention weight of this head is 0 for every pair of tokens.";
    let mut zeros = 0;
    let mut state = open("?w0=0&layer=1");
    for head in 1..=8 {
        state.apply(Action::Edit("head".into(), head.to_string()));
        let drawn = chart_grid(charts::ACTING, &state);
        let is_zero = drawn.values.iter().all(|value| *value == 0.0);
        assert_eq!(drawn.note == text, is_zero, "{head}: {}", drawn.note);
        assert_eq!(charts::ACTING.summary(&state.player.run).ends_with(text), is_zero, "{head}");
        assert_eq!((drawn.x_label.as_str(), drawn.y_label.as_str()), ("key token s", "query token i"));
        zeros += usize::from(is_zero);
    }
    assert!(zeros > 0);
    let mut state = open("?head=5&layer=1");
    play(&mut state, 3);
    assert_eq!(chart_grid(charts::ACTING, &state).note, "");
}

#[test]
fn attention_is_what_the_layer_adds_up() {
    let mut state = open("?head=5&layer=1");
    play(&mut state, 3);
    let drawn = chart_grid(charts::ACTING, &state);
    let written = of(&state).trace.after.row(of(&state).layout().outputs(1).start + 4).to_vec();
    for (row, written) in drawn.values.chunks(17).zip(&written) {
        let sum: f32 = row.iter().sum();
        assert!((f64::from(sum) - written).abs() < 1e-5, "{sum} {written}");
    }
    assert!(written.iter().any(|p| *p > 0.0));
    assert_eq!(charts::ACTING.title(&state.player.run), "Forward 1, head 5 of 8");
    assert!(charts::ACTING.summary(&state.player.run).ends_with("This head writes p(1)[5]."));
    state.apply(Action::Edit("layer".into(), "7".into()));
    let drawn = chart_grid(charts::ACTING, &state);
    assert!((0..17 * 17).all(|at| at % 18 == 0 || drawn.values[at] == 0.0));
    assert!(
        charts::ACTING.summary(&state.player.run).contains("Ordinary transformers have no product heads.")
    );
    state.apply(Action::Edit("layer".into(), "5".into()));
    assert_eq!(
        chart_grid(charts::ACTING, &state),
        Heatmap {
            title: charts::ACTING.title(&state.player.run),
            note: "an MLP layer has no attention".into(),
            ..Heatmap::default()
        }
    );
    assert!(charts::ACTING.summary(&state.player.run).starts_with("An MLP works on each token"));
    state.apply(Action::Edit("layer".into(), "0".into()));
    assert!(charts::ACTING.summary(&state.player.run).starts_with("No layer is chosen"));
}

#[test]
fn the_fitted_function_is_that_of_the_weights() {
    let mut state = open("");
    let race = play(&mut state, 100);
    let drawn = chart_lines(charts::FITTED, &state);
    let names: Vec<&str> = drawn.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "function",
            "direct gradient descent",
            "network stored in the tokens",
            "examples",
            "output at the query"
        ]
    );
    let (network, tokens) = (&race.plan().network, &drawn.series[2]);
    for (x, y) in tokens.x.iter().zip(&tokens.y) {
        assert_eq!(*y, network.compute_output(&race.state().tokens, &[*x, 1.0])[0] as f32);
    }
    assert_eq!((drawn.series[3].x.len(), drawn.series[4].x.as_slice()), (16, [0.4].as_slice()));
    assert!(charts::FITTED.summary(&state.player.run).contains("At the query x = 0.4 "));
    assert!(
        charts::FITTED
            .summary(&state.player.run)
            .ends_with("The value of the function at the query is 0.717.")
    );
    // Of own points nobody knows the function.
    let own = open("?f=points&points=-1:0.5_0.5:2");
    assert_eq!(chart_lines(charts::FITTED, &own).series[0].name, "direct gradient descent");
    assert!(charts::FITTED.applies(&open("?dim=2").player.run).is_err());
}

#[test]
fn every_layer_has_its_heads() {
    let state = open("");
    let Reading::Bars(BarChart { bars, marked, .. }) = charts::HEADS.reading(&state.player.run) else {
        panic!("bars")
    };
    let heights: Vec<f32> = bars.iter().map(|(_, height)| *height).collect();
    assert_eq!(heights, [8.0, 8.0, 2.0, 33.0, 2.0, 1.0, 8.0, 8.0, 34.0, 280.0]);
    assert_eq!((bars[3].0.as_str(), marked.as_slice()), ("4 Slopes", [7].as_slice()));
    let text = charts::HEADS.summary(&state.player.run);
    assert!(text.contains("10 layers with 85 attention heads, 17 product heads and 282 hidden units"));
}

#[test]
fn a_step_in_slices_is_the_same_step() {
    let state = open("?act=tanh&layer=4");
    let (of, transformer) = (of(&state), &of(&state).transformer);
    let mut slow = StepTrace::new(0, transformer.tokens(&of.examples, &of.initial_weights), 4, 0);
    let mut slices = 0;
    while slow.is_unfinished(transformer) {
        slow.advance(transformer, 1);
        slices += 1;
    }
    assert_eq!(slices, transformer.layers().iter().map(|layer| layer.part_count()).sum::<usize>());
    assert!(slices > 30);
    assert_eq!(
        (&slow.before, &slow.after, &slow.token_by_layer),
        (&of.trace.before, &of.trace.after, &of.trace.token_by_layer)
    );
}

#[test]
fn a_large_transformer_is_looked_into_bit_by_bit() {
    let (link, notices) = decode("#v1/in-context-regression?n=512&hidden=20.20&layer=3");
    assert!(notices.is_empty(), "{notices:?}");
    let mut state = DescentState::from_spec(&link.spec, &link).unwrap();
    assert!(state.is_busy() && state.trace.token_by_layer.len() == 1);
    let mut race = comparison(&state);
    for step in 1..=2 {
        race.step();
        state.add_finding(step, &finding(&race), &link);
    }
    // What is under way is finished before newer weights are taken up, so that something is seen of a fast run.
    let finish = |state: &mut DescentState| {
        let mut slices = 1;
        while state.continue_work(100_000) == WorkProgress::Continuing {
            slices += 1;
        }
        slices
    };
    assert!(finish(&mut state) > 5);
    assert_eq!((state.trace.step, state.trace.token_by_layer.len(), state.is_busy()), (0, 11, true));
    finish(&mut state);
    assert_eq!((state.trace.step, state.is_busy(), state.continue_work(1)), (2, false, WorkProgress::Done));
    let expected = race.transformer().trace(race.tokens().clone());
    assert_eq!((&state.trace.before, &state.trace.after), (&expected[2], &expected[3]));
    // A finding of another run is none.
    let before = state.comparison.clone();
    state.add_finding(9, &ProbeResult::new(PARAMETERS.id()).with_numbers(vec![0.0; 7]), &link);
    assert_eq!((&state.comparison, state.step), (&before, 2));
}

/// 53,253 heads, of which a neuron's differ in two numbers alone: these are written once for a layer, and the step is executed
/// in slices.
#[test]
fn many_heads_are_not_written_one_by_one() {
    let link = "#v1/in-context-regression?act=sigmoid&knots=510&hidden=1.22.20.1.8";
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    let before = INTERPOLATION_RELUS.get();
    let state = DescentState::from_spec(&link.spec, &link).unwrap();
    // Five layers have the activation, and all have its slope in common.
    assert_eq!(INTERPOLATION_RELUS.get() - before, 6 * 511);
    assert!(state.is_busy());
    assert_eq!(state.transformer.counts().attention_heads, 53_253);
    assert_eq!(INTERPOLATION_RELUS.get() - before, 6 * 511);
}

#[test]
fn another_learning_rate_is_another_transformer() {
    let mut state = open("?lrs=2:0.5");
    let race = play(&mut state, 1);
    assert_eq!(of(&state).plan.learning_rate, 0.1);
    state.player.run.add_result(2, finding(&race));
    let of = of(&state);
    assert_eq!(of.plan.learning_rate, 0.5);
    let layout = of.layout();
    let moved = |trace: &StepTrace| {
        let after: Vec<f64> =
            layout.block_range(TokenBlock::Weights).map(|c| trace.token_by_layer[9][c]).collect();
        euclidean_distance(&after, &race.state().tokens)
    };
    let mut slow = DescentComparison::new(race.plan(), of.examples.clone(), &race.state().tokens);
    slow.step();
    let by_one = euclidean_distance(&slow.state().tokens, &race.state().tokens);
    assert!((moved(&of.trace) / by_one - 5.0).abs() < 1e-6, "{} {by_one}", moved(&of.trace));
}

/// Ends the next run of the sweep at this distance.
fn end(state: &mut State, distance: f32) {
    let outcome = SweepRunResult {
        solved_steps: vec![None],
        final_metrics: [0.1, 0.8],
        final_accuracies: vec![0.8],
        final_measures: vec![distance],
        rows: vec![],
    };
    state.player.run.sweep.as_mut().unwrap().finish_run(outcome);
}

#[test]
fn sweeps_find_the_power_of_the_lines_and_of_the_band() {
    let mut state = open("?act=tanh&sweep=knots:8_16_32&speed=0&show=both.apart.knots");
    assert_eq!(charts::KNOTS.summary(&state.player.run), "No run of the sweep has ended yet.");
    assert!(
        charts::KNOTS.applies(&state.player.run).is_ok() && charts::BAND.applies(&state.player.run).is_err()
    );
    for knots in [8.0f32, 16.0, 32.0] {
        end(&mut state, 12.8 / (knots * knots));
    }
    let drawn = chart_lines(charts::KNOTS, &state);
    let names: Vec<&str> = drawn.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["median", "fitted power law, exponent −2.00", "power law with exponent −2.00"]);
    assert!(drawn.log_x && drawn.log_y && drawn.series[0].y == [0.2, 0.05, 0.0125]);
    assert!(drawn.series.iter().all(|line| (line.y.last().unwrap() - 0.0125).abs() < 1e-6));
    let text = charts::KNOTS.summary(&state.player.run);
    let found =
        "0.200 at M = 8, 0.0500 at M = 16, 0.0125 at M = 32; exponent of the fitted power law: −2.00.";
    assert!(text.contains(found), "{text}");

    let mut state = open("?sweep=delta:0.001_0.1&speed=0&show=both.apart.band");
    end(&mut state, 0.002);
    assert_eq!(chart_lines(charts::BAND, &state).series.len(), 1, "one point has no power");
    end(&mut state, 0.2);
    assert_eq!(chart_lines(charts::BAND, &state).series[1].name, "fitted power law, exponent 1.00");
}

#[test]
fn every_preset_shows_its_charts_and_says_when_nothing_moves() {
    for preset in presets::PRESETS.iter().copied().flatten() {
        let state = open(preset.link.split_once("regression").map_or("", |(_, rest)| rest));
        for chart in &state.player.run.link.view.show {
            assert_eq!(chart.applies(&state.player.run), Ok(()), "{} {chart:?}", preset.slug);
        }
        let advice = cannot_learn(state.player.run.spec());
        let stands_still = ["zero-descent", "dead-descent"].contains(&preset.slug);
        assert_eq!(advice.len(), usize::from(stands_still), "{}: {advice:?}", preset.slug);
        let mut race = comparison(of(&state));
        (0..5).for_each(|_| race.step());
        assert_eq!(race.measure().distance_from_start == 0.0, stands_still, "{}", preset.slug);
    }
    assert_eq!(cannot_learn(open("?act=sigmoid&w0=0").player.run.spec()), [""; 0]);
}

/// Section 5.1, for weights of our own draw: its numbers within a factor of three, but for jumps of the band.
#[test]
fn the_table_of_the_summary_holds() {
    let row = |rest: &str| {
        let state = open(rest);
        let mut race = comparison(of(&state));
        let mut found = vec![];
        for step in 1..=100 {
            race.step();
            if [1, 10, 100].contains(&step) {
                found.push(race.measure().distance);
            }
        }
        found
    };
    for (rest, wanted) in [
        ("?delta=0.1", [8.6e-3, 0.040, 0.054]),
        ("?act=tanh&knots=8", [0.039, 0.13, 0.44]),
        ("?act=tanh&knots=32", [2.5e-3, 7.1e-3, 0.021]),
    ] {
        let found = row(rest);
        // The first step depends on the draw most.
        let near = |at: usize, factor: f64| (1.0 / factor..factor).contains(&(found[at] / wanted[at]));
        assert!(near(0, 10.0) && near(1, 3.0) && near(2, 3.0), "{rest}: {found:?} {wanted:?}");
    }
    let exact = row("");
    assert!(exact[0] < 1e-14 && exact[1] < 1e-14 && (1e-5..1e-3).contains(&exact[2]), "{exact:?}");
}

#[test]
fn the_label_of_the_query_changes_nothing_and_the_order_of_examples_the_rounding() {
    let after = |rest: &str| {
        let state = open(rest);
        let mut race = comparison(of(&state));
        (0..30).for_each(|_| race.step());
        race.state().tokens.clone()
    };
    let plain = after("");
    assert_eq!(after("?qy=7"), plain);
    let shuffled = after("?order=shuffled");
    assert!(shuffled != plain && euclidean_distance(&shuffled, &plain) < 1e-13);
}
