//! Files of a run: saving them, and opening them on the page.
//!
//! # Why
//! A file of a run is shown as a record, with its curves and its link; training starts only when the user asks for it,
//! since the same link trains the same run. Charts that need weights are not available. A file of weights is shown as a
//! run that is paused at its step. If a file cannot be opened, the current run goes on.

pub mod data;
mod ignored;
pub mod openers;
pub mod progress;
pub mod reading;
pub mod tables;
#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;

use super::state::{Action, State, UndoEntry};
use crate::effect::Effect;
use crate::files::openers::openers;
use vivarium_labs::tables::user_tables::file_of_run;
use vivarium_model::platform::file::UploadedFile;
use vivarium_model::protocol::{Command, EndReason};
use vivarium_view::display::words::format_thousands;
use vivarium_view::display::{RunPhase, RunView};
use vivarium_view::record::preamble::{file_name, measurement_stride};
use vivarium_view::record::reading::ReadProgress;
use vivarium_view::record::spreadsheet::to_decimal_commas;
use vivarium_view::record::weights::CheckpointHeader;
use vivarium_view::record::{CommandTable, Record, TrainingEnvironment, format_csv, json_row, torch};
use vivarium_view::ui::request::Request;

/// Media type of CSV tables.
pub(crate) const CSV_TYPE: &str = "text/csv";

/// A kind of file that the page can save from the current run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// Metrics of the run as CSV; of a sweep, the results of its runs.
    Csv,
    /// Metrics of all runs of a sweep as one CSV table.
    SweepMetrics,
    /// Metrics of all compared runs as one CSV table.
    ComparedCsv,
    /// The run as JSON: link, measurements and environment.
    Json,
    /// Weights and optimizer state as safetensors.
    Weights,
    /// The experiment as a PyTorch script.
    Script,
}

/// A file that the page offers to the browser for download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Name under which the browser saves the file.
    pub name: String,
    /// Media type of the file's content, such as `text/csv`.
    pub media_type: &'static str,
    /// Bytes of the file's content.
    pub bytes: Vec<u8>,
}

impl ExportFile {
    /// The file with decimal commas and semicolons between columns, if it is a CSV table; other files are unchanged.
    pub fn with_decimal_commas(mut self) -> ExportFile {
        if self.media_type == CSV_TYPE
            && let Ok(table) = std::str::from_utf8(&self.bytes)
        {
            self.bytes = to_decimal_commas(table).into_bytes();
        }
        self
    }
}

impl Export {
    /// All kinds of exported files, in the order of the dialog.
    pub const ALL: [Export; 6] = [
        Export::Json,
        Export::Csv,
        Export::SweepMetrics,
        Export::ComparedCsv,
        Export::Weights,
        Export::Script,
    ];

    /// Returns the name of the kind of file in test ids.
    pub fn slug(self) -> &'static str {
        match self {
            Export::ComparedCsv => "compared",
            Export::SweepMetrics => "sweep-metrics",
            other => other.extension(),
        }
    }

    /// Returns the extension, without a dot, of the name of this kind of file.
    pub fn extension(self) -> &'static str {
        match self {
            Export::Csv | Export::SweepMetrics | Export::ComparedCsv => "csv",
            Export::Json => "json",
            Export::Weights => "safetensors",
            Export::Script => "py",
        }
    }

    /// Whether this kind of file exists for the current run, so that the dialog lists it.
    pub fn is_listed(self, state: &State) -> bool {
        self != Export::SweepMetrics || state.player.run.sweep.is_some()
    }

    /// Returns the label of the button that saves this kind of file for the current run.
    pub fn label(self, state: &State) -> &'static str {
        match self {
            Export::Csv if state.player.run.sweep.is_some() => tr!("Results of the sweep (CSV)"),
            Export::Csv => tr!("Metrics (CSV)"),
            Export::SweepMetrics => tr!("Metrics of all runs (CSV)"),
            Export::ComparedCsv => tr!("Compared runs (CSV)"),
            Export::Json => tr!("Run (JSON)"),
            Export::Weights => tr!("Weights (safetensors)"),
            Export::Script => tr!("PyTorch script"),
        }
    }

    /// Returns a sentence on the content or the use of this kind of file for the current run.
    pub fn description(self, state: &State) -> &'static str {
        match self {
            Export::Csv if state.player.run.sweep.is_some() => {
                tr!(
                    "The result of every replica in every finished run of the sweep: the swept settings, the step at which the target was reached (empty if it was not reached), and the final accuracy."
                )
            }
            Export::Csv if has_all_measurements(state) => {
                tr!("Every measurement of every replica, for a spreadsheet or a program.")
            }
            Export::Csv => {
                tr!(
                    "Evenly spaced measurements of every replica, for a spreadsheet or a program. The run has more measurements than the page keeps. The line “measurement_stride” in the file says how many measurements of the run there are for each one in the file."
                )
            }
            Export::SweepMetrics => {
                tr!(
                    "The measurements of every replica in every finished run of the sweep, with a column for each swept setting. Of a run with many measurements, the file contains evenly spaced ones."
                )
            }
            Export::ComparedCsv => {
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

    /// Returns why this kind of file cannot be saved now, as far as that is known before it is built; None if it can.
    pub fn unavailable_reason(self, state: &State) -> Option<&'static str> {
        match self {
            Export::Csv => {
                let has_results = match &state.player.run.sweep {
                    Some(sweep) => sweep.ended_count() > 0,
                    None => state.player.run.history.latest().is_some(),
                };
                (!has_results).then(|| tr!("Nothing has been measured yet."))
            }
            Export::SweepMetrics => match &state.player.run.sweep {
                None => Some(tr!("This run is not a sweep.")),
                Some(_) if state.player.run.file_environment.is_some() => {
                    Some(tr!("The opened file contains no measurements of the runs."))
                }
                Some(sweep) => (!sweep.has_rows()).then(|| tr!("Nothing has been measured yet.")),
            },
            Export::ComparedCsv if !state.has_compared_runs() => Some(tr!(
                "There is no other run to compare: press “Keep and compare”, then train with another setting."
            )),
            Export::Weights if state.player.checkpoint.is_some() => None,
            Export::Weights if state.player.run.file_environment.is_some() => {
                Some(tr!("The opened file contains no weights."))
            }
            Export::Weights => Some(tr!("The training program has sent no weights yet.")),
            _ => None,
        }
    }

    /// Builds the file for the current run; `system` is the user agent of the browser.
    ///
    /// # Errors
    /// A sentence on why the file cannot be built.
    pub fn build(self, state: &State, system: &str) -> Result<ExportFile, String> {
        if let Some(why) = self.unavailable_reason(state) {
            return Err(why.into());
        }
        let record = build_record(state, system);
        let weights = state.player.checkpoint.as_ref();
        let (kind, bytes) = match self {
            Export::Csv => {
                let run = &state.player.run;
                let table = match &run.sweep {
                    Some(sweep) => sweep.format_csv(&run.link.spec),
                    None => format_csv(&run.spec().measure_names(), run.history.all_rows()),
                };
                (CSV_TYPE, (record.csv_preamble() + &table).into_bytes())
            }
            Export::SweepMetrics => {
                let run = &state.player.run;
                let table = run.sweep.as_ref().map(|sweep| sweep.format_metrics_csv(&run.link.spec));
                (CSV_TYPE, (record.csv_preamble() + &table.unwrap_or_default()).into_bytes())
            }
            Export::ComparedCsv => (CSV_TYPE, state.compared_csv().into_bytes()),
            Export::Json => ("application/json", format_json(state, &record).into_bytes()),
            Export::Weights => {
                ("application/octet-stream", weights.map(|(_, bytes)| bytes.clone()).unwrap_or_default())
            }
            Export::Script => {
                ("text/x-python", torch::write_script(&state.player.run.link.spec)?.into_bytes())
            }
        };
        let step =
            weights.filter(|_| self == Export::Weights).map_or(state.player.run.step, |(step, _)| *step);
        let record = Record { step, ..record };
        let content = match self {
            Export::ComparedCsv => "-compared",
            Export::SweepMetrics => "-metrics",
            Export::Csv if state.player.run.sweep.is_some() => "-results",
            _ => "",
        };
        Ok(ExportFile {
            name: format!("{}{content}.{}", record.file_stem(), self.extension()),
            media_type: kind,
            bytes,
        })
    }
}

/// Whether files of the current run contain all of its measurements.
fn has_all_measurements(state: &State) -> bool {
    let run = &state.player.run;
    measurement_stride(run.spec().run.every, run.history.all_rows().map(|row| row.step)) == 1
}

/// Formats the JSON file of the current run with all measurements that the page has; `record` contains the other fields.
fn format_json(state: &State, record: &Record) -> String {
    let run = &state.player.run;
    let measures = run.link.spec.measure_names();
    let mut text = record.json_head();
    if run.sweep.is_none() {
        for (at, row) in run.history.all_rows().enumerate() {
            text += &json_row(&measures, &row, at == 0);
        }
    }
    text + &record.json_tail(record.rows.is_empty())
}

/// Returns the run as a record (settings, device); `system` is the user agent of the browser. Of the measurements, the record
/// has the first two, which tell how far apart the measurements in files are.
pub fn build_record(state: &State, system: &str) -> Record {
    let [weights, weights_of] = state.player.run.initial_weights_file.clone();
    let here = || TrainingEnvironment {
        program: TrainingEnvironment::program(),
        frontend: "page".into(),
        device: state.player.device_report.as_ref().map_or_else(String::new, |report| report.name.clone()),
        learner: state.player.learner.0.clone(),
        system: system.into(),
        weights_file: weights,
        weights_description: weights_of,
    };
    let is_sweep = state.player.run.sweep.is_some();
    Record {
        link: state.player.run.link.clone(),
        environment: state.player.run.file_environment.clone().unwrap_or_else(here),
        step: state.player.run.step,
        ending: match &state.player.run.phase {
            RunPhase::Finished(ending) => Some(*ending),
            RunPhase::Diverged { .. } => Some(EndReason::Diverged),
            _ => None,
        },
        held_out: state.player.run.held_out,
        solved: if is_sweep { vec![] } else { state.player.run.solved_steps() },
        rows: state
            .player
            .run
            .history
            .all_rows()
            .take(if is_sweep { 0 } else { 2 })
            .map(Cow::into_owned)
            .collect(),
        times: state.player.run.sweep.as_ref().map_or(vec![], |sweep| sweep.solved_steps.clone()),
    }
}

/// Returns the shell command that trains the page's run on the command line.
pub fn command_line(state: &State) -> String {
    let [command, _] = repeating_commands(state);
    command
}

/// Returns the two texts that repeat the page's run elsewhere: the shell command, and Python code.
pub fn repeating_commands(state: &State) -> [String; 2] {
    let (record, table) = (build_record(state, ""), table_of_run(state));
    [record.command_on_table(table.as_ref()), record.python_code_on_table(table.as_ref())]
}

/// Returns file and label of the table on which the current run trains; None if it is not a CSV file that is open.
fn table_of_run(state: &State) -> Option<CommandTable> {
    let opened = file_of_run(&state.player.run.link.spec)?;
    let (table, at) = (&opened.table, opened.table.label);
    // A column without a name is numbered in the language of the page, and the command is English.
    let label = match table.all.get(at)? {
        name if *name == tr!("column {column}", column = at + 1) => format!("column {}", at + 1),
        name => name.clone(),
    };
    Some(CommandTable { file: opened.name.clone(), label, choices: table.choices })
}

/// Returns a sentence on the device and program that made the shown measurements; None unless they come from a file.
pub fn describe_origin(state: &State) -> Option<String> {
    let about = state.player.run.file_environment.as_ref()?;
    let parts = [&about.device, &about.learner, &about.program];
    let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    Some(tr!(
        "Opened from a file: {parts}",
        parts = if parts.is_empty() { tr!("origin unknown").into() } else { parts.join(", ") }
    ))
}

/// Returns a note that the initial weights come from a file and not from the link; None if they come from the link.
pub fn initial_weights_note(run: &RunView) -> Option<String> {
    let file = file_name(&run.initial_weights_file[0]);
    (!file.is_empty()).then(|| {
        tr!("The initial weights come from {file}; the link alone does not give the same run.", file)
    })
}

impl State {
    /// Opens a file that the user chose or dropped; does nothing before the second WebAssembly module, which reads
    /// files, is loaded.
    pub(super) fn open_file(&mut self, name: &str, file: UploadedFile, effects: &mut Vec<Effect>) {
        if let Some(openers) = openers() {
            (openers.open_file)(self, name, file, effects);
        }
    }

    /// Handles a message of the worker that reads the file with this number.
    pub(super) fn handle_file_message(
        &mut self,
        number: u64,
        message: ReadProgress,
        effects: &mut Vec<Effect>,
    ) {
        if let Some(openers) = openers() {
            (openers.handle_message)(self, number, message, effects);
        }
    }

    /// Reports why a file was not opened; nothing else changes.
    pub(super) fn reject_file(&mut self, name: &str, why: &str) {
        self.file_error = tr!("{name} was not opened: {why}. Nothing has changed.", name, why);
        self.player.message = self.file_error.clone();
    }

    /// Shows the run of a record file, which has `measurement_count` measurements; nothing is trained.
    fn open_record(
        &mut self,
        name: &str,
        record: Record,
        measurement_count: usize,
        effects: &mut Vec<Effect>,
    ) {
        self.push_undo(UndoEntry::Link(Box::new(self.player.run.link.clone())));
        self.player.drop_trainer(effects);
        let before = (self.player.run.link.spec.clone(), self.player.run.initial_weights_file.clone());
        self.leave_run(effects);
        self.reset_view_of_run();
        let by = match &record.environment.program {
            program if *program == TrainingEnvironment::program() || program.is_empty() => String::new(),
            program => tr!(", written by {program}", program),
        };
        self.player.show_record(record);
        let measured = match &self.player.run.sweep {
            Some(sweep) => {
                tr!(
                    "a sweep in which {done} of {cells} runs are complete",
                    done = sweep.solved_steps.len(),
                    cells = sweep.cells.len()
                )
            }
            None => tr!(
                "{steps} measurements up to step {step}",
                steps = format_thousands(measurement_count as u64),
                step = format_thousands(self.player.run.step)
            ),
        };
        let same =
            if before.0 == self.player.run.link.spec && before.1 == self.player.run.initial_weights_file {
                tr!(" The run in the file is the run that was already on the page.")
            } else {
                ""
            };
        self.player.message = match initial_weights_note(&self.player.run) {
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

    /// Shows the run of a weights file (`header`: its settings and step), paused at the step of the weights.
    fn open_weights(
        &mut self,
        name: &str,
        header: &CheckpointHeader,
        bytes: Vec<u8>,
        effects: &mut Vec<Effect>,
    ) {
        self.push_undo(UndoEntry::Link(Box::new(self.player.run.link.clone())));
        self.player.drop_trainer(effects);
        let mut link = self.player.weights_link(header);
        self.notices = link.view.repair(&link.spec);
        self.leave_run(effects);
        self.reset_view_of_run();
        self.player.show_weights(link, header, bytes, effects);
        let mut message = tr!(
            "Opened {name}: weights at step {step}. Press Play to continue the training from this step.",
            name,
            step = format_thousands(header.step)
        );
        if let Some(initial) = initial_weights_note(&self.player.run) {
            message = format!("{message} {initial}");
        }
        self.player.show_while_waiting(message);
    }

    /// Returns the message after a restart of the run: `usual`, or a note if the run had begun with weights from a
    /// file.
    pub(super) fn start_message(&self, usual: &'static str) -> String {
        match file_name(&self.player.run.initial_weights_file[0]) {
            "" => usual.into(),
            file => tr!(
                "The run of the link is trained from its start, with initial weights computed from the link and not with the weights in {file}.",
                file
            ),
        }
    }

    /// Trains the run of an opened record file from its first step, paused or not. Returns false if none is shown.
    pub(super) fn train_opened_record(&mut self, start_paused: bool, effects: &mut Vec<Effect>) -> bool {
        if self.player.run.file_environment.is_none() {
            return false;
        }
        self.player.paused = start_paused;
        self.player.message = self.start_message(tr!("The run in the file is trained again from its start."));
        self.start_from_beginning(effects);
        true
    }

    /// Requests the latest weights from the trainer; when they arrive, they are saved as a file.
    pub(super) fn request_weights(&mut self, effects: &mut Vec<Effect>) {
        self.file_error.clear();
        self.player.send(Command::Checkpoint, effects);
    }

    /// Returns the step of the weights that can be saved as a file now; None if there are none.
    pub fn weights_step(&self) -> Option<u64> {
        self.player.checkpoint.as_ref().map(|(step, _)| *step)
    }
}

impl Action {
    /// Returns the action that opens a file with this name and content.
    pub fn open_file(name: &str, bytes: Vec<u8>) -> Action {
        Action::Request(Request::OpenFile(name.into(), Ok(UploadedFile::from_bytes(bytes))))
    }
}
