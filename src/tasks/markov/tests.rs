//! Tests of the task of Markov chains.

use super::*;

const LAWS: [Chains; 4] = [Chains::Dirichlet, Chains::Independent, Chains::Doubly, Chains::Mixture];

#[test]
fn a_batch_is_a_function_of_seed_replica_and_step() {
    let task = MarkovChain { symbols: 3, length: 20, ..Default::default() };
    let draw = |seed, replica, step, size| {
        let mut batch = Batch::default();
        task.sample(seed, replica, step, size, &mut batch);
        batch
    };
    let base = draw(1, 0, 0, 40);
    assert_eq!((base.x.len(), base.len()), (40 * 21, 40));
    assert!(base.x.iter().all(|x| [0.0, 1.0, 2.0].contains(x)));
    assert!((0..40).all(|e| base.y[e] == base.x[e * 21 + 20]));
    assert_eq!(base, draw(1, 0, 0, 40));
    for other in [draw(2, 0, 0, 40), draw(1, 1, 0, 40), draw(1, 0, 1, 40), draw(1, 0, 1 << 32, 40)] {
        assert_ne!(base.x, other.x);
    }
    // A larger batch begins with the smaller one.
    assert_eq!(base.x, draw(1, 0, 0, 500).x[..40 * 21]);
}

#[test]
fn sequences_are_those_of_their_chains_one_by_one() {
    for (train, order, alpha) in
        [(0, 2, 1.0), (0, 2, 0.3), (1, 2, 1.0), (2, 2, 1.0), (3, 2, 1.0), (0, 3, 1.0), (0, 4, 2.0)]
    {
        let task =
            MarkovChain { symbols: 3, length: 9, order, train: LAWS[train], alpha, ..Default::default() };
        let mut sequences = vec![];
        task.sequences(5, 2, 3, 130, &mut sequences);
        assert_eq!(sequences.len(), 1300);
        for e in [0, 1, 2, 3, 77, 129] {
            let mut words = vec![0; task.sequence_words()];
            Stream::new(5, Purpose::Batch, 2).words(3, (e * words.len()) as u32, &mut words);
            let expected = task.trained_chain(5, 2, 3, e).sequence(&words);
            assert_eq!(sequences[e * 10..][..10], expected, "{train} {order} {e}");
        }
    }
}

#[test]
fn held_out_sequences_are_of_the_law_of_the_test_and_can_be_read_in_parts() {
    for (number, test) in LAWS.into_iter().enumerate() {
        assert_eq!(Chains::ALL[number], test);
        let task = MarkovChain { symbols: 4, test, ..Default::default() };
        let (mut whole, mut parts, mut sequences) = (Batch::default(), Batch::default(), vec![]);
        task.held_out(1, 0, 90, &mut whole);
        for (from, size) in [(0, 7), (7, 1), (8, 82)] {
            task.held_out(1, from, size, &mut parts);
        }
        assert_eq!(whole, parts);
        task.held_out_sequences(test, 1, 0..90, &mut sequences);
        assert!(sequences.iter().zip(&whole.x).all(|(a, b)| f32::from(*a) == *b));
        let mut words = vec![0; task.sequence_words()];
        Stream::new(1, Purpose::HeldOut, 0).words(number as u64, (33 * words.len()) as u32, &mut words);
        assert_eq!(sequences[33 * 51..][..51], task.held_out_chain(test, 1, 33).sequence(&words));
    }
}

#[test]
fn impossible_settings_are_named_and_mended() {
    for (query, key, found, expected) in [
        ("k=5&gram=4", "gram", "4", "at most 3 for k = 5: 64 contexts"),
        ("gram=3&data=ds", "data", "ds", "dirichlet for n = 3: the others are laws of Markov chains"),
        ("gram=3&test=iid", "test", "iid", "dirichlet for n = 3: the others are laws of Markov chains"),
        ("t=3&gram=4", "t", "3", "at least n = 4"),
    ] {
        let (link, notices) = crate::permalink::decode(&format!("#v1/markov?{query}"));
        let notice = &notices[0];
        assert_eq!((notice.key.as_str(), notice.found.as_str()), (key, found), "{query}");
        assert_eq!(notice.expected, expected);
        assert!(notices.len() == 1 && link.spec.problems().is_empty(), "{query}: {notices:?}");
    }
    for fine in ["k=8", "k=4&gram=4", "k=8&gram=3", "t=4&gram=4", "data=mixture&test=ds&k=8"] {
        assert!(crate::permalink::decode(&format!("#v1/markov?{fine}")).1.is_empty(), "{fine}");
    }
}

/// A batch is drawn for every training step; the bound is ten times what an idle core takes.
#[test]
fn a_batch_is_quick() {
    let task = MarkovChain { symbols: 3, length: 100, ..Default::default() };
    let mut sequences = vec![];
    let once = |step| {
        let begin = crate::platform::now_ms();
        sequences.clear();
        task.sequences(0, 0, step, 64, &mut sequences);
        crate::platform::now_ms() - begin
    };
    let least = (0..200).map(once).fold(f64::INFINITY, f64::min);
    assert!(least < 0.6, "{least} ms");
}
