//! Lottery tickets: the neurons of largest final norm in a wide layer, and their initial weights.
//!
//! Frankle and Carbin 2018; for sparse parities Edelman 2024, appendix C.3.2 and figure C.2: of a wide network whose
//! rows begin with a few ones the neurons of largest norm at the end are kept, put back to the weights that they began
//! with, and trained again alone. What they were lucky with can be counted: how many of their ones lie on bits that
//! matter.

use super::BarChart;
use vivarium_core::math::binomial;
use vivarium_core::sorting;

/// Maximum number of neurons in a bar chart of neuron norms.
pub const MAX_NEURONS: usize = 24;

/// Euclidean norm of each neuron's first-layer weights.
///
/// # Shapes
/// `weights` is `[inputs, width]`.
pub fn neuron_norms(weights: &[f32], width: usize) -> Vec<f32> {
    let mut squares = vec![0.0f32; width];
    for row in weights.chunks_exact(width.max(1)) {
        squares.iter_mut().zip(row).for_each(|(sum, w)| *sum += w * w);
    }
    squares.into_iter().map(f32::sqrt).collect()
}

/// Indices, from 0, of the `count` neurons whose first-layer weights have the largest norm, in descending order of it;
/// at a tie the lower index comes first.
///
/// # Shapes
/// As in [`neuron_norms`].
pub fn largest_neurons(weights: &[f32], width: usize, count: usize) -> Vec<usize> {
    let norms = neuron_norms(weights, width);
    let mut order = sorting::argsort(width, &|a, b| norms[b].total_cmp(&norms[a]));
    order.truncate(count);
    order
}

/// For each neuron of a sparse initialisation, in which a few weights are one, the number of relevant bits, given by
/// their indices `relevant`, from 0, with initial weight one.
///
/// # Shapes
/// `rows` is `[inputs, width]`.
pub fn count_relevant_ones(rows: &[f32], width: usize, relevant: &[usize]) -> Vec<usize> {
    let holds = |i: &&usize, j: usize| rows.get(**i * width + j).is_some_and(|w| *w == 1.0);
    (0..width).map(|j| relevant.iter().filter(|i| holds(i, j)).count()).collect()
}

/// Whether the weights of the neuron with index 0 reveal the relevant bits, given by their indices `relevant`, from 0:
/// the weight of each has changed more from `before` to `now` than that of any other bit. If the weights before are a
/// few ones and otherwise a small positive constant, the bits with weight one are ignored.
///
/// # Shapes
/// As in [`neuron_norms`].
pub fn reveals_relevant_bits(before: &[f32], now: &[f32], width: usize, relevant: &[usize]) -> bool {
    let moved = |i: usize| (now[i * width] - before[i * width]).abs();
    let inputs = before.len() / width.max(1);
    let begun = |i: &usize| before[i * width];
    let is_known = |i: &usize| begun(i) == 1.0 && (0..inputs).all(|i| begun(&i) > 0.0);
    let least = relevant.iter().filter(|i| !is_known(i)).map(|i| moved(*i)).fold(f32::INFINITY, f32::min);
    (0..inputs).filter(|i| !relevant.contains(i) && !is_known(i)).all(|i| moved(i) < least)
}

/// Probability that a neuron with `s` weights of one at random places among `n` bits has exactly `overlap` of them on
/// the `k` relevant bits: C(k, overlap)·C(n−k, s−overlap) / C(n, s).
pub fn overlap_probability(n: usize, k: usize, s: usize, overlap: usize) -> f64 {
    if overlap > s || s > n || k > n {
        return 0.0;
    }
    binomial(k, overlap) * binomial(n - k, s - overlap) / binomial(n, s)
}

/// Bar chart of the [`MAX_NEURONS`] neurons whose weights have the largest current norm; neurons with initial weight 1
/// on some relevant bit are highlighted, and an overlay shows on how many relevant bits each had initial weight 1.
///
/// # Shapes
/// The current weights `now` and the initial weights `rows` are `[inputs, width]`; neuron j is called `names[j]`.
pub fn chart(now: &[f32], rows: &[f32], names: &[usize], relevant: &[usize]) -> BarChart {
    let width = names.len();
    let (norms, luck) = (neuron_norms(now, width), count_relevant_ones(rows, width, relevant));
    let shown = largest_neurons(now, width, MAX_NEURONS);
    let begun = shown.iter().enumerate().filter(|(_, j)| luck[**j] > 0);
    BarChart {
        x_label: tr!("neuron, sorted by norm (largest first)").into(),
        y_label: tr!("current norm of the weights").into(),
        bars: shown.iter().map(|j| (names[*j].to_string(), norms[*j])).collect(),
        marked: begun.map(|(at, _)| at).collect(),
        marked_name: "began with a relevant bit".into(),
        overlay: shown.iter().map(|j| luck[*j] as f32).collect(),
        overlay_name: tr!("number of relevant bits with initial weight 1").into(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    #[test]
    fn the_strongest_come_first_and_their_luck_is_counted() {
        // Three inputs, four neurons.
        let now = [0.1, -3.0, 0.0, 2.0, 0.2, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0];
        let rows = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        assert_eq!(largest_neurons(&now, 4, 3), [1, 3, 0]);
        assert_eq!(count_relevant_ones(&rows, 4, &[0, 1]), [1, 2, 1, 1]);
        let bars = chart(&now, &rows, &[7, 8, 9, 12], &[0]);
        let names: Vec<&str> = bars.bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(names, ["8", "12", "7", "9"]);
        assert_eq!((bars.overlay, bars.marked), (vec![1.0, 0.0, 1.0, 0.0], vec![0, 2]));
        assert_eq!(bars.bars[0].1, 3.0);
    }

    #[test]
    fn bits_are_revealed_where_all_of_them_moved_farther_than_any_other() {
        let (before, now) = ([0.0, 9.0, 1.0, 9.0, 0.5, 9.0], [0.3, 0.0, 0.6, 0.0, 0.4, 0.0]);
        let found = [&[0usize, 1][..], &[0, 2], &[1]]
            .map(|relevant| reveals_relevant_bits(&before, &now, 2, relevant));
        assert_eq!(found, [true, false, true]);
        // One one and ε: its own bit may stay where it is.
        let (before, now) = ([1.0, 0.1, 0.1, 0.1], [1.0, 0.4, 0.1, 0.2]);
        assert!(
            reveals_relevant_bits(&before, &now, 1, &[0, 1])
                && !reveals_relevant_bits(&before, &now, 1, &[0, 2])
        );
    }

    #[test]
    fn chances_are_those_of_drawn_rows() {
        let total: f64 = (0..=2).map(|held| overlap_probability(30, 4, 2, held)).sum();
        assert!((total - 1.0).abs() < 1e-12);
        // A random pair holds 2·4/30 of them on average.
        let mean: f64 = (0..=2).map(|held| held as f64 * overlap_probability(30, 4, 2, held)).sum();
        assert!((mean - 8.0 / 30.0).abs() < 1e-12);
        let mut counts = [0u32; 3];
        for replica in 0..20_000 {
            let row = RandomStream::new(1, Purpose::Weights, replica).draw_subset(30, 2);
            counts[row.iter().filter(|i| **i < 4).count()] += 1;
        }
        for (held, count) in counts.iter().enumerate() {
            let expected = 20_000.0 * overlap_probability(30, 4, 2, held);
            assert!((f64::from(*count) - expected).abs() < 4.0 * expected.sqrt(), "{held}: {count}");
        }
        assert_eq!(overlap_probability(30, 4, 2, 3), 0.0);
    }
}
