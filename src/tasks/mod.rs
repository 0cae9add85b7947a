//! Tasks: what there is to learn, and where the examples come from.

pub mod sparse_parity;

pub use sparse_parity::SparseParity;

use crate::settings::Problem;

crate::catalog! {
    /// Every task, with its settings.
    pub enum Task {
        /// Parity of a few hidden bits.
        SparseParity,
    }
}

/// Examples: inputs row by row, and a label in {−1, +1} for each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// Inputs, `[examples, inputs]`.
    pub x: Vec<f32>,
    /// Labels, `[examples]`.
    pub y: Vec<f32>,
}

impl Batch {
    /// Number of examples.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
    }
}

/// What every task can do. All of it is a function of the arguments alone.
pub trait Sampler {
    /// Numbers in one input.
    fn inputs(&self) -> usize;
    /// Appends the training examples of `step` in `replica` to `out`.
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch);
    /// Appends examples `from..from + size` of the held-out batch to `out`; it is shared by all
    /// replicas and its labels carry no noise.
    fn held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch);
    /// Appends examples `from..from + size` of the finite sample of `replica` to `out`, if the task has one.
    fn finite_sample(&self, seed: u64, replica: u32, from: usize, size: usize, out: &mut Batch);
    /// Which examples of the finite sample of `replica` make the batch of `step`: every example once per
    /// epoch, in an order that changes with the epoch. Only for tasks with a finite sample.
    fn visits(&self, seed: u64, replica: u32, step: u64, size: usize) -> Vec<usize>;
    /// Size of the finite sample, or `None` if every batch is fresh.
    fn sample_size(&self) -> Option<usize>;
    /// Probability that a training label is flipped.
    fn noise(&self) -> f64;
    /// Input coordinates that matter, from 0, for marking in charts.
    fn relevant(&self, seed: u64) -> Vec<usize>;
    /// What cannot be in these settings, each with what would be right.
    fn problems(&self) -> Vec<Problem>;
}

impl Task {
    /// The task's sampler.
    pub fn sampler(&self) -> &dyn Sampler {
        match self {
            Task::SparseParity(task) => task,
        }
    }
}
