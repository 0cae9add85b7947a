//! Processes: what a run executes, searches or grows step by step on the processor, without gradients.
//!
//! # Why
//! Transport, links, sweeps and files work with any learner, so a process gets the learner of networks that are trained. A
//! process itself has steps, measurements and a state that is saved and loaded, and nothing else; [`Executed`] adds what the
//! learner expects of training besides: batches, of which a process has none, and the moments of an optimizer, which are zeros.

use super::learner::{CpuLearner, CpuNetwork};
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Learner that steps all replicas of a process on the processor.
pub type ProcessLearner<P> = CpuLearner<Executed<P>>;

/// A process in all replicas of a run: something that is executed or searched step by step, without gradients.
pub trait Process: Sized + Send {
    /// State of one replica.
    type State: Clone + Send + Sync;

    /// The process of `spec`, and the state of a replica before its arrays are [loaded](Process::load).
    ///
    /// # Errors
    /// A sentence that says why the run has no such process.
    fn new(spec: &RunSpec) -> Result<(Self, Self::State), String>;

    /// Makes one step: `at` is the number of the replica and the number of the step.
    fn step(&mut self, state: &mut Self::State, spec: &RunSpec, at: (usize, u64));

    /// Computes again, until the deadline in milliseconds of [`vivarium_model::platform::now_ms`], what replica number `replica`
    /// needs in its state and what is not in the arrays. Returns whether it is complete; a step or a measurement computes the
    /// rest without a deadline.
    fn catch_up(&mut self, _state: &Self::State, _replica: usize, _deadline_ms: f64) -> bool {
        true
    }

    /// Prepares the examples on which all replicas are measured: at least `held_out` held-out examples.
    fn prepare_measure(&mut self, _held_out: usize) {}

    /// Appends the measurements of a replica before a step: `at` is the number of the replica and the number of the step.
    fn measure(&mut self, state: &mut Self::State, at: (usize, u64), held_out: usize, row: &mut Measurement);

    /// Error that ended the process, if there was one.
    fn failure(&self) -> Option<RunError> {
        None
    }

    /// Array number `which` of the state, in the order and the shapes of
    /// [`Architecture::parameters`](vivarium_model::models::Architecture::parameters) for one replica.
    fn save(state: &Self::State, which: usize) -> Vec<f32>;

    /// Replaces array number `which` of the state by `values`, which have the length of those that [`Process::save`] returns.
    fn load(state: &mut Self::State, which: usize, values: &[f32]);
}

/// A process in the form that [`CpuLearner`] takes.
pub struct Executed<P> {
    /// The process of all replicas.
    pub(crate) process: P,
    /// Number of the replica that makes the next step.
    replica: usize,
}

/// One replica of a process.
pub struct ProcessReplica<P: Process> {
    /// State of the replica.
    pub(crate) state: P::State,
}

impl<P: Process> Clone for ProcessReplica<P> {
    fn clone(&self) -> Self {
        ProcessReplica { state: self.state.clone() }
    }
}

impl<P: Process> ReplicaState for ProcessReplica<P> {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        let array = P::save(&self.state, which);
        // The parts after the first are moments of an optimizer, which a process does not have.
        if part == 0 { array } else { vec![0.0; array.len()] }
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        if part == 0 {
            P::load(&mut self.state, which, values);
        }
    }

    fn copy(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
    }
}

impl<P: Process> CpuNetwork for Executed<P> {
    type Replica = ProcessReplica<P>;

    fn new(spec: &RunSpec) -> Result<(Self, ProcessReplica<P>), String> {
        let (process, state) = P::new(spec)?;
        Ok((Executed { process, replica: 0 }, ProcessReplica { state }))
    }

    /// A process has no batches; the number of the replica is for the step that follows.
    fn draw(&mut self, _spec: &RunSpec, number: usize, _step: u64) {
        self.replica = number;
    }

    fn step(&mut self, replica: &mut ProcessReplica<P>, spec: &RunSpec, step: u64, _update: &Update) {
        self.process.step(&mut replica.state, spec, (self.replica, step));
    }

    fn catch_up(&mut self, replica: &ProcessReplica<P>, number: usize, deadline_ms: f64) -> bool {
        self.process.catch_up(&replica.state, number, deadline_ms)
    }

    fn prepare_measure(&mut self, held_out: usize) {
        self.process.prepare_measure(held_out);
    }

    fn measure(
        &mut self,
        replica: &mut ProcessReplica<P>,
        number: usize,
        step: u64,
        held_out: usize,
        row: &mut Measurement,
    ) {
        self.process.measure(&mut replica.state, (number, step), held_out, row);
    }

    fn failure(&self) -> Option<RunError> {
        self.process.failure()
    }
}
