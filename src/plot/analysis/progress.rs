//! Progress measures of modular addition: losses of a network with only, and without, the Fourier components of the
//! result.
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
//! Key frequencies are determined from the current network by [`key_frequencies`], since the final network is not known
//! during training; with those of the finished run ([`ProgressMeasurement::with_key_frequencies`]) the measures are
//! those of the paper.

mod trace;

use std::borrow::Cow;
use std::f64::consts::TAU;

pub use trace::{MAX_MEASUREMENTS, ProgressTrace, concentration_chart, frequency_chart, progress_chart};

use super::sparsity::{gini, inverse_participation};
use vivarium_core::math::{log_sum_exp, norm};

/// The function of two residues a and b modulo p that the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModularOperation {
    /// a + b mod p.
    #[default]
    Sum,
    /// a − b mod p.
    Difference,
}

impl ModularOperation {
    /// Phase residual of a neuron in radians, modulo 2π, from the phases θu, θv and θw of its weights for a, for b and
    /// for the result: θu + θv − θw for sums, θu − θv − θw for differences. It is 0 in max-margin networks (Edelman
    /// 2024, theorem 7.7, for sums; a network for differences is one for sums with −b in place of b, so θv changes
    /// sign).
    pub fn residual(self, [u, v, w]: [f64; 3]) -> f64 {
        match self {
            ModularOperation::Sum => u + v - w,
            ModularOperation::Difference => u - v - w,
        }
    }

    /// Formula of the phase [residual](Self::residual), such as "θu + θv − θw", as the label of an axis.
    pub fn residual_name(self) -> &'static str {
        match self {
            ModularOperation::Sum => "θu + θv − θw",
            ModularOperation::Difference => "θu − θv − θw",
        }
    }

    /// The result, a residue modulo p, for residues a and b.
    pub fn apply(self, a: usize, b: usize, p: usize) -> usize {
        match self {
            ModularOperation::Sum => (a + b) % p,
            ModularOperation::Difference => (a + p - b) % p,
        }
    }
}

/// Progress measures (Nanda et al. 2023) of one network that learns a sum or difference of residues modulo p from pairs
/// (a, b). Losses are mean cross-entropies in nats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProgressMeasures {
    /// Key frequencies, ascending: the frequencies whose waves dominate the logits, from 1 to p/2.
    pub key_frequencies: Vec<usize>,
    /// For each frequency k from 1, the share of the variance of the logits in the waves cos 2πks/p and sin 2πks/p of
    /// the result s of the operation.
    pub variance_shares: Vec<f32>,
    /// Mean loss, in nats, on all p² pairs of residues if only the waves of the key frequencies, and a constant per
    /// class, are left in the logits.
    pub restricted_loss: f64,
    /// Mean loss, in nats, on the training pairs if the waves of the key frequencies are removed from the logits.
    pub excluded_loss: f64,
    /// Loss on the training pairs with unchanged logits: mean cross-entropy in nats.
    pub train_loss: f64,
    /// Loss on the held-out pairs with unchanged logits, in nats; `None` if no pair is held out.
    pub test_loss: Option<f64>,
    /// How concentrated the embedding is on few frequencies; `None` if no embedding was given.
    pub embedding: Option<EmbeddingConcentration>,
}

/// How concentrated the norms of the Fourier components of an embedding of residues modulo p are on few components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmbeddingConcentration {
    /// Gini coefficient of the norms of the Fourier components; near 1 if few components have most of the norm.
    pub gini: f64,
    /// Inverse participation ratio of the norms of the Fourier components; 1/m if m components have equal norms and all
    /// others are zero.
    pub participation: f64,
}

impl EmbeddingConcentration {
    /// Measures the concentration of an embedding `[p, width]`, a row for each residue modulo p.
    pub fn read(embedding: &[f32], p: usize) -> Self {
        let norms = embedding_norms(embedding, p);
        EmbeddingConcentration { gini: gini(&norms), participation: inverse_participation(&norms) }
    }
}

/// Norm of an embedding `[p, width]` along each of the p directions of the real Fourier basis over residues: the
/// constant, then cosine and sine of each frequency (Nanda et al. 2023, section 4.1).
pub fn embedding_norms(embedding: &[f32], p: usize) -> Vec<f64> {
    let width = embedding.len() / p.max(1);
    let along = |wave: Vec<f64>| {
        let mut sums = vec![0.0; width];
        for (factor, row) in wave.iter().zip(embedding.chunks_exact(width.max(1))) {
            sums.iter_mut().zip(row).for_each(|(sum, e)| *sum += factor * f64::from(*e));
        }
        norm(&sums)
    };
    let waves = WaveTable::new(p);
    let mut norms = vec![along(vec![1.0 / libm::sqrt(p as f64); p])];
    for k in 1..=p / 2 {
        // Half the elements' mean square, but all of it for the wave ±1 of an even p.
        let scale = libm::sqrt(waves.normalisation(k) / p as f64);
        norms.push(along((0..p).map(|s| scale * waves.cos(k, s)).collect()));
        if 2 * k < p {
            norms.push(along((0..p).map(|s| scale * waves.sin(k, s)).collect()));
        }
    }
    norms
}

/// The frequencies, from 1, whose share of the variance of the logits in `shares`, one per frequency, stands out, where
/// `training_share` of all pairs are training pairs: at least a fifth of the largest share, and at least (1 +
/// training_share)/2 times the share that each frequency would have if the logits depended on the result s of the
/// operation alone, equally on all frequencies.
///
/// # Why
/// The paper reads five frequencies off the final network, where they are obvious, and its code takes every frequency
/// that dominates some neuron, which a single outlier can change. One fifth allows for key frequencies of unequal
/// strength. But a network that only memorises has all frequencies of s too: if it is right on its training pairs and
/// uniform on the others, every frequency has `training_share` times the even share. With all of them, the restricted
/// network could look up memorised answers and do well. So the second bound is half way between a network that
/// memorises and one that adds with all frequencies equally, as some do at small p. If all pairs are training pairs,
/// the second bound is dropped.
pub fn key_frequencies(shares: &[f32], training_share: f64) -> Vec<usize> {
    let largest = shares.iter().fold(0.0, |m: f64, share| m.max(f64::from(*share)));
    let bound = if training_share < 1.0 { (1.0 + training_share) / 2.0 / shares.len() as f64 } else { 0.0 };
    let stands_out = |share: f32| share > 0.0 && f64::from(share) >= bound.max(largest / 5.0);
    (1..).zip(shares).filter(|(_, share)| stands_out(**share)).map(|(k, _)| k).collect()
}

/// Table of cosines and sines of the multiples of 2π/p.
struct WaveTable {
    /// Cosine and sine of 2πi/p for i from 0 to p − 1.
    circle: Vec<(f64, f64)>,
}

impl WaveTable {
    /// Computes the table for modulus p.
    fn new(p: usize) -> Self {
        let at = |i: usize| {
            let angle = TAU * i as f64 / p as f64;
            (libm::cos(angle), libm::sin(angle))
        };
        WaveTable { circle: (0..p).map(at).collect() }
    }

    /// cos(2πks/p), for frequency `k`, residue `s` and the table's modulus p.
    fn cos(&self, k: usize, s: usize) -> f64 {
        self.circle[k * s % self.circle.len()].0
    }

    /// sin(2πks/p), for frequency `k`, residue `s` and the table's modulus p.
    fn sin(&self, k: usize, s: usize) -> f64 {
        self.circle[k * s % self.circle.len()].1
    }

    /// Factor that normalises the waves of frequency `k`, one over their mean square: 2, but 1 at k = p/2, whose sine
    /// is zero.
    fn normalisation(&self, k: usize) -> f64 {
        if 2 * k == self.circle.len() { 1.0 } else { 2.0 }
    }
}

/// Computes [`ProgressMeasures`] in portions, so that the work can be split between frames.
pub struct ProgressMeasurement<'a> {
    /// Logits of all pairs of residues, `[p·p, p]`: a row for each pair, a column for each class.
    logits: Cow<'a, [f32]>,
    /// Right class of each pair of residues (a, b), `[p·p]`, at index a·p + b.
    labels: Cow<'a, [u32]>,
    /// Whether each pair of residues (a, b) is a training pair, `[p·p]`, at index a·p + b.
    training: Cow<'a, [bool]>,
    /// Modulus p of the residues, which is also the number of classes.
    p: usize,
    /// Operation on two residues, such as addition modulo p, that the network learns.
    operation: ModularOperation,
    /// Key frequencies to use instead of those of the measured network; `None` to determine them.
    given_key_frequencies: Option<Vec<usize>>,
    /// Phase of the computation that runs next, and how far it has come.
    stage: MeasurementStage,
    /// `[p, p]`, a row for each result s of the operation, a column for each class: first the mean logits over the
    /// pairs with this result; later their part in the waves of the key frequencies, followed by one more row with the
    /// mean logit of each class.
    mean_logits_by_sum: Vec<f64>,
    /// Sum of squares of all logits, after subtracting from the logits of each pair their mean over the classes.
    sum_of_squares: f64,
    /// Sum over the training pairs so far of the loss without the waves of the key frequencies.
    excluded_loss_sum: f64,
    /// Progress measures, of which only those of finished phases of the computation are final.
    result: ProgressMeasures,
}

/// Phases in which a [`ProgressMeasurement`] computes the progress measures, in this order; the number is the pair,
/// frequency or residue that is processed next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MeasurementStage {
    /// Accumulates mean logits and the losses of the unchanged logits; the number is the index of the next pair.
    Means(usize),
    /// Computes variance shares; the number is the next frequency.
    Shares(usize),
    /// Accumulates the restricted loss; the number is the next result s of the operation.
    Restricted(usize),
    /// Accumulates the excluded loss; the number is the index of the next pair.
    Excluded(usize),
    /// No work is left.
    Done,
}

impl<'a> ProgressMeasurement<'a> {
    /// Starts the measurement from the logits of all pairs, where pair (a, b) has index a·p + b.
    ///
    /// # Shapes
    /// `logits` is `[p·p, p]`, `labels` and `training` are `[p·p]`.
    ///
    /// # Panics
    /// If a shape does not match, or a label is not below p.
    pub fn new(
        logits: impl Into<Cow<'a, [f32]>>,
        p: usize,
        operation: ModularOperation,
        labels: impl Into<Cow<'a, [u32]>>,
        training: impl Into<Cow<'a, [bool]>>,
    ) -> Self {
        let (logits, labels, training) = (logits.into(), labels.into(), training.into());
        assert_eq!(logits.len(), p * p * p, "a logit of each class for all pairs");
        assert!(labels.len() == p * p && training.len() == p * p, "a label and a set for all pairs");
        assert!(labels.iter().all(|label| (*label as usize) < p), "labels are elements");
        ProgressMeasurement {
            logits,
            labels,
            training,
            p,
            operation,
            given_key_frequencies: None,
            stage: MeasurementStage::Means(0),
            mean_logits_by_sum: vec![0.0; p * p],
            sum_of_squares: 0.0,
            excluded_loss_sum: 0.0,
            result: ProgressMeasures { test_loss: Some(0.0), ..Default::default() },
        }
    }

    /// Uses these key frequencies, for example of the finished run, instead of the network's own.
    pub fn with_key_frequencies(mut self, key: Vec<usize>) -> Self {
        self.given_key_frequencies = Some(key);
        self
    }

    /// Also measures, immediately, how concentrated the embedding `[p, width]` is on few frequencies.
    pub fn with_embedding(mut self, embedding: &[f32]) -> Self {
        self.result.embedding = Some(EmbeddingConcentration::read(embedding, self.p));
        self
    }

    /// Works on about `rows` rows of p logits. Returns true once the measurement is complete.
    pub fn advance(&mut self, rows: usize) -> bool {
        let mut left = rows.max(1);
        while left > 0 && self.stage != MeasurementStage::Done {
            left = left.saturating_sub(self.process_portion());
        }
        self.stage == MeasurementStage::Done
    }

    /// Completes the remaining work at once and returns the progress measures.
    pub fn finish(mut self) -> ProgressMeasures {
        while !self.advance(usize::MAX) {}
        self.result
    }

    /// Number of pairs of residues that are training pairs.
    fn training_pair_count(&self) -> usize {
        self.training.iter().filter(|trained| **trained).count()
    }

    /// Result of the operation on the pair with index `pair` = a·p + b, a residue modulo p.
    fn pair_residue(&self, pair: usize) -> usize {
        self.operation.apply(pair / self.p, pair % self.p, self.p)
    }

    /// Processes the next portion of the measurement, such as one pair or one frequency, and returns its cost, counted
    /// in rows of p logits.
    fn process_portion(&mut self) -> usize {
        let p = self.p;
        match self.stage {
            MeasurementStage::Means(pair) if pair < p * p => {
                self.accumulate_means(pair);
                self.stage = MeasurementStage::Means(pair + 1);
                return 1;
            }
            MeasurementStage::Means(_) => {
                let trained = self.training_pair_count();
                self.result.train_loss /= trained as f64;
                let test = self.result.test_loss.map(|sum| sum / (p * p - trained) as f64);
                self.result.test_loss = test.filter(|_| trained < p * p);
                self.stage = MeasurementStage::Shares(1);
            }
            MeasurementStage::Shares(k) if k <= p / 2 => {
                let share = self.variance_share(k);
                self.result.variance_shares.push(share as f32);
                self.stage = MeasurementStage::Shares(k + 1);
                return 2 * p;
            }
            MeasurementStage::Shares(_) => {
                let trained = self.training_pair_count() as f64 / (p * p) as f64;
                let own = || key_frequencies(&self.result.variance_shares, trained);
                self.result.key_frequencies = self.given_key_frequencies.take().unwrap_or_else(own);
                self.project_to_key_frequencies();
                self.stage = MeasurementStage::Restricted(0);
                return 4 * p * self.result.key_frequencies.len();
            }
            MeasurementStage::Restricted(s) if s < p => {
                self.add_restricted_losses(s);
                self.stage = MeasurementStage::Restricted(s + 1);
                return 1;
            }
            MeasurementStage::Restricted(_) => {
                self.result.restricted_loss /= (p * p) as f64;
                self.stage = MeasurementStage::Excluded(0);
            }
            MeasurementStage::Excluded(pair) if pair < p * p => {
                self.stage = MeasurementStage::Excluded(pair + 1);
                if self.training[pair] {
                    self.add_excluded_loss(pair);
                    return 1;
                }
            }
            MeasurementStage::Excluded(_) => {
                self.result.excluded_loss = self.excluded_loss_sum / self.training_pair_count() as f64;
                self.stage = MeasurementStage::Done;
            }
            MeasurementStage::Done => {}
        }
        0
    }

    /// Logits `[p]` of the pair with index `pair` = a·p + b.
    fn logits_of_pair(&self, pair: usize) -> &[f32] {
        &self.logits[pair * self.p..][..self.p]
    }

    /// Adds a pair, given by its index a·p + b, to the mean logits, the sum of squares and the losses of the unchanged
    /// logits.
    fn accumulate_means(&mut self, pair: usize) {
        let (p, s) = (self.p, self.pair_residue(pair));
        let row = &self.logits[pair * p..][..p];
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / p as f64;
        for (sum, v) in self.mean_logits_by_sum[s * p..][..p].iter_mut().zip(row) {
            let v = f64::from(*v) - mean;
            *sum += v / p as f64;
            self.sum_of_squares += v * v;
        }
        let loss = cross_entropy(row.iter().map(|v| f64::from(*v)), self.labels[pair] as usize);
        match &mut self.result.test_loss {
            Some(test) if !self.training[pair] => *test += loss,
            _ => self.result.train_loss += loss,
        }
    }

    /// For each class, the coefficients (of the cosine, of the sine) of frequency `k` in its mean logit as a function
    /// of the result s of the operation.
    fn coefficients(&self, k: usize, waves: &WaveTable) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); self.p];
        let scale = waves.normalisation(k) / self.p as f64;
        for (s, row) in self.mean_logits_by_sum.chunks_exact(self.p).enumerate() {
            let (cos, sin) = (scale * waves.cos(k, s), scale * waves.sin(k, s));
            for (sum, v) in sums.iter_mut().zip(row) {
                *sum = (sum.0 + cos * v, sum.1 + sin * v);
            }
        }
        sums
    }

    /// Share of the variance of the logits in the two waves of frequency `k`.
    fn variance_share(&self, k: usize) -> f64 {
        let p = self.p as f64;
        let waves = WaveTable::new(self.p);
        let power: f64 = self.coefficients(k, &waves).iter().map(|(a, b)| a * a + b * b).sum();
        let constant: f64 = self.class_constants().iter().map(|m| m * m).sum();
        let variance = self.sum_of_squares / (p * p) - constant;
        if variance > 1e-12 * constant { power / waves.normalisation(k) / variance } else { 0.0 }
    }

    /// The mean logit of each class over all p² pairs, `[p]`.
    fn class_constants(&self) -> Vec<f64> {
        let mut constants = vec![0.0; self.p];
        for row in self.mean_logits_by_sum.chunks_exact(self.p) {
            constants.iter_mut().zip(row).for_each(|(sum, v)| *sum += v / self.p as f64);
        }
        constants
    }

    /// Replaces the mean logits by their part in the waves of the key frequencies, and appends the mean logit of each
    /// class as one more row.
    fn project_to_key_frequencies(&mut self) {
        let (p, waves) = (self.p, WaveTable::new(self.p));
        let mut kept = vec![0.0; p * p];
        for k in self.result.key_frequencies.iter().filter(|k| (1..=p / 2).contains(*k)) {
            let coefficients = self.coefficients(*k, &waves);
            for (s, row) in kept.chunks_exact_mut(p).enumerate() {
                let (cos, sin) = (waves.cos(*k, s), waves.sin(*k, s));
                row.iter_mut().zip(&coefficients).for_each(|(v, (a, b))| *v += a * cos + b * sin);
            }
        }
        // One row more, for the constants.
        kept.extend(self.class_constants());
        self.mean_logits_by_sum = kept;
    }

    /// Adds the losses of the p pairs on which the operation has the result `s`, with only the waves of the key
    /// frequencies and a constant per class left in the logits, to the sum of restricted losses.
    fn add_restricted_losses(&mut self, s: usize) {
        let p = self.p;
        let (waves, constants) = self.mean_logits_by_sum.split_at(p * p);
        let row: Vec<f64> = waves[s * p..][..p].iter().zip(constants).map(|(v, m)| v + m).collect();
        let total = log_sum_exp(row.iter().copied());
        for a in 0..p {
            // The b whose s this is.
            let b = match self.operation {
                ModularOperation::Sum => (s + p - a) % p,
                ModularOperation::Difference => (a + p - s) % p,
            };
            self.result.restricted_loss += total - row[self.labels[a * p + b] as usize];
        }
    }

    /// Adds the loss of the training pair with index `pair` = a·p + b, with the waves of the key frequencies removed
    /// from its logits, to the sum of excluded losses.
    fn add_excluded_loss(&mut self, pair: usize) {
        let waves = &self.mean_logits_by_sum[self.pair_residue(pair) * self.p..][..self.p];
        let without = self.logits_of_pair(pair).iter().zip(waves).map(|(v, wave)| f64::from(*v) - wave);
        self.excluded_loss_sum += cross_entropy(without, self.labels[pair] as usize);
    }
}

/// Cross-entropy in nats of the softmax of `logits` against class `label`.
fn cross_entropy(mut logits: impl Iterator<Item = f64> + Clone, label: usize) -> f64 {
    log_sum_exp(logits.clone()) - logits.nth(label).unwrap_or(f64::NAN)
}

/// Computes the progress measures of a network at once; arguments as for [`ProgressMeasurement::new`].
pub fn measure_progress(
    logits: &[f32],
    p: usize,
    operation: ModularOperation,
    labels: &[u32],
    training: &[bool],
) -> ProgressMeasures {
    ProgressMeasurement::new(logits, p, operation, labels, training).finish()
}

#[cfg(test)]
mod tests;
