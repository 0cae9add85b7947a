//! The worker: commands in, slices of a session, messages out. The transport is not its business, so that
//! the same worker runs behind a web worker's messages and in native tests.

#[cfg(all(feature = "web", target_family = "wasm"))]
pub mod web;

use std::collections::VecDeque;

use vivarium_labs as labs;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Command, Event, Failure, Message, Payload, ProbeId};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::tabular::uploaded::UploadedTable;
use vivarium_training::launch::device::Device;
#[cfg(feature = "fused")]
use vivarium_training::launch::prefetch::Prefetch;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_training::session::learner::OpenHelpers;
use vivarium_training::session::trial::Trial;
use vivarium_training::session::{Options, Session};
use vivarium_view::probing::ProbeJob;

/// Longest time without looking for commands: Pause answers within 50 ms even if the last step overruns.
const SLICE_MS: f64 = 16.0;
/// Between two heatmaps of a live run.
const WEIGHTS_MS: f64 = 100.0;
/// Between two reports of the speed.
const RATE_MS: f64 = 500.0;
/// Between two checkpoints that the page keeps in case this worker dies.
const CHECKPOINT_MS: f64 = 2_000.0;
/// Longest part of a slice that goes into a probe.
const PROBE_MS: f64 = 5.0;
/// Least time between two rounds of probes of a live run, and least share of the time that training keeps.
const PROBES_MS: f64 = 100.0;
const TRAINING_SHARE: f64 = 0.8;
/// Where pictures are what the run is for, probes go round again after this part of the steps made so far.
const PART_OF_STEPS: u64 = 16;

/// How often a worker shows the weights and goes round its probes.
///
/// # Why
/// The eye wants a few pictures a second, however many steps lie between. A figure is of the steps: at full speed
/// a second holds thousands of them, and its curves would have a handful of corners that hang on the machine. Where
/// a run ends is not known before, so its probes thin out as it goes on: their number grows with the logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rhythm {
    /// By the clock: weights ten times a second, and probes in a fifth of the time.
    #[default]
    Live,
    /// By the step: weights at every measurement, and probes that training waits for.
    Thorough,
}

/// What the owner does after a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// Look for commands and call [`Worker::slice`] again.
    Continue,
    /// The same after this many milliseconds, because of the speed limit.
    Wait(f64),
    /// Nothing to do until a command comes.
    Idle,
}

/// One worker with one device and at most one run.
pub struct Worker {
    device: Device,
    rhythm: Rhythm,
    session: Option<Session>,
    playing: bool,
    speed: u64,
    /// Moment and step from which the speed limit counts.
    anchor: (f64, u64),
    sent_weights: f64,
    sent_checkpoint: f64,
    rate: (f64, u64),
    /// Step at which it is to pause.
    goal: Option<u64>,
    /// Whether the person has asked for one step that has not been made yet.
    single_step: bool,
    /// The step up to which it trains without a word.
    reach: Option<u64>,
    wants_checkpoint: bool,
    probes: Probes,
    /// What happened in the run before it was shown.
    before: Vec<Event>,
    /// What is measured instead of a run.
    timing: Option<Timing>,
    /// Opens helpers for a run, as many as it wants if possible, where there is anything to open.
    pub helpers: Option<OpenHelpers>,
    /// Options of the run, and the runs of its sweep that come after it.
    #[cfg(feature = "fused")]
    options: Options,
    #[cfg(feature = "fused")]
    prefetch: Option<Prefetch>,
}

/// What a worker measures of its device.
enum Timing {
    /// The run of this number trains to see how fast it goes.
    Trial(u32, Box<Trial>),
    /// What the device computes at most.
    Peaks,
}

/// The probes that are watched: they go round by round.
#[derive(Default)]
struct Probes {
    watched: Vec<ProbeId>,
    /// Those of this round that have not begun.
    due: VecDeque<ProbeId>,
    job: Option<ProbeJob>,
    /// The weights that this round looks at, and their step.
    seen: (u64, Vec<Vec<f32>>),
    /// Computing time of this round, and when the next may begin: −∞ where one was asked for.
    spent_ms: f64,
    rest_until: f64,
    /// The step from which on the next may begin.
    next_step: u64,
}

impl Probes {
    /// Asks for a round as soon as this one is over.
    fn ask(&mut self) {
        self.rest_until = f64::NEG_INFINITY;
    }

    fn asked(&self) -> bool {
        self.rest_until == f64::NEG_INFINITY && !self.watched.is_empty()
    }

    fn busy(&self) -> bool {
        self.job.is_some() || !self.due.is_empty()
    }

    /// Begins a round if it is time: the weights are read once, so that all its probes are of the same step.
    async fn begin(&mut self, session: &Session, running: bool, rhythm: Rhythm) -> Result<(), Failure> {
        let is_time = match rhythm {
            Rhythm::Live => now_ms() >= self.rest_until,
            Rhythm::Thorough => session.step() >= self.next_step && is_measured(session),
        };
        if self.busy() || !(self.asked() || running && is_time) {
            return Ok(());
        }
        let spec = session.spec();
        self.next_step = session.step() + spec.run.every.max(session.step() / PART_OF_STEPS);
        self.due = self.watched.iter().filter(|id| applies(id, spec)).cloned().collect();
        (self.spent_ms, self.rest_until) = (0.0, f64::INFINITY);
        if !self.due.is_empty() {
            self.seen = (session.step(), session.first_replica().await?);
        }
        Ok(())
    }

    /// Goes on with the round for a moment.
    fn advance(&mut self, spec: &RunSpec) -> Option<Message> {
        let begin = now_ms();
        while self.job.is_none() {
            let probe = self.due.pop_front()?;
            self.job = labs::probe_job(&probe, spec, self.seen.0, self.seen.1.clone());
        }
        let job = self.job.as_mut()?;
        let (step, found) = (job.step(), job.advance(begin + PROBE_MS));
        let now = now_ms();
        self.spent_ms += now - begin;
        let mut finding = found?;
        self.job = None;
        if self.due.is_empty() && self.rest_until == f64::INFINITY {
            let rest = self.spent_ms * TRAINING_SHARE / (1.0 - TRAINING_SHARE);
            self.rest_until = now + rest.max(PROBES_MS);
        }
        let payload = finding.take_numbers();
        Some(Message { event: Event::Probed { step, finding }, payload })
    }
}

/// Whether the probe of that name can be asked about a run.
fn applies(id: &ProbeId, spec: &RunSpec) -> bool {
    labs::probe(id).is_some_and(|found| (found.probe.applies)(spec).is_ok())
}

/// Whether the run stands where it is measured.
fn is_measured(session: &Session) -> bool {
    session.step().is_multiple_of(session.spec().run.every.max(1))
}

impl Worker {
    /// A worker without a run, for the eye.
    pub fn new(device: Device) -> Self {
        Worker::with_rhythm(device, Rhythm::Live)
    }

    /// A worker without a run.
    pub fn with_rhythm(device: Device, rhythm: Rhythm) -> Self {
        Worker {
            device,
            rhythm,
            session: None,
            playing: false,
            speed: 0,
            anchor: (0.0, 0),
            sent_weights: 0.0,
            sent_checkpoint: 0.0,
            rate: (0.0, 0),
            goal: None,
            single_step: false,
            reach: None,
            wants_checkpoint: false,
            probes: Probes::default(),
            before: vec![],
            timing: None,
            helpers: None,
            #[cfg(feature = "fused")]
            options: Options::default(),
            #[cfg(feature = "fused")]
            prefetch: None,
        }
    }

    /// What to say first.
    pub fn ready(&self) -> Message {
        Event::Ready(self.device.report().clone()).into()
    }

    /// Obeys a command; training itself happens in [`Worker::slice`].
    pub fn handle(&mut self, command: Command, payload: Payload) -> Vec<Message> {
        if let Command::Start { .. } | Command::Play | Command::Pause | Command::Step | Command::Extend(_) =
            command
        {
            self.goal = None;
        }
        if let Command::Start { .. } | Command::Measure(..) | Command::MeasurePeaks = command {
            self.timing = None;
        }
        match command {
            Command::Start { spec, speed, paused, held_out_limit, resting } => {
                let cores = match self.rhythm {
                    Rhythm::Live => 1,
                    Rhythm::Thorough => vivarium_model::platform::cores(),
                };
                let options = Options { held_out_limit, stop_solved: resting, cores };
                let taken = if paused { None } else { self.take(&spec, options) };
                self.before.clear();
                #[cfg(feature = "fused")]
                {
                    self.options = options;
                }
                let started = match (payload, taken) {
                    (Payload::Bytes(bytes), _) => Checkpoint::decode(&bytes)
                        .map(|checkpoint| adopt(checkpoint, &spec))
                        .and_then(|checkpoint| Session::resume(&checkpoint, &self.device, options)),
                    (_, Some((session, before))) => {
                        self.before = before;
                        Ok(session)
                    }
                    _ => Session::start(&spec, &self.device, options),
                };
                match started {
                    Ok(mut session) => {
                        if let Some(open) = self.helpers {
                            // The runs of a sweep have a worker each.
                            let wanted = if resting { 0 } else { session.wanted_helpers() };
                            session.take_helpers(open(&spec, wanted));
                        }
                        let mut event = session.started();
                        if let (Event::Started { step, .. }, false) = (&mut event, self.before.is_empty()) {
                            // All that has happened is told after it.
                            *step = 0;
                        }
                        self.session = Some(session);
                        self.speed = speed;
                        self.playing = !paused;
                        self.single_step = false;
                        self.reach = None;
                        self.sent_weights = f64::NEG_INFINITY;
                        self.probes = Probes {
                            watched: std::mem::take(&mut self.probes.watched),
                            ..Default::default()
                        };
                        self.probes.ask();
                        self.sent_checkpoint = now_ms();
                        self.set_anchor();
                        let mut messages = vec![event.into()];
                        if paused {
                            messages.push(Event::Paused { step: self.step() }.into());
                        }
                        messages
                    }
                    Err(failure) => self.fail(failure),
                }
            }
            Command::Play => self.play(),
            Command::PlayTo(step) => {
                self.goal = Some(step);
                self.play()
            }
            Command::Pause => {
                self.playing = false;
                self.reach = None;
                self.wants_checkpoint = true;
                vec![Event::Paused { step: self.step() }.into()]
            }
            Command::Step => {
                self.playing = false;
                self.single_step = true;
                vec![]
            }
            Command::Reach(step) => {
                self.playing = false;
                self.reach = Some(step);
                vec![]
            }
            Command::Speed(speed) => {
                self.speed = speed;
                self.set_anchor();
                vec![]
            }
            Command::LearningRate(lr) => {
                self.session.iter_mut().map(|session| session.set_learning_rate(lr).into()).collect()
            }
            Command::Extend(step) => {
                if let Some(session) = &mut self.session {
                    session.extend(step);
                }
                self.play()
            }
            Command::Checkpoint => {
                self.wants_checkpoint = true;
                vec![]
            }
            Command::Watch(probes) => {
                self.probes.watched = probes;
                self.probes.ask();
                vec![]
            }
            Command::Table { columns } => {
                if let Payload::Numbers(numbers) = payload
                    && let Some(own) = UploadedTable::from_numbers(columns, numbers)
                {
                    own.open();
                }
                vec![]
            }
            Command::Sweep(sweep, shown) => {
                self.go_ahead(*sweep, shown);
                vec![]
            }
            Command::Measure(number, spec, window_ms) => self.try_out(number, &spec, window_ms),
            Command::MeasurePeaks => {
                self.drop_run();
                self.timing = Some(Timing::Peaks);
                vec![]
            }
        }
    }

    fn drop_run(&mut self) {
        (self.session, self.playing, self.single_step, self.reach) = (None, false, false, None);
        #[cfg(feature = "fused")]
        {
            self.prefetch = None;
        }
    }

    /// Begins to time a run.
    fn try_out(&mut self, number: u32, spec: &RunSpec, window_ms: f64) -> Vec<Message> {
        self.drop_run();
        match Trial::start(spec, &self.device, 1, window_ms, self.helpers) {
            Ok(trial) => {
                self.timing = Some(Timing::Trial(number, Box::new(trial)));
                vec![]
            }
            Err(Failure::GpuLost(why)) => self.fail(Failure::GpuLost(why)),
            Err(failure) => vec![Event::Measured(number, Err(failure)).into()],
        }
    }

    /// Goes on with what is timed.
    async fn time(&mut self, timing: Timing) -> Result<(Vec<Message>, Next), Failure> {
        let event = match timing {
            Timing::Peaks => Event::PeaksMeasured(self.device.peaks().await?),
            Timing::Trial(number, mut trial) => match trial.advance(SLICE_MS).await? {
                Some(speed) => Event::Measured(number, Ok(speed)),
                None => {
                    self.timing = Some(Timing::Trial(number, trial));
                    return Ok((vec![], Next::Continue));
                }
            },
        };
        Ok((vec![event.into()], Next::Idle))
    }

    /// The run of `spec`, if it has begun ahead of its turn, with what has happened in it; runs ahead of any other are
    /// given up.
    #[cfg(feature = "fused")]
    fn take(&mut self, spec: &RunSpec, options: Options) -> Option<(Session, Vec<Event>)> {
        let taken = self.prefetch.as_mut().and_then(|prefetch| prefetch.take(spec, options));
        if taken.is_none() {
            self.prefetch = None;
        }
        taken.map(|run| (run.session, run.events))
    }

    #[cfg(not(feature = "fused"))]
    fn take(&mut self, _spec: &RunSpec, _options: Options) -> Option<(Session, Vec<Event>)> {
        None
    }

    /// Trains the runs of `sweep` after the one that is shown beside it, where a GPU can.
    fn go_ahead(&mut self, sweep: RunSpec, shown: usize) {
        #[cfg(not(feature = "fused"))]
        drop((sweep, shown));
        #[cfg(feature = "fused")]
        {
            let is_same = self.prefetch.as_ref().is_some_and(|prefetch| prefetch.goes_on(&sweep, shown));
            let can = self.device.report().kind == vivarium_model::protocol::DeviceKind::Gpu;
            if can && !is_same && self.rhythm == Rhythm::Live {
                self.prefetch = Some(Prefetch::new(sweep, shown, &self.device, self.options));
            }
        }
    }

    fn play(&mut self) -> Vec<Message> {
        self.playing = true;
        self.reach = None;
        self.set_anchor();
        vec![Event::Resumed { step: self.step() }.into()]
    }

    fn step(&self) -> u64 {
        self.session.as_ref().map_or(0, Session::step)
    }

    fn set_anchor(&mut self) {
        self.anchor = (now_ms(), self.step());
        self.rate = self.anchor;
        if let Some(session) = &mut self.session {
            session.capacity();
        }
    }

    fn fail(&mut self, failure: Failure) -> Vec<Message> {
        (self.session, self.timing) = (None, None);
        self.playing = false;
        vec![Event::Failed(failure).into()]
    }

    /// Trains for a moment and tells what there is to tell.
    pub async fn slice(&mut self) -> (Vec<Message>, Next) {
        match self.try_slice().await {
            Ok(done) => done,
            Err(failure) => (self.fail(failure), Next::Idle),
        }
    }

    async fn try_slice(&mut self) -> Result<(Vec<Message>, Next), Failure> {
        if let Some(timing) = self.timing.take() {
            return self.time(timing).await;
        }
        let allowed = self.allowed();
        let Some(session) = &mut self.session else { return Ok((vec![], Next::Idle)) };
        let mut messages: Vec<Message> = vec![];
        if let Some(step) = self.reach {
            if session.step() < step && !session.finished() {
                session.advance(SLICE_MS, step - session.step()).await?;
                return Ok((messages, Next::Continue));
            }
            self.reach = None;
            self.sent_weights = f64::NEG_INFINITY;
            self.probes.ask();
            messages.push(Event::Paused { step: session.step() }.into());
        }
        let fresh = self.sent_weights == f64::NEG_INFINITY;
        if fresh {
            // Before the first step, which is where curves begin.
            self.probes.begin(session, false, self.rhythm).await?;
        }
        let running = self.playing && !session.finished();
        let is_live = self.rhythm == Rhythm::Live;
        // A thorough worker shows the start before it trains, and waits for its probes.
        let is_held = !is_live && (fresh || self.probes.busy() || self.probes.asked());
        let every = session.spec().run.every.max(1);
        let allowed = match is_live {
            true => allowed,
            false if is_held => 0,
            false => allowed.min(every - session.step() % every),
        };
        let goal = self.goal.filter(|_| running).unwrap_or(u64::MAX);
        let allowed = allowed.min(goal.saturating_sub(session.step()));
        let most = if running { allowed } else { u64::from(self.single_step && !session.finished()) };
        messages.extend(self.before.drain(..).map(Message::from));
        if running || self.single_step || fresh || session.is_measuring() {
            let events = session.advance(SLICE_MS, most).await?;
            messages.extend(events.into_iter().map(Message::from));
            // A step that is told, and a figure, come with their measurement.
            while session.is_measuring() && (self.single_step || !is_live || session.step() >= goal) {
                let events = session.advance(SLICE_MS, 0).await?;
                messages.extend(events.into_iter().map(Message::from));
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
            (self.playing, self.goal, self.single_step) = (false, None, !session.finished());
        }
        if self.single_step {
            let at = session.step();
            let is_told = |m: &Message| matches!(&m.event, Event::Metrics(rows) if rows.last().is_some_and(|row| row.step == at));
            if !messages.iter().any(is_told) && !session.finished() {
                messages.push(Event::Metrics(vec![session.measure().await?]).into());
            }
            messages.push(Event::Paused { step: session.step() }.into());
        }
        let now = now_ms();
        let shows =
            if is_live { now - self.sent_weights >= WEIGHTS_MS } else { !is_held && is_measured(session) };
        // A figure's steps are its own: the page asks for checkpoints besides.
        let asked = self.wants_checkpoint && is_live;
        if shows && running || ended || self.single_step || fresh || asked {
            let (weights, width) = session.first_layer().await?;
            let inputs = weights.len() / width.max(1);
            let event = Event::Weights { step: session.step(), inputs, width };
            messages.push(Message { event, payload: Payload::Numbers(weights) });
            self.sent_weights = now;
        }
        if now - self.rate.0 >= RATE_MS && running {
            let steps_per_s = (session.step() - self.rate.1) as f64 / (now - self.rate.0) * 1e3;
            let capacity = session.capacity().unwrap_or(steps_per_s);
            messages.push(Event::Rate { steps_per_s, capacity }.into());
            self.rate = (now, session.step());
        }
        if now - self.sent_checkpoint >= CHECKPOINT_MS && running || ended || self.wants_checkpoint {
            let checkpoint = session.checkpoint().await?;
            let event = Event::Checkpoint { step: checkpoint.step };
            messages.push(Message { event, payload: Payload::Bytes(checkpoint.encode()?) });
            self.sent_checkpoint = now;
        }
        if ended || self.single_step || asked {
            self.probes.ask();
        }
        self.probes.begin(session, running, self.rhythm).await?;
        messages.extend(self.probes.advance(session.spec()));
        (self.single_step, self.wants_checkpoint) = (false, false);
        if ended {
            self.playing = false;
        }
        let is_measuring = session.is_measuring();
        let next = match (self.playing, self.allowed()) {
            (false, _) if self.probes.busy() || self.probes.asked() || is_measuring => Next::Continue,
            (false, _) => Next::Idle,
            (true, 0) => Next::Wait(1e3 / self.speed.max(1) as f64),
            (true, _) => Next::Continue,
        };
        Ok((messages, next))
    }

    /// Steps that the speed limit allows now.
    fn allowed(&mut self) -> u64 {
        if self.speed == 0 {
            return u64::MAX;
        }
        let now = now_ms();
        let due = self.anchor.1 + ((now - self.anchor.0) * self.speed as f64 / 1e3) as u64;
        let (allowed, most) = (due.saturating_sub(self.step()), self.speed / 10 + 1);
        if allowed > most {
            // A device that cannot keep up must not save the arrears for later.
            self.anchor = (now, self.step() + most);
        }
        allowed.min(most)
    }
}

/// A checkpoint under the specification that asks for it: what trains is the checkpoint's, when and where it
/// stops is the specification's, and so is every change of the learning rate.
fn adopt(mut checkpoint: Checkpoint, spec: &vivarium_model::run::RunSpec) -> Checkpoint {
    checkpoint.spec.run.steps = spec.run.steps;
    checkpoint.spec.run.halt = spec.run.halt;
    checkpoint.spec.run.device = spec.run.device;
    // Of an earlier step, what was changed later belongs to the run all the same.
    checkpoint.spec.run.schedule.clone_from(&spec.run.schedule);
    checkpoint
}
