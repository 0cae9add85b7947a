//! Tests of the whole: tokens against the tape, and the tables of the construction's text.

use std::sync::Arc;

use super::library::{EXAMPLES, example};
use super::*;
use vivarium_core::rng::{Purpose, Stream};

/// A run and its transformer, before the first step.
fn set_up(slug: &str, steps: usize, sigma: f64, replica: u32, how: How) -> (Run, Transformer) {
    let example = example(slug).unwrap();
    let machine = example.machine().unwrap();
    let input = machine.read(example.input).unwrap();
    let run = Run::new(&machine, &input, example.start, steps).unwrap();
    let construction = Construction::new(&machine, run.position_bits()).unwrap().noisy(sigma, 7, replica);
    let transformer = Transformer::new(Arc::new(construction), &input, run.start, how).unwrap();
    (run, transformer)
}

/// The first wrong step of an example with this noise.
fn first_wrong(slug: &str, steps: usize, sigma: f64, replica: u32, how: How) -> Option<usize> {
    let (run, mut transformer) = set_up(slug, steps, sigma, replica, how);
    transformer.follow(&run)
}

/// Tokens are the tape's, all numbers are 0 or 1, and winners lead by at least 1.
fn check(run: &Run, construction: Construction, how: How) {
    let mut transformer = Transformer::new(Arc::new(construction), &run.input, run.start, how).unwrap();
    for (at, moment) in run.moments.iter().enumerate() {
        assert_eq!(transformer.advance().as_ref(), Some(moment), "step {}", at + 1);
        let trace = transformer.trace().unwrap();
        assert!(trace.deviation() <= 4.5e-16, "{} at step {}", trace.deviation(), at + 1);
        assert!(trace.gap().unwrap() >= 1.0 - 1e-12, "{:?} at step {}", trace.gap(), at + 1);
        assert!(trace.stages.iter().all(|stage| deviation(&stage.residual) <= 4.5e-16));
    }
    assert_eq!(transformer.first_wrong(run), None);
}

#[test]
fn every_example_is_what_it_says() {
    let mut slugs: Vec<&str> = EXAMPLES.iter().map(|example| example.slug).collect();
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!(slugs.len(), EXAMPLES.len());
    for example in &EXAMPLES {
        let machine = example.machine().unwrap();
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        assert!(!example.name().is_empty() && example.about().ends_with('.'));
        let input = machine.read(example.input).unwrap();
        let run = Run::new(&machine, &input, example.start, example.steps).unwrap();
        let expected = example.halts.filter(|halts| *halts <= example.steps as u64);
        assert_eq!(run.halt.map(|(steps, _)| steps), expected, "{}", example.slug);
    }
    assert!(example("nothing").is_none());
}

#[test]
fn the_examples_compute_what_they_should() {
    let tape = |slug: &str, input: &str, start: usize| {
        let machine = example(slug).unwrap().machine().unwrap();
        let symbols = machine.read(input).unwrap();
        let run = Run::new(&machine, &symbols, start, 5000).unwrap();
        let tape = machine.spell(run.tape(5000)).trim_matches('_').to_string();
        (tape, run.halt.unwrap().1)
    };
    for number in 1..40u32 {
        let text = format!("{number:b}");
        assert_eq!(tape("increment", &text, 2).0, format!("{:b}", number + 1));
        assert_eq!(tape("collatz", &text, 200).0, "1");
        let odd = number.count_ones() % 2;
        assert_eq!(tape("parity", &text, 0).0, format!("{text}{odd}"));
        assert_eq!(tape("copier", &text, 1).0, format!("{text}_{text}"));
        let same = text.chars().rev().eq(text.chars());
        let verdict = |halt| matches!(halt, Halt::State { verdict: Verdict::Accepts, .. });
        assert_eq!(verdict(tape("palindrome", &text, 1).1), same, "{text}");
        let brackets = text.replace('1', "(").replace('0', ")");
        let depth = brackets.chars().try_fold(0i32, |depth, one| {
            let depth = if one == '(' { depth + 1 } else { depth - 1 };
            (depth >= 0).then_some(depth)
        });
        assert_eq!(verdict(tape("brackets", &brackets, 1).1), depth == Some(0), "{brackets}");
    }
    assert_eq!(tape("unary-addition", "111+11", 0).0, "11111");
}

#[test]
fn beavers_work_as_long_as_they_should() {
    for (slug, steps, ones) in [
        ("busy-beaver-2", 6, 4),
        ("busy-beaver-3", 21, 5),
        ("busy-beaver-4", 107, 13),
        ("busy-beaver-5", 47_176_870, 4098),
    ] {
        let machine = example(slug).unwrap().machine().unwrap();
        let mut simulator = Simulator::new(&machine, &[]);
        while simulator.step() {}
        let (least, most) = simulator.reach();
        let count = (least..=most).filter(|cell| simulator.read(*cell) == 1).count();
        assert_eq!((simulator.steps(), count), (steps, ones), "{slug}");
    }
}

/// P1 of the text.
#[test]
fn tokens_are_the_tape_for_every_example() {
    for example in &EXAMPLES {
        let machine = example.machine().unwrap();
        let input = machine.read(example.input).unwrap();
        let run = Run::new(&machine, &input, example.start, example.steps.min(160)).unwrap();
        let construction = Construction::new(&machine, run.position_bits()).unwrap();
        for rounding in [true, false] {
            check(&run, construction.clone(), How { choice: Choice::Hard, rounding });
        }
    }
}

/// A machine with every kind of move and missing rules, from its number.
fn random(number: u64) -> (Machine, Vec<usize>, usize, usize) {
    let stream = Stream::new(number, Purpose::Sample, 0);
    let below = |index: u32, bound: usize| stream.below(0, index, bound as u32) as usize;
    let (states, symbols) = (1 + below(0, 6), 2 + below(1, 3));
    let letters = ["_", "a", "b", "c"];
    let mut text = String::new();
    for state in 0..states {
        for (symbol, read) in letters.iter().enumerate().take(symbols) {
            let at = 100 + 10 * (state * symbols + symbol) as u32;
            if (state, symbol) != (0, 0) && below(at, 12) == 0 {
                continue;
            }
            let write = letters[below(at + 1, symbols)];
            let step = ["L", "R", "R", "L", "S"][below(at + 2, 5)];
            text += &format!("q{state} {read} → {write} {step} q{}\n", below(at + 3, states));
        }
    }
    let machine = Machine::parse(&text).unwrap();
    assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine, "{text}");
    assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine, "{text}");
    let size = machine.symbols().len();
    let input = (0..below(2, 6) as u32).map(|i| below(10 + i, size)).collect();
    (machine, input, below(3, 9), 1 + below(4, 24))
}

#[test]
fn tokens_are_the_tape_for_a_thousand_random_machines() {
    let mut left = 0;
    for number in 0..1000 {
        let (machine, input, start, steps) = random(number);
        let run = Run::new(&machine, &input, start, steps).unwrap_or_else(|mistake| {
            let Mistake::OffTheTape { needed, .. } = mistake else { panic!("{mistake}") };
            left += 1;
            Run::new(&machine, &input, needed as usize, steps).unwrap()
        });
        let construction = Construction::new(&machine, run.position_bits()).unwrap();
        check(&run, construction, How { choice: Choice::Hard, rounding: number % 2 == 0 });
    }
    assert!(left > 50, "{left} heads had left the tape");
}

/// The blocks' table of an independent program, whose blocks lack one weight that is 1: st\[0\] ← scr4\[2\] of step 0.
#[test]
fn sizes_are_those_of_the_reference_table() {
    let table = [
        ("increment", 4, 36, 8, 31_635, 666, 781),
        ("busy-beaver-3", 5, 37, 9, 37_633, 801, 971),
        ("palindrome", 6, 49, 10, 71_470, 1_185, 1_420),
        ("busy-beaver-4", 7, 46, 11, 69_630, 1_235, 1_545),
    ];
    for (slug, bits, width, blocks, parameters, entries, norm) in table {
        let (run, transformer) = set_up(slug, example(slug).unwrap().steps, 0.0, 0, How::default());
        assert_eq!(run.position_bits(), bits);
        let counts = transformer.construction().counts();
        assert_eq!((counts.width, counts.blocks, counts.bits), (width, blocks, u64::from(bits)));
        assert_eq!(counts.parameters, parameters);
        assert_eq!((counts.entries, counts.norm), (entries + 1, f64::from(norm) + 1.0));
    }
}

#[test]
fn every_number_stands_in_a_tensor_with_a_name() {
    let (_, transformer) = set_up("increment", 14, 0.0, 0, How::default());
    let construction = transformer.construction();
    let tensors: Vec<Tensor> = construction.tensors().collect();
    let counts = construction.counts();
    assert_eq!(tensors.iter().map(|tensor| tensor.values.len() as u64).sum::<u64>(), counts.parameters);
    let entries = tensors.iter().flat_map(|tensor| &tensor.values).filter(|value| **value != 0.0).count();
    assert_eq!(entries as u64, counts.entries);
    for tensor in &tensors {
        assert_eq!(tensor.values.len(), tensor.rows * tensor.columns.unwrap_or(1), "{}", tensor.name);
    }
    let mut names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(
        names[..4],
        ["apply.layers.0.weight", "apply.layers.0.bias", "apply.layers.1.weight", "apply.layers.1.bias"]
    );
    assert!(names.contains(&"search.3.own.null_key") && names.contains(&"fetch.input.value.bias"));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), tensors.len());
}

/// The transformer executed from its tensors alone: plain loops, all keys and values anew in each step.
fn plain(construction: &Construction, run: &Run, how: How) -> Vec<Vec<f64>> {
    let layout = construction.layout();
    let tensors: std::collections::BTreeMap<String, Tensor> =
        construction.tensors().map(|tensor| (tensor.name.clone(), tensor)).collect();
    let affine = |name: &str, x: &[f64]| -> Vec<f64> {
        let (weight, bias) = (&tensors[&format!("{name}.weight")], &tensors[&format!("{name}.bias")]);
        let rows = weight.values.chunks(x.len()).zip(&bias.values);
        rows.map(|(row, bias)| row.iter().zip(x).fold(*bias, |sum, (w, x)| sum + w * x)).collect()
    };
    let attend = |name: &str, h: &[f64], past: &[Vec<f64>]| -> Vec<f64> {
        let query = affine(&format!("{name}.query"), h);
        let score = |key: &[f64]| query.iter().zip(key).fold(0.0, |sum, (q, k)| sum + q * k);
        let mut slots = vec![(
            score(&tensors[&format!("{name}.null_key")].values),
            tensors[&format!("{name}.null_value")].values.clone(),
        )];
        slots.extend(
            past.iter()
                .map(|h| (score(&affine(&format!("{name}.key"), h)), affine(&format!("{name}.value"), h))),
        );
        let best = slots.iter().fold(f64::NEG_INFINITY, |best, (score, _)| best.max(*score));
        let share = |score: f64| match how.choice {
            Choice::Hard => f64::from(u8::from(score == best)),
            Choice::Soft(beta) => libm::exp(beta * (score - best)),
        };
        let total = slots.iter().fold(0.0, |sum, (score, _)| sum + share(*score));
        (0..h.len())
            .map(|row| {
                h[row]
                    + slots.iter().fold(0.0, |sum, (score, value)| sum + share(*score) * value[row]) / total
            })
            .collect()
    };
    let encoder: Vec<Vec<f64>> = (run.start..)
        .zip(&run.input)
        .map(|(cell, symbol)| {
            let mut token = vec![0.0; layout.width()];
            token[layout.at(Group::Symbol, *symbol)] = 1.0;
            layout.write(&mut token, Group::Time, cell);
            token
        })
        .collect();
    let mut h = vec![0.0; layout.width()];
    h[layout.at(Group::Flags, 2)] = 1.0;
    layout.write(&mut h, Group::Before, run.start);
    let mut past = vec![Vec::new(); construction.blocks().len()];
    let mut outputs = Vec::new();
    for step in 0..=run.moments.len() {
        let mut number = vec![0.0; layout.width()];
        layout.write(&mut number, Group::Time, step);
        h.iter_mut().zip(number).for_each(|(h, bit)| *h += bit);
        for (block, past) in construction.blocks().iter().zip(&mut past) {
            if step > 0 {
                past.push(h.clone());
            }
            let key = block.phase.key();
            if block.own.is_some() {
                h = attend(&format!("{key}.own"), &h, past);
            }
            if block.input.is_some() {
                h = attend(&format!("{key}.input"), &h, &encoder);
            }
            for layer in 0..block.layers.len() {
                h = affine(&format!("{key}.layers.{layer}"), &h);
                h.iter_mut().for_each(|z| *z = z.max(0.0));
            }
            if how.rounding {
                h.iter_mut().for_each(|z| *z = round(*z));
            }
        }
        outputs.push(h.clone());
    }
    outputs
}

#[test]
fn plain_products_of_the_tensors_give_the_same_numbers() {
    let soft = Choice::Soft(9.0);
    for (sigma, choice, rounding) in [
        (0.0, Choice::Hard, true),
        (0.0, soft, false),
        (0.01, Choice::Hard, true),
        (1e-3, soft, true),
        (1e-5, soft, false),
    ] {
        for slug in ["busy-beaver-3", "increment"] {
            let how = How { choice, rounding };
            let (run, mut transformer) = set_up(slug, 14, sigma, 0, how);
            let expected = plain(transformer.construction(), &run, how);
            for (step, expected) in (0..).zip(&expected) {
                if step > 0 {
                    transformer.advance();
                }
                assert_eq!(transformer.output(step), Some(expected.as_slice()), "{slug} {sigma} step {step}");
            }
        }
    }
}

#[test]
fn a_step_can_be_looked_at_again() {
    let (run, mut transformer) = set_up("increment", 14, 1e-3, 2, How::default());
    let mut traces = Vec::new();
    for _ in &run.moments {
        transformer.advance();
        traces.extend(transformer.trace().cloned());
    }
    for (at, trace) in traces.iter().enumerate() {
        assert_eq!(transformer.revisit(at + 1).as_ref(), Some(trace));
        assert_eq!(transformer.output(at + 1), trace.stages.last().map(|stage| stage.residual.as_slice()));
    }
    assert_eq!(transformer.revisit(15), None);
    let begun = transformer.revisit(0).unwrap();
    assert_eq!(transformer.output(0), begun.stages.last().map(|stage| stage.residual.as_slice()));
    // Step 15 is the last that four bits hold.
    assert!(transformer.advance().is_some());
    assert_eq!((transformer.advance(), transformer.steps()), (None, 15));
}

#[test]
fn the_search_finds_the_last_step_that_wrote_the_cell() {
    let (run, mut transformer) = set_up("busy-beaver-4", 107, 0.0, 0, How::default());
    for step in 1..=107 {
        transformer.advance();
        let trace = transformer.trace().unwrap();
        let layout = transformer.construction().layout();
        let fetch = trace.stages.last().unwrap();
        let before = &trace.stages[trace.stages.len() - 2].residual;
        // The cell that step t wrote is that of the head before it.
        let wrote = |t: usize| if t == 1 { run.start } else { run.moments[t - 2].head };
        let expected = (1..=step).rev().find(|t| wrote(*t) == run.moments[step - 1].head).unwrap_or(0);
        assert_eq!(layout.number(before, Group::Prefix), expected);
        assert_eq!(before[layout.at(Group::Flags, 0)], f64::from(u8::from(expected > 0)));
        let look = fetch.own.as_ref().unwrap();
        assert_eq!(look.null, f64::from(u8::from(expected == 0)));
        assert!(expected == 0 || look.weights[expected - 1] == 1.0);
        // Every round leaves fewer candidates; the last leaves the step that was found.
        let candidates: Vec<Vec<usize>> = (0..=7).map(|known| transformer.candidates(trace, known)).collect();
        assert_eq!(candidates[0].is_empty(), expected == 0);
        assert!(candidates.windows(2).all(|pair| pair[1].iter().all(|t| pair[0].contains(t))));
        assert_eq!(candidates[7], if expected == 0 { vec![] } else { vec![expected] });
    }
}

/// P3 of the text. Its draws are others than ours, so that only what holds for all of its draws is compared.
#[test]
fn rounding_makes_noise_harmless() {
    let how = |rounding| How { choice: Choice::Hard, rounding };
    for (slug, steps, draws) in
        [("busy-beaver-4", 107, 4), ("palindrome", 60, 4), ("counter", 100, 4), ("counter", 400, 2)]
    {
        for replica in 0..draws {
            let first = |sigma, rounding| first_wrong(slug, steps, sigma, replica, how(rounding));
            let found = [first(1e-5, false), first(1e-3, false), first(3e-3, true), first(1e-2, true)];
            assert_eq!(found[2], None);
            assert!(found[0].is_some_and(|step| step > 3 && step < 60), "{found:?}");
            assert!(found[1].is_some_and(|step| step < 12 && Some(step) <= found[0]), "{found:?}");
        }
    }
}

/// P4 of the text: the smallest β of its grid that works.
#[test]
fn softmax_does_as_well_if_it_is_sharp_enough() {
    let grid = [1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0];
    let smallest = |slug: &str, steps, rounding| {
        let works = |beta: &&f64| {
            first_wrong(slug, steps, 0.0, 0, How { choice: Choice::Soft(**beta), rounding }).is_none()
        };
        grid.iter().find(works).copied()
    };
    let table = [
        ("counter", 100, Some(3.5), None),
        ("counter", 400, Some(5.0), None),
        ("busy-beaver-4", 107, Some(3.5), None),
        ("right", 100, Some(2.0), Some(5.5)),
        ("right", 400, Some(3.0), Some(6.5)),
    ];
    for (slug, steps, on, off) in table {
        let found = (smallest(slug, steps, true), smallest(slug, steps, false));
        assert_eq!(found, (on, off), "{slug} T = {steps}");
        assert!(found.0.unwrap() <= Choice::safe_beta(steps, 1) + 0.5);
    }
}

#[test]
fn noise_is_a_function_of_seed_and_replica() {
    let make = |seed, replica| {
        let machine = example("increment").unwrap().machine().unwrap();
        Construction::new(&machine, 4).unwrap().noisy(0.1, seed, replica)
    };
    assert_eq!(make(1, 2), make(1, 2));
    assert_ne!(make(1, 2), make(1, 3));
    assert_ne!(make(1, 2), make(2, 2));
    let counts = make(1, 2).counts();
    assert_eq!(counts.entries, counts.parameters, "every weight has noise, those that were 0 as well");
    let exact = Construction::new(&example("increment").unwrap().machine().unwrap(), 4).unwrap();
    let pairs: Vec<f64> = make(1, 2)
        .tensors()
        .zip(exact.tensors())
        .flat_map(|(a, b)| a.values.into_iter().zip(b.values).map(|(a, b)| a - b).collect::<Vec<_>>())
        .collect();
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    let variance = pairs.iter().map(|x| x * x).sum::<f64>() / pairs.len() as f64;
    assert!(mean.abs() < 0.003 && (variance.sqrt() - 0.1).abs() < 0.003, "{mean} {variance}");
    // The first tensor's second number is draw 1 of tensor 0, and is a number in single precision.
    let draw = 0.1 * f64::from(Stream::new(1, PURPOSE, 2).normal(0, 1));
    let draw = f64::from(draw as f32);
    assert_eq!(make(1, 2).tensors().next().unwrap().values[1], draw);
}

#[test]
fn positions_that_do_not_fit_are_refused() {
    let machine = example("increment").unwrap().machine().unwrap();
    let sentence = |bits| Construction::new(&machine, bits).unwrap_err().to_string();
    assert_eq!(sentence(0), "the number of bits of a position must be from 1 to 15 in this run, but it is 0");
    assert_eq!(
        sentence(16),
        "the number of bits of a position must be from 1 to 15 in this run, but it is 16"
    );
    let construction = Arc::new(Construction::new(&machine, 4).unwrap());
    let start = |start| Transformer::new(construction.clone(), &[1, 1], start, How::default());
    assert!(start(14).is_ok());
    assert_eq!(
        start(15).unwrap_err().to_string(),
        "the number of bits of a position must be from 5 to 15 in this run, but it is 4"
    );
    let sentence = start(usize::MAX).unwrap_err().to_string();
    assert_eq!(
        sentence,
        format!(
            "the start cell or the last symbol of the input is at cell {}, but the largest allowed cell is 16384",
            u64::MAX
        )
    );
}

#[test]
fn the_cost_of_a_run_is_known_before() {
    let (_, transformer) = set_up("busy-beaver-4", 107, 0.0, 0, How::default());
    let cost = transformer.construction().cost(107, 0);
    assert!(cost.operations < 1_500_000, "{cost:?}");
    let noisy = transformer.construction().clone().noisy(1e-3, 0, 0).cost(107, 0);
    assert!(noisy.operations > 7_000_000 && noisy.operations < 10_000_000, "{noisy:?}");
    assert!(transformer.construction().cost(10_000, 0).bytes < 30_000_000);
}
