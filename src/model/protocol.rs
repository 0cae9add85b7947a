//! What the page and the worker say to each other. The command line and the tests speak it too.
//!
//! Commands are imperative, events are past. Large arrays travel beside a message, as a [`Payload`], so that
//! a browser can hand them over without copying.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::run::RunSpec;

/// The version of what is in this file; it rises with every change after which an older side would misread the newer.
pub const VERSION: u32 = 5;

/// What a worker says before anything else, so that no run begins with a worker of another build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The name of the build that the worker's files are of; empty where the build was not finished.
    pub build: String,
    /// The version of the messages that it speaks.
    pub protocol: u32,
}

impl Greeting {
    /// Whether the page of this build can work with it. A page that `cargo xtask serve` has built has no name, which
    /// begins with an underscore then, and neither have its workers.
    pub fn fits(&self, build: &str) -> bool {
        self.protocol == VERSION && (self.build == build || build.starts_with('_') && self.build.is_empty())
    }
}

/// From the page to the worker.
#[allow(clippy::large_enum_variant, reason = "a few a minute; a box would only make them awkward")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Begin a run, from the start or from the checkpoint that comes as payload. A run in progress is dropped.
    Start {
        /// The run.
        spec: RunSpec,
        /// Most steps per second; 0 is as fast as possible.
        speed: u64,
        /// Whether to wait for [`Command::Play`].
        paused: bool,
        /// Held-out examples to measure on while the run goes on, if fewer than the specification's; a
        /// reached target is confirmed on all of them.
        held_out_limit: Option<usize>,
        /// Whether networks that have reached the target rest: a sweep wants to know when, and no more of them.
        resting: bool,
    },
    /// Go on.
    Play,
    /// Go on to this step, measure there, and pause; at once where it is behind.
    PlayTo(u64),
    /// Stop until told to go on.
    Pause,
    /// Make one step, measure, and pause.
    Step,
    /// Change the speed limit, in steps per second; 0 is as fast as possible.
    Speed(u64),
    /// Change the learning rate from the next step on.
    LearningRate(f64),
    /// Go on after the end, up to this step.
    Extend(u64),
    /// Train up to this step without a word, show the run as it is there, and pause; the end is as far as it goes.
    Reach(u64),
    /// Send a checkpoint now.
    Checkpoint,
    /// Look at the first replica in these ways while it trains; what was watched before is no longer.
    Watch(Vec<ProbeId>),
    /// Keep the table that comes as payload, of so many columns besides the label, for runs on it.
    Table {
        /// Columns besides the label.
        columns: usize,
    },
    /// The run that was started last is the one of this number of this sweep: where there is a GPU, those after it may
    /// train beside it.
    Sweep(Box<RunSpec>, usize),
    /// Train this run for so many milliseconds to see how fast it goes, and nothing else; a run in progress is dropped. The
    /// number comes back with the answer.
    Measure(u32, Box<RunSpec>, f64),
    /// See how much the device computes at most; a run in progress is dropped.
    MeasurePeaks,
}

/// How fast a device trains a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Steps per second, each of which is a step of every replica; 0 where the run ended before it could be timed.
    pub steps_per_s: f64,
    /// Which learner trains, as in [`Event::Started`].
    pub learner: String,
}

/// What a device computes at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// Multiplications and additions per second, in 32 bits: of one core where it is a processor.
    pub flops: f64,
    /// The same in one workgroup of a GPU.
    pub workgroup_flops: Option<f64>,
    /// What one launch of a kernel takes beside its computing, in milliseconds.
    pub launch_ms: Option<f64>,
}

/// The permanent name of a measurement of the first replica that takes longer than loss and accuracy, and is made on
/// request; the labs declare what is measured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProbeId(Cow<'static, str>);

impl ProbeId {
    /// The name.
    pub const fn new(name: &'static str) -> Self {
        ProbeId(Cow::Borrowed(name))
    }
}

/// What a probe has found: numbers, whose order and meaning the probe's module says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The probe.
    pub probe: ProbeId,
    /// A few measured numbers, which are kept along the run; one that does not apply is not a number.
    pub few: Vec<f64>,
    /// Sizes of [`Finding::numbers`], indices, or counts.
    pub counts: Vec<usize>,
    /// Large arrays; they travel as the message's payload.
    pub numbers: Vec<f32>,
}

impl Finding {
    /// A finding without any number yet.
    pub fn of(probe: ProbeId) -> Self {
        Finding { probe, few: vec![], counts: vec![], numbers: vec![] }
    }

    /// The same with a few measured numbers.
    pub fn with_few(self, few: impl Into<Vec<f64>>) -> Self {
        Finding { few: few.into(), ..self }
    }

    /// The same with sizes, indices or counts.
    pub fn with_counts(self, counts: impl Into<Vec<usize>>) -> Self {
        Finding { counts: counts.into(), ..self }
    }

    /// The same with large arrays.
    pub fn with_numbers(self, numbers: Vec<f32>) -> Self {
        Finding { numbers, ..self }
    }

    /// The numbers that are to travel beside the message, taken out of it.
    pub fn take_numbers(&mut self) -> Payload {
        match self.numbers.is_empty() {
            true => Payload::Empty,
            false => Payload::Numbers(std::mem::take(&mut self.numbers)),
        }
    }

    /// The finding with the numbers that travelled beside it.
    pub fn with_payload(mut self, payload: Payload) -> Self {
        if let Payload::Numbers(travelled) = payload {
            self.numbers = travelled;
        }
        self
    }
}

/// From the worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker is there and has a device.
    Ready(DeviceReport),
    /// A run has begun, or has been taken up again.
    Started {
        /// Steps already made.
        step: u64,
        /// Input coordinates that matter, from 0.
        relevant: Vec<usize>,
        /// Held-out examples that are measured on while the run goes on.
        held_out: usize,
        /// Numbers that are trained, over all replicas.
        parameters: usize,
        /// Which learner trains: "fused kernels", "autodiff".
        learner: String,
        /// Why not the faster learner, in one sentence; empty where there is nothing to explain.
        note: String,
    },
    /// New measurements, in rising order of steps.
    Metrics(Vec<Row>),
    /// First-layer weights of the first replica; the payload holds them, `[inputs, width]`.
    Weights {
        /// Steps made when they were read.
        step: u64,
        /// Inputs: rows of the payload.
        inputs: usize,
        /// Neurons: columns of the payload.
        width: usize,
    },
    /// How fast it goes.
    Rate {
        /// Steps per second of the clock on the wall.
        steps_per_s: f64,
        /// Steps per second of computing time alone: what the device could do without a speed limit.
        capacity: f64,
    },
    /// A replica has reached the target accuracy for the first time.
    Solved {
        /// Which replica.
        replica: usize,
        /// The step t_c at which it was measured.
        step: u64,
    },
    /// The run waits.
    Paused {
        /// Steps made.
        step: u64,
    },
    /// The run goes on.
    Resumed {
        /// Steps made.
        step: u64,
    },
    /// The run has ended.
    Finished {
        /// Steps made.
        step: u64,
        /// Why.
        reason: Ending,
    },
    /// The learning rate is another from this step on.
    LearningRateChanged {
        /// First step at the new rate.
        step: u64,
        /// The new rate.
        lr: f64,
    },
    /// The loss is no longer finite; parameters were put back to the last good measurement.
    Diverged {
        /// Step at which the loss was seen not to be finite.
        step: u64,
        /// Step of the last good measurement, where the run stands now.
        last_good: u64,
    },
    /// A checkpoint of this step is in the payload.
    Checkpoint {
        /// Steps made.
        step: u64,
    },
    /// A watched measurement of the first replica.
    Probed {
        /// Steps made when its weights were read.
        step: u64,
        /// What was found.
        finding: Finding,
    },
    /// How fast the run of this number goes, or why this program cannot train it on this device.
    Measured(u32, Result<Speed, Failure>),
    /// What the device computes at most.
    PeaksMeasured(Peaks),
    /// The worker cannot go on: one sentence for the person.
    Failed(Failure),
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Every replica reached the target accuracy.
    Target,
    /// The last step was made.
    LastStep,
    /// The loss was no longer finite.
    Diverged,
}

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// There is no GPU to use.
    #[error("{0}")]
    NoGpu(String),
    /// The GPU was there and is gone, or gives wrong numbers.
    #[error("{}", tr!("the GPU stopped working ({why})", why = _0))]
    GpuLost(String),
    /// The run is too large for the GPU; another may fit.
    #[error("{0}")]
    TooLarge(String),
    /// The run needs the learner that this worker comes without; the sentence says why.
    #[error("{0}")]
    NeedsAutodiff(String),
    /// The specification cannot be run.
    #[error("{0}")]
    Impossible(String),
    /// A checkpoint cannot be read.
    #[error("{}", tr!("this checkpoint cannot be read: {why}", why = _0))]
    BadCheckpoint(String),
    /// Something in the program is wrong.
    #[error("{}", tr!("the training program stopped: {why}", why = _0))]
    Internal(String),
}

impl Failure {
    /// What a GPU library gives as an error: the first line, which is the cause; a backtrace follows.
    pub fn lost(error: impl std::fmt::Debug) -> Self {
        let text = format!("{error:?}").replace("\\n", "\n");
        Failure::GpuLost(text.lines().next().unwrap_or_default().chars().take(200).collect())
    }
}

/// One measurement: a number per replica in each vector. Saved runs may be older than the last of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// Steps made before it.
    pub step: u64,
    /// Loss on the next training batch, or on the finite sample where there is one.
    pub train_loss: Vec<f32>,
    /// Accuracy on the same, from 0 to 1.
    pub train_accuracy: Vec<f32>,
    /// Loss on held-out examples.
    pub test_loss: Vec<f32>,
    /// Accuracy on held-out examples, from 0 to 1.
    pub test_accuracy: Vec<f32>,
    /// Normalised margin: the least margin over what is trained on, divided by (Σ‖ω‖^ν)^(D/ν) with the exponent ν of the
    /// model's penalty and the network's degree of homogeneity D; empty where the model has no penalty, and not a number
    /// where the network is zero.
    pub margin: Vec<f32>,
    /// Further measures of the task, each with a number per replica or, where it does not apply, with none; for
    /// sequences in the order of [`vivarium_science::markov::ChainMeasure`].
    pub measures: Vec<Vec<f32>>,
}

impl Row {
    fn columns(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Row { train_loss, train_accuracy, test_loss, test_accuracy, margin, measures, .. } = self;
        [train_loss, train_accuracy, test_loss, test_accuracy, margin].into_iter().chain(measures)
    }

    /// What was measured of one replica.
    pub fn of(&self, replica: usize) -> Row {
        let mut row = self.clone();
        for column in row.columns() {
            *column = column.get(replica).copied().into_iter().collect();
        }
        row
    }

    /// Adds what was measured of a replica, or of several, behind the others.
    pub fn append(&mut self, of: &Row) {
        self.measures.resize(self.measures.len().max(of.measures.len()), vec![]);
        for (column, other) in self.columns().zip(of.clone().columns()) {
            column.append(other);
        }
    }
}

/// The kinds of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceKind {
    /// Burn's flex on the processor.
    Cpu,
    /// Burn on wgpu.
    Gpu,
}

/// A device as a person wants it named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// Its kind.
    pub kind: DeviceKind,
    /// "CPU", "WebGPU: Apple M2", "Vulkan: NVIDIA H200".
    pub name: String,
    /// Whether the GPU is only simulated on the CPU, which is slower than using the CPU directly.
    pub simulated: bool,
}

/// An array that travels beside an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// Nothing.
    Empty,
    /// Numbers.
    Numbers(Vec<f32>),
    /// A file's bytes.
    Bytes(Vec<u8>),
}

/// An event with what travels beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What happened.
    pub event: Event,
    /// The array that belongs to it.
    pub payload: Payload,
}

impl From<Event> for Message {
    fn from(event: Event) -> Self {
        Message { event, payload: Payload::Empty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_fits_the_page_of_its_own_build() {
        let worker = |build: &str, protocol| Greeting { build: build.into(), protocol };
        assert!(worker("12ab", VERSION).fits("12ab"));
        assert!(worker("", VERSION).fits("__BUILD__"));
        for other in [
            worker("12ab", VERSION + 1),
            worker("", VERSION + 1),
            worker("12ac", VERSION),
            worker("", VERSION),
        ] {
            assert!(!other.fits("12ab"), "{other:?}");
        }
        assert!(!worker("12ab", VERSION).fits("__BUILD__") && !worker("", VERSION + 1).fits("__BUILD__"));
    }
}
