//! The GPU learner of networks on sequences: the kernels of [`crate::kernels::sequence_net`].

use super::learner::{GpuLearner, GpuNetwork};
use crate::kernels::cpu::sequence_net::Answers;
use crate::kernels::sequence_net::{Record, SequenceNet};
use crate::kernels::slices::Slices;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;
use crate::training::session::evaluator::Evaluator;

/// Trains all replicas of a network on sequences on the GPU.
pub type SequenceNetGpu = GpuLearner<SequenceNetKernels>;

/// A network on sequences with what it is measured by.
pub struct SequenceNetKernels {
    net: SequenceNet,
    evaluator: Evaluator,
    /// Heads of each layer.
    layers: Vec<usize>,
}

impl GpuNetwork for SequenceNetKernels {
    type Record = Record;

    fn new(spec: &RunSpec) -> Result<Self, String> {
        let mut net = SequenceNet::new(spec)?;
        let evaluator = Evaluator::new(spec).ok_or("its examples are no sequences")?;
        net.question(evaluator.contexts(), evaluator.scored());
        Ok(SequenceNetKernels { layers: net.plan().network.heads(), net, evaluator })
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

    async fn train(
        &mut self,
        spec: &RunSpec,
        last: u64,
        every: u64,
        look: bool,
    ) -> Result<Vec<Record>, Failure> {
        self.net.approach(spec, last, every, look).await
    }

    fn row(&self, record: Record, _apart: Option<Record>) -> Row {
        let mut row = Row {
            step: record.step,
            train_loss: record.loss,
            train_accuracy: record.accuracy,
            ..Default::default()
        };
        for (logits, heads) in record.logits.into_iter().zip(record.heads) {
            let answers = Answers { logits, heads, layers: self.layers.clone() };
            self.evaluator.evaluate(&answers).append_to(&mut row);
        }
        row
    }
}
