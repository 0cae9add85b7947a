//! The CPU learner of networks on sequences: the loops of [`vivarium_kernels::cpu::sequence_net`].

use std::ops::Range;

use super::learner::{CpuLearner, CpuNetwork};
use super::network::{DataParallel, Pool, Shard};
use crate::session::evaluator::Evaluator;
use vivarium_kernels::cpu::replica::Gradient;
use vivarium_kernels::cpu::sequence_net::{Network, Replica, Scratch, Update, answers};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_science::markov::ChainSequences;

/// Trains all replicas of a network on sequences of chains on the processor.
pub type SequenceNetCpu = CpuLearner<SequenceNet<ChainExamples>>;

/// What sequences a network is trained on, and how it is judged.
pub trait SequenceExamples: Sized + Send {
    /// Those of a run; none where its task is another.
    fn of(spec: &RunSpec) -> Option<Self>;

    /// Appends some of the sequences of `step` in replica number `number`.
    fn batch(&mut self, seed: u64, number: u32, step: u64, examples: Range<usize>, out: &mut Vec<u8>);

    /// Appends what a network makes of held-out sequences.
    fn evaluate(&self, replica: &Replica, scratch: &mut Scratch, row: &mut Measurement);
}

/// A network on sequences with its examples.
pub struct SequenceNet<E> {
    seed: u64,
    size: usize,
    pub(super) examples: E,
    network: Network,
    /// The sequences of one step.
    batch: Vec<u8>,
    scratch: Scratch,
}

impl<E: SequenceExamples> CpuNetwork for SequenceNet<E> {
    type Replica = Replica;
    const INDEPENDENT: bool = true;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let network = Network::of(spec)?;
        let examples = E::of(spec).ok_or_else(|| format!("its task is {}", spec.task.info().name))?;
        let replica = Replica::new(&network.layout);
        let (seed, size) = (spec.run.seed, spec.batch_size());
        let mut scratch = Scratch::new(&network);
        scratch.smoothing = spec.label_smoothing();
        Ok((SequenceNet { seed, size, examples, batch: vec![], scratch, network }, replica))
    }

    #[inline]
    fn draw(&mut self, _spec: &RunSpec, number: usize, step: u64) {
        self.draw_some(number, step, 0..self.size);
    }

    #[inline]
    fn step(&mut self, replica: &mut Replica, _spec: &RunSpec, _step: u64, update: &Update) {
        self.scratch.step(replica, &self.batch, update);
    }

    fn data_parallel(&mut self) -> Option<&mut dyn DataParallel<Replica = Replica>> {
        Some(self)
    }

    fn measure(
        &mut self,
        replica: &mut Replica,
        number: usize,
        step: u64,
        _held_out: usize,
        row: &mut Measurement,
    ) {
        self.draw_some(number, step, 0..self.size);
        let sums = self.scratch.measure(replica, &self.batch);
        let places = (self.size * self.network.length) as f64;
        row.train_loss.push((sums.loss / places) as f32);
        row.train_accuracy.push((sums.right as f64 / places) as f32);
        self.examples.evaluate(replica, &mut self.scratch, row);
    }
}

impl<E: SequenceExamples> SequenceNet<E> {
    /// Draws some of the sequences of `step` in replica number `number`.
    fn draw_some(&mut self, number: usize, step: u64, examples: Range<usize>) {
        self.batch.clear();
        self.examples.batch(self.seed, number as u32, step, examples, &mut self.batch);
    }
}

impl<E: SequenceExamples> DataParallel for SequenceNet<E> {
    type Replica = Replica;

    fn room(&self) -> Gradient {
        self.network.layout.rows()
    }

    fn shard(
        &mut self,
        replica: &Replica,
        _spec: &RunSpec,
        (number, step): (usize, u64),
        shard: Shard,
        gradient: &mut Gradient,
    ) -> f32 {
        self.draw_some(number, step, shard.range(self.size));
        self.scratch.gradient(replica, &self.batch, gradient);
        shard.weight(self.size)
    }

    fn descend(
        &mut self,
        replica: &mut Replica,
        _spec: &RunSpec,
        _step: u64,
        gradient: &mut Gradient,
        update: &Update,
        _pool: Pool,
    ) {
        replica.update(&self.network.layout, gradient, update);
    }
}

/// Sequences of Markov chains.
pub struct ChainExamples {
    sequences: ChainSequences,
    evaluator: Evaluator,
}

impl SequenceExamples for ChainExamples {
    fn of(spec: &RunSpec) -> Option<Self> {
        let sequences = spec.task.data().chain_sequences()?;
        Some(ChainExamples { sequences, evaluator: Evaluator::new(spec)? })
    }

    fn batch(&mut self, seed: u64, number: u32, step: u64, examples: Range<usize>, out: &mut Vec<u8>) {
        self.sequences.append_some_training_sequences(seed, number, step, examples, out);
    }

    fn evaluate(&self, replica: &Replica, scratch: &mut Scratch, row: &mut Measurement) {
        let answers = answers(replica, scratch, self.evaluator.contexts(), self.evaluator.scored(), &[]);
        self.evaluator.evaluate(&answers).append_to(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::permalink::decode;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/markov?held=64&{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    const LINKS: [&str; 3] = [
        "replicas=3&batch=6&k=3&t=20&model=own",
        "replicas=3&batch=6&k=3&t=20&heads=1.1",
        "replicas=3&batch=6&k=2&t=30&model=minimal-markov&opt=adam",
    ];

    #[test]
    fn slices_replicas_and_checkpoints_do_not_change_a_bit() {
        for link in LINKS {
            let spec = spec(link);
            let mut whole = SequenceNetCpu::new(&spec).unwrap();
            whole.train(&spec, 0, 12);
            let expected = ready(whole.weights());
            // In slices, and taken up again from a checkpoint.
            let mut sliced = SequenceNetCpu::new(&spec).unwrap();
            sliced.train(&spec, 0, 5);
            let (first, row) = (ready(sliced.weights()), ready(sliced.measure(5, 64)));
            sliced.train(&spec, 5, 12);
            assert_eq!(ready(sliced.weights()), expected, "{link}");
            let mut again = SequenceNetCpu::new(&spec).unwrap();
            again.load(&first);
            assert_eq!(ready(again.measure(5, 64)), row, "{link}");
            again.train(&spec, 5, 12);
            assert_eq!(ready(again.weights()), expected, "{link}");
            // Back to what was remembered, which is what was loaded.
            ready(again.restore());
            assert_eq!(ready(again.weights()), first, "{link}");
            again.train(&spec, 5, 7);
            again.remember(7);
            let kept = ready(again.weights());
            again.train(&spec, 7, 9);
            ready(again.restore());
            assert_eq!(ready(again.weights()), kept, "{link}");
            // A replica does not know how many others there are.
            let alone = RunSpec {
                run: vivarium_model::run::RunSettings { replicas: 1, ..spec.run.clone() },
                ..spec.clone()
            };
            let mut single = SequenceNetCpu::new(&alone).unwrap();
            single.train(&alone, 0, 12);
            let count = expected.parameters.len();
            assert_eq!(ready(single.weights()).parameters, ready(whole.first_replica(count)), "{link}");
            let one = expected.parameters[0].len() / 3;
            assert_ne!(expected.parameters[0][..one], expected.parameters[0][one..2 * one], "{link}");
        }
    }

    #[test]
    fn a_row_has_a_number_for_every_replica_and_says_what_is_learnt() {
        for link in [
            "replicas=2&k=2&t=50&batch=32&seed=1",
            "replicas=2&k=2&t=50&batch=32&model=own&net=embed~16;positions;attention~1;attention~1;read&opt=adam&lr=0.01",
            "replicas=2&model=minimal-markov&k=2&t=100&batch=64&opt=adam",
        ] {
            let spec = spec(link);
            let mut learner = SequenceNetCpu::new(&spec).unwrap();
            let before = learner.measure_now(0, 64);
            assert!(
                before.train_loss.iter().all(|loss| (loss - std::f32::consts::LN_2).abs() < 0.1),
                "{before:?}"
            );
            learner.train(&spec, 0, 400);
            let after = learner.measure_now(400, 64);
            let [unigram, bigram] =
                [1, 2].map(|which| learner.network.examples.evaluator.lines()[which].1 as f32);
            for r in 0..2 {
                assert!(after.train_loss[r] < before.train_loss[r], "{link}: {after:?}");
                assert!(
                    after.test_loss[r] < 0.5 * (unigram + bigram),
                    "{link}: {after:?} {unigram} {bigram}"
                );
                assert!(after.train_accuracy[r] > 0.5 && after.test_accuracy[r] > 0.5, "{link}: {after:?}");
            }
            assert_eq!(after.measures.len(), vivarium_science::markov::ChainMeasure::ALL.len());
            assert!(after.measures[..3].iter().all(|values| values.len() == 2), "{link}");
            // Only models with heads in their settings have scores of heads.
            let heads = spec.model.config().heads().len();
            let heads = if heads == 0 { 0 } else { 2 };
            assert_eq!(
                after.measures[vivarium_science::markov::ChainMeasure::Induction as usize].len(),
                heads,
                "{link}"
            );
        }
    }
}
