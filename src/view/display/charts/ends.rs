//! What networks got wrong at the end of each run of a sweep.

use super::general::is_sweep;
use super::{ChartSpec, Follows};
use crate::display::sweep::{self, Sweep, abscissa};
use crate::display::view::RunView;
use crate::display::words::{percent, setting, symbol};
use vivarium_core::sorting;
use vivarium_model::chart;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::ends::{self, Curve};

/// The chart.
pub(super) const ENDS: ChartSpec = ChartSpec::new(chart::ENDS, reading)
    .applies(is_sweep)
    .summary(summary)
    .follows(Follows::Findings)
    .of_measurements();

/// The curves of the sweep so far: what each network got wrong at the end of each run.
pub fn final_errors(run: &RunView) -> Vec<Curve> {
    final_values(run, |sweep, run| Some(sweep.right(run)?.iter().map(|right| 1.0 - right).collect()))
}

/// The curves of the sweep so far: the median over the networks of a further measure at the end of each run, by the
/// measure's place in a row.
pub fn final_measures(run: &RunView, measure: usize) -> Vec<Curve> {
    final_values(run, |sweep, run| Some(vec![*sweep.measured(run)?.get(measure)?]))
}

fn final_values(run: &RunView, of: impl Fn(&Sweep, usize) -> Option<Vec<f32>>) -> Vec<Curve> {
    let (Some(sweep), spec) = (&run.sweep, &run.link.spec) else { return vec![] };
    let (places, series) = (vivarium_model::sweep::places(&spec.run.sweep), &spec.run.series);
    let curve = |line: usize| {
        let name = series.values.get(line).map(|value| setting(spec, &series.key, value));
        let cells = sweep.cells.iter().enumerate().filter(|(_, cell)| cell.series == line);
        let mut points: Vec<(f64, Vec<f32>)> =
            cells.filter_map(|(run, cell)| Some((places[cell.at], of(sweep, run)?))).collect();
        sorting::sort_by(&mut points, |a, b| a.0.total_cmp(&b.0));
        (name.unwrap_or(tr!("median").into()), points)
    };
    (0..series.values.len().max(1)).map(curve).collect()
}

fn reading(run: &RunView) -> Reading {
    let (label, places, has_ratios) = abscissa(&run.link.spec);
    let mut lines = ends::chart(&final_errors(run), &label, tr!("held-out error"));
    (lines.log_x, lines.x_range) = (has_ratios, Some(sweep::ends(&places)));
    if run.vocabulary().explains {
        lines.y_label = tr!("relative error").into();
    }
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((0.0, 0.5));
    }
    if run.vocabulary().columns {
        let larger = run.lab().chance(&run.link.spec);
        lines.references.push((f64::from(1.0 - larger), tr!("guessing").into()));
    }
    Reading::Lines(lines)
}

/// Each curve at its last place.
fn summary(run: &RunView) -> Option<String> {
    let last = |(name, points): &Curve| {
        let (x, values) = points.last()?;
        let [_, middle, _] = ends::quartiles(values)?;
        let (error, at) = (percent(middle), vivarium_core::settings::real(*x));
        let of = symbol(&run.link.spec, &run.link.spec.run.sweep.key);
        Some(match run.vocabulary().explains {
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
    let said: Vec<String> = final_errors(run).iter().filter_map(last).collect();
    Some(match said.is_empty() {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => said.join("; ") + ".",
    })
}
