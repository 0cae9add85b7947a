//! What tests of the families of networks on prompts share besides [`super`]: kernels against autodiff and the processor's loop, and
//! runs side by side.

use super::{self as shared, apart, train, weights};
use crate::autodiff::Autodiff;
use crate::gpu::learner::GpuLearner;
use crate::gpu::prompt_nets::PromptKernels;
use crate::gpu::sliced_runs::SlicedRuns;
use crate::launch::device::Device;
use crate::launch::learners::{Place, entry};
use crate::session::learner::{Learner, Weights};
use vivarium_kernels::prompt_nets::PromptPlan;
use vivarium_model::models::Model;
use vivarium_model::optim::adam::WeightDecayKind;
use vivarium_model::optim::loss::Loss;
use vivarium_model::optim::{Adam, Optimizer};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{SparseTokenRegression, Task};
use vivarium_science::tokens::PositionCodes;

/// Held-out prompts.
pub(super) const HELD_OUT: usize = 40;

/// The larger ε keeps a sign that hangs on rounding from becoming a whole step.
pub(super) fn adam(decay: f64) -> Optimizer {
    Optimizer::Adam(Adam {
        lr: 0.01,
        decay,
        kind: WeightDecayKind::Decoupled,
        epsilon: 1e-4,
        ..Default::default()
    })
}

pub(super) fn task(length: usize, dim: usize, names: usize, codes: PositionCodes) -> SparseTokenRegression {
    SparseTokenRegression { length, dim, names, codes, ..Default::default() }
}

pub(super) fn spec(task: SparseTokenRegression, model: Model, optimizer: Optimizer, batch: usize) -> RunSpec {
    let mut spec =
        RunSpec { task: Task::SparseTokenRegression(task), model, optimizer, ..Default::default() };
    (spec.run.batch, spec.run.held_out, spec.run.seed, spec.run.loss) = (batch, HELD_OUT, 3, Loss::Square);
    spec
}

/// Two measurements of the same weights, but for rounding.
pub(super) fn same_row(expected: &Measurement, found: &Measurement, tolerance: f32, of: &str) {
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
pub(super) fn agree<L: Learner>(spec: &RunSpec, stops: &[u64], new: fn(&RunSpec) -> Result<L, String>) {
    let mut spec = spec.clone();
    spec.run.every = 50;
    let autodiff: Box<dyn Learner> = Box::new(Autodiff::new(&spec, Device::cpu().tensors()).unwrap());
    let make = entry(&spec, Place::Cpu).and_then(|entry| entry.build);
    let lanes = make.map(|make| make(&spec).unwrap().0);
    let others = lanes.map(|lanes| ("loop", lanes)).into_iter().chain([("autodiff", autodiff)]).collect();
    let look = |begin: &Weights, now: &Weights, of: &str| {
        let mut each = now.parameters.iter().zip(&begin.parameters);
        assert!(each.next().is_some_and(|(now, then)| now == then), "{of}: codes are fixed");
        assert!(each.all(|(now, then)| now != then), "{of}: all other parameters learn");
    };
    shared::agree(&spec, stops, new(&spec).unwrap(), others, same_row, look);
}

/// Runs of several seeds and rates have the same bits in shared launches as alone.
pub(super) fn company_changes_nothing<P: PromptPlan>(base: &RunSpec) {
    let specs: Vec<RunSpec> = [(0, 0.01), (1, 0.01), (1, 0.03)]
        .map(|(seed, rate)| {
            let mut spec = base.clone();
            (spec.run.seed, spec.run.replicas, spec.run.every) = (seed, 2, 5);
            spec.optimizer.set_learning_rate(rate);
            spec
        })
        .to_vec();
    let trained = |specs: &[RunSpec]| -> Vec<(Weights, Vec<Measurement>)> {
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
        assert_eq!(trained(std::slice::from_ref(spec)), std::slice::from_ref(found));
    }
    assert!(together[0] != together[1] && together[1] != together[2]);
}
