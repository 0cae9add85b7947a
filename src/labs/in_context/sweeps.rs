//! R² at the end of the runs of a sweep, for example by number of layers.

use super::baselines::{baseline_color, baseline_name};
use super::r2_series::{r2_axis_range, reference_lines, series_values};
use super::state::InContextState;
use vivarium_model::sweep::axis_positions;
use vivarium_plot::analysis::ends::{self, SweepCurve};
use vivarium_plot::analysis::{LineChart, Series};
use vivarium_science::functions::baselines::Baseline;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_error_curves;
use vivarium_view::display::words::setting_label;

/// R² at the last point of held-out prompts, at the end of each finished run of the sweep, by value of the swept
/// setting; one curve per value of the second swept setting.
pub(super) fn r2_curves(run: &RunView) -> Vec<SweepCurve> {
    let as_r2 = |(x, errors): (f64, Vec<f32>)| (x, errors.into_iter().map(|error| 1.0 - error).collect());
    let curve = |(name, points): SweepCurve| (name, points.into_iter().map(as_r2).collect());
    final_error_curves(run).into_iter().map(curve).collect()
}

/// The chart of R² at the last point of held-out prompts at the end of a sweep's runs, by the swept setting. The
/// baselines are reference lines; if a setting of the prompts is swept, at most the linear baseline is drawn, as a
/// curve.
pub(super) fn draw_r2_by_setting(run: &RunView) -> LineChart {
    let spec = &run.link.spec;
    let mut lines = ends::chart(&r2_curves(run), &setting_label(spec, &spec.run.sweep.key), tr!("R²"));
    let (low, high) = axis_positions(&spec.run.sweep)
        .iter()
        .fold((f64::INFINITY, 0.0), |(low, high), x| (x.min(low), x.max(high)));
    lines.x_range = (low < high).then_some((low, high));
    // Baselines are measured on the prompts of the current run. If a setting of the prompts is swept, they would apply
    // to that run alone, and the linear baseline is a curve instead.
    let is_of_prompts = |key: &str| spec.task.value(key).is_some();
    if ![&spec.run.sweep.key, &spec.run.series.key].into_iter().any(|key| is_of_prompts(key)) {
        lines.reference_lines =
            reference_lines(run).into_iter().map(|(r2, name)| (f64::from(r2), name)).collect();
    }
    if let Some((baseline, known)) = swept_regression(run) {
        let (role, tint) = baseline_color(baseline);
        let (x, y) = known.iter().copied().unzip();
        lines.series.push(Series {
            name: baseline_name(baseline).into(),
            role,
            muted_colour: tint,
            x,
            y,
            points: true,
            ..Default::default()
        });
    }
    for series in &mut lines.series {
        series.is_clipped = true;
    }
    lines.y_range = Some(r2_axis_range(series_values(&lines.series)));
    lines
}

/// The linear baseline of a sweep over a setting of the prompts, and its pairs (value of the setting, R² at the last
/// point of a prompt) measured so far; none before the first one.
pub(super) fn swept_regression(run: &RunView) -> Option<(Baseline, &[(f64, f32)])> {
    let across = run.lab_state::<InContextState>()?.sweep_regression.as_ref()?;
    (!across.points.is_empty()).then_some((across.baseline, across.points.as_slice()))
}
