//! First-layer weights as a heat map, with the relevant coordinates marked.

use super::Heatmap;

/// Heat map of the first-layer weights `[inputs, width]` of one replica, with the rows of the relevant inputs marked;
/// empty if the length does not match.
pub fn first_layer_heatmap(weights: &[f32], inputs: usize, width: usize, relevant: &[usize]) -> Heatmap {
    let fits = weights.len() == inputs * width;
    Heatmap {
        title: tr!("First-layer weights W").into(),
        x_label: tr!("neuron").into(),
        y_label: tr!("input bit").into(),
        rows: if fits { inputs } else { 0 },
        columns: if fits { width } else { 0 },
        values: if fits { weights.to_vec() } else { vec![] },
        marked_rows: relevant.to_vec(),
        ..Default::default()
    }
}

/// Largest absolute first-layer weight of `weights`, `[inputs, width]`, as a pair (on relevant inputs, on other
/// inputs); `relevant` has the indices, from 0, of the relevant inputs. 0 for no inputs.
pub fn max_weights(weights: &[f32], inputs: usize, width: usize, relevant: &[usize]) -> (f32, f32) {
    let largest = |keep: bool| {
        (0..inputs)
            .filter(|i| relevant.contains(i) == keep)
            .flat_map(|i| weights.iter().skip(i * width).take(width))
            .fold(0.0f32, |m, w| m.max(w.abs()))
    };
    (largest(true), largest(false))
}

/// Whether the relevant inputs are exactly those with the largest first-layer weights: for each input the largest absolute
/// weight over the neurons counts, and it must be larger on each relevant input than on any other input. `weights` is
/// `[inputs, width]`, and `relevant` has the indices, from 0, of the relevant inputs. False if a weight is not a number.
pub fn are_largest_weights_relevant(weights: &[f32], width: usize, relevant: &[usize]) -> bool {
    let rows = weights.chunks_exact(width.max(1)).enumerate();
    let (mut inside, mut outside) = (f32::INFINITY, f32::NEG_INFINITY);
    for (i, row) in rows {
        let largest = row.iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
        match relevant.contains(&i) {
            true => inside = inside.min(largest),
            false => outside = outside.max(largest),
        }
    }
    inside > outside && weights.iter().all(|w| !w.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_inputs_and_marks_are_kept() {
        let grid = first_layer_heatmap(&[1.0, -2.0, 0.5, 0.0, 0.0, 3.0], 3, 2, &[2]);
        assert_eq!((grid.rows, grid.columns, grid.max_magnitude()), (3, 2, 3.0));
        assert_eq!(first_layer_heatmap(&[1.0], 3, 2, &[]).rows, 0);
        assert_eq!(max_weights(&[1.0, -2.0, 0.5, 0.0, 0.0, 3.0], 3, 2, &[2]), (3.0, 2.0));
    }

    /// Compared with the sorted order of the inputs, for every pair of relevant inputs.
    #[test]
    fn largest_weights_are_those_of_the_sorted_inputs() {
        let weights = [1.0f32, -2.0, 0.5, 0.0, 0.0, 3.0, -0.25, 0.25, 1.5, 1.25];
        let mut order: Vec<usize> = (0..5).collect();
        let largest = |i: usize| weights[2 * i].abs().max(weights[2 * i + 1].abs());
        order.sort_by(|a, b| largest(*b).total_cmp(&largest(*a)));
        for (a, b) in (0..5).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let expected = order[..2].contains(&a) && order[..2].contains(&b);
            assert_eq!(are_largest_weights_relevant(&weights, 2, &[a, b]), expected, "{a} {b}");
        }
        assert!(
            are_largest_weights_relevant(&weights, 2, &[2])
                && !are_largest_weights_relevant(&weights, 2, &[0])
        );
        assert!(!are_largest_weights_relevant(&[1.0, -1.0, 0.5], 1, &[0]), "a tie reveals nothing");
        for lost in [[f32::NAN, 1.0, 2.0, 0.1], [1.0, f32::NAN, 2.0, 0.1], [3.0, 1.0, f32::NAN, 0.1]] {
            assert!(!are_largest_weights_relevant(&lost, 2, &[0]), "{lost:?}");
        }
    }
}
