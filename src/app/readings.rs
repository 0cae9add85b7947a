//! What the charts of the catalogue show of the state.
//!
//! A new chart is its line in [`crate::analysis::chart`] and one arm in each of the methods here.

use super::state::State;
use super::words::{decimal, percent, thousands};
use crate::analysis::chart::Chart;
use crate::analysis::convergence::{self, Height};
use crate::analysis::curves::{self, spread};
use crate::analysis::gap::{self, relu_majority_gap};
use crate::analysis::{Lines, Reading};
use crate::analysis::{attention, movement, scaling, spectrum, weights};
use crate::permalink::Axis;
use crate::probing::applies;
use crate::protocol::{Probe, Row};
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
    pub fn applies(self, state: &State) -> Result<(), String> {
        let run = &state.link.spec.run;
        match self {
            Chart::Loss | Chart::Accuracy | Chart::Weights | Chart::Movement | Chart::Paths => Ok(()),
            Chart::Times if state.spec().run.replicas > 1 => Ok(()),
            Chart::Times => Err("Convergence times have a distribution with several replicas only.".into()),
            Chart::Sweep if !run.sweep.is_empty() => Ok(()),
            Chart::Sweep => Err("This run is no sweep: the settings of the run can make it one.".into()),
            Chart::Gap | Chart::Spectrum | Chart::Attention => {
                self.probe().map_or(Ok(()), |probe| applies(probe, state.spec()))
            }
        }
    }

    /// The probe that the chart wants of the worker, if any.
    pub fn probe(self) -> Option<Probe> {
        match self {
            Chart::Gap => Some(Probe::Gap),
            Chart::Spectrum => Some(Probe::Spectrum),
            Chart::Attention => Some(Probe::Attention),
            _ => None,
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
        let finite = state.spec().task.sampler().sample_size().is_some();
        let solved = state.solved.iter().map(|(_, step)| *step).max();
        let solved = solved.filter(|_| state.solved.len() == state.spec().run.replicas);
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
            Chart::Movement | Chart::Paths => {
                let draw = if self == Chart::Movement { movement::movement } else { movement::trajectories };
                let lines = state.trajectories.as_ref().map(draw);
                Reading::Lines(marked(lines.unwrap_or_else(|| self.empty("step", "weight")), state))
            }
            Chart::Gap => {
                let task = state.spec().task.sampler();
                let reference = relu_majority_gap(task.inputs(), state.relevant.len());
                Reading::Lines(marked(gap::chart(&state.gaps, Some(reference)), state))
            }
            Chart::Spectrum => {
                let shares = state.spectrum.as_ref().map_or(vec![], |(_, shares, _)| shares.clone());
                Reading::Bars(spectrum::degrees(&shares, state.relevant.len()))
            }
            Chart::Attention => {
                let mass = state.attention.as_ref().map_or(vec![], |(_, mass)| mass.clone());
                Reading::Bars(attention::by_bit(&mass, &state.relevant))
            }
            Chart::Times => Reading::Lines(times(state)),
            Chart::Sweep => Reading::Lines(sweep(state)),
        }
    }

    fn empty(self, x_label: &str, y_label: &str) -> Lines {
        Lines {
            title: self.info().name.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            ..Default::default()
        }
    }

    /// Changes when the reading does, and is cheap.
    pub fn stamp(self, state: &State) -> Stamp {
        let at = match self {
            Chart::Weights => state.weights.step,
            Chart::Loss | Chart::Accuracy => state.history.last().map_or(u64::MAX, |row| row.step),
            Chart::Movement | Chart::Paths => state.weights.step,
            Chart::Gap | Chart::Spectrum | Chart::Attention => state.findings,
            Chart::Times => state.solved.len() as u64,
            Chart::Sweep => state.sweep.as_ref().map_or(0, |sweep| sweep.done.len() as u64),
        };
        let marks = state.solved.len() + state.spec().run.schedule.len();
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
            Chart::Movement | Chart::Paths => {
                let moved = state.trajectories.as_ref().and_then(|t| t.movements().last());
                let (relevant, other) = moved.map_or((f32::NAN, f32::NAN), |(_, m)| (m.relevant, m.other));
                format!(
                    "Weights of the first layer have moved by up to {} on the relevant bits and {} on the others.",
                    decimal(relevant),
                    decimal(other)
                )
            }
            Chart::Gap => {
                let newest = state.gaps.iter().last().map_or(f64::NAN, |(_, gap)| gap.relaxed);
                format!("Fourier gap of the population gradient: {}.", decimal(newest as f32))
            }
            Chart::Spectrum => {
                let k = state.relevant.len();
                let (share, cosine) =
                    state.spectrum.as_ref().map_or((f32::NAN, f32::NAN), |(_, s, cosine)| {
                        (s.get(k).copied().unwrap_or(f32::NAN), *cosine)
                    });
                format!(
                    "{} of the output's squared norm is of degree {k}; its correlation with the target is {}.",
                    percent(share),
                    decimal(cosine)
                )
            }
            Chart::Attention => {
                let mass = state
                    .attention
                    .as_ref()
                    .map_or(f32::NAN, |(_, mass)| state.relevant.iter().filter_map(|i| mass.get(*i)).sum());
                format!("{} of the attention rests on the relevant bits.", percent(mass))
            }
            Chart::Times => format!(
                "{} of {} networks have reached the target.",
                thousands(state.solved.len() as u64),
                thousands(state.spec().run.replicas as u64)
            ),
            Chart::Sweep => {
                let (done, all) = state.sweep.as_ref().map_or((0, 0), |s| (s.done.len(), s.cells.len()));
                format!("{done} of the sweep's {all} runs have ended.")
            }
        }
    }
}

/// The distribution of t_c, or t_c by initialisation where several replicas share one.
fn times(state: &State) -> Lines {
    let run = &state.spec().run;
    let mut solved = vec![None; run.replicas];
    for (replica, step) in &state.solved {
        solved[*replica] = Some(*step);
    }
    let mut lines = if run.inits > 0 && run.inits < run.replicas {
        convergence::by_start(&solved, run.inits)
    } else {
        let sets = convergence::sets(state.spec().task.sampler().inputs(), state.relevant.len());
        convergence::histogram(&convergence::Times::new(&solved), run.every, sets, Height::Count)
    };
    if state.solved.is_empty() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range = Some((0.0, 1.0));
    }
    lines
}

/// The curves of the sweep so far.
fn sweep(state: &State) -> Lines {
    let spec = &state.link.spec;
    let Some(sweep) = &state.sweep else { return Chart::Sweep.empty("", "steps until converged") };
    let key = &spec.run.sweep.key;
    let label = spec.knob(key).map_or(key.clone(), |knob| knob.label.to_string());
    let mut lines = scaling::chart(&sweep.curves(spec), &label, key, vec![]);
    let places = crate::sweep::places(&spec.run.sweep);
    // A value of zero, as no noise, has no place on a logarithmic axis, and words have no ratio.
    let are_numbers = spec.run.sweep.values.iter().all(|v| v.parse::<f64>().is_ok());
    (lines.log_x, lines.log_y) = (are_numbers && places.iter().all(|x| *x > 0.0), true);
    if sweep.done.is_empty() {
        let low = places.iter().copied().fold(f64::INFINITY, f64::min);
        let high = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (lines.x_range, lines.y_range) = (Some((low, high)), Some((10.0, 1e4)));
    }
    lines
}

/// Curves over the steps with what every one of them has: the axes of the view, and the changes on the way.
fn marked(mut lines: Lines, state: &State) -> Lines {
    let view = &state.link.view;
    (lines.log_x, lines.log_y) = (view.x_axis == Axis::Log, view.y_axis == Axis::Log);
    if state.history.last().is_none() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range.get_or_insert(if lines.log_y { (1e-3, 1.2) } else { (0.0, 1.2) });
    }
    let changes = state.spec().run.schedule.iter();
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
