//! Charts of sweeps over the size of a problem: the running time, and how much is learned.

use vivarium_core::settings::Axis;
use vivarium_plot::analysis::Lines;
use vivarium_plot::analysis::ends::{self, Curve};
use vivarium_science::succinct::LearningMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{final_errors, final_measures};
use vivarium_view::display::words::label;

/// The setting that the link is a sweep over, if it is a size or the noise.
pub(super) fn over(run: &RunView) -> Option<&str> {
    let Axis { key, values, .. } = &run.link.spec.run.sweep;
    (["inputs", "examples", "flips", "valid"].contains(&key.as_str()) && !values.is_empty()).then_some(key)
}

/// The curves of the sweep so far: the median running time in layers.
pub(super) fn times(run: &RunView) -> Vec<Curve> {
    final_measures(run, LearningMetric::MedianTime as usize)
}

/// The same of the accuracy on test inputs.
pub(super) fn learned(run: &RunView) -> Vec<Curve> {
    let mut curves = final_errors(run);
    let values = curves.iter_mut().flat_map(|(_, points)| points).flat_map(|(_, values)| values);
    values.for_each(|error| *error = 1.0 - *error);
    curves
}

/// The exponent of the power law through a curve of running times.
pub(super) fn exponent((_, points): &Curve) -> Option<f64> {
    let point = |(x, values): &(f64, Vec<f32>)| Some((*x, f64::from(ends::quartiles(values)?[1])));
    let points: Vec<(f64, f64)> = points.iter().filter_map(point).collect();
    Some(ends::power(&points)?.1)
}

fn chart(run: &RunView, curves: &[Curve], y_label: &str) -> Lines {
    let mut lines = ends::chart(curves, &label(&run.link.spec, over(run).unwrap_or("inputs")), y_label);
    let places = vivarium_model::sweep::places(&run.link.spec.run.sweep);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!places.is_empty()).then_some(ends);
    lines
}

pub(super) fn by_size(run: &RunView) -> Lines {
    let mut lines = chart(run, &times(run), tr!("number of layers until the program halts"));
    (lines.log_x, lines.log_y) = (true, true);
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((10.0, 10_000.0));
    }
    lines
}

pub(super) fn by_examples(run: &RunView) -> Lines {
    let mut lines = chart(run, &learned(run), tr!("share of test inputs answered correctly"));
    lines.y_range = Some((0.0, 1.0));
    lines.references.push((0.5, tr!("guessing").into()));
    lines
}
