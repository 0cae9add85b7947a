//! Settings of the view of runs on Markov chains.

use vivarium_core::settings;
use vivarium_core::settings::Range;

settings! {
    /// Sequence, Markov chain and heads of the inspected network, in the view of runs on Markov chains.
    pub struct MarkovView {
        /// Your own sequence of the symbols 0, 1, 2 and so on; the page inspects this sequence instead of a held-out sequence.
        sequence: Vec<usize> = vec![], "seq", "Own sequence", Range::Numbers(0, 7, 256);
        /// Transition matrix of the inspected sequences, row by row in percent; if empty, held-out sequences are inspected.
        chain: Vec<usize> = vec![], "chain", "Own Markov chain", Range::Numbers(0, 100, 64), "%";
        /// Heads that are switched off in the inspected network, counted layer by layer from 1.
        off: Vec<usize> = vec![], "off", "Heads switched off", Range::List(1, 32);
    }
}
