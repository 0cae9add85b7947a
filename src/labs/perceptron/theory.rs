//! Sentences on the theory of a student.

use super::charts::{error_from_overlap, hebb_overlap, uses_hebb_rule};
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_decimal, format_percent, format_significant};

/// Minimum and maximum of α, the number of training examples per weight, for which [`describe_hebb`] is shown.
pub const ALPHA_RANGE: (u32, u32) = (1, 100);

/// Sentence on the overlap of student and teacher and the error that theory gives for Hebb's rule after `alpha`
/// examples per weight.
pub fn describe_hebb(alpha: u32) -> String {
    let overlap = hebb_overlap(f64::from(alpha));
    tr!(
        "After {alpha} examples per weight a student trained with Hebb's rule has the overlap R = {overlap} and answers {error} of new inputs wrongly.",
        alpha,
        overlap = format_decimal(overlap as f32),
        error = format_percent(error_from_overlap(overlap) as f32)
    )
}

/// Sentences on a run with a teacher: examples seen, measured error, and the error predicted by theory.
pub fn describe_run(run: &RunView) -> Vec<String> {
    let spec = run.spec();
    let row = run.history.latest();
    let (step, inputs) = (row.map_or(0, |row| row.step), spec.task.examples().inputs());
    let alpha = step as f64 * spec.run.batch as f64 / inputs as f64;
    let wrong = 1.0 - run.history.latest_median(ReplicaMeasure::TestAccuracy);
    let measured = tr!(
        "So far the student has been trained on {alpha} examples per weight. Share of wrong answers on held-out examples: {wrong}.",
        alpha = format_significant(alpha),
        wrong = format_percent(wrong)
    );
    let rule = match uses_hebb_rule(spec) {
        true if alpha > 0.0 => {
            tr!("Theory predicts that {error} of the answers to new inputs are wrong.", error = format_percent(error_from_overlap(hebb_overlap(alpha)) as f32))
        }
        true => tr!("The weights are the sum of the label times the input, yx, over all examples so far, up to a constant factor. This is Hebb's rule, and theory predicts the error at every step.").into(),
        false => tr!("This run does not use Hebb's rule. Hebb's rule needs the correlation loss, SGD at a constant learning rate without momentum or weight decay, fresh examples, and initial weights of zero.").into(),
    };
    vec![measured, rule]
}
