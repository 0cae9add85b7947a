//! The run that is shown, as one value, and the contract of the labs: what they say of it.
//!
//! # Why
//! Charts, summaries and status lines ask the lab of a run, and never which lab it is. The page's program has two halves:
//! [`Lab`] is what the first view needs, words and when charts apply; [`LazyLab`] is what the second program brings, what
//! labs compute and draw. The labs themselves stand above this room and come in as a table, [`Labs`]. A run names its labs
//! and a lab takes the run, so that these types are in one file.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::milestones::Milestones;
use super::sweep::Sweep;
use super::words::setting;
use crate::probing::Probe;
use crate::record::Environment;
use vivarium_core::catalog::Info;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Ending, Finding, ProbeId, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::Cell;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::convergence::best;
use vivarium_plot::analysis::curves::{History, spread};
use vivarium_plot::analysis::movement::Trajectories;
use vivarium_plot::analysis::thinned::Thinned;

/// What the run is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Phase {
    /// A trainer is being opened, or has not answered yet.
    #[default]
    Loading,
    /// It trains.
    Running,
    /// It waits for the person.
    Paused,
    /// It has ended.
    Finished(Ending),
    /// The loss is not finite; the run stands at the last good step.
    Diverged {
        /// Step at which it was seen.
        step: u64,
        /// Step at which the run stands.
        last_good: u64,
    },
    /// Nobody trains, for this reason.
    Failed(String),
}

/// First-layer weights of the first replica.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    /// Steps made when they were read.
    pub step: u64,
    /// Rows.
    pub inputs: usize,
    /// Columns.
    pub width: usize,
    /// `[inputs, width]`; empty where they are not known.
    pub values: Arc<Vec<f32>>,
}

/// A run as it is shown.
#[derive(Debug, Clone, Default)]
pub struct RunView {
    /// The run and how it is shown; the address bar holds that of the run on display.
    pub link: Link,
    /// The sweep that is being made, if the link holds one.
    pub sweep: Option<Sweep>,
    /// What the run is doing.
    pub phase: Phase,
    /// Steps made.
    pub step: u64,
    /// Measurements.
    pub history: History,
    /// First-layer weights.
    pub weights: Weights,
    /// How the first layer has moved.
    pub trajectories: Option<Trajectories>,
    /// What each probe has found last, with the step.
    pub found: BTreeMap<ProbeId, (u64, Finding)>,
    /// The few numbers of the probes' findings along the run.
    pub traces: BTreeMap<ProbeId, Thinned<Vec<f64>>>,
    /// The labs, of which one is the run's.
    pub labs: &'static Labs,
    /// What the run's lab knows of it besides.
    pub state: Option<Box<dyn LabState>>,
    /// Counts runs, so that a chart knows a new one from the same one.
    pub runs: u64,
    /// Counts findings of probes, so that charts know a new one.
    pub findings: u64,
    /// Counts changes of what is looked into, likewise.
    pub looked: u64,
    /// Input coordinates that matter, from 0.
    pub relevant: Vec<usize>,
    /// Held-out examples that are measured on.
    pub held_out: usize,
    /// Replicas that reached the target, with the step.
    pub solved: Vec<(usize, u64)>,
    /// What was noted in the measurements.
    pub milestones: Milestones,
    /// Where the run was trained, if it is shown from a file and nobody trains it now.
    pub record: Option<Environment>,
    /// The file with the initial weights and what that file is; both empty if the link draws the weights.
    pub initial: [String; 2],
    /// What was last told of it when it was left for an earlier step; empty while it is on display.
    pub message: String,
}

/// What differs between labs in the words of every run.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// What the accuracy that counts is measured on, in English: "held-out rows".
    pub examples: &'static str,
    /// Whether inputs are columns of a table, which nobody has to find, and not bits.
    pub columns: bool,
    /// Whether something is hidden that networks "find"; otherwise they "reach the target".
    pub hides: bool,
    /// Whether a run that ends before its target "has not found" what it searched.
    pub searches: bool,
    /// Whether runs are for reaching a target; otherwise one that ends at its last step has done all that it was to do.
    pub aims: bool,
    /// Whether loss and accuracy are those of training alone, since held-out sequences are measured in another quantity.
    pub trains_only: bool,
    /// Whether labels are numbers: the loss is the squared error relative to their variance, and the accuracy the share of
    /// the variance that is explained, R².
    pub explains: bool,
    /// What the two curves of loss and accuracy are, in English, where they are not of training and held-out examples.
    pub curves: Option<[&'static str; 2]>,
    /// What an axis counts that shows the examples trained on instead of the steps, in English.
    pub seen: &'static str,
}

impl Vocabulary {
    /// Of bits, a few of which are to be found.
    pub const BITS: Vocabulary = Vocabulary {
        examples: text!("held-out examples"),
        columns: false,
        hides: true,
        searches: true,
        aims: true,
        trains_only: false,
        explains: false,
        curves: None,
        seen: text!("examples used in training"),
    };

    /// Of labels that are numbers, where nothing is hidden.
    pub const NUMBERS: Vocabulary =
        Vocabulary { hides: false, searches: false, explains: true, ..Vocabulary::BITS };
}

/// What the page's first program knows of a lab.
pub trait Lab: Sync {
    /// Name, slug and sources: those of its task.
    fn info(&self) -> &'static Info;

    /// The task of a run in a sentence or two, in English: of most labs the same for every run.
    fn about(&self, _spec: &RunSpec) -> &'static str {
        self.info().about
    }

    /// Its words.
    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::BITS
    }

    /// What the accuracy that counts is measured on in a run, in the reader's language.
    fn examples(&self, _spec: &RunSpec) -> &'static str {
        vivarium_core::language::translated(self.vocabulary().examples)
    }

    /// The end of a sentence that begins with how many are right, of these examples: "right on held-out rows".
    fn right(&self, examples: &str) -> String {
        match self.vocabulary().explains {
            true => tr!("of the variance explained on {examples}", examples),
            false => tr!("right on {examples}", examples),
        }
    }

    /// Accuracy of guessing; of the variance, guessing its mean explains nothing.
    fn chance(&self, spec: &RunSpec) -> f32 {
        match self.vocabulary().explains {
            true => 0.0,
            false => 1.0 / spec.task.examples().classes().unwrap_or(2) as f32,
        }
    }

    /// Whether the page fetches its second program at once, since little of a run can be shown without it: what watched
    /// probes find is shown there.
    fn needs_second_program(&self) -> bool {
        !self.watched().is_empty()
    }

    /// The probe whose findings tell what the network answers to the examples that stand beside the task; none where a run
    /// answers no question.
    fn answers(&self) -> Option<Probe> {
        None
    }

    /// How many of these examples there are in a run that this probe applies to; none where the size of the network and of
    /// the held-out data decide.
    fn shown(&self, _spec: &RunSpec) -> Option<usize> {
        None
    }

    /// Probes that are watched whichever charts are on show.
    fn watched(&self) -> &'static [Probe] {
        &[]
    }
}

/// One held-out example, with what a network says of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// What goes in.
    pub given: String,
    /// What should come out.
    pub label: String,
    /// What comes out now; empty before the network was asked.
    pub answer: String,
}

/// What a lab computes: the page's second program brings it. What is `None` is said as for every run.
pub trait LazyLab: Sync {
    /// Why these settings cannot learn, or can hardly, each reason as a sentence; nothing for most settings.
    fn cannot_learn(&self, _spec: &RunSpec) -> Vec<String> {
        vec![]
    }

    /// The link of a run on the data file that is kept under this number, opened while the page shows `_shown`; none for
    /// labs that learn from no file.
    fn of_file(&self, _number: u64, _shown: &Link) -> Option<Link> {
        None
    }

    /// What is known of a run before its first step, besides what every run has; what does not change from the run
    /// `before` can be taken from there.
    fn state(
        &self,
        _spec: &RunSpec,
        _link: &Link,
        _before: Option<&dyn LabState>,
    ) -> Option<Box<dyn LabState>> {
        None
    }

    /// The largest normalised margin γ* of the run's networks, where theory knows it; what is known of the run may hold
    /// it already.
    fn largest_margin(&self, _spec: &RunSpec, _state: Option<&dyn LabState>) -> Option<f64> {
        None
    }

    /// Further lines on the chart of margins, as shares of γ*, with their names.
    fn margin_lines(&self, _run: &RunView) -> Vec<(f64, String)> {
        vec![]
    }

    /// Why a network has no normalised margin, where theory knows it; with a space before it.
    fn margin_note(&self, _run: &RunView) -> Option<String> {
        None
    }

    /// Example `at` of those that stand beside the task, with the network's present answer; none where a run answers no
    /// question.
    fn example(&self, _run: &RunView, _at: usize) -> Option<Example> {
        None
    }

    /// How far learning has come, for the status line: "nearest to the unigram strategy".
    fn learning(&self, _run: &RunView) -> Option<String> {
        None
    }

    /// What has been found by these networks ("5 of 20 networks") at these steps ("at step 1,250").
    fn found(&self, _run: &RunView, _networks: &str, _at: &str) -> Option<String> {
        None
    }

    /// What a run has shown that ended at its last step; the step is part of the sentence.
    fn ended(&self, _run: &RunView) -> Option<String> {
        None
    }

    /// What the four numbers of a measurement are called.
    fn names(&self, _run: &RunView) -> Option<[String; 4]> {
        None
    }

    /// Two more numbers, with their names.
    fn numbers(&self, _run: &RunView) -> Option<[(String, String); 2]> {
        None
    }

    /// What theory says of a map of runs.
    fn note_on_map(&self, _cells: &[Cell]) -> Option<String> {
        None
    }

    /// The largest chance of success that a lower bound leaves to training with these resources, under the assumptions of
    /// the bound; it may be above 1.
    fn success_at_most(&self, _spec: &RunSpec) -> Option<f64> {
        None
    }
}

/// How far what a lab computes beside the run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// There is nothing to do.
    Done,
    /// There is more to do, and nothing new to show.
    GoesOn,
    /// There is something new to show, and there may be more to do.
    News,
}

/// What a lab knows of a run, and what its probes have found, besides what every run has.
///
/// It writes nothing of itself: what is written of all lists and settings of all labs by `derive(Debug)` would
/// be in every program that has one, and nobody reads it.
pub trait LabState: Any + Send + Sync {
    /// The same once more.
    fn cloned(&self) -> Box<dyn LabState>;

    /// Goes on, by about so many operations, with what takes too long to be computed at once.
    fn work(&mut self, _operations: u64) -> Work {
        Work::Done
    }

    /// Whether there is something to [go on with](LabState::work).
    fn is_busy(&self) -> bool {
        false
    }

    /// Takes what a probe has found after `step` steps.
    fn found(&mut self, _step: u64, _finding: &Finding, _link: &Link) {}

    /// Takes the curves over the steps of `end`, the same run at its newest step.
    fn take_curves(&mut self, _end: &dyn LabState) {}

    /// Computes anew what follows the settings of the view and of theory.
    fn look_anew(&mut self, _link: &Link) {}

    /// Has theory follow the strength of the penalty.
    fn follow_lambda(&mut self, _lambda: f64) {}

    /// What a measurement is nearest to, of the stages that learning goes through.
    fn nearest(&self, _row: &Row) -> Option<String> {
        None
    }
}

impl dyn LabState {
    /// The state of the lab that keeps an `S`, if it is that lab's.
    pub fn of<S: LabState>(&self) -> Option<&S> {
        (self as &dyn Any).downcast_ref()
    }

    /// The same, to be changed.
    pub fn of_mut<S: LabState>(&mut self) -> Option<&mut S> {
        (self as &mut dyn Any).downcast_mut()
    }
}

impl fmt::Debug for dyn LabState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LabState")
    }
}

impl Clone for Box<dyn LabState> {
    fn clone(&self) -> Self {
        self.as_ref().cloned()
    }
}

/// What the second program brings of all labs, in the order of [`Labs::all`].
#[derive(Clone, Copy)]
pub struct LazyLabs {
    /// The labs.
    pub all: &'static [&'static dyn LazyLab],
    /// What their charts draw.
    pub drawings: &'static [&'static [Drawing]],
}

/// All labs.
pub struct Labs {
    /// What the first program knows of them.
    pub all: &'static [&'static dyn Lab],
    /// The rules of their charts.
    pub charts: &'static [&'static [ChartRules]],
    /// What the second program brings, once it is there.
    pub lazy: fn() -> Option<LazyLabs>,
}

impl Labs {
    /// Place of a run's lab in the table; none where there is no such lab, which no catalog allows.
    pub fn place(&self, spec: &RunSpec) -> Option<usize> {
        let slug = spec.task.info().slug;
        self.all.iter().position(|lab| lab.info().slug == slug)
    }
}

impl fmt::Debug for Labs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|lab| lab.info().slug)).finish()
    }
}

/// What changes a chart, besides the run and the axes of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follows {
    /// Nothing.
    Nothing,
    /// Measurements.
    Rows,
    /// First-layer weights.
    Weights,
    /// The same, and the neuron that is shown.
    Neuron,
    /// What probes have found.
    Findings,
    /// Measurements, and what probes have found.
    Both,
    /// The same, and the head that is shown.
    Head,
    /// The same, and the sequence that is shown.
    Sequence,
    /// Networks that have reached the target.
    Solved,
    /// Runs of the sweep that have ended.
    Sweep,
}

/// A chart: its rules and its drawing.
#[derive(Debug, Clone, Copy)]
pub struct ChartSpec {
    pub(super) rules: ChartRules,
    pub(super) drawing: Drawing,
}

/// When a chart applies.
#[derive(Debug, Clone, Copy)]
pub struct ChartRules {
    /// The chart, with its words.
    pub(super) chart: Chart,
    /// What measures what it shows, if that takes longer than loss and accuracy.
    pub(super) probe: Option<Probe>,
    /// Whether there is such a chart of a run; the error is a sentence that says why not.
    pub(super) applies: fn(&RunView) -> Result<(), String>,
    /// A title that follows the run; otherwise it is the chart's name.
    pub(super) title: fn(&RunView) -> Option<String>,
    pub(super) follows: Follows,
    /// Whether it is drawn from measurements alone, which files of runs hold too.
    pub(super) of_measurements: bool,
    /// Whether its last curve is drawn of kept runs too, beside that of the run on display.
    pub(super) compares: bool,
}

/// What a chart draws.
#[derive(Debug, Clone, Copy)]
pub struct Drawing {
    pub(super) chart: Chart,
    pub(super) reading: fn(&RunView) -> Reading,
    pub(super) summary: fn(&RunView) -> Option<String>,
}

impl RunView {
    /// What a probe has found last.
    pub fn finding(&self, probe: &Probe) -> Option<&Finding> {
        self.found.get(&probe.id()).map(|(_, finding)| finding)
    }

    /// The few numbers that a probe has found along the run, with their steps.
    pub fn trace(&self, probe: &Probe) -> impl Iterator<Item = (u64, &[f64])> {
        let trace = self.traces.get(&probe.id());
        trace.into_iter().flat_map(Thinned::iter).map(|(step, few)| (step, few.as_slice()))
    }

    /// The run under way: of a sweep, the one whose turn it is.
    pub fn spec(&self) -> &RunSpec {
        self.sweep.as_ref().map_or(&self.link.spec, |sweep| &sweep.current().spec)
    }

    /// For each network of the run under way, the step at which it reached the target.
    pub fn times(&self) -> Vec<Option<u64>> {
        let mut times = vec![None; self.spec().run.replicas];
        for (replica, step) in &self.solved {
            times[*replica] = Some(*step);
        }
        times
    }

    /// The same of the best of each group of networks that shares its data, where there are such groups.
    pub fn trials(&self) -> Vec<Option<u64>> {
        best(&self.times(), self.spec().task.examples().tries())
    }

    /// Whether steps were made and more can be, by one run that the link describes.
    pub fn is_under_way(&self) -> bool {
        self.step > 0
            && self.sweep.is_none()
            && self.record.is_none()
            && matches!(self.phase, Phase::Running | Phase::Paused)
    }

    /// The newest accuracy.
    pub fn level(&self) -> f32 {
        self.history.last().map_or(0.0, |row| spread(&row.test_accuracy).0)
    }

    /// "Run 4 of 15: n = 20, k = 2", or at the end how many there were and which of them the other charts show.
    pub fn place_in_sweep(&self) -> Option<String> {
        let sweep = self.sweep.as_ref()?;
        let (cell, spec) = (sweep.current(), &self.link.spec);
        let axes = [(&spec.run.sweep, cell.at), (&spec.run.series, cell.series)];
        let values =
            axes.iter().filter_map(|(axis, at)| Some(setting(spec, &axis.key, axis.values.get(*at)?)));
        let (values, all) = (values.collect::<Vec<_>>().join(", "), sweep.cells.len());
        Some(match sweep.is_over() {
            true => tr!(
                "The sweep is complete: {all} runs. The other charts show the last run: {values}",
                all,
                values
            ),
            false if sweep.cancelled => {
                tr!("The sweep was cancelled after {done} of {all} runs", done = sweep.ended(), all)
            }
            false => tr!("Run {number} of {all}: {values}", number = sweep.done.len() + 1, all, values),
        })
    }
}
