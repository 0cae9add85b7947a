//! What changes the bench.

use super::{Bench, BenchAction, BenchProgress};
use crate::state::{Action, State};
use crate::trainer::{BenchEffect, Effect, Program, TrainerMessage};
use vivarium_model::protocol::{Command, Event, Failure, Message};
use vivarium_model::run::{LearnerChoice, RunSpec};
use vivarium_view::display::Phase;
use vivarium_view::record::bench::{BenchDevice, BenchRow, BenchTable, NETWORKS, WINDOW_MS};

/// The programs in the order in which they are timed.
const PROGRAMS: [Program; 3] = [Program::Cpu, Program::Fused, Program::Gpu];

/// Seconds of silence after which a worker is given up: a slow network and a compiler stand before the first word, and one
/// step of the largest network on a simulated GPU before the others.
const PATIENCE_S: u32 = 90;

/// Which learner a program is timed with.
fn learner(program: Program) -> LearnerChoice {
    match program {
        Program::Cpu => LearnerChoice::Auto,
        Program::Fused => LearnerChoice::Fused,
        Program::Gpu => LearnerChoice::Autodiff,
    }
}

impl State {
    /// Opens the bench in place of the run.
    pub fn open_bench(&mut self) {
        self.bench.is_open = true;
        self.bench.version += 1;
        self.presenter = None;
    }

    /// Closes it, where another address or another run takes its place.
    pub fn close_bench(&mut self, effects: &mut Vec<Effect>) {
        if self.bench.is_open {
            self.time_networks(BenchAction::Close, effects);
        }
    }

    /// Does what is wanted of the bench.
    pub fn time_networks(&mut self, what: BenchAction, effects: &mut Vec<Effect>) {
        match what {
            BenchAction::Start => {
                // The two would disturb each other.
                self.bench.has_interrupted = self.timing.take().is_some();
                if self.is_playing() {
                    effects.extend(self.apply(Action::Toggle));
                }
                let bench = &mut self.bench;
                (bench.table.devices, bench.table.rows, bench.notes) = Default::default();
                bench.is_complete = false;
                bench.begin(Program::Cpu, effects);
            }
            BenchAction::Stop => self.bench.stop(effects),
            BenchAction::Heard(program, sign) => self.bench.heard(program, sign, effects),
            BenchAction::Compare(theirs) => self.bench.compare(theirs),
            BenchAction::Close => {
                self.bench.is_open = false;
                self.bench.stop(effects);
                (self.bench.theirs, self.bench.flaw) = (None, String::new());
                if std::mem::take(&mut self.bench.has_interrupted) && self.run.phase == Phase::Loading {
                    self.resume(effects);
                }
            }
        }
        self.bench.version += 1;
    }

    /// A second has passed.
    pub fn watch_bench(&mut self, effects: &mut Vec<Effect>) {
        let Some(progress) = &mut self.bench.progress else { return };
        progress.silence += 1;
        if progress.silence >= PATIENCE_S {
            let why = tr!("the worker sent nothing for {patience} seconds", patience = PATIENCE_S);
            self.bench.give_up(&why, effects);
            self.bench.version += 1;
        }
    }
}

impl Bench {
    fn begin(&mut self, program: Program, effects: &mut Vec<Effect>) {
        self.progress = Some(BenchProgress { program, device: None, network: None, silence: 0 });
        effects.push(Effect::Bench(BenchEffect::Open(program)));
    }

    fn stop(&mut self, effects: &mut Vec<Effect>) {
        if self.progress.take().is_some() {
            effects.push(Effect::Bench(BenchEffect::Close));
        }
    }

    /// Goes on with the program after this one.
    fn turn(&mut self, effects: &mut Vec<Effect>) {
        let Some(BenchProgress { program, .. }) = self.progress else { return };
        let place = PROGRAMS.iter().position(|known| *known == program).unwrap_or(PROGRAMS.len());
        match PROGRAMS.get(place + 1) {
            Some(next) => self.begin(*next, effects),
            None => {
                self.is_complete = true;
                self.stop(effects);
            }
        }
    }

    /// The worker cannot go on.
    fn give_up(&mut self, why: &str, effects: &mut Vec<Effect>) {
        let Some(BenchProgress { program, .. }) = &self.progress else { return };
        let why = why.trim_end_matches('.');
        let note = match program {
            Program::Cpu => tr!("The speed measurement on the CPU did not finish: {why}.", why),
            _ => tr!("The speed measurement on the GPU did not finish: {why}.", why),
        };
        self.leave(note, effects);
    }

    /// Leaves a program with a sentence that says why; without a GPU there is nothing for the other programs to time.
    fn leave(&mut self, note: String, effects: &mut Vec<Effect>) {
        let Some(progress) = &self.progress else { return };
        let is_first_on_gpu = progress.program == Program::Fused && progress.device.is_none();
        self.notes.push(note);
        if is_first_on_gpu {
            self.is_complete = true;
            self.stop(effects);
        } else {
            self.turn(effects);
        }
    }

    fn heard(&mut self, program: Program, sign: TrainerMessage, effects: &mut Vec<Effect>) {
        let Some(progress) = self.progress.as_mut().filter(|progress| progress.program == program) else {
            return;
        };
        progress.silence = 0;
        let event = match sign {
            TrainerMessage::Died(why) => return self.give_up(&why, effects),
            TrainerMessage::Said(Message { event, .. }) => event,
        };
        match event {
            Event::Ready(report) => {
                let is_known = self.table.devices.iter().any(|device| device.name == report.name);
                progress.device = Some(report);
                match is_known {
                    // Another program on the same device.
                    true => self.time(0, effects),
                    false => effects.push(Effect::Bench(BenchEffect::Send(Command::MeasurePeaks))),
                }
            }
            Event::PeaksMeasured(peaks) => {
                if let Some(report) = &progress.device {
                    self.table.devices.push(BenchDevice::new(report, &peaks));
                }
                self.time(0, effects);
            }
            Event::Measured(number, found) if progress.network == Some(number as usize) => {
                let at = number as usize;
                let device = progress.device.as_ref().map(|device| device.name.clone()).unwrap_or_default();
                let found = found.map_err(|failure| failure.to_string());
                let found = found.as_ref().map_err(String::as_str);
                // What a program lacks is no result: another program times it.
                if found.is_ok() || program != Program::Fused {
                    let row = BenchRow::new(&NETWORKS[at], &run(program, at), &device, found);
                    self.table.rows.push(row);
                }
                self.time(at + 1, effects);
            }
            // What the library says of it names parts of the library that nobody knows.
            Event::Failed(Failure::NoGpu(_)) if program == Program::Fused => {
                let note = tr!(
                    "This browser offers no GPU adapter that this page can use, so the benchmark measures only the CPU."
                );
                self.leave(note.into(), effects);
            }
            Event::Failed(failure) => self.give_up(&failure.to_string(), effects),
            _ => {}
        }
    }

    /// Has network number `at` timed, or goes on with the next program where there is none.
    fn time(&mut self, at: usize, effects: &mut Vec<Effect>) {
        let Some(progress) = &mut self.progress else { return };
        if at >= NETWORKS.len() {
            return self.turn(effects);
        }
        progress.network = Some(at);
        let command = Command::Measure(at as u32, Box::new(run(progress.program, at)), WINDOW_MS);
        effects.push(Effect::Bench(BenchEffect::Send(command)));
    }

    fn compare(&mut self, theirs: Option<Result<BenchTable, String>>) {
        (self.theirs, self.flaw) = match theirs {
            None => (None, String::new()),
            Some(Ok(theirs)) => (Some(theirs), String::new()),
            Some(Err(why)) => (None, why),
        };
    }
}

/// Network number `at` as it is timed by `program`.
fn run(program: Program, at: usize) -> RunSpec {
    NETWORKS[at].run(learner(program))
}
