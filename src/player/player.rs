//! The state of a run that is shown and trained.

use crate::checkpoints::Checkpoints;
use crate::consent::Consent;
use crate::device::{GpuSupport, ProgramChoice};
use crate::speeds::{DeviceTiming, SpeedCache};
use crate::trainer::{TrainerEffect, TrainerPhase};
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Command, DeviceInfo, Measurement};
use vivarium_model::run::RunSpec;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::{RunPhase, RunView};

/// A step at which the run pauses, set by a story or by a teacher's link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseGoal {
    /// Training step at which the run pauses.
    pub step: u64,
    /// Whether the run ignores the speed limit until it pauses.
    pub ignores_speed_limit: bool,
}

/// A failure after which runs are trained on the CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuFailure {
    /// Why the GPU failed, as a sentence without its full stop: "WebGPU cannot be used, because …".
    pub reason: String,
    /// Whether the run is too large for the GPU, so that the GPU may train other runs.
    pub is_of_this_run: bool,
}

/// How far the choice of the device that trains the run is.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum DevicePhase {
    /// No device is chosen: no run has started, or the browser has not reported its GPU support.
    #[default]
    Undecided,
    /// The speed of the run is being measured on the CPU and on the GPU before the run starts.
    Timing(Box<DeviceTiming>),
    /// This worker program (device and learner) trains the run.
    Chosen(ProgramChoice),
}

/// State of the run in which a message is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageCondition {
    /// The run plays.
    Playing,
    /// The run does not play.
    Waiting,
    /// The run waits at this step.
    WaitingAt(u64),
}

/// A message that is true only in the present state of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassingMessage {
    /// Text of the message, by which a later message is told apart.
    pub(crate) text: String,
    /// State of the run in which the message is true.
    pub(crate) condition: MessageCondition,
}

/// A jump to an earlier step: the page shows that step while the trainer trains to it without showing progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Seek {
    /// Training step that the page shows and to which the trainer trains.
    pub step: u64,
    /// Phase of the run (such as paused or finished) once the trainer has reached the step.
    pub phase_on_arrival: RunPhase,
}

/// A run that was saved with a checkpoint, from which it goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumedRun {
    /// Training step of the checkpoint.
    pub step: u64,
    /// Bytes of the checkpoint: weights and optimizer state.
    pub checkpoint: Vec<u8>,
    /// Measurements of the run; those after the step of the checkpoint are left out.
    pub rows: Vec<Measurement>,
    /// Indices, from 0, of the replicas that have reached the target, each with its step.
    pub solved: Vec<(usize, u64)>,
    /// Name of the file with the initial weights, and its description; both empty if the link determines the weights.
    pub initial_weights_file: [String; 2],
    /// Whether the run had ended, so that it stays paused.
    pub has_ended: bool,
}

/// A run that is shown and trained: its measurements, the device and the trainer, and checkpoints of earlier steps.
#[derive(Debug, Clone, Default)]
pub struct Player {
    /// The run that is shown.
    pub run: RunView,
    /// Latest message to the user; may be empty.
    pub message: String,
    /// The message that is true only in the present state of the run; None if the latest message stays.
    pub passing_message: Option<PassingMessage>,
    /// Whether the run is to stay paused: the user has paused it, or the link opens it paused.
    pub paused: bool,
    /// Whether the run of the next link is to stay paused; None if it plays or waits as the current run does.
    pub next_run_paused: Option<bool>,
    /// Whether a trainer (the worker that trains the run) is open and ready.
    pub trainer: TrainerPhase,
    /// Whether the trainer has not confirmed the start of the run; until then its messages are about the run before.
    pub awaiting_start: bool,
    /// Whether the trainer was sent a list of probes that is not empty.
    pub(crate) probes_sent: bool,
    /// Step of the checkpoint from which a dead trainer was last replaced; None if none was replaced in this run.
    pub replaced_at: Option<u64>,
    /// Whether the browser offers a GPU, as far as is known.
    pub gpu_support: GpuSupport,
    /// How far the choice of the device that trains the run is.
    pub device: DevicePhase,
    /// The device as the trainer reports it; None before its first message.
    pub device_report: Option<DeviceInfo>,
    /// (name of the learner that trains the run, reason why the faster learner does not train it, or an empty text).
    pub learner: (String, String),
    /// Speeds of CPU and GPU measured earlier in this browser; None where nothing is timed, as on the command line.
    pub speeds: Option<SpeedCache>,
    /// Number of speed measurements started so far; it numbers them, so that the answer to a cancelled one is ignored.
    pub(crate) timing_count: u32,
    /// The failure after which the GPU is no longer used; None while it may be used.
    pub gpu_failure: Option<GpuFailure>,
    /// Why the fused GPU kernels cannot train this run on this GPU; None if nothing is known against it.
    pub fused_error: Option<String>,
    /// Whether the training loops on the CPU refused this run although they seemed to support it.
    pub loops_failed: bool,
    /// (steps per second now, steps per second that the device could train without a speed limit); None before the
    /// first report.
    pub step_rates: Option<(f64, f64)>,
    /// Step at which the run pauses because a story or a teacher's link asks for it; None without such a step.
    pub goal: Option<PauseGoal>,
    /// The question whether to start an expensive run, and the run to which the user has agreed.
    pub consent: Consent,
    /// (step, bytes) of the checkpoint from which training is started or resumed; None at the first step.
    pub checkpoint: Option<(u64, Vec<u8>)>,
    /// Checkpoints at several steps of the run, from which earlier steps are reached again.
    pub checkpoints: Checkpoints,
    /// The run at its latest step while an earlier step is shown; None while `run` is at its latest step.
    pub latest_run: Option<Box<RunView>>,
    /// The jump to an earlier step for which the trainer trains again without showing progress; None unless it does.
    pub seek: Option<Seek>,
    /// Measurements and checkpoint with which the next run that is prepared goes on; None if it starts at step 0.
    pub resumed_run: Option<ResumedRun>,
    /// (settings, progress) of the sweep that was left last, so that it can be continued; None without one.
    pub suspended_sweep: Option<(RunSpec, SweepProgress)>,
    /// Whether the status line keeps the result of an ended run back, because a reader is to predict the result first.
    pub hides_result: bool,
    /// Training steps per second at which the page shows the run as a moving picture, in place of the speed limit of the
    /// link; 0 means no limit. `None` while the link's limit holds.
    pub stage_speed: Option<u64>,
    /// The link before the trainer changed it (by a new learning rate), until the page takes it for its Undo list.
    pub replaced_link: Option<Box<Link>>,
}

impl Player {
    /// Returns the largest number of training steps per second that the trainer is to make; 0 means no limit.
    pub fn speed_limit(&self) -> u64 {
        self.stage_speed.unwrap_or(self.run.link.view.speed)
    }

    /// Sets or removes the speed of the moving picture, and tells the trainer if the speed limit has changed.
    pub fn set_stage_speed<E: From<TrainerEffect>>(&mut self, speed: Option<u64>, effects: &mut Vec<E>) {
        let before = self.speed_limit();
        self.stage_speed = speed;
        let is_unlimited = self.goal.is_some_and(|goal| goal.ignores_speed_limit);
        if self.speed_limit() != before && !is_unlimited {
            self.send(Command::Speed(self.speed_limit()), effects);
        }
    }

    /// Returns a player that times runs, with the speeds measured earlier in this browser.
    pub fn with_speeds(speeds: SpeedCache) -> Self {
        Self { speeds: Some(speeds), ..Self::default() }
    }

    /// Returns the worker program (device and learner) that trains the run, with the reason; None before it is chosen.
    pub fn device_choice(&self) -> Option<&ProgramChoice> {
        match &self.device {
            DevicePhase::Chosen(choice) => Some(choice),
            DevicePhase::Undecided | DevicePhase::Timing(_) => None,
        }
    }

    /// Whether the speed of the run on CPU and GPU is being measured before the run begins.
    pub fn is_timing(&self) -> bool {
        matches!(self.device, DevicePhase::Timing(_))
    }

    /// Whether the run trains or will train once it has loaded, so that the main button pauses it.
    pub fn is_playing(&self) -> bool {
        match self.run.phase {
            RunPhase::Running => true,
            RunPhase::Loading => !self.paused,
            _ => false,
        }
    }
}
