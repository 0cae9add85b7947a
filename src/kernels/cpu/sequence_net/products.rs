//! The matrix products, in tiles of four rows of sums that stay in registers, as in
//! [`group_net`](crate::cpu::group_net).

use std::ops::Range;

use super::axis::Matrix;
use crate::cpu::one_hidden_layer::{LANES, Row};
pub use vivarium_operators::simd::products::{
    TILE_ROWS, ZERO_SUMS, add, add_each, four, inner, outer, store, sums_of, transpose,
};
use vivarium_operators::simd::wide;

wide! {
    /// x times a matrix, whose rows lie as in [`Matrix::forth`], on some positions, in full tiles.
    ///
    /// # Shapes
    /// `x` and `out` are `[panel][position]` with `stride` positions; `matrix` is `[panel of out][panel of x][deep]`.
    pub fn product(
        x: &[Row],
        stride: usize,
        on: Range<usize>,
        matrix: (&[Row], usize),
        out: &mut [Row],
        adds: bool,
    ) {
        let (matrix, deep) = matrix;
        let rows = x.len() / stride * deep;
        for (out, matrix) in out.chunks_exact_mut(stride).zip(matrix.chunks_exact(rows)) {
            for i in on.clone().step_by(TILE_ROWS) {
                let mut sums = if adds { sums_of(&out[i..]) } else { ZERO_SUMS };
                for (x, matrix) in x.chunks_exact(stride).zip(matrix.chunks_exact(deep)) {
                    sums = inner(&x[i..], matrix, sums);
                }
                store(&mut out[i..], sums);
            }
        }
    }
}

impl Matrix {
    /// x W.
    pub fn forward(&self, x: &[Row], stride: usize, on: Range<usize>, out: &mut [Row], adds: bool) {
        product(x, stride, on, (&self.forth, self.from.deep()), out, adds);
    }

    /// d Wᵀ.
    pub fn backward(&self, d: &[Row], stride: usize, on: Range<usize>, out: &mut [Row], adds: bool) {
        product(d, stride, on, (&self.back, self.to.deep()), out, adds);
    }

    /// Adds xᵀ d to the gradient.
    pub fn learn(&mut self, x: &[Row], d: &[Row], stride: usize, count: usize) {
        learn(self, x, d, stride, count);
    }
}

wide! {
    /// As [`Matrix::learn`].
    fn learn(matrix: &mut Matrix, x: &[Row], d: &[Row], stride: usize, count: usize) {
        let (tiles, high) = (matrix.from.deep().div_ceil(TILE_ROWS), matrix.from.panels() * LANES);
        for (slope, d) in matrix.slope.chunks_exact_mut(high).zip(d.chunks_exact(stride)) {
            for (slope, x) in slope.chunks_exact_mut(LANES).zip(x.chunks_exact(stride)) {
                for g in 0..tiles {
                    let slope = &mut slope[g * TILE_ROWS..];
                    store(slope, outer(&x[..count], g, &d[..count], sums_of(slope)));
                }
            }
        }
    }
}
