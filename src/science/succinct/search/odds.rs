//! Probability that a random filter of the paper's size is one particular filter (Goel, Kakade, Kalai and Zhang 2022,
//! theorem 1; parameters from algorithm 1 and definition 5, values from corollary 3 and the sentence after it).
//!
//! ```text
//! parameters   (100 s)² = 10⁴ s²      s states; algorithm 1 has d_rc = 100 s channels
//! values       |U_s| = 24 · 16 · s + 5
//! probability  |U_s|^(−10⁴ s²)        log₁₀: −1.2·10⁵ for s = 2, −9.4·10⁷ for s = 47
//! ```
//!
//! # Why
//! Appendix B counts about 10⁴ s² parameters, as here. Definition 5 has three square matrices of 100 s channels, so the
//! exponent is right up to a constant factor of about three. It is the probability of one filter, while several filters may
//! compute the same.

/// Number of parameters of the random filter of Goel, Kakade, Kalai and Zhang 2022 for machines with s = `states`
/// states: 10⁴ s², at most `u64::MAX`.
pub fn parameters(states: u32) -> u64 {
    let channels = u64::from(states).saturating_mul(100);
    channels.saturating_mul(channels)
}

/// Number |U_s| of possible initial values of each parameter of the random filter, for machines with s = `states`
/// states: 24 · 16 · s + 5 (Goel, Kakade, Kalai and Zhang 2022, after corollary 3).
pub fn values(states: u32) -> u64 {
    u64::from(states).saturating_mul(24 * 16).saturating_add(5)
}

/// log₁₀ of the probability that a randomly drawn filter for machines with `states` states is one particular
/// filter; 0 or less.
pub fn log10_probability(states: u32) -> f64 {
    // Floating point does not overflow here, and is precise enough for a logarithm.
    let channels = 100.0 * f64::from(states);
    -channels * channels * libm::log10(384.0 * f64::from(states) + 5.0)
}

/// log₁₀ of the number of random draws of a filter for machines with `states` states after which one particular
/// filter has been drawn with probability one half: ln 2 / probability, for a small probability.
pub fn log10_restarts(states: u32) -> f64 {
    libm::log10(std::f64::consts::LN_2) - log10_probability(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_follow_the_formula() {
        for (states, expected) in [(2, -1.2e5), (4, -5.1e5), (20, -1.6e7), (47, -9.4e7)] {
            let found = log10_probability(states);
            // The table has two digits.
            assert!((found / expected - 1.0).abs() < 0.04, "{states}: {found}");
            let digits = 10f64.powf((-expected).log10().floor() - 1.0);
            assert_eq!((found / digits).round(), (expected / digits).round(), "{states}: {found}");
        }
    }

    #[test]
    fn counts_equal_those_of_the_paper_and_saturate() {
        assert_eq!((parameters(2), values(2)), (40_000, 773));
        assert_eq!(parameters(u32::MAX), u64::MAX);
        let logarithm = -40_000.0 * 773f64.log10();
        assert!((log10_probability(2) - logarithm).abs() < 1e-6);
        assert!((log10_restarts(2) + logarithm - 2f64.ln().log10()).abs() < 1e-6);
        assert!(log10_probability(u32::MAX).is_finite());
        assert_eq!(log10_probability(0), 0.0);
    }
}
