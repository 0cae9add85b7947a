//! The CPU learner of networks on prompts: the loops of [`crate::kernels::cpu::prompt_net`].

#[cfg(all(test, feature = "train"))]
mod tests;

use super::learner::{CpuLearner, CpuNetwork};
use crate::kernels::cpu::one_hidden_layer::{Row as Lanes, Update};
use crate::kernels::cpu::prompt_net::{Layout, PromptLoop, Replica};
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::tasks::Batch;
use crate::tokens::Prompts;
use crate::training::session::learner::MEASURE_SAMPLE;

/// Trains all replicas of a network on prompts on the processor.
pub type PromptNetCpu<L> = CpuLearner<PromptNet<L>>;

/// Prompts that are measured at once.
const TOGETHER: usize = 64;

/// A network on prompts with its examples.
pub struct PromptNet<L> {
    loops: L,
    layout: Layout,
    prompts: Prompts,
    /// The variance of a label.
    variance: f64,
    gradient: Vec<Vec<Lanes>>,
    /// The prompts of one step.
    batch: Batch,
    /// The finite sample of each replica, where the task has one.
    samples: Vec<Batch>,
    held_out: Batch,
    outputs: Vec<f32>,
    spec: RunSpec,
}

impl<L: PromptLoop> PromptNet<L> {
    /// Draws the training batch of `step` in replica number `number`.
    fn fill(&mut self, number: usize, step: u64) {
        let (sampler, seed, size) = (self.spec.task.sampler(), self.spec.run.seed, self.spec.batch());
        self.batch.clear();
        let Some(sample) = self.samples.get(number) else {
            return sampler.sample(seed, number as u32, step, size, &mut self.batch);
        };
        let columns = self.prompts.columns();
        for at in sampler.visits(seed, number as u32, step, size) {
            self.batch.x.extend_from_slice(&sample.x[at * columns..][..columns]);
            self.batch.y.push(sample.y[at]);
        }
    }

    /// Mean squared error on these prompts, relative to the variance of a label.
    fn error(&mut self, rows: &[f32]) -> f32 {
        let (columns, mut sum, mut count) = (self.prompts.columns(), 0.0, 0);
        for rows in rows.chunks(TOGETHER * columns) {
            self.outputs.clear();
            self.loops.outputs(rows, &mut self.outputs);
            let labels = rows.chunks(columns).flat_map(|row| self.prompts.parts(row).2);
            sum += labels.zip(&self.outputs).map(|(y, f)| f64::from(f - y).powi(2)).sum::<f64>();
            count += self.outputs.len();
        }
        (sum / count.max(1) as f64 / self.variance) as f32
    }
}

impl<L: PromptLoop> CpuNetwork for PromptNet<L> {
    type Replica = Replica;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let (sampler, layout) = (spec.task.sampler(), Layout::of(spec));
        let (Some(prompts), Some(variance)) = (sampler.prompts(), sampler.label_variance(spec.run.seed))
        else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let sample = |replica: u32| {
            let mut batch = Batch::default();
            sampler.finite_sample(spec.run.seed, replica, 0, sampler.sample_size().unwrap_or(0), &mut batch);
            batch
        };
        let count = sampler.sample_size().map_or(0, |_| spec.run.replicas as u32);
        let family = PromptNet {
            loops: L::of(spec)?,
            prompts,
            variance,
            gradient: layout.rows(),
            batch: Batch::default(),
            samples: (0..count).map(sample).collect(),
            held_out: Batch::default(),
            outputs: vec![],
            spec: spec.clone(),
            layout,
        };
        let replica = Replica::new(&family.layout);
        Ok((family, replica))
    }

    fn draw(&mut self, _spec: &RunSpec, number: usize, step: u64) {
        self.fill(number, step);
    }

    fn step(&mut self, replica: &mut Replica, _spec: &RunSpec, _step: u64, update: &Update) {
        self.loops.load(replica.weights());
        self.loops.gradient(&self.batch.x, &mut self.gradient);
        replica.update(&self.layout, &self.gradient, update);
    }

    fn prepare_measure(&mut self, count: usize) {
        let have = self.held_out.len();
        if have < count {
            self.spec.task.sampler().held_out(self.spec.run.seed, have, count - have, &mut self.held_out);
        }
    }

    fn measure(&mut self, replica: &mut Replica, number: usize, step: u64, held_out: usize, row: &mut Row) {
        self.loops.load(replica.weights());
        let columns = self.prompts.columns();
        let train = match self.samples.get_mut(number) {
            Some(sample) => {
                let rows = std::mem::take(&mut sample.x);
                let error = self.error(&rows[..rows.len().min(MEASURE_SAMPLE * columns)]);
                self.samples[number].x = rows;
                error
            }
            None => {
                self.fill(number, step);
                let rows = std::mem::take(&mut self.batch.x);
                let error = self.error(&rows);
                self.batch.x = rows;
                error
            }
        };
        let rows = std::mem::take(&mut self.held_out.x);
        let test = self.error(&rows[..held_out * columns]);
        self.held_out.x = rows;
        row.train_loss.push(train);
        row.train_accuracy.push(1.0 - train);
        row.test_loss.push(test);
        row.test_accuracy.push(1.0 - test);
    }
}
