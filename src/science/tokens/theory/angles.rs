//! The expected number of pairs of random codes that violate assumption 3.
//!
//! The inner product of two codes of d_e signs ±1/√d_e is (d_e − 2K)/d_e with K binomial, so that a pair has
//! |⟨ω_i, ω_j⟩| > 1/2 where K < d_e/4 or K > 3d_e/4.

/// Exact expected number of pairs with |⟨ω_i, ω_j⟩| > 1/2 among the codes ω of `positions` positions, each of
/// `dimension` random signs divided by √dimension. [`count_strong_pairs`](super::super::count_strong_pairs) counts
/// the pairs of one draw.
pub fn mean_strong_pairs(positions: usize, dimension: usize) -> f64 {
    let (n, size) = (positions as f64, dimension as f64);
    let log_choose = |k: f64| libm::lgamma(size + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(size - k + 1.0);
    let share = |k: usize| libm::exp(log_choose(k as f64) - size * core::f64::consts::LN_2);
    let tail: f64 = (0..=dimension).take_while(|k| 4 * k < dimension).map(share).sum();
    n * (n - 1.0) / 2.0 * (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::{PositionCodes, count_strong_pairs};
    use super::*;

    #[test]
    fn the_expected_number_matches_many_draws() {
        for positions in [12, 33, 100] {
            let dimension = PositionCodes::Random.dimension(positions, 0);
            let exact = mean_strong_pairs(positions, dimension);
            let draws = 200;
            let count = |seed| {
                count_strong_pairs(&PositionCodes::Random.draw(seed, positions, dimension), dimension) as f64
            };
            let counts: Vec<f64> = (0..draws).map(count).collect();
            let mean = counts.iter().sum::<f64>() / draws as f64;
            let spread = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (draws - 1) as f64;
            let error = libm::sqrt(spread / draws as f64);
            assert!((mean - exact).abs() < 4.0 * error, "N = {positions}: {mean} ± {error}, exactly {exact}");
        }
    }

    /// 2.5, 25.9 and 52.6 at N = 12, 33 and 100 with ⌊5 ln N⌋ signs; with 20 ln N one draw in thirty has a pair at most.
    #[test]
    fn short_codes_violate_assumption_3_and_long_codes_do_not() {
        for (positions, expected) in [(12, 2.545_898), (33, 25.894_043), (100, 52.579_021)] {
            let pairs = mean_strong_pairs(positions, PositionCodes::Random.dimension(positions, 0));
            assert!((pairs - expected).abs() < 1e-4, "N = {positions}: {pairs}");
            let long = (20.0 * libm::log(positions as f64)) as usize;
            assert!(mean_strong_pairs(positions, long) < 0.05, "{}", mean_strong_pairs(positions, long));
        }
        // Of one sign all codes are the same or opposite.
        assert!((mean_strong_pairs(5, 1) - 10.0).abs() < 1e-12);
    }
}
