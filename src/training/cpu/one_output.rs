//! The CPU learner of networks with one output for each example: the loops of [`crate::kernels::cpu::one_output`].

use super::learner::{CpuLearner, CpuNetwork};
use crate::kernels::cpu::one_hidden_layer::{Row as Lanes, Update};
use crate::kernels::cpu::one_output::{Layout, OutputLoop, Replica, clip, loss_gradient, loss_value};
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::tasks::Batch;
use crate::training::session::learner::MEASURE_SAMPLE;

/// Trains all replicas of a network with one output on the processor.
pub type OneOutputCpu<L> = CpuLearner<OneOutput<L>>;

/// Examples that are measured at once.
const TOGETHER: usize = 1024;

/// A network with one output, with its examples.
pub struct OneOutput<L> {
    spec: RunSpec,
    loops: L,
    layout: Layout,
    gradient: Vec<Vec<Lanes>>,
    /// The batch that was drawn last.
    batch: Batch,
    /// The finite sample of each replica, where the task has one.
    samples: Vec<Batch>,
    /// Held-out examples: those of all replicas, or of each where it has its own.
    held_out: Vec<Batch>,
    /// Norm to which a gradient is shortened; 0 where it never is.
    clip: f64,
    /// Half of the share of a label that smoothing takes away.
    smoothing: f32,
}

impl<L: OutputLoop> OneOutput<L> {
    /// Appends mean loss and accuracy on examples of so many inputs.
    fn judge(&mut self, x: &[f32], y: &[f32], stage: usize, loss_of: &mut Vec<f32>, right_of: &mut Vec<f32>) {
        let columns = self.spec.task.sampler().columns();
        let (mut loss, mut right, mut found) = (0.0, 0usize, vec![]);
        for (x, y) in x.chunks(TOGETHER * columns).zip(y.chunks(TOGETHER)) {
            found.clear();
            self.loops.outputs(x, stage, &mut found);
            for (f, y) in found.iter().zip(y) {
                // The largest of 0 and what is no number would be 0.
                let of = if f.is_finite() { loss_value(self.spec.run.loss, *y, *f) } else { f32::NAN };
                loss += f64::from(of);
                right += usize::from(y * f > 0.0);
            }
        }
        let count = y.len().max(1) as f64;
        loss_of.push((loss / count) as f32);
        right_of.push((right as f64 / count) as f32);
    }
}

impl<L: OutputLoop> CpuNetwork for OneOutput<L> {
    type Replica = Replica;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let (loops, layout) = (L::of(spec)?, Layout::of(spec));
        let family = OneOutput {
            loops,
            gradient: layout.rows(),
            batch: Batch::default(),
            samples: spec.samples(usize::MAX),
            held_out: vec![],
            clip: spec.optimizer.clip(),
            smoothing: 0.5 * spec.label_smoothing(),
            spec: spec.clone(),
            layout,
        };
        let replica = Replica::new(&family.layout);
        Ok((family, replica))
    }

    fn draw(&mut self, spec: &RunSpec, number: usize, step: u64) {
        self.batch.clear();
        spec.draw(&self.samples, number, step, &mut self.batch);
    }

    fn step(&mut self, replica: &mut Replica, spec: &RunSpec, step: u64, update: &Update) {
        let (stage, loss, smoothing) = (spec.stage(step), self.spec.run.loss, self.smoothing);
        let y = &self.batch.y;
        let share = 1.0 / y.len() as f32;
        self.loops.load(replica.weights());
        let slope = |at: usize, f: f32| (loss_gradient(loss, y[at], f) + smoothing * y[at]) * share;
        self.loops.gradient(&self.batch.x, stage, slope, &mut self.gradient);
        let loops = &self.loops;
        if self.clip > 0.0 {
            // The norm is that of the parameters that are trained.
            let others =
                self.gradient.iter_mut().enumerate().filter(|(which, _)| !loops.trains(*which, stage));
            others.for_each(|(_, gradient)| gradient.fill(Lanes::ZERO));
            clip(&mut self.gradient, self.clip);
        }
        replica.update_some(&self.layout, &self.gradient, update, |which| loops.trains(which, stage));
    }

    fn prepare_measure(&mut self, count: usize) {
        let (sampler, seed) = (self.spec.task.sampler(), self.spec.run.seed);
        let replicas = if sampler.splits() { self.spec.run.replicas } else { 1 };
        self.held_out.resize_with(replicas, Batch::default);
        for (replica, batch) in self.held_out.iter_mut().enumerate() {
            let have = batch.len();
            if have < count {
                sampler.held_out_of(seed, replica as u32, have, count - have, batch);
            }
        }
    }

    fn measure(&mut self, replica: &mut Replica, number: usize, step: u64, held_out: usize, row: &mut Row) {
        let (stage, columns) = (self.spec.stage(step), self.spec.task.sampler().columns());
        self.loops.load(replica.weights());
        let seen = match self.samples.get_mut(number) {
            Some(sample) => std::mem::take(sample),
            None => {
                let spec = self.spec.clone();
                self.draw(&spec, number, step);
                std::mem::take(&mut self.batch)
            }
        };
        let is_sample = !self.samples.is_empty();
        // A step that takes the whole sample is measured on the whole sample.
        let most = match is_sample && self.spec.batch() == seen.len() {
            true => seen.len(),
            false => seen.len().min(MEASURE_SAMPLE),
        };
        let most = if is_sample { most } else { seen.len() };
        self.judge(
            &seen.x[..most * columns],
            &seen.y[..most],
            stage,
            &mut row.train_loss,
            &mut row.train_accuracy,
        );
        match self.samples.get_mut(number) {
            Some(sample) => *sample = seen,
            None => self.batch = seen,
        }
        let own = number.min(self.held_out.len() - 1);
        let known = std::mem::take(&mut self.held_out[own]);
        let most = held_out.min(known.len());
        self.judge(
            &known.x[..most * columns],
            &known.y[..most],
            stage,
            &mut row.test_loss,
            &mut row.test_accuracy,
        );
        self.held_out[own] = known;
    }
}
