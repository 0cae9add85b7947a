//! How scores become weights of attention: a setting of several models.

use vivarium_core::choices;
use vivarium_operators::weighted_sum::Weighting;

choices! {
    /// How scores become weights of attention.
    pub enum Attend {
        /// Weights that sum to one.
        Softmax = "softmax", "Softmax";
        /// Positive scores, divided by the number of tokens.
        Relu = "relu", "ReLU, divided by the number of tokens";
    }
}

impl Attend {
    /// The weighting of the operators.
    pub fn weighting(self) -> Weighting {
        match self {
            Attend::Softmax => Weighting::Softmax,
            Attend::Relu => Weighting::Relu,
        }
    }
}
