//! What curves over the steps have in common.

use crate::display::view::RunView;
use vivarium_core::language::translated;
use vivarium_core::settings::real;
use vivarium_model::permalink::{Axis, Counted};
use vivarium_plot::analysis::{Lines, Role};

/// Steps that an empty chart shows.
pub(super) const EMPTY_UNTIL: f64 = 1000.0;

/// A chart without any curve yet, with these axes.
pub fn with_axes(x_label: &str, y_label: &str) -> Lines {
    Lines { x_label: x_label.into(), y_label: y_label.into(), ..Default::default() }
}

/// Curves of what is trained on alone, where what is measured on held-out examples is another thing; and what the target
/// is called where nothing is hidden that could be found.
pub(super) fn trained_only(mut lines: Lines, run: &RunView) -> Lines {
    let words = run.vocabulary();
    lines.series.retain(|series| !words.trains_only || series.role == Role::Train);
    lines.marks.iter_mut().filter(|_| !words.hides).for_each(|(_, name)| *name = tr!("target").into());
    lines
}

/// The mark of the step at which the last network has reached the target.
pub fn reached(run: &RunView) -> impl Fn(u64) -> (f64, String) {
    let name = if run.spec().run.target == 0.5 { tr!("half-way") } else { tr!("target") };
    move |step| (step as f64, name.into())
}

/// The step at which the last of all networks has reached the target, if all have.
pub fn solved(run: &RunView) -> Option<u64> {
    let last = run.solved.iter().map(|(_, step)| *step).max();
    last.filter(|_| run.solved.len() == run.spec().run.replicas)
}

/// Curves over the steps with what every one of them has: the axes of the view, and the changes on the way.
pub fn marked(mut lines: Lines, run: &RunView) -> Lines {
    let view = &run.link.view;
    lines.smooth(view.smooth);
    (lines.log_x, lines.log_y) = (view.x_axis == Axis::Log, view.y_axis == Axis::Log);
    let spec = run.spec();
    let seen = || (spec.batch() as f64, translated(run.vocabulary().seen).to_string());
    lines.counted = (view.counted == Counted::Examples).then(seen);
    let stages = (1..spec.architecture().stages()).map(|stage| (spec.stage_begins(stage), stage));
    lines.marks.extend(
        stages
            .filter(|(s, _)| *s <= run.step)
            .map(|(s, at)| (s as f64, tr!("training of layer {at} begins", at = at + 1))),
    );
    if run.history.last().is_none() {
        lines.x_range = Some((0.0, EMPTY_UNTIL));
        lines.y_range.get_or_insert(if lines.log_y { (1e-3, 1.2) } else { (0.0, 1.2) });
    }
    let changes = spec.run.schedule.iter();
    lines.marks.extend(
        changes.filter(|(s, _)| *s <= run.step).map(|(s, lr)| (*s as f64, format!("η {}", real(*lr)))),
    );
    lines
}
