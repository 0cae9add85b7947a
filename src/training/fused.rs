//! The fused learner: whole training loops on the GPU, many steps per launch.
//!
//! # Why
//! A run that trains alone is a [`Pack`] of one. In a pack of several, whoever asks first has the launch made for all,
//! and the others find what it brought when they ask: a [`Session`](super::session::Session) need not know that it
//! has company, and does with a cell of a sweep exactly what it does with a run.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use super::learner::{Learner, Leg, Local, Progress, Weights, split};
use super::pack::Pack;
use crate::kernels::plan::Plan;
use crate::models::Parameter;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;

/// Our kernels over all replicas of one run, alone or in a pack.
pub struct Fused {
    pack: Rc<RefCell<Pack>>,
    which: usize,
    shapes: Vec<Parameter>,
    replicas: usize,
    moments: usize,
    plan: Plan,
}

/// A pack that others may make launch.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<Pack>>);

impl Shared {
    /// Launches what the runs of the pack want next, without waiting for it.
    pub fn launch(&self) {
        if let Ok(mut pack) = self.0.try_borrow_mut() {
            pack.launch_next();
        }
    }

    /// Steps of the next launch, as far as its time goes.
    pub fn steps(&self) -> f64 {
        self.0.try_borrow().map_or(0.0, |pack| pack.pace.steps)
    }

    /// Networks that the next launch would train.
    pub fn awake(&self) -> usize {
        self.0.try_borrow().map_or(0, |pack| pack.awake())
    }
}

impl Fused {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let (_, mut learners) = Fused::pack(std::slice::from_ref(spec))?;
        learners.pop().ok_or_else(|| "there is no run".into())
    }

    /// A learner for each of the runs, which share their launches.
    ///
    /// # Errors
    /// A sentence that says why they do not fit, or not together.
    pub fn pack(specs: &[RunSpec]) -> Result<(Shared, Vec<Self>), String> {
        let pack = Rc::new(RefCell::new(Pack::new(specs)?));
        let learner = |(which, spec): (usize, &RunSpec)| {
            let cell = &pack.borrow().cells[which];
            Fused {
                which,
                shapes: spec.parameters(),
                replicas: spec.run.replicas,
                moments: cell.plan.network.rule.moments(),
                plan: cell.plan,
                pack: pack.clone(),
            }
        };
        let learners = specs.iter().enumerate().map(learner).collect();
        Ok((Shared(pack), learners))
    }

    /// The division of the work of this run, as if it were alone.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The pack. Its runs are asked one after the other, so that nobody else has it.
    fn open(&self) -> Result<RefMut<'_, Pack>, Failure> {
        self.pack.try_borrow_mut().map_err(|error| Failure::Internal(error.to_string()))
    }

    fn lengths(&self, count: usize) -> Vec<usize> {
        self.shapes.iter().take(count).map(|shape| shape.len() / self.replicas).collect()
    }

    /// Changes the pack; one that is asked by another at the same time is left as it is.
    fn change(&mut self, change: impl FnOnce(&mut Pack, usize)) {
        if let Ok(mut pack) = self.pack.try_borrow_mut() {
            change(&mut pack, self.which);
        }
    }
}

#[expect(
    clippy::await_holding_refcell_ref,
    reason = "one thread asks the runs of a pack one after the other"
)]
impl Learner for Fused {
    fn advance<'a>(&'a mut self, leg: &'a Leg<'a>) -> Local<'a, Progress> {
        Box::pin(async move { self.open()?.advance(self.which, leg).await })
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
        self.change(|pack, which| pack.load(which, weights));
    }

    fn remember(&mut self, step: u64) {
        self.change(|pack, which| pack.remember(which, step));
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move {
            self.open()?.restore(self.which);
            Ok(())
        })
    }

    fn rest(&mut self, replica: usize, row: &Row) {
        self.change(|pack, which| pack.rest(which, replica, row));
    }

    fn end(&mut self) {
        self.change(Pack::end);
    }
}

impl Drop for Fused {
    fn drop(&mut self) {
        self.change(Pack::leave);
    }
}
