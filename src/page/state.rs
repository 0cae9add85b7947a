//! Everything the page knows.
//!
//! [`State::apply`] is the only way to change it; it returns what must be done outside. What a person's
//! action changes is in [`crate::run::lifecycle`], what a trainer's message changes in [`crate::trainer::messages`].
//!
//! # Why
//! One value and one function from action to value: the order of things is visible, and tests play a whole
//! session natively. Signals read from it and never write to each other.

use super::bench::{Bench, BenchAction};
use super::gallery::{Gallery, GalleryAction};
use super::library::{Library, LibraryAction, SavedRun};
use super::presenter::{Presenter, PresenterAction};
use super::sweeps::SweepAction;
use super::timeline::Seek;
use super::tour::{Goal, Tour, TourAction};
use super::trainer::speeds::{Speeds, Timing};
use super::trainer::{Program, TrainerMessage};
use crate::charts::viewport::{Viewport, ViewportAction};
use crate::files::progress::FileReading;
use crate::run::consent::Consent;
use crate::timeline::checkpoints::Checkpoints;
use crate::trainer::device::{Choice, Survey};
use vivarium_core::settings::{Problem, Settings, Value};
use vivarium_labs::preset_of;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::DeviceReport;
use vivarium_model::run::RunSpec;
use vivarium_view::display::sweep::{Outcome, Sweep};
use vivarium_view::display::{Phase, RunView};
use vivarium_view::presets::Preset;
use vivarium_view::record::reading::News;
use vivarium_view::ui::request::Request;

/// What can happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// The address holds this fragment, at the start or because somebody pasted a link.
    Open(String),
    /// The browser has answered what GPU there is.
    Surveyed(Survey),
    /// The trainer with this program gave a sign.
    Heard(Program, TrainerMessage),
    /// Somebody who helps with the sweep has made this run of it.
    Ahead(usize, Outcome),
    /// A second has passed.
    Tick,
    /// There is time to go on with what takes long to compute.
    Work,
    /// A field was filled in.
    Edit(String, String),
    /// A panel, a form or a dialog asks for something.
    Request(Request),
    /// A field was put back to its default.
    Default(String),
    /// A preset was chosen.
    Choose(&'static Preset),
    /// Play, or pause.
    Toggle,
    /// One step.
    SingleStep,
    /// Back to the same start.
    Reset,
    /// The same settings from this seed.
    NewSeed(u64),
    /// Show a chart, or hide it.
    ToggleChart(Chart),
    /// Make the axis behind this key of the view logarithmic, or linear.
    ToggleAxis(&'static str),
    /// Look through the gallery.
    Gallery(GalleryAction),
    /// Something has happened to the bench.
    Bench(BenchAction),
    /// Go through a story.
    Tour(TourAction),
    /// Something is wanted of presenter mode.
    Present(PresenterAction),
    /// Make a sweep, or end one.
    Sweep(SweepAction),
    /// Show the run as it was at this step.
    Scrub(u64),
    /// Show the measurement before the step that is shown, or the one after it.
    ScrubBy(bool),
    /// Show the newest step of the run again.
    BackToEnd,
    /// Look at some of the curves, or at a part of the run.
    ViewportAction(ViewportAction),
    /// Something is wanted of the kept runs.
    Library(LibraryAction),
    /// Back to what was before the last change.
    Undo,
    /// A new trainer for a failed run, from the last checkpoint.
    Retry,
    /// The notices were read.
    DismissNotices,
    /// The page's second program is there.
    Arrived,
    /// Something to say that is nobody's doing.
    Said(&'static str),
    /// There is news of the file of this number, which is being read.
    FileNews(u64, News),
    /// Somebody is about to save weights: have the newest ones ready.
    WantWeights,
}

/// Where the trainer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrainerStatus {
    /// There is none.
    #[default]
    Absent,
    /// It was opened so many seconds ago and has not said that it is ready.
    Opening(Program, u32),
    /// It takes commands.
    Ready(Program),
}

/// A field that holds what it must not, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The field.
    pub key: String,
    /// What was entered.
    pub text: String,
    /// Why it was not taken.
    pub problem: Problem,
}

/// What an undone change goes back to.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoEntry {
    /// Another run, which starts again.
    Link(Box<Link>),
    /// Another value of what is shown, while the run goes on.
    Shown(&'static str, Value),
    /// Kept runs as they were before they were renamed, pinned or deleted; without their curves.
    SavedRuns(Vec<SavedRun>),
    /// The kept runs that were compared with the run of the page.
    Compared(Vec<String>),
}

/// Everything the page knows.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The run on display.
    pub run: RunView,
    /// Settings that cannot be together yet, waiting for the person to make them possible.
    pub pending: Option<RunSpec>,
    /// What is wrong with the pending settings.
    pub conflicts: Vec<Problem>,
    /// Fields that hold what they must not.
    pub drafts: Vec<Draft>,
    /// What was ignored in the link.
    pub notices: Vec<Problem>,
    /// What the browser offers.
    pub survey: Survey,
    /// Which device is faster, as far as this browser has timed it; none where nothing is timed, as on the command line.
    pub(super) speeds: Option<Speeds>,
    /// The run that is timed before it begins.
    pub(super) timing: Option<Timing>,
    /// Counts timings, so that the answer to one that was given up is not taken for the next one's.
    pub(super) timings: u32,
    /// The chosen device and why.
    pub choice: Option<Choice>,
    /// The trainer's own words for its device.
    pub report: Option<DeviceReport>,
    /// Which learner trains, and why not the faster one.
    pub learner: (String, String),
    /// The sweep that was left last, of this specification, for when somebody comes back.
    pub(super) shelf: Option<(RunSpec, Sweep)>,
    /// Steps per second, and what the device could do.
    pub rate: Option<(f64, f64)>,
    /// The last thing worth telling.
    pub message: String,
    /// What was wrong with the last file that was to be opened.
    pub flaw: String,
    /// The file that is being read.
    pub reading: Option<FileReading>,
    /// How many files have been read so.
    pub(super) readings: u64,
    /// What can be gone back to, the newest last.
    pub undo: Vec<UndoEntry>,
    /// The gallery, and whether it is open.
    pub gallery: Gallery,
    /// How fast the browser's devices are, and whether that is shown.
    pub bench: Bench,
    /// The story that is open.
    pub tour: Option<Box<Tour>>,
    /// Presenter mode, while it is on.
    pub presenter: Option<Presenter>,
    /// Step at which the run is to wait.
    pub(super) goal: Option<Goal>,
    /// What of the charts is looked at.
    pub viewing: Viewport,
    /// The run at its newest step, while an earlier one is shown.
    pub end: Option<Box<RunView>>,
    /// Where the trainer is going to.
    pub(super) seeking: Option<Seek>,
    /// The runs that this browser keeps.
    pub library: Library,
    /// Checkpoints along the run.
    pub(super) past: Checkpoints,
    pub(super) staff: TrainerStatus,
    /// Whether the browser was asked for a GPU.
    pub(super) asked: bool,
    pub(super) checkpoint: Option<(u64, Vec<u8>)>,
    /// Whether a start was sent and not answered: what comes meanwhile belongs to the run before.
    pub(super) awaiting: bool,
    /// Starts that the trainer has not answered: only the last one's answer is about this run.
    pub(super) unanswered: u32,
    /// Whether the trainer has been told of probes.
    pub(super) watching: bool,
    pub(super) paused: bool,
    /// What the person is asked before the run begins.
    pub(super) consent: Consent,
    pub(super) silence: u32,
    /// Why the GPU was given up.
    pub(super) refused: Option<String>,
    /// Whether that was only for this run's size.
    pub(super) oversized: bool,
    /// Why fused kernels cannot train this run on this GPU.
    pub(super) uncovered: Option<String>,
    /// Step of the checkpoint that a dead trainer was last replaced from.
    pub(super) replaced_at: Option<u64>,
}

impl State {
    /// The first state of a page that knows the speeds measured on its devices.
    pub fn with_speeds(speeds: Speeds) -> Self {
        Self { speeds: Some(speeds), ..Self::default() }
    }

    /// Whether the field `key` has an effect beside the values of the others, or stands in their way.
    pub fn has_effect(&self, key: &str) -> bool {
        match crate::settings::form::theory_knob(key) {
            Some(knob) => {
                knob.only.is_none_or(|(chooser, chosen)| match self.run.link.theory.value(chooser) {
                    Some(Value::Choice(choice)) => chosen.contains(&choice.as_str()),
                    _ => false,
                })
            }
            None if self.conflicts.iter().any(|problem| problem.key == key) => true,
            None => self.form_spec().applies(key) && !self.is_swept(key),
        }
    }

    /// The settings that the form shows: those of the run, or those that wait to become possible.
    pub fn form_spec(&self) -> &RunSpec {
        self.pending.as_ref().unwrap_or(&self.run.link.spec)
    }

    /// The learning rate at the step that is shown, which its field shows while the run is under way.
    pub fn rate_under_way(&self) -> Option<f64> {
        // A run that waits, and was kept to be compared, has its curve: another rate is one for a new run.
        let is_kept = self.run.phase == Phase::Paused && self.library.kept_run == Some(self.run.runs);
        let is_shown = self.run.is_under_way() && self.pending.is_none() && !is_kept;
        is_shown.then(|| self.run.link.spec.set_rate(self.run.step))
    }

    /// What field `key` shows.
    pub fn form_value(&self, key: &str) -> Option<Value> {
        if let Some(rate) = self.rate_under_way().filter(|_| key == "lr") {
            return Some(Value::Real(rate));
        }
        self.form_spec()
            .value(key)
            .or_else(|| self.run.link.view.value(key))
            .or_else(|| self.run.link.theory.value(key))
    }

    /// The preset that the run is, whatever the speed it is shown at.
    pub fn preset(&self) -> Option<&'static Preset> {
        preset_of(&self.run.link.spec)
    }

    /// The word on the main button, and whether it does nothing now.
    pub fn main_button(&self) -> (&'static str, bool) {
        match self.run.phase {
            _ if self.is_playing() => (tr!("Pause"), false),
            _ if self.run.record.is_some() => (tr!("Train"), false),
            Phase::Finished(_) if self.run.sweep.as_ref().is_some_and(|sweep| sweep.cancelled) => {
                (tr!("Go on"), false)
            }
            // To begin again is Reset's: a press meant to pause must not throw the whole sweep away.
            Phase::Finished(_) if self.run.sweep.is_some() => (tr!("Completed"), true),
            Phase::Finished(_) => (tr!("Go on"), false),
            Phase::Diverged { .. } | Phase::Failed(_) => (tr!("Play"), true),
            _ => (tr!("Play"), false),
        }
    }

    /// Whether something stands in place of the run.
    pub fn is_covered(&self) -> bool {
        self.gallery.is_open || self.bench.is_open
    }

    /// Whether devices are timed before the run begins.
    pub fn is_timing(&self) -> bool {
        self.timing.is_some()
    }

    /// Whether the next [`Action::Toggle`] pauses.
    pub fn is_playing(&self) -> bool {
        match self.run.phase {
            Phase::Running => true,
            Phase::Loading => !self.paused,
            _ => false,
        }
    }
}
