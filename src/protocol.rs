//! What the page and the worker say to each other. The command line and the tests speak it too.
//!
//! Commands are imperative, events are past. Large arrays travel beside a message, as a [`Payload`], so that
//! a browser can hand them over without copying.

use serde::{Deserialize, Serialize};

use crate::run::RunSpec;

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
    Watch(Vec<Probe>),
    /// Keep the table that comes as payload, of so many columns besides the label, for runs on it.
    Table {
        /// Columns besides the label.
        columns: usize,
    },
    /// The run that was started last is the one of this number of this sweep: where there is a GPU, those after it may
    /// train beside it.
    Sweep(Box<RunSpec>, usize),
}

/// A measurement of the first replica that takes longer than loss and accuracy, and is made on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Probe {
    /// The Fourier gap of the population gradient.
    Gap,
    /// The Walsh spectrum of the output.
    Spectrum,
    /// Where the \[CLS\] token of a transformer looks.
    Attention,
    /// Both layers of a network of powers.
    Powers,
    /// What each neuron of a network on pairs has become.
    Neurons,
    /// The outputs of a network on pairs, on some of them.
    Outputs,
    /// Which neurons are constant on cosets.
    Cosets,
    /// Progress measures of modular arithmetic.
    Progress,
    /// All parameters of a network on sequences: so small that the page looks into them itself.
    Parameters,
    /// What the network's loss is without each of its heads.
    Ablation,
    /// Where each head's \[CLS\] token looks in each of some examples.
    Looks,
}

/// What a [`Probe`] has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Finding {
    /// Of the neuron with the largest gap.
    Gap {
        /// Γ: largest gradient on a relevant input minus the largest on another.
        relaxed: f64,
        /// The same with the smallest on a relevant input.
        strict: f64,
        /// Standard error of either; 0 where the gradient is exact.
        error: f64,
    },
    /// Of the output on all points of the cube.
    Spectrum {
        /// Share of the squared norm on sets of each size, from 0.
        shares: Vec<f32>,
        /// Correlation of the output with the target, −1 to 1.
        correlation: f32,
    },
    /// Mean weight of each input under the heads' attention; what is missing to 1 rests on \[CLS\] itself.
    Attention(Vec<f32>),
    /// Attention of each head on each token, for some held-out examples.
    Looks {
        /// Heads.
        heads: usize,
        /// `[examples, heads, inputs + 1]`; they travel as the message's payload.
        numbers: Vec<f32>,
    },
    /// Weights u, `[inputs, width]`, then w, `[2, width]`, of a network of powers.
    Powers {
        /// Neurons.
        width: usize,
        /// The weights; they travel as the message's payload.
        numbers: Vec<f32>,
    },
    /// Powers, norms and phases of every neuron, as `analysis::neurons` writes them.
    Neurons {
        /// Neurons.
        neurons: usize,
        /// Irreps, or frequencies.
        irreps: usize,
        /// The numbers; they travel as the message's payload.
        numbers: Vec<f32>,
    },
    /// Outputs on pairs of elements.
    Outputs {
        /// The pairs, a and b after each other.
        pairs: Vec<u32>,
        /// `[pairs, classes]`; it travels as the message's payload.
        outputs: Vec<f32>,
    },
    /// Live neurons by the largest class of subgroups on whose cosets they are constant.
    Cosets(Vec<usize>),
    /// Progress measures (Nanda et al. 2023).
    Progress {
        /// Frequencies that count as key.
        key: Vec<usize>,
        /// Share of the outputs' power by frequency.
        shares: Vec<f32>,
        /// Restricted and excluded loss, and those of training and held-out pairs, where there are any.
        losses: [Option<f64>; 4],
        /// Gini coefficient and inverse participation ratio of the embedding's Fourier norms.
        sparsity: Option<[f64; 2]>,
    },
    /// All parameters of the first replica one after the other, in their permanent order; they travel as the
    /// message's payload.
    Parameters(Vec<f32>),
    /// KL to the truth at the last symbol, in nats: of the whole network, then without each head, layer by layer.
    Ablation(Vec<f32>),
}

impl Finding {
    /// The numbers that are to travel beside the message, taken out of it.
    pub fn take_numbers(&mut self) -> Payload {
        match self {
            Finding::Neurons { numbers, .. }
            | Finding::Powers { numbers, .. }
            | Finding::Looks { numbers, .. }
            | Finding::Parameters(numbers)
            | Finding::Outputs { outputs: numbers, .. } => Payload::Numbers(std::mem::take(numbers)),
            _ => Payload::Empty,
        }
    }

    /// The finding with the numbers that travelled beside it.
    pub fn with_numbers(mut self, payload: Payload) -> Self {
        if let (
            Finding::Neurons { numbers, .. }
            | Finding::Powers { numbers, .. }
            | Finding::Looks { numbers, .. }
            | Finding::Parameters(numbers)
            | Finding::Outputs { outputs: numbers, .. },
            Payload::Numbers(travelled),
        ) = (&mut self, payload)
        {
            *numbers = travelled;
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

/// One measurement: a number per replica in each vector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Normalised margin: the least margin over what is trained on, divided by Σ‖ω‖^ν of the model's penalty; empty
    /// where the model has none.
    pub margin: Vec<f32>,
    /// Further measures of the task, each with a number per replica or, where it does not apply, with none; for
    /// sequences in the order of [`crate::markov::Measure`].
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
