//! Dropout (Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov 2014): a training step sets numbers that are chosen
//! at random to 0 and divides the others by the probability with which they are kept, so that every mean stays. Nothing is
//! dropped where a network is measured.
//!
//! ```text
//! mask = 0 with probability p, else 1 / (1 − p)
//! ```
//!
//! # Why
//! A mask is a function of seed, replica, step, site and index, like every other draw of a run. So all learners drop the same
//! numbers, however they cut a batch into parts, and a run that is resumed goes on with the masks that it would have had.

use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings;
use vivarium_core::settings::Range;

settings! {
    /// How much of a transformer each training step drops.
    #[derive(Copy)]
    pub struct Dropout {
        /// Probability with which a training step sets an attention weight to 0; the others are enlarged to keep the mean.
        attention: f64 = 0.0, "adrop", "Dropout of attention weights", Range::Real(0.0, 0.9);
        /// Probability with which a training step sets a component of a token's vector to 0; the others are enlarged to keep the mean.
        embedding: f64 = 0.0, "edrop", "Dropout of embeddings", Range::Real(0.0, 0.9);
        /// Probability with which a training step sets an output of attention or MLP to 0; the others are enlarged to keep the mean.
        residual: f64 = 0.0, "rdrop", "Dropout of block outputs", Range::Real(0.0, 0.9);
    }
}

/// Where a network drops numbers. The numbers are permanent, since links rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Site {
    /// The vectors of the tokens.
    Embedding = 0,
    /// The attention weights.
    Attention = 1,
    /// The output of the attention.
    AttentionOutput = 2,
    /// The output of the MLP.
    MlpOutput = 3,
}

/// A site's bits lie above those of the step.
const SITE_SHIFT: u32 = 56;

/// The masks of one training step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Masks {
    /// Seed of the run.
    pub seed: u64,
    /// The step, counted from 0.
    pub step: u64,
}

impl Masks {
    /// Factors of the numbers `first` and after of one network at `site`, each dropped with probability `rate`, until
    /// `out` is full.
    pub fn fill(&self, site: Site, rate: f64, replica: u32, first: u32, out: &mut [f32]) {
        /// Words that are drawn at once.
        const TOGETHER: usize = 256;
        let stream = RandomStream::new(self.seed, Purpose::Dropout, replica);
        let step = self.step | (site as u64) << SITE_SHIFT;
        let (limit, kept) = (rate * 4_294_967_296.0, (1.0 / (1.0 - rate)) as f32);
        let mut words = [0; TOGETHER];
        for (out, first) in out.chunks_mut(TOGETHER).zip((first..).step_by(TOGETHER)) {
            let words = &mut words[..out.len()];
            stream.fill_u32(step, first, words);
            for (out, word) in out.iter_mut().zip(words) {
                *out = if f64::from(*word) < limit { 0.0 } else { kept };
            }
        }
    }

    /// The same of `count` numbers of each of so many networks, `[replicas, count]`.
    pub fn of_replicas(&self, site: Site, rate: f64, replicas: usize, count: usize) -> Vec<f32> {
        let mut all = vec![0.0; replicas * count];
        for (replica, out) in all.chunks_mut(count.max(1)).enumerate() {
            self.fill(site, rate, replica as u32, 0, out);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASKS: Masks = Masks { seed: 3, step: 12 };

    #[test]
    fn the_right_share_is_dropped_and_the_mean_stays() {
        for rate in [0.0, 0.1, 0.25, 0.9] {
            let mask = MASKS.of_replicas(Site::Attention, rate, 2, 100_000);
            let dropped = mask.iter().filter(|factor| **factor == 0.0).count() as f64 / mask.len() as f64;
            // Four standard deviations of a share of 200,000 are at most 0.0045.
            assert!((dropped - rate).abs() <= 0.0045, "{rate}: {dropped}");
            let kept = (1.0 / (1.0 - rate)) as f32;
            assert!(mask.iter().all(|factor| *factor == 0.0 || *factor == kept), "{rate}");
        }
    }

    /// What is dropped depends on each of seed, step, replica, site and index, and not on how many are asked for at once.
    #[test]
    fn masks_are_a_function_of_all_that_they_are_of() {
        let of = |masks: Masks, site, replica, first, count: usize| {
            let mut out = vec![0.0; count];
            masks.fill(site, 0.5, replica, first, &mut out);
            out
        };
        let whole = of(MASKS, Site::Embedding, 1, 0, 1_000);
        assert_eq!(of(MASKS, Site::Embedding, 1, 301, 500), whole[301..801]);
        for other in [
            of(Masks { seed: 4, ..MASKS }, Site::Embedding, 1, 0, 1_000),
            of(Masks { step: 13, ..MASKS }, Site::Embedding, 1, 0, 1_000),
            of(MASKS, Site::Embedding, 2, 0, 1_000),
            of(MASKS, Site::Attention, 1, 0, 1_000),
            of(MASKS, Site::AttentionOutput, 1, 0, 1_000),
            of(MASKS, Site::MlpOutput, 1, 0, 1_000),
            of(MASKS, Site::Embedding, 1, 1_000, 1_000),
        ] {
            // Of a thousand fair coins about half are alike; five standard deviations are 79.
            let alike = whole.iter().zip(&other).filter(|(a, b)| a == b).count();
            assert!((421..580).contains(&alike), "{alike}");
        }
    }
}
