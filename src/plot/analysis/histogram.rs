//! Histograms: numbers counted in bins of equal width, drawn as stairs.

use super::Series;

/// Number of values in each of `bins` bins of equal width between `low` and `high`. Values outside count in the first or
/// the last bin, and NaN is ignored.
pub(super) fn count_bins(
    values: impl Iterator<Item = f64>,
    (low, high): (f64, f64),
    bins: usize,
) -> Vec<usize> {
    let width = (high - low) / bins as f64;
    let mut counts = vec![0; bins];
    for value in values.filter(|value| !value.is_nan()) {
        counts[(((value - low) / width).max(0.0) as usize).min(bins - 1)] += 1;
    }
    counts
}

/// Stairs with one step for each of `heights`, all of the same width, between `low` and `high`.
pub(super) fn draw_stairs((low, high): (f64, f64), heights: Vec<f32>) -> Series {
    let width = (high - low) / heights.len() as f64;
    Series {
        x: (0..=heights.len()).map(|edge| low + edge as f64 * width).collect(),
        y: heights,
        stairs: true,
        ..Series::default()
    }
}
