//! A held-out prompt as example next to the task: its last examples, the query, its label, and the network's
//! prediction.

use crate::answers::{describe_last_answer, format_number, format_vector, sample_example};
use vivarium_view::display::{HeldOutExample, RunView};

/// Maximum number of examples, the last ones of a prompt, that the text of a held-out prompt lists; if inputs have
/// several numbers, it lists one.
const MAX_WRITTEN_EXAMPLES: usize = 3;

/// The texts (input, label, network's prediction) of the held-out prompt with index `at`, from 0; none if `at` is too
/// large.
pub fn build_example(run: &RunView, at: usize) -> Option<HeldOutExample> {
    let (spec, which) = (run.spec(), at + 1);
    let prompts = spec.task.data().function_prompts()?;
    let batch = sample_example(run, at)?;
    let (inputs, labels) = prompts.split_row(&batch.x);
    let points: Vec<(String, f64)> = inputs
        .chunks_exact(prompts.inputs())
        .zip(labels)
        .map(|(x, y)| {
            let x: Vec<f64> = x[..prompts.dim].iter().map(|x| f64::from(*x)).collect();
            (format_vector(&x), f64::from(*y))
        })
        .collect();
    let ((query, label), examples) = points.split_last()?;
    let most = if prompts.dim == 1 { MAX_WRITTEN_EXAMPLES } else { 1 };
    let end = &examples[examples.len().saturating_sub(most)..];
    let end: Vec<String> = end.iter().map(|(x, y)| format!("{x} → {}", format_number(*y))).collect();
    let (all, end) = (examples.len(), end.join(", "));
    let given = match all <= most {
        true => tr!("Example {which}: the points x → y are {end}. The query is {query}.", which, end, query),
        false => {
            tr!(
                "Example {which}: {all} points x → y. The list ends with {end}. The query is {query}.",
                which,
                all,
                end,
                query
            )
        }
    };
    Some(HeldOutExample {
        input: given,
        label: tr!("The query's label is {label}.", label = format_number(*label)),
        answer: describe_last_answer(run, at, points.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, run_with_answers};
    use crate::answers::example_count;

    #[test]
    fn the_label_is_the_prompts_function_of_the_query() {
        for link in [
            "#v1/in-context-learning",
            "#v1/in-context-learning?class=linear&dim=5&points=9&format=joint",
            "#v1/in-context-learning?points=3&class=tree&width=8&long=20",
        ] {
            let (run, weights) = run_with_answers(link);
            let spec = run.spec();
            let prompts = spec.task.data().function_prompts().unwrap();
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            assert!(example_count(&run) > 0, "{link}");
            for at in 0..example_count(&run) {
                let example = build_example(&run, at).unwrap();
                assert_brief(&example);
                let mut row = vec![];
                prompts.append_held_out_prompts(spec.run.seed, prompts.points, at..at + 1, &mut row);
                let last = (prompts.points - 1) * prompts.inputs();
                let x: Vec<f64> = row[last..][..prompts.inputs()].iter().map(|x| f64::from(*x)).collect();
                let label = prompts.held_out_function(spec.run.seed, at).evaluate(&x) as f32;
                let expected = format!("The query's label is {}.", format_number(f64::from(label)));
                assert_eq!(example.label, expected, "{link}");
                let said = format!("The query is {}.", format_vector(&x[..prompts.dim]));
                assert!(example.input.ends_with(&said), "{example:?}");
                let found = spec.network().evaluate(&slices, prompts.inputs(), &row, 0);
                let expected = format_number(f64::from(*found.last().unwrap()));
                assert_eq!(example.answer, format!("The network's answer at step 7: {expected}."), "{link}");
            }
            assert_eq!(build_example(&run, example_count(&run)), None);
        }
    }
}
