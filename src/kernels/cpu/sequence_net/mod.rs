//! Networks on sequences of symbols, trained on one processor core without a tensor: attention-only transformers,
//! the minimal model, and networks that a graph of operators describes, by the mean cross-entropy over all positions of a
//! batch.
//!
//! The formulas are those of [`attention_only`](vivarium_model::models::attention_only) and
//! [`minimal_markov`](vivarium_model::models::minimal_markov), whose plain loops in double precision are the reference here.
//!
//! # Why
//! Sequences go one after the other through the whole network and back, so that all that is kept of one fits the
//! second-level cache, and gradients are summed in the order of the batch. Scores lie with the positions that look
//! in the lanes of `Row`s: softmax needs no sum across lanes, and all of attention's products, forward and
//! backward, take their factors from such a row and their vectors from a row of components. Only queries and the
//! slopes of outputs are turned.
//!
//! A first layer without absolute positions knows symbols and distances alone. There queries, keys and values are k
//! vectors, e^(α + ρ) is e^α e^ρ, and a sequence takes k additions for each pair of places, without a product or an
//! exponential; see `table`. If scores lie too far apart for that, the layer goes the way of the others.
//!
//! When a network is measured, only what the last position needs is computed of the last layer.
//!
//! As in [`super::one_hidden_layer`], only operations occur that IEEE 754 fixes, nothing is contracted, and the
//! exponential is our own: a run has the same bits in every browser and on every processor, whatever its vectors.
//!
//! # Speed
//! Steps/s of Adam without drawing the batch, and in brackets the GFLOP/s that
//! [`step_flops`](vivarium_model::models::Architecture::step_flops) makes of them, on one core of a shared two-core server
//! by the time that the core was had, 2026-11-21. Tables leave out most of the first layer's arithmetic, so that
//! the rate of the shallow ones is more than what is done.
//!
//! ```text
//! k, t, batch, d, heads                    AVX-512       AVX2          SSE2
//! 2, 50, 32, 16, 1.1                       1,500 (57)    1,560 (60)    670 (26)
//! the same, absolute positions             1,250 (48)    1,270 (48)    360 (14)
//! 3, 100, 64, 16, 1.1, layer norms           230 (61)      240 (64)     98 (26)
//! 2, 100, 64, 48, 3.3                        103 (112)      94 (103)    27 (29)
//! minimal, 2, 100, 64                      7,100 (28)    7,200 (29)  5,800 (23)
//! ```
//!
//! PyTorch 1.13, eager, on one thread of the same machine and by the same time, with batches drawn beforehand: 225
//! to 300 for the first, 43 to 50 for the third, 14 to 18 for the fourth and 450 to 750 for the last; `lab bench
//! --chains --peers` prints both.
//!
//! SSE2 has the width of wasm's vectors; in a browser nothing is measured yet. An answer to one context takes 4,
//! 10, 20 and 1 µs for the first, third, fourth and last of these. What bounds a small d: a row of scores has only
//! d terms, so loads, turning and exponentials weigh as much as products. The minimal model is bound by the
//! additions' latency, and by the sums that run along the sequence.

pub(super) mod attention;
pub(super) mod axis;
mod graph;
mod inference;
pub(super) mod layer;
mod minimal;
pub(super) mod norm;
pub(super) mod products;
mod scratch;
mod sequence;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod transformer;

pub use inference::{Answers, Inference, answers};
pub use scratch::Scratch;
pub use scratch::View;
pub use symbols::Tally;

pub use super::one_hidden_layer::Update;
pub use super::replica::{Layout, Replica};

use vivarium_model::models::Family;
use vivarium_model::models::family::AttentionLayers;
use vivarium_model::run::RunSpec;
use vivarium_operators::{Executor, Graph};

/// What kind of network it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Attention on an embedding.
    Attention(AttentionLayers),
    /// W and v.
    Minimal,
    /// A graph of operators, with logits at each position.
    Graph(Box<Graph>),
}

/// What is known of a network before it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Symbols that there are.
    pub symbols: usize,
    /// Symbols of a context.
    pub length: usize,
    /// What it is.
    pub kind: Kind,
    /// Its numbers, and how they are updated.
    pub layout: Layout,
}

impl Network {
    /// The network of a run, or why no loop covers it.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let symbols = spec.task.examples().inputs();
        let kind = match spec.model.config().family() {
            Some(Family::Graph) => {
                let graph = spec.architecture().graph(symbols, 0).map(|graph| Box::new(graph.rewritten()));
                let graph = graph.ok_or_else(|| format!("its model is the {}", spec.model.info().name))?;
                Executor::new(&graph)?;
                Kind::Graph(graph)
            }
            Some(Family::Attention(layers)) => Kind::Attention(layers),
            Some(Family::Minimal) => Kind::Minimal,
            _ => return Err(format!("its model is the {}", spec.model.info().name)),
        };
        let length = spec.task.examples().prediction_count();
        Ok(Network { symbols, length, kind, layout: Layout::of(spec) })
    }
}
