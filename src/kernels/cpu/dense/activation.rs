//! Non-linearities on rows, of operations alone that IEEE 754 fixes.

use crate::kernels::cpu::group_net::softmax::exp;
use crate::kernels::cpu::one_hidden_layer::{LANES, Row};
use crate::kernels::cpu::wide::wide;

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
            *slope = slope.zip(*unit, |slope, unit| if unit > 0.0 { slope } else { 0.0 });
        }
    }
}
