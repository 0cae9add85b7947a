//! The exponential function.

use super::Row;

/// eˣ for x ≤ 0, and 0 where that is below the least normal number.
///
/// By the polynomial of Cephes (Moshier 1989) for |r| ≤ ln 2 / 2 and x = n ln 2 + r; within 2 units in the last
/// place. Only operations that IEEE 754 fixes, so that the bits are the same everywhere. In many small maps,
/// since the compiler does not inline a large one, and then makes no vectors of it.
#[inline(always)]
pub fn exp(x: Row) -> Row {
    /// Adding it rounds to a whole number, held in the last bits.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts, of which the first has few digits.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    const SERIES: [f32; 6] = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let shifted = x.map(|x| x * std::f32::consts::LOG2_E + ROUND);
    let n = shifted.map(|shifted| shifted - ROUND);
    let r = x.zip(n, |x, n| x - n * LN_2[0]).zip(n, |x, n| x - n * LN_2[1]);
    let mut series = Row::ZERO;
    for next in SERIES {
        series = series.zip(r, |s, r| s * r + next);
    }
    let series = series.zip(r, |s, r| s * (r * r) + r + 1.0);
    let power = shifted.map(|s| f32::from_bits((s.to_bits() << 23).wrapping_add(1.0f32.to_bits())));
    series.zip(power, |s, p| s * p).zip(x, |e, x| if x < -87.0 { 0.0 } else { e })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::LANES;

    #[test]
    fn exp_is_that_of_libm() {
        let single = |x: f32| exp(Row([x; LANES])).0[LANES - 1];
        for i in 0..=870_000 {
            let x = -(i as f32) * 1e-4;
            let exact = libm::exp(f64::from(x));
            assert!((f64::from(single(x)) - exact).abs() <= 2.5e-7 * exact, "{x}: {} {exact}", single(x));
        }
        assert_eq!([0.0, -88.0, -1e30, f32::NEG_INFINITY].map(single), [1.0, 0.0, 0.0, 0.0]);
        assert!(single(f32::NAN).is_nan());
    }
}
