//! The chart of sweeps over the depth: the smallest norm found at the end of each run, with exact margins and bounds.

use vivarium_core::settings::SweepAxis;
use vivarium_model::tasks::TaskData;
use vivarium_plot::analysis::ends::{self, SweepCurve};
use vivarium_plot::analysis::{LineChart, Role, Series};
use vivarium_science::circuits::{
    CircuitKind, CircuitMetric, first_order_margin, rounded_toy_margin, toy_margin,
};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_measure_curves;
use vivarium_view::display::words::setting_label;

/// The link key of the swept setting if it is the circuit's depth ("levels") or its number of bits ("n"); none for
/// other sweeps and single runs.
pub(super) fn swept_key(run: &RunView) -> Option<&str> {
    let SweepAxis { key, values, .. } = &run.link.spec.run.sweep;
    (["levels", "n"].contains(&key.as_str()) && !values.is_empty()).then_some(key)
}

/// Values of a circuit metric at the last step of each finished run of the sweep, by value of the swept setting; one
/// curve per value of the second swept setting.
pub(super) fn final_metric_curves(run: &RunView, metric: CircuitMetric) -> Vec<SweepCurve> {
    final_measure_curves(run, metric as usize)
}

/// Whether the run's circuit is the product of weights, the example in section 3 of Wei, Chen and Ma 2022 for which the
/// exact margin is known.
pub(super) fn is_weight_product(run: &RunView) -> bool {
    matches!(run.spec().task.data(), TaskData::Circuit(drawn) if drawn.kind == CircuitKind::Toy)
}

/// The depths d at which curves of exact margins are drawn: increasing, about 8 % apart, within the swept range and at
/// most 400.
fn sample_depths(run: &RunView) -> Vec<usize> {
    let all = vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep);
    let [low, high] =
        [all.iter().fold(f64::MAX, |a, b| a.min(*b)), all.iter().fold(1.0, |a: f64, b| a.max(*b))];
    let mut depths = vec![];
    let mut depth = low.clamp(1.0, 400.0);
    while depth <= high.min(400.0) {
        depths.push(depth as usize);
        depth = f64::max(depth + 1.0, depth * 1.08).floor();
    }
    depths.push(high.min(400.0) as usize);
    depths.dedup();
    depths
}

/// The chart of the smallest perturbation norm ‖δ‖₂ found in each run, by depth or number of bits, on logarithmic axes:
/// for a product of weights by depth with exact margins, otherwise with lower bounds by the proof of theorem D.6 of
/// Wei, Chen and Ma 2022.
pub(super) fn draw_by_depth(run: &RunView) -> LineChart {
    let found = final_metric_curves(run, CircuitMetric::LeastNorm);
    let mut lines = ends::chart(
        &found,
        &setting_label(&run.link.spec, swept_key(run).unwrap_or("levels")),
        tr!("smallest norm found, ‖δ‖₂"),
    );
    (lines.log_x, lines.log_y) = (true, true);
    let depths = sample_depths(run);
    let known = |name: &str, role: Role, of: &dyn Fn(usize) -> Option<f64>| {
        let places: Vec<(f64, f32)> =
            depths.iter().filter_map(|depth| Some((*depth as f64, of(*depth)? as f32))).collect();
        Series {
            name: name.into(),
            role,
            x: places.iter().map(|(x, _)| *x).collect(),
            y: places.iter().map(|(_, y)| *y).collect(),
            ..Default::default()
        }
    };
    if is_weight_product(run) && swept_key(run) == Some("levels") {
        let without =
            known(tr!("exact margin without rounding, √d(1 − 2^(−1/d))"), Role::Relevant, &|depth| {
                toy_margin(depth).ok()
            });
        let with =
            known(tr!("exact margin with rounding"), Role::Other, &|depth| rounded_toy_margin(depth).ok());
        lines.series.extend([without, with]);
        if depths.last().is_some_and(|depth| *depth > 1) {
            let first =
                known(tr!("first-order approximation of the margin with rounding"), Role::Other, &|depth| {
                    first_order_margin(depth).ok()
                });
            lines.series.push(Series { faint: true, ..first });
        }
    } else {
        for (name, points) in final_metric_curves(run, CircuitMetric::ProofBound) {
            let points: Vec<(f64, f32)> =
                points.iter().filter_map(|(x, values)| Some((*x, ends::quartiles(values)?[1]))).collect();
            if !points.is_empty() {
                lines.series.push(Series {
                    name: tr!("{name}: bound by the proof of D.6 (rounding parameters fixed)", name),
                    role: Role::Other,
                    x: points.iter().map(|(x, _)| *x).collect(),
                    y: points.iter().map(|(_, y)| *y).collect(),
                    ..Default::default()
                });
            }
        }
    }
    let all = vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep);
    let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!all.is_empty()).then_some(ends);
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((0.01, 1.0));
    }
    lines
}
