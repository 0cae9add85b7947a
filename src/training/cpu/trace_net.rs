//! The CPU learner of networks on traces of a machine: the loops of [`vivarium_kernels::cpu::sequence_net`].

use std::ops::Range;

use super::learner::CpuLearner;
use super::sequence_net::{SequenceExamples, SequenceNet};
use crate::session::trace_evaluator::{Counts, TraceEvaluator};
use vivarium_kernels::cpu::sequence_net::{Replica, Scratch};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_science::machines::traces::TraceSource;

/// Trains all replicas of a network on traces on the processor.
pub type TraceNetCpu = CpuLearner<SequenceNet<TraceExamples>>;

/// Traces of a machine.
pub struct TraceExamples {
    source: TraceSource,
    evaluator: TraceEvaluator,
}

impl SequenceExamples for TraceExamples {
    fn of(spec: &RunSpec) -> Option<Self> {
        let source = spec.task.data().traces()?.build_source();
        Some(TraceExamples { source, evaluator: TraceEvaluator::new(spec)? })
    }

    fn batch(&mut self, seed: u64, number: u32, step: u64, examples: Range<usize>, out: &mut Vec<u8>) {
        self.source.sample_examples(seed, number, step, examples, out);
    }

    fn evaluate(&self, replica: &Replica, scratch: &mut Scratch, row: &mut Measurement) {
        let (evaluator, mut counts) = (&self.evaluator, Counts::default());
        scratch.look(replica, evaluator.contexts(), &mut |at, view| evaluator.count(at, view, &mut counts));
        evaluator.evaluate(&counts, &scratch.heads()).append_to(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;
    use vivarium_science::machines::TraceMetric;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/machine-traces?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn slices_replicas_and_checkpoints_do_not_change_a_bit() {
        let spec = spec("replicas=2&batch=4&t=20&d=8&heads=2.1&held=64");
        let mut whole = TraceNetCpu::new(&spec).unwrap();
        whole.train(&spec, 0, 8);
        let expected = ready(whole.weights());
        let mut sliced = TraceNetCpu::new(&spec).unwrap();
        sliced.train(&spec, 0, 5);
        let (first, row) = (ready(sliced.weights()), ready(sliced.measure(5, 64)));
        sliced.train(&spec, 5, 8);
        assert_eq!(ready(sliced.weights()), expected);
        let mut again = TraceNetCpu::new(&spec).unwrap();
        again.load(&first);
        assert_eq!(ready(again.measure(5, 64)), row);
        again.train(&spec, 5, 8);
        assert_eq!(ready(again.weights()), expected);
    }

    #[test]
    fn a_row_has_a_number_for_every_replica_and_measure() {
        let spec = spec("replicas=2&batch=8&t=32&d=16&heads=1.1&held=64&every=10");
        let mut learner = TraceNetCpu::new(&spec).unwrap();
        let before = learner.measure_now(0, 64);
        assert!(before.test_loss.iter().all(|loss| (loss - 4.0_f32.ln()).abs() < 0.3), "{before:?}");
        learner.train(&spec, 0, 150);
        let after = learner.measure_now(150, 64);
        assert_eq!(after.measures.len(), TraceMetric::ALL.len());
        for r in 0..2 {
            assert!(after.test_loss[r] < 0.7, "the next state is found first: {after:?}");
            assert!(after.test_accuracy[r] > 0.5, "{after:?}");
            let excess = after.measures[TraceMetric::Excess as usize][r];
            assert!(excess > 0.0 && excess < after.test_loss[r]);
        }
        let count = |of: TraceMetric| after.measures[of as usize].len();
        assert_eq!([TraceMetric::WriteAttentionLayer2, TraceMetric::WriteAttentionLayer3].map(count), [2, 0]);
        assert_eq!(count(TraceMetric::RunEightTimes), 2);
    }
}
