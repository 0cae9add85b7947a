//! Confidence interval of a success probability.

/// The 97.5 % quantile z of the standard normal distribution, which gives 95 % intervals in [`wilson_interval`].
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// The Wilson 95 % confidence interval (low, high) of a success probability, given `successes` out of `trials`; (0,
/// 1) if `trials` is 0.
///
/// ```text
/// (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)
/// ```
///
/// (Wilson 1927, Journal of the American Statistical Association 22, 209 to 212.) Unlike p ± z √(p(1 − p)/n) it has
/// a positive width if no trial succeeds or all do, which is the usual case in a sweep.
pub fn wilson_interval(successes: usize, trials: usize) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (trials as f64, successes as f64 / trials as f64);
    let (middle, stretch) =
        (p + NORMAL_QUANTILE * NORMAL_QUANTILE / (2.0 * n), 1.0 + NORMAL_QUANTILE * NORMAL_QUANTILE / n);
    let half =
        NORMAL_QUANTILE * libm::sqrt(p * (1.0 - p) / n + NORMAL_QUANTILE * NORMAL_QUANTILE / (4.0 * n * n));
    // What rounding leaves at the ends is no chance.
    let low = if successes == 0 { 0.0 } else { (middle - half) / stretch };
    let high = if successes == trials { 1.0 } else { (middle + half) / stretch };
    (low.max(0.0), high.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against other people's numbers: Newcombe 1998 (Statistics in Medicine 17), table I, method 3, and R's
    /// `prop.test(…, correct = FALSE)`.
    #[test]
    fn intervals_are_those_of_the_literature() {
        for (found, all, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
            (20, 20, 0.8389, 1.0),
            (10, 20, 0.2993, 0.7007),
        ] {
            let (a, b) = wilson_interval(found, all);
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{found} of {all}: {a} to {b}");
        }
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
    }

    #[test]
    fn intervals_mirror_each_other_and_narrow() {
        for all in [1, 4, 20, 400] {
            for found in 0..=all {
                let ((a, b), (c, d)) = (wilson_interval(found, all), wilson_interval(all - found, all));
                assert!((a + d - 1.0).abs() < 1e-12 && (b + c - 1.0).abs() < 1e-12);
                let p = found as f64 / all as f64;
                assert!((0.0..=p).contains(&a) && (p..=1.0).contains(&b));
            }
        }
        let width = |all: usize| wilson_interval(all / 2, all).1 - wilson_interval(all / 2, all).0;
        assert!(width(20) > 1.8 * width(80));
    }
}
