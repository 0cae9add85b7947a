//! Messages between page and worker. The command line and the tests use them too.
//!
//! Commands are imperative, events are past. Large arrays are sent next to a message, as a [`Payload`], so that
//! a browser can transfer them without copying.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::run::RunSpec;

/// Version of the messages between page and worker in this file; it increases with every change after which an older
/// side would misread a newer one.
pub const PROTOCOL_VERSION: u32 = 5;

/// First message of a worker, by which the page recognises workers of another build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerHandshake {
    /// Name of the build of the worker's files; empty in an unfinished build.
    pub build: String,
    /// Version of the messages that the worker understands, its [`PROTOCOL_VERSION`].
    pub protocol: u32,
}

impl WorkerHandshake {
    /// Whether the worker belongs to the page's build. A page that `cargo xtask serve` has built has a placeholder that
    /// begins with an underscore as its build name, and its workers have no name.
    pub fn matches_build(&self, build: &str) -> bool {
        self.protocol == PROTOCOL_VERSION
            && (self.build == build || build.starts_with('_') && self.build.is_empty())
    }
}

/// Message from the page to a worker, which trains runs.
#[allow(clippy::large_enum_variant, reason = "a few a minute; a box would only make them awkward")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Start a run, from its first step or from the checkpoint in the payload. A run in progress is dropped.
    Start {
        /// The run.
        spec: RunSpec,
        /// Largest number of steps per second; 0 is as fast as possible.
        speed: u64,
        /// Whether to wait for [`Command::Play`].
        paused: bool,
        /// Held-out examples to measure on while the run goes on, if fewer than the specification's; a
        /// reached target is confirmed on all of them.
        held_out_limit: Option<usize>,
        /// Whether networks that have reached the target are no longer trained: a sweep needs only the step of success.
        resting: bool,
    },
    /// Go on.
    Play,
    /// Go on to this step, measure there, and pause; at once where it is behind.
    PlayTo(u64),
    /// Stop until [`Command::Play`].
    Pause,
    /// Make one step, measure, and pause.
    Step,
    /// Change the speed limit, in steps per second; 0 is as fast as possible.
    Speed(u64),
    /// Change the learning rate from the next step on.
    LearningRate(f64),
    /// Go on after the end, up to this step.
    Extend(u64),
    /// Train up to this step, or to the end of the run, without progress messages, measure there, and pause.
    Reach(u64),
    /// Send a checkpoint now.
    Checkpoint,
    /// Run these probes on the first replica, or on all, while the run trains, instead of the probes before.
    Watch(Vec<ProbeId>),
    /// Store the table in the payload for runs on it.
    Table {
        /// Columns besides the label.
        columns: usize,
    },
    /// The last started run has this number in this sweep: on a GPU, the runs after it may
    /// be trained at the same time.
    Sweep(Box<RunSpec>, usize),
    /// Train this run for this many milliseconds only to measure its speed; a run in progress is dropped. The
    /// first number is sent back with the answer.
    Measure(u32, Box<RunSpec>, f64),
    /// Measure the peak performance of the device; a run in progress is dropped.
    MeasurePeaks,
}

/// Measured speed at which a device trains a run, and the code that trains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingSpeed {
    /// Steps per second, each of which is a step of every replica; 0 where the run ended before it could be timed.
    pub steps_per_s: f64,
    /// Name of the learner (the code that computed the steps), as in [`Event::Started`].
    pub learner: String,
}

/// Peak performance of the device of a worker, measured by a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PeakPerformance {
    /// Multiplications and additions per second in 32 bits; on a processor, of one core.
    pub flops: f64,
    /// Multiplications and additions per second of one workgroup of a GPU; None on a processor.
    pub workgroup_flops: Option<f64>,
    /// Overhead of one kernel launch in milliseconds; None on a processor.
    pub launch_ms: Option<f64>,
}

/// Permanent name of a probe: a measurement of the first replica, or of all replicas, that takes longer than loss and
/// accuracy and runs on request. The labs declare the probes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProbeId(Cow<'static, str>);

impl ProbeId {
    /// Creates the id from the permanent name of a probe.
    pub const fn new(name: &'static str) -> Self {
        ProbeId(Cow::Borrowed(name))
    }
}

/// Result of a probe: numbers whose order and meaning the probe's module defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// Permanent name of the probe that measured.
    pub probe: ProbeId,
    /// Scalar numbers that the probe measured, which are stored with the run's measurements; NaN where a scalar does
    /// not apply to the run.
    pub few: Vec<f64>,
    /// Whole numbers that the probe's module defines: sizes of the arrays in [`ProbeResult::numbers`], indices, or
    /// counts.
    pub counts: Vec<usize>,
    /// Large arrays that the probe measured, concatenated; they are sent apart from the result, as the message's
    /// payload.
    pub numbers: Vec<f32>,
}

impl ProbeResult {
    /// Creates the result of the probe with this name, without numbers.
    pub fn new(probe: ProbeId) -> Self {
        ProbeResult { probe, few: vec![], counts: vec![], numbers: vec![] }
    }

    /// Returns the result with `few` as its scalar numbers.
    pub fn with_few_numbers(self, few: impl Into<Vec<f64>>) -> Self {
        ProbeResult { few: few.into(), ..self }
    }

    /// Returns the result with `counts`: sizes of arrays, indices or counts.
    pub fn with_counts(self, counts: impl Into<Vec<usize>>) -> Self {
        ProbeResult { counts: counts.into(), ..self }
    }

    /// Returns the result with `numbers` as its large arrays, concatenated.
    pub fn with_numbers(self, numbers: Vec<f32>) -> Self {
        ProbeResult { numbers, ..self }
    }

    /// Takes the arrays in `numbers` out of the result, to be sent as a payload next to it.
    pub fn take_numbers(&mut self) -> Payload {
        match self.numbers.is_empty() {
            true => Payload::Empty,
            false => Payload::Numbers(std::mem::take(&mut self.numbers)),
        }
    }

    /// Puts arrays that were sent as a payload back into `numbers`.
    pub fn with_payload(mut self, payload: Payload) -> Self {
        if let Payload::Numbers(travelled) = payload {
            self.numbers = travelled;
        }
        self
    }
}

/// Message from a worker to the page about the run that the worker trains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker has started and chosen a device.
    Ready(DeviceInfo),
    /// A run has started, or has been resumed from a checkpoint.
    Started {
        /// Steps already made.
        step: u64,
        /// Input coordinates that matter, from 0.
        relevant: Vec<usize>,
        /// Held-out examples that are measured on while the run goes on.
        held_out: usize,
        /// Number of trained parameters of all replicas.
        parameters: usize,
        /// Which learner trains: "fused kernels", "autodiff".
        learner: String,
        /// Why the faster learner is not used, in one sentence; empty if it is used.
        note: String,
    },
    /// New measurements, in rising order of steps.
    Metrics(Vec<Measurement>),
    /// First-layer weights of the first replica; the payload holds them, `[inputs, width]`.
    Weights {
        /// Steps made when they were read.
        step: u64,
        /// Inputs: rows of the payload.
        inputs: usize,
        /// Neurons: columns of the payload.
        width: usize,
    },
    /// Training speed.
    Rate {
        /// Steps per second of wall-clock time.
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
    /// The run was paused.
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
        reason: EndReason,
    },
    /// The learning rate has changed.
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
    /// A probe has measured the first replica, or all replicas.
    Probed {
        /// Steps made when its weights were read.
        step: u64,
        /// Result of the probe.
        finding: ProbeResult,
    },
    /// Speed of the run with the number of [`Command::Measure`], or why it cannot be trained on this device.
    Measured(u32, Result<TrainingSpeed, RunError>),
    /// Peak performance of the device.
    PeaksMeasured(PeakPerformance),
    /// The worker cannot continue: one sentence for the user.
    Failed(RunError),
}

/// Reason why the training of a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndReason {
    /// Every replica reached the target accuracy.
    Target,
    /// The last step was made.
    LastStep,
    /// The loss was no longer finite.
    Diverged,
}

/// Error that prevents or ends the training of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RunError {
    /// No usable GPU was found.
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
    /// Bug in the program.
    #[error("{}", tr!("the training program stopped: {why}", why = _0))]
    Internal(String),
}

impl RunError {
    /// Converts an error of a GPU library: keeps the first line of its text, which names the cause; the rest is a
    /// backtrace.
    pub fn gpu_lost(error: impl std::fmt::Debug) -> Self {
        let text = format!("{error:?}").replace("\\n", "\n");
        RunError::GpuLost(text.lines().next().unwrap_or_default().chars().take(200).collect())
    }
}

/// Measurement at one training step: each vector has a number per replica, and is empty if the measure does not apply
/// or a saved run is older than the measure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    /// Number of training steps made before the measurement.
    pub step: u64,
    /// Loss of each replica on its next training batch, or on its fixed training set if there is one.
    pub train_loss: Vec<f32>,
    /// Accuracy of each replica on the examples of `train_loss`, from 0 to 1.
    pub train_accuracy: Vec<f32>,
    /// Loss of each replica on the held-out examples.
    pub test_loss: Vec<f32>,
    /// Accuracy of each replica on the held-out examples, from 0 to 1.
    pub test_accuracy: Vec<f32>,
    /// Normalised margin: the smallest margin of a training example, divided by (Σ‖ω‖^ν)^(D/ν) with the exponent ν of
    /// the model's penalty and the network's degree of homogeneity D; empty where the model has no penalty, and not a
    /// number where all weights are zero.
    pub margin: Vec<f32>,
    /// Further measures of the task (those besides loss, accuracy and margin), in the order of its definitions; each
    /// has a number per replica, or is empty where it does not apply.
    pub measures: Vec<Vec<f32>>,
}

impl Measurement {
    /// Mutable vectors of all measures: losses, accuracies, margin, and further measures.
    fn columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Measurement { train_loss, train_accuracy, test_loss, test_accuracy, margin, measures, .. } = self;
        [train_loss, train_accuracy, test_loss, test_accuracy, margin].into_iter().chain(measures)
    }

    /// Returns the measurement with the numbers of one replica only, that with the index `replica`, from 0.
    pub fn of_replica(&self, replica: usize) -> Measurement {
        let mut row = self.clone();
        for column in row.columns_mut() {
            *column = column.get(replica).copied().into_iter().collect();
        }
        row
    }

    /// Appends the numbers of the replicas of the measurement `other`, made at the same step, after those of this
    /// measurement.
    pub fn append(&mut self, other: &Measurement) {
        self.measures.resize(self.measures.len().max(other.measures.len()), vec![]);
        for (column, other) in self.columns_mut().zip(other.clone().columns_mut()) {
            column.append(other);
        }
    }
}

/// Kind of the device that trains a run: processor or GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceKind {
    /// The processor.
    Cpu,
    /// A GPU.
    Gpu,
}

/// Kind and name of a device, for display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Whether the device is a processor or a GPU.
    pub kind: DeviceKind,
    /// Name of the device, such as "CPU", "WebGPU: Apple M2" or "Vulkan: NVIDIA H200".
    pub name: String,
    /// Whether the GPU is only simulated on the CPU, which is slower than using the CPU directly.
    pub simulated: bool,
}

/// Large array that is sent next to an event or a command, so that it is transferred and not copied.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// No array.
    Empty,
    /// Numbers.
    Numbers(Vec<f32>),
    /// Bytes of a checkpoint file.
    Bytes(Vec<u8>),
}

/// Message from a worker to the page: an event, and the large array that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventMessage {
    /// Event that the message reports.
    pub event: Event,
    /// Large array that belongs to the event; empty for most events.
    pub payload: Payload,
}

impl From<Event> for EventMessage {
    fn from(event: Event) -> Self {
        EventMessage { event, payload: Payload::Empty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_fits_the_page_of_its_own_build() {
        let worker = |build: &str, protocol| WorkerHandshake { build: build.into(), protocol };
        assert!(worker("12ab", PROTOCOL_VERSION).matches_build("12ab"));
        assert!(worker("", PROTOCOL_VERSION).matches_build("__BUILD__"));
        for other in [
            worker("12ab", PROTOCOL_VERSION + 1),
            worker("", PROTOCOL_VERSION + 1),
            worker("12ac", PROTOCOL_VERSION),
            worker("", PROTOCOL_VERSION),
        ] {
            assert!(!other.matches_build("12ab"), "{other:?}");
        }
        assert!(
            !worker("12ab", PROTOCOL_VERSION).matches_build("__BUILD__")
                && !worker("", PROTOCOL_VERSION + 1).matches_build("__BUILD__")
        );
    }
}
