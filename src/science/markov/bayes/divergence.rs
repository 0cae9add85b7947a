//! Computes KL(truth ‖ Bayes-optimal prediction) over the held-out sequences of a run, in slices.

use super::BayesPredictor;
use crate::markov::{ChainSequences, Strategy, kl_divergence};

/// Upper limit for the number of held-out sequences whose prediction is estimated by importance sampling; the
/// divergence of the others is estimated from these.
const MAX_SAMPLED_SEQUENCES: u64 = 256;
/// Number of held-out sequences (all, if there are fewer) whose prediction is estimated by importance sampling even
/// if that takes more than [`MAX_SAMPLING_OPERATIONS`].
const MIN_SAMPLED_SEQUENCES: u64 = 16;
/// Approximate limit for the arithmetic operations of all importance samples together, which bounds the number of
/// sampled sequences between [`MIN_SAMPLED_SEQUENCES`] and [`MAX_SAMPLED_SEQUENCES`].
const MAX_SAMPLING_OPERATIONS: u64 = 1 << 28;
/// Number of held-out sequences that are drawn and evaluated together if predictions are exact; otherwise it is
/// one.
const SEQUENCE_BLOCK: usize = 16;

/// The mean over held-out sequences of the Kullback–Leibler divergence KL(chain's true probabilities ‖
/// Bayes-optimal prediction), and its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BayesDivergence {
    /// Mean KL(true probabilities ‖ Bayes-optimal prediction) of the last symbol over the held-out sequences, in
    /// nats.
    pub kl: f64,
    /// Standard error of `kl` plus its estimated bias, which importance sampling causes; 0 if predictions are exact.
    pub standard_error: f64,
}

/// A running computation of the [`BayesDivergence`].
///
/// # Why
/// An importance sample of a chain with many contexts takes milliseconds, so at most 256 sequences have one, and
/// fewer for chains with many contexts. On these sequences the KL is compared with that of the best strategy. The
/// mean difference is subtracted from the strategy's mean KL over all sequences: differences vary much less between
/// sequences than the KLs.
#[derive(Debug, Clone)]
pub struct BayesDivergenceJob {
    /// Settings of the held-out sequences: family and order of the chains, number of symbols and length.
    sequences: ChainSequences,
    /// Seed of the held-out sequences.
    seed: u64,
    /// Number of held-out sequences over which the divergence is averaged.
    held_out: usize,
    /// The Bayes-optimal predictor whose divergence is computed.
    bayes: BayesPredictor,
    /// Number of held-out sequences, from the first, that have been added to the sums so far.
    done_count: usize,
    /// Sum over the sequences so far of KL(true probabilities ‖ prediction of the strategy with the chains' order),
    /// in nats.
    strategy_kl_sum: f64,
    /// Over the sequences with a Bayes-optimal prediction: their number, and the sum and the sum of squares of
    /// KL(true probabilities ‖ prediction of the strategy) minus KL(true probabilities ‖ Bayes-optimal prediction).
    kl_gain_sums: [f64; 3],
    /// Over the sequences with an importance sample, for the KLs of the predictions from its two halves: sum of
    /// their mean minus the KL of the whole sample's prediction, and sum of their squared difference.
    half_sample_sums: [f64; 2],
}

impl BayesDivergenceJob {
    /// Starts the computation for `held_out` held-out sequences; `None` if the Bayes-optimal prediction of their
    /// family cannot be computed.
    pub fn new(sequences: &ChainSequences, seed: u64, held_out: usize) -> Option<Self> {
        let bayes = BayesPredictor::new(sequences, sequences.test_family, seed)?;
        let sequences = *sequences;
        let (counted, gained, halves) = (0.0, [0.0; 3], [0.0; 2]);
        Some(BayesDivergenceJob {
            sequences,
            seed,
            held_out,
            bayes,
            done_count: 0,
            strategy_kl_sum: counted,
            kl_gain_sums: gained,
            half_sample_sums: halves,
        })
    }

    /// Approximate number of arithmetic operations that the computation still needs.
    pub fn remaining_operations(&self) -> u64 {
        let predicted = self.predicted_count().saturating_sub(self.done_count) as u64;
        let left = (self.held_out - self.done_count) as u64;
        self.sequences
            .operations_per_sequence()
            .saturating_mul(left)
            .saturating_add(self.bayes.operations_per_prediction().saturating_mul(predicted))
    }

    /// Number of held-out sequences, from the first, for which a Bayes-optimal prediction is computed: all if
    /// predictions are exact.
    fn predicted_count(&self) -> usize {
        if self.bayes.is_exact() {
            return self.held_out;
        }
        let max_count = (MAX_SAMPLING_OPERATIONS / self.bayes.operations_per_prediction())
            .clamp(MIN_SAMPLED_SEQUENCES, MAX_SAMPLED_SEQUENCES);
        self.held_out.min(max_count as usize)
    }

    /// Continues for about `operations` operations, but at least for one sequence. Returns the divergence after the
    /// last sequence, else `None`.
    pub fn advance(&mut self, operations: u64) -> Option<BayesDivergence> {
        let mut left = operations;
        while self.done_count < self.held_out {
            let before = self.remaining_operations();
            // Single sequences if one takes long.
            let together = if self.bayes.is_exact() { SEQUENCE_BLOCK } else { 1 };
            let until = (self.done_count + together).min(self.held_out);
            self.add_sequences(self.done_count..until);
            self.done_count = until;
            left = left.saturating_sub(before - self.remaining_operations());
            if left == 0 && self.done_count < self.held_out {
                return None;
            }
        }
        Some(self.estimate())
    }

    /// Computes the divergences of the held-out sequences with the indices `examples`, from 0, and adds them to the
    /// running sums of the job.
    fn add_sequences(&mut self, examples: std::ops::Range<usize>) {
        let (k, test) = (self.sequences.symbols, self.sequences.test_family);
        let (mut sequences, mut strategy_probabilities) = (vec![], vec![0.0; k]);
        self.sequences.append_held_out_sequences(test, self.seed, examples.clone(), &mut sequences);
        let predicted = self.predicted_count();
        for (example, sequence) in examples.zip(sequences.chunks(self.sequences.length + 1)) {
            let context = &sequence[..self.sequences.length];
            let chain = self.sequences.held_out_chain(test, self.seed, example);
            let truth = chain.next_symbol_distribution(chain.context_index(context));
            if let Some(strategy) = Strategy::from_order(self.sequences.order) {
                strategy.predict(k, self.sequences.pseudocount(), context, &mut strategy_probabilities);
            }
            let strategy_kl = kl_divergence(&truth, &strategy_probabilities);
            self.strategy_kl_sum += strategy_kl;
            if example >= predicted {
                continue;
            }
            let Some(prediction) = self.bayes.predict(context, example as u64) else { continue };
            let prediction_kl = kl_divergence(&truth, &prediction.mean);
            let gain = strategy_kl - prediction_kl;
            self.kl_gain_sums =
                [self.kl_gain_sums[0] + 1.0, self.kl_gain_sums[1] + gain, self.kl_gain_sums[2] + gain * gain];
            if let Some([a, b]) =
                prediction.half_means.map(|halves| halves.map(|half| kl_divergence(&truth, &half)))
            {
                self.half_sample_sums = [
                    self.half_sample_sums[0] + (a + b) / 2.0 - prediction_kl,
                    self.half_sample_sums[1] + (a - b) * (a - b),
                ];
            }
        }
    }

    /// Computes the mean divergence and its standard error from the running sums, after all sequences have been
    /// added.
    fn estimate(&self) -> BayesDivergence {
        let [count, sum, squares] = self.kl_gain_sums;
        let mean = sum / count;
        let kl = self.strategy_kl_sum / self.held_out as f64 - mean;
        if self.bayes.is_exact() {
            return BayesDivergence { kl, standard_error: 0.0 };
        }
        // A sample of half the size has twice the bias. The difference of the two halves has twice the variance of
        // one half, which is twice the variance of the whole sample.
        let bias = (self.half_sample_sums[0] / count).abs();
        let of_samples = self.half_sample_sums[1] / 4.0 / (count * count);
        let left_out = 1.0 - count / self.held_out as f64;
        let of_sequences = left_out * (squares / count - mean * mean).max(0.0) / count;
        BayesDivergence { kl, standard_error: bias + libm::sqrt(of_samples + of_sequences) }
    }
}
