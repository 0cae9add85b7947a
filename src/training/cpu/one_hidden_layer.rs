//! The processor's learner: the loops of [`crate::kernels::cpu::one_hidden_layer`] over all replicas.
//!
//! # Why
//! Replicas take turns of many steps, so that each stays in the caches while it trains. How many follows the
//! clock: it is looked at about twice a millisecond, and all replicas stand at the same step when it is. The
//! numbers do not depend on it, since a step is a function of the weights, the specification and its number.

use crate::kernels::cpu::one_hidden_layer::{Patterns, Push, Replica, Scratch, Sums};
use crate::kernels::plan::Network;
use crate::models::Parameter;
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::training::launch::sizer::SliceSizer;
use crate::training::session::bit_packed::{Batches, held_out, seen};
use crate::training::session::learner::{Learner, Local, Progress, Segment, StoppedReplicas, Weights};

/// Our loops over all replicas.
pub struct OneHiddenLayerCpu {
    spec: RunSpec,
    network: Network,
    shapes: Vec<Parameter>,
    batches: Batches,
    replicas: Vec<Replica>,
    remembered: Vec<Replica>,
    scratch: Scratch,
    words: Vec<u32>,
    /// Held-out examples, and how many.
    held_out: (Patterns, usize),
    /// What each replica has of a finite sample, as it is measured.
    seen: Vec<(Patterns, usize)>,
    looks: SliceSizer,
    stopped: StoppedReplicas,
}

impl OneHiddenLayerCpu {
    /// The learner of `spec` at its initial weights.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let network = Network::of(spec)?;
        let replicas = vec![Replica::new(&network); spec.run.replicas];
        let initial = spec.initial();
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; network.rule.moments()]).collect();
        let mut learner = OneHiddenLayerCpu {
            spec: spec.clone(),
            network,
            shapes,
            batches: Batches::new(spec),
            remembered: replicas.clone(),
            replicas,
            scratch: Scratch::new(&network),
            words: vec![],
            held_out: (Patterns::default(), 0),
            seen: vec![],
            looks: SliceSizer::default(),
            stopped: StoppedReplicas::default(),
        };
        learner.load(&Weights { parameters: initial, moments });
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
                self.batches.draw(r as u32, step, &mut self.words);
                replica.step(&mut self.scratch, &self.words, push);
            }
        }
    }

    /// As [`Learner::advance`].
    fn run(&mut self, segment: &Segment) -> Progress {
        if segment.due(segment.from) {
            return Progress { step: segment.from, rows: vec![self.look(segment.from, segment.held_out)] };
        }
        let mut looks = self.looks;
        let step = looks.train(segment, |from, until| self.train(segment.spec, from, until));
        self.looks = looks;
        Progress { step, rows: vec![] }
    }

    /// As [`Learner::measure`].
    fn look(&mut self, step: u64, count: usize) -> Row {
        let inputs = self.network.inputs;
        if self.held_out.1 < count {
            self.held_out = (Patterns::new(&held_out(&self.spec, count), inputs), count);
        }
        if self.network.sample > 0 && self.seen.is_empty() {
            let samples = (0..self.spec.run.replicas as u32).filter_map(|r| seen(&self.spec, r));
            self.seen = samples.map(|(words, count)| (Patterns::new(&words, inputs), count)).collect();
        }
        let mut row = Row { step, ..Default::default() };
        let share = |sums: Sums, count: usize| {
            ((sums.loss / count as f64) as f32, (sums.right as f64 / count as f64) as f32)
        };
        let mut fresh = (Patterns::default(), self.network.batch);
        for (r, replica) in self.replicas.iter_mut().enumerate() {
            if let Some(last) = self.stopped.of(r) {
                row.append(last);
                continue;
            }
            if self.seen.is_empty() {
                self.batches.draw(r as u32, step, &mut self.words);
                fresh.0 = Patterns::new(&self.words, inputs);
            }
            let (patterns, size) = self.seen.get(r).unwrap_or(&fresh);
            let (loss, right) = share(replica.measure(&mut self.scratch, patterns, *size), *size);
            row.train_loss.push(loss);
            row.train_accuracy.push(right);
            let (loss, right) = share(replica.measure(&mut self.scratch, &self.held_out.0, count), count);
            row.test_loss.push(loss);
            row.test_accuracy.push(right);
        }
        row
    }

    /// Parameter `which`, or a moment of it, of all replicas.
    fn gather(&self, part: usize, which: usize) -> Vec<f32> {
        self.replicas.iter().flat_map(|replica| replica.read(part, which)).collect()
    }
}

impl Learner for OneHiddenLayerCpu {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move { Ok(self.run(segment)) })
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Row> {
        Box::pin(async move { Ok(self.look(step, held_out)) })
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
        let values = (0..count).map(|which| self.replicas[0].read(0, which)).collect();
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
    use crate::models::mlp::{B, BETA, U, W};
    use crate::permalink::decode;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/sparse-parity?{link}"));
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

    fn trained(spec: &RunSpec, steps: u64) -> OneHiddenLayerCpu {
        let mut learner = OneHiddenLayerCpu::new(spec).unwrap();
        learner.train(spec, 0, steps);
        learner
    }

    #[test]
    fn a_frozen_layer_stays_and_the_second_is_trained() {
        for rest in ["wd=0.1", "opt=adam&wd=0.1&wdkind=decoupled", "mom=0.9", "batch=600"] {
            let spec = spec(&format!("n=12&width=21&first=frozen&replicas=2&{rest}"));
            let (start, now) = (spec.initial(), ready(trained(&spec, 7).weights()).parameters);
            assert_eq!([&now[W], &now[B]], [&start[W], &start[B]], "{rest}");
            assert!(now[U].iter().zip(&start[U]).all(|(a, b)| a != b), "{rest}");
            assert_ne!(now[BETA], start[BETA]);
            // With u alone the features are fixed, and its first step is that of the whole network.
            let mut whole = spec.clone();
            whole.parse("first", "trained").unwrap();
            let [one, other] = [&spec, &whole].map(|spec| ready(trained(spec, 1).weights()).parameters);
            assert_eq!([&one[U], &one[BETA]], [&other[U], &other[BETA]], "{rest}");
            assert_ne!(one[W], other[W]);
        }
    }
}
