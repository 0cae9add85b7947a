//! What theory says of students, in sentences.

use super::charts::{error_at, is_hebb, of_hebb};
use vivarium_plot::analysis::curves::spread;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{decimal, percent, significant};

/// Examples per weight, α, after which theory is told, at least and at most.
pub const ALPHAS: (u32, u32) = (1, 100);

/// What Hebb's rule comes to after α examples per weight.
pub fn after(alpha: u32) -> String {
    let overlap = of_hebb(f64::from(alpha));
    tr!(
        "After {alpha} examples per weight a student trained with Hebb's rule has the overlap R = {overlap} and answers {error} of new inputs wrongly.",
        alpha,
        overlap = decimal(overlap as f32),
        error = percent(error_at(overlap) as f32)
    )
}

/// What is said of the run: how much was seen, and what theory and the held-out examples say of it.
pub fn about(run: &RunView) -> Vec<String> {
    let spec = run.spec();
    let row = run.history.last();
    let (step, inputs) = (row.map_or(0, |row| row.step), spec.task.examples().inputs());
    let alpha = step as f64 * spec.run.batch as f64 / inputs as f64;
    let wrong = row.map_or(f32::NAN, |row| 1.0 - spread(&row.test_accuracy).0);
    let measured = tr!(
        "So far the student has been trained on {alpha} examples per weight. Share of wrong answers on held-out examples: {wrong}.",
        alpha = significant(alpha),
        wrong = percent(wrong)
    );
    let rule = match is_hebb(spec) {
        true if alpha > 0.0 => {
            tr!("Theory predicts that {error} of the answers to new inputs are wrong.", error = percent(error_at(of_hebb(alpha)) as f32))
        }
        true => tr!("The weights are the sum of the label times the input, yx, over all examples so far, up to a constant factor. This is Hebb's rule, and theory predicts the error at every step.").into(),
        false => tr!("This run does not use Hebb's rule. Hebb's rule needs the correlation loss, SGD at a constant learning rate without momentum or weight decay, fresh examples, and initial weights of zero.").into(),
    };
    vec![measured, rule]
}
