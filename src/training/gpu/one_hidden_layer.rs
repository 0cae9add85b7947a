//! The fused learner: whole training loops on the GPU, many steps per launch.
//!
//! # Why
//! A run that trains alone is a [`BatchedRuns`] of one. In a batch of several, whoever asks first has the launch
//! made for all, and the others find what it brought when they ask: a
//! [`Session`](crate::training::session::Session) need not know that it has company, and does with a run of a sweep
//! exactly what it does with a run.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use crate::kernels::plan::Plan;
use crate::models::Parameter;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;
use crate::training::gpu::batched_runs::BatchedRuns;
use crate::training::session::learner::{Learner, Local, Progress, Segment, Weights, split};

/// Our kernels over all replicas of one run, alone or in a batch.
pub struct OneHiddenLayerGpu {
    batch: Rc<RefCell<BatchedRuns>>,
    which: usize,
    shapes: Vec<Parameter>,
    replicas: usize,
    moments: usize,
    plan: Plan,
}

/// A batch that others may make launch.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<BatchedRuns>>);

impl Shared {
    /// Launches what the runs of the batch want next, without waiting for it.
    pub fn launch(&self) {
        if let Ok(mut batch) = self.0.try_borrow_mut() {
            batch.launch_next();
        }
    }

    /// Steps of the next launch, as far as its time goes.
    pub fn steps(&self) -> f64 {
        self.0.try_borrow().map_or(0.0, |batch| batch.sizer.steps)
    }

    /// Networks that the next launch would train.
    pub fn awake(&self) -> usize {
        self.0.try_borrow().map_or(0, |batch| batch.awake())
    }
}

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
    pub fn batch(specs: &[RunSpec]) -> Result<(Shared, Vec<Self>), String> {
        let batch = Rc::new(RefCell::new(BatchedRuns::new(specs)?));
        let learner = |(which, spec): (usize, &RunSpec)| {
            let run = &batch.borrow().runs[which];
            OneHiddenLayerGpu {
                which,
                shapes: spec.parameters(),
                replicas: spec.run.replicas,
                moments: run.plan.network.rule.moments(),
                plan: run.plan,
                batch: batch.clone(),
            }
        };
        let learners = specs.iter().enumerate().map(learner).collect();
        Ok((Shared(batch), learners))
    }

    /// The division of the work of this run, as if it were alone.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The batch. Its runs are asked one after the other, so that nobody else has it.
    fn open(&self) -> Result<RefMut<'_, BatchedRuns>, Failure> {
        self.batch.try_borrow_mut().map_err(|error| Failure::Internal(error.to_string()))
    }

    fn lengths(&self, count: usize) -> Vec<usize> {
        self.shapes.iter().take(count).map(|shape| shape.len() / self.replicas).collect()
    }

    /// Changes the batch; one that is asked by another at the same time is left as it is.
    fn change(&mut self, change: impl FnOnce(&mut BatchedRuns, usize)) {
        if let Ok(mut batch) = self.batch.try_borrow_mut() {
            change(&mut batch, self.which);
        }
    }
}

#[expect(
    clippy::await_holding_refcell_ref,
    reason = "one thread asks the runs of a batch one after the other"
)]
impl Learner for OneHiddenLayerGpu {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move { self.open()?.advance(self.which, segment).await })
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Row> {
        Box::pin(async move { self.open()?.look(self.which, step, held_out).await })
    }

    fn weights(&self) -> Local<'_, Weights> {
        Box::pin(async move {
            let numbers = self.open()?.state_of(self.which, self.replicas).await?;
            let lengths = self.lengths(self.shapes.len());
            Ok(Weights::from_replicas(&numbers, self.replicas, &lengths, self.moments))
        })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        Box::pin(async move {
            // Only the first replica's numbers are read.
            let numbers = self.open()?.state_of(self.which, 1).await?;
            Ok(split(&numbers, self.lengths(count)))
        })
    }

    fn load(&mut self, weights: &Weights) {
        self.change(|batch, which| batch.load(which, weights));
    }

    fn remember(&mut self, step: u64) {
        self.change(|batch, which| batch.remember(which, step));
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move {
            self.open()?.restore(self.which);
            Ok(())
        })
    }

    fn stop_replica(&mut self, replica: usize, row: &Row) {
        self.change(|batch, which| batch.stop_replica(which, replica, row));
    }

    fn end(&mut self) {
        self.change(BatchedRuns::end);
    }
}

impl Drop for OneHiddenLayerGpu {
    fn drop(&mut self) {
        self.change(BatchedRuns::leave);
    }
}
