//! The skeleton of the GPU learners that train slice by slice, all replicas of a run together.
//!
//! # Why
//! A slice of steps is enqueued at once and read back once with all its measurements; the weights stay where they
//! are. Where a run ends at a measurement in the middle of a slice, or diverges after it, the weights of that
//! measurement are made again: from a state that was read back a moment before, by the same steps, which give the
//! same numbers. That is rare, and it spares every other slice a copy.

use crate::kernels::slices::Slices;
use crate::models::Parameter;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;
use crate::training::session::learner::{Learner, Local, Progress, Segment, Weights, split};
use crate::training::session::rollback::RollbackBuffer;

/// A family of networks with its kernels and examples: what differs between these learners.
pub trait GpuNetwork: Sized {
    /// What launches measure before a step.
    type Record;

    /// The network of `spec`, whose weights are put there later, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    fn new(spec: &RunSpec) -> Result<Self, String>;

    /// Its state on the GPU, and how far it has been trained.
    fn slices(&self) -> &Slices;

    /// As [`GpuNetwork::slices`].
    fn slices_mut(&mut self) -> &mut Slices;

    /// Puts the network where [`Slices::save`] found one after `step` steps.
    fn put(&mut self, state: &[f32], step: u64);

    /// The step after `step` up to which a slice can go, because what it is launched with holds so far.
    fn slice_end(&self, _spec: &RunSpec, _step: u64) -> u64 {
        u64::MAX
    }

    /// Whether held-out examples are measured by launches of their own, where a slice begins.
    fn measures_apart(&self) -> bool {
        false
    }

    /// Makes one slice of steps towards step `last` and measures before each of them that `every` divides, unless
    /// that has been measured before; with `look` the end too, if it is reached.
    fn train(
        &mut self,
        spec: &RunSpec,
        last: u64,
        every: u64,
        look: bool,
    ) -> impl Future<Output = Result<Vec<Self::Record>, Failure>>;

    /// Measures held-out examples where the network stands, if they are [measured apart](GpuNetwork::measures_apart).
    fn measure_apart(&mut self) -> impl Future<Output = Result<Option<Self::Record>, Failure>> {
        async { Ok(None) }
    }

    /// The measurements of all replicas, with those that were made apart.
    fn row(&self, record: Self::Record, apart: Option<Self::Record>) -> Row;
}

/// Trains all replicas of one run with the kernels of its family.
pub struct GpuLearner<N: GpuNetwork> {
    /// The run, with the learning rates set so far.
    spec: RunSpec,
    shapes: Vec<Parameter>,
    pub(super) network: N,
    rollback: RollbackBuffer,
}

impl<N: GpuNetwork> GpuLearner<N> {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let network = N::new(spec)?;
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; spec.optimizer.moments()]).collect();
        let mut learner = GpuLearner { spec: spec.clone(), shapes, network, rollback: RollbackBuffer::new() };
        learner.load(&Weights { parameters: spec.initial(), moments });
        Ok(learner)
    }

    fn step(&self) -> u64 {
        self.network.slices().step()
    }

    async fn advance_slice(&mut self, segment: &Segment<'_>) -> Result<Progress, Failure> {
        self.spec.run.schedule.clone_from(&segment.spec.run.schedule);
        self.stand(segment.from);
        if self.rollback.wants_state() {
            self.rollback.save(segment.from, self.network.slices().save().await?);
        }
        self.network.slices_mut().set_recorded(segment.measured);
        let (every, apart) = (segment.spec.run.every, self.network.measures_apart());
        let end = self.network.slice_end(&self.spec, segment.from);
        let mut until = segment.until.min(end).max(segment.from);
        if apart {
            until = until.min((segment.from + 1).next_multiple_of(every));
        }
        let is_end = until == segment.from || segment.from >= segment.last;
        if segment.due(segment.from) && (apart || is_end) {
            let row = self.look().await?;
            self.rollback.recent = vec![row.clone()];
            return Ok(Progress { step: segment.from, rows: vec![row] });
        }
        let records = self.network.train(&self.spec, until, every, false).await?;
        let rows: Vec<Row> = records.into_iter().map(|record| self.network.row(record, None)).collect();
        self.rollback.recent.clone_from(&rows);
        Ok(Progress { step: self.step(), rows })
    }

    /// Takes it that the weights are those of `step`, which only a run that is taken up again must be told.
    fn stand(&mut self, step: u64) {
        if self.step() != step {
            self.network.slices_mut().set_step(step);
            self.rollback.stand(step);
        }
    }

    /// Measures where the network stands.
    async fn look(&mut self) -> Result<Row, Failure> {
        self.network.slices_mut().set_recorded(None);
        let here = self.step();
        let records = self.network.train(&self.spec, here, 1, true).await?;
        let apart = self.network.measure_apart().await?;
        let record = records.into_iter().next();
        record.map(|record| self.network.row(record, apart)).ok_or_else(|| {
            Failure::Internal("a network on the GPU could not be measured where it stands".into())
        })
    }

    /// Trains from where the network stands to `step`, without measuring.
    async fn replay(&mut self, step: u64) -> Result<(), Failure> {
        while self.step() < step {
            let from = self.step();
            let until = step.min(self.network.slice_end(&self.spec, from));
            // The state that is gone back to may itself be due.
            self.network.slices_mut().set_recorded(Some(from));
            self.network.train(&self.spec, until, u64::MAX, false).await?;
        }
        Ok(())
    }

    /// Numbers of each of the first `count` parameters of one replica.
    fn lengths(&self, count: usize) -> Vec<usize> {
        self.shapes.iter().take(count).map(|p| p.len() / self.spec.run.replicas).collect()
    }
}

impl<N: GpuNetwork> Learner for GpuLearner<N> {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(self.advance_slice(segment))
    }

    fn measure(&mut self, step: u64, _held_out: usize) -> Local<'_, Row> {
        Box::pin(async move {
            match self.rollback.measured(step) {
                Some(row) if step != self.step() => Ok(row.clone()),
                _ => {
                    self.stand(step);
                    self.look().await
                }
            }
        })
    }

    fn weights(&self) -> Local<'_, Weights> {
        Box::pin(async move {
            let state = self.network.slices().save().await?;
            let (replicas, moments) = (self.spec.run.replicas, self.spec.optimizer.moments());
            Ok(Weights::from_replicas(&state, replicas, &self.lengths(self.shapes.len()), moments))
        })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        Box::pin(async move {
            let first = self.network.slices().save_first().await?;
            Ok(split(&first, self.lengths(count)))
        })
    }

    fn load(&mut self, weights: &Weights) {
        let state = weights.by_replica(self.spec.run.replicas, self.spec.optimizer.moments());
        let step = self.step();
        self.network.put(&state, step);
        self.rollback.begin(step, state);
    }

    fn remember(&mut self, step: u64) {
        self.rollback.remember(step);
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move {
            let (state, from, to) = self.rollback.go_back();
            self.network.put(state, from);
            self.replay(to).await
        })
    }
}
