//! Networks on prompts of tokens, trained on one processor core without a tensor: the mean squared error over all
//! positions of a batch.
//!
//! # Why
//! The numbers of a replica and the update are those of every such network ([`Replica`]). A [`PromptLoop`] is what differs:
//! outputs, and the gradient of a batch. As in [`super::one_hidden_layer`], a loop uses only operations that IEEE 754 fixes, and
//! sums in an order that does not depend on the vectors: a run has the same bits in every browser and on every processor.

pub mod attention;
mod codes;
pub mod graph;
pub mod gru;
pub mod mlp;
#[cfg(test)]
mod tests;

pub use super::replica::{Gradient, Layout, Replica};

use super::one_hidden_layer::Row;
use vivarium_model::models::Family;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::tokens::TokenPrompts;

/// A family of networks on prompts, with the memory of its loops.
pub trait PromptLoop: Sized + Send {
    /// The smallest number of prompts that are worth a gradient of their own.
    const LEAST_OF_SHARD: usize = 4;

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
    /// `rows` is `[prompts, columns]`, as [`Prompts`](vivarium_science::tokens::TokenPrompts) or
    /// [`FunctionPrompts`](vivarium_science::functions::FunctionPrompts) writes them.
    fn gradient(&mut self, rows: &[f32], gradient: &mut [Vec<Row>]);

    /// Appends the outputs for the prompts `rows`, `[prompts, length]`.
    fn outputs(&mut self, rows: &[f32], out: &mut Vec<f32>);
}

/// The family of a run's network, and the prompts that it is on.
fn family_of(spec: &RunSpec) -> Result<(Family, TokenPrompts), String> {
    let TaskData::Prompts(prompts) = spec.task.data() else {
        return Err(format!("its task is {}", spec.task.info().name));
    };
    let family = spec.model.config().family();
    Ok((family.ok_or_else(|| format!("its model is {}", spec.model.info().name))?, prompts))
}
