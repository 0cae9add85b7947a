//! The transformer of one replica in plain loops and single precision, for probes on all p² pairs.
//!
//! # Why
//! Up to the ReLU everything but the shares of attention is linear in the token. So what a token adds to the
//! hidden neurons, and past them to the logits, is tabulated for each head: a pair then costs 3 rows of each head
//! in place of three matrices. And W_L = W_out W_U takes the hidden neurons to the logits at once (Nanda et al. 2023,
//! section 4.2), of which the rows of silent neurons are passed over. At p = 113 and the sizes of the paper this is
//! a fifth of the 0.16 million multiplications of the formula.
//!
//! # Speed
//! All 12,769 pairs of p = 113 at the sizes of the paper take 0.24 s on one core of a busy server, the tables 7 ms
//! of it; 0.40 s without tables.

use super::{
    B_IN, B_OUT, EMBED, EQUALS, KEY, ModularTransformer, OUT, POSITIONS, QUERY, UNEMBED, VALUE, W_IN, W_OUT,
};
use vivarium_core::math::{add_scaled, dot, matrix_product};

/// Most numbers of the tables by head, 64 MiB. Larger networks mix values first and multiply for every pair.
const MOST_TABLES: usize = 1 << 24;

/// What follows from the weights for every token. Rows are a at place 0, then b at place 1, then "=".
pub(super) struct Plain<'a> {
    net: &'a ModularTransformer,
    elements: usize,
    /// Score of each head, `[2·elements + 1, heads]`.
    scores: Vec<f32>,
    /// Values of the heads side by side, `[2·elements + 1, heads·size]`.
    values: Vec<f32>,
    /// What values add to hidden neurons and logits, `[heads·size, hidden + elements]`.
    out: Vec<f32>,
    /// Both multiplied, `[2·elements + 1, heads, hidden + elements]`; empty above [`MOST_TABLES`].
    tables: Vec<f32>,
    /// What "=" and the biases add for every pair, `[hidden + elements]`.
    base: Vec<f32>,
    /// W_L, `[hidden, elements]`.
    onward: Vec<f32>,
    /// Room for hidden neurons and logits.
    sums: Vec<f32>,
}

impl ModularTransformer {
    pub(super) fn plain<'a>(&'a self, weights: &[&[f32]], elements: usize) -> Plain<'a> {
        self.plain_within(weights, elements, MOST_TABLES)
    }

    /// The same with tables of at most `most` numbers.
    fn plain_within<'a>(&'a self, weights: &[&[f32]], elements: usize, most: usize) -> Plain<'a> {
        let (d, size, across) = (self.embedding, self.attention, self.heads * self.attention);
        let columns = self.hidden + elements;
        let mut rows: Vec<f32> = vec![];
        for position in weights[POSITIONS].chunks_exact(d).take(2) {
            for element in weights[EMBED].chunks_exact(d) {
                rows.extend(element.iter().zip(position).map(|(e, p)| e + p));
            }
        }
        let equals: Vec<f32> =
            weights[EQUALS].iter().zip(&weights[POSITIONS][2 * d..]).map(|(e, p)| e + p).collect();
        rows.extend(&equals);
        let query = matrix_product(&equals, weights[QUERY], across);
        let keys = matrix_product(&rows, weights[KEY], across);
        let score = |(key, query): (&[f32], &[f32])| dot(key, query) / (size as f32).sqrt();
        let of_row = |keys| -> Vec<f32> {
            <[f32]>::chunks_exact(keys, size).zip(query.chunks_exact(size)).map(score).collect()
        };
        let scores = keys.chunks_exact(across).flat_map(of_row).collect();
        // From the residual stream to hidden neurons and, past them, to logits.
        let read = weights[W_IN].chunks_exact(self.hidden).zip(weights[UNEMBED].chunks_exact(elements));
        let read: Vec<f32> = read.flat_map(|(w_in, unembed)| [w_in, unembed].concat()).collect();
        let mut base = matrix_product(&equals, &read, columns);
        add_scaled(&mut base, 1.0, weights[B_IN]);
        add_scaled(
            &mut base[self.hidden..],
            1.0,
            &matrix_product(weights[B_OUT], weights[UNEMBED], elements),
        );
        let values = matrix_product(&rows, weights[VALUE], across);
        let out = matrix_product(weights[OUT], &read, columns);
        let mut tables = vec![];
        if (2 * elements + 1) * self.heads * columns <= most {
            tables = vec![0.0; (2 * elements + 1) * self.heads * columns];
            let heads = out.chunks_exact(size * columns).cycle();
            for ((table, value), out) in
                tables.chunks_exact_mut(columns).zip(values.chunks_exact(size)).zip(heads)
            {
                table.copy_from_slice(&matrix_product(value, out, columns));
            }
        }
        let onward = matrix_product(weights[W_OUT], weights[UNEMBED], elements);
        Plain { net: self, elements, scores, values, out, tables, base, onward, sums: vec![0.0; columns] }
    }
}

impl Plain<'_> {
    /// The shares of attention that a head at "=" gives to the tokens in `rows`.
    fn shares(&self, head: usize, rows: [usize; 3]) -> [f32; 3] {
        let scores = rows.map(|row| self.scores[row * self.net.heads + head]);
        let top = scores.iter().fold(f32::NEG_INFINITY, |top, score| top.max(*score));
        let powers = scores.map(|score| libm::expf(score - top));
        let sum: f32 = powers.iter().sum();
        powers.map(|power| power / sum)
    }

    /// The shares of attention of all heads at "=", `[heads, 3]`.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn attention(&self, [a, b]: [usize; 2]) -> Vec<f64> {
        let rows = [a, self.elements + b, 2 * self.elements];
        (0..self.net.heads).flat_map(|head| self.shares(head, rows)).map(f64::from).collect()
    }

    /// The hidden neurons after the ReLU, for the pair that [`Plain::logits`] was called with last.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn hidden(&self) -> impl Iterator<Item = f64> {
        self.sums[..self.net.hidden].iter().map(|z| if *z < 0.0 { 0.0 } else { f64::from(*z) })
    }

    /// Writes a logit for each element into `logits`.
    pub(super) fn logits(&mut self, [a, b]: [usize; 2], logits: &mut [f32]) {
        let rows = [a, self.elements + b, 2 * self.elements];
        let (heads, size, columns) = (self.net.heads, self.net.attention, self.base.len());
        let mut sums = std::mem::take(&mut self.sums);
        sums.copy_from_slice(&self.base);
        let mut mixed = vec![0.0; size];
        for head in 0..heads {
            let shares = self.shares(head, rows);
            if !self.tables.is_empty() {
                for (row, share) in rows.into_iter().zip(shares) {
                    add_scaled(&mut sums, share, &self.tables[(row * heads + head) * columns..][..columns]);
                }
                continue;
            }
            mixed.fill(0.0);
            for (row, share) in rows.into_iter().zip(shares) {
                add_scaled(&mut mixed, share, &self.values[(row * heads + head) * size..][..size]);
            }
            let out = &self.out[head * size * columns..][..size * columns];
            mixed
                .iter()
                .zip(out.chunks_exact(columns))
                .for_each(|(value, row)| add_scaled(&mut sums, *value, row));
        }
        let (hidden, past) = sums.split_at(self.net.hidden);
        logits.copy_from_slice(past);
        for (z, row) in hidden.iter().zip(self.onward.chunks_exact(self.elements)) {
            // What is no number is not passed over: it must show.
            if *z <= 0.0 {
                continue;
            }
            add_scaled(logits, *z, row);
        }
        self.sums = sums;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Architecture, Network};

    fn times(row: &[f64], matrix: &[f32], columns: usize) -> Vec<f64> {
        (0..columns)
            .map(|c| row.iter().enumerate().map(|(r, v)| v * f64::from(matrix[r * columns + c])).sum())
            .collect()
    }

    fn plus(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    fn wide(row: &[f32]) -> Vec<f64> {
        row.iter().map(|v| f64::from(*v)).collect()
    }

    /// The formula of the module, word for word: three tokens, every head, the whole residual stream.
    fn naive(net: &ModularTransformer, w: &[&[f32]], p: usize, [a, b]: [usize; 2]) -> Vec<f64> {
        let (d, size, across) = (net.embedding, net.attention, net.heads * net.attention);
        let row = |which: usize, i: usize| wide(&w[which][i * d..][..d]);
        let tokens = [
            plus(&row(EMBED, a), &row(POSITIONS, 0)),
            plus(&row(EMBED, b), &row(POSITIONS, 1)),
            plus(&row(EQUALS, 0), &row(POSITIONS, 2)),
        ];
        let query = times(&tokens[2], w[QUERY], across);
        let mut mixed = vec![];
        for head in 0..net.heads {
            let part = |whole: &[f64]| whole[head * size..(head + 1) * size].to_vec();
            let powers = tokens.each_ref().map(|token| {
                let key = part(&times(token, w[KEY], across));
                let score = dot(&key, &part(&query));
                libm::exp(score / libm::sqrt(size as f64))
            });
            for i in 0..size {
                let value = |token: &Vec<f64>| part(&times(token, w[VALUE], across))[i];
                let sum: f64 = tokens.iter().zip(powers).map(|(token, power)| power * value(token)).sum();
                mixed.push(sum / powers.iter().sum::<f64>());
            }
        }
        let z = plus(&tokens[2], &times(&mixed, w[OUT], d));
        let h = plus(&times(&z, w[W_IN], net.hidden), &wide(w[B_IN]));
        let h: Vec<f64> = h.into_iter().map(|h| h.max(0.0)).collect();
        let z = plus(&plus(&z, &times(&h, w[W_OUT], d)), &wide(w[B_OUT]));
        times(&z, w[UNEMBED], p)
    }

    /// Weights with biases that are not zero and scores that differ.
    fn drawn(net: &ModularTransformer, p: usize) -> Vec<Vec<f32>> {
        let mut weights = net.initial(8, p, 1);
        for which in [B_IN, B_OUT] {
            weights[which].iter_mut().enumerate().for_each(|(i, b)| *b = (i % 7) as f32 * 0.1 - 0.3);
        }
        weights[QUERY].iter_mut().for_each(|q| *q *= 3.0);
        weights
    }

    #[test]
    fn logits_are_those_of_the_formula_with_and_without_tables() {
        let net = ModularTransformer { embedding: 12, attention: 5, heads: 3, hidden: 17 };
        let p = 7;
        let weights = drawn(&net, p);
        let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let pairs: Vec<[usize; 2]> = (0..p * p).map(|i| [i / p, i % p]).collect();
        let x: Vec<f32> = pairs.iter().flatten().map(|i| *i as f32).collect();
        let found = net.evaluate(&weights, p, &x, 0);
        assert_eq!(found.len(), p * p * p);
        let mut small = net.plain_within(&weights, p, 0);
        assert!(small.tables.is_empty());
        let mut other = vec![0.0; p];
        for (pair, found) in pairs.into_iter().zip(found.chunks_exact(p)) {
            small.logits(pair, &mut other);
            for ((found, other), expected) in found.iter().zip(&other).zip(naive(&net, &weights, p, pair)) {
                for value in [found, other] {
                    assert!((f64::from(*value) - expected).abs() < 1e-5, "{pair:?}: {value} {expected}");
                }
            }
        }
    }

    /// Positions are all that tells a from b.
    #[test]
    fn without_positions_a_and_b_may_change_places() {
        let net = ModularTransformer { embedding: 8, attention: 4, heads: 2, hidden: 9 };
        let mut weights = drawn(&net, 5);
        let both = |weights: &[Vec<f32>]| {
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let logits = net.evaluate(&weights, 5, &[1.0, 3.0, 3.0, 1.0], 0);
            let differ = logits[..5].iter().zip(&logits[5..]).map(|(a, b)| (a - b).abs());
            differ.fold(0.0, f32::max)
        };
        assert!(both(&weights) > 1e-2);
        weights[POSITIONS][..16].fill(0.0);
        assert!(both(&weights) < 1e-5);
    }

    #[test]
    fn what_is_no_number_shows() {
        let net = ModularTransformer { embedding: 3, attention: 1, heads: 1, hidden: 2 };
        let mut weights = net.initial(0, 4, 1);
        weights[W_IN][0] = f32::NAN;
        let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        assert!(net.evaluate(&weights, 4, &[0.0, 1.0], 0).iter().all(|logit| logit.is_nan()));
    }
}
