//! The charts of a run: one [`ChartSpec`] each, which states when the chart applies, what it draws and how it is
//! described in words.
//!
//! Charts common to all labs are in this module, those of one lab in the lab's folder.
//!
//! # Why
//! A chart is declared once, as a constant, and split by [`rules`] and [`drawings`], since the page consists of two
//! programs: the first decides when a chart applies, the second draws the charts that the first view does not show.

mod curves;
mod ends;
mod general;
mod margin;
mod threshold;

pub use curves::{add_step_marks, empty_lines, last_solved_step, target_mark};
pub use ends::{draw_final_margins, final_error_curves, final_measure_curves};
pub use general::{require_sweep, require_weights};
pub use threshold::compute_thresholds;

pub use super::view::{ChartDependency, ChartDrawing, ChartRules, ChartSpec};

use super::view::RunView;
use crate::probing::Probe;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{AxisScale, StepAxisUnit, ViewSettings};
use vivarium_plot::analysis::{LineChart, Reading};

impl ChartSpec {
    /// A chart drawn by `reading`, available for every run whose task has the chart's form of examples, without a title
    /// or summary of its own, and redrawn when probe results change.
    pub const fn new(chart: Chart, reading: fn(&RunView) -> Reading) -> Self {
        ChartSpec {
            rules: ChartRules {
                chart,
                probe: None,
                applies: |_| Ok(()),
                title: |_| None,
                depends_on: ChartDependency::Findings,
                uses_measurements_only: false,
                shows_other_runs: false,
            },
            drawing: ChartDrawing { chart, reading, summary: |_| None },
        }
    }

    /// Sets the probe whose results the chart draws.
    pub const fn probe(mut self, probe: Probe) -> Self {
        self.rules.probe = Some(probe);
        self
    }

    /// Sets the condition under which the chart is available; its error is a sentence on why it is not.
    pub const fn applies(mut self, applies: fn(&RunView) -> Result<(), String>) -> Self {
        self.rules.applies = applies;
        self
    }

    /// Sets the function that gives the chart a title which depends on the run, in place of the chart's name.
    pub const fn title(mut self, title: fn(&RunView) -> Option<String>) -> Self {
        self.rules.title = title;
        self
    }

    /// Sets the function that describes the chart's content in a sentence, for screen readers.
    pub const fn summary(mut self, summary: fn(&RunView) -> Option<String>) -> Self {
        self.drawing.summary = summary;
        self
    }

    /// Sets which data (measurements, weights, probe results or others) redraw the chart when they change.
    pub const fn depends_on(mut self, follows: ChartDependency) -> Self {
        self.rules.depends_on = follows;
        self
    }

    /// Declares that the chart needs measurements only, so that it can be drawn for a run opened from a file.
    pub const fn uses_measurements_only(mut self) -> Self {
        self.rules.uses_measurements_only = true;
        self
    }

    /// Declares that the last curve of the chart is also drawn for saved runs, for comparison.
    pub const fn with_other_runs(mut self) -> Self {
        self.rules.shows_other_runs = true;
        self
    }
}

/// Copies the availability rules of the first `COUNT` of the charts `specs` into an array, for a static table; panics
/// if `specs` is shorter.
pub const fn rules<const COUNT: usize>(specs: &[ChartSpec]) -> [ChartRules; COUNT] {
    let mut rules = [general::FIRST_CHARTS[0].rules; COUNT];
    let mut at = 0;
    while at < COUNT {
        rules[at] = specs[at].rules;
        at += 1;
    }
    rules
}

/// Copies the drawing functions of the first `COUNT` of the charts `specs` into an array, for a static table; panics if
/// `specs` is shorter.
pub const fn drawings<const COUNT: usize>(specs: &[ChartSpec]) -> [ChartDrawing; COUNT] {
    let mut drawings = [general::FIRST_CHARTS[0].drawing; COUNT];
    let mut at = 0;
    while at < COUNT {
        drawings[at] = specs[at].drawing;
        at += 1;
    }
    drawings
}

/// Charts common to all labs whose drawing functions are in the page's second WebAssembly file, loaded after the first
/// paint.
pub const LATER_CHARTS: &[ChartSpec] = &[margin::MARGIN, threshold::THRESHOLD, ends::FINAL_ERRORS];

/// Availability rules of the charts that can be drawn before the page's second WebAssembly file is loaded.
static FIRST_RULES: [ChartRules; general::FIRST_CHARTS.len()] = rules(general::FIRST_CHARTS);
/// Drawing functions of the charts that can be drawn before the page's second WebAssembly file is loaded.
static FIRST_DRAWINGS: [ChartDrawing; general::FIRST_CHARTS.len()] = drawings(general::FIRST_CHARTS);
/// Availability rules of the common charts that can be drawn only after the page's second WebAssembly file is loaded.
static LATER_RULES: [ChartRules; LATER_CHARTS.len()] = rules(LATER_CHARTS);

/// Version of a chart's content: equal stamps mean that the chart need not be redrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChartStamp {
    /// Number of the displayed run, counted since the page was opened.
    run: u64,
    /// Version of the data that the chart draws, such as a training step or a count of probe results, combined by xor
    /// with the number of changes of the inspected example.
    data_version: u64,
    /// Number of marks on the axis of steps: replicas at the target, changes of the learning rate, and events.
    mark_count: usize,
    /// Scale of the horizontal axis, scale of the vertical axis, unit of the axis of steps, and bits of the smoothing
    /// factor.
    axes: (AxisScale, AxisScale, StepAxisUnit, u64),
}

impl RunView {
    /// Availability rules of a chart; `None` if no lab declares the chart.
    fn chart_rules(&self, chart: Chart) -> Option<&'static ChartRules> {
        let of_every_lab: [&'static [ChartRules]; 2] = [&FIRST_RULES, &LATER_RULES];
        let mut all = of_every_lab.into_iter().chain(self.labs.charts.iter().copied()).flatten();
        all.find(|rules| rules.chart == chart)
    }

    /// Probe whose results a chart draws; `None` if it draws measurements or weights only.
    pub fn probe_of(&self, chart: Chart) -> Option<Probe> {
        self.chart_rules(chart)?.probe
    }

    /// Drawing functions of a chart; `None` if they are in the page's second WebAssembly file and it is not loaded yet.
    fn chart_drawing(&self, chart: Chart) -> Option<&'static ChartDrawing> {
        let first = FIRST_DRAWINGS.iter().find(|drawing| drawing.chart == chart);
        first.or_else(|| {
            let later = (self.labs.lazy)()?.drawings;
            later.iter().copied().flatten().find(|drawing| drawing.chart == chart)
        })
    }
}

/// Chart of the catalogue, evaluated for one run.
pub trait ChartOfRun {
    /// Checks whether the chart is available for this run.
    ///
    /// # Errors
    /// A sentence that says why not.
    fn applies(self, run: &RunView) -> Result<(), String>;
    /// Title of the chart for this run, in the reader's language.
    fn title(self, run: &RunView) -> String;
    /// Whether the last curve of the chart is also drawn for saved runs, for comparison.
    fn shows_other_runs(self, run: &RunView) -> bool;
    /// Content of the chart (curves, matrix or bars) for this run; lines without points if the chart is not available.
    fn reading(self, run: &RunView) -> Reading;
    /// Description of the chart in a sentence, for screen readers.
    fn summary(self, run: &RunView) -> String;
    /// Version of the content, cheap to compute: changes whenever the content may have changed.
    fn stamp(self, run: &RunView) -> ChartStamp;
}

impl ChartOfRun for Chart {
    fn applies(self, run: &RunView) -> Result<(), String> {
        let rules = run.chart_rules(self);
        if run.file_environment.is_some() && !rules.is_some_and(|rules| rules.uses_measurements_only) {
            return Err(tr!(
                "This chart needs weights, but the opened file contains none. Train the network first."
            )
            .into());
        }
        let form = run.spec().task.data().form();
        if let Some(of) = self.form().filter(|of| !form.counts_as(*of)) {
            return Err(of.unavailable_reason().into());
        }
        let Some(rules) = rules.filter(|_| run.chart_drawing(self).is_some()) else {
            return Err(tr!("Loading").into());
        };
        (rules.applies)(run)?;
        rules.probe.map_or(Ok(()), |probe| (probe.applies)(run.spec()))
    }

    fn title(self, run: &RunView) -> String {
        let title = run.chart_rules(self).and_then(|rules| (rules.title)(run));
        title.unwrap_or_else(|| self.info().name.into())
    }

    fn shows_other_runs(self, run: &RunView) -> bool {
        run.chart_rules(self).is_some_and(|rules| rules.shows_other_runs)
    }

    fn reading(self, run: &RunView) -> Reading {
        let drawing = run.chart_drawing(self);
        let reading =
            drawing.map_or_else(|| Reading::Lines(LineChart::default()), |drawing| (drawing.reading)(run));
        reading.with_title(self.title(run))
    }

    fn summary(self, run: &RunView) -> String {
        let text = run.chart_drawing(self).and_then(|drawing| (drawing.summary)(run));
        text.unwrap_or_else(|| {
            let step = super::words::format_thousands(run.step);
            tr!("{title}, after {step} steps.", title = self.title(run), step)
        })
    }

    fn stamp(self, run: &RunView) -> ChartStamp {
        let ViewSettings { x_axis, y_axis, counted, smooth, head, .. } = run.link.view;
        let ended_runs = || run.sweep.as_ref().map_or(0, |sweep| sweep.ended_count() as u64);
        let at = match run.chart_rules(self).map_or(ChartDependency::Nothing, |rules| rules.depends_on) {
            ChartDependency::Nothing => 0,
            ChartDependency::Measurements => run.history.latest().map_or(u64::MAX, |row| row.step),
            ChartDependency::Weights => run.weights.step,
            ChartDependency::Neuron => run.weights.step ^ (run.link.view.groups.neuron as u64) << 40,
            ChartDependency::Findings => run.finding_count,
            ChartDependency::MeasurementsAndFindings => {
                run.history.latest().map_or(u64::MAX, |row| row.step) ^ run.finding_count << 40
            }
            ChartDependency::Head => run.finding_count ^ (head as u64) << 40,
            ChartDependency::Sequence => run.finding_count ^ run.view_changes << 40,
            ChartDependency::Solved => run.solved.len() as u64,
            ChartDependency::Sweep => ended_runs(),
            ChartDependency::SweepAndFindings => ended_runs() ^ run.finding_count << 40,
        };
        let marks = run.solved.len() + run.spec().run.schedule.len() + run.event_stamp();
        ChartStamp {
            run: run.run_count,
            data_version: at,
            mark_count: marks,
            axes: (x_axis, y_axis, counted, smooth.to_bits()),
        }
    }
}
