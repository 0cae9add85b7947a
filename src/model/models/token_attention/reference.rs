//! The network of one replica in plain loops and double precision, with its gradients written by hand: for probes, and as
//! the reference of everything that is faster.

use super::Plain;
use crate::models::matrices::{add_turned_product, product_turned, softmax_back};
use vivarium_core::math::{add_scaled, dot, matrix_product, softmax};

/// What the network makes of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Scores before the softmax, `[heads, length, length]`: the row is of the position that looks.
    pub scores: Vec<f64>,
    /// Shares of attention, `[heads, length, length]`; every row sums to one.
    pub shares: Vec<f64>,
    /// What the heads give, side by side, `[length, heads · V]`.
    pub heads: Vec<f64>,
    /// ŷ, `[length]`.
    pub outputs: Vec<f64>,
}

/// All that the network makes on its way, for the way back.
struct Walk {
    /// What scores read, `[length, S]`.
    read: Vec<f64>,
    /// Values, `[length, V]`.
    values: Vec<f64>,
    /// Of each head: s W, or s Q and s K divided by ⁴√d_k.
    queries: Vec<[Vec<f64>; 2]>,
    /// relu(…), `[length, m]`.
    hidden: Vec<f64>,
    look: Look,
    labels: Vec<f64>,
}

impl Plain {
    /// Attention, heads and outputs of a prompt.
    ///
    /// # Shapes
    /// `row` is a prompt as `TokenPrompts` writes it; its labels are not looked at.
    pub fn look(&self, row: &[f32]) -> Look {
        self.walk(row).look
    }

    /// The same with the hidden neurons after the ReLU, `[length, m]`.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn look_at_all(&self, row: &[f32]) -> (Look, Vec<f64>) {
        let walk = self.walk(row);
        (walk.look, walk.hidden)
    }

    /// The mean of (ŷ − y)² over all positions of these prompts, and its gradients in the order of
    /// [`Architecture::parameters`](crate::models::Architecture::parameters); that with respect to the codes is zero,
    /// since they are not trained.
    ///
    /// # Shapes
    /// `rows` is `[prompts, columns]`.
    pub fn gradients(&self, rows: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let mut gradients = self.zeros();
        let rows = rows.chunks_exact(self.prompts.row_len());
        let share = 1.0 / (rows.len() * self.prompts.length).max(1) as f64;
        let loss: f64 = rows.map(|row| self.add_gradients(row, share, &mut gradients)).sum();
        (loss * share, gradients)
    }

    /// Numbers S that scores read, and V of a value.
    fn sizes(&self) -> [usize; 2] {
        [self.net.score_width(&self.prompts), self.net.value_width(&self.prompts)]
    }

    /// Rows of head `head` in parameter `which`, a block of S rows.
    fn of_head(&self, which: usize, head: usize) -> std::ops::Range<usize> {
        let size = self.weights[which].len() / self.net.heads;
        head * size..(head + 1) * size
    }

    fn walk(&self, row: &[f32]) -> Walk {
        let (net, n, first) = (&self.net, self.prompts.length, self.net.first_layer());
        let ([s, v], width) = (self.sizes(), self.prompts.encoded_dim());
        let (z, labels) = self.encoded(row);
        let read: Vec<f64> = z.chunks_exact(width).flat_map(|z| &z[width - s..]).copied().collect();
        let values: Vec<f64> = z.chunks_exact(width).flat_map(|z| &z[..v]).copied().collect();
        let (mut scores, mut queries) = (vec![], vec![]);
        for head in 0..net.heads {
            let of_head = |which: usize| &self.weights[which][self.of_head(which, head)];
            let pair = match net.separate(&self.prompts) {
                None => [matrix_product(&read, of_head(1), s), read.clone()],
                Some(keys) => [1, 2].map(|which| {
                    let mut all = matrix_product(&read, of_head(which), keys);
                    all.iter_mut().for_each(|x| *x /= libm::sqrt(libm::sqrt(keys as f64)));
                    all
                }),
            };
            scores.extend(product_turned(&pair[0], &pair[1], pair[0].len() / n));
            queries.push(pair);
        }
        let mut shares = scores.clone();
        shares.chunks_exact_mut(n).for_each(softmax);
        let mut heads = vec![0.0; n * net.heads * v];
        for (head, shares) in shares.chunks_exact(n * n).enumerate() {
            let given = matrix_product(shares, &values, v);
            for (out, given) in heads.chunks_exact_mut(net.heads * v).zip(given.chunks_exact(v)) {
                out[head * v..][..v].copy_from_slice(given);
            }
        }
        let mut hidden = matrix_product(&heads, &self.weights[first], net.width);
        for hidden in hidden.chunks_exact_mut(net.width) {
            add_scaled(hidden, 1.0, &self.weights[first + 1]);
            // What is no number passes: it must show.
            hidden.iter_mut().filter(|h| **h < 0.0).for_each(|h| *h = 0.0);
        }
        let output = |hidden| dot(hidden, &self.weights[first + 2]) + self.weights[first + 3][0];
        let outputs = hidden.chunks_exact(net.width).map(output).collect();
        Walk { read, values, queries, hidden, look: Look { scores, shares, heads, outputs }, labels }
    }

    /// Adds `share` times the gradients of the sum over the positions of one prompt, and returns that sum.
    fn add_gradients(&self, row: &[f32], share: f64, gradients: &mut [Vec<f64>]) -> f64 {
        let (net, n, first) = (&self.net, self.prompts.length, self.net.first_layer());
        let ([s, v], walk) = (self.sizes(), self.walk(row));
        let errors = walk.look.outputs.iter().zip(&walk.labels).map(|(f, y)| f - y);
        let errors: Vec<f64> = errors.collect();
        let slopes: Vec<f64> = errors.iter().map(|error| 2.0 * share * error).collect();
        add_turned_product(&mut gradients[first + 2], &walk.hidden, &slopes, net.width);
        gradients[first + 3][0] += slopes.iter().sum::<f64>();
        let mut hidden = matrix_product(&slopes, &self.weights[first + 2], net.width);
        hidden.iter_mut().zip(&walk.hidden).filter(|(_, h)| **h <= 0.0).for_each(|(slope, _)| *slope = 0.0);
        add_turned_product(&mut gradients[first], &walk.look.heads, &hidden, net.heads * v);
        hidden.chunks_exact(net.width).for_each(|row| add_scaled(&mut gradients[first + 1], 1.0, row));
        let heads = product_turned(&hidden, &self.weights[first], net.width);
        for (head, (pair, shares)) in
            walk.queries.iter().zip(walk.look.shares.chunks_exact(n * n)).enumerate()
        {
            let given: Vec<f64> =
                heads.chunks_exact(net.heads * v).flat_map(|row| &row[head * v..][..v]).copied().collect();
            let mut scores = product_turned(&given, &walk.values, v);
            for (slopes, shares) in scores.chunks_exact_mut(n).zip(shares.chunks_exact(n)) {
                softmax_back(shares, slopes);
            }
            let keys = pair[0].len() / n;
            let query = matrix_product(&scores, &pair[1], keys);
            match net.separate(&self.prompts) {
                None => add_turned_product(&mut gradients[1][self.of_head(1, head)], &walk.read, &query, s),
                Some(_) => {
                    let mut key = vec![0.0; n * keys];
                    add_turned_product(&mut key, &scores, &pair[0], n);
                    for (which, mut slopes) in [(1, query), (2, key)] {
                        slopes.iter_mut().for_each(|x| *x /= libm::sqrt(libm::sqrt(keys as f64)));
                        let out = &mut gradients[which][self.of_head(which, head)];
                        add_turned_product(out, &walk.read, &slopes, s);
                    }
                }
            }
        }
        dot(&errors, &errors)
    }
}
