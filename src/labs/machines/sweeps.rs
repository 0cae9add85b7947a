//! Charts of sweeps: the first wrong step by noise and by the softmax's β, and the blocks by the steps T.

use vivarium_core::settings::Axis;
use vivarium_plot::analysis::ends::{self, Curve};
use vivarium_plot::analysis::{Lines, Role, Series};
use vivarium_science::machines::MachineMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_measures;
use vivarium_view::display::words::label;

/// Whether the link is a sweep over this setting.
pub(super) fn is_over(run: &RunView, key: &str) -> bool {
    let Axis { key: own, values, .. } = &run.link.spec.run.sweep;
    own == key && !values.is_empty()
}

/// The curves of the sweep so far: at each value the median first wrong step.
pub(super) fn wrong(run: &RunView) -> Vec<Curve> {
    final_measures(run, MachineMetric::FirstWrong as usize)
}

/// The same of the number of blocks.
pub(super) fn blocks(run: &RunView) -> Vec<Curve> {
    final_measures(run, MachineMetric::Blocks as usize)
}

/// A curve at all places of the sweep, on whose axes there is room for all of them.
fn chart(run: &RunView, curves: &[Curve], key: &str, y_label: &str) -> Lines {
    let mut lines = ends::chart(curves, &label(&run.link.spec, key), y_label);
    let places = vivarium_model::sweep::places(&run.link.spec.run.sweep);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!places.is_empty()).then_some(ends);
    // On a logarithmic axis there is no place for 0.
    lines.log_x = places.iter().all(|place| *place > 0.0);
    lines
}

fn first_wrong(run: &RunView, key: &str) -> Lines {
    let mut lines = chart(run, &wrong(run), key, tr!("first wrong step; T + 1 if no step is wrong"));
    lines.log_y = true;
    if lines.series.iter().all(|series| series.y.is_empty()) {
        lines.y_range = Some((1.0, 1000.0));
    }
    lines
}

/// By the noise on the weights.
pub(super) fn by_noise(run: &RunView) -> Lines {
    first_wrong(run, "sigma")
}

/// By the inverse temperature of the softmax.
pub(super) fn by_beta(run: &RunView) -> Lines {
    first_wrong(run, "beta")
}

/// By the steps that there is room for.
pub(super) fn depth(run: &RunView) -> Lines {
    let mut lines = chart(run, &blocks(run), "t", tr!("blocks"));
    let places = vivarium_model::sweep::places(&run.link.spec.run.sweep);
    let bits = |steps: f64| (u64::BITS - (steps as u64).leading_zeros()) as f32;
    lines.series.push(Series {
        name: tr!("4 + number of bits of T").into(),
        role: Role::Other,
        y: places.iter().map(|steps| bits(*steps) + 4.0).collect(),
        x: places,
        under: 1,
        ..Default::default()
    });
    if let Some(largest) = lines.series.iter().flat_map(|series| &series.y).copied().reduce(f32::max) {
        lines.y_range = Some((0.0, f64::from(largest) + 1.0));
    }
    lines
}
