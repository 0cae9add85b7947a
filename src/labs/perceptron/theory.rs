//! What theory says of students, in sentences.

use super::charts::{error_at, is_hebb, of_hebb};
use crate::analysis::curves::spread;
use crate::display::RunView;
use crate::display::words::{decimal, percent, significant};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{Action, State};
    use crate::protocol::Row;

    #[test]
    fn theory_and_measurement_stand_side_by_side() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/teacher-student".into()));
        state.run.measured(Row { step: 500, test_accuracy: vec![0.84], ..Default::default() });
        let said = about(&state.run);
        assert!(
            said[0].starts_with("So far the student has been trained on 5.00 examples per weight. Share of wrong answers on held-out examples: 16.0 %"),
            "{}",
            said[0]
        );
        assert_eq!(said[1], "Theory predicts that 16.2 % of the answers to new inputs are wrong.");
        assert!(after(20).contains("8.6 %"), "{}", after(20));
        state.apply(Action::Open("#v1/teacher-student?loss=hinge".into()));
        assert!(about(&state.run)[1].starts_with("This run does not use Hebb's rule"));
    }
}
