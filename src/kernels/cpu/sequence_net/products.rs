//! The matrix products, in tiles of four rows of sums that stay in registers, as in
//! [`group_net`](crate::cpu::group_net).

use std::ops::Range;

use super::axis::Matrix;
use crate::cpu::one_hidden_layer::{LANES, Row};
use crate::cpu::wide::{row_by_row, wide};

/// Rows of a tile.
pub const HIGH: usize = 4;

/// Sums of a tile.
pub type Sums = [[f32; LANES]; HIGH];

/// No sum yet.
pub const NONE: Sums = [[0.0; LANES]; HIGH];

/// sums\[r\] + factors\[r\] · row; by value, so that sums do not stay in memory.
#[inline(always)]
pub fn add(sums: Sums, row: &Row, factors: [f32; HIGH]) -> Sums {
    let more = |sum: [f32; LANES], f: f32| -> [f32; LANES] { std::array::from_fn(|l| sum[l] + row.0[l] * f) };
    let ([a, b, c, d], [p, q, r, s]) = (sums, factors);
    [more(a, p), more(b, q), more(c, r), more(d, s)]
}

/// sums\[r\] + factors\[r\] · rows\[r\].
#[inline(always)]
pub fn add_each(sums: Sums, rows: &[Row; HIGH], factors: [f32; HIGH]) -> Sums {
    let more = |sum: [f32; LANES], row: &Row, f: f32| -> [f32; LANES] {
        std::array::from_fn(|l| sum[l] + row.0[l] * f)
    };
    let ([a, b, c, d], [p, q, r, s]) = (sums, factors);
    [more(a, &rows[0], p), more(b, &rows[1], q), more(c, &rows[2], r), more(d, &rows[3], s)]
}

/// Lanes 4g to 4g + 3.
#[inline(always)]
pub fn four(row: &Row, g: usize) -> [f32; HIGH] {
    row.0.as_chunks::<HIGH>().0[g]
}

/// Lanes that wasm sums at once. It has sixteen registers of four lanes, which the sums of sixteen lanes would fill: halves are
/// a seventh to a quarter faster in V8. Natively the same source is three times slower than [`add`]. 2026-11-26.
const PART: usize = LANES / 2;

/// sums\[r\] + factors\[r\] · row for one term after another, in parts of the lanes.
#[inline(always)]
fn add_in_parts<'a>(mut sums: Sums, terms: impl Iterator<Item = (&'a Row, [f32; HIGH])> + Clone) -> Sums {
    for first in (0..LANES).step_by(PART) {
        let own = |row: &[f32; LANES]| -> [f32; PART] { std::array::from_fn(|l| row[first + l]) };
        let [mut a, mut b, mut c, mut d] = sums.each_ref().map(own);
        for (row, [p, q, r, s]) in terms.clone() {
            let row = own(&row.0);
            let more =
                |sum: [f32; PART], f: f32| -> [f32; PART] { std::array::from_fn(|l| sum[l] + row[l] * f) };
            (a, b, c, d) = (more(a, p), more(b, q), more(c, r), more(d, s));
        }
        for (sum, new) in sums.iter_mut().zip([a, b, c, d]) {
            sum[first..first + PART].copy_from_slice(&new);
        }
    }
    sums
}

/// Σ_n a_n\[4g + r\] b_n, added to sums.
#[inline(always)]
pub fn outer(a: &[Row], g: usize, b: &[Row], mut sums: Sums) -> Sums {
    if cfg!(target_family = "wasm") {
        return add_in_parts(sums, a.iter().zip(b).map(|(a, b)| (b, four(a, g))));
    }
    for (a, b) in a.iter().zip(b) {
        sums = add(sums, b, four(a, g));
    }
    sums
}

/// Σ_l a_r\[l\] b_l over as many lanes as `b` has rows, added to sums; `a` has at least four rows.
#[inline(always)]
pub fn inner(a: &[Row], b: &[Row], mut sums: Sums) -> Sums {
    let Some(a) = a.first_chunk::<HIGH>() else { return sums };
    let factors = |l: usize| [a[0].0[l], a[1].0[l], a[2].0[l], a[3].0[l]];
    if cfg!(target_family = "wasm") {
        return add_in_parts(sums, (0..LANES).zip(b).map(|(l, b)| (b, factors(l))));
    }
    for (l, b) in (0..LANES).zip(b) {
        sums = add(sums, b, factors(l));
    }
    sums
}

/// The first four rows as sums.
#[inline(always)]
pub fn sums_of(rows: &[Row]) -> Sums {
    rows.first_chunk::<HIGH>().map_or(NONE, |rows| [rows[0].0, rows[1].0, rows[2].0, rows[3].0])
}

/// Puts sums into the first four rows.
#[inline(always)]
pub fn store(rows: &mut [Row], sums: Sums) {
    for (row, sum) in rows.iter_mut().zip(sums) {
        row.0 = sum;
    }
}

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
            for i in on.clone().step_by(HIGH) {
                let mut sums = if adds { sums_of(&out[i..]) } else { NONE };
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
    /// Turns blocks of positions: `[panel][position]` becomes `[block][panel][deep]` with positions in the lanes.
    pub fn turn(x: &[Row], stride: usize, deep: usize, blocks: Range<usize>, out: &mut [Row]) {
        let rows = x.len() / stride * deep;
        for block in blocks {
            let out = &mut out[block * rows..(block + 1) * rows];
            for (x, out) in x.chunks_exact(stride).zip(out.chunks_exact_mut(deep)) {
                let Some(x) = x[block * LANES..].first_chunk::<LANES>() else { continue };
                turn_block(x, out);
            }
        }
    }
}

/// The first rows of a block with rows and lanes exchanged.
#[inline(always)]
fn turn_block(x: &[Row; LANES], out: &mut [Row]) {
    for (l, out) in (0..LANES).zip(out) {
        row_by_row();
        *out = Row(std::array::from_fn(|r| x[r].0[l]));
    }
}

wide! {
    /// As [`Matrix::learn`].
    fn learn(matrix: &mut Matrix, x: &[Row], d: &[Row], stride: usize, count: usize) {
        let (tiles, high) = (matrix.from.deep().div_ceil(HIGH), matrix.from.panels() * LANES);
        for (slope, d) in matrix.slope.chunks_exact_mut(high).zip(d.chunks_exact(stride)) {
            for (slope, x) in slope.chunks_exact_mut(LANES).zip(x.chunks_exact(stride)) {
                for g in 0..tiles {
                    let slope = &mut slope[g * HIGH..];
                    store(slope, outer(&x[..count], g, &d[..count], sums_of(slope)));
                }
            }
        }
    }
}
