//! The processor's learner of networks on pairs: the loops of [`crate::kernels::cpu::group_net`] over all replicas.
//!
//! Replicas take turns of many steps, as in [`crate::training::cpu::one_hidden_layer`]. Unlike a kernel's, a step may be of a part of the
//! sample.

use crate::kernels::cpu::group_net::{Network, Pairs, Push, Replica, Scratch, Sums};
use crate::models::Parameter;
use crate::protocol::Row;
use crate::run::RunSpec;
use crate::training::launch::sizer::SliceSizer;
use crate::training::session::learner::{Learner, Local, Progress, Segment, StoppedReplicas, Weights};
use crate::training::session::pairs::{Examples, Measured, covered, lambda, note, rule};

/// Our loops over all replicas.
pub struct GroupNetCpu {
    network: Network,
    shapes: Vec<Parameter>,
    trained: Examples,
    /// The whole sample, and what is held out unless that is the same.
    whole: Pairs,
    held_out: Option<Pairs>,
    /// The examples of one step.
    batch: (Examples, Pairs),
    replicas: Vec<Replica>,
    remembered: Vec<Replica>,
    scratch: Scratch,
    looks: SliceSizer,
    stopped: StoppedReplicas,
}

impl GroupNetCpu {
    /// The learner of `spec` at its initial weights.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let net = covered(spec)?;
        let order = spec.task.sampler().inputs();
        let network = Network {
            order,
            neurons: net.width,
            sigma: net.sigma,
            nu: net.exponent,
            rule: rule(&spec.optimizer),
        };
        let (trained, held_out) = (Examples::trained(spec), Examples::held_out(spec));
        let pairs = |examples: &Examples| Pairs::new(order, &examples.pairs, &examples.labels);
        let replicas = vec![Replica::new(&network); spec.run.replicas];
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; network.rule.moments()]).collect();
        let mut learner = GroupNetCpu {
            whole: pairs(&trained),
            held_out: held_out.as_ref().map(pairs),
            batch: (Examples::default(), Pairs::new(order, &[], &[])),
            trained,
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
        let (task, size) = (spec.task.sampler(), spec.batch());
        let is_whole = size == self.trained.labels.len();
        let pushes: Vec<Push> =
            (from..until).map(|step| Push::new(&spec.optimizer, step, spec.learning_rate(step))).collect();
        let stopped = &self.stopped;
        let awake = self.replicas.iter_mut().enumerate().filter(|(r, _)| stopped.of(*r).is_none());
        for (r, replica) in awake {
            for (step, push) in (from..until).zip(&pushes) {
                if !is_whole {
                    let visits = task.visits(spec.run.seed, r as u32, step, size);
                    let (examples, pairs) = &mut self.batch;
                    examples.pairs.clear();
                    examples.labels.clear();
                    for at in visits {
                        examples.pairs.push(self.trained.pairs[at]);
                        examples.labels.push(self.trained.labels[at]);
                    }
                    pairs.fill(&examples.pairs, &examples.labels);
                }
                let pairs = if is_whole { &self.whole } else { &self.batch.1 };
                replica.step(&mut self.scratch, pairs, lambda(spec, step), push);
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
        let share = |sums: Sums, count: usize| Measured {
            loss: (sums.loss / count as f64) as f32,
            accuracy: (sums.right as f64 / count as f64) as f32,
        };
        for (r, replica) in self.replicas.iter_mut().enumerate() {
            if let Some(last) = self.stopped.of(r) {
                row.append(last);
                continue;
            }
            let sums = replica.measure(&mut self.scratch, &self.whole);
            let train = share(sums, self.whole.len());
            let test = match &self.held_out {
                Some(held_out) => share(replica.measure(&mut self.scratch, held_out), held_out.len()),
                None => train,
            };
            note(&mut row, train, (f64::from(sums.margin) / sums.norms) as f32, test);
        }
        row
    }

    /// Parameter `which`, or a moment of it, of all replicas.
    fn gather(&self, part: usize, which: usize) -> Vec<f32> {
        self.replicas.iter().flat_map(|replica| replica.read(part, which)).collect()
    }
}

impl Learner for GroupNetCpu {
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
