//! The curves of the strip, and those of the run before, with which the strip compares them.

use super::tape::Tape;
use vivarium_model::optim::loss::Loss;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::summary::metric_names;
use vivarium_view::display::words::{format_decimal, format_thousands};

/// A first loss below this gives no scale: constructed networks are right from the beginning.
const SMALLEST_FIRST_LOSS: f32 = 0.005;

/// Smallest number of measurements of a run whose curves are kept for the next run.
const MIN_POINTS: usize = 3;

/// Largest number of points of each kept curve.
const MAX_POINTS: usize = 300;

/// Held-out loss of a run over its steps, or held-out accuracy if the loss gives no scale.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCurve {
    /// Slug of the task of the run.
    task: &'static str,
    /// Loss that the run minimises.
    loss: Loss,
    /// Whether the values are losses, not accuracies.
    shows_loss: bool,
    /// Name of the values in the reader's language.
    pub name: String,
    /// Step of each measurement, ascending, with the median over the replicas; finite values only.
    pub points: Vec<(u64, f32)>,
}

impl MeasuredCurve {
    /// The curve of a run, as far as the run has been measured.
    pub fn of(run: &RunView) -> Self {
        let measured = |of: ReplicaMeasure| -> Vec<(u64, f32)> {
            let medians = run.history.median_ranges(of).map(|(row, (median, ..))| (row.step, median));
            medians.filter(|(_, median)| median.is_finite()).collect()
        };
        let (task, loss) = (run.spec().task.info().slug, run.spec().run.loss);
        let [_, loss_name, _, accuracy_name] = metric_names(run);
        let losses = measured(ReplicaMeasure::TestLoss);
        // A loss that may be negative, or that is 0 from the beginning, has no scale of its own: then accuracy is shown.
        let has_scale = losses.first().is_none_or(|(_, first)| *first >= SMALLEST_FIRST_LOSS);
        match has_scale && !loss.is_signed() {
            true => MeasuredCurve { task, loss, shows_loss: true, name: loss_name, points: losses },
            false => {
                let points = measured(ReplicaMeasure::TestAccuracy);
                MeasuredCurve { task, loss, shows_loss: false, name: accuracy_name, points }
            }
        }
    }

    /// Value that sets the scale of the vertical axis: the first loss, so that the axis stays when the loss falls, or an accuracy of 1.
    /// `None` for losses before the first measurement.
    pub fn scale(&self) -> Option<f32> {
        match self.shows_loss {
            true => self.points.first().map(|(_, first)| *first),
            false => Some(1.0),
        }
    }
}

/// Curves of the run before, thinned to a few hundred points.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousRun {
    /// Held-out loss or accuracy.
    pub measured: MeasuredCurve,
    /// Progress inside the network at the recorded steps, from 0 to 1; empty if the lab has no such number.
    pub inside: Vec<(u64, f32)>,
}

impl PreviousRun {
    /// The curves of a run with its recorded weights; `None` if the run has too few measurements to compare with.
    pub fn new(measured: MeasuredCurve, tape: &Tape) -> Option<Self> {
        if measured.points.len() < MIN_POINTS {
            return None;
        }
        let inside =
            tape.frames().iter().filter_map(|frame| Some((frame.progress.step, frame.inner_progress?)));
        Some(PreviousRun {
            inside: thin(inside.collect()),
            measured: MeasuredCurve { points: thin(measured.points), ..measured },
        })
    }

    /// Whether the run had the task of `run`.
    pub fn has_task_of(&self, run: &RunView) -> bool {
        self.measured.task == run.spec().task.info().slug
    }

    /// Whether the values are of the same kind as those of the curve of the present run, so that one axis serves both. A
    /// run that has not been measured takes the axis of the run before.
    pub fn is_comparable(&self, present: &MeasuredCurve) -> bool {
        let before = &self.measured;
        (before.task, before.loss) == (present.task, present.loss)
            && (present.points.is_empty()
                || (before.shows_loss, &before.name) == (present.shows_loss, &present.name))
    }

    /// A sentence on the end of the run before, for screen readers; `None` without a measurement.
    pub fn describe(&self) -> Option<String> {
        let (step, value) = self.measured.points.last()?;
        Some(tr!(
            "The run before stopped at step {step}; the last value of its curve “{name}” is {value}.",
            step = format_thousands(*step),
            name = &self.measured.name,
            value = format_decimal(*value)
        ))
    }
}

/// At most [`MAX_POINTS`] of the points, evenly distributed, always with the first and the last one.
fn thin(points: Vec<(u64, f32)>) -> Vec<(u64, f32)> {
    let (count, stride) = (points.len(), points.len().div_ceil(MAX_POINTS - 1).max(1));
    let is_kept = |at: usize| at.is_multiple_of(stride) || at + 1 == count;
    points.into_iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, point)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_curves_are_thinned_evenly_with_both_ends() {
        for count in [0usize, 1, 2, 299, 300, 301, 5000] {
            let points: Vec<(u64, f32)> = (0..count).map(|at| (10 * at as u64, at as f32)).collect();
            let kept = thin(points.clone());
            assert!(kept.len() <= MAX_POINTS, "{count}: {}", kept.len());
            assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
            assert!(count > 299 || kept == points, "{count}");
        }
    }

    #[test]
    fn curves_of_another_task_loss_or_measure_are_not_compared() {
        let curve = |task, loss, shows_loss| MeasuredCurve {
            task,
            loss,
            shows_loss,
            name: if shows_loss { "Loss" } else { "Accuracy" }.into(),
            points: vec![(0, 1.0), (10, 0.5), (1200, 0.25)],
        };
        let before = PreviousRun::new(curve("sparse-parity", Loss::Hinge, true), &Tape::default()).unwrap();
        assert!(before.is_comparable(&curve("sparse-parity", Loss::Hinge, true)));
        for other in [
            curve("groups", Loss::Hinge, true),
            curve("sparse-parity", Loss::Square, true),
            curve("sparse-parity", Loss::Hinge, false),
        ] {
            assert!(!before.is_comparable(&other), "{other:?}");
        }
        let unmeasured = MeasuredCurve { points: vec![], ..curve("sparse-parity", Loss::Hinge, true) };
        assert!(before.is_comparable(&unmeasured) && unmeasured.scale().is_none());
        assert_eq!(
            before.describe().unwrap(),
            "The run before stopped at step 1,200; the last value of its curve “Loss” is 0.250."
        );
        assert!(PreviousRun::new(unmeasured, &Tape::default()).is_none());
    }
}
