//! What a share of successes says about the chance of one.

/// Quantile of the standard normal law that leaves 2.5 % above it.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % interval of the chance of success after `found` of `all` trials; all chances where there was none.
///
/// ```text
/// (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)
/// ```
///
/// (Wilson 1927, Journal of the American Statistical Association 22, 209 to 212.) Unlike p ± z √(p(1 − p)/n) it has a
/// width where no trial succeeds or all do, which are the usual cells of a sweep.
pub fn wilson(found: usize, all: usize) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (all as f64, found as f64 / all as f64);
    let (middle, stretch) = (p + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
    let half = Z * libm::sqrt(p * (1.0 - p) / n + Z * Z / (4.0 * n * n));
    // What rounding leaves at the ends is no chance.
    let low = if found == 0 { 0.0 } else { (middle - half) / stretch };
    let high = if found == all { 1.0 } else { (middle + half) / stretch };
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
            let (a, b) = wilson(found, all);
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{found} of {all}: {a} to {b}");
        }
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn intervals_mirror_each_other_and_narrow() {
        for all in [1, 4, 20, 400] {
            for found in 0..=all {
                let ((a, b), (c, d)) = (wilson(found, all), wilson(all - found, all));
                assert!((a + d - 1.0).abs() < 1e-12 && (b + c - 1.0).abs() < 1e-12);
                let p = found as f64 / all as f64;
                assert!((0.0..=p).contains(&a) && (p..=1.0).contains(&b));
            }
        }
        let width = |all: usize| wilson(all / 2, all).1 - wilson(all / 2, all).0;
        assert!(width(20) > 1.8 * width(80));
    }
}
