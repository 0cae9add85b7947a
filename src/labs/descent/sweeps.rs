//! Charts of sweeps: how far the tokens end from direct descent, by the straight lines M and by the band δ.

use vivarium_core::settings::Axis;
use vivarium_plot::analysis::ends::{self, Curve, power};
use vivarium_plot::analysis::{Lines, Role, Series};
use vivarium_science::descent::ComparisonMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_measures;
use vivarium_view::display::words::label;

/// Whether the link is a sweep over this setting.
pub(super) fn is_over(run: &RunView, key: &str) -> bool {
    let Axis { key: own, values, .. } = &run.link.spec.run.sweep;
    own == key && !values.is_empty()
}

/// The curves of the sweep so far: at each value the median distance at the end.
pub(super) fn distances(run: &RunView) -> Vec<Curve> {
    final_measures(run, ComparisonMeasure::Distance as usize)
}

/// The points of a curve that have a place on logarithmic axes.
fn places((_, points): &Curve) -> Vec<(f64, f64)> {
    let middle = |values: &[f32]| ends::quartiles(values).map(|[_, middle, _]| f64::from(middle));
    let known = points.iter().filter_map(|(x, values)| Some((*x, middle(values)?)));
    known.filter(|(x, y)| *x > 0.0 && *y > 0.0).collect()
}

/// The exponent of a curve's power law.
pub(super) fn exponent(curve: &Curve) -> Option<f64> {
    power(&places(curve)).map(|(_, exponent)| exponent)
}

/// "−2.04".
pub(super) fn shown(exponent: f64) -> String {
    format!("{exponent:.2}").replace('-', "−")
}

/// A power law through the first and the last of these places, at the height that the curve has on average.
fn law(name: String, role: Role, places: &[(f64, f64)], exponent: f64) -> Option<Series> {
    // One place has no power.
    let [first, .., last] = places else { return None };
    let levels = places.iter().map(|(x, y)| libm::log(*y) - exponent * libm::log(*x));
    let level = levels.sum::<f64>() / places.len().max(1) as f64;
    let ends = [first.0, last.0];
    let y = ends.map(|x| libm::exp(level + exponent * libm::log(x)) as f32);
    Some(Series { name, role, x: ends.to_vec(), y: y.to_vec(), ..Default::default() })
}

/// Distances at the end on logarithmic axes, with a fitted power and the power `wanted` of theory.
fn chart(run: &RunView, key: &str, wanted: f64) -> Lines {
    let curves = distances(run);
    let mut lines =
        ends::chart(&curves, &label(&run.link.spec, key), tr!("final distance ‖w_tokens − w_descent‖₂"));
    (lines.log_x, lines.log_y) = (true, true);
    for curve in &curves {
        let places = places(curve);
        let Some(found) = exponent(curve) else { continue };
        let fitted = match curves.len() {
            1 => tr!("fitted power law, exponent {exponent}", exponent = shown(found)),
            _ => {
                tr!("{name}: fitted power law, exponent {exponent}", name = curve.0, exponent = shown(found))
            }
        };
        lines.series.extend(law(fitted, Role::Other, &places, found));
    }
    if let [only] = curves.as_slice() {
        let name = tr!("power law with exponent {exponent}", exponent = shown(wanted));
        lines.series.extend(law(name, Role::Relevant, &places(only), wanted));
    }
    let all = vivarium_model::sweep::places(&run.link.spec.run.sweep);
    let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!all.is_empty()).then_some(ends);
    if curves.iter().all(|(_, points)| points.is_empty()) {
        lines.y_range = Some((1e-4, 1.0));
    }
    lines
}

/// By the straight lines M of a smooth activation.
pub(super) fn knots(run: &RunView) -> Lines {
    chart(run, "knots", -2.0)
}

/// By the band δ of a ReLU.
pub(super) fn band(run: &RunView) -> Lines {
    chart(run, "delta", 1.0)
}
