//! Trials of one-step recovery on random batches, 32 examples at a time.
//!
//! # Why
//! The neuron needs nothing of an example but whether it fires and the signs of its products. So 32 examples are a word
//! for each bit, the minus signs among the ones are counted in planes of words, and a sum over a batch is counts of set
//! bits: a million examples of 30 bits take some 20 ms on one core.

use super::{ParityNeuron, WeightPattern};
use vivarium_core::rng::{Purpose, RandomStream};

/// Number of bits of a bit-sliced counter, with which [`signs_positive_or_zero`] counts up to 1023 signs in 32 examples
/// at once.
const COUNTER_PLANES: usize = 10;

/// Numbers of trials at one batch size, and of those in which the gradient of one batch reveals the relevant bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrialCounts {
    /// Number of examples in the batch of each trial.
    pub batch: u64,
    /// Number of completed trials in which the gradient entries of largest absolute value were those of the relevant
    /// bits.
    pub recovered: usize,
    /// Number of completed trials at this batch size, one batch each.
    pub trials: usize,
}

/// Runs trials of whether the gradient of one neuron on one batch reveals the relevant bits, all at one batch size, in
/// blocks of 32 examples.
#[derive(Debug, Clone)]
pub struct RecoveryTrials {
    /// Neuron whose gradient is computed, and its relevant bits.
    neuron: ParityNeuron,
    /// Random seed of the examples of all batches.
    seed: u64,
    /// Batch size, number of completed trials, and number of those that revealed the relevant bits.
    counts: TrialCounts,
    /// Number of blocks of 32 examples done in the current trial.
    block: u64,
    /// Sum of the gradient entries of each input bit over the examples of the current trial.
    sums: Vec<i64>,
    /// Workspace: for each input bit a word with its values in 32 examples, where a set bit means −1.
    words: Vec<u32>,
}

impl RecoveryTrials {
    /// Starts with no completed trial; each trial draws `batch` examples.
    pub fn new(neuron: ParityNeuron, batch: u64, seed: u64) -> Self {
        let n = neuron.inputs;
        let share = TrialCounts { batch, ..TrialCounts::default() };
        RecoveryTrials { neuron, seed, counts: share, block: 0, sums: vec![0; n], words: vec![0; n] }
    }

    /// Batch size, number of trials completed so far, and number of those that revealed the relevant bits.
    pub fn counts(&self) -> TrialCounts {
        self.counts
    }

    /// Processes `blocks` more blocks of 32 examples, in the current trial and, when its batch is complete, in the next
    /// ones.
    pub fn advance(&mut self, blocks: u64) {
        for _ in 0..blocks {
            let left = self.counts.batch - (32 * self.block).min(self.counts.batch);
            self.accumulate_examples(if left >= 32 { u32::MAX } else { (1 << left) - 1 });
            self.block += 1;
            if 32 * self.block >= self.counts.batch {
                self.counts.recovered += usize::from(self.is_recovered());
                self.counts.trials += 1;
                self.block = 0;
                self.sums.fill(0);
            }
        }
    }

    /// Runs until `trial_count` trials are complete, and returns their counts.
    pub fn run_until(mut self, trial_count: usize) -> TrialCounts {
        while self.counts.trials < trial_count {
            self.advance(1);
        }
        self.counts
    }

    /// Adds 32 random examples to the gradient sums of the current trial; example i is ignored if bit i of
    /// `example_mask` is 0.
    fn accumulate_examples(&mut self, example_mask: u32) {
        let ParityNeuron { inputs, relevant, ones, relevant_ones: held, start } = self.neuron;
        // A trial is a replica with data of its own.
        let stream = RandomStream::new(self.seed, Purpose::Batch, self.counts.trials as u32);
        stream.fill_u32(self.block, 0, &mut self.words);
        let words = &self.words;
        // Relevant bits come first, and the ones begin among the last of them that are held.
        let active = relevant - held..relevant - held + ones;
        let label = words[..relevant].iter().fold(0, |label, word| label ^ word);
        let fires = match start {
            WeightPattern::Signs => signs_positive_or_zero(words.iter(), inputs).0,
            WeightPattern::Ones => signs_positive_or_zero(words[active].iter(), ones).0,
            WeightPattern::PerturbedOnes => {
                let (by_ones, tie) = signs_positive_or_zero(words[active.clone()].iter(), ones);
                let rest = words[..active.start].iter().chain(&words[active.end..]);
                by_ones | tie & signs_positive_or_zero(rest, inputs - ones).0
            }
        } & example_mask;
        let all = i64::from(fires.count_ones());
        for (sum, word) in self.sums.iter_mut().zip(words) {
            *sum += all - 2 * i64::from((fires & (label ^ word)).count_ones());
        }
    }

    /// Whether the current trial reveals the relevant bits: their gradient sums are those of largest absolute value.
    fn is_recovered(&self) -> bool {
        let ParityNeuron { relevant, ones, relevant_ones: held, start, .. } = self.neuron;
        let active = relevant - held..relevant - held + ones;
        let counts = |i: &usize| start != WeightPattern::PerturbedOnes || !active.contains(i);
        let size = |i: usize| self.sums[i].unsigned_abs();
        let least = (0..relevant).filter(counts).map(size).min().unwrap_or(u64::MAX);
        (relevant..self.sums.len()).filter(counts).all(|i| size(i) < least)
    }
}

/// Bit masks of the examples, among 32, whose sum of `count` signs is positive, and of those whose sum is zero. `words`
/// has one word for each sign; bit i belongs to example i and is set for −1.
fn signs_positive_or_zero<'a>(words: impl Iterator<Item = &'a u32>, count: usize) -> (u32, u32) {
    let mut planes = [0u32; COUNTER_PLANES];
    for word in words {
        let mut carry = *word;
        for plane in &mut planes {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                break;
            }
        }
    }
    // Fewer than half are minus; at an odd number there is no half.
    let half = count.div_ceil(2);
    let (mut less, mut equal) = (0u32, u32::MAX);
    for (at, plane) in planes.iter().enumerate().rev() {
        let bit = if half >> at & 1 == 1 { u32::MAX } else { 0 };
        less |= equal & !plane & bit;
        equal &= !(plane ^ bit);
    }
    (less, if count.is_multiple_of(2) { equal } else { 0 })
}
