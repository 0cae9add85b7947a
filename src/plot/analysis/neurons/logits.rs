//! Whether all margins, and all wrong logits, are equal, as in networks of largest margin.
//!
//! ```text
//! f(a, b)[c] = F(a, b) + γ · 1[c = ab]
//! ```
//!
//! (Edelman 2024, lemma 7.6 and the proofs of theorems 7.7 and 7.9: every pair has the same margin, and for Z_p and
//! groups under theorem 7.9 every wrong class has the same logit).

use crate::analysis::Heatmap;
use vivarium_core::math::mean_and_variance;

/// How equal the margins of all pairs are, and how equal the wrong logits of each pair are. Pairs are inputs of a
/// network on pairs of group elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogitEquality {
    /// Mean margin over pairs; the margin is the right logit minus the largest wrong one.
    pub mean_margin: f64,
    /// Standard deviation over pairs of the margin, the right logit minus the largest wrong one, divided by the
    /// absolute mean margin.
    pub margin_spread: f64,
    /// Root mean square over pairs of the standard deviation of the wrong logits of a pair, divided by the absolute
    /// mean margin.
    pub wrong_spread: f64,
}

/// Measures logits `[pairs, classes]` against the right class of each pair; `None` with no pairs, fewer than two
/// classes, shapes that do not match, values that are not finite, or a mean margin of zero.
pub fn measure_equality(logits: &[f32], labels: &[usize], classes: usize) -> Option<LogitEquality> {
    if classes < 2 || labels.is_empty() || labels.len().checked_mul(classes) != Some(logits.len()) {
        return None;
    }
    let (mut margins, mut variances) = (vec![], vec![]);
    for (row, label) in logits.chunks_exact(classes).zip(labels) {
        let right = f64::from(*row.get(*label)?);
        let wrong = row.iter().enumerate().filter(|(c, _)| c != label).map(|(_, logit)| f64::from(*logit));
        let wrong: Vec<f64> = wrong.collect();
        margins.push(right - wrong.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        variances.push(mean_and_variance(wrong.iter().copied()).1);
    }
    let (mean_margin, margin_variance) = mean_and_variance(margins.iter().copied());
    let wrong_variance = variances.iter().sum::<f64>() / variances.len() as f64;
    let share = |variance: f64| libm::sqrt(variance) / mean_margin.abs();
    let (margin_spread, wrong_spread) = (share(margin_variance), share(wrong_variance));
    (margin_spread.is_finite() && wrong_spread.is_finite()).then_some(LogitEquality {
        mean_margin,
        margin_spread,
        wrong_spread,
    })
}

/// A fixed sample of at most `max_pairs` different pairs (a, b) of elements of a group of this order, evenly spread
/// over both elements.
pub fn sample_pairs(order: usize, max_pairs: usize) -> Vec<(usize, usize)> {
    let count = max_pairs.min(order.saturating_mul(order));
    // The golden section of the order: neighbouring rows have second elements far apart. Rows that share their first
    // element follow each other, and differ in the second as long as the step has no divisor in common with the order.
    let divides = |step: usize| (2..=step).any(|d| step.is_multiple_of(d) && order.is_multiple_of(d));
    let golden = (order as f64 * 0.618) as usize;
    let step = (golden.max(1)..order).find(|step| !divides(*step)).unwrap_or(1);
    (0..count).map(|t| (t * order / count, t * step % order)).collect()
}

/// Heat map of each logit minus the right logit, for some pairs of group elements (rows, named `pairs`) and classes
/// (columns, named `elements`), from `logits`, `[pairs, classes]`, and the right class of each pair in `labels`. In
/// max-margin networks it is zero at the right class and one negative number elsewhere. Empty if the shapes do not
/// match.
pub fn wrong_logit_heatmap(
    logits: &[f32],
    labels: &[usize],
    classes: usize,
    pairs: &[String],
    elements: &[String],
) -> Heatmap {
    let rows = logits.chunks_exact(classes.max(1)).zip(labels);
    let differences = |(row, label): (&[f32], &usize)| {
        let right = row.get(*label).copied().unwrap_or(f32::NAN);
        row.iter().map(move |logit| logit - right).collect::<Vec<f32>>()
    };
    let fits = classes > 0 && labels.len().checked_mul(classes) == Some(logits.len());
    Heatmap {
        title: tr!("Logits minus the logit of the right class").into(),
        x_label: tr!("class c").into(),
        y_label: tr!("pair (a, b)").into(),
        rows: if fits { labels.len() } else { 0 },
        columns: if fits { classes } else { 0 },
        values: if fits { rows.flat_map(differences).collect() } else { vec![] },
        row_names: pairs.to_vec(),
        column_names: elements.to_vec(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_by_hand() {
        // Margins 3 and 5; wrong logits (0, 2) and (1, 1).
        let found = measure_equality(&[5.0, 0.0, 2.0, 1.0, 1.0, 6.0], &[0, 2], 3).unwrap();
        assert_eq!((found.mean_margin, found.margin_spread), (4.0, 0.25));
        assert!((found.wrong_spread - 0.5f64.sqrt() / 4.0).abs() < 1e-12);
        // What is added to all logits of a pair changes nothing.
        assert_eq!(measure_equality(&[15.0, 10.0, 12.0, -1.0, -1.0, 4.0], &[0, 2], 3), Some(found));
    }

    #[test]
    fn what_is_no_table_of_logits_has_no_equality() {
        for (logits, labels, classes) in [
            (&[][..], &[][..], 2),
            (&[1.0, 2.0, 3.0], &[0], 2),
            (&[1.0, 2.0], &[2], 2),
            (&[1.0], &[0], 1),
            (&[1.0, 1.0], &[0], 2),
            (&[f32::NAN, 1.0], &[0], 2),
        ] {
            assert_eq!(measure_equality(logits, labels, classes), None, "{logits:?}");
        }
    }

    #[test]
    fn differences_are_to_the_right_class() {
        let names = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        let grid = wrong_logit_heatmap(&[5.0, 0.0, 2.0, 1.0, 1.0, 6.0], &[0, 2], 3, &names(2), &names(3));
        assert_eq!((grid.rows, grid.columns), (2, 3));
        assert_eq!(grid.values, [0.0, -5.0, -3.0, -5.0, -5.0, 0.0]);
        assert_eq!(wrong_logit_heatmap(&[1.0; 5], &[0], 3, &[], &[]).rows, 0);
    }

    #[test]
    fn sampled_pairs_are_spread_and_differ() {
        for (order, wanted) in [(23, 12), (6, 100), (24, 40), (120, 200), (1, 3), (2, 3)] {
            let pairs = sample_pairs(order, wanted);
            assert_eq!(pairs.len(), wanted.min(order * order));
            assert!(pairs.iter().all(|(a, b)| *a < order && *b < order));
            let mut different = pairs.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), pairs.len(), "{order}, {wanted}");
        }
        let seconds: std::collections::BTreeSet<usize> = sample_pairs(23, 12).iter().map(|p| p.1).collect();
        assert_eq!(seconds.len(), 12);
        assert!(sample_pairs(0, 4).is_empty());
    }
}
