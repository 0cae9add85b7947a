//! The two-layer network in plain loops and double precision: slow, obvious, and independent of the library.

use vivarium::models::mlp::{Activation, Mlp};
use vivarium::tasks::Batch;
use vivarium::training::loss::Loss;

/// One replica's parameters: W `[inputs, width]`, u, b, β.
#[derive(Clone)]
pub struct Reference {
    pub mlp: Mlp,
    pub loss: Loss,
    pub inputs: usize,
    pub parameters: [Vec<f64>; 4],
}

impl Reference {
    pub fn new(mlp: &Mlp, loss: Loss, inputs: usize, parameters: &[Vec<f32>]) -> Self {
        let parameters = std::array::from_fn(|i| parameters[i].iter().map(|v| f64::from(*v)).collect());
        Reference { mlp: mlp.clone(), loss, inputs, parameters }
    }

    fn activation(&self, z: f64) -> (f64, f64) {
        match self.mlp.activation {
            Activation::Relu => (z.max(0.0), if z > 0.0 { 1.0 } else { 0.0 }),
            Activation::Power => {
                let k = self.mlp.degree as i32;
                (z.powi(k), f64::from(k) * z.powi(k - 1))
            }
        }
    }

    fn hidden(&self, x: &[f32]) -> Vec<f64> {
        let [w, _, b, _] = &self.parameters;
        let width = self.mlp.width;
        (0..width)
            .map(|j| b[j] + (0..self.inputs).map(|i| f64::from(x[i]) * w[i * width + j]).sum::<f64>())
            .collect()
    }

    /// f(x).
    pub fn output(&self, x: &[f32]) -> f64 {
        let [_, u, _, beta] = &self.parameters;
        let hidden = self.hidden(x);
        beta[0] + hidden.iter().zip(u).map(|(z, u)| u * self.activation(*z).0).sum::<f64>()
    }

    /// Mean loss over the batch.
    pub fn mean_loss(&self, batch: &Batch) -> f64 {
        let rows = batch.x.chunks(self.inputs).zip(&batch.y);
        rows.map(|(x, y)| self.loss.of(f64::from(*y), self.output(x))).sum::<f64>() / batch.len() as f64
    }

    /// dℓ/dŷ.
    fn slope(&self, y: f64, output: f64) -> f64 {
        match self.loss {
            Loss::Hinge => {
                if y * output < 1.0 {
                    -y
                } else {
                    0.0
                }
            }
            Loss::Square => 2.0 * (output - y),
            Loss::CrossEntropy => -y / (1.0 + (y * output).exp()),
        }
    }

    /// Gradients of the mean loss by the chain rule.
    pub fn gradients(&self, batch: &Batch) -> [Vec<f64>; 4] {
        let width = self.mlp.width;
        let mut g: [Vec<f64>; 4] = std::array::from_fn(|i| vec![0.0; self.parameters[i].len()]);
        for (x, y) in batch.x.chunks(self.inputs).zip(&batch.y) {
            let slope = self.slope(f64::from(*y), self.output(x)) / batch.len() as f64;
            g[3][0] += slope;
            for (j, z) in self.hidden(x).into_iter().enumerate() {
                let (h, dh) = self.activation(z);
                g[1][j] += slope * h;
                let back = slope * self.parameters[1][j] * dh;
                g[2][j] += back;
                for i in 0..self.inputs {
                    g[0][i * width + j] += back * f64::from(x[i]);
                }
            }
        }
        g
    }
}
