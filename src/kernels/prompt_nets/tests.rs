//! What tests of the families share: kernels against autodiff and the processor's loop, and against themselves.

use crate::kernels::prompt_nets::PromptPlan;
use crate::models::Model;
use crate::optim::adam::Decay;
use crate::optim::loss::Loss;
use crate::optim::{Adam, Optimizer, Sgd};
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::tasks::{SparseTokenRegression, Task};
use crate::tokens::Codes;
use crate::training::autodiff::Autodiff;
use crate::training::gpu::learner::GpuLearner;
use crate::training::gpu::prompt_nets::PromptKernels;
use crate::training::gpu::sliced_runs::SlicedRuns;
use crate::training::launch::device::Device;
use crate::training::launch::learners::{Place, entry};
use crate::training::session::learner::{Learner, Segment, Weights};

/// Held-out prompts.
pub(in crate::kernels) const HELD_OUT: usize = 40;

pub(in crate::kernels) fn gpu() -> bool {
    pollster::block_on(Device::gpu()).is_ok()
}

/// The larger ε keeps a sign that hangs on rounding from becoming a whole step.
pub(in crate::kernels) fn adam(decay: f64) -> Optimizer {
    Optimizer::Adam(Adam { lr: 0.01, decay, kind: Decay::Decoupled, epsilon: 1e-4, ..Default::default() })
}

pub(in crate::kernels) fn sgd(lr: f64, momentum: f64, decay: f64) -> Optimizer {
    Optimizer::Sgd(Sgd { lr, momentum, decay })
}

pub(in crate::kernels) fn task(
    length: usize,
    dim: usize,
    names: usize,
    codes: Codes,
) -> SparseTokenRegression {
    SparseTokenRegression { length, dim, names, codes, ..Default::default() }
}

pub(in crate::kernels) fn spec(
    task: SparseTokenRegression,
    model: Model,
    optimizer: Optimizer,
    batch: usize,
) -> RunSpec {
    let mut spec =
        RunSpec { task: Task::SparseTokenRegression(task), model, optimizer, ..Default::default() };
    (spec.run.batch, spec.run.held_out, spec.run.seed, spec.run.loss) = (batch, HELD_OUT, 3, Loss::Square);
    spec
}

/// Trains from one step to another, and returns what was measured.
fn train(learner: &mut dyn Learner, spec: &RunSpec, from: u64, until: u64) -> Vec<Row> {
    let (mut step, mut rows) = (from, vec![]);
    while step < until {
        let measured = rows.last().map(|row: &Row| row.step);
        let (last, held_out, deadline_ms) = (u64::MAX, HELD_OUT, f64::INFINITY);
        let segment = Segment { spec, from: step, until, last, measured, held_out, deadline_ms };
        let progress = pollster::block_on(learner.advance(&segment)).unwrap();
        step = progress.step;
        rows.extend(progress.rows);
    }
    rows
}

fn weights(learner: &dyn Learner) -> Weights {
    pollster::block_on(learner.weights()).unwrap()
}

fn apart(a: &[f32], b: &[f32]) -> f32 {
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

/// Two measurements of the same weights, but for rounding.
pub(in crate::kernels) fn same_row(expected: &Row, found: &Row, tolerance: f32, of: &str) {
    for (what, a, b) in [
        ("loss", &expected.train_loss, &found.train_loss),
        ("held-out loss", &expected.test_loss, &found.test_loss),
        ("share", &expected.train_accuracy, &found.train_accuracy),
        ("held-out share", &expected.test_accuracy, &found.test_accuracy),
    ] {
        assert!(apart(a, b) <= 10.0 * tolerance, "{of}: {what}: {a:?} {b:?}");
    }
}

/// Kernels, autodiff and the processor's loop, where there is one, come to the same weights and measurements.
pub(in crate::kernels) fn agree<L: Learner>(
    spec: &RunSpec,
    stops: &[u64],
    new: fn(&RunSpec) -> Result<L, String>,
) {
    let mut spec = spec.clone();
    spec.run.every = 50;
    let of = format!("{:?} {:?}", spec.task, spec.model);
    let mut kernels = new(&spec).unwrap();
    let autodiff: Box<dyn Learner> = Box::new(Autodiff::new(&spec, Device::cpu().tensors()));
    let make = entry(&spec, Place::Cpu).and_then(|entry| entry.make);
    let lanes = make.map(|make| make(&spec).unwrap().0);
    let others = lanes.map(|lanes| ("loop", lanes)).into_iter().chain([("autodiff", autodiff)]);
    let mut others: Vec<(&str, Box<dyn Learner>)> = others.collect();
    let begin = weights(&kernels);
    let mut step = 0;
    for until in stops {
        train(&mut kernels, &spec, step, *until);
        let found = weights(&kernels);
        assert_eq!(found.parameters[0], begin.parameters[0], "codes are fixed");
        for (which, (now, then)) in found.parameters.iter().zip(&begin.parameters).enumerate().skip(1) {
            assert_ne!(now, then, "{of}: parameter {which} learns");
        }
        let row = pollster::block_on(kernels.measure(*until, HELD_OUT)).unwrap();
        for (name, other) in &mut others {
            train(other.as_mut(), &spec, step, *until);
            let (least, most) = (worst(&weights(other.as_ref()), &found), tolerance(*until));
            assert!(least <= most, "{of}: {name} after {until}: {least}");
            let expected = pollster::block_on(other.measure(*until, HELD_OUT)).unwrap();
            same_row(&expected, &row, most, &format!("{of}: {name} after {until}"));
        }
        step = *until;
    }
}

/// A replica has the bits that it has with any number of others.
pub(in crate::kernels) fn replicas_change_nothing<L: Learner>(
    base: &RunSpec,
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
        let parameters = weights(&learner).parameters.into_iter().skip(1);
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
pub(in crate::kernels) fn cuts_change_nothing<L: Learner>(
    base: &RunSpec,
    new: fn(&RunSpec) -> Result<L, String>,
) {
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
pub(in crate::kernels) fn what_is_remembered_comes_back<L: Learner>(
    base: &RunSpec,
    new: fn(&RunSpec) -> Result<L, String>,
) {
    let mut spec = base.clone();
    spec.run.every = 5;
    let mut learner = new(&spec).unwrap();
    train(&mut learner, &spec, 0, 5);
    let then = weights(&learner);
    let row = pollster::block_on(learner.measure(5, HELD_OUT)).unwrap();
    learner.remember(5);
    train(&mut learner, &spec, 5, 12);
    assert_ne!(weights(&learner), then);
    pollster::block_on(learner.restore()).unwrap();
    assert_eq!(weights(&learner), then);
    assert_eq!(pollster::block_on(learner.measure(5, HELD_OUT)).unwrap(), row);
}

/// Runs of several seeds and rates have the same bits in shared launches as alone.
pub(in crate::kernels) fn company_changes_nothing<P: PromptPlan>(base: &RunSpec) {
    let specs: Vec<RunSpec> = [(0, 0.01), (1, 0.01), (1, 0.03)]
        .map(|(seed, rate)| {
            let mut spec = base.clone();
            (spec.run.seed, spec.run.replicas, spec.run.every) = (seed, 2, 5);
            match &mut spec.optimizer {
                Optimizer::Adam(adam) => adam.lr = rate,
                Optimizer::Sgd(sgd) => sgd.lr = rate,
            }
            spec
        })
        .to_vec();
    let trained = |specs: &[RunSpec]| -> Vec<(Weights, Vec<Row>)> {
        let runs = SlicedRuns::<PromptKernels<P>>::new(specs).unwrap();
        let (_, mut learners) = GpuLearner::of(runs, specs);
        let mut rows = vec![vec![]; specs.len()];
        // In turns, so that each finds what another has launched for all.
        for until in 1..=24 {
            for ((learner, spec), rows) in learners.iter_mut().zip(specs).zip(&mut rows) {
                rows.extend(train(learner, spec, until - 1, until));
            }
        }
        learners.iter().map(|learner| weights(learner)).zip(rows).collect()
    };
    let together = trained(&specs);
    for (spec, found) in specs.iter().zip(&together) {
        assert_eq!(trained(std::slice::from_ref(spec)), [found.clone()]);
    }
    assert!(together[0] != together[1] && together[1] != together[2]);
}
