//! One-step recovery on drawn batches, many examples at once, in slices.
//!
//! # Why
//! The neuron needs nothing of an example but whether it fires and the signs of its products. So 32 examples are a word
//! for each bit, the minus signs among the ones are counted in planes of words, and a sum over a batch is counts of set
//! bits: a million examples of 30 bits take some 20 ms on one core.

use super::{Neuron, Start};
use vivarium_core::rng::{Purpose, Stream};

/// Planes of a counter: it counts up to 1023.
const PLANES: usize = 10;

/// How many of some trials revealed S.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Examples of each batch.
    pub batch: u64,
    /// Trials that revealed it.
    pub found: usize,
    /// Trials made.
    pub all: usize,
}

/// Trials of one neuron at one batch size, made block by block.
#[derive(Debug, Clone)]
pub struct Trials {
    neuron: Neuron,
    seed: u64,
    share: Share,
    block: u64,
    sums: Vec<i64>,
    words: Vec<u32>,
}

impl Trials {
    /// No trial yet of batches of `batch` examples.
    pub fn new(neuron: Neuron, batch: u64, seed: u64) -> Self {
        let n = neuron.inputs;
        let share = Share { batch, ..Share::default() };
        Trials { neuron, seed, share, block: 0, sums: vec![0; n], words: vec![0; n] }
    }

    /// What the trials gave so far.
    pub fn share(&self) -> Share {
        self.share
    }

    /// Goes on for `blocks` blocks of 32 examples.
    pub fn advance(&mut self, blocks: u64) {
        for _ in 0..blocks {
            let left = self.share.batch - (32 * self.block).min(self.share.batch);
            self.add(if left >= 32 { u32::MAX } else { (1 << left) - 1 });
            self.block += 1;
            if 32 * self.block >= self.share.batch {
                self.share.found += usize::from(self.is_found());
                self.share.all += 1;
                self.block = 0;
                self.sums.fill(0);
            }
        }
    }

    /// Makes trials until there are so many.
    pub fn make(mut self, all: usize) -> Share {
        while self.share.all < all {
            self.advance(1);
        }
        self.share
    }

    /// Adds 32 examples, of which those count whose bit is set.
    fn add(&mut self, count: u32) {
        let Neuron { inputs, relevant, ones, held, start } = self.neuron;
        // A trial is a replica with data of its own.
        let stream = Stream::new(self.seed, Purpose::Batch, self.share.all as u32);
        stream.words(self.block, 0, &mut self.words);
        let words = &self.words;
        // Relevant bits come first, and the ones begin among the last of them that are held.
        let active = relevant - held..relevant - held + ones;
        let label = words[..relevant].iter().fold(0, |label, word| label ^ word);
        let fires = match start {
            Start::Signs => is_positive(words.iter(), inputs).0,
            Start::Ones => is_positive(words[active].iter(), ones).0,
            Start::Perturbed => {
                let (by_ones, tie) = is_positive(words[active.clone()].iter(), ones);
                let rest = words[..active.start].iter().chain(&words[active.end..]);
                by_ones | tie & is_positive(rest, inputs - ones).0
            }
        } & count;
        let all = i64::from(fires.count_ones());
        for (sum, word) in self.sums.iter_mut().zip(words) {
            *sum += all - 2 * i64::from((fires & (label ^ word)).count_ones());
        }
    }

    /// Whether the largest sums are those of the relevant bits.
    fn is_found(&self) -> bool {
        let Neuron { relevant, ones, held, start, .. } = self.neuron;
        let active = relevant - held..relevant - held + ones;
        let counts = |i: &usize| start != Start::Perturbed || !active.contains(i);
        let size = |i: usize| self.sums[i].unsigned_abs();
        let least = (0..relevant).filter(counts).map(size).min().unwrap_or(u64::MAX);
        (relevant..self.sums.len()).filter(counts).all(|i| size(i) < least)
    }
}

/// In which of 32 examples the sum of `count` signs, set bits being minus, is positive, and in which it is zero.
fn is_positive<'a>(words: impl Iterator<Item = &'a u32>, count: usize) -> (u32, u32) {
    let mut planes = [0u32; PLANES];
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
