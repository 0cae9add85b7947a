//! A trainer that learns by script: chance until a step, then right.

use std::cell::RefCell;

use vivarium_model::protocol::{Command, EventMessage, Payload};
use vivarium_model::protocol::{DeviceInfo, DeviceKind, EndReason, Event, Measurement, TrainingSpeed};
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_player::trainer::{Program, Trainer};

/// A trainer for tests that follows a script: losses and accuracies are those of chance before a given step and nearly
/// perfect from it on. It answers every command at once; [`Scripted::advance`] makes it train.
pub struct Scripted {
    /// Worker program (device and learner) that the trainer claims to be.
    program: Program,
    /// First step at which the accuracy is 1 and the target is reached; before it the accuracy is 0.5.
    finds_at: u64,
    /// Messages to the page that [`Scripted::take`] has not returned yet, the oldest first.
    messages: RefCell<Vec<EventMessage>>,
    /// (settings, number of completed training steps) of the run; None before a start command.
    run: RefCell<Option<(RunSpec, u64)>>,
}

impl Scripted {
    /// A trainer that claims to run `program` and reaches the target of every run at step `finds_at`.
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

    /// Returns the messages to the page since the last call, the oldest first.
    pub fn take(&self) -> Vec<EventMessage> {
        self.messages.take()
    }

    /// Trains up to `step`, with a measurement every `run.every` steps, and then sends a checkpoint; a run that stops
    /// at its target ends there, without one.
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

    /// Returns the measurement at `step`: accuracy 1 and loss 0.01 from step `finds_at` on, accuracy 0.5 and loss 1
    /// before it.
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
