//! The query beside the task, and then the examples of the prompt: each with its label and what the network in the tokens
//! answers. It is made from the state that follows the run.

use super::state::DescentState;
use crate::answers::{SHOWN, number, told, vector};
use crate::descent::weights::PARAMETERS;
use vivarium_model::run::RunSpec;
use vivarium_view::display::{Example, RunView};

/// The query, and examples of the prompt.
pub fn shown(spec: &RunSpec) -> Option<usize> {
    let examples = spec.task.examples().regression()?.example_count();
    Some((1 + examples).min(SHOWN))
}

/// The query as example 0, or example `at` of the prompt.
pub fn example(run: &RunView, at: usize) -> Option<Example> {
    let state: &DescentState = run.state()?;
    let (examples, all) = (&state.examples, state.examples.len());
    let place = at.checked_sub(1).unwrap_or(all);
    if place > all || (at > 0 && place == all) {
        return None;
    }
    let (x, dim, which) = (examples.input(place), state.draw.dim, at + 1);
    let written = vector(x.get(..dim)?);
    let (given, label) = match at {
        0 => {
            let given = tr!("Example {which}, the query of the prompt: x = {written}.", which, written);
            let label = match state.target.evaluate(x) {
                Some(label) => tr!("The value of the function at this x is {label}.", label = number(label)),
                None => tr!("The value of the function at this x is not known.").into(),
            };
            (given, label)
        }
        _ => (
            tr!("Example {which}, one of {all} examples in the prompt: x = {written}.", which, all, written),
            tr!("The label is {label}.", label = number(*examples.label(place).first()?)),
        ),
    };
    let step = run.found.get(&PARAMETERS.id()).map(|(step, _)| *step);
    let answer = step.and_then(|step| {
        let output = state.plan.network.compute_output(&state.state.tokens, x);
        Some(told(step, *output.first()?))
    });
    Some(Example { given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::count;
    use crate::asked::{ask, begun, brief, initial};
    use vivarium_model::models::Family;

    /// The link's run, asked with its initial weights, and what the network answers to an input by itself.
    fn asked(link: &str) -> (RunView, impl Fn(&[f64]) -> f64) {
        let mut run = begun(link);
        assert_eq!(example(&run, 0).unwrap().answer, "");
        let weights = initial(&run);
        ask(&mut run, 7, &weights);
        let spec = run.spec().clone();
        let draw = spec.task.examples().regression().unwrap();
        let Some(Family::Descent(net)) = spec.model.config().family() else { panic!("another family") };
        let (network, w) = (net.network(&draw), net.start(&draw, spec.run.seed, 0));
        (run, move |x: &[f64]| network.compute_output(&w, x)[0])
    }

    #[test]
    fn the_query_comes_first_and_then_the_examples_of_the_prompt() {
        let (run, answer) = asked("#v1/in-context-regression");
        assert_eq!(count(&run), 16);
        let query = example(&run, 0).unwrap();
        assert_eq!(query.given, "Example 1, the query of the prompt: x = 0.400.");
        assert_eq!(query.label, format!("The value of the function at this x is {}.", number(0.8f64.sin())));
        let expected = |x: f64| format!("The network's answer at step 7: {}.", number(answer(&[x, 1.0])));
        assert_eq!(query.answer, expected(0.4));
        for at in 1..16 {
            let shown = example(&run, at).unwrap();
            brief(&shown);
            // Sixteen points at equal distances.
            let x = -1.5 + 3.0 * (at - 1) as f64 / 15.0;
            let given = format!("Example {}, one of 16 examples in the prompt: x = {}.", at + 1, number(x));
            assert_eq!(shown.given, given);
            assert_eq!(shown.label, format!("The label is {}.", number((2.0 * x).sin())));
            assert_eq!(shown.answer, expected(x));
        }
    }

    #[test]
    fn own_points_have_no_value_at_the_query() {
        let (run, _) = asked("#v1/in-context-regression?f=points&points=-1:0.5_0.25:2&query=0");
        assert_eq!(count(&run), 3);
        assert_eq!(example(&run, 0).unwrap().label, "The value of the function at this x is not known.");
        assert_eq!(example(&run, 2).unwrap().label, "The label is 2.00.");
        assert_eq!(example(&run, 3), None);
    }
}
