//! Gradients of the cross-entropy in double precision, written by hand: the reference of everything that is faster.

use super::reference::{Head, Pass, Plain, surprise};
use crate::models::matrices::{product_back, softmax_back};
use crate::models::norm::Normed;
use vivarium_core::math::{add_scaled, dot, softmax};

impl Plain {
    /// The mean cross-entropy over all sequences and places, and its gradients in the order of
    /// [`Architecture::parameters`](crate::models::Architecture::parameters).
    ///
    /// # Shapes
    /// `sequences` is `[count, length + 1]`: each symbol but the first is predicted from those before it.
    pub fn gradients(&self, sequences: &[u8]) -> (f64, Vec<Vec<f64>>) {
        let mut gradients: Vec<Vec<f64>> = self.weights.iter().map(|w| vec![0.0; w.len()]).collect();
        let sequences = sequences.chunks_exact(self.length + 1);
        let scale = 1.0 / (sequences.len() * self.length).max(1) as f64;
        let loss: f64 = sequences.map(|sequence| self.add_gradients(sequence, scale, &mut gradients)).sum();
        (loss * scale, gradients)
    }

    /// Adds `scale` times the gradients of the sum over the places of one sequence, and returns that sum.
    fn add_gradients(&self, sequence: &[u8], scale: f64, gradients: &mut [Vec<f64>]) -> f64 {
        let (d, k, places) = (self.net.hidden, self.symbols, &self.places);
        let (context, labels) = (&sequence[..sequence.len() - 1], &sequence[1..]);
        let mut walk = self.walk(context, &[]);
        let mut loss = 0.0;
        for (logits, label) in walk.logits.chunks_exact_mut(k).zip(labels) {
            loss += surprise(logits, *label);
            softmax(logits);
            logits[usize::from(*label)] -= 1.0;
            logits.iter_mut().for_each(|slope| *slope *= scale);
        }
        let slopes =
            product_back(&walk.logits, &walk.normed.out, places.readout, d, &self.weights, gradients);
        let mut dz = self.back_normed(slopes, &walk.normed, places.gain, gradients);
        for (layer, pass) in walk.layers.iter().enumerate().rev() {
            self.back_layer(&mut dz, layer, pass, gradients);
        }
        for (row, symbol) in dz.chunks_exact(d).zip(context) {
            add_scaled(&mut gradients[places.embed][usize::from(*symbol) * d..][..d], 1.0, row);
        }
        if let Some(positions) = places.positions {
            add_scaled(&mut gradients[positions], 1.0, &dz);
        }
        loss
    }

    /// From the gradient with respect to what a layer gave, to that with respect to what came to it.
    fn back_layer(&self, dz: &mut [f64], layer: usize, pass: &Pass, gradients: &mut [Vec<f64>]) {
        let (d, at) = (self.net.hidden, &self.places.layers[layer]);
        if let (Some([first, second]), Some((normed, h))) = (at.mlp, &pass.mlp) {
            let mut dh = product_back(dz, h, second, 4 * d, &self.weights, gradients);
            dh.iter_mut().zip(h).filter(|(_, h)| **h <= 0.0).for_each(|(dh, _)| *dh = 0.0);
            let slopes = product_back(&dh, &normed.out, first, d, &self.weights, gradients);
            add_scaled(dz, 1.0, &self.back_normed(slopes, normed, at.mlp_gain, gradients));
        }
        let mixed = match at.out {
            Some(out) => product_back(dz, &pass.mixed, out, d, &self.weights, gradients),
            None => dz.to_vec(),
        };
        let mut slopes = [(); 3].map(|()| vec![0.0; dz.len()]);
        for head in &pass.heads {
            self.back_head(&mixed, pass, head, &mut slopes, gradients);
        }
        let mut read = vec![0.0; dz.len()];
        for (slopes, at) in slopes.iter().zip([at.query, at.key, at.value]) {
            add_scaled(
                &mut read,
                1.0,
                &product_back(slopes, &pass.normed.out, at, d, &self.weights, gradients),
            );
        }
        add_scaled(dz, 1.0, &self.back_normed(read, &pass.normed, at.gain, gradients));
    }

    /// From the gradient with respect to what the heads give, `[t, d]`, to those with respect to queries, keys and
    /// values, to each of which a head adds in its own columns; and adds those with respect to R.
    fn back_head(
        &self,
        mixed: &[f64],
        pass: &Pass,
        head: &Head,
        [query, key, value]: &mut [Vec<f64>; 3],
        gradients: &mut [Vec<f64>],
    ) {
        let (d, size) = (self.net.hidden, self.size(head.layer));
        let distances = self.places.layers[head.layer].distances;
        let cut = |place: usize| place * d + head.head * size..place * d + (head.head + 1) * size;
        let t = mixed.len() / d;
        for (i, shares) in head.shares.chunks_exact(t).enumerate() {
            let mut slopes: Vec<f64> = (0..=i).map(|j| dot(&mixed[cut(i)], &pass.value[cut(j)])).collect();
            softmax_back(shares, &mut slopes);
            for (j, (share, slope)) in shares.iter().zip(&slopes).enumerate() {
                add_scaled(&mut value[cut(j)], *share, &mixed[cut(i)]);
                let score = slope / libm::sqrt(size as f64);
                add_scaled(&mut query[cut(i)], score, &pass.key[cut(j)]);
                add_scaled(&mut key[cut(j)], score, &pass.query[cut(i)]);
                if let Some(distances) = distances {
                    add_scaled(&mut query[cut(i)], score, &self.weights[distances][cut(i - j)]);
                    add_scaled(&mut gradients[distances][cut(i - j)], score, &pass.query[cut(i)]);
                }
            }
        }
    }

    /// Of LN(z)·g: adds the gradient with respect to the gains g, if there are any, and returns that with respect to z.
    fn back_normed(
        &self,
        slopes: Vec<f64>,
        normed: &Normed,
        gain: Option<usize>,
        gradients: &mut [Vec<f64>],
    ) -> Vec<f64> {
        let Some(gain) = gain else { return slopes };
        normed.back(slopes, &self.weights[gain], &mut gradients[gain], true)
    }
}
