//! Readings of charts with additional curves: the rest of a run that is shown at an earlier step, and saved runs.

use crate::state::State;
use vivarium_model::chart::Chart;
use vivarium_plot::analysis::{LineChart, Reading, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartOfRun;

impl State {
    /// Returns what a chart draws of the whole run; the parts of curves after the shown step are faint. Curves of
    /// compared runs are included.
    pub fn reading_to_end(&self, chart: Chart) -> Reading {
        self.with_saved_runs(
            chart,
            fade_reading_after_step(chart, &self.player.run, self.player.latest_run.as_deref()),
        )
    }

    /// Returns what a chart draws of the run up to the shown step, with the curves of compared runs.
    pub fn reading_to_step(&self, chart: Chart) -> Reading {
        self.with_saved_runs(chart, chart.reading(&self.player.run))
    }

    /// Adds the curves of compared runs to what a chart draws.
    fn with_saved_runs(&self, chart: Chart, mut reading: Reading) -> Reading {
        if let Reading::Lines(lines) = &mut reading {
            self.draw_saved_runs(chart, lines);
        }
        reading
    }
}

/// Returns what a chart draws of `run`, which is shown at an earlier step, continued by faint curves from `end`, the
/// run at its latest step. If `end` is None or the chart's horizontal axis does not count steps, the chart of `run`
/// alone.
fn fade_reading_after_step(chart: Chart, run: &RunView, end: Option<&RunView>) -> Reading {
    let reading = chart.reading(run);
    match (end, reading) {
        (Some(end), Reading::Lines(lines)) if lines.is_over_steps() => match chart.reading(end) {
            Reading::Lines(whole) => Reading::Lines(fade_after(whole, run.step)),
            other => other,
        },
        (_, reading) => reading,
    }
}

/// Splits curves at training step `step`, makes the parts after it faint, and marks the step on the horizontal axis.
fn fade_after(mut lines: LineChart, step: u64) -> LineChart {
    let mut rest = vec![];
    for series in &mut lines.series {
        let at = series.x.partition_point(|x| *x <= step as f64);
        // The faint part begins at the last shown point, so that there is no gap.
        let from = at.saturating_sub(1);
        rest.push(Series {
            x: series.x[from..].to_vec(),
            y: series.y[from..].to_vec(),
            unsmoothed: series.unsmoothed.get(from..).unwrap_or_default().to_vec(),
            band: vec![],
            faint: true,
            ..series.clone()
        });
        series.x.truncate(at);
        series.y.truncate(at);
        series.unsmoothed.truncate(at);
        series.band.truncate(at);
    }
    lines.series.extend(rest);
    lines.marks.push((step as f64, "shown".into()));
    lines
}
