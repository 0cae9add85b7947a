//! The charts of a run: one [`ChartSpec`] each, which says when the chart applies, what it draws and what is said of it.
//!
//! Charts of every lab stand here, those of one lab in its folder.
//!
//! # Why
//! A chart is written down once, as a constant, and cut in two by [`rules`] and [`drawings`], since the page's program
//! has two halves: the first knows when a chart applies, the second draws what the first view does not show.

mod curves;
mod ends;
mod general;
mod margin;
mod threshold;

pub use curves::{marked, reached, solved, with_axes};
pub use ends::{final_errors, final_measures};
pub use general::has_weights;
pub use threshold::thresholds;

pub use super::view::{ChartRules, ChartSpec, Drawing, Follows};

use super::view::RunView;
use crate::probing::Probe;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Axis, Counted, View};
use vivarium_plot::analysis::{Lines, Reading};

impl ChartSpec {
    /// A chart that draws this, whenever the run has its form and its probe applies.
    pub const fn new(chart: Chart, reading: fn(&RunView) -> Reading) -> Self {
        ChartSpec {
            rules: ChartRules {
                chart,
                probe: None,
                applies: |_| Ok(()),
                title: |_| None,
                follows: Follows::Findings,
                of_measurements: false,
                compares: false,
            },
            drawing: Drawing { chart, reading, summary: |_| None },
        }
    }

    /// The same, drawn from what `probe` finds.
    pub const fn probe(mut self, probe: Probe) -> Self {
        self.rules.probe = Some(probe);
        self
    }

    /// The same where `applies` says so; its error is a sentence that says why not.
    pub const fn applies(mut self, applies: fn(&RunView) -> Result<(), String>) -> Self {
        self.rules.applies = applies;
        self
    }

    /// The same with a title that follows the run.
    pub const fn title(mut self, title: fn(&RunView) -> Option<String>) -> Self {
        self.rules.title = title;
        self
    }

    /// The same with what is said of it, for those who do not see it.
    pub const fn summary(mut self, summary: fn(&RunView) -> Option<String>) -> Self {
        self.drawing.summary = summary;
        self
    }

    /// The same, changed by something else than what probes find.
    pub const fn follows(mut self, follows: Follows) -> Self {
        self.rules.follows = follows;
        self
    }

    /// The same, drawn from measurements alone.
    pub const fn of_measurements(mut self) -> Self {
        self.rules.of_measurements = true;
        self
    }

    /// The same, with its last curve of kept runs beside that of the run on display.
    pub const fn compares(mut self) -> Self {
        self.rules.compares = true;
        self
    }
}

/// The rules of these charts.
pub const fn rules<const COUNT: usize>(specs: &[ChartSpec]) -> [ChartRules; COUNT] {
    let mut rules = [general::FIRST[0].rules; COUNT];
    let mut at = 0;
    while at < COUNT {
        rules[at] = specs[at].rules;
        at += 1;
    }
    rules
}

/// What these charts draw.
pub const fn drawings<const COUNT: usize>(specs: &[ChartSpec]) -> [Drawing; COUNT] {
    let mut drawings = [general::FIRST[0].drawing; COUNT];
    let mut at = 0;
    while at < COUNT {
        drawings[at] = specs[at].drawing;
        at += 1;
    }
    drawings
}

/// Charts of every lab that the second program draws.
pub const LATER: &[ChartSpec] = &[margin::MARGIN, threshold::THRESHOLD, ends::ENDS];

static FIRST_RULES: [ChartRules; general::FIRST.len()] = rules(general::FIRST);
static FIRST_DRAWINGS: [Drawing; general::FIRST.len()] = drawings(general::FIRST);
static LATER_RULES: [ChartRules; LATER.len()] = rules(LATER);

/// The same as long as a chart shows the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    run: u64,
    at: u64,
    marks: usize,
    axes: (Axis, Axis, Counted, u64),
}

impl RunView {
    /// The rules of a chart; none where no lab has declared it.
    fn rules(&self, chart: Chart) -> Option<&'static ChartRules> {
        let of_every_lab: [&'static [ChartRules]; 2] = [&FIRST_RULES, &LATER_RULES];
        let mut all = of_every_lab.into_iter().chain(self.labs.charts.iter().copied()).flatten();
        all.find(|rules| rules.chart == chart)
    }

    /// The probe whose findings a chart draws, if it draws any.
    pub fn probe_of(&self, chart: Chart) -> Option<Probe> {
        self.rules(chart)?.probe
    }

    /// What a chart draws; none before the second program is there.
    fn drawing(&self, chart: Chart) -> Option<&'static Drawing> {
        let first = FIRST_DRAWINGS.iter().find(|drawing| drawing.chart == chart);
        first.or_else(|| {
            let later = (self.labs.lazy)()?.drawings;
            later.iter().copied().flatten().find(|drawing| drawing.chart == chart)
        })
    }
}

/// What a chart of the catalogue is for one run.
pub trait ChartOfRun {
    /// Whether there is such a chart of this run.
    ///
    /// # Errors
    /// A sentence that says why not.
    fn applies(self, run: &RunView) -> Result<(), String>;
    /// Its title.
    fn title(self, run: &RunView) -> String;
    /// Whether its last curve is drawn of kept runs too.
    fn compares(self, run: &RunView) -> bool;
    /// What is drawn, if the chart applies.
    fn reading(self, run: &RunView) -> Reading;
    /// What is seen, for those who do not see it.
    fn summary(self, run: &RunView) -> String;
    /// Changes when the reading does, and is cheap.
    fn stamp(self, run: &RunView) -> Stamp;
}

impl ChartOfRun for Chart {
    fn applies(self, run: &RunView) -> Result<(), String> {
        let rules = run.rules(self);
        if run.record.is_some() && !rules.is_some_and(|rules| rules.of_measurements) {
            return Err(tr!(
                "This chart needs weights, but the opened file contains none. Train the network first."
            )
            .into());
        }
        let form = run.spec().task.examples().form();
        if let Some(of) = self.form().filter(|of| !form.is_a(*of)) {
            return Err(of.only().into());
        }
        let Some(rules) = rules.filter(|_| run.drawing(self).is_some()) else {
            return Err(tr!("Loading").into());
        };
        (rules.applies)(run)?;
        rules.probe.map_or(Ok(()), |probe| (probe.applies)(run.spec()))
    }

    fn title(self, run: &RunView) -> String {
        let title = run.rules(self).and_then(|rules| (rules.title)(run));
        title.unwrap_or_else(|| self.info().name.into())
    }

    fn compares(self, run: &RunView) -> bool {
        run.rules(self).is_some_and(|rules| rules.compares)
    }

    fn reading(self, run: &RunView) -> Reading {
        let drawing = run.drawing(self);
        let reading =
            drawing.map_or_else(|| Reading::Lines(Lines::default()), |drawing| (drawing.reading)(run));
        reading.titled(self.title(run))
    }

    fn summary(self, run: &RunView) -> String {
        let said = run.drawing(self).and_then(|drawing| (drawing.summary)(run));
        said.unwrap_or_else(|| {
            let step = super::words::thousands(run.step);
            tr!("{title}, after {step} steps.", title = self.title(run), step)
        })
    }

    fn stamp(self, run: &RunView) -> Stamp {
        let View { x_axis, y_axis, counted, smooth, neuron, head, .. } = run.link.view;
        let at = match run.rules(self).map_or(Follows::Nothing, |rules| rules.follows) {
            Follows::Nothing => 0,
            Follows::Rows => run.history.last().map_or(u64::MAX, |row| row.step),
            Follows::Weights => run.weights.step,
            Follows::Neuron => run.weights.step ^ (neuron as u64) << 40,
            Follows::Findings => run.findings,
            Follows::Both => run.history.last().map_or(u64::MAX, |row| row.step) ^ run.findings << 40,
            Follows::Head => run.findings ^ (head as u64) << 40,
            Follows::Sequence => run.findings ^ run.looked << 40,
            Follows::Solved => run.solved.len() as u64,
            Follows::Sweep => run.sweep.as_ref().map_or(0, |sweep| sweep.ended() as u64),
        };
        let marks = run.solved.len() + run.spec().run.schedule.len() + run.events_count();
        Stamp { run: run.runs, at, marks, axes: (x_axis, y_axis, counted, smooth.to_bits()) }
    }
}
