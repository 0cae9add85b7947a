//! Runs in stages: greedy layer-by-layer training, against what end-to-end training does.

use vivarium::training::session::learner::Weights;
use vivarium::training::session::{Outcome, Session};

use crate::{finish, session};

/// The weights of a run after `steps` steps.
fn after(session: &mut Session, steps: u64) -> Weights {
    pollster::block_on(session.advance(f64::INFINITY, steps)).unwrap();
    pollster::block_on(session.checkpoint()).unwrap().weights
}

/// w1 b1 w2 b2 u1 beta1 u2 beta2, of which each half of the run trains its own.
#[test]
fn each_stage_trains_its_layer_and_its_head() {
    for optimizer in ["lr=0.05", "lr=0.05&mom=0.9&wd=0.1", "opt=adam&lr=0.01"] {
        let link =
            format!("model=deep-mlp&widths=3.2&layers=greedy&n=8&{optimizer}&steps=30&halt=steps&held=64");
        let mut run = session(&format!("#v1/sparse-parity?{link}"));
        let stops = [0, 14, 1, 1, 14].map(|steps| after(&mut run, steps));
        let moved = |from: usize, to: usize| -> Vec<bool> {
            let pairs = stops[from].parameters.iter().zip(&stops[to].parameters);
            pairs.map(|(before, after)| before != after).collect()
        };
        let first = [true, true, false, false, true, true, false, false];
        let second = first.map(|trained| !trained);
        assert_eq!([moved(0, 1), moved(1, 2)], [first, first], "{optimizer}");
        assert_eq!([moved(2, 3), moved(3, 4)], [second, second], "{optimizer}");
        assert!(run.finished());
    }
}

/// Adam's first step is of the size of the learning rate, whatever the gradient: also the first of a stage.
#[test]
fn moments_begin_with_their_stage() {
    let link = "model=deep-mlp&widths=3.2&layers=greedy&n=8&opt=adam&lr=0.01&steps=400&halt=steps&held=64";
    let mut run = session(&format!("#v1/sparse-parity?{link}"));
    let [before, after] = [200, 1].map(|steps| after(&mut run, steps).parameters.remove(2));
    for (before, after) in before.iter().zip(&after) {
        assert!(((before - after).abs() - 0.01).abs() < 1e-4, "{before} to {after}");
    }
}

/// Edelman 2024, appendix B.3.7: squares of squares learn a parity of four bits end to end, and nothing layer by
/// layer; five bits they cannot write down.
///
/// With 10 bits instead of 20 a greedy net comes to 0.6 or 0.7 in one run of five: that a layer's gradient is zero
/// on average does not keep the sign of its output from wandering, and so few bits leave it close to any parity.
#[test]
fn deep_squares_learn_end_to_end_and_not_layer_by_layer() {
    let run = |rest: &str| {
        let link = format!("#v1/sparse-parity?model=deep-mlp&lr=0.01&replicas=5&every=200&{rest}");
        finish(&mut session(&link))
    };
    let best = |outcome: &Outcome| {
        outcome.rows.iter().flat_map(|row| &row.test_accuracy).fold(0.0f32, |m, a| m.max(*a))
    };
    let solved = run("n=10&k=4&steps=8000").solved;
    assert!(solved.iter().flatten().count() >= 3, "{solved:?}");
    let greedy = run("n=20&k=4&layers=greedy&steps=8000");
    assert!(best(&greedy) < 0.55, "greedy: {}", best(&greedy));
    let five = run("n=10&k=5&steps=4000");
    assert!(best(&five) < 0.6, "five bits: {}", best(&five));
}
