//! Networks with one output for each example, trained on one processor core without a tensor: any loss of a label in {−1, +1}.
//!
//! # Why
//! The numbers of a replica and the update are those of every such network ([`Replica`]). An [`OutputLoop`] is what differs:
//! outputs, and the gradient of a batch. As in [`super::one_hidden_layer`], a loop uses only operations that IEEE 754 fixes, and
//! sums in an order that does not depend on the vectors: a run has the same bits in every browser and on every processor.

pub mod cls;
pub mod dropped;
pub mod graph;
mod parts;
pub mod powers;
mod table;
#[cfg(test)]
mod tests;

pub use super::one_hidden_layer::{loss_gradient, measured_loss};
pub use super::replica::{Gradient, Layout, Replica};

use super::one_hidden_layer::Row;
use vivarium_model::models::Penalty;
use vivarium_model::run::RunSpec;

/// A family of networks with one output, with the memory of its loops.
pub trait OutputLoop: Sized + Send {
    /// The loops of a run.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    fn of(spec: &RunSpec) -> Result<Self, String>;

    /// Whether parameter `which` is trained in `stage`.
    fn trains(&self, _which: usize, _stage: usize) -> bool {
        true
    }

    /// Takes the weights with which the other functions compute in `stage`.
    ///
    /// # Shapes
    /// One list for each parameter of the architecture: its numbers one after the other, the last row filled up with
    /// zeros.
    fn load(&mut self, weights: &[Vec<Row>], stage: usize);

    /// Takes the training step for which the next gradient is made: networks with dropout drop other numbers at every step.
    fn begin(&mut self, _drawn: dropped::Drawn) {}

    /// Writes the gradient of Σ ℓ over the examples `x` in `stage`, in the layout of [`OutputLoop::load`], where
    /// `slope(i, f)` is dℓ/df of example i at the output f; that of a parameter that is not trained means nothing.
    ///
    /// # Shapes
    /// `x` is `[examples, inputs]`.
    fn gradient(
        &mut self,
        x: &[f32],
        stage: usize,
        slope: impl FnMut(usize, f32) -> f32,
        gradient: &mut [Vec<Row>],
    );

    /// Adds the gradient of the model's penalty at these weights, which lie as for [`OutputLoop::load`], to a gradient.
    fn penalise(&self, _penalty: Penalty, _weights: &[Vec<Row>], _gradient: &mut [Vec<Row>]) {}

    /// Appends the outputs in `stage` for the examples `x`, one for each.
    fn outputs(&mut self, x: &[f32], stage: usize, out: &mut Vec<f32>);
}
