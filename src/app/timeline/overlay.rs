//! Curves with more than the run on display: the rest of a run that is shown at an earlier step, and kept runs.

use crate::analysis::{Lines, Reading, Role, Series};
use crate::app::state::State;
use crate::catalog::chart::Chart;
use crate::display::RunView;
use crate::display::words::difference;

impl Chart {
    /// What is drawn: of a run that is shown at an earlier step, curves go on faintly to its end.
    pub fn drawn(self, state: &State) -> Reading {
        let mut reading = self.divided(&state.run, state.end.as_deref());
        // What is measured along every run of the lab; of probes, a kept run has nothing.
        // A kept run would tell what a reader is to predict.
        let compares = self.compares(&state.run) && !state.is_predicting();
        if let (true, Reading::Lines(lines)) = (compares, &mut reading) {
            let spec = state.run.spec();
            for (id, drawn) in &state.library.drawn {
                let same_lab = drawn.spec().task.info().slug == spec.task.info().slug;
                let (true, Some(kept)) = (same_lab, state.library.find(id)) else { continue };
                if let Reading::Lines(mut others) = self.reading(drawn)
                    && let Some(curve) = others.series.pop()
                {
                    // Another batch is another number of examples in a step.
                    let share = match &lines.counted {
                        Some(_) => drawn.spec().batch() as f64 / spec.batch() as f64,
                        None => 1.0,
                    };
                    let name = match spec.differences(drawn.spec()).len() {
                        1 | 2 => difference(spec, drawn.spec()),
                        _ => kept.name.clone(),
                    };
                    // Under the curves of the run itself.
                    lines.series.push(Series {
                        name,
                        tint: Some(kept.colour),
                        role: Role::Other,
                        each: None,
                        x: curve.x.iter().map(|x| x * share).collect(),
                        ..curve
                    });
                }
            }
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
