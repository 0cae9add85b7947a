//! Rank correlation: whether one quantity rises or falls with another, whatever the shape of the relation.

use vivarium_core::sorting;

/// Smallest number of pairs for which a rank correlation is computed.
const MIN_PAIRS: usize = 3;

/// Ranks of the values, from 1 for the smallest; equal values have the mean of their ranks.
fn compute_ranks(values: &[f64]) -> Vec<f64> {
    let order = sorting::argsort(values.len(), &|a, b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for ties in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let mean = start as f64 + (ties.len() + 1) as f64 / 2.0;
        ties.iter().for_each(|at| ranks[*at] = mean);
        start += ties.len();
    }
    ranks
}

/// Spearman's rank correlation of the pairs (Spearman 1904): the correlation of the ranks of the first numbers with the ranks
/// of the second, from −1 to 1. Equal numbers have the mean of their ranks, and infinity is the largest number. `None` for
/// fewer than three pairs, and if all first or all second numbers are equal.
///
/// ```
/// use vivarium_plot::analysis::rank::rank_correlation;
/// assert_eq!(rank_correlation(&[(1.0, 9.0), (2.0, 5.0), (8.0, 4.0)]), Some(-1.0));
/// ```
pub fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < MIN_PAIRS {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    // Ranks have a mean of (N + 1)/2, with ties as without.
    let mean = (pairs.len() + 1) as f64 / 2.0;
    let [x, y] = [x, y].map(|values| compute_ranks(&values));
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let size = libm::sqrt(sum(&x, &x) * sum(&y, &y));
    (size > 0.0).then(|| sum(&x, &y) / size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    /// Without ties it is 1 − 6 Σ d² / (N (N² − 1)), where d is the difference of the two ranks.
    #[test]
    fn without_ties_it_is_the_formula_of_squared_differences() {
        for number in 0..20 {
            let stream = RandomStream::new(5, Purpose::Sample, number);
            let count = 3 + number;
            let mut pairs: Vec<(f64, f64)> = (0..count)
                .map(|i| (f64::from(stream.draw_normal(0, i)), f64::from(stream.draw_normal(1, i))))
                .collect();
            let rank = |value: f64, of: fn(&(f64, f64)) -> f64| {
                pairs.iter().filter(|pair| of(pair) <= value).count() as f64
            };
            let squares: f64 =
                pairs.iter().map(|(x, y)| (rank(*x, |pair| pair.0) - rank(*y, |pair| pair.1)).powi(2)).sum();
            let n = f64::from(count);
            let expected = 1.0 - 6.0 * squares / (n * (n * n - 1.0));
            let found = rank_correlation(&pairs).unwrap();
            assert!((found - expected).abs() < 1e-12, "{count}: {found} {expected}");
            // Only the order counts.
            pairs.iter_mut().for_each(|pair| pair.1 = pair.1.exp());
            assert_eq!(rank_correlation(&pairs), Some(found));
            pairs.iter_mut().for_each(|pair| pair.0 = -pair.0);
            assert!((rank_correlation(&pairs).unwrap() + found).abs() < 1e-12);
        }
    }

    /// The number is that of `scipy.stats.spearmanr([1, 2, 2, 3], [1, 3, 2, 4])`.
    #[test]
    fn ties_have_the_mean_of_their_ranks() {
        assert_eq!(compute_ranks(&[2.0, 1.0, 2.0, f64::INFINITY, f64::INFINITY]), [2.5, 1.0, 2.5, 4.5, 4.5]);
        let found = rank_correlation(&[(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (3.0, 4.0)]).unwrap();
        assert!((found - 0.948_683_298_050_513_8).abs() < 1e-12, "{found}");
    }

    #[test]
    fn some_lists_have_no_rank_correlation() {
        assert_eq!(rank_correlation(&[]), None);
        assert_eq!(rank_correlation(&[(1.0, 2.0), (2.0, 3.0)]), None);
        assert_eq!(rank_correlation(&[(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)]), None);
    }
}
