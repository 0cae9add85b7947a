//! A run in progress: the only training loop there is.
//!
//! The page's worker, the command line and the tests drive the same [`Session`]; only what they do with its
//! events differs. What a session computes does not depend on how its time is sliced.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(feature = "cli")] {
//! use vivarium_model::permalink::decode;
//! use vivarium_training::{launch::device::Device, session::{Options, Session}};
//! let (link, _) = decode("#v1/sparse-parity?n=8&k=2&width=16&steps=20&every=10&held=64");
//! let mut session = Session::start(&link.spec, &Device::cpu(), Options::default())?;
//! let mut events = vec![];
//! while !session.finished() {
//!     events.extend(pollster::block_on(session.advance(5.0, u64::MAX))?);
//! }
//! assert_eq!(session.step(), 20);
//! # } Ok(()) }
//! ```

use std::rc::Rc;

use crate::launch::choose::{Chosen, choose};
use crate::launch::device::Device;
use crate::session::checkpoint::Checkpoint;
use crate::session::learner::{Helper, Learner, Progress, Segment, StoppedReplicas};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{DeviceKind, EndReason, Event, Measurement, RunError};
use vivarium_model::run::{RunSpec, StopCondition, SuccessCriterion};

/// What the owner of a session may choose without changing the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Held-out examples to measure on, if fewer than the specification's; a reached target is then
    /// confirmed on all of them before it counts.
    pub held_out_limit: Option<usize>,
    /// Whether a replica that has reached the target is stopped, in a run that ends there, as far as the learner
    /// can: what it has reached stays as it is, and the others come sooner. When each reached it is the same.
    pub stop_solved: bool,
    /// Cores of the processor that a run there may have; 0 is one, too. In a browser a worker has one.
    pub cores: usize,
}

/// A run in progress on one device.
pub struct Session {
    spec: RunSpec,
    options: Options,
    learner: Box<dyn Learner>,
    stopped: StoppedReplicas,
    /// Which learner trains, and why not the other, for the person.
    learner_name: String,
    learner_note: String,
    step: u64,
    last_step: u64,
    solved: Vec<Option<u64>>,
    /// As [`Checkpoint::initial`].
    initial: [String; 2],
    measured: Option<u64>,
    last_good: u64,
    ending: Option<EndReason>,
    /// Milliseconds spent computing and steps made in them, for the capacity of the device.
    busy_ms: f64,
    busy_steps: u64,
    /// Whether the GPU libraries must be asked after each slice if they are still well.
    on_gpu: bool,
}

/// What a whole run gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Every measurement.
    pub rows: Vec<Measurement>,
    /// For each replica, the step at which it reached the target.
    pub solved: Vec<Option<u64>>,
    /// Why it ended.
    pub ending: Option<EndReason>,
    /// Steps made.
    pub step: u64,
}

impl Session {
    /// Trains to the end, and calls `progress` with the step after each slice of about 50 ms.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub async fn finish(&mut self, mut progress: impl FnMut(u64)) -> Result<Outcome, RunError> {
        let mut rows = vec![];
        while !self.finished() {
            for event in self.advance(50.0, u64::MAX).await? {
                if let Event::Metrics(new) = event {
                    rows.extend(new);
                }
            }
            progress(self.step);
        }
        Ok(self.outcome(rows))
    }

    /// What the run has come to, with these measurements.
    pub(crate) fn outcome(&self, rows: Vec<Measurement>) -> Outcome {
        Outcome { rows, solved: self.solved.clone(), ending: self.ending, step: self.step }
    }

    /// The run of `spec` at its start.
    ///
    /// # Errors
    /// [`RunError::Impossible`] when settings exclude each other.
    pub fn start(spec: &RunSpec, device: &Device, options: Options) -> Result<Self, RunError> {
        let problems = spec.invalid_settings();
        if let Some(problem) = problems.first() {
            return Err(RunError::Impossible(problem.to_string()));
        }
        Ok(Session::with(spec, choose(spec, device)?, device, options))
    }

    /// The run of `spec`, which is possible, with a learner at its start.
    pub(crate) fn with(spec: &RunSpec, chosen: Chosen, device: &Device, options: Options) -> Self {
        #[cfg_attr(target_family = "wasm", expect(unused_mut, reason = "a worker has one core"))]
        let Chosen { mut learner, name, note } = chosen;
        #[cfg(not(target_family = "wasm"))]
        if options.cores > 1 {
            learner.use_cores(spec, options.cores);
        }
        Session {
            spec: spec.clone(),
            options,
            learner,
            stopped: StoppedReplicas::default(),
            learner_name: name,
            learner_note: note,
            step: 0,
            last_step: spec.run.steps,
            solved: vec![None; spec.run.replicas],
            initial: Default::default(),
            measured: None,
            last_good: 0,
            ending: None,
            busy_ms: 0.0,
            busy_steps: 0,
            on_gpu: device.report().kind == DeviceKind::Gpu,
        }
    }

    /// As [`Learner::wanted_helpers`].
    pub fn wanted_helpers(&self) -> usize {
        self.learner.wanted_helpers()
    }

    /// As [`Learner::take_helpers`].
    pub fn take_helpers(&mut self, helpers: Vec<Rc<dyn Helper>>) {
        self.learner.take_helpers(helpers);
    }

    /// The run of `checkpoint` at its step, on any device.
    ///
    /// # Errors
    /// As [`Session::start`].
    pub fn resume(checkpoint: &Checkpoint, device: &Device, options: Options) -> Result<Self, RunError> {
        let mut session = Session::start(&checkpoint.spec, device, options)?;
        session.learner.load(&checkpoint.weights);
        session.step = checkpoint.step;
        session.last_good = checkpoint.step;
        session.solved.clone_from(&checkpoint.solved);
        session.initial.clone_from(&checkpoint.initial);
        session.last_step = session.spec.run.steps.max(checkpoint.step);
        Ok(session)
    }

    /// The run, with the changes of the learning rate so far.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Which learner trains.
    pub fn learner(&self) -> &str {
        &self.learner_name
    }

    /// Steps made.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Whether the run has ended.
    pub fn finished(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether a measurement has begun and is not complete: [`Session::advance`] goes on with it.
    pub fn is_measuring(&self) -> bool {
        self.learner.is_measuring()
    }

    /// For each replica, the step t_c at which it reached the target.
    pub fn solved(&self) -> &[Option<u64>] {
        &self.solved
    }

    /// Held-out examples measured on while the run goes on.
    pub fn held_out(&self) -> usize {
        let all = self.spec.held_out_count();
        self.options.held_out_limit.map_or(all, |limit| limit.clamp(1, all))
    }

    /// What to tell about the run when it begins or is taken up again.
    pub fn started(&self) -> Event {
        Event::Started {
            step: self.step,
            relevant: self.spec.task.examples().relevant(self.spec.run.seed),
            held_out: self.held_out(),
            parameters: self.spec.parameters().iter().map(vivarium_model::models::Parameter::len).sum(),
            learner: self.learner_name.clone(),
            note: self.learner_note.clone(),
        }
    }

    /// Trains for about `budget_ms` milliseconds and at most `most` steps, and tells what happened.
    ///
    /// # Errors
    /// [`RunError::GpuLost`] when the device stopped working; the session is of no use then.
    pub async fn advance(&mut self, budget_ms: f64, most: u64) -> Result<Vec<Event>, RunError> {
        let mut events = vec![];
        let begin = now_ms();
        let until = self.step.saturating_add(most).min(self.last_step.max(self.step));
        while self.ending.is_none() {
            let segment = Segment {
                spec: &self.spec,
                from: self.step,
                until,
                last: self.last_step,
                measured: self.measured,
                held_out: self.held_out(),
                deadline_ms: begin + budget_ms,
            };
            if self.step >= until && !segment.due(self.step) {
                break;
            }
            let Progress { step, rows } = self.learner.advance(&segment).await?;
            let asked = std::mem::replace(&mut self.step, step);
            self.busy_steps += step - asked;
            for row in rows {
                self.take_row(row, &mut events).await?;
                if self.ending.is_some() {
                    break;
                }
            }
            // Measuring takes time too; the person waits for this to show.
            if now_ms() - begin >= budget_ms {
                break;
            }
        }
        self.busy_ms += now_ms() - begin;
        self.trust()?;
        Ok(events)
    }

    /// A device that is lost may go on answering with numbers from recycled buffers: what it has given since
    /// the last time is of no use if the libraries below have logged an error.
    fn trust(&self) -> Result<(), RunError> {
        #[cfg(feature = "gpu")]
        if let Some(why) = crate::gpu::errors::trouble().filter(|_| self.on_gpu) {
            return Err(RunError::GpuLost(why));
        }
        debug_assert!(cfg!(feature = "gpu") || !self.on_gpu, "a GPU in a build without one");
        Ok(())
    }

    /// Takes note of a measurement. One that ends the run takes the learner back to where it was made.
    async fn take_row(&mut self, row: Measurement, events: &mut Vec<Event>) -> Result<(), RunError> {
        let (at, row) = (row.step, self.stopped.with_last_rows(row));
        self.measured = Some(at);
        let finite = |r: usize| row.train_loss[r].is_finite() && row.test_loss[r].is_finite();
        // Replicas are on their own: one that diverges must not take a thousand others with it.
        let alive: Vec<usize> = (0..self.solved.len()).filter(|r| finite(*r)).collect();
        if alive.is_empty() {
            events.push(Event::Diverged { step: at, last_good: self.last_good });
            return self.end(EndReason::Diverged, self.last_good, events).await;
        }
        self.learner.remember(at);
        self.last_good = at;
        self.note_solved(&row, events).await?;
        // One message per slice: a fast run measured at every step would flood the page.
        match events.last_mut() {
            Some(Event::Metrics(rows)) => rows.push(row),
            _ => events.push(Event::Metrics(vec![row])),
        }
        if self.spec.run.halt == StopCondition::Target
            && alive.iter().all(|r| self.is_served(*r))
            && self.solved.iter().any(Option::is_some)
            && self.last_step <= self.spec.run.steps
        {
            return self.end(EndReason::Target, at, events).await;
        }
        if at >= self.last_step {
            return self.end(EndReason::LastStep, at, events).await;
        }
        Ok(())
    }

    /// Whether the replica has reached the target, or one that shares its data has.
    fn is_served(&self, replica: usize) -> bool {
        let tries = self.spec.task.examples().replicas_per_training_set();
        self.solved.chunks(tries).nth(replica / tries).is_some_and(|all| all.iter().any(Option::is_some))
    }

    async fn note_solved(&mut self, row: &Measurement, events: &mut Vec<Event>) -> Result<(), RunError> {
        let (target, limit) = (self.spec.run.target as f32, self.spec.run.limit as f32);
        let success = self.spec.run.success;
        let reached = |row: &Measurement, r: usize| match success {
            SuccessCriterion::Accuracy => row.test_accuracy[r] >= target,
            SuccessCriterion::Memory => row.train_accuracy[r] >= target,
            SuccessCriterion::Loss => row.test_loss[r] <= limit,
        };
        let candidates: Vec<usize> =
            (0..self.solved.len()).filter(|r| self.solved[*r].is_none() && reached(row, *r)).collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let all = self.spec.held_out_count();
        let is_in_part = self.held_out() < all && success != SuccessCriterion::Memory;
        let whole = if is_in_part { Some(self.learner.measure(row.step, all).await?) } else { None };
        let whole = whole.as_ref().unwrap_or(row);
        for replica in candidates.into_iter().filter(|r| reached(whole, *r)) {
            self.solved[replica] = Some(row.step);
            if self.options.stop_solved && self.spec.run.halt == StopCondition::Target {
                self.stopped.add(replica, row);
                self.learner.stop_replica(replica, row);
            }
            events.push(Event::Solved { replica, step: row.step });
        }
        Ok(())
    }

    /// Ends the run with the weights before training step `at`, which the learner has been told to remember.
    async fn end(&mut self, reason: EndReason, at: u64, events: &mut Vec<Event>) -> Result<(), RunError> {
        if reason == EndReason::Diverged || at != self.step {
            self.learner.restore().await?;
            self.step = at;
        }
        self.learner.end();
        self.ending = Some(reason);
        events.push(Event::Finished { step: self.step, reason });
        Ok(())
    }

    /// Measures now, outside the schedule: for showing, without consequence for the run.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub async fn measure(&mut self) -> Result<Measurement, RunError> {
        self.learner.measure(self.step, self.held_out()).await
    }

    /// Uses learning rate `lr` from the next step on and records it in the specification.
    pub fn set_learning_rate(&mut self, lr: f64) -> Event {
        self.spec.change_learning_rate(self.step, lr);
        Event::LearningRateChanged { step: self.step, lr }
    }

    /// Lets a run that has ended go on up to `last_step`. A diverged run stays ended.
    pub fn extend(&mut self, last_step: u64) {
        if self.ending != Some(EndReason::Diverged) {
            // More than the specification asks for, so that the target does not end the run again.
            self.last_step = last_step.max(self.step).max(self.spec.run.steps + 1);
            self.ending = None;
        }
    }

    /// First-layer weights of the first replica, `[inputs, width]`, and that width.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub async fn first_layer(&self) -> Result<(Vec<f32>, usize), RunError> {
        let width = self.spec.parameters().first().map_or(0, |p| p.shape[2]);
        Ok((self.learner.first_replica(1).await?.swap_remove(0), width))
    }

    /// All parameters of the first replica, in their permanent order, each `[rows, columns]`.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub async fn first_replica(&self) -> Result<Vec<Vec<f32>>, RunError> {
        self.learner.first_replica(self.spec.parameters().len()).await
    }

    /// First parameter of all replicas, `[replicas, rows, columns]`: the weights of their first layers.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub async fn first_layers(&self) -> Result<Vec<f32>, RunError> {
        self.learner.first_layers().await
    }

    /// Other runs that share its launches leave it where it is from now on, since somebody looks at it.
    pub fn detach(&mut self) {
        self.learner.detach();
    }

    /// The run as it stands.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub async fn checkpoint(&self) -> Result<Checkpoint, RunError> {
        let weights = self.learner.weights().await?;
        let (spec, solved, initial) = (self.spec.clone(), self.solved.clone(), self.initial.clone());
        Ok(Checkpoint { spec, step: self.step, solved, initial, weights })
    }

    /// Steps per second of computing time since the last call: what the device can do.
    pub fn capacity(&mut self) -> Option<f64> {
        let capacity =
            (self.busy_ms > 0.0 && self.busy_steps > 0).then(|| self.busy_steps as f64 / self.busy_ms * 1e3);
        (self.busy_ms, self.busy_steps) = (0.0, 0);
        capacity
    }
}

#[cfg(test)]
#[cfg(feature = "train")]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    /// Replicas 0 and 1 share a sample, and so do 2 and 3.
    #[test]
    fn a_replica_is_served_by_any_that_shares_its_sample() {
        let spec = decode("#v1/sparse-boolean?tries=2&replicas=4&held=16").0.spec;
        let mut session = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
        for (solved, served) in [
            ([Some(3), None, None, Some(5)], [true; 4]),
            ([None, Some(3), None, None], [true, true, false, false]),
            ([None, None, Some(3), None], [false, false, true, true]),
        ] {
            session.solved = solved.to_vec();
            assert_eq!([0, 1, 2, 3].map(|replica| session.is_served(replica)), served);
        }
    }

    /// A pause comes between two replicas of a measurement, and the row is the one that is measured at once; so is the run.
    #[test]
    fn a_measurement_is_made_in_slices() {
        let link = "#v1/sparse-parity?n=8&k=2&width=8&replicas=5&held=64&every=7&steps=20&halt=steps";
        let spec = decode(link).0.spec;
        let start = || Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
        let (mut whole, mut sliced) = (start(), start());
        let rows = |events: &[Event]| match events {
            [Event::Metrics(rows), ..] => rows.clone(),
            _ => vec![],
        };
        let at_once = pollster::block_on(whole.advance(f64::INFINITY, 0)).unwrap();
        for replica in 0..5 {
            assert_eq!((sliced.is_measuring(), sliced.step()), (replica > 0, 0));
            let events = pollster::block_on(sliced.advance(0.0, 0)).unwrap();
            assert_eq!(rows(&events).len(), usize::from(replica == 4));
            assert!(replica < 4 || rows(&events) == rows(&at_once));
        }
        assert!(!sliced.is_measuring());
        let expected = pollster::block_on(whole.finish(|_| {})).unwrap();
        let (mut found, mut slices) = (vec![], 0);
        while !sliced.finished() {
            found.extend(rows(&pollster::block_on(sliced.advance(0.0, u64::MAX)).unwrap()));
            slices += 1;
        }
        assert_eq!(found, expected.rows);
        assert!(slices > 15, "{slices} slices: the rows of steps 7, 14 and 20 take five each");
    }
}
