//! Axes and marks common to all curves over the steps.

use crate::display::view::RunView;
use vivarium_core::language::translated;
use vivarium_core::settings::format_real;
use vivarium_model::permalink::{AxisScale, StepAxisUnit};
use vivarium_plot::analysis::{LineChart, Role};

/// Right end, in training steps, of the horizontal axis of a chart that has no measurements yet.
pub(super) const EMPTY_CHART_STEPS: f64 = 1000.0;

/// Builds a chart that has axis labels and no curves.
pub fn empty_lines(x_label: &str, y_label: &str) -> LineChart {
    LineChart { x_label: x_label.into(), y_label: y_label.into(), ..Default::default() }
}

/// Removes held-out curves where the lab shows training curves only, and names all marks of the chart "target" where
/// the task has no hidden rule to find.
pub(super) fn keep_training_curves(mut lines: LineChart, run: &RunView) -> LineChart {
    let words = run.vocabulary();
    lines.series.retain(|series| !words.shows_training_only || series.role == Role::Train);
    lines
        .marks
        .iter_mut()
        .filter(|_| !words.has_hidden_rule)
        .for_each(|(_, name)| *name = tr!("target").into());
    lines
}

/// Returns a function that turns the step at which the last replica reached the target into a mark (step, label); the
/// label is "half-way" if the target is 0.5, else "target".
pub fn target_mark(run: &RunView) -> impl Fn(u64) -> (f64, String) {
    let name = if run.spec().run.target == 0.5 { tr!("half-way") } else { tr!("target") };
    move |step| (step as f64, name.into())
}

/// Step at which the last replica reached the target; `None` unless all replicas have reached it.
pub fn last_solved_step(run: &RunView) -> Option<u64> {
    let last = run.solved.iter().map(|(_, step)| *step).max();
    last.filter(|_| run.solved.len() == run.spec().run.replicas)
}

/// Applies smoothing and axis settings of the view, and adds marks at changes of the learning rate and at the steps at
/// which the training of another layer begins.
pub fn add_step_marks(mut lines: LineChart, run: &RunView) -> LineChart {
    let view = &run.link.view;
    lines.smooth(view.smooth);
    (lines.log_x, lines.log_y) = (view.x_axis == AxisScale::Log, view.y_axis == AxisScale::Log);
    let spec = run.spec();
    let seen = || (spec.batch_size() as f64, translated(run.vocabulary().example_axis_label).to_string());
    lines.step_unit = (view.counted == StepAxisUnit::Examples).then(seen);
    let stages = (1..spec.architecture().stages()).map(|stage| (spec.first_step_of_stage(stage), stage));
    lines.marks.extend(
        stages
            .filter(|(s, _)| *s <= run.step)
            .map(|(s, at)| (s as f64, tr!("training of layer {at} begins", at = at + 1))),
    );
    if run.history.latest().is_none() {
        lines.x_range = Some((0.0, EMPTY_CHART_STEPS));
        lines.y_range.get_or_insert(if lines.log_y { (1e-3, 1.2) } else { (0.0, 1.2) });
    }
    let changes = spec.run.schedule.iter();
    lines.marks.extend(
        changes.filter(|(s, _)| *s <= run.step).map(|(s, lr)| (*s as f64, format!("η {}", format_real(*lr)))),
    );
    lines
}
