//! The normalised margin over the steps.

use super::curves::marked;
use super::{ChartSpec, Follows};
use crate::display::view::RunView;
use crate::display::words::{percent, significant};
use vivarium_model::chart;
use vivarium_model::protocol::Row;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::replicas::{Each, Of};
use vivarium_plot::analysis::{Lines, Reading, Role, Series};

/// The chart.
pub(super) const MARGIN: ChartSpec = ChartSpec::new(chart::MARGIN, |run| {
    let mut lines = marked(margin(run), run);
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
.summary(said)
.follows(Follows::Rows)
.of_measurements();

/// The normalised margin over the steps, as a share of the largest possible where that is known.
fn margin(run: &RunView) -> Lines {
    let largest = run.largest_margin();
    let mut series = Series { name: tr!("network").into(), role: Role::Test, ..Default::default() };
    for (row, (middle, low, high)) in
        run.history.spreads(Of::Margin).filter(|(row, _)| !row.margin.is_empty())
    {
        let unit = largest.unwrap_or(1.0) as f32;
        series.x.push(row.step as f64);
        series.y.push(middle / unit);
        if row.margin.len() > 1 {
            series.band.push((low / unit, high / unit));
            series.each = Some(Each { divisor: unit, ..Each::of(Of::Margin) });
        }
    }
    let mut references = vec![];
    references.extend(largest.map(|_| (1.0, "γ*".to_string())));
    references.extend(run.lazy().map(|lab| lab.margin_lines(run)).unwrap_or_default());
    Lines {
        x_label: tr!("step").into(),
        y_label: match largest {
            Some(largest) => tr!("margin as a share of γ* = {largest}", largest = significant(largest)),
            None => tr!("normalised margin").into(),
        },
        // Below zero there are wrong answers, and the share says nothing.
        y_range: largest.is_some().then_some((0.0, 1.08)),
        series: vec![series],
        references,
        ..Default::default()
    }
}

/// Whether the newest measurement found networks without a normalised margin only: their outputs are equal.
fn is_zero(row: &Row) -> bool {
    let has_loss = row.train_loss.iter().all(|loss| loss.is_finite());
    has_loss && !row.margin.is_empty() && row.margin.iter().all(|margin| margin.is_nan())
}

fn said(run: &RunView) -> Option<String> {
    let note = run.lazy().and_then(|lab| lab.margin_note(run)).unwrap_or_default();
    Some(match (run.margin_share(), run.history.last()) {
        (Some(share), _) => {
            tr!("The normalised margin is {share} of the largest possible margin.", share = percent(share))
        }
        (None, Some(row)) if is_zero(row) => {
            let zero =
                tr!("The network has no normalised margin, because its outputs are equal up to 0.00001.");
            format!("{zero}{note}")
        }
        (None, Some(row)) => {
            tr!("Normalised margin: {margin}.", margin = significant(f64::from(spread(&row.margin).0)))
        }
        (None, None) => tr!("The normalised margin has not been measured yet.").into(),
    })
}
