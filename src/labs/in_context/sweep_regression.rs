//! Linear regression on the prompts of every run of a sweep over a setting of the prompts, which the paper's figures
//! leave out.
//!
//! # Why
//! Baselines do not depend on the trained network, so they need not wait for the runs of the sweep. Networks that are
//! trained on each prompt take a thousand times as long and are left out, which the chart's summary states.

use super::baselines::applicable_baselines;
use vivarium_core::bounds::saturating_product;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::SweepRuns;
use vivarium_model::sweep::axis_positions;
use vivarium_science::functions::FunctionPrompts;
use vivarium_science::functions::baselines::{Baseline, BaselinesJob};

/// Maximum number of runs of a sweep; in larger sweeps R² of the linear baseline is measured for no run.
const MAX_RUNS: usize = 64;
/// Approximate number of operations, shared by all runs of a sweep, for measuring R² of the linear baseline; it sets
/// the number of prompts per run.
const MAX_OPERATIONS: u64 = 1 << 26;
/// Minimum and maximum number of held-out prompts on which R² of the linear baseline is measured for one run of a
/// sweep.
const PROMPT_COUNT_RANGE: (u64, u64) = (32, 512);

/// R² of a linear baseline, fitted to each prompt's examples, at the last point of a prompt, for each run of a sweep
/// over a setting of the prompts.
#[derive(Debug, Clone)]
pub struct SweepRegression {
    /// Settings of the sweep for whose runs the baseline is measured.
    spec: RunSpec,
    /// The linear baseline that is measured: ridge regression, an affine fit or least squares.
    pub baseline: Baseline,
    /// The pairs (value of the swept setting, R² of the baseline at the last point of a prompt) of all runs measured so
    /// far.
    pub points: Vec<(f64, f32)>,
    /// Measurements left, one per run: the run's value of the swept setting, and the job that measures the baseline's
    /// R²; the last job is next.
    pending_jobs: Vec<(f64, BaselinesJob)>,
}

/// The first of the baselines for these prompts that is linear: an affine fit, ridge regression or least squares; none
/// if there is none.
fn linear_baseline(prompts: &FunctionPrompts) -> Option<Baseline> {
    applicable_baselines(prompts)
        .into_iter()
        .find(|of| matches!(of, Baseline::Affine | Baseline::Ridge | Baseline::LeastSquares))
}

impl SweepRegression {
    /// Starts the measurements of the linear baseline for a sweep over one setting of the prompts with at most
    /// [`MAX_RUNS`] runs; none for other sweeps and for single runs.
    pub fn from_spec(spec: &RunSpec) -> Option<Self> {
        let sweep = &spec.run.sweep;
        let is_of_prompts = !sweep.is_empty() && spec.task.value(&sweep.key).is_some();
        let count = sweep.values.len();
        if !is_of_prompts || !spec.run.series.is_empty() || count > MAX_RUNS {
            return None;
        }
        let baseline = linear_baseline(&spec.task.data().function_prompts()?)?;
        let runs = SweepRuns::new(spec);
        let job = |(number, at): (usize, f64)| {
            let one = runs.build_unchecked(number)?;
            let prompts = one.task.data().function_prompts()?;
            let (last, inputs) = (prompts.points - 1, prompts.inputs() as u64 + 1);
            let each = saturating_product([16, last as u64 + inputs, inputs, inputs, count as u64]);
            let prompts_read =
                (MAX_OPERATIONS / each.max(1)).clamp(PROMPT_COUNT_RANGE.0, PROMPT_COUNT_RANGE.1);
            let job = BaselinesJob::new(&prompts, one.run.seed, prompts_read as usize, &[last], &[baseline]);
            Some((at, job))
        };
        let jobs = axis_positions(sweep).into_iter().enumerate().rev().filter_map(job).collect();
        Some(SweepRegression { spec: spec.clone(), baseline, points: vec![], pending_jobs: jobs })
    }

    /// Whether the baseline was measured for the sweep with these settings, so that its R² values can be reused.
    pub fn is_for(&self, spec: &RunSpec) -> bool {
        self.spec == *spec
    }

    /// Whether the baseline is measured for all runs of the sweep.
    pub fn is_done(&self) -> bool {
        self.pending_jobs.is_empty()
    }

    /// Continues the measurements of the linear baseline by about this many operations; true when another run's R² has
    /// just been finished.
    pub fn advance(&mut self, operations: u64) -> bool {
        let Some((at, job)) = self.pending_jobs.last_mut() else { return false };
        let Some(scores) = job.advance(operations) else { return false };
        if let Some(r2) = scores.r2(self.baseline).and_then(|all| all.first().copied()) {
            self.points.push((*at, r2 as f32));
        }
        self.pending_jobs.pop();
        true
    }
}
