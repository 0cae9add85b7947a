//! Sequences for in-context learning: each comes from its own chain, which is drawn from a distribution.
//!
//! # Random words
//! Sequence e of a batch takes words `e·W` to `e·W + W − 1` of [`Purpose::Batch`] at the training step, where W is
//! [`ChainSequences::words_per_sequence`]. Its chain takes [`ChainDistribution::words_per_chain`] words of
//! [`Purpose::Chain`] in the same way. Held-out sequences take words of [`Purpose::HeldOut`] and
//! [`Purpose::HeldOutChain`] in replica 0, with the index of the family in [`ChainFamily::ALL`] as the step, so that
//! each family has its own sequences.
//!
//! ```
//! use vivarium_science::markov::{ChainFamily, ChainSequences};
//! let family = ChainFamily::Dirichlet;
//! let sequences = ChainSequences {
//!     symbols: 2,
//!     length: 50,
//!     order: 2,
//!     train_family: family,
//!     test_family: family,
//!     alpha: 1.0,
//!     mixture_weight: 0.5,
//! };
//! let mut symbols = vec![];
//! sequences.append_held_out_sequences(family, 7, 3..4, &mut symbols);
//! let chain = sequences.held_out_chain(family, 7, 3);
//! assert_eq!(symbols.len(), 51);
//! assert!(chain.probability(chain.context_index(&symbols[..50]), symbols[50].into()) > 0.0);
//! ```

use std::ops::Range;

use super::{Chain, ChainDistribution, SequenceSampler, context_count};
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, RandomStream};

choices! {
    /// Distributions of transition matrices.
    pub enum ChainFamily {
        /// Rows drawn independently.
        Dirichlet = "dirichlet", "Dirichlet rows";
        /// All rows equal, so that symbols are independent.
        Independent = "iid", "Independent symbols";
        /// Rows and columns sum to one, so that all symbols are equally frequent.
        DoublyStochastic = "ds", "Doubly stochastic";
        /// Some chains are doubly stochastic; the others have independent symbols.
        Mixture = "mixture", "Doubly stochastic or independent";
        /// Only the whole context of n − 1 symbols predicts the next symbol; strategies of lower order do not.
        NoLowerOrder = "no-lower", "No signal of lower order";
        /// Some chains have no signal of lower order; the others have the order n − 1 and Dirichlet rows.
        LowerOrderMixture = "lower-mixture", "No signal of lower order, or order n − 1";
    }
}

impl ChainFamily {
    /// Whether the family is an option for chains of order n = `order`. Independent and doubly stochastic rows are
    /// for Markov chains (n = 2). Chains without signal of lower order are for n > 2; for n = 2 they would be
    /// the doubly stochastic chains.
    pub fn supports_order(self, order: usize) -> bool {
        match self {
            ChainFamily::Dirichlet => true,
            ChainFamily::Independent | ChainFamily::DoublyStochastic | ChainFamily::Mixture => order == 2,
            ChainFamily::NoLowerOrder | ChainFamily::LowerOrderMixture => order > 2,
        }
    }
}

/// A distribution of sequences: each has `length + 1` symbols and comes from its own chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainSequences {
    /// Number k of different symbols of the sequences.
    pub symbols: usize,
    /// Number of symbols in the context of the last prediction; a sequence has one more.
    pub length: usize,
    /// The order n of the chains: each symbol depends on the n − 1 symbols before it.
    pub order: usize,
    /// Distribution of the Markov chains that generate training sequences.
    pub train_family: ChainFamily,
    /// Distribution of the Markov chains that generate the held-out sequences of measurements.
    pub test_family: ChainFamily,
    /// Parameter α of the symmetric Dirichlet distribution of the rows of transition matrices.
    pub alpha: f64,
    /// Probability that a chain of a mixture is doubly stochastic, or has no signal of lower order.
    pub mixture_weight: f64,
}

/// Number of random words that are generated at once, to bound memory where a chain takes thousands.
const BLOCK_WORDS: usize = 1 << 14;

impl ChainSequences {
    /// The distribution of the chains of a family, with the α and the mixture weight of these settings.
    pub fn distribution(&self, chains: ChainFamily) -> ChainDistribution {
        match chains {
            ChainFamily::Dirichlet => ChainDistribution::Dirichlet(self.alpha),
            ChainFamily::Independent => ChainDistribution::Independent,
            ChainFamily::DoublyStochastic => ChainDistribution::DoublyStochastic,
            ChainFamily::Mixture => ChainDistribution::Mixture(self.mixture_weight),
            ChainFamily::NoLowerOrder => ChainDistribution::NoLowerOrder,
            ChainFamily::LowerOrderMixture => {
                ChainDistribution::LowerOrderMixture(self.mixture_weight, self.alpha)
            }
        }
    }

    /// The number that a strategy adds to each count: the parameter of the prior of a row of the test chains. It is α
    /// for Dirichlet rows (Edelman 2024, equation 8.3) and 1 for uniform rows. Rows of doubly stochastic chains with
    /// more than two symbols, and of chains without signal of lower order, are not uniform, but strategies add 1
    /// there too, and also for mixtures.
    pub fn pseudocount(&self) -> f64 {
        if self.test_family == ChainFamily::Dirichlet { self.alpha } else { 1.0 }
    }

    /// Number of random words of one sequence of `length + 1` symbols: one for the first `order − 1` symbols, and
    /// one for each other symbol.
    pub fn words_per_sequence(&self) -> usize {
        self.length + 3 - self.order
    }

    /// Number of random words that one chain of the family `chains` takes.
    pub fn words_per_chain(&self, chains: ChainFamily) -> usize {
        self.distribution(chains).words_per_chain(self.symbols, self.order)
    }

    /// Approximate number of operations to evaluate one held-out sequence of the test family: drawing the chain
    /// twice, its stationary distribution, and the predictions of the strategies.
    pub fn operations_per_sequence(&self) -> u64 {
        let contexts = context_count(self.symbols, self.order) as u64;
        let words = 16 * self.words_per_chain(self.test_family) as u64;
        contexts.pow(3) + words + 16 * self.length as u64
    }

    /// Approximate number of operations to compute the divergence of the Bayes-optimal prediction over `held_out`
    /// held-out sequences; 0 if the prediction of the test family cannot be computed.
    pub fn bayes_operations(&self, held_out: usize) -> u64 {
        super::BayesDivergenceJob::new(self, 0, held_out).map_or(0, |job| job.remaining_operations())
    }

    /// Appends the `size` training sequences of training step `step` in replica `replica` to `out`,
    /// `[size, length + 1]`.
    pub fn append_training_sequences(
        &self,
        seed: u64,
        replica: u32,
        step: u64,
        size: usize,
        out: &mut Vec<u8>,
    ) {
        self.append_some_training_sequences(seed, replica, step, 0..size, out);
    }

    /// Appends the training sequences with the indices `examples`, from 0, of training step `step` in replica
    /// `replica` to `out`, `[examples, length + 1]`.
    pub fn append_some_training_sequences(
        &self,
        seed: u64,
        replica: u32,
        step: u64,
        examples: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let streams =
            [Purpose::Batch, Purpose::Chain].map(|purpose| RandomStream::new(seed, purpose, replica));
        self.append_drawn_sequences(self.distribution(self.train_family), streams, step, examples, out);
    }

    /// The chain of training sequence `example`, from 0, of step `step` in replica `replica`.
    pub fn training_chain(&self, seed: u64, replica: u32, step: u64, example: usize) -> Chain {
        self.draw_chain(self.train_family, RandomStream::new(seed, Purpose::Chain, replica), step, example)
    }

    /// Appends the held-out sequences with the indices `examples`, from 0, whose chains come from `family`, to
    /// `out`, `[examples, length + 1]`.
    pub fn append_held_out_sequences(
        &self,
        family: ChainFamily,
        seed: u64,
        examples: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let streams =
            [Purpose::HeldOut, Purpose::HeldOutChain].map(|purpose| RandomStream::new(seed, purpose, 0));
        self.append_drawn_sequences(self.distribution(family), streams, family as u64, examples, out);
    }

    /// The chain of held-out sequence `example`, from 0, of the family `chains`.
    pub fn held_out_chain(&self, chains: ChainFamily, seed: u64, example: usize) -> Chain {
        self.draw_chain(chains, RandomStream::new(seed, Purpose::HeldOutChain, 0), chains as u64, example)
    }

    /// Draws the chain of sequence `example`, from 0, from the random words of `stream` at step number `step`.
    fn draw_chain(&self, chains: ChainFamily, stream: RandomStream, step: u64, example: usize) -> Chain {
        let mut words = vec![0; self.words_per_chain(chains)];
        stream.fill_u32(step, (example * words.len()) as u32, &mut words);
        self.distribution(chains).draw_chain(self.symbols, self.order, &words)
    }

    /// Appends the sequences with the indices `examples`, whose chains are drawn from `distribution`, to `out`,
    /// `[examples, length + 1]`. The first of `streams` gives the random words of the sequences and the second
    /// those of the chains, both at step number `step`.
    fn append_drawn_sequences(
        &self,
        distribution: ChainDistribution,
        streams: [RandomStream; 2],
        step: u64,
        examples: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let counts = [self.words_per_sequence(), distribution.words_per_chain(self.symbols, self.order)];
        // Whole blocks of sequences, because many random words at once are generated faster.
        let block = (BLOCK_WORDS / counts[0].max(counts[1])).clamp(1, examples.len().max(1));
        let mut words = counts.map(|count| vec![0; block * count]);
        let mut walker = SequenceSampler::new(self.symbols, self.order);
        let mut rows = vec![0; context_count(self.symbols, self.order) * self.symbols];
        out.reserve(examples.len() * (self.length + 1));
        for from in examples.clone().step_by(block) {
            let size = block.min(examples.end - from);
            for ((words, count), stream) in words.iter_mut().zip(counts).zip(streams) {
                stream.fill_u32(step, (from * count) as u32, &mut words[..size * count]);
            }
            let [sequences, chains] = &words;
            for (sequence, chain) in sequences.chunks(counts[0]).zip(chains.chunks(counts[1])).take(size) {
                distribution.draw_rows(self.symbols, chain, &mut rows);
                walker.append_sequence(&rows, sequence, out);
            }
        }
    }
}
