//! Markov chains in context: every sequence has a chain of its own, and its next symbols are to be predicted from those
//! before (Edelman 2024, section 8.2).
//!
//! An example's row holds `length + 1` symbols, from 0; its label is the last of them. A network predicts after each of
//! the first `length`.

use super::{Batch, Form, Sampler};
use crate::catalog::{EDELMAN_2024_HEADS, EDELMAN_2024_MARKOV, Info};
use crate::settings::{Problem, Range};
use crate::{choices, settings};

choices! {
    /// Laws of transition matrices.
    pub enum Chains {
        /// Rows drawn independently.
        Dirichlet = "dirichlet", "Dirichlet rows";
        /// All rows equal, so that symbols are independent.
        Independent = "iid", "Independent symbols";
        /// Rows and columns sum to one, so that all symbols are equally frequent.
        Doubly = "ds", "Doubly stochastic";
        /// Some doubly stochastic, the others with independent symbols.
        Mixture = "mixture", "Doubly stochastic and independent";
    }
}

settings! {
    /// The next symbol of a chain that is drawn anew for every sequence.
    pub struct MarkovChain {
        /// Symbols that there are.
        symbols: usize = 2, "k", "Symbols k", Range::Int(2, 8);
        /// Symbols of a context; a network predicts after each of them.
        length: usize = 50, "t", "Context length t", Range::Int(2, 256), "symbols";
        /// A symbol depends on the n − 1 before it: 2 makes a Markov chain.
        order: usize = 2, "gram", "Order n of the n-grams", Range::Int(2, 4);
        /// Law of the transition matrices that are trained on.
        train: Chains = Chains::Dirichlet, "data", "Chains", Range::Choice(Chains::OPTIONS);
        /// Parameter α of the Dirichlet law of each row; 1 is uniform.
        alpha: f64 = 1.0, "alpha", "Concentration α", Range::Real(0.05, 20.0);
        /// Share of doubly stochastic chains in a mixture.
        share: f64 = 0.5, "mix", "Share of doubly stochastic", Range::Real(0.0, 1.0);
        /// Law of the transition matrices that are measured on.
        test: Chains = Chains::Dirichlet, "test", "Chains of the test", Range::Choice(Chains::OPTIONS);
    }
}

impl MarkovChain {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "markov",
        name: "Markov chains in context",
        about: "Every sequence has a chain of its own; its next symbol is to be read off what came before.",
        sources: &[EDELMAN_2024_MARKOV, EDELMAN_2024_HEADS],
    };
}

impl Sampler for MarkovChain {
    fn form(&self) -> Form {
        Form::Sequence
    }

    fn inputs(&self) -> usize {
        self.symbols
    }

    fn columns(&self) -> usize {
        self.length + 1
    }

    fn length(&self) -> usize {
        self.length
    }

    fn classes(&self) -> Option<usize> {
        Some(self.symbols)
    }

    fn sample(&self, _seed: u64, _replica: u32, _step: u64, _size: usize, _out: &mut Batch) {}

    fn held_out(&self, _seed: u64, _from: usize, _size: usize, _out: &mut Batch) {}

    fn finite_sample(&self, _seed: u64, _replica: u32, _from: usize, _size: usize, _out: &mut Batch) {}

    fn visits(&self, _seed: u64, _replica: u32, _step: u64, _size: usize) -> Vec<usize> {
        vec![]
    }

    fn sample_size(&self) -> Option<usize> {
        None
    }

    fn noise(&self) -> f64 {
        0.0
    }

    fn relevant(&self, _seed: u64) -> Vec<usize> {
        vec![]
    }

    fn problems(&self) -> Vec<Problem> {
        vec![]
    }
}
