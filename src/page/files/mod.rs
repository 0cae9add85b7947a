//! The run as files: what can be saved, and what a file that is opened changes in the state.
//!
//! # Why
//! A file of a run is shown as what it is, a record: its curves and its link, and nothing trains until somebody asks for
//! it, since the same link trains the same run. Charts that look into the network are not of it. A file of weights is a
//! run that waits at its step. Whatever is wrong with a file, the run on the page goes on.

pub mod data;
pub mod openers;
pub mod progress;
pub mod reading;
pub mod tables;
#[cfg(test)]
pub(crate) mod tests;

use super::state::{Action, State, TrainerStatus, UndoEntry};
use super::trainer::Effect;
use crate::files::openers::openers;
use vivarium_core::sorting;
use vivarium_model::permalink::{Link, View};
use vivarium_model::platform::file::GivenFile;
use vivarium_model::protocol::{Command, Ending};
use vivarium_view::display::words::thousands;
use vivarium_view::display::{Phase, RunView};
use vivarium_view::record::preamble::file_name;
use vivarium_view::record::reading::News;
use vivarium_view::record::weights::Header;
use vivarium_view::record::{Environment, Record, csv, torch};
use vivarium_view::ui::request::Request;

/// What can be saved of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// The table of metrics.
    Csv,
    /// The same of all runs that are compared.
    Compared,
    /// The run.
    Json,
    /// Its weights.
    Weights,
    /// The PyTorch script.
    Script,
}

/// A file to be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// What it is called.
    pub name: String,
    /// Its media type.
    pub kind: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Export {
    /// All of them, in the order of the dialog.
    pub const ALL: [Export; 5] =
        [Export::Json, Export::Csv, Export::Compared, Export::Weights, Export::Script];

    /// Name for tests.
    pub fn slug(self) -> &'static str {
        match self {
            Export::Compared => "compared",
            other => other.ending(),
        }
    }

    /// Ending of the file.
    pub fn ending(self) -> &'static str {
        match self {
            Export::Csv | Export::Compared => "csv",
            Export::Json => "json",
            Export::Weights => "safetensors",
            Export::Script => "py",
        }
    }

    /// What stands on its button.
    pub fn word(self) -> &'static str {
        match self {
            Export::Csv => tr!("Metrics (CSV)"),
            Export::Compared => tr!("Compared runs (CSV)"),
            Export::Json => tr!("Run (JSON)"),
            Export::Weights => tr!("Weights (safetensors)"),
            Export::Script => tr!("PyTorch script"),
        }
    }

    /// What it is good for, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Export::Csv => tr!("Every measurement of every replica, for a spreadsheet or a program."),
            Export::Compared => {
                tr!(
                    "The metrics of this run and of the compared runs in one table. The column “run” contains the name of the run. The next columns are “step” and “replica”, and then one column for each metric."
                )
            }
            Export::Json => {
                tr!(
                    "A file with the link, the measurements, and the names of the program and device that made the measurements. This page and the command “lab” can open this file."
                )
            }
            Export::Weights => {
                tr!("All weights and the state of the optimizer: the run can be resumed from this file.")
            }
            Export::Script => {
                tr!("The same experiment in plain PyTorch; the script can start from the saved weights.")
            }
        }
    }

    /// Why there is no such file now, where that is known without making it.
    pub fn unavailable(self, state: &State) -> Option<&'static str> {
        match self {
            Export::Csv if state.run.history.last().is_none() => Some(tr!("Nothing has been measured yet.")),
            Export::Compared if !state.has_compared() => Some(tr!(
                "There is no other run to compare: press “Keep and compare”, then train with another setting."
            )),
            Export::Weights if state.checkpoint.is_some() => None,
            Export::Weights if state.run.record.is_some() => {
                Some(tr!("The opened file contains no weights."))
            }
            Export::Weights => Some(tr!("The training program has sent no weights yet.")),
            _ => None,
        }
    }

    /// The file, in a browser that calls itself `system`.
    ///
    /// # Errors
    /// A sentence that says why there is none.
    pub fn file(self, state: &State, system: &str) -> Result<Saved, String> {
        if let Some(why) = self.unavailable(state) {
            return Err(why.into());
        }
        let record = record(state, system);
        let weights = state.checkpoint.as_ref();
        let (kind, bytes) = match self {
            Export::Csv => {
                let rows: Vec<_> = state.run.history.rows().collect();
                let table = csv(&state.run.spec().measures(), rows.into_iter());
                ("text/csv", (record.csv_preamble() + &table).into_bytes())
            }
            Export::Compared => ("text/csv", state.compared_csv().into_bytes()),
            Export::Json => ("application/json", record.to_json().into_bytes()),
            Export::Weights => {
                ("application/octet-stream", weights.map(|(_, bytes)| bytes.clone()).unwrap_or_default())
            }
            Export::Script => ("text/x-python", torch::script(&state.run.link.spec)?.into_bytes()),
        };
        let step = weights.filter(|_| self == Export::Weights).map_or(state.run.step, |(step, _)| *step);
        let record = Record { step, ..record };
        let of_all = if self == Export::Compared { "-compared" } else { "" };
        Ok(Saved { name: format!("{}{of_all}.{}", record.name(), self.ending()), kind, bytes })
    }
}

/// The run as a record, from a browser that calls itself `system`.
pub fn record(state: &State, system: &str) -> Record {
    let [weights, weights_of] = state.run.initial.clone();
    let here = || Environment {
        program: Environment::program(),
        front: "page".into(),
        device: state.report.as_ref().map_or_else(String::new, |report| report.name.clone()),
        learner: state.learner.0.clone(),
        system: system.into(),
        weights,
        weights_of,
    };
    let is_sweep = state.run.sweep.is_some();
    Record {
        link: state.run.link.clone(),
        environment: state.run.record.clone().unwrap_or_else(here),
        step: state.run.step,
        ending: match &state.run.phase {
            Phase::Finished(ending) => Some(*ending),
            Phase::Diverged { .. } => Some(Ending::Diverged),
            _ => None,
        },
        held_out: state.run.held_out,
        solved: if is_sweep { vec![] } else { state.run.times() },
        rows: if is_sweep { vec![] } else { state.run.history.rows().cloned().collect() },
        times: state.run.sweep.as_ref().map_or(vec![], |sweep| sweep.done.clone()),
    }
}

/// The command line that makes the same run.
pub fn command(state: &State) -> String {
    record(state, "").command()
}

/// Where the numbers on show come from, if that is a file.
pub fn origin(state: &State) -> Option<String> {
    let about = state.run.record.as_ref()?;
    let parts = [&about.device, &about.learner, &about.program];
    let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    Some(tr!(
        "Opened from a file: {parts}",
        parts = if parts.is_empty() { tr!("origin unknown").into() } else { parts.join(", ") }
    ))
}

/// What the link of a run does not say of it, if that is something: the file with the initial weights.
pub fn initial_weights(run: &RunView) -> Option<String> {
    let file = file_name(&run.initial[0]);
    (!file.is_empty()).then(|| {
        tr!("The initial weights come from {file}; the link alone does not give the same run.", file)
    })
}

impl State {
    /// Opens a file that a person chose or dropped: the second program reads it, and is there, since all that chooses
    /// files comes with it.
    pub(super) fn open_file(&mut self, name: &str, file: GivenFile, effects: &mut Vec<Effect>) {
        if let Some(openers) = openers() {
            (openers.file)(self, name, file, effects);
        }
    }

    /// Takes what a worker says of the file of this number.
    pub(super) fn file_news(&mut self, number: u64, news: News, effects: &mut Vec<Effect>) {
        if let Some(openers) = openers() {
            (openers.news)(self, number, news, effects);
        }
    }

    /// Says why a file is not opened; everything stays as it is.
    pub(super) fn refuse_file(&mut self, name: &str, why: &str) {
        self.flaw = tr!("{name} was not opened: {why}. Nothing has changed.", name, why);
        self.message = self.flaw.clone();
    }

    /// Gives up the trainer, whose next word would be about another run.
    pub(super) fn dismiss(&mut self, effects: &mut Vec<Effect>) {
        self.send(Command::Pause, effects);
        self.staff = TrainerStatus::Absent;
        (self.report, self.choice, self.rate, self.timing) = (None, None, None, None);
        (self.awaiting, self.unanswered) = (false, 0);
    }

    /// Shows a run of which the file has so many measurements.
    fn open_record(&mut self, name: &str, record: Record, steps: usize, effects: &mut Vec<Effect>) {
        self.remember(UndoEntry::Link(Box::new(self.run.link.clone())));
        self.dismiss(effects);
        let before = (self.run.link.spec.clone(), self.run.initial.clone());
        self.take_link(record.link, effects);
        self.set_up_sweep();
        if let Some(sweep) = &mut self.run.sweep {
            sweep.done = record.times;
        }
        self.set_up_run();
        for row in record.rows {
            self.run.measured(row);
        }
        let solved = record.solved.iter().enumerate();
        self.run.solved = solved.filter_map(|(replica, step)| step.map(|step| (replica, step))).collect();
        // As they were found; a page lists them so.
        sorting::sort_by_key(&mut self.run.solved, |(replica, step)| (*step, *replica));
        self.run.step = record.step;
        if record.held_out > 0 {
            self.run.held_out = record.held_out;
        }
        self.run.phase = match record.ending {
            Some(Ending::Diverged) => Phase::Diverged { step: record.step, last_good: record.step },
            Some(ending) => Phase::Finished(ending),
            None => Phase::Paused,
        };
        self.paused = true;
        self.learner = Default::default();
        let measured = match &self.run.sweep {
            Some(sweep) => {
                tr!(
                    "a sweep in which {done} of {cells} runs are complete",
                    done = sweep.done.len(),
                    cells = sweep.cells.len()
                )
            }
            None => tr!(
                "{steps} measurements up to step {step}",
                steps = thousands(steps as u64),
                step = thousands(self.run.step)
            ),
        };
        let by = match &record.environment.program {
            program if *program == Environment::program() || program.is_empty() => String::new(),
            program => tr!(", written by {program}", program),
        };
        let about = &record.environment;
        self.run.initial = [about.weights.clone(), about.weights_of.clone()];
        self.run.record = Some(record.environment);
        let same = if before.0 == self.run.link.spec && before.1 == self.run.initial {
            tr!(" The run in the file is the run that was already on the page.")
        } else {
            ""
        };
        self.message = match initial_weights(&self.run) {
            None => tr!(
                "Opened {name}: {measured}{by}.{same} The button Train trains the run again from its start; Undo goes back to the previous run.",
                name,
                measured,
                by,
                same
            ),
            Some(initial) => tr!(
                "Opened {name}: {measured}{by}.{same} {initial} The button Train trains the run of the link, with initial weights computed from the link; Undo goes back to the previous run.",
                name,
                measured,
                by,
                same,
                initial
            ),
        };
    }

    fn open_weights(&mut self, name: &str, header: &Header, bytes: Vec<u8>, effects: &mut Vec<Effect>) {
        self.remember(UndoEntry::Link(Box::new(self.run.link.clone())));
        self.dismiss(effects);
        // How it is shown may stay where it suits.
        let is_same_lab = self.run.link.spec.task.info().slug == header.spec.task.info().slug;
        let view = if is_same_lab { self.run.link.view.clone() } else { View::of(&header.spec.task) };
        let mut link = Link { spec: header.spec.clone(), view, ..Default::default() };
        self.notices = link.view.repair(&link.spec);
        self.take_link(link, effects);
        self.set_up_sweep();
        self.set_up_run();
        // What was not seen of it is not known: neither its path nor its curves.
        self.run.trajectories = None;
        self.run.step = header.step;
        let solved = header.solved.iter().enumerate();
        self.run.solved = solved.filter_map(|(replica, step)| step.map(|step| (replica, step))).collect();
        self.run.initial.clone_from(&header.initial);
        self.checkpoint = Some((header.step, bytes));
        self.paused = true;
        self.message = tr!(
            "Opened {name}: weights at step {step}. Press Play to continue the training from this step.",
            name,
            step = thousands(header.step)
        );
        if let Some(initial) = initial_weights(&self.run) {
            self.message = format!("{} {initial}", self.message);
        }
        self.resume(effects);
    }

    /// What is said when the run on show is trained from its start: `usual`, unless it began with the weights of a file.
    pub(super) fn said_at_start(&self, usual: &'static str) -> String {
        match file_name(&self.run.initial[0]) {
            "" => usual.into(),
            file => tr!(
                "The run of the link is trained from its start, with initial weights computed from the link and not with the weights in {file}.",
                file
            ),
        }
    }

    /// A file on show is a record, which begins to train when somebody asks for it; whether there was one.
    pub(super) fn train_record(&mut self, paused: bool, effects: &mut Vec<Effect>) -> bool {
        if self.run.record.is_none() {
            return false;
        }
        self.paused = paused;
        self.message = self.said_at_start(tr!("The run in the file is trained again from its start."));
        self.begin(effects);
        true
    }

    /// Asks for the newest weights, to be saved.
    pub(super) fn want_weights(&mut self, effects: &mut Vec<Effect>) {
        self.flaw.clear();
        self.send(Command::Checkpoint, effects);
    }

    /// The step of the weights that can be saved.
    pub fn weights_step(&self) -> Option<u64> {
        self.checkpoint.as_ref().map(|(step, _)| *step)
    }
}

impl Action {
    /// The action of opening a file.
    pub fn file(name: &str, bytes: Vec<u8>) -> Action {
        Action::Request(Request::OpenFile(name.into(), Ok(GivenFile::of(bytes))))
    }
}
