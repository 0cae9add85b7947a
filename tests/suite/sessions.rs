//! Sessions: the same numbers again, however time is sliced, and from every checkpoint.

use proptest::prelude::*;
use vivarium::optim::Optimizer;
use vivarium::protocol::{EndReason, Event, Measurement};
use vivarium::tasks::Batch;
use vivarium::training::launch::device::Device;
use vivarium::training::session::checkpoint::Checkpoint;
use vivarium::training::session::{Options, Session};

use crate::reference::Reference;
use crate::{finish, session, spec};

const SMALL: &str = "#v1/sparse-parity?n=12&width=16&steps=120&halt=steps&every=10&held=256&replicas=2";

fn links() -> Vec<String> {
    let adam = SMALL.replace("?", "?opt=adam&wd=0.01&");
    let momentum = format!("{SMALL}&mom=0.9&wd=0.001");
    let sample = format!("{SMALL}&m=50&noise=0.1&loss=ce");
    let polynet = SMALL.replace("width=16", "model=polynet");
    let autodiff = format!("{SMALL}&learner=autodiff");
    vec![SMALL.into(), adam, momentum, sample, polynet, autodiff]
}

fn weights(session: &Session) -> Vec<Vec<f32>> {
    pollster::block_on(session.checkpoint()).unwrap().weights.parameters
}

#[test]
fn the_same_specification_gives_the_same_bits_twice() {
    for link in links() {
        let (mut a, mut b) = (session(&link), session(&link));
        assert_eq!(finish(&mut a), finish(&mut b), "{link}");
        assert_eq!(weights(&a), weights(&b), "{link}");
    }
}

#[test]
fn another_seed_is_another_run() {
    let (mut a, mut b) = (session(SMALL), session(&format!("{SMALL}&seed=1")));
    assert_ne!(finish(&mut a).rows, finish(&mut b).rows);
}

/// Rows of a run that is advanced by these numbers of steps.
fn sliced(mut session: Session, slices: &[u64]) -> (Vec<Measurement>, Vec<Vec<f32>>) {
    let mut rows = vec![];
    for most in slices.iter().cycle() {
        for event in pollster::block_on(session.advance(1e9, *most)).unwrap() {
            if let Event::Metrics(new) = event {
                rows.extend(new);
            }
        }
        if session.finished() {
            return (rows, weights(&session));
        }
    }
    unreachable!("the slices go round")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn slicing_changes_nothing(slices in prop::collection::vec(1u64..40, 1..6)) {
        prop_assert_eq!(sliced(session(SMALL), &slices), sliced(session(SMALL), &[1_000_000]));
    }
}

/// Legs that end wherever the clock says.
#[test]
fn time_slices_change_nothing() {
    for link in links() {
        let mut whole = session(&link);
        let all = finish(&mut whole).rows;
        for budget_ms in [0.0, 0.3] {
            let mut run = session(&link);
            let mut rows = vec![];
            while !run.finished() {
                for event in pollster::block_on(run.advance(budget_ms, u64::MAX)).unwrap() {
                    if let Event::Metrics(new) = event {
                        rows.extend(new);
                    }
                }
            }
            assert_eq!(rows, all, "{link}");
            assert_eq!(weights(&run), weights(&whole), "{link}");
        }
    }
}

#[test]
fn a_checkpoint_goes_on_with_another_learner() {
    let links = links();
    for (from, to) in [("fused", "autodiff"), ("autodiff", "fused")] {
        for link in &links[..5] {
            let mut first = session(&format!("{link}&learner={from}"));
            while first.step() < 60 {
                pollster::block_on(first.advance(1e9, 60 - first.step())).unwrap();
            }
            let bytes = pollster::block_on(first.checkpoint()).unwrap().encode().unwrap();
            let mut checkpoint = Checkpoint::decode(&bytes).unwrap();
            checkpoint.spec.parse("learner", to).unwrap();
            let mut second = Session::resume(&checkpoint, &Device::cpu(), Options::default()).unwrap();
            assert_ne!(first.learner(), second.learner());
            let rows = finish(&mut first).rows;
            let others = finish(&mut second).rows;
            // The second measures where it begins; the first has done so.
            let others: Vec<_> = others.into_iter().filter(|row| row.step > 60).collect();
            for (a, b) in rows.iter().zip(&others) {
                assert_eq!(a.step, b.step);
                for (a, b) in a.test_loss.iter().zip(&b.test_loss) {
                    assert!((a - b).abs() <= 2e-3 * (1.0 + a.abs()), "{link}: {a} {b}");
                }
            }
            assert_eq!(rows.len(), others.len(), "{link}");
        }
    }
}

#[test]
fn replaying_from_a_checkpoint_gives_the_same_bits() {
    for link in links() {
        let mut whole = session(&link);
        let all = finish(&mut whole).rows;
        for stop in [0, 7, 50, 115] {
            let mut first = session(&link);
            while first.step() < stop {
                pollster::block_on(first.advance(1e9, stop - first.step())).unwrap();
            }
            let bytes = pollster::block_on(first.checkpoint()).unwrap().encode().unwrap();
            let checkpoint = Checkpoint::decode(&bytes).unwrap();
            let mut second = Session::resume(&checkpoint, &Device::cpu(), Options::default()).unwrap();
            let rest = finish(&mut second).rows;
            let expected: Vec<_> = all.iter().filter(|row| row.step >= stop).cloned().collect();
            assert_eq!(rest, expected, "{link} from {stop}");
            assert_eq!(weights(&second), weights(&whole), "{link} from {stop}");
        }
    }
}

#[test]
fn measuring_in_between_changes_nothing() {
    let (mut plain, mut watched) = (session(SMALL), session(SMALL));
    let expected = finish(&mut plain);
    while !watched.finished() {
        pollster::block_on(watched.advance(1e9, 3)).unwrap();
        pollster::block_on(watched.measure()).unwrap();
        pollster::block_on(watched.first_layer()).unwrap();
    }
    assert_eq!(weights(&plain), weights(&watched));
    assert_eq!(expected.solved, watched.solved());
}

#[test]
fn learning_rate_changes_are_part_of_the_run() {
    let mut changed = session(SMALL);
    while changed.step() < 60 {
        pollster::block_on(changed.advance(1e9, 60 - changed.step())).unwrap();
    }
    assert_eq!(changed.set_learning_rate(0.01), Event::LearningRateChanged { step: 60, lr: 0.01 });
    finish(&mut changed);
    let mut linked = session(&format!("{SMALL}&lrs=60:0.01"));
    finish(&mut linked);
    assert_eq!(weights(&changed), weights(&linked));
    assert_eq!(changed.spec(), linked.spec());
}

#[test]
fn a_diverged_run_goes_back_to_its_last_good_step() {
    let link = "#v1/sparse-parity?n=10&width=32&act=power&degree=4&lr=50&loss=square&held=64&every=2&steps=400&halt=steps";
    let mut run = session(link);
    let mut seen = vec![];
    while !run.finished() {
        seen.extend(pollster::block_on(run.advance(1e9, 10)).unwrap());
    }
    let Some(Event::Diverged { step, last_good }) = seen.iter().find(|e| matches!(e, Event::Diverged { .. }))
    else {
        panic!("a learning rate of 50 must diverge: {seen:?}")
    };
    assert!(last_good < step);
    assert_eq!(seen.last(), Some(&Event::Finished { step: *last_good, reason: EndReason::Diverged }));
    assert!(weights(&run).iter().flatten().all(|w| w.is_finite()));
    run.extend(1_000);
    assert!(run.finished(), "a diverged run stays ended");
}

#[test]
fn a_run_stops_where_it_says() {
    let solves = "#v1/sparse-parity?n=8&k=2&width=32&held=256&every=10&steps=5000";
    let mut target = session(solves);
    let outcome = finish(&mut target);
    assert_eq!(outcome.ending, Some(EndReason::Target));
    assert_eq!(outcome.solved, [Some(outcome.step)]);
    assert!(outcome.step.is_multiple_of(10) && outcome.rows.last().unwrap().test_accuracy == [1.0]);
    target.extend(outcome.step + 25);
    assert_eq!(finish(&mut target).ending, Some(EndReason::LastStep));
    let last = finish(&mut session(&format!("{solves}&halt=steps").replace("5000", "777")));
    assert_eq!((last.step, last.ending), (777, Some(EndReason::LastStep)));
    assert_eq!(last.rows.last().unwrap().step, 777);
}

/// A limit on the held-out examples measures on fewer and confirms a reached target on all.
#[test]
fn fewer_held_out_examples_do_not_change_what_counts() {
    let link = "#v1/sparse-parity?n=10&k=2&width=32&every=5&steps=5000";
    let run = |limit| {
        let options = Options { held_out_limit: limit, ..Default::default() };
        finish(&mut Session::start(&spec(link), &Device::cpu(), options).unwrap())
    };
    let (full, quick) = (run(None), run(Some(64)));
    assert_eq!(full.solved, quick.solved);
    assert_ne!(full.rows[0].test_loss, quick.rows[0].test_loss);
    assert_eq!(full.rows[0].train_loss, quick.rows[0].train_loss);
}

#[test]
fn impossible_runs_are_refused_in_a_sentence() {
    let mut wrong = spec(SMALL);
    wrong.parse("k", "8").unwrap();
    wrong.parse("n", "5").unwrap();
    let refusal = Session::start(&wrong, &Device::cpu(), Options::default()).err().unwrap().to_string();
    assert!(refusal.contains("k = 8") && refusal.contains("at most n = 5"), "{refusal}");
}

/// Forty steps of each optimizer against its printed rule in double precision.
#[test]
fn optimizers_follow_their_printed_rules() {
    for rule in [
        "opt=sgd&lr=0.05&wd=0.1&",
        "opt=sgd&lr=0.05&mom=0.9&wd=0.01&",
        "opt=sgd&lr=0.05&mom=0.9&momkind=nesterov&wd=0.01&warm=5&cool=cosine&",
        "opt=lion&lr=0.003&wd=0.1&cool=linear&",
        "opt=adam&lr=0.01&",
        "opt=adam&lr=0.01&wd=0.1&",
        "opt=adam&lr=0.01&wd=0.1&wdkind=coupled&b1=0.8&b2=0.95&eps=0.001&",
        "opt=adam&lr=0.01&wd=0.1&warm=10&cool=linear&",
        // With a large ε, since Adam takes no notice of a length that all gradients share.
        "opt=adam&lr=0.01&clip=0.2&eps=0.1&warm=4&",
        "opt=adam&lr=0.01&clip=0.1&eps=0.05&wd=0.1&wdkind=coupled&",
    ] {
        let link =
            format!("#v1/sparse-parity?{rule}n=7&width=5&loss=ce&batch=16&steps=40&halt=steps&held=64");
        let spec = spec(&link);
        let mut run = session(&link);
        finish(&mut run);
        let initial = spec.architecture().initial(0, 7, 1);
        let mut net = Reference::new(&spec.model, spec.run.loss, 7, &initial);
        let mut first: Vec<Vec<f64>> = net.parameters.iter().map(|p| vec![0.0; p.len()]).collect();
        let mut second = first.clone();
        let mut clipped = 0;
        for step in 0..40 {
            let mut batch = Batch::default();
            spec.task.sampler().sample(0, 0, step, 16, &mut batch);
            let mut gradients = net.gradients(&batch);
            let t = step as i32 + 1;
            let mut lr = spec.optimizer.learning_rate();
            if let Optimizer::Adam(o) = &spec.optimizer {
                let norm = gradients.iter().flatten().map(|g| g * g).sum::<f64>().sqrt();
                if o.clip > 0.0 && norm > o.clip {
                    gradients.iter_mut().flatten().for_each(|g| *g *= o.clip / norm);
                    clipped += 1;
                }
            }
            let (step, warm) = (step as f64, spec.optimizer.update_rule().schedule().warm as f64);
            if step < warm {
                lr *= (step + 1.0) / warm;
            } else if rule.contains("cool=linear") {
                lr *= (40.0 - step) / (40.0 - warm);
            } else if rule.contains("cool=cosine") {
                lr *= 0.5 + 0.5 * (std::f64::consts::PI * (step - warm) / (40.0 - warm)).cos();
            }
            for (which, gradient) in gradients.iter().enumerate() {
                for (i, g) in gradient.iter().enumerate() {
                    let w = &mut net.parameters[which][i];
                    let (m, v) = (&mut first[which][i], &mut second[which][i]);
                    match &spec.optimizer {
                        Optimizer::Sgd(o) => {
                            let g = g + o.decay * *w;
                            *m = o.momentum * *m + g;
                            *w -= lr * if rule.contains("nesterov") { g + o.momentum * *m } else { *m };
                        }
                        Optimizer::Lion(o) => {
                            let mixed = o.beta1 * *m + (1.0 - o.beta1) * g;
                            let sign = f64::from(i8::from(mixed > 0.0) - i8::from(mixed < 0.0));
                            *m = o.beta2 * *m + (1.0 - o.beta2) * g;
                            *w = *w * (1.0 - lr * o.decay) - lr * sign;
                        }
                        Optimizer::Muon(_) => unreachable!("its updates are of whole matrices"),
                        Optimizer::Adam(o) => {
                            let coupled = link.contains("coupled");
                            let g = if coupled { g + o.decay * *w } else { *g };
                            if !coupled {
                                *w *= 1.0 - lr * o.decay;
                            }
                            *m = o.beta1 * *m + (1.0 - o.beta1) * g;
                            *v = o.beta2 * *v + (1.0 - o.beta2) * g * g;
                            let (m, v) = (*m / (1.0 - o.beta1.powi(t)), *v / (1.0 - o.beta2.powi(t)));
                            *w -= lr * m / (v.sqrt() + o.epsilon);
                        }
                    }
                }
            }
        }
        assert_eq!(clipped > 0, rule.contains("clip"), "{rule}: {clipped}");
        for (exact, mine) in net.parameters.iter().zip(weights(&run)) {
            for (a, b) in exact.iter().zip(mine) {
                assert!((a - f64::from(b)).abs() < 2e-4, "{rule}: {a} against {b}");
            }
        }
    }
}
