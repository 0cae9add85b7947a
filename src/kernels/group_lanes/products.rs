//! The matrix products, in tiles of sums that stay in registers.
//!
//! Every sum runs over its terms one after another, whatever the tile, so that its bits do not depend on it.

use crate::kernels::lanes::{LANES, Row};

/// Pairs, or classes, of a tile.
pub const HIGH: usize = 4;

/// Lanes of a tile: as many sums as leave registers for the factors, of which wasm has sixteen of four lanes.
const WIDE: usize = if cfg!(target_arch = "wasm32") { LANES / 2 } else { LANES };

/// A factor for each pair, or class, of a tile.
pub type Factors = [f32; HIGH];

/// The lanes of `row` that belong to `part` of it.
#[inline(always)]
fn lanes<const W: usize>(row: &Row, part: usize) -> &[f32; W] {
    &row.0.as_chunks::<W>().0[part]
}

/// sums[r] += factors[r] · row.
#[inline(always)]
fn add<const W: usize>(sums: &mut [[f32; W]; HIGH], row: &[f32; W], factors: Factors) {
    for (sums, factor) in sums.iter_mut().zip(factors) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value * factor;
        }
    }
}

/// Does `body` for each part of a row, or only for its first half.
macro_rules! parts {
    ($half:expr, $sums:ident, $call:ident($($argument:expr),*)) => {
        if WIDE == LANES && !$half {
            put(&mut $sums, &$call::<LANES>($($argument,)* 0), 0);
        } else {
            put(&mut $sums, &$call::<{ LANES / 2 }>($($argument,)* 0), 0);
            if !$half {
                put(&mut $sums, &$call::<{ LANES / 2 }>($($argument,)* 1), 1);
            }
        }
    };
}

#[inline(always)]
fn put<const W: usize>(rows: &mut [Row; HIGH], sums: &[[f32; W]; HIGH], part: usize) {
    for (row, sums) in rows.iter_mut().zip(sums) {
        row.0[part * W..(part + 1) * W].copy_from_slice(sums);
    }
}

/// Σ_i h_i w_i over all neurons, for the pairs of a tile and one row of classes.
///
/// # Shapes
/// `hidden` has `stride` rows for each row of neurons, of which the tile's pairs are the first ones; `weights`
/// has a row of classes for each neuron. `half` leaves out the last half of the classes.
#[inline(always)]
pub fn over_neurons(hidden: &[Row], stride: usize, weights: &[Row], half: bool) -> [Row; HIGH] {
    let mut rows = [Row::ZERO; HIGH];
    parts!(half, rows, neurons(hidden, stride, weights));
    rows
}

#[inline(always)]
fn neurons<const W: usize>(hidden: &[Row], stride: usize, weights: &[Row], part: usize) -> [[f32; W]; HIGH] {
    let mut sums = [[0.0; W]; HIGH];
    for (hidden, weights) in hidden.chunks(stride).zip(weights.as_chunks::<LANES>().0) {
        let Some(hidden) = hidden.first_chunk::<HIGH>() else { break };
        for (l, weights) in weights.iter().enumerate() {
            add(&mut sums, lanes(weights, part), std::array::from_fn(|r| hidden[r].0[l]));
        }
    }
    sums
}

/// Σ_c p[c] w[c] over all classes, for the pairs of a tile and one row of neurons.
///
/// # Shapes
/// `slopes` has for each pair as many rows as hold all classes; `weights` has a row of neurons for each class.
#[inline(always)]
pub fn over_classes(slopes: &[Row], weights: &[Row]) -> [Row; HIGH] {
    let mut rows = [Row::ZERO; HIGH];
    parts!(false, rows, classes(slopes, weights));
    rows
}

#[inline(always)]
fn classes<const W: usize>(slopes: &[Row], weights: &[Row], part: usize) -> [[f32; W]; HIGH] {
    let mut sums = [[0.0; W]; HIGH];
    let panels = weights.len().div_ceil(LANES);
    let pairs: [&[Row]; HIGH] = std::array::from_fn(|r| &slopes[r * panels..(r + 1) * panels]);
    for (panel, weights) in weights.chunks(LANES).enumerate() {
        let slopes: [&Row; HIGH] = std::array::from_fn(|r| &pairs[r][panel]);
        for (l, weights) in (0..LANES).zip(weights) {
            add(&mut sums, lanes(weights, part), std::array::from_fn(|r| slopes[r].0[l]));
        }
    }
    sums
}

/// Σ p[c] h over pairs, for the classes of a tile and one row of neurons.
///
/// # Shapes
/// `slopes` has the tile's classes for each pair, `hidden` a row of neurons for each pair.
#[inline(always)]
pub fn over_pairs(slopes: &[Factors], hidden: &[Row]) -> [Row; HIGH] {
    let mut rows = [Row::ZERO; HIGH];
    parts!(false, rows, pairs(slopes, hidden));
    rows
}

#[inline(always)]
fn pairs<const W: usize>(slopes: &[Factors], hidden: &[Row], part: usize) -> [[f32; W]; HIGH] {
    let mut sums = [[0.0; W]; HIGH];
    for (slopes, hidden) in slopes.iter().zip(hidden) {
        add(&mut sums, lanes(hidden, part), *slopes);
    }
    sums
}
