//! The state of the page, and the actions that change it.
//!
//! [`State::apply`] is the only way to change the state; it returns the effects to be carried out. Changes by actions
//! of the user are in [`crate::run::lifecycle`], changes by messages of the trainer in [`crate::trainer::messages`].
//!
//! # Why
//! With one value and one function from action to value, the order of changes is visible, and tests play a whole
//! session natively. Signals read the state and never write to each other.

use super::bench::{Bench, BenchAction};
use super::gallery::{Gallery, GalleryAction};
use super::library::{Library, LibraryAction, SavedRun};
use super::presenter::{Presenter, PresenterAction};
use super::sweeps::SweepAction;
use super::timeline::Seek;
use super::tour::{PauseGoal, Tour, TourAction};
use super::trainer::speeds::{DeviceTiming, SpeedCache};
use super::trainer::{Program, TrainerMessage};
use crate::charts::viewport::{Viewport, ViewportAction};
use crate::files::progress::FileReading;
use crate::run::consent::Consent;
use crate::timeline::checkpoints::Checkpoints;
use crate::trainer::device::{GpuSupport, ProgramChoice};
use vivarium_core::settings::{InvalidSetting, Settings, Value};
use vivarium_labs::find_matching_preset;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::DeviceInfo;
use vivarium_model::run::RunSpec;
use vivarium_view::display::sweep::{SweepProgress, SweepRunResult};
use vivarium_view::display::{RunPhase, RunView};
use vivarium_view::presets::Preset;
use vivarium_view::record::reading::ReadProgress;
use vivarium_view::ui::request::Request;

/// An event that changes the state: an input of the user, a message of a worker, or an answer of the browser.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// The fragment of the address changed, or the page was opened with it.
    Open(String),
    /// The browser reported which GPU support it has.
    GpuDetected(GpuSupport),
    /// The trainer that runs this program sent a message or ended.
    Trainer(Program, TrainerMessage),
    /// A sweep worker finished the run of the cell with this index.
    SweepRunEnded(usize, SweepRunResult),
    /// One second has passed.
    Tick,
    /// The page has time for the next slice of a long computation.
    ContinueWork,
    /// The user entered a text (second) in the form field with this key (first).
    Edit(String, String),
    /// A panel, a form or a dialog requests a change.
    Request(Request),
    /// Reset the form field with this key to its default.
    ResetField(String),
    /// Open this preset.
    ChoosePreset(&'static Preset),
    /// Press the main button: play or pause.
    TogglePlay,
    /// Train one step.
    SingleStep,
    /// Restart the run from its first step with the same initial weights.
    Reset,
    /// Restart the run with this seed.
    NewSeed(u64),
    /// Show a chart, or hide it if it is shown.
    ToggleChart(Chart),
    /// Switch the axis with this key between logarithmic and linear.
    ToggleAxis(&'static str),
    /// An action in the gallery of presets.
    Gallery(GalleryAction),
    /// An action in the benchmark.
    Bench(BenchAction),
    /// An action in a story.
    Tour(TourAction),
    /// An action in presenter mode.
    Presenter(PresenterAction),
    /// Start or cancel a sweep.
    Sweep(SweepAction),
    /// Show the run as it was at this step.
    Scrub(u64),
    /// Show the next measurement (`true`) or the previous one (`false`).
    ScrubBy(bool),
    /// Show the latest step of the run again.
    ShowLatestStep,
    /// Zoom the charts, or show or hide curves.
    Viewport(ViewportAction),
    /// An action on the saved runs.
    Library(LibraryAction),
    /// Undo the last change.
    Undo,
    /// Open a new trainer for a failed run and resume from the last checkpoint.
    Retry,
    /// Close the list of notices.
    DismissNotices,
    /// The page's second WebAssembly module (the code that is loaded after the first paint) has been loaded.
    SecondProgramLoaded,
    /// Show this message to the user.
    ShowMessage(&'static str),
    /// A message of the worker that reads the file with this number.
    FileMessage(u64, ReadProgress),
    /// Request the latest weights from the trainer, to be saved as a file.
    RequestWeights,
}

/// A failure after which runs are trained on the CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuFailure {
    /// Why the GPU failed, as a sentence without its full stop: "WebGPU cannot be used, because …".
    pub reason: String,
    /// Whether the run is too large for the GPU, so that the GPU may train other runs.
    pub is_of_this_run: bool,
}

/// Whether a trainer (the worker that trains the run) is open and accepts commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrainerStatus {
    /// No trainer is open.
    #[default]
    Absent,
    /// A trainer with this program was opened this number of seconds ago, and has not yet reported that it is ready.
    Opening(Program, u32),
    /// The trainer with this program accepts commands.
    Ready(Program),
}

/// A field of the form with a text that was not accepted, and the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidInput {
    /// Key of the form field's setting, as in links.
    pub key: String,
    /// Text that the user entered in the form field.
    pub text: String,
    /// Why the form field's text was not accepted.
    pub error: InvalidSetting,
}

/// An entry of the Undo list: what a change has replaced and Undo restores.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoEntry {
    /// The link of the run before; Undo starts that run again.
    Link(Box<Link>),
    /// Key and previous value of a view setting; the run goes on.
    ViewSetting(&'static str, Value),
    /// Saved runs as they were before a rename, a pin or a deletion; without their curves.
    SavedRuns(Vec<SavedRun>),
    /// Ids of the saved runs that were compared with the current run.
    Compared(Vec<String>),
}

/// The complete state of the page.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The run that is shown.
    pub run: RunView,
    /// Settings in the form that conflict with each other and are not yet applied; None if the form shows the settings
    /// of the run.
    pub pending: Option<RunSpec>,
    /// Why the settings in `pending`, which the form shows but the run does not use, conflict with each other.
    pub conflicts: Vec<InvalidSetting>,
    /// Form fields whose text was not accepted, with the texts.
    pub invalid_inputs: Vec<InvalidInput>,
    /// Parts of the page's link that were ignored when it was opened, each with the reason.
    pub notices: Vec<InvalidSetting>,
    /// Whether the browser offers a GPU, as far as the page has found out.
    pub gpu_support: GpuSupport,
    /// Speeds of CPU and GPU measured earlier in this browser; None where nothing is timed, as on the command line.
    pub(super) speeds: Option<SpeedCache>,
    /// The measurement of the run's speed on CPU and GPU that precedes the run; None unless one is in progress.
    pub(super) timing: Option<DeviceTiming>,
    /// Number of speed measurements started so far; it numbers them, so that the answer to a cancelled one is ignored.
    pub(super) timing_count: u32,
    /// The worker program (device and learner) that trains the run, with the reason; None before it is chosen.
    pub device_choice: Option<ProgramChoice>,
    /// The device as the trainer reports it; None before its first message.
    pub device_report: Option<DeviceInfo>,
    /// (name of the learner that trains the run, reason why the faster learner does not train it, or an empty text).
    pub learner: (String, String),
    /// (settings, progress) of the sweep that was left last, so that it can be continued; None without one.
    pub(super) suspended_sweep: Option<(RunSpec, SweepProgress)>,
    /// (steps per second now, steps per second that the device could train without a speed limit); None before the
    /// first report.
    pub step_rates: Option<(f64, f64)>,
    /// Latest message to the user, shown next to the main buttons; may be empty.
    pub message: String,
    /// Why the file that the user opened last could not be opened; empty if it could.
    pub file_error: String,
    /// The file that a worker is reading; None while none is read.
    pub file_reading: Option<FileReading>,
    /// Number of files given to workers so far; it numbers them, so that late messages about another file are ignored.
    pub(super) reading_count: u64,
    /// Entries of the Undo list (what each change has replaced), the latest change last.
    pub undo: Vec<UndoEntry>,
    /// State of the gallery of presets and stories.
    pub gallery: Gallery,
    /// State of the benchmark, which measures the speed of the browser's devices.
    pub bench: Bench,
    /// The story that is open; None without one.
    pub tour: Option<Box<Tour>>,
    /// Presenter mode; None while it is off.
    pub presenter: Option<Presenter>,
    /// Step at which the run pauses because a story or a teacher's link asks for it; None without such a step.
    pub(super) goal: Option<PauseGoal>,
    /// Zoom and hidden curves of all charts.
    pub viewport: Viewport,
    /// The run at its latest step while an earlier step is shown; None while `run` is at its latest step.
    pub latest_run: Option<Box<RunView>>,
    /// The jump to an earlier step for which the trainer trains again without showing progress; None unless it does.
    pub(super) seek: Option<Seek>,
    /// The runs that are saved in this browser, as far as the page knows them.
    pub library: Library,
    /// Checkpoints at several steps of the run, from which earlier steps are reached again.
    pub(super) checkpoints: Checkpoints,
    /// Whether a trainer (the worker that trains the run) is open and ready.
    pub(super) trainer: TrainerStatus,
    /// Whether the browser was asked for a GPU.
    pub(super) gpu_requested: bool,
    /// (step, bytes) of the checkpoint from which training is started or resumed; None at the first step.
    pub(super) checkpoint: Option<(u64, Vec<u8>)>,
    /// Whether a start command was sent and not answered; until then, messages belong to the previous run.
    pub(super) awaiting_start: bool,
    /// Number of start commands that the trainer has not answered; only the answer to the last one is about this run.
    pub(super) unanswered_starts: u32,
    /// Whether the trainer was sent a list of probes that is not empty.
    pub(super) probes_sent: bool,
    /// Whether the run is to stay paused: the user has paused it, or the link opens it paused.
    pub(super) paused: bool,
    /// The question whether to start an expensive run, and the run to which the user has agreed.
    pub(super) consent: Consent,
    /// Seconds since the last message of the trainer (or, before there is one, since the browser was asked for a GPU).
    pub(super) silent_seconds: u32,
    /// The failure after which the GPU is no longer used; None while it may be used.
    pub(super) gpu_failure: Option<GpuFailure>,
    /// Why the fused GPU kernels cannot train this run on this GPU; None if nothing is known against it.
    pub(super) fused_error: Option<String>,
    /// Step of the checkpoint from which a dead trainer was last replaced; None if none was replaced in this run.
    pub(super) replaced_at: Option<u64>,
}

impl State {
    /// Returns the initial state of a page with the speeds measured earlier in this browser.
    pub fn with_speeds(speeds: SpeedCache) -> Self {
        Self { speeds: Some(speeds), ..Self::default() }
    }

    /// Whether the form field `key` has an effect with the current settings, or is part of a conflict.
    pub fn has_effect(&self, key: &str) -> bool {
        match crate::settings::form::theory_setting(key) {
            Some(setting) => {
                setting.condition.is_none_or(|(chooser, chosen)| match self.run.link.theory.value(chooser) {
                    Some(Value::Choice(choice)) => chosen.contains(&choice.as_str()),
                    _ => false,
                })
            }
            None if self.conflicts.iter().any(|problem| problem.key == key) => true,
            None => self.form_spec().has_effect(key) && !self.is_swept(key),
        }
    }

    /// Returns the settings that the form shows: `pending` if there is a conflict, else those of the run.
    pub fn form_spec(&self) -> &RunSpec {
        self.pending.as_ref().unwrap_or(&self.run.link.spec)
    }

    /// Returns the learning rate at the shown step, which the form shows during a run; None when the form shows the
    /// initial learning rate of the settings.
    pub fn current_learning_rate(&self) -> Option<f64> {
        // A paused run that is compared keeps its curve: another learning rate starts a new run.
        let is_kept = self.run.phase == RunPhase::Paused
            && self.library.compared_run_number == Some(self.run.run_count);
        let is_shown = self.run.is_under_way() && self.pending.is_none() && !is_kept;
        is_shown.then(|| self.run.link.spec.learning_rate_before_schedule(self.run.step))
    }

    /// Returns the value that the form field `key` shows; None for an unknown key.
    pub fn form_value(&self, key: &str) -> Option<Value> {
        if let Some(rate) = self.current_learning_rate().filter(|_| key == "lr") {
            return Some(Value::Real(rate));
        }
        self.form_spec()
            .value(key)
            .or_else(|| self.run.link.view.value(key))
            .or_else(|| self.run.link.theory.value(key))
    }

    /// Returns the preset that has exactly the settings of the run; None if there is none.
    pub fn preset(&self) -> Option<&'static Preset> {
        find_matching_preset(&self.run.link.spec)
    }

    /// Returns (label of the main button, whether it is disabled); the main button plays, pauses or extends the run.
    pub fn main_button(&self) -> (&'static str, bool) {
        match self.run.phase {
            _ if self.is_playing() => (tr!("Pause"), false),
            _ if self.run.file_environment.is_some() => (tr!("Train"), false),
            RunPhase::Finished(_) if self.run.sweep.as_ref().is_some_and(|sweep| sweep.cancelled) => {
                (tr!("Go on"), false)
            }
            // Only Reset starts the sweep again: a press meant as a pause must not discard it.
            RunPhase::Finished(_) if self.run.sweep.is_some() => (tr!("Completed"), true),
            RunPhase::Finished(_) => (tr!("Go on"), false),
            RunPhase::Diverged { .. } | RunPhase::Failed(_) => (tr!("Play"), true),
            _ => (tr!("Play"), false),
        }
    }

    /// Whether the gallery or the benchmark is shown in place of the run.
    pub fn is_run_hidden(&self) -> bool {
        self.gallery.is_open || self.bench.is_open
    }

    /// Whether the speed of the run on CPU and GPU is being measured before the run begins.
    pub fn is_timing(&self) -> bool {
        self.timing.is_some()
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
