//! Non-linearities on rows, of operations alone that IEEE 754 fixes.

use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_operators::simd::exp;
use vivarium_operators::simd::{row_by_row, wide};

/// Exponents are no larger than this: 1/(1 + e^80) is nothing. The polynomial of [`exp`] is right on both sides of 0; what
/// it gives beyond 88 is no power any more.
const FAR: f32 = 80.0;

/// 1/(1 + e^−x).
#[inline(always)]
pub fn sigmoid(x: Row) -> Row {
    exp(x.map(|x| if x < -FAR { FAR } else { -x })).map(|e| 1.0 / (1.0 + e))
}

/// tanh.
///
/// By the series of Cephes (Moshier 1989) where |x| < 0.625, else by 2/(1 + e^−2x) − 1.
#[inline(always)]
pub fn tanh(x: Row) -> Row {
    const SERIES: [f32; 4] = [2.063_908_8e-2, -5.373_971_6e-2, 1.333_144_2e-1, -0.333_332_8];
    let square = x.map(|x| x * x);
    let mut series = Row([-5.704_988_7e-3; LANES]);
    for next in SERIES {
        series = series.zip(square, |s, z| s * z + next);
    }
    let near = series.zip(square, |s, z| s * z).zip(x, |s, x| s * x + x);
    let far = exp(x.map(|x| if x < -0.5 * FAR { FAR } else { -2.0 * x })).map(|e| 2.0 / (1.0 + e) - 1.0);
    Row(std::array::from_fn(|l| if x.0[l].abs() < 0.625 { near.0[l] } else { far.0[l] }))
}

/// √(2/π), in GPT-2's GELU.
const GELU_SLOPE: f32 = 0.797_884_6;
/// The factor of z³ in it.
const GELU_CUBE: f32 = 0.044_715;

/// tanh(√(2/π) (z + 0.044715 z³)).
#[inline(always)]
fn gelu_tanh(z: Row) -> Row {
    tanh(z.map(|z| GELU_SLOPE * (z + GELU_CUBE * z * z * z)))
}

wide! {
    /// GPT-2's GELU of each number: half of z, times one more than the tanh.
    pub fn gelu(rows: &mut [Row]) {
        for row in rows.iter_mut() {
            *row = row.zip(gelu_tanh(*row), |z, tanh| 0.5 * z * (1.0 + tanh));
        }
    }
}

wide! {
    /// Multiplies slopes by those of [`gelu`] at `z`.
    pub fn gelu_slopes(z: &[Row], slopes: &mut [Row]) {
        for (slope, z) in slopes.iter_mut().zip(z) {
            let tanh = gelu_tanh(*z);
            let inner = z.map(|z| 0.5 * z * GELU_SLOPE * (1.0 + 3.0 * GELU_CUBE * z * z));
            let of_tanh = inner.zip(tanh, |inner, tanh| inner * (1.0 - tanh * tanh));
            let of = of_tanh.zip(tanh, |of, tanh| of + 0.5 * (1.0 + tanh));
            *slope = slope.zip(of, |slope, of| slope * of);
        }
    }
}

/// 1/√(2π).
const DENSITY: f32 = 0.398_942_3;

/// The probability that a standard normal number is below x.
///
/// By the fraction and series of Press et al. 1992 for the complement of the error function, whose relative error is below
/// 1.2 · 10⁻⁷ on all numbers.
#[inline(always)]
fn normal(x: Row) -> Row {
    const SERIES: [f32; 9] = [
        -0.822_152_2,
        1.488_515_9,
        -1.135_204,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_7,
        -1.265_512_2,
    ];
    let a = x.map(|x| x.abs() * std::f32::consts::FRAC_1_SQRT_2);
    let t = a.map(|a| 1.0 / (1.0 + 0.5 * a));
    let mut series = Row([0.170_872_77; LANES]);
    for next in SERIES {
        series = series.zip(t, |s, t| s * t + next);
    }
    let tail = exp(series.zip(a, |s, a| s - a * a)).zip(t, |e, t| 0.5 * t * e);
    x.zip(tail, |x, tail| if x < 0.0 { tail } else { 1.0 - tail })
}

wide! {
    /// The GELU that is defined by the normal distribution: each number times the probability that a standard normal one
    /// is below it.
    pub fn normal_gelu(rows: &mut [Row]) {
        for row in rows.iter_mut() {
            row_by_row();
            *row = row.zip(normal(*row), |z, below| z * below);
        }
    }
}

wide! {
    /// The same, with its slopes.
    pub fn normal_gelu_with_slopes(rows: &mut [Row], slopes: &mut [Row]) {
        for (row, slope) in rows.iter_mut().zip(slopes) {
            row_by_row();
            let (z, below) = (*row, normal(*row));
            let density = exp(z.map(|z| -0.5 * z * z)).map(|e| e * DENSITY);
            *slope = below + z.zip(density, |z, density| z * density);
            *row = z.zip(below, |z, below| z * below);
        }
    }
}
