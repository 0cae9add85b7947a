//! Formulas that several crates need: sums over vectors, orthogonal directions, statistics of a list, softmax, C(n, k).
//!
//! # Why
//! Not `nalgebra`, whose products add up eight partial sums and whose QR decomposition reflects: both give other last digits,
//! and initial weights and recorded numbers would change. Every function here adds from the first entry to the last, and takes
//! transcendental functions from `libm`, so that numbers are the same on every system. The loops that train have their own
//! forms, in single precision and in vectors.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul};

/// Σ a_i b_i, over as many entries as the shorter list has.
///
/// ```
/// assert_eq!(vivarium_core::math::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[inline]
pub fn dot<T: Copy + Mul<Output = T> + Sum>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).map(|(a, b)| *a * *b).sum()
}

/// Adds `factor` times `row` to `out`, over as many entries as the shorter list has.
#[inline]
pub fn add_scaled<T: Copy + Mul<Output = T> + AddAssign>(out: &mut [T], factor: T, row: &[T]) {
    out.iter_mut().zip(row).for_each(|(out, value)| *out += factor * *value);
}

/// The product of a, `[rows, inner]`, with b, `[inner, columns]`: `[rows, columns]`, each row a sum over the rows of b from
/// the first to the last. Empty where a or b is.
pub fn matrix_product<T>(a: &[T], b: &[T], columns: usize) -> Vec<T>
where
    T: Copy + Default + Mul<Output = T> + AddAssign,
{
    let inner = (b.len() / columns.max(1)).max(1);
    let mut out = vec![T::default(); a.len() / inner * columns];
    for (out, row) in out.chunks_exact_mut(columns.max(1)).zip(a.chunks_exact(inner)) {
        row.iter().zip(b.chunks_exact(columns)).for_each(|(factor, line)| add_scaled(out, *factor, line));
    }
    out
}

/// ‖v‖₂ = √Σ v_i². The squares of entries beyond 10¹⁵⁴ are infinite, and those of entries below 10⁻¹⁶² are 0.
#[inline]
pub fn norm(v: &[f64]) -> f64 {
    libm::sqrt(dot(v, v))
}

/// Divides v by its norm. Where the norm is 0, the entries become NaN.
pub fn normalize(v: &mut [f64]) {
    let norm = norm(v);
    v.iter_mut().for_each(|x| *x /= norm);
}

/// Subtracts from v its part along `axis`, a vector of length 1.
#[inline]
pub fn project_out(v: &mut [f64], axis: &[f64]) {
    let along = dot(v, axis);
    v.iter_mut().zip(axis).for_each(|(x, a)| *x -= along * a);
}

/// Makes v orthogonal to the rows of an orthonormal basis, one after the other (modified Gram–Schmidt). v is not
/// normalised: where it was in the span of the basis, only rounding error remains.
///
/// # Why
/// Every row is projected out twice, which is enough for orthogonality to rounding error (Giraud et al. 2005; Parlett
/// 1980, *The Symmetric Eigenvalue Problem*, section 6.9).
pub fn orthogonalize<R: AsRef<[f64]>>(v: &mut [f64], basis: impl Iterator<Item = R> + Clone) {
    for _ in 0..2 {
        basis.clone().for_each(|axis| project_out(v, axis.as_ref()));
    }
}

/// Mean (1/n) Σ x and variance (1/n) Σ (x − mean)², as a pair; the variance is never negative, and both are 0 for no
/// values.
pub fn mean_and_variance(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (mean, values.map(|x| (x - mean) * (x - mean)).sum::<f64>() / count)
}

/// Median of values in ascending order, the mean of the two middle ones for an even number; None for no values.
pub fn median<T: Copy + Add<Output = T> + Div<Output = T> + From<u8>>(sorted: &[T]) -> Option<T> {
    let (low, high) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some((*low + *high) / T::from(2))
}

/// Quantile at `probability`, from 0 to 1, of values in ascending order, linear between the two nearest values (type 7
/// of Hyndman and Fan 1996). Infinite if one of these two is, or if there are no values.
pub fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let place = probability.clamp(0.0, 1.0) * sorted.len().saturating_sub(1) as f64;
    let (below, part) = (place as usize, place.fract());
    match (sorted.get(below), sorted.get(below + 1)) {
        (Some(a), _) if part == 0.0 => *a,
        (Some(a), Some(b)) if b.is_finite() => a + part * (b - a),
        _ => f64::INFINITY,
    }
}

/// Straight line y = intercept + slope · x, fitted to points (x, y) by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastSquaresLine {
    /// Value of the line at x = 0.
    pub intercept: f64,
    /// Increase of y where x increases by 1.
    pub slope: f64,
}

impl LeastSquaresLine {
    /// Fits a line to points (x, y): slope Σ (x − x̄)(y − ȳ) / Σ (x − x̄)², through (x̄, ȳ). None if all x are equal (Σ
    /// (x − x̄)² at most 10⁻¹²).
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x_mean, y_mean) = (mean(|p| p.0), mean(|p| p.1));
        let spread: f64 = points.iter().map(|(x, _)| (x - x_mean) * (x - x_mean)).sum();
        if points.len() < 2 || spread <= 1e-12 {
            return None;
        }
        let slope = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum::<f64>() / spread;
        Some(LeastSquaresLine { intercept: y_mean - slope * x_mean, slope })
    }
}

/// C(n, k), the number of sets of `k` out of `n`; 0 where k > n. Exact below 10¹⁵, and infinite beyond 10³⁰⁸.
pub fn binomial(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    // Every partial product is a binomial, so that rounding keeps it exact as long as there are digits.
    (0..k.min(n - k)).fold(1.0, |product, i| {
        let next = product * (n - i) as f64 / (i + 1) as f64;
        if next < 1e15 { libm::round(next) } else { next }
    })
}

/// Logistic function 1 / (1 + e^(−x)), from 0 to 1.
#[inline]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// ln(1 + e^x) without overflow: x for large x, e^x for very negative x.
#[inline]
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// ln Σ e^v without overflow; −∞ for no values, and NaN where the largest value is infinite.
pub fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = values.clone().fold(f64::NEG_INFINITY, f64::max);
    top + libm::log(values.map(|v| libm::exp(v - top)).sum())
}

/// Replaces scores by probabilities e^s / Σ e^s, without overflow. A score of −∞ becomes 0; NaN where the largest is
/// infinite.
pub fn softmax(scores: &mut [f64]) {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = libm::exp(*score - top));
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|power| *power /= sum);
}

/// Φ(z) = (1 + erf(z/√2)) / 2, the probability that a standard normal number is below z. Its absolute error is rounding
/// error: below z = −6 no digits are left, and below −8.3 it is 0.
#[inline]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * (1.0 + libm::erf(z * std::f64::consts::FRAC_1_SQRT_2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, RandomStream};

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within * b.abs().max(1.0), "{a} {b}");
    }

    fn draw_row(row: u64, count: u32) -> Vec<f64> {
        let stream = RandomStream::new(3, Purpose::Batch, 0);
        (0..count).map(|i| f64::from(stream.draw_normal(row, i))).collect()
    }

    #[test]
    fn sums_over_vectors_by_hand() {
        assert_eq!(dot(&[1.0f32, 2.0, 3.0], &[4.0, -5.0, 6.0]), 12.0);
        assert_eq!((dot::<f64>(&[], &[]), dot(&[2.0, 9.0], &[3.0])), (0.0, 6.0));
        assert_eq!((norm(&[3.0, -4.0]), norm(&[]), norm(&[1e200])), (5.0, 0.0, f64::INFINITY));
        let mut out = [1.0, 2.0, 3.0];
        add_scaled(&mut out, -2.0, &[1.0, 0.5]);
        assert_eq!(out, [-1.0, 1.0, 3.0]);
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(
            matrix_product(&a, &[1.0, 0.0, -1.0, 0.0, 1.0, 1.0], 2),
            [2.0, 3.0, 5.0, 6.0],
            "2 × 3 times 3 × 2"
        );
        assert_eq!(matrix_product(&a, &[1.0, 10.0], 1), [21.0, 43.0, 65.0]);
        assert_eq!((matrix_product::<f32>(&[], &[1.0], 1), matrix_product(&[1.0], &[], 0)), (vec![], vec![]));
        let mut v = [3.0, 4.0];
        normalize(&mut v);
        assert_eq!(v, [0.6, 0.8]);
        let mut zero = [0.0];
        normalize(&mut zero);
        assert!(zero[0].is_nan());
    }

    /// The length of what is left is that of the determinant of Gram: √(det of all / det of those before).
    #[test]
    fn what_is_left_is_orthogonal_and_as_long_as_the_determinants_say() {
        let mut basis: Vec<Vec<f64>> = vec![];
        for row in 0..8 {
            let mut v = draw_row(row, 8);
            orthogonalize(&mut v, basis.iter());
            normalize(&mut v);
            basis.push(v);
        }
        for (i, a) in basis.iter().enumerate() {
            for (j, b) in basis.iter().enumerate() {
                close(dot(a, b), f64::from(u8::from(i == j)), 1e-14);
            }
        }
        let (a, mut b) = (draw_row(0, 5), draw_row(1, 5));
        let gram = dot(&a, &a) * dot(&b, &b) - dot(&a, &b) * dot(&a, &b);
        let mut axis = a.clone();
        normalize(&mut axis);
        project_out(&mut b, &axis);
        close(norm(&b), (gram / dot(&a, &a)).sqrt(), 1e-13);
        // Nearly parallel vectors, of which one pass would leave a part along the axis.
        let mut near: Vec<f64> = axis.iter().zip(draw_row(2, 5)).map(|(x, d)| x + 1e-12 * d).collect();
        orthogonalize(&mut near, [&axis].into_iter());
        normalize(&mut near);
        close(dot(&near, &axis), 0.0, 1e-14);
    }

    #[test]
    fn statistics_by_hand() {
        let of = |values: &[f64]| mean_and_variance(values.iter().copied());
        assert_eq!((of(&[]), of(&[7.0]), of(&[1.0, 2.0, 3.0, 6.0])), ((0.0, 0.0), (7.0, 0.0), (3.0, 3.5)));
        // The other formula, (1/n) Σ x² − mean².
        let values = draw_row(4, 100);
        let (mean, variance) = of(&values);
        close(variance, dot(&values, &values) / 100.0 - mean * mean, 1e-12);
        assert_eq!(
            (median::<f64>(&[]), median(&[4.0f32]), median(&[1.0, 2.0, 4.0, 9.0])),
            (None, Some(4.0), Some(3.0))
        );
        assert_eq!(
            [-1.0, 0.0, 0.25, 0.5, 1.0, 2.0].map(|q| quantile(&[1.0, 3.0, 7.0], q)),
            [1.0, 1.0, 2.0, 3.0, 7.0, 7.0]
        );
        assert_eq!(quantile(&[], 0.5), f64::INFINITY);
        let open = [1.0, 2.0, f64::INFINITY];
        assert_eq!([0.5, 0.6, 1.0].map(|q| quantile(&open, q)), [2.0, f64::INFINITY, f64::INFINITY]);
        for count in 1..9 {
            let mut sorted = draw_row(5, count);
            sorted.sort_unstable_by(f64::total_cmp);
            close(quantile(&sorted, 0.5), median(&sorted).unwrap(), 1e-15);
        }
    }

    /// At the closest line the errors have no sum and no product with x.
    #[test]
    fn the_errors_of_a_line_are_orthogonal_to_it() {
        assert_eq!(
            LeastSquaresLine::fit(&[(1.0, 5.0), (3.0, 9.0)]),
            Some(LeastSquaresLine { intercept: 3.0, slope: 2.0 })
        );
        for none in [&[][..], &[(1.0, 2.0)], &[(1.0, 2.0), (1.0, 3.0)]] {
            assert_eq!(LeastSquaresLine::fit(none), None);
        }
        let points: Vec<(f64, f64)> = draw_row(6, 30).into_iter().zip(draw_row(7, 30)).collect();
        let LeastSquaresLine { intercept: level, slope } = LeastSquaresLine::fit(&points).unwrap();
        let errors = || points.iter().map(|(x, y)| (x, y - level - slope * x));
        close(errors().map(|(_, e)| e).sum(), 0.0, 1e-13);
        close(errors().map(|(x, e)| x * e).sum(), 0.0, 1e-13);
    }

    /// Against Pascal's triangle in integers, and beyond 10¹⁵ against the gamma function.
    #[test]
    fn binomials_are_those_of_pascals_triangle() {
        let mut row = vec![1u128];
        for n in 0..=60 {
            for (k, exact) in row.iter().enumerate() {
                match *exact < 1_000_000_000_000_000 {
                    true => assert_eq!(binomial(n, k), *exact as f64, "{n} {k}"),
                    false => close(binomial(n, k) / *exact as f64, 1.0, 1e-14),
                }
            }
            let inner: Vec<u128> = row.windows(2).map(|pair| pair[0] + pair[1]).collect();
            row = [vec![1], inner, vec![1]].concat();
        }
        assert_eq!((binomial(3, 5), binomial(0, 0), binomial(100, 3)), (0.0, 1.0, 161_700.0));
        let log = libm::lgamma(1001.0) - libm::lgamma(301.0) - libm::lgamma(701.0);
        close(binomial(1000, 300).ln(), log, 1e-13);
        assert_eq!(binomial(5000, 2500), f64::INFINITY);
    }

    #[test]
    fn exponentials_do_not_overflow() {
        for x in [-30.0f64, -3.2, -0.1, 0.0, 0.7, 12.0] {
            close(softplus(x), x.exp().ln_1p(), 1e-15);
            close(logistic(x), x.exp() / (1.0 + x.exp()), 1e-15);
            close(log_sum_exp([0.0, x].into_iter()), softplus(x), 1e-15);
            let mut pair = [x, 0.0];
            softmax(&mut pair);
            close(pair[0], logistic(x), 1e-15);
        }
        assert_eq!([-800.0, 0.0, 800.0].map(logistic), [0.0, 0.5, 1.0]);
        assert_eq!([-800.0, 800.0].map(softplus), [0.0, 800.0]);
        assert_eq!(log_sum_exp([1000.0, f64::NEG_INFINITY].into_iter()), 1000.0);
        assert_eq!(log_sum_exp(std::iter::empty()), f64::NEG_INFINITY);
        assert!(log_sum_exp([f64::NEG_INFINITY].into_iter()).is_nan());
        let mut scores = [1000.0, 1000.0 + 3.0f64.ln(), f64::NEG_INFINITY];
        softmax(&mut scores);
        close(scores[0], 0.25, 1e-12);
        close(scores[1], 0.75, 1e-12);
        assert_eq!(scores[2], 0.0);
        softmax(&mut []);
    }

    /// Against the integral of the density by Simpson's rule.
    #[test]
    fn the_normal_distribution_is_the_integral_of_its_density() {
        let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        for z in [-3.0, -1.0, -0.2, 0.0, 0.5, 2.0, 4.0] {
            let (pieces, step) = (2000, z / 2000.0);
            let weight = |i: i32| {
                if i == 0 || i == pieces {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
            };
            let area: f64 =
                (0..=pieces).map(|i| weight(i) * density(f64::from(i) * step)).sum::<f64>() * step / 3.0;
            close(normal_cdf(z), 0.5 + area, 1e-13);
        }
        assert_eq!([f64::NEG_INFINITY, 0.0, f64::INFINITY].map(normal_cdf), [0.0, 0.5, 1.0]);
    }
}
