//! Exact Fourier analysis on the Boolean cube by the fast Walsh–Hadamard transform.
//!
//! For f on {−1, +1}ⁿ the coefficient at a set S is
//!
//! ```text
//! f̂(S) = E_x[f(x) χ_S(x)],   χ_S(x) = ∏_{i∈S} x_i
//! ```
//!
//! (Edelman 2024, section 5.4.1 and equation B.2). Sets and points are bit masks: bit i of a point is set
//! where x_i = −1.

/// Walsh–Hadamard transform in place: replaces the 2ⁿ values of a function on the cube {−1, 1}ⁿ by its Fourier
/// coefficients. Index bit i means x_i = −1 before, and i ∈ S for the coefficient of the set S after.
///
/// # Panics
/// If the number of values is not a power of two.
pub fn walsh_transform(values: &mut [f64]) {
    assert!(values.len().is_power_of_two(), "a function on the cube has 2^n values, not {}", values.len());
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / values.len() as f64;
    values.iter_mut().for_each(|v| *v *= scale);
}

/// The 2ⁿ Fourier coefficients of `f`, which is called with each point of the cube {−1, 1}ⁿ; bit i of the index of a
/// coefficient says whether its set contains i.
pub fn walsh_coefficients(n: usize, mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut point = vec![1.0; n];
    let mut values: Vec<f64> = (0..1usize << n)
        .map(|mask| {
            for (i, x) in point.iter_mut().enumerate() {
                *x = if mask >> i & 1 == 1 { -1.0 } else { 1.0 };
            }
            f(&point)
        })
        .collect();
    walsh_transform(&mut values);
    values
}

/// For each set size from 0 to n, the share of the squared norm of all 2ⁿ Fourier coefficients in those of sets of this
/// size.
pub fn weight_by_degree(coefficients: &[f64]) -> Vec<f64> {
    let n = coefficients.len().trailing_zeros() as usize;
    let mut weights = vec![0.0; n + 1];
    for (mask, c) in coefficients.iter().enumerate() {
        weights[mask.count_ones() as usize] += c * c;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::math::binomial;

    #[test]
    fn a_parity_is_one_coefficient() {
        let all = walsh_coefficients(6, |x| x[1] * x[2] * x[5]);
        for (mask, c) in all.iter().enumerate() {
            assert_eq!(*c, if mask == 0b100110 { 1.0 } else { 0.0 });
        }
    }

    /// Lemma B.1 of Edelman 2024 (O'Donnell 2014, theorem 5.19), for sets of odd size k:
    /// (−1)^((k−1)/2) · C((n−1)/2, (k−1)/2) / C(n−1, k−1) · 2^(−(n−1)) · C(n−1, (n−1)/2).
    #[test]
    fn majority_has_the_coefficients_of_lemma_b1() {
        for n in [3, 5, 9, 11] {
            let all = walsh_coefficients(n, |x| x.iter().sum::<f64>().signum());
            for (mask, c) in all.iter().enumerate() {
                let k = mask.count_ones() as usize;
                let expected = if k.is_multiple_of(2) {
                    0.0
                } else {
                    let half = (k - 1) / 2;
                    let sign = if half.is_multiple_of(2) { 1.0 } else { -1.0 };
                    sign * binomial((n - 1) / 2, half) / binomial(n - 1, k - 1) * binomial(n - 1, (n - 1) / 2)
                        / 2f64.powi(n as i32 - 1)
                };
                assert!((c - expected).abs() < 1e-12, "n {n}, mask {mask:b}: {c} against {expected}");
            }
        }
    }

    #[test]
    fn transforming_twice_gives_back_the_function() {
        let f: Vec<f64> = (0..64).map(|i| f64::from(i * 37 % 11) - 4.0).collect();
        let mut g = f.clone();
        walsh_transform(&mut g);
        let norm: f64 = f.iter().map(|v| v * v).sum::<f64>() / 64.0;
        assert!((weight_by_degree(&g).iter().sum::<f64>() - norm).abs() < 1e-9, "Parseval");
        walsh_transform(&mut g);
        for (a, b) in f.iter().zip(&g) {
            assert!((a - b * 64.0).abs() < 1e-9);
        }
    }
}
