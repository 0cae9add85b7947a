//! What changes a run that is shown: its start, measurements, findings, and what is looked into.

use std::sync::Arc;

use super::chains::MarkovState;
use super::lazy::lazy_module;
use super::pairs::GroupsState;
use super::tables::is_forest;
use super::view::{Phase, RunView, Weights};
use crate::analysis::curves::{History, spread};
use crate::analysis::gap::Gap;
use crate::analysis::movement::Trajectories;
use crate::protocol::{Finding, Row};
use crate::tasks::Form;

/// Most first-layer weights that are drawn before the worker has sent any: more would take too long here.
const MAX_PREVIEW: usize = 50_000;

impl RunView {
    /// Puts the run whose turn it is, at its start, in place of the one that was shown.
    pub fn set_up(&mut self) {
        let before = std::mem::take(self);
        let spec = before.spec().clone();
        let inputs = spec.task.sampler().inputs();
        let width = spec.parameters().first().map_or(0, |w| w.shape[2]);
        let relevant = spec.task.sampler().relevant(spec.run.seed);
        let is_known = spec.task.sampler().form() != Form::Pair || lazy_module().is_some();
        let known = is_known && inputs * width <= MAX_PREVIEW && !is_forest(&spec);
        let initial = if known { spec.initial_of(1).into_iter().next() } else { None };
        *self = RunView {
            trajectories: initial.as_ref().map(|w| Trajectories::new(w, inputs, width, &relevant)),
            weights: Weights { step: 0, inputs, width, values: Arc::new(initial.unwrap_or_default()) },
            pairs: GroupsState::of(&spec).map(Box::new),
            chains: MarkovState::of(&spec, &before.link.view, &before.link.theory, before.chains.as_deref())
                .map(Box::new),
            held_out: spec.held_out(),
            runs: before.runs + 1,
            findings: before.findings,
            looked: before.looked,
            phase: before.phase,
            link: before.link,
            sweep: before.sweep,
            relevant,
            ..RunView::default()
        };
    }

    /// What could not be known of the run before the second program was there.
    pub fn catch_up(&mut self) {
        let spec = self.spec().clone();
        if self.pairs.is_none() && self.chains.is_none() {
            self.pairs = GroupsState::of(&spec).map(Box::new);
            self.chains = MarkovState::of(&spec, &self.link.view, &self.link.theory, None).map(Box::new);
            self.note_again();
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
        match finding {
            Finding::Gap { relaxed, strict, error } => self.gaps.push(step, Gap { relaxed, strict, error }),
            Finding::Spectrum { shares, correlation } => self.spectrum = Some((step, shares, correlation)),
            Finding::Attention(mass) => self.attention = Some((step, mass)),
            Finding::Looks { heads, numbers } => self.looks = Some((heads, numbers)),
            Finding::Powers { width, mut numbers } => {
                let w = numbers.split_off(numbers.len().saturating_sub(2 * width));
                self.powers = Some((numbers, w, width));
            }
            found => {
                if let Some(chains) = &mut self.chains {
                    chains.found(step, found, &self.link.view);
                } else if let Some(pairs) = &mut self.pairs {
                    pairs.found(step, found);
                }
            }
        }
    }

    /// Takes the curves over the steps of `end`, the same run at its newest step: they forget what is later than what
    /// they are told next, and nothing else.
    pub fn take_curves(&mut self, end: &RunView) {
        (self.trajectories, self.gaps) = (end.trajectories.clone(), end.gaps.clone());
        if let (Some(pairs), Some(end)) = (&mut self.pairs, &end.pairs) {
            pairs.progress = end.progress.clone();
        }
        if let (Some(chains), Some(end)) = (&mut self.chains, &end.chains) {
            chains.distances = end.distances.clone();
        }
    }

    /// Looks anew into the sequence that the view names.
    pub fn look_anew(&mut self) {
        self.looked += 1;
        if let Some(chains) = &mut self.chains {
            chains.look_anew(&self.link.view, &self.link.theory);
        }
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
        match &self.pairs {
            Some(pairs) => pairs.theory.as_ref().map(|theory| theory.largest.value),
            None => lazy_module().and_then(|lazy_module| (lazy_module.largest_margin)(self.spec())),
        }
    }

    /// Has theory follow λ to what it is by now.
    pub fn follow_lambda(&mut self) {
        let penalty = self.spec().architecture().penalty(self.step);
        if let (Some(pairs), Some(penalty)) = (&mut self.pairs, penalty)
            && let (Some(theory), Some(lazy_module)) = (&mut pairs.theory, lazy_module())
        {
            (lazy_module.follow_lambda)(theory, penalty.lambda);
        }
    }
}
