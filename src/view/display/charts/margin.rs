//! The normalised margin over the steps.

use super::curves::add_step_marks;
use super::{ChartDependency, ChartSpec};
use crate::display::view::RunView;
use crate::display::words::{format_percent, format_significant};
use vivarium_model::chart;
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::replicas::{ReplicaCurves, ReplicaMeasure};
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};

/// Chart of the normalised margin (smallest margin of a training example, divided by a power of the weights' norm) over
/// the steps.
pub(super) const MARGIN: ChartSpec = ChartSpec::new(chart::MARGIN, |run| {
    let mut lines = add_step_marks(draw_margin(run), run);
    lines.log_y = false;
    Reading::Lines(lines)
})
.applies(|run| match run.spec().architecture().penalty(0) {
    Some(_) => Ok(()),
    None => Err(tr!(
        "The normalised margin is computed with the norm of the model's weight penalty, and this model has no weight penalty."
    )
    .into()),
})
.summary(summarize_margin)
.depends_on(ChartDependency::Measurements)
.uses_measurements_only();

/// Normalised margin over the steps, divided by the largest possible margin γ* where γ* is known.
fn draw_margin(run: &RunView) -> LineChart {
    let largest = run.largest_margin();
    let mut series = Series { name: tr!("network").into(), role: Role::Test, ..Default::default() };
    for (row, (middle, low, high)) in
        run.history.median_ranges(ReplicaMeasure::Margin).filter(|(row, _)| !row.margin.is_empty())
    {
        let unit = largest.unwrap_or(1.0) as f32;
        series.x.push(row.step as f64);
        series.y.push(middle / unit);
        if row.margin.len() > 1 {
            series.band.push((low / unit, high / unit));
            series.replica_curves =
                Some(ReplicaCurves { divisor: unit, ..ReplicaCurves::all_replicas(ReplicaMeasure::Margin) });
        }
    }
    let mut references = vec![];
    references.extend(largest.map(|_| (1.0, "γ*".to_string())));
    references.extend(run.lazy_lab().map(|lab| (lab.margin_lines)(run)).unwrap_or_default());
    LineChart {
        x_label: tr!("step").into(),
        y_label: match largest {
            Some(largest) => margin_share_label(largest),
            None => tr!("normalised margin").into(),
        },
        // Below zero there are wrong answers, and the share says nothing.
        y_range: largest.is_some().then_some((0.0, 1.08)),
        series: vec![series],
        reference_lines: references,
        ..Default::default()
    }
}

/// Label of an axis of margins divided by the largest margin γ* = `largest`.
pub(super) fn margin_share_label(largest: f64) -> String {
    tr!("margin as a share of γ* = {largest}", largest = format_significant(largest))
}

/// Whether the normalised margin of every replica is NaN in the measurement `row` although all training losses are
/// finite: all outputs of each network were equal, up to a tolerance.
fn has_no_margin(row: &Measurement) -> bool {
    let has_loss = row.train_loss.iter().all(|loss| loss.is_finite());
    has_loss && !row.margin.is_empty() && row.margin.iter().all(|margin| margin.is_nan())
}

/// Describes the latest normalised margin, the median over replicas, in a sentence for screen readers.
fn summarize_margin(run: &RunView) -> Option<String> {
    let note = run.lazy_lab().and_then(|lab| (lab.margin_note)(run)).unwrap_or_default();
    Some(match (run.margin_share(), run.history.latest()) {
        (Some(share), _) => {
            tr!(
                "The normalised margin is {share} of the largest possible margin.",
                share = format_percent(share)
            )
        }
        (None, Some(row)) if has_no_margin(row) => {
            let zero =
                tr!("The network has no normalised margin, because its outputs are equal up to 0.00001.");
            format!("{zero}{note}")
        }
        (None, Some(_)) => {
            tr!(
                "Normalised margin: {margin}.",
                margin = format_significant(f64::from(run.history.latest_median(ReplicaMeasure::Margin)))
            )
        }
        (None, None) => tr!("The normalised margin has not been measured yet.").into(),
    })
}
