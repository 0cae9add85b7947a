//! How much of a vector is in few of its entries.
//!
//! ```text
//! G(x)   = Σᵢ (2i − n − 1) |x|₍ᵢ₎ / (n Σᵢ |xᵢ|),   |x|₍₁₎ ≤ … ≤ |x|₍ₙ₎
//! IPR(x) = Σᵢ xᵢ⁴ / (Σᵢ xᵢ²)²
//! ```
//!
//! The Gini coefficient is 0 where all entries are equally large and 1 − 1/n where one has everything (Hurley and
//! Rickard 2009); of the Fourier components of embeddings it is a progress measure of grokking (Nanda, Chan,
//! Lieberum, Smith and Steinhardt 2023). The inverse participation ratio is 1/n and 1 there, one over the number of
//! entries that take part (Gromov 2023).

/// The Gini coefficient of the entries' sizes; none for a vector that is zero, empty or not finite.
pub fn gini(values: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let (n, total) = (sizes.len() as f64, sizes.iter().sum::<f64>());
    let ranked: f64 = sizes.iter().enumerate().map(|(i, size)| (2.0 * i as f64 + 1.0 - n) * size).sum();
    (total > 0.0 && total.is_finite()).then(|| ranked / (n * total))
}

/// The inverse participation ratio; none for a vector that is zero, empty or not finite.
pub fn participation(values: &[f64]) -> Option<f64> {
    // Relative to the largest, so that no fourth power is lost or grows too large.
    let most = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let squares = || values.iter().map(|value| (value / most) * (value / most));
    let (second, fourth) = (squares().sum::<f64>(), squares().map(|square| square * square).sum::<f64>());
    let ratio = fourth / (second * second);
    (most > 0.0 && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_both_scales() {
        let mut one = [0.0; 10];
        one[3] = -7.0;
        assert!((gini(&one).unwrap() - 0.9).abs() < 1e-12);
        assert_eq!(participation(&one), Some(1.0));
        let equal = [2.5, -2.5, 2.5, 2.5];
        assert_eq!((gini(&equal), participation(&equal)), (Some(0.0), Some(0.25)));
    }

    #[test]
    fn by_hand_and_without_scale() {
        // (−3·1 − 1·2 + 1·3 + 3·4) / (4·10), and (1 + 16 + 81 + 256) / 30².
        let values = [3.0, 1.0, -4.0, 2.0];
        assert!((gini(&values).unwrap() - 0.25).abs() < 1e-12);
        assert!((participation(&values).unwrap() - 354.0 / 900.0).abs() < 1e-12);
        let tiny = values.map(|value| value * 1e-200);
        assert!((gini(&tiny).unwrap() - 0.25).abs() < 1e-12);
        assert!((participation(&tiny).unwrap() - 354.0 / 900.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_size_has_no_sparsity() {
        for values in [&[][..], &[0.0, 0.0], &[1.0, f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!((gini(values), participation(values)), (None, None), "{values:?}");
        }
    }
}
