//! Tests of the whole network: the training, the automaton compared with the run of the program, and the predictions of the two
//! library programs.

use std::sync::Arc;

use super::*;
use crate::succinct::{ConceptFamily, Dataset, SampledProblem, SuccinctError};
use vivarium_core::rng::{Purpose, RandomStream};

/// A number of `0..bound` for a test.
fn below(seed: u64, index: u32, bound: usize) -> usize {
    RandomStream::new(seed, Purpose::Machine, 0).draw_below(0, index, u32::try_from(bound).unwrap()) as usize
}

/// The program of a learner.
fn program(learner: library::LearningProgram) -> Arc<GridProgram> {
    Arc::new(learner.parse_program().unwrap())
}

/// The table after training on a data set.
fn trained(data: &Dataset, around: TapePadding) -> (TableTraining, Vec<SgdStep>) {
    let mut tape = TableTraining::new(data.d(), data.m(), around).unwrap();
    let mut steps: Vec<SgdStep> = data.examples().map(|(x, y)| tape.train_on(x, y).unwrap()).collect();
    steps.push(tape.train_on_dummy().unwrap());
    (tape, steps)
}

#[test]
fn training_writes_the_table_exactly() {
    for (d, m) in (1..=12).flat_map(|d| [1, 2, 3, 4, 8, 12].map(|m| (d, m))) {
        let data = SampledProblem::new(ConceptFamily::Parity, d, m, 0.3, d as u64, m as u64).unwrap().data;
        for around in [TapePadding::Paper, TapePadding::Ring] {
            let (mut tape, steps) = trained(&data, around);
            let dummy = (vec![1; d], 1);
            let table = data.examples().map(|(x, y)| (x.to_vec(), y)).chain([dummy]);
            let wanted = table.flat_map(|(x, y)| {
                x.into_iter().chain([1]).map(move |z| TABLE_DENOMINATOR / 3 * i64::from(y * z))
            });
            assert!(wanted.eq(tape.weights().values.iter().copied()), "{d} {m} {around:?}");
            for (row, step) in steps.iter().enumerate() {
                assert_eq!((step.output, step.row, step.layers.len()), (0, Some(row), m + 3));
                let written = |at: usize| at / (d + 1) == row;
                let y = data.labels().get(row).copied().map_or(1, i64::from);
                let slopes = step.gradient.values.iter().enumerate();
                assert!(
                    slopes
                        .clone()
                        .all(|(at, one)| *one == if written(at) { -18 * y * TABLE_DENOMINATOR } else { 0 })
                );
                // Lemma 3: after t layers the rows nearer than t memorise, and no others.
                for (t, image) in step.layers.iter().enumerate() {
                    let corner = usize::from(around == TapePadding::Ring);
                    for a in 0..=m {
                        let memorises = (corner..=d + corner)
                            .all(|b| image.value_at(a + corner, b) == -TABLE_DENOMINATOR / 9);
                        assert_eq!(memorises, a.abs_diff(row) < t, "row {a}, layer {t}");
                    }
                }
            }
            let full = tape.train_on_dummy().unwrap_err();
            assert_eq!(full, SuccinctError::TableFull { rows: m + 1 });
        }
    }
    let mut tape = TableTraining::new(1, 1, TapePadding::Paper).unwrap();
    assert_eq!(tape.train_on(&[1], 3).unwrap_err(), SuccinctError::InvalidValue { found: 3 });
    assert_eq!(tape.train_on(&[1, 1], 1).unwrap_err(), SuccinctError::InputLength { found: 2, wanted: 1 });
    assert_eq!((tape.steps(), tape.layers()), (0, 3));
    let full = SuccinctError::TableFull { rows: 2 }.to_string();
    assert_eq!(full, "all 2 rows are written; there is no empty row for another example");
    assert_eq!(
        TableTraining::new(0, 1, TapePadding::Paper).unwrap_err(),
        SuccinctError::InputsOutOfRange { found: 0 }
    );
}

#[test]
fn training_resumes_from_the_numbers_of_the_table() {
    let data = SampledProblem::new(ConceptFamily::HalfSpace, 3, 4, 0.2, 1, 0).unwrap().data;
    let examples: Vec<(&[i8], i8)> = data.examples().chain([(&[1; 3][..], 1)]).collect();
    for around in [TapePadding::Paper, TapePadding::Ring] {
        let mut whole = TableTraining::new(3, 4, around).unwrap();
        for (x, y) in &examples {
            let values = whole.weights().values.clone();
            let mut part = TableTraining::resume(3, 4, around, values, whole.steps()).unwrap();
            assert_eq!(part, whole);
            assert_eq!(part.train_on(x, *y), whole.train_on(x, *y));
            assert_eq!(part, whole);
        }
    }
    let wrong = |count: usize, steps| {
        TableTraining::resume(3, 4, TapePadding::Ring, vec![0; count], steps).unwrap_err()
    };
    assert_eq!(wrong(19, 0), SuccinctError::CellCount { found: 19, wanted: 20 });
    assert_eq!(wrong(20, 6), SuccinctError::TableFull { rows: 5 });
}

#[test]
fn the_filter_on_numbers_equals_the_rule_on_cells() {
    let program = library::DICTATOR.parse_program().unwrap();
    let codes = CellCodes::new(&program);
    let with = |phase, symbol| AutomatonCell { phase, ..AutomatonCell::new(symbol) };
    let cells = [
        AutomatonCell::RING,
        AutomatonCell::new(BLANK_INDEX),
        AutomatonCell::new(PLUS_INDEX),
        AutomatonCell::new(MINUS_INDEX),
        with(CellPhase::Memorise, BLANK_INDEX),
        with(CellPhase::Compute, PLUS_INDEX),
        with(CellPhase::Compute, BLANK_INDEX),
        AutomatonCell { phase: CellPhase::Compute, ..AutomatonCell::RING },
    ];
    // Without the digits of the state, which the training does not know.
    let value = |cell: AutomatonCell| {
        let first = codes.digits(cell).into_iter().take(4);
        2 * first.fold(0, |value, digit| 3 * value + i64::from(digit))
    };
    let number = |cell: Option<AutomatonCell>| cell.map_or(BORDER, value);
    let near: Vec<Option<AutomatonCell>> = cells.into_iter().map(Some).chain([None]).collect();
    let mut changed = 0;
    for cell in cells {
        for at in 0..near.len().pow(4) {
            let patch = [1, 9, 81, 729].map(|power| near[at / power % 9]);
            let next = filter(value(cell), patch.map(number));
            assert_eq!(next, value(local_rule(&program, cell, patch)), "{cell:?} {patch:?}");
            changed += usize::from(next != value(cell));
            let memorises = phase_of(value(cell)) == -1
                || (next == -6 && cell == AutomatonCell::new(BLANK_INDEX) && {
                    let above = number(patch[0]);
                    [BORDER, 18, -18, 54, 24, 60].contains(&above)
                });
            assert_eq!(derivative(value(cell), number(patch[0])), i64::from(memorises), "{cell:?} {patch:?}");
        }
    }
    assert!(changed > 5000);
}

/// The digit of the phase.
fn phase_of(value: i64) -> i8 {
    code::four_digits(value).unwrap()[2]
}

#[test]
fn the_image_of_the_trained_table_equals_the_grid() {
    for seed in 0..30 {
        let (d, m) = (1 + below(seed, 0, 8), 1 + below(seed, 1, 8));
        let sampled = SampledProblem::new(ConceptFamily::HalfSpace, d, m, 0.2, seed, 0).unwrap();
        let x = sampled.test_input(0);
        let image = trained(&sampled.data, TapePadding::Ring).0.memory_image(&x).unwrap();
        let grid = Grid::new(&sampled.data, &x).unwrap();
        assert_eq!((image.rows, image.columns), (grid.rows(), grid.columns()));
        let automaton = Automaton::new(program(library::PARITY), &grid).unwrap();
        let codes = automaton.codes();
        let values = automaton.cells().iter().map(|cell| codes.encode(*cell));
        assert!(
            values.eq(image.values.iter().map(|value| value * (codes.denominator() / TABLE_DENOMINATOR)))
        );
    }
}

/// Runs a program in both ways, and compares every cell after every step.
fn compare(program: &Arc<GridProgram>, grid: Grid, max: u64) -> RunEnd {
    let mut automaton = Automaton::new(Arc::clone(program), &grid).unwrap();
    let mut reference = automaton.clone();
    let mut program_run = ProgramRun::new(Arc::clone(program), grid);
    automaton.apply_layer();
    loop {
        let symbols = automaton.cells().iter().map(|cell| cell.symbol);
        assert!(symbols.eq(program_run.grid().symbols().iter().copied()), "step {}", program_run.steps());
        let (row, column) = program_run.head();
        assert_eq!(
            automaton.head(),
            Some((row, column, program_run.state())),
            "step {}",
            program_run.steps()
        );
        reference.apply_layer_to_all_cells();
        assert!(reference.cells() == automaton.cells() && reference.layers() == program_run.steps() + 1);
        let codes = automaton.codes();
        let here = automaton.cells()[program_run.grid().index(row, column).unwrap()];
        assert_eq!(codes.decode(codes.encode(here)), Some(here));
        if program_run.steps() == max {
            return RunEnd::OutOfSteps { steps: max };
        }
        if let Err(end) = program_run.step() {
            automaton.apply_layer();
            let stays = !matches!(end, RunEnd::LeftGrid { .. });
            assert_eq!(automaton.head().is_some(), stays);
            assert!(automaton.run(max + 100));
            assert_eq!(automaton.cells().iter().filter(|cell| cell.phase != CellPhase::Compute).count(), 0);
            if let Some(label) =
                program_run.grid().prediction().filter(|_| matches!(end, RunEnd::Halted { .. }))
            {
                assert_eq!(automaton.output(), i64::from(label) * codes.denominator());
            }
            return end;
        }
        automaton.apply_layer();
    }
}

#[test]
fn the_automaton_equals_the_run_for_both_library_programs() {
    for (learner, family, [d, m]) in [
        (library::DICTATOR, ConceptFamily::Dictator, [6, 8]),
        (library::PARITY, ConceptFamily::Parity, [4, 6]),
    ] {
        let program = program(learner);
        for seed in 0..200 {
            let (d, m) = (1 + below(seed, 0, d), 1 + below(seed, 1, m));
            let sampled = SampledProblem::new(family, d, m, 0.0, seed, 0).unwrap();
            let grid = Grid::new(&sampled.data, &sampled.test_input(0)).unwrap();
            assert!(matches!(compare(&program, grid, 5000), RunEnd::Halted { .. }));
        }
    }
}

/// A program of random rules, some of them missing, that does not move in its first step.
fn random(seed: u64) -> GridProgram {
    let (states, symbols) = (2 + below(seed, 0, 4), ["_", "+", "-", "a", "b"]);
    let mut text = "start * → * S s0\n".to_string();
    for (state, symbol) in (0..states).flat_map(|state| (0..5).map(move |symbol| (state, symbol))) {
        let draw = |index: usize, bound| {
            below(seed, u32::try_from(100 * state + 10 * symbol + index).unwrap(), bound)
        };
        if symbol == 0 || draw(1, 12) > 0 {
            let next = draw(2, states + 1);
            let next =
                if next == states && draw(3, 3) == 0 { HALT.into() } else { format!("s{}", next % states) };
            let step = GridMove::ALL[draw(4, 5)].letter();
            text += &format!("s{state} {} → {} {step} {next}\n", symbols[symbol], symbols[draw(5, 5)]);
        }
    }
    GridProgram::parse(&text).unwrap()
}

#[test]
fn the_automaton_equals_the_run_for_random_programs() {
    let mut ends = [0; 4];
    for seed in 0..400 {
        let program = Arc::new(random(seed));
        assert_eq!(GridProgram::parse(&program.to_string()).unwrap(), *program);
        let (d, m) = (1 + below(seed, 8, 4), 1 + below(seed, 9, 4));
        let sampled = SampledProblem::new(ConceptFamily::Parity, d, m, 0.0, seed, 0).unwrap();
        let end = compare(&program, Grid::new(&sampled.data, &sampled.test_input(0)).unwrap(), 60);
        assert!(end.describe(&program).ends_with('.'));
        ends[match end {
            RunEnd::Halted { .. } => 0,
            RunEnd::NoRule { .. } => 1,
            RunEnd::LeftGrid { .. } => 2,
            RunEnd::OutOfSteps { .. } => 3,
        }] += 1;
    }
    assert!(ends.iter().all(|count| *count >= 10), "{ends:?}");
}

#[test]
fn an_automaton_requires_a_full_table_and_a_first_step_without_movement() {
    let grid = Grid::blank(2, 2).unwrap();
    let hole = Automaton::new(program(library::DICTATOR), &grid).unwrap_err().to_string();
    let sentence = "the cell in row 1, column 1 is blank, but the program starts only on a full table";
    assert_eq!(hole, sentence);
    let moving = Arc::new(GridProgram::parse("a + → * S a\na - → * L a").unwrap());
    let sentence = "in the start state a, a head that reads the symbol - must not move: the move of the first step must be S, because the compute message, which activates the cells, must reach each cell before the head does";
    assert_eq!(Automaton::new(Arc::clone(&moving), &grid).unwrap_err().to_string(), sentence);
    let later = Automaton::from_cells(moving, 5, 5, vec![AutomatonCell::RING; 25], 7).unwrap_err();
    assert_eq!(later.to_string(), sentence);
}

#[test]
fn an_automaton_is_restored_from_numbers() {
    for (learner, family, [d, m]) in [
        (library::DICTATOR, ConceptFamily::Dictator, [5, 7]),
        (library::PARITY, ConceptFamily::Parity, [3, 5]),
    ] {
        let program = program(learner);
        for number in 0..5 {
            let sampled = SampledProblem::new(family, d, m, 0.0, 3, number).unwrap();
            let grid = Grid::new(&sampled.data, &sampled.test_input(0)).unwrap();
            let mut whole = Automaton::new(Arc::clone(&program), &grid).unwrap();
            let (rows, columns) = whole.size();
            for layers in [0, 1, 2, 3, 9, 40, 97, 250, 2_000] {
                whole.run(layers);
                let numbers: Vec<u16> = whole.cells().iter().map(|cell| cell.to_number()).collect();
                let cells =
                    numbers.iter().map(|number| AutomatonCell::from_number(*number).unwrap()).collect();
                let layer_count = whole.layers();
                let mut part =
                    Automaton::from_cells(Arc::clone(&program), rows, columns, cells, layer_count).unwrap();
                let mut rest = whole.clone();
                for _ in 0..60 {
                    assert_eq!((part.cells(), part.layers()), (rest.cells(), rest.layers()));
                    assert_eq!((part.head(), part.output()), (rest.head(), rest.output()));
                    assert_eq!(part.apply_layer(), rest.apply_layer());
                }
                assert!(part.run(5_000) && rest.run(5_000));
                assert_eq!(part.cells(), rest.cells());
            }
        }
    }
}

#[test]
fn an_automaton_is_restored_only_from_cells_of_its_program() {
    let wrong = |rows: usize, columns: usize, cells: Vec<AutomatonCell>| {
        let restored = Automaton::from_cells(program(library::DICTATOR), rows, columns, cells, 4);
        restored.map(|automaton| automaton.layers()).map_err(|mistake| mistake.to_string())
    };
    assert_eq!(wrong(4, 5, vec![AutomatonCell::RING; 20]), Ok(4));
    let count = |found: usize| -> Result<u64, String> {
        Err(format!("wrong number of cells: {found} instead of 20"))
    };
    assert_eq!(wrong(4, 5, vec![AutomatonCell::RING; 19]), count(19));
    assert_eq!(wrong(4, 5, vec![]), count(0));
    assert_eq!(wrong(3, 5, vec![]), Err("the number of examples must be from 1 to 100, but it is 0".into()));
    assert_eq!(wrong(4, 0, vec![]), Err("the number of inputs must be from 1 to 63, but it is 0".into()));
    assert!(wrong(usize::MAX, usize::MAX, vec![]).is_err());
    for foreign in [AutomatonCell::new(3), AutomatonCell { head: Some(20), ..AutomatonCell::new(PLUS_INDEX) }]
    {
        let mut cells = vec![AutomatonCell::RING; 20];
        cells[7] = foreign;
        let sentence =
            "the cell in row 1, column 2 has a symbol or a state that the program does not have".to_string();
        assert_eq!(wrong(4, 5, cells), Err(sentence));
    }
}

#[test]
fn library_programs_have_the_stated_sizes() {
    let sizes = |learner: library::LearningProgram| {
        let program = learner.parse_program().unwrap();
        assert_eq!(GridProgram::parse(&program.to_string()).unwrap(), program);
        assert!(!learner.name().is_empty() && learner.about().ends_with('.'));
        assert_eq!(library::find_learner(learner.slug), Some(&learner));
        (
            program.state_names().len(),
            program.symbols().len(),
            program.rule_count(),
            program.transition_count(),
        )
    };
    assert_eq!(sizes(library::DICTATOR), (20, 3, 46, 49));
    assert_eq!(sizes(library::PARITY), (47, 12, 258, 270));
    assert_eq!(library::find_learner("nothing"), None);
}

/// The prediction of a program, and the number of steps until it halts.
fn predicted(program: &Arc<GridProgram>, data: &Dataset, x: &[i8]) -> (Option<i8>, u64) {
    let mut program_run = ProgramRun::new(Arc::clone(program), Grid::new(data, x).unwrap());
    let end = program_run.run(100_000).unwrap();
    assert!(matches!(end, RunEnd::Halted { .. }), "{}", end.describe(program));
    (program_run.grid().prediction(), end.steps())
}

fn median(mut steps: Vec<u64>) -> u64 {
    steps.sort_unstable();
    steps[steps.len() / 2]
}

/// The label by the last input that agrees with all labels.
fn dictator(data: &Dataset, x: &[i8]) -> Option<i8> {
    (0..data.d()).rev().find(|bit| data.examples().all(|(x, y)| x[*bit] == y)).map(|bit| x[bit])
}

#[test]
fn the_dictator_learner_predicts_by_the_last_consistent_input() {
    let program = program(library::DICTATOR);
    for (d, m, expected) in [(6, 8, 117), (10, 12, 221)] {
        let (mut right, mut steps) = (0, Vec::new());
        for seed in 0..2000 {
            let sampled = SampledProblem::new(ConceptFamily::Dictator, d, m, 0.0, seed, 0).unwrap();
            let x = sampled.test_input(0);
            let (label, count) = predicted(&program, &sampled.data, &x);
            assert_eq!(label, dictator(&sampled.data, &x));
            right += u32::from(label == Some(sampled.concept.label(&x)));
            steps.push(count);
        }
        // A wrong input comes before the right one (d − 1)/2 times on average, agrees with m labels with probability 2^−m, and
        // is then wrong half of the time: 9.8 errors of 2,000 for d = 6 and m = 8, 1.1 for d = 10 and m = 12.
        let errors = 2000 - right;
        assert!(if d == 6 { (1..=24).contains(&errors) } else { errors <= 7 }, "{errors}");
        let longest = steps.iter().copied().max().unwrap();
        let middle = median(steps);
        println!("dictator {d} {m}: {errors} errors of 2,000, steps {middle}, at most {longest}");
        assert!(middle.abs_diff(expected) <= expected / 20, "{middle}");
    }
}

#[test]
fn the_dictator_learner_has_no_answer_where_no_input_is_consistent() {
    let program = program(library::DICTATOR);
    let mut without = 0;
    for seed in 0..200 {
        let sampled = SampledProblem::new(ConceptFamily::Parity, 5, 12, 0.0, seed, 0).unwrap();
        let x = sampled.test_input(0);
        let (label, _) = predicted(&program, &sampled.data, &x);
        assert_eq!(label, dictator(&sampled.data, &x));
        without += u32::from(label.is_none());
    }
    assert!(without > 100);
}

/// Elimination with the test input as one more row, as bits: the label of that row afterwards, and whether it became a pivot.
fn eliminated(data: &Dataset, x: &[i8]) -> (i8, bool) {
    let mut rows: Vec<(Vec<bool>, bool)> = data
        .examples()
        .chain([(x, 1)])
        .map(|(x, y)| (x.iter().map(|one| *one < 0).collect(), y < 0))
        .collect();
    let mut used = vec![false; rows.len()];
    for column in 0..data.d() {
        let Some(pivot) = (0..rows.len()).find(|row| !used[*row] && rows[*row].0[column]) else { continue };
        used[pivot] = true;
        let (bits, label) = rows[pivot].clone();
        for row in (0..rows.len()).filter(|row| !used[*row]) {
            if rows[row].0[column] {
                rows[row].0.iter_mut().zip(&bits).for_each(|(one, other)| *one ^= other);
                rows[row].1 ^= label;
            }
        }
    }
    let label = if rows.last().is_some_and(|row| row.1) { -1 } else { 1 };
    (label, used.last() == Some(&true))
}

#[test]
fn parity_is_correct_on_every_instance_of_full_rank() {
    let program = program(library::PARITY);
    for (d, m, instances, expected, max) in [
        (3, 6, 200, 521, 581),
        (4, 8, 200, 949, 1069),
        (6, 12, 200, 2385, 2545),
        (8, 16, 60, 4841, 5181),
        (10, 20, 60, 8569, 8977),
    ] {
        let mut steps = Vec::new();
        for seed in 0..instances {
            let sampled = SampledProblem::new(ConceptFamily::Parity, d, m, 0.0, seed, 0).unwrap();
            let x = sampled.test_input(0);
            if sampled.data.rank() == d {
                let (label, count) = predicted(&program, &sampled.data, &x);
                assert_eq!(label, Some(sampled.concept.label(&x)), "{d} {m} {seed}");
                steps.push(count);
            }
        }
        let (longest, count) = (steps.iter().copied().max().unwrap(), steps.len());
        assert!(steps.len() as u64 > instances * 4 / 5);
        let middle = median(steps);
        println!("parity {d} {m}: {count} instances, steps {middle}, at most {longest}");
        assert!(middle.abs_diff(expected) <= expected / 33, "{middle}");
        assert!(longest.abs_diff(max) <= max / 20, "{longest}");
    }
}

/// Below full rank the answer is that of the elimination above: right where the test input is a sum of examples, and
/// as good as a coin elsewhere, since the test input then becomes a pivot itself and keeps the label bit that it has.
#[test]
fn parity_below_full_rank_guesses_outside_of_the_span() {
    let program = program(library::PARITY);
    let (mut inside, mut outside, mut right) = (0, 0, 0);
    for seed in 0..2000 {
        let sampled = SampledProblem::new(ConceptFamily::Parity, 6, 5, 0.0, seed, 0).unwrap();
        let (x, d) = (sampled.test_input(0), sampled.data.d());
        let (label, _) = predicted(&program, &sampled.data, &x);
        let (wanted, is_pivot) = eliminated(&sampled.data, &x);
        assert_eq!(label, Some(wanted));
        let rank = sampled.data.rank();
        assert!(rank < d);
        let more =
            Dataset::new([sampled.data.inputs(), std::slice::from_ref(&x)].concat(), vec![1; 6]).unwrap();
        let is_right = label == Some(sampled.concept.label(&x));
        if more.rank() == rank {
            inside += 1;
            assert!(is_right && !is_pivot);
        } else {
            outside += 1;
            assert!(is_pivot);
            right += i32::from(is_right);
        }
    }
    println!("parity below full rank: inside {inside}, outside {outside}, of these right {right}");
    assert!(inside > 300 && outside > 1000);
    // Five standard deviations.
    assert!((2 * right - outside).pow(2) < 25 * outside, "{right} of {outside}");
}

#[test]
fn parity_of_noisy_labels_equals_gaussian_elimination() {
    let program = program(library::PARITY);
    for seed in 0..100 {
        let sampled = SampledProblem::new(ConceptFamily::Parity, 4, 8, 0.2, seed, 0).unwrap();
        let x = sampled.test_input(0);
        assert_eq!(predicted(&program, &sampled.data, &x).0, Some(eliminated(&sampled.data, &x).0));
    }
}
