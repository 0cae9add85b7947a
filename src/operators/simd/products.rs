//! Products of matrices in rows of lanes.
//!
//! ```text
//! out = x w            multiply; with transposed weights out = d wᵀ
//! grad_w += xᵀ d       accumulate_weight_gradient
//! ```
//!
//! # Why
//! A tile is four samples, or four inputs, by one row of sums that stay in registers. Every sum takes its terms one after the
//! other, in the order of inputs or of samples, whatever the tile, the block or the width of vectors: the bits are the same
//! everywhere.

use std::ops::Range;

use super::{LANES, Row, row_by_row, wide};

/// Samples over which sums stay in registers while gradients are added up: the rows that are read fit into the first cache.
const SUMMED: usize = 64;

/// Rows of several panels: those of panel p begin at row p · `stride`.
#[derive(Debug, Clone, Copy)]
pub struct Panels<'a> {
    /// The rows, from the first that is used.
    pub rows: &'a [Row],
    /// Rows from one panel to the next.
    pub stride: usize,
}

impl<'a> Panels<'a> {
    /// Panels of `stride` rows.
    pub fn new(rows: &'a [Row], stride: usize) -> Self {
        Panels { rows, stride }
    }

    /// The panels without the first `first` rows of each.
    #[inline(always)]
    pub fn from(self, first: usize) -> Self {
        Panels { rows: &self.rows[first..], stride: self.stride }
    }

    /// `count` rows of panel `panel`.
    #[inline(always)]
    pub fn panel(self, panel: usize, count: usize) -> &'a [Row] {
        &self.rows[panel * self.stride..][..count]
    }

    /// The number in column `column` of row `row`.
    #[inline(always)]
    pub fn lane(self, column: usize, row: usize) -> f32 {
        self.rows[column / LANES * self.stride + row].0[column % LANES]
    }
}

/// Rows of several panels, to write into.
#[derive(Debug)]
pub struct PanelsMut<'a> {
    /// The rows, from the first that is used.
    pub rows: &'a mut [Row],
    /// Rows from one panel to the next.
    pub stride: usize,
}

impl<'a> PanelsMut<'a> {
    /// Panels of `stride` rows.
    pub fn new(rows: &'a mut [Row], stride: usize) -> Self {
        PanelsMut { rows, stride }
    }

    /// `count` rows of panel `panel`.
    #[inline(always)]
    pub fn panel(&mut self, panel: usize, count: usize) -> &mut [Row] {
        &mut self.rows[panel * self.stride..][..count]
    }

    /// Adds a number to column `column` of row `row`.
    #[inline(always)]
    pub fn add_to_lane(&mut self, column: usize, row: usize, number: f32) {
        self.rows[column / LANES * self.stride + row].0[column % LANES] += number;
    }

    /// Writes a number into column `column` of row `row`.
    #[inline(always)]
    pub fn set_lane(&mut self, column: usize, row: usize, number: f32) {
        self.rows[column / LANES * self.stride + row].0[column % LANES] = number;
    }
}

/// Panels that hold so many columns.
pub fn panels(columns: usize) -> usize {
    columns.div_ceil(LANES)
}

/// Rows of a tile.
pub const TILE_ROWS: usize = 4;

/// Sums of a tile.
pub type Sums = [[f32; LANES]; TILE_ROWS];

/// Sums without a term.
pub const ZERO_SUMS: Sums = [[0.0; LANES]; TILE_ROWS];

/// sums\[r\] + factors\[r\] · row; by value, so that sums do not stay in memory.
#[inline(always)]
pub fn add(sums: Sums, row: &Row, factors: [f32; TILE_ROWS]) -> Sums {
    let sum_of =
        |sum: [f32; LANES], f: f32| -> [f32; LANES] { std::array::from_fn(|l| sum[l] + row.0[l] * f) };
    let ([a, b, c, d], [p, q, r, s]) = (sums, factors);
    [sum_of(a, p), sum_of(b, q), sum_of(c, r), sum_of(d, s)]
}

/// sums\[r\] + factors\[r\] · rows\[r\].
#[inline(always)]
pub fn add_each(sums: Sums, rows: &[Row; TILE_ROWS], factors: [f32; TILE_ROWS]) -> Sums {
    let sum_of = |sum: [f32; LANES], row: &Row, f: f32| -> [f32; LANES] {
        std::array::from_fn(|l| sum[l] + row.0[l] * f)
    };
    let ([a, b, c, d], [p, q, r, s]) = (sums, factors);
    [sum_of(a, &rows[0], p), sum_of(b, &rows[1], q), sum_of(c, &rows[2], r), sum_of(d, &rows[3], s)]
}

/// Lanes 4g to 4g + 3.
#[inline(always)]
pub fn four(row: &Row, g: usize) -> [f32; TILE_ROWS] {
    row.0.as_chunks::<TILE_ROWS>().0[g]
}

/// Lanes that wasm sums at once. It has sixteen registers of four lanes, which the sums of sixteen lanes would fill: halves are
/// a seventh to a quarter faster in V8. Natively the same source is three times slower than [`add`]. 2026-11-26.
const HALF: usize = LANES / 2;

/// sums\[r\] + factors\[r\] · row for one term after another, half of the lanes after the other.
#[inline(always)]
fn add_in_halves<'a>(
    mut sums: Sums,
    terms: impl Iterator<Item = (&'a Row, [f32; TILE_ROWS])> + Clone,
) -> Sums {
    for first in (0..LANES).step_by(HALF) {
        let own = |row: &[f32; LANES]| -> [f32; HALF] { std::array::from_fn(|l| row[first + l]) };
        let [mut a, mut b, mut c, mut d] = sums.each_ref().map(own);
        for (row, [p, q, r, s]) in terms.clone() {
            let row = own(&row.0);
            let sum_of =
                |sum: [f32; HALF], f: f32| -> [f32; HALF] { std::array::from_fn(|l| sum[l] + row[l] * f) };
            (a, b, c, d) = (sum_of(a, p), sum_of(b, q), sum_of(c, r), sum_of(d, s));
        }
        for (sum, new) in sums.iter_mut().zip([a, b, c, d]) {
            sum[first..first + HALF].copy_from_slice(&new);
        }
    }
    sums
}

/// Σ_n a_n\[4g + r\] b_n, added to sums.
#[inline(always)]
pub fn outer(a: &[Row], g: usize, b: &[Row], mut sums: Sums) -> Sums {
    if cfg!(target_family = "wasm") {
        return add_in_halves(sums, a.iter().zip(b).map(|(a, b)| (b, four(a, g))));
    }
    for (a, b) in a.iter().zip(b) {
        sums = add(sums, b, four(a, g));
    }
    sums
}

/// Σ_l a_r\[l\] b_l over as many lanes as `b` has rows, added to sums; `a` has at least four rows.
#[inline(always)]
pub fn inner(a: &[Row], b: &[Row], mut sums: Sums) -> Sums {
    let Some(a) = a.first_chunk::<TILE_ROWS>() else { return sums };
    let factors = |l: usize| [a[0].0[l], a[1].0[l], a[2].0[l], a[3].0[l]];
    if cfg!(target_family = "wasm") {
        return add_in_halves(sums, (0..LANES).zip(b).map(|(l, b)| (b, factors(l))));
    }
    for (l, b) in (0..LANES).zip(b) {
        sums = add(sums, b, factors(l));
    }
    sums
}

/// The first four rows as sums.
#[inline(always)]
pub fn sums_of(rows: &[Row]) -> Sums {
    rows.first_chunk::<TILE_ROWS>().map_or(ZERO_SUMS, |rows| [rows[0].0, rows[1].0, rows[2].0, rows[3].0])
}

/// Puts sums into the first four rows.
#[inline(always)]
pub fn store(rows: &mut [Row], sums: Sums) {
    for (row, sum) in rows.iter_mut().zip(sums) {
        row.0 = sum;
    }
}

wide! {
    /// Writes x w of `count` samples in full tiles into `out`, or adds it if `adds`.
    ///
    /// # Shapes
    /// `x` is `[panel of inputs][sample]`, `out` is `[panel of outputs][sample]`; `w` is `[panel of outputs][input]`
    /// with as many panels as `out`, and `inputs` of its rows count.
    pub fn multiply(x: Panels<'_>, w: Panels<'_>, inputs: usize, out: &mut PanelsMut<'_>, count: usize, adds: bool) {
        let outputs = w.rows.len().div_ceil(w.stride);
        for panel in 0..outputs {
            let w = w.panel(panel, inputs);
            let out = out.panel(panel, count);
            for i in (0..count).step_by(TILE_ROWS) {
                let sums = if adds { sums_of(&out[i..]) } else { ZERO_SUMS };
                store(&mut out[i..], tile(x, i, w, sums));
            }
        }
    }
}

/// Σ_k x\[i + r\]\[k\] w_k, added to sums.
#[inline(always)]
fn tile(x: Panels<'_>, i: usize, w: &[Row], mut sums: Sums) -> Sums {
    for (panel, w) in w.chunks(LANES).enumerate() {
        sums = inner(&x.rows[panel * x.stride + i..], w, sums);
    }
    sums
}

wide! {
    /// Adds xᵀ d of `count` samples to `gradient`.
    ///
    /// # Shapes
    /// `x` is `[panel of inputs][sample]`, `d` is `[panel of outputs][sample]`; `gradient` is `[panel of outputs][input]`
    /// with as many panels as `d`, and room for full tiles of its `inputs` rows.
    pub fn accumulate_weight_gradient(x: Panels<'_>, d: Panels<'_>, outputs: usize, inputs: usize, gradient: &mut PanelsMut<'_>, count: usize) {
        for from in (0..count).step_by(SUMMED) {
            let count = (count - from).min(SUMMED);
            for panel in 0..outputs {
                let d = d.from(from).panel(panel, count);
                let gradient = gradient.panel(panel, inputs.next_multiple_of(TILE_ROWS));
                for (k, gradient) in gradient.chunks_exact_mut(TILE_ROWS).enumerate() {
                    let x = x.from(from).panel(k * TILE_ROWS / LANES, count);
                    store(gradient, outer(x, k % (LANES / TILE_ROWS), d, sums_of(gradient)));
                }
            }
        }
    }
}

wide! {
    /// Transposes blocks of positions: `[panel][position]` becomes `[block][panel][depth]` with positions in the lanes.
    pub fn transpose(x: &[Row], stride: usize, depth: usize, blocks: Range<usize>, out: &mut [Row]) {
        let rows = x.len() / stride * depth;
        for block in blocks {
            let out = &mut out[block * rows..(block + 1) * rows];
            for (x, out) in x.chunks_exact(stride).zip(out.chunks_exact_mut(depth)) {
                let Some(x) = x[block * LANES..].first_chunk::<LANES>() else { continue };
                transpose_block(x, out);
            }
        }
    }
}

/// The first rows of a block with rows and lanes exchanged.
#[inline(always)]
fn transpose_block(x: &[Row; LANES], out: &mut [Row]) {
    for (l, out) in (0..LANES).zip(out) {
        row_by_row();
        *out = Row(std::array::from_fn(|r| x[r].0[l]));
    }
}
