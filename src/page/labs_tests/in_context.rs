//! The charts of the lab, and what is said of them.

use crate::opened::{chart_grid, chart_lines, measurement_row, open_page};
use crate::state::{Action, State};
use vivarium_labs::in_context::InContextState;
use vivarium_labs::in_context::baselines::{applicable_baselines, baseline_color, baseline_name};
use vivarium_labs::in_context::panel::action::{self, PromptAction};
use vivarium_labs::in_context::probes::{R2_BY_EXAMPLES, curve};
use vivarium_labs::in_context::weights::PARAMETERS;
use vivarium_model::permalink::encode;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::tasks::in_context_learning::charts;
use vivarium_plot::analysis::{Heatmap, LineChart, Reading, Role};
use vivarium_science::functions::baselines::Baseline;
use vivarium_science::functions::{FunctionClass, FunctionPrompts};
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::status;
use vivarium_view::display::summary::{extra_number, metric_names};
use vivarium_view::display::sweep::SweepRunResult;

fn open(rest: &str) -> State {
    open_page(&format!("#v1/in-context-learning{rest}"))
}

/// A computation in slices, to its end.
fn settle(state: &mut State) {
    while state.player.run.is_busy() {
        state.player.run.continue_work();
    }
}

fn of(state: &State) -> &InContextState {
    state.player.run.lab_state().unwrap()
}

fn look_at(state: &mut State, what: PromptAction) -> String {
    let runs = state.player.run.run_count;
    let request = action::build_request(of(state), what);
    assert_eq!(state.apply(Action::Request(request)), []);
    assert_eq!(state.player.run.run_count, runs, "nothing restarts");
    settle(state);
    encode(&state.player.run.link).replace("#v1/in-context-learning", "")
}

#[test]
fn methods_are_measured_once_and_kept_for_runs_on_the_same_prompts() {
    let mut state = open("");
    let expected = applicable_baselines(&of(&state).prompts);
    let trained = [Baseline::BestPerPrompt, Baseline::BestForAll, Baseline::LastEpoch];
    assert_eq!(expected, [[Baseline::Affine, Baseline::Neighbours].as_slice(), &trained].concat());
    for method in &expected {
        let judged = of(&state).baseline_curve(*method).unwrap();
        let last = judged.r2_after(16).unwrap();
        assert!((-0.5..1.0).contains(&last), "{method:?}: {last}");
        let (places, prompts) = if method.is_trained() { (8, 256) } else { (17, 512) };
        assert_eq!((judged.example_counts.len(), judged.prompt_count), (places, prompts));
    }
    // The best epoch of each prompt is at least as good as that of all prompts, and that as the last one, by definition.
    let all = trained.map(|method| of(&state).baseline_curve(method).unwrap().curve.mean.clone());
    for pair in all.windows(2) {
        assert!(pair[0].iter().zip(&pair[1]).all(|(better, worse)| better >= worse));
    }
    let judged = of(&state).baseline_curves.clone();
    state.apply(Action::Edit("blocks".into(), "1".into()));
    assert_eq!(of(&state).baseline_curves, judged, "the same prompts");
    state.apply(Action::Edit("k".into(), "4".into()));
    assert_ne!(of(&state).baseline_curves, judged, "others");
}

#[test]
fn reference_lines_are_of_the_last_point() {
    let mut state = open("");
    state.player.run.add_measurement(measurement_row(0, 1.5));
    state.player.run.add_measurement(measurement_row(100, 0.25));
    let drawn = chart_lines(charts::EXPLAINED, &state);
    assert_eq!((drawn.series[1].y.as_slice(), drawn.y_label.as_str()), ([-0.5, 0.75].as_slice(), "R²"));
    let names: Vec<&str> = drawn.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["training, all points", "held-out, last point"]);
    // Each method has a line, of which methods that reach the same have one.
    let expected: Vec<f32> = drawn.reference_lines.iter().map(|line| line.0 as f32).collect();
    assert!((1..=5).contains(&expected.len()));
    for method in applicable_baselines(&of(&state).prompts) {
        let r2 = of(&state).baseline_curve(method).unwrap().r2_after(16).unwrap();
        assert!(expected.iter().any(|line| (line - r2).abs() <= 0.0102 * (1.0 - r2)), "{method:?}: {r2}");
    }
    let sentence = charts::EXPLAINED.summary(&state.player.run);
    assert!(sentence.contains("0.750") && sentence.contains("Ridge on (x, 1)"), "{sentence}");
    assert!(
        sentence.contains("best epoch for all prompts") && sentence.contains("best epoch for each prompt"),
        "{sentence}"
    );
    // A logarithmic axis has errors.
    let log = open("?y=log");
    let drawn = chart_lines(charts::EXPLAINED, &log);
    assert!(drawn.log_y && drawn.y_label == "error 1 − R²");
    assert!(
        drawn
            .reference_lines
            .iter()
            .zip(&expected)
            .all(|(line, r2)| (line.0 as f32 - (1.0 - r2)).abs() < 1e-6)
    );
}

#[test]
fn curves_by_number_of_examples_have_the_network_with_its_band() {
    let mut state = open("?points=5&long=7");
    let found = curve::R2Curve {
        mean: vec![-0.5, 0.0, 0.4, 0.6, 0.7, 0.6, 0.5],
        low: vec![-0.6; 7],
        high: vec![0.8; 7],
    };
    state.player.run.add_result(
        100,
        ProbeResult::new(R2_BY_EXAMPLES.id())
            .with_few_numbers([0.7, 0.4])
            .with_counts([7, 64])
            .with_numbers(found.to_numbers()),
    );
    let drawn = chart_lines(charts::EXAMPLES, &state);
    let network = drawn.series.last().unwrap();
    assert_eq!((network.name.as_str(), network.y.as_slice()), ("network", found.mean.as_slice()));
    assert_eq!(network.band[2], (-0.6, 0.8));
    assert_eq!(drawn.marks, [(4.0, "last point of a training prompt".to_string())]);
    assert_eq!(drawn.series.len(), 1 + applicable_baselines(&of(&state).prompts).len());
    let looks: Vec<_> =
        drawn.series.iter().map(|series| (series.role as usize, series.muted_colour)).collect();
    assert!(looks.iter().enumerate().all(|(at, one)| !looks[..at].contains(one)), "{looks:?}");
    let sentence = charts::EXAMPLES.summary(&state.player.run);
    assert!(
        sentence.contains("Network: 0.000 after 1, 0.400 after 2, 0.700 after 4, 0.500 after 6"),
        "{sentence}"
    );
    // As errors on a logarithmic axis.
    state.apply(Action::ToggleAxis("y"));
    let drawn = chart_lines(charts::EXAMPLES, &state);
    assert!(drawn.log_y && (drawn.series.last().unwrap().y[0] - 1.5).abs() < 1e-6);
}

#[test]
fn every_method_of_a_run_has_a_look_of_its_own() {
    let of = FunctionPrompts::default;
    for prompts in [
        of(),
        FunctionPrompts { class: FunctionClass::Tree, ..of() },
        FunctionPrompts { class: FunctionClass::Linear, noise: 0.0, ..of() },
        FunctionPrompts { class: FunctionClass::Sparse, noise: 0.5, ..of() },
    ] {
        // What the charts draw beside methods: the function, the network and the examples.
        let mut known = vec![(Role::Other, None), (Role::Test, None), (Role::Relevant, Some(2))];
        for method in applicable_baselines(&prompts) {
            let (role, tint) = baseline_color(method);
            let is_other =
                |(other, of): &(Role, Option<usize>)| tint != *of || (tint.is_none() && role != *other);
            assert!(known.iter().all(is_other), "{method:?}");
            assert!(!baseline_name(method).is_empty());
            known.push((role, tint));
        }
    }
}

/// A network without training is worse than the mean, which is neither 0 nor at the edge of the chart.
#[test]
fn r2_below_0_is_drawn_where_it_is() {
    let range = |r2: &[f32]| {
        let mut state = open("");
        r2.iter()
            .enumerate()
            .for_each(|(step, r2)| state.player.run.add_measurement(measurement_row(step as u64, 1.0 - r2)));
        let drawn = chart_lines(charts::EXPLAINED, &state);
        assert!(drawn.series.iter().all(|series| series.is_clipped));
        assert!(
            drawn.reference_lines.iter().all(|line| line.0 >= drawn.y_range.unwrap().0),
            "{:?}",
            drawn.reference_lines
        );
        drawn.y_range.unwrap().0
    };
    assert_eq!(range(&[-0.189, 0.5]), -0.25);
    assert_eq!(range(&[-0.6, 0.5]), -0.75);
    assert_eq!(range(&[-40.0, 0.5]), -1.0, "what is worse ends at the edge");
    let mut state = open("?points=5&long=5");
    let found =
        curve::R2Curve { mean: vec![-0.6, 0.0, 0.4, 0.6, 0.7], low: vec![-0.6; 5], high: vec![0.8; 5] };
    state.player.run.add_result(
        100,
        ProbeResult::new(R2_BY_EXAMPLES.id())
            .with_few_numbers([0.7, 0.4])
            .with_counts([5, 64])
            .with_numbers(found.to_numbers()),
    );
    let drawn = chart_lines(charts::EXAMPLES, &state);
    assert!(
        (-1.0..=-0.75).contains(&drawn.y_range.unwrap().0) && drawn.series.iter().all(|one| one.is_clipped)
    );
}

#[test]
fn a_prompt_is_shown_with_as_many_examples_as_a_person_wants() {
    let mut state = open("");
    assert_eq!(action::describe_origin(of(&state)), "Held-out prompt 1 of 64: 17 points of one function.");
    let all = chart_lines(charts::PROMPT, &state);
    assert_eq!(look_at(&mut state, PromptAction::ShowExamples(3)), "?place=3");
    let few = chart_lines(charts::PROMPT, &state);
    assert_eq!(charts::PROMPT.title(&state.player.run), "Prompt 1: predictions after 3 examples");
    let named = |lines: &LineChart, name: &str| lines.series.iter().find(|s| s.name == name).unwrap().clone();
    assert_eq!((named(&all, "examples shown").x.len(), named(&few, "examples shown").x.len()), (16, 3));
    assert_eq!(named(&all, "the function"), named(&few, "the function"));
    assert_eq!((all.y_range, all.x_range), (few.y_range, few.x_range), "the axes stay");
    for curve in ["network", "Ridge on (x, 1)", "Trained network, last epoch"] {
        assert_ne!(named(&all, curve).y, named(&few, curve).y, "{curve}");
        assert!(named(&few, curve).y.iter().all(|y| y.is_finite()), "{curve}");
    }
    // The prediction at the question is the one of the table.
    let predictions = action::prediction_rows(of(&state), &state.player.run.link.view);
    assert_eq!(predictions.len(), 1 + 3);
    assert_eq!(predictions[0][0], "The network");
    assert_eq!(predictions[0][1], action::point_row(of(&state), 3)[3]);
    let sentence = action::describe_prompt(of(&state), &state.player.run.link.view);
    assert!(sentence.starts_with("After 3 examples the question is x = "), "{sentence}");
    // All of them are the default again; and too many are all.
    assert_eq!(look_at(&mut state, PromptAction::ShowExamples(16)), "");
    assert_eq!(look_at(&mut state, PromptAction::ShowExamples(99)), "");
    assert_eq!(look_at(&mut state, PromptAction::ShowExamples(0)), "?place=1");
    let before = of(&state).inspected.row.clone();
    assert_eq!(look_at(&mut state, PromptAction::ShowPrompt(3)), "?example=3&place=1");
    assert_ne!(of(&state).inspected.row, before);
    assert_eq!(of(&state).inspected.shown_count, 1);
}

/// The curve of the network passes through what it answers at the question itself.
#[test]
fn the_network_is_drawn_as_it_answers() {
    let state = open("?place=5");
    let inspected = &of(&state).inspected;
    let drawn = inspected.curves.as_ref().unwrap();
    let question = f64::from(inspected.input(5)[0]);
    let after = drawn.positions.iter().position(|x| *x > question).unwrap();
    let [low, high] = [after - 1, after].map(|at| drawn.network[at]);
    let (least, most) = (low.min(high), low.max(high));
    let beyond = 0.2 * (most - least) + 0.05;
    assert!(((least - beyond)..=(most + beyond)).contains(&inspected.prediction(5)), "{low} {high}");
}

#[test]
fn what_is_found_of_a_network_is_looked_into() {
    let mut state = open("");
    let before = of(&state).inspected.clone();
    let numbers: Vec<f32> =
        state.player.run.spec().initialize_parameters().concat().iter().map(|w| 1.5 * w).collect();
    state.player.run.add_result(10, ProbeResult::new(PARAMETERS.id()).with_numbers(numbers.clone()));
    settle(&mut state);
    let after = of(&state);
    assert_eq!(after.step, 10);
    assert_ne!(after.inspected.predictions, before.predictions);
    assert_ne!(after.inspected.curves.as_ref().unwrap().network, before.curves.unwrap().network);
    assert_eq!(
        after.inspected.baseline_predictions, before.baseline_predictions,
        "methods know nothing of the network"
    );
    // A finding of another network is not taken.
    state.player.run.add_result(20, ProbeResult::new(PARAMETERS.id()).with_numbers(numbers[..9].to_vec()));
    assert_eq!(of(&state).step, 10);
    // Of a network that is too large nothing is looked into.
    let large = open("?points=128&blocks=4&width=256&heads=8&dmlp=1024");
    assert!((PARAMETERS.applies)(large.player.run.spec()).is_err());
    assert!(of(&large).inspected.predictions.is_empty() && of(&large).inspected.heads.is_empty());
    assert_eq!(
        charts::MAPS.reading(&large.player.run),
        Reading::Grid(Heatmap { title: "Attention maps".into(), ..Heatmap::default() })
    );
}

#[test]
fn maps_stand_layer_by_layer_and_follow_the_examples() {
    let mut state = open("?place=2");
    let drawn = chart_grid(charts::MAPS, &state);
    // Two examples and the question are five tokens; two layers of two heads, with a line between.
    assert_eq!((drawn.rows, drawn.columns), (11, 11));
    assert_eq!((drawn.row_names[0].as_str(), drawn.row_names[4].as_str()), ("x1", "x3"));
    assert_eq!(drawn.row_names[5], "", "the line");
    let cell = |row: usize, column: usize| drawn.values[row * 11 + column];
    assert_eq!(cell(0, 0), 1.0, "the first token looks at itself");
    assert!(cell(0, 1).is_nan() && cell(5, 3).is_nan(), "nothing later, and nothing between");
    let sum: f32 = (6..11).map(|column| cell(10, column)).sum();
    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    let sentence = charts::MAPS.summary(&state.player.run);
    assert!(sentence.starts_with("Attention of the query's token: in head 1 of layer 1, "), "{sentence}");
    state.apply(Action::Edit("head".into(), "3".into()));
    let one = chart_grid(charts::MAPS, &state);
    assert_eq!((one.rows, one.columns), (5, 5));
    assert_eq!(charts::MAPS.title(&state.player.run), "Attention map of head 1 in layer 2");
    let before = charts::MAPS.stamp(&state.player.run);
    look_at(&mut state, PromptAction::ShowExamples(4));
    assert_ne!(charts::MAPS.stamp(&state.player.run), before);
    assert_eq!(chart_grid(charts::MAPS, &state).rows, 9);
    // Of many tokens too, every map begins again with the first.
    let drawn = chart_grid(charts::MAPS, &open(""));
    assert_eq!((drawn.columns, drawn.column_names.len(), drawn.row_names.len()), (67, 67, 67));
    assert_eq!([0, 33, 34, 66].map(|at| drawn.column_names[at].as_str()), ["x1", "", "x1", "x17"]);
}

#[test]
fn functions_of_many_numbers_are_not_drawn_over_one() {
    let state = open("?dim=2");
    assert!(charts::PROMPT.applies(&state.player.run).is_err());
    assert!(of(&state).inspected.curves.is_none());
    assert!(action::format_input(of(&state), 0).starts_with('('));
    assert!(charts::MAPS.applies(&state.player.run).is_ok());
}

#[test]
fn sweeps_are_drawn_as_explained_variance() {
    let mut state = open("?sweep=blocks:1_2&series=format:interleaved_joint");
    let outcome = |r2: f32| SweepRunResult {
        solved_steps: vec![None],
        final_metrics: [1.0 - r2, r2],
        final_accuracies: vec![r2],
        final_measures: vec![],
        rows: vec![],
    };
    for r2 in [0.25, 0.75] {
        state.player.run.sweep.as_mut().unwrap().finish_run(outcome(r2));
    }
    let drawn = chart_lines(charts::DEPTH, &state);
    assert_eq!(drawn.series.len(), 2);
    let known: Vec<f32> = drawn.series.iter().flat_map(|s| s.y.iter().copied()).collect();
    assert!(known.contains(&0.25) && known.contains(&0.75), "{known:?}");
    let beside = chart_lines(charts::EXPLAINED, &state).reference_lines;
    assert!(!beside.is_empty() && drawn.reference_lines == beside, "methods stand beside layers");
    assert!(charts::DEPTH.summary(&state.player.run).contains("0.250"));
    assert!(charts::DEPTH.applies(&open("").player.run).is_err());
}

/// Of swept prompts the methods differ from run to run: what an affine fit reaches is a curve, for all runs at once.
#[test]
fn sweeps_over_prompts_have_the_affine_fit_next_to_them() {
    let mut state = open("?dim=2&const=no&points=21&dist=mixture&sweep=tw2:0_0.5");
    settle(&mut state);
    let drawn = chart_lines(charts::DEPTH, &state);
    assert!(drawn.reference_lines.is_empty());
    let affine = drawn.series.iter().find(|series| series.name == baseline_name(Baseline::Affine)).unwrap();
    assert_eq!(affine.x, [0.0, 0.5]);
    assert!(affine.y[0] > 0.85, "on N(−2, I) random networks are nearly affine: {:?}", affine.y);
    assert!(affine.y[1] < affine.y[0] - 0.1, "on the mixture they are not: {:?}", affine.y);
    let sentence = charts::DEPTH.summary(&state.player.run);
    assert!(sentence.contains("Ridge on (x, 1): ") && sentence.contains("2"), "{sentence}");
    // The first is what is measured of that run alone, up to the prompts that are read.
    let alone = of(&state).baseline_curve(Baseline::Affine).unwrap().r2_after(20).unwrap();
    assert!((alone - affine.y[0]).abs() < 0.02, "{alone}");
    // Of other sweeps, and of sweeps over two settings, there is none.
    for link in ["?sweep=blocks:1_2", "?sweep=ts:0.5_1&series=blocks:1_2", ""] {
        assert!(of(&open(link)).sweep_regression.is_none(), "{link}");
    }
}

/// Predictions for other inputs are shown without training again.
#[test]
fn inputs_can_be_multiplied_while_the_run_goes_on() {
    let mut state = open("");
    let (before, judged) = (of(&state).inspected.clone(), of(&state).baseline_curves.clone());
    assert!(of(&state).scaled_curve().is_none());
    let beside = chart_lines(charts::EXPLAINED, &state).reference_lines;
    assert_eq!(look_at(&mut state, PromptAction::ScaleInputs(4)), "?shift=2");
    let after = of(&state);
    assert_eq!(after.inspected.input(0)[0], 2.0 * before.input(0)[0]);
    assert!(after.baseline_curves.len() == judged.len() && after.baseline_curves != judged);
    assert_ne!(after.inspected.predictions, before.predictions);
    let network = after.scaled_curve().unwrap().mean.clone();
    let drawn = chart_lines(charts::EXAMPLES, &state);
    assert_eq!(drawn.series.last().unwrap().y, network);
    assert_eq!(charts::EXAMPLES.title(&state.player.run), "R² by number of examples, inputs multiplied by 2");
    assert!(charts::EXAMPLES.summary(&state.player.run).contains("inputs multiplied by 2"));
    assert!(action::describe_shift(&state.player.run.link.view).contains("2 times"));
    // The run's own measurements are not on such prompts, and no line of such a prompt stands beside them.
    assert!(!beside.is_empty() && chart_lines(charts::EXPLAINED, &state).reference_lines.is_empty());
    // Another network is measured anew.
    let numbers: Vec<f32> =
        state.player.run.spec().initialize_parameters().concat().iter().map(|w| 1.5 * w).collect();
    state.player.run.add_result(10, ProbeResult::new(PARAMETERS.id()).with_numbers(numbers));
    settle(&mut state);
    assert_ne!(of(&state).scaled_curve().unwrap().mean, network);
    // A run whose test has these inputs says the same of the first network.
    let same = open("?ts=2");
    assert_eq!(of(&same).inspected.row, of(&state).inspected.row);
    assert_eq!(of(&same).baseline_curves, of(&state).baseline_curves);
    // And back.
    assert_eq!(look_at(&mut state, PromptAction::ScaleInputs(0)), "");
    assert_eq!((&of(&state).baseline_curves, &of(&state).inspected.row), (&judged, &before.row));
    assert_eq!(chart_lines(charts::EXPLAINED, &state).reference_lines, beside);
    for place in -action::MAX_QUARTERS..=action::MAX_QUARTERS {
        assert_eq!(action::nearest_quarters(action::scale_factor(place)), place);
    }
    assert_eq!([-99, 99].map(action::scale_factor), [0.25, 4.0]);
}

/// The page measures as the worker does.
#[test]
fn the_network_on_changed_inputs_is_measured_as_the_worker_measures() {
    let measured = |link: &str| {
        let state = open(link);
        let spec = state.player.run.spec().clone();
        let on = vivarium_labs::in_context::weights::points_network(&spec).unwrap();
        let parameters = spec.initialize_parameters();
        let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        let network = on.plain(&slices);
        let mut whole = vivarium_labs::in_context::probes::measured::R2Measurement::new(
            &spec,
            on.prompts.clone(),
            network.clone(),
        );
        let mut parts =
            vivarium_labs::in_context::probes::measured::R2Measurement::new(&spec, on.prompts, network);
        while !whole.advance(f64::INFINITY) {}
        while !parts.advance(1.0) {}
        assert_eq!(whole.r2_curve_of_read_prompts(), parts.r2_curve_of_read_prompts());
        (whole.r2_curve_of_read_prompts(), whole.point_and_prompt_counts())
    };
    let (curve, counts) = measured("?held=64&ts=2");
    assert_eq!((curve.mean.len(), counts), (17, [17, 64]));
    let state = open("?held=64&shift=2");
    assert_eq!(of(&state).scaled_curve(), Some(&curve));
}

#[test]
fn words_are_those_of_points() {
    let mut state = open("");
    state.player.run.phase = vivarium_view::display::RunPhase::Running;
    state.player.run.add_measurement(measurement_row(100, 0.25));
    state.player.run.step = 100;
    assert_eq!(metric_names(&state.player.run)[3], "R², held-out, last point of a prompt");
    assert_eq!(extra_number(&state.player.run, 0), ("Prompts seen".into(), "6,400".into()));
    let best = extra_number(&state.player.run, 1);
    assert!(best.0 == "Best method that uses only one prompt" && best.1.ends_with(')'), "{best:?}");
    let sentence = status::describe_status(&state.player.run, String::new);
    assert!(
        sentence.starts_with("Learning: R² at the last point of a prompt is 0.750; ")
            && sentence.contains(" the best method that uses only one prompt has R² 0."),
        "{sentence}"
    );
    state.player.run.add_solved(0, 100);
    assert_eq!(
        status::describe_found(&state.player.run),
        "R² at the last point of a prompt is at least 0.95 at step 100."
    );
}

/// A method that the charts leave out is named, wherever the others stand.
#[test]
fn a_network_that_takes_too_long_to_train_is_named() {
    let large = "?dim=20&points=128&k=32&deep=6";
    let state = open(large);
    let missing = "A network that is trained on the examples of a prompt is not measured, because training takes too long at these settings.";
    for chart in [charts::EXPLAINED, charts::EXAMPLES] {
        let sentence = chart.summary(&state.player.run);
        assert!(sentence.ends_with(missing), "{sentence}");
    }
    let view = &state.player.run.link.view;
    assert!(
        action::describe_prompt(of(&state), view)
            .ends_with("because training takes too long at these settings.")
    );
    let small = open("");
    let sentence = charts::EXAMPLES.summary(&small.player.run);
    assert!(sentence.contains("Trained network, last epoch (256 prompts): "), "{sentence}");
    assert!(
        !sentence.contains("too long")
            && !action::describe_prompt(of(&small), &small.player.run.link.view).contains("too long")
    );
    let sentence = charts::EXPLAINED.summary(&small.player.run);
    assert!(!sentence.contains("too long"), "{sentence}");
}

/// Only the lab of the transformer that is written down may say so of a network.
#[test]
fn nothing_here_is_called_gradient_descent() {
    for preset in vivarium_labs::in_context::presets::PRESETS.iter().copied().flatten() {
        for text in [preset.name, preset.claim, preset.remarks] {
            assert!(!text.to_lowercase().contains("gradient descent"), "{}", preset.slug);
        }
    }
}

/// Another network than the transformer of the lab predicts the same prompt, if it has the length of training.
#[test]
fn a_network_of_ones_own_predicts_the_prompt_that_is_shown() {
    let net = "model=own&net=embed~8;positions;attention~2;mlp~9;read";
    let state = open(&format!("?points=9&{net}"));
    let state = of(&state);
    let spec = open_page(&format!("#v1/in-context-learning?points=9&{net}")).player.run.spec().clone();
    let weights = spec.initialize_replicas(1);
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let exact = spec.network().evaluate(&weights, 2, &state.inspected.row, 0);
    let exact: Vec<f64> = exact.into_iter().map(f64::from).collect();
    assert_eq!(state.inspected.predictions, exact);
    assert_eq!(exact.len(), 9);
    let longer = open(&format!("?points=9&long=12&{net}"));
    assert!(of(&longer).inspected.predictions.is_empty());
    let why = charts::MAPS.applies(&open(&format!("?{net}")).player.run).unwrap_err();
    assert_eq!(why, "Available only for the in-context transformer.");
}
