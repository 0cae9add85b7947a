//! How unevenly a quantity is spread: the Gini coefficient and the inverse participation ratio.

/// Gini coefficient of non-negative values: 0 if all are equal, 1 − 1/n if one of n is not zero (Hurley and Rickard
/// 2009, as in Nanda et al. 2023, section 5.2); 0 if the sum is zero.
pub fn gini(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (n, total) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    if total == 0.0 {
        return 0.0;
    }
    let weighted: f64 = sorted.iter().enumerate().map(|(i, v)| (n - i as f64 - 0.5) * v).sum();
    1.0 - 2.0 * weighted / (n * total)
}

/// Inverse participation ratio Σ v⁴ / (Σ v²)²: 1/m if m values are equal and the others zero (Gromov 2023, with r =
/// 2); 0 if all are zero.
pub fn inverse_participation(values: &[f64]) -> f64 {
    let square: f64 = values.iter().map(|v| v * v).sum();
    let fourth: f64 = values.iter().map(|v| v * v * v * v).sum();
    if square == 0.0 { 0.0 } else { fourth / (square * square) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_vectors() {
        for (values, by_hand) in [
            (&[3.0; 5][..], 0.0),
            (&[0.0, 7.0, 0.0, 0.0][..], 0.75),
            // Σ_ij |v_i − v_j| / (2 n Σ v) = 20 / 80.
            (&[4.0, 1.0, 3.0, 2.0][..], 0.25),
            (&[0.0; 3][..], 0.0),
            (&[][..], 0.0),
        ] {
            assert!((gini(values) - by_hand).abs() < 1e-15, "{values:?}: {}", gini(values));
        }
        assert_eq!(inverse_participation(&[0.0, -2.0, 2.0, 0.0]), 0.5);
        assert_eq!(inverse_participation(&[5.0, 0.0, 0.0]), 1.0);
        assert_eq!(inverse_participation(&[1.0; 16]), 1.0 / 16.0);
        assert!((inverse_participation(&[1.0, 2.0]) - 17.0 / 25.0).abs() < 1e-15);
        assert_eq!(inverse_participation(&[0.0, 0.0]), 0.0);
    }
}
