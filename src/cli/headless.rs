//! A run without a browser: the player of the page, with a worker in this process that trains.
//!
//! # Why
//! `lab plot` draws exactly what the page shows: the same player handles the same messages and gives the same
//! readings. The alternative, readings made from the outcome of a session, would need a second implementation
//! of every chart. Only the clock is left out: there is no speed limit, no worker times out, and the weights
//! are probed by the step, so that a curve does not depend on the speed of the machine.

use std::collections::VecDeque;

use super::CommandError;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, StartMode};
use vivarium_model::platform::may_have_gpu;
use vivarium_model::protocol::{Command, Event, EventMessage, Payload, RunError};
use vivarium_model::run::DeviceChoice;
use vivarium_player::Player;
use vivarium_player::device::GpuSupport;
use vivarium_player::trainer::{Program, TrainerEffect, TrainerMessage};
use vivarium_training::launch::choose::{Engine, prefers_gpu};
use vivarium_training::launch::device::Device;
use vivarium_training::launch::device_check::checked_gpu;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::record::head::detect_kind;
use vivarium_view::record::reading::{FileContents, ReadJob, read};
use vivarium_view::record::weights::CheckpointHeader;
use vivarium_worker::{NextSlice, ReportingInterval, Worker};

/// Messages for the player that the worker or the search for a GPU has produced.
enum Incoming {
    /// Whether a GPU was found.
    GpuDetected(GpuSupport),
    /// A message of the worker that runs this program, or its end.
    Trainer(Program, TrainerMessage),
}

/// A run without a browser: the player of the page, and a worker in this process that trains.
pub struct HeadlessRun {
    /// The run with its measurements, settings and charts.
    player: Player,
    /// Effects that the last action asked for, such as messages to the worker, and that are still to be
    /// performed.
    pending_effects: Vec<TrainerEffect>,
    /// Messages that the player has not handled yet, oldest first.
    pending_messages: VecDeque<Incoming>,
    /// Program (device and learner) and the worker that trains with it; None before the first training.
    worker: Option<(Program, Worker)>,
    /// Error of the device that failed last, or of the search for a GPU; None without one.
    device_failure: Option<RunError>,
    /// Bytes of the latest checkpoint (a safetensors file) from the worker; None before the first.
    latest_checkpoint: Option<Vec<u8>>,
    /// Overrides the limit on held-out examples per measurement: `Some(None)` is no limit, None leaves the
    /// limit of the page.
    held_out_limit: Option<Option<usize>>,
    /// Called with every message of the worker before the player handles it.
    listener: Option<MessageListener>,
}

/// Callback that is called with every message of the worker (measurements, checkpoints, errors) before the
/// player handles it.
type MessageListener = Box<dyn FnMut(&EventMessage)>;

impl HeadlessRun {
    /// Opens `link` as a run that plays without a speed limit; nothing is trained yet.
    pub fn open(link: &Link) -> Self {
        HeadlessRun::open_with_start(link, StartMode::Playing)
    }

    /// Opens `link` as a run that is paused at its start.
    pub fn open_paused(link: &Link) -> Self {
        HeadlessRun::open_with_start(link, StartMode::Paused)
    }

    /// Opens `link` as a run without a speed limit, which plays or is paused.
    fn open_with_start(link: &Link, start: StartMode) -> Self {
        let mut link = link.clone();
        (link.view.speed, link.view.start) = (0, start);
        let (mut player, mut effects) = (Player::default(), vec![]);
        player.open_link(link, &mut effects);
        HeadlessRun {
            player,
            pending_effects: effects,
            pending_messages: VecDeque::new(),
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

    /// Sets a callback for every message of the worker, called before the player handles it.
    /// The player itself keeps only some of the measurements of a long run.
    pub fn with_listener(mut self, listener: impl FnMut(&EventMessage) + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// A run that is shown from a file with this name and these bytes; nothing is trained.
    ///
    /// # Errors
    /// When the file is refused, which may be too large for the page.
    pub fn from_record(link: &Link, name: &str, bytes: Vec<u8>) -> Result<Self, CommandError> {
        let mut run = HeadlessRun::open(link);
        // A file needs no trainer, so the effects of opening the link are dropped.
        run.pending_effects.clear();
        run.player = Player::default();
        match read_file(name, &bytes)? {
            FileContents::Run(raw) => match raw.check() {
                Ok(record) => run.player.show_record(record),
                Err(error) => return Err(file_error(name, &error.to_string())),
            },
            FileContents::Weights(_) | FileContents::Table(_) | FileContents::RefusedTable(_) => {
                return Err(file_error(name, "it is not the file of a run"));
            }
        }
        run.player.run.link.view = link.view.clone();
        Ok(run)
    }

    /// A run with the weights in a file with this name and these bytes, paused at the training step of the weights.
    ///
    /// # Errors
    /// When the file is refused, or a GPU was asked for and cannot be used.
    pub fn from_weights(link: &Link, name: &str, bytes: Vec<u8>) -> Result<Self, CommandError> {
        let mut run = HeadlessRun::open_paused(link);
        run.run_until_idle(|_| true)?;
        let FileContents::Weights(bytes) = read_file(name, &bytes)? else {
            return Err(file_error(name, "it is not a file of weights"));
        };
        let header = CheckpointHeader::check(&bytes, bytes.len() as u64);
        let header = header.map_err(|error| file_error(name, &error.to_string()))?;
        let mut link = run.player.weights_link(&header);
        link.view.repair(&link.spec);
        run.player.drop_trainer(&mut run.pending_effects);
        run.player.show_weights(link, &header, bytes, &mut run.pending_effects);
        run.run_until_idle(|_| true)?;
        Ok(run)
    }

    /// Removes all measurements after the training step `step` from the run on display, which then stands at
    /// that step.
    pub fn truncate_record(&mut self, step: u64) {
        let run = &mut self.player.run;
        run.history = run.history.up_to_step(step);
        run.solved.retain(|(_, at)| *at <= step);
        run.step = step;
    }

    /// A run that shows a sweep with the results in `sweep`; nothing is trained.
    pub fn from_sweep(link: &Link, sweep: SweepProgress) -> Self {
        let mut run = HeadlessRun::open(link);
        run.pending_effects.clear();
        run.player.run.sweep = Some(sweep);
        run
    }

    /// The run with its measurements, settings and charts, as the page plays it.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Trains the run, or all runs of the sweep, to the end, and computes the data of the charts there.
    /// `observe` is called after every change of the player.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used, or the run is not possible.
    pub fn finish(&mut self, mut observe: impl FnMut(&Player)) -> Result<(), CommandError> {
        let keep_going = |player: &Player| {
            observe(player);
            true
        };
        self.finish_while(keep_going).map(drop)
    }

    /// Trains as [`HeadlessRun::finish`] while `keep_going` returns true after each change of the player.
    /// Returns whether the end was reached.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
    pub fn finish_while(&mut self, keep_going: impl FnMut(&Player) -> bool) -> Result<bool, CommandError> {
        if !self.run_until_idle(keep_going)? {
            return Ok(false);
        }
        match &self.player.run.phase {
            ended if ended.has_ended() => Ok(true),
            RunPhase::Failed(why) => Err(CommandError::Other(anyhow::anyhow!("{why}"))),
            other => Err(RunError::Internal(format!("it left the run {other:?}")).into()),
        }
    }

    /// Trains up to `step`, and computes measurements and the data of the charts there. `observe` is called
    /// after every change of the player. Returns false if the run ends before `step`.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
    pub fn train_to(&mut self, step: u64, mut observe: impl FnMut(&Player)) -> Result<bool, CommandError> {
        let mut keep_going = |player: &Player| {
            observe(player);
            true
        };
        self.run_until_idle(&mut keep_going)?;
        if !self.player.run.phase.has_ended() {
            self.pending_effects.push(TrainerEffect::Send(Command::PlayTo(step), Payload::Empty));
            self.run_until_idle(keep_going)?;
        }
        match &self.player.run.phase {
            RunPhase::Failed(why) => Err(CommandError::Other(anyhow::anyhow!("{why}"))),
            phase if *phase == RunPhase::Paused || phase.has_ended() => Ok(self.player.run.step == step),
            other => Err(RunError::Internal(format!("it left the run {other:?}")).into()),
        }
    }

    /// Requests a checkpoint with the weights at the current step from the worker, and returns it.
    ///
    /// # Errors
    /// When the worker sends none.
    pub fn request_checkpoint(&mut self) -> Result<Checkpoint, CommandError> {
        self.latest_checkpoint = None;
        self.pending_effects.push(TrainerEffect::Send(Command::Checkpoint, Payload::Empty));
        self.run_until_idle(|_| true)?;
        let bytes = self.latest_checkpoint.take();
        let bytes = bytes.ok_or_else(|| RunError::Internal("the worker sent no weights".into()))?;
        Ok(Checkpoint::decode(&bytes)?)
    }

    /// Trains and performs all pending effects and actions until nothing is left to do, and returns true.
    /// `keep_going` is called after each change of the player; if it returns false, the work stops and the
    /// result is false.
    fn run_until_idle(&mut self, mut keep_going: impl FnMut(&Player) -> bool) -> Result<bool, CommandError> {
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
    /// As [`HeadlessRun::finish`].
    pub fn apply_pending(&mut self) -> Result<(), CommandError> {
        self.apply_pending_while(&mut |_| true).map(drop)
    }

    /// Performs all pending effects and actions without training, and returns true. `keep_going` is called
    /// after each change of the player; if it returns false, the work stops and the result is false.
    fn apply_pending_while(
        &mut self,
        keep_going: &mut impl FnMut(&Player) -> bool,
    ) -> Result<bool, CommandError> {
        loop {
            for effect in std::mem::take(&mut self.pending_effects) {
                self.perform_effect(effect)?;
            }
            let Some(message) = self.pending_messages.pop_front() else { return Ok(true) };
            match message {
                Incoming::GpuDetected(found) => {
                    self.player.handle_gpu_support(found, &mut self.pending_effects);
                }
                Incoming::Trainer(program, message) => {
                    self.player.handle_trainer_message(program, message, &mut self.pending_effects);
                }
            }
            if !keep_going(&self.player) {
                return Ok(false);
            }
        }
    }

    /// Plays or pauses the run, and performs all effects that follow from it without training.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
    pub fn toggle_play(&mut self) -> Result<(), CommandError> {
        self.player.toggle_play(&mut self.pending_effects);
        self.apply_pending()
    }

    /// Shows these charts, for which the worker then measures what they need, without training.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
    pub fn show_charts(&mut self, charts: Vec<Chart>) -> Result<(), CommandError> {
        self.player.show_charts(charts, &mut self.pending_effects);
        self.apply_pending()
    }

    /// Makes the worker measure the weights for the moving picture of the run, as on the page's first screen.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
    pub fn show_hero(&mut self) -> Result<(), CommandError> {
        self.player.run.shows_hero = true;
        self.player.send_probes(&mut self.pending_effects);
        self.apply_pending()
    }

    /// Sends a command to the worker and applies its answers; without a worker, nothing happens.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
    pub fn send_command(&mut self, command: Command) -> Result<(), CommandError> {
        self.pending_effects.push(TrainerEffect::Send(command, Payload::Empty));
        self.apply_pending()
    }

    /// Whether a worker runs; before an expensive run the player waits for the user to press Play.
    pub fn has_worker(&self) -> bool {
        self.worker.is_some()
    }

    /// Trains one time slice and applies the messages of the worker. Returns false once nothing is left to
    /// train.
    ///
    /// # Errors
    /// As [`HeadlessRun::finish`].
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

    /// Stores the error or checkpoint in a message of the worker of `program`, passes the message to the
    /// listener, and queues it for the player.
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
        self.pending_messages.push_back(Incoming::Trainer(program, TrainerMessage::Message(message)));
    }

    /// Performs an effect that the player asked for; a request to store the measured speeds of CPU and GPU is
    /// ignored, since only a browser stores them.
    fn perform_effect(&mut self, effect: TrainerEffect) -> Result<(), CommandError> {
        match effect {
            TrainerEffect::StoreSpeeds(_) => {}
            // The drivers are not asked if the processor trains in any case.
            TrainerEffect::DetectGpu if !self.may_use_gpu() => {
                self.pending_messages.push_back(Incoming::GpuDetected(GpuSupport::NoAdapter));
            }
            TrainerEffect::DetectGpu => {
                let found = self.survey_gpu();
                self.pending_messages.push_back(Incoming::GpuDetected(found));
            }
            // The player would fall back to the processor; a GPU that the command line requires must not be replaced.
            TrainerEffect::Open(Program::Cpu | Program::CpuAutodiff)
                if self.player.run.spec().run.device == DeviceChoice::Gpu =>
            {
                let why = || RunError::NoGpu("there is no GPU to use".into());
                return Err(self.device_failure.take().unwrap_or_else(why).into());
            }
            TrainerEffect::Open(program) => {
                self.worker = None;
                match open_device(program) {
                    Ok(device) => {
                        let worker = Worker::with_reporting(device, ReportingInterval::Thorough);
                        self.handle_message(program, worker.ready_message());
                        self.worker = Some((program, worker));
                    }
                    Err(failure) => {
                        let died = TrainerMessage::Died(failure.to_string());
                        self.pending_messages.push_back(Incoming::Trainer(program, died));
                        self.device_failure = Some(failure);
                    }
                }
            }
            TrainerEffect::Send(mut command, payload) => {
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
        let run = &self.player.run;
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

/// Reads the file with this name and these bytes.
///
/// # Errors
/// When the file cannot be read, or is none that the page opens.
fn read_file(name: &str, bytes: &[u8]) -> Result<FileContents, CommandError> {
    let size = bytes.len() as u64;
    let kind = detect_kind(name, size, bytes).map_err(|error| file_error(name, &error.to_string()))?;
    read(&ReadJob::new(kind, size), bytes).map_err(|error| file_error(name, &error.to_string()))
}

/// The error of a file that cannot be shown.
fn file_error(name: &str, why: &str) -> CommandError {
    CommandError::Other(anyhow::anyhow!("{name} was not opened: {why}."))
}

/// Opens the device of a program: the processor for `Program::Cpu` and `Program::CpuAutodiff`, otherwise a GPU, which is checked for
/// correct results.
fn open_device(program: Program) -> Result<Device, RunError> {
    match program {
        Program::Cpu | Program::CpuAutodiff => Ok(Device::cpu()),
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

    fn finished(link: &str) -> Player {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut page = HeadlessRun::open(&link);
        page.finish(|_| {}).unwrap();
        page.player
    }

    /// Slow, paused and measured on more than the page's processor takes: none of it is in the way.
    #[test]
    fn the_page_ends_with_every_measurement_and_the_last_probes() {
        let link = "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&halt=steps&device=cpu\
                    &speed=1&start=paused&show=loss.movement.gap.spectrum";
        let player = finished(link);
        assert_eq!(player.run.phase, RunPhase::Finished(EndReason::LastStep));
        let mut session = Session::start(&player.run.link.spec, &Device::cpu(), Options::default()).unwrap();
        let rows = pollster::block_on(session.finish(|_| {})).unwrap().rows;
        assert_eq!(player.run.history.rows().cloned().collect::<Vec<_>>(), rows);
        let moved = player.run.trajectories.as_ref().unwrap().movements();
        let moved: Vec<u64> = moved.map(|(step, _)| step).collect();
        let every_measurement: Vec<u64> = (0..=12).map(|i| 10 * i).collect();
        assert_eq!(moved, every_measurement);
        assert_eq!(player.run.trace(&GAP).map(|(step, _)| step).collect::<Vec<_>>(), every_measurement);
        assert_eq!(player.run.latest_results[&SPECTRUM.id()].1.numbers.len(), 9);
        assert!(player.run.latest_finding(&ATTENTION).is_none(), "nobody watches it");
    }

    #[test]
    fn a_sweep_is_over_and_its_times_are_those_of_its_runs() {
        let link = "#v1/sparse-parity?k=2&width=32&lr=1&held=64&every=5&steps=300&replicas=3&device=cpu\
                    &sweep=n:6_8&series=k:1_2&show=sweep";
        let player = finished(link);
        let sweep = player.run.sweep.as_ref().unwrap();
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
        let received = Rc::new(RefCell::new(vec![]));
        let listening = Rc::clone(&received);
        let mut page =
            HeadlessRun::open(&decode(link).0).with_held_out_limit(Some(16)).with_listener(move |message| {
                if let Event::Metrics(rows) = &message.event {
                    listening.borrow_mut().extend(rows.iter().map(|row| row.step));
                }
            });
        page.apply_pending().unwrap();
        assert!(page.has_worker());
        let mut send = |command: Command| {
            page.send_command(command).unwrap();
            while page.train_slice().unwrap() {}
            let run = &page.player().run;
            (run.phase.clone(), run.step, run.held_out, received.borrow().len())
        };
        assert_eq!(send(Command::Pause), (RunPhase::Paused, 0, 16, 1));
        assert_eq!(send(Command::PlayTo(40)), (RunPhase::Paused, 40, 16, 5));
        assert_eq!(send(Command::Play), (RunPhase::Finished(EndReason::LastStep), 120, 16, 13));
        assert!(received.borrow().iter().copied().eq((0..=12).map(|i| 10 * i)));
    }

    #[test]
    fn a_diverged_run_ends_where_it_was_last_good() {
        let player = finished(
            "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400&device=cpu",
        );
        assert!(
            matches!(player.run.phase, RunPhase::Diverged { last_good, .. } if last_good == player.run.step)
        );
    }
}
