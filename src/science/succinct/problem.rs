//! Settings of a learning problem as plain data, and the metrics of a run.

use super::data::{ConceptFamily, SampledProblem};
use super::error::SuccinctError;
use vivarium_core::choices;

choices! {
    /// Metrics of a run besides errors and accuracies, in the order of their columns in files.
    pub enum LearningMetric {
        /// Largest distance of a written row of the table from its exact value y\[x, 1\]/3.
        TableDeviation = "table-deviation", "Deviation of the table";
        /// Number of layers applied since the table was full.
        Layers = "layers", "Layers";
        /// Share of test inputs for which the program has halted and the output f equals its answer.
        AnsweredShare = "answered", "Test inputs answered";
        /// Median number of layers until the program halts, if it has halted for all test inputs.
        MedianTime = "running-time", "Running time";
        /// Maximum number of layers until the program halts, if it has halted for all test inputs.
        MaxTime = "longest-time", "Longest running time";
        /// Rank of the examples modulo 2; at rank d they determine every parity.
        Rank = "rank", "Rank of the examples";
        /// Share of the rules tried with an accuracy of at least 95 % on all queries.
        GoodRuleShare = "good-rules", "Share of rules with at least 95 % accuracy";
        /// Accuracy of the chosen rule on problems with twice as many inputs and examples.
        TwiceSizeAccuracy = "twice-size", "Accuracy with twice as many inputs and examples";
        /// Number of the restart that drew the chosen rule.
        BestRestart = "best-restart", "Restart of the chosen rule";
        /// Largest distance of the output f from the program's answer, over the test inputs for which the program has halted
        /// with an answer in the top-left cell.
        OutputExcess = "output-excess", "Distance of the output from the answer";
    }
}

/// Settings of a learning problem: family of concepts, numbers of inputs and examples, label noise, and test input.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningProblem {
    /// Family of functions from which the concept, which gives the labels, is drawn.
    pub family: ConceptFamily,
    /// Number d of inputs of an example, each 1 or −1.
    pub inputs: usize,
    /// Number m of examples in the data set.
    pub examples: usize,
    /// Probability that an example has the wrong label.
    pub noise: f64,
    /// The test input that is shown, d numbers 1 or −1; if it is empty, the first random test input is shown.
    pub fixed_input: Vec<i8>,
}

impl LearningProblem {
    /// Samples the concept and the data set of a replica, whose index from 0 is the number of the
    /// [`SampledProblem`].
    ///
    /// # Errors
    /// A size or the noise is out of range.
    pub fn sample(&self, seed: u64, replica: usize) -> Result<SampledProblem, SuccinctError> {
        SampledProblem::new(self.family, self.inputs, self.examples, self.noise, seed, replica as u64)
    }

    /// The test input that is shown: `fixed_input`, or else the first random one of `sampled`.
    pub fn test_input(&self, sampled: &SampledProblem) -> Vec<i8> {
        match self.fixed_input.is_empty() {
            true => sampled.test_input(0),
            false => self.fixed_input.clone(),
        }
    }

    /// Numbers of rows and columns of the table W that training fills: m + 1 and d + 1 for m examples with d
    /// inputs.
    pub fn table_size(&self) -> [usize; 2] {
        [self.examples + 1, self.inputs + 1]
    }

    /// Numbers of rows and columns of the grid, including the ring of blank cells around the table: m + 3 and d +
    /// 3.
    pub fn grid_size(&self) -> [usize; 2] {
        [self.examples + 3, self.inputs + 3]
    }

    /// Number of SGD steps that fill the table W: one per example, and one for the dummy example.
    pub fn writing_steps(&self) -> u64 {
        self.examples as u64 + 1
    }
}
