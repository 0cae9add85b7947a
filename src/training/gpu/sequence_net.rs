//! Networks on sequences on the GPU: the kernels of [`vivarium_kernels::sequence_net`].

use super::sliced_runs::{GpuNetwork, SlicedLearner};
use crate::session::evaluator::Evaluator;
use vivarium_kernels::cpu::sequence_net::Answers;
use vivarium_kernels::plan::Limits;
use vivarium_kernels::sequence_net::{Compiled, Record, SequenceNet};
use vivarium_kernels::slices::Slices;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Trains all replicas of a network on sequences on the GPU.
pub type SequenceNetGpu = SlicedLearner<SequenceNetKernels>;

/// Networks on sequences with what each run is measured by.
pub struct SequenceNetKernels {
    net: SequenceNet,
    evaluators: Vec<Evaluator>,
    /// Heads of each layer.
    layers: Vec<usize>,
}

impl GpuNetwork for SequenceNetKernels {
    /// What is compiled, and held-out sequences.
    type Compiled = (Compiled, usize);
    type Record = Record;

    fn compiled(spec: &RunSpec, limits: Limits) -> Result<Self::Compiled, String> {
        Ok((Compiled::of(spec, limits)?, spec.held_out_count()))
    }

    fn bytes((compiled, _): &Self::Compiled) -> u64 {
        compiled.bytes()
    }

    fn new(specs: &[RunSpec]) -> Result<Self, String> {
        let mut net = SequenceNet::new(specs)?;
        let evaluator =
            |spec| Evaluator::new(spec).ok_or_else(|| "its examples are no sequences".to_string());
        let evaluators: Vec<Evaluator> = specs.iter().map(evaluator).collect::<Result<_, _>>()?;
        let contexts: Vec<&[u8]> = evaluators.iter().map(Evaluator::contexts).collect();
        let scored = evaluators.first().map_or(0, Evaluator::scored);
        if evaluators
            .iter()
            .any(|other| other.scored() != scored || other.contexts().len() != contexts[0].len())
        {
            return Err("they differ in what they are measured by".into());
        }
        net.question(&contexts, scored);
        Ok(SequenceNetKernels { layers: net.plan().network.heads(), net, evaluators })
    }

    fn slices(&self) -> &Slices {
        &self.net.slices
    }

    fn slices_mut(&mut self) -> &mut Slices {
        &mut self.net.slices
    }

    fn put(&mut self, who: usize, state: &[f32]) {
        self.net.put(who, state);
    }

    fn adjust(&mut self, who: usize, spec: &RunSpec, _step: u64) {
        self.net.adjust(who, spec);
    }

    async fn train(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, RunError> {
        self.net.approach(last, every, look).await
    }

    fn row(&self, who: usize, at: usize, record: &Record, _apart: Option<&Record>) -> Measurement {
        let replicas = record.loss.len() / self.net.slices.selected().len();
        let own = at * replicas..(at + 1) * replicas;
        let mut row = Measurement {
            step: record.step,
            train_loss: record.loss[own.clone()].to_vec(),
            train_accuracy: record.accuracy[own.clone()].to_vec(),
            ..Default::default()
        };
        for (logits, heads) in record.logits[own.clone()].iter().zip(&record.heads[own]) {
            let (logits, heads) = (logits.clone(), heads.clone());
            let answers = Answers { logits, heads, layers: self.layers.clone() };
            self.evaluators[who].evaluate(&answers).append_to(&mut row);
        }
        row
    }
}
