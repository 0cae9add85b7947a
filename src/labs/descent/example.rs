//! The query and the examples of the prompt as examples next to the task, each with its label and the output of the
//! network in the tokens.

use super::state::DescentState;
use crate::answers::{MAX_EXAMPLES, describe_numeric_answer, format_number, format_vector};
use crate::descent::weights::PARAMETERS;
use vivarium_model::run::RunSpec;
use vivarium_view::display::{HeldOutExample, RunView};

/// The number of examples of the prompt that the page can show one by one, including the query, at most
/// [`MAX_EXAMPLES`]; none for other tasks.
pub fn example_count(spec: &RunSpec) -> Option<usize> {
    let examples = spec.task.data().descent_prompts()?.example_count();
    Some((1 + examples).min(MAX_EXAMPLES))
}

/// The texts (input, label, network's output) of the prompt's example `at`: 0 is the query, larger numbers are the
/// labelled examples, from 1. None if `at` is too large.
pub fn build_example(run: &RunView, at: usize) -> Option<HeldOutExample> {
    let state: &DescentState = run.lab_state()?;
    let (examples, all) = (&state.examples, state.examples.len());
    let place = at.checked_sub(1).unwrap_or(all);
    if place > all || (at > 0 && place == all) {
        return None;
    }
    let (x, dim, which) = (examples.input(place), state.prompts.dim, at + 1);
    let written = format_vector(x.get(..dim)?);
    let (given, label) = match at {
        0 => {
            let given = tr!("Example {which}, the query of the prompt: x = {written}.", which, written);
            let label = match state.target.evaluate(x) {
                Some(label) => {
                    tr!("The value of the function at this x is {label}.", label = format_number(label))
                }
                None => tr!("The value of the function at this x is not known.").into(),
            };
            (given, label)
        }
        _ => (
            tr!("Example {which}, one of {all} examples in the prompt: x = {written}.", which, all, written),
            tr!("The label is {label}.", label = format_number(*examples.label(place).first()?)),
        ),
    };
    let step = run.latest_results.get(&PARAMETERS.id()).map(|(step, _)| *step);
    let answer = step.and_then(|step| {
        let output = state.plan.network.compute_output(&state.comparison.tokens, x);
        Some(describe_numeric_answer(step, *output.first()?))
    });
    Some(HeldOutExample { input: given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, initial_weights, new_run, record_answers};
    use crate::answers::example_count;
    use vivarium_model::models::Family;

    /// The link's run, asked with its initial weights, and what the network answers to an input by itself.
    fn run_with_answers(link: &str) -> (RunView, impl Fn(&[f64]) -> f64) {
        let mut run = new_run(link);
        assert_eq!(build_example(&run, 0).unwrap().answer, "");
        let weights = initial_weights(&run);
        record_answers(&mut run, 7, &weights);
        let spec = run.spec().clone();
        let draw = spec.task.data().descent_prompts().unwrap();
        let Some(Family::Descent(net)) = spec.model.config().family() else { panic!("another family") };
        let (network, w) = (net.network(&draw), net.start(&draw, spec.run.seed, 0));
        (run, move |x: &[f64]| network.compute_output(&w, x)[0])
    }

    #[test]
    fn the_query_comes_first_and_then_the_examples_of_the_prompt() {
        let (run, answer) = run_with_answers("#v1/in-context-regression");
        assert_eq!(example_count(&run), 16);
        let query = build_example(&run, 0).unwrap();
        assert_eq!(query.input, "Example 1, the query of the prompt: x = 0.400.");
        assert_eq!(
            query.label,
            format!("The value of the function at this x is {}.", format_number(0.8f64.sin()))
        );
        let expected =
            |x: f64| format!("The network's answer at step 7: {}.", format_number(answer(&[x, 1.0])));
        assert_eq!(query.answer, expected(0.4));
        for at in 1..16 {
            let shown = build_example(&run, at).unwrap();
            assert_brief(&shown);
            // Sixteen points at equal distances.
            let x = -1.5 + 3.0 * (at - 1) as f64 / 15.0;
            let given =
                format!("Example {}, one of 16 examples in the prompt: x = {}.", at + 1, format_number(x));
            assert_eq!(shown.input, given);
            assert_eq!(shown.label, format!("The label is {}.", format_number((2.0 * x).sin())));
            assert_eq!(shown.answer, expected(x));
        }
    }

    #[test]
    fn own_points_have_no_value_at_the_query() {
        let (run, _) = run_with_answers("#v1/in-context-regression?f=points&points=-1:0.5_0.25:2&query=0");
        assert_eq!(example_count(&run), 3);
        assert_eq!(
            build_example(&run, 0).unwrap().label,
            "The value of the function at this x is not known."
        );
        assert_eq!(build_example(&run, 2).unwrap().label, "The label is 2.00.");
        assert_eq!(build_example(&run, 3), None);
    }
}
