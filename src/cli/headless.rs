//! The page without a browser: its state, with a worker in this process that trains.
//!
//! # Why
//! `lab plot` draws exactly what the page shows: the same state handles the same messages and gives the same
//! readings. The alternative, readings made from the outcome of a session, would need a second implementation
//! of every chart. Only the clock is left out: there is no speed limit, no worker times out, and the weights
//! are probed by the step, so that a curve does not depend on the speed of the machine.

use std::collections::VecDeque;

use super::CommandError;
use vivarium_model::permalink::{Link, StartMode, encode};
use vivarium_model::platform::may_have_gpu;
use vivarium_model::protocol::{Command, Event, EventMessage, Payload, RunError};
use vivarium_model::run::DeviceChoice;
use vivarium_page::state::{Action, State};
use vivarium_page::trainer::device::GpuSupport;
use vivarium_page::trainer::{Effect, Program, TrainerMessage};
use vivarium_training::launch::choose::{Engine, prefers_gpu};
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_worker::{NextSlice, ReportingInterval, Worker};

/// The web page without a browser: its state, and a worker in this process that trains.
pub struct HeadlessPage {
    /// State of the page: the run with its measurements, settings and charts.
    state: State,
    /// Effects that the last action asked for, such as messages to the worker, and that are still to be
    /// performed.
    pending_effects: Vec<Effect>,
    /// Actions that the state has not applied yet, oldest first.
    pending_actions: VecDeque<Action>,
    /// Program (device and learner) and the worker that trains with it; None before the first training.
    worker: Option<(Program, Worker)>,
    /// Error of the device that failed last, or of the search for a GPU; None without one.
    device_failure: Option<RunError>,
    /// Bytes of the latest checkpoint (a safetensors file) from the worker; None before the first.
    latest_checkpoint: Option<Vec<u8>>,
    /// Overrides the limit on held-out examples per measurement: `Some(None)` is no limit, None leaves the
    /// limit of the page.
    held_out_limit: Option<Option<usize>>,
    /// Called with every message of the worker before the state handles it.
    listener: Option<MessageListener>,
}

/// Callback that is called with every message of the worker (measurements, checkpoints, errors) before the
/// page handles it.
type MessageListener = Box<dyn FnMut(&EventMessage)>;

impl HeadlessPage {
    /// Opens `link` on a page that plays without a speed limit; nothing is trained yet.
    pub fn open(link: &Link) -> Self {
        HeadlessPage::open_with_start(link, StartMode::Playing)
    }

    /// Opens `link` on a page that is paused at the start of the run.
    pub fn open_paused(link: &Link) -> Self {
        HeadlessPage::open_with_start(link, StartMode::Paused)
    }

    /// Opens `link` on a page without a speed limit, which plays or is paused.
    fn open_with_start(link: &Link, start: StartMode) -> Self {
        let mut link = link.clone();
        (link.view.speed, link.view.start) = (0, start);
        let mut state = State::default();
        let effects = state.apply(Action::Open(encode(&link)));
        HeadlessPage {
            state,
            pending_effects: effects,
            pending_actions: VecDeque::new(),
            worker: None,
            device_failure: None,
            latest_checkpoint: None,
            held_out_limit: None,
            listener: None,
        }
    }

    /// Sets the largest number of held-out examples per measurement; None measures on all of them.
    pub fn with_held_out_limit(mut self, limit: Option<usize>) -> Self {
        self.held_out_limit = Some(limit);
        self
    }

    /// Sets a callback for every message of the worker, called before the page handles it.
    /// The page itself keeps only some of the measurements of a long run.
    pub fn with_listener(mut self, listener: impl FnMut(&EventMessage) + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// A page that shows the file of a run, with this name and these bytes; nothing is trained.
    ///
    /// # Errors
    /// When the page refuses the file, which may be too large for it.
    pub fn from_record(link: &Link, name: &str, bytes: Vec<u8>) -> Result<Self, CommandError> {
        let mut page = HeadlessPage { state: State::default(), ..HeadlessPage::open(link) };
        // A file needs no trainer, so the effects of opening the link are dropped.
        page.pending_effects.clear();
        page.state.apply(Action::open_file(name, bytes));
        page.check_opened()?;
        page.state.run.link.view = link.view.clone();
        Ok(page)
    }

    /// Checks that the page accepted the file of a run or of weights that was opened.
    ///
    /// # Errors
    /// The message with which the page refuses the file.
    fn check_opened(&self) -> Result<(), CommandError> {
        match self.state.file_error.as_str() {
            "" => Ok(()),
            flaw => Err(CommandError::Other(anyhow::anyhow!("{flaw}"))),
        }
    }

    /// A page that shows the weights in a file with this name and these bytes, paused at the training step of
    /// the weights.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used.
    pub fn from_weights(link: &Link, name: &str, bytes: Vec<u8>) -> Result<Self, CommandError> {
        let mut page = HeadlessPage::open_paused(link);
        page.run_until_idle(|_| true)?;
        page.pending_effects = page.state.apply(Action::open_file(name, bytes));
        page.run_until_idle(|_| true)?;
        page.check_opened()?;
        Ok(page)
    }

    /// Removes all measurements after the training step `step` from the run on display, which then stands at
    /// that step.
    pub fn truncate_record(&mut self, step: u64) {
        let run = &mut self.state.run;
        run.history = run.history.up_to_step(step);
        run.solved.retain(|(_, at)| *at <= step);
        run.step = step;
    }

    /// A page that shows a sweep with the results in `sweep`; nothing is trained.
    pub fn from_sweep(link: &Link, sweep: SweepProgress) -> Self {
        let mut page = HeadlessPage::open(link);
        page.pending_effects.clear();
        page.state.run.sweep = Some(sweep);
        page
    }

    /// State of the page: the run with its measurements, settings and charts.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Trains the run, or all runs of the sweep, to the end, and computes the data of the charts there.
    /// `observe` is called after every change of the state.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used, or the run is not possible.
    pub fn finish(&mut self, mut observe: impl FnMut(&State)) -> Result<(), CommandError> {
        let told = |state: &State| {
            observe(state);
            true
        };
        self.finish_while(told).map(drop)
    }

    /// Trains as [`HeadlessPage::finish`] while `keep_going` returns true after each change of the state.
    /// Returns whether the end was reached.
    ///
    /// # Errors
    /// As [`HeadlessPage::finish`].
    pub fn finish_while(&mut self, keep_going: impl FnMut(&State) -> bool) -> Result<bool, CommandError> {
        if !self.run_until_idle(keep_going)? {
            return Ok(false);
        }
        match &self.state.run.phase {
            RunPhase::Finished(_) | RunPhase::Diverged { .. } => Ok(true),
            RunPhase::Failed(why) => Err(CommandError::Other(anyhow::anyhow!("{why}"))),
            other => Err(RunError::Internal(format!("it left the page {other:?}")).into()),
        }
    }

    /// Trains up to `step`, and computes measurements and the data of the charts there. `observe` is called
    /// after every change of the state. Returns false if the run ends before `step`.
    ///
    /// # Errors
    /// As [`HeadlessPage::finish`].
    pub fn train_to(&mut self, step: u64, mut observe: impl FnMut(&State)) -> Result<bool, CommandError> {
        let mut told = |state: &State| {
            observe(state);
            true
        };
        self.run_until_idle(&mut told)?;
        let has_ended = matches!(self.state.run.phase, RunPhase::Finished(_) | RunPhase::Diverged { .. });
        if !has_ended {
            self.pending_effects.push(Effect::Send(Command::PlayTo(step), Payload::Empty));
            self.run_until_idle(told)?;
        }
        match &self.state.run.phase {
            RunPhase::Failed(why) => Err(CommandError::Other(anyhow::anyhow!("{why}"))),
            RunPhase::Paused | RunPhase::Finished(_) | RunPhase::Diverged { .. } => {
                Ok(self.state.run.step == step)
            }
            other => Err(RunError::Internal(format!("it left the page {other:?}")).into()),
        }
    }

    /// Requests a checkpoint with the weights at the current step from the worker, and returns it.
    ///
    /// # Errors
    /// When the worker sends none.
    pub fn request_checkpoint(&mut self) -> Result<Checkpoint, CommandError> {
        self.latest_checkpoint = None;
        self.pending_effects.push(Effect::Send(Command::Checkpoint, Payload::Empty));
        self.run_until_idle(|_| true)?;
        let bytes = self.latest_checkpoint.take();
        let bytes = bytes.ok_or_else(|| RunError::Internal("the worker sent no weights".into()))?;
        Ok(Checkpoint::decode(&bytes)?)
    }

    /// Trains and performs all pending effects and actions until nothing is left to do, and returns true.
    /// `keep_going` is called after each change of the state; if it returns false, the work stops and the
    /// result is false.
    fn run_until_idle(&mut self, mut keep_going: impl FnMut(&State) -> bool) -> Result<bool, CommandError> {
        loop {
            if !self.apply_pending_while(&mut keep_going)? {
                return Ok(false);
            }
            if !self.advance_worker() {
                return Ok(true);
            }
        }
    }

    /// Performs all pending effects and applies all pending actions without training.
    ///
    /// # Errors
    /// As [`HeadlessPage::finish`].
    pub fn apply_pending(&mut self) -> Result<(), CommandError> {
        self.apply_pending_while(&mut |_| true).map(drop)
    }

    /// Performs all pending effects and actions without training, and returns true. `keep_going` is called
    /// after each change of the state; if it returns false, the work stops and the result is false.
    fn apply_pending_while(
        &mut self,
        keep_going: &mut impl FnMut(&State) -> bool,
    ) -> Result<bool, CommandError> {
        loop {
            for effect in std::mem::take(&mut self.pending_effects) {
                self.perform_effect(effect)?;
            }
            let Some(action) = self.pending_actions.pop_front() else { return Ok(true) };
            self.pending_effects = self.state.apply(action);
            if !keep_going(&self.state) {
                return Ok(false);
            }
        }
    }

    /// Applies an action of the user, and performs all effects that follow from it without training.
    ///
    /// # Errors
    /// As [`HeadlessPage::finish`].
    pub fn perform_action(&mut self, action: Action) -> Result<(), CommandError> {
        let effects = self.state.apply(action);
        self.pending_effects.extend(effects);
        self.apply_pending()
    }

    /// Sends a command to the worker and applies its answers; without a worker, nothing happens.
    ///
    /// # Errors
    /// As [`HeadlessPage::finish`].
    pub fn send_command(&mut self, command: Command) -> Result<(), CommandError> {
        self.pending_effects.push(Effect::Send(command, Payload::Empty));
        self.apply_pending()
    }

    /// Whether a worker runs; before an expensive run the page waits for the user to press Play.
    pub fn has_worker(&self) -> bool {
        self.worker.is_some()
    }

    /// Trains one time slice and applies the messages of the worker. Returns false once nothing is left to
    /// train.
    ///
    /// # Errors
    /// As [`HeadlessPage::finish`].
    pub fn train_slice(&mut self) -> Result<bool, CommandError> {
        let goes_on = self.advance_worker();
        self.apply_pending()?;
        Ok(goes_on)
    }

    /// Trains one time slice and queues the messages of the worker. Returns false once nothing is left to
    /// train.
    fn advance_worker(&mut self) -> bool {
        let Some((program, worker)) = &mut self.worker else { return false };
        let (messages, next) = pollster::block_on(worker.train_slice());
        let ended = messages.is_empty() && next == NextSlice::Idle;
        let program = *program;
        messages.into_iter().for_each(|message| self.handle_message(program, message));
        !ended
    }

    /// Stores errors and checkpoints of a message, passes it to the listener, and queues it for the state.
    fn handle_message(&mut self, program: Program, message: EventMessage) {
        if let Event::Failed(failure) = &message.event {
            self.device_failure = Some(failure.clone());
        }
        if let (Event::Checkpoint { .. }, Payload::Bytes(bytes)) = (&message.event, &message.payload) {
            self.latest_checkpoint = Some(bytes.clone());
        }
        if let Some(listener) = &mut self.listener {
            listener(&message);
        }
        self.pending_actions.push_back(Action::Trainer(program, TrainerMessage::Message(message)));
    }

    /// Performs an effect that the state asked for; effects that need a browser do nothing.
    fn perform_effect(&mut self, effect: Effect) -> Result<(), CommandError> {
        match effect {
            // These effects need a browser: stories, storage and the benchmark of the page.
            Effect::FetchStory(_)
            | Effect::FetchRecorded
            | Effect::StoreSpeeds(_)
            | Effect::Bench(_)
            | Effect::Library(_)
            | Effect::StoreTable(_) => {}
            // The drivers are not asked if the processor trains in any case.
            Effect::DetectGpu if !self.may_use_gpu() => {
                self.pending_actions.push_back(Action::GpuDetected(GpuSupport::NoAdapter));
            }
            Effect::DetectGpu => {
                let survey = self.survey_gpu();
                self.pending_actions.push_back(Action::GpuDetected(survey));
            }
            // The page would fall back to the processor; a GPU that the command line requires must not be replaced.
            Effect::Open(Program::Cpu) if self.state.run.spec().run.device == DeviceChoice::Gpu => {
                let why = || RunError::NoGpu("there is no GPU to use".into());
                return Err(self.device_failure.take().unwrap_or_else(why).into());
            }
            Effect::Open(program) => {
                self.worker = None;
                match open_device(program) {
                    Ok(device) => {
                        let worker = Worker::with_reporting(device, ReportingInterval::Thorough);
                        self.handle_message(program, worker.ready_message());
                        self.worker = Some((program, worker));
                    }
                    Err(failure) => {
                        self.pending_actions
                            .push_back(Action::Trainer(program, TrainerMessage::Died(failure.to_string())));
                        self.device_failure = Some(failure);
                    }
                }
            }
            Effect::Send(mut command, payload) => {
                if let (Command::Start { held_out_limit, .. }, Some(chosen)) =
                    (&mut command, self.held_out_limit)
                {
                    *held_out_limit = chosen;
                }
                let Some((program, worker)) = &mut self.worker else { return Ok(()) };
                let (program, answers) = (*program, worker.handle(command, payload));
                answers.into_iter().for_each(|answer| self.handle_message(program, answer));
            }
        }
        Ok(())
    }

    /// Whether the run, or one of the runs of the sweep, would train on a GPU if the machine has one.
    fn may_use_gpu(&self) -> bool {
        let run = &self.state.run;
        let cells = run.sweep.iter().flat_map(|sweep| &sweep.cells).map(|cell| &cell.spec);
        std::iter::once(run.spec())
            .chain(cells)
            .any(|spec| prefers_gpu(spec) && (spec.run.device == DeviceChoice::Gpu || may_have_gpu()))
    }

    /// Looks for a GPU and reports it as a browser would; an error is stored as the failure of the device.
    fn survey_gpu(&mut self) -> GpuSupport {
        match pollster::block_on(Device::gpu()) {
            Ok(gpu) => {
                let report = gpu.report();
                GpuSupport::Adapter { name: report.name.clone(), simulated: report.simulated }
            }
            Err(failure) => {
                self.device_failure = Some(failure);
                GpuSupport::NoAdapter
            }
        }
    }
}

/// Opens the device of a program: the processor for `Program::Cpu`, otherwise a GPU, which is checked for
/// correct results.
fn open_device(program: Program) -> Result<Device, RunError> {
    match program {
        Program::Cpu => Ok(Device::cpu()),
        Program::Fused => pollster::block_on(checked_gpu(&[Engine::Fused])),
        Program::Gpu => pollster::block_on(checked_gpu(&[Engine::Autodiff])),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use vivarium_labs::parity::probes::{ATTENTION, GAP, SPECTRUM};
    use vivarium_model::permalink::decode;
    use vivarium_model::protocol::EndReason;
    use vivarium_training::session::{Options, Session};

    fn finished(link: &str) -> State {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut page = HeadlessPage::open(&link);
        page.finish(|_| {}).unwrap();
        page.state
    }

    /// Slow, paused and measured on more than the page's processor takes: none of it is in the way.
    #[test]
    fn the_page_ends_with_every_measurement_and_the_last_probes() {
        let link = "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&halt=steps&device=cpu\
                    &speed=1&start=paused&show=loss.movement.gap.spectrum";
        let state = finished(link);
        assert_eq!(state.run.phase, RunPhase::Finished(EndReason::LastStep));
        let mut session = Session::start(&state.run.link.spec, &Device::cpu(), Options::default()).unwrap();
        let rows = pollster::block_on(session.finish(|_| {})).unwrap().rows;
        assert_eq!(state.run.history.rows().cloned().collect::<Vec<_>>(), rows);
        let moved = state.run.trajectories.as_ref().unwrap().movements();
        let moved: Vec<u64> = moved.map(|(step, _)| step).collect();
        let every_measurement: Vec<u64> = (0..=12).map(|i| 10 * i).collect();
        assert_eq!(moved, every_measurement);
        assert_eq!(state.run.trace(&GAP).map(|(step, _)| step).collect::<Vec<_>>(), every_measurement);
        assert_eq!(state.run.latest_results[&SPECTRUM.id()].1.numbers.len(), 9);
        assert!(state.run.latest_finding(&ATTENTION).is_none(), "nobody watches it");
    }

    #[test]
    fn a_sweep_is_over_and_its_times_are_those_of_its_runs() {
        let link = "#v1/sparse-parity?k=2&width=32&lr=1&held=64&every=5&steps=300&replicas=3&device=cpu\
                    &sweep=n:6_8&series=k:1_2&show=sweep";
        let state = finished(link);
        let sweep = state.run.sweep.as_ref().unwrap();
        assert!(sweep.is_complete() && sweep.solved_steps.len() == 4);
        for (cell, found) in sweep.cells.iter().zip(&sweep.solved_steps) {
            let mut session = Session::start(&cell.spec, &Device::cpu(), Options::default()).unwrap();
            assert_eq!(pollster::block_on(session.finish(|_| {})).unwrap().solved, *found);
            assert!(found.iter().any(Option::is_some), "{found:?}");
        }
    }

    #[test]
    fn who_listens_hears_every_measurement_and_the_run_waits_where_it_must() {
        let link =
            "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&halt=steps&device=cpu&show=loss";
        let heard = Rc::new(RefCell::new(vec![]));
        let listening = Rc::clone(&heard);
        let mut page =
            HeadlessPage::open(&decode(link).0).with_held_out_limit(Some(16)).with_listener(move |message| {
                if let Event::Metrics(rows) = &message.event {
                    listening.borrow_mut().extend(rows.iter().map(|row| row.step));
                }
            });
        page.apply_pending().unwrap();
        assert!(page.has_worker());
        let mut told = |command: Command| {
            page.send_command(command).unwrap();
            while page.train_slice().unwrap() {}
            let run = &page.state().run;
            (run.phase.clone(), run.step, run.held_out, heard.borrow().len())
        };
        assert_eq!(told(Command::Pause), (RunPhase::Paused, 0, 16, 1));
        assert_eq!(told(Command::PlayTo(40)), (RunPhase::Paused, 40, 16, 5));
        assert_eq!(told(Command::Play), (RunPhase::Finished(EndReason::LastStep), 120, 16, 13));
        assert!(heard.borrow().iter().copied().eq((0..=12).map(|i| 10 * i)));
    }

    #[test]
    fn a_diverged_run_ends_where_it_was_last_good() {
        let state = finished(
            "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400&device=cpu",
        );
        assert!(
            matches!(state.run.phase, RunPhase::Diverged { last_good, .. } if last_good == state.run.step)
        );
    }
}
