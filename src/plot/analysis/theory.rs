//! Charts of the theory of two gradient steps: v over distances, W, the gradient of v, and the growth of W's diagonal
//! (Edelman 2024, section 8.3.2, figures E.1 and E.2).
//!
//! Distances count from 0, where the thesis's v_j has j = distance + 1.

use super::{Heatmap, LineChart, Role, Series};

/// Maximum number of distances, from 0, in a chart of the vector v; v only decreases beyond.
pub const MAX_DISTANCES: usize = 24;

/// Line chart of the vector v of the minimal model (Edelman 2024, section 8.3), its weight of each distance to an
/// earlier symbol, after some training steps. Each v is divided by its largest entry, because v grows by a factor per
/// step.
///
/// `after` contains pairs of a step number and v after this step, from distance 0; the last pair is emphasised.
/// `trained` is v in a trained network, drawn on the same scale; `None` to leave it out.
pub fn lag_chart(after: &[(usize, &[f64])], trained: Option<&[f32]>) -> LineChart {
    let mut series: Vec<Series> = vec![];
    for (at, (step, v)) in after.iter().enumerate() {
        let role = match after.len() - 1 - at {
            0 => Role::Train,
            1 => Role::Relevant,
            _ => Role::Other,
        };
        let name = match step {
            0 => tr!("at the start").to_string(),
            1 => tr!("after 1 step").to_string(),
            steps => tr!("after {steps} steps", steps),
        };
        series.push(distance_series(name, role, &normalise(v)));
    }
    if let Some(trained) = trained {
        let wide: Vec<f64> = trained.iter().map(|v| f64::from(*v)).collect();
        let trained = Series {
            scatter: true,
            ..distance_series(tr!("trained network").into(), Role::Test, &normalise(&wide))
        };
        series.push(trained);
    }
    LineChart {
        title: tr!("Vector v predicted by theory").into(),
        x_label: tr!("distance").into(),
        y_label: tr!("v divided by its largest entry").into(),
        series,
        ..Default::default()
    }
}

/// Heat map of the matrix W of the minimal model (Edelman 2024, section 8.3) as theory predicts it after step `step`:
/// rows are current symbols, columns are earlier symbols.
pub fn kernel_heatmap(w: &[[f64; 2]; 2], step: usize) -> Heatmap {
    let names: Vec<String> = (0..2).map(|symbol| symbol.to_string()).collect();
    Heatmap {
        title: tr!("Matrix W predicted by theory, step {step}", step),
        x_label: tr!("earlier symbol").into(),
        y_label: tr!("current symbol").into(),
        rows: 2,
        columns: 2,
        values: w.as_flattened().iter().map(|w| *w as f32).collect(),
        row_names: names.clone(),
        column_names: names,
        ..Default::default()
    }
}

/// Line chart, over distances from 0, of two parts of minus the last step's gradient with respect to the vector v of
/// the minimal model (Edelman 2024, section 8.3), and of their sum: `uniform`, from the part of the matrix W that is
/// equal for all symbols, which falls with the square of the distance, and `diagonal`, from the larger diagonal of W.
pub fn gradient_parts_chart(uniform: &[f64], diagonal: &[f64]) -> LineChart {
    let sum: Vec<f64> = uniform.iter().zip(diagonal).map(|(u, d)| u + d).collect();
    LineChart {
        title: tr!("Parts of the gradient with respect to v").into(),
        x_label: tr!("distance").into(),
        y_label: tr!("minus the gradient with respect to v").into(),
        series: vec![
            distance_series(tr!("from the uniform part of W").into(), Role::Other, uniform),
            distance_series(tr!("from the diagonal of W").into(), Role::Relevant, diagonal),
            distance_series(tr!("sum of both parts").into(), Role::Train, &sum),
        ],
        ..Default::default()
    }
}

/// Line chart of `ratios`, the diagonal of the minimal model's matrix W (Edelman 2024, section 8.3) divided by its
/// other entries, after each step from 0; steps without a finite ratio are omitted.
pub fn diagonal_ratio_chart(ratios: &[f64]) -> LineChart {
    let drawn = ratios.iter().enumerate().filter(|(_, ratio)| ratio.is_finite());
    let (x, y) = drawn.map(|(step, ratio)| (step as f64, *ratio as f32)).unzip();
    LineChart {
        title: tr!("Diagonal of W divided by the rest of W").into(),
        x_label: tr!("step").into(),
        y_label: tr!("ratio").into(),
        x_range: Some((0.0, ratios.len().saturating_sub(1).max(1) as f64)),
        series: vec![Series {
            name: tr!("diagonal / other entries").into(),
            x,
            y,
            points: true,
            ..Default::default()
        }],
        reference_lines: vec![(1.0, tr!("equal entries").into())],
        ..Default::default()
    }
}

/// Curve of the first [`MAX_DISTANCES`] `values` over distances from 0.
fn distance_series(name: String, role: Role, values: &[f64]) -> Series {
    let shown = &values[..values.len().min(MAX_DISTANCES)];
    Series {
        name,
        role,
        x: (0..shown.len()).map(|d| d as f64).collect(),
        y: shown.iter().map(|v| *v as f32).collect(),
        points: true,
        ..Default::default()
    }
}

/// The values divided by the largest of their absolute values; unchanged if all are zero.
fn normalise(values: &[f64]) -> Vec<f64> {
    let most = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let by = if most > 0.0 { 1.0 / most } else { 1.0 };
    values.iter().map(|v| v * by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Reading;
    use vivarium_science::markov::theory::TheorySettings;

    #[test]
    fn the_lemma_is_drawn() {
        let outcome = TheorySettings::default().compute();
        let after: Vec<(usize, &[f64])> =
            outcome.models.iter().enumerate().map(|(step, theory)| (step, &theory.v[..])).collect();
        let trained: Vec<f32> = outcome.last_model().v.iter().map(|v| -3.0 * *v as f32).collect();
        let lines = lag_chart(&after, Some(&trained));
        let names: Vec<&str> = lines.series.iter().map(|series| &series.name[..]).collect();
        assert_eq!(names, ["at the start", "after 1 step", "after 2 steps", "trained network"]);
        assert!(lines.series.iter().all(|series| series.y.len() == MAX_DISTANCES && series.x[0] == 0.0));
        let [start, first, second, trained] = &lines.series[..] else { panic!("{}", lines.series.len()) };
        assert!(start.y.iter().all(|v| *v == 1.0));
        assert!(first.y[0] == 1.0 && first.y.is_sorted_by(|a, b| a > b));
        assert!(second.y[1] == 1.0 && (second.y[0] - 0.03489 / 0.03591).abs() < 3e-4);
        assert!(trained.y.iter().zip(&second.y).all(|(t, s)| (t + s).abs() < 1e-6));
        assert_eq!((trained.role, trained.scatter, second.role), (Role::Test, true, Role::Train));

        let grid = kernel_heatmap(&outcome.models[1].w, 1);
        assert_eq!(grid.title, "Matrix W predicted by theory, step 1");
        assert!((grid.values[0] - 0.06902).abs() < 1e-5 && (grid.values[1] - 0.03098).abs() < 1e-5);
        assert_eq!((grid.values[0], grid.values[1]), (grid.values[3], grid.values[2]));

        let lines = gradient_parts_chart(&outcome.uniform_lag_gradient, &outcome.diagonal_lag_gradient);
        let [uniform, diagonal, both] = &lines.series[..] else { panic!("{}", lines.series.len()) };
        assert!(uniform.y.is_sorted_by(|a, b| a > b), "falls with the distance");
        assert!((1..8).all(|d| (diagonal.y[d] > diagonal.y[d - 1]) == (d % 2 == 1)), "goes up and down");
        assert!((both.y[3] - uniform.y[3] - diagonal.y[3]).abs() < 1e-6);
    }

    #[test]
    fn the_last_two_steps_stand_out() {
        let v = &[1.0, 0.5][..];
        let lines = lag_chart(&[(0, v), (1, v), (2, v), (3, v)], Some(&[1.0, 0.5]));
        let roles: Vec<Role> = lines.series.iter().map(|series| series.role).collect();
        assert_eq!(roles, [Role::Other, Role::Other, Role::Relevant, Role::Train, Role::Test]);
        assert_eq!(lag_chart(&[(0, v)], None).series[0].role, Role::Train);
    }

    #[test]
    fn ratios_begin_at_one_and_what_is_none_is_left_out() {
        let outcome = TheorySettings { steps: 30, ..TheorySettings::default() }.compute();
        let lines = diagonal_ratio_chart(&outcome.diagonal_ratios());
        assert_eq!((lines.series[0].y.len(), lines.series[0].y[0]), (31, 1.0));
        assert!((lines.series[0].y[1] - 2.228).abs() < 1e-3);
        assert!(lines.series[0].y[30] < 4.915);
        let lines = diagonal_ratio_chart(&[f64::NAN, 4.46, f64::INFINITY]);
        assert_eq!((&lines.series[0].x[..], &lines.series[0].y[..]), (&[1.0][..], &[4.46f32][..]));
        assert_eq!(lines.x_range, Some((0.0, 2.0)));
        assert_eq!(Reading::Lines(lines).title(), "Diagonal of W divided by the rest of W");
    }

    #[test]
    fn vectors_of_zeros_and_short_ones_are_drawn_as_they_are() {
        let lines = lag_chart(&[(0, &[0.0, 0.0]), (5, &[1.0, -2.0])], None);
        assert_eq!(lines.series[0].y, [0.0, 0.0]);
        assert_eq!(lines.series[1].y, [0.5, -1.0]);
        assert_eq!(lines.series[1].name, "after 5 steps");
    }
}
