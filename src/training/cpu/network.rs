//! What a family of networks does on the processor: steps of all examples at once, or shard by shard.

use std::ops::Range;

use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_kernels::cpu::replica::Gradient;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// A family of networks with its examples: what differs between the CPU learners.
pub trait CpuNetwork: Sized + Send {
    /// The numbers of one network that training changes.
    type Replica: ReplicaState + Send + Sync;

    /// Whether several networks of this kind may train the replicas of a run side by side: a step leaves nothing in the network
    /// but memory that is used again.
    const INDEPENDENT: bool = false;

    /// The network of `spec` with its examples, and a replica whose numbers are all zero.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    fn new(spec: &RunSpec) -> Result<(Self, Self::Replica), String>;

    /// Draws the training batch of `step` in replica number `number`.
    fn draw(&mut self, spec: &RunSpec, number: usize, step: u64);

    /// Makes training step `step` of `replica` on the batch that was drawn last.
    fn step(&mut self, replica: &mut Self::Replica, spec: &RunSpec, step: u64, update: &Update);

    /// This network, if its steps may be made shard by shard.
    fn data_parallel(&mut self) -> Option<&mut dyn DataParallel<Replica = Self::Replica>> {
        None
    }

    /// Computes again, until the deadline in milliseconds of [`vivarium_model::platform::now_ms`], what the network needs for
    /// `replica`, number `number`, and what the arrays of a file do not hold. Returns whether it is complete;
    /// [`CpuNetwork::step`] and [`CpuNetwork::measure`] compute the rest without a deadline.
    fn catch_up(&mut self, _replica: &Self::Replica, _number: usize, _deadline_ms: f64) -> bool {
        true
    }

    /// Prepares what all replicas are measured on: at least `held_out` held-out examples.
    fn prepare_measure(&mut self, _held_out: usize) {}

    /// Appends the measurements of `replica`, number `number`, before training step `step`.
    fn measure(
        &mut self,
        replica: &mut Self::Replica,
        number: usize,
        step: u64,
        held_out: usize,
        row: &mut Measurement,
    );

    /// Error that ends the run, if there was one in a step or a measurement.
    fn failure(&self) -> Option<RunError> {
        None
    }
}

/// One of the equal parts of the examples of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0.
    pub number: usize,
    /// How many shards there are.
    pub of: usize,
}

impl Shard {
    /// All examples.
    pub const WHOLE: Shard = Shard { number: 0, of: 1 };

    /// Which of `count` examples are in it.
    pub fn range(self, count: usize) -> Range<usize> {
        let until = |number: usize| count * number / self.of;
        until(self.number)..until(self.number + 1)
    }

    /// Its share of `count` examples, by which a mean over it counts.
    pub fn weight(self, count: usize) -> f32 {
        self.range(count).len() as f32 / count.max(1) as f32
    }
}

/// A network whose steps may be made shard by shard.
pub trait DataParallel {
    /// The numbers of one network.
    type Replica;

    /// Room for a gradient.
    fn room(&self) -> Gradient;

    /// Most shards that are worth while for this network, whose steps have shards.
    fn most_shards(&self, _spec: &RunSpec) -> usize {
        usize::MAX
    }

    /// Writes the gradient of one shard of step `at.1` of replica number `at.0`, and returns the weight with which it counts
    /// in the sum over all shards.
    fn shard(
        &mut self,
        replica: &Self::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        shard: Shard,
        gradient: &mut Gradient,
    ) -> f32;

    /// Makes step `step` of `replica` with the gradient of all examples; several cores may take a part each.
    fn descend(
        &mut self,
        replica: &mut Self::Replica,
        spec: &RunSpec,
        step: u64,
        gradient: &mut Gradient,
        update: &Update,
        pool: Pool,
    );
}

/// The threads that jobs are given to; the calling thread alone where there are none.
#[derive(Debug, Clone, Copy)]
pub struct Pool<'a> {
    #[cfg(not(target_family = "wasm"))]
    threads: Option<&'a rayon::ThreadPool>,
    #[cfg(target_family = "wasm")]
    threads: std::marker::PhantomData<&'a ()>,
}

impl Pool<'_> {
    /// The calling thread alone.
    pub const ALONE: Pool<'static> = Pool {
        #[cfg(not(target_family = "wasm"))]
        threads: None,
        #[cfg(target_family = "wasm")]
        threads: std::marker::PhantomData,
    };

    /// These threads.
    #[cfg(not(target_family = "wasm"))]
    pub fn of(threads: &rayon::ThreadPool) -> Pool<'_> {
        Pool { threads: Some(threads) }
    }

    /// How many threads there are.
    pub fn count(self) -> usize {
        #[cfg(not(target_family = "wasm"))]
        if let Some(threads) = self.threads {
            return threads.current_num_threads();
        }
        1
    }

    /// Does all of these jobs, and returns when they are done.
    pub fn run<J: FnOnce() + Send>(self, jobs: impl Iterator<Item = J>) {
        #[cfg(not(target_family = "wasm"))]
        if let Some(threads) = self.threads {
            let jobs: Vec<J> = jobs.collect();
            return threads.scope(|scope| jobs.into_iter().for_each(|job| scope.spawn(|_| job())));
        }
        jobs.for_each(|job| job());
    }
}
