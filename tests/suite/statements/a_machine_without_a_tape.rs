//! A machine without a tape.

use std::sync::Arc;

use vivarium::machines::{
    AttentionTrace, BlockKind, Construction, ExecutionMode, Machine, MachineMetric, MachineProgram,
    MachineRun, ResidualLayout, StepTrace, TokenGroup, Transformer, library, round,
};
use vivarium::sweep::{axis_positions, cells};

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

/// The busy beaver without rounding, with the smallest noise of the story.
const UNROUNDED: &str = "#v1/turing-machine?round=no&replicas=6&sigma=0.00001";

/// The same with rounding, and with 300 times the noise.
const ROUNDED: &str = "#v1/turing-machine?replicas=6&sigma=0.003";

/// The endless counter for 800 steps, with the noise at which the length of a run matters.
const LONGEST: &str = "#v1/turing-machine?m=counter&t=800&steps=800&replicas=6&sigma=0.005";

/// A transformer at the end of a run, with all blocks of each step.
struct Watched {
    program: Arc<MachineProgram>,
    run: MachineRun,
    transformer: Transformer,
    traces: Vec<StepTrace>,
}

impl Watched {
    /// The run of a preset, step by step.
    fn new(name: &str) -> Watched {
        let program = decoded(name).task.data().machine_program().unwrap();
        let construction = Construction::new(&program.machine, program.bits).unwrap();
        let mut transformer =
            Transformer::new(construction.into(), &program.input, program.start, ExecutionMode::default())
                .unwrap();
        let mut traces = vec![];
        for _ in 0..program.steps {
            transformer.advance().unwrap();
            traces.extend(transformer.last_trace().cloned());
        }
        Watched { run: program.simulate().unwrap(), program, transformer, traces }
    }

    /// What stands where in a token.
    fn layout(&self) -> &ResidualLayout {
        self.transformer.construction().layout()
    }

    /// The number that a group of a token holds in binary.
    fn number(&self, token: &[f64], group: TokenGroup) -> usize {
        let bits = &token[self.layout().group(group)];
        bits.iter().fold(0, |number, bit| 2 * number + usize::from(*bit > 0.5))
    }

    /// The place of the only 1 of a group.
    fn place(&self, token: &[f64], group: TokenGroup) -> Option<usize> {
        let numbers = &token[self.layout().group(group)];
        let mut ones = (0..numbers.len()).filter(|at| numbers[*at] > 0.5);
        ones.next().filter(|_| ones.next().is_none())
    }

    /// The cell that a step writes, by the simulator.
    fn cell(&self, step: usize) -> usize {
        if step == 1 { self.run.start } else { self.run.records[step - 2].head }
    }

    /// Steps up to this one that wrote the cell where the head is after it, by the simulator.
    fn writers(&self, step: usize) -> Vec<usize> {
        let head = self.run.records[step - 1].head;
        (1..=step).filter(|past| self.cell(*past) == head).collect()
    }

    /// Between the first block and the last one a token holds the symbol that its step wrote, and the cell.
    fn holds_what_was_written(&self) -> bool {
        self.traces.iter().zip(&self.run.records).all(|(trace, moment)| {
            trace.blocks[..trace.blocks.len() - 1].iter().all(|stage| {
                self.place(&stage.residual, TokenGroup::Written) == Some(moment.written)
                    && self.number(&stage.residual, TokenGroup::Before) == self.cell(trace.step)
            })
        })
    }

    /// The simulator's tape follows from what tokens say was written, from the input and from the blank.
    fn tape_follows(&self) -> bool {
        let tokens = self.transformer.tokens();
        (0..=tokens.len()).all(|step| {
            let symbol = |cell: usize| {
                let last = (1..=step).rev().find(|past| self.cell(*past) == cell);
                let given = cell.checked_sub(self.program.start).and_then(|at| self.program.input.get(at));
                last.map(|past| tokens[past - 1].written).or(given.copied()).unwrap_or(0)
            };
            self.run.tape_after(step).iter().enumerate().all(|(cell, found)| *found == symbol(cell))
        })
    }

    /// After the last block only state, symbol and cell are not 0, and they are the simulator's.
    fn ends_with_little(&self) -> bool {
        self.traces.iter().zip(&self.run.records).all(|(trace, moment)| {
            let token = &trace.blocks[trace.blocks.len() - 1].residual;
            let kept = [TokenGroup::State, TokenGroup::Symbol, TokenGroup::Before];
            let mut others =
                (0..token.len()).filter(|coordinate| !kept.contains(&self.layout().group_of(*coordinate)));
            others.all(|coordinate| token[coordinate].abs() < 1e-9)
                && self.place(token, TokenGroup::State) == Some(moment.state)
                && self.place(token, TokenGroup::Symbol) == Some(moment.symbol)
                && self.number(token, TokenGroup::Before) == moment.head
        })
    }

    /// One layer of attention gives the same weight to all steps that wrote the cell, and none to others.
    fn finds_all_writers(&self) -> bool {
        let mut most = 0;
        let found = self.traces.iter().all(|trace| {
            let stage = trace.blocks.iter().find(|stage| stage.kind == BlockKind::Visited).unwrap();
            let (writers, look) = (self.writers(trace.step), stage.self_attention.as_ref().unwrap());
            most = most.max(writers.len());
            (1..=trace.step).zip(&look.weights).all(|(past, weight)| {
                let share = if writers.contains(&past) { 1.0 / writers.len() as f64 } else { 0.0 };
                (weight - share).abs() < 1e-12
            })
        });
        found && most > 1
    }

    /// Whether this holds of every search for a bit: of its attention, the steps that fit, the bit found, and the same bit of
    /// the last step that wrote the cell.
    fn every_search(&self, holds: impl Fn(&AttentionTrace, &[usize], usize, usize) -> bool) -> bool {
        let bits = self.layout().bits();
        self.traces.iter().all(|trace| {
            let (writers, mut known) = (self.writers(trace.step), 0);
            (0..bits).all(|round| {
                let wanted = BlockKind::Search(round);
                let stage = trace.blocks.iter().find(|stage| stage.kind == wanted).unwrap();
                let begins = |past: &usize| past >> (bits - 1 - round) == 2 * known + 1;
                let fit: Vec<usize> = writers.iter().copied().filter(begins).collect();
                let last = writers.last().copied().unwrap_or(0) >> (bits - 1 - round) & 1;
                let bit =
                    usize::from(stage.residual[self.layout().coordinate(TokenGroup::Prefix, round)] > 0.5);
                known = 2 * known + bit;
                holds(stage.self_attention.as_ref().unwrap(), &fit, bit, last)
            })
        })
    }

    /// Seven searches, each of which finds one bit of the last step that wrote the cell, and a 1 exactly if a step fits.
    fn searches_bit_by_bit(&self) -> bool {
        self.layout().bits() == 7
            && self.every_search(|_, fit, bit, last| bit == usize::from(!fit.is_empty()) && bit == last)
    }

    /// Where no step fits, and only there, the null slot has the largest score, and the bit is 0.
    fn null_wins_where_none_fits(&self) -> bool {
        self.every_search(|look, fit, bit, _| {
            let is_largest = look.scores.iter().all(|score| *score < look.null_score);
            if fit.is_empty() {
                is_largest && look.null_weight == 1.0 && bit == 0
            } else {
                !is_largest && bit == 1
            }
        })
    }

    /// Steps that fit have the same score, and all others a smaller one.
    fn those_that_fit_are_alike(&self) -> bool {
        self.every_search(|look, fit, _, _| {
            let Some(first) = fit.first() else { return true };
            let best = look.scores[first - 1];
            (1..).zip(&look.scores).all(|(past, score)| match fit.contains(&past) {
                true => (score - best).abs() < 1e-9,
                false => *score < best - 0.5,
            })
        })
    }
}

/// Whatever the word, the transformer begins with the same token, and the token of step 0 holds the word's first symbol.
fn step_0_fetches_the_first_symbol() -> bool {
    let program = decoded("palindrome-machine").task.data().machine_program().unwrap();
    let construction = Arc::new(Construction::new(&program.machine, program.bits).unwrap());
    ["", "0", "1", "0110", "1011"].iter().all(|word| {
        let input = program.machine.parse_input(word).unwrap();
        let how = ExecutionMode::default();
        let transformer = Transformer::new(construction.clone(), &input, program.start, how).unwrap();
        let trace = transformer.last_trace().unwrap();
        let first = input.first().copied().unwrap_or(0);
        trace.step == 0
            && trace.input_token == construction.start_token(program.start)
            && transformer.steps() == 0
            && (trace.record.state, trace.record.symbol, trace.record.head) == (0, first, program.start)
    })
}

/// How many states of a machine have a rule; the others halt.
fn working_states(machine: &Machine) -> usize {
    let symbols = 0..machine.symbols().len();
    (0..machine.state_names().len())
        .filter(|state| symbols.clone().any(|symbol| machine.rule(*state, symbol).is_some()))
        .count()
}

/// The blocks of the busy beaver's transformer, besides those that search.
fn other_blocks() -> Vec<BlockKind> {
    let watched = Watched::new("beaver-machine");
    let phases = watched.transformer.construction().blocks().iter().map(|block| block.kind);
    phases.filter(|phase| !matches!(phase, BlockKind::Search(_))).collect()
}

/// The head turns round again and again between the ends of the word, and no letter is left.
fn goes_to_and_fro_and_erases() -> bool {
    let Watched { program, run, .. } = Watched::new("palindrome-machine");
    let heads: Vec<usize> = run.records.iter().map(|moment| moment.head).collect();
    let moves: Vec<bool> =
        heads.windows(2).filter(|pair| pair[0] != pair[1]).map(|pair| pair[0] < pair[1]).collect();
    let turns = moves.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let letters = |step: usize| run.tape_after(step).iter().filter(|symbol| **symbol != 0).count();
    let ends = [program.start, program.start + program.input.len() - 1];
    ends.iter().all(|end| heads.contains(end))
        && turns >= program.input.len() - 1
        && (letters(0), letters(program.steps)) == (program.input.len(), 0)
}

/// With another rule only the first block is another one.
fn rules_are_in_the_first_block() -> bool {
    let text = library::find_example("palindrome").unwrap().text;
    let other = text.replace("want1 0 → 0 S reject", "want1 0 → 1 S reject");
    let [one, two] =
        [text, other.as_str()].map(|text| Construction::new(&Machine::parse(text).unwrap(), 6).unwrap());
    one.blocks()[0] != two.blocks()[0] && one.blocks()[1..] == two.blocks()[1..]
}

/// The numbers T of the runs of the sweep over T.
fn largest_steps() -> Vec<f64> {
    let programs = cells(&decoded("depth-machine")).into_iter().map(|cell| cell.spec);
    programs.map(|spec| spec.task.data().machine_program().unwrap().steps as f64).collect()
}

/// Twenty times as many steps as layers of attention and of ReLUs, in the largest transformer of the sweep over T.
fn steps_are_many_more_than_layers() -> bool {
    let largest = cells(&decoded("depth-machine")).pop().unwrap().spec;
    let program = largest.task.data().machine_program().unwrap();
    let construction = Construction::new(&program.machine, program.bits).unwrap();
    let layers: usize = construction
        .blocks()
        .iter()
        .map(|block| block.layers.len() + block.self_attention.iter().chain(&block.cross_attention).count())
        .sum();
    program.steps > 20 * layers
}

/// Nearly every weight has an error, and the errors have the standard deviation that the story tells.
fn every_weight_has_noise(runs: &Runs) -> bool {
    let run = runs.looked_into(UNROUNDED, &[0]);
    let program = run.spec.task.data().machine_program().unwrap();
    let exact = Construction::new(&program.machine, program.bits).unwrap();
    let exact: Vec<f64> = exact.tensors().flat_map(|tensor| tensor.values).collect();
    // The first parameter is the number of steps.
    let noisy = run.weights(0)[1..].concat();
    let errors: Vec<f64> = noisy.iter().zip(&exact).map(|(noisy, exact)| f64::from(*noisy) - exact).collect();
    let count = errors.len() as f64;
    // In single precision a small error of a weight of 1 may be lost.
    let with = errors.iter().filter(|error| **error != 0.0).count() as f64 / count;
    let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / count).sqrt();
    noisy.len() == exact.len()
        && with > 0.99
        && (0.9e-5..1.1e-5).contains(&deviation)
        && axis_positions(&decoded("unrounded-machine").run.sweep).first() == Some(&1e-5)
}

/// The first wrong step of each network; one more than there are steps where no step is wrong.
fn first_wrong(run: &Trained) -> &[f32] {
    &run.row(run.spec.run.steps).measures[MachineMetric::FirstWrong as usize]
}

/// Eight to twelve steps before the first wrong one, in each of the six networks.
fn about_ten_are_right(runs: &Runs) -> bool {
    let run = runs.looked_into(UNROUNDED, &[0]);
    first_wrong(&run).iter().all(|wrong| (8.0..=12.0).contains(&(wrong - 1.0)))
}

/// In any two steps the largest deviation of a number grows, and in seven steps to more than twenty times.
fn errors_grow(runs: &Runs) -> bool {
    let run = runs.looked_into(UNROUNDED, &[0]);
    let deviation = |step: u64| run.row(step).train_loss[0];
    (1..=6).all(|step| deviation(step + 2) > deviation(step)) && deviation(8) > 20.0 * deviation(1)
}

/// With rounding all six networks are right to the end; without it none is, at a 300th of the noise.
fn withstands_300_times_the_noise(runs: &Runs) -> bool {
    let (without, with) = (runs.looked_into(UNROUNDED, &[0]), runs.run(ROUNDED));
    first_wrong(&without).iter().all(|wrong| *wrong <= 107.0)
        && first_wrong(&with).iter().all(|wrong| *wrong == 108.0)
}

/// Less than one error in a hundred steps, most of them after the steps of the shortest run; and more blocks.
fn errors_are_rare_and_come_late(runs: &Runs) -> bool {
    let run = runs.run(LONGEST);
    let firsts = first_wrong(&run);
    let made: f32 = firsts.iter().map(|step| step.min(800.0)).sum();
    let wrong = firsts.iter().filter(|step| **step <= 800.0).count() as f32;
    let late = firsts.iter().filter(|step| (51.0..=800.0).contains(*step)).count() as f32;
    let short = decoded("#v1/turing-machine?m=counter&t=50&steps=50");
    let bits = short.task.data().machine_program().unwrap().bits as f32;
    100.0 * wrong < made && 2.0 * late > wrong && run.measure("blocks", 800) > bits + 4.0
}

/// On the busy beaver of the story.
fn beaver(holds: impl Fn(&Watched) -> bool) -> bool {
    holds(&Watched::new("beaver-machine"))
}

/// On the busy beaver's empty tape, and on a word.
fn on_both(holds: impl Fn(&Watched) -> bool) -> bool {
    ["beaver-machine", "palindrome-machine"].iter().all(|name| holds(&Watched::new(name)))
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "A transformer simulates a Turing machine, but does not store the tape.",
        On(|_| on_both(Watched::ends_with_little)),
    ),
    (
        "It writes one token for each step of the machine, and it searches the past tokens for the symbol under the machine's head.",
        On(|_| {
            on_both(Watched::tape_follows)
                && beaver(Watched::searches_bit_by_bit)
                && beaver(|run| run.transformer.tokens().len() == run.program.steps)
        }),
    ),
    ("A Turing machine has a tape of cells and a head.", Words),
    (
        "In each step a Turing machine reads the symbol under its head, writes a symbol into this cell, moves the head by one cell and goes to its next state.",
        Words,
    ),
    (
        "The chart \"Tape of the simulator over time\" shows the tape of a machine with 4 states.",
        On(|_| beaver(|run| working_states(&run.program.machine) == 4)),
    ),
    (
        "An ordinary simulator computes this tape.",
        Known("`tokens_stand_next_to_the_tape_in_step`: the chart is the simulator's tape, step by step"),
    ),
    (
        "The transformer has no tape.",
        Known(
            "a step is given the last token, and keys and values of past tokens; `the_reference_implementation_gives_the_same_numbers` executes it from these alone",
        ),
    ),
    (
        "For each step of the machine, the transformer writes one token.",
        On(|_| beaver(|run| run.transformer.tokens().len() == run.program.steps && run.program.steps == 107)),
    ),
    (
        "Before the tokens of the machine's steps, a step 0 fetches the first symbol of the input.",
        On(|_| step_0_fetches_the_first_symbol()),
    ),
    (
        "A token consists of 46 numbers.",
        On(|_| beaver(|run| run.traces.iter().all(|trace| trace.input_token.len() == 46))),
    ),
    (
        "The formula for the weights is from the paper of Wei, Chen and Ma.",
        Known(
            "Wei, Chen and Ma 2022, section 4 and appendix C; `Construction::new` sets every weight from the rules of the machine",
        ),
    ),
    (
        "A formula sets all weights: nothing is trained.",
        On(|runs| {
            let run = runs.looked_into("beaver-machine", &[0, 107]);
            // The first parameter is the number of steps.
            run.weights(0)[1..] == run.weights(107)[1..]
        }),
    ),
    ("Where will the transformer keep the symbols of the tape?", Words),
    (
        "In the past tokens: each holds the symbol written in its step and the number of the cell.",
        On(|_| on_both(Watched::holds_what_was_written) && beaver(Watched::ends_with_little)),
    ),
    (
        "Inside the blocks, each past token holds the symbol that was written in its step and the number of the cell.",
        On(|_| on_both(Watched::holds_what_was_written)),
    ),
    ("The symbols on the tape follow from the past tokens.", On(|_| on_both(Watched::tape_follows))),
    (
        "The symbol in a cell is the symbol that was written in the last step that wrote to this cell.",
        On(|_| on_both(Watched::tape_follows)),
    ),
    (
        "If no step has written to the cell, the cell holds its initial symbol: a symbol of the input, or a blank outside the input.",
        On(|_| on_both(Watched::tape_follows)),
    ),
    (
        "After the last block a token holds only the state, the symbol under the head and the number of the cell under the head.",
        On(|_| on_both(Watched::ends_with_little)),
    ),
    (
        "For the next step the transformer needs the symbol in the cell to which the head has moved.",
        Known(
            "a rule is chosen by the state and the symbol under the head: the definition of a Turing machine",
        ),
    ),
    (
        "This symbol was written in the last step that wrote to the cell.",
        On(|_| on_both(Watched::tape_follows)),
    ),
    (
        "One attention layer finds all steps that wrote to the cell, but does not find the last of these steps.",
        On(|_| beaver(Watched::finds_all_writers)),
    ),
    (
        "So the transformer finds the number of the last of these steps bit by bit, beginning with the most significant bit.",
        On(|_| beaver(Watched::searches_bit_by_bit)),
    ),
    (
        "Each of 7 attention blocks finds one bit of the number of this step, the most significant bit first.",
        On(|_| beaver(Watched::searches_bit_by_bit)),
    ),
    (
        "The transformer searches for the last step that wrote to the cell under the head.",
        On(|_| beaver(Watched::searches_bit_by_bit)),
    ),
    (
        "The bit is 1 if the number of some write to the cell begins with the bits found so far, followed by 1.",
        On(|_| beaver(Watched::searches_bit_by_bit)),
    ),
    (
        "The attention also has a null slot, which belongs to no token.",
        Known("key and value of the null slot are weights of the construction: `null_key` and `null_value`"),
    ),
    (
        "If no past token matches the search for the bit 1, the null slot has the largest score, and the bit is 0.",
        On(|_| beaver(Watched::null_wins_where_none_fits)),
    ),
    ("Why does each block find a bit of the number of the *last* write?", Words),
    (
        "If the number of some write continues with 1, the number of the last write does so, too.",
        On(|_| beaver(Watched::searches_bit_by_bit)),
    ),
    (
        "Suppose that the number of some write continues with 1, but the number of the last write continues with 0.",
        Words,
    ),
    (
        "Both numbers begin with the same bits, so the last write would have the smaller number.",
        Known(
            "of two numbers with the same first bits the one that goes on with 0 is smaller than the one that goes on with 1",
        ),
    ),
    ("Then the last write would not be the last.", Known("the last write has the largest number")),
    (
        "Recent tokens have no larger scores: all tokens that match the search have the same score.",
        On(|_| beaver(Watched::those_that_fit_are_alike)),
    ),
    ("This machine halts after 107 steps.", Preset("beaver-machine")),
    (
        "Of all machines with 4 states and 2 symbols that halt on an empty tape, none makes more steps than this machine.",
        Known("S(4) = 107: Brady 1983"),
    ),
    ("All 107 tokens agree with the simulator's steps.", Preset("beaver-machine")),
    (
        "The transformer has 11 blocks: one for each of the 7 bits of a step's number, and 4 more.",
        Preset("beaver-machine"),
    ),
    (
        "The other 4 blocks apply the rule, move the head, test whether the cell was written before, and fetch the symbol.",
        On(|_| other_blocks() == [BlockKind::Apply, BlockKind::Move, BlockKind::Visited, BlockKind::Fetch]),
    ),
    (
        "This machine accepts a word if it is a palindrome: the word reads the same from left to right and from right to left.",
        Known("`the_examples_compute_their_functions`: it accepts palindromes, and no other word"),
    ),
    (
        "The machine's head moves from one end of the word to the other and erases symbols.",
        On(|_| goes_to_and_fro_and_erases()),
    ),
    ("The formula from the paper also gives a transformer for this machine.", Preset("palindrome-machine")),
    ("The first block holds the rules of the machine.", On(|_| rules_are_in_the_first_block())),
    (
        "The width of the transformer depends on the number of states, the number of symbols, and the number of bits of a step's number.",
        Known("states + 4 symbols + 4 bits + 5: `the_widths_equal_published_widths`"),
    ),
    (
        "The number of blocks depends only on the number of bits of a step's number.",
        Known("bits + 4: `there_are_bits_plus_four_blocks_with_different_names`"),
    ),
    (
        "It does not depend on the states, the symbols or the rules of the machine.",
        Known("bits + 4: `there_are_bits_plus_four_blocks_with_different_names`"),
    ),
    (
        "The transformer in each run of this sweep is made for at most T steps, and T about doubles from one run to the next.",
        On(|_| largest_steps().windows(2).all(|pair| (1.8..2.2).contains(&(pair[1] / pair[0])))),
    ),
    ("How many blocks will the transformer need for twice as many steps?", Words),
    ("One more block.", Preset("depth-machine")),
    ("One more block, because the number of a step has one more bit.", Preset("depth-machine")),
    ("From T = 7 steps to T = 1,023 steps the number of blocks grows from 7 to 14.", Preset("depth-machine")),
    ("Press Play.", Words),
    (
        "In this sweep every weight of the blocks has a small random error, called noise, with a standard deviation of 0.00001 in the first run.",
        On(every_weight_has_noise),
    ),
    ("The numbers in the tokens are not rounded after the blocks.", Words),
    (
        "Six networks with different random noise run at the same time.",
        On(|_| decoded("unrounded-machine").run.replicas == 6),
    ),
    ("How many of the 107 steps will a network in the first run make before its first wrong step?", Words),
    ("About ten steps.", On(about_ten_are_right)),
    (
        "In the first run, the median of the first wrong step over the six networks lies between 6 and 14.",
        Preset("unrounded-machine"),
    ),
    ("The errors of one step enter the next step, so the errors grow from step to step.", On(errors_grow)),
    ("Press Play.", Words),
    (
        "In this sweep two ReLUs round each number of a token to 0 or 1 after every block.",
        Known("3φ(z − 1/3) − 3φ(z − 2/3): `rounding_corrects_errors_below_a_third`"),
    ),
    (
        "This rounding removes every error below 1/3.",
        On(|_| {
            (-33..=33).all(|error| {
                let error = f64::from(error) / 100.0;
                round(error).abs() < 1e-12 && (round(1.0 + error) - 1.0).abs() < 1e-12
            })
        }),
    ),
    (
        "How much noise will the networks with rounding tolerate, compared with the networks without rounding?",
        Words,
    ),
    ("300 times as much noise, or more.", On(withstands_300_times_the_noise)),
    (
        "With rounding and noise of standard deviation 0.003, all six networks compute all steps correctly.",
        Preset("rounded-machine"),
    ),
    ("Without rounding, a 300th of this noise is already too much.", On(withstands_300_times_the_noise)),
    (
        "With rounding and noise of standard deviation 0.03, no network computes all steps correctly.",
        Preset("rounded-machine"),
    ),
    ("Press Play.", Words),
    (
        "The margin of a network is the norm of the smallest change of the weights that changes the answer.",
        Words,
    ),
    ("The paper proves a lower bound on the margin.", Known("Wei, Chen and Ma 2022, theorem D.6")),
    ("This bound does not depend on the depth of the network.", Known("Wei, Chen and Ma 2022, theorem D.6")),
    (
        "The bound gives no information about how often random noise changes the answer.",
        Known("the theorem is on the smallest harmful change: Wei, Chen and Ma 2022, theorem D.6"),
    ),
    (
        "In this sweep, networks with rounding and noise run for 50, 200 and 800 steps.",
        Preset("longer-machine"),
    ),
    ("Do the networks for more steps tolerate less noise?", Words),
    ("Yes: a longer run has more steps in which a rare error can occur.", On(errors_are_rare_and_come_late)),
    (
        "With noise of standard deviation 0.003 all six networks for each of 50, 200 and 800 steps run without an error.",
        Preset("longer-machine"),
    ),
    (
        "With noise of standard deviation 0.005 all six networks for 50 steps run without an error, but at most two of the six networks for 800 steps run without an error.",
        Preset("longer-machine"),
    ),
    (
        "In a longer run there are more steps in which a rare error can occur, and the transformer for 800 steps has more blocks.",
        On(errors_are_rare_and_come_late),
    ),
    ("Press Play.", Words),
    (
        "The attention of ordinary transformers uses softmax instead of a hard maximum.",
        Known("Vaswani et al. 2017, section 3.2"),
    ),
    (
        "In the transformer on this page, the largest attention score exceeds every smaller score by at least 1, so softmax is close to the hard maximum if the inverse temperature β is large.",
        Known(
            "`tokens_equal_the_simulation_for_every_example` has the gap; then all smaller scores together have at most T exp(−β) times the largest weight",
        ),
    ),
    (
        "With an inverse temperature of β = 3.5 the endless counter, a machine that never halts, runs 100 steps without an error.",
        Preset("softmax-machine"),
    ),
    (
        "For 400 steps without an error, β = 5 is the smallest sufficient value in this sweep.",
        Preset("softmax-machine"),
    ),
    (
        "The small attention weights of all tokens with smaller scores add up.",
        Known("each of up to T past tokens has a positive weight, up to exp(−β) times the largest"),
    ),
    ("Will the transformer need a larger β for a longer run?", Words),
    ("Yes, because the small attention weights of more past tokens add up.", Preset("softmax-machine")),
    (
        "A longer run has more past tokens, and a longer input has more tokens of its own.",
        Known(
            "`a_long_input_requires_a_larger_beta`: forty symbols make step 1 wrong at β = 1.2, although T = 1",
        ),
    ),
    (
        "With rounding, every β above ln(2(T + m)) is large enough for T steps and an input of m symbols.",
        Known(
            "`AttentionMode::safe_beta` has the proof; `rounding_corrects_all_errors_above_the_threshold_and_not_below` tries both sides",
        ),
    ),
    ("Press Play.", Words),
    (
        "The experiment shows that a transformer with few blocks *can* run a machine for many steps, and that rounding makes the transformer robust to noise.",
        On(|runs| steps_are_many_more_than_layers() && withstands_300_times_the_noise(runs)),
    ),
    ("The experiment does not show that training finds weights for this search.", Words),
    (
        "The paper does not claim that training finds these weights, either.",
        Known(
            "Wei, Chen and Ma 2022, section 1: learnability is a matter of the number of samples, not of gradient descent",
        ),
    ),
    (
        "Other work also compiles programs into transformers.",
        Known("Weiss, Goldberg and Yahav 2021 and Lindner et al. 2023, among the sources of the story"),
    ),
    (
        "RASP (Weiss, Goldberg and Yahav) is a programming language with attention and MLP layers as operations, and Tracr (Lindner and others) compiles RASP programs into weights.",
        Known("Weiss, Goldberg and Yahav 2021 and Lindner et al. 2023, among the sources of the story"),
    ),
    (
        "A compiled program has a fixed number of layers and gives its answer in one pass.",
        Known("Lindner et al. 2023, among the sources of the story"),
    ),
    (
        "For the transformer on this page, a formula sets each weight directly.",
        Known("`Construction::new` sets every matrix entry by entry"),
    ),
    (
        "The attention of this transformer has a null slot and a hard maximum.",
        Known(
            "`null_key` and `Choice::Hard` of the construction; `hard_attention_averages_the_values_of_the_largest_scores`",
        ),
    ),
    (
        "The transformer makes one step of the machine for each token, so it can make many more steps than it has layers.",
        On(|_| steps_are_many_more_than_layers()),
    ),
    ("To try next: open “Softmax without rounding”, and find the first wrong step.", Words),
    ("Or open “Binary increment”, and follow the carry on the tape.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("a-machine-without-a-tape");
}
