//! Sequences on tensors: what models on symbols and on points need.
//!
//! # Why
//! A matrix whose entry (i, j) depends on i − j is made of a row per distance by reshaping alone (the skewing of Huang
//! et al. 2018, "Music Transformer", section 3.4.1), since a gather's gradient is added up by float atomics on GPUs
//! ([`super::lookup`]).

use burn::tensor::{Device, Int, Tensor};

use super::norm::NORM_EPSILON;

/// Far below any score, and far from the end of the numbers.
pub const NEVER: f32 = -1e30;

/// The one-hot vectors of `count` symbols of each example from column `from` on.
///
/// # Shapes
/// `x` is `[replicas or 1, batch, columns]`; the result is `[replicas or 1, batch · count, symbols]`.
pub fn one_hot(x: &Tensor<3>, from: usize, count: usize, symbols: usize) -> Tensor<3> {
    let [replicas, batch, _] = x.dims();
    super::lookup::one_hot(
        &x.clone().narrow(2, from, count).reshape([replicas, batch * count, 1]),
        0,
        symbols,
    )
}

/// One where j ≤ i and zero elsewhere, `[1, length, length]`.
pub fn past(length: usize, device: &Device) -> Tensor<3> {
    let places = Tensor::<1, Int>::arange(0..length as i64, device).float();
    let [i, j] = [[1, length, 1], [1, 1, length]].map(|shape| places.clone().reshape(shape));
    j.lower_equal(i).float()
}

/// The norm of each row of `h`, of which the mean is taken off where it is `centred`, times the gains: `Normed::of`
/// on tensors.
///
/// # Shapes
/// `h` and the result are `[replicas, rows, width]`; `gain` is `[replicas, 1, width]`.
pub fn normed(h: &Tensor<3>, gain: &Tensor<3>, centred: bool) -> Tensor<3> {
    let h = if centred { h.clone() - h.clone().mean_dim(2) } else { h.clone() };
    let square = (h.clone() * h.clone()).mean_dim(2);
    h / (square + NORM_EPSILON).sqrt() * gain.clone()
}

/// Entry (i, j) is entry (i, i − j) of `rows` where j ≤ i, and another number elsewhere.
///
/// # Shapes
/// `rows` and the result are `[any, length, length]`.
pub fn skewed(rows: Tensor<3>) -> Tensor<3> {
    let [any, length, _] = rows.dims();
    let zeros = rows.clone().narrow(2, 0, 1).zeros_like();
    let padded = Tensor::cat(vec![zeros, rows.flip([2])], 2); // [any, length, length + 1]
    padded.reshape([any, length + 1, length]).narrow(1, 1, length)
}
