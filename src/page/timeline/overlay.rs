//! Curves with more than the run on display: the rest of a run that is shown at an earlier step, and kept runs.

use crate::state::State;
use vivarium_model::chart::Chart;
use vivarium_plot::analysis::{Lines, Reading, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartOfRun;

impl State {
    /// The reading that the page draws of a chart: curves of a run that is shown at an earlier step go on faintly to its end.
    pub fn reading_to_end(&self, chart: Chart) -> Reading {
        self.with_kept(chart, divided_reading(chart, &self.run, self.end.as_deref()))
    }

    /// The reading of a chart up to the step that is shown.
    pub fn reading_to_step(&self, chart: Chart) -> Reading {
        self.with_kept(chart, chart.reading(&self.run))
    }

    fn with_kept(&self, chart: Chart, mut reading: Reading) -> Reading {
        if let Reading::Lines(lines) = &mut reading {
            self.draw_kept(chart, lines);
        }
        reading
    }
}

/// The reading of `run`, with its curves up to those of `end`.
fn divided_reading(chart: Chart, run: &RunView, end: Option<&RunView>) -> Reading {
    let reading = chart.reading(run);
    match (end, reading) {
        (Some(end), Reading::Lines(lines)) if lines.is_over_steps() => match chart.reading(end) {
            Reading::Lines(whole) => Reading::Lines(divided(whole, run.step)),
            other => other,
        },
        (_, reading) => reading,
    }
}

/// Curves over the steps with those after `step` faint.
fn divided(mut lines: Lines, step: u64) -> Lines {
    let mut rest = vec![];
    for series in &mut lines.series {
        let at = series.x.partition_point(|x| *x <= step as f64);
        // From the last shown point on, so that there is no gap.
        let from = at.saturating_sub(1);
        rest.push(Series {
            x: series.x[from..].to_vec(),
            y: series.y[from..].to_vec(),
            raw: series.raw.get(from..).unwrap_or_default().to_vec(),
            band: vec![],
            faint: true,
            ..series.clone()
        });
        series.x.truncate(at);
        series.y.truncate(at);
        series.raw.truncate(at);
        series.band.truncate(at);
    }
    lines.series.extend(rest);
    lines.marks.push((step as f64, "shown".into()));
    lines
}
