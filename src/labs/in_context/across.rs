//! Linear regression on the prompts of every run of a sweep over prompts: the fit that the paper's figures leave out.
//!
//! # Why
//! What methods reach does not depend on any network, so that it need not wait for the runs of the sweep. Networks that are
//! trained on each prompt take a thousand times as long and are left out; the chart's summary says so.

use super::judge::methods;
use vivarium_core::bounds::product;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::Runs;
use vivarium_model::sweep::places;
use vivarium_science::functions::FunctionPrompts;
use vivarium_science::functions::baselines::{Baseline, BaselinesJob};

/// Most runs of a sweep for which this is measured.
const MOST_RUNS: usize = 64;
/// Operations, roughly, of all measurements.
const MOST_OPERATIONS: u64 = 1 << 26;
/// Prompts of each measurement, at least and at most.
const PROMPTS: (u64, u64) = (32, 512);

/// R² of one method at the last point, for each run of a sweep.
#[derive(Debug, Clone)]
pub struct Across {
    /// The sweep.
    spec: RunSpec,
    /// The method.
    pub baseline: Baseline,
    /// What is known: the value of the swept setting, and R².
    pub known: Vec<(f64, f32)>,
    /// What is left to do, the next at the end.
    jobs: Vec<(f64, BaselinesJob)>,
}

/// The least squares fit of a linear function that suits these prompts.
fn linear(prompts: &FunctionPrompts) -> Option<Baseline> {
    methods(prompts)
        .into_iter()
        .find(|of| matches!(of, Baseline::Affine | Baseline::Ridge | Baseline::LeastSquares))
}

impl Across {
    /// The measurements for a sweep over one setting of the prompts; none of other runs.
    pub fn of(spec: &RunSpec) -> Option<Self> {
        let sweep = &spec.run.sweep;
        let is_of_prompts = !sweep.is_empty() && spec.task.value(&sweep.key).is_some();
        let count = sweep.values.len();
        if !is_of_prompts || !spec.run.series.is_empty() || count > MOST_RUNS {
            return None;
        }
        let baseline = linear(&spec.task.examples().function_prompts()?)?;
        let runs = Runs::of(spec);
        let job = |(number, at): (usize, f64)| {
            let one = runs.unchecked(number)?;
            let prompts = one.task.examples().function_prompts()?;
            let (last, inputs) = (prompts.points - 1, prompts.inputs() as u64 + 1);
            let each = product([16, last as u64 + inputs, inputs, inputs, count as u64]);
            let prompts_read = (MOST_OPERATIONS / each.max(1)).clamp(PROMPTS.0, PROMPTS.1);
            let job = BaselinesJob::new(&prompts, one.run.seed, prompts_read as usize, &[last], &[baseline]);
            Some((at, job))
        };
        let jobs = places(sweep).into_iter().enumerate().rev().filter_map(job).collect();
        Some(Across { spec: spec.clone(), baseline, known: vec![], jobs })
    }

    /// Whether this is of that sweep.
    pub fn is_of(&self, spec: &RunSpec) -> bool {
        self.spec == *spec
    }

    /// Whether all is measured.
    pub fn is_done(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Goes on by about so many operations; whether one more run is known.
    pub fn advance(&mut self, operations: u64) -> bool {
        let Some((at, job)) = self.jobs.last_mut() else { return false };
        let Some(scores) = job.advance(operations) else { return false };
        if let Some(r2) = scores.r2(self.baseline).and_then(|all| all.first().copied()) {
            self.known.push((*at, r2 as f32));
        }
        self.jobs.pop();
        true
    }
}
