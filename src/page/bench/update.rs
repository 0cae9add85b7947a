//! How actions and messages change the benchmark.

use super::{Bench, BenchAction, BenchProgress};
use crate::effect::{BenchEffect, Effect};
use crate::state::{Action, State};
use vivarium_model::protocol::{Command, Event, EventMessage, RunError};
use vivarium_model::run::{LearnerChoice, RunSpec};
use vivarium_player::trainer::{Program, TrainerMessage};
use vivarium_view::display::RunPhase;
use vivarium_view::record::bench::{BenchDevice, BenchRow, BenchTable, NETWORKS, TIMING_WINDOW_MS};

/// Worker programs in the order in which the benchmark times them.
const PROGRAMS: [Program; 3] = [Program::Cpu, Program::Fused, Program::Gpu];

/// Seconds without a message after which the benchmark's worker counts as dead: the first message waits for a download
/// and a compiler, later ones for a step of the largest network on a simulated GPU.
const MAX_SILENCE_S: u32 = 90;

/// Returns the setting of the learner with which the benchmark times a worker program.
fn learner_choice(program: Program) -> LearnerChoice {
    match program {
        Program::Cpu => LearnerChoice::Auto,
        Program::Fused => LearnerChoice::Fused,
        Program::CpuAutodiff | Program::Gpu => LearnerChoice::Autodiff,
    }
}

impl State {
    /// Shows the benchmark in place of the run.
    pub fn open_bench(&mut self) {
        self.bench.is_open = true;
        self.bench.version += 1;
        self.presenter = None;
    }

    /// Closes the benchmark if it is open, and stops its measurement.
    pub fn close_bench(&mut self, effects: &mut Vec<Effect>) {
        if self.bench.is_open {
            self.apply_bench_action(BenchAction::Close, effects);
        }
    }

    /// Applies an action of the benchmark, such as Start or Stop, to the state.
    pub fn apply_bench_action(&mut self, action: BenchAction, effects: &mut Vec<Effect>) {
        match action {
            BenchAction::Start => {
                // The two measurements would disturb each other.
                self.bench.has_interrupted = self.player.cancel_timing();
                if self.player.is_playing() {
                    effects.extend(self.apply(Action::TogglePlay));
                }
                let bench = &mut self.bench;
                (bench.table.devices, bench.table.rows, bench.notes) = Default::default();
                bench.is_complete = false;
                bench.start_program(Program::Cpu, effects);
            }
            BenchAction::Stop => self.bench.stop(effects),
            BenchAction::Worker(program, sign) => self.bench.handle_message(program, sign, effects),
            BenchAction::Compare(theirs) => self.bench.set_other_table(theirs),
            BenchAction::Close => {
                self.bench.is_open = false;
                self.bench.stop(effects);
                (self.bench.other_table, self.bench.table_error) = (None, String::new());
                if std::mem::take(&mut self.bench.has_interrupted)
                    && self.player.run.phase == RunPhase::Loading
                {
                    self.player.resume(effects);
                }
            }
        }
        self.bench.version += 1;
    }

    /// Counts one second of the benchmark; aborts the program whose worker has been silent for too long.
    pub fn tick_bench(&mut self, effects: &mut Vec<Effect>) {
        let Some(progress) = &mut self.bench.progress else { return };
        progress.silent_seconds += 1;
        if progress.silent_seconds >= MAX_SILENCE_S {
            let why = tr!("the worker sent nothing for {patience} seconds", patience = MAX_SILENCE_S);
            self.bench.abort_program(&why, effects);
            self.bench.version += 1;
        }
    }
}

impl Bench {
    /// Opens a worker with this program and starts the measurements on it.
    fn start_program(&mut self, program: Program, effects: &mut Vec<Effect>) {
        self.progress = Some(BenchProgress { program, device: None, network_index: None, silent_seconds: 0 });
        effects.push(Effect::Bench(BenchEffect::Open(program)));
    }

    /// Stops the benchmark's measurement, if one is in progress, and closes its worker.
    fn stop(&mut self, effects: &mut Vec<Effect>) {
        if self.progress.take().is_some() {
            effects.push(Effect::Bench(BenchEffect::Close));
        }
    }

    /// Starts the next worker program of [`PROGRAMS`], or completes the benchmark after the last one.
    fn start_next_program(&mut self, effects: &mut Vec<Effect>) {
        let Some(BenchProgress { program, .. }) = self.progress else { return };
        let place = PROGRAMS.iter().position(|known| *known == program).unwrap_or(PROGRAMS.len());
        match PROGRAMS.get(place + 1) {
            Some(next) => self.start_program(*next, effects),
            None => {
                self.is_complete = true;
                self.stop(effects);
            }
        }
    }

    /// Ends the measurements with the current program because its worker failed, with a note that contains `why`, and
    /// starts the next program.
    fn abort_program(&mut self, why: &str, effects: &mut Vec<Effect>) {
        let Some(BenchProgress { program, .. }) = &self.progress else { return };
        let why = why.trim_end_matches('.');
        let note = match program {
            Program::Cpu | Program::CpuAutodiff => {
                tr!("The speed measurement on the CPU did not finish: {why}.", why)
            }
            _ => tr!("The speed measurement on the GPU did not finish: {why}.", why),
        };
        self.skip_program(note, effects);
    }

    /// Skips the current program with a note. If the fused kernels found no GPU, autodiff on the GPU is skipped too.
    fn skip_program(&mut self, note: String, effects: &mut Vec<Effect>) {
        let Some(progress) = &self.progress else { return };
        let is_first_on_gpu = progress.program == Program::Fused && progress.device.is_none();
        self.notes.push(note);
        if is_first_on_gpu {
            self.is_complete = true;
            self.stop(effects);
        } else {
            self.start_next_program(effects);
        }
    }

    /// Handles a message of the benchmark's worker, which runs `program`.
    fn handle_message(&mut self, program: Program, message: TrainerMessage, effects: &mut Vec<Effect>) {
        let Some(progress) = self.progress.as_mut().filter(|progress| progress.program == program) else {
            return;
        };
        progress.silent_seconds = 0;
        let event = match message {
            TrainerMessage::Died(why) => return self.abort_program(&why, effects),
            TrainerMessage::Message(EventMessage { event, .. }) => event,
        };
        match event {
            Event::Ready(report) => {
                let is_known = self.table.devices.iter().any(|device| device.name == report.name);
                progress.device = Some(report);
                match is_known {
                    // Another program on the same device.
                    true => self.time_network(0, effects),
                    false => effects.push(Effect::Bench(BenchEffect::Send(Command::MeasurePeaks))),
                }
            }
            Event::PeaksMeasured(peaks) => {
                if let Some(report) = &progress.device {
                    self.table.devices.push(BenchDevice::new(report, &peaks));
                }
                self.time_network(0, effects);
            }
            Event::Measured(number, found) if progress.network_index == Some(number as usize) => {
                let at = number as usize;
                let device = progress.device.as_ref().map(|device| device.name.clone()).unwrap_or_default();
                let found = found.map_err(|failure| failure.to_string());
                let found = found.as_ref().map_err(String::as_str);
                // A network that the fused kernels do not support is no result: another program times it.
                if found.is_ok() || program != Program::Fused {
                    let row = BenchRow::new(&NETWORKS[at], &network_spec(program, at), &device, found);
                    self.table.rows.push(row);
                }
                self.time_network(at + 1, effects);
            }
            // The message of the library names internal parts of the library.
            Event::Failed(RunError::NoGpu(_)) if program == Program::Fused => {
                let note = tr!(
                    "This browser offers no GPU adapter that this page can use, so the benchmark measures only the CPU."
                );
                self.skip_program(note.into(), effects);
            }
            Event::Failed(failure) => self.abort_program(&failure.to_string(), effects),
            _ => {}
        }
    }

    /// Times the benchmark network with this index, or starts the next program after the last network.
    fn time_network(&mut self, index: usize, effects: &mut Vec<Effect>) {
        let Some(progress) = &mut self.progress else { return };
        if index >= NETWORKS.len() {
            return self.start_next_program(effects);
        }
        progress.network_index = Some(index);
        let command =
            Command::Measure(index as u32, Box::new(network_spec(progress.program, index)), TIMING_WINDOW_MS);
        effects.push(Effect::Bench(BenchEffect::Send(command)));
    }

    /// Sets the benchmark table to compare with (or why it cannot be read), or removes it.
    fn set_other_table(&mut self, table: Option<Result<BenchTable, String>>) {
        (self.other_table, self.table_error) = match table {
            None => (None, String::new()),
            Some(Ok(theirs)) => (Some(theirs), String::new()),
            Some(Err(why)) => (None, why),
        };
    }
}

/// Returns the run settings of the benchmark network with this index, timed with `program`.
fn network_spec(program: Program, index: usize) -> RunSpec {
    NETWORKS[index].spec_for(learner_choice(program))
}
