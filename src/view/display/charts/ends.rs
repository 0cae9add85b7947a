//! Held-out error at the end of each run of a sweep.

use super::general::require_sweep;
use super::margin::margin_share_label;
use super::{ChartDependency, ChartSpec};
use crate::display::sweep::{self, SweepProgress, sweep_axis};
use crate::display::view::RunView;
use crate::display::words::{format_percent, format_setting, setting_symbol};
use vivarium_core::sorting;
use vivarium_model::chart;
use vivarium_plot::analysis::ends::{self, SweepCurve};
use vivarium_plot::analysis::{LineChart, Reading};

/// Chart of the held-out error at the end of each run of a sweep.
pub(super) const FINAL_ERRORS: ChartSpec = ChartSpec::new(chart::ENDS, draw_final_errors)
    .applies(require_sweep)
    .summary(summarize_final_errors)
    .depends_on(ChartDependency::Findings)
    .uses_measurements_only();

/// One curve per value of the second swept setting, over the values of the first: held-out error of each replica at the
/// end of each run.
pub fn final_error_curves(run: &RunView) -> Vec<SweepCurve> {
    final_value_curves(run, |sweep, run| {
        Some(sweep.final_accuracies(run)?.iter().map(|right| 1.0 - right).collect())
    })
}

/// One curve per value of the second swept setting, over the values of the first: at the end of each run, the median
/// over the replicas of the task's further measure number `measure` (from 0).
pub fn final_measure_curves(run: &RunView, measure: usize) -> Vec<SweepCurve> {
    final_value_curves(run, |sweep, run| Some(vec![*sweep.final_measures(run)?.get(measure)?]))
}

/// Chart of the normalised margin of each replica at the end of each run of a sweep, divided by `largest`, over the values of
/// the first swept setting; one curve per value of the second.
pub fn draw_final_margins(run: &RunView, largest: f64) -> LineChart {
    let curves = final_value_curves(run, |sweep, run| {
        let margins = &sweep.last_row(run)?.margin;
        Some(margins.iter().map(|margin| (f64::from(*margin) / largest) as f32).collect())
    });
    chart_over_sweep(run, &curves, &margin_share_label(largest))
}

/// Chart of final results over the values of the first swept setting, on its axis.
fn chart_over_sweep(run: &RunView, curves: &[SweepCurve], y_label: &str) -> LineChart {
    let (label, places, has_ratios) = sweep_axis(&run.link.spec);
    let mut lines = ends::chart(curves, &label, y_label);
    (lines.log_x, lines.x_range) = (has_ratios, Some(sweep::value_range(&places)));
    lines
}

/// One curve per value of the second swept setting; `of` returns the values of a point from the sweep and the index of
/// the run, `None` if that run has not finished.
fn final_value_curves(
    run: &RunView,
    of: impl Fn(&SweepProgress, usize) -> Option<Vec<f32>>,
) -> Vec<SweepCurve> {
    let (Some(sweep), spec) = (&run.sweep, &run.link.spec) else { return vec![] };
    let (places, series) = (vivarium_model::sweep::axis_positions(&spec.run.sweep), &spec.run.series);
    let curve = |line: usize| {
        let name = series.values.get(line).map(|value| format_setting(spec, &series.key, value));
        let cells = sweep.cells.iter().enumerate().filter(|(_, cell)| cell.series_index == line);
        let mut points: Vec<(f64, Vec<f32>)> =
            cells.filter_map(|(run, cell)| Some((places[cell.sweep_index], of(sweep, run)?))).collect();
        sorting::sort_by(&mut points, |a, b| a.0.total_cmp(&b.0));
        (name.unwrap_or(tr!("median").into()), points)
    };
    (0..series.values.len().max(1)).map(curve).collect()
}

/// Draws the held-out error at the end of each run of a sweep, as curves over the values of the first swept setting.
fn draw_final_errors(run: &RunView) -> Reading {
    let mut lines = chart_over_sweep(run, &final_error_curves(run), tr!("held-out error"));
    if run.vocabulary().has_numeric_labels {
        lines.y_label = tr!("relative error").into();
    }
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((0.0, 0.5));
    }
    if run.vocabulary().has_columns {
        let larger = run.lab().chance_accuracy(&run.link.spec);
        lines.reference_lines.push((f64::from(1.0 - larger), tr!("guessing").into()));
    }
    Reading::Lines(lines)
}

/// Describes the median held-out error at the last swept value of each curve.
fn summarize_final_errors(run: &RunView) -> Option<String> {
    let last = |(name, points): &SweepCurve| {
        let (x, values) = points.last()?;
        let [_, middle, _] = ends::quartiles(values)?;
        let (error, at) = (format_percent(middle), vivarium_core::settings::format_real(*x));
        let of = setting_symbol(&run.link.spec, &run.link.spec.run.sweep.key);
        Some(match run.vocabulary().has_numeric_labels {
            true => {
                tr!("{name}: {error} of the variance is not explained at {of} = {at}", name, error, of, at)
            }
            false => {
                tr!(
                    "{name}: {error} of the answers on held-out examples are wrong at {of} = {at}",
                    name,
                    error,
                    of,
                    at
                )
            }
        })
    };
    let parts: Vec<String> = final_error_curves(run).iter().filter_map(last).collect();
    Some(match parts.is_empty() {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => parts.join("; ") + ".",
    })
}
