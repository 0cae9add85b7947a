//! Lottery tickets: the neurons that a wide layer ends with, and what they began with.
//!
//! Frankle and Carbin 2018; for sparse parities Edelman 2024, appendix C.3.2 and figure C.2: of a wide network whose
//! rows begin with a few ones the neurons of largest norm at the end are kept, put back to the weights that they began
//! with, and trained again alone. What they were lucky with can be counted: how many of their ones lie on bits that
//! matter.

use super::Bars;
use vivarium_core::math::binomial;
use vivarium_core::sorting;

/// Neurons that are drawn at most.
pub const DRAWN: usize = 24;

/// ‖w_j‖₂ of every neuron.
///
/// # Shapes
/// `weights` is `[inputs, width]`.
pub fn norms(weights: &[f32], width: usize) -> Vec<f32> {
    let mut squares = vec![0.0f32; width];
    for row in weights.chunks_exact(width.max(1)) {
        squares.iter_mut().zip(row).for_each(|(sum, w)| *sum += w * w);
    }
    squares.into_iter().map(f32::sqrt).collect()
}

/// The `count` neurons of largest norm, from 0, the largest first; of equal ones the first.
///
/// # Shapes
/// As in [`norms`].
pub fn strongest(weights: &[f32], width: usize, count: usize) -> Vec<usize> {
    let norms = norms(weights, width);
    let mut order = sorting::places(width, &|a, b| norms[b].total_cmp(&norms[a]));
    order.truncate(count);
    order
}

/// How many of the relevant bits each neuron's row holds, where rows are a few ones.
///
/// # Shapes
/// `rows` is `[inputs, width]`.
pub fn luck(rows: &[f32], width: usize, relevant: &[usize]) -> Vec<usize> {
    let holds = |i: &&usize, j: usize| rows.get(**i * width + j).is_some_and(|w| *w == 1.0);
    (0..width).map(|j| relevant.iter().filter(|i| holds(i, j)).count()).collect()
}

/// Whether the bits along which the first neuron has moved farthest are the relevant ones, all of them. Where its row
/// is a few ones and ε, the ones are known before and count for nothing.
///
/// # Shapes
/// As in [`norms`].
pub fn revealed(before: &[f32], now: &[f32], width: usize, relevant: &[usize]) -> bool {
    let moved = |i: usize| (now[i * width] - before[i * width]).abs();
    let inputs = before.len() / width.max(1);
    let begun = |i: &usize| before[i * width];
    let is_known = |i: &usize| begun(i) == 1.0 && (0..inputs).all(|i| begun(&i) > 0.0);
    let least = relevant.iter().filter(|i| !is_known(i)).map(|i| moved(*i)).fold(f32::INFINITY, f32::min);
    (0..inputs).filter(|i| !relevant.contains(i) && !is_known(i)).all(|i| moved(i) < least)
}

/// The chance that a row of `s` ones on `n` bits holds exactly `held` of `k` relevant ones: C(k,held)·C(n−k,s−held) /
/// C(n,s).
pub fn chance_of(n: usize, k: usize, s: usize, held: usize) -> f64 {
    if held > s || s > n || k > n {
        return 0.0;
    }
    binomial(k, held) * binomial(n - k, s - held) / binomial(n, s)
}

/// The strongest neurons by their norm now, those pointed at that began with a relevant bit, and over them how many
/// relevant bits each began with.
///
/// # Shapes
/// `now` and `rows` are `[inputs, width]`; neuron j is called `names[j]`.
pub fn chart(now: &[f32], rows: &[f32], names: &[usize], relevant: &[usize]) -> Bars {
    let width = names.len();
    let (norms, luck) = (norms(now, width), luck(rows, width, relevant));
    let shown = strongest(now, width, DRAWN);
    let begun = shown.iter().enumerate().filter(|(_, j)| luck[**j] > 0);
    Bars {
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
    use vivarium_core::rng::{Purpose, Stream};

    #[test]
    fn the_strongest_come_first_and_their_luck_is_counted() {
        // Three inputs, four neurons.
        let now = [0.1, -3.0, 0.0, 2.0, 0.2, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0];
        let rows = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        assert_eq!(strongest(&now, 4, 3), [1, 3, 0]);
        assert_eq!(luck(&rows, 4, &[0, 1]), [1, 2, 1, 1]);
        let bars = chart(&now, &rows, &[7, 8, 9, 12], &[0]);
        let names: Vec<&str> = bars.bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(names, ["8", "12", "7", "9"]);
        assert_eq!((bars.overlay, bars.marked), (vec![1.0, 0.0, 1.0, 0.0], vec![0, 2]));
        assert_eq!(bars.bars[0].1, 3.0);
    }

    #[test]
    fn bits_are_revealed_where_all_of_them_moved_farther_than_any_other() {
        let (before, now) = ([0.0, 9.0, 1.0, 9.0, 0.5, 9.0], [0.3, 0.0, 0.6, 0.0, 0.4, 0.0]);
        let found = [&[0usize, 1][..], &[0, 2], &[1]].map(|relevant| revealed(&before, &now, 2, relevant));
        assert_eq!(found, [true, false, true]);
        // One one and ε: its own bit may stay where it is.
        let (before, now) = ([1.0, 0.1, 0.1, 0.1], [1.0, 0.4, 0.1, 0.2]);
        assert!(revealed(&before, &now, 1, &[0, 1]) && !revealed(&before, &now, 1, &[0, 2]));
    }

    #[test]
    fn chances_are_those_of_drawn_rows() {
        let total: f64 = (0..=2).map(|held| chance_of(30, 4, 2, held)).sum();
        assert!((total - 1.0).abs() < 1e-12);
        // A random pair holds 2·4/30 of them on average.
        let mean: f64 = (0..=2).map(|held| held as f64 * chance_of(30, 4, 2, held)).sum();
        assert!((mean - 8.0 / 30.0).abs() < 1e-12);
        let mut counts = [0u32; 3];
        for replica in 0..20_000 {
            let row = Stream::new(1, Purpose::Weights, replica).subset(30, 2);
            counts[row.iter().filter(|i| **i < 4).count()] += 1;
        }
        for (held, count) in counts.iter().enumerate() {
            let expected = 20_000.0 * chance_of(30, 4, 2, held);
            assert!((f64::from(*count) - expected).abs() < 4.0 * expected.sqrt(), "{held}: {count}");
        }
        assert_eq!(chance_of(30, 4, 2, 3), 0.0);
    }
}
