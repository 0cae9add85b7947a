//! Networks on prompts of tokens, trained on one processor core without a tensor: the mean squared error over all
//! positions of a batch.
//!
//! # Why
//! What the networks share is here: the numbers of a replica and the update. A [`PromptLoop`] is what differs: outputs,
//! and the gradient of a batch. As in [`super::one_hidden_layer`], a loop uses only operations that IEEE 754 fixes, and
//! sums in an order that does not depend on the vectors: a run has the same bits in every browser and on every processor.

pub mod attention;
mod codes;
pub mod gru;
pub mod mlp;
#[cfg(test)]
mod tests;

use super::ReplicaState;
use super::one_hidden_layer::{LANES, Row, Update};
use super::wide::wide;
use crate::kernels::plan::Rule;
use crate::models::Family;
use crate::optim::Optimizer;
use crate::run::RunSpec;
use crate::tokens::Prompts;

/// A family of networks on prompts, with the memory of its loops.
pub trait PromptLoop: Sized {
    /// The loops of a run.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    fn of(spec: &RunSpec) -> Result<Self, String>;

    /// Takes the weights that the other functions are about.
    ///
    /// # Shapes
    /// One list for each parameter of the architecture: its numbers one after the other, the last row filled up with
    /// zeros.
    fn load(&mut self, weights: &[Vec<Row>]);

    /// Writes the gradient of the mean of (ŷ − y)² over all positions of the prompts `rows`, in the layout of
    /// [`PromptLoop::load`]; that of a parameter that is not trained stays zero.
    ///
    /// # Shapes
    /// `rows` is `[prompts, columns]`, as [`Prompts`](crate::tokens::Prompts) writes them.
    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]);

    /// Appends the outputs for the prompts `rows`, `[prompts, length]`.
    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>);
}

/// The family of a run's network, and the prompts that it is on.
fn family_of(spec: &RunSpec) -> Result<(Family, Prompts), String> {
    let prompts = spec.task.examples().prompts();
    let prompts = prompts.ok_or_else(|| format!("its task is {}", spec.task.info().name))?;
    let family = spec.model.config().family();
    Ok((family.ok_or_else(|| format!("its model is {}", spec.model.info().name))?, prompts))
}

/// What is known of any network's numbers before it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Numbers of each parameter.
    sizes: Vec<usize>,
    /// Whether weight decay pulls on each parameter.
    decays: Vec<bool>,
    rule: Rule,
}

impl Layout {
    /// The layout of a run's network.
    pub fn of(spec: &RunSpec) -> Self {
        let rule = match &spec.optimizer {
            Optimizer::Sgd(sgd) => Rule::Sgd { momentum: sgd.momentum > 0.0 },
            Optimizer::Adam(_) => Rule::Adam,
        };
        let architecture = spec.architecture();
        let parameters = architecture.parameters(spec.task.examples().inputs(), 1);
        let decays = (0..parameters.len()).map(|which| architecture.decays(which)).collect();
        Layout { sizes: parameters.iter().map(|p| p.len()).collect(), decays, rule }
    }

    /// Room for all parameters.
    pub fn rows(&self) -> Vec<Vec<Row>> {
        self.sizes.iter().map(|size| vec![Row::ZERO; size.div_ceil(LANES)]).collect()
    }
}

/// One network with what its optimizer remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    /// `[part][parameter]`, rows that are filled up with zeros.
    state: Vec<Vec<Vec<Row>>>,
    sizes: Vec<usize>,
}

impl Replica {
    /// A network whose numbers are all zero.
    pub fn new(layout: &Layout) -> Self {
        Replica { state: vec![layout.rows(); 1 + layout.rule.moments()], sizes: layout.sizes.clone() }
    }

    /// The weights, as loops take them.
    pub fn weights(&self) -> &[Vec<Row>] {
        &self.state[0]
    }

    /// Moves all weights against their gradient.
    pub fn update(&mut self, layout: &Layout, gradient: &[Vec<Row>], update: &Update) {
        let free = update.undecayed();
        for (which, (gradient, decays)) in gradient.iter().zip(&layout.decays).enumerate() {
            apply(&mut self.state, which, gradient, if *decays { update } else { &free });
        }
    }
}

impl ReplicaState for Replica {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        self.state[part][which].iter().flat_map(|row| row.0).take(self.sizes[which]).collect()
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        for (row, values) in self.state[part][which].iter_mut().zip(values.chunks(LANES)) {
            row.0[..values.len()].copy_from_slice(values);
        }
    }

    fn copy(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
    }
}

wide! {
    /// Moves parameter `which` against its gradient.
    fn apply(state: &mut [Vec<Vec<Row>>], which: usize, gradient: &[Row], update: &Update) {
        match state {
            [w] => update.apply(&mut w[which], gradient, &mut [], &mut []),
            [w, m] => update.apply(&mut w[which], gradient, &mut m[which], &mut []),
            [w, m, v, ..] => update.apply(&mut w[which], gradient, &mut m[which], &mut v[which]),
            [] => {}
        }
    }
}
