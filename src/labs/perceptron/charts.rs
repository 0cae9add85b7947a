//! The overlap of student and teacher, and its theoretical value.
//!
//! With α = examples per weight, Hebb's rule w = Σ yx has, as n grows,
//!
//! ```text
//! R = 1/√(1 + π/(2α))        error = (1/π) arccos R
//! ```
//!
//! (Vallet 1989; Engel and Van den Broeck 2001, section 3.1.)

use super::probes::{OVERLAP, compute_overlap, teacher_task};
use vivarium_model::optim::Optimizer;
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::teacher_student::charts;
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec, add_step_marks};
use vivarium_view::display::words::{MISSING, format_decimal, format_percent};

/// Number of training steps at which the theoretical overlap of Hebb's rule is drawn.
const THEORY_POINTS: u64 = 200;

/// Chart of the lab: overlap (cosine) of student and teacher weights against the step.
pub const CHARTS: &[ChartSpec] = &[ChartSpec::new(charts::OVERLAP, draw_overlap)
    .probe(OVERLAP)
    .summary(|run| Some(describe_overlap(run)))
    .depends_on(ChartDependency::Findings)];

/// Theoretical overlap R = 1/√(1 + π/(2α)) (cosine between the weights of student and teacher) of Hebb's rule after α =
/// `alpha` examples per weight, for n → ∞ weights (Vallet 1989; Engel and Van den Broeck 2001, section 3.1).
pub fn hebb_overlap(alpha: f64) -> f64 {
    1.0 / libm::sqrt(1.0 + std::f64::consts::PI / (2.0 * alpha))
}

/// Probability (1/π) arccos R that a student whose weights have the cosine R = `overlap` with the teacher's answers a
/// random input wrongly.
pub fn error_from_overlap(overlap: f64) -> f64 {
    libm::acos(overlap.clamp(-1.0, 1.0)) / std::f64::consts::PI
}

/// Whether training is Hebb's rule: from zero weights, it adds up the products yx of the labels y and inputs x of fresh
/// examples.
pub fn uses_hebb_rule(spec: &RunSpec) -> bool {
    let is_plain = matches!(&spec.optimizer, Optimizer::Sgd(sgd) if sgd.momentum == 0.0 && sgd.decay == 0.0)
        && !spec.optimizer.is_scheduled()
        && spec.run.schedule.is_empty();
    let is_fresh = spec.task.examples().training_set_size().is_none();
    // The chart calls this at every redraw, and initialising a deep network would take a second.
    let begins_at_zero =
        || spec.can_page_initialize() && spec.initialize_replicas(1).iter().flatten().all(|w| *w == 0.0);
    is_plain && is_fresh && spec.run.loss == Loss::Correlation && begins_at_zero()
}

/// Latest cosine between the weights of the first network and the teacher, computed from the displayed weights; `None`
/// if it is undefined.
fn latest_overlap(run: &RunView) -> Option<f64> {
    let weights = &run.weights;
    let task = teacher_task(run.spec()).filter(|_| weights.width == 1)?;
    Some(compute_overlap(&weights.values, &task.teacher(run.spec().run.seed)))
        .filter(|found| found.is_finite())
}

/// Draws the overlap of student and teacher against the step, with the theoretical curve if training is Hebb's rule.
fn draw_overlap(run: &RunView) -> Reading {
    let spec = run.spec();
    let found = run.trace(&OVERLAP).filter(|(_, few)| few[0].is_finite());
    let (x, y) = found.map(|(step, few)| (step as f64, few[0] as f32)).unzip();
    let mut series =
        vec![Series { name: tr!("network").into(), role: Role::Test, x, y, ..Default::default() }];
    if uses_hebb_rule(spec) {
        let alpha = |step: u64| (step * spec.run.batch as u64) as f64 / spec.task.examples().inputs() as f64;
        let steps =
            (1..=THEORY_POINTS).map(|at| (run.step * at).div_ceil(THEORY_POINTS)).filter(|step| *step > 0);
        let (x, y) = steps.map(|step| (step as f64, hebb_overlap(alpha(step)) as f32)).unzip();
        let name = tr!("theory of Hebb's rule").into();
        series.push(Series { name, role: Role::Other, x, y, ..Default::default() });
    }
    let mut lines = add_step_marks(
        LineChart {
            x_label: tr!("step").into(),
            y_label: tr!("overlap R").into(),
            y_range: Some((0.0, 1.0)),
            series,
            ..Default::default()
        },
        run,
    );
    // A logarithmic axis cannot show negative overlaps.
    lines.log_y = false;
    Reading::Lines(lines)
}

/// Summary of the chart of the overlap (cosine) of student and teacher weights, for screen readers.
fn describe_overlap(run: &RunView) -> String {
    match latest_overlap(run) {
        Some(found) => tr!(
            "The overlap of student and teacher is {overlap}. Theory predicts that a student with this overlap answers {error} of new inputs wrongly.",
            overlap = format_decimal(found as f32),
            error = format_percent(error_from_overlap(found) as f32)
        ),
        None => tr!("The student has no weights yet to compare with the teacher's weights.").into(),
    }
}

/// Two readouts (label, value): the overlap R of student and teacher, and the share (1/π) arccos R of wrong answers
/// that theory predicts from it.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    let found = latest_overlap(run);
    let known = |text: Option<String>| text.unwrap_or(MISSING.into());
    [
        (tr!("Overlap R").into(), known(found.map(|found| format_decimal(found as f32)))),
        (
            tr!("Theoretical error").into(),
            known(found.map(|found| format_percent(error_from_overlap(found) as f32))),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::math::{add_scaled, dot};
    use vivarium_model::permalink::decode;
    use vivarium_model::tasks::Batch;

    #[test]
    fn the_closed_forms_are_those_of_the_source() {
        // α = π/2 makes R = 1/√2, a right answer in three of four cases.
        let r = hebb_overlap(std::f64::consts::FRAC_PI_2);
        assert!((r - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-12);
        assert!((error_from_overlap(r) - 0.25).abs() < 1e-12);
        assert_eq!((error_from_overlap(1.0), error_from_overlap(-1.0)), (0.0, 1.0));
    }

    /// Hebb's rule on the task's own examples, in double precision, against both closed forms.
    #[test]
    fn theory_is_met_by_the_rule_on_the_tasks_own_examples() {
        let spec = decode("#v1/teacher-student?n=200").0.spec;
        let task = teacher_task(&spec).unwrap();
        let (teacher, mut held_out) = (task.teacher(spec.run.seed), Batch::default());
        spec.task.sampler().append_held_out(spec.run.seed, 0, 4000, &mut held_out);
        for alpha in [1usize, 5, 20] {
            let (mut mean, networks) = (0.0, 20);
            for replica in 0..networks {
                let (mut w, mut batch) = (vec![0.0f32; 200], Batch::default());
                spec.task.sampler().sample(spec.run.seed, replica, 0, alpha * 200, &mut batch);
                for (x, y) in batch.x.chunks(200).zip(&batch.y) {
                    add_scaled(&mut w, *y, x);
                }
                let found = compute_overlap(&w, &teacher);
                mean += found / f64::from(networks);
                let field = |x: &[f32]| dot(x, &w);
                let rows = held_out.x.chunks(200).zip(&held_out.y);
                let wrong = rows.filter(|(x, y)| field(x) * **y <= 0.0).count() as f64 / 4000.0;
                assert!((wrong - error_from_overlap(found)).abs() < 0.03, "{wrong} at R = {found}");
            }
            assert!((mean - hebb_overlap(alpha as f64)).abs() < 0.02, "α = {alpha}: R = {mean}");
        }
    }
}
