//! Final margins of the runs of a sweep, beside the margin that theory predicts for each strength λ of the penalty.
//!
//! # Why
//! Networks that minimise the cross-entropy plus λ Σ‖ω‖³ have the largest normalised margin γ* in the limit λ → 0 (Edelman
//! 2024, theorem 7.1, after Wei et al. 2019). For a positive λ the optimum is the solution of a convex program over the irreps,
//! and its margin is smaller.

use super::state::GroupsState;
use super::theory::{self, GroupTheory};
use vivarium_model::sweep::axis_positions;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::{LineChart, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{draw_final_margins, require_sweep};
use vivarium_view::display::words::format_percent;

/// Number of intervals between the strengths λ for which the margin is predicted.
const INTERVALS: u32 = 24;
/// Largest number of irreps for which the margin is predicted at all these λ; with more, the page would be busy too long.
const MAX_IRREPS: usize = 12;

/// Theory of a run on a group; `None` while it is being computed, and for runs without theory.
fn theory_of(run: &RunView) -> Option<&GroupTheory> {
    run.lab_state().and_then(|pairs: &GroupsState| pairs.theory.as_ref())
}

/// Whether the chart applies to a run.
///
/// # Errors
/// A sentence that says why not.
pub(super) fn check_margins(run: &RunView) -> Result<(), String> {
    require_sweep(run)?;
    let key = |task: &Task| match task {
        Task::Groups(task) => Some(task.group_key()),
        _ => None,
    };
    let group = key(&run.spec().task);
    let mut cells = run.sweep.iter().flat_map(|sweep| &sweep.cells);
    match cells.all(|cell| theory::applies(&cell.spec) && key(&cell.spec.task) == group) {
        true => Ok(()),
        false => Err(theory::missing_theory_reason().into()),
    }
}

/// Smallest and largest swept λ > 0; `None` if λ is not swept or changes during a run, so that theory predicts nothing.
fn swept_penalties(run: &RunView) -> Option<(f64, f64)> {
    let swept = &run.link.spec.run.sweep;
    if swept.key != "lambda" || run.spec().architecture().next_penalty(0).is_some() {
        return None;
    }
    let positive = axis_positions(swept).into_iter().filter(|lambda| *lambda > 0.0);
    let (low, high) = positive.fold((f64::INFINITY, 0.0f64), |(low, high), at| (low.min(at), high.max(at)));
    (low <= high).then_some((low, high))
}

/// Margins that theory predicts, as (λ, share of the largest margin), from the smallest to the largest swept λ.
fn predicted_margins(run: &RunView, theory: &GroupTheory) -> Vec<(f64, f64)> {
    let Some((low, high)) = swept_penalties(run).filter(|_| theory.irrep_count() <= MAX_IRREPS) else {
        return vec![];
    };
    let at = |i: u32| low * libm::pow(high / low, f64::from(i) / f64::from(INTERVALS));
    (0..=INTERVALS).filter_map(|i| Some((at(i), theory.margin_ratio(at(i))?))).collect()
}

/// Draws the margin of each replica at the end of each run as a share of the largest margin, and the predicted share.
pub(super) fn draw_margins(run: &RunView) -> LineChart {
    let Some(theory) = theory_of(run) else { return LineChart::default() };
    let mut lines = draw_final_margins(run, theory.max_margin.value);
    let predicted = predicted_margins(run, theory);
    if !predicted.is_empty() {
        lines.series.push(Series {
            name: tr!("theory").into(),
            role: Role::Other,
            y: predicted.iter().map(|(_, share)| *share as f32).collect(),
            x: predicted.iter().map(|(lambda, _)| *lambda).collect(),
            ..Default::default()
        });
    }
    lines.reference_lines.push((1.0, "γ*".into()));
    // The shares differ by a few percent, which would not be seen on an axis from 0.
    let shares = lines.series.iter().flat_map(|series| series.y.iter().map(|share| f64::from(*share)));
    let lowest = shares.filter(|share| share.is_finite()).fold(1.0, f64::min);
    let room = 0.15 * (1.0 - lowest).max(0.01);
    lines.y_range = Some((lowest - room, 1.0 + room));
    lines
}

/// Summary of the chart, for screen readers: the largest margin at the end of a run, and what theory predicts for the smallest λ.
pub(super) fn describe_margins(run: &RunView) -> Option<String> {
    let theory = theory_of(run)?;
    let margins = draw_final_margins(run, theory.max_margin.value);
    let shares = margins.series.iter().flat_map(|series| series.y.iter().copied());
    let Some(best) = shares.filter(|share| share.is_finite()).max_by(f32::total_cmp) else {
        return Some(tr!("No run of the sweep has ended yet.").into());
    };
    let found = tr!("The largest margin at the end of a run is {share} of γ*.", share = format_percent(best));
    let predicted = swept_penalties(run).and_then(|(lambda, _)| Some((lambda, theory.margin_ratio(lambda)?)));
    Some(match predicted {
        Some((lambda, share)) => {
            let predicted = tr!(
                "For λ = {lambda}, theory predicts {share}.",
                lambda = vivarium_core::settings::format_real(lambda),
                share = format_percent(share as f32)
            );
            format!("{found} {predicted}")
        }
        None => found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;
    use vivarium_science::groups::Irreps;

    /// The thesis trains S3 and S4 with λ = 10⁻⁷ (appendix D.2.3). The shares for S4 and D5 were computed by a general minimiser;
    /// those for S3 are also the margins of ten trained networks, in the preset `s3-margins`.
    #[test]
    fn predicted_margins_approach_the_largest_margin_slowly() {
        let s3 = &[(1e-3, 0.9419), (1e-4, 0.9613), (1e-5, 0.9709), (1e-6, 0.9766), (1e-7, 0.9806)][..];
        let cases = [
            ("op=symmetric", 2e-4, s3),
            ("op=symmetric&letters=4", 1e-3, &[(1e-3, 0.775), (1e-4, 0.884), (1e-7, 0.946)]),
            ("op=dihedral&n=5", 1e-3, &[(1e-4, 0.964)]),
            ("n=7", 1e-6, &[(1e-3, 1.0), (1e-5, 1.0)]),
        ];
        for (link, tolerance, shares) in cases {
            let spec = decode(&format!("#v1/groups?{link}")).0.spec;
            let Task::Groups(task) = &spec.task else { panic!("pairs") };
            let group = task.group().unwrap();
            let theory = GroupTheory::compute(&spec, &group, &Irreps::compute(&group)).unwrap();
            for (lambda, expected) in shares {
                let share = theory.margin_ratio(*lambda).unwrap();
                assert!((share - expected).abs() < tolerance, "{link}, {lambda:e}: {share}");
            }
            assert_eq!(theory.margin_ratio(1.0), None, "all weights are 0");
        }
    }
}
