//! Display of a held-out sequence next to the task: its end, the symbol that follows, and the probability that the
//! network gives it.

use super::super::answers::{example_count, example_outputs};
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::chains::{join_symbols, symbol_letter};
use vivarium_science::markov::softmax;
use vivarium_view::display::words::{format_decimal, format_thousands};
use vivarium_view::display::{HeldOutExample, RunView};

/// Maximum number of symbols in the text of an example; of a longer context the last ones are shown.
const MAX_SYMBOLS: usize = 20;

/// Builds the text of held-out sequence number `index`, from 0, with its next symbol and the network's prediction;
/// `None` if there is no such sequence.
pub fn build_example(run: &RunView, index: usize) -> Option<HeldOutExample> {
    let (spec, number) = (run.spec(), index + 1);
    let Task::MarkovChain(task) = &spec.task else { return None };
    if index >= example_count(run) {
        return None;
    }
    let (seed, mut sequence) = (spec.run.seed, vec![]);
    task.append_held_out_sequences(task.test, seed, index..number, &mut sequence);
    let (last, context) = sequence.split_last()?;
    let symbols = join_symbols(&context[context.len().saturating_sub(MAX_SYMBOLS)..]);
    let length = context.len();
    let given = match length <= MAX_SYMBOLS {
        true => tr!("Example {number}: the sequence {symbols}.", number, symbols),
        false => {
            tr!(
                "Example {number}: a sequence of {length} symbols that ends with …{symbols}.",
                number,
                length,
                symbols
            )
        }
    };
    let chain = task.held_out_chain(task.test, seed, index);
    let truth = chain.probability(chain.context_index(context), usize::from(*last));
    let (symbol, truth) = (symbol_letter(usize::from(*last)), format_decimal(truth as f32));
    let label = tr!("The next symbol is {symbol}; its probability in this chain is {truth}.", symbol, truth);
    let answer = example_outputs(run, index, task.symbols).and_then(|(step, logits)| {
        let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
        let mut shares = vec![0.0; logits.len()];
        softmax(&logits, &mut shares);
        let (step, share) = (format_thousands(step), format_decimal(*shares.get(usize::from(*last))? as f32));
        Some(tr!(
            "The network's answer at step {step}: {symbol} with probability {share}.",
            step,
            symbol,
            share
        ))
    });
    Some(HeldOutExample { input: given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, run_with_answers};
    use vivarium_model::tasks::Sampler;

    #[test]
    fn the_next_symbol_has_the_probability_of_its_chain_and_of_the_network() {
        for link in
            ["#v1/markov?std=1&t=30", "#v1/markov?k=3&gram=3&std=1", "#v1/markov?model=minimal-markov&t=12"]
        {
            let (run, weights) = run_with_answers(link);
            let spec = run.spec();
            let Task::MarkovChain(task) = &spec.task else { panic!("another task") };
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            assert!(example_count(&run) > 0, "{link}");
            for at in 0..example_count(&run) {
                let example = build_example(&run, at).unwrap();
                assert_brief(&example);
                let mut batch = vivarium_model::tasks::Batch::default();
                task.append_held_out(spec.run.seed, at, 1, &mut batch);
                let (context, last) = (&batch.x[..task.length], batch.y[0] as usize);
                let name = |symbol: &f32| char::from(b'a' + *symbol as u8);
                let end: String = context[task.length.saturating_sub(20)..].iter().map(name).collect();
                assert!(example.input.ends_with(&format!("{end}.")), "{example:?}");
                assert_eq!(example.input.contains('…'), task.length > 20);
                // The context of the chain, digit by digit.
                let digits = &context[task.length - (task.order - 1)..];
                let place = digits.iter().fold(0, |place, digit| place * task.symbols + *digit as usize);
                let chain = task.held_out_chain(task.test, spec.run.seed, at);
                let truth = f64::from(chain.rows[place * task.symbols + last]) / f64::from(1 << 24);
                let symbol = name(&batch.y[0]);
                let expected = format!(
                    "The next symbol is {symbol}; its probability in this chain is {}.",
                    format_decimal(truth as f32)
                );
                assert_eq!(example.label, expected);
                let logits = spec.network().evaluate(&slices, task.symbols, &batch.x, 0);
                let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
                let share = f64::from(logits[last]).exp() / sum;
                let expected = format!(
                    "The network's answer at step 7: {symbol} with probability {}.",
                    format_decimal(share as f32)
                );
                assert_eq!(example.answer, expected);
            }
            assert_eq!(build_example(&run, example_count(&run)), None);
        }
    }

    #[test]
    fn a_network_that_takes_long_answers_fewer_sequences_and_a_huge_one_none() {
        let count = |link: &str| example_count(&run_with_answers(link).0);
        assert!(count("#v1/markov?t=20&d=4") == 16);
        assert!((1..16).contains(&count("#v1/markov?t=100&k=3")));
        let (link, _) = vivarium_model::permalink::decode("#v1/markov?t=256&d=128&heads=8.8.8.8");
        let mut run = RunView { link, ..RunView::default() };
        run.reset_to_start(&crate::LABS);
        assert_eq!((super::example_count(&run), build_example(&run, 0)), (0, None));
    }
}
