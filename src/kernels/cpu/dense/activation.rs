//! Non-linearities on rows, of operations alone that IEEE 754 fixes.

use crate::kernels::cpu::group_net::softmax::exp;
use crate::kernels::cpu::one_hidden_layer::{LANES, Row};
use crate::kernels::cpu::wide::{row_by_row, wide};

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

wide! {
    /// The larger of each number and 0.
    pub fn relu(rows: &mut [Row]) {
        for row in rows.iter_mut() {
            *row = row.map(|x| if x > 0.0 { x } else { 0.0 });
        }
    }
}

wide! {
    /// Takes away the slopes of units that are not above 0.
    pub fn relu_slopes(units: &[Row], slopes: &mut [Row]) {
        for (slope, unit) in slopes.iter_mut().zip(units) {
            row_by_row();
            *slope = slope.zip(*unit, |slope, unit| if unit > 0.0 { slope } else { 0.0 });
        }
    }
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
