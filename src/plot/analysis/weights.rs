//! First-layer weights as a heatmap, with the coordinates that matter pointed at.

use super::Grid;

/// The weights `[inputs, width]` of one replica; row i is input coordinate i + 1.
///
/// # Errors
/// None; weights of another length give an empty grid.
pub fn first_layer(weights: &[f32], inputs: usize, width: usize, relevant: &[usize]) -> Grid {
    let fits = weights.len() == inputs * width;
    Grid {
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

/// Largest absolute weight on relevant and on other coordinates: the gap that opens before the loss falls.
pub fn reach(weights: &[f32], inputs: usize, width: usize, relevant: &[usize]) -> (f32, f32) {
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
        let grid = first_layer(&[1.0, -2.0, 0.5, 0.0, 0.0, 3.0], 3, 2, &[2]);
        assert_eq!((grid.rows, grid.columns, grid.limit()), (3, 2, 3.0));
        assert_eq!(first_layer(&[1.0], 3, 2, &[]).rows, 0);
        assert_eq!(reach(&[1.0, -2.0, 0.5, 0.0, 0.0, 3.0], 3, 2, &[2]), (3.0, 2.0));
    }
}
