//! What the charts of the catalogue show of the state.
//!
//! A new chart is its line in [`crate::analysis::chart`] and one arm in each of the methods here.

use super::state::State;
use super::words::{decimal, percent, thousands};
use crate::analysis::chart::Chart;
use crate::analysis::curves::{self, spread};
use crate::analysis::weights;
use crate::analysis::{Lines, Reading};
use crate::permalink::Axis;
use crate::protocol::Row;
use crate::settings::real;

/// Steps that an empty chart shows.
const EMPTY_UNTIL: f64 = 1000.0;

/// The same as long as a chart shows the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    run: u64,
    at: u64,
    marks: usize,
    axes: (Axis, Axis),
}

impl Chart {
    /// Whether there is such a chart of this run.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn applies(self, _state: &State) -> Result<(), String> {
        match self {
            Chart::Loss | Chart::Accuracy | Chart::Weights => Ok(()),
        }
    }

    /// Its title.
    pub fn title(self, state: &State) -> &'static str {
        match self {
            Chart::Accuracy if state.link.view.y_axis == Axis::Log => "Error, 1 − accuracy",
            _ => self.info().name,
        }
    }

    /// What is drawn, if the chart applies.
    pub fn reading(self, state: &State) -> Reading {
        let finite = state.link.spec.task.sampler().sample_size().is_some();
        let solved = state.solved.iter().map(|(_, step)| *step).max();
        let solved = solved.filter(|_| state.solved.len() == state.link.spec.run.replicas);
        match self {
            Chart::Loss => Reading::Lines(marked(curves::loss(&state.history, finite, solved), state)),
            Chart::Accuracy => {
                let log = state.link.view.y_axis == Axis::Log;
                let curves = if log { curves::error } else { curves::accuracy };
                Reading::Lines(marked(curves(&state.history, finite, solved), state))
            }
            Chart::Weights => {
                let w = &state.weights;
                Reading::Grid(weights::first_layer(&w.values, w.inputs, w.width, &state.relevant))
            }
        }
    }

    /// Changes when the reading does, and is cheap.
    pub fn stamp(self, state: &State) -> Stamp {
        let at = match self {
            Chart::Weights => state.weights.step,
            Chart::Loss | Chart::Accuracy => state.history.last().map_or(u64::MAX, |row| row.step),
        };
        let marks = state.solved.len() + state.link.spec.run.schedule.len();
        let axes = (state.link.view.x_axis, state.link.view.y_axis);
        Stamp { run: state.runs, at, marks, axes }
    }

    /// What is seen, for those who do not see it.
    pub fn summary(self, state: &State) -> String {
        let newest = Newest::of(state.history.last());
        match self {
            Chart::Loss => format!(
                "Loss over {} steps: {} on training examples, {} on held-out ones.",
                thousands(state.step),
                newest.train_loss,
                newest.test_loss
            ),
            Chart::Accuracy => format!(
                "Accuracy over {} steps{}: {} on training examples, {} on held-out ones; chance is 50 %.",
                thousands(state.step),
                if state.link.view.y_axis == Axis::Log { ", drawn as error" } else { "" },
                newest.train_accuracy,
                newest.test_accuracy
            ),
            Chart::Weights => {
                let (relevant, other) = reach(state);
                format!(
                    "First-layer weights, {} input bits by {} neurons: largest {relevant} on the relevant bits, \
                     {other} on the others.",
                    state.weights.inputs, state.weights.width
                )
            }
        }
    }
}

/// Curves over the steps with what every one of them has: the axes of the view, and the changes on the way.
fn marked(mut lines: Lines, state: &State) -> Lines {
    let view = &state.link.view;
    (lines.log_x, lines.log_y) = (view.x_axis == Axis::Log, view.y_axis == Axis::Log);
    if state.history.last().is_none() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range.get_or_insert(if lines.log_y { (1e-3, 1.2) } else { (0.0, 1.2) });
    }
    let changes = state.link.spec.run.schedule.iter();
    lines.marks.extend(
        changes.filter(|(s, _)| *s <= state.step).map(|(s, lr)| (*s as f64, format!("η {}", real(*lr)))),
    );
    lines
}

/// Largest weight on the relevant bits and on the others, as text.
pub fn reach(state: &State) -> (String, String) {
    let w = &state.weights;
    if w.values.is_empty() {
        return (super::words::MISSING.into(), super::words::MISSING.into());
    }
    let (relevant, other) = weights::reach(&w.values, w.inputs, w.width, &state.relevant);
    (decimal(relevant), decimal(other))
}

/// The newest measurement as text; medians where there are replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// Loss on training examples.
    pub train_loss: String,
    /// Loss on held-out examples.
    pub test_loss: String,
    /// Accuracy on training examples.
    pub train_accuracy: String,
    /// Accuracy on held-out examples.
    pub test_accuracy: String,
}

impl Newest {
    /// Of a measurement, or dashes.
    pub fn of(row: Option<&Row>) -> Newest {
        let middle = |of: fn(&Row) -> &Vec<f32>| row.map_or(f32::NAN, |row| spread(of(row)).0);
        Newest {
            train_loss: decimal(middle(|r| &r.train_loss)),
            test_loss: decimal(middle(|r| &r.test_loss)),
            train_accuracy: percent(middle(|r| &r.train_accuracy)),
            test_accuracy: percent(middle(|r| &r.test_accuracy)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::chart::Kind;
    use crate::app::state::Action;

    #[test]
    fn axes_are_there_before_any_measurement_and_weights_before_any_worker() {
        let mut state = State::default();
        state.apply(Action::Open(String::new()));
        let Reading::Lines(lines) = Chart::Loss.reading(&state) else { panic!("curves") };
        assert_eq!((lines.x_range, lines.y_range), (Some((0.0, 1000.0)), Some((0.0, 1.2))));
        let Reading::Grid(grid) = Chart::Weights.reading(&state) else { panic!("a matrix") };
        assert_eq!((grid.rows, grid.columns, grid.marked_rows.len()), (20, 64, 3));
        assert!(Chart::Accuracy.summary(&state).contains("– on training examples"));
    }

    #[test]
    fn every_chart_has_the_shape_that_the_catalogue_says() {
        let mut state = State::default();
        state.apply(Action::Open(String::new()));
        for chart in Chart::ALL {
            let kind = chart.info().kind;
            if chart.applies(&state).is_ok() {
                let shape = match chart.reading(&state) {
                    Reading::Lines(_) => Kind::Lines,
                    Reading::Grid(_) => Kind::Grid,
                    Reading::Bars(_) => Kind::Bars,
                };
                assert_eq!(shape, kind, "{chart:?}");
                assert!(chart.summary(&state).ends_with('.') && !chart.title(&state).is_empty());
            }
        }
    }

    #[test]
    fn on_a_logarithmic_axis_accuracy_is_error() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?x=log&y=log".into()));
        let row = Row { test_accuracy: vec![0.75, 0.5], train_accuracy: vec![1.0], ..Default::default() };
        state.history.push(row);
        let Reading::Lines(lines) = Chart::Accuracy.reading(&state) else { panic!("curves") };
        assert!(lines.log_x && lines.log_y && lines.y_range.is_none());
        assert_eq!(lines.series[0].y, [0.0]);
        assert_eq!((lines.series[1].y[0], lines.series[1].band[0]), (0.375, (0.25, 0.5)));
        assert_eq!((lines.title.as_str(), Chart::Accuracy.title(&state)), ("Error", "Error, 1 − accuracy"));
    }

    #[test]
    fn stamps_change_with_what_is_shown() {
        let mut state = State::default();
        state.apply(Action::Open(String::new()));
        let before = Chart::Loss.stamp(&state);
        state.history.push(Row { step: 50, ..Default::default() });
        assert_ne!(Chart::Loss.stamp(&state), before);
        let before = Chart::Loss.stamp(&state);
        state.apply(Action::ToggleAxis("y"));
        assert_ne!(Chart::Loss.stamp(&state), before);
    }
}
