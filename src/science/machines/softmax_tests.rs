//! How large β must be: the largest error before rounding, computed independently from cells and step numbers.
//!
//! ```text
//! score of a slot above that of the null slot   1 − 2 · (bits in which cells, and step numbers, differ)
//! ```
//!
//! No matrix, token or attention of the construction is used: [`error`] needs the ordinary simulator and the Hamming distances.

use super::*;

/// The machine of a text, and its run with this input, start cell and number of steps.
fn set_up(text: &str, input: &[usize], start: usize, steps: usize) -> (Machine, MachineRun) {
    let machine = Machine::parse(text).unwrap();
    let run = MachineRun::new(&machine, input, start, steps).unwrap();
    (machine, run)
}

/// Softmax weights of slots whose scores are these differences to the null slot's score.
fn weights(scores: &[i32], beta: f64) -> Vec<f64> {
    let parts: Vec<f64> = scores.iter().map(|score| (beta * f64::from(*score)).exp()).collect();
    let total = 1.0 + parts.iter().sum::<f64>();
    parts.iter().map(|part| part / total).collect()
}

/// Loss of score by the bits in which two numbers differ, except the lowest `open` bits.
fn lost(one: usize, other: usize, open: usize) -> i32 {
    2 * ((one >> open) ^ (other >> open)).count_ones() as i32
}

/// Largest error of a number before its rounding, in steps 0 to T, if all earlier numbers were rounded correctly.
fn error(run: &MachineRun, symbols: usize, beta: f64) -> f64 {
    let bits = run.position_bits() as usize;
    let cell = |step: usize| if step == 0 { run.start } else { run.records[step - 1].head };
    let mut worst: f64 = 0.0;
    for step in 0..=run.records.len() {
        let head = cell(step);
        let past = 1..=step;
        let found = past.clone().filter(|t| cell(t - 1) == head).max().unwrap_or(0);
        // Self-attention for step numbers that agree with `wanted` except in the last `open` bits.
        let attend = |wanted: usize, open: usize| {
            let score = |t: usize| 1 - lost(cell(t - 1), head, 0) - lost(t, wanted, open);
            weights(&past.clone().map(score).collect::<Vec<_>>(), beta)
        };
        let mut wrong =
            |value: f64, right: bool| worst = worst.max((value - f64::from(u8::from(right))).abs());
        wrong(attend(0, usize::BITS as usize - 1).iter().sum(), found > 0);
        for open in (0..bits).rev() {
            wrong(attend(found | (1 << open), open).iter().sum(), (found >> open) & 1 == 1);
        }
        let mut token = vec![0.0; symbols];
        for (t, weight) in past.clone().zip(attend(found, 0)) {
            token[run.records[t - 1].written] += weight;
        }
        if found == 0 {
            let scores: Vec<i32> =
                (run.start..).zip(&run.input).map(|(at, _)| 1 - lost(at, head, 0)).collect();
            let given = weights(&scores, beta);
            run.input.iter().zip(&given).for_each(|(symbol, weight)| token[*symbol] += weight);
            token[0] += (1.0 - given.iter().sum::<f64>()).max(0.0);
        }
        let right = match step {
            0 => run.input.first().copied().unwrap_or(0),
            step_count => run.records[step_count - 1].symbol,
        };
        token.iter().enumerate().for_each(|(symbol, value)| wrong(*value, symbol == right));
    }
    worst
}

/// The β at which the largest error is 1/3.
fn threshold(run: &MachineRun, symbols: usize) -> f64 {
    let (mut low, mut high) = (0.0, 30.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        match error(run, symbols, middle) < 1.0 / 3.0 {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

/// Executes the transformer: the first wrong step, and the largest deviation of all steps.
fn executed(machine: &Machine, run: &MachineRun, beta: f64) -> (Option<usize>, f64) {
    let mode = ExecutionMode { attention: AttentionMode::Soft(beta), rounding: true };
    let weights = Construction::new(machine, run.position_bits()).unwrap();
    let mut evaluator =
        TransformerEvaluator::new(Transformer::new(weights.into(), &run.input, run.start, mode).unwrap());
    let last = evaluator.metrics_at(run, run.records.len());
    (last.first_wrong_step, last.max_deviation)
}

const LEFT: &str = "a _ → _ L a; a 1 → 1 L a; a 2 → 2 L a";
const RIGHT: &str = "a _ → _ R a; a 1 → 1 R a; a 2 → 2 R a";
const STAY: &str = "a _ → 1 S b; b 1 → _ S a";

/// Runs with long inputs and with none: text, symbols of the input, start cell, steps.
fn runs() -> Vec<(&'static str, Vec<usize>, usize, usize)> {
    let ones = |count: usize| vec![1; count];
    let mixed = |count: usize| (0..count).map(|i| i % 3).collect::<Vec<usize>>();
    vec![
        (LEFT, ones(40), 100, 1),
        (LEFT, ones(40), 1, 1),
        (LEFT, mixed(40), 64, 9),
        (RIGHT, mixed(40), 64, 60),
        (RIGHT, ones(300), 7, 1),
        (LEFT, ones(600), 1, 1),
        (LEFT, mixed(1500), 513, 2),
        (STAY, vec![0], 64, 120),
        (STAY, vec![], 1000, 90),
        (
            "a 1 → 2 R a; a 2 → 1 R a; a _ → _ L b; b 1 → 1 L b; b 2 → 2 L b",
            mixed(50)[1..3].repeat(25),
            90,
            110,
        ),
    ]
}

/// At the β where the largest error is 1/3: for a smaller β rounding leaves an error; for a larger β it leaves none, and all
/// steps are correct. This β is never above `safe_beta`.
#[test]
fn rounding_corrects_all_errors_above_the_threshold_and_not_below() {
    for (text, input, start, steps) in runs() {
        let (machine, run) = set_up(text, &input, start, steps);
        let symbols = machine.symbols().len();
        let min = threshold(&run, symbols);
        let rule = AttentionMode::safe_beta(steps, input.len());
        let name = format!("{text}: {} symbols, T = {steps}, threshold {min}, rule {rule}", input.len());
        assert!(min <= rule + 1e-9, "{name}");
        for beta in [min + 1e-4, rule + 1e-9, rule + 1.0] {
            let (wrong, largest) = executed(&machine, &run, beta);
            assert!(wrong.is_none() && largest < 1.0 / 3.0, "{name}: {largest} at {beta}");
            assert!((largest - error(&run, symbols, beta)).abs() < 1e-9, "{name}: {largest} at {beta}");
        }
        let (_, largest) = executed(&machine, &run, min - 1e-4);
        assert!(largest >= 1.0 / 3.0, "{name}: {largest}");
    }
}

/// Where all T tokens write one cell, and the first bit of all step numbers is 0, each of them loses by 1 to the null slot in
/// the search for this bit: T exp(−β) is exactly ½ at the rule's β. So without an input no smaller rule holds for all runs.
#[test]
fn safe_beta_is_the_smallest_possible_without_an_input() {
    for steps in [1, 20, 90] {
        let (machine, run) = set_up(STAY, &[], 1000, steps);
        let rule = (2.0 * steps as f64).ln();
        assert!((AttentionMode::safe_beta(steps, 0) - rule).abs() < 1e-12);
        assert!((threshold(&run, machine.symbols().len()) - rule).abs() < 1e-9);
    }
}

/// The tokens of the input count too: with T = 1 the steps alone would ask for β > ln 2 = 0.69. Forty symbols make step 1
/// wrong at 0.8 and 1; at 1.2 step 1 is right from cell 40 and still wrong from cell 100, whose number differs from more cells
/// of the input in few bits. An independent program, from the formulas alone, finds the same.
#[test]
fn a_long_input_requires_a_larger_beta() {
    let (machine, run) = set_up(LEFT, &[1; 40], 100, 1);
    let (_, from_cell_40) = set_up(LEFT, &[1; 40], 40, 1);
    for (beta, wrong, wrong_from_cell_40) in [
        (0.7, Some(1), Some(1)),
        (0.8, Some(1), Some(1)),
        (1.0, Some(1), Some(1)),
        (1.2, Some(1), None),
        (1.5, None, None),
        (1.87, None, None),
    ] {
        assert_eq!(executed(&machine, &run, beta).0, wrong, "{beta}");
        assert_eq!(executed(&machine, &from_cell_40, beta).0, wrong_from_cell_40, "{beta} from cell 40");
    }
    // What it finds for the threshold.
    assert!((threshold(&run, machine.symbols().len()) - 1.863).abs() < 1e-3);
    assert!((AttentionMode::safe_beta(1, 40) - 82f64.ln()).abs() < 1e-12);
}

/// A machine that stays on one cell: in the search for the first bit, which is 0, all i tokens together weigh i exp(−β) times
/// the null slot. The sum of their weights is rounded again after each of the later blocks, which moves it to the nearer of 0
/// and 1: the bit is wrong as soon as i exp(−β) > 1, first at the next whole number above exp(5) = 148.4 or exp(5.5) = 244.7.
/// That is an odd step, in which the machine is in state b. (A program that rounds a bit only once, when it is found, errs at
/// steps 139 and 229; the construction rounds every number after every block.)
#[test]
fn a_bit_is_rounded_after_every_block() {
    let (machine, run) = set_up(STAY, &[0], 64, 260);
    for (beta, first) in [(5.0, 149), (5.5, 245)] {
        assert_eq!(executed(&machine, &run, beta).0, Some(first), "{beta}");
    }
}
