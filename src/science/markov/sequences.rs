//! Sequences in context: each is of a chain of its own, drawn from a law.
//!
//! # Which words draw what
//! Sequence e of a batch takes words `e·W` to `e·W + W − 1` of [`Purpose::Batch`] at the training step, where W is
//! [`ChainSequences::sequence_words`], and its chain as many of [`Purpose::Chain`] as [`Law::words`] says. Held-out
//! sequences take those of [`Purpose::HeldOut`] and [`Purpose::HeldOutChain`] in replica 0, with the law's place
//! in [`Chains::ALL`] as the step, so that each law has sequences of its own.
//!
//! ```
//! use vivarium_science::markov::{Chains, ChainSequences};
//! let train = Chains::Dirichlet;
//! let drawn = ChainSequences { symbols: 2, length: 50, order: 2, train, test: train, alpha: 1.0, share: 0.5 };
//! let mut symbols = vec![];
//! drawn.held_out_sequences(Chains::Dirichlet, 7, 3..4, &mut symbols);
//! let chain = drawn.held_out_chain(Chains::Dirichlet, 7, 3);
//! assert_eq!(symbols.len(), 51);
//! assert!(chain.probability(chain.context(&symbols[..50]), symbols[50].into()) > 0.0);
//! ```

use std::ops::Range;

use super::{Chain, Law, Walker, contexts};
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, Stream};

choices! {
    /// Distributions of transition matrices.
    pub enum Chains {
        /// Rows drawn independently.
        Dirichlet = "dirichlet", "Dirichlet rows";
        /// All rows equal, so that symbols are independent.
        Independent = "iid", "Independent symbols";
        /// Rows and columns sum to one, so that all symbols are equally frequent.
        Doubly = "ds", "Doubly stochastic";
        /// Some chains are doubly stochastic; the others have independent symbols.
        Mixture = "mixture", "Doubly stochastic or independent";
    }
}

/// What sequences are drawn, each of `length + 1` symbols and of a chain of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainSequences {
    /// Symbols that there are.
    pub symbols: usize,
    /// Symbols of a context: a sequence has one more.
    pub length: usize,
    /// Order n: a symbol depends on the n − 1 before it.
    pub order: usize,
    /// Law of the chains that are trained on.
    pub train: Chains,
    /// Law of the chains that are measured on.
    pub test: Chains,
    /// Parameter α of the Dirichlet law.
    pub alpha: f64,
    /// Share of doubly stochastic chains in a mixture.
    pub share: f64,
}

/// Random words that are drawn at once, so that memory stays small where a chain takes thousands.
const BLOCK_WORDS: usize = 1 << 14;

impl ChainSequences {
    /// A law with this α and share.
    pub fn law(&self, chains: Chains) -> Law {
        match chains {
            Chains::Dirichlet => Law::Dirichlet(self.alpha),
            Chains::Independent => Law::Independent,
            Chains::Doubly => Law::Doubly,
            Chains::Mixture => Law::Mixture(self.share),
        }
    }

    /// What a strategy adds to each count: the parameter of the prior of a row of the test chains, which is α for Dirichlet
    /// rows (Edelman 2024, equation 8.3) and 1 for rows that are uniform. Rows of doubly stochastic chains with more than two
    /// symbols are not uniform, but counts there are taken with 1 too.
    pub fn added(&self) -> f64 {
        if self.test == Chains::Dirichlet { self.alpha } else { 1.0 }
    }

    /// Random words of one sequence of `length + 1` symbols: one for the first `order − 1`, and one for each other.
    pub fn sequence_words(&self) -> usize {
        self.length + 3 - self.order
    }

    /// Random words of one chain of a law.
    pub fn chain_words(&self, chains: Chains) -> usize {
        self.law(chains).words(self.symbols, self.order)
    }

    /// Operations, roughly, of a held-out sequence that is measured on: its chain, which is drawn twice, the shares of
    /// the contexts in the long run, and what the strategies predict.
    pub fn operations(&self) -> u64 {
        let contexts = contexts(self.symbols, self.order) as u64;
        let words = 16 * self.chain_words(self.test) as u64;
        contexts.pow(3) + words + 16 * self.length as u64
    }

    /// Operations, roughly, of the line of the Bayes-optimal prediction over so many held-out sequences.
    pub fn bayes_operations(&self, held_out: usize) -> u64 {
        super::BayesJob::new(self, 0, held_out).map_or(0, |job| job.operations())
    }

    /// Appends the training sequences of `step` in `replica` to `out`, `[size, length + 1]`.
    pub fn sequences(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Vec<u8>) {
        self.some_sequences(seed, replica, step, 0..size, out);
    }

    /// Appends some of the training sequences of `step` in `replica` to `out`, `[examples, length + 1]`.
    pub fn some_sequences(
        &self,
        seed: u64,
        replica: u32,
        step: u64,
        examples: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let streams = [Purpose::Batch, Purpose::Chain].map(|purpose| Stream::new(seed, purpose, replica));
        self.draw(self.law(self.train), streams, step, examples, out);
    }

    /// The chain of training sequence `example` of `step` in `replica`.
    pub fn trained_chain(&self, seed: u64, replica: u32, step: u64, example: usize) -> Chain {
        self.chain(self.train, Stream::new(seed, Purpose::Chain, replica), step, example)
    }

    /// Appends held-out sequences of a law to `out`, `[examples, length + 1]`.
    pub fn held_out_sequences(&self, chains: Chains, seed: u64, examples: Range<usize>, out: &mut Vec<u8>) {
        let streams = [Purpose::HeldOut, Purpose::HeldOutChain].map(|purpose| Stream::new(seed, purpose, 0));
        self.draw(self.law(chains), streams, chains as u64, examples, out);
    }

    /// The chain of held-out sequence `example` of a law.
    pub fn held_out_chain(&self, chains: Chains, seed: u64, example: usize) -> Chain {
        self.chain(chains, Stream::new(seed, Purpose::HeldOutChain, 0), chains as u64, example)
    }

    fn chain(&self, chains: Chains, stream: Stream, step: u64, example: usize) -> Chain {
        let mut words = vec![0; self.chain_words(chains)];
        stream.words(step, (example * words.len()) as u32, &mut words);
        self.law(chains).draw(self.symbols, self.order, &words)
    }

    /// Appends sequences of chains of `law`: the words of sequences and of chains come from these two streams.
    fn draw(&self, law: Law, streams: [Stream; 2], step: u64, examples: Range<usize>, out: &mut Vec<u8>) {
        let counts = [self.sequence_words(), law.words(self.symbols, self.order)];
        // Whole blocks of examples, since words are fastest many at a time.
        let block = (BLOCK_WORDS / counts[0].max(counts[1])).clamp(1, examples.len().max(1));
        let mut words = counts.map(|count| vec![0; block * count]);
        let mut walker = Walker::new(self.symbols, self.order);
        let mut rows = vec![0; contexts(self.symbols, self.order) * self.symbols];
        out.reserve(examples.len() * (self.length + 1));
        for from in examples.clone().step_by(block) {
            let size = block.min(examples.end - from);
            for ((words, count), stream) in words.iter_mut().zip(counts).zip(streams) {
                stream.words(step, (from * count) as u32, &mut words[..size * count]);
            }
            let [sequences, chains] = &words;
            for (sequence, chain) in sequences.chunks(counts[0]).zip(chains.chunks(counts[1])).take(size) {
                law.rows(self.symbols, chain, &mut rows);
                walker.walk(&rows, sequence, out);
            }
        }
    }
}
