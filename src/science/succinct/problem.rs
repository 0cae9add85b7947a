//! What a run is about, as plain data, and what is measured of it.

use super::data::{Drawn, Family};
use super::mistake::Mistake;
use vivarium_core::choices;

choices! {
    /// What is measured besides errors and answers, in the order of files.
    pub enum Measured {
        /// The largest distance of the written rows of the table from y\[x, 1\]/3.
        Deviation = "table-deviation", "Deviation of the table";
        /// Layers that the network has applied since the table was full.
        Layers = "layers", "Layers";
        /// The share of test inputs for which the program has halted and the output f is its answer.
        Answered = "answered", "Test inputs answered";
        /// The median number of layers until the program halts, once it has halted for all test inputs.
        Time = "running-time", "Running time";
        /// The largest number of layers until the program halts, once it has halted for all test inputs.
        Longest = "longest-time", "Longest running time";
        /// The rank of the examples modulo 2; at rank d they determine every parity.
        Rank = "rank", "Rank of the examples";
        /// The share of the rules tried that answer at least 95 % of all queries right.
        Good = "good-rules", "Share of rules with at least 95 % accuracy";
        /// The accuracy of the chosen rule on problems of twice the size.
        Twice = "twice-size", "Accuracy with twice as many inputs and examples";
        /// The restart that found the chosen rule.
        Restart = "best-restart", "Restart of the chosen rule";
        /// The largest distance of the output f from the program's answer, over the test inputs for which the program has
        /// halted with an answer in the top-left cell.
        Excess = "output-excess", "Distance of the output from the answer";
    }
}

/// A family of concepts with d inputs and m examples, and the test input that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningProblem {
    /// What the label is a function of.
    pub family: Family,
    /// Inputs d of an example.
    pub inputs: usize,
    /// Examples m.
    pub examples: usize,
    /// Probability that the label of an example is wrong.
    pub noise: f64,
    /// The test input that is shown, each number 1 or −1; empty takes the first one that is drawn.
    pub shown: Vec<i8>,
}

impl LearningProblem {
    /// The concept and the data set of a replica.
    ///
    /// # Errors
    /// Where a size or the noise is outside its range.
    pub fn drawn(&self, seed: u64, replica: usize) -> Result<Drawn, Mistake> {
        Drawn::new(self.family, self.inputs, self.examples, self.noise, seed, replica as u64)
    }

    /// The test input that is shown with these data.
    pub fn query(&self, drawn: &Drawn) -> Vec<i8> {
        match self.shown.is_empty() {
            true => drawn.query(0),
            false => self.shown.clone(),
        }
    }

    /// Numbers of the table: m + 1 rows of d + 1.
    pub fn table(&self) -> [usize; 2] {
        [self.examples + 1, self.inputs + 1]
    }

    /// Cells with the ring: m + 3 rows of d + 3.
    pub fn cells(&self) -> [usize; 2] {
        [self.examples + 3, self.inputs + 3]
    }

    /// Steps of SGD: one for each example, and one for the dummy example.
    pub fn writing(&self) -> u64 {
        self.examples as u64 + 1
    }
}
