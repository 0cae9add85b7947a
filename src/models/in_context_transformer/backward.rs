//! Gradients of the squared error in double precision, written by hand: the reference of everything that is faster.
//!
//! With dX for the gradient of the loss with respect to X: a softmax with shares a has dscore = a·(da − Σ a da), a ReLU of
//! scores over i + 1 tokens dscore = da / (i + 1) where the score is positive, and a norm of standardised rows y with
//! slope r = 1/√(mean square + ε) has dh = r·(dy − y·mean(y dy)), less r·mean(dy) where the mean is taken off.

use super::reference::{Head, Normed, Pass, Plain};
use super::{Attend, LayerPlaces, Norm};
use crate::models::matrices::{add, add_turned_product, dot, product_turned};

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
            add(&mut read[at..][..d], slope, &self.weights[places.readout]);
            add(&mut gradients[places.readout], slope, &walk.normed.out[at..][..d]);
        }
        let mut dh = self.back_normed(read, &walk.normed, places.gain, gradients);
        for (at, pass) in places.layers.iter().zip(&walk.layers).rev() {
            self.back_layer(&mut dh, at, pass, gradients);
        }
        if let Some(positions) = places.positions {
            add(&mut gradients[positions], 1.0, &dh);
        }
        add_turned_product(&mut gradients[places.read_in], &walk.tokens, &dh, self.inputs + 1);
        dot(&errors, &errors)
    }

    /// From the gradient with respect to what a layer gave, to that with respect to what came to it.
    fn back_layer(&self, dh: &mut [f64], at: &LayerPlaces, pass: &Pass, gradients: &mut [Vec<f64>]) {
        let d = self.net.width;
        let mut hidden = self.back(dh, &pass.hidden, at.mlp_out, self.net.hidden, gradients);
        let slopes = pass.before.iter().map(|z| self.net.unit.value_and_slope(*z).1);
        hidden.iter_mut().zip(slopes).for_each(|(dh, slope)| *dh *= slope);
        let read = self.back(&hidden, &pass.mlp.out, at.mlp_in, d, gradients);
        add(dh, 1.0, &self.back_normed(read, &pass.mlp, at.gain_mlp, gradients));

        let mixed = self.back(dh, &pass.mixed, at.out, d, gradients);
        let mut slopes = [(); 3].map(|()| vec![0.0; dh.len()]);
        pass.heads.iter().for_each(|head| self.back_head(&mixed, pass, head, &mut slopes));
        let mut read = vec![0.0; dh.len()];
        for (slopes, at) in slopes.iter().zip([at.query, at.key, at.value]) {
            add(&mut read, 1.0, &self.back(slopes, &pass.normed.out, at, d, gradients));
        }
        add(dh, 1.0, &self.back_normed(read, &pass.normed, at.gain_attention, gradients));
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
            let slopes: Vec<f64> = (0..=i).map(|j| dot(&mixed[cut(i)], &pass.value[cut(j)])).collect();
            let mean = dot(weights, &slopes);
            for (j, slope) in slopes.iter().enumerate() {
                add(&mut value[cut(j)], weights[j], &mixed[cut(i)]);
                let slope = match self.net.attend {
                    Attend::Softmax => weights[j] * (slope - mean),
                    Attend::Relu if scores[j] > 0.0 => slope / (i + 1) as f64,
                    Attend::Relu => 0.0,
                };
                let score = slope / libm::sqrt(size as f64);
                add(&mut query[cut(i)], score, &pass.key[cut(j)]);
                add(&mut key[cut(j)], score, &pass.query[cut(i)]);
            }
        }
    }

    /// Of a product yW with the matrix W at `at`: adds the gradient with respect to W, and returns that with respect to
    /// y.
    ///
    /// # Shapes
    /// `slopes` is that with respect to yW, `[t, columns]`, and `y` is `[t, inner]`, as is the result.
    fn back(
        &self,
        slopes: &[f64],
        y: &[f64],
        at: usize,
        inner: usize,
        gradients: &mut [Vec<f64>],
    ) -> Vec<f64> {
        add_turned_product(&mut gradients[at], y, slopes, inner);
        product_turned(slopes, &self.weights[at], self.weights[at].len() / inner)
    }

    /// Of norm(h): adds the gradient with respect to the gains, and returns that with respect to h.
    fn back_normed(
        &self,
        mut slopes: Vec<f64>,
        normed: &Normed,
        gain: usize,
        gradients: &mut [Vec<f64>],
    ) -> Vec<f64> {
        let d = self.net.width;
        let rows = slopes.chunks_exact_mut(d).zip(normed.standard.chunks_exact(d)).zip(&normed.slopes);
        for ((row, standard), slope) in rows {
            for ((v, y), (g, dg)) in
                row.iter_mut().zip(standard).zip(self.weights[gain].iter().zip(&mut gradients[gain]))
            {
                *dg += *v * y;
                *v *= g;
            }
            let along = dot(row, standard) / d as f64;
            let mean = match self.net.norm {
                Norm::Rms => 0.0,
                Norm::Layer => row.iter().sum::<f64>() / d as f64,
            };
            row.iter_mut().zip(standard).for_each(|(v, y)| *v = slope * (*v - mean - y * along));
        }
        slopes
    }
}
