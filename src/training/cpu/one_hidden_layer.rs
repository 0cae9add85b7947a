//! The CPU learner of one-hidden-layer networks: the loops of [`vivarium_kernels::cpu::one_hidden_layer`].

use super::learner::{CpuLearner, CpuNetwork};
use crate::session::bit_packed::{Batches, held_out, seen};
use vivarium_kernels::cpu::one_hidden_layer::{Patterns, Replica, Scratch, Sums, Update};
use vivarium_kernels::plan::Network;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;

/// Trains all replicas of a one-hidden-layer network on the processor.
pub type OneHiddenLayerCpu = CpuLearner<OneHiddenLayer>;

/// A one-hidden-layer network with its examples.
pub struct OneHiddenLayer {
    spec: RunSpec,
    network: Network,
    batches: Batches,
    scratch: Scratch,
    /// The batch that was drawn last, as bits.
    words: Vec<u32>,
    /// Held-out examples, and how many.
    held_out: (Patterns, usize),
    /// What each replica has of a finite sample, as it is measured, and how many examples that are.
    seen: Vec<(Patterns, usize)>,
}

impl CpuNetwork for OneHiddenLayer {
    type Replica = Replica;
    const INDEPENDENT: bool = true;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let network = Network::of(spec)?;
        let mut scratch = Scratch::new(&network);
        scratch.smoothing = spec.label_smoothing();
        let family = OneHiddenLayer {
            spec: spec.clone(),
            batches: Batches::new(spec),
            scratch,
            words: vec![],
            held_out: (Patterns::default(), 0),
            seen: vec![],
            network,
        };
        Ok((family, Replica::new(&network)))
    }

    #[inline]
    fn draw(&mut self, _spec: &RunSpec, number: usize, step: u64) {
        self.batches.draw(number as u32, step, &mut self.words);
    }

    #[inline]
    fn step(&mut self, replica: &mut Replica, _spec: &RunSpec, _step: u64, update: &Update) {
        replica.step(&mut self.scratch, &self.words, update);
    }

    fn prepare_measure(&mut self, count: usize) {
        let inputs = self.network.inputs;
        if self.held_out.1 < count {
            self.held_out = (Patterns::new(&held_out(&self.spec, count), inputs), count);
        }
        if self.network.sample > 0 && self.seen.is_empty() {
            let samples = (0..self.spec.run.replicas as u32).filter_map(|r| seen(&self.spec, r));
            self.seen = samples.map(|(words, count)| (Patterns::new(&words, inputs), count)).collect();
        }
    }

    fn measure(
        &mut self,
        replica: &mut Replica,
        number: usize,
        step: u64,
        held_out: usize,
        row: &mut Measurement,
    ) {
        let mean = |sums: Sums, count: usize| {
            ((sums.loss / count as f64) as f32, (sums.right / count as f64) as f32)
        };
        let fresh;
        let (patterns, size) = match self.seen.get(number) {
            Some((patterns, size)) => (patterns, *size),
            None => {
                self.batches.draw(number as u32, step, &mut self.words);
                fresh = Patterns::new(&self.words, self.network.inputs);
                (&fresh, self.network.batch)
            }
        };
        let (loss, accuracy) = mean(replica.measure(&mut self.scratch, patterns, size), size);
        row.train_loss.push(loss);
        row.train_accuracy.push(accuracy);
        let (loss, accuracy) = mean(replica.measure(&mut self.scratch, &self.held_out.0, held_out), held_out);
        row.test_loss.push(loss);
        row.test_accuracy.push(accuracy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learner::{Learner, ready};
    use vivarium_model::models::mlp::{B, BETA, U, W};
    use vivarium_model::permalink::decode;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/sparse-parity?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    fn trained(spec: &RunSpec, steps: u64) -> OneHiddenLayerCpu {
        let mut learner = OneHiddenLayerCpu::new(spec).unwrap();
        learner.train(spec, 0, steps);
        learner
    }

    #[test]
    fn a_frozen_layer_stays_and_the_second_is_trained() {
        for rest in ["wd=0.1", "opt=adam&wd=0.1&wdkind=decoupled", "mom=0.9", "batch=600"] {
            let spec = spec(&format!("n=12&width=21&first=frozen&replicas=2&{rest}"));
            let (start, now) = (spec.initialize_parameters(), ready(trained(&spec, 7).weights()).parameters);
            assert_eq!([&now[W], &now[B]], [&start[W], &start[B]], "{rest}");
            assert!(now[U].iter().zip(&start[U]).all(|(a, b)| a != b), "{rest}");
            assert_ne!(now[BETA], start[BETA]);
            // With u alone the features are fixed, and its first step is that of the whole network.
            let mut whole = spec.clone();
            whole.parse("first", "trained").unwrap();
            let [one, other] = [&spec, &whole].map(|spec| ready(trained(spec, 1).weights()).parameters);
            assert_eq!([&one[U], &one[BETA]], [&other[U], &other[BETA]], "{rest}");
            assert_ne!(one[W], other[W]);
        }
    }
}
