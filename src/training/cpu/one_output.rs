//! The CPU learner of networks with one output for each example: the loops of [`vivarium_kernels::cpu::one_output`].

use super::learner::{CpuLearner, CpuNetwork};
use super::network::{DataParallel, Pool, Shard};
use crate::session::learner::MEASURE_SAMPLE;
use crate::session::margin::Normaliser;
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_kernels::cpu::one_output::dropped::Drawn;
use vivarium_kernels::cpu::one_output::{
    Gradient, Layout, OutputLoop, Replica, loss_gradient, measured_loss,
};
use vivarium_model::optim::accuracy::accuracy_credit;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Batch;

/// Trains all replicas of a network with one output on the processor.
pub type OneOutputCpu<L> = CpuLearner<OneOutput<L>>;

/// Examples that are measured at once.
const TOGETHER: usize = 1024;

/// A network with one output, with its examples.
pub struct OneOutput<L> {
    spec: RunSpec,
    loops: L,
    layout: Layout,
    gradient: Gradient,
    /// The batch that was drawn last, and of which replica and step it is.
    batch: Batch,
    drawn: Option<(usize, u64)>,
    /// The finite sample of each replica, where the task has one.
    samples: Vec<Batch>,
    /// Held-out examples: those of all replicas, or of each where it has its own.
    held_out: Vec<Batch>,
    /// Half of the share of a label that smoothing takes away.
    smoothing: f32,
    /// What margins are normalised with, where the model has a penalty.
    normaliser: Option<Normaliser>,
}

/// What is measured of some examples.
struct Judged {
    /// Mean loss and accuracy.
    means: [f32; 2],
    /// The smallest y·f(x); no number if an output is none.
    margin: f32,
}

/// What is measured in `stage` on the first `count` of some examples.
fn judged(loops: &mut impl OutputLoop, spec: &RunSpec, stage: usize, batch: &Batch, count: usize) -> Judged {
    let columns = spec.task.sampler().columns();
    let (x, y) = (&batch.x[..count * columns], &batch.y[..count]);
    let (mut loss, mut right, mut margin, mut found) = (0.0, 0.0, f32::INFINITY, vec![]);
    for (x, y) in x.chunks(TOGETHER * columns).zip(y.chunks(TOGETHER)) {
        found.clear();
        loops.outputs(x, stage, &mut found);
        for (f, y) in found.iter().zip(y) {
            loss += f64::from(measured_loss(spec.run.loss, *y, *f));
            right += accuracy_credit(*y, *f);
            margin = if margin.is_nan() || y * f >= margin { margin } else { y * f };
        }
    }
    Judged { means: [loss, right].map(|sum| (sum / count.max(1) as f64) as f32), margin }
}

impl<L: OutputLoop> CpuNetwork for OneOutput<L> {
    type Replica = Replica;
    const INDEPENDENT: bool = true;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let (loops, layout) = (L::of(spec)?, Layout::of(spec));
        let family = OneOutput {
            loops,
            gradient: layout.rows(),
            batch: Batch::default(),
            drawn: None,
            samples: spec.training_sets(usize::MAX),
            held_out: vec![],
            smoothing: 0.5 * spec.label_smoothing(),
            normaliser: Normaliser::of(spec),
            spec: spec.clone(),
            layout,
        };
        let replica = Replica::new(&family.layout);
        Ok((family, replica))
    }

    fn draw(&mut self, spec: &RunSpec, number: usize, step: u64) {
        self.batch.clear();
        spec.append_batch(&self.samples, number, step, &mut self.batch);
        self.drawn = Some((number, step));
    }

    fn step(&mut self, replica: &mut Replica, spec: &RunSpec, step: u64, update: &Update) {
        let mut gradient = std::mem::take(&mut self.gradient);
        self.shard_of_drawn(replica, spec.stage(step), Shard::WHOLE, &mut gradient);
        self.descend(replica, spec, step, &mut gradient, update, Pool::ALONE);
        self.gradient = gradient;
    }

    fn data_parallel(&mut self) -> Option<&mut dyn DataParallel<Replica = Replica>> {
        Some(self)
    }

    fn prepare_measure(&mut self, count: usize) {
        let (sampler, seed) = (self.spec.task.sampler(), self.spec.run.seed);
        let replicas = if sampler.has_held_out_per_replica() { self.spec.run.replicas } else { 1 };
        self.held_out.resize_with(replicas, Batch::default);
        for (replica, batch) in self.held_out.iter_mut().enumerate() {
            let have = batch.len();
            if have < count {
                sampler.append_held_out_of_replica(seed, replica as u32, have, count - have, batch);
            }
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
        let stage = self.spec.stage(step);
        self.loops.load(replica.weights(), stage);
        if self.samples.is_empty() {
            self.batch.clear();
            self.spec.append_batch(&self.samples, number, step, &mut self.batch);
            self.drawn = Some((number, step));
        }
        let (seen, most) = match self.samples.get(number) {
            // A step that takes the whole sample is measured on the whole sample.
            Some(sample) if self.spec.batch_size() < sample.len() => (sample, MEASURE_SAMPLE),
            Some(sample) => (sample, usize::MAX),
            None => (&self.batch, usize::MAX),
        };
        let known = &self.held_out[number.min(self.held_out.len() - 1)];
        let [train, test] = [(seen, most), (known, held_out)]
            .map(|(of, most)| judged(&mut self.loops, &self.spec, stage, of, of.len().min(most)));
        row.train_loss.push(train.means[0]);
        row.train_accuracy.push(train.means[1]);
        row.test_loss.push(test.means[0]);
        row.test_accuracy.push(test.means[1]);
        if let Some(normaliser) = self.normaliser
            && let Some(penalty) = self.spec.architecture().penalty(step)
        {
            let weights: Vec<Vec<f32>> =
                (0..self.layout.sizes.len()).map(|which| replica.read(0, which)).collect();
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let columns = self.spec.parameters()[0].shape[2];
            let norms = penalty.norms(&weights, columns);
            row.margin.push(normaliser.margin(train.margin, norms, train.means[0]));
        }
    }
}

impl<L: OutputLoop> OneOutput<L> {
    /// Writes the gradient that a shard of the examples that were drawn last adds to that of the mean.
    fn shard_of_drawn(&mut self, replica: &Replica, stage: usize, shard: Shard, gradient: &mut Gradient) {
        let (loss, smoothing) = (self.spec.run.loss, self.smoothing);
        let columns = self.batch.x.len() / self.batch.len().max(1);
        let range = shard.range(self.batch.len());
        let y = &self.batch.y[range.clone()];
        let share = 1.0 / self.batch.y.len() as f32;
        self.loops.load(replica.weights(), stage);
        if let Some((replica, step)) = self.drawn {
            self.loops.begin(Drawn { replica, step, first: range.start });
        }
        let slope = |at: usize, f: f32| (loss_gradient(loss, y[at], f) + smoothing * y[at]) * share;
        let x = &self.batch.x[range.start * columns..range.end * columns];
        self.loops.gradient(x, stage, slope, gradient);
    }
}

impl<L: OutputLoop> DataParallel for OneOutput<L> {
    type Replica = Replica;

    fn room(&self) -> Gradient {
        self.layout.rows()
    }

    fn shard(
        &mut self,
        replica: &Replica,
        spec: &RunSpec,
        (number, step): (usize, u64),
        shard: Shard,
        gradient: &mut Gradient,
    ) -> f32 {
        if self.drawn != Some((number, step)) {
            self.draw(spec, number, step);
        }
        self.shard_of_drawn(replica, spec.stage(step), shard, gradient);
        1.0
    }

    fn descend(
        &mut self,
        replica: &mut Replica,
        spec: &RunSpec,
        step: u64,
        gradient: &mut Gradient,
        update: &Update,
        _pool: Pool,
    ) {
        let (loops, stage) = (&self.loops, spec.stage(step));
        if self.normaliser.is_some()
            && let Some(penalty) = spec.architecture().penalty(step).filter(|penalty| penalty.lambda > 0.0)
        {
            loops.penalise(penalty, replica.weights(), gradient);
        }
        replica.update_some(&self.layout, gradient, update, |which| loops.trains(which, stage));
    }
}
