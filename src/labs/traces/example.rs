//! Display of a held-out trace next to the task: its end, the token that follows, and the symbol that the network
//! predicts.

use super::super::answers::{describe_graded_answer, example_count, example_outputs};
use vivarium_science::machines::random::{TAPE_SYMBOLS, token_name};
use vivarium_view::display::words::format_decimal;
use vivarium_view::display::{HeldOutExample, RunView};

/// Maximum number of tokens (step records of the machine) in the text of an example; of a longer trace the last ones
/// are shown.
const MAX_TOKENS: usize = 12;

/// Builds the display of held-out trace number `index`, from 0; `None` if there is none. Only the predicted tape symbol
/// counts as right or wrong, since a randomly drawn machine state cannot be predicted.
pub fn build_example(run: &RunView, index: usize) -> Option<HeldOutExample> {
    let (spec, number) = (run.spec(), index + 1);
    let traces = spec.task.data().traces()?;
    if index >= example_count(run) {
        return None;
    }
    let mut places = vec![];
    traces.build_source().sample_held_out(spec.run.seed, 0, index..number, &mut places);
    let (last, context) = places.split_last()?;
    let tokens: Vec<String> = context.iter().map(|place| token_name(place.token)).collect();
    let (length, end) = (tokens.len(), tokens[tokens.len().saturating_sub(MAX_TOKENS)..].join(" "));
    let given = match length <= MAX_TOKENS {
        true => tr!("Example {number}: the trace {end}.", number, end),
        false => {
            tr!("Example {number}: a trace of {length} tokens that ends with {end}.", number, length, end)
        }
    };
    let token = token_name(last.token);
    let label = match last.last_write {
        Some(written) => tr!(
            "The next token is {token}; its symbol was written {back} steps before.",
            token,
            back = length - written
        ),
        None => tr!(
            "The next token is {token}; the machine's head is on a new cell, so the symbol is random.",
            token
        ),
    };
    let answer = example_outputs(run, index, traces.vocab_size()).map(|(step, logits)| {
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut mass = [0.0; TAPE_SYMBOLS];
        for (token, logit) in logits.iter().enumerate() {
            mass[token % TAPE_SYMBOLS] += libm::exp(f64::from(logit - top));
        }
        let symbol = usize::from(mass[1] > mass[0]);
        let share = format_decimal((mass[symbol] / mass.iter().sum::<f64>()) as f32);
        let answer = tr!("symbol {symbol} with probability {share}", symbol, share);
        describe_graded_answer(step, &answer, symbol == usize::from(last.token) % TAPE_SYMBOLS)
    });
    Some(HeldOutExample { input: given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, run_with_answers};
    use vivarium_model::tasks::Batch;

    #[test]
    fn the_next_token_follows_from_the_tape_and_the_answer_is_the_networks() {
        for link in [
            "#v1/machine-traces?std=1",
            "#v1/machine-traces?next=lot&std=1&t=8",
            "#v1/machine-traces?states=4&t=33",
        ] {
            let (run, weights) = run_with_answers(link);
            let spec = run.spec();
            let traces = spec.task.data().traces().unwrap();
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            assert!(example_count(&run) > 0, "{link}");
            for at in 0..example_count(&run) {
                let example = build_example(&run, at).unwrap();
                assert_brief(&example);
                let mut batch = Batch::default();
                spec.task.sampler().append_held_out(spec.run.seed, at, 1, &mut batch);
                let tokens: Vec<u8> = batch.x.iter().map(|token| *token as u8).collect();
                let (last, context) = tokens.split_last().unwrap();
                let end: Vec<String> = context[context.len().saturating_sub(12)..]
                    .iter()
                    .map(|token| format!("{}{}", char::from(b'A' + token / 2), token % 2))
                    .collect();
                assert!(example.input.ends_with(&format!("{}.", end.join(" "))), "{example:?}");
                // The head is followed by the rules, cell by cell.
                let source = traces.build_source();
                let (mut cell, mut writes) = (0, std::collections::BTreeMap::new());
                for (step, token) in context.iter().enumerate() {
                    writes.insert(cell, step);
                    cell += source.machine().rule(*token).step.offset();
                }
                let token = format!("{}{}", char::from(b'A' + last / 2), last % 2);
                let expected = match writes.get(&cell) {
                    Some(step) => format!(
                        "The next token is {token}; its symbol was written {} steps before.",
                        context.len() - step
                    ),
                    None => format!(
                        "The next token is {token}; the machine's head is on a new cell, so the symbol is random."
                    ),
                };
                assert_eq!(example.label, expected, "{link}");
                let logits = spec.network().evaluate(&slices, traces.vocab_size(), &batch.x, 0);
                let of = |symbol: usize| -> f64 {
                    logits.iter().skip(symbol).step_by(2).map(|logit| f64::from(*logit).exp()).sum()
                };
                let [zero, one] = [of(0), of(1)];
                let symbol = usize::from(one > zero);
                let share = format_decimal(([zero, one][symbol] / (zero + one)) as f32);
                let verdict = if symbol == usize::from(last % 2) { "Right" } else { "Wrong" };
                let expected = format!(
                    "The network's answer at step 7: symbol {symbol} with probability {share}. {verdict}."
                );
                assert_eq!(example.answer, expected, "{link}");
            }
            assert_eq!(build_example(&run, example_count(&run)), None);
        }
    }
}
