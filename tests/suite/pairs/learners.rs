//! Autodiff, the processor's loop and the GPU's kernels: the same specification gives the same weights.

use vivarium::optim::Optimizer;
use vivarium::optim::adam::WeightDecayKind;
use vivarium::platform::now_ms;
use vivarium::protocol::Measurement;
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::cpu::group_net::GroupNetCpu;
use vivarium::training::gpu::group_net::GroupNetGpu;
use vivarium::training::launch::device::Device;
use vivarium::training::session::Session;
use vivarium::training::session::learner::{Learner, Segment, Weights};

use super::reference::{Reference, replica};
use super::{apart, block_on, fields, rows_of, weights};
use crate::devices::{gpu, tolerance};
use crate::{finish, session, spec};

/// Trains from step `from` up to `until`, and measures there and on the way.
fn train_to(learner: &mut dyn Learner, spec: &RunSpec, from: u64, until: u64) -> Vec<Measurement> {
    let (mut rows, mut step, mut measured): (Vec<Measurement>, u64, Option<u64>) = (vec![], from, None);
    while step < until || measured != Some(until) {
        let segment = Segment {
            spec,
            from: step,
            until,
            last: until,
            measured,
            held_out: spec.held_out_count(),
            deadline_ms: now_ms() + 1e9,
        };
        let progress = block_on(learner.advance(&segment)).unwrap();
        assert!(progress.step > step || !progress.rows.is_empty(), "a segment that goes nowhere");
        step = progress.step;
        rows.extend(progress.rows);
        measured = rows.last().map(|row| row.step).or(measured);
    }
    rows
}

/// Runs that between them have every activation, exponent, optimizer and share of the pairs, and changes on the way.
const RUNS: [&str; 7] = [
    "act=square&nu=3&opt=sgd&lr=0.3&mom=0.8&momkind=nesterov&warm=15&cool=cosine&steps=130&lrs=30:0.2&std=0.4",
    // Where gradients cancel, one learner has 0 and another a remainder of rounding, which a smaller ε would blow
    // up to a full step.
    "act=square&nu=3&opt=adam&eps=0.0001&replicas=2",
    "act=relu&nu=2&opt=sgd&lr=0.2&mom=0.9&wd=0.001&std=0.4",
    "op=sub&act=square&nu=2&opt=sgd&lr=0.5&frac=0.5&std=0.4&replicas=2",
    "op=dihedral&n=4&act=relu&nu=4&eps=0.0001&std=0.4&wd=0.1",
    "op=random&nu=3&eps=0.0001&lambda=0.01&lambdas=4:0.1_15:0.0001&lrs=7:0.03_15:0.005_60:0.001&replicas=2",
    "op=mul&frac=0.7&nu=3&eps=0.0001&lambdas=20:0.05&lrs=33:0.02&wd=0.05&wdkind=coupled&replicas=3",
];

fn link(run: &str) -> String {
    let size = if run.contains("n=4") { "" } else { "n=7&" };
    format!("#v1/groups?{size}width=9&every=5&seed=3&{run}")
}

fn agree(link: &str, other: &mut dyn Learner) {
    let spec = spec(link);
    let mut autodiff = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
    let mut step = 0;
    for until in [1, 10, 100] {
        let rows = [train_to(&mut autodiff, &spec, step, until), train_to(other, &spec, step, until)];
        step = until;
        let allowed = tolerance(until);
        let [a, b] = [block_on(autodiff.weights()).unwrap(), block_on(other.weights()).unwrap()];
        assert_eq!(a.parameters.len(), b.parameters.len());
        for (which, (a, b)) in a.parameters.iter().zip(&b.parameters).enumerate() {
            let worst = apart(a, b);
            assert!(worst <= allowed, "{link}: parameter {which} after {until} steps: {worst}");
        }
        let moments = |weights: &Weights| weights.moments.concat();
        assert_eq!(moments(&a).len(), moments(&b).len());
        for (a, b) in moments(&a).iter().zip(&moments(&b)) {
            let worst = apart(a, b);
            assert!(worst <= 10.0 * allowed, "{link}: a moment after {until} steps: {worst}");
        }
        assert_eq!(rows[0].len(), rows[1].len(), "{link}: {rows:?}");
        for (a, b) in rows[0].iter().zip(&rows[1]) {
            assert_eq!(a.step, b.step);
            for ((name, a), (_, b)) in fields(a).into_iter().zip(fields(b)) {
                // A margin near zero may fall on either side.
                let close = match name {
                    "training accuracy" | "test accuracy" => {
                        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.05)
                    }
                    // Differences of outputs that are nearly equal.
                    "margin" => {
                        let none = |margins: &[f32]| margins.iter().map(|m| m.is_nan()).collect::<Vec<_>>();
                        let some = |margins: &[f32]| {
                            margins.iter().copied().filter(|m| !m.is_nan()).collect::<Vec<_>>()
                        };
                        none(a) == none(b) && apart(&some(a), &some(b)) <= 10.0 * allowed
                    }
                    _ => apart(a, b) <= allowed,
                };
                assert!(close && a.len() == spec.run.replicas, "{link}: {name} by {until}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn the_processors_loop_is_what_autodiff_gives() {
    for run in RUNS {
        agree(&link(run), &mut GroupNetCpu::new(&spec(&link(run))).unwrap());
        // The kernels have no steps on a part of the sample.
        let part = format!("{}&batch=11", link(run));
        agree(&part, &mut GroupNetCpu::new(&spec(&part)).unwrap());
    }
}

#[test]
fn the_kernels_are_what_autodiff_gives() {
    if gpu().is_none() {
        return;
    }
    for run in RUNS {
        agree(&link(run), &mut GroupNetGpu::new(&spec(&link(run))).unwrap());
    }
}

/// The weights of a run's first replica by the printed rules of its optimizer, with slopes by central differences.
fn exact(spec: &RunSpec, steps: u64) -> Vec<Vec<f64>> {
    let mut net = Reference::new(spec, &replica(&spec.initialize_parameters(), 0, spec.run.replicas));
    let mut first: Vec<Vec<f64>> = net.parameters.iter().map(|p| vec![0.0; p.len()]).collect();
    let mut second = first.clone();
    for step in 0..steps {
        let mut batch = Batch::default();
        spec.task.sampler().sample(spec.run.seed, 0, step, spec.batch_size(), &mut batch);
        let (gradients, lr) =
            (net.gradients(&batch, spec.architecture().penalty(step)), spec.learning_rate(step));
        let t = step as i32 + 1;
        for (which, gradient) in gradients.iter().enumerate() {
            for (i, g) in gradient.iter().enumerate() {
                let w = &mut net.parameters[which][i];
                let (m, v) = (&mut first[which][i], &mut second[which][i]);
                match &spec.optimizer {
                    Optimizer::Sgd(o) => {
                        let g = g + o.decay * *w;
                        *m = o.momentum * *m + g;
                        *w -= lr * if o.is_nesterov() { g + o.momentum * *m } else { *m };
                    }
                    Optimizer::Adam(o) => {
                        let is_coupled = o.kind == WeightDecayKind::Coupled;
                        let g = if is_coupled { g + o.decay * *w } else { *g };
                        *w *= if is_coupled { 1.0 } else { 1.0 - lr * o.decay };
                        *m = o.beta1 * *m + (1.0 - o.beta1) * g;
                        *v = o.beta2 * *v + (1.0 - o.beta2) * g * g;
                        let (m, v) = (*m / (1.0 - o.beta1.powi(t)), *v / (1.0 - o.beta2.powi(t)));
                        *w -= lr * m / (v.sqrt() + o.epsilon);
                    }
                    other => unreachable!("none of these runs has {other:?}"),
                }
            }
        }
    }
    net.parameters
}

#[test]
fn the_processors_loop_is_what_double_precision_gives() {
    for run in RUNS {
        for rest in ["", "&batch=11"] {
            let link = format!("{}{rest}", link(run));
            let spec = spec(&link);
            for until in [1, 10, 40] {
                let mut lanes = GroupNetCpu::new(&spec).unwrap();
                train_to(&mut lanes, &spec, 0, until);
                let found = block_on(lanes.first_replica(3)).unwrap();
                for (which, (exact, found)) in exact(&spec, until).iter().zip(&found).enumerate() {
                    let exact: Vec<f32> = exact.iter().map(|w| *w as f32).collect();
                    let worst = apart(&exact, found);
                    assert!(worst <= 1e-5, "{link}: parameter {which} after {until} steps: {worst}");
                }
            }
        }
    }
}

/// Rows and weights of a run that is advanced by these numbers of steps, each for at most `budget_ms`.
pub fn sliced(mut session: Session, budget_ms: f64, slices: &[u64]) -> (Vec<Measurement>, Vec<Vec<f32>>) {
    let mut rows = vec![];
    for most in slices.iter().cycle() {
        rows.extend(rows_of(block_on(session.advance(budget_ms, *most)).unwrap()));
        if session.finished() {
            break;
        }
    }
    (rows, weights(&session).parameters)
}

#[test]
fn the_loop_gives_the_same_bits_however_it_is_sliced() {
    for run in RUNS {
        for batch in [0, 11] {
            let own = link(run).replace("&steps=130", "");
            let link = format!("{own}&steps=60&halt=steps&batch={batch}");
            let mut whole = session(&link);
            let outcome = finish(&mut whole);
            let expected = (outcome.rows.clone(), weights(&whole).parameters);
            assert_eq!(expected.0.len(), 13, "{link}");
            for (budget_ms, slices) in [(0.0, [1_000_000].as_slice()), (0.3, &[1_000_000]), (1e9, &[1, 3, 7])]
            {
                let found = sliced(session(&link), budget_ms, slices);
                // As text, since a margin may be no number.
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{link} by {slices:?}");
            }
            let again = finish(&mut session(&link));
            assert_eq!(format!("{again:?}"), format!("{outcome:?}"), "{link} again");
        }
    }
}

#[test]
fn one_replica_is_the_first_of_three() {
    let link = "#v1/groups?n=7&width=9&steps=30&every=10&frac=0.5&batch=6";
    let (one, three) = (finish(&mut session(link)), finish(&mut session(&format!("{link}&replicas=3"))));
    for (one, three) in one.rows.iter().zip(&three.rows) {
        for ((name, one), (_, three)) in fields(one).into_iter().zip(fields(three)) {
            assert_eq!((one.len(), three.len()), (1, 3), "{name}");
            assert_eq!(one[0], three[0], "{name}");
        }
    }
    let last = three.rows.last().unwrap();
    assert!(last.train_loss[0] != last.train_loss[1] && last.train_loss[1] != last.train_loss[2]);
}
