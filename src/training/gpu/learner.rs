//! The skeleton of the GPU learners: runs that share their launches, and a learner for each of them.
//!
//! # Why
//! A run of a sweep is a few workgroups, and a GPU wants thousands. So what trains on a GPU is always a set of runs, and a
//! run that trains by itself is a set of one. Whoever asks first has the launch made for all, and the others find what it
//! brought when they ask: a [`Session`](crate::session::Session) need not know that it has company, and does
//! with a run of a sweep exactly what it does with a run. What a run comes to does not depend on its company, bit for bit.
//!
//! Two kinds of sets exist. [`BatchedRuns`](super::batched_runs::BatchedRuns) trains networks of one hidden layer that may
//! differ in their sizes, with a snapshot of the weights wherever something is measured.
//! [`SlicedRuns`](super::sliced_runs::SlicedRuns) trains any family of larger networks, those of one set all of one shape.

use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use crate::session::learner::{Learner, Local, Progress, Segment, Weights, split};
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Runs that train together on the GPU that has been opened; each is named by its number in the set.
pub trait SharedRuns: Sized + 'static {
    /// What run `who` asks for next; others that can come along do.
    fn advance(
        &mut self,
        who: usize,
        segment: &Segment<'_>,
    ) -> impl Future<Output = Result<Progress, RunError>>;

    /// Measures `who` where it stands, or as it was at a step of the last launch.
    fn look(
        &mut self,
        who: usize,
        step: u64,
        held_out: usize,
    ) -> impl Future<Output = Result<Measurement, RunError>>;

    /// The first `count` numbers of the state of `who`: of each replica the parameters, then their moments.
    fn state_of(&self, who: usize, count: usize) -> impl Future<Output = Result<Vec<f32>, RunError>>;

    /// Replaces the weights of `who`, and remembers them.
    fn load(&mut self, who: usize, weights: &Weights);

    /// Remembers the weights of `who` at a step of the last launch.
    fn remember(&mut self, who: usize, step: u64);

    /// Takes `who` back to what was remembered.
    fn restore(&mut self, who: usize) -> impl Future<Output = Result<(), RunError>>;

    /// Network `replica` of `who` need not be trained beyond the step of `row`.
    fn stop_replica(&mut self, _who: usize, _replica: usize, _row: &Measurement) {}

    /// Launches for others leave `who` where it is from now on.
    fn detach(&mut self, who: usize);

    /// Nobody asks for more of `who`; what it could go back to stays where somebody may still want it.
    fn end(&mut self, who: usize);

    /// Nobody will ever ask for `who` again.
    fn leave(&mut self, who: usize);

    /// Launches what comes next, if anybody wants anything, without waiting for it; where that can be.
    fn launch_next(&mut self) {}

    /// Steps of the next launch, as far as its time goes.
    fn steps(&self) -> f64;

    /// Networks that the next launch would train.
    fn awake(&self) -> usize;
}

/// A set of runs as the queue of a sweep sees it.
pub trait Company {
    /// Launches what its runs want next, without waiting for it.
    fn launch(&self);

    /// Steps of the next launch, as far as its time goes.
    fn steps(&self) -> f64;

    /// Networks that the next launch would train.
    fn awake(&self) -> usize;
}

impl<R: SharedRuns> Company for RefCell<R> {
    fn launch(&self) {
        if let Ok(mut runs) = self.try_borrow_mut() {
            runs.launch_next();
        }
    }

    fn steps(&self) -> f64 {
        self.try_borrow().map_or(0.0, |runs| runs.steps())
    }

    fn awake(&self) -> usize {
        self.try_borrow().map_or(0, |runs| runs.awake())
    }
}

/// A run that waits for others to train with.
pub trait Candidate: Any {
    /// Bytes that it takes on the GPU, roughly.
    fn bytes(&self) -> u64;

    /// By what runs are sorted before they are batched: those with like numbers go well together.
    fn order(&self) -> [usize; 2];

    /// Whether it can train together with all of these.
    fn joins(&self, others: &[&dyn Candidate]) -> bool;
}

impl dyn Candidate {
    /// The candidate as one of its family, if it is of that.
    pub fn of<C: Candidate>(&self) -> Option<&C> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A run as one that waits for others; or a sentence that says why it trains by itself.
pub type Waiting = Result<Box<dyn Candidate>, String>;

/// A set of runs, with their learners in the order of the runs.
pub struct Batch {
    /// The set.
    pub company: Rc<dyn Company>,
    /// Their learners.
    pub learners: Vec<Box<dyn Learner>>,
    /// Their name for the person.
    pub name: &'static str,
}

/// The learner of one run of a set.
pub struct GpuLearner<R: SharedRuns> {
    runs: Rc<RefCell<R>>,
    which: usize,
    /// Numbers of each parameter of one replica.
    lengths: Vec<usize>,
    replicas: usize,
    moments: usize,
}

impl<R: SharedRuns> GpuLearner<R> {
    /// A learner for each of these runs, which `runs` trains in this order.
    pub fn of(runs: R, specs: &[RunSpec]) -> (Rc<RefCell<R>>, Vec<Self>) {
        let runs = Rc::new(RefCell::new(runs));
        let learner = |(which, spec): (usize, &RunSpec)| {
            let replicas = spec.run.replicas;
            GpuLearner {
                which,
                lengths: spec.parameters().iter().map(|p| p.len() / replicas).collect(),
                replicas,
                moments: spec.optimizer.moment_count(),
                runs: runs.clone(),
            }
        };
        let learners = specs.iter().enumerate().map(learner).collect();
        (runs, learners)
    }

    /// As [`GpuLearner::of`], for whoever does not ask which family it is; `name` is what the person reads.
    pub fn boxed(runs: R, specs: &[RunSpec], name: &'static str) -> Batch {
        let (company, learners) = GpuLearner::of(runs, specs);
        let learners = learners.into_iter().map(|learner| Box::new(learner) as Box<dyn Learner>).collect();
        Batch { company, learners, name }
    }

    /// Asks the set something.
    pub(super) fn ask<T>(&self, question: impl FnOnce(&R, usize) -> T) -> T {
        question(&self.runs.borrow(), self.which)
    }

    /// The set. Its runs are asked one after the other, so that nobody else has it.
    fn open(&self) -> Result<RefMut<'_, R>, RunError> {
        self.runs.try_borrow_mut().map_err(|error| RunError::Internal(error.to_string()))
    }

    /// Changes the set; one that is asked by another at the same time is left as it is.
    fn change(&mut self, change: impl FnOnce(&mut R, usize)) {
        if let Ok(mut runs) = self.runs.try_borrow_mut() {
            change(&mut runs, self.which);
        }
    }
}

#[expect(clippy::await_holding_refcell_ref, reason = "one thread asks the runs of a set one after the other")]
impl<R: SharedRuns> Learner for GpuLearner<R> {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move { self.open()?.advance(self.which, segment).await })
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Measurement> {
        Box::pin(async move { self.open()?.look(self.which, step, held_out).await })
    }

    fn weights(&self) -> Local<'_, Weights> {
        Box::pin(async move {
            let one = self.lengths.iter().sum::<usize>() * (1 + self.moments);
            let numbers = self.open()?.state_of(self.which, self.replicas * one).await?;
            Ok(Weights::from_replicas(&numbers, self.replicas, &self.lengths, self.moments))
        })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        Box::pin(async move {
            let lengths: Vec<usize> = self.lengths.iter().take(count).copied().collect();
            let numbers = self.open()?.state_of(self.which, lengths.iter().sum()).await?;
            Ok(split(&numbers, lengths))
        })
    }

    fn load(&mut self, weights: &Weights) {
        self.change(|runs, which| runs.load(which, weights));
    }

    fn remember(&mut self, step: u64) {
        self.change(|runs, which| runs.remember(which, step));
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move { self.open()?.restore(self.which).await })
    }

    fn stop_replica(&mut self, replica: usize, row: &Measurement) {
        self.change(|runs, which| runs.stop_replica(which, replica, row));
    }

    fn detach(&mut self) {
        self.change(R::detach);
    }

    fn end(&mut self) {
        self.change(R::end);
    }
}

impl<R: SharedRuns> Drop for GpuLearner<R> {
    fn drop(&mut self) {
        self.change(R::leave);
    }
}
