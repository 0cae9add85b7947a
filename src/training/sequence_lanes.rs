//! The processor's learner of networks on sequences: the loops of [`crate::kernels::sequence_lanes`] over all replicas.
//!
//! Replicas take turns of many steps, as in [`super::lanes`].

use super::judge::Judge;
use super::learner::{Learner, Leg, Local, Progress, Weights};
use super::pace::Looks;
use crate::kernels::sequence_lanes::{Network, Push, Replica, Scratch, answers};
use crate::models::Parameter;
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::tasks::Task;
use crate::tasks::markov::MarkovChain;

/// Our loops over all replicas.
pub struct SequenceLanes {
    spec: RunSpec,
    task: MarkovChain,
    network: Network,
    shapes: Vec<Parameter>,
    judge: Judge,
    /// The sequences of one step.
    batch: Vec<u8>,
    replicas: Vec<Replica>,
    remembered: Vec<Replica>,
    scratch: Scratch,
    looks: Looks,
}

impl SequenceLanes {
    /// The learner of `spec` at its initial weights.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let network = Network::of(spec)?;
        let (Task::MarkovChain(task), Some(judge)) = (&spec.task, Judge::new(spec)) else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let replicas = vec![Replica::new(&network); spec.run.replicas];
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; network.rule.moments()]).collect();
        let mut learner = SequenceLanes {
            spec: spec.clone(),
            task: task.clone(),
            judge,
            batch: vec![],
            remembered: replicas.clone(),
            replicas,
            scratch: Scratch::new(&network),
            looks: Looks::default(),
            network,
            shapes,
        };
        learner.load(&Weights { parameters: spec.initial(), moments });
        Ok(learner)
    }

    /// Trains every replica from step `from` to step `until`.
    fn train(&mut self, spec: &RunSpec, from: u64, until: u64) {
        let pushes: Vec<Push> =
            (from..until).map(|step| Push::new(&spec.optimizer, step, spec.learning_rate(step))).collect();
        for (r, replica) in self.replicas.iter_mut().enumerate() {
            for (step, push) in (from..until).zip(&pushes) {
                self.batch.clear();
                self.task.sequences(spec.run.seed, r as u32, step, spec.batch(), &mut self.batch);
                replica.step(&mut self.scratch, &self.batch, push);
            }
        }
    }

    /// As [`Learner::advance`].
    fn run(&mut self, leg: &Leg) -> Progress {
        if leg.due(leg.from) {
            return Progress { step: leg.from, rows: vec![self.look(leg.from)] };
        }
        let mut looks = self.looks;
        let step = looks.train(leg, |from, until| self.train(leg.spec, from, until));
        self.looks = looks;
        Progress { step, rows: vec![] }
    }

    /// As [`Learner::measure`].
    fn look(&mut self, step: u64) -> Row {
        let mut row = Row { step, ..Default::default() };
        let (seed, size) = (self.spec.run.seed, self.spec.batch());
        let places = (size * self.network.length) as f64;
        for (r, replica) in self.replicas.iter_mut().enumerate() {
            self.batch.clear();
            self.task.sequences(seed, r as u32, step, size, &mut self.batch);
            let tally = replica.measure(&mut self.scratch, &self.batch);
            row.train_loss.push((tally.loss / places) as f32);
            row.train_accuracy.push((tally.right as f64 / places) as f32);
            let contexts = self.judge.contexts();
            let answers = answers(replica, &mut self.scratch, contexts, self.judge.scored(), &[]);
            let verdict = self.judge.verdict(&answers);
            row.test_loss.push(verdict.kl);
            row.test_accuracy.push(verdict.way);
            row.measures.resize(verdict.measures.len(), vec![]);
            for (all, one) in row.measures.iter_mut().zip(verdict.measures) {
                all.extend(one);
            }
        }
        row
    }

    /// Parameter `which`, or a moment of it, of all replicas.
    fn gather(&self, part: usize, which: usize) -> Vec<f32> {
        let size = self.network.sizes[which];
        self.replicas.iter().flat_map(|replica| replica.read(part, which, size)).collect()
    }
}

impl Learner for SequenceLanes {
    fn advance<'a>(&'a mut self, leg: &'a Leg<'a>) -> Local<'a, Progress> {
        Box::pin(async move { Ok(self.run(leg)) })
    }

    fn measure(&mut self, step: u64, _held_out: usize) -> Local<'_, Row> {
        Box::pin(async move { Ok(self.look(step)) })
    }

    fn weights(&self) -> Local<'_, Weights> {
        let which = 0..self.shapes.len();
        let moments = |which| (0..self.network.rule.moments()).map(|m| self.gather(m + 1, which)).collect();
        let weights = Weights {
            parameters: which.clone().map(|which| self.gather(0, which)).collect(),
            moments: which.map(moments).collect(),
        };
        Box::pin(async move { Ok(weights) })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        let values = (0..count).map(|which| self.replicas[0].read(0, which, self.network.sizes[which]));
        let values = values.collect();
        Box::pin(async move { Ok(values) })
    }

    fn load(&mut self, weights: &Weights) {
        let parameters = weights.parameters.iter().zip(&weights.moments).enumerate();
        for (which, (values, moments)) in parameters {
            for (part, values) in [values].into_iter().chain(moments).enumerate() {
                let own = values.chunks(values.len() / self.replicas.len());
                for (replica, values) in self.replicas.iter_mut().zip(own) {
                    replica.write(part, which, values);
                }
            }
        }
        self.remember(0);
    }

    fn remember(&mut self, _step: u64) {
        for (kept, replica) in self.remembered.iter_mut().zip(&self.replicas) {
            kept.copy(replica);
        }
    }

    fn restore(&mut self) -> Local<'_, ()> {
        for (replica, kept) in self.replicas.iter_mut().zip(&self.remembered) {
            replica.copy(kept);
        }
        Box::pin(async { Ok(()) })
    }
}
