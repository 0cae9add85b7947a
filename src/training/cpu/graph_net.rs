//! The CPU learner of networks that are described by a graph of operators, on pairs with a logit for every element: the executor
//! in vectors of [`vivarium_operators::executor`].

use super::learner::{CpuLearner, CpuNetwork};
use super::network::{DataParallel, Pool, Shard};
use crate::session::learner::MEASURE_SAMPLE;
use crate::session::pairs::Examples;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_kernels::cpu::replica::{Gradient, Layout, Replica};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_operators::Executor;
use vivarium_operators::cross_entropy::Measured;

/// Trains all replicas of a network on pairs on the processor.
pub type GraphNetCpu = CpuLearner<GraphNet>;

/// A network on pairs with its examples.
pub struct GraphNet {
    executor: Executor,
    layout: Layout,
    gradient: Gradient,
    /// The whole sample.
    trained: Examples,
    held_out: Examples,
    /// The examples of one step, where it does not take the whole sample.
    batch: Examples,
    is_whole: bool,
    /// ε of the smoothed labels; 0 where they are not smoothed.
    smoothing: f32,
}

impl CpuNetwork for GraphNet {
    type Replica = Replica;
    const INDEPENDENT: bool = true;

    fn new(spec: &RunSpec) -> Result<(Self, Replica), String> {
        let elements = spec.task.examples().inputs();
        let graph = spec.architecture().graph(elements, 0);
        let graph = graph.ok_or_else(|| format!("its model is {}", spec.model.info().name))?;
        if !spec.model.suits(&spec.task) {
            return Err(format!("its task is {}", spec.task.info().name));
        }
        let (mut executor, layout) = (Executor::new(&graph.rewritten())?, Layout::of(spec));
        executor.allocate_gradients();
        let trained = Examples::trained(spec);
        let network = GraphNet {
            executor,
            gradient: layout.rows(),
            held_out: Examples::held_out(spec).unwrap_or_else(|| trained.clone()),
            batch: Examples::default(),
            is_whole: spec.batch_size() == trained.labels.len(),
            smoothing: spec.label_smoothing(),
            trained,
            layout,
        };
        let replica = Replica::new(&network.layout);
        Ok((network, replica))
    }

    fn draw(&mut self, spec: &RunSpec, number: usize, step: u64) {
        if self.is_whole {
            return;
        }
        let visits = spec.task.sampler().batch_indices(spec.run.seed, number as u32, step, spec.batch_size());
        self.batch.pairs.clear();
        self.batch.labels.clear();
        for at in visits {
            self.batch.pairs.push(self.trained.pairs[at]);
            self.batch.labels.push(self.trained.labels[at]);
        }
    }

    fn step(&mut self, replica: &mut Replica, spec: &RunSpec, step: u64, update: &Update) {
        let mut gradient = std::mem::take(&mut self.gradient);
        self.shard_of_drawn(replica, Shard::WHOLE, &mut gradient);
        self.descend(replica, spec, step, &mut gradient, update, Pool::ALONE);
        self.gradient = gradient;
    }

    fn data_parallel(&mut self) -> Option<&mut dyn DataParallel<Replica = Replica>> {
        Some(self)
    }

    fn measure(
        &mut self,
        replica: &mut Replica,
        _number: usize,
        _step: u64,
        held_out: usize,
        row: &mut Measurement,
    ) {
        self.executor.load(replica.weights());
        let all = self.trained.labels.len();
        // A step that takes the whole sample is measured on the whole sample.
        let seen = if self.is_whole { all } else { all.min(MEASURE_SAMPLE) };
        let held_out = held_out.min(self.held_out.labels.len());
        let [seen, held_out] = [(&self.trained, seen), (&self.held_out, held_out)]
            .map(|(examples, count)| (examples.pairs[..count].as_flattened(), &examples.labels[..count]));
        let train = self.executor.measure(seen.0, seen.1);
        // Where every pair is trained on, the same are held out.
        let test = if held_out == seen { train } else { self.executor.measure(held_out.0, held_out.1) };
        let mean = |Measured { loss, correct }: Measured, count: usize| {
            [loss, correct as f64].map(|sum| (sum / count.max(1) as f64) as f32)
        };
        let [loss, accuracy] = mean(train, seen.1.len());
        row.train_loss.push(loss);
        row.train_accuracy.push(accuracy);
        let [loss, accuracy] = mean(test, held_out.1.len());
        row.test_loss.push(loss);
        row.test_accuracy.push(accuracy);
    }
}

impl GraphNet {
    /// Writes the gradient of the mean over a shard of the examples that were drawn last; its weight.
    fn shard_of_drawn(&mut self, replica: &Replica, shard: Shard, gradient: &mut Gradient) -> f32 {
        let Examples { pairs, labels } = if self.is_whole { &self.trained } else { &self.batch };
        let range = shard.range(labels.len());
        self.executor.load(replica.weights());
        let pairs = pairs[range.clone()].as_flattened();
        self.executor.gradient(pairs, &labels[range], self.smoothing, gradient);
        shard.weight(labels.len())
    }
}

impl DataParallel for GraphNet {
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
        self.draw(spec, number, step);
        self.shard_of_drawn(replica, shard, gradient)
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
