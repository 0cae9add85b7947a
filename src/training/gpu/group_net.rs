//! The GPU learner of networks on pairs: the kernels of [`crate::kernels::group_net`].

use super::learner::{GpuLearner, GpuNetwork};
use crate::kernels::group_net::plan::Variant;
use crate::kernels::group_net::{GroupNetReplicas, Others, Record, Shape, Weights};
use crate::kernels::slices::Slices;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;
use crate::training::session::pairs::{
    Examples, Measured, covered, kernels_cover, lambda, next_change, note,
};

/// Trains all replicas of a network on pairs on the GPU.
pub type GroupNetGpu = GpuLearner<GroupNetKernels>;

/// A network on pairs with its held-out pairs, unless they are those that it is trained on.
pub struct GroupNetKernels {
    net: GroupNetReplicas,
    held_out: Option<Others>,
}

impl GroupNetGpu {
    /// How a step is divided among workgroups.
    pub fn variant(&self) -> Variant {
        self.network.net.plan().variant
    }
}

impl GpuNetwork for GroupNetKernels {
    type Record = Record;

    fn new(spec: &RunSpec) -> Result<Self, String> {
        kernels_cover(spec)?;
        let net = covered(spec)?;
        let shape = Shape {
            order: spec.task.sampler().inputs(),
            neurons: net.width,
            sigma: net.sigma,
            nu: net.exponent,
            lambda: spec.architecture().penalty(0).map_or(0.0, |penalty| penalty.lambda),
            optimizer: spec.optimizer.clone(),
            replicas: spec.run.replicas,
            variant: None,
        };
        let (trained, held_out) = (Examples::trained(spec), Examples::held_out(spec));
        let [u, v, w] = spec.initial().try_into().map_err(|_| "it has other parameters".to_string())?;
        let net = GroupNetReplicas::new(shape, &trained.pairs, &trained.labels, &Weights { u, v, w })?;
        let held_out = held_out.map(|others| net.others(&others.pairs, &others.labels)).transpose()?;
        Ok(GroupNetKernels { net, held_out })
    }

    fn slices(&self) -> &Slices {
        &self.net.slices
    }

    fn slices_mut(&mut self) -> &mut Slices {
        &mut self.net.slices
    }

    fn put(&mut self, state: &[f32], step: u64) {
        self.net.put(state, step);
    }

    /// Learning rate and λ hold for a whole slice.
    fn slice_end(&self, spec: &RunSpec, step: u64) -> u64 {
        next_change(spec, step).unwrap_or(u64::MAX)
    }

    fn measures_apart(&self) -> bool {
        self.held_out.is_some()
    }

    async fn train(
        &mut self,
        spec: &RunSpec,
        last: u64,
        every: u64,
        look: bool,
    ) -> Result<Vec<Record>, Failure> {
        let step = self.net.slices.step();
        self.net.adjust(spec.learning_rate(step), f64::from(lambda(spec, step)));
        self.net.approach(last, every, look).await
    }

    async fn measure_apart(&mut self) -> Result<Option<Record>, Failure> {
        match &self.held_out {
            Some(others) => Ok(Some(self.net.ask(others).await?)),
            None => Ok(None),
        }
    }

    /// Where nothing is held out, the second measurement is on what is trained on.
    fn row(&self, record: Record, held_out: Option<Record>) -> Row {
        let mut row = Row { step: record.step, ..Default::default() };
        for r in 0..record.loss.len() {
            let of = |record: &Record| Measured { loss: record.loss[r], accuracy: record.accuracy[r] };
            let test = of(held_out.as_ref().unwrap_or(&record));
            note(&mut row, of(&record), record.margin[r] / record.norms[r], test);
        }
        row
    }
}
