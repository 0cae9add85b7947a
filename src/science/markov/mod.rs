//! Markov chains: distributions of transition matrices, predictions of the next symbol, and the divergence between
//! two predictions.
//!
//! A chain of order n draws each symbol from the row of its context, the n − 1 symbols before it (Edelman 2024,
//! section 8.2.1). Probabilities are integer multiples of 2⁻²⁴, so that every processor draws the same symbols.

mod bayes;
mod chain;
mod distributions;
mod sequences;
mod strategies;

pub use bayes::{BayesDivergence, BayesDivergenceJob, BayesPrediction, BayesPredictor, IMPORTANCE_SAMPLES};
pub use chain::{
    Chain, ChainError, MAX_CONTEXTS, MAX_SYMBOLS, SequenceSampler, context_count, validate_symbols,
};
pub use distributions::{ChainDistribution, hit_and_run_move_count, multiply_high};
pub use sequences::{ChainFamily, ChainSequences};
pub use strategies::{Strategy, kl_divergence, kl_to_log_probabilities, log_softmax, softmax};

pub mod theory;

use vivarium_core::choices;

choices! {
    /// Measures of a network on sequences besides loss and accuracy, in the order of `Row::measures`.
    /// Kullback–Leibler divergences are in nats, at the last symbol of a context, averaged over the held-out
    /// sequences.
    pub enum ChainMeasure {
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
