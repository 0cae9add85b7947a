//! The run that is shown, as one value.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lab::{LabState, Labs};
use super::milestones::Milestones;
use super::sweep::Sweep;
use super::words::setting;
use crate::analysis::convergence::best;
use crate::analysis::curves::{History, spread};
use crate::analysis::movement::Trajectories;
use crate::analysis::thinned::Thinned;
use crate::permalink::Link;
use crate::probing::Probe;
use crate::protocol::{Ending, Finding, ProbeId};
use crate::record::Environment;
use crate::run::RunSpec;

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
    /// What was last told of it when it was left for an earlier step; empty while it is on display.
    pub message: String,
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
        best(&self.times(), self.spec().task.sampler().tries())
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
            true => tr!("The sweep is complete: {all} runs, the last of them with {values}", all, values),
            false if sweep.cancelled => {
                tr!("The sweep was cancelled after {done} of {all} runs", done = sweep.ended(), all)
            }
            false => tr!("Run {number} of {all}: {values}", number = sweep.done.len() + 1, all, values),
        })
    }
}
