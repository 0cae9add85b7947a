//! Updates of a displayed run: start, measurements, findings of probes, and changes of the view.

use std::sync::Arc;

use super::view::Labs;
use super::view::{FirstLayerWeights, RunPhase, RunView, WorkProgress};
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::protocol::{Command, Measurement, Payload, ProbeId, ProbeResult};
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::curves::RunHistory;
use vivarium_plot::analysis::movement::WeightTrajectories;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::thinned::ThinnedHistory;

/// Limit on the first layer's size in numbers: up to it the page computes the initial weights itself and shows them at
/// once; larger layers are shown when the worker sends weights.
const MAX_PREVIEW_WEIGHTS: usize = 50_000;

/// Largest number of results kept per probe along a run; beyond it every second one is dropped.
const MAX_TRACED: usize = 1024;

impl RunView {
    /// Replaces the displayed run by the link's run, or by the current run of its sweep, at step 0.
    pub fn reset_to_start(&mut self, labs: &'static Labs) {
        let before = std::mem::take(self);
        let spec = before.spec().clone();
        *self = RunView {
            weights: FirstLayerWeights {
                inputs: spec.task.examples().inputs(),
                width: spec.parameters().first().map_or(0, |w| w.shape[2]),
                ..FirstLayerWeights::default()
            },
            labs,
            held_out: spec.held_out_count(),
            run_count: before.run_count + 1,
            finding_count: before.finding_count,
            view_changes: before.view_changes,
            phase: before.phase,
            link: before.link,
            sweep: before.sweep,
            relevant: spec.task.examples().relevant(spec.run.seed),
            ..RunView::default()
        };
        if !self.lab().needs_lazy_code() || self.lazy_lab().is_some() {
            self.show_initial_weights();
        }
        self.lab_state = self
            .lazy_lab()
            .and_then(|lab| (lab.initial_state)(&spec, &self.link, before.lab_state.as_deref()));
        self.finish_work();
    }

    /// Whether a long computation of the lab for its charts, which runs on the page in slices, is unfinished.
    pub fn is_busy(&self) -> bool {
        self.lab_state.as_ref().is_some_and(|state| state.is_busy())
    }

    /// Continues the lab's computation for one slice of some milliseconds and marks charts for redrawing if its results
    /// changed.
    pub fn continue_work(&mut self) {
        let done = self
            .lab_state
            .as_mut()
            .map_or(WorkProgress::Done, |state| state.continue_work(PAGE_SLICE_OPERATIONS));
        if done == WorkProgress::Updated {
            self.finding_count += 1;
            self.view_changes += 1;
        }
    }

    /// Outside the browser, finishes the computation that the lab makes for charts at once; in the browser it continues
    /// in slices.
    fn finish_work(&mut self) {
        while !cfg!(target_family = "wasm") && self.is_busy() {
            self.continue_work();
        }
    }

    /// Computes the first replica's initial first-layer weights on the page and shows them until the worker sends
    /// weights; does nothing if the layer is too large.
    fn show_initial_weights(&mut self) {
        let (spec, inputs, width) = (self.spec(), self.weights.inputs, self.weights.width);
        let is_drawn = inputs * width <= MAX_PREVIEW_WEIGHTS
            && spec.model.config().has_weights()
            && spec.can_page_initialize();
        let Some(initial) = is_drawn.then(|| spec.initialize_replicas(1).into_iter().next()).flatten() else {
            return;
        };
        self.trajectories = Some(WeightTrajectories::new(&initial, inputs, width, &self.relevant));
        self.weights.values = Arc::new(initial);
    }

    /// Creates the lab's data and shows initial weights, once the page's second WebAssembly file (the code loaded after
    /// the first paint) has arrived.
    pub fn init_lazy_state(&mut self) {
        if self.lab_state.is_none() {
            self.lab_state =
                self.lazy_lab().and_then(|lab| (lab.initial_state)(self.spec(), &self.link, None));
            self.finish_work();
            self.recompute_milestones();
        }
        if self.weights.values.is_empty() && self.step == 0 {
            self.show_initial_weights();
        }
        self.finding_count += 1;
    }

    /// Handles the message that training started at `step`: stores the indices (from 0) of the relevant input
    /// coordinates and the number of held-out examples.
    pub fn handle_started(&mut self, step: u64, relevant: Vec<usize>, held_out: usize) {
        if step == 0 {
            self.history = RunHistory::of(self.spec());
        }
        self.solved.retain(|(_, at)| *at <= step);
        (self.step, self.relevant, self.held_out) = (step, relevant, held_out);
    }

    /// Adds a measurement (loss, accuracy and other metrics of all replicas at one step) to the run's history and
    /// updates the milestones.
    pub fn add_measurement(&mut self, row: Measurement) {
        self.update_milestones(&row);
        if self.history.latest().is_none() {
            self.history = RunHistory::of(self.spec());
        }
        self.history.push(row);
    }

    /// Stores the first replica's first-layer weights, read at training step `step`: `values` is row-major `[inputs,
    /// width]`.
    pub fn set_weights(&mut self, step: u64, inputs: usize, width: usize, values: Vec<f32>) {
        let start = || WeightTrajectories::new(&values, inputs, width, &self.relevant);
        // Too large to be initialised on the page: the worker's first weights are the initial ones, if sent at step 0.
        let trajectories = self.trajectories.take().or_else(|| (step == 0).then(start));
        self.trajectories = trajectories.map(|mut kept| {
            kept.push(step, &values);
            kept
        });
        self.weights = FirstLayerWeights { step, inputs, width, values: Arc::new(values) };
        if self.phase == RunPhase::Running {
            self.step = self.step.max(step);
        }
    }

    /// Records that replica number `replica` (from 0) reached the target at `step`.
    pub fn add_solved(&mut self, replica: usize, step: u64) {
        if self.solved.iter().all(|(r, _)| *r != replica) {
            self.solved.push((replica, step));
        }
    }

    /// Stores the result of a probe (a measurement of the first replica) made at training step `step`.
    pub fn add_result(&mut self, step: u64, finding: ProbeResult) {
        self.finding_count += 1;
        if let Some(state) = &mut self.lab_state {
            state.add_finding(step, &finding, &self.link);
        }
        self.finish_work();
        if !finding.few.is_empty() {
            let trace = self.traces.entry(finding.probe.clone());
            trace.or_insert_with(|| ThinnedHistory::new(MAX_TRACED)).push(step, finding.few.clone());
        }
        self.latest_results.insert(finding.probe.clone(), (step, finding));
    }

    /// Copies weight trajectories, traces of probes and the lab's curves, which cover all steps, from `end`, the same
    /// run at its latest step, into this view of an earlier step.
    pub fn copy_curves(&mut self, end: &RunView) {
        (self.trajectories, self.traces) = (end.trajectories.clone(), end.traces.clone());
        if let (Some(state), Some(end)) = (&mut self.lab_state, &end.lab_state) {
            state.copy_curves(end.as_ref());
        }
    }

    /// Recomputes the lab's data after a view setting has changed, such as the number of the inspected example, and
    /// marks the charts for redrawing.
    pub fn recompute_view(&mut self) {
        self.view_changes += 1;
        if let Some(state) = &mut self.lab_state {
            state.recompute_view(&self.link);
        }
        self.finish_work();
    }

    /// Normalised margin of the latest measurement, the median over the replicas that have not diverged, divided by the
    /// largest possible margin γ*; `None` without a margin or if γ* is unknown.
    pub fn margin_share(&self) -> Option<f32> {
        let share = self.history.latest_median(ReplicaMeasure::Margin) / self.largest_margin()? as f32;
        share.is_finite().then_some(share)
    }

    /// Largest possible normalised margin γ* of the run's networks; `None` if theory does not give it.
    pub fn largest_margin(&self) -> Option<f64> {
        (self.lazy_lab()?.largest_margin)(self.spec(), self.lab_state.as_deref())
    }

    /// Passes λ, the strength of the penalty on weights that is added to the loss at the current step, to the lab,
    /// whose theory curves depend on it.
    pub fn update_lambda(&mut self) {
        let penalty = self.spec().architecture().penalty(self.step);
        if let (Some(penalty), Some(state)) = (penalty, &mut self.lab_state) {
            state.update_lambda(penalty.lambda);
        }
        self.finish_work();
    }

    /// Ids of the probes needed by the visible charts, by the lab itself, by the example shown with the task and by the
    /// moving picture, without duplicates.
    pub fn required_probes(&self) -> Vec<ProbeId> {
        let of_charts = self.link.view.show.iter().filter_map(|chart| self.probe_of(*chart));
        let mut probes: Vec<ProbeId> = vec![];
        let watched = self.lab().watched_probes().iter().copied().chain(self.lab().answer_probe());
        let of_hero = self.lab().hero_probe().filter(|_| self.shows_hero);
        for probe in of_charts.chain(watched).chain(of_hero) {
            if !probes.contains(&probe.id()) && (probe.applies)(self.spec()).is_ok() {
                probes.push(probe.id());
            }
        }
        probes
    }
}

/// Message, with its data, that uploads the user's table to a worker before the run starts; `None` if the run uses no
/// uploaded table.
pub fn upload_command(spec: &RunSpec) -> Option<(Command, Payload)> {
    let (columns, numbers) = spec.task.config().uploaded_data()?;
    Some((Command::Table { columns }, Payload::Numbers(numbers)))
}
