//! Lines and looks in parts.

use super::*;
use vivarium_model::permalink::decode;
use vivarium_training::session::evaluator;

fn spec(text: &str) -> (RunSpec, Link) {
    let (link, notices) = decode(text);
    assert!(notices.is_empty(), "{text}: {notices:?}");
    (link.spec.clone(), link)
}

fn at_rest(state: &mut MarkovState) -> usize {
    let mut parts = 0;
    while state.is_busy() {
        assert_ne!(state.continue_work(PAGE_SLICE_OPERATIONS), WorkProgress::Done);
        parts += 1;
    }
    assert_eq!(state.continue_work(PAGE_SLICE_OPERATIONS), WorkProgress::Done);
    parts
}

#[test]
fn usual_runs_have_all_at_once() {
    for text in ["#v1/markov?k=2&t=20&held=64", "#v1/markov?model=minimal-markov&held=64"] {
        let (spec, link) = spec(text);
        let state = MarkovState::new(&spec, &link, None).unwrap();
        assert!(!state.is_busy() && state.strategy_kl.len() == 3 && !state.inspected.trace.logits.is_empty());
        let bayes = state.bayes.unwrap();
        assert!(
            (bayes.kl - state.strategy_kl[2].1).abs() < 0.01 && bayes.standard_error == 0.0,
            "{bayes:?} {:?}",
            state.strategy_kl
        );
    }
}

/// Lines of such a run, of 65,536 contexts instead of these, took 42 s of the page's thread.
#[test]
fn lines_come_in_parts_and_are_the_same() {
    let (spec, link) = spec("#v1/markov?k=8&gram=3&t=25&held=400&alpha=0.3");
    let mut state = MarkovState::new(&spec, &link, None).unwrap();
    assert!(state.strategy_kl.is_empty() && state.is_busy());
    let parts = at_rest(&mut state);
    assert!(parts > 10, "{parts}");
    assert_eq!(state.strategy_kl, evaluator::lines(spec.task.sampler(), spec.run.seed, 400));
    let after = MarkovState::new(&spec, &link, Some(&state)).unwrap();
    assert!(!after.is_busy() && after.strategy_kl == state.strategy_kl, "the same run has them already");
    assert!(state.bayes.is_some() && after.bayes == state.bayes);
    // A run that takes the place of one that was not ready goes on where that was.
    let begun = MarkovState::new(&spec, &link, None).unwrap();
    let mut next = MarkovState::new(&spec, &link, Some(&begun)).unwrap();
    assert!(at_rest(&mut next) < parts && next.strategy_kl == state.strategy_kl);
}

/// A look into such a network, with eight symbols and longer contexts, took 0.84 s.
#[test]
fn a_look_into_a_large_network_comes_in_parts_and_is_the_same() {
    let (spec, mut link) = spec("#v1/markov?k=3&t=100&d=128&heads=8.8&mlp=on&norm=pre&held=64");
    let mut state = MarkovState::new(&spec, &link, None).unwrap();
    assert!(state.parameters.is_empty(), "the worker has the first word");
    at_rest(&mut state);
    let unknown = |state: &MarkovState| state.inspected.trace.logits.iter().all(|z| z.is_nan());
    assert!(unknown(&state) && state.inspected.trace.logits.len() == 300);
    assert!(state.predict_next(99).iter().any(|(who, p)| *who == Predictor::Network && p[0].is_nan()));
    assert!(state.head_weights(99).is_empty());
    let weights = spec.initialize_replicas(1);
    let finding = ProbeResult::new(PARAMETERS.id()).with_numbers(weights.concat());
    state.add_finding(0, &finding, &link);
    assert!(state.is_busy() && unknown(&state));
    // What is found meanwhile does not hold it up.
    state.continue_work(PAGE_SLICE_OPERATIONS);
    state.add_finding(
        10,
        &ProbeResult::new(PARAMETERS.id()).with_numbers(vec![0.0; weights.concat().len()]),
        &link,
    );
    let mut parts = 0;
    while unknown(&state) {
        state.continue_work(PAGE_SLICE_OPERATIONS);
        parts += 1;
    }
    assert!(parts > 5, "{parts}");
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let Model::AttentionOnly(net) = &spec.model else { panic!("another model") };
    let of_length = attention_only::OfLength { net: net.clone(), length: 100 };
    let expected = of_length.plain(&slices, 3).look(&state.inspected.symbols, &[]);
    assert_eq!(state.inspected.trace, expected);
    assert!(state.is_busy(), "what was found meanwhile comes next");
    at_rest(&mut state);
    assert!(state.inspected.trace.logits.iter().all(|z| *z == 0.0));
    // Without a head, with all of them beside it; what was seen is shown until then.
    state.add_finding(20, &finding, &link);
    at_rest(&mut state);
    link.view.markov.off = vec![2];
    state.recompute_view(&link);
    assert_eq!(state.inspected.trace, expected);
    at_rest(&mut state);
    let without = of_length.plain(&slices, 3).look(&state.inspected.symbols, &[1]);
    assert_eq!((&state.inspected.trace, &state.inspected.whole_logits), (&without, &expected.logits));
    // Another sequence has another length.
    link.view.markov.sequence = vec![0, 1, 2, 1];
    state.recompute_view(&link);
    assert!(unknown(&state) && state.inspected.trace.logits.len() == 12);
    at_rest(&mut state);
    assert!(!unknown(&state));
}
