//! The GPU's learner of networks on sequences: the kernels of [`crate::kernels::sequence_net`].
//!
//! A slice of steps is enqueued at once and read back once with all its measurements; what has to be made again, is, from a
//! state that was read back a moment before, as in [`super::pair_kernels`].

use super::judge::Judge;
use super::learner::{Learner, Leg, Local, Progress, Weights, split};
use super::past::Past;
use crate::kernels::sequence_lanes::Answers;
use crate::kernels::sequence_net::{Record, SequenceNet};
use crate::models::Parameter;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;

/// Our kernels over all replicas.
pub struct SequenceKernels {
    /// The run, with the learning rates set so far.
    spec: RunSpec,
    shapes: Vec<Parameter>,
    net: SequenceNet,
    judge: Judge,
    /// Heads of each layer.
    layers: Vec<usize>,
    past: Past,
}

impl SequenceKernels {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let mut net = SequenceNet::new(spec)?;
        let judge = Judge::new(spec).ok_or("its examples are no sequences")?;
        net.question(judge.contexts(), judge.scored());
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; spec.optimizer.moments()]).collect();
        let mut learner = SequenceKernels {
            spec: spec.clone(),
            shapes,
            layers: net.plan().network.heads(),
            net,
            judge,
            past: Past::new(),
        };
        learner.load(&Weights { parameters: spec.initial(), moments });
        Ok(learner)
    }

    async fn run(&mut self, leg: &Leg<'_>) -> Result<Progress, Failure> {
        self.spec.run.schedule.clone_from(&leg.spec.run.schedule);
        self.stand(leg.from);
        if self.past.wants_state() {
            self.past.save(leg.from, self.net.save().await?);
        }
        self.net.set_recorded(leg.measured);
        let until = leg.until.max(leg.from);
        if leg.due(leg.from) && (until == leg.from || leg.from >= leg.last) {
            let row = self.look().await?;
            self.past.recent = vec![row.clone()];
            return Ok(Progress { step: leg.from, rows: vec![row] });
        }
        let records = self.net.approach(&self.spec, until, leg.spec.run.every, false).await?;
        let rows: Vec<Row> = records.into_iter().map(|record| self.row(record)).collect();
        self.past.recent.clone_from(&rows);
        Ok(Progress { step: self.net.step(), rows })
    }

    /// Takes it that the weights are those of `step`, which only a run that is taken up again must be told.
    fn stand(&mut self, step: u64) {
        if self.net.step() != step {
            self.net.set_step(step);
            self.past.stand(step);
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

    /// A measurement of all replicas, by the judge.
    fn row(&self, record: Record) -> Row {
        let mut row = Row {
            step: record.step,
            train_loss: record.loss,
            train_accuracy: record.accuracy,
            ..Default::default()
        };
        for (logits, heads) in record.logits.into_iter().zip(record.heads) {
            let verdict = self.judge.verdict(&Answers { logits, heads, layers: self.layers.clone() });
            row.test_loss.push(verdict.kl);
            row.test_accuracy.push(verdict.way);
            row.measures.resize(verdict.measures.len(), vec![]);
            for (all, one) in row.measures.iter_mut().zip(verdict.measures) {
                all.extend(one);
            }
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

impl Learner for SequenceKernels {
    fn advance<'a>(&'a mut self, leg: &'a Leg<'a>) -> Local<'a, Progress> {
        Box::pin(self.run(leg))
    }

    fn measure(&mut self, step: u64, _held_out: usize) -> Local<'_, Row> {
        Box::pin(async move {
            match self.past.measured(step) {
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
        self.past.begin(self.net.step(), state);
    }

    fn remember(&mut self, step: u64) {
        self.past.remember(step);
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move {
            let (state, from, to) = self.past.go_back();
            self.net.put(state, from);
            self.replay(to).await
        })
    }
}
