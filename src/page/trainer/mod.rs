//! What the page needs of whoever trains: to be sent commands, and to be heard.

pub mod device;
pub mod messages;
pub mod probes;
pub mod speeds;
pub mod timing;

use vivarium_model::protocol::{Command, Message, Payload};

/// The program that a trainer runs, which settles its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Autodiff on the CPU.
    Cpu,
    /// Our kernels on the GPU.
    Fused,
    /// Autodiff on the GPU: a large download, for what our kernels do not cover.
    Gpu,
}

impl Program {
    /// Whether it needs a GPU.
    pub fn on_gpu(self) -> bool {
        self != Program::Cpu
    }
}

/// Somebody who trains: a worker in the page, a script in the tests.
pub trait Trainer {
    /// Hands over a command, with the array that belongs to it.
    fn send(&self, command: &Command, payload: &Payload);
}

/// What comes from a trainer.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainerMessage {
    /// It said something.
    Said(Message),
    /// It will not say anything any more, for this reason.
    Died(String),
}

/// Why a worker is gone, by the browser's words for the error that ended it; none where its files could not be loaded.
///
/// # Why
/// A panic is said by the worker itself, before it ends. What ends a program without a word is an allocation that fails:
/// Rust then runs into an instruction that is never reached otherwise, which each engine words in its own way.
pub fn last_words(words: Option<&str>) -> String {
    match words.filter(|words| !words.is_empty() && !words.contains(MISSING)) {
        None => tr!("the worker could not be loaded").into(),
        Some(words) if words.to_lowercase().contains("unreachable") => {
            tr!("the worker had no memory left").into()
        }
        Some(words) => words.into(),
    }
}

/// What www/worker-loader.js says where a file of the worker cannot be fetched.
const MISSING: &str = "missing file";

/// What the page must do after an action; the reducer only says so.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum Effect {
    /// Ask the browser for a GPU; the answer is [`super::state::Action::Surveyed`].
    Survey,
    /// Open a trainer with this program, instead of the one there is.
    Open(Program),
    /// Send this to the trainer.
    Send(Command, Payload),
    /// Fetch the text of the story of this name; the answer is [`super::tour::TourAction::Fetched`].
    Fetch(&'static str),
    /// Fetch the recorded curves; the answer is [`super::gallery::GalleryAction::Fetched`].
    FetchRecorded,
    /// Keep the table of this number until the page is opened again.
    KeepTable(u64),
    /// Do this with the worker of the bench.
    Bench(BenchEffect),
    /// Remember in this browser which device is faster.
    KeepSpeeds(String),
    /// Do this with the kept runs.
    Library(super::library::LibraryCommand),
}

/// What the page must do for the bench.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum BenchEffect {
    /// Open a worker with this program, instead of the one there is.
    Open(Program),
    /// Send this to the worker.
    Send(Command),
    /// Close the worker.
    Close,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_memory_and_one_that_is_missing_are_told_from_each_other() {
        for words in [
            "Uncaught RuntimeError: unreachable",
            "RuntimeError: unreachable executed",
            "RuntimeError: Unreachable code should not be executed (evaluating 'this.next()')",
        ] {
            assert_eq!(last_words(Some(words)), "the worker had no memory left");
        }
        for words in [None, Some(""), Some("Uncaught Error: missing file")] {
            assert_eq!(last_words(words), "the worker could not be loaded");
        }
        assert_eq!(last_words(Some("Uncaught Error: of its own")), "Uncaught Error: of its own");
    }
}

#[cfg(test)]
pub mod scripted {
    //! A trainer that learns by script: chance until a step, then right.

    use std::cell::RefCell;

    use super::*;
    use vivarium_model::protocol::{DeviceKind, DeviceReport, Ending, Event, Row, Speed};
    use vivarium_model::run::{Halt, RunSpec};

    /// Answers every command at once; [`Scripted::advance`] makes it train.
    pub struct Scripted {
        program: Program,
        finds_at: u64,
        said: RefCell<Vec<Message>>,
        run: RefCell<Option<(RunSpec, u64)>>,
    }

    impl Scripted {
        /// A trainer with `program` that finds every parity at step `finds_at`.
        pub fn new(program: Program, finds_at: u64) -> Self {
            let kind = if program.on_gpu() { DeviceKind::Gpu } else { DeviceKind::Cpu };
            let report = DeviceReport {
                kind,
                name: if kind == DeviceKind::Cpu { "CPU".into() } else { "WebGPU: Test".into() },
                simulated: false,
            };
            let said = RefCell::new(vec![Event::Ready(report).into()]);
            Scripted { program, finds_at, said, run: RefCell::new(None) }
        }

        /// What it has said since the last time.
        pub fn take(&self) -> Vec<Message> {
            self.said.take()
        }

        /// Trains up to `step`, measuring as often as the run wants.
        pub fn advance(&self, step: u64) {
            let mut run = self.run.borrow_mut();
            let Some((spec, at)) = run.as_mut() else { return };
            while *at < step {
                *at += spec.run.every.min(step - *at);
                self.said.borrow_mut().push(Event::Metrics(vec![self.row(*at)]).into());
                if *at >= self.finds_at && *at - spec.run.every < self.finds_at {
                    self.said.borrow_mut().push(Event::Solved { replica: 0, step: *at }.into());
                    if spec.run.halt == Halt::Target {
                        let event = Event::Finished { step: *at, reason: Ending::Target };
                        self.said.borrow_mut().push(event.into());
                        return;
                    }
                }
            }
            let payload = Payload::Bytes(at.to_le_bytes().to_vec());
            self.said.borrow_mut().push(Message { event: Event::Checkpoint { step: *at }, payload });
        }

        fn row(&self, step: u64) -> Row {
            let right = step >= self.finds_at;
            let of = |good: f32, bad: f32| vec![if right { good } else { bad }];
            Row {
                step,
                train_loss: of(0.01, 1.0),
                train_accuracy: of(1.0, 0.5),
                test_loss: of(0.01, 1.0),
                test_accuracy: of(1.0, 0.5),
                ..Default::default()
            }
        }
    }

    impl Trainer for Scripted {
        fn send(&self, command: &Command, payload: &Payload) {
            let mut run = self.run.borrow_mut();
            let at = run.as_ref().map_or(0, |(_, at)| *at);
            let say = |event: Event| self.said.borrow_mut().push(event.into());
            match command {
                Command::Start { spec, held_out_limit, paused, .. } => {
                    let step = match payload {
                        Payload::Bytes(bytes) => u64::from_le_bytes(bytes[..8].try_into().unwrap()),
                        _ => 0,
                    };
                    let held_out = held_out_limit.unwrap_or(spec.held_out()).min(spec.held_out());
                    let relevant = spec.task.examples().relevant(spec.run.seed);
                    assert!(self.program.on_gpu() || held_out <= 1024);
                    say(Event::Started {
                        step,
                        relevant,
                        held_out,
                        parameters: 1,
                        learner: "a script".into(),
                        note: String::new(),
                    });
                    if *paused {
                        say(Event::Paused { step });
                    }
                    if step == 0 {
                        say(Event::Metrics(vec![self.row(0)]));
                    }
                    *run = Some((spec.clone(), step));
                }
                Command::Play | Command::Extend(_) => say(Event::Resumed { step: at }),
                Command::PlayTo(step) => {
                    say(Event::Resumed { step: at });
                    drop(run);
                    self.advance((*step).max(at));
                    let at = self.run.borrow().as_ref().map_or(0, |(_, at)| *at);
                    self.said.borrow_mut().push(Event::Paused { step: at }.into());
                }
                Command::Pause => say(Event::Paused { step: at }),
                Command::Step => {
                    say(Event::Metrics(vec![self.row(at + 1)]));
                    say(Event::Paused { step: at + 1 });
                    if let Some((_, at)) = run.as_mut() {
                        *at += 1;
                    }
                }
                Command::Reach(step) => {
                    say(Event::Metrics(vec![self.row(*step)]));
                    say(Event::Paused { step: *step });
                    if let Some((_, at)) = run.as_mut() {
                        *at = *step;
                    }
                }
                Command::LearningRate(lr) => say(Event::LearningRateChanged { step: at, lr: *lr }),
                Command::Speed(_)
                | Command::Checkpoint
                | Command::Watch(_)
                | Command::Sweep(..)
                | Command::MeasurePeaks
                | Command::Table { .. } => {}
                // A GPU that is three times as fast.
                Command::Measure(number, ..) => {
                    let speed = if self.program.on_gpu() { 30_000.0 } else { 10_000.0 };
                    let speed = Speed { steps_per_s: speed, learner: "a script".into() };
                    say(Event::Measured(*number, Ok(speed)));
                }
            }
        }
    }
}
