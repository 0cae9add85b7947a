//! What goes into the group kernels and what comes out, as plain numbers.

use super::FIELDS;
use super::plan::{Sigma, Variant};
use vivarium_model::optim::Optimizer;

/// A network and how it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Elements d of the group.
    pub order: usize,
    /// Neurons m.
    pub neurons: usize,
    /// Non-linearity σ.
    pub sigma: Sigma,
    /// Exponent ν of the penalty, at least 2.
    pub nu: usize,
    /// Strength λ of the penalty.
    pub lambda: f64,
    /// Update rule.
    pub optimizer: Optimizer,
    /// Last step of the run, over which the schedule of the learning rate goes.
    pub steps: u64,
    /// Networks side by side.
    pub replicas: usize,
    /// Who makes a step; `None` takes what should be quicker.
    pub variant: Option<Variant>,
}

/// The trained numbers, each array `[replicas, order, neurons]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    /// Embedding of the first element.
    pub u: Vec<f32>,
    /// Embedding of the second element.
    pub v: Vec<f32>,
    /// Output weights.
    pub w: Vec<f32>,
}

/// A run: its network, and the pairs that it is trained on.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its network and how that is trained.
    pub shape: Shape,
    /// Pairs of elements, none of them twice.
    pub pairs: Vec<[u32; 2]>,
    /// The label of each.
    pub labels: Vec<u32>,
}

/// What was measured before a step, one number for each replica of the runs that were trained, one run after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Steps made before.
    pub step: u64,
    /// Mean cross-entropy, without the penalty; not a number if any of it is.
    pub loss: Vec<f32>,
    /// λ Σ‖ω‖^ν.
    pub penalty: Vec<f32>,
    /// Share of pairs whose label has the largest output.
    pub accuracy: Vec<f32>,
    /// Least margin over the pairs: the label's output less the largest other one.
    pub margin: Vec<f32>,
    /// Σ‖ω‖^ν, with which the margin is [normalised](vivarium_model::models::Penalty::normalised).
    pub norms: Vec<f32>,
}

/// Places of the pairs in the table of all of them, then their labels.
pub(super) fn table(order: usize, pairs: &[[u32; 2]], labels: &[u32]) -> Vec<u32> {
    let cells = pairs.iter().map(|[a, b]| a * order as u32 + b);
    cells.chain(labels.iter().copied()).collect()
}

/// Sum of one field over tiles.
pub(super) fn sum(tiles: &[f32], field: usize) -> f32 {
    tiles.iter().skip(field).step_by(FIELDS).sum()
}

impl Record {
    /// Adds what the tiles of `pairs` pairs say of one replica.
    pub(super) fn push(&mut self, tiles: &[f32], pairs: usize) {
        let broken = sum(tiles, 2) > 0.0;
        let margin = tiles.iter().skip(3).step_by(FIELDS).fold(f32::INFINITY, |a, b| a.min(*b));
        self.loss.push(if broken { f32::NAN } else { sum(tiles, 0) / pairs as f32 });
        self.accuracy.push(sum(tiles, 1) / pairs as f32);
        self.margin.push(if broken { f32::NAN } else { margin });
    }
}

impl Run {
    /// What is wrong with the data, if anything is.
    pub(super) fn check(&self) -> Result<(), String> {
        let Run { shape: Shape { order, neurons, nu, replicas, .. }, pairs, labels } = self;
        if *order < 2 || *neurons < 1 || *replicas < 1 || *nu < 2 {
            return Err(
                "there must be two classes, a neuron, a replica, and an exponent of at least 2".into()
            );
        }
        let inside = |element: &u32| (*element as usize) < *order;
        if pairs.is_empty() || pairs.len() != labels.len() {
            return Err(format!("{} pairs have {} labels", pairs.len(), labels.len()));
        }
        if !pairs.iter().flatten().chain(labels).all(inside) {
            return Err(format!("elements and labels must be below {order}"));
        }
        let mut sorted = pairs.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|two| two[0] == two[1]) {
            return Err("a pair occurs twice".into());
        }
        Ok(())
    }

    /// The state that a run with these weights begins with, `[replicas, state]`: moments are zero.
    pub(super) fn beginning(&self, weights: &Weights, state: usize) -> Result<Vec<f32>, String> {
        let size = self.shape.order * self.shape.neurons;
        let all = self.shape.replicas * size;
        if [&weights.u, &weights.v, &weights.w].iter().any(|values| values.len() != all) {
            return Err(format!("each array of weights must hold {all} numbers"));
        }
        let mut numbers = vec![0.0f32; self.shape.replicas * state];
        for (replica, state) in numbers.chunks_mut(state).enumerate() {
            for (part, values) in state.chunks_mut(size).zip([&weights.u, &weights.v, &weights.w]) {
                part.copy_from_slice(&values[replica * size..(replica + 1) * size]);
            }
        }
        Ok(numbers)
    }
}
