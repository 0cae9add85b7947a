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
}
