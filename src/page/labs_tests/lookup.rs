//! The charts of the lab, and what is said of them.

use crate::opened::{chart_grid, chart_lines, measurement_row, open_page};
use crate::state::{Action, State};
use vivarium_labs::lookup::LookupState;
use vivarium_labs::lookup::panel::action;
use vivarium_labs::lookup::probes::HEADS;
use vivarium_labs::lookup::weights::PARAMETERS;
use vivarium_labs::lookup::weights::span::OUTSIDE;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::tasks::sparse_token_regression::charts;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::status;
use vivarium_view::display::summary::{extra_number, metric_names};
use vivarium_view::display::sweep::SweepRunResult;

fn open(rest: &str) -> State {
    open_page(&format!("#v1/sparse-token-regression{rest}"))
}

/// Ends the next run of the sweep: its networks reached the target at these steps, and ended with these errors.
fn end(state: &mut State, times: &[Option<u64>], errors: &[f32]) {
    let right: Vec<f32> = errors.iter().map(|error| 1.0 - error).collect();
    let outcome = SweepRunResult {
        solved_steps: times.to_vec(),
        final_metrics: [errors[0], right[0]],
        final_accuracies: right,
        final_measures: vec![],
        rows: vec![],
    };
    state.player.run.sweep.as_mut().unwrap().finish_run(outcome);
}

#[test]
fn the_error_has_the_floors_of_fewer_heads() {
    let heights = |rest: &str| {
        chart_lines(charts::ERROR, &open(rest)).reference_lines.iter().map(|r| r.0).collect::<Vec<_>>()
    };
    let near = |found: Vec<f64>, expected: &[f64]| {
        assert!(found.len() == expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    };
    near(heights(""), &[0.5, 1.0]);
    // That of the run's own heads comes first.
    near(heights("?q=3&h=1"), &[2.0 / 3.0, 1.0 / 3.0, 1.0]);
    near(heights("?q=3&h=2"), &[1.0 / 3.0, 2.0 / 3.0, 1.0]);
    // A mean needs one head, and of scores that read numbers theory says nothing exact.
    for rest in ["?g=mean", "?scores=all", "?model=token-mlp"] {
        near(heights(rest), &[1.0]);
    }
    let mut state = open("?h=1");
    state.player.run.add_measurement(measurement_row(50, 0.5));
    let summary = charts::ERROR.summary(&state.player.run);
    assert!(summary.ends_with("The theoretical lower bound with 1 head is 0.500."), "{summary}");
    assert_eq!(chart_lines(charts::ERROR, &state).y_label, "relative error");
}

#[test]
fn words_are_those_of_labels_that_are_numbers() {
    let mut state = open("?h=1");
    state.player.run.phase = vivarium_view::display::RunPhase::Running;
    state.player.run.add_measurement(measurement_row(50, 0.75));
    state.player.run.step = 50;
    assert_eq!(metric_names(&state.player.run)[1], "Relative error, held-out");
    assert_eq!(extra_number(&state.player.run, 0), ("Sequences seen".into(), "3,200".into()));
    assert_eq!(extra_number(&state.player.run, 1), ("Theoretical lower bound".into(), "0.500".into()));
    let text = status::describe_status(&state.player.run, String::new);
    assert_eq!(
        text,
        "Learning: the relative error is 0.750; the theoretical lower bound with 1 head is 0.500"
    );
    state.player.run.add_solved(0, 50);
    assert_eq!(
        status::describe_found(&state.player.run),
        "At least 95.0 % of the variance is explained at step 50."
    );
    assert_eq!(
        vivarium_model::chart::ACCURACY.title(&state.player.run),
        "Share of the variance that is explained, R²"
    );
    assert_eq!(
        vivarium_model::chart::LOSS.title(&state.player.run),
        "Loss relative to the variance of the labels"
    );
}

#[test]
fn steps_are_counted_as_sequences_on_request() {
    let mut state = open("?count=examples&batch=32");
    state.player.run.add_measurement(measurement_row(0, 1.0));
    state.player.run.add_measurement(measurement_row(50, 0.5));
    let drawn = chart_lines(charts::ERROR, &state);
    assert_eq!(
        (drawn.x_label_and_scale(), drawn.series[1].x.as_slice()),
        (("sequences seen", 32.0), [0.0, 50.0].as_slice())
    );
    let before = charts::ERROR.stamp(&state.player.run);
    state.apply(Action::ToggleAxis("count"));
    assert_eq!(chart_lines(charts::ERROR, &state).x_label_and_scale(), ("step", 1.0));
    assert_ne!(charts::ERROR.stamp(&state.player.run), before);
    state.apply(Action::Undo);
    assert_eq!(state.player.message, "Undone: the change of the setting “horizontal axis of curves”.");
    assert_eq!(chart_lines(charts::ERROR, &state).x_label_and_scale().1, 32.0);
}

#[test]
fn the_matrix_has_a_block_outlined_for_each_name_of_each_head() {
    let state = open("?begin=construction&h=3");
    let drawn = chart_grid(charts::MATRIX, &state);
    // Three matrices of 24 with a column between.
    assert_eq!((drawn.rows, drawn.columns, drawn.outlines.len()), (24, 74, 6));
    let largest = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
        let cells = rows.flat_map(|row| columns.clone().map(move |column| row * 74 + column));
        cells.map(|at| drawn.values[at]).fold(0.0, f32::max)
    };
    let most: Vec<bool> = drawn.outlines.iter().map(|(r, c)| largest(r.clone(), c.clone()) > 0.0).collect();
    assert_eq!(
        most,
        [true, false, false, true, false, false],
        "head 1 has the first name, head 2 the second"
    );
    assert_eq!((drawn.row_names[0].as_str(), drawn.row_names[8].as_str()), ("ω 1", "t1 1"));
    assert!(charts::MATRIX.summary(&state.player.run).ends_with("and 0.000 elsewhere."));
    let one = open("?begin=construction&h=3&head=2");
    assert_eq!(
        (chart_grid(charts::MATRIX, &one).columns, chart_grid(charts::MATRIX, &one).outlines.len()),
        (24, 2)
    );
    assert_eq!(charts::MATRIX.title(&one.player.run), "Query-key matrix |W_QK|, head 2");
    assert!(charts::MATRIX.applies(&open("?model=gru").player.run).is_err());
}

#[test]
fn glances_outline_the_named_positions_and_follow_the_place() {
    let mut state = open("?begin=construction&place=3");
    let drawn = chart_grid(charts::GLANCES, &state);
    assert_eq!((drawn.rows, drawn.columns), (2, 8));
    let of = state.player.run.lab_state::<LookupState>().unwrap();
    for (head, name) in of.names_at(2).iter().enumerate() {
        assert!(drawn.values[head * 8 + name] > 0.99);
        assert_eq!(drawn.outlines[head], (0..2, *name..name + 1));
    }
    assert_eq!(charts::GLANCES.title(&state.player.run), "Attention of the heads at position 3");
    assert!(charts::GLANCES.summary(&state.player.run).starts_with("Names at position 3: "));
    let before = charts::GLANCES.stamp(&state.player.run);
    state.apply(Action::Edit("place".into(), "4".into()));
    assert_ne!(charts::GLANCES.stamp(&state.player.run), before);
}

#[test]
fn what_is_found_of_a_network_is_looked_into() {
    let mut state = open("");
    let before = state.player.run.lab_state::<LookupState>().unwrap().inspected.outputs.clone();
    let numbers: Vec<f32> =
        state.player.run.spec().initialize_parameters().concat().iter().map(|w| 2.0 * w).collect();
    state.player.run.add_result(10, ProbeResult::new(PARAMETERS.id()).with_numbers(numbers));
    let after = state.player.run.lab_state::<LookupState>().unwrap();
    assert_eq!(after.step, 10);
    assert_ne!(after.inspected.outputs, before);
    state.player.run.add_result(10, ProbeResult::new(HEADS.id()).with_few_numbers([0.25, 0.75]));
    let drawn = chart_lines(charts::ANSWERED, &state);
    assert_eq!(drawn.series.iter().map(|series| series.y[0]).collect::<Vec<_>>(), [0.75, 0.25]);
    assert!(charts::ANSWERED.summary(&state.player.run).contains(", 25.0 % of the attention is"));
    // Of a network that is too large nothing is looked into.
    let large = open("?model=gru&width=500");
    assert!((PARAMETERS.applies)(large.player.run.spec()).is_err());
    assert!(
        large
            .player
            .run
            .lab_state::<LookupState>()
            .unwrap()
            .inspected
            .outputs
            .iter()
            .all(|answer| answer.is_nan())
    );
}

#[test]
fn pairs_of_random_codes_that_are_too_alike_are_counted() {
    let text =
        |rest: &str| action::describe_code_pairs(open(rest).player.run.lab_state::<LookupState>().unwrap());
    // Codes of one sign are the same or opposite; of 64 signs no two of four are alike.
    assert!(
        text("?n=9&codes=random&de=1")
            .is_some_and(|text| text.starts_with("For 36 of 36 pairs of positions"))
    );
    assert!(
        text("?n=4&codes=random&de=64").is_some_and(|text| text.starts_with("For 0 of 6 pairs of positions"))
    );
    let short = open("?n=33&codes=random");
    let of = short.player.run.lab_state::<LookupState>().unwrap();
    let counted = vivarium_science::tokens::count_strong_pairs(&of.codes, of.prompts.code_dim);
    assert!(counted > 0 && of.correlated_code_pairs == Some(counted), "{counted}");
    assert_eq!([text(""), text("?codes=orthogonal")], [None, None]);
}

#[test]
fn stairs_stand_next_to_their_floors() {
    let mut state = open("?q=2&sweep=h:1_2_3&replicas=3");
    end(&mut state, &[None; 3], &[0.5, 0.49, 0.52]);
    let drawn = chart_lines(charts::STAIRS, &state);
    assert_eq!(
        (drawn.series[0].x.as_slice(), drawn.series[0].y.as_slice()),
        ([1.0].as_slice(), [0.5].as_slice())
    );
    assert_eq!((drawn.series[1].x.len(), drawn.series[1].y.as_slice()), (3, [0.5, 0.0, 0.0].as_slice()));
    assert_eq!(charts::STAIRS.summary(&state.player.run), "median: 0.500 with 1 head (lower bound 0.500).");
    assert!(charts::STAIRS.applies(&open("?sweep=n:4_8").player.run).is_err());
    assert!(charts::STAIRS.applies(&open("?g=mean&sweep=h:1_2").player.run).is_err());
}

#[test]
fn sequences_to_the_target_have_both_fits() {
    let mut state = open("?dim=4&q=1&g=linear&replicas=5&sweep=n:4_8_16");
    for steps in [100, 130, 160] {
        end(&mut state, &[Some(steps); 5], &[0.04; 5]);
    }
    let drawn = chart_lines(charts::NEEDED, &state);
    assert_eq!(
        (drawn.series.len(), drawn.series[0].y.as_slice()),
        (3, [6400.0, 8320.0, 10_240.0].as_slice())
    );
    assert!(drawn.log_x && drawn.log_y);
    // Steps that rise by as much for each doubling are a logarithm, exactly.
    let fitted = &drawn.series[1];
    assert!(fitted.name.starts_with("2,560 + 2,770 ln "), "{}", fitted.name);
    assert!(fitted.name.ends_with(", 95 % interval 2,770 to 2,770"), "{}", fitted.name);
    assert!((fitted.y[0] - 6400.0).abs() < 1.0 && (fitted.y.last().unwrap() - 10_240.0).abs() < 1.0);
    let text = charts::NEEDED.summary(&state.player.run);
    assert!(
        text.contains("6,400 at N = 4") && text.contains("∝ N^0.339, 95 % interval 0.339 to 0.339"),
        "{text}"
    );
    // Of several models the exponents stand in the names.
    let mut race = open("?dim=4&q=1&g=linear&sweep=n:4_8&series=model:token-attention_token-mlp");
    for steps in [100, 100, 200, 400] {
        end(&mut race, &[Some(steps)], &[0.04]);
    }
    let drawn = chart_lines(charts::NEEDED, &race);
    let ends: Vec<bool> =
        drawn.series.iter().zip(["^1.00", "^2.00"]).map(|(s, e)| s.name.ends_with(e)).collect();
    assert_eq!(ends, [true, true], "{:?}", drawn.series.iter().map(|s| &s.name).collect::<Vec<_>>());
}

#[test]
fn retrieval_falls_on_a_straight_line_below_its_bound() {
    let mut state =
        open("?n=16&dim=4&q=1&g=linear&enc=root&h=1&begin=construction&sharp=1&sweep=sharp:1_2_3");
    let drawn = chart_lines(charts::SHARPNESS, &state);
    let [exact, bound] = &drawn.series[..] else { panic!("two curves before any run") };
    assert!(drawn.log_y && bound.y[0] == 16.0);
    // With one-hot codes and s² = 4 the error falls by e⁴ for each unit of α once it is small.
    let height = |alpha: f64| f64::from(exact.interpolate(alpha).unwrap());
    assert!(((height(2.25) / height(3.0)).ln() / 0.75 - 4.0).abs() < 0.05, "{exact:?}");
    assert!(exact.x.iter().zip(&exact.y).all(|(x, y)| *y <= bound.y[0] * (-2.0 * *x as f32).exp() + 1e-6));
    end(&mut state, &[None], &[0.25]);
    assert_eq!(chart_lines(charts::SHARPNESS, &state).series[2].y, [0.5]);
    assert!(charts::SHARPNESS.summary(&state.player.run).contains("falls by 2.00 when α increases by 1"));
}

/// The attention of the weights in the tensors themselves: prompts in which position 0 names every position in turn, scores
/// zᵀWz′ entry by entry, and their softmax.
fn min_share(state: &State) -> f64 {
    let spec = state.player.run.spec();
    let of = state.player.run.lab_state::<LookupState>().unwrap();
    let (prompts, weights) = (of.prompts, spec.initialize_replicas(1));
    let (n, d, q, size) = (prompts.length, prompts.dim, prompts.names, prompts.code_dim);
    let read = (q + 1) * size;
    let factor = match prompts.code_scaling {
        vivarium_science::tokens::CodeScale::One => 1.0,
        vivarium_science::tokens::CodeScale::Root => (d as f64 / q as f64).sqrt(),
    };
    let code = |position: usize, at: usize| factor * f64::from(weights[0][position * size + at]);
    let mut least = f64::INFINITY;
    for head in 0..q {
        for named in 0..n {
            // The code of the own position first, then one for each name.
            let numbers = |position: usize, names: &dyn Fn(usize) -> usize| -> Vec<f64> {
                (0..read)
                    .map(|at| code(if at < size { position } else { names(at / size - 1) }, at % size))
                    .collect()
            };
            let query = numbers(0, &|which| if which == head { named } else { (named + 1) % n });
            let score = |position: usize| {
                let key = numbers(position, &|which| (position + which) % n);
                let mut sum = 0.0;
                for (row, x) in query.iter().enumerate() {
                    for (column, y) in key.iter().enumerate() {
                        sum += x * f64::from(weights[1][(head * read + row) * read + column]) * y;
                    }
                }
                sum
            };
            let scores: Vec<f64> = (0..n).map(score).collect();
            let all: f64 = scores.iter().map(|score| (score - scores[named]).exp()).sum();
            least = least.min(1.0 / all);
        }
    }
    least
}

#[test]
fn what_attention_set_by_hand_gives_a_named_token_is_computed_from_its_weights() {
    let hand = "?begin=construction&knots=2";
    for (rest, says) in [
        // Codes that obey assumption 3 get what the usual sharpness promises.
        (format!("{hand}&h=2"), "at least 99.99 %"),
        (format!("{hand}&h=3&q=3&dim=4&enc=root&codes=orthogonal"), "at least 99.99 %"),
        (format!("{hand}&n=9&q=1&h=1&sharp=3"), "at least 71.5"),
        // Short random codes do not, and of equal codes the named token has no more than the others.
        (format!("{hand}&n=12&q=1&h=1&codes=random"), "at least "),
        (format!("{hand}&n=6&q=1&h=1&codes=random&de=1"), "at least "),
    ] {
        let state = open(&rest);
        let (_, share) = state.player.run.lab_state::<LookupState>().unwrap().hand_set_attention.unwrap();
        let expected = min_share(&state);
        assert!((share - expected).abs() < 1e-5, "{rest}: {share} {expected}");
        let text = action::describe_codes(state.player.run.lab_state::<LookupState>().unwrap()).unwrap();
        assert!(text.contains(says), "{rest}: {text}");
        let percent = format!("{}.{:02} %", (1e4 * share) as u64 / 100, (1e4 * share) as u64 % 100);
        assert!(text.contains(&percent) || percent == "100.00 %", "{rest}: {percent} in {text}");
    }
    // One-hot codes by hand: 8 others with e⁻³ each.
    let by_hand = 1.0 / (1.0 + 8.0 * (-3.0f64).exp());
    let state = open(&format!("{hand}&n=9&q=1&h=1&sharp=3"));
    assert!((min_share(&state) - by_hand).abs() < 1e-6 && (by_hand - 0.715).abs() < 1e-3);
    // Codes of one sign: two or more of six are equal, so that the named token has half of the attention at most.
    let equal = open(&format!("{hand}&n=6&q=1&h=1&codes=random&de=1"));
    assert!(min_share(&equal) <= 0.5);
    let random = open("");
    assert_eq!(random.player.run.lab_state::<LookupState>().unwrap().hand_set_attention, None);
}

/// The curve is below the bound N exp(−αs²/2) wherever no two codes have an inner product above 1/2; what is said of the
/// bound follows the factor of the codes.
#[test]
fn the_bound_of_the_sharpness_has_the_factor_of_the_codes() {
    let link = "?n=16&dim=4&q=1&g=linear&h=1&begin=construction&sharp=1&sweep=sharp:1_2_3";
    // With s = √(d/q) = 2 the bound falls by e² for each unit of α, and with s = 1 by √e.
    for (enc, square, slope) in [("root", "4.00", 2.0), ("one", "1.00", 0.5)] {
        let state = open(&format!("{link}&enc={enc}"));
        let drawn = chart_lines(charts::SHARPNESS, &state);
        let [exact, bound] = &drawn.series[..] else { panic!("two curves before any run") };
        assert_eq!(bound.name, "bound N exp(−αs²/2)");
        let end = *bound.x.last().unwrap();
        let height = 16.0 * (-slope * end).exp();
        assert!((f64::from(*bound.y.last().unwrap()) / height - 1.0).abs() < 1e-5, "{enc}: {bound:?}");
        assert!(exact.x.iter().zip(&exact.y).all(|(x, y)| f64::from(*y) <= 16.0 * (-slope * x).exp() + 1e-6));
        let text = charts::SHARPNESS.summary(&state.player.run);
        assert!(text.contains(&format!("has the square {square} in this run")), "{text}");
        assert!(text.contains("The bound holds for the codes of this run"), "{text}");
    }
    let alike = open(&format!("{link}&codes=random&de=4"));
    let text = charts::SHARPNESS.summary(&alike.player.run);
    assert!(text.contains("The bound does not hold for the codes of this run"), "{text}");
}

#[test]
fn what_a_sample_cannot_tell_stands_next_to_what_networks_reach() {
    let link = "?model=token-mlp&n=16&dim=8&q=1&lists=one&g=linear";
    let mut state = open(&format!("{link}&m=64&sweep=m:32_64_96"));
    end(&mut state, &[None], &[0.9]);
    let drawn = chart_lines(charts::SPAN, &state);
    let [mean, own, trained] = &drawn.series[..] else { panic!("three curves") };
    assert_eq!((mean.interpolate(64.0), trained.x.as_slice()), (Some(0.5), [32.0].as_slice()));
    assert!((trained.y[0] - 0.9).abs() < 1e-6);
    assert_eq!(drawn.y_range, Some((0.0, 1.05)));
    // The oracle on these very prompts: it begins at 1, falls, and lies near the mean.
    assert!(own.y[0] == 1.0 && own.y.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6));
    assert!((own.interpolate(32.0).unwrap() - 0.75).abs() < 0.1, "{:?}", own.interpolate(32.0));
    assert!(charts::SPAN.applies(&open("").player.run).is_err());
    // The theorem is about feedforward networks.
    assert!(charts::SPAN.applies(&open("?n=16&dim=8&q=1&lists=one&g=linear&m=64").player.run).is_err());
    let mut single = open(&format!("{link}&m=64"));
    single.player.run.add_measurement(measurement_row(50, 0.6));
    assert_eq!(chart_lines(charts::SPAN, &single).series[2].y, [0.6]);
    let summary = charts::SPAN.summary(&single.player.run);
    assert!(
        summary.ends_with("trained on 64 prompts leaves 0.600 of the variance unexplained."),
        "{summary}"
    );
    single.player.run.add_result(50, ProbeResult::new(OUTSIDE.id()).with_few_numbers([0.125]));
    let summary = charts::SPAN.summary(&single.player.run);
    assert!(summary.contains("Outside this span is 12.5 % of ‖W‖²"), "{summary}");
    let outside = chart_lines(charts::SPAN, &single).series.pop().unwrap();
    assert_eq!((outside.x, outside.y), (vec![64.0], vec![0.125]));
    // Above the error of predicting the mean a network still lies below the edge of the chart.
    end(&mut state, &[None], &[1.2]);
    let worse = chart_lines(charts::SPAN, &state);
    assert!((worse.series[2].y[1] - 1.2).abs() < 1e-6);
    assert!(worse.y_range.is_some_and(|(low, high)| low == 0.0 && (high - 1.26).abs() < 1e-6));
}

#[test]
fn slots_are_filled_as_the_prompt_passes() {
    let mut state = open("?model=gated-memory&lists=one&slots=names");
    assert!(chart_grid(charts::SLOTS, &state).values.iter().all(|cell| cell.is_nan()), "nothing has passed");
    let mut parameters = state.player.run.spec().initialize_parameters();
    parameters[1] = vec![8.0];
    state.player.run.add_result(8, ProbeResult::new(PARAMETERS.id()).with_numbers(parameters.concat()));
    let drawn = chart_grid(charts::SLOTS, &state);
    assert_eq!((drawn.rows, drawn.columns), (2, 8));
    let of = state.player.run.lab_state::<LookupState>().unwrap();
    for (slot, name) in of.names_at(0).iter().enumerate() {
        for at in 0..8 {
            let held = if at < *name { 0.0 } else { of.token_at(*name)[0] };
            assert!((drawn.values[slot * 8 + at] - held).abs() < 1e-6, "slot {slot} after {at}");
        }
    }
    assert!(
        charts::SLOTS
            .summary(&state.player.run)
            .starts_with("The memory has read 8 of 8 positions. Each of the 2 slots")
    );
    assert!(charts::SLOTS.applies(&open("").player.run).is_err());
}
