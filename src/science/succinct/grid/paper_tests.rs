//! Reference implementation of the paper's functions, in exact fractions and on the whole working tape, compared with the
//! automaton, the run of the program and the network's output. It shares no code with them: digits, codes of states, f_msg, f_TM,
//! f_head and the sum are implemented again from Goel, Kakade, Kalai and Zhang (2022), definition 5 and appendices B.1 and B.2.
//! Only the ring is ours: rule 1 also takes padding above, and rule 3 also takes padding below.

use std::sync::Arc;

use super::*;
use crate::succinct::{ConceptFamily, Dataset, SampledProblem};
use vivarium_core::rng::{Purpose, RandomStream};

/// Numbers are numerators over 2·3⁹: 3⁻⁹ is the last digit of a state of up to 64 states, and the border is 1/6.
const ONE: i64 = 2 * 19_683;

/// a(i) of a number Σ a(i)·3^−i.
fn val(number: i64, index: usize) -> i64 {
    let mut digits = [0; 10];
    let mut rest = number / 2;
    for digit in digits.iter_mut().rev() {
        *digit = match rest.rem_euclid(3) {
            2 => -1,
            other => other,
        };
        rest = (rest - *digit) / 3;
    }
    assert!(number % 2 == 0 && rest == 0, "{number}");
    digits[index]
}

/// Digit `index` alone.
fn digit(index: u32) -> i64 {
    ONE / 3i64.pow(index)
}

/// γ[0]·3⁻⁴ of a state: 0 for the start state, and binary digits ±1 for the others.
fn code(program: &GridProgram, state: u8) -> i64 {
    let count = program.state_names().len();
    let digits = (1u32..).find(|digits| 1usize << digits >= count).unwrap();
    let one = |at: u32| if state >> (digits - 1 - at) & 1 == 1 { digit(4 + at) } else { -digit(4 + at) };
    if state == 0 { 0 } else { (0..digits).map(one).sum() }
}

/// An image with a border of 1/6 outside.
struct ValueImage {
    rows: usize,
    columns: usize,
    block: usize,
    values: Vec<i64>,
}

impl ValueImage {
    /// W·diag([x, 1]) of a full table, with the ring, and l columns of ones on its right.
    fn new(data: &Dataset, x: &[i8], l: usize) -> ValueImage {
        let (rows, columns, block) = (data.m() + 3, data.d() + 2 + l, data.d() + 1);
        let mut values = vec![ONE; rows * columns];
        let dummy = vec![1; data.d()];
        for (row, (example, y)) in data.examples().chain([(dummy.as_slice(), 1)]).enumerate() {
            for (column, (a, z)) in example.iter().chain([&1]).zip(x.iter().chain([&1])).enumerate() {
                values[(row + 1) * columns + column + 1] = i64::from(y * a * z) * ONE / 3;
            }
        }
        ValueImage { rows, columns, block, values }
    }

    fn value_at(&self, row: usize, column: usize) -> i64 {
        // Row and column −1 are usize::MAX.
        let is_inside = row < self.rows && column < self.columns;
        if is_inside { self.values[row * self.columns + column] } else { ONE / 6 }
    }

    fn apply_layer(&mut self, program: &GridProgram) {
        let mut next = self.values.clone();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let up = self.value_at(row.wrapping_sub(1), column);
                let left = self.value_at(row, column.wrapping_sub(1));
                let near = [up, self.value_at(row + 1, column), left, self.value_at(row, column + 1)];
                next[row * self.columns + column] = conv(program, self.value_at(row, column), near);
            }
        }
        self.values = next;
    }

    /// f: the sum of f_head over the first d + 1 columns.
    fn output(&self) -> i64 {
        let cells = (1..self.rows - 1).flat_map(|row| (1..=self.block).map(move |column| (row, column)));
        cells.map(|(row, column)| head(self.value_at(row, column))).sum()
    }
}

/// f_Conv2D.
fn conv(program: &GridProgram, x: i64, near: [i64; 4]) -> i64 {
    let [up, down, left, right] = near;
    let (p, ninth, bit) =
        (ONE / 6, digit(2), |of: i64, index: usize| if of == ONE / 6 { 0 } else { val(of, index) });
    let is_padding = |of: i64| bit(of, 0) == 1;
    match val(x, 2) {
        0 if x == 0 && (up == p || is_padding(up) || bit(up, 1) != 0) => -ninth,
        0 if !is_padding(x) && (bit(up, 2) == -1 || bit(down, 2) == -1) => -ninth,
        0 if val(x, 1) != 0 && right == ONE && (down == p || down == ONE) => x + ninth + digit(3),
        0 if near.iter().any(|one| bit(*one, 2) == 1) => x + ninth,
        1 if val(x, 3) == 1 => {
            let (write, step, head) = gamma(program, x);
            write * ONE / 3 + ninth + if step == GridMove::Stay { digit(3) + head } else { 0 }
        }
        1 => {
            let from = [
                (down, GridMove::Up),
                (up, GridMove::Down),
                (right, GridMove::Left),
                (left, GridMove::Right),
            ];
            let Some((from, wanted)) = from.into_iter().find(|(from, _)| bit(*from, 3) == 1) else {
                return x;
            };
            let (_, step, head) = gamma(program, from);
            x + if step == wanted { digit(3) + head } else { 0 }
        }
        _ => x,
    }
}

/// δ of the state and the symbol of a cell with the head: the symbol to write, the move, and the next state's code.
fn gamma(program: &GridProgram, x: i64) -> (i64, GridMove, i64) {
    let of_state: i64 = (4..10u32).map(|index| val(x, index as usize) * digit(index)).sum();
    let states = (0..u8::try_from(program.state_names().len()).unwrap()).collect::<Vec<u8>>();
    let state = *states.iter().find(|state| code(program, **state) == of_state).unwrap();
    let symbol = [MINUS_INDEX, BLANK_INDEX, PLUS_INDEX][usize::try_from(val(x, 1) + 1).unwrap()];
    match program.rule(state, symbol) {
        Some(GridRule { write, step, next }) => ([0, 1, -1][usize::from(write)], step, code(program, next)),
        None => (val(x, 1), GridMove::Stay, of_state),
    }
}

/// f_head.
fn head(x: i64) -> i64 {
    let (ninth, sixth) = (ONE / 9, ONE / 6);
    if x <= -sixth {
        -ONE
    } else if x < 0 {
        18 * (x + ninth)
    } else if x <= ninth {
        // At 0, where no cell of a last layer is, both pieces give 2.
        -18 * (x - ninth)
    } else if x < sixth {
        18 * (x - ninth)
    } else {
        ONE
    }
}

fn below(seed: u64, index: u32, bound: usize) -> usize {
    RandomStream::new(seed, Purpose::Machine, 7).draw_below(0, index, u32::try_from(bound).unwrap()) as usize
}

/// Asserts that f after each of `layers` layers is equal in three implementations; returns the last f and the run.
fn compare(
    program: &Arc<GridProgram>,
    data: &Dataset,
    x: &[i8],
    tape: usize,
    layers: u64,
) -> (i64, ProgramRun) {
    let mut image = ValueImage::new(data, x, tape);
    let grid = Grid::new(data, x).unwrap().with_tape(tape as u64);
    let mut automaton = Automaton::new(program.clone(), &grid).unwrap();
    let mut program_run = ProgramRun::new(program.clone(), grid);
    let output = NetworkOutput::new(program);
    for layer in 0..=layers {
        if layer > 0 {
            image.apply_layer(program);
            automaton.apply_layer();
            program_run.advance(layer - 1);
        }
        let f = image.output();
        let scaled = |f: i64, unit: i64| f * (ONE / unit);
        assert_eq!(
            f,
            scaled(automaton.output(), automaton.codes().denominator()),
            "layer {layer}\n{program}"
        );
        assert_eq!(
            f,
            scaled(output.compute(&program_run, layer), output.denominator()),
            "layer {layer}\n{program}"
        );
        // Every cell that is kept, and outside of them nothing but padding and the message.
        let (_, columns) = automaton.size();
        for (at, cell) in automaton.cells().iter().enumerate() {
            let value = scaled(automaton.codes().encode(*cell), automaton.codes().denominator());
            assert_eq!(value, image.value_at(at / columns, at % columns), "layer {layer}\n{program}");
        }
        let rest = (0..image.rows).flat_map(|row| (columns..image.columns).map(move |column| (row, column)));
        assert!(
            rest.map(|(row, column)| image.value_at(row, column)).all(|x| [ONE, ONE + digit(2)].contains(&x))
        );
    }
    (image.output(), program_run)
}

/// A program of random rules for the three symbols of the paper.
fn random(seed: u64) -> GridProgram {
    let (states, symbols) = (2 + below(seed, 0, 6), ["_", "+", "-"]);
    let mut text = "start * → * S s0\n".to_string();
    for state in 0..states {
        for (symbol, read) in symbols.iter().enumerate() {
            let draw = |index: usize, bound| {
                below(seed, u32::try_from(100 * state + 10 * symbol + index + 1).unwrap(), bound)
            };
            let next = draw(0, 3 * states + 1);
            let next = if next == 3 * states { "HALT".into() } else { format!("s{}", next % states) };
            // To the right more often, so that the working tape is used.
            let step = ['U', 'D', 'L', 'R', 'R', 'S'][draw(1, 6)];
            text += &format!("s{state} {read} → {} {step} {next}\n", symbols[draw(2, 3)]);
        }
    }
    GridProgram::parse(&text).unwrap()
}

#[test]
fn the_output_equals_definition_5() {
    let (mut farthest, mut halted) = (0, 0);
    for seed in 0..80 {
        let program = Arc::new(random(seed));
        let (d, m) = (1 + below(seed, 1000, 4), 1 + below(seed, 1001, 4));
        let sampled = SampledProblem::new(ConceptFamily::Parity, d, m, 0.0, seed, 0).unwrap();
        let layers = 32;
        // In the paper as many columns as layers.
        let (_, program_run) = compare(&program, &sampled.data, &sampled.test_input(0), 32, layers);
        farthest = farthest.max(program_run.grid().columns() - d - 2);
        halted += u32::from(matches!(program_run.end(), Some(RunEnd::Halted { .. })));
        compare(&program, &sampled.data, &sampled.test_input(1), 1 + below(seed, 1002, 5), layers);
    }
    assert!(farthest >= 8 && halted >= 8, "{farthest} {halted}");
}

/// Erases the table from below, writes a sign into the top-left cell, and halts there.
const AT_THE_TOP: &str = "\
start * → * S find
find +- → * R find
find _ → * L erase
erase +- → _ L erase
erase _ → * U edge
edge _ → * R first
first +- → * R find
first _ → * D write
write _ → - S HALT";

/// The dictator learner that goes back into the table to halt: it is in the bottom row then, under the last column or the
/// first.
fn halting_inside() -> String {
    library::DICTATOR.text.replace("X _ → * S HALT", "X _ → * U Z").replace("Y _ → * S HALT", "Y _ → * U Z")
        + "Z * → * S HALT\n"
}

#[test]
fn a_program_that_halts_inside_the_table_is_wrong_by_18_times_the_head() {
    let [outside, inside] = [library::DICTATOR.text.to_string(), halting_inside()]
        .map(|text| Arc::new(GridProgram::parse(&text).unwrap()));
    let mut answers = [0, 0];
    for seed in 0..12 {
        let (d, m) = (2 + below(seed, 0, 3), 4 + below(seed, 1, 4));
        let sampled = SampledProblem::new(ConceptFamily::Dictator, d, m, 0.0, seed, 0).unwrap();
        let (x, data) = (sampled.test_input(0), &sampled.data);
        let (f, program_run) = compare(&outside, data, &x, 3, 160);
        let answer = i64::from(program_run.grid().prediction().unwrap());
        let of = |program: &Arc<GridProgram>, program_run: &ProgramRun| {
            let output = NetworkOutput::new(program);
            (output.answer(program_run, 160), output.excess(program_run, 160))
        };
        assert_eq!((f, of(&outside, &program_run)), (answer * ONE, (Some(answer as i8), Some(0.0))));
        answers[usize::from(answer > 0)] += 1;
        // Value 1/9 + 1/27 + q/81, at which the head is 18(1/27 + q/81). HALT has number 20 of 21 states, 10100 in binary, so
        // that q/81 = 1/81 − 1/243 + 1/729 − 1/2187 − 1/6561 = (81 − 27 + 9 − 3 − 1)/6561 = 59/6561.
        let (f, program_run) = compare(&inside, data, &x, 3, 160);
        assert!(inside.is_halt(20) && program_run.grid().prediction() == Some(answer as i8));
        assert_eq!(6561 * (f - answer * ONE), 18 * (243 + 59) * ONE);
        let (right, excess) = of(&inside, &program_run);
        assert!(right.is_none() && (excess.unwrap() - 604.0 / 729.0).abs() < 1e-12);
        // On the top-left cell ±1/3 is too far from 1/9 for the head to change anything.
        let program = Arc::new(GridProgram::parse(AT_THE_TOP).unwrap());
        let (f, program_run) = compare(&program, data, &x, 1, 160);
        assert_eq!((f, of(&program, &program_run)), (-ONE, (Some(-1), Some(0.0))));
    }
    assert!(answers.iter().all(|count| *count > 0), "{answers:?}");
}

/// Writes three signs to the right of the table before it does what [`AT_THE_TOP`] does.
const ON_THE_TAPE: &str = "\
start * → * S go
go +- → * R one
one _ → + R two
two _ → + R three
three _ → - L back
back + → * L here
here + → * L erase";

#[test]
fn a_head_is_lost_only_where_the_tape_is_shorter_than_the_papers() {
    let rest = AT_THE_TOP.lines().skip(1).collect::<Vec<_>>().join("\n");
    let program = Arc::new(GridProgram::parse(&format!("{ON_THE_TAPE}\n{rest}")).unwrap());
    let data = SampledProblem::new(ConceptFamily::Dictator, 2, 2, 0.0, 5, 0).unwrap().data;
    for tape in [1, 2, 3, 4, 90] {
        let (f, program_run) = compare(&program, &data, &[1, -1], tape, 90);
        let is_lost = matches!(program_run.end(), Some(RunEnd::LeftGrid { step: GridMove::Right, .. }));
        assert_eq!(is_lost, tape < 3, "{tape}: {:?}", program_run.end());
        assert!(is_lost || f == -ONE, "{tape}: {f}");
    }
}
