//! The overlap of student and teacher, and what theory says of it.
//!
//! With α = examples per weight, Hebb's rule w = Σ yx has, as n grows,
//!
//! ```text
//! R = 1/√(1 + π/(2α))        error = (1/π) arccos R
//! ```
//!
//! (Vallet 1989; Engel and Van den Broeck 2001, section 3.1.)

use super::probes::{OVERLAP, overlap, task};
use vivarium_model::optim::Optimizer;
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::teacher_student::charts;
use vivarium_plot::analysis::{Lines, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked};
use vivarium_view::display::words::{MISSING, decimal, percent};

/// Points of the curve by theory.
const POINTS: u64 = 200;

/// All of them.
pub const CHARTS: &[ChartSpec] = &[ChartSpec::new(charts::OVERLAP, drawn)
    .probe(OVERLAP)
    .summary(|run| Some(said(run)))
    .follows(Follows::Findings)];

/// The overlap of Hebb's rule after α examples per weight.
pub fn of_hebb(alpha: f64) -> f64 {
    1.0 / libm::sqrt(1.0 + std::f64::consts::PI / (2.0 * alpha))
}

/// The chance of a wrong answer at overlap R.
pub fn error_at(overlap: f64) -> f64 {
    libm::acos(overlap.clamp(-1.0, 1.0)) / std::f64::consts::PI
}

/// Whether training is Hebb's rule: fresh examples, whose products yx are added up from zero.
pub fn is_hebb(spec: &RunSpec) -> bool {
    let is_plain = matches!(&spec.optimizer, Optimizer::Sgd(sgd) if sgd.momentum == 0.0 && sgd.decay == 0.0)
        && !spec.optimizer.is_scheduled()
        && spec.run.schedule.is_empty();
    let is_fresh = spec.task.examples().sample_size().is_none();
    // A page asks at every drawing, also of a deep network, whose weights would take it a second.
    let begins_at_zero = || spec.is_drawn_at_once() && spec.initial_of(1).iter().flatten().all(|w| *w == 0.0);
    is_plain && is_fresh && spec.run.loss == Loss::Correlation && begins_at_zero()
}

/// The newest overlap of the first network, from the weights that are shown.
fn newest(run: &RunView) -> Option<f64> {
    let weights = &run.weights;
    let task = task(run.spec()).filter(|_| weights.width == 1)?;
    Some(overlap(&weights.values, &task.teacher(run.spec().run.seed))).filter(|found| found.is_finite())
}

fn drawn(run: &RunView) -> Reading {
    let spec = run.spec();
    let found = run.trace(&OVERLAP).filter(|(_, few)| few[0].is_finite());
    let (x, y) = found.map(|(step, few)| (step as f64, few[0] as f32)).unzip();
    let mut series =
        vec![Series { name: tr!("network").into(), role: Role::Test, x, y, ..Default::default() }];
    if is_hebb(spec) {
        let alpha = |step: u64| (step * spec.run.batch as u64) as f64 / spec.task.examples().inputs() as f64;
        let steps = (1..=POINTS).map(|at| (run.step * at).div_ceil(POINTS)).filter(|step| *step > 0);
        let (x, y) = steps.map(|step| (step as f64, of_hebb(alpha(step)) as f32)).unzip();
        let name = tr!("theory of Hebb's rule").into();
        series.push(Series { name, role: Role::Other, x, y, ..Default::default() });
    }
    let mut lines = marked(
        Lines {
            x_label: tr!("step").into(),
            y_label: tr!("overlap R").into(),
            y_range: Some((0.0, 1.0)),
            series,
            ..Default::default()
        },
        run,
    );
    // Overlaps can be negative.
    lines.log_y = false;
    Reading::Lines(lines)
}

fn said(run: &RunView) -> String {
    match newest(run) {
        Some(found) => tr!(
            "The overlap of student and teacher is {overlap}. Theory predicts that a student with this overlap answers {error} of new inputs wrongly.",
            overlap = decimal(found as f32),
            error = percent(error_at(found) as f32)
        ),
        None => tr!("The student has no weights yet to compare with the teacher's weights.").into(),
    }
}

/// The overlap, and the error that follows from it.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    let found = newest(run);
    let known = |text: Option<String>| text.unwrap_or(MISSING.into());
    [
        (tr!("Overlap R").into(), known(found.map(|found| decimal(found as f32)))),
        (tr!("Theoretical error").into(), known(found.map(|found| percent(error_at(found) as f32)))),
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
        let r = of_hebb(std::f64::consts::FRAC_PI_2);
        assert!((r - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-12);
        assert!((error_at(r) - 0.25).abs() < 1e-12);
        assert_eq!((error_at(1.0), error_at(-1.0)), (0.0, 1.0));
    }

    /// Hebb's rule on the task's own examples, in double precision, against both closed forms.
    #[test]
    fn theory_is_met_by_the_rule_on_the_tasks_own_examples() {
        let spec = decode("#v1/teacher-student?n=200").0.spec;
        let task = task(&spec).unwrap();
        let (teacher, mut held_out) = (task.teacher(spec.run.seed), Batch::default());
        spec.task.sampler().held_out(spec.run.seed, 0, 4000, &mut held_out);
        for alpha in [1usize, 5, 20] {
            let (mut mean, networks) = (0.0, 20);
            for replica in 0..networks {
                let (mut w, mut batch) = (vec![0.0f32; 200], Batch::default());
                spec.task.sampler().sample(spec.run.seed, replica, 0, alpha * 200, &mut batch);
                for (x, y) in batch.x.chunks(200).zip(&batch.y) {
                    add_scaled(&mut w, *y, x);
                }
                let found = overlap(&w, &teacher);
                mean += found / f64::from(networks);
                let field = |x: &[f32]| dot(x, &w);
                let rows = held_out.x.chunks(200).zip(&held_out.y);
                let wrong = rows.filter(|(x, y)| field(x) * **y <= 0.0).count() as f64 / 4000.0;
                assert!((wrong - error_at(found)).abs() < 0.03, "{wrong} at R = {found}");
            }
            assert!((mean - of_hebb(alpha as f64)).abs() < 0.02, "α = {alpha}: R = {mean}");
        }
    }
}
