//! What charts and words both ask: which heads are drawn, what network and methods reach, and the axis of R².

use super::judge::{methods, name};
use super::probes::curve::Curve;
use super::probes::{EXAMPLES, found};
use super::state::InContextState;
use vivarium_model::models::in_context_transformer::Head;
use vivarium_plot::analysis::Series;
use vivarium_science::functions::baselines::Baseline;
use vivarium_view::display::RunView;
use vivarium_view::display::words::list;

/// The least R² that is drawn, however bad predictions are: curves end there.
const LOWEST: f64 = -1.0;
/// What the lower end of an axis of R² is a multiple of.
const GRAIN: f64 = 0.25;

/// R² of each method at the last point of a prompt as in training. None while inputs are multiplied
/// by a number: methods are known on such prompts alone then, and the run was measured on others.
pub(super) fn at_the_last_point(run: &RunView) -> Vec<(f32, Baseline)> {
    let Some(state) = of_own_prompts(run) else { return vec![] };
    let last = state.prompts.points - 1;
    let one = |of| Some((state.judged(of)?.after(last)?, of));
    methods(&state.prompts).into_iter().filter_map(one).collect()
}

/// What is known, where it is of the prompts that the run is measured on.
fn of_own_prompts(run: &RunView) -> Option<&InContextState> {
    run.state().filter(|_| !InContextState::is_shifted(&run.link.view))
}

/// Errors 1 − R² that differ by no larger share of them are drawn as one line.
const SAME: f32 = 0.01;

/// R² of the methods at the last point, for reference lines: methods that reach the same have one line with one name.
pub(super) fn references(run: &RunView) -> Vec<(f32, String)> {
    let Some(state) = of_own_prompts(run) else { return vec![] };
    let last = state.prompts.points - 1;
    let one = |of| Some((of, state.judged(of)?.after(last)?));
    together(methods(&state.prompts).into_iter().filter_map(one))
}

/// Each R² once, with the names of all that reach it.
fn together(all: impl Iterator<Item = (Baseline, f32)>) -> Vec<(f32, String)> {
    let mut lines: Vec<(f32, Vec<Baseline>)> = vec![];
    for (of, r2) in all {
        let is_same = |other: f32| (r2 - other).abs() <= SAME * (1.0 - r2.min(other)).abs();
        match lines.iter_mut().find(|(other, _)| is_same(*other)) {
            Some((_, known)) => known.push(of),
            None => lines.push((r2, vec![of])),
        }
    }
    lines.into_iter().map(|(r2, of)| (r2, joined(&of))).collect()
}

/// "Ridge on (x, 1) and 3 nearest neighbours"; of one network at two epochs its name once.
fn joined(of: &[Baseline]) -> String {
    let is_both = [Baseline::BestForAll, Baseline::LastEpoch].iter().all(|epoch| of.contains(epoch));
    let one = |of: &Baseline| match of {
        Baseline::BestForAll if is_both => {
            Some(tr!("Trained network, best epoch for all prompts and last epoch").to_string())
        }
        Baseline::LastEpoch if is_both => None,
        of => Some(name(*of).to_string()),
    };
    list(&of.iter().filter_map(one).collect::<Vec<_>>())
}

/// The heads that are drawn: the chosen one, counted from 1, or all.
pub(super) fn drawn<'a>(run: &RunView, heads: &'a [Head]) -> Vec<&'a Head> {
    match run.link.view.head.checked_sub(1).and_then(|head| heads.get(head)) {
        Some(head) => vec![head],
        None => heads.iter().collect(),
    }
}

/// The ends of an axis of R²: down to the data, where they are below 0.
pub(super) fn r2_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let least = values.filter(|r2| r2.is_finite()).fold(0.0, f64::min);
    ((GRAIN * (least / GRAIN).floor()).max(LOWEST), 1.02)
}

/// All values of these curves.
pub(super) fn values(series: &[Series]) -> impl Iterator<Item = f64> {
    series.iter().flat_map(|series| &series.y).map(|y| f64::from(*y))
}

/// R² of the network by number of examples: what the worker has found, or, where inputs are multiplied by a number, what the
/// page has.
pub(super) fn of_network(run: &RunView, state: &InContextState) -> Option<Curve> {
    match InContextState::is_shifted(&run.link.view) {
        true => state.shifted().cloned(),
        false => run.finding(&EXAMPLES).and_then(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_reach_the_same_have_one_line() {
        use Baseline::{Affine, BestForAll, LastEpoch, Neighbours};
        let lines = |all: &[(Baseline, f32)]| together(all.iter().copied());
        let apart = lines(&[(Affine, 0.68), (Neighbours, 0.8), (BestForAll, 0.9), (LastEpoch, 0.85)]);
        assert_eq!(apart.len(), 4);
        assert_eq!(apart[3], (0.85, name(LastEpoch).to_string()));
        assert_eq!(
            lines(&[(Affine, 0.68), (BestForAll, 0.9), (LastEpoch, 0.8999)]),
            [
                (0.68, name(Affine).to_string()),
                (0.9, "Trained network, best epoch for all prompts and last epoch".to_string())
            ]
        );
        let same = lines(&[(Affine, -0.1), (Neighbours, -0.1)]);
        assert_eq!(same, [(-0.1, format!("{} and {}", name(Affine), name(Neighbours)))]);
        // Near 1 small differences are large factors of the error.
        assert_eq!(lines(&[(Affine, 0.999), (BestForAll, 0.9995)]).len(), 2);
        assert_eq!(lines(&[(Affine, 1.0), (BestForAll, 1.0)]).len(), 1);
    }
}
