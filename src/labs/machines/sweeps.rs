//! Charts of sweeps: the first wrong step by noise and by the softmax's β, and the blocks by the steps T.

use vivarium_core::settings::SweepAxis;
use vivarium_plot::analysis::ends::{self, SweepCurve};
use vivarium_plot::analysis::{LineChart, Role, Series};
use vivarium_science::machines::MachineMetric;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::final_measure_curves;
use vivarium_view::display::words::setting_label;

/// Whether the link of the run is a sweep over the setting with the key `key`.
pub(super) fn sweeps_over(run: &RunView, key: &str) -> bool {
    let SweepAxis { key: own, values, .. } = &run.link.spec.run.sweep;
    own == key && !values.is_empty()
}

/// Curves of the sweep so far: for each swept value, the first machine step (from 1) at which each network's token
/// differs from the simulator, T + 1 if none of the T steps does.
pub(super) fn first_wrong_curves(run: &RunView) -> Vec<SweepCurve> {
    final_measure_curves(run, MachineMetric::FirstWrong as usize)
}

/// Curves of the sweep so far: for each swept value, the number of transformer blocks of each network.
pub(super) fn block_count_curves(run: &RunView) -> Vec<SweepCurve> {
    final_measure_curves(run, MachineMetric::Blocks as usize)
}

/// Chart of curves of a sweep over the setting with key `key`, with an x-axis that covers all swept values, logarithmic
/// if all are positive.
fn draw_curves(run: &RunView, curves: &[SweepCurve], key: &str, y_label: &str) -> LineChart {
    let mut lines = ends::chart(curves, &setting_label(&run.link.spec, key), y_label);
    let places = vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    lines.x_range = (!places.is_empty()).then_some(ends);
    // A logarithmic axis cannot show 0.
    lines.log_x = places.iter().all(|place| *place > 0.0);
    lines
}

/// Draws the first wrong machine step of each network (T + 1 if none of the T steps is wrong) against the swept setting
/// with key `key`, on a logarithmic y-axis.
fn draw_first_wrong(run: &RunView, key: &str) -> LineChart {
    let mut lines =
        draw_curves(run, &first_wrong_curves(run), key, tr!("first wrong step; T + 1 if no step is wrong"));
    lines.log_y = true;
    if lines.series.iter().all(|series| series.y.is_empty()) {
        lines.y_range = Some((1.0, 1000.0));
    }
    lines
}

/// Draws the first wrong step against the standard deviation σ of the noise on the weights.
pub(super) fn draw_first_wrong_by_noise(run: &RunView) -> LineChart {
    draw_first_wrong(run, "sigma")
}

/// Draws the first wrong step against the inverse temperature β of the softmax.
pub(super) fn draw_first_wrong_by_beta(run: &RunView) -> LineChart {
    draw_first_wrong(run, "beta")
}

/// Draws the number of transformer blocks against the number of machine steps T, with the count that theory gives: 4 +
/// number of bits of T.
pub(super) fn draw_block_count(run: &RunView) -> LineChart {
    let mut lines = draw_curves(run, &block_count_curves(run), "t", tr!("blocks"));
    let places = vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep);
    let bits = |steps: f64| (u64::BITS - (steps as u64).leading_zeros()) as f32;
    lines.series.push(Series {
        name: tr!("4 + number of bits of T").into(),
        role: Role::Other,
        y: places.iter().map(|steps| bits(*steps) + 4.0).collect(),
        x: places,
        covering_curves: 1,
        ..Default::default()
    });
    if let Some(largest) = lines.series.iter().flat_map(|series| &series.y).copied().reduce(f32::max) {
        lines.y_range = Some((0.0, f64::from(largest) + 1.0));
    }
    lines
}
