//! The perceptron of one replica in plain loops and double precision: for probes, and as the reference of everything that
//! is faster.

use super::{Plain, b, w};
use crate::models::on_prompts::squares;
use vivarium_core::math::{add_scaled, dot};

impl Plain {
    /// The inputs of every layer and, last, the outputs for the prompt z.
    pub(super) fn walk(&self, z: Vec<f64>) -> Vec<Vec<f64>> {
        let mut layers = vec![z];
        for layer in 0..=self.net.widths.len() {
            let mut next = self.weights[b(layer)].clone();
            let rows = self.weights[w(layer)].chunks_exact(next.len());
            layers[layer].iter().zip(rows).for_each(|(h, row)| add_scaled(&mut next, *h, row));
            if layer < self.net.widths.len() {
                next.iter_mut().for_each(|h| *h = h.max(0.0));
            }
            layers.push(next);
        }
        layers
    }

    /// The mean of (ŷ − y)² over all positions of the prompts `rows`, and its gradient; zero for the codes.
    ///
    /// # Shapes
    /// `rows` is `[prompts, columns]`; the gradient is as the weights are.
    pub fn gradients(&self, rows: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let mut gradients = self.zeros();
        let (count, mut loss) = (rows.len() / self.prompts.row_len() * self.prompts.length, 0.0);
        for row in rows.chunks_exact(self.prompts.row_len()) {
            let (z, labels) = self.encoded(row);
            let layers = self.walk(z);
            let (share, mut slopes) = squares(&layers[layers.len() - 1], &labels, count);
            loss += share;
            for layer in (0..=self.net.widths.len()).rev() {
                add_scaled(&mut gradients[b(layer)], 1.0, &slopes);
                let width = slopes.len();
                for (h, row) in layers[layer].iter().zip(gradients[w(layer)].chunks_exact_mut(width)) {
                    add_scaled(row, *h, &slopes);
                }
                let below = layers[layer].iter().zip(self.weights[w(layer)].chunks_exact(width));
                slopes = below.map(|(h, row)| if *h > 0.0 { dot(row, &slopes) } else { 0.0 }).collect();
            }
        }
        (loss, gradients)
    }
}
