//! Fourier coefficients of the majority function in closed form: the gap that theory promises at a start with
//! signs for weights.
//!
//! With ξ_k the coefficient at any set of size k, n odd and k odd (Edelman 2024, lemma B.1, after O'Donnell 2014,
//! section 5.3)
//!
//! ```text
//! ξ_k = (−1)^((k−1)/2) · C((n−1)/2, (k−1)/2) / C(n−1, k−1) · C(n−1, (n−1)/2) / 2^(n−1)
//! ```
//!
//! and ξ_k = 0 for even k. With sgn(0) = 0, a majority of an even number n is the mean over x_{n+1} of that of
//! n + 1, so its coefficients are those of n + 1. Note that the derivative of a majority tells whether the other
//! bits are in balance, which is why all coefficients here follow from [`tie_coefficient`].

/// Fourier coefficient, at sets of size 2`m`, of the indicator function that the sum of 2`h` signs is zero.
///
/// ```text
/// (−1)^m · C(h, m) / C(2h, 2m) · C(2h, h) / 4^h,   C(h, m) / C(2h, 2m) = ∏_{i<m} (2i+1) / (2h−2i−1)
/// ```
pub fn tie_coefficient(h: usize, m: usize) -> f64 {
    if m > h {
        return 0.0;
    }
    let sign = if m.is_multiple_of(2) { 1.0 } else { -1.0 };
    let central: f64 = (1..=h).map(|i| (2 * i - 1) as f64 / (2 * i) as f64).product();
    (0..m).map(|i| (2 * i + 1) as f64 / (2 * (h - i) - 1) as f64).product::<f64>() * sign * central
}

/// Fourier coefficient ξ_k of the majority of `n` bits at sets of size `k`; the majority is 0 at a tie.
pub fn majority_coefficient(n: usize, k: usize) -> f64 {
    if k > n || k.is_multiple_of(2) { 0.0 } else { tie_coefficient(n / 2, k / 2) }
}

/// The Fourier gap of the majority of `n` bits at sets of size `k`: |ξ_{k−1}| − |ξ_{k+1}|, where ξ_j is its coefficient
/// at sets of size j (Edelman 2024, lemma B.2).
///
/// For n odd and k even it is at least 0.03·(n−1)^(−(k−1)/2) if n ≥ 4k; for odd k it is zero.
pub fn majority_gap(n: usize, k: usize) -> f64 {
    coefficient_gap(majority_coefficient, n, k)
}

/// Fourier coefficient, at sets of size `k`, of the derivative 1(Σ x_i > 0) of a ReLU neuron with all `n` weights one
/// and no bias: for k > 0 half of the majority's coefficient and, for even `n` and `k`, minus half of the coefficient
/// of the indicator of a tie, Σ x_i = 0.
pub fn relu_coefficient(n: usize, k: usize) -> f64 {
    let tie = if n.is_multiple_of(2) && k.is_multiple_of(2) { tie_coefficient(n / 2, k / 2) } else { 0.0 };
    let mean = if k == 0 { 1.0 } else { 0.0 };
    0.5 * (mean + majority_coefficient(n, k) - tie)
}

/// The Fourier gap, at sets of size `k`, of a ReLU neuron on `n` bits with weights ±1 and no bias (Edelman 2024,
/// section 5.4.1 and appendix B.3.1): half the [`majority_gap`].
///
/// Ties, which an even `n` has, count as ½. If they counted as 0, as [`relu_coefficient`] and training count them, or as
/// 1, an odd parity would have a gap that comes from the ties alone.
pub fn relu_majority_gap(n: usize, k: usize) -> f64 {
    0.5 * majority_gap(n, k)
}

/// |c_{k−1}| − |c_{k+1}|, where c_j = `coefficient(n, j)` is the coefficient, at sets of size j, of a symmetric
/// function of `n` bits.
fn coefficient_gap(coefficient: fn(usize, usize) -> f64, n: usize, k: usize) -> f64 {
    if k == 0 || k > n {
        return 0.0;
    }
    let above = if k < n { coefficient(n, k + 1) } else { 0.0 };
    coefficient(n, k - 1).abs() - above.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::walsh;
    use vivarium_core::math::binomial;

    #[test]
    fn closed_forms_are_the_transforms_of_the_functions() {
        for n in 1..=12 {
            let sum = |x: &[f64]| x.iter().sum::<f64>();
            let sign = |s: f64| if s == 0.0 { 0.0 } else { s.signum() };
            let majority = walsh::walsh_coefficients(n, |x| sign(sum(x)));
            let relu = walsh::walsh_coefficients(n, |x| if sum(x) > 0.0 { 1.0 } else { 0.0 });
            for k in 0..=n {
                let set = (1 << k) - 1;
                assert!((majority[set] - majority_coefficient(n, k)).abs() < 1e-14, "{n} {k}");
                assert!((relu[set] - relu_coefficient(n, k)).abs() < 1e-14, "{n} {k}");
            }
        }
    }

    /// Lemma B.2 of Edelman 2024: the ratio of neighbours, and the lower bound.
    #[test]
    fn the_gap_of_majority_is_that_of_lemma_b2() {
        for (n, k) in [(15, 2), (31, 2), (17, 4), (31, 4), (101, 6), (501, 8)] {
            let ratio = majority_coefficient(n, k - 1) / majority_coefficient(n, k + 1);
            let expected = (n - k) as f64 / (k - 1) as f64;
            assert!((ratio.abs() / expected - 1.0).abs() < 1e-12, "{n} {k}");
            let bound = 0.03 * libm::pow((n - 1) as f64, -0.5 * (k - 1) as f64);
            assert!(majority_gap(n, k) > bound, "{n} {k}");
        }
        assert_eq!(majority_gap(15, 3), 0.0);
        assert!((majority_gap(31, 2) - 0.1395).abs() < 5e-5);
        assert!((majority_gap(31, 4) - 0.0044).abs() < 5e-5);
    }

    #[test]
    fn a_relu_has_half_of_it_and_none_for_odd_parities() {
        assert!((relu_majority_gap(15, 2) - 0.0967).abs() < 5e-5);
        assert!((relu_majority_gap(15, 4) - 0.0059).abs() < 5e-5);
        assert_eq!(relu_majority_gap(50, 3), 0.0);
        for n in [11, 12, 15] {
            let slope = walsh::walsh_coefficients(n, |x| {
                let sum: f64 = x.iter().sum();
                if sum == 0.0 { 0.5 } else { f64::from(u8::from(sum > 0.0)) }
            });
            for k in 2..6 {
                let expected = slope[(1 << (k - 1)) - 1].abs() - slope[(1 << (k + 1)) - 1].abs();
                assert!((relu_majority_gap(n, k) - expected).abs() < 1e-14, "{n} {k}");
            }
        }
        // The whole weight of degree k, times k^1.5, tends to (2/π)^1.5.
        let weight =
            |k: usize| binomial(4001, k) * majority_coefficient(4001, k).powi(2) * libm::pow(k as f64, 1.5);
        assert!((weight(33) - 0.514).abs() < 1e-3, "{}", weight(33));
    }
}
