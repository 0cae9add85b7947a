//! The GPU's learner of networks on sequences: the kernels of [`crate::kernels::sequence_net`].
//!
//! A slice of steps is enqueued at once and read back once with all its measurements; what has to be made again, is, from a
//! state that was read back a moment before, as in [`crate::training::gpu::group_net`].

use crate::kernels::cpu::sequence_net::Answers;
use crate::kernels::sequence_net::{Record, SequenceNet};
use crate::models::Parameter;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;
use crate::training::session::evaluator::Evaluator;
use crate::training::session::learner::{Learner, Local, Progress, Segment, Weights, split};
use crate::training::session::rollback::RollbackBuffer;

/// Our kernels over all replicas.
pub struct SequenceNetGpu {
    /// The run, with the learning rates set so far.
    spec: RunSpec,
    shapes: Vec<Parameter>,
    net: SequenceNet,
    evaluator: Evaluator,
    /// Heads of each layer.
    layers: Vec<usize>,
    rollback: RollbackBuffer,
}

impl SequenceNetGpu {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let mut net = SequenceNet::new(spec)?;
        let evaluator = Evaluator::new(spec).ok_or("its examples are no sequences")?;
        net.question(evaluator.contexts(), evaluator.scored());
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; spec.optimizer.moments()]).collect();
        let mut learner = SequenceNetGpu {
            spec: spec.clone(),
            shapes,
            layers: net.plan().network.heads(),
            net,
            evaluator,
            rollback: RollbackBuffer::new(),
        };
        learner.load(&Weights { parameters: spec.initial(), moments });
        Ok(learner)
    }

    async fn run(&mut self, segment: &Segment<'_>) -> Result<Progress, Failure> {
        self.spec.run.schedule.clone_from(&segment.spec.run.schedule);
        self.stand(segment.from);
        if self.rollback.wants_state() {
            self.rollback.save(segment.from, self.net.save().await?);
        }
        self.net.set_recorded(segment.measured);
        let until = segment.until.max(segment.from);
        if segment.due(segment.from) && (until == segment.from || segment.from >= segment.last) {
            let row = self.look().await?;
            self.rollback.recent = vec![row.clone()];
            return Ok(Progress { step: segment.from, rows: vec![row] });
        }
        let records = self.net.approach(&self.spec, until, segment.spec.run.every, false).await?;
        let rows: Vec<Row> = records.into_iter().map(|record| self.row(record)).collect();
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
        let records = self.net.approach(&self.spec, here, 1, true).await?;
        match records.into_iter().next() {
            Some(record) => Ok(self.row(record)),
            None => {
                Err(Failure::Internal("a network on the GPU could not be measured where it stands".into()))
            }
        }
    }

    /// A measurement of all replicas, by the evaluator.
    fn row(&self, record: Record) -> Row {
        let mut row = Row {
            step: record.step,
            train_loss: record.loss,
            train_accuracy: record.accuracy,
            ..Default::default()
        };
        for (logits, heads) in record.logits.into_iter().zip(record.heads) {
            let evaluation = self.evaluator.evaluate(&Answers { logits, heads, layers: self.layers.clone() });
            evaluation.append_to(&mut row);
        }
        row
    }

    /// Trains from where the network stands to `step`, without measuring.
    async fn replay(&mut self, step: u64) -> Result<(), Failure> {
        while self.net.step() < step {
            // The state that is gone back to may itself be due.
            self.net.set_recorded(Some(self.net.step()));
            self.net.approach(&self.spec, step, u64::MAX, false).await?;
        }
        Ok(())
    }
}

impl Learner for SequenceNetGpu {
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
