//! The GPU's learner of networks on pairs: the kernels of [`crate::kernels::group_net`].
//!
//! # Why
//! A slice of steps is enqueued at once and read back once with all its measurements; the weights stay where they
//! are. Where a run ends at a measurement in the middle of a slice, or diverges after it, the weights of that
//! measurement are made again: from a state that was read back a moment before, by the same steps, which give the
//! same numbers. That is rare, and it spares every other slice a copy.

use crate::kernels::group_net::plan::Variant;
use crate::kernels::group_net::{GroupNet, Others, Record, Shape, Weights as Start};
use crate::models::Parameter;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;
use crate::training::session::learner::{Learner, Local, Progress, Segment, Weights, split};
use crate::training::session::pairs::{Examples, Measured, covered, lambda, next_change, note};
use crate::training::session::rollback::RollbackBuffer;

/// Our kernels over all replicas.
pub struct GroupNetGpu {
    /// The run, with the learning rates set so far.
    spec: RunSpec,
    shapes: Vec<Parameter>,
    net: GroupNet,
    held_out: Option<Others>,
    rollback: RollbackBuffer,
}

impl GroupNetGpu {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        fits(spec)?;
        let net = covered(spec)?;
        let shape = Shape {
            order: spec.task.sampler().inputs(),
            neurons: net.width,
            sigma: net.sigma,
            nu: net.exponent,
            lambda: net.lambda_at(0),
            optimizer: spec.optimizer.clone(),
            replicas: spec.run.replicas,
            variant: None,
        };
        let (trained, held_out) = (Examples::trained(spec), Examples::held_out(spec));
        let [u, v, w] = spec.initial().try_into().map_err(|_| "it has other parameters".to_string())?;
        let net = GroupNet::new(shape, &trained.pairs, &trained.labels, &Start { u, v, w })?;
        let held_out = held_out.map(|others| net.others(&others.pairs, &others.labels)).transpose()?;
        let mut learner = GroupNetGpu {
            spec: spec.clone(),
            shapes: spec.parameters(),
            net,
            held_out,
            rollback: RollbackBuffer::new(),
        };
        let parameters = spec.initial();
        let moments = learner.shapes.iter().map(|p| vec![vec![0.0; p.len()]; spec.optimizer.moments()]);
        let moments = moments.collect();
        learner.load(&Weights { parameters, moments });
        Ok(learner)
    }

    /// Who makes a step.
    pub fn variant(&self) -> Variant {
        self.net.plan().variant
    }

    /// Rate and λ of `step`, which hold to the next change.
    fn adjust(&mut self, step: u64) {
        self.net.adjust(self.spec.learning_rate(step), f64::from(lambda(&self.spec, step)));
    }

    /// The first step after `step` from which on a slice needs other numbers.
    fn change(&self, step: u64) -> u64 {
        covered(&self.spec).ok().and_then(|net| next_change(&self.spec, net, step)).unwrap_or(u64::MAX)
    }

    async fn run(&mut self, segment: &Segment<'_>) -> Result<Progress, Failure> {
        self.spec.run.schedule.clone_from(&segment.spec.run.schedule);
        self.stand(segment.from);
        if self.rollback.wants_state() {
            self.rollback.save(segment.from, self.net.save().await?);
        }
        self.net.set_recorded(segment.measured);
        self.adjust(segment.from);
        let every = segment.spec.run.every;
        let mut until = segment.until.min(self.change(segment.from)).max(segment.from);
        if self.held_out.is_some() {
            // Held-out pairs are asked about where a slice begins.
            until = until.min((segment.from + 1).next_multiple_of(every));
        }
        if segment.due(segment.from)
            && (self.held_out.is_some() || until == segment.from || segment.from >= segment.last)
        {
            let row = self.look().await?;
            self.rollback.recent = vec![row.clone()];
            return Ok(Progress { step: segment.from, rows: vec![row] });
        }
        let records = self.net.approach(until, every, false).await?;
        let rows: Vec<Row> = records.iter().map(|record| row(record, None)).collect();
        self.rollback.recent.clone_from(&rows);
        Ok(Progress { step: self.net.step(), rows })
    }

    /// Takes it that the weights are those of `step`, which only a run that is taken up again must be told.
    fn stand(&mut self, step: u64) {
        if self.net.step() != step {
            self.net.set_step(step);
            self.rollback.stand(step);
        }
    }

    /// Measures where the network stands.
    async fn look(&mut self) -> Result<Row, Failure> {
        self.net.set_recorded(None);
        let here = self.net.step();
        let records = self.net.approach(here, 1, true).await?;
        let held_out = match &self.held_out {
            Some(others) => Some(self.net.ask(others).await?),
            None => None,
        };
        let record = records.first();
        record.map(|record| row(record, held_out.as_ref())).ok_or_else(|| {
            Failure::Internal("a network on the GPU could not be measured where it stands".into())
        })
    }

    /// Trains from where the network stands to `step`, without measuring.
    async fn replay(&mut self, step: u64) -> Result<(), Failure> {
        while self.net.step() < step {
            let from = self.net.step();
            self.adjust(from);
            self.net.approach(step.min(self.change(from)), u64::MAX, false).await?;
        }
        Ok(())
    }
}

/// Whether kernels cover the run.
///
/// # Errors
/// A sentence for the person.
pub fn fits(spec: &RunSpec) -> Result<(), String> {
    covered(spec)?;
    match Some(spec.batch()) == spec.task.sampler().sample_size() {
        true => Ok(()),
        false => Err("a step takes a part of the sample".into()),
    }
}

/// A measurement of all replicas; where nothing is held out, it is on what is trained on.
fn row(record: &Record, held_out: Option<&Record>) -> Row {
    let mut row = Row { step: record.step, ..Default::default() };
    for r in 0..record.loss.len() {
        let of = |record: &Record| Measured { loss: record.loss[r], accuracy: record.accuracy[r] };
        note(&mut row, of(record), record.margin[r] / record.norms[r], of(held_out.unwrap_or(record)));
    }
    row
}

impl Learner for GroupNetGpu {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(self.run(segment))
    }

    fn measure(&mut self, step: u64, _held_out: usize) -> Local<'_, Row> {
        Box::pin(async move {
            match self.rollback.measured(step) {
                Some(row) if step != self.net.step() => Ok(row.clone()),
                _ => {
                    self.stand(step);
                    self.look().await
                }
            }
        })
    }

    fn weights(&self) -> Local<'_, Weights> {
        Box::pin(async move {
            let state = self.net.save().await?;
            let replicas = self.spec.run.replicas;
            let moments = self.spec.optimizer.moments();
            let lengths: Vec<usize> = self.shapes.iter().map(|p| p.len() / replicas).collect();
            Ok(Weights::from_replicas(&state, replicas, &lengths, moments))
        })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        Box::pin(async move {
            let replicas = self.spec.run.replicas;
            let first = self.net.save_first().await?;
            Ok(split(&first, self.shapes.iter().take(count).map(|p| p.len() / replicas)))
        })
    }

    fn load(&mut self, weights: &Weights) {
        let state = weights.by_replica(self.spec.run.replicas, self.spec.optimizer.moments());
        self.net.put(&state, self.net.step());
        self.rollback.begin(self.net.step(), state);
    }

    fn remember(&mut self, step: u64) {
        self.rollback.remember(step);
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move {
            let (state, from, to) = self.rollback.go_back();
            self.net.put(state, from);
            self.replay(to).await
        })
    }
}
