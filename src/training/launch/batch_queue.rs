//! The runs of a sweep on a GPU: as many at once as it has room for, batched into few launches.
//!
//! # Why
//! One run of a sweep is a few workgroups, and a GPU wants thousands. Each run is a [`Session`] of its own and ends
//! as it would have ended alone, bit for bit; only its learner shares its launches with others
//! ([`SharedRuns`](crate::gpu::learner::SharedRuns)). Runs that differ in what a kernel is compiled for, or too
//! much in size, are batched apart, and all batches are launched before any is waited for. When half of the networks have found what
//! they look for, the next runs are taken.
//!
//! How many networks train at once follows the clock: a step of all of them has to fit into a launch of a moment many
//! times, so that a person who cancels waits for nothing.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::gpu::learner::{Candidate, Company};
use crate::launch::choose::{Chosen, Engine, engine};
use crate::launch::device::Device;
use crate::launch::learners::{Batching, Place, entry};
use crate::session::{Options, Outcome, Session};
use vivarium_kernels::client::{client, limits};
use vivarium_kernels::plan::Limits;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Event, RunError};
use vivarium_model::run::RunSpec;

/// Operations of a step of one network that count as one: larger ones count as several.
const ONE_FLOPS: f64 = 2e6;
/// Networks that train at once: on a GPU at first and at most, and where one is simulated.
const FIRST: usize = 1024;
const MOST: usize = 8192;
const SIMULATED: usize = 48;
/// Bytes of the GPU's memory that all of them take at most, in a browser and elsewhere.
const MOST_BYTES: u64 = if cfg!(target_family = "wasm") { 256 << 20 } else { 2 << 30 };
/// Runs that wait for their turn at most.
const MOST_WAITING: usize = 4096;
/// Steps of a launch from which on twice as many networks can train.
const MANY_STEPS: f64 = 8.0;

/// A run with its number.
pub struct QueuedRun {
    /// As it was added.
    pub number: usize,
    /// It.
    pub session: Session,
    /// What has been told of it.
    pub events: Vec<Event>,
}

impl QueuedRun {
    fn new(number: usize, session: Session) -> Self {
        QueuedRun { number, session, events: vec![] }
    }

    /// What it has come to.
    pub fn outcome(self) -> Outcome {
        let mut all = vec![];
        for event in self.events {
            if let Event::Metrics(rows) = event {
                all.extend(rows);
            }
        }
        self.session.outcome(all)
    }

    /// Trains a moment of it.
    async fn advance(&mut self) -> Result<(), RunError> {
        for event in self.session.advance(0.0, u64::MAX).await? {
            match (self.events.last_mut(), event) {
                (Some(Event::Metrics(all)), Event::Metrics(rows)) => all.extend(rows),
                (_, event) => self.events.push(event),
            }
        }
        Ok(())
    }
}

/// Runs that share their launches; or one that has its own, where it does not fit our kernels.
struct RunningBatch {
    shared: Option<Rc<dyn Company>>,
    runs: Vec<QueuedRun>,
    bytes: u64,
    /// What one of its networks counts, on average.
    weight: f64,
}

impl RunningBatch {
    /// Networks that do not rest.
    fn awake(&self) -> usize {
        match &self.shared {
            Some(shared) => shared.awake(),
            None => self.runs.iter().map(|run| run.session.spec().run.replicas).sum(),
        }
    }
}

/// A run that waits, with what is known of it.
struct WaitingRun {
    number: usize,
    spec: RunSpec,
    /// None where it trains by itself.
    candidate: Option<Box<dyn Candidate>>,
    weight: usize,
}

impl WaitingRun {
    fn bytes(&self) -> u64 {
        self.candidate.as_ref().map_or(0, |candidate| candidate.bytes())
    }
}

/// Runs that wait, train and end.
pub struct BatchQueue {
    device: Device,
    options: Options,
    limits: Limits,
    waiting: VecDeque<WaitingRun>,
    running: Vec<RunningBatch>,
    /// Networks that may train at once.
    room: usize,
}

/// Whether a run can be batched with others, as far as that can be known without a GPU.
pub fn covers(spec: &RunSpec) -> bool {
    batching(spec).is_some()
}

/// How a run is batched with others, if our kernels train it.
fn batching(spec: &RunSpec) -> Option<&'static Batching> {
    if engine(spec).0 != Engine::Fused {
        return None;
    }
    entry(spec, Place::Gpu)?.batching.as_ref()
}

impl BatchQueue {
    /// None yet, on the GPU that has been opened.
    pub fn new(device: &Device, options: Options) -> Self {
        let limits = limits(&client());
        let room = if device.report().simulated { SIMULATED } else { FIRST };
        BatchQueue {
            device: device.clone(),
            options,
            limits,
            waiting: VecDeque::new(),
            running: vec![],
            room,
        }
    }

    /// Whether more runs should be added before it goes on.
    pub fn wants(&self) -> bool {
        self.waiting.len() < MOST_WAITING
    }

    /// Whether nothing waits or trains.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Runs that train, and the networks of them that do not rest.
    pub fn under_way(&self) -> (usize, usize) {
        (self.running.iter().map(|running| running.runs.len()).sum(), self.awake())
    }

    /// Steps made by all networks of the runs that train.
    pub fn network_steps(&self) -> u64 {
        let runs = self.running.iter().flat_map(|running| &running.runs);
        runs.map(|run| run.session.step() * run.session.spec().run.replicas as u64).sum()
    }

    /// A run that has begun and is nobody else's from now on; it goes on sharing its launches.
    pub fn take(&mut self, is_wanted: impl Fn(&QueuedRun) -> bool) -> Option<QueuedRun> {
        let running = &mut self.running;
        let found = running.iter_mut().find_map(|batch| {
            let at = batch.runs.iter().position(&is_wanted)?;
            Some(batch.runs.swap_remove(at))
        });
        running.retain(|batch| !batch.runs.is_empty());
        found
    }

    /// Adds a run.
    pub fn add(&mut self, number: usize, spec: RunSpec) {
        let candidate = batching(&spec).and_then(|batching| (batching.candidate)(&spec, self.limits).ok());
        let weight = spec.run.replicas.max((spec.step_flops() / ONE_FLOPS) as usize);
        self.waiting.push_back(WaitingRun { number, spec, candidate, weight });
    }

    fn awake(&self) -> usize {
        self.running.iter().map(RunningBatch::awake).sum()
    }

    /// Trains for about `budget_ms` milliseconds, or until a run has ended, and gives those that have.
    ///
    /// # Errors
    /// [`RunError::Impossible`] of a run that cannot be, [`RunError::GpuLost`] when the device stopped working; all runs
    /// under way are lost then.
    pub async fn advance(&mut self, budget_ms: f64) -> Result<Vec<QueuedRun>, RunError> {
        let begin = now_ms();
        let mut ended = vec![];
        while ended.is_empty() && !self.is_empty() {
            self.fill()?;
            for shared in self.running.iter().filter_map(|running| running.shared.as_ref()) {
                shared.launch();
            }
            for running in &mut self.running {
                for run in &mut running.runs {
                    run.advance().await?;
                }
                ended.extend(running.runs.extract_if(.., |run| run.session.finished()));
            }
            self.running.retain(|running| !running.runs.is_empty());
            if now_ms() - begin >= budget_ms {
                break;
            }
        }
        Ok(ended)
    }

    /// Begins the next runs, if there is room for them.
    fn fill(&mut self) -> Result<(), RunError> {
        let sizes =
            self.running.iter().filter_map(|running| running.shared.as_ref()).map(|shared| shared.steps());
        if sizes.reduce(f64::min).is_some_and(|steps| steps >= MANY_STEPS) {
            self.room = (2 * self.room).min(MOST);
        }
        let weight = self.running.iter().map(|running| running.awake() as f64 * running.weight);
        let (awake, bytes) =
            (weight.sum::<f64>() as usize, self.running.iter().map(|r| r.bytes).sum::<u64>());
        if self.waiting.is_empty() || 2 * awake > self.room {
            return Ok(());
        }
        let (mut networks, mut taken, mut next) = (awake, bytes, vec![]);
        while let Some(waiting) = self.waiting.front() {
            let is_first = networks == 0;
            networks += waiting.weight;
            taken += waiting.bytes();
            if !is_first && (networks > self.room || taken > MOST_BYTES) {
                break;
            }
            next.extend(self.waiting.pop_front());
        }
        for batch in batched(next, self.limits) {
            self.begin(batch)?;
        }
        Ok(())
    }

    /// Begins these runs in one batch, or in smaller ones where they do not fit.
    fn begin(&mut self, mut batch: Vec<WaitingRun>) -> Result<(), RunError> {
        let bytes = batch.iter().map(WaitingRun::bytes).sum();
        let sum = |of: fn(&WaitingRun) -> usize| batch.iter().map(of).sum::<usize>() as f64;
        let weight = sum(|waiting| waiting.weight) / sum(|waiting| waiting.spec.run.replicas);
        if let Some(problem) =
            batch.iter().find_map(|waiting| waiting.spec.invalid_settings().into_iter().next())
        {
            return Err(RunError::Impossible(problem.to_string()));
        }
        let specs: Vec<RunSpec> = batch.iter().map(|waiting| waiting.spec.clone()).collect();
        let together = batch.iter().all(|waiting| waiting.candidate.is_some());
        let batching = batch.first().filter(|_| together).and_then(|first| batching(&first.spec));
        if let Some(Ok(made)) = batching.map(|batching| (batching.batch)(&specs)) {
            let begun =
                batch.into_iter().zip(made.learners).map(|(WaitingRun { number, spec, .. }, learner)| {
                    let chosen = Chosen { learner, name: made.name.into(), note: String::new() };
                    QueuedRun::new(number, Session::with(&spec, chosen, &self.device, self.options))
                });
            let runs = begun.collect();
            self.running.push(RunningBatch { shared: Some(made.company), runs, bytes, weight });
            return Ok(());
        }
        if batch.len() > 1 {
            let half = batch.split_off(batch.len() / 2);
            self.begin(batch)?;
            return self.begin(half);
        }
        for WaitingRun { number, spec, .. } in batch {
            let session = Session::start(&spec, &self.device, self.options)?;
            self.running.push(RunningBatch {
                shared: None,
                runs: vec![QueuedRun::new(number, session)],
                bytes,
                weight,
            });
        }
        Ok(())
    }
}

/// The runs in batches: those of like size first, since they waste least together.
fn batched(mut runs: Vec<WaitingRun>, limits: Limits) -> Vec<Vec<WaitingRun>> {
    runs.sort_by_key(|run| (run.spec.run.every, run.candidate.as_ref().map(|candidate| candidate.order())));
    let mut batches: Vec<Vec<WaitingRun>> = vec![];
    for run in runs {
        let fits = |batch: &&mut Vec<WaitingRun>| {
            let others: Option<Vec<&dyn Candidate>> =
                batch.iter().map(|other| other.candidate.as_deref()).collect();
            let bytes = batch.iter().map(WaitingRun::bytes).sum::<u64>() + run.bytes();
            bytes <= limits.buffer_bytes
                && run.candidate.as_ref().zip(others).is_some_and(|(run, others)| run.joins(&others))
        };
        match batches.iter_mut().rev().find(fits) {
            Some(batch) => batch.push(run),
            None => batches.push(vec![run]),
        }
    }
    batches
}
