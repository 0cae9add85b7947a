//! The transformer of one replica in plain loops and double precision, for probes.

use super::{B1, B2, KEY, OUT, POSITIONS, ParityTransformer, QUERY, TOKENS, U, VALUE, W1, W2};
use vivarium_core::math::{add_scaled, dot, matrix_product, softmax};
use vivarium_operators::pointwise::Function;

/// Weights with what follows from them for every input.
pub(super) struct Plain<'a> {
    net: &'a ParityTransformer,
    weights: Vec<Vec<f64>>,
    inputs: usize,
    /// Score of each token, for x_i = 0 and then for `[CLS]`, and what x_i adds: `[heads, inputs + 2]`.
    scores: Vec<f64>,
    /// Values, in the same order: `[inputs + 2, heads · size]`.
    values: Vec<f64>,
}

impl ParityTransformer {
    pub(super) fn plain<'a>(&'a self, weights: &[&[f32]], inputs: usize) -> Plain<'a> {
        let weights: Vec<Vec<f64>> =
            weights.iter().map(|values| values.iter().map(|v| f64::from(*v)).collect()).collect();
        let (plus, rest) = weights[TOKENS].split_at(self.embedding);
        let (minus, cls) = rest.split_at(self.embedding);
        let mut table: Vec<f64> = vec![];
        for position in weights[POSITIONS].chunks_exact(self.embedding) {
            table.extend((0..self.embedding).map(|e| position[e] + (plus[e] + minus[e]) / 2.0));
        }
        table.extend(cls);
        table.extend((0..self.embedding).map(|e| (plus[e] - minus[e]) / 2.0));
        let across = self.heads * self.attention;
        let product = |rows: &[f64], which: usize| -> Vec<f64> {
            let rows = rows.chunks_exact(self.embedding);
            rows.flat_map(|row| matrix_product(row, &weights[which], across)).collect()
        };
        let (query, keys) = (product(cls, QUERY), product(&table, KEY));
        let score = |head: usize, row: usize| {
            let one = head * self.attention..(head + 1) * self.attention;
            let key = &keys[row * across..(row + 1) * across][one.clone()];
            dot(&query[one], key) / (self.attention as f64).sqrt()
        };
        let scores = (0..self.heads)
            .flat_map(|head| (0..inputs + 2).map(move |row| (head, row)))
            .map(|(h, r)| score(h, r));
        let (scores, values) = (scores.collect(), product(&table, VALUE));
        Plain { net: self, weights, inputs, scores, values }
    }
}

impl Plain<'_> {
    /// The share of attention of each token, `[CLS]` last, in `head`.
    pub(super) fn shares(&self, head: usize, x: &[f32]) -> Vec<f64> {
        let scores = &self.scores[head * (self.inputs + 2)..][..self.inputs + 2];
        let mut shares: Vec<f64> =
            (0..self.inputs).map(|i| scores[i] + f64::from(x[i]) * scores[self.inputs + 1]).collect();
        shares.push(scores[self.inputs]);
        softmax(&mut shares);
        shares
    }

    /// f(x).
    pub(super) fn output(&self, x: &[f32]) -> f64 {
        let (z, h) = self.walk(x);
        let above = plus(&matrix_product(&h, &self.weights[W2], self.net.embedding), &self.weights[B2]);
        dot(&plus(&z, &above), &self.weights[U])
    }

    /// What the MLP reads, and its neurons after the activation.
    pub(super) fn walk(&self, x: &[f32]) -> (Vec<f64>, Vec<f64>) {
        let (size, across) = (self.net.attention, self.net.heads * self.net.attention);
        let mut mixed = vec![0.0; across];
        for (head, mixed) in mixed.chunks_exact_mut(size).enumerate() {
            let mut shares = self.shares(head, x);
            shares.push(shares.iter().zip(x).map(|(share, x)| share * f64::from(*x)).sum());
            for (share, values) in shares.iter().zip(self.values.chunks_exact(across)) {
                let values = &values[head * size..][..size];
                add_scaled(mixed, *share, values);
            }
        }
        let cls = &self.weights[TOKENS][2 * self.net.embedding..];
        let z = plus(&matrix_product(&mixed, &self.weights[OUT], self.net.embedding), cls);
        let h = plus(&matrix_product(&z, &self.weights[W1], self.net.hidden), &self.weights[B1]);
        let h = h.into_iter().map(gelu).collect();
        (z, h)
    }

    /// Mean shares of attention over the rows of `x`, for each head.
    pub(super) fn attention(&self, x: &[f32]) -> Vec<Vec<f32>> {
        let examples = (x.len() / self.inputs).max(1) as f64;
        let of_head = |head: usize| {
            let mut sums = vec![0.0; self.inputs + 1];
            for x in x.chunks_exact(self.inputs) {
                sums.iter_mut().zip(self.shares(head, x)).for_each(|(sum, share)| *sum += share);
            }
            sums.into_iter().map(|sum| (sum / examples) as f32).collect()
        };
        (0..self.net.heads).map(of_head).collect()
    }
}

/// The mean over heads of their [attention](crate::models::Network::attention).
pub fn average(attention: &[Vec<f32>]) -> Vec<f32> {
    let tokens = attention.first().map_or(0, Vec::len);
    let mean = |token: usize| attention.iter().map(|head| head[token]).sum::<f32>() / attention.len() as f32;
    (0..tokens).map(mean).collect()
}

pub(in crate::models) fn plus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// z times the probability that a standard normal number is below z.
pub(in crate::models) fn gelu(z: f64) -> f64 {
    Function::NormalGelu.value_and_derivative(z).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Architecture, Network};

    /// With equal scores every token gets the same share; a bit whose key fits the query better gets more.
    #[test]
    fn attention_is_shared_by_score() {
        let net = ParityTransformer { embedding: 2, attention: 1, heads: 2, hidden: 1 };
        let mut weights: Vec<Vec<f32>> = net.parameters(3, 1).iter().map(|p| vec![0.0; p.len()]).collect();
        let slices = |weights: &[Vec<f32>]| -> Vec<Vec<f32>> {
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            net.attention(&weights, 3, &[1.0, 1.0, -1.0, 1.0, -1.0, 1.0]).unwrap()
        };
        assert_eq!(slices(&weights), [[0.25; 4], [0.25; 4]]);
        // In the second head, query 1 and the key of position 2 is ln 5; E_{+1} adds nothing.
        weights[TOKENS][4] = 1.0;
        weights[QUERY][1] = 1.0;
        weights[POSITIONS][3] = 5f32.ln();
        weights[KEY][3] = 1.0;
        let [first, second] = &slices(&weights)[..] else { panic!("two heads") };
        assert_eq!(first, &[0.25; 4]);
        assert!(
            second.iter().zip([0.125, 0.625, 0.125, 0.125]).all(|(a, b)| (a - b).abs() < 1e-6),
            "{second:?}"
        );
        let mean = average(&[first.clone(), second.clone()]);
        assert!((mean[1] - 0.4375).abs() < 1e-6 && (mean.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
