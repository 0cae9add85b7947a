//! The perceptron of one replica in plain loops and double precision: for probes, and as the reference of everything that
//! is faster.

use super::{OnPrompts, TokenMlp, b, w};
use crate::models::matrices::{add, dot};
use crate::models::prompts::{CODES, wide};
use crate::tokens::Prompts;

/// The weights of one replica, with all that their use needs.
#[derive(Debug, Clone)]
pub struct Plain {
    net: TokenMlp,
    prompts: Prompts,
    /// As [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub weights: Vec<Vec<f64>>,
}

impl OnPrompts {
    /// The network of one replica's `weights`.
    ///
    /// # Shapes
    /// `weights` as [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub fn plain(&self, weights: &[&[f32]]) -> Plain {
        let wide = |values: &&[f32]| values.iter().map(|v| f64::from(*v)).collect();
        Plain { net: self.net.clone(), prompts: self.prompts, weights: weights.iter().map(wide).collect() }
    }
}

impl Plain {
    /// The inputs of every layer and, last, the outputs for the prompt z.
    fn walk(&self, z: Vec<f64>) -> Vec<Vec<f64>> {
        let mut layers = vec![z];
        for layer in 0..=self.net.widths.len() {
            let mut next = self.weights[b(layer)].clone();
            let rows = self.weights[w(layer)].chunks_exact(next.len());
            layers[layer].iter().zip(rows).for_each(|(h, row)| add(&mut next, *h, row));
            if layer < self.net.widths.len() {
                next.iter_mut().for_each(|h| *h = h.max(0.0));
            }
            layers.push(next);
        }
        layers
    }

    /// ŷ of the prompt in `row`, `[length]`.
    pub fn outputs(&self, row: &[f32]) -> Vec<f64> {
        self.walk(wide(&self.prompts, &self.weights[CODES], row).0).pop().unwrap_or_default()
    }

    /// The mean of (ŷ − y)² over all positions of the prompts `rows`, and its gradient; zero for the codes.
    ///
    /// # Shapes
    /// `rows` is `[prompts, columns]`; the gradient is as the weights are.
    pub fn gradients(&self, rows: &[f32]) -> (f64, Vec<Vec<f64>>) {
        let mut gradients: Vec<Vec<f64>> =
            self.weights.iter().map(|values| vec![0.0; values.len()]).collect();
        let (count, mut loss) = (rows.len() / self.prompts.columns() * self.prompts.length, 0.0);
        for row in rows.chunks_exact(self.prompts.columns()) {
            let (z, labels) = wide(&self.prompts, &self.weights[CODES], row);
            let layers = self.walk(z);
            let outputs = &layers[layers.len() - 1];
            let errors = outputs.iter().zip(&labels).map(|(f, y)| f - y);
            let mut slopes: Vec<f64> = errors.clone().map(|e| 2.0 * e / count as f64).collect();
            loss += errors.map(|e| e * e).sum::<f64>() / count as f64;
            for layer in (0..=self.net.widths.len()).rev() {
                add(&mut gradients[b(layer)], 1.0, &slopes);
                let width = slopes.len();
                for (h, row) in layers[layer].iter().zip(gradients[w(layer)].chunks_exact_mut(width)) {
                    add(row, *h, &slopes);
                }
                let below = layers[layer].iter().zip(self.weights[w(layer)].chunks_exact(width));
                slopes = below.map(|(h, row)| if *h > 0.0 { dot(row, &slopes) } else { 0.0 }).collect();
            }
        }
        (loss, gradients)
    }
}
