//! Boolean functions: trials of several restarts on a sample, heads that are too sharp, and where trained ones look.

use vivarium::labs;
use vivarium::labs::{boolean::probes::CLS_ATTENTION, parity::probes::ATTENTION};
use vivarium::probing::Probe;
use vivarium::protocol::EndReason;

use crate::{finish, session, spec};

#[test]
fn a_trial_ends_with_the_first_of_its_restarts() {
    let link = "#v1/sparse-boolean?n=25&m=30&tries=3&replicas=6&every=5&held=256";
    let mut run = session(link);
    let outcome = finish(&mut run);
    assert_eq!(outcome.ending, Some(EndReason::Target));
    let last = outcome.rows.last().unwrap();
    for trial in outcome.solved.chunks(3) {
        assert!(trial.iter().any(Option::is_some), "{:?}", outcome.solved);
    }
    // It need not wait for all of them: what was reached before the end is all there is.
    assert!(outcome.solved.iter().flatten().all(|step| *step <= last.step) && last.step < 300);
    // Restarts share the sample and not the weights.
    let first = &outcome.rows[0];
    assert_ne!(first.train_loss[0], first.train_loss[1]);
    let alone = finish(&mut session(&link.replace("tries=3", "tries=1")));
    assert_eq!(alone.rows[0].train_loss[0], first.train_loss[0]);
    assert_ne!(alone.rows[0].train_loss[1], first.train_loss[1], "another sample");
    assert_eq!(alone.rows[0].test_loss, first.test_loss, "the same weights");
}

/// Fresh noise and a large rate make scores hundreds apart.
#[test]
fn heads_that_are_too_sharp_stay_finite() {
    let link = "#v1/sparse-boolean?fn=parity&n=10&m=0&lr=0.02&batch=64&steps=300&halt=steps&every=50&held=256&replicas=2";
    let outcome = finish(&mut session(link));
    assert_eq!((outcome.ending, outcome.rows.len()), (Some(EndReason::LastStep), 7));
    for row in &outcome.rows {
        assert!(
            row.train_loss.iter().chain(&row.test_loss).all(|loss| loss.is_finite()),
            "step {}",
            row.step
        );
    }
}

#[test]
fn a_trained_head_looks_at_the_relevant_bits_in_every_example() {
    let link = "#v1/sparse-boolean?n=50&s=5.20.30&m=300&heads=1&steps=50&halt=steps&every=50";
    let (mut run, spec) = (session(link), spec(link));
    let found =
        |probe: Probe, weights: Vec<Vec<f32>>| labs::run_probe(&probe.id(), &spec, 50, weights).unwrap();
    finish(&mut run);
    let weights = pollster::block_on(run.checkpoint()).unwrap().weights.parameters;
    let mean = found(ATTENTION, weights.clone()).numbers;
    let found = found(CLS_ATTENTION, weights);
    let numbers = found.numbers;
    assert_eq!((found.counts.as_slice(), numbers.len()), ([1].as_slice(), 100 * 51));
    let relevant = |shares: &[f32]| [4, 19, 29].map(|bit| shares[bit]).iter().sum::<f32>();
    assert!(relevant(&mean) > 0.8, "{}", relevant(&mean));
    for shares in numbers.chunks(51) {
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(relevant(shares) > 0.6, "{}", relevant(shares));
    }
}
