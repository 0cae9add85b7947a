//! The evaluator against strategies, other programs and hand-made answers.

use super::*;
use vivarium_model::permalink::decode;

fn evaluator(link: &str) -> (RunSpec, Evaluator) {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    let evaluator = Evaluator::new(&link.spec).unwrap();
    (link.spec, evaluator)
}

/// Logits of the strategy's own predictions, shifted.
fn follows(evaluator: &Evaluator, strategy: Strategy, shift: f64) -> Answers {
    let length = evaluator.contexts.len() / evaluator.count();
    let mut out = vec![0.0; evaluator.drawn.symbols];
    let mut logits = vec![];
    for context in evaluator.contexts.chunks(length) {
        strategy.predict(evaluator.drawn.symbols, evaluator.drawn.pseudocount(), context, &mut out);
        logits.extend(out.iter().map(|p| (libm::log(*p) + shift) as f32));
    }
    Answers { logits, ..Default::default() }
}

#[test]
fn only_sequences_have_an_evaluator() {
    assert!(Evaluator::new(&RunSpec::default()).is_none());
    let (_, evaluator) = evaluator("#v1/markov?held=512");
    assert_eq!((evaluator.count(), evaluator.scored()), (512 + 2 * 256, 64));
    assert_eq!(evaluator.contexts().len(), evaluator.count() * 50);
}

#[test]
fn a_network_that_follows_a_strategy_is_on_its_line() {
    for link in
        ["#v1/markov?k=3&t=40&held=300", "#v1/markov?k=2&gram=3&t=60&held=300", "#v1/markov?test=ds&k=3"]
    {
        let (_, evaluator) = evaluator(link);
        assert_eq!(evaluator.lines().len(), evaluator.drawn.order + 1);
        for (strategy, line) in evaluator.lines() {
            let evaluation = evaluator.evaluate(&follows(&evaluator, *strategy, 3.0));
            assert!((f64::from(evaluation.kl) - line).abs() < 1e-5, "{link} {strategy:?}");
            assert!(evaluation.measures[strategy.order()].unwrap().abs() < 1e-6);
            assert_eq!(evaluator.nearest(&evaluation.measures), Some(*strategy), "{link}");
            let expected = match evaluator.drawn.order - strategy.order() {
                0 => 1.0,
                1 => 0.0,
                _ => evaluator.way(*line) as f32,
            };
            assert!((evaluation.way - expected).abs() < 1e-4, "{link} {strategy:?}: {}", evaluation.way);
        }
        let [.., (_, before), (_, best)] = evaluator.lines() else { panic!("too few lines") };
        assert!((evaluator.way((before + best) / 2.0) - 0.5).abs() < 1e-12);
    }
}

/// Lines of a simulation by NumPy, of 8,000 sequences each.
#[test]
fn strategies_count_with_the_prior_of_the_test_chains() {
    for (link, expected, error) in [
        ("#v1/markov?k=3&alpha=10&held=2048", [0.0328, 0.0312, 0.0214], 0.003),
        ("#v1/markov?k=3&alpha=0.1&held=2048", [0.9007, 0.2931, 0.0237], 0.04),
        ("#v1/markov?k=2&t=10&alpha=10&held=2048", [0.0250, 0.0231, 0.0200], 0.003),
        ("#v1/markov?k=2&t=10&held=2048", [0.2093, 0.1076, 0.0653], 0.02),
    ] {
        let (_, evaluator) = evaluator(link);
        for ((strategy, line), expected) in evaluator.lines().iter().zip(expected) {
            assert!((line - expected).abs() < error, "{link} {strategy:?}: {line} {expected}");
        }
        assert!(evaluator.lines().windows(2).all(|pair| pair[0].1 > pair[1].1), "{link}");
        let way = evaluator.evaluate(&follows(&evaluator, Strategy::Bigram, 0.0)).way;
        assert!((way - 1.0).abs() < 1e-3, "{link}: {way}");
    }
    let added = |link: &str| evaluator(link).1.drawn.pseudocount();
    assert_eq!(added("#v1/markov?alpha=10&test=iid&held=64"), 1.0);
    assert_eq!(added("#v1/markov?alpha=10&data=ds&held=64"), 10.0);
}

#[test]
fn on_independent_symbols_the_way_leads_to_unigrams() {
    let (_, evaluator) = evaluator("#v1/markov?k=3&test=iid&t=100");
    let way = |strategy| evaluator.evaluate(&follows(&evaluator, strategy, 0.0)).way;
    assert!(way(Strategy::Uniform).abs() < 1e-4 && (way(Strategy::Unigram) - 1.0).abs() < 1e-4);
    let bigram = way(Strategy::Bigram);
    assert!(bigram > 0.9 && bigram < 0.99, "{bigram}");
    assert_eq!(super::way(&[(Strategy::Uniform, 0.1), (Strategy::Unigram, 0.2)], 0.1), 1.0);
    let (before, best) = between(evaluator.lines()).unwrap();
    assert_eq!((before.map(|line| line.0), best.0), (Some(Strategy::Uniform), Strategy::Unigram));
    assert!(between(&[(Strategy::Uniform, 0.1), (Strategy::Unigram, 0.2)]).unwrap().0.is_none());
}

#[test]
fn each_distribution_has_its_measure_and_its_own_sequences() {
    for (number, test) in ["dirichlet", "iid", "ds", "mixture"].into_iter().enumerate() {
        let (spec, evaluator) = evaluator(&format!("#v1/markov?k=3&t=100&held=400&test={test}"));
        assert_eq!(evaluator.count(), 400 + if test == "mixture" { 600 } else { 400 });
        let evaluation = evaluator.evaluate(&follows(&evaluator, Strategy::Bigram, 0.0));
        let on: Vec<f32> = OTHERS.iter().map(|(_, m)| evaluation.measures[*m as usize].unwrap()).collect();
        for (kl, line) in on.iter().zip([0.0261, 0.025, 0.027]) {
            assert!((kl - line).abs() < 0.007, "{test}: {on:?}");
        }
        if let Some(own) = on.get(number) {
            assert_eq!(*own, evaluation.kl);
        }
        // The truth is that of the sequence's own chain.
        let drawn = spec.task.data().chain_sequences().unwrap();
        for example in [0, 7, 399] {
            let (mut context, mut truth) = (vec![], vec![]);
            add(&drawn, drawn.test_family, spec.run.seed, example..example + 1, &mut context, &mut truth);
            assert_eq!(context, evaluator.contexts()[example * 100..][..100]);
            assert_eq!(truth, evaluator.truths()[example * 3..][..3]);
        }
        assert_eq!(lines(spec.task.sampler(), spec.run.seed, 400), evaluator.lines());
        let mut job = LinesJob::new(spec.task.sampler(), spec.run.seed, 400).unwrap();
        let parts = std::iter::repeat_with(|| job.advance(1)).position(|lines| lines.is_some());
        assert_eq!(parts, Some(400 / TOGETHER - 1), "a few contexts a part");
    }
    let (_, of_trigrams) = evaluator("#v1/markov?gram=3");
    let evaluation = of_trigrams.evaluate(&follows(&of_trigrams, Strategy::Trigram, 0.0));
    assert_eq!(of_trigrams.count(), 256);
    assert!(evaluation.measures[ChainMeasure::OnDirichlet as usize..].iter().all(Option::is_none));
}

/// KL(p ‖ even) = Σ p ln 3p.
#[test]
fn a_measure_on_another_distribution_is_the_mean_over_its_own_contexts_alone() {
    let (_, evaluator) = evaluator("#v1/markov?k=3&t=20&held=64&test=dirichlet");
    let even = Answers { logits: vec![0.0; 3 * evaluator.count()], ..Default::default() };
    let evaluation = evaluator.evaluate(&even);
    let mean = |from: usize, to: usize| {
        let mut sum = 0.0;
        for p in &evaluator.truths()[3 * from..3 * to] {
            if *p > 0.0 {
                sum += p * libm::log(3.0 * p);
            }
        }
        sum / (to - from) as f64
    };
    // 64 contexts of the test, and half as many of each of the other two.
    assert_eq!(evaluator.count(), 64 + 32 + 32);
    let is = |found: f32, exact: f64| assert!((f64::from(found) - exact).abs() < 1e-6, "{found} {exact}");
    is(evaluation.kl, mean(0, 64));
    for (measure, from, to) in [
        (ChainMeasure::OnDirichlet, 0, 64),
        (ChainMeasure::OnIndependent, 64, 96),
        (ChainMeasure::OnDoubly, 96, 128),
    ] {
        is(evaluation.measures[measure as usize].unwrap(), mean(from, to));
    }
}

#[test]
fn scores_are_the_largest_of_their_layers() {
    let (_, evaluator) = evaluator("#v1/markov?held=64");
    let scores = |heads: &[[f32; 2]], layers: &[usize]| {
        let mut answers = follows(&evaluator, Strategy::Uniform, 0.0);
        (answers.heads, answers.layers) = (heads.to_vec(), layers.to_vec());
        let measures = evaluator.evaluate(&answers).measures;
        [ChainMeasure::Previous, ChainMeasure::Induction].map(|measure| measures[measure as usize])
    };
    let heads = [[0.1, 0.9], [0.3, 0.2], [0.8, 0.4], [0.7, 0.5]];
    assert_eq!(scores(&heads, &[2, 2]), [Some(0.3), Some(0.5)]);
    assert_eq!(scores(&heads, &[1, 2, 1]), [Some(0.1), Some(0.5)]);
    assert_eq!(scores(&heads, &[4]), [Some(0.8), None]);
    assert_eq!(scores(&[], &[]), [None, None]);
}

#[test]
fn evaluations_of_all_replicas_make_one_row() {
    let of = |kl: f32, own: Option<f32>| Evaluation {
        kl,
        way: 2.0 * kl,
        measures: vec![Some(4.0 * kl), own, None],
    };
    let both = [of(0.25, Some(0.1)), of(0.5, Some(0.7))];
    let trained = Measurement {
        step: 40,
        train_loss: vec![1.0, 2.0],
        train_accuracy: vec![0.3, 0.4],
        ..Default::default()
    };
    let row = Measurement {
        test_loss: vec![0.25, 0.5],
        test_accuracy: vec![0.5, 1.0],
        measures: vec![vec![1.0, 2.0], vec![0.1, 0.7], vec![]],
        ..trained.clone()
    };
    assert_eq!(evaluated_row(40, vec![1.0, 2.0], vec![0.3, 0.4], &both), row);
    let mut one_by_one = trained;
    both.into_iter().for_each(|evaluation| evaluation.append_to(&mut one_by_one));
    assert_eq!(one_by_one, row);
}

/// 400 contexts at 32 a time are 13 parts, whatever a context costs.
#[test]
fn lines_come_in_parts_of_so_many_operations() {
    let (spec, evaluator) = evaluator("#v1/markov?k=3&t=100&held=400");
    let each = spec.task.data().chain_sequences().unwrap().operations_per_sequence();
    // The law of 3 contexts, two words for each of them, and 100 symbols.
    assert_eq!(each, 27 + 16 * 6 + 16 * 100);
    let mut job = LinesJob::new(spec.task.sampler(), spec.run.seed, 400).unwrap();
    let mut parts = std::iter::repeat_with(|| job.advance(32 * each)).take(100).enumerate();
    let (last, lines) = parts.find_map(|(part, lines)| Some((part, lines?))).unwrap();
    assert_eq!((last, lines.as_slice()), (12, evaluator.lines()));
}

#[test]
fn networks_that_are_sure_of_the_wrong_have_a_finite_divergence() {
    let (_, evaluator) = evaluator("#v1/markov?held=64");
    let logits = [[3000.0, -3000.0], [-3000.0, 3000.0]].concat().repeat(evaluator.count() / 2);
    let evaluation = evaluator.evaluate(&Answers { logits, ..Default::default() });
    assert!(evaluation.kl > 1000.0 && evaluation.kl.is_finite() && evaluation.way < -1000.0);
    let lost =
        evaluator.evaluate(&Answers { logits: vec![f32::NAN; 2 * evaluator.count()], ..Default::default() });
    assert!(lost.kl.is_nan() && evaluator.nearest(&lost.measures).is_none());
}
