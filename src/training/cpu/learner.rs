//! The skeleton of every CPU learner: SIMD loops of one family of networks over all replicas.
//!
//! # Why
//! Replicas take turns of many steps, so that each stays in the caches while it trains. How many follows the
//! clock: it is looked at about twice a millisecond, and all replicas stand at the same step when it is. The
//! numbers do not depend on it, since a step is a function of the weights, the specification and its number.

use std::rc::Rc;

use super::cores::Cores;
pub use super::network::CpuNetwork;
use crate::cpu::slice_sizer::SliceSizer;
use crate::session::helper::ShardJob;
use crate::session::learner::{Helper, Learner, Local, Progress, Segment, StoppedReplicas, Weights, split};
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::one_hidden_layer::Update;
use vivarium_model::models::Parameter;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;

/// Trains all replicas of one run on one core of the processor, or on [several](Learner::use_cores).
pub struct CpuLearner<N: CpuNetwork> {
    pub(crate) network: N,
    shapes: Vec<Parameter>,
    moments: usize,
    pub(super) replicas: Vec<N::Replica>,
    remembered: Vec<N::Replica>,
    sizer: SliceSizer,
    /// A measurement that is not complete, and the first replica that it lacks.
    measuring: Option<(Measurement, usize)>,
    stopped: StoppedReplicas,
    cores: Cores<N>,
}

impl<N: CpuNetwork> CpuLearner<N> {
    /// The learner of `spec` at its initial weights.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let (mut network, replica) = N::new(spec)?;
        let replicas = vec![replica; spec.run.replicas];
        let (shapes, moments) = (spec.parameters(), spec.optimizer.moment_count());
        let zeros = shapes.iter().map(|p| vec![vec![0.0; p.len()]; moments]).collect();
        let mut learner = CpuLearner {
            cores: Cores::new(spec, &mut network),
            network,
            shapes,
            moments,
            remembered: replicas.clone(),
            replicas,
            sizer: SliceSizer::default(),
            measuring: None,
            stopped: StoppedReplicas::default(),
        };
        learner.load(&Weights { parameters: spec.initialize_parameters(), moments: zeros });
        Ok(learner)
    }

    /// Trains every replica from step `from` to step `until`.
    pub(super) fn train(&mut self, spec: &RunSpec, from: u64, until: u64) {
        let updates: Vec<Update> = (from..until).map(|step| update_of(spec, step)).collect();
        let (network, stopped, cores) = (&mut self.network, &self.stopped, &mut self.cores);
        let awake = self.replicas.iter_mut().enumerate().filter(|(r, _)| stopped.of(*r).is_none());
        if cores.has_shards() {
            for (r, replica) in awake {
                for (step, update) in (from..until).zip(&updates) {
                    cores.step(network, replica, spec, (r, step), update);
                }
            }
            return;
        }
        cores.each(network, awake, |network, r, replica| {
            for (step, update) in (from..until).zip(&updates) {
                network.draw(spec, r, step);
                network.step(replica, spec, step, update);
            }
        });
    }

    /// As [`CpuLearner::train`], step by step until something is due or time is over, with helpers.
    async fn advance_together(&mut self, segment: &Segment<'_>) -> Progress {
        let (spec, shapes) = (segment.spec, self.shapes.len());
        let (mut step, stop) = (segment.from, SliceSizer::stop(segment));
        while step < stop {
            let update = update_of(spec, step);
            for (r, replica) in self.replicas.iter_mut().enumerate() {
                if self.stopped.of(r).is_none() {
                    let (network, at) = (&mut self.network, (r, step));
                    let weights = (0..shapes).flat_map(|which| replica.read(0, which)).collect();
                    self.cores.step_together(network, replica, spec, at, &update, weights).await;
                }
            }
            step += 1;
            if now_ms() >= segment.deadline_ms {
                break;
            }
        }
        Progress { step, rows: vec![] }
    }

    /// As [`Learner::advance`].
    fn advance_now(&mut self, segment: &Segment) -> Progress {
        if !self.catch_up(segment.deadline_ms) {
            return Progress { step: segment.from, rows: vec![] };
        }
        if segment.due(segment.from) {
            let rows = self.measure_some(segment).into_iter().collect();
            return Progress { step: segment.from, rows };
        }
        self.measuring = None;
        let mut sizer = self.sizer;
        let step = sizer.train(segment, |from, until| self.train(segment.spec, from, until));
        self.sizer = sizer;
        Progress { step, rows: vec![] }
    }

    /// Computes again what the replicas that are not stopped lack, until the deadline; returns whether it is complete.
    fn catch_up(&mut self, deadline_ms: f64) -> bool {
        let (network, stopped) = (&mut self.network, &self.stopped);
        let mut awake = self.replicas.iter().enumerate().filter(|(r, _)| stopped.of(*r).is_none());
        awake.all(|(r, replica)| network.catch_up(replica, r, deadline_ms))
    }

    /// As [`Learner::measure`].
    pub(super) fn measure_now(&mut self, step: u64, held_out: usize) -> Measurement {
        self.network.prepare_measure(held_out);
        let mut row = Measurement { step, ..Default::default() };
        (0..self.replicas.len()).for_each(|r| self.measure_replica(r, held_out, &mut row));
        row
    }

    /// Goes on with the measurement that is due where the segment begins, one replica at least, until it is complete or time
    /// is over.
    ///
    /// # Why
    /// To measure a thousand replicas takes as long as hundreds of steps, and nobody who presses Pause waits for that.
    fn measure_some(&mut self, segment: &Segment) -> Option<Measurement> {
        let (mut row, first) = self.measuring.take().unwrap_or_else(|| {
            self.network.prepare_measure(segment.held_out);
            (Measurement { step: segment.from, ..Default::default() }, 0)
        });
        for r in first..self.replicas.len() {
            self.measure_replica(r, segment.held_out, &mut row);
            if r + 1 < self.replicas.len() && now_ms() >= segment.deadline_ms {
                self.measuring = Some((row, r + 1));
                return None;
            }
        }
        Some(row)
    }

    /// Appends the measurement of replica number `r` before training step `row.step`.
    fn measure_replica(&mut self, r: usize, held_out: usize, row: &mut Measurement) {
        match self.stopped.of(r) {
            Some(last) => row.append(last),
            None => self.network.measure(&mut self.replicas[r], r, row.step, held_out, row),
        }
    }

    /// Part `part` of parameter `which` of all replicas.
    fn gather(&self, part: usize, which: usize) -> Vec<f32> {
        self.replicas.iter().flat_map(|replica| replica.read(part, which)).collect()
    }
}

/// The update of one step.
fn update_of(spec: &RunSpec, step: u64) -> Update {
    // Moments begin with the stage, since no parameter is trained in more than one.
    let count = step - spec.first_step_of_stage(spec.stage(step));
    Update::new(&spec.optimizer, count, spec.learning_rate(step))
}

impl<N: CpuNetwork> Learner for CpuLearner<N> {
    fn advance<'a>(&'a mut self, segment: &'a Segment<'a>) -> Local<'a, Progress> {
        Box::pin(async move {
            let progress = match self.cores.has_helpers() && !segment.due(segment.from) {
                true => self.advance_together(segment).await,
                false => self.advance_now(segment),
            };
            self.network.failure().map_or(Ok(progress), Err)
        })
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Measurement> {
        Box::pin(async move {
            let row = self.measure_now(step, held_out);
            self.network.failure().map_or(Ok(row), Err)
        })
    }

    fn weights(&self) -> Local<'_, Weights> {
        let which = 0..self.shapes.len();
        let moments = |which| (1..=self.moments).map(|part| self.gather(part, which)).collect();
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

    fn first_layers(&self) -> Local<'_, Vec<f32>> {
        let values = self.gather(0, 0);
        Box::pin(async move { Ok(values) })
    }

    fn load(&mut self, weights: &Weights) {
        self.measuring = None;
        let count = self.replicas.len();
        let parameters = weights.parameters.iter().zip(&weights.moments).enumerate();
        for (which, (values, moments)) in parameters {
            for (part, values) in [values].into_iter().chain(moments).enumerate() {
                let each = values.chunks(values.len() / count);
                for (replica, values) in self.replicas.iter_mut().zip(each) {
                    replica.write(part, which, values);
                }
            }
        }
        self.remember(0);
    }

    fn remember(&mut self, _step: u64) {
        for (remembered, replica) in self.remembered.iter_mut().zip(&self.replicas) {
            remembered.copy(replica);
        }
    }

    fn restore(&mut self) -> Local<'_, ()> {
        self.measuring = None;
        for (replica, remembered) in self.replicas.iter_mut().zip(&self.remembered) {
            replica.copy(remembered);
        }
        Box::pin(async { Ok(()) })
    }

    fn is_measuring(&self) -> bool {
        self.measuring.is_some()
    }

    #[cfg(not(target_family = "wasm"))]
    fn use_cores(&mut self, spec: &RunSpec, count: usize) {
        self.cores.take(spec, count, &mut self.network);
    }

    fn wanted_helpers(&self) -> usize {
        self.cores.wanted_helpers()
    }

    fn take_helpers(&mut self, helpers: Vec<Rc<dyn Helper>>) {
        self.cores.take_helpers(helpers);
    }

    fn shard_gradients(&mut self, spec: &RunSpec, job: &ShardJob, weights: &[f32]) -> Vec<f32> {
        // Of one replica.
        let lengths = self.shapes.iter().map(|parameter| parameter.shape[1] * parameter.shape[2]);
        if lengths.clone().sum::<usize>() != weights.len() {
            return vec![];
        }
        for (which, values) in split(weights, lengths).iter().enumerate() {
            self.replicas[0].write(0, which, values);
        }
        self.cores.gradients(&mut self.network, &self.replicas[0], spec, job)
    }

    fn stop_replica(&mut self, replica: usize, row: &Measurement) {
        self.stopped.add(replica, row);
    }
}
