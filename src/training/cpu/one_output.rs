//! The CPU learner of networks with one output for each example: the loops of [`crate::kernels::cpu::one_output`].

use super::learner::{CpuLearner, CpuNetwork};
use crate::kernels::cpu::one_hidden_layer::{Row as Lanes, Update};
use crate::kernels::cpu::one_output::{Layout, OutputLoop, Replica, clip, loss_gradient, measured_loss};
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

/// Mean loss and accuracy in `stage` on the first `count` of some examples.
fn judged(
    loops: &mut impl OutputLoop,
    spec: &RunSpec,
    stage: usize,
    batch: &Batch,
    count: usize,
) -> [f32; 2] {
    let columns = spec.task.sampler().columns();
    let (x, y) = (&batch.x[..count * columns], &batch.y[..count]);
    let (mut loss, mut right, mut found) = (0.0, 0usize, vec![]);
    for (x, y) in x.chunks(TOGETHER * columns).zip(y.chunks(TOGETHER)) {
        found.clear();
        loops.outputs(x, stage, &mut found);
        for (f, y) in found.iter().zip(y) {
            loss += f64::from(measured_loss(spec.run.loss, *y, *f));
            right += usize::from(y * f > 0.0);
        }
    }
    [loss, right as f64].map(|sum| (sum / count.max(1) as f64) as f32)
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
        let stage = self.spec.stage(step);
        self.loops.load(replica.weights());
        if self.samples.is_empty() {
            self.batch.clear();
            self.spec.draw(&self.samples, number, step, &mut self.batch);
        }
        let (seen, most) = match self.samples.get(number) {
            // A step that takes the whole sample is measured on the whole sample.
            Some(sample) if self.spec.batch() < sample.len() => (sample, MEASURE_SAMPLE),
            Some(sample) => (sample, usize::MAX),
            None => (&self.batch, usize::MAX),
        };
        let known = &self.held_out[number.min(self.held_out.len() - 1)];
        let [train, test] = [(seen, most), (known, held_out)]
            .map(|(of, most)| judged(&mut self.loops, &self.spec, stage, of, of.len().min(most)));
        row.train_loss.push(train[0]);
        row.train_accuracy.push(train[1]);
        row.test_loss.push(test[0]);
        row.test_accuracy.push(test[1]);
    }
}
