//! Norms without a bias: y = (z − mean) / √(variance + ε) · g, and the same without the mean, where the variance is the
//! mean square (RMSNorm, Zhang and Sennrich 2019).

use super::axis::{Axis, Vectors};
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::attention_only::NORM_EPSILON;
use vivarium_operators::simd::{row_by_row, wide};

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
    /// Of each position two rows that are to be summed across lanes.
    rows: Vec<[Row; 2]>,
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
            rows: vec![[Row::ZERO; 2]; stride],
        }
    }

    fn share(&self) -> f32 {
        1.0 / self.gain.axis.size as f32
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

/// The rows of position `i`, panel by panel.
#[inline(always)]
fn at(rows: &[Row], stride: usize, i: usize) -> impl Iterator<Item = &Row> {
    rows.iter().skip(i).step_by(stride)
}

// Sums across lanes have loops of their own: beside them the compiler makes no vectors of the rest.

wide! {
    /// As [`Norm::forward`].
    fn norm_forward(this: &mut Norm, z: &[Row], first: usize, count: usize, out: &mut [Row]) {
        let (stride, share) = (this.stride, this.share());
        if this.centred {
            for (i, [total, _]) in this.rows[..count].iter_mut().enumerate().skip(first) {
                row_by_row();
                *total = at(z, stride, i).fold(Row::ZERO, |sum, z| sum + *z);
            }
            for [total, _] in &mut this.rows[first..count] {
                *total = Row([total.sum() * share; LANES]);
            }
        }
        for (i, [mean, squares]) in this.rows[..count].iter_mut().enumerate().skip(first) {
            row_by_row();
            *squares = Row::ZERO;
            for (p, inside) in this.inside.iter().enumerate() {
                let z = z[p * stride + i];
                let flat = if this.centred { (z - *mean).zip(*inside, |z, inside| z * inside) } else { z };
                this.flat[p * stride + i] = flat;
                *squares = *squares + flat.map(|z| z * z);
            }
        }
        for ([_, squares], scale) in this.rows[first..count].iter().zip(&mut this.scales[first..]) {
            *scale = 1.0 / (squares.sum() * share + NORM_EPSILON).sqrt();
        }
        for (p, gain) in this.gain.values.iter().enumerate() {
            let panel = p * stride + first..p * stride + count;
            let flat = this.flat[panel.clone()].iter_mut().zip(&mut out[panel]);
            for ((flat, out), scale) in flat.zip(&this.scales[first..count]) {
                row_by_row();
                *flat = *flat * *scale;
                *out = flat.zip(*gain, |z, gain| z * gain);
            }
        }
    }
}

wide! {
    /// As [`Norm::backward`].
    fn norm_backward(this: &mut Norm, d: &[Row], count: usize, of_z: &mut [Row]) {
        let (stride, share) = (this.stride, this.share());
        this.rows[..count].fill([Row::ZERO; 2]);
        for (p, (gain, slope)) in this.gain.values.iter().zip(&mut this.gain.slope).enumerate() {
            let panel = p * stride..p * stride + count;
            let both = d[panel.clone()].iter().zip(&this.flat[panel]);
            let mut sum = *slope;
            for ((d, flat), [total, along]) in both.zip(&mut this.rows[..count]) {
                row_by_row();
                sum = sum + d.zip(*flat, |d, z| d * z);
                let pull = d.zip(*gain, |d, gain| d * gain);
                *total = *total + pull;
                *along = *along + pull.zip(*flat, |d, z| d * z);
            }
            *slope = sum;
        }
        for [total, along] in &mut this.rows[..count] {
            let mean = if this.centred { total.sum() * share } else { 0.0 };
            (*total, *along) = (Row([mean; LANES]), Row([along.sum() * share; LANES]));
        }
        for (p, (gain, inside)) in this.gain.values.iter().zip(&this.inside).enumerate() {
            let panel = p * stride..p * stride + count;
            let both = d[panel.clone()].iter().zip(&this.flat[panel.clone()]).zip(&mut of_z[panel]);
            for (((d, flat), of_z), ([mean, along], scale)) in both.zip(this.rows.iter().zip(&this.scales)) {
                row_by_row();
                let pull = d.zip(*gain, |d, gain| d * gain) - *mean - flat.zip(*along, |z, along| z * along);
                *of_z = *of_z + (pull * *scale).zip(*inside, |d, inside| d * inside);
            }
        }
    }
}
