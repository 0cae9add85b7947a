//! Gradients of the squared error in double precision, written by hand: the reference of everything that is faster.
//!
//! With dX for the gradient of the loss with respect to X, a ReLU of scores over i + 1 tokens has dscore = da / (i + 1) where
//! the score is positive.

use super::reference::{Head, Pass, Plain};
use super::{LayerPlaces, Norm};
use crate::models::attend::Attend;
use crate::models::matrices::{add_turned_product, product_back, softmax_back};
use crate::models::norm::Normed;
use vivarium_core::math::{add_scaled, dot};

impl Plain {
    /// The mean of (ŷ − y)² over all points of these prompts, and its gradients in the order of
    /// [`Architecture::parameters`](crate::models::Architecture::parameters).
    ///
    /// # Shapes
    /// `rows` is `[prompts, points · (inputs + 1)]`.
    ///
    /// # Panics
    /// As [`Plain::look`].
    pub fn gradients(&self, rows: &[f32], points: usize) -> (f64, Vec<Vec<f64>>) {
        let mut gradients: Vec<Vec<f64>> = self.weights.iter().map(|w| vec![0.0; w.len()]).collect();
        let rows = rows.chunks_exact(points * (self.inputs + 1));
        let share = 1.0 / (rows.len() * points).max(1) as f64;
        let loss: f64 = rows.map(|row| self.add_gradients(row, share, &mut gradients)).sum();
        (loss * share, gradients)
    }

    /// Adds `share` times the gradients of the sum over the points of one prompt, and returns that sum.
    fn add_gradients(&self, row: &[f32], share: f64, gradients: &mut [Vec<f64>]) -> f64 {
        let (d, places, walk) = (self.net.width, &self.places, self.walk(row));
        let errors: Vec<f64> = walk.outputs.iter().zip(&walk.labels).map(|(f, y)| f - y).collect();
        let mut read = vec![0.0; walk.normed.out.len()];
        for (question, error) in errors.iter().enumerate() {
            let (at, slope) = (2 * question * d, 2.0 * share * error);
            add_scaled(&mut read[at..][..d], slope, &self.weights[places.readout]);
            add_scaled(&mut gradients[places.readout], slope, &walk.normed.out[at..][..d]);
        }
        let mut dh = self.back_normed(read, &walk.normed, places.gain, gradients);
        for (at, pass) in places.layers.iter().zip(&walk.layers).rev() {
            self.back_layer(&mut dh, at, pass, gradients);
        }
        if let Some(positions) = places.positions {
            add_scaled(&mut gradients[positions], 1.0, &dh);
        }
        add_turned_product(&mut gradients[places.read_in], &walk.tokens, &dh, self.inputs + 1);
        dot(&errors, &errors)
    }

    /// From the gradient with respect to what a layer gave, to that with respect to what came to it.
    fn back_layer(&self, dh: &mut [f64], at: &LayerPlaces, pass: &Pass, gradients: &mut [Vec<f64>]) {
        let d = self.net.width;
        let mut hidden =
            product_back(dh, &pass.hidden, at.mlp_out, self.net.hidden, &self.weights, gradients);
        let slopes = pass.before.iter().map(|z| self.net.unit.value_and_slope(*z).1);
        hidden.iter_mut().zip(slopes).for_each(|(dh, slope)| *dh *= slope);
        let read = product_back(&hidden, &pass.mlp.out, at.mlp_in, d, &self.weights, gradients);
        add_scaled(dh, 1.0, &self.back_normed(read, &pass.mlp, at.gain_mlp, gradients));

        let mixed = product_back(dh, &pass.mixed, at.out, d, &self.weights, gradients);
        let mut slopes = [(); 3].map(|()| vec![0.0; dh.len()]);
        pass.heads.iter().for_each(|head| self.back_head(&mixed, pass, head, &mut slopes));
        let mut read = vec![0.0; dh.len()];
        for (slopes, at) in slopes.iter().zip([at.query, at.key, at.value]) {
            add_scaled(
                &mut read,
                1.0,
                &product_back(slopes, &pass.normed.out, at, d, &self.weights, gradients),
            );
        }
        add_scaled(dh, 1.0, &self.back_normed(read, &pass.normed, at.gain_attention, gradients));
    }

    /// From the gradient with respect to what the heads give, `[t, width]`, to those with respect to queries, keys and
    /// values, to each of which a head adds in its own columns.
    fn back_head(&self, mixed: &[f64], pass: &Pass, head: &Head, [query, key, value]: &mut [Vec<f64>; 3]) {
        let (d, size) = (self.net.width, self.net.head_width());
        let cut = |token: usize| token * d + head.head * size..token * d + (head.head + 1) * size;
        let t = mixed.len() / d;
        for (i, (weights, scores)) in
            head.weights.chunks_exact(t).zip(head.scores.chunks_exact(t)).enumerate()
        {
            let mut slopes: Vec<f64> = (0..=i).map(|j| dot(&mixed[cut(i)], &pass.value[cut(j)])).collect();
            match self.net.attend {
                Attend::Softmax => softmax_back(weights, &mut slopes),
                Attend::Relu => slopes.iter_mut().zip(scores).for_each(|(slope, score)| {
                    *slope = if *score > 0.0 { *slope / (i + 1) as f64 } else { 0.0 };
                }),
            }
            for (j, slope) in slopes.iter().enumerate() {
                add_scaled(&mut value[cut(j)], weights[j], &mixed[cut(i)]);
                let score = slope / libm::sqrt(size as f64);
                add_scaled(&mut query[cut(i)], score, &pass.key[cut(j)]);
                add_scaled(&mut key[cut(j)], score, &pass.query[cut(i)]);
            }
        }
    }

    /// Of norm(h): adds the gradient with respect to the gains, and returns that with respect to h.
    fn back_normed(
        &self,
        slopes: Vec<f64>,
        normed: &Normed,
        gain: usize,
        gradients: &mut [Vec<f64>],
    ) -> Vec<f64> {
        normed.back(slopes, &self.weights[gain], &mut gradients[gain], self.net.norm == Norm::Layer)
    }
}
