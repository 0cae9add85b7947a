//! Markov chains: their laws, what can be predicted of them, and how a prediction is judged.
//!
//! A chain of order n draws each symbol from a row of its own for the n − 1 symbols before it, its context (Edelman
//! 2024, section 8.2.1). Rows are whole numbers of units of 2⁻²⁴, so that every processor draws the same symbols.

mod bayes;
mod chain;
mod laws;
mod sequences;
mod strategies;

pub use bayes::{Bayes, BayesJob, BayesLine, Posterior, SAMPLES};
pub use chain::{Chain, ChainError, MOST_CONTEXTS, MOST_SYMBOLS, Walker, contexts, symbols_of};
pub use laws::{Law, high, moves};
pub use sequences::{ChainSequences, Chains};
pub use strategies::{Strategy, kl, kl_to_logits, log_softmax, softmax};

pub mod theory;

use vivarium_core::choices;

choices! {
    /// What is measured of a network on sequences besides loss and accuracy, in the order of
    /// `Row::measures`. Kullback-Leibler divergences are in nats, at the last symbol of a context,
    /// and means over the held-out sequences.
    pub enum Measure {
        /// KL(uniform ‖ network).
        Uniform = "uniform", "Uniform";
        /// KL(unigram strategy ‖ network).
        Unigram = "unigram", "Unigram";
        /// KL(bigram strategy ‖ network).
        Bigram = "bigram", "Bigram";
        /// KL(trigram strategy ‖ network).
        Trigram = "trigram", "Trigram";
        /// KL(tetragram strategy ‖ network).
        Tetragram = "tetragram", "Tetragram";
        /// Mean attention to the previous symbol, of the head that attends to the previous symbol most.
        Previous = "previous", "Previous token";
        /// Attention from the last symbol to whatever followed its earlier occurrences, of the head outside the first
        /// layer with the largest such attention.
        Induction = "induction", "Induction";
        /// KL(truth ‖ network) on chains with Dirichlet rows.
        OnDirichlet = "on-dirichlet", "Dirichlet chains";
        /// KL(truth ‖ network) on independent symbols.
        OnIndependent = "on-iid", "Independent symbols";
        /// KL(truth ‖ network) on doubly stochastic chains.
        OnDoubly = "on-ds", "Doubly stochastic chains";
    }
}
