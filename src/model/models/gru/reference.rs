//! The recurrent network of one replica in plain loops and double precision: for probes, and as the reference of
//! everything that is faster.

use super::{BACKWARD, BETA, Direction, FORWARD, OUT, Plain};
use crate::models::matrices::{add_turned_product, product_turned};
use crate::models::on_prompts::squares;
use vivarium_core::math::{add_scaled, dot, logistic, matrix_product};

/// What a direction makes at a position.
struct Pass {
    /// The position.
    at: usize,
    /// The state before it was read.
    before: Vec<f64>,
    /// c, `[3w]`.
    c: Vec<f64>,
    /// r, u and n, `[3w]`.
    gates: Vec<f64>,
    /// The state after it was read.
    after: Vec<f64>,
}

impl Plain {
    /// All positions of the prompt z in the order of a direction.
    fn read(&self, at: Direction, z: &[f64]) -> Vec<Pass> {
        let (w, d, n) = (self.net.width, self.prompts.encoded_dim(), self.prompts.length);
        let mut a = matrix_product(z, &self.weights[at.input], 3 * w);
        a.chunks_exact_mut(3 * w).for_each(|a| add_scaled(a, 1.0, &self.weights[at.input_bias]));
        let (mut passes, mut h) = (Vec::with_capacity(z.len() / d), vec![0.0; w]);
        for step in 0..n {
            let i = if at == FORWARD { step } else { n - 1 - step };
            let mut c = matrix_product(&h, &self.weights[at.hidden], 3 * w);
            add_scaled(&mut c, 1.0, &self.weights[at.hidden_bias]);
            let mut gates = a[i * 3 * w..][..3 * w].to_vec();
            for j in 0..w {
                gates[j] = logistic(gates[j] + c[j]);
                gates[w + j] = logistic(gates[w + j] + c[w + j]);
                gates[2 * w + j] = libm::tanh(gates[2 * w + j] + gates[j] * c[2 * w + j]);
            }
            let state = |j: usize| (1.0 - gates[w + j]) * gates[2 * w + j] + gates[w + j] * h[j];
            let after: Vec<f64> = (0..w).map(state).collect();
            passes.push(Pass { at: i, before: std::mem::replace(&mut h, after.clone()), c, gates, after });
        }
        passes
    }

    /// Both directions and the outputs for the prompt z.
    fn walk(&self, z: &[f64]) -> ([Vec<Pass>; 2], Vec<f64>) {
        let both = [FORWARD, BACKWARD].map(|at| self.read(at, z));
        let mut outputs = vec![self.weights[BETA][0]; self.prompts.length];
        for (passes, out) in both.iter().zip(self.weights[OUT].chunks_exact(self.net.width)) {
            passes.iter().for_each(|pass| outputs[pass.at] += dot(&pass.after, out));
        }
        (both, outputs)
    }

    /// As [`Plain::outputs`].
    pub(super) fn read_out(&self, row: &[f32]) -> Vec<f64> {
        self.walk(&self.encoded(row).0).1
    }

    /// The state after each position, `[2, length, w]`: read forwards, then read backwards.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn states(&self, row: &[f32]) -> Vec<f64> {
        let (both, _) = self.walk(&self.encoded(row).0);
        let in_order = |mut passes: Vec<Pass>| {
            passes.sort_by_key(|pass| pass.at);
            passes
        };
        both.into_iter().flat_map(in_order).flat_map(|pass| pass.after).collect()
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
            let (both, outputs) = self.walk(&z);
            let (share, slopes) = squares(&outputs, &labels, count);
            loss += share;
            gradients[BETA][0] += slopes.iter().sum::<f64>();
            for (number, (at, passes)) in [FORWARD, BACKWARD].into_iter().zip(&both).enumerate() {
                self.back(at, number, passes, &z, &slopes, &mut gradients);
            }
        }
        (loss, gradients)
    }

    /// Adds what one direction adds to the gradients.
    fn back(
        &self,
        at: Direction,
        number: usize,
        passes: &[Pass],
        z: &[f64],
        slopes: &[f64],
        gradients: &mut [Vec<f64>],
    ) {
        let (w, d) = (self.net.width, self.prompts.encoded_dim());
        let out = &self.weights[OUT][number * w..][..w];
        let mut in_h = vec![0.0; w];
        for pass in passes.iter().rev() {
            add_scaled(&mut gradients[OUT][number * w..][..w], slopes[pass.at], &pass.after);
            add_scaled(&mut in_h, slopes[pass.at], out);
            let (mut in_a, mut in_c, mut before) = (vec![0.0; 3 * w], vec![0.0; 3 * w], vec![0.0; w]);
            for j in 0..w {
                let [r, u, n] = [0, 1, 2].map(|gate| pass.gates[gate * w + j]);
                let in_n = in_h[j] * (1.0 - u) * (1.0 - n * n);
                in_a[j] = in_n * pass.c[2 * w + j] * r * (1.0 - r);
                in_a[w + j] = in_h[j] * (pass.before[j] - n) * u * (1.0 - u);
                in_a[2 * w + j] = in_n;
                [in_c[j], in_c[w + j], in_c[2 * w + j]] = [in_a[j], in_a[w + j], in_n * r];
                before[j] = in_h[j] * u;
            }
            let z = &z[pass.at * d..][..d];
            add_turned_product(&mut gradients[at.input], z, &in_a, d);
            add_turned_product(&mut gradients[at.hidden], &pass.before, &in_c, w);
            add_scaled(&mut gradients[at.input_bias], 1.0, &in_a);
            add_scaled(&mut gradients[at.hidden_bias], 1.0, &in_c);
            add_scaled(&mut before, 1.0, &product_turned(&in_c, &self.weights[at.hidden], 3 * w));
            in_h = before;
        }
    }
}
