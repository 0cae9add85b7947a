//! Gradient descent inside a transformer: each token holds the weights of a network of N layers, and 2N + 4 layers of
//! the transformer compute one step of gradient descent on it (Wu, Su, Hu, Song and Liu 2024, "Transformers are deep
//! optimizers", section 3 and appendix D). Nothing is trained: the weights of the transformer are constructed and
//! never change.
//!
//! ```text
//! token    h_i = [x_i | y_i | w | p | r′ | g | s | 1 | t_i],   i = 1 … n + 1, the query being the last
//! step     w ← Proj(w − η ∇L_n(w)),   L_n(w) = 1/(2n) Σ_i ‖f(w, x_i) − y_i‖²
//! layers   forward 1 … N | derivatives | loss gradient | backward N … 1 | step | clean-up
//! ```
//!
//! [`DescentPrompts`] draws [`DescentExamples`] of a [`TargetFunction`]. A [`DescentPlan`] states the
//! [`DescentNetwork`] in the tokens and the approximation of its functions by [sums of ReLUs](ReluSum).
//! [`ConstructedTransformer`] builds the layers, which work on [`DescentTokens`] with a [`TokenLayout`]. [`direct`] is
//! gradient descent without tokens, and a [`DescentComparison`] runs both from the same weights.
//!
//! ```
//! use vivarium_science::descent::{DescentComparison, DescentPlan, DescentPrompts};
//! let plan = DescentPlan::default();
//! let w = plan.network.draw_weights(0, 0, 1.0);
//! let mut comparison = DescentComparison::new(&plan, DescentPrompts::default().draw_examples(0, 0), &w);
//! for _ in 0..10 {
//!     comparison.step(); // ten layers each
//! }
//! assert!(comparison.measure().distance < 1e-12);
//! ```
//!
//! # Three limits of the construction
//! Gradient descent from weights 0 never moves a network without biases, although the paper starts there. An output
//! layer of ReLUs, as in its definition 1, can be inactive for every example. The derivative of a ReLU is not a sum
//! of ReLUs, so that it is wrong in a band of width δ. The settings allow all three.

mod activation;
mod comparison;
pub mod direct;
mod examples;
mod layer;
mod layout;
mod matrix;
mod network;
mod number;
mod phase;
mod plan;
mod relus;
mod target;
#[cfg(test)]
mod tests;
mod tokens;
mod transformer;

pub use activation::{Activation, OutputActivation};
pub use comparison::{
    ComparisonMeasure, ComparisonMeasures, ComparisonState, DescentComparison, corollary_bound,
};
pub use examples::DescentExamples;
pub use layer::{DescentLayer, LayerWeights, MlpUnit, NeuronHeads, ProductHead, WeightUpdate};
pub use layout::{TokenBlock, TokenLayout};
pub use matrix::{HeadMatrices, SparseMatrix};
pub use network::DescentNetwork;
pub use number::{Precision, euclidean_distance, join_f64, split_f64};
pub use phase::{LayerKind, LayerPhase};
pub use plan::{
    DescentPlan, MAX_HEADS, MAX_HIDDEN_LAYERS, MAX_KNOTS, MAX_OPERATIONS, MAX_TOKEN_DIM, MAX_TOKEN_NUMBERS,
    MIN_DELTA, TransformerSizes,
};
#[doc(hidden)]
pub use relus::INTERPOLATION_RELUS;
pub use relus::{ReluApproximation, ReluSum, ScaledRelu};
pub use target::{
    DescentPrompts, ExampleOrder, InputSpacing, MAX_EXAMPLES, MAX_INPUTS, MAX_TEACHER_WEIGHTS,
    TargetFunction, TargetKind,
};
pub use tokens::DescentTokens;
pub use transformer::{ConstructedTransformer, TransformerCounts};
