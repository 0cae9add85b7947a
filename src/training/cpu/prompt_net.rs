//! The CPU learner of networks on prompts: the loops of [`crate::kernels::cpu::prompt_net`].

#[cfg(all(test, feature = "train"))]
mod tests;

use super::learner::{CpuLearner, CpuNetwork};
use super::prompt_examples::PromptExamples;
use crate::kernels::cpu::one_hidden_layer::{Row as Lanes, Update};
use crate::kernels::cpu::prompt_net::{Layout, PromptLoop, Replica};
use crate::protocol::Row;
use crate::run::RunSpec;

/// Trains all replicas of a network on prompts on the processor.
pub type PromptNetCpu<L> = CpuLearner<PromptNet<L>>;

/// Prompts that are measured at once.
const TOGETHER: usize = 64;

/// A network on prompts with its examples.
pub struct PromptNet<L> {
    loops: L,
    layout: Layout,
    examples: PromptExamples,
    gradient: Vec<Vec<Lanes>>,
}

impl<L: PromptLoop> CpuNetwork for PromptNet<L> {
    type Replica = Replica;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let (examples, layout) = (PromptExamples::of(spec, usize::MAX)?, Layout::of(spec));
        let family = PromptNet { loops: L::of(spec)?, examples, gradient: layout.rows(), layout };
        let replica = Replica::new(&family.layout);
        Ok((family, replica))
    }

    fn draw(&mut self, _spec: &RunSpec, number: usize, step: u64) {
        self.examples.draw(number, step);
    }

    fn step(&mut self, replica: &mut Replica, _spec: &RunSpec, _step: u64, update: &Update) {
        self.loops.load(replica.weights());
        self.loops.gradient(&self.examples.batch.x, &mut self.gradient);
        replica.update(&self.layout, &self.gradient, update);
    }

    fn prepare_measure(&mut self, held_out: usize) {
        self.examples.prepare(held_out);
    }

    fn measure(&mut self, replica: &mut Replica, number: usize, step: u64, held_out: usize, row: &mut Row) {
        let loops = &mut self.loops;
        loops.load(replica.weights());
        self.examples.measure((number, step, held_out), row, TOGETHER, |rows, out| loops.outputs(rows, out));
    }
}
