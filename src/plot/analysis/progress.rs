//! Progress measures of modular addition: how much of a network's answer is waves of the sum, and what is left
//! without them.
//!
//! ```text
//! w_k = 2πk/p for k = 1..⌊p/2⌋,   s = a + b, or a − b
//! logit_c(a, b) = m_c + Σ_k (A_kc cos w_k s + B_kc sin w_k s) + what is not a function of s
//! restricted loss   of m_c and the waves of the key frequencies alone, on all pairs
//! excluded loss     of the logits without these waves, on the training pairs
//! ```
//!
//! (Nanda et al. 2023, section 5.1, and `helpers.py` of its code.) Their 20 terms are the products of a cosine or sine in
//! a with one in b for five frequencies; the two combinations of each four that are waves of a + b are kept or taken
//! out. Before the network generalises the restricted loss is high and the excluded one falls with the training loss;
//! restricted falls below test loss while the waves form, and excluded rises once memory is cleaned up.
//!
//! # Why
//! The waves of s are an orthogonal basis of the functions of s alone, so the transform over all p² pairs is that of
//! the mean logits at each s: p³ additions for the means and p³ for their waves, where a transform in both a and b
//! would take 2p³ for each of p classes and keep p − 1 of its p² terms. Before anything else the mean over the classes is
//! taken from the logits of each pair. No probability changes by that, and shares are then of what a softmax sees.
//!
//! Key frequencies are read off the network as it is, since the final network is not known while it trains; with
//! those of a finished run given ([`Measuring::with_key`]), the measures are those of the paper. The rule
//! is in [`key_frequencies`].

mod trace;

use std::borrow::Cow;
use std::f64::consts::TAU;

pub use trace::{CAPACITY, ProgressTrace, chart, frequencies, spread_chart};

use super::sparsity::{gini, inverse_participation};
use vivarium_core::math::{log_sum_exp, norm};

/// What the label is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operation {
    /// a + b mod p.
    #[default]
    Sum,
    /// a − b mod p.
    Difference,
}

impl Operation {
    /// The residual of a neuron's phases, up to whole turns: θu + θv − θw for sums, and θu − θv − θw for differences. In
    /// networks of largest margin it is 0 (Edelman 2024, theorem 7.7, for sums; a network for differences is one for
    /// sums with −b in place of b, so that θv has the other sign).
    pub fn residual(self, [u, v, w]: [f64; 3]) -> f64 {
        match self {
            Operation::Sum => u + v - w,
            Operation::Difference => u - v - w,
        }
    }

    /// What the [residual](Self::residual) is called.
    pub fn residual_name(self) -> &'static str {
        match self {
            Operation::Sum => "θu + θv − θw",
            Operation::Difference => "θu − θv − θw",
        }
    }

    /// The result for elements below p.
    pub fn apply(self, a: usize, b: usize, p: usize) -> usize {
        match self {
            Operation::Sum => (a + b) % p,
            Operation::Difference => (a + p - b) % p,
        }
    }
}

/// The progress measures of one network. Losses are mean cross-entropies in nats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// The key frequencies, rising.
    pub key: Vec<usize>,
    /// For each frequency from 1 the share of the logits' variance in its two waves of s.
    pub shares: Vec<f32>,
    /// Loss on all pairs of the waves of the key frequencies alone.
    pub restricted: f64,
    /// Loss on the training pairs without them.
    pub excluded: f64,
    /// Loss on the training pairs.
    pub train: f64,
    /// Loss on the other pairs; none where all are trained on.
    pub test: Option<f64>,
    /// How the embedding is spread over frequencies, where it was given.
    pub embedding: Option<Spread>,
}

/// How norms are spread over the Fourier components of an embedding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Gini coefficient; near 1 where few components hold everything.
    pub gini: f64,
    /// Inverse participation ratio: one over the number of components, if they are equal.
    pub participation: f64,
}

impl Spread {
    /// The spread of an embedding `[p, width]`.
    pub fn read(embedding: &[f32], p: usize) -> Self {
        let norms = embedding_norms(embedding, p);
        Spread { gini: gini(&norms), participation: inverse_participation(&norms) }
    }
}

/// The norm of an embedding `[p, width]` in each direction of the real Fourier basis of the elements: the
/// constant, then cosine and sine of each frequency, p numbers in all (Nanda et al. 2023, section 4.1).
pub fn embedding_norms(embedding: &[f32], p: usize) -> Vec<f64> {
    let width = embedding.len() / p.max(1);
    let along = |wave: Vec<f64>| {
        let mut sums = vec![0.0; width];
        for (factor, row) in wave.iter().zip(embedding.chunks_exact(width.max(1))) {
            sums.iter_mut().zip(row).for_each(|(sum, e)| *sum += factor * f64::from(*e));
        }
        norm(&sums)
    };
    let waves = Waves::new(p);
    let mut norms = vec![along(vec![1.0 / libm::sqrt(p as f64); p])];
    for k in 1..=p / 2 {
        // Half the elements' mean square, but all of it for the wave ±1 of an even p.
        let scale = libm::sqrt(waves.weight(k) / p as f64);
        norms.push(along((0..p).map(|s| scale * waves.cos(k, s)).collect()));
        if 2 * k < p {
            norms.push(along((0..p).map(|s| scale * waves.sin(k, s)).collect()));
        }
    }
    norms
}

/// Frequencies that stand out of `shares`, with a share `trained` of all pairs in the training set: those with at least a
/// fifth of the largest share and at least (1 + trained)/2 times the share that each would have if the logits were a
/// function of s alone and every frequency alike in them.
///
/// # Why
/// The paper reads its five off the final network, where they are plain to see, and its code takes every frequency that
/// is the main one of some neuron, which one odd neuron can change. A fifth leaves room for key
/// frequencies of unequal strength. But a network that only remembers has
/// waves of s too, and all alike: where it is right on its training pairs and says nothing on the others, every
/// frequency has `trained` times that even share. Keeping all of them would let the restricted network
/// look up remembered answers by their sum and do well. So the second bound lies half way between a network that
/// remembers and one that adds with every frequency alike, as at small p some do. Where all pairs are trained on
/// there is nothing to tell apart, and it does not hold.
pub fn key_frequencies(shares: &[f32], trained: f64) -> Vec<usize> {
    let largest = shares.iter().fold(0.0, |m: f64, share| m.max(f64::from(*share)));
    let bound = if trained < 1.0 { (1.0 + trained) / 2.0 / shares.len() as f64 } else { 0.0 };
    let stands_out = |share: f32| share > 0.0 && f64::from(share) >= bound.max(largest / 5.0);
    (1..).zip(shares).filter(|(_, share)| stands_out(**share)).map(|(k, _)| k).collect()
}

/// Cosines and sines of whole multiples of 2π/p.
struct Waves {
    circle: Vec<(f64, f64)>,
}

impl Waves {
    fn new(p: usize) -> Self {
        let at = |i: usize| {
            let angle = TAU * i as f64 / p as f64;
            (libm::cos(angle), libm::sin(angle))
        };
        Waves { circle: (0..p).map(at).collect() }
    }

    fn cos(&self, k: usize, s: usize) -> f64 {
        self.circle[k * s % self.circle.len()].0
    }

    fn sin(&self, k: usize, s: usize) -> f64 {
        self.circle[k * s % self.circle.len()].1
    }

    /// One over the mean square of the waves of frequency k: 2, but 1 for ±1 at k = p/2, whose sine is zero.
    fn weight(&self, k: usize) -> f64 {
        if 2 * k == self.circle.len() { 1.0 } else { 2.0 }
    }
}

/// A measurement under way, in portions.
pub struct Measuring<'a> {
    logits: Cow<'a, [f32]>,
    labels: Cow<'a, [u32]>,
    training: Cow<'a, [bool]>,
    p: usize,
    operation: Operation,
    given: Option<Vec<usize>>,
    stage: Stage,
    /// Mean logits at each s, then the waves of the key frequencies there: `[p, p]`.
    at_sum: Vec<f64>,
    /// Sum of squares of the logits, each pair's mean over the classes taken away.
    squares: f64,
    excluded: f64,
    result: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// Means and full losses, from this pair on.
    Means(usize),
    /// Shares, from this frequency on.
    Shares(usize),
    /// The waves of the key frequencies and the restricted loss, from this s on.
    Restricted(usize),
    /// The excluded loss, from this pair on.
    Excluded(usize),
    Done,
}

impl<'a> Measuring<'a> {
    /// A measurement of a network with these outputs on all pairs, the pair (a, b) at a·p + b.
    ///
    /// # Shapes
    /// `logits` is `[p·p, p]`, `labels` and `training` are `[p·p]`.
    ///
    /// # Panics
    /// If they are not, or a label is no element.
    pub fn new(
        logits: impl Into<Cow<'a, [f32]>>,
        p: usize,
        operation: Operation,
        labels: impl Into<Cow<'a, [u32]>>,
        training: impl Into<Cow<'a, [bool]>>,
    ) -> Self {
        let (logits, labels, training) = (logits.into(), labels.into(), training.into());
        assert_eq!(logits.len(), p * p * p, "a logit of each class for all pairs");
        assert!(labels.len() == p * p && training.len() == p * p, "a label and a set for all pairs");
        assert!(labels.iter().all(|label| (*label as usize) < p), "labels are elements");
        Measuring {
            logits,
            labels,
            training,
            p,
            operation,
            given: None,
            stage: Stage::Means(0),
            at_sum: vec![0.0; p * p],
            squares: 0.0,
            excluded: 0.0,
            result: Progress { test: Some(0.0), ..Default::default() },
        }
    }

    /// The same with the key frequencies of a finished run in place of the network's own.
    pub fn with_key(mut self, key: Vec<usize>) -> Self {
        self.given = Some(key);
        self
    }

    /// The same with the embedding `[p, width]` measured besides, at once.
    pub fn with_embedding(mut self, embedding: &[f32]) -> Self {
        self.result.embedding = Some(Spread::read(embedding, self.p));
        self
    }

    /// Goes on for about `rows` pairs' worth of work; whether all is done.
    pub fn advance(&mut self, rows: usize) -> bool {
        let mut left = rows.max(1);
        while left > 0 && self.stage != Stage::Done {
            left = left.saturating_sub(self.one());
        }
        self.stage == Stage::Done
    }

    /// The measures.
    pub fn finish(mut self) -> Progress {
        while !self.advance(usize::MAX) {}
        self.result
    }

    fn trained(&self) -> usize {
        self.training.iter().filter(|trained| **trained).count()
    }

    fn sum_of(&self, pair: usize) -> usize {
        self.operation.apply(pair / self.p, pair % self.p, self.p)
    }

    /// Does the next portion and says how many rows of p logits it was worth.
    fn one(&mut self) -> usize {
        let p = self.p;
        match self.stage {
            Stage::Means(pair) if pair < p * p => {
                self.count(pair);
                self.stage = Stage::Means(pair + 1);
                return 1;
            }
            Stage::Means(_) => {
                let trained = self.trained();
                self.result.train /= trained as f64;
                let test = self.result.test.map(|sum| sum / (p * p - trained) as f64);
                self.result.test = test.filter(|_| trained < p * p);
                self.stage = Stage::Shares(1);
            }
            Stage::Shares(k) if k <= p / 2 => {
                let share = self.share(k);
                self.result.shares.push(share as f32);
                self.stage = Stage::Shares(k + 1);
                return 2 * p;
            }
            Stage::Shares(_) => {
                let trained = self.trained() as f64 / (p * p) as f64;
                let own = || key_frequencies(&self.result.shares, trained);
                self.result.key = self.given.take().unwrap_or_else(own);
                self.keep_key();
                self.stage = Stage::Restricted(0);
                return 4 * p * self.result.key.len();
            }
            Stage::Restricted(s) if s < p => {
                self.restrict(s);
                self.stage = Stage::Restricted(s + 1);
                return 1;
            }
            Stage::Restricted(_) => {
                self.result.restricted /= (p * p) as f64;
                self.stage = Stage::Excluded(0);
            }
            Stage::Excluded(pair) if pair < p * p => {
                self.stage = Stage::Excluded(pair + 1);
                if self.training[pair] {
                    self.exclude(pair);
                    return 1;
                }
            }
            Stage::Excluded(_) => {
                self.result.excluded = self.excluded / self.trained() as f64;
                self.stage = Stage::Done;
            }
            Stage::Done => {}
        }
        0
    }

    fn row(&self, pair: usize) -> &[f32] {
        &self.logits[pair * self.p..][..self.p]
    }

    fn count(&mut self, pair: usize) {
        let (p, s) = (self.p, self.sum_of(pair));
        let row = &self.logits[pair * p..][..p];
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / p as f64;
        for (sum, v) in self.at_sum[s * p..][..p].iter_mut().zip(row) {
            let v = f64::from(*v) - mean;
            *sum += v / p as f64;
            self.squares += v * v;
        }
        let loss = cross_entropy(row.iter().map(|v| f64::from(*v)), self.labels[pair] as usize);
        match &mut self.result.test {
            Some(test) if !self.training[pair] => *test += loss,
            _ => self.result.train += loss,
        }
    }

    /// Cosine and sine coefficients A_k and B_k of each class.
    fn coefficients(&self, k: usize, waves: &Waves) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); self.p];
        let scale = waves.weight(k) / self.p as f64;
        for (s, row) in self.at_sum.chunks_exact(self.p).enumerate() {
            let (cos, sin) = (scale * waves.cos(k, s), scale * waves.sin(k, s));
            for (sum, v) in sums.iter_mut().zip(row) {
                *sum = (sum.0 + cos * v, sum.1 + sin * v);
            }
        }
        sums
    }

    fn share(&self, k: usize) -> f64 {
        let p = self.p as f64;
        let waves = Waves::new(self.p);
        let power: f64 = self.coefficients(k, &waves).iter().map(|(a, b)| a * a + b * b).sum();
        let constant: f64 = self.constants().iter().map(|m| m * m).sum();
        let variance = self.squares / (p * p) - constant;
        if variance > 1e-12 * constant { power / waves.weight(k) / variance } else { 0.0 }
    }

    /// m_c.
    fn constants(&self) -> Vec<f64> {
        let mut constants = vec![0.0; self.p];
        for row in self.at_sum.chunks_exact(self.p) {
            constants.iter_mut().zip(row).for_each(|(sum, v)| *sum += v / self.p as f64);
        }
        constants
    }

    /// Puts the waves of the key frequencies in place of the means, and the constants into `constants`.
    fn keep_key(&mut self) {
        let (p, waves) = (self.p, Waves::new(self.p));
        let mut kept = vec![0.0; p * p];
        for k in self.result.key.iter().filter(|k| (1..=p / 2).contains(*k)) {
            let coefficients = self.coefficients(*k, &waves);
            for (s, row) in kept.chunks_exact_mut(p).enumerate() {
                let (cos, sin) = (waves.cos(*k, s), waves.sin(*k, s));
                row.iter_mut().zip(&coefficients).for_each(|(v, (a, b))| *v += a * cos + b * sin);
            }
        }
        // One row more, for the constants.
        kept.extend(self.constants());
        self.at_sum = kept;
    }

    /// The restricted losses of the p pairs with this s.
    fn restrict(&mut self, s: usize) {
        let p = self.p;
        let (waves, constants) = self.at_sum.split_at(p * p);
        let row: Vec<f64> = waves[s * p..][..p].iter().zip(constants).map(|(v, m)| v + m).collect();
        let total = log_sum_exp(row.iter().copied());
        for a in 0..p {
            // The b whose s this is.
            let b = match self.operation {
                Operation::Sum => (s + p - a) % p,
                Operation::Difference => (a + p - s) % p,
            };
            self.result.restricted += total - row[self.labels[a * p + b] as usize];
        }
    }

    fn exclude(&mut self, pair: usize) {
        let waves = &self.at_sum[self.sum_of(pair) * self.p..][..self.p];
        let without = self.row(pair).iter().zip(waves).map(|(v, wave)| f64::from(*v) - wave);
        self.excluded += cross_entropy(without, self.labels[pair] as usize);
    }
}

/// −ln of the probability that a softmax gives to `label`.
fn cross_entropy(mut logits: impl Iterator<Item = f64> + Clone, label: usize) -> f64 {
    log_sum_exp(logits.clone()) - logits.nth(label).unwrap_or(f64::NAN)
}

/// The progress measures of a network with these outputs on all pairs; arguments as for [`Measuring::new`].
pub fn measure(
    logits: &[f32],
    p: usize,
    operation: Operation,
    labels: &[u32],
    training: &[bool],
) -> Progress {
    Measuring::new(logits, p, operation, labels, training).finish()
}

#[cfg(test)]
mod tests;
