//! Operators of neural networks, graphs of them, and their executors.
//!
//! A trained network is a function from its settings to a [`Graph`](graph::Graph). Everything else follows from the graph: its
//! parameters and their initial values, the cost of a step, and three executions.
//!
//! | module | contents |
//! |---|---|
//! | [`graph`] | nodes, shapes and parameters; the builder |
//! | [`rewrite`] | rules that replace parts of a graph by cheaper ones |
//! | [`lookup`], [`slice`], [`stack`] | rows of a matrix, by number; values one below the other |
//! | [`linear`], [`read_out`] | products with a matrix, and with one of a single column |
//! | [`block_diagonal`] | block-diagonal matrix of a column |
//! | [`sum`], [`product`], [`pointwise`], [`relu`] | sums, products, functions of each number |
//! | [`layer_norm`] | layer norm |
//! | [`gru`] | gated recurrent units |
//! | [`self_attention`] | attention of each position |
//! | [`attention`] | attention of one query |
//! | [`score`], [`attention_scores`], [`weighted_sum`] | its parts: the scores of a query, of one that is the same for all examples, and the mean of the values |
//! | [`cross_entropy`] | the loss of a logit for each class |
//! | [`matrix`], [`reference`] | matrices, and the executor, in plain loops and double precision |
//! | [`executor`] | executor in vectors, for training on the processor |
//! | `tensors` | executor on Burn's tensors, with the feature `train` |
//! | [`pytorch`] | a graph as code |
//! | [`simd`] | rows of lanes and their products |
//!
//! # Operators
//! A file begins with the formulas of an operator's forward and backward pass and holds its forms one after the other: plain
//! loops in double precision (`forward`, `backward`), with which tests compare every other form; vectors (`forward_simd`,
//! `backward_simd`); and Burn's tensors (`forward_tensors`), where they are more than one call of Burn.
//!
//! # Dimension letters
//! `batch`: examples. `rows`: positions of an example, or rows of a parameter. `columns`: components.

pub mod attention;
pub mod attention_scores;
pub mod block_diagonal;
pub mod cross_entropy;
pub mod executor;
pub mod graph;
#[cfg(test)]
mod graph_tests;
pub mod gru;
pub mod layer_norm;
mod layout;
pub mod linear;
pub mod lookup;
pub mod matrix;
#[cfg(test)]
mod numbers_tests;
mod plan;
pub mod pointwise;
pub mod product;
pub mod pytorch;
pub mod read_out;
pub mod reference;
pub mod relu;
pub mod rewrite;
pub mod score;
pub mod self_attention;
#[cfg(test)]
mod sequence_tests;
pub mod simd;
pub mod slice;
pub mod stack;
pub mod sum;
#[cfg(all(test, feature = "train"))]
mod tensor_tests;
#[cfg(feature = "train")]
pub mod tensors;
pub mod weighted_sum;

pub use executor::Executor;
pub use graph::{Examples, Graph, NodeId};
