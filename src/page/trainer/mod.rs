//! The interface to trainers: their programs, commands, messages, and the effects of the page.

pub mod device;
pub mod messages;
pub mod probes;
pub mod speeds;
pub mod timing;

use vivarium_model::protocol::{Command, EventMessage, Payload};

/// WebAssembly program of a worker that trains; it determines the device (CPU, GPU) and the learner (autodiff, fused
/// kernels).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Autodiff on the CPU.
    Cpu,
    /// Fused kernels of this project on the GPU.
    Fused,
    /// Autodiff on the GPU: a larger download, for runs that the fused kernels do not support.
    Gpu,
}

impl Program {
    /// Whether the worker program needs a GPU.
    pub fn needs_gpu(self) -> bool {
        self != Program::Cpu
    }
}

/// A connection to a trainer, the worker that trains the run: a web worker on the page, a script in tests.
pub trait Trainer {
    /// Sends a command with its array (such as a checkpoint) to the trainer.
    fn send(&self, command: &Command, payload: &Payload);
}

/// A message from a trainer, or the news that the trainer has ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainerMessage {
    /// The trainer sent this message.
    Message(EventMessage),
    /// The trainer has ended for this reason.
    Died(String),
}

/// Returns the reason why a worker has ended, from the message of the browser's error event; the message is None if the
/// worker's files could not be loaded.
///
/// # Why
/// A panic is reported by the worker itself, before it ends. A program ends without a message if an allocation fails:
/// Rust then runs into an instruction that is never reached otherwise, which each engine words in its own way.
pub fn worker_error_text(error_message: Option<&str>) -> String {
    match error_message.filter(|words| !words.is_empty() && !words.contains(MISSING_FILE)) {
        None => tr!("the worker could not be loaded").into(),
        Some(words) if words.to_lowercase().contains("unreachable") => {
            tr!("the worker had no memory left").into()
        }
        Some(words) => words.into(),
    }
}

/// Part of the error message by which `www/worker-loader.js` reports a worker file that cannot be fetched.
const MISSING_FILE: &str = "missing file";

/// Operation that the caller of the state must do after an action, such as sending a command; the state itself only
/// lists it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum Effect {
    /// Ask the browser for its GPU support; the answer is [`super::state::Action::GpuDetected`].
    DetectGpu,
    /// Open a trainer with this program and close the current one.
    Open(Program),
    /// Send this command to the trainer.
    Send(Command, Payload),
    /// Fetch the text of the story with this slug; the answer is [`super::tour::TourAction::Fetched`].
    FetchStory(&'static str),
    /// Fetch the recorded curves; the answer is [`super::gallery::GalleryAction::Fetched`].
    FetchRecorded,
    /// Store the open data table with this number in the browser.
    StoreTable(u64),
    /// An effect on the worker of the benchmark.
    Bench(BenchEffect),
    /// Store the measured speeds of CPU and GPU, encoded as this text, in the browser.
    StoreSpeeds(String),
    /// Send this command to the storage of saved runs.
    Library(super::library::StorageCommand),
}

/// An operation on the benchmark's worker that the caller of the state must do, such as opening it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "as the command inside it")]
pub enum BenchEffect {
    /// Open a worker with this program and close the current one.
    Open(Program),
    /// Send this command to the worker.
    Send(Command),
    /// Close the worker.
    Close,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_memory_and_one_that_is_missing_are_distinguished_from_each_other() {
        for words in [
            "Uncaught RuntimeError: unreachable",
            "RuntimeError: unreachable executed",
            "RuntimeError: Unreachable code should not be executed (evaluating 'this.next()')",
        ] {
            assert_eq!(worker_error_text(Some(words)), "the worker had no memory left");
        }
        for words in [None, Some(""), Some("Uncaught Error: missing file")] {
            assert_eq!(worker_error_text(words), "the worker could not be loaded");
        }
        assert_eq!(worker_error_text(Some("Uncaught Error: of its own")), "Uncaught Error: of its own");
    }
}

#[cfg(test)]
pub mod scripted {
    //! A trainer that learns by script: chance until a step, then right.

    use std::cell::RefCell;

    use super::*;
    use vivarium_model::protocol::{DeviceInfo, DeviceKind, EndReason, Event, Measurement, TrainingSpeed};
    use vivarium_model::run::{RunSpec, StopCondition};

    /// Answers every command at once; [`Scripted::advance`] makes it train.
    pub struct Scripted {
        program: Program,
        finds_at: u64,
        messages: RefCell<Vec<EventMessage>>,
        run: RefCell<Option<(RunSpec, u64)>>,
    }

    impl Scripted {
        /// A trainer with `program` that finds every parity at step `finds_at`.
        pub fn new(program: Program, finds_at: u64) -> Self {
            let kind = if program.needs_gpu() { DeviceKind::Gpu } else { DeviceKind::Cpu };
            let report = DeviceInfo {
                kind,
                name: if kind == DeviceKind::Cpu { "CPU".into() } else { "WebGPU: Test".into() },
                simulated: false,
            };
            let messages = RefCell::new(vec![Event::Ready(report).into()]);
            Scripted { program, finds_at, messages, run: RefCell::new(None) }
        }

        /// Returns the messages since the last call.
        pub fn take(&self) -> Vec<EventMessage> {
            self.messages.take()
        }

        /// Trains up to `step`, measuring as often as the run wants.
        pub fn advance(&self, step: u64) {
            let mut run = self.run.borrow_mut();
            let Some((spec, at)) = run.as_mut() else { return };
            while *at < step {
                *at += spec.run.every.min(step - *at);
                self.messages.borrow_mut().push(Event::Metrics(vec![self.row(*at)]).into());
                if *at >= self.finds_at && *at - spec.run.every < self.finds_at {
                    self.messages.borrow_mut().push(Event::Solved { replica: 0, step: *at }.into());
                    if spec.run.halt == StopCondition::Target {
                        let event = Event::Finished { step: *at, reason: EndReason::Target };
                        self.messages.borrow_mut().push(event.into());
                        return;
                    }
                }
            }
            let payload = Payload::Bytes(at.to_le_bytes().to_vec());
            self.messages.borrow_mut().push(EventMessage { event: Event::Checkpoint { step: *at }, payload });
        }

        fn row(&self, step: u64) -> Measurement {
            let right = step >= self.finds_at;
            let of = |good: f32, bad: f32| vec![if right { good } else { bad }];
            Measurement {
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
            let say = |event: Event| self.messages.borrow_mut().push(event.into());
            match command {
                Command::Start { spec, held_out_limit, paused, .. } => {
                    let step = match payload {
                        Payload::Bytes(bytes) => u64::from_le_bytes(bytes[..8].try_into().unwrap()),
                        _ => 0,
                    };
                    let held_out = held_out_limit.unwrap_or(spec.held_out_count()).min(spec.held_out_count());
                    let relevant = spec.task.examples().relevant(spec.run.seed);
                    assert!(self.program.needs_gpu() || held_out <= 1024);
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
                    self.messages.borrow_mut().push(Event::Paused { step: at }.into());
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
                    let speed = if self.program.needs_gpu() { 30_000.0 } else { 10_000.0 };
                    let speed = TrainingSpeed { steps_per_s: speed, learner: "a script".into() };
                    say(Event::Measured(*number, Ok(speed)));
                }
            }
        }
    }
}
