//! Norms without a bias: y = (z − mean) / √(variance + ε) · g, and the same without the mean, where the variance is the
//! mean square (RMSNorm, Zhang and Sennrich 2019).

use super::axis::{Axis, Vectors};
use crate::kernels::cpu::one_hidden_layer::{LANES, Row};
use crate::kernels::cpu::wide::wide;
use crate::models::attention_only::NORM_EPSILON;

/// A norm and what it keeps of a sequence.
#[derive(Debug, Clone)]
pub struct Norm {
    /// Whether the mean is taken away.
    centred: bool,
    /// g.
    pub gain: Vectors,
    /// 1 in the lanes that are columns.
    inside: Vec<Row>,
    stride: usize,
    /// (z − mean) / √(variance + ε), `[panel][position]`.
    flat: Vec<Row>,
    /// 1 / √(variance + ε).
    scales: Vec<f32>,
}

impl Norm {
    /// Of vectors along `axis`, for up to `stride` positions; it takes the mean away if it is `centred`.
    pub fn new(axis: Axis, stride: usize, centred: bool) -> Self {
        let mut inside = vec![Row::ZERO; axis.panels()];
        for (panel, lane) in axis.places() {
            inside[panel].0[lane] = 1.0;
        }
        Norm {
            centred,
            gain: Vectors::new(axis, 1, 0, 1, false),
            inside,
            stride,
            flat: vec![Row::ZERO; axis.panels() * stride],
            scales: vec![0.0; stride],
        }
    }

    /// What sums over a vector are multiplied by: for means that are taken away, and for mean squares.
    fn shares(&self) -> [f32; 2] {
        let share = 1.0 / self.gain.axis.size as f32;
        [if self.centred { share } else { 0.0 }, share]
    }

    /// The norm of positions `first..count`.
    pub fn forward(&mut self, z: &[Row], first: usize, count: usize, out: &mut [Row]) {
        norm_forward(self, z, first, count, out);
    }

    /// Adds the slopes in z to `of_z`, given those in the result.
    pub fn backward(&mut self, d: &[Row], count: usize, of_z: &mut [Row]) {
        norm_backward(self, d, count, of_z);
    }
}

wide! {
    /// As [`Norm::forward`].
    fn norm_forward(this: &mut Norm, z: &[Row], first: usize, count: usize, out: &mut [Row]) {
        let (stride, [centre, share]) = (this.stride, this.shares());
        for i in first..count {
            let total = z.iter().skip(i).step_by(stride).fold(Row::ZERO, |sum, z| sum + *z);
            let mean = Row([total.sum() * centre; LANES]);
            let mut squares = Row::ZERO;
            for (p, inside) in this.inside.iter().enumerate() {
                let flat = (z[p * stride + i] - mean).zip(*inside, |z, inside| z * inside);
                this.flat[p * stride + i] = flat;
                squares = squares + flat.map(|z| z * z);
            }
            let scale = 1.0 / (squares.sum() * share + NORM_EPSILON).sqrt();
            this.scales[i] = scale;
            for (p, gain) in this.gain.values.iter().enumerate() {
                let flat = this.flat[p * stride + i] * scale;
                this.flat[p * stride + i] = flat;
                out[p * stride + i] = flat.zip(*gain, |z, gain| z * gain);
            }
        }
    }
}

wide! {
    /// As [`Norm::backward`].
    fn norm_backward(this: &mut Norm, d: &[Row], count: usize, of_z: &mut [Row]) {
        let (stride, [centre, share]) = (this.stride, this.shares());
        for i in 0..count {
            let (mut total, mut along) = (Row::ZERO, Row::ZERO);
            for (p, (gain, slope)) in this.gain.values.iter().zip(&mut this.gain.slope).enumerate() {
                let (d, flat) = (d[p * stride + i], this.flat[p * stride + i]);
                *slope = *slope + d.zip(flat, |d, z| d * z);
                let pull = d.zip(*gain, |d, gain| d * gain);
                total = total + pull;
                along = along + pull.zip(flat, |d, z| d * z);
            }
            let mean = Row([total.sum() * centre; LANES]);
            let along = along.sum() * share;
            for (p, (gain, inside)) in this.gain.values.iter().zip(&this.inside).enumerate() {
                let pull = d[p * stride + i].zip(*gain, |d, gain| d * gain);
                let pull = (pull - mean - this.flat[p * stride + i] * along) * this.scales[i];
                let of_z = &mut of_z[p * stride + i];
                *of_z = *of_z + pull.zip(*inside, |d, inside| d * inside);
            }
        }
    }
}
