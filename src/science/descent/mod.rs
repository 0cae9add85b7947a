//! Gradient descent inside of a transformer: tokens carry the weights of a network of N layers, and 2N + 4 layers of the
//! transformer are one step of descent on it (Wu, Su, Hu, Song and Liu 2024, "Transformers are deep optimizers", section 3
//! and appendix D). Nothing is trained: the transformer is written down, and its weights never change.
//!
//! ```text
//! token    h_i = [x_i | y_i | w | p | r′ | g | s | 1 | t_i],   i = 1 … n + 1, the query being the last
//! step     w ← Proj(w − η ∇L_n(w)),   L_n(w) = 1/(2n) Σ_i ‖f(w, x_i) − y_i‖²
//! layers   forward 1 … N | slopes | loss gradient | backward N … 1 | step | clean-up
//! ```
//!
//! [`Draw`] draws [`Examples`] of a [`Target`]; a [`Plan`] says which [`Network`] travels in the tokens and how its functions
//! become [sums of ReLUs](Relus); [`Transformer`] writes the layers down; [`Tokens`] are what they work on, with a
//! [`Layout`]; [`direct`] is descent without tokens, and a [`Race`] runs both side by side.
//!
//! ```
//! use vivarium_science::descent::{Draw, Plan, Race};
//! let plan = Plan::default();
//! let w = plan.network.draw(0, 0, 1.0);
//! let mut race = Race::new(&plan, Draw::default().draw(0, 0), &w);
//! for _ in 0..10 {
//!     race.step(); // ten layers each
//! }
//! assert!(race.standing().distance < 1e-12);
//! ```
//!
//! # Three traps
//! Where all weights are 0 a network without biases stands still, though the paper begins there; an output layer of ReLUs,
//! as in its definition 1, may be dead for every example; and a ReLU's slope is no sum of ReLUs, so that it is wrong in a
//! band of width δ. All three can be chosen here, to be seen.

mod activation;
pub mod direct;
mod examples;
mod layer;
mod layout;
mod matrix;
mod network;
mod number;
mod phase;
mod plan;
mod race;
mod relus;
mod target;
#[cfg(test)]
mod tests;
mod tokens;
mod transformer;

pub use activation::{Activation, Output};
pub use examples::Examples;
pub use layer::{Layer, Move, Neuron, Product, Unit, Weights};
pub use layout::{Block, Layout};
pub use matrix::{Head, Matrix};
pub use network::Network;
pub use number::{Number, distance, join, split};
pub use phase::{Kind, Phase};
pub use plan::{
    LEAST_DELTA, MOST_HEADS, MOST_HIDDEN, MOST_IN_TOKEN, MOST_IN_TOKENS, MOST_KNOTS, MOST_OPERATIONS, Plan,
    Sizes,
};
pub use race::{Measured, Race, Standing, State, corollary};
#[doc(hidden)]
pub use relus::WRITTEN;
pub use relus::{Approximation, Relu, Relus};
pub use target::{Draw, Function, MOST_EXAMPLES, MOST_IN_TEACHER, MOST_INPUTS, Order, Spread, Target};
pub use tokens::Tokens;
pub use transformer::{Counts, Transformer};
