//! Charts and sentences of the page on runs on sequences.

use super::opened::{chart_bars, chart_grid, chart_lines, open_page as open};
use super::state::{Action, State};
use vivarium_labs::markov::probes::{ABLATION, PARAMETERS};
use vivarium_labs::markov::state::{MarkovState, Predictor, SequenceOrigin};
use vivarium_model::chart;
use vivarium_model::chart::Chart;
use vivarium_model::chart::ChartKind;
use vivarium_model::permalink::encode;
use vivarium_model::protocol::{EndReason, Event, Measurement, Payload, ProbeResult};
use vivarium_model::tasks::ExampleForm;
use vivarium_model::tasks::markov::charts as markov_charts;
use vivarium_player::status::status_line;
use vivarium_plot::analysis::{Reading, Role};
use vivarium_science::markov::{BayesDivergence, ChainMeasure, Strategy};
use vivarium_view::display::RunPhase;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::summary::{LatestMetrics, extra_number, metric_names};

/// Posterior mean after 001010 for uniform rows, by a midpoint rule with 4,000 nodes for each row.
const BAYES_AFTER_AABABA: [f64; 2] = [0.432_139_276, 0.567_860_724];

fn chains(state: &State) -> &MarkovState {
    state.player.run.lab_state::<MarkovState>().unwrap()
}

/// A measurement whose KL to the truth is `kl`, nearest to the strategy of this order.
fn row(step: u64, kl: f32, near: usize, replicas: usize) -> Measurement {
    let measures = ChainMeasure::ALL.iter().enumerate().map(|(at, _)| match at {
        at if at <= 2 => vec![(at as f32 - near as f32).abs(); replicas],
        _ => vec![0.25; replicas],
    });
    Measurement {
        step,
        train_loss: vec![0.6; replicas],
        train_accuracy: vec![0.7; replicas],
        test_loss: vec![kl; replicas],
        test_accuracy: vec![0.4; replicas],
        measures: measures.collect(),
        ..Default::default()
    }
}

/// Returns a page with a run of the lab in this phase, with the losses of the known strategies.
fn state_at_phase(link: &str, phase: RunPhase, solved: &[(usize, u64)]) -> State {
    let mut state = open(link);
    let replicas = state.player.run.spec().run.replicas;
    let known = [Strategy::Uniform, Strategy::Unigram, Strategy::Bigram, Strategy::Trigram];
    let order = chains(&state).task.order;
    let all = known.into_iter().zip([0.2, 0.088, 0.018, 0.005]).take(order + 1).collect();
    let chains = state.player.run.lab_state_mut::<MarkovState>().unwrap();
    (chains.strategy_kl, chains.bayes) = (all, Some(BayesDivergence { kl: 0.017, standard_error: 0.0 }));
    state.player.run.history.push(row(0, 0.2, 0, replicas));
    state.player.run.history.push(row(225, 0.091, 1, replicas));
    (state.player.run.step, state.player.run.phase, state.player.run.solved) = (400, phase, solved.to_vec());
    state
}

#[test]
fn the_catalogue_of_sequences_has_its_order() {
    let of_sequences = Chart::ALL.iter().filter(|chart| chart.form() == Some(ExampleForm::Sequence));
    let slugs: Vec<&str> = of_sequences.map(|chart| chart.slug()).collect();
    assert_eq!(
        slugs.join(" "),
        "kl strategies scores map distances ablation others gradients swaps kernel lags next theory"
    );
    let state = open("#v1/markov");
    assert_eq!(
        state.player.run.link.view.show,
        [markov_charts::TRUTH, markov_charts::STRATEGIES, markov_charts::MAP, markov_charts::DISTANCES]
    );
    let link = "#v1/markov?show=loss.kl.ablation.next";
    assert_eq!(encode(&open("#v1/markov?show=next.kl.ablation.loss").player.run.link), link);
}

#[test]
fn every_chart_has_the_shape_that_the_catalogue_says_and_a_sentence() {
    for link in [
        "#v1/markov",
        "#v1/markov?k=3&t=100&gram=3&heads=2.2&norm=pre&replicas=3&head=3&place=9",
        "#v1/markov?heads=4&off=1.4&seq=0.1.1.0&k=8&x=log&y=log",
        "#v1/markov?pos=absolute&chain=90.10.30.70",
        "#v1/markov?model=minimal-markov",
        "#v1/markov?model=minimal-markov&k=3&t=10&gram=3",
    ] {
        for measured in [false, true] {
            let mut state = open(link);
            if measured {
                let replicas = state.player.run.spec().run.replicas;
                state.player.run.history.push(row(0, 0.2, 0, replicas));
                state.player.run.history.push(row(5, 0.1, 1, replicas));
            }
            for chart in Chart::ALL.iter().filter(|chart| chart.applies(&state.player.run).is_ok()) {
                let shape = match chart.reading(&state.player.run) {
                    Reading::Lines(_) => ChartKind::Lines,
                    Reading::Grid(grid) => {
                        assert_eq!(grid.rows * grid.columns, grid.values.len(), "{chart:?}");
                        for (names, count) in
                            [(&grid.row_names, grid.rows), (&grid.column_names, grid.columns)]
                        {
                            assert!(names.is_empty() || names.len() == count, "{chart:?} {link}");
                        }
                        ChartKind::Grid
                    }
                    Reading::Bars(_) => ChartKind::Bars,
                };
                assert_eq!(shape, chart.info().kind, "{chart:?}");
                let sentence = chart.summary(&state.player.run);
                assert!(
                    sentence.ends_with('.') && !sentence.contains("NaN"),
                    "{chart:?} of {link}: {sentence}"
                );
                assert!(!chart.title(&state.player.run).is_empty());
            }
        }
    }
}

#[test]
fn charts_are_there_where_they_have_something_to_show() {
    let there = |link: &str| {
        let state = open(link);
        let all = Chart::ALL.iter().filter(|chart| chart.form() == Some(ExampleForm::Sequence));
        let shown: Vec<&str> =
            all.filter(|chart| chart.applies(&state.player.run).is_ok()).map(|chart| chart.slug()).collect();
        shown.join(" ")
    };
    assert_eq!(
        there("#v1/markov"),
        "kl strategies scores map distances ablation others gradients swaps next"
    );
    assert_eq!(
        there("#v1/markov?pos=absolute&gram=3"),
        "kl strategies scores map ablation gradients swaps next"
    );
    assert_eq!(
        there("#v1/markov?model=minimal-markov"),
        "kl strategies distances others gradients swaps kernel lags next theory"
    );
    assert_eq!(there("#v1/sparse-parity"), "");
    let state = open("#v1/markov");
    let probe = |chart| state.player.run.probe_of(chart).map(|probe| probe.id());
    assert_eq!(probe(markov_charts::MAP), Some(PARAMETERS.id()));
    assert_eq!(probe(markov_charts::ABLATION), Some(ABLATION.id()));
    assert_eq!(probe(markov_charts::TRUTH), None);
}

#[test]
fn divergences_and_cross_entropies_share_no_chart() {
    let mut state = state_at_phase("#v1/markov", RunPhase::Running, &[]);
    for (chart, title) in [(chart::LOSS, "Training loss"), (chart::ACCURACY, "Training accuracy")] {
        let drawn = chart_lines(chart, &state);
        assert_eq!((drawn.title.as_str(), drawn.series.len()), (title, 1));
        assert_eq!((drawn.series[0].role, drawn.series[0].x.len()), (Role::Train, 2));
    }
    let kl = chart_lines(markov_charts::TRUTH, &state);
    assert_eq!((kl.series[0].y.as_slice(), kl.spans.len()), ([0.2, 0.091].as_slice(), 2));
    let references: Vec<&str> = kl.reference_lines.iter().map(|r| r.1.as_str()).collect();
    assert_eq!(references.join(" "), "uniform unigram bigram Bayes-optimal");
    assert_eq!((kl.reference_lines[2].0, kl.reference_lines[3].0), (0.018, 0.017));
    let mut sampled = state_at_phase("#v1/markov?k=3", RunPhase::Running, &[]);
    let line = BayesDivergence { kl: 0.017, standard_error: 0.000_25 };
    sampled.player.run.lab_state_mut::<MarkovState>().unwrap().bayes = Some(line);
    let names = chart_lines(markov_charts::TRUTH, &sampled).reference_lines;
    assert_eq!(names[3].1, "Bayes-optimal ± 2.50e−4");
    let sentence = markov_charts::TRUTH.summary(&sampled.player.run);
    assert!(
        sentence.contains("0.0170 (standard error 2.50e−4) for the Bayes-optimal prediction"),
        "{sentence}"
    );
    assert!(kl.marks.is_empty());
    state.player.run.solved = vec![(0, 225)];
    assert_eq!(chart_lines(markov_charts::TRUTH, &state).marks, [(225.0, "half-way".to_string())]);
    assert_eq!(chart_lines(chart::LOSS, &state).marks, [(225.0, "target".to_string())]);
    state.player.run.link.view.y_axis = vivarium_model::permalink::AxisScale::Log;
    assert!(
        chart_lines(markov_charts::TRUTH, &state).log_y && !chart_lines(markov_charts::SCORES, &state).log_y
    );
}

#[test]
fn the_strategies_have_lines_up_to_the_order() {
    for (link, count) in [("#v1/markov", 3), ("#v1/markov?gram=3&t=100", 4)] {
        let found = chains(&open(link)).strategy_kl.clone();
        assert_eq!(found.len(), count);
        assert!(found.windows(2).all(|pair| pair[0].1 > pair[1].1), "{found:?}");
        assert_eq!(chart_lines(markov_charts::STRATEGIES, &open(link)).series.len(), count);
    }
}

#[test]
fn the_sequence_that_is_looked_into_comes_from_where_the_link_says() {
    let look = |link: &str| chains(&open(link)).inspected.clone();
    let held_out = look("#v1/markov");
    assert_eq!((held_out.symbols.len(), held_out.origin), (50, SequenceOrigin::HeldOut(1)));
    assert!(held_out.chain.is_some() && look("#v1/markov?example=2").symbols != held_out.symbols);
    let drawn = look("#v1/markov?chain=90.10.30.70");
    assert_eq!((drawn.symbols.len(), drawn.origin), (50, SequenceOrigin::Drawn(1)));
    assert_ne!(look("#v1/markov?chain=90.10.30.70&example=2").symbols, drawn.symbols);
    let own = look("#v1/markov?t=4&seq=1.1.0.0.1.0");
    assert_eq!(
        (own.symbols.as_slice(), own.origin, own.chain),
        ([0, 0, 1, 0].as_slice(), SequenceOrigin::Entered, None)
    );
}

#[test]
fn expectations_are_probabilities_of_the_right_symbols() {
    let state = open("#v1/markov?seq=0.0.1.0.1.0&chain=90.10.30.70&place=3");
    let of = |place: usize| chains(&state).predict_next(place);
    let who: Vec<String> = of(5).into_iter().map(|(who, _)| who.name()).collect();
    assert_eq!(who.join(" "), "truth network uniform unigram bigram Bayes-optimal");
    assert!(of(5).iter().all(|(_, p)| (p.iter().sum::<f64>() - 1.0).abs() < 1e-6));
    let near = |a: &[f64], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(&of(5)[0].1, [0.9, 0.1]) && near(&of(4)[0].1, [0.3, 0.7]));
    // After abab, a is followed twice by b and once by a.
    assert!(near(&of(5)[4].1, [2.0 / 5.0, 3.0 / 5.0]), "{:?}", of(5));
    assert!(near(&of(5)[5].1, BAYES_AFTER_AABABA), "{:?}", of(5));
    let shown = chart_grid(markov_charts::NEXT, &state);
    assert_eq!((shown.rows, shown.columns, shown.marked_rows.as_slice()), (6, 2, [1].as_slice()));
    assert!((shown.values[0] - 0.3).abs() < 1e-6, "the third symbol is b");
    let unknown = open("#v1/markov?seq=0.0.1");
    assert_eq!(chains(&unknown).predict_next(2)[0].0, Predictor::Network);
    assert!(
        markov_charts::NEXT
            .summary(&unknown.player.run)
            .starts_with("Most likely next symbol after symbol 3 of your own sequence, aab:")
    );
}

#[test]
fn predictions_look_by_the_heads_of_the_last_layer() {
    let state = open("#v1/markov?heads=1.2&seq=0.1.0");
    let glances = chains(&state).head_weights(1);
    assert_eq!(glances.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["2.1", "2.2"]);
    assert!(
        glances.iter().all(|g| g.weights[2] == 0.0 && (g.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9)
    );
    // Counts of pairs: only what has followed the current symbol counts.
    let state = open("#v1/markov?model=minimal-markov&from=bigram&seq=0.1.0.0.1.0");
    assert_eq!(chains(&state).head_weights(5)[0].weights, [0.0, 1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
}

#[test]
fn maps_are_of_one_head_or_of_all() {
    let map = |link: &str| chart_grid(markov_charts::MAP, &open(link));
    let both = map("#v1/markov?seq=0.1.0");
    assert_eq!((both.rows, both.columns), (3, 7));
    let one = map("#v1/markov?seq=0.1.0&head=2&place=2");
    assert_eq!((one.rows, one.columns, one.title.as_str()), (3, 3, "Attention map, head 2.1"));
    assert_eq!((one.marked_rows.as_slice(), one.row_names.join("")), ([1].as_slice(), "aba".into()));
    assert!(one.values.iter().all(|share| (0.0..=1.0).contains(share)));
    assert_eq!(map("#v1/markov?seq=0.1.0&head=9").columns, 7, "a head that is not there is all of them");
}

#[test]
fn findings_reach_their_charts() {
    let mut state = open("#v1/markov");
    let stamp = markov_charts::MAP.stamp(&state.player.run);
    let count: usize = state.player.run.spec().parameters().iter().map(|p| p.shape[1] * p.shape[2]).sum();
    let parameters = |numbers| ProbeResult::new(PARAMETERS.id()).with_numbers(numbers);
    state.player.run.add_result(5, parameters(vec![0.5; count - 1]));
    assert_eq!(chains(&state).step, 0, "numbers of another network");
    for step in 1..40 {
        state.player.run.add_result(step, parameters(vec![0.0; count]));
    }
    let chains = chains(&state);
    assert_eq!(chains.step, 39);
    assert!(chains.distances.iter().count() <= 7);
    assert!(chains.inspected.trace.logits.iter().all(|z| *z == 0.0));
    state.player.run.add_result(40, ProbeResult::new(ABLATION.id()).with_numbers(vec![0.02, 0.1, 0.09]));
    assert_eq!(chart_bars(markov_charts::ABLATION, &state).bars[1], ("1.1".to_string(), 0.1));
    let distances = chart_lines(markov_charts::DISTANCES, &state);
    assert!(distances.log_y && distances.series.last().unwrap().y.iter().all(|w| (w - 1.0).abs() < 1e-6));
    state.apply(Action::Edit("example".into(), "2".into()));
    assert_ne!(markov_charts::MAP.stamp(&state.player.run), stamp);
}

#[test]
fn parameters_of_a_worker_travel_to_the_sequence() {
    use vivarium_player::device::GpuSupport;
    use vivarium_player::trainer::{Program, TrainerMessage};
    let mut state = open("#v1/markov?model=minimal-markov&device=cpu");
    state.apply(Action::GpuDetected(GpuSupport::NoAdapter));
    let mut hear = |event, payload| {
        let message = vivarium_model::protocol::EventMessage { event, payload };
        state.apply(Action::Trainer(Program::Cpu, TrainerMessage::Message(message)));
    };
    let report = vivarium_model::protocol::DeviceInfo {
        kind: vivarium_model::protocol::DeviceKind::Cpu,
        name: "CPU".into(),
        simulated: false,
    };
    hear(Event::Ready(report), Payload::Empty);
    let (relevant, learner, note) = (vec![], String::new(), String::new());
    let started = Event::Started { step: 0, relevant, held_out: 256, parameters: 54, learner, note };
    hear(started, Payload::Empty);
    let finding = ProbeResult::new(PARAMETERS.id());
    let numbers = [vec![1.0, 0.0, 0.0, 1.0], vec![0.25, 0.5], vec![0.0; 48]].concat();
    hear(Event::Probed { step: 7, finding }, Payload::Numbers(numbers));
    assert_eq!(
        (chains(&state).step, chart_grid(markov_charts::KERNEL, &state).values),
        (7, vec![1.0, 0.0, 0.0, 1.0])
    );
    assert_eq!(chart_bars(markov_charts::LAGS, &state).bars[1], ("1".to_string(), 0.5));
    assert_eq!(extra_number(&state.player.run, 1), ("v₁ / v₀".to_string(), "2.000".to_string()));
    assert_eq!(chart_lines(markov_charts::THEORY, &state).series.last().unwrap().name, "trained network");
    assert_eq!(
        markov_charts::LAGS.summary(&state.player.run),
        "The largest entry of v is 0.500, at distance 1."
    );
}

#[test]
fn the_status_line_says_which_strategy_is_nearest_and_when_the_head_formed() {
    let last = RunPhase::Finished(EndReason::LastStep);
    let text = |link: &str, phase: &RunPhase, solved: &[(usize, u64)]| {
        status_line(&state_at_phase(link, phase.clone(), solved).player)
    };
    assert_eq!(
        text("#v1/markov", &RunPhase::Running, &[]),
        "Learning: the network is nearest to the unigram strategy. KL 0.091, unigram 0.088, bigram 0.018"
    );
    let many = "#v1/markov?replicas=10";
    assert!(text(many, &RunPhase::Running, &[]).contains("KL 0.091 in the median, unigram"));
    assert_eq!(
        text("#v1/markov", &RunPhase::Finished(EndReason::Target), &[(0, 225)]),
        "Target reached at step 225: the KL is more than half-way from the unigram KL to the bigram KL. The attention does not show \
         an induction head: at step 225 the previous-token score is 0.250 and the induction score is 0.250, not both at least 0.800."
    );
    let attends = |previous: f32, induction: f32| {
        let mut state = state_at_phase("#v1/markov", RunPhase::Finished(EndReason::Target), &[(0, 225)]);
        let mut last = row(225, 0.05, 2, 1);
        last.measures[ChainMeasure::Previous as usize] = vec![previous];
        last.measures[ChainMeasure::Induction as usize] = vec![induction];
        state.player.run.history.push(last);
        status_line(&state.player)
    };
    assert!(attends(0.95, 0.85).ends_with(
        "An induction head has formed: at step 225 the previous-token score is 0.950 and the induction score is 0.850, both at \
         least 0.800."
    ));
    for (previous, induction) in [(0.79, 0.9), (0.9, 0.79)] {
        assert!(!attends(previous, induction).contains("has formed"));
    }
    let seven: Vec<(usize, u64)> = (0..7).map(|r| (r, 200 + r as u64)).collect();
    assert_eq!(
        text(many, &last, &seven),
        "Target reached by 7 of 10 networks, between steps 200 and 206: the KL is more than half-way from the unigram KL to the bigram \
         KL. The attention does not show an induction head: at step 225 the median previous-token score is 0.250 and the median induction \
         score is 0.250, not both at least 0.800. Ended at step 400."
    );
    assert_eq!(text(many, &RunPhase::Running, &seven), "Learning. Target reached by 7 of 10 networks");
    let minimal = text("#v1/markov?model=minimal-markov&target=0.8", &RunPhase::Running, &[(0, 40)]);
    assert_eq!(
        minimal,
        "Target reached at step 40: the KL is at least 80.0 % of the way from the unigram KL to the bigram KL. Training continues."
    );
    // Independent symbols are predicted best by unigrams, so the share of the way is counted from the uniform strategy.
    let mut independent =
        state_at_phase("#v1/markov?test=iid", RunPhase::Finished(EndReason::Target), &[(0, 40)]);
    let lines = [(Strategy::Uniform, 0.2), (Strategy::Unigram, 0.01), (Strategy::Bigram, 0.02)];
    independent.player.run.lab_state_mut::<MarkovState>().unwrap().strategy_kl = lines.to_vec();
    let text_of = status_line(&independent.player);
    assert!(text_of.contains("half-way from the uniform KL to the unigram KL"), "{text_of}");
    assert_eq!(extra_number(&independent.player.run, 0).0, "KL divided by unigram KL");
    assert_eq!(metric_names(&independent.player.run)[3], "Progress towards the KL of the unigram strategy");
    let third = text("#v1/markov?gram=3", &RunPhase::Finished(EndReason::Target), &[(0, 40)]);
    assert!(third.contains("from the bigram KL to the trigram KL."), "{third}");
    assert_eq!(text("#v1/markov", &last, &[]), "Ended at step 400 without reaching the target");
}

#[test]
fn numbers_go_by_what_they_are() {
    let state = state_at_phase("#v1/markov", RunPhase::Running, &[]);
    assert_eq!(
        metric_names(&state.player.run),
        [
            "Loss, training",
            "KL to the truth",
            "Accuracy, training",
            "Progress towards the KL of the bigram strategy"
        ]
    );
    assert_eq!(LatestMetrics::of(&state.player.run).test_loss, "0.091");
    assert_eq!(
        extra_number(&state.player.run, 0),
        ("KL divided by bigram KL".to_string(), "5.056".to_string())
    );
    assert_eq!(extra_number(&state.player.run, 1), ("Previous-token score".to_string(), "0.250".to_string()));
    assert_eq!(metric_names(&open("#v1/sparse-parity").player.run)[1], "Loss, held-out");
    let teacher = open("#v1/teacher-student");
    assert_eq!(metric_names(&teacher.player.run)[0], "Loss −y·f(x), training");
    assert_eq!(
        chart::LOSS.title(&teacher.player.run),
        "Loss −y·f(x): negative for right answers, lower is better"
    );
    let summary = chart::LOSS.summary(&teacher.player.run);
    assert!(summary.ends_with("It is negative for a right answer, and a lower loss is better."), "{summary}");
    assert_eq!(chart::LOSS.title(&open("#v1/teacher-student?loss=hinge").player.run), "Loss");
    assert_eq!(
        markov_charts::TRUTH.summary(&state.player.run),
        "KL to the true distribution: 0.091 for the network, 0.200 for the uniform strategy, 0.0880 for the unigram strategy, \
         0.0180 for the bigram strategy and 0.0170 for the Bayes-optimal prediction; the network is nearest to the unigram strategy."
    );
}

/// Heads of a network of one's own are drawn and switched off like those of the transformer.
#[test]
fn attention_of_a_network_of_ones_own_is_drawn_head_by_head() {
    let net = "k=3&t=12&model=own&net=embed~8;positions;attention~2;gru~6;attention~1~size~4;read";
    let mut state = open(&format!("#v1/markov?{net}"));
    assert_eq!(chains(&state).head_names(), ["1.1", "1.2", "2.1"]);
    let heads = &chains(&state).inspected.trace.heads;
    assert_eq!(heads.iter().map(|head| head.layer).collect::<Vec<_>>(), [0, 0, 1]);
    for head in heads {
        for (query, row) in head.shares.chunks(12).enumerate() {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5);
            assert!(row[query + 1..].iter().all(|weight| *weight == 0.0));
        }
    }
    for chart in [markov_charts::MAP, markov_charts::ABLATION, markov_charts::NEXT] {
        assert_eq!(chart.applies(&state.player.run), Ok(()), "{}", chart.slug());
    }
    let why = markov_charts::SCORES.applies(&state.player.run).unwrap_err();
    assert_eq!(why, "The scores of heads are not measured in a network of your own.");
    let whole = chains(&state).inspected.trace.logits.clone();
    assert!(whole.iter().all(|logit| logit.is_finite()) && whole.len() == 12 * 3);
    let mut link = state.player.run.link.clone();
    link.view.markov.off = vec![3];
    state = open(&encode(&link));
    assert_ne!(chains(&state).inspected.trace.logits, whole);
    assert_eq!(chains(&state).inspected.whole_logits, whole);
    // A network that is too large for a frame has no maps, and says why.
    let large = open("#v1/markov?t=256&model=own&net=embed~64;attention~4;mlp~512;read");
    assert!(!chains(&large).has_attention_maps());
    assert!(markov_charts::MAP.applies(&large.player.run).unwrap_err().contains("too large"));
}
