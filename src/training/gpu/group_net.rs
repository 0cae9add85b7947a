//! Networks on pairs on the GPU: the kernels of [`vivarium_kernels::group_net`].

use super::sliced_runs::{GpuNetwork, SlicedLearner};
use crate::session::margin::Normaliser;
use crate::session::pairs::{Examples, Measured, covered, kernels_cover, lambda, next_change, note};
use vivarium_kernels::group_net::plan::{Plan, Variant};
use vivarium_kernels::group_net::{GroupNetReplicas, Others, Record, Run, Shape, plan_of};
use vivarium_kernels::plan::Limits;
use vivarium_kernels::slices::Slices;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Trains all replicas of a network on pairs on the GPU.
pub type GroupNetGpu = SlicedLearner<GroupNetKernels>;

/// Networks on pairs with their held-out pairs, unless they are those that they are trained on.
pub struct GroupNetKernels {
    net: GroupNetReplicas,
    held_out: Option<Others>,
    /// Of each run.
    normalisers: Vec<Option<Normaliser>>,
}

impl GroupNetGpu {
    /// How a step is divided among workgroups.
    pub fn variant(&self) -> Variant {
        self.ask(|runs, _| runs.network.variant())
    }
}

impl GroupNetKernels {
    /// How a step is divided among workgroups.
    pub fn variant(&self) -> Variant {
        self.net.plan().variant
    }
}

/// The networks of `spec`.
fn shape(spec: &RunSpec) -> Result<Shape, String> {
    kernels_cover(spec)?;
    let net = covered(spec)?;
    Ok(Shape {
        order: spec.task.examples().inputs(),
        neurons: net.width,
        sigma: net.sigma,
        nu: net.exponent,
        lambda: spec.architecture().penalty(0).map_or(0.0, |penalty| penalty.lambda),
        optimizer: spec.optimizer.clone(),
        steps: spec.run.steps,
        replicas: spec.run.replicas,
        variant: None,
    })
}

impl GpuNetwork for GroupNetKernels {
    /// A plan, replicas, and the pairs that are held out, if those are others.
    type Compiled = (Plan, usize, Option<usize>);
    type Record = Record;

    fn compiled(spec: &RunSpec, limits: Limits) -> Result<Self::Compiled, String> {
        let shape = shape(spec)?;
        let sampler = spec.task.sampler();
        let all = sampler.inputs().pow(2);
        let pairs = sampler.training_set_size().unwrap_or(0);
        let held_out = (pairs < all).then(|| spec.held_out_count());
        Ok((plan_of(&shape, pairs, limits)?, shape.replicas, held_out))
    }

    fn bytes(&(plan, replicas, held_out): &Self::Compiled) -> u64 {
        let network = plan.network;
        let tables = if held_out.is_some() { 2 } else { 1 };
        // State, a copy of it, another one, and slopes of every pair.
        4 * replicas as u64 * (3 * network.state() + tables * network.slopes()) as u64
    }

    fn new(specs: &[RunSpec]) -> Result<Self, String> {
        let run = |spec: &RunSpec| {
            let Examples { pairs, labels } = Examples::trained(spec);
            Ok(Run { shape: shape(spec)?, pairs, labels })
        };
        let runs: Vec<Run> = specs.iter().map(run).collect::<Result<_, String>>()?;
        let net = GroupNetReplicas::side_by_side(&runs)?;
        let others: Vec<Examples> = specs.iter().filter_map(Examples::held_out).collect();
        let each: Vec<_> = others.iter().map(|one| (&one.pairs[..], &one.labels[..])).collect();
        let held_out = if each.is_empty() { None } else { Some(net.others(&each)?) };
        let normalisers = specs.iter().map(Normaliser::of).collect();
        Ok(GroupNetKernels { net, held_out, normalisers })
    }

    fn slices(&self) -> &Slices {
        &self.net.slices
    }

    fn slices_mut(&mut self) -> &mut Slices {
        &mut self.net.slices
    }

    /// What is set as the learning rate, and λ, hold for a whole slice.
    fn slice_end(&self, spec: &RunSpec, step: u64) -> u64 {
        next_change(spec, step).unwrap_or(u64::MAX)
    }

    fn measures_apart(&self) -> bool {
        self.held_out.is_some()
    }

    fn adjust(&mut self, who: usize, spec: &RunSpec, step: u64) {
        self.net.adjust(who, spec.learning_rate_before_schedule(step), f64::from(lambda(spec, step)));
    }

    async fn train(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, RunError> {
        self.net.approach(last, every, look).await
    }

    async fn measure_apart(&mut self) -> Result<Option<Record>, RunError> {
        match &self.held_out {
            Some(others) => Ok(Some(self.net.ask(others).await?)),
            None => Ok(None),
        }
    }

    /// Where nothing is held out, the second measurement is on what is trained on.
    fn row(&self, who: usize, at: usize, record: &Record, held_out: Option<&Record>) -> Measurement {
        let normaliser = self.normalisers.get(who).copied().flatten();
        let mut row = Measurement { step: record.step, ..Default::default() };
        let replicas = record.loss.len() / self.net.slices.selected().len();
        for r in at * replicas..(at + 1) * replicas {
            let of = |record: &Record| Measured { loss: record.loss[r], accuracy: record.accuracy[r] };
            let test = of(held_out.unwrap_or(record));
            let margin =
                |of: Normaliser| of.margin(record.margin[r], f64::from(record.norms[r]), record.loss[r]);
            note(&mut row, of(record), normaliser.map_or(f32::NAN, margin), test);
        }
        row
    }
}
