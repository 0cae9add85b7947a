//! What the charts of the catalogue show, in a sentence each, for those who do not see them; and the newest numbers.

use super::state::State;
use super::words::{MISSING, count, decimal, percent, thousands};
use crate::analysis::chart::Chart;
use crate::analysis::curves::spread;
use crate::analysis::weights;
use crate::permalink::Axis;
use crate::protocol::Row;

impl Chart {
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
                let rows = state.spec().model.architecture().rows();
                let by = match rows.column {
                    "" => String::new(),
                    column => format!(" by {}", count(state.weights.width, column)),
                };
                format!(
                    "{}, {}{by}: largest {relevant} on the relevant bits, {other} on the others.",
                    rows.name,
                    count(state.weights.inputs, "input bit"),
                )
            }
            Chart::Movement | Chart::Paths => {
                let moved = state.trajectories.as_ref().and_then(|t| t.movements().last());
                let (relevant, other) = moved.map_or((f32::NAN, f32::NAN), |(_, m)| (m.relevant, m.other));
                format!(
                    "{} have moved by up to {} on the relevant bits and {} on the others.",
                    state.spec().model.architecture().rows().name,
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
                let (found, networks) = state.sweep.as_ref().map_or((0, 0), |s| s.found());
                match done {
                    0 => format!("None of the sweep's {all} runs has ended."),
                    _ => format!(
                        "{done} of the sweep's {all} runs have ended; {} of their {} networks have reached the \
                         target.",
                        thousands(found as u64),
                        thousands(networks as u64)
                    ),
                }
            }
        }
    }
}

/// Largest weight on the relevant bits and on the others, as text.
pub fn reach(state: &State) -> (String, String) {
    let w = &state.weights;
    if w.values.is_empty() {
        return (MISSING.into(), MISSING.into());
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
