//! What changes a run that is shown: its start, measurements, findings, and what is looked into.

use std::sync::Arc;

use super::view::Labs;
use super::view::{Phase, RunView, Weights, Work};
use vivarium_core::bounds::SLICE;
use vivarium_model::protocol::{Command, Finding, Payload, ProbeId, Row};
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::curves::{History, spread};
use vivarium_plot::analysis::movement::Trajectories;
use vivarium_plot::analysis::thinned::Thinned;

/// Most first-layer weights that are drawn before the worker has sent any: more would take too long here.
const MAX_PREVIEW: usize = 50_000;

/// Most findings of a probe along a run whose few numbers are kept.
const MOST_TRACED: usize = 1024;

impl RunView {
    /// Puts the run whose turn it is, at its start, in place of the one that was shown.
    pub fn set_up(&mut self, labs: &'static Labs) {
        let before = std::mem::take(self);
        let spec = before.spec().clone();
        *self = RunView {
            weights: Weights {
                inputs: spec.task.examples().inputs(),
                width: spec.parameters().first().map_or(0, |w| w.shape[2]),
                ..Weights::default()
            },
            labs,
            held_out: spec.held_out(),
            runs: before.runs + 1,
            findings: before.findings,
            looked: before.looked,
            phase: before.phase,
            link: before.link,
            sweep: before.sweep,
            relevant: spec.task.examples().relevant(spec.run.seed),
            ..RunView::default()
        };
        if !self.lab().needs_second_program() || self.lazy().is_some() {
            self.preview();
        }
        self.state = self.lazy().and_then(|lab| lab.state(&spec, &self.link, before.state.as_deref()));
        self.settle();
    }

    /// Whether something takes too long to be computed at once, and is not there yet.
    pub fn is_busy(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.is_busy())
    }

    /// Goes on with that for a moment; what is new is shown.
    pub fn work(&mut self) {
        let done = self.state.as_mut().map_or(Work::Done, |state| state.work(SLICE));
        if done == Work::News {
            self.findings += 1;
            self.looked += 1;
        }
    }

    /// Only a page has a thread that others wait for: elsewhere all is computed at once.
    fn settle(&mut self) {
        while !cfg!(target_family = "wasm") && self.is_busy() {
            self.work();
        }
    }

    /// Shows the weights at the start, before a trainer has sent any.
    fn preview(&mut self) {
        let (spec, inputs, width) = (self.spec(), self.weights.inputs, self.weights.width);
        let is_drawn =
            inputs * width <= MAX_PREVIEW && spec.model.config().has_weights() && spec.is_drawn_at_once();
        let Some(initial) = is_drawn.then(|| spec.initial_of(1).into_iter().next()).flatten() else { return };
        self.trajectories = Some(Trajectories::new(&initial, inputs, width, &self.relevant));
        self.weights.values = Arc::new(initial);
    }

    /// What could not be known of the run before the second program was there.
    pub fn catch_up(&mut self) {
        if self.state.is_none() {
            self.state = self.lazy().and_then(|lab| lab.state(self.spec(), &self.link, None));
            self.settle();
            self.note_again();
        }
        if self.weights.values.is_empty() && self.step == 0 {
            self.preview();
        }
        self.findings += 1;
    }

    /// A trainer has begun at `step`.
    pub fn started(&mut self, step: u64, relevant: Vec<usize>, held_out: usize) {
        if step == 0 {
            self.history = History::default();
        }
        self.solved.retain(|(_, at)| *at <= step);
        (self.step, self.relevant, self.held_out) = (step, relevant, held_out);
    }

    /// Takes a measurement.
    pub fn measured(&mut self, row: Row) {
        self.note(&row);
        self.history.push(row);
    }

    /// Takes first-layer weights that were read after `step` steps.
    pub fn weighed(&mut self, step: u64, inputs: usize, width: usize, values: Vec<f32>) {
        let start = || Trajectories::new(&values, inputs, width, &self.relevant);
        // Too large to be drawn beforehand: the worker's first word is the start, unless it is a late one.
        let trajectories = self.trajectories.take().or_else(|| (step == 0).then(start));
        self.trajectories = trajectories.map(|mut kept| {
            kept.push(step, &values);
            kept
        });
        self.weights = Weights { step, inputs, width, values: Arc::new(values) };
        if self.phase == Phase::Running {
            self.step = self.step.max(step);
        }
    }

    /// A replica has reached the target.
    pub fn reached(&mut self, replica: usize, step: u64) {
        if self.solved.iter().all(|(r, _)| *r != replica) {
            self.solved.push((replica, step));
        }
    }

    /// Takes what a probe has found after `step` steps.
    pub fn found(&mut self, step: u64, finding: Finding) {
        self.findings += 1;
        if let Some(state) = &mut self.state {
            state.found(step, &finding, &self.link);
        }
        self.settle();
        if !finding.few.is_empty() {
            let trace = self.traces.entry(finding.probe.clone());
            trace.or_insert_with(|| Thinned::new(MOST_TRACED)).push(step, finding.few.clone());
        }
        self.found.insert(finding.probe.clone(), (step, finding));
    }

    /// Takes the curves over the steps of `end`, the same run at its newest step: they forget what is later than what
    /// they are told next, and nothing else.
    pub fn take_curves(&mut self, end: &RunView) {
        (self.trajectories, self.traces) = (end.trajectories.clone(), end.traces.clone());
        if let (Some(state), Some(end)) = (&mut self.state, &end.state) {
            state.take_curves(end.as_ref());
        }
    }

    /// Computes anew what follows the settings of the view.
    pub fn look_anew(&mut self) {
        self.looked += 1;
        if let Some(state) = &mut self.state {
            state.look_anew(&self.link);
        }
        self.settle();
    }

    /// The network's normalised margin as a share of the largest, by the newest measurement: the median of its
    /// replicas.
    pub fn margin_share(&self) -> Option<f32> {
        let row = self.history.last().filter(|row| !row.margin.is_empty())?;
        let share = spread(&row.margin).0 / self.largest_margin()? as f32;
        share.is_finite().then_some(share)
    }

    /// γ* of the run, where theory knows it.
    pub fn largest_margin(&self) -> Option<f64> {
        self.lazy()?.largest_margin(self.spec(), self.state.as_deref())
    }

    /// Has theory follow λ to what it is by now.
    pub fn follow_lambda(&mut self) {
        let penalty = self.spec().architecture().penalty(self.step);
        if let (Some(penalty), Some(state)) = (penalty, &mut self.state) {
            state.follow_lambda(penalty.lambda);
        }
        self.settle();
    }

    /// The probes that the charts on show want, those that the lab always watches, and that of the example in the task.
    pub fn probes(&self) -> Vec<ProbeId> {
        let of_charts = self.link.view.show.iter().filter_map(|chart| self.probe_of(*chart));
        let mut probes: Vec<ProbeId> = vec![];
        let watched = self.lab().watched().iter().copied().chain(self.lab().answers());
        for probe in of_charts.chain(watched) {
            if !probes.contains(&probe.id()) && (probe.applies)(self.spec()).is_ok() {
                probes.push(probe.id());
            }
        }
        probes
    }
}

/// What gives a trainer the data of a person's own that a run needs before it begins.
pub fn own_data(spec: &RunSpec) -> Option<(Command, Payload)> {
    let (columns, numbers) = spec.task.config().own_data()?;
    Some((Command::Table { columns }, Payload::Numbers(numbers)))
}
