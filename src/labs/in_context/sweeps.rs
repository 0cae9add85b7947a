//! R² at the end of the runs of a sweep, as over the layers for each kind of tokens.

use super::shown::references;
use crate::analysis::Lines;
use crate::analysis::ends::{self, Curve};
use crate::display::RunView;
use crate::display::charts::final_errors;
use crate::display::words::label;
use crate::sweep::places;

/// The curves of the sweep so far, as R².
pub(super) fn curves(run: &RunView) -> Vec<Curve> {
    let as_r2 = |(x, errors): (f64, Vec<f32>)| (x, errors.into_iter().map(|error| 1.0 - error).collect());
    let curve = |(name, points): Curve| (name, points.into_iter().map(as_r2).collect());
    final_errors(run).into_iter().map(curve).collect()
}

pub(super) fn depth(run: &RunView) -> Lines {
    let spec = &run.link.spec;
    let mut lines = ends::chart(&curves(run), &label(spec, &spec.run.sweep.key), tr!("R²"));
    let (low, high) =
        places(&spec.run.sweep).iter().fold((f64::INFINITY, 0.0), |(low, high), x| (x.min(low), x.max(high)));
    lines.x_range = (low < high).then_some((low, high));
    lines.y_range = Some((0.0, 1.02));
    // Methods know the prompts of the run whose turn it is: where prompts are swept, of that run alone.
    let is_of_prompts = |key: &str| spec.task.value(key).is_some();
    if ![&spec.run.sweep.key, &spec.run.series.key].into_iter().any(|key| is_of_prompts(key)) {
        lines.references = references(run).into_iter().map(|(r2, name)| (f64::from(r2), name)).collect();
    }
    lines
}
