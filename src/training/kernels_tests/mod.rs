//! Tests of the kernels that need what stands on them: learners, devices and sessions. Here is what tests of kernels that
//! train slice by slice share: against other learners, and against themselves.
//!
//! Without a GPU adapter (a simulated one is enough) such a test is reported as skipped, and fails in CI.

mod cell_rules;
mod double;
mod prompt_nets;
mod sequence_net;
mod token_attention;
mod token_mlp;

use crate::launch::device::{Device, gpu_or_skip};
use crate::session::learner::{Learner, Segment, Weights};
use crate::session::{Options, Session};
use vivarium_model::optim::{Optimizer, Sgd};
use vivarium_model::protocol::{Event, Measurement};
use vivarium_model::run::{DeviceChoice, RunSpec};

pub(super) fn sgd(lr: f64, momentum: f64, decay: f64) -> Optimizer {
    Optimizer::Sgd(Sgd { lr, momentum, decay, ..Default::default() })
}

/// Trains from one step to another, and returns what was measured.
pub(super) fn train(learner: &mut dyn Learner, spec: &RunSpec, from: u64, until: u64) -> Vec<Measurement> {
    let (mut step, mut rows) = (from, vec![]);
    while step < until {
        let measured = rows.last().map(|row: &Measurement| row.step);
        let (last, held_out, deadline_ms) = (u64::MAX, spec.run.held_out, f64::INFINITY);
        let segment = Segment { spec, from: step, until, last, measured, held_out, deadline_ms };
        let progress = pollster::block_on(learner.advance(&segment)).unwrap();
        step = progress.step;
        rows.extend(progress.rows);
    }
    rows
}

pub(super) fn weights(learner: &dyn Learner) -> Weights {
    pollster::block_on(learner.weights()).unwrap()
}

fn measured(learner: &mut dyn Learner, spec: &RunSpec, step: u64) -> Measurement {
    pollster::block_on(learner.measure(step, spec.run.held_out)).unwrap()
}

/// The most that numbers are apart, relative to the largest.
pub(super) fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().fold(1e-3f32, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / scale
}

/// Rounding in another order, grown by training.
fn tolerance(steps: u64) -> f32 {
    match steps {
        0..=1 => 1e-5,
        2..=10 => 1e-4,
        _ => 1e-3,
    }
}

/// The worst that parameters of two learners are apart, relative to the largest of each.
fn worst(a: &Weights, b: &Weights) -> f32 {
    let each = a.parameters.iter().zip(&b.parameters);
    each.fold(0.0f32, |worst, (a, b)| worst.max(apart(a, b)))
}

/// Kernels and `others`, by name, come to the same weights and to measurements that are the `same`; `look` sees the weights
/// at the beginning and now.
pub(super) fn agree<L: Learner>(
    spec: &RunSpec,
    stops: &[u64],
    mut kernels: L,
    mut others: Vec<(&str, Box<dyn Learner>)>,
    same: fn(&Measurement, &Measurement, f32, &str),
    look: fn(&Weights, &Weights, &str),
) {
    let (of, begin) = (format!("{:?} {:?}", spec.task, spec.model), weights(&kernels));
    let mut step = 0;
    for until in stops {
        train(&mut kernels, spec, step, *until);
        let found = weights(&kernels);
        look(&begin, &found, &of);
        let row = measured(&mut kernels, spec, *until);
        for (name, other) in &mut others {
            train(other.as_mut(), spec, step, *until);
            let (least, most) = (worst(&weights(other.as_ref()), &found), tolerance(*until));
            assert!(least <= most, "{of}: {name} after {until}: {least}");
            let expected = measured(other.as_mut(), spec, *until);
            same(&expected, &row, most, &format!("{of}: {name} after {until}"));
        }
        step = *until;
    }
}

/// A replica has the bits that it has with any number of others; all but the parameters before number `first` differ
/// between replicas.
pub(super) fn replicas_change_nothing<L: Learner>(
    base: &RunSpec,
    first: usize,
    new: fn(&RunSpec) -> Result<L, String>,
) {
    let trained = |replicas: usize| {
        let mut spec = base.clone();
        spec.run.replicas = replicas;
        let mut learner = new(&spec).unwrap();
        let rows = train(&mut learner, &spec, 0, 20);
        let each = |values: Vec<f32>| -> Vec<Vec<f32>> {
            values.chunks(values.len() / replicas).map(<[f32]>::to_vec).collect()
        };
        let parameters = weights(&learner).parameters.into_iter().skip(first);
        (parameters.map(each).collect::<Vec<_>>(), rows)
    };
    let [(one, first), (two, _), (three, rows)] = [trained(1), trained(2), trained(3)];
    for ((one, two), three) in one.iter().zip(&two).zip(&three) {
        assert_eq!(one[0], three[0]);
        assert_eq!(two[..], three[..2]);
        assert_ne!(three[1], three[2]);
    }
    assert!(first.iter().zip(&rows).all(|(first, row)| first.train_loss[0] == row.train_loss[0]));
    assert!(first.iter().zip(&rows).all(|(first, row)| first.test_loss[0] == row.test_loss[0]));
}

/// A run has the same bits again, and however it is cut.
pub(super) fn cuts_change_nothing<L: Learner>(base: &RunSpec, new: fn(&RunSpec) -> Result<L, String>) {
    let mut spec = base.clone();
    (spec.run.every, spec.run.replicas) = (4, 2);
    let run = |cuts: &[u64]| {
        let mut learner = new(&spec).unwrap();
        let (mut from, mut rows) = (0, vec![]);
        for until in cuts {
            rows.extend(train(&mut learner, &spec, from, *until));
            from = *until;
        }
        (weights(&learner), rows)
    };
    let whole = run(&[30]);
    assert_eq!(whole, run(&[30]));
    let cut = run(&[1, 2, 9, 30]);
    assert_eq!(whole.0, cut.0);
    assert_eq!(whole.1.len(), 8);
    assert!(cut.1.iter().all(|row| whole.1.contains(row)));
}

/// Weights that are remembered come back, and are measured as before.
pub(super) fn what_is_remembered_comes_back<L: Learner>(
    base: &RunSpec,
    new: fn(&RunSpec) -> Result<L, String>,
) {
    let mut spec = base.clone();
    spec.run.every = 5;
    let mut learner = new(&spec).unwrap();
    train(&mut learner, &spec, 0, 5);
    let then = weights(&learner);
    let row = measured(&mut learner, &spec, 5);
    learner.remember(5);
    train(&mut learner, &spec, 5, 12);
    assert_ne!(weights(&learner), then);
    pollster::block_on(learner.restore()).unwrap();
    assert_eq!(weights(&learner), then);
    assert_eq!(measured(&mut learner, &spec, 5), row);
}

/// Sessions choose the kernels, whose learner is called `learner`, cut a run as they like, and come to what a session on the
/// processor comes to, as `same` says with the measurements there and here.
pub(super) fn sessions_measure_the_same(
    base: &RunSpec,
    learner: &str,
    same: impl Fn(&Measurement, &Measurement),
) {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut spec = base.clone();
    (spec.run.every, spec.run.steps, spec.run.device) = (10, 30, DeviceChoice::Gpu);
    let start = |device: &Device| Session::start(&spec, device, Options::default()).unwrap();
    let whole = pollster::block_on(start(&gpu).finish(|_| {})).unwrap();
    assert_eq!(start(&gpu).learner(), learner);
    assert_eq!(whole.rows.iter().map(|row| row.step).collect::<Vec<_>>(), [0, 10, 20, 30]);
    let (mut session, mut rows, mut most) = (start(&gpu), vec![], 1);
    while !session.finished() {
        for event in pollster::block_on(session.advance(0.0, most)).unwrap() {
            if let Event::Metrics(new) = event {
                rows.extend(new);
            }
        }
        most = most % 7 + 1;
    }
    assert_eq!(whole.rows, rows);
    let processor = pollster::block_on(start(&Device::cpu()).finish(|_| {})).unwrap();
    assert_eq!(processor.rows.len(), 4);
    for (there, here) in processor.rows.iter().zip(&whole.rows) {
        same(there, here);
    }
}
