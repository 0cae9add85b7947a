//! The state of the page, and the actions that change it.
//!
//! [`State::apply`] is the only way to change the state; it returns the effects to be carried out. Changes by actions
//! of the user are in [`crate::run::lifecycle`], changes by messages of the trainer in [`vivarium_player::messages`].
//!
//! # Why
//! With one value and one function from action to value, the order of changes is visible, and tests play a whole
//! session natively. Signals read the state and never write to each other.

use super::bench::{Bench, BenchAction};
use super::gallery::{Gallery, GalleryAction};
use super::lecture::{LectureAction, LectureProgress};
use super::library::{Library, LibraryAction, SavedRun};
use super::presenter::{Presenter, PresenterAction};
use super::stage::{StageAction, StageMode};
use super::sweeps::SweepAction;
use super::tour::{Tour, TourAction};
use crate::charts::viewport::{Viewport, ViewportAction};
use crate::files::progress::{FileReading, RefusedFile};
use vivarium_core::settings::{InvalidSetting, Settings, Value};
use vivarium_labs::find_matching_preset;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_player::Player;
use vivarium_player::device::GpuSupport;
use vivarium_player::left::LeftRun;
use vivarium_player::speeds::SpeedCache;
use vivarium_player::trainer::{Program, TrainerMessage};
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::SweepRunResult;
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
    /// An action on the lecture that is shown.
    Lecture(LectureAction),
    /// An action in presenter mode.
    Presenter(PresenterAction),
    /// An action on the moving picture of the first screen.
    Stage(StageAction),
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
    /// The server has the programs for the GPU, which were still being compiled when a run needed one.
    GpuProgramsCompiled,
    /// Show this message to the user.
    ShowMessage(&'static str),
    /// A message of the worker that reads the file with this number.
    FileMessage(u64, ReadProgress),
    /// Request the latest weights from the trainer, to be saved as a file.
    RequestWeights,
    /// This number of files was dropped together with the file that is being opened, and is not opened.
    FilesIgnored(usize),
    /// The frame in which the page is embedded has come into view (`true`) or has left it (`false`).
    FrameInView(bool),
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
    /// The run before, at the step at which it was left; Undo goes back to this step.
    Run(Box<LeftRun>),
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
    /// The run that is shown, and the trainer that trains it.
    pub player: Player,
    /// Settings in the form that conflict with each other and are not yet applied; None if the form shows the settings
    /// of the run.
    pub pending: Option<RunSpec>,
    /// Why the settings in `pending`, which the form shows but the run does not use, conflict with each other.
    pub conflicts: Vec<InvalidSetting>,
    /// Form fields whose text was not accepted, with the texts.
    pub invalid_inputs: Vec<InvalidInput>,
    /// Parts of the page's link that were ignored when it was opened, each with the reason.
    pub notices: Vec<InvalidSetting>,
    /// Why the file that the user opened last could not be opened; empty if it could.
    pub file_error: String,
    /// The table that could not be used with its label; None if another file was opened since.
    pub refused_table: Option<RefusedFile>,
    /// The file that a worker is reading; None while none is read.
    pub file_reading: Option<FileReading>,
    /// Sentences on files that are left unread, until they are appended to the message on the file that is being opened.
    pub(super) unread_files_note: String,
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
    /// The lecture that is shown in presenter mode; None without one.
    pub lecture: Option<Box<LectureProgress>>,
    /// The lecture that was left last, which can be resumed; None if none was left, or while it is shown again.
    pub ended_lecture: Option<Box<LectureProgress>>,
    /// Presenter mode; None while it is off.
    pub presenter: Option<Presenter>,
    /// Whether the moving picture of the run is shown, and at which pace.
    pub stage: StageMode,
    /// Whether an embedded run was paused because its frame is out of view, and goes on when the frame is in view again.
    pub(super) rests_out_of_view: bool,
    /// Zoom and hidden curves of all charts.
    pub viewport: Viewport,
    /// The runs that are saved in this browser, as far as the page knows them.
    pub library: Library,
}

impl State {
    /// Returns the initial state of a page with the speeds measured earlier in this browser.
    pub fn with_speeds(speeds: SpeedCache) -> Self {
        Self { player: Player::with_speeds(speeds), ..Self::default() }
    }

    /// Whether the form field `key` has an effect with the current settings, or is part of a conflict.
    pub fn has_effect(&self, key: &str) -> bool {
        match crate::settings::form::theory_setting(key) {
            Some(setting) => setting.condition.is_none_or(|(chooser, chosen)| {
                match self.player.run.link.theory.value(chooser) {
                    Some(Value::Choice(choice)) => chosen.contains(&choice.as_str()),
                    _ => false,
                }
            }),
            None if self.conflicts.iter().any(|problem| problem.key == key) => true,
            None => self.form_spec().has_effect(key) && !self.is_swept(key),
        }
    }

    /// Returns the settings that the form shows: `pending` if there is a conflict, else those of the run.
    pub fn form_spec(&self) -> &RunSpec {
        self.pending.as_ref().unwrap_or(&self.player.run.link.spec)
    }

    /// Returns the learning rate at the shown step, which the form shows during a run; None when the form shows the
    /// initial learning rate of the settings.
    pub fn current_learning_rate(&self) -> Option<f64> {
        // A paused run that is compared keeps its curve: another learning rate starts a new run.
        let is_kept = self.player.run.phase == RunPhase::Paused
            && self.library.compared_run_number == Some(self.player.run.run_count);
        let is_shown = self.player.run.is_under_way() && self.pending.is_none() && !is_kept;
        is_shown.then(|| self.player.run.link.spec.learning_rate_before_schedule(self.player.run.step))
    }

    /// Returns the value that the form field `key` shows; None for an unknown key.
    pub fn form_value(&self, key: &str) -> Option<Value> {
        if let Some(rate) = self.current_learning_rate().filter(|_| key == "lr") {
            return Some(Value::Real(rate));
        }
        self.form_spec()
            .value(key)
            .or_else(|| self.player.run.link.view.value(key))
            .or_else(|| self.player.run.link.theory.value(key))
    }

    /// Returns the preset that has exactly the settings of the run; None if there is none.
    pub fn preset(&self) -> Option<&'static Preset> {
        find_matching_preset(&self.player.run.link.spec)
    }

    /// Returns (label of the main button, whether it is disabled); the main button plays, pauses or extends the run.
    pub fn main_button(&self) -> (&'static str, bool) {
        match self.player.run.phase {
            _ if self.player.is_playing() => (tr!("Pause"), false),
            _ if self.player.run.file_environment.is_some() => (tr!("Train"), false),
            RunPhase::Finished(_) if self.player.run.sweep.as_ref().is_some_and(|sweep| sweep.cancelled) => {
                (tr!("Go on"), false)
            }
            // Only Reset starts the sweep again: a press meant as a pause must not discard it.
            RunPhase::Finished(_) if self.player.run.sweep.is_some() => (tr!("Completed"), true),
            RunPhase::Finished(_) => (tr!("Go on"), false),
            RunPhase::Diverged { .. } | RunPhase::Failed(_) => (tr!("Play"), true),
            _ => (tr!("Play"), false),
        }
    }

    /// Whether the gallery or the benchmark is shown in place of the run.
    pub fn is_run_hidden(&self) -> bool {
        self.gallery.is_open || self.bench.is_open
    }
}
