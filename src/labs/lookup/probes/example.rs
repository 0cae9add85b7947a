//! Display of a held-out prompt next to the task: what its last position names, its label, and the network's answer.

use crate::answers::{describe_last_answer, format_number, format_vector, sample_example};
use vivarium_view::display::words::join_list;
use vivarium_view::display::{HeldOutExample, RunView};

/// Maximum number of token entries that the text of an example lists; if the named tokens have more, none are listed.
const MAX_TOKEN_NUMBERS: usize = 4;

/// Builds the text of held-out prompt number `index` (from 0): names and tokens at its last position, the label there
/// and the network's output; `None` if there is no such prompt.
pub fn build_example(run: &RunView, index: usize) -> Option<HeldOutExample> {
    let (spec, which) = (run.spec(), index + 1);
    let prompts = spec.task.data().prompts()?;
    let batch = sample_example(run, index)?;
    let ((tokens, names, labels), length) = (prompts.split_row(&batch.x), prompts.length);
    let named: Vec<usize> =
        names.rchunks_exact(prompts.names).next()?.iter().map(|name| *name as usize).collect();
    let token = |place: &usize| -> Option<String> {
        let own = tokens.get(place * prompts.dim..(place + 1) * prompts.dim)?;
        Some(format_vector(&own.iter().map(|x| f64::from(*x)).collect::<Vec<_>>()))
    };
    let names = join_list(&named.iter().map(|place| (place + 1).to_string()).collect::<Vec<_>>());
    let given = match named
        .iter()
        .map(token)
        .collect::<Option<Vec<_>>>()
        .filter(|_| named.len() * prompts.dim <= MAX_TOKEN_NUMBERS)
    {
        Some(tokens) => tr!(
            "Example {which}. Names at position {length}: {names}. Tokens at the named positions: {tokens}.",
            which,
            length,
            names,
            tokens = join_list(&tokens)
        ),
        None => tr!("Example {which}. Names at position {length}: {names}.", which, length, names),
    };
    Some(HeldOutExample {
        input: given,
        label: tr!("The label is {label}.", label = format_number(f64::from(*labels.last()?))),
        answer: describe_last_answer(run, index, length),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, run_with_answers};
    use crate::answers::example_count;
    use vivarium_model::tasks::Batch;

    #[test]
    fn the_label_is_the_function_of_the_named_tokens() {
        for (link, has_tokens) in [
            ("#v1/sparse-token-regression", true),
            ("#v1/sparse-token-regression?model=token-mlp&g=mean&q=3", true),
            ("#v1/sparse-token-regression?model=gated-memory&g=linear", true),
            ("#v1/sparse-token-regression?dim=9&q=6&n=20", false),
        ] {
            let (run, weights) = run_with_answers(link);
            let spec = run.spec();
            let prompts = spec.task.data().prompts().unwrap();
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            assert!(example_count(&run) > 0, "{link}");
            for at in 0..example_count(&run) {
                let example = build_example(&run, at).unwrap();
                assert_brief(&example);
                let mut batch = Batch::default();
                spec.task.sampler().append_held_out(spec.run.seed, at, 1, &mut batch);
                let (tokens, names, _) = prompts.split_row(&batch.x);
                let named = &names[(prompts.length - 1) * prompts.names..];
                let place = |name: &f32| *name as usize * prompts.dim;
                let numbers: Vec<f64> = named
                    .iter()
                    .flat_map(|name| &tokens[place(name)..][..prompts.dim])
                    .map(|x| f64::from(*x))
                    .collect();
                let label = f64::from(prompts.teacher(spec.run.seed).compute_label(&numbers) as f32);
                assert_eq!(example.label, format!("The label is {}.", format_number(label)), "{link}");
                let first =
                    format!("Example {}. Names at position {}: {}", at + 1, prompts.length, named[0] + 1.0);
                assert!(example.input.starts_with(&first), "{example:?}");
                assert_eq!(example.input.contains(&format_number(numbers[0])), has_tokens, "{example:?}");
                let found = spec.network().evaluate(&slices, prompts.encoded_dim(), &batch.x, 0);
                let expected = format_number(f64::from(*found.last().unwrap()));
                assert_eq!(example.answer, format!("The network's answer at step 7: {expected}."), "{link}");
            }
            assert_eq!(build_example(&run, example_count(&run)), None);
        }
    }
}
