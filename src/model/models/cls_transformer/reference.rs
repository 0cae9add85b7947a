//! The transformer of one replica in plain loops and double precision, for probes.

use super::{
    B1, B2, BIASES, ClsTransformer, DEPTH, EPSILON, GAINS, HEAD, KEY, Norm, OUT, POSITIONS, QUERY, SHIFTS,
    TOKENS, VALUE, W1, W2,
};
use crate::models::parity_transformer::reference::{gelu, plus};
use vivarium_core::math::{add_scaled, dot, matrix_product, mean_and_variance};

/// Weights with what follows from them for every input.
pub(super) struct Plain<'a> {
    net: &'a ClsTransformer,
    weights: Vec<Vec<f64>>,
    inputs: usize,
    /// The token that is read out.
    cls: Vec<f64>,
    /// Score of a 0 and of a 1 at each place and, last, of `[CLS]`, less the largest: `[heads, 2·inputs + 1]`.
    scores: Vec<f64>,
    /// Values in the same order, `[2·inputs + 1, embedding]`.
    values: Vec<f64>,
}

impl ClsTransformer {
    pub(super) fn plain<'a>(&'a self, weights: &[&[f32]], inputs: usize) -> Plain<'a> {
        let weights: Vec<Vec<f64>> =
            weights.iter().map(|values| values.iter().map(|v| f64::from(*v)).collect()).collect();
        let width = self.embedding;
        let row = |which: usize, row: usize| &weights[which][row * width..(row + 1) * width];
        let cls = plus(row(TOKENS, 2), row(TOKENS, 3));
        let mut tokens: Vec<Vec<f64>> = vec![];
        for position in weights[POSITIONS].chunks_exact(width) {
            tokens.extend([row(TOKENS, 1), row(TOKENS, 0)].map(|token| plus(position, token)));
        }
        tokens.push(cls.clone());
        let tokens: Vec<Vec<f64>> = tokens.iter().map(|token| self.normed_row(&weights, 0, token)).collect();
        let query = plus(&matrix_product(&tokens[2 * inputs], &weights[QUERY], width), row(BIASES, 0));
        let keys: Vec<Vec<f64>> =
            tokens.iter().map(|token| matrix_product(token, &weights[KEY], width)).collect();
        let values = tokens
            .iter()
            .flat_map(|token| plus(&matrix_product(token, &weights[VALUE], width), row(BIASES, 1)))
            .collect();
        let size = width / self.heads;
        let mut scores = vec![];
        for head in 0..self.heads {
            let own = head * size..(head + 1) * size;
            let score =
                |key: &Vec<f64>| dot(&query[own.clone()], &key[own.clone()]) / libm::sqrt(size as f64);
            let of_head: Vec<f64> = keys.iter().map(score).collect();
            let top = of_head.iter().fold(f64::NEG_INFINITY, |top, score| top.max(*score));
            scores.extend(of_head.iter().map(|score| (score - top).max(-DEPTH)));
        }
        Plain { net: self, weights, inputs, cls, scores, values }
    }

    /// Layer norm `which` of one row.
    fn normed_row(&self, weights: &[Vec<f64>], which: usize, x: &[f64]) -> Vec<f64> {
        if self.norm == Norm::None {
            return x.to_vec();
        }
        let (mean, variance) = mean_and_variance(x.iter().copied());
        let scale = 1.0 / libm::sqrt(variance + EPSILON);
        let row = |of: usize| &weights[of][which * x.len()..];
        let gained = x.iter().zip(row(GAINS)).map(|(x, gain)| (x - mean) * scale * gain);
        gained.zip(row(SHIFTS)).map(|(x, shift)| x + shift).collect()
    }
}

impl Plain<'_> {
    /// Which row of the tables each token of `x` is, `[CLS]` last.
    fn rows<'x>(&self, x: &'x [f32]) -> impl Iterator<Item = usize> + use<'x> {
        let bits = x.iter().enumerate().map(|(i, bit)| 2 * i + usize::from(*bit > 0.0));
        bits.chain([2 * self.inputs])
    }

    /// The share of attention of each token, `[CLS]` last, in `head`.
    pub(super) fn shares(&self, head: usize, x: &[f32]) -> Vec<f64> {
        let tokens = 2 * self.inputs + 1;
        let scores = &self.scores[head * tokens..][..tokens];
        let mut shares: Vec<f64> = self.rows(x).map(|row| libm::exp(scores[row])).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }

    /// f(x).
    pub(super) fn output(&self, x: &[f32]) -> f64 {
        let (net, width) = (self.net, self.net.embedding);
        let (z, h) = self.walk(x);
        let above = plus(&matrix_product(&h, &self.weights[W2], width), &self.weights[B2]);
        let classes =
            matrix_product(&net.normed_row(&self.weights, 2, &plus(&z, &above)), &self.weights[HEAD], 2);
        classes[1] - classes[0]
    }

    /// What the MLP adds to, and its neurons after the activation.
    pub(super) fn walk(&self, x: &[f32]) -> (Vec<f64>, Vec<f64>) {
        let (net, width) = (self.net, self.net.embedding);
        let size = width / net.heads;
        let mut mixed = vec![0.0; width];
        for (head, mixed) in mixed.chunks_exact_mut(size).enumerate() {
            for (share, row) in self.shares(head, x).iter().zip(self.rows(x)) {
                let values = &self.values[row * width + head * size..][..size];
                add_scaled(mixed, *share, values);
            }
        }
        let seen =
            plus(&matrix_product(&mixed, &self.weights[OUT], width), &self.weights[BIASES][2 * width..]);
        let z = plus(&seen, &self.cls);
        let h = matrix_product(&net.normed_row(&self.weights, 1, &z), &self.weights[W1], net.hidden);
        (z, plus(&h, &self.weights[B1]).into_iter().map(gelu).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Architecture, Network};

    /// With equal scores every token gets the same share; a 1 whose key fits the query better gets more, a 0 does not.
    #[test]
    fn attention_is_shared_by_score_and_depends_on_the_bit() {
        let net =
            ClsTransformer { embedding: 2, heads: 2, hidden: 1, norm: Norm::None, ..Default::default() };
        let mut weights: Vec<Vec<f32>> = net.parameters(3, 1).iter().map(|p| vec![0.0; p.len()]).collect();
        let looks = |weights: &[Vec<f32>], x: &[f32]| -> Vec<f32> {
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            net.looks(&weights, 3, x).unwrap()
        };
        assert!(looks(&weights, &[1.0, 1.0, -1.0]).iter().all(|share| *share == 0.25));
        // In the second head the query is 1, and the key of a 1 is ln 5.
        weights[BIASES][1] = 1.0;
        weights[TOKENS][0] = 5f32.ln();
        weights[KEY][1] = 1.0;
        let shares = looks(&weights, &[1.0, -1.0, -1.0]);
        assert!(shares[..4].iter().all(|share| (share - 0.25).abs() < 1e-6));
        for (share, expected) in shares[4..].iter().zip([0.625, 0.125, 0.125, 0.125]) {
            assert!((share - expected).abs() < 1e-6, "{shares:?}");
        }
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let mean = net.attention(&slices, 3, &[1.0, -1.0, -1.0, -1.0, -1.0, -1.0]).unwrap();
        assert!((mean[1][0] - 0.4375).abs() < 1e-6 && (mean[0][3] - 0.25).abs() < 1e-6, "{mean:?}");
    }
}
