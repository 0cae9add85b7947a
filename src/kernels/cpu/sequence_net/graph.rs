//! Networks on sequences that are described by a graph of operators, with logits at each position.

use super::sequence::Sequence;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::{Executor, Graph};

/// The executor of a network, and the logits of one sequence.
#[derive(Debug, Clone)]
pub struct GraphNet {
    executor: Executor,
    alphabet: usize,
    length: usize,
    /// Symbols of sequences, and those that follow them.
    symbols: Vec<u32>,
    labels: Vec<u32>,
    /// Logits, `[block][symbol]` with positions in the lanes.
    pub logits: Vec<Row>,
}

impl GraphNet {
    /// The network of a graph that has a form in vectors, on sequences of `length` of the `alphabet` symbols.
    pub fn new(graph: &Graph, alphabet: usize, length: usize) -> Self {
        let mut executor = match Executor::new(graph) {
            Ok(executor) => executor,
            Err(why) => unreachable!("`Network::of` accepts only graphs with an executor: {why}"),
        };
        executor.allocate_gradients();
        let logits = vec![Row::ZERO; alphabet * length.div_ceil(LANES)];
        GraphNet { executor, alphabet, length, symbols: vec![], labels: vec![], logits }
    }

    /// Loads the parameters.
    pub fn load(&mut self, weights: &[Vec<Row>]) {
        self.executor.load(weights);
    }

    /// Writes the gradient of the mean loss over all positions.
    ///
    /// # Shapes
    /// `batch` is `[sequences, length + 1]`.
    pub fn gradient(&mut self, batch: &[u8], smoothing: f32, gradient: &mut [Vec<Row>]) {
        self.symbols.clear();
        self.labels.clear();
        for sequence in batch.chunks_exact(self.length + 1) {
            self.symbols.extend(sequence[..self.length].iter().map(|symbol| u32::from(*symbol)));
            self.labels.extend(sequence[1..].iter().map(|symbol| u32::from(*symbol)));
        }
        self.executor.gradient(&self.symbols, &self.labels, smoothing, gradient);
    }

    /// Writes the logits of a sequence.
    pub fn forward(&mut self, sequence: &Sequence) {
        self.symbols.clear();
        self.symbols.extend(sequence.symbols[..self.length].iter().map(|symbol| u32::from(*symbol)));
        self.executor.forward(&self.symbols);
        for position in 0..self.length {
            let (block, lane) = (position / LANES, position % LANES);
            let rows = &mut self.logits[block * self.alphabet..][..self.alphabet];
            for (row, logit) in rows.iter_mut().zip(self.executor.output(position)) {
                row.0[lane] = logit;
            }
        }
    }
}
