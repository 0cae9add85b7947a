//! The worker: commands in, slices of a session, messages out. It is independent of the transport, so that the same
//! worker runs in a web worker and in native tests.

#[cfg(all(feature = "web", target_family = "wasm"))]
pub mod web;

use std::collections::VecDeque;

use vivarium_labs as labs;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Command, Event, EventMessage, Payload, ProbeId, RunError};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::tabular::uploaded::UploadedTable;
use vivarium_training::launch::device::Device;
#[cfg(feature = "fused")]
use vivarium_training::launch::prefetch::Prefetch;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_training::session::learner::OpenHelpers;
use vivarium_training::session::trial::Trial;
use vivarium_training::session::{Options, Session};
use vivarium_view::probing::{ProbeInput, ProbeTask};

/// Time limit in milliseconds of one slice of training, after which commands are handled, so that Pause answers within
/// 50 ms even after a long step.
const SLICE_MS: f64 = 16.0;
/// Milliseconds between two reports of the first-layer weights, which the page draws as heatmaps, with
/// `ReportingInterval::Live`.
const WEIGHTS_INTERVAL_MS: f64 = 100.0;
/// Milliseconds between two reports of the training speed in steps per second.
const RATE_INTERVAL_MS: f64 = 500.0;
/// Milliseconds between two checkpoints (weights and optimizer state), from which the page resumes if this worker dies.
const CHECKPOINT_INTERVAL_MS: f64 = 2_000.0;
/// Time limit in milliseconds for computing a probe (a measurement of the network's inside) between two slices of
/// training.
const PROBE_SLICE_MS: f64 = 5.0;
/// Minimum pause in milliseconds between the end of a round of probes and the next round, with
/// `ReportingInterval::Live`.
const MIN_PROBE_PAUSE_MS: f64 = 100.0;
/// Minimum fraction, from 0 to 1, of the computing time that training gets while the page requests probes.
const MIN_TRAINING_SHARE: f64 = 0.8;
/// With `ReportingInterval::Thorough`, two rounds of probes are at least step / 16 training steps apart, where step is
/// the current step.
const PROBE_STEP_DIVISOR: u64 = 16;

/// How often a worker reports weights and runs its probes.
///
/// # Why
/// A live page needs a few pictures a second, however many steps lie between. A recorded figure has steps on its axis:
/// at full speed a second holds thousands of steps, and reports by time would give few points, which depend on the
/// machine. The last step is not known in advance, so the rounds of probes get rarer: their number grows with the
/// logarithm of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReportingInterval {
    /// By time: weights ten times a second, and probes in at most a fifth of the computing time.
    #[default]
    Live,
    /// By steps: weights at every measurement, and probes at chosen measurements; training waits for the probes.
    Thorough,
}

/// Returned after a slice of training: what the caller of [`Worker::train_slice`] does next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NextSlice {
    /// Handle commands, then call [`Worker::train_slice`] again.
    Continue,
    /// Wait for this number of milliseconds, because of the speed limit, then handle commands and call again.
    Wait(f64),
    /// Wait for the next command.
    Idle,
}

/// Training mode of a worker: no steps, steps until a pause, steps up to a given step, or a single step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// None.
    Idle,
    /// As many steps as the speed limit allows; with a step, up to that step, which is reported like a single step.
    Playing(Option<u64>),
    /// All steps up to this one as fast as possible, without messages in between.
    Reaching(u64),
    /// One step, with its measurement.
    Single,
}

impl Pace {
    /// Whether the worker trains until it is paused or the run ends, as after Play.
    fn is_playing(self) -> bool {
        matches!(self, Pace::Playing(_))
    }
}

/// The state of a training worker: one device, at most one run on it, and the requests of the page.
pub struct Worker {
    /// The device (CPU or GPU) on which the worker trains.
    device: Device,
    /// How often the worker reports weights and runs its probes.
    reporting: ReportingInterval,
    /// The run that the worker trains; None before a run was started and after a failure.
    session: Option<Session>,
    /// Which steps are trained now: none, freely, up to a given step, or one.
    pace: Pace,
    /// Speed limit of training in steps per second; 0 for none.
    speed: u64,
    /// (time in milliseconds, step) from which the speed limit counts the allowed steps.
    speed_origin: (f64, u64),
    /// Time in milliseconds when the weights were reported last; None if they were not reported since the start of the
    /// run or the last training without messages.
    sent_weights: Option<f64>,
    /// Time in milliseconds when the last checkpoint (weights and optimizer state) was sent to the page.
    checkpoint_sent_ms: f64,
    /// (time in milliseconds, step) of the last report of the speed in steps per second.
    rate_origin: (f64, u64),
    /// Whether a checkpoint is to be sent after the next slice, because the page has requested one or the run was
    /// paused.
    wants_checkpoint: bool,
    /// Probes (measurements of the network's inside) of the run that the page has requested.
    probes: ProbeRounds,
    /// Events of a run that was trained in advance, from before the page showed it; sent ahead of the run's next
    /// events.
    prior_events: Vec<Event>,
    /// The measurement of the device's speed that takes the place of a run; None while none is in progress.
    timing: Option<Measurement>,
    /// Opens helper workers that share the gradient computation of a run; None where workers cannot open workers.
    pub open_helpers: Option<OpenHelpers>,
    /// Options of the current run, such as the limit on held-out examples; a run trained in advance is used only if its
    /// options are equal.
    #[cfg(feature = "fused")]
    options: Options,
    /// Runs of the sweep after the current one, trained in advance on the GPU; None without a sweep.
    #[cfg(feature = "fused")]
    prefetch: Option<Prefetch>,
}

/// A measurement of the device's speed, made in place of a run: the speed of training a run, or the peak arithmetic
/// speed.
enum Measurement {
    /// The speed of training a run; the number identifies the measurement.
    Trial(u32, Box<Trial>),
    /// The peak arithmetic speed of the device.
    Peaks,
}

/// Time or condition from which the next round of probes (measurements of the network's inside) may begin.
#[derive(Debug, Clone, Copy, PartialEq)]
enum NextRound {
    /// At this time, in milliseconds, if the run trains.
    At(f64),
    /// As soon as the current round is over, whether the run trains or not.
    Requested,
    /// At a time that is set when the current round is over.
    AfterCurrent,
}

impl Default for NextRound {
    fn default() -> Self {
        NextRound::At(0.0)
    }
}

/// The requested probes of a run, computed in rounds: each round computes every probe once, from the same weights.
#[derive(Default)]
struct ProbeRounds {
    /// Ids of all probes that the page has requested for this run.
    watched_probes: Vec<ProbeId>,
    /// Ids of the probes of the current round whose computation has not begun.
    remaining: VecDeque<ProbeId>,
    /// The probe that is being computed in slices of a few milliseconds; None between two probes.
    job: Option<ProbeTask>,
    /// (step of the current round, weights of the first replica at that step, one vector per parameter).
    weights: (u64, Vec<Vec<f32>>),
    /// First-layer weights of all replicas at the step of `weights`, `[replicas, inputs, width]`; empty if no probe of the
    /// current round measures all networks.
    first_layers: Vec<f32>,
    /// Ids of the probes with a result since the run started or the page last sent its probes, whose result does not change.
    measured_once: Vec<ProbeId>,
    /// Milliseconds of computing that the current round of probes has taken so far.
    spent_ms: f64,
    /// When the next round of probes may begin; with `ReportingInterval::Thorough` only a request counts, and else
    /// `next_step`.
    next_round: NextRound,
    /// Smallest step at which the next round of probes may begin, with `ReportingInterval::Thorough`.
    next_step: u64,
}

impl ProbeRounds {
    /// Requests a round of probes that begins as soon as the current round is over.
    fn request_round(&mut self) {
        self.next_round = NextRound::Requested;
    }

    /// Whether a round of probes was requested and the page has requested any probes.
    fn is_round_requested(&self) -> bool {
        self.next_round == NextRound::Requested && !self.watched_probes.is_empty()
    }

    /// Whether a round of probes is in progress, so that some of its probes are not computed yet.
    fn is_round_running(&self) -> bool {
        self.job.is_some() || !self.remaining.is_empty()
    }

    /// Begins a round of probes if it is due: reads the weights once, so that all probes see the same step. `running`
    /// tells whether the run trains.
    async fn begin_round(
        &mut self,
        session: &Session,
        running: bool,
        reporting: ReportingInterval,
    ) -> Result<(), RunError> {
        let is_time = match reporting {
            ReportingInterval::Live => match self.next_round {
                NextRound::At(time) => now_ms() >= time,
                NextRound::Requested => true,
                NextRound::AfterCurrent => false,
            },
            ReportingInterval::Thorough => session.step() >= self.next_step && is_measured(session),
        };
        if self.is_round_running() || !(self.is_round_requested() || running && is_time) {
            return Ok(());
        }
        let spec = session.spec();
        self.next_step = session.step() + spec.run.every.max(session.step() / PROBE_STEP_DIVISOR);
        let is_due = |id: &&ProbeId| applies(id, spec) && !self.measured_once.contains(id);
        self.remaining = self.watched_probes.iter().filter(is_due).cloned().collect();
        (self.spent_ms, self.next_round) = (0.0, NextRound::AfterCurrent);
        if !self.remaining.is_empty() {
            self.weights = (session.step(), session.first_replica().await?);
        }
        self.first_layers = match self.remaining.iter().any(reads_all_networks) {
            true => session.first_layers().await?,
            false => vec![],
        };
        Ok(())
    }

    /// Computes the current probe of the round for a few milliseconds; returns its result when it is done, else None.
    fn advance_round(&mut self, spec: &RunSpec) -> Option<EventMessage> {
        let begin = now_ms();
        while self.job.is_none() {
            let probe = self.remaining.pop_front()?;
            let first_layers = match reads_all_networks(&probe) {
                true => self.first_layers.clone(),
                false => vec![],
            };
            self.job =
                labs::new_probe_job(&probe, spec, self.weights.0, self.weights.1.clone(), first_layers);
        }
        let job = self.job.as_mut()?;
        let (step, found) = (job.step(), job.advance(begin + PROBE_SLICE_MS));
        let now = now_ms();
        self.spent_ms += now - begin;
        let mut finding = found?;
        self.job = None;
        if labs::measures(&finding.probe, ProbeInput::InitialWeights) {
            self.measured_once.push(finding.probe.clone());
        }
        if self.remaining.is_empty() && self.next_round == NextRound::AfterCurrent {
            let rest = self.spent_ms * MIN_TRAINING_SHARE / (1.0 - MIN_TRAINING_SHARE);
            self.next_round = NextRound::At(now + rest.max(MIN_PROBE_PAUSE_MS));
        }
        let payload = finding.take_numbers();
        Some(EventMessage { event: Event::Probed { step, finding }, payload })
    }
}

/// Whether a probe with the id `id` exists and can measure runs with these settings.
fn applies(id: &ProbeId, spec: &RunSpec) -> bool {
    labs::find_probe(id).is_some_and(|found| (found.probe.applies)(spec).is_ok())
}

/// Whether the probe with the id `id` measures the first layers of all networks.
fn reads_all_networks(id: &ProbeId) -> bool {
    labs::measures(id, ProbeInput::AllFirstLayers)
}

/// Whether loss and accuracy are measured at the current step: every `run.every` steps.
fn is_measured(session: &Session) -> bool {
    session.step().is_multiple_of(session.spec().run.every.max(1))
}

impl Worker {
    /// Creates a worker without a run that reports by time ([`ReportingInterval::Live`]).
    pub fn new(device: Device) -> Self {
        Worker::with_reporting(device, ReportingInterval::Live)
    }

    /// Creates a worker without a run that reports as `reporting` says.
    pub fn with_reporting(device: Device, reporting: ReportingInterval) -> Self {
        Worker {
            device,
            reporting,
            session: None,
            pace: Pace::Idle,
            speed: 0,
            speed_origin: (0.0, 0),
            sent_weights: None,
            checkpoint_sent_ms: 0.0,
            rate_origin: (0.0, 0),
            wants_checkpoint: false,
            probes: ProbeRounds::default(),
            prior_events: vec![],
            timing: None,
            open_helpers: None,
            #[cfg(feature = "fused")]
            options: Options::default(),
            #[cfg(feature = "fused")]
            prefetch: None,
        }
    }

    /// Returns the worker's first message to the page, which describes its device.
    pub fn ready_message(&self) -> EventMessage {
        Event::Ready(self.device.report().clone()).into()
    }

    /// Handles a command with its array and returns the answers; training itself happens in [`Worker::train_slice`].
    pub fn handle(&mut self, command: Command, payload: Payload) -> Vec<EventMessage> {
        if let Command::Start { .. } | Command::Measure(..) | Command::MeasurePeaks = command {
            self.timing = None;
        }
        match command {
            Command::Start { spec, speed, paused, held_out_limit, resting } => {
                let cores = match self.reporting {
                    ReportingInterval::Live => 1,
                    ReportingInterval::Thorough => vivarium_model::platform::core_count(),
                };
                let options = Options { held_out_limit, stop_solved: resting, cores };
                let taken = if paused { None } else { self.take(&spec, options) };
                self.prior_events.clear();
                #[cfg(feature = "fused")]
                {
                    self.options = options;
                }
                let started = match (payload, taken) {
                    (Payload::Bytes(bytes), _) => Checkpoint::decode(&bytes)
                        .map(|checkpoint| apply_spec(checkpoint, &spec))
                        .and_then(|checkpoint| Session::resume(&checkpoint, &self.device, options)),
                    (_, Some((session, before))) => {
                        self.prior_events = before;
                        Ok(session)
                    }
                    _ => Session::start(&spec, &self.device, options),
                };
                match started {
                    Ok(mut session) => {
                        if let Some(open) = self.open_helpers {
                            // The runs of a sweep have a worker each.
                            let wanted = if resting { 0 } else { session.wanted_helpers() };
                            session.take_helpers(open(&spec, wanted));
                        }
                        let mut event = session.started();
                        if let (Event::Started { step, .. }, false) =
                            (&mut event, self.prior_events.is_empty())
                        {
                            // All that has happened is told after it.
                            *step = 0;
                        }
                        self.session = Some(session);
                        self.speed = speed;
                        self.pace = if paused { Pace::Idle } else { Pace::Playing(None) };
                        self.sent_weights = None;
                        self.probes = ProbeRounds {
                            watched_probes: std::mem::take(&mut self.probes.watched_probes),
                            ..Default::default()
                        };
                        self.probes.request_round();
                        self.checkpoint_sent_ms = now_ms();
                        self.reset_speed_limit();
                        let mut messages = vec![event.into()];
                        if paused {
                            messages.push(Event::Paused { step: self.current_step() }.into());
                        }
                        messages
                    }
                    Err(failure) => self.fail(failure),
                }
            }
            Command::Play => self.play(None),
            Command::PlayTo(step) => self.play(Some(step)),
            Command::Pause => {
                // One step that was asked for is made all the same.
                if self.pace != Pace::Single {
                    self.pace = Pace::Idle;
                }
                self.wants_checkpoint = true;
                vec![Event::Paused { step: self.current_step() }.into()]
            }
            Command::Step => {
                self.pace = Pace::Single;
                vec![]
            }
            Command::Reach(step) => {
                self.pace = Pace::Reaching(step);
                vec![]
            }
            Command::Speed(speed) => {
                self.speed = speed;
                self.reset_speed_limit();
                vec![]
            }
            Command::LearningRate(lr) => {
                self.session.iter_mut().map(|session| session.set_learning_rate(lr).into()).collect()
            }
            Command::Extend(step) => {
                if let Some(session) = &mut self.session {
                    session.extend(step);
                }
                self.play(None)
            }
            Command::Checkpoint => {
                self.wants_checkpoint = true;
                vec![]
            }
            Command::Watch(probes) => {
                self.probes.watched_probes = probes;
                self.probes.measured_once.clear();
                self.probes.request_round();
                vec![]
            }
            Command::Table { columns } => {
                if let Payload::Numbers(numbers) = payload
                    && let Some(own) = UploadedTable::from_floats(columns, numbers)
                {
                    own.register();
                }
                vec![]
            }
            Command::Sweep(sweep, shown) => {
                self.prefetch_sweep(*sweep, shown);
                vec![]
            }
            Command::Measure(number, spec, window_ms) => self.start_trial(number, &spec, window_ms),
            Command::MeasurePeaks => {
                self.drop_run();
                self.timing = Some(Measurement::Peaks);
                vec![]
            }
        }
    }

    /// Drops the current run, and the runs of its sweep that were trained in advance.
    fn drop_run(&mut self) {
        (self.session, self.pace) = (None, Pace::Idle);
        #[cfg(feature = "fused")]
        {
            self.prefetch = None;
        }
    }

    /// Starts to measure the speed of a run with these settings for `window_ms` milliseconds; `number` identifies the
    /// answer.
    fn start_trial(&mut self, number: u32, spec: &RunSpec, window_ms: f64) -> Vec<EventMessage> {
        self.drop_run();
        match Trial::start(spec, &self.device, 1, window_ms, self.open_helpers) {
            Ok(trial) => {
                self.timing = Some(Measurement::Trial(number, Box::new(trial)));
                vec![]
            }
            Err(RunError::GpuLost(why)) => self.fail(RunError::GpuLost(why)),
            Err(failure) => vec![Event::Measured(number, Err(failure)).into()],
        }
    }

    /// Continues the measurement `timing` of the device's speed for one slice; returns messages and what the caller
    /// does next.
    async fn advance_timing(
        &mut self,
        timing: Measurement,
    ) -> Result<(Vec<EventMessage>, NextSlice), RunError> {
        let event = match timing {
            Measurement::Peaks => Event::PeaksMeasured(self.device.peaks().await?),
            Measurement::Trial(number, mut trial) => match trial.advance(SLICE_MS).await? {
                Some(speed) => Event::Measured(number, Ok(speed)),
                None => {
                    self.timing = Some(Measurement::Trial(number, trial));
                    return Ok((vec![], NextSlice::Continue));
                }
            },
        };
        Ok((vec![event.into()], NextSlice::Idle))
    }

    /// Takes the run with these settings that was trained in advance, and its events so far; if there is none, drops
    /// all runs trained in advance.
    #[cfg(feature = "fused")]
    fn take(&mut self, spec: &RunSpec, options: Options) -> Option<(Session, Vec<Event>)> {
        let taken = self.prefetch.as_mut().and_then(|prefetch| prefetch.take(spec, options));
        if taken.is_none() {
            self.prefetch = None;
        }
        taken.map(|run| (run.session, run.events))
    }

    /// Returns None: without fused kernels no run is trained in advance.
    #[cfg(not(feature = "fused"))]
    fn take(&mut self, _spec: &RunSpec, _options: Options) -> Option<(Session, Vec<Event>)> {
        None
    }

    /// Prepares to train in advance the runs of `sweep` after the run with index `shown` (from 0); only on a GPU.
    fn prefetch_sweep(&mut self, sweep: RunSpec, shown: usize) {
        #[cfg(not(feature = "fused"))]
        drop((sweep, shown));
        #[cfg(feature = "fused")]
        {
            let is_same = self.prefetch.as_ref().is_some_and(|prefetch| prefetch.goes_on(&sweep, shown));
            let can = self.device.report().kind == vivarium_model::protocol::DeviceKind::Gpu;
            if can && !is_same && self.reporting == ReportingInterval::Live {
                self.prefetch = Some(Prefetch::new(sweep, shown, &self.device, self.options));
            }
        }
    }

    /// Starts to play the run, until it is paused or, if `until` is given, up to that step.
    fn play(&mut self, until: Option<u64>) -> Vec<EventMessage> {
        self.pace = Pace::Playing(until);
        self.reset_speed_limit();
        vec![Event::Resumed { step: self.current_step() }.into()]
    }

    /// Returns the number of training steps that the current run has completed; 0 without a run.
    fn current_step(&self) -> u64 {
        self.session.as_ref().map_or(0, Session::step)
    }

    /// Makes the speed limit and the report of the speed count from the current time and step.
    fn reset_speed_limit(&mut self) {
        self.speed_origin = (now_ms(), self.current_step());
        self.rate_origin = self.speed_origin;
        if let Some(session) = &mut self.session {
            session.capacity();
        }
    }

    /// Drops the current run because of the error `failure`, and returns the error as a message to the page.
    fn fail(&mut self, failure: RunError) -> Vec<EventMessage> {
        (self.session, self.timing, self.pace) = (None, None, Pace::Idle);
        vec![Event::Failed(failure).into()]
    }

    /// Trains the run for one slice of some milliseconds and returns the messages to the page, and what the caller does
    /// next.
    pub async fn train_slice(&mut self) -> (Vec<EventMessage>, NextSlice) {
        match self.try_slice().await {
            Ok(done) => done,
            Err(failure) => (self.fail(failure), NextSlice::Idle),
        }
    }

    /// Trains the run for one slice of some milliseconds, as [`Worker::train_slice`] does, but returns an error of the
    /// run as `Err`.
    async fn try_slice(&mut self) -> Result<(Vec<EventMessage>, NextSlice), RunError> {
        if let Some(timing) = self.timing.take() {
            return self.advance_timing(timing).await;
        }
        let allowed = self.allowed_steps();
        let Some(session) = &mut self.session else { return Ok((vec![], NextSlice::Idle)) };
        let mut messages: Vec<EventMessage> = vec![];
        if let Pace::Reaching(step) = self.pace {
            if session.step() < step && !session.finished() {
                session.advance(SLICE_MS, step - session.step()).await?;
                return Ok((messages, NextSlice::Continue));
            }
            self.pace = Pace::Idle;
            self.sent_weights = None;
            self.probes.request_round();
            messages.push(Event::Paused { step: session.step() }.into());
        }
        let fresh = self.sent_weights.is_none();
        if fresh {
            // Before the first step, which is where curves begin.
            self.probes.begin_round(session, false, self.reporting).await?;
        }
        let running = self.pace.is_playing() && !session.finished();
        let is_single = self.pace == Pace::Single;
        let is_live = self.reporting == ReportingInterval::Live;
        // A thorough worker shows the start before it trains, and waits for its probes.
        let is_held =
            !is_live && (fresh || self.probes.is_round_running() || self.probes.is_round_requested());
        let every = session.spec().run.every.max(1);
        let allowed = match is_live {
            true => allowed,
            false if is_held => 0,
            false => allowed.min(every - session.step() % every),
        };
        let goal = match self.pace {
            Pace::Playing(Some(step)) if running => step,
            _ => u64::MAX,
        };
        let allowed = allowed.min(goal.saturating_sub(session.step()));
        let most = if running { allowed } else { u64::from(is_single && !session.finished()) };
        messages.extend(self.prior_events.drain(..).map(EventMessage::from));
        if running || is_single || fresh || session.is_measuring() {
            let events = session.advance(SLICE_MS, most).await?;
            messages.extend(events.into_iter().map(EventMessage::from));
            // A step that is told, and a figure, come with their measurement.
            while session.is_measuring() && (is_single || !is_live || session.step() >= goal) {
                let events = session.advance(SLICE_MS, 0).await?;
                messages.extend(events.into_iter().map(EventMessage::from));
            }
        }
        // At a speed that a person has chosen there is nothing to be ahead of.
        #[cfg(feature = "fused")]
        if let Some(prefetch) = self.prefetch.as_mut().filter(|_| running && self.speed == 0) {
            prefetch.advance(SLICE_MS).await?;
        }
        let ended = messages.iter().any(|m| matches!(m.event, Event::Finished { .. }));
        if session.step() >= goal {
            // Told like a single step: measured, looked at, and paused.
            self.pace = if session.finished() { Pace::Idle } else { Pace::Single };
        }
        let is_single = self.pace == Pace::Single;
        if is_single {
            let at = session.step();
            let is_told = |m: &EventMessage| matches!(&m.event, Event::Metrics(rows) if rows.last().is_some_and(|row| row.step == at));
            if !messages.iter().any(is_told) && !session.finished() {
                messages.push(Event::Metrics(vec![session.measure().await?]).into());
            }
            messages.push(Event::Paused { step: session.step() }.into());
        }
        let now = now_ms();
        let shows = if is_live {
            self.sent_weights.is_none_or(|sent| now - sent >= WEIGHTS_INTERVAL_MS)
        } else {
            !is_held && is_measured(session)
        };
        // A figure's steps are its own: the page asks for checkpoints besides.
        let asked = self.wants_checkpoint && is_live;
        if shows && running || ended || is_single || fresh || asked {
            let (weights, width) = session.first_layer().await?;
            let inputs = weights.len() / width.max(1);
            let event = Event::Weights { step: session.step(), inputs, width };
            messages.push(EventMessage { event, payload: Payload::Numbers(weights) });
            self.sent_weights = Some(now);
        }
        if now - self.rate_origin.0 >= RATE_INTERVAL_MS && running {
            let steps_per_s = (session.step() - self.rate_origin.1) as f64 / (now - self.rate_origin.0) * 1e3;
            let capacity = session.capacity().unwrap_or(steps_per_s);
            messages.push(Event::Rate { steps_per_s, capacity }.into());
            self.rate_origin = (now, session.step());
        }
        if now - self.checkpoint_sent_ms >= CHECKPOINT_INTERVAL_MS && running
            || ended
            || self.wants_checkpoint
        {
            let checkpoint = session.checkpoint().await?;
            let event = Event::Checkpoint { step: checkpoint.step };
            messages.push(EventMessage { event, payload: Payload::Bytes(checkpoint.encode()?) });
            self.checkpoint_sent_ms = now;
        }
        if ended || is_single || asked {
            self.probes.request_round();
        }
        self.probes.begin_round(session, running, self.reporting).await?;
        messages.extend(self.probes.advance_round(session.spec()));
        self.wants_checkpoint = false;
        if ended || is_single {
            self.pace = Pace::Idle;
        }
        let is_measuring = session.is_measuring();
        let next = match (self.pace.is_playing(), self.allowed_steps()) {
            (false, _)
                if self.probes.is_round_running() || self.probes.is_round_requested() || is_measuring =>
            {
                NextSlice::Continue
            }
            (false, _) => NextSlice::Idle,
            (true, 0) => NextSlice::Wait(1e3 / self.speed.max(1) as f64),
            (true, _) => NextSlice::Continue,
        };
        Ok((messages, next))
    }

    /// Returns how many steps may be trained now without exceeding the speed limit; `u64::MAX` without a limit.
    fn allowed_steps(&mut self) -> u64 {
        if self.speed == 0 {
            return u64::MAX;
        }
        let now = now_ms();
        let due = self.speed_origin.1 + ((now - self.speed_origin.0) * self.speed as f64 / 1e3) as u64;
        let (allowed, most) = (due.saturating_sub(self.current_step()), self.speed / 10 + 1);
        if allowed > most {
            // A device that cannot keep up must not save the arrears for later.
            self.speed_origin = (now, self.current_step() + most);
        }
        allowed.min(most)
    }
}

/// Copies last step, end condition, device and learning-rate changes of `spec` into a checkpoint; its other settings
/// stay unchanged.
fn apply_spec(mut checkpoint: Checkpoint, spec: &vivarium_model::run::RunSpec) -> Checkpoint {
    checkpoint.spec.run.steps = spec.run.steps;
    checkpoint.spec.run.halt = spec.run.halt;
    checkpoint.spec.run.device = spec.run.device;
    // Of an earlier step, what was changed later belongs to the run all the same.
    checkpoint.spec.run.schedule.clone_from(&spec.run.schedule);
    checkpoint
}
