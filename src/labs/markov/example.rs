//! A held-out sequence beside the task: its end, the symbol that follows, and the probability that the network gives it.

use super::super::answers::{count, outputs};
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::chains::{letter, word};
use vivarium_science::markov::softmax;
use vivarium_view::display::words::{decimal, thousands};
use vivarium_view::display::{Example, RunView};

/// Symbols that are written down, from the end of the context.
const WRITTEN: usize = 20;

/// Example `at`.
pub fn example(run: &RunView, at: usize) -> Option<Example> {
    let (spec, number) = (run.spec(), at + 1);
    let Task::MarkovChain(task) = &spec.task else { return None };
    if at >= count(run) {
        return None;
    }
    let (seed, mut sequence) = (spec.run.seed, vec![]);
    task.held_out_sequences(task.test, seed, at..number, &mut sequence);
    let (last, context) = sequence.split_last()?;
    let symbols = word(&context[context.len().saturating_sub(WRITTEN)..]);
    let length = context.len();
    let given = match length <= WRITTEN {
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
    let chain = task.held_out_chain(task.test, seed, at);
    let truth = chain.probability(chain.context_index(context), usize::from(*last));
    let (symbol, truth) = (letter(usize::from(*last)), decimal(truth as f32));
    let label = tr!("The next symbol is {symbol}; its probability in this chain is {truth}.", symbol, truth);
    let answer = outputs(run, at, task.symbols).and_then(|(step, logits)| {
        let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
        let mut shares = vec![0.0; logits.len()];
        softmax(&logits, &mut shares);
        let (step, share) = (thousands(step), decimal(*shares.get(usize::from(*last))? as f32));
        Some(tr!(
            "The network's answer at step {step}: {symbol} with probability {share}.",
            step,
            symbol,
            share
        ))
    });
    Some(Example { given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::{asked, brief};
    use vivarium_model::tasks::Sampler;

    #[test]
    fn the_next_symbol_has_the_probability_of_its_chain_and_of_the_network() {
        for link in
            ["#v1/markov?std=1&t=30", "#v1/markov?k=3&gram=3&std=1", "#v1/markov?model=minimal-markov&t=12"]
        {
            let (run, weights) = asked(link);
            let spec = run.spec();
            let Task::MarkovChain(task) = &spec.task else { panic!("another task") };
            let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            assert!(count(&run) > 0, "{link}");
            for at in 0..count(&run) {
                let example = example(&run, at).unwrap();
                brief(&example);
                let mut batch = vivarium_model::tasks::Batch::default();
                task.held_out(spec.run.seed, at, 1, &mut batch);
                let (context, last) = (&batch.x[..task.length], batch.y[0] as usize);
                let name = |symbol: &f32| char::from(b'a' + *symbol as u8);
                let end: String = context[task.length.saturating_sub(20)..].iter().map(name).collect();
                assert!(example.given.ends_with(&format!("{end}.")), "{example:?}");
                assert_eq!(example.given.contains('…'), task.length > 20);
                // The context of the chain, digit by digit.
                let digits = &context[task.length - (task.order - 1)..];
                let place = digits.iter().fold(0, |place, digit| place * task.symbols + *digit as usize);
                let chain = task.held_out_chain(task.test, spec.run.seed, at);
                let truth = f64::from(chain.rows[place * task.symbols + last]) / f64::from(1 << 24);
                let symbol = name(&batch.y[0]);
                let expected = format!(
                    "The next symbol is {symbol}; its probability in this chain is {}.",
                    decimal(truth as f32)
                );
                assert_eq!(example.label, expected);
                let logits = spec.network().evaluate(&slices, task.symbols, &batch.x, 0);
                let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
                let share = f64::from(logits[last]).exp() / sum;
                let expected = format!(
                    "The network's answer at step 7: {symbol} with probability {}.",
                    decimal(share as f32)
                );
                assert_eq!(example.answer, expected);
            }
            assert_eq!(example(&run, count(&run)), None);
        }
    }

    #[test]
    fn a_network_that_takes_long_is_asked_about_fewer_sequences_and_a_huge_one_about_none() {
        let count = |link: &str| count(&asked(link).0);
        assert!(count("#v1/markov?t=20&d=4") == 16);
        assert!((1..16).contains(&count("#v1/markov?t=100&k=3")));
        let (link, _) = vivarium_model::permalink::decode("#v1/markov?t=256&d=128&heads=8.8.8.8");
        let mut run = RunView { link, ..RunView::default() };
        run.set_up(&crate::LABS);
        assert_eq!((super::count(&run), example(&run, 0)), (0, None));
    }
}
