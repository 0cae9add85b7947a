//! R² at the end of the runs of a sweep, as over the layers for each kind of tokens.

use super::judge::{look, name};
use super::shown::{r2_range, references, values};
use super::state::InContextState;
use vivarium_model::sweep::places;
use vivarium_plot::analysis::ends::{self, Curve};
use vivarium_plot::analysis::{Lines, Series};
use vivarium_science::functions::baselines::Baseline;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_errors;
use vivarium_view::display::words::label;

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
    // Methods know the prompts of the run whose turn it is: where prompts are swept, of that run alone, and what is known of
    // all of them is a curve.
    let is_of_prompts = |key: &str| spec.task.value(key).is_some();
    if ![&spec.run.sweep.key, &spec.run.series.key].into_iter().any(|key| is_of_prompts(key)) {
        lines.references = references(run).into_iter().map(|(r2, name)| (f64::from(r2), name)).collect();
    }
    if let Some((baseline, known)) = across(run) {
        let (role, tint) = look(baseline);
        let (x, y) = known.iter().copied().unzip();
        lines.series.push(Series {
            name: name(baseline).into(),
            role,
            tint,
            x,
            y,
            points: true,
            ..Default::default()
        });
    }
    for series in &mut lines.series {
        series.ends = true;
    }
    lines.y_range = Some(r2_range(values(&lines.series)));
    lines
}

/// R² of linear regression at the last point, for each value of a swept setting of the prompts, as far as it is known.
pub(super) fn across(run: &RunView) -> Option<(Baseline, &[(f64, f32)])> {
    let across = run.state::<InContextState>()?.across.as_ref()?;
    (!across.known.is_empty()).then_some((across.baseline, across.known.as_slice()))
}
