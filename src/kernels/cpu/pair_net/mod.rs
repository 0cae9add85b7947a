//! Networks on pairs of elements with a logit for every element, trained on one processor core without a tensor: the mean
//! cross-entropy of a batch, whose labels may be smoothed.
//!
//! ```text
//! loss = mean over the pairs of −Σ_c y[c] ln softmax(f(a, b))[c]      y = (1 − ε) onehot(label) + ε/p
//! ∂f   = (softmax(f) − y) / pairs
//! ```
//!
//! # Why
//! The numbers of a replica and the update are those of every such network ([`Replica`]), and so are the loss and its slopes
//! ([`Logits`]). A [`PairLoop`] is what differs: logits of a block of pairs, and the way back from their slopes. What is the
//! same for all pairs, such as a product of an embedding and a matrix, it makes once for all elements when it takes weights,
//! and goes back through it once when it gives the gradient. As in [`super::one_hidden_layer`], a loop uses only operations
//! that IEEE 754 fixes, and sums in an order that does not depend on the vectors: a run has the same bits in every browser
//! and on every processor.

pub mod embedding;
mod logits;
#[cfg(test)]
mod tests;
pub mod transformer;

pub use super::replica::{Gradient, Layout, Replica};
pub use logits::{Judged, Logits};

use super::one_hidden_layer::Row;
use vivarium_model::run::RunSpec;

/// Pairs that go through a network together, so that their numbers stay in the caches between the layers.
pub const TOGETHER: usize = 64;

/// A family of networks on pairs, with the memory of its loops.
pub trait PairLoop: Sized + Send {
    /// The loops of a run.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    fn of(spec: &RunSpec) -> Result<Self, String>;

    /// Takes the weights that the other functions are about, and forgets the gradient.
    ///
    /// # Shapes
    /// One list for each parameter of the architecture: its numbers one after the other, the last row filled up with
    /// zeros.
    fn load(&mut self, weights: &[Vec<Row>]);

    /// Makes ready for [`PairLoop::backward`].
    fn turn(&mut self);

    /// Makes the logits of at most [`TOGETHER`] pairs.
    fn forward(&mut self, pairs: &[[u32; 2]]) -> &mut Logits;

    /// Adds to the gradient what the [slopes](Logits::slopes) of the same pairs say.
    fn backward(&mut self, pairs: &[[u32; 2]]);

    /// Writes the gradient in the layout of [`PairLoop::load`].
    fn unload(&mut self, gradient: &mut [Vec<Row>]);

    /// Writes the gradient of the mean cross-entropy of these pairs, with label smoothing ε; once for the weights that were
    /// loaded last.
    fn gradient(&mut self, pairs: &[[u32; 2]], labels: &[u32], smoothing: f32, gradient: &mut [Vec<Row>]) {
        let share = 1.0 / pairs.len().max(1) as f32;
        self.turn();
        for (pairs, labels) in pairs.chunks(TOGETHER).zip(labels.chunks(TOGETHER)) {
            self.forward(pairs).slopes(labels, smoothing, share);
            self.backward(pairs);
        }
        self.unload(gradient);
    }

    /// What measuring gives on these pairs.
    fn measure(&mut self, pairs: &[[u32; 2]], labels: &[u32]) -> Judged {
        let mut judged = Judged::default();
        for (pairs, labels) in pairs.chunks(TOGETHER).zip(labels.chunks(TOGETHER)) {
            self.forward(pairs).judge(labels, &mut judged);
        }
        judged
    }
}
