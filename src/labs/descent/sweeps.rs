//! Charts of sweeps: the final distance between tokens and direct gradient descent, by the number M of line segments
//! and by the width δ of the band.

use vivarium_core::settings::SweepAxis;
use vivarium_plot::analysis::ends::{self, SweepCurve, fit_power_law};
use vivarium_plot::analysis::{LineChart, Role, Series};
use vivarium_science::descent::ComparisonMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_measure_curves;
use vivarium_view::display::words::setting_label;

/// Whether the link's run is a sweep over the setting with this link key.
pub(super) fn is_sweep_over(run: &RunView, key: &str) -> bool {
    let SweepAxis { key: own, values, .. } = &run.link.spec.run.sweep;
    own == key && !values.is_empty()
}

/// The distance between the weights in the tokens and those of direct gradient descent at the last step of each
/// finished run of the sweep, by value of the swept setting; one curve per value of the second swept setting.
pub(super) fn final_distance_curves(run: &RunView) -> Vec<SweepCurve> {
    final_measure_curves(run, ComparisonMeasure::Distance as usize)
}

/// The points (swept value, median over replicas) of a sweep's curve, without points that are 0 or negative, which
/// logarithmic axes cannot show.
fn positive_points((_, points): &SweepCurve) -> Vec<(f64, f64)> {
    let middle = |values: &[f32]| ends::quartiles(values).map(|[_, middle, _]| f64::from(middle));
    let known = points.iter().filter_map(|(x, values)| Some((*x, middle(values)?)));
    known.filter(|(x, y)| *x > 0.0 && *y > 0.0).collect()
}

/// The exponent b of the power law y = a·x^b fitted to a sweep's curve, where x is the swept value and y the median
/// over replicas of the final distance from direct gradient descent; none with fewer than two points.
pub(super) fn fit_exponent(curve: &SweepCurve) -> Option<f64> {
    fit_power_law(&positive_points(curve)).map(|(_, exponent)| exponent)
}

/// The exponent of a power law with two decimals: "−2.04".
pub(super) fn format_exponent(exponent: f64) -> String {
    format!("{exponent:.2}").replace('-', "−")
}

/// The line of a power law with this exponent over the x range of these points, at their mean height on logarithmic
/// axes; none with fewer than two points.
fn power_law_series(name: String, role: Role, points: &[(f64, f64)], exponent: f64) -> Option<Series> {
    // One place has no power.
    let [first, .., last] = points else { return None };
    let levels = points.iter().map(|(x, y)| libm::log(*y) - exponent * libm::log(*x));
    let level = levels.sum::<f64>() / points.len().max(1) as f64;
    let ends = [first.0, last.0];
    let y = ends.map(|x| libm::exp(level + exponent * libm::log(x)) as f32);
    Some(Series { name, role, x: ends.to_vec(), y: y.to_vec(), ..Default::default() })
}

/// Distances between the weights in the tokens and those of direct gradient descent at the end of the runs of a sweep
/// over the setting `key`, on logarithmic axes, with the fitted power law and one with the exponent `theory_exponent`.
fn draw_sweep(run: &RunView, key: &str, theory_exponent: f64) -> LineChart {
    let curves = final_distance_curves(run);
    let mut lines = ends::chart(
        &curves,
        &setting_label(&run.link.spec, key),
        tr!("final distance ‖w_tokens − w_descent‖₂"),
    );
    (lines.log_x, lines.log_y) = (true, true);
    for curve in &curves {
        let places = positive_points(curve);
        let Some(found) = fit_exponent(curve) else { continue };
        let fitted = match curves.len() {
            1 => tr!("fitted power law, exponent {exponent}", exponent = format_exponent(found)),
            _ => {
                tr!(
                    "{name}: fitted power law, exponent {exponent}",
                    name = curve.0,
                    exponent = format_exponent(found)
                )
            }
        };
        lines.series.extend(power_law_series(fitted, Role::Other, &places, found));
    }
    if let [only] = curves.as_slice() {
        let name = tr!("power law with exponent {exponent}", exponent = format_exponent(theory_exponent));
        lines.series.extend(power_law_series(name, Role::Relevant, &positive_points(only), theory_exponent));
    }
    let all = vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep);
    let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!all.is_empty()).then_some(ends);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        lines.y_range = Some((1e-4, 1.0));
    }
    lines
}

/// The chart of the final distance from direct gradient descent by the number M of line segments that approximate a
/// smooth activation, with a power law of exponent −2 to compare with.
pub(super) fn draw_by_knots(run: &RunView) -> LineChart {
    draw_sweep(run, "knots", -2.0)
}

/// The chart of the final distance from direct gradient descent by the width δ of the band 0 < z < δ of a ReLU's input
/// z in which the transformer computes a wrong derivative, with a power law of exponent 1 to compare with.
pub(super) fn draw_by_band(run: &RunView) -> LineChart {
    draw_sweep(run, "delta", 1.0)
}
