//! The displayed run as one value, and the traits by which labs contribute to its display.
//!
//! # Why
//! Charts, summaries and status lines call the lab of a run and never test which lab it is. The page consists of two
//! WebAssembly programs: [`Lab`] is needed for the first view (words, and when charts apply); [`LazyLab`] is loaded
//! with the second program (what labs compute and draw). The labs are in a crate that depends on this one and are
//! passed in as a table, [`Labs`]. [`RunView`] refers to labs and labs take a `RunView`, so these types are in one
//! file.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::hero::NewHero;
use super::milestones::Milestones;
use super::sweep::SweepProgress;
use super::words::format_setting;
use crate::probing::Probe;
use crate::record::TrainingEnvironment;
use vivarium_core::catalog::CatalogInfo;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{EndReason, Measurement, ProbeId, ProbeResult};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::SweepCell;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::convergence::best_of_groups;
use vivarium_plot::analysis::curves::RunHistory;
use vivarium_plot::analysis::movement::WeightTrajectories;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::thinned::ThinnedHistory;

/// State of the run's training, such as running, paused or finished.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RunPhase {
    /// A trainer is being started, or has not answered yet.
    #[default]
    Loading,
    /// Training is running.
    Running,
    /// Training is paused by the user.
    Paused,
    /// Training has ended, for this reason.
    Finished(EndReason),
    /// The loss became non-finite, and the run went back to the last step with a finite loss.
    Diverged {
        /// Step at which the non-finite loss was seen.
        step: u64,
        /// Last step with a finite loss, at which the run is now.
        last_good: u64,
    },
    /// Training stopped because of this error.
    Failed(String),
}

impl RunPhase {
    /// Whether the run was trained to its end: to its target, to its last step, or until its loss was no longer finite. A
    /// run that has failed was not.
    pub fn has_ended(&self) -> bool {
        matches!(self, RunPhase::Finished(_) | RunPhase::Diverged { .. })
    }
}

/// First-layer weights of the run's first replica at one training step, for heatmaps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FirstLayerWeights {
    /// Training step at which the weights were read.
    pub step: u64,
    /// Number of rows of the first layer's weight matrix: inputs of the network.
    pub inputs: usize,
    /// Number of columns of the first layer's weight matrix: neurons (hidden units).
    pub width: usize,
    /// First-layer weights `[inputs, width]` of the first replica, row-major; empty if not known yet.
    pub values: Arc<Vec<f32>>,
}

/// All data that the page or the command line shows of one run: settings, measurements, weights and results of probes.
#[derive(Debug, Clone, Default)]
pub struct RunView {
    /// Settings of the run and of its display, as in the address of the page.
    pub link: Link,
    /// Progress of the sweep; `None` if the link describes a single run.
    pub sweep: Option<SweepProgress>,
    /// State of the run's training, such as running, paused or finished.
    pub phase: RunPhase,
    /// Training steps that the displayed run has completed.
    pub step: u64,
    /// Measurements (loss, accuracy and others) of the run at increasing training steps.
    pub history: RunHistory,
    /// Latest first-layer weights of the first replica.
    pub weights: FirstLayerWeights,
    /// Movement of the first-layer weights over the steps; `None` before weights are known.
    pub trajectories: Option<WeightTrajectories>,
    /// Latest result of each probe, with the training step at which the probe measured.
    pub latest_results: BTreeMap<ProbeId, (u64, ProbeResult)>,
    /// Scalars that each probe reported (its `ProbeResult::few`), by step, thinned over the run.
    pub traces: BTreeMap<ProbeId, ThinnedHistory<Vec<f64>>>,
    /// Table of all labs; the run's task selects one of them.
    pub labs: &'static Labs,
    /// Data that the run's lab keeps besides the measurements; `None` before the page's second WebAssembly file, which
    /// creates them, is loaded.
    pub lab_state: Option<Box<dyn LabState>>,
    /// Number of runs shown since the page was opened; charts redraw when it changes.
    pub run_count: u64,
    /// Number of probe results received so far; charts redraw when it changes.
    pub finding_count: u64,
    /// Number of changes of the example, prompt or stage under inspection; charts redraw when it changes.
    pub view_changes: u64,
    /// Indices, from 0, of the input coordinates that determine the label.
    pub relevant: Vec<usize>,
    /// Number of held-out examples on which loss and accuracy are measured during training.
    pub held_out: usize,
    /// Indices, from 0, of the replicas that have reached the target, each with its step.
    pub solved: Vec<(usize, u64)>,
    /// Events recognised in the measurements, such as memorisation or divergence.
    pub milestones: Milestones,
    /// Program, device and learner that trained the run, if it was opened from a file and is not being trained; else
    /// `None`.
    pub file_environment: Option<TrainingEnvironment>,
    /// Name of the file with the initial weights, and its description; both empty if the link determines the weights.
    pub initial_weights_file: [String; 2],
    /// Whether the page shows the moving picture of the run, so that its probe is measured.
    pub shows_hero: bool,
    /// Last status message of the run, kept while the timeline shows an earlier step; empty otherwise.
    pub resume_message: String,
}

/// Words and conventions in which labs differ, used by all charts and status lines.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// Name of the examples on which held-out accuracy is measured, in English: "held-out rows".
    pub examples_name: &'static str,
    /// Whether inputs are columns of a table, not bits among which relevant ones are hidden.
    pub has_columns: bool,
    /// Whether the task hides something that networks "find"; if false, networks "reach the target".
    pub has_hidden_rule: bool,
    /// Whether a run that ends before its target is reported as "the solution was not found".
    pub reports_not_found: bool,
    /// Whether runs train towards a target; if false, a run that reaches its last step is simply done.
    pub has_target: bool,
    /// Whether the charts of loss and accuracy show training curves only, because held-out sequences are measured in
    /// another quantity.
    pub shows_training_only: bool,
    /// Whether labels are real numbers: then loss is squared error over the label variance, and accuracy is R², the
    /// share of variance explained.
    pub has_numeric_labels: bool,
    /// Names of the two curves of loss and accuracy, in English; `None` if they are training and held-out examples.
    pub curve_names: Option<[&'static str; 2]>,
    /// Label of a chart's horizontal axis when the axis counts training examples instead of steps, in English.
    pub example_axis_label: &'static str,
}

impl Vocabulary {
    /// Vocabulary of tasks on bits, a few of which are relevant.
    pub const BITS: Vocabulary = Vocabulary {
        examples_name: text!("held-out examples"),
        has_columns: false,
        has_hidden_rule: true,
        reports_not_found: true,
        has_target: true,
        shows_training_only: false,
        has_numeric_labels: false,
        curve_names: None,
        example_axis_label: text!("examples used in training"),
    };

    /// Vocabulary of regression tasks: labels are numbers and nothing is hidden.
    pub const NUMBERS: Vocabulary = Vocabulary {
        has_hidden_rule: false,
        reports_not_found: false,
        has_numeric_labels: true,
        ..Vocabulary::BITS
    };
}

/// Part of a lab (a task with its charts and panels) that the page needs at once: texts and conditions, no computation.
pub trait Lab: Sync {
    /// Name, slug and citations of the lab's task, as the catalogue lists them.
    fn info(&self) -> &'static CatalogInfo;

    /// Description, in one or two English sentences, of the task that a run with the given settings trains on.
    fn about(&self, _spec: &RunSpec) -> &'static str {
        self.info().about
    }

    /// Words and conventions of the lab, such as the English name of its held-out examples.
    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::BITS
    }

    /// Name of the examples on which held-out accuracy is measured in a run, in the reader's language.
    fn examples_name(&self, _spec: &RunSpec) -> &'static str {
        vivarium_core::language::translated(self.vocabulary().examples_name)
    }

    /// Ending of a sentence about accuracy, for the held-out examples with the name `examples`: "right on held-out
    /// rows".
    fn score_phrase(&self, examples: &str) -> String {
        match self.vocabulary().has_numeric_labels {
            true => tr!("of the variance explained on {examples}", examples),
            false => tr!("right on {examples}", examples),
        }
    }

    /// Accuracy of random guessing: 1 / number of classes, or R² = 0 for labels that are numbers.
    fn chance_accuracy(&self, spec: &RunSpec) -> f32 {
        match self.vocabulary().has_numeric_labels {
            true => 0.0,
            false => 1.0 / spec.task.examples().classes().unwrap_or(2) as f32,
        }
    }

    /// Whether the page loads its second WebAssembly file as soon as a worker exists, not only after the worker's first
    /// answer, because charts of this lab need results of probes.
    fn needs_lazy_code(&self) -> bool {
        !self.watched_probes().is_empty()
    }

    /// Probe whose results contain the network's answers to the examples shown next to the task's description; `None`
    /// if the task shows no such examples.
    fn answer_probe(&self) -> Option<Probe> {
        None
    }

    /// Number of examples shown next to the task's description; `None` if it depends on the size of the network and of
    /// the held-out data.
    fn shown_example_count(&self, _spec: &RunSpec) -> Option<usize> {
        None
    }

    /// Whether the lab has a moving picture of runs with these settings for the first screen ([`LazyLab::hero`]).
    fn has_hero(&self, _spec: &RunSpec) -> bool {
        false
    }

    /// Probe whose results are the parameters from which the picture of the first screen is computed; `None` if the
    /// picture needs no trained parameters.
    fn hero_probe(&self) -> Option<Probe> {
        None
    }

    /// Probes that run at every measurement, whichever charts are visible.
    fn watched_probes(&self) -> &'static [Probe] {
        &[]
    }

    /// Keys of the settings with which the drawer of the first screen begins, the most important first. The page shows
    /// the first five that a run has, that have an effect in it and that its link does not hide; so the list continues
    /// with settings of other models than the default one.
    fn first_settings(&self) -> &'static [&'static str] {
        &["width", "widths", "n", "k", "lr", "wd", "noise"]
    }
}

/// One held-out example and the network's answer to it, as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldOutExample {
    /// Input of the network for this held-out example, as text.
    pub input: String,
    /// Correct label of this held-out example, as text.
    pub label: String,
    /// Label that the network predicts for this held-out example, as text; empty before it has been computed.
    pub answer: String,
}

/// Functions of a lab that compute, in the page's second WebAssembly file, which is loaded after the first paint. Where
/// a function returns `None` or an empty list, the display uses a default. A lab states only its own functions and
/// takes the rest from [`LazyLab::NONE`].
pub struct LazyLab {
    /// Reasons why a run with these settings cannot learn, or hardly, each as a sentence; empty for most settings.
    pub learning_obstacles: fn(&RunSpec) -> Vec<String>,
    /// Link of a run on the data file whose hash is the first argument, derived from the link of the displayed run;
    /// `None` for labs that take no files.
    pub link_for_file: fn(u64, &Link) -> Option<Link>,
    /// Creates the lab's data for a run before its first step; data of the previous run that stay valid are reused.
    pub initial_state: InitialState,
    /// Largest possible normalised margin γ* of the run's networks, if theory gives it; the lab's data may hold the
    /// computed value.
    pub largest_margin: fn(&RunSpec, Option<&dyn LabState>) -> Option<f64>,
    /// Further horizontal lines of the margin chart, each as (height divided by γ*, name); γ* is the largest possible
    /// margin.
    pub margin_lines: fn(&RunView) -> Vec<(f64, String)>,
    /// Sentence on why the run's network has no normalised margin, if theory gives a reason; begins with a space, to
    /// follow another sentence.
    pub margin_note: fn(&RunView) -> Option<String>,
    /// Example with the given number (from 0) of those shown next to the task's description, with the network's current
    /// answer; `None` if the task shows no examples.
    pub example: fn(&RunView, usize) -> Option<HeldOutExample>,
    /// Progress of learning for the status line, such as "nearest to the unigram strategy"; `None` for the default
    /// text.
    pub describe_learning: fn(&RunView) -> Option<String>,
    /// Sentence on the solution that the networks have found; the second argument is such as "5 of 20 networks", the
    /// third such as "at step 1,250".
    pub describe_found: fn(&RunView, &str, &str) -> Option<String>,
    /// Sentence on the result of a run that ended at its last step, including the step.
    pub describe_end: fn(&RunView) -> Option<String>,
    /// Names of the four metrics of a measurement: training loss, held-out loss, training accuracy, held-out accuracy.
    pub metric_names: fn(&RunView) -> Option<[String; 4]>,
    /// Two further numbers for the readouts, each as (name, value).
    pub extra_numbers: fn(&RunView) -> Option<NamedNumbers>,
    /// Remark from theory on the map of a sweep over two settings, whose runs are given.
    pub map_note: fn(&[SweepCell]) -> Option<String>,
    /// Upper bound on the probability of success with the data, width and steps of this run, from a lower bound on the
    /// resources in the literature; may exceed 1.
    pub max_success: fn(&RunSpec) -> Option<f64>,
    /// Creates the picture of the lab's first screen for a run; [`Lab::has_hero`] says for which runs there is one.
    pub hero: NewHero,
}

/// Two numbers of the readouts, each as (name, value).
pub type NamedNumbers = [(String, String); 2];

/// Creates a lab's data from the settings of a run, the link, and the data of the previously displayed run, if there
/// were any.
pub type InitialState = fn(&RunSpec, &Link, Option<&dyn LabState>) -> Option<Box<dyn LabState>>;

impl LazyLab {
    /// Functions that all return `None` or an empty list, for labs without functions of their own.
    pub const NONE: LazyLab = LazyLab {
        learning_obstacles: |_| vec![],
        link_for_file: |_, _| None,
        initial_state: |_, _, _| None,
        largest_margin: |_, _| None,
        margin_lines: |_| vec![],
        margin_note: |_| None,
        example: |_, _| None,
        describe_learning: |_| None,
        describe_found: |_, _, _| None,
        describe_end: |_| None,
        metric_names: |_| None,
        extra_numbers: |_| None,
        map_note: |_| None,
        max_success: |_| None,
        hero: |_| None,
    };
}

/// Result of one slice of the computation that a lab makes on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkProgress {
    /// No work is left.
    Done,
    /// Work is left, and the results are unchanged.
    Continuing,
    /// Results have changed; more of the computation may be left.
    Updated,
}

/// Data that a lab keeps for one run besides the measurements, such as results of its probes.
///
/// There is no `derive(Debug)`: its code for all lists and settings of all labs would enlarge every program without
/// use.
pub trait LabState: Any + Send + Sync {
    /// Clones the lab's data behind the trait object.
    fn clone_boxed(&self) -> Box<dyn LabState>;

    /// Continues the lab's long computation for its charts by about the given number of floating-point operations.
    fn continue_work(&mut self, _operations: u64) -> WorkProgress {
        WorkProgress::Done
    }

    /// Whether the lab's computation for its charts is unfinished, so that [`LabState::continue_work`] must be called
    /// again.
    fn is_busy(&self) -> bool {
        false
    }

    /// Stores a probe's result, which was measured at the given training step; the link holds the run's settings and
    /// its view.
    fn add_finding(&mut self, _step: u64, _finding: &ProbeResult, _link: &Link) {}

    /// Copies the lab's curves over all steps into these data of an earlier step, from the given data of the same run
    /// at its latest step.
    fn copy_curves(&mut self, _end: &dyn LabState) {}

    /// Recomputes everything that depends on the link's view settings (such as the number of the inspected example) or
    /// on its settings for theory charts.
    fn recompute_view(&mut self, _link: &Link) {}

    /// Sets λ, the strength of the penalty on weights that is added to the loss, for which the lab computes its theory
    /// curves.
    fn update_lambda(&mut self, _lambda: f64) {}

    /// Name of the learning stage (such as a unigram strategy) whose predictions are nearest to the network's in the
    /// given measurement; `None` for labs without stages.
    fn nearest_stage(&self, _row: &Measurement) -> Option<String> {
        None
    }
}

impl dyn LabState {
    /// Returns the data as the type `S`, or `None` if they belong to another lab.
    pub fn downcast_state<S: LabState>(&self) -> Option<&S> {
        (self as &dyn Any).downcast_ref()
    }

    /// Returns the mutable data as the type `S`, or `None` if they belong to another lab.
    pub fn downcast_state_mut<S: LabState>(&mut self) -> Option<&mut S> {
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
        self.as_ref().clone_boxed()
    }
}

/// Computing functions of all labs, in the order of [`Labs::all`]; contained in the page's second WebAssembly file,
/// which is loaded after the first paint.
#[derive(Clone, Copy)]
pub struct LazyLabs {
    /// Computing functions of each lab, in the order of [`Labs::all`].
    pub all: &'static [&'static LazyLab],
    /// Drawing functions of each lab's charts: the outer list runs over the labs in the order of [`Labs::all`], the
    /// inner one over a lab's charts.
    pub drawings: &'static [&'static [ChartDrawing]],
}

/// Table of all labs.
pub struct Labs {
    /// Texts and conditions of each lab, in the order of the page's menu of labs.
    pub all: &'static [&'static dyn Lab],
    /// Availability rules and titles of each lab's own charts: the outer list runs over the labs in the order of
    /// [`Labs::all`].
    pub charts: &'static [&'static [ChartRules]],
    /// Returns the computing functions of the labs, or `None` before the page's second WebAssembly file, which contains
    /// them, is loaded.
    pub lazy: fn() -> Option<LazyLabs>,
}

impl Labs {
    /// Index in [`Labs::all`] of the lab to which this run's task belongs; `None` if no lab has the task.
    pub fn index_of(&self, spec: &RunSpec) -> Option<usize> {
        let slug = spec.task.info().slug;
        self.all.iter().position(|lab| lab.info().slug == slug)
    }
}

impl fmt::Debug for Labs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|lab| lab.info().slug)).finish()
    }
}

/// Data on which a chart depends: the chart is redrawn when they change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartDependency {
    /// No data besides the run and the axes.
    Nothing,
    /// Measurements of loss, accuracy and others.
    Measurements,
    /// First-layer weights.
    Weights,
    /// First-layer weights and the selected neuron.
    Neuron,
    /// Findings of probes.
    Findings,
    /// Measurements and findings of probes.
    MeasurementsAndFindings,
    /// Findings of probes and the selected attention head.
    Head,
    /// Findings of probes and the selected sequence.
    Sequence,
    /// Replicas that have reached the target.
    Solved,
    /// Finished runs of the sweep.
    Sweep,
    /// Finished runs of the sweep, and findings of probes or the lab's theory.
    SweepAndFindings,
}

/// Declaration of a chart: when it applies and how it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct ChartSpec {
    /// Availability conditions and title of the chart, needed before the chart can be drawn.
    pub(super) rules: ChartRules,
    /// Drawing functions of the chart, which may be in the page's second WebAssembly file, loaded after the first
    /// paint.
    pub(super) drawing: ChartDrawing,
}

/// Conditions under which a chart is available for a run, and its title.
#[derive(Debug, Clone, Copy)]
pub struct ChartRules {
    /// Chart of the catalogue that these rules are for.
    pub(super) chart: Chart,
    /// Probe whose results the chart draws; `None` if measurements and weights are enough.
    pub(super) probe: Option<Probe>,
    /// Checks whether the chart is available for a run; the error is a sentence on why it is not.
    pub(super) applies: fn(&RunView) -> Result<(), String>,
    /// Title that depends on the run; `None` for the name of the chart.
    pub(super) title: fn(&RunView) -> Option<String>,
    /// Data whose change redraws the chart, such as measurements, weights or probe results.
    pub(super) depends_on: ChartDependency,
    /// Whether the chart needs measurements only, so that it can be drawn for a run opened from a file.
    pub(super) uses_measurements_only: bool,
    /// Whether the last curve of the chart is also drawn for saved runs, for comparison.
    pub(super) shows_other_runs: bool,
}

/// Functions that draw a chart and describe it in words.
#[derive(Debug, Clone, Copy)]
pub struct ChartDrawing {
    /// Chart of the catalogue that is drawn.
    pub(super) chart: Chart,
    /// Builds the content of the chart (curves, matrix or bars) from the data of the run.
    pub(super) reading: fn(&RunView) -> Reading,
    /// Describes the chart in a sentence for screen readers; `None` for a default sentence.
    pub(super) summary: fn(&RunView) -> Option<String>,
}

impl RunView {
    /// Latest result of a probe in this run; `None` before the probe's first result.
    pub fn latest_finding(&self, probe: &Probe) -> Option<&ProbeResult> {
        self.latest_results.get(&probe.id()).map(|(_, finding)| finding)
    }

    /// Scalars that a probe reported along the run (its `ProbeResult::few`), with their training steps; thinned for
    /// long runs.
    pub fn trace(&self, probe: &Probe) -> impl Iterator<Item = (u64, &[f64])> {
        let trace = self.traces.get(&probe.id());
        trace.into_iter().flat_map(ThinnedHistory::iter).map(|(step, few)| (step, few.as_slice()))
    }

    /// Settings of the current run; in a sweep, of the sweep's current run.
    pub fn spec(&self) -> &RunSpec {
        self.sweep.as_ref().map_or(&self.link.spec, |sweep| &sweep.current_cell().spec)
    }

    /// Step at which each replica of the current run reached the target, `None` for replicas that have not reached it.
    pub fn solved_steps(&self) -> Vec<Option<u64>> {
        let mut times = vec![None; self.spec().run.replicas];
        for (replica, step) in &self.solved {
            times[*replica] = Some(*step);
        }
        times
    }

    /// Step at which each replica of the current run reached the target; of each group of replicas that share a
    /// training set, only the earliest step.
    pub fn trial_steps(&self) -> Vec<Option<u64>> {
        best_of_groups(&self.solved_steps(), self.spec().task.examples().replicas_per_training_set())
    }

    /// Whether training of a single run has started and can continue.
    pub fn is_under_way(&self) -> bool {
        self.step > 0
            && self.sweep.is_none()
            && self.file_environment.is_none()
            && matches!(self.phase, RunPhase::Running | RunPhase::Paused)
    }

    /// Latest held-out accuracy, the median over the replicas that have not diverged; 0 before the first measurement.
    pub fn latest_accuracy(&self) -> f32 {
        self.history.latest().map_or(0.0, |_| self.history.latest_median(ReplicaMeasure::TestAccuracy))
    }

    /// Position in the sweep, such as "Run 4 of 15: n = 20, k = 2"; `None` if the run is not a sweep.
    pub fn describe_sweep_position(&self) -> Option<String> {
        let sweep = self.sweep.as_ref()?;
        let (cell, spec) = (sweep.current_cell(), &self.link.spec);
        let axes = [(&spec.run.sweep, cell.sweep_index), (&spec.run.series, cell.series_index)];
        let values =
            axes.iter().filter_map(|(axis, at)| Some(format_setting(spec, &axis.key, axis.values.get(*at)?)));
        let (values, all) = (values.collect::<Vec<_>>().join(", "), sweep.cells.len());
        Some(match sweep.is_complete() {
            true => tr!(
                "The sweep is complete: {all} runs. The other charts show the last run: {values}",
                all,
                values
            ),
            false if sweep.cancelled => {
                tr!("The sweep was cancelled after {done} of {all} runs", done = sweep.ended_count(), all)
            }
            false => {
                tr!("Run {number} of {all}: {values}", number = sweep.solved_steps.len() + 1, all, values)
            }
        })
    }
}
