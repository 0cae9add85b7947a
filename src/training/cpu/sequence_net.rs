//! The processor's learner of networks on sequences: the loops of [`crate::kernels::cpu::sequence_net`] over all replicas.
//!
//! Replicas take turns of many steps, as in [`crate::training::cpu::one_hidden_layer`].

use crate::kernels::cpu::sequence_net::{Network, Push, Replica, Scratch, answers};
use crate::models::Parameter;
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::tasks::Task;
use crate::tasks::markov::MarkovChain;
use crate::training::launch::sizer::SliceSizer;
use crate::training::session::evaluator::Evaluator;
use crate::training::session::learner::{Learner, Local, Progress, Segment, StoppedReplicas, Weights};

/// Our loops over all replicas.
pub struct SequenceNetCpu {
    spec: RunSpec,
    task: MarkovChain,
    network: Network,
    shapes: Vec<Parameter>,
    evaluator: Evaluator,
    /// The sequences of one step.
    batch: Vec<u8>,
    replicas: Vec<Replica>,
    remembered: Vec<Replica>,
    scratch: Scratch,
    looks: SliceSizer,
    stopped: StoppedReplicas,
}

impl SequenceNetCpu {
    /// The learner of `spec` at its initial weights.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let network = Network::of(spec)?;
        let (Task::MarkovChain(task), Some(evaluator)) = (&spec.task, Evaluator::new(spec)) else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        let replicas = vec![Replica::new(&network); spec.run.replicas];
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; network.rule.moments()]).collect();
        let mut learner = SequenceNetCpu {
            spec: spec.clone(),
            task: task.clone(),
            evaluator,
            batch: vec![],
            remembered: replicas.clone(),
            replicas,
            scratch: Scratch::new(&network),
            looks: SliceSizer::default(),
            stopped: StoppedReplicas::default(),
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
        let stopped = &self.stopped;
        let awake = self.replicas.iter_mut().enumerate().filter(|(r, _)| stopped.of(*r).is_none());
        for (r, replica) in awake {
            for (step, push) in (from..until).zip(&pushes) {
                self.batch.clear();
                self.task.sequences(spec.run.seed, r as u32, step, spec.batch(), &mut self.batch);
                replica.step(&mut self.scratch, &self.batch, push);
            }
        }
    }

    /// As [`Learner::advance`].
    fn run(&mut self, segment: &Segment) -> Progress {
        if segment.due(segment.from) {
            return Progress { step: segment.from, rows: vec![self.look(segment.from)] };
        }
        let mut looks = self.looks;
        let step = looks.train(segment, |from, until| self.train(segment.spec, from, until));
        self.looks = looks;
        Progress { step, rows: vec![] }
    }

    /// As [`Learner::measure`].
    fn look(&mut self, step: u64) -> Row {
        let mut row = Row { step, ..Default::default() };
        let (seed, size) = (self.spec.run.seed, self.spec.batch());
        let places = (size * self.network.length) as f64;
        for (r, replica) in self.replicas.iter_mut().enumerate() {
            if let Some(last) = self.stopped.of(r) {
                row.append(last);
                continue;
            }
            self.batch.clear();
            self.task.sequences(seed, r as u32, step, size, &mut self.batch);
            let tally = replica.measure(&mut self.scratch, &self.batch);
            row.train_loss.push((tally.loss / places) as f32);
            row.train_accuracy.push((tally.right as f64 / places) as f32);
            let contexts = self.evaluator.contexts();
            let answers = answers(replica, &mut self.scratch, contexts, self.evaluator.scored(), &[]);
            let evaluation = self.evaluator.evaluate(&answers);
            row.test_loss.push(evaluation.kl);
            row.test_accuracy.push(evaluation.way);
            row.measures.resize(evaluation.measures.len(), vec![]);
            for (all, one) in row.measures.iter_mut().zip(evaluation.measures) {
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

impl Learner for SequenceNetCpu {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move { Ok(self.run(segment)) })
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

    fn stop_replica(&mut self, replica: usize, row: &Row) {
        self.stopped.add(replica, row);
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::permalink::decode;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/markov?held=64&{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    /// Nothing here waits.
    fn ready<T>(mut future: Local<'_, T>) -> T {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result.unwrap(),
            Poll::Pending => panic!("a loop on the processor waits for nothing"),
        }
    }

    const LINKS: [&str; 2] = [
        "replicas=3&batch=6&k=3&t=20&heads=1.1",
        "replicas=3&batch=6&k=2&t=30&model=minimal-markov&opt=adam",
    ];

    #[test]
    fn slices_replicas_and_checkpoints_do_not_change_a_bit() {
        for link in LINKS {
            let spec = spec(link);
            let mut whole = SequenceNetCpu::new(&spec).unwrap();
            whole.train(&spec, 0, 12);
            let expected = ready(whole.weights());
            // In slices, and taken up again from a checkpoint.
            let mut sliced = SequenceNetCpu::new(&spec).unwrap();
            sliced.train(&spec, 0, 5);
            let (first, row) = (ready(sliced.weights()), ready(sliced.measure(5, 64)));
            sliced.train(&spec, 5, 12);
            assert_eq!(ready(sliced.weights()), expected, "{link}");
            let mut again = SequenceNetCpu::new(&spec).unwrap();
            again.load(&first);
            assert_eq!(ready(again.measure(5, 64)), row, "{link}");
            again.train(&spec, 5, 12);
            assert_eq!(ready(again.weights()), expected, "{link}");
            // Back to what was remembered, which is what was loaded.
            ready(again.restore());
            assert_eq!(ready(again.weights()), first, "{link}");
            again.train(&spec, 5, 7);
            again.remember(7);
            let kept = ready(again.weights());
            again.train(&spec, 7, 9);
            ready(again.restore());
            assert_eq!(ready(again.weights()), kept, "{link}");
            // A replica does not know how many others there are.
            let alone = RunSpec { run: crate::run::Run { replicas: 1, ..spec.run.clone() }, ..spec.clone() };
            let mut single = SequenceNetCpu::new(&alone).unwrap();
            single.train(&alone, 0, 12);
            let count = expected.parameters.len();
            assert_eq!(ready(single.weights()).parameters, ready(whole.first_replica(count)), "{link}");
            let one = expected.parameters[0].len() / 3;
            assert_ne!(expected.parameters[0][..one], expected.parameters[0][one..2 * one], "{link}");
        }
    }

    #[test]
    fn a_row_has_a_number_for_every_replica_and_says_what_is_learnt() {
        for link in [
            "replicas=2&k=2&t=50&batch=32&seed=1",
            "replicas=2&model=minimal-markov&k=2&t=100&batch=64&opt=adam",
        ] {
            let spec = spec(link);
            let mut learner = SequenceNetCpu::new(&spec).unwrap();
            let before = learner.look(0);
            assert!(
                before.train_loss.iter().all(|loss| (loss - std::f32::consts::LN_2).abs() < 0.1),
                "{before:?}"
            );
            learner.train(&spec, 0, 400);
            let after = learner.look(400);
            let [unigram, bigram] = [1, 2].map(|which| learner.evaluator.lines()[which].1 as f32);
            for r in 0..2 {
                assert!(after.train_loss[r] < before.train_loss[r], "{link}: {after:?}");
                assert!(
                    after.test_loss[r] < 0.5 * (unigram + bigram),
                    "{link}: {after:?} {unigram} {bigram}"
                );
                assert!(after.train_accuracy[r] > 0.5 && after.test_accuracy[r] > 0.5, "{link}: {after:?}");
            }
            assert_eq!(after.measures.len(), crate::markov::Measure::ALL.len());
            assert!(after.measures[..3].iter().all(|values| values.len() == 2), "{link}");
            let heads = if link.contains("minimal") { 0 } else { 2 };
            assert_eq!(after.measures[crate::markov::Measure::Induction as usize].len(), heads, "{link}");
        }
    }
}
