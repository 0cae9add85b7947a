//! A Turing machine with an input, run by a transformer with constructed weights, a step of the machine for each token
//! (Wei, Chen and Ma 2022, section 4).
//!
//! The machine with its input is a [`MachineProgram`]; this module has its settings. An example, in the sense of other
//! tasks, is a step of the machine: its number divided by T is the input, and the cell of the head after it is the
//! label.

pub mod charts;
mod measures;
mod rules;

use std::cell::RefCell;
use std::sync::Arc;

use crate::chart::Chart;
use crate::tasks::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData,
};
use rules::{MAX_RULES_CHARACTERS, MachineRules};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{LINDNER_2023, WEI_2022, WEISS_2021};
use vivarium_core::{choices, settings};
use vivarium_science::machines::{
    MAX_CELL, MAX_RUN_STEPS, Machine, MachineError, MachineProgram,
    library::{self, MachineExample},
};

/// Largest number of characters of the text on the machine's tape at the start, as a setting in a link.
const MAX_INPUT_CHARACTERS: usize = 2000;

/// Default number of the tape cell, from 0, at which the user's own machine starts.
const DEFAULT_START_CELL: usize = 64;

choices! {
    /// Machine of the [library], or the user's own.
    pub enum MachineChoice {
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
        /// Moves to the right for ever.
        Right = "right", "Endless run to the right";
        /// Rules that the user enters.
        Own = "own", "Own rules";
    }
}

impl MachineChoice {
    /// Example of the library of machines; None for the user's own rules.
    pub fn library_example(self) -> Option<&'static MachineExample> {
        library::find_example(self.slug())
    }
}

settings! {
    /// Machine, its input, and its number of steps.
    pub struct TuringMachine {
        /// A machine of the library, or your own rules.
        machine: MachineChoice = MachineChoice::BusyBeaver4, "m", "Machine", Range::Choice(MachineChoice::OPTIONS);
        /// Each rule: state, symbol read, symbol to write, move (L, R or S) and next state. Write ; between the rules.
        rules: MachineRules = MachineRules::default(), "rules", "Own rules", Range::Text(MAX_RULES_CHARACTERS), only when "m" = "own";
        /// Symbols on the tape from the start cell to the right; _ for an empty tape. If this box is empty: the machine's example input.
        input: String = String::new(), "input", "Input", Range::Text(MAX_INPUT_CHARACTERS);
        /// Cell where the head and the input start. With 0, the page chooses a cell with enough cells to its left.
        start: usize = 0, "cell", "Start cell", Range::Int(0, MAX_CELL);
        /// Largest number of steps of the machine. T and the largest cell number determine how many bits a position has.
        steps: usize = 107, "t", "Steps T", Range::Int(1, MAX_RUN_STEPS as u64), "steps";
    }
}

/// Settings of the task, and the machine with its input that was built from them, or the error in them.
type CachedProgram = (TuringMachine, Result<Arc<MachineProgram>, InvalidSetting>);

/// Largest number of machines, each built from different settings, whose programs one thread caches; the oldest are
/// dropped.
const MAX_CACHED_PROGRAMS: usize = 16;

thread_local! {
    /// Programs built last, the latest first: while a link is read, the machine is requested many times, and 10,000
    /// steps of it take about a millisecond.
    static CACHE: RefCell<Vec<CachedProgram>> = const { RefCell::new(Vec::new()) };
}

impl TuringMachine {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "turing-machine",
        name: "Turing machine",
        about: "A transformer runs a Turing machine. The weights are set by hand, not trained. The transformer writes one token for each step and has no tape.",
        sources: &[WEI_2022, WEISS_2021, LINDNER_2023],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;

    /// Machine with its input and start cell, built from the settings or taken from the cache.
    ///
    /// # Errors
    /// The invalid setting, with a description of valid values.
    pub fn program(&self) -> Result<Arc<MachineProgram>, InvalidSetting> {
        let known =
            CACHE.with_borrow(|all| all.iter().find(|(of, _)| of == self).map(|(_, known)| known.clone()));
        known.unwrap_or_else(|| {
            let made = self.build_program().map(Arc::new);
            CACHE.with_borrow_mut(|all| {
                all.truncate(MAX_CACHED_PROGRAMS - 1);
                all.insert(0, (self.clone(), made.clone()));
            });
            made
        })
    }

    /// Builds the machine with its input and start cell from the settings.
    fn build_program(&self) -> Result<MachineProgram, InvalidSetting> {
        let example = self.machine.library_example();
        let can_run = |mistake: &MachineError| {
            tr!("the rules of a machine that can run. The mistake: {mistake}", mistake)
        };
        let machine = match example {
            Some(example) => example.parse_machine(),
            None => Machine::parse(&self.rules.0),
        };
        let machine =
            machine.map_err(|mistake| InvalidSetting::new("rules", &self.rules.0, can_run(&mistake)))?;
        let input = match (self.input.as_str(), example) {
            ("", Some(example)) => example.input,
            (own, _) => own,
        };
        let wrong_input = |mistake: MachineError| {
            let expected = tr!("only symbols of the machine. The mistake: {mistake}", mistake);
            InvalidSetting::new("input", input, expected)
        };
        let input_read = machine.parse_input(input).map_err(wrong_input)?;
        let made = match self.start {
            0 => {
                let usual = example.map_or(DEFAULT_START_CELL, |example| example.start);
                MachineProgram::with_preferred_start(machine, input_read, usual, self.steps)
            }
            own => MachineProgram::new(machine, input_read, own, self.steps),
        };
        made.map_err(|mistake| {
            let (key, found) = match mistake {
                MachineError::StepsOutOfRange { .. } => ("t", self.steps.to_string()),
                _ => ("cell", self.start.to_string()),
            };
            InvalidSetting::new(key, &found, tr!("a run that is possible. The mistake: {mistake}", mistake))
        })
    }

    /// Appends the steps `places` of the machine's run as examples, counted from 0; numbers wrap around after the last
    /// step. The input is the fraction of the run, the label the position of the head.
    fn append_steps(&self, places: impl Iterator<Item = usize>, out: &mut Batch) {
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
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let Ok(program) = self.program() else {
            return Err(tr!("This machine cannot run.").into());
        };
        let MachineProgram { machine, input, start, steps, bits } = &*program;
        Ok(vivarium_science::machines::pytorch::run_part(machine, input, *start, *steps, *bits))
    }
}

impl TaskConfig for TuringMachine {
    fn default_run(&self) -> SettingDefaults {
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

    fn default_view(&self) -> SettingDefaults {
        &[("show", "columns.tape.recall.correct"), ("speed", "8"), ("layer", "19")]
    }

    fn smaller_network_hint(&self) -> &'static str {
        tr!("a machine with fewer states, or fewer steps T")
    }
}

impl Examples for TuringMachine {
    fn data(&self) -> TaskData {
        TaskData::Steps(self.program().ok())
    }

    fn inputs(&self) -> usize {
        1
    }

    fn held_out_count(&self) -> Option<usize> {
        Some(self.steps.max(1))
    }

    fn training_set_size(&self) -> Option<usize> {
        Some(self.steps.max(1))
    }

    fn measure_names(&self) -> MeasureNames {
        measures::MEASURE_NAMES
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
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
        self.append_steps(self.batch_indices(seed, replica, step, size).into_iter(), out);
    }

    fn append_held_out(&self, _seed: u64, from: usize, size: usize, out: &mut Batch) {
        self.append_steps(from..from + size, out);
    }

    fn append_training_set(&self, _seed: u64, _replica: u32, from: usize, size: usize, out: &mut Batch) {
        self.append_steps(from..(from + size).min(self.steps), out);
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
        let (own, library) = MachineChoice::OPTIONS.split_last().unwrap();
        assert_eq!(own.slug, "own");
        let chosen: Vec<(&str, &str)> = library.iter().map(|option| (option.slug, option.label)).collect();
        let examples: Vec<(&str, &str)> =
            EXAMPLES.iter().map(|example| (example.slug, example.name())).collect();
        assert_eq!(chosen, examples);
        assert_eq!(MachineChoice::Own.library_example(), None);
    }

    #[test]
    fn every_machine_runs_for_as_long_as_there_may_be_steps() {
        for machine in MachineChoice::ALL {
            for steps in [1, 107, MAX_RUN_STEPS] {
                let task = TuringMachine { machine: *machine, steps, ..Default::default() };
                let program = task.program().unwrap();
                assert_eq!((program.steps, task.invalid_settings()), (steps, vec![]));
                assert_eq!(program, task.program().unwrap());
            }
        }
        let spec = RunSpec::default_of_lab("turing-machine").unwrap();
        assert_eq!((spec.invalid_settings(), spec.batch_size(), spec.held_out_count()), (vec![], 107, 64));
    }

    #[test]
    fn an_input_may_be_none() {
        let input = |text: &str| {
            let task =
                TuringMachine { machine: MachineChoice::Increment, input: text.into(), ..Default::default() };
            task.program().map(|program| program.machine.format_symbols(program.input.clone()))
        };
        assert_eq!(input("").unwrap(), "10111");
        assert_eq!(input("11").unwrap(), "11");
        assert_eq!(input("_").unwrap(), "_");
        assert_eq!(input("2").unwrap_err().key, "input");
    }

    #[test]
    fn every_setting_has_words() {
        for setting in TuringMachine::SETTINGS {
            assert!(setting.help.ends_with('.') && !setting.label.is_empty(), "{}", setting.key);
        }
    }
}
