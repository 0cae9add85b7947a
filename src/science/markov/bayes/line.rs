//! KL(truth ‖ Bayes-optimal prediction) over the held-out sequences of a run, in parts.

use super::Bayes;
use crate::markov::{ChainSequences, Strategy, kl};

/// Most held-out sequences with an importance sample of their own.
const MOST_SAMPLED: u64 = 256;
/// Fewest of them.
const FEWEST_SAMPLED: u64 = 16;
/// Operations of all importance samples, unless the fewest take more.
const SAMPLED_OPERATIONS: u64 = 1 << 28;
/// Sequences that are drawn together.
const TOGETHER: usize = 16;

/// The line of the Bayes-optimal prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BayesLine {
    /// Mean KL(truth ‖ prediction) over the held-out sequences, in nats.
    pub kl: f64,
    /// How far `kl` may be off, as a standard error with the bias added, because predictions are importance samples; 0 where
    /// they are exact.
    pub error: f64,
}

/// The line on its way.
///
/// # Why
/// An importance sample of a chain with many contexts takes milliseconds, so at most 256 sequences have one, and fewer where
/// chains have many contexts. On these the KL is compared with that of the best strategy, and the mean difference is taken
/// off this strategy's line over all sequences: differences vary far less between sequences than the KLs themselves.
#[derive(Debug, Clone)]
pub struct BayesJob {
    drawn: ChainSequences,
    seed: u64,
    held_out: usize,
    bayes: Bayes,
    done: usize,
    /// Of the best strategy over all sequences.
    counted: f64,
    /// Best strategy's KL less the prediction's: how many, sum, and sum of squares.
    gained: [f64; 3],
    /// KL of both halves of the sample: sum of their mean less the whole sample's, and of their squared difference.
    halves: [f64; 2],
}

impl BayesJob {
    /// Nothing yet; none where there is no such prediction.
    pub fn new(drawn: &ChainSequences, seed: u64, held_out: usize) -> Option<Self> {
        let bayes = Bayes::new(drawn, drawn.test, seed)?;
        let drawn = *drawn;
        let (counted, gained, halves) = (0.0, [0.0; 3], [0.0; 2]);
        Some(BayesJob { drawn, seed, held_out, bayes, done: 0, counted, gained, halves })
    }

    /// Operations, roughly, of all that is left.
    pub fn operations(&self) -> u64 {
        let predicted = self.predicted().saturating_sub(self.done) as u64;
        let left = (self.held_out - self.done) as u64;
        self.drawn
            .operations()
            .saturating_mul(left)
            .saturating_add(self.bayes.operations().saturating_mul(predicted))
    }

    /// How many sequences have a prediction.
    fn predicted(&self) -> usize {
        if self.bayes.is_exact() {
            return self.held_out;
        }
        let most = (SAMPLED_OPERATIONS / self.bayes.operations()).clamp(FEWEST_SAMPLED, MOST_SAMPLED);
        self.held_out.min(most as usize)
    }

    /// Goes on by about so many operations, but by a few sequences at least; the line comes with the last of them.
    pub fn advance(&mut self, operations: u64) -> Option<BayesLine> {
        let mut left = operations;
        while self.done < self.held_out {
            let before = self.operations();
            // As few as possible where one takes long.
            let together = if self.bayes.is_exact() { TOGETHER } else { 1 };
            let until = (self.done + together).min(self.held_out);
            self.add(self.done..until);
            self.done = until;
            left = left.saturating_sub(before - self.operations());
            if left == 0 && self.done < self.held_out {
                return None;
            }
        }
        Some(self.line())
    }

    fn add(&mut self, examples: std::ops::Range<usize>) {
        let (k, test) = (self.drawn.symbols, self.drawn.test);
        let (mut sequences, mut counted) = (vec![], vec![0.0; k]);
        self.drawn.held_out_sequences(test, self.seed, examples.clone(), &mut sequences);
        let predicted = self.predicted();
        for (example, sequence) in examples.zip(sequences.chunks(self.drawn.length + 1)) {
            let context = &sequence[..self.drawn.length];
            let chain = self.drawn.held_out_chain(test, self.seed, example);
            let truth = chain.law(chain.context(context));
            if let Some(strategy) = Strategy::of_order(self.drawn.order) {
                strategy.predict(k, self.drawn.added(), context, &mut counted);
            }
            let best = kl(&truth, &counted);
            self.counted += best;
            if example >= predicted {
                continue;
            }
            let Some(found) = self.bayes.predict(context, example as u64) else { continue };
            let own = kl(&truth, &found.mean);
            let gain = best - own;
            self.gained = [self.gained[0] + 1.0, self.gained[1] + gain, self.gained[2] + gain * gain];
            if let Some([a, b]) = found.halves.map(|halves| halves.map(|half| kl(&truth, &half))) {
                self.halves = [self.halves[0] + (a + b) / 2.0 - own, self.halves[1] + (a - b) * (a - b)];
            }
        }
    }

    fn line(&self) -> BayesLine {
        let [count, sum, squares] = self.gained;
        let mean = sum / count;
        let kl = self.counted / self.held_out as f64 - mean;
        if self.bayes.is_exact() {
            return BayesLine { kl, error: 0.0 };
        }
        // The bias of a sample of half the size is twice as large, and the difference of both halves has twice the variance
        // of one half, which has twice that of the whole.
        let bias = (self.halves[0] / count).abs();
        let of_samples = self.halves[1] / 4.0 / (count * count);
        let left_out = 1.0 - count / self.held_out as f64;
        let of_sequences = left_out * (squares / count - mean * mean).max(0.0) / count;
        BayesLine { kl, error: bias + libm::sqrt(of_samples + of_sequences) }
    }
}
