//! The matrix products, in tiles of sums that stay in registers.
//!
//! # Why
//! A tile is four pairs, or classes, by a row of lanes. Natively its sums fill half of the registers or less; wasm
//! has sixteen of four lanes, and some sums spill, which costs less in V8 than reading the factors twice for
//! tiles of eight lanes (25 against 16 GFLOP/s). Every sum takes its terms one after another, whatever the
//! vectors. Two tiles at once, which share a row, gain nothing natively: the products of p = 71 already make 98 of the 126
//! GFLOP/s that a core can do without fused multiplication (AVX-512, 2026-11-26).

use crate::cpu::one_hidden_layer::{LANES, Row};

/// Pairs, or classes, of a tile.
pub const HIGH: usize = 4;

/// A factor for each pair, or class, of a tile.
pub type Factors = [f32; HIGH];

/// sums\[r\] + factors\[r\] · row, of the first W lanes.
///
/// Written out and by value: sums that are changed in place stay in memory where the compiler inlines less, as in
/// incremental builds, and that is ten times slower.
#[inline(always)]
fn add<const W: usize>(sums: [[f32; W]; HIGH], row: &Row, factors: Factors) -> [[f32; W]; HIGH] {
    let more =
        |sum: [f32; W], factor: f32| -> [f32; W] { std::array::from_fn(|l| sum[l] + row.0[l] * factor) };
    let ([a, b, c, d], [p, q, r, s]) = (sums, factors);
    [more(a, p), more(b, q), more(c, r), more(d, s)]
}

/// Σ_i h_i w_i over all neurons, for the pairs of a tile and the first W of a row of classes; the others are 0.
///
/// # Shapes
/// `hidden` has `stride` rows for each row of neurons, of which the tile's pairs are the first ones; `weights`
/// has a row of classes for each neuron.
#[inline(always)]
pub fn over_neurons<const W: usize>(hidden: &[Row], stride: usize, weights: &[Row]) -> [Row; HIGH] {
    let mut sums = [[0.0; W]; HIGH];
    for (hidden, weights) in hidden.chunks(stride).zip(weights.as_chunks::<LANES>().0) {
        let Some(hidden) = hidden.first_chunk::<HIGH>() else { break };
        for (l, weights) in weights.iter().enumerate() {
            sums = add(sums, weights, std::array::from_fn(|r| hidden[r].0[l]));
        }
    }
    sums.map(|sums| {
        let mut row = Row::ZERO;
        row.0[..W].copy_from_slice(&sums);
        row
    })
}

/// Σ_c p\[c\] w\[c\] over all classes, for the pairs of a tile and one row of neurons.
///
/// # Shapes
/// `slopes` has for each pair as many rows as hold all classes; `weights` has a row of neurons for each class.
#[inline(always)]
pub fn over_classes(slopes: &[Row], weights: &[Row]) -> [Row; HIGH] {
    let mut sums = [[0.0; LANES]; HIGH];
    let panels = weights.len().div_ceil(LANES);
    let pairs: [&[Row]; HIGH] = std::array::from_fn(|r| &slopes[r * panels..(r + 1) * panels]);
    for (panel, weights) in weights.chunks(LANES).enumerate() {
        let slopes: [&Row; HIGH] = std::array::from_fn(|r| &pairs[r][panel]);
        for (l, weights) in (0..LANES).zip(weights) {
            sums = add(sums, weights, std::array::from_fn(|r| slopes[r].0[l]));
        }
    }
    sums.map(Row)
}

/// Σ p\[c\] h over pairs, for the classes of a tile and one row of neurons.
///
/// # Shapes
/// `slopes` has the tile's classes for each pair, `hidden` a row of neurons for each pair.
#[inline(always)]
pub fn over_pairs(slopes: &[Factors], hidden: &[Row]) -> [Row; HIGH] {
    let mut sums = [[0.0; LANES]; HIGH];
    for (slopes, hidden) in slopes.iter().zip(hidden) {
        sums = add(sums, hidden, *slopes);
    }
    sums.map(Row)
}
