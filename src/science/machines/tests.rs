//! Tests of the whole transformer: tokens compared with the simulator, and sizes compared with an independent program.

use std::sync::Arc;

use super::library::{EXAMPLES, find_example};
use super::*;
use vivarium_core::rng::{Purpose, RandomStream};

/// The simulator's run of an example, and the transformer before its first step.
fn set_up(
    slug: &str,
    steps: usize,
    sigma: f64,
    replica: u32,
    mode: ExecutionMode,
) -> (MachineRun, Transformer) {
    let example = find_example(slug).unwrap();
    let machine = example.parse_machine().unwrap();
    let input = machine.parse_input(example.input).unwrap();
    let run = MachineRun::new(&machine, &input, example.start, steps).unwrap();
    let construction =
        Construction::new(&machine, run.position_bits()).unwrap().with_noise(sigma, 7, replica);
    let transformer = Transformer::new(Arc::new(construction), &input, run.start, mode).unwrap();
    (run, transformer)
}

/// The first wrong step of the transformer for an example with noise `sigma`.
fn first_wrong(slug: &str, steps: usize, sigma: f64, replica: u32, mode: ExecutionMode) -> Option<usize> {
    let (run, mut transformer) = set_up(slug, steps, sigma, replica, mode);
    transformer.run_until_wrong(&run)
}

/// Asserts that all tokens equal the simulator's records, that all numbers are 0 or 1, and that score gaps are at least 1.
fn check(run: &MachineRun, construction: Construction, mode: ExecutionMode) {
    let mut transformer = Transformer::new(Arc::new(construction), &run.input, run.start, mode).unwrap();
    for (at, moment) in run.records.iter().enumerate() {
        assert_eq!(transformer.advance().as_ref(), Some(moment), "step {}", at + 1);
        let trace = transformer.last_trace().unwrap();
        assert!(trace.deviation() <= 4.5e-16, "{} at step {}", trace.deviation(), at + 1);
        assert!(
            trace.min_score_gap().unwrap() >= 1.0 - 1e-12,
            "{:?} at step {}",
            trace.min_score_gap(),
            at + 1
        );
        assert!(trace.blocks.iter().all(|stage| deviation(&stage.residual) <= 4.5e-16));
    }
    assert_eq!(transformer.first_wrong_step(run), None);
}

#[test]
fn every_example_halts_at_its_stated_step() {
    let mut slugs: Vec<&str> = EXAMPLES.iter().map(|example| example.slug).collect();
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!(slugs.len(), EXAMPLES.len());
    for example in &EXAMPLES {
        let machine = example.parse_machine().unwrap();
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        assert!(!example.name().is_empty() && example.about().ends_with('.'));
        let input = machine.parse_input(example.input).unwrap();
        let run = MachineRun::new(&machine, &input, example.start, example.steps).unwrap();
        let expected = example.halting_step.filter(|halts| *halts <= example.steps as u64);
        assert_eq!(run.halt.map(|(steps, _)| steps), expected, "{}", example.slug);
    }
    assert!(find_example("nothing").is_none());
}

#[test]
fn the_examples_compute_their_functions() {
    let tape = |slug: &str, input: &str, start: usize| {
        let machine = find_example(slug).unwrap().parse_machine().unwrap();
        let symbols = machine.parse_input(input).unwrap();
        let run = MachineRun::new(&machine, &symbols, start, 5000).unwrap();
        let tape = machine.format_symbols(run.tape_after(5000)).trim_matches('_').to_string();
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
        let verdict = |halt| matches!(halt, HaltReason::State { verdict: Verdict::Accepts, .. });
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
fn busy_beavers_halt_at_the_published_step() {
    for (slug, steps, ones) in [
        ("busy-beaver-2", 6, 4),
        ("busy-beaver-3", 21, 5),
        ("busy-beaver-4", 107, 13),
        ("busy-beaver-5", 47_176_870, 4098),
    ] {
        let machine = find_example(slug).unwrap().parse_machine().unwrap();
        let mut simulator = Simulator::new(&machine, &[]);
        while simulator.step() {}
        let (min, max) = simulator.head_range();
        let count = (min..=max).filter(|cell| simulator.symbol_at(*cell) == 1).count();
        assert_eq!((simulator.steps(), count), (steps, ones), "{slug}");
    }
}

#[test]
fn tokens_equal_the_simulation_for_every_example() {
    for example in &EXAMPLES {
        let machine = example.parse_machine().unwrap();
        let input = machine.parse_input(example.input).unwrap();
        let run = MachineRun::new(&machine, &input, example.start, example.steps.min(160)).unwrap();
        let construction = Construction::new(&machine, run.position_bits()).unwrap();
        for rounding in [true, false] {
            check(&run, construction.clone(), ExecutionMode { attention: AttentionMode::Hard, rounding });
        }
    }
}

/// A random machine with all moves and some missing rules, with input, start cell and steps, determined by `number`.
pub(super) fn random(number: u64) -> (Machine, Vec<usize>, usize, usize) {
    let stream = RandomStream::new(number, Purpose::Sample, 0);
    let below = |index: u32, bound: usize| stream.draw_below(0, index, bound as u32) as usize;
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
fn tokens_equal_the_simulation_for_a_thousand_random_machines() {
    let mut left = 0;
    for number in 0..1000 {
        let (machine, input, start, steps) = random(number);
        let run = MachineRun::new(&machine, &input, start, steps).unwrap_or_else(|mistake| {
            let MachineError::HeadLeavesTape { needed, .. } = mistake else { panic!("{mistake}") };
            left += 1;
            MachineRun::new(&machine, &input, needed as usize, steps).unwrap()
        });
        let construction = Construction::new(&machine, run.position_bits()).unwrap();
        check(
            &run,
            construction,
            ExecutionMode { attention: AttentionMode::Hard, rounding: number % 2 == 0 },
        );
    }
    assert!(left > 50, "{left} heads had left the tape");
}

/// The expected sizes are from an independent program, whose blocks lack one weight of 1: st\[0\] ← scr4\[2\] of step 0.
#[test]
fn sizes_equal_those_of_an_independent_program() {
    let table = [
        ("increment", 4, 36, 8, 31_635, 666, 781),
        ("busy-beaver-3", 5, 37, 9, 37_633, 801, 971),
        ("palindrome", 6, 49, 10, 71_470, 1_185, 1_420),
        ("busy-beaver-4", 7, 46, 11, 69_630, 1_235, 1_545),
    ];
    for (slug, bits, width, blocks, parameters, entries, norm) in table {
        let (run, transformer) =
            set_up(slug, find_example(slug).unwrap().steps, 0.0, 0, ExecutionMode::default());
        assert_eq!(run.position_bits(), bits);
        let counts = transformer.construction().counts();
        assert_eq!((counts.width, counts.blocks, counts.bits), (width, blocks, u64::from(bits)));
        assert_eq!(counts.parameters, parameters);
        assert_eq!((counts.nonzeros, counts.l1_norm), (entries + 1, f64::from(norm) + 1.0));
    }
}

#[test]
fn every_parameter_is_in_a_tensor_with_a_unique_name() {
    let (_, transformer) = set_up("increment", 14, 0.0, 0, ExecutionMode::default());
    let construction = transformer.construction();
    let tensors: Vec<NamedTensor> = construction.tensors().collect();
    let counts = construction.counts();
    assert_eq!(tensors.iter().map(|tensor| tensor.values.len() as u64).sum::<u64>(), counts.parameters);
    let entries = tensors.iter().flat_map(|tensor| &tensor.values).filter(|value| **value != 0.0).count();
    assert_eq!(entries as u64, counts.nonzeros);
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

/// Reference implementation from the tensors alone: plain loops, with all keys and values computed again in each step.
fn plain(construction: &Construction, run: &MachineRun, mode: ExecutionMode) -> Vec<Vec<f64>> {
    let layout = construction.layout();
    let tensors: std::collections::BTreeMap<String, NamedTensor> =
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
        let share = |score: f64| match mode.attention {
            AttentionMode::Hard => f64::from(u8::from(score == best)),
            AttentionMode::Soft(beta) => libm::exp(beta * (score - best)),
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
            token[layout.coordinate(TokenGroup::Symbol, *symbol)] = 1.0;
            layout.write_binary(&mut token, TokenGroup::Time, cell);
            token
        })
        .collect();
    let mut h = vec![0.0; layout.width()];
    h[layout.coordinate(TokenGroup::Flags, 2)] = 1.0;
    layout.write_binary(&mut h, TokenGroup::Before, run.start);
    let mut past = vec![Vec::new(); construction.blocks().len()];
    let mut outputs = Vec::new();
    for step in 0..=run.records.len() {
        let mut number = vec![0.0; layout.width()];
        layout.write_binary(&mut number, TokenGroup::Time, step);
        h.iter_mut().zip(number).for_each(|(h, bit)| *h += bit);
        for (block, past) in construction.blocks().iter().zip(&mut past) {
            if step > 0 {
                past.push(h.clone());
            }
            let key = block.kind.tensor_prefix();
            if block.self_attention.is_some() {
                h = attend(&format!("{key}.own"), &h, past);
            }
            if block.cross_attention.is_some() {
                h = attend(&format!("{key}.input"), &h, &encoder);
            }
            for layer in 0..block.layers.len() {
                h = affine(&format!("{key}.layers.{layer}"), &h);
                h.iter_mut().for_each(|z| *z = z.max(0.0));
            }
            if mode.rounding {
                h.iter_mut().for_each(|z| *z = round(*z));
            }
        }
        outputs.push(h.clone());
    }
    outputs
}

#[test]
fn the_reference_implementation_gives_the_same_numbers() {
    let soft = AttentionMode::Soft(9.0);
    for (sigma, choice, rounding) in [
        (0.0, AttentionMode::Hard, true),
        (0.0, soft, false),
        (0.01, AttentionMode::Hard, true),
        (1e-3, soft, true),
        (1e-5, soft, false),
    ] {
        for slug in ["busy-beaver-3", "increment"] {
            let mode = ExecutionMode { attention: choice, rounding };
            let (run, mut transformer) = set_up(slug, 14, sigma, 0, mode);
            let expected = plain(transformer.construction(), &run, mode);
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
fn a_recomputed_step_equals_the_original() {
    let (run, mut transformer) = set_up("increment", 14, 1e-3, 2, ExecutionMode::default());
    let mut traces = Vec::new();
    for _ in &run.records {
        transformer.advance();
        traces.extend(transformer.last_trace().cloned());
    }
    for (at, trace) in traces.iter().enumerate() {
        assert_eq!(transformer.recompute_step(at + 1).as_ref(), Some(trace));
        assert_eq!(transformer.output(at + 1), trace.blocks.last().map(|stage| stage.residual.as_slice()));
    }
    assert_eq!(transformer.recompute_step(15), None);
    let initial_trace = transformer.recompute_step(0).unwrap();
    assert_eq!(transformer.output(0), initial_trace.blocks.last().map(|stage| stage.residual.as_slice()));
    // Step 15 is the last that four bits hold.
    assert!(transformer.advance().is_some());
    assert_eq!((transformer.advance(), transformer.steps()), (None, 15));
}

#[test]
fn the_search_finds_the_last_step_that_wrote_the_cell() {
    let (run, mut transformer) = set_up("busy-beaver-4", 107, 0.0, 0, ExecutionMode::default());
    for step in 1..=107 {
        transformer.advance();
        let trace = transformer.last_trace().unwrap();
        let layout = transformer.construction().layout();
        let fetch = trace.blocks.last().unwrap();
        let before = &trace.blocks[trace.blocks.len() - 2].residual;
        // The cell that step t wrote is that of the head before it.
        let wrote = |t: usize| if t == 1 { run.start } else { run.records[t - 2].head };
        let expected = (1..=step).rev().find(|t| wrote(*t) == run.records[step - 1].head).unwrap_or(0);
        assert_eq!(layout.read_binary(before, TokenGroup::Prefix), expected);
        assert_eq!(before[layout.coordinate(TokenGroup::Flags, 0)], f64::from(u8::from(expected > 0)));
        let attention_trace = fetch.self_attention.as_ref().unwrap();
        assert_eq!(attention_trace.null_weight, f64::from(u8::from(expected == 0)));
        assert!(expected == 0 || attention_trace.weights[expected - 1] == 1.0);
        // Every round leaves fewer candidates; the last leaves the step that was found.
        let candidates: Vec<Vec<usize>> =
            (0..=7).map(|known| transformer.search_candidates(trace, known)).collect();
        assert_eq!(candidates[0].is_empty(), expected == 0);
        assert!(candidates.windows(2).all(|pair| pair[1].iter().all(|t| pair[0].contains(t))));
        assert_eq!(candidates[7], if expected == 0 { vec![] } else { vec![expected] });
    }
}

/// Compared with an independent program, whose noise differs from ours, so that only results for all of its draws are compared.
#[test]
fn small_noise_causes_no_wrong_step_with_rounding() {
    let mode = |rounding| ExecutionMode { attention: AttentionMode::Hard, rounding };
    for (slug, steps, draws) in
        [("busy-beaver-4", 107, 4), ("palindrome", 60, 4), ("counter", 100, 4), ("counter", 400, 2)]
    {
        for replica in 0..draws {
            let first = |sigma, rounding| first_wrong(slug, steps, sigma, replica, mode(rounding));
            let found = [first(1e-5, false), first(1e-3, false), first(3e-3, true), first(1e-2, true)];
            assert_eq!(found[2], None);
            assert!(found[0].is_some_and(|step| step > 3 && step < 60), "{found:?}");
            assert!(found[1].is_some_and(|step| step < 12 && Some(step) <= found[0]), "{found:?}");
        }
    }
}

/// The expected β are the smallest of a grid for which an independent program makes no wrong step.
#[test]
fn softmax_with_large_enough_beta_makes_no_wrong_step() {
    let grid = [1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0];
    let smallest = |slug: &str, steps, rounding| {
        let works = |beta: &&f64| {
            first_wrong(
                slug,
                steps,
                0.0,
                0,
                ExecutionMode { attention: AttentionMode::Soft(**beta), rounding },
            )
            .is_none()
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
        assert!(found.0.unwrap() <= AttentionMode::safe_beta(steps, 1) + 0.5);
    }
}

#[test]
fn noise_depends_on_seed_and_replica_only() {
    let make = |seed, replica| {
        let machine = find_example("increment").unwrap().parse_machine().unwrap();
        Construction::new(&machine, 4).unwrap().with_noise(0.1, seed, replica)
    };
    assert_eq!(make(1, 2), make(1, 2));
    assert_ne!(make(1, 2), make(1, 3));
    assert_ne!(make(1, 2), make(2, 2));
    let counts = make(1, 2).counts();
    assert_eq!(counts.nonzeros, counts.parameters, "every weight has noise, those that were 0 as well");
    let exact = Construction::new(&find_example("increment").unwrap().parse_machine().unwrap(), 4).unwrap();
    let pairs: Vec<f64> = make(1, 2)
        .tensors()
        .zip(exact.tensors())
        .flat_map(|(a, b)| a.values.into_iter().zip(b.values).map(|(a, b)| a - b).collect::<Vec<_>>())
        .collect();
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    let variance = pairs.iter().map(|x| x * x).sum::<f64>() / pairs.len() as f64;
    assert!(mean.abs() < 0.003 && (variance.sqrt() - 0.1).abs() < 0.003, "{mean} {variance}");
    // The first tensor's second number is draw 1 of tensor 0, and is a number in single precision.
    let draw = 0.1 * f64::from(RandomStream::new(1, NOISE_PURPOSE, 2).draw_normal(0, 1));
    let draw = f64::from(draw as f32);
    assert_eq!(make(1, 2).tensors().next().unwrap().values[1], draw);
}

#[test]
fn positions_that_do_not_fit_into_the_bits_are_rejected() {
    let machine = find_example("increment").unwrap().parse_machine().unwrap();
    let sentence = |bits| Construction::new(&machine, bits).unwrap_err().to_string();
    assert_eq!(sentence(0), "the number of bits of a position must be from 1 to 15 in this run, but it is 0");
    assert_eq!(
        sentence(16),
        "the number of bits of a position must be from 1 to 15 in this run, but it is 16"
    );
    let construction = Arc::new(Construction::new(&machine, 4).unwrap());
    let start = |start| Transformer::new(construction.clone(), &[1, 1], start, ExecutionMode::default());
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
fn the_cost_of_a_run_is_estimated_before_it_begins() {
    let (_, transformer) = set_up("busy-beaver-4", 107, 0.0, 0, ExecutionMode::default());
    let cost = transformer.construction().cost(107, 0);
    assert!(cost.multiplications < 1_500_000, "{cost:?}");
    let noisy = transformer.construction().clone().with_noise(1e-3, 0, 0).cost(107, 0);
    assert!(noisy.multiplications > 7_000_000 && noisy.multiplications < 10_000_000, "{noisy:?}");
    assert!(transformer.construction().cost(10_000, 0).cache_bytes < 30_000_000);
}
