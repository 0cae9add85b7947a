//! The CPU learner of networks on prompts: the loops of [`vivarium_kernels::cpu::prompt_net`] and
//! [`vivarium_kernels::cpu::in_context_net`].
//!
//! # Speed
//! Steps of 64 prompts per second on one core, data drawn in the step (`lab bench --prompts --peers`; medians of five
//! windows on two cores of an Intel Xeon with AVX-512, which multiply and add 131 GFLOP/s each; PyTorch 2.15, 2026-11-23):
//!
//! | network | here | PyTorch, one thread | two threads |
//! |---|---|---|---|
//! | attention, two heads for two names, N = 8 | 3,559 | 1,140 | 1,271 |
//! | race, attention, N = 4, 8, 16 | 4,249, 2,459, 1,570 | 1,784, 1,313, 1,025 | 1,642, 1,383, 1,054 |
//! | race, MLP, N = 4, 8, 16 | 3,832, 1,384, 672 to 815 | 1,520, 1,120, 656 | 1,250, 1,381, 863 |
//! | race, GRU, N = 4, 8, 16 | 1,850, 933, 416 | 467, 293, 168 | 458, 212, 124 |
//!
//! `torch.nn.GRU` is no faster than the GRU of plain matrices. The GRU has two thirds of what the core can do, the MLP at
//! N = 16 an eighth: its 80,000 weights are 1.3 MB with gradient and moments, and whether the cache is the reason has not
//! been measured.

#[cfg(all(test, feature = "train"))]
mod tests;

use std::ops::Range;

use super::learner::{CpuLearner, CpuNetwork};
use super::network::{DataParallel, Pool, Shard};
use super::prompt_examples::PromptExamples;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_kernels::cpu::prompt_net::{Gradient, Layout, PromptLoop, Replica};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;

/// Trains all replicas of a network on prompts on the processor.
pub type PromptNetCpu<L> = CpuLearner<PromptNet<L>>;

/// Prompts that are measured at once.
const TOGETHER: usize = 64;

/// A network on prompts with its examples.
pub struct PromptNet<L> {
    loops: L,
    layout: Layout,
    examples: PromptExamples,
    gradient: Gradient,
}

impl<L: PromptLoop> CpuNetwork for PromptNet<L> {
    type Replica = Replica;
    const INDEPENDENT: bool = true;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let (examples, layout) = (PromptExamples::of(spec, usize::MAX)?, Layout::of(spec));
        let family = PromptNet { loops: L::of(spec)?, examples, gradient: layout.rows(), layout };
        let replica = Replica::new(&family.layout);
        Ok((family, replica))
    }

    fn draw(&mut self, _spec: &RunSpec, number: usize, step: u64) {
        self.examples.draw(number, step);
    }

    fn step(&mut self, replica: &mut Replica, spec: &RunSpec, step: u64, update: &Update) {
        let mut gradient = std::mem::take(&mut self.gradient);
        self.gradient_of(replica, 0..spec.batch_size(), &mut gradient);
        self.descend(replica, spec, step, &mut gradient, update, Pool::ALONE);
        self.gradient = gradient;
    }

    fn data_parallel(&mut self) -> Option<&mut dyn DataParallel<Replica = Replica>> {
        Some(self)
    }

    fn prepare_measure(&mut self, held_out: usize) {
        self.examples.prepare(held_out);
    }

    fn measure(
        &mut self,
        replica: &mut Replica,
        number: usize,
        step: u64,
        held_out: usize,
        row: &mut Measurement,
    ) {
        let loops = &mut self.loops;
        loops.load(replica.weights());
        self.examples.measure((number, step, held_out), row, TOGETHER, |rows, out| loops.outputs(rows, out));
    }
}

impl<L: PromptLoop> PromptNet<L> {
    /// Writes the gradient of the mean over some of the prompts that were drawn last.
    fn gradient_of(&mut self, replica: &Replica, prompts: Range<usize>, gradient: &mut Gradient) {
        let batch = &self.examples.batch;
        let columns = batch.x.len() / batch.len().max(1);
        self.loops.load(replica.weights());
        self.loops.gradient(&batch.x[prompts.start * columns..prompts.end * columns], gradient);
    }
}

impl<L: PromptLoop> DataParallel for PromptNet<L> {
    type Replica = Replica;

    fn room(&self) -> Gradient {
        self.layout.rows()
    }

    fn most_shards(&self, spec: &RunSpec) -> usize {
        spec.batch_size() / L::LEAST_OF_SHARD
    }

    fn shard(
        &mut self,
        replica: &Replica,
        spec: &RunSpec,
        (number, step): (usize, u64),
        shard: Shard,
        gradient: &mut Gradient,
    ) -> f32 {
        let prompts = self.examples.draw_shard(number, step, shard);
        self.gradient_of(replica, prompts, gradient);
        shard.weight(spec.batch_size())
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
        replica.update(&self.layout, gradient, update);
    }
}
