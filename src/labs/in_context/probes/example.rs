//! A held-out prompt beside the task: its last examples, the query, its label, and the network's prediction.

use crate::answers::{held_out, number, told_at_last, vector};
use vivarium_view::display::{Example, RunView};

/// Examples that are written down, from the end; of inputs with more than one number, one.
const WRITTEN: usize = 3;

/// Example `at`.
pub fn example(run: &RunView, at: usize) -> Option<Example> {
    let (spec, which) = (run.spec(), at + 1);
    let prompts = spec.task.examples().function_prompts()?;
    let batch = held_out(run, at)?;
    let (inputs, labels) = prompts.split_row(&batch.x);
    let points: Vec<(String, f64)> = inputs
        .chunks_exact(prompts.inputs())
        .zip(labels)
        .map(|(x, y)| {
            let x: Vec<f64> = x[..prompts.dim].iter().map(|x| f64::from(*x)).collect();
            (vector(&x), f64::from(*y))
        })
        .collect();
    let ((query, label), examples) = points.split_last()?;
    let most = if prompts.dim == 1 { WRITTEN } else { 1 };
    let end = &examples[examples.len().saturating_sub(most)..];
    let end: Vec<String> = end.iter().map(|(x, y)| format!("{x} → {}", number(*y))).collect();
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
    Some(Example {
        given,
        label: tr!("The query's label is {label}.", label = number(*label)),
        answer: told_at_last(run, at, points.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::count;
    use crate::asked::{asked, brief};

    #[test]
    fn the_label_is_the_prompts_function_of_the_query() {
        for link in [
            "#v1/in-context-learning",
            "#v1/in-context-learning?class=linear&dim=5&points=9&format=joint",
            "#v1/in-context-learning?points=3&class=tree&width=8&long=20",
        ] {
            let (run, weights) = asked(link);
            let spec = run.spec();
            let prompts = spec.task.examples().function_prompts().unwrap();
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            assert!(count(&run) > 0, "{link}");
            for at in 0..count(&run) {
                let example = example(&run, at).unwrap();
                brief(&example);
                let mut row = vec![];
                prompts.append_held_out_prompts(spec.run.seed, prompts.points, at..at + 1, &mut row);
                let last = (prompts.points - 1) * prompts.inputs();
                let x: Vec<f64> = row[last..][..prompts.inputs()].iter().map(|x| f64::from(*x)).collect();
                let label = prompts.held_out_function(spec.run.seed, at).evaluate(&x) as f32;
                let expected = format!("The query's label is {}.", number(f64::from(label)));
                assert_eq!(example.label, expected, "{link}");
                let said = format!("The query is {}.", vector(&x[..prompts.dim]));
                assert!(example.given.ends_with(&said), "{example:?}");
                let found = spec.network().evaluate(&slices, prompts.inputs(), &row, 0);
                let expected = number(f64::from(*found.last().unwrap()));
                assert_eq!(example.answer, format!("The network's answer at step 7: {expected}."), "{link}");
            }
            assert_eq!(example(&run, count(&run)), None);
        }
    }
}
