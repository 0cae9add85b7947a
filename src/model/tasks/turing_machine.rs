//! A Turing machine with an input: what a transformer that is written down runs, a step of the machine for each token (Wei,
//! Chen and Ma 2022, section 4).
//!
//! What runs is a [`MachineProgram`]; here are its settings. An example, in the sense of other tasks, is a step of the machine: its
//! number as a share of T is the input, and the cell of the head after it the label.

pub mod charts;
mod measures;
mod rules;

use std::cell::RefCell;
use std::sync::Arc;

use crate::chart::Chart;
use crate::tasks::{Batch, Examples, Form, MeasureInfo, Measures, Preset, Sampler, TaskConfig};
use rules::{MAX_RULES, Rules};
use vivarium_core::catalog::Info;
use vivarium_core::pytorch::{Part, ToPyTorch};
use vivarium_core::settings::{Problem, Range};
use vivarium_core::sources::{LINDNER_2023, WEI_2022, WEISS_2021};
use vivarium_core::{choices, settings};
use vivarium_science::machines::{
    MAX_CELL, MAX_RUN_STEPS, Machine, MachineError, MachineProgram,
    library::{self, MachineExample},
};

/// Most characters of an input in a link.
const MOST_INPUT: usize = 2000;

/// The start cell of a person's own machine, where no other is chosen.
const USUAL_CELL: usize = 64;

choices! {
    /// A machine of the [library], or a person's own.
    pub enum Chosen {
        /// Adds 1.
        Increment = "increment", "Binary increment";
        /// Accepts palindromes.
        Palindrome = "palindrome", "Palindrome";
        /// Adds strokes.
        UnaryAddition = "unary-addition", "Unary addition";
        /// S(2) = 6.
        BusyBeaver2 = "busy-beaver-2", "Busy beaver, 2 states";
        /// S(3) = 21.
        BusyBeaver3 = "busy-beaver-3", "Busy beaver, 3 states";
        /// S(4) = 107.
        BusyBeaver4 = "busy-beaver-4", "Busy beaver, 4 states";
        /// S(5) = 47,176,870.
        BusyBeaver5 = "busy-beaver-5", "Busy beaver, 5 states";
        /// Counts without end.
        Counter = "counter", "Endless counter";
        /// Counts ones modulo 2.
        Parity = "parity", "Parity of a word";
        /// Copies a word.
        Copier = "copier", "Copier";
        /// Accepts balanced brackets.
        Brackets = "brackets", "Balanced brackets";
        /// Runs Collatz' sequence.
        Collatz = "collatz", "Collatz in binary";
        /// Never comes back.
        Right = "right", "Endless run to the right";
        /// Rules of a person's own.
        Own = "own", "Own rules";
    }
}

impl Chosen {
    /// The machine of the library; none where the rules are a person's own.
    pub fn example(self) -> Option<&'static MachineExample> {
        library::find_example(self.slug())
    }
}

settings! {
    /// A machine, its input, and how long it runs.
    pub struct TuringMachine {
        /// A machine of the library, or your own rules.
        machine: Chosen = Chosen::BusyBeaver4, "m", "Machine", Range::Choice(Chosen::OPTIONS);
        /// Each rule: state, symbol read, symbol to write, move (L, R or S) and next state. Write ; between the rules.
        rules: Rules = Rules::default(), "rules", "Own rules", Range::Text(MAX_RULES), only when "m" = "own";
        /// Symbols on the tape from the start cell to the right; _ for an empty tape. If this box is empty: the machine's example input.
        input: String = String::new(), "input", "Input", Range::Text(MOST_INPUT);
        /// Cell where the head and the input start. With 0, the page chooses a cell with enough cells to its left.
        start: usize = 0, "cell", "Start cell", Range::Int(0, MAX_CELL);
        /// Largest number of steps of the machine. T and the largest cell number determine how many bits a position has.
        steps: usize = 107, "t", "Steps T", Range::Int(1, MAX_RUN_STEPS as u64), "steps";
    }
}

/// What is known of the settings that were asked about last.
type Known = (TuringMachine, Result<Arc<MachineProgram>, Problem>);

/// How many of these are kept.
const KEPT: usize = 16;

thread_local! {
    /// A machine is asked for many times while a link is read, and 10,000 steps of it take about a millisecond.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

impl TuringMachine {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "turing-machine",
        name: "Turing machine",
        about: "A transformer runs a Turing machine. The weights are set by hand, not trained. The transformer writes one token for each step and has no tape.",
        sources: &[WEI_2022, WEISS_2021, LINDNER_2023],
    };

    /// Charts of this task alone.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// What its numbers are called and defined as.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;

    /// What runs.
    ///
    /// # Errors
    /// The setting that is to be changed, and how.
    pub fn program(&self) -> Result<Arc<MachineProgram>, Problem> {
        let known =
            KNOWN.with_borrow(|all| all.iter().find(|(of, _)| of == self).map(|(_, known)| known.clone()));
        known.unwrap_or_else(|| {
            let made = self.made().map(Arc::new);
            KNOWN.with_borrow_mut(|all| {
                all.truncate(KEPT - 1);
                all.insert(0, (self.clone(), made.clone()));
            });
            made
        })
    }

    fn made(&self) -> Result<MachineProgram, Problem> {
        let example = self.machine.example();
        let can_run = |mistake: &MachineError| {
            tr!("the rules of a machine that can run. The mistake: {mistake}", mistake)
        };
        let machine = match example {
            Some(example) => example.parse_machine(),
            None => Machine::parse(&self.rules.0),
        };
        let machine = machine.map_err(|mistake| Problem::new("rules", &self.rules.0, can_run(&mistake)))?;
        let input = match (self.input.as_str(), example) {
            ("", Some(example)) => example.input,
            (own, _) => own,
        };
        let wrong_input = |mistake: MachineError| {
            let expected = tr!("only symbols of the machine. The mistake: {mistake}", mistake);
            Problem::new("input", input, expected)
        };
        let input_read = machine.parse_input(input).map_err(wrong_input)?;
        let made = match self.start {
            0 => {
                let usual = example.map_or(USUAL_CELL, |example| example.start);
                MachineProgram::with_preferred_start(machine, input_read, usual, self.steps)
            }
            own => MachineProgram::new(machine, input_read, own, self.steps),
        };
        made.map_err(|mistake| {
            let (key, found) = match mistake {
                MachineError::StepsOutOfRange { .. } => ("t", self.steps.to_string()),
                _ => ("cell", self.start.to_string()),
            };
            Problem::new(key, &found, tr!("a run that is possible. The mistake: {mistake}", mistake))
        })
    }

    /// Appends these steps, counted from 0 and beginning anew after the last one.
    fn push(&self, places: impl Iterator<Item = usize>, out: &mut Batch) {
        let Some(run) = self.program().ok().and_then(|program| program.simulate().ok()) else { return };
        for at in places {
            let at = at % run.records.len().max(1);
            let Some(moment) = run.records.get(at) else { return };
            out.x.push((at + 1) as f32 / run.records.len() as f32);
            out.y.push(moment.head as f32);
        }
    }
}

impl ToPyTorch for TuringMachine {
    fn to_pytorch(&self, _seed: u64) -> Result<Part, String> {
        let Ok(program) = self.program() else {
            return Err(tr!("This machine cannot run.").into());
        };
        let MachineProgram { machine, input, start, steps, bits } = &*program;
        Ok(vivarium_science::machines::pytorch::run_part(machine, input, *start, *steps, *bits))
    }
}

impl TaskConfig for TuringMachine {
    fn default_run(&self) -> Preset {
        &[
            ("model", "machine-transformer"),
            ("loss", "square"),
            ("batch", "0"),
            ("steps", "107"),
            ("every", "1"),
            ("halt", "steps"),
            ("held", "64"),
        ]
    }

    fn default_view(&self) -> Preset {
        &[("show", "columns.tape.recall.correct"), ("speed", "8"), ("layer", "19")]
    }

    fn smaller_network(&self) -> &'static str {
        tr!("a machine with fewer states, or fewer steps T")
    }
}

impl Examples for TuringMachine {
    fn form(&self) -> Form {
        Form::Steps
    }

    fn inputs(&self) -> usize {
        1
    }

    fn held_out_size(&self) -> Option<usize> {
        Some(self.steps.max(1))
    }

    fn sample_size(&self) -> Option<usize> {
        Some(self.steps.max(1))
    }

    fn program(&self) -> Option<Arc<MachineProgram>> {
        self.program().ok()
    }

    fn measures(&self) -> Measures {
        measures::NAMES
    }

    fn problems(&self) -> Vec<Problem> {
        self.program().err().into_iter().collect()
    }
}

impl Sampler for TuringMachine {
    fn label_variance(&self, _seed: u64) -> Option<f64> {
        let run = self.program().ok()?.simulate().ok()?;
        let count = run.records.len().max(1) as f64;
        let mean = run.records.iter().map(|moment| moment.head as f64).sum::<f64>() / count;
        let squares =
            run.records.iter().map(|moment| (moment.head as f64 - mean) * (moment.head as f64 - mean));
        Some(squares.sum::<f64>() / count)
    }

    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        self.push(self.visits(seed, replica, step, size).into_iter(), out);
    }

    fn held_out(&self, _seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.push(from..from + size, out);
    }

    fn finite_sample(&self, _seed: u64, _replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.push(from..(from + size).min(self.steps), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunSpec;
    use vivarium_core::settings::Settings;
    use vivarium_science::machines::library::EXAMPLES;

    #[test]
    fn the_choice_is_that_of_the_library() {
        let (own, library) = Chosen::OPTIONS.split_last().unwrap();
        assert_eq!(own.slug, "own");
        let chosen: Vec<(&str, &str)> = library.iter().map(|option| (option.slug, option.label)).collect();
        let examples: Vec<(&str, &str)> =
            EXAMPLES.iter().map(|example| (example.slug, example.name())).collect();
        assert_eq!(chosen, examples);
        assert_eq!(Chosen::Own.example(), None);
    }

    #[test]
    fn every_machine_runs_for_as_long_as_there_may_be_steps() {
        for machine in Chosen::ALL {
            for steps in [1, 107, MAX_RUN_STEPS] {
                let task = TuringMachine { machine: *machine, steps, ..Default::default() };
                let program = task.program().unwrap();
                assert_eq!((program.steps, task.problems()), (steps, vec![]));
                assert_eq!(program, task.program().unwrap());
            }
        }
        let spec = RunSpec::of_lab("turing-machine").unwrap();
        assert_eq!((spec.problems(), spec.batch(), spec.held_out()), (vec![], 107, 64));
    }

    #[test]
    fn an_input_may_be_none() {
        let input = |text: &str| {
            let task = TuringMachine { machine: Chosen::Increment, input: text.into(), ..Default::default() };
            task.program().map(|program| program.machine.format_symbols(program.input.clone()))
        };
        assert_eq!(input("").unwrap(), "10111");
        assert_eq!(input("11").unwrap(), "11");
        assert_eq!(input("_").unwrap(), "_");
        assert_eq!(input("2").unwrap_err().key, "input");
    }

    #[test]
    fn every_setting_has_words() {
        for knob in TuringMachine::KNOBS {
            assert!(knob.help.ends_with('.') && !knob.label.is_empty(), "{}", knob.key);
        }
    }
}
