//! Curves with more than the run on display: the rest of a run that is shown at an earlier step, and kept runs.

use crate::analysis::{Lines, Reading, Series};
use crate::app::state::State;
use crate::catalog::chart::Chart;
use crate::display::RunView;

impl Chart {
    /// What is drawn: of a run that is shown at an earlier step, curves go on faintly to its end.
    pub fn drawn(self, state: &State) -> Reading {
        self.with_kept(self.divided(&state.run, state.end.as_deref()), state)
    }

    /// The same up to the step that is shown.
    pub fn compared(self, state: &State) -> Reading {
        self.with_kept(self.reading(&state.run), state)
    }

    fn with_kept(self, mut reading: Reading, state: &State) -> Reading {
        if let Reading::Lines(lines) = &mut reading {
            state.draw_kept(self, lines);
        }
        reading
    }

    fn divided(self, run: &RunView, end: Option<&RunView>) -> Reading {
        let reading = self.reading(run);
        match (end, reading) {
            (Some(end), Reading::Lines(lines)) if lines.is_over_steps() => match self.reading(end) {
                Reading::Lines(whole) => Reading::Lines(divided(whole, run.step)),
                other => other,
            },
            (_, reading) => reading,
        }
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
