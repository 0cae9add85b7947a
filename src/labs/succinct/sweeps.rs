//! Charts of sweeps over the size of a problem: the running time, and how much is learned.

use vivarium_core::settings::SweepAxis;
use vivarium_plot::analysis::LineChart;
use vivarium_plot::analysis::ends::{self, SweepCurve};
use vivarium_science::succinct::LearningMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{final_error_curves, final_measure_curves};
use vivarium_view::display::words::setting_label;

/// Key of the swept setting if it is the number of inputs or examples, the label noise or the number of validation
/// queries; else `None`.
pub(super) fn swept_setting(run: &RunView) -> Option<&str> {
    let SweepAxis { key, values, .. } = &run.link.spec.run.sweep;
    (["inputs", "examples", "flips", "valid"].contains(&key.as_str()) && !values.is_empty()).then_some(key)
}

/// Curves of the sweep so far: for each swept value, the median number of layers until the program halts, of each
/// network.
pub(super) fn time_curves(run: &RunView) -> Vec<SweepCurve> {
    final_measure_curves(run, LearningMetric::MedianTime as usize)
}

/// Curves of the sweep so far: for each swept value, the accuracy on test inputs of each network.
pub(super) fn accuracy_curves(run: &RunView) -> Vec<SweepCurve> {
    let mut curves = final_error_curves(run);
    let values = curves.iter_mut().flat_map(|(_, points)| points).flat_map(|(_, values)| values);
    values.for_each(|error| *error = 1.0 - *error);
    curves
}

/// Exponent of the power law fitted to the medians over networks of a curve of layers until the program halts, against
/// the swept problem size, by least squares of the logarithms; `None` with fewer than two different sizes, or with a
/// number that is not positive.
pub(super) fn fit_exponent((_, points): &SweepCurve) -> Option<f64> {
    let point = |(x, values): &(f64, Vec<f32>)| Some((*x, f64::from(ends::quartiles(values)?[1])));
    let points: Vec<(f64, f64)> = points.iter().filter_map(point).collect();
    Some(ends::fit_power_law(&points)?.1)
}

/// Chart of the sweep curves `curves` against the swept setting, with an x-axis that covers all swept values.
fn draw_curves(run: &RunView, curves: &[SweepCurve], y_label: &str) -> LineChart {
    let mut lines =
        ends::chart(curves, &setting_label(&run.link.spec, swept_setting(run).unwrap_or("inputs")), y_label);
    let places = vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!places.is_empty()).then_some(ends);
    lines
}

/// Draws the median number of layers until the program halts against the swept setting, on logarithmic axes.
pub(super) fn draw_time_by_size(run: &RunView) -> LineChart {
    let mut lines = draw_curves(run, &time_curves(run), tr!("number of layers until the program halts"));
    (lines.log_x, lines.log_y) = (true, true);
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((10.0, 10_000.0));
    }
    lines
}

/// Draws the accuracy on test inputs against the swept setting.
pub(super) fn draw_accuracy(run: &RunView) -> LineChart {
    let mut lines = draw_curves(run, &accuracy_curves(run), tr!("share of test inputs answered correctly"));
    lines.y_range = Some((0.0, 1.0));
    lines.reference_lines.push((0.5, tr!("guessing").into()));
    lines
}
