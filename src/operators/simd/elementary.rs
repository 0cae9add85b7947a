//! Logistic function, hyperbolic tangent and normal distribution, of operations alone that IEEE 754 fixes.

use super::{LANES, Row, exp};

/// Exponents are no larger than this: 1/(1 + e^80) rounds to 0. The polynomial of [`exp`] is right on both sides of 0 up to 88.
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

/// The probability that a standard normal number is below x.
///
/// By the fraction and series of Press et al. 1992 for the complement of the error function, whose relative error is below
/// 1.2 · 10⁻⁷ on all numbers.
#[inline(always)]
pub fn normal_cdf(x: Row) -> Row {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_those_of_libm() {
        let single = |f: fn(Row) -> Row, x: f32| f(Row([x; LANES])).0[LANES - 1];
        for i in -200_000..=200_000 {
            let x = i as f32 * 1e-4;
            let exact = 1.0 / (1.0 + libm::exp(-f64::from(x)));
            let error = (f64::from(single(sigmoid, x)) - exact).abs();
            assert!(error <= 4e-7 * exact, "sigmoid of {x}: {} {exact}", single(sigmoid, x));
            let exact = libm::tanh(f64::from(x));
            let error = (f64::from(single(tanh, x)) - exact).abs();
            assert!(error <= 4e-7 * exact.abs(), "tanh of {x}: {} {exact}", single(tanh, x));
        }
        let ends = [f32::NEG_INFINITY, -200.0, 0.0, 200.0, f32::INFINITY];
        let [lowest, low, half, one, infinite] = ends.map(|x| single(sigmoid, x));
        assert!([lowest, low].iter().all(|value| (0.0..1e-34).contains(value)), "{lowest} {low}");
        assert_eq!([half, one, infinite], [0.5, 1.0, 1.0]);
        assert_eq!(ends.map(|x| single(tanh, x)), [-1.0, -1.0, 0.0, 1.0, 1.0]);
        assert!(single(sigmoid, f32::NAN).is_nan() && single(tanh, f32::NAN).is_nan());
    }
}
