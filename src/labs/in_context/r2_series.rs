//! Functions shared by charts and texts: selected heads, R² of network and baselines, and the axis of R².

use super::baselines::{applicable_baselines, baseline_name};
use super::probes::curve::R2Curve;
use super::probes::{R2_BY_EXAMPLES, read_curve};
use super::state::InContextState;
use vivarium_model::models::in_context_transformer::Head;
use vivarium_plot::analysis::Series;
use vivarium_science::functions::baselines::Baseline;
use vivarium_view::display::RunView;
use vivarium_view::display::words::join_list;

/// Lowest possible end of a chart's axis of R²; curves with smaller R² are cut off there.
const MIN_R2_SHOWN: f64 = -1.0;
/// The lower end of a chart's axis of R² is a multiple of this number.
const R2_AXIS_STEP: f64 = 0.25;

/// For each baseline measured so far, the pair (R² at the last point of a training prompt, baseline). Empty while the
/// view multiplies inputs by a factor, because the baselines are then measured on other prompts than those of the run.
pub(super) fn final_baseline_r2(run: &RunView) -> Vec<(f32, Baseline)> {
    let Some(state) = unscaled_state(run) else { return vec![] };
    let last = state.prompts.points - 1;
    let one = |of| Some((state.baseline_curve(of)?.r2_after(last)?, of));
    applicable_baselines(&state.prompts).into_iter().filter_map(one).collect()
}

/// The lab's state of the run; none while the view multiplies inputs by a factor, since the state then holds baselines
/// on other prompts than those of the run.
fn unscaled_state(run: &RunView) -> Option<&InContextState> {
    run.lab_state().filter(|_| !InContextState::has_scaled_inputs(&run.link.view))
}

/// Baselines whose errors 1 − R² differ by at most this fraction of the larger error share one reference line in a
/// chart.
const MERGE_TOLERANCE: f32 = 0.01;

/// Reference lines, each (R², name), of the baselines at the last point of a training prompt; baselines with almost
/// equal R² share one line.
pub(super) fn reference_lines(run: &RunView) -> Vec<(f32, String)> {
    let Some(state) = unscaled_state(run) else { return vec![] };
    let last = state.prompts.points - 1;
    let one = |of| Some((of, state.baseline_curve(of)?.r2_after(last)?));
    merge_equal_r2(applicable_baselines(&state.prompts).into_iter().filter_map(one))
}

/// The pairs (R², name) of the reference lines of these baselines: baselines with almost equal R² ([`MERGE_TOLERANCE`])
/// share one line, and their names are joined.
fn merge_equal_r2(all: impl Iterator<Item = (Baseline, f32)>) -> Vec<(f32, String)> {
    let mut lines: Vec<(f32, Vec<Baseline>)> = vec![];
    for (of, r2) in all {
        let is_same = |other: f32| (r2 - other).abs() <= MERGE_TOLERANCE * (1.0 - r2.min(other)).abs();
        match lines.iter_mut().find(|(other, _)| is_same(*other)) {
            Some((_, known)) => known.push(of),
            None => lines.push((r2, vec![of])),
        }
    }
    lines.into_iter().map(|(r2, of)| (r2, join_baseline_names(&of))).collect()
}

/// Names of baselines as a list: "Ridge on (x, 1) and 3 nearest neighbours"; if the network trained on a prompt is
/// listed with both its last epoch and its best epoch for all prompts, these two baselines have one joint name.
fn join_baseline_names(baselines: &[Baseline]) -> String {
    let is_both = [Baseline::BestForAll, Baseline::LastEpoch].iter().all(|epoch| baselines.contains(epoch));
    let one = |of: &Baseline| match of {
        Baseline::BestForAll if is_both => {
            Some(tr!("Trained network, best epoch for all prompts and last epoch").to_string())
        }
        Baseline::LastEpoch if is_both => None,
        of => Some(baseline_name(*of).to_string()),
    };
    join_list(&baselines.iter().filter_map(one).collect::<Vec<_>>())
}

/// The attention heads among `heads` whose maps are drawn: the one selected in the view, otherwise all.
pub(super) fn shown_heads<'a>(run: &RunView, heads: &'a [Head]) -> Vec<&'a Head> {
    match run.link.view.head.checked_sub(1).and_then(|head| heads.get(head)) {
        Some(head) => vec![head],
        None => heads.iter().collect(),
    }
}

/// The lower and upper end of a chart's axis for these values of R²; the lower end is below 0 only if some value is
/// negative, and then a multiple of [`R2_AXIS_STEP`], at least [`MIN_R2_SHOWN`].
pub(super) fn r2_axis_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let least = values.filter(|r2| r2.is_finite()).fold(0.0, f64::min);
    ((R2_AXIS_STEP * (least / R2_AXIS_STEP).floor()).max(MIN_R2_SHOWN), 1.02)
}

/// All y values of these curves of one chart, curve after curve.
pub(super) fn series_values(series: &[Series]) -> impl Iterator<Item = f64> {
    series.iter().flat_map(|series| &series.y).map(|y| f64::from(*y))
}

/// R² of the first replica's network on held-out prompts, by number of examples: measured by the worker, or by the page
/// while the view multiplies inputs by a factor. None before the first measurement.
pub(super) fn network_curve(run: &RunView, state: &InContextState) -> Option<R2Curve> {
    match InContextState::has_scaled_inputs(&run.link.view) {
        true => state.scaled_curve().cloned(),
        false => run.latest_finding(&R2_BY_EXAMPLES).and_then(read_curve),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_reach_the_same_have_one_line() {
        use Baseline::{Affine, BestForAll, LastEpoch, Neighbours};
        let lines = |all: &[(Baseline, f32)]| merge_equal_r2(all.iter().copied());
        let apart = lines(&[(Affine, 0.68), (Neighbours, 0.8), (BestForAll, 0.9), (LastEpoch, 0.85)]);
        assert_eq!(apart.len(), 4);
        assert_eq!(apart[3], (0.85, baseline_name(LastEpoch).to_string()));
        assert_eq!(
            lines(&[(Affine, 0.68), (BestForAll, 0.9), (LastEpoch, 0.8999)]),
            [
                (0.68, baseline_name(Affine).to_string()),
                (0.9, "Trained network, best epoch for all prompts and last epoch".to_string())
            ]
        );
        let same = lines(&[(Affine, -0.1), (Neighbours, -0.1)]);
        assert_eq!(same, [(-0.1, format!("{} and {}", baseline_name(Affine), baseline_name(Neighbours)))]);
        // Near 1 small differences are large factors of the error.
        assert_eq!(lines(&[(Affine, 0.999), (BestForAll, 0.9995)]).len(), 2);
        assert_eq!(lines(&[(Affine, 1.0), (BestForAll, 1.0)]).len(), 1);
    }
}
