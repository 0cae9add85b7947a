//! Networks of one hidden layer on the GPU: whole training loops, many steps per launch.

use std::cell::RefCell;
use std::rc::Rc;

use crate::gpu::batched_runs::{BatchedRuns, MEASURE_GROUPS, plans};
use crate::gpu::example_buffer::words_of;
use crate::gpu::learner::{Candidate, GpuLearner, Waiting};
use vivarium_kernels::plan::{Limits, Plan};
use vivarium_model::run::RunSpec;

/// Our kernels over all replicas of one run, alone or in a batch.
pub type OneHiddenLayerGpu = GpuLearner<BatchedRuns>;

impl OneHiddenLayerGpu {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let (_, mut learners) = OneHiddenLayerGpu::batch(std::slice::from_ref(spec))?;
        learners.pop().ok_or_else(|| "there is no run".into())
    }

    /// A learner for each of the runs, which share their launches.
    ///
    /// # Errors
    /// A sentence that says why they do not fit, or not together.
    pub fn batch(specs: &[RunSpec]) -> Result<(Rc<RefCell<BatchedRuns>>, Vec<Self>), String> {
        Ok(GpuLearner::of(BatchedRuns::new(specs)?, specs))
    }

    /// The division of the work of this run, as if it were alone.
    pub fn plan(&self) -> Plan {
        self.ask(|runs, which| runs.runs[which].plan)
    }
}

/// A run that waits, with its plans for training and for measuring.
struct BatchedCandidate {
    plans: [Plan; 2],
    replicas: usize,
    every: u64,
    bytes: u64,
    limits: Limits,
}

/// A run as one that waits for others.
///
/// # Errors
/// A sentence that says why the network does not fit the kernels or the GPU.
pub fn candidate(spec: &RunSpec, limits: Limits) -> Waiting {
    let plans = plans(spec, limits)?;
    let (replicas, [plan, _]) = (spec.run.replicas, plans);
    // Weights, a snapshot, the one before, and what a network is trained on.
    let each = 3 * plan.network.state() + plan.scratch();
    let bytes = 4 * (replicas as u64 * each as u64 + words_of(spec));
    Ok(Box::new(BatchedCandidate { plans, replicas, every: spec.run.every, bytes, limits }))
}

impl Candidate for BatchedCandidate {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Runs of like size waste least together.
    fn order(&self) -> [usize; 2] {
        [self.plans[0].network.width, self.plans[0].network.inputs]
    }

    fn joins(&self, others: &[&dyn Candidate]) -> bool {
        let others = others.iter().map(|other| other.of::<BatchedCandidate>());
        let Some(mut all) = others.collect::<Option<Vec<_>>>() else { return false };
        all.push(self);
        let shared = |which: usize| {
            let replicas = |run: &Self| if which == 0 { run.replicas } else { MEASURE_GROUPS };
            let members: Vec<(Plan, usize)> =
                all.iter().map(|run| (run.plans[which], replicas(run))).collect();
            Plan::shared(&members, self.limits)
        };
        let own =
            |plan: Plan| all.iter().all(|run| run.plans[0].hidden_in_workgroup == plan.hidden_in_workgroup);
        all.iter().all(|run| run.every == self.every) && shared(0).is_some_and(own) && shared(1).is_some()
    }
}
