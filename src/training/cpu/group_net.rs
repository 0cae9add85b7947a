//! The CPU learner of networks on pairs: the loops of [`vivarium_kernels::cpu::group_net`].
//!
//! Unlike a kernel's, a step may be of a part of the sample.

use super::learner::{CpuLearner, CpuNetwork};
use super::network::{DataParallel, Pool, Shard};
use crate::session::margin::Normaliser;
use crate::session::pairs::{Examples, Measured, covered, lambda, note};
use vivarium_kernels::cpu::group_net::{Network, Pairs, Replica, Scratch, Sums, Update};
use vivarium_kernels::cpu::replica::Gradient;
use vivarium_kernels::plan::Rule;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;

/// Trains all replicas of a network on pairs on the processor.
pub type GroupNetCpu = CpuLearner<GroupNetFamily>;

/// A network on pairs with its examples.
pub struct GroupNetFamily {
    network: Network,
    trained: Examples,
    /// The whole sample, and what is held out unless that is the same.
    whole: Pairs,
    held_out: Option<Pairs>,
    /// The examples of one step, where it does not take the whole sample.
    batch: (Examples, Pairs),
    is_whole: bool,
    /// The shards of the whole sample, from the first time that one is asked for.
    shards: Vec<Pairs>,
    scratch: Scratch,
    normaliser: Option<Normaliser>,
}

impl CpuNetwork for GroupNetFamily {
    type Replica = Replica;
    const INDEPENDENT: bool = true;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let net = covered(spec)?;
        let order = spec.task.examples().inputs();
        let network = Network {
            order,
            neurons: net.width,
            sigma: net.sigma,
            nu: net.exponent,
            rule: Rule::of(&spec.optimizer),
        };
        let (trained, held_out) = (Examples::trained(spec), Examples::held_out(spec));
        let pairs = |examples: &Examples| Pairs::new(order, &examples.pairs, &examples.labels);
        let mut scratch = Scratch::new(&network);
        scratch.smoothing = spec.label_smoothing();
        let family = GroupNetFamily {
            whole: pairs(&trained),
            held_out: held_out.as_ref().map(pairs),
            batch: (Examples::default(), Pairs::new(order, &[], &[])),
            is_whole: spec.batch_size() == trained.labels.len(),
            trained,
            shards: vec![],
            scratch,
            network,
            normaliser: Normaliser::of(spec),
        };
        Ok((family, Replica::new(&network)))
    }

    #[inline]
    fn draw(&mut self, spec: &RunSpec, number: usize, step: u64) {
        if self.is_whole {
            return;
        }
        self.draw_shard(spec, number, step, Shard::WHOLE);
    }

    #[inline]
    fn step(&mut self, replica: &mut Replica, spec: &RunSpec, step: u64, update: &Update) {
        let pairs = if self.is_whole { &self.whole } else { &self.batch.1 };
        replica.step(&mut self.scratch, pairs, lambda(spec, step), update);
    }

    fn data_parallel(&mut self) -> Option<&mut dyn DataParallel<Replica = Replica>> {
        Some(self)
    }

    fn measure(
        &mut self,
        replica: &mut Replica,
        _number: usize,
        _step: u64,
        _held_out: usize,
        row: &mut Measurement,
    ) {
        let mean = |sums: Sums, count: usize| Measured {
            loss: (sums.loss / count as f64) as f32,
            accuracy: (sums.right as f64 / count as f64) as f32,
        };
        let sums = replica.measure(&mut self.scratch, &self.whole);
        let train = mean(sums, self.whole.len());
        let test = match &self.held_out {
            Some(held_out) => mean(replica.measure(&mut self.scratch, held_out), held_out.len()),
            None => train,
        };
        let margin = |of: Normaliser| of.margin(sums.margin, sums.norms, train.loss);
        note(row, train, self.normaliser.map_or(f32::NAN, margin), test);
    }
}

impl GroupNetFamily {
    /// Draws one shard of the examples of `step` in replica number `number`, where a step does not take the whole sample.
    fn draw_shard(&mut self, spec: &RunSpec, number: usize, step: u64, shard: Shard) {
        let visits = spec.task.sampler().batch_indices(spec.run.seed, number as u32, step, spec.batch_size());
        let (examples, pairs) = &mut self.batch;
        examples.pairs.clear();
        examples.labels.clear();
        for at in &visits[shard.range(visits.len())] {
            examples.pairs.push(self.trained.pairs[*at]);
            examples.labels.push(self.trained.labels[*at]);
        }
        pairs.fill(&examples.pairs, &examples.labels);
    }
}

impl DataParallel for GroupNetFamily {
    type Replica = Replica;

    fn room(&self) -> Gradient {
        vec![Replica::room(&self.network)]
    }

    fn shard(
        &mut self,
        replica: &Replica,
        spec: &RunSpec,
        (number, step): (usize, u64),
        shard: Shard,
        gradient: &mut Gradient,
    ) -> f32 {
        let pairs = if self.is_whole {
            if self.shards.len() != shard.of {
                let Examples { pairs, labels } = &self.trained;
                let ranges = (0..shard.of).map(|number| Shard { number, ..shard }.range(labels.len()));
                let made = |range: std::ops::Range<usize>| {
                    Pairs::new(self.network.order, &pairs[range.clone()], &labels[range])
                };
                self.shards = ranges.map(made).collect();
            }
            &self.shards[shard.number]
        } else {
            self.draw_shard(spec, number, step, shard);
            &self.batch.1
        };
        replica.gradient(&mut self.scratch, pairs, &mut gradient[0]);
        1.0
    }

    fn descend(
        &mut self,
        replica: &mut Replica,
        spec: &RunSpec,
        step: u64,
        gradient: &mut Gradient,
        update: &Update,
        pool: Pool,
    ) {
        let (count, lambda) = (spec.batch_size(), lambda(spec, step));
        let parts = replica.parts(&mut gradient[0], pool.count());
        pool.run(parts.map(|mut part| move || part.descend(count, lambda, update)));
    }
}
