//! The thread in which a run trains, and the handle by which Python's threads call it.
//!
//! # Why
//! A session stays on the thread that made it, and Python calls from any thread: so each run has a thread of its own, which
//! receives its jobs as functions. The caller waits without holding Python's lock and checks for Ctrl-C every few
//! milliseconds; after Ctrl-C the run stops at the end of its slice and can continue later. The page without a browser
//! ([`vivarium_cli::headless`]) trains, so the charts are those of the page; it measures as `lab run` does, so the numbers
//! are those of the command line.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use super::columns::DataColumns;
use super::errors::TrainingError;
use vivarium_cli::CommandError;
use vivarium_cli::headless::HeadlessRun;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Command, Event, EventMessage, Measurement, Payload};
use vivarium_model::tasks::MeasureNames;
use vivarium_player::Player;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::RunPhase;
use vivarium_view::display::charts::ChartOfRun;

/// While Python waits for a run, it checks at this interval whether Ctrl-C was pressed.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Waits for a message for at most [`SIGNAL_CHECK_INTERVAL`], without Python's lock; returns the receiver, and the
/// message or why there is none.
pub fn receive<T: Send>(py: Python<'_>, receiver: Receiver<T>) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    py.detach(move || {
        let received = receiver.recv_timeout(SIGNAL_CHECK_INTERVAL);
        (receiver, received)
    })
}

/// A run in progress: the page without a browser, which trains in the thread of the run.
pub struct Trainer {
    /// The page without a browser, which holds the state of the run and trains it.
    run: HeadlessRun,
    /// The measurements and the latest checkpoint that the worker of the page has sent.
    log: Rc<RefCell<WorkerLog>>,
    /// Set by Python's thread to stop training after the current time slice.
    stop: Arc<AtomicBool>,
}

/// Data from the messages of the page's worker that the page itself does not store.
#[derive(Default)]
struct WorkerLog {
    /// Measurements so far at the steps at which the run should be measured (every so many steps, and its
    /// last), ascending.
    rows: Vec<Measurement>,
    /// Training step and bytes of the latest checkpoint; `None` before the first.
    checkpoint: Option<(u64, Vec<u8>)>,
    /// Name of the program that computes the training steps (learner), as reported by the worker.
    learner: String,
    /// Name of the device that trains, as reported by the worker.
    device: String,
}

impl WorkerLog {
    /// Stores the data of a message of the worker. `every` is the number of steps between measurements, `last` the
    /// last step of the run.
    fn record(&mut self, message: &EventMessage, every: u64, last: u64) {
        match (&message.event, &message.payload) {
            (Event::Metrics(rows), _) => {
                // A measurement at a step where the run was stopped is not part of its schedule.
                for row in rows.iter().filter(|row| row.step.is_multiple_of(every) || row.step >= last) {
                    // A run that goes on from a checkpoint on another device makes some of them again.
                    while self.rows.last().is_some_and(|last| last.step >= row.step) {
                        self.rows.pop();
                    }
                    self.rows.push(row.clone());
                }
            }
            (Event::Checkpoint { step }, Payload::Bytes(bytes)) => {
                self.checkpoint = Some((*step, bytes.clone()));
            }
            (Event::Started { learner, .. }, _) => self.learner.clone_from(learner),
            (Event::Ready(report), _) => self.device.clone_from(&report.name),
            _ => {}
        }
    }
}

impl Trainer {
    /// Opens the run of a link at step 0. The run is measured on `held_out` held-out examples, or on all for `None`.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used, or the run is not possible.
    fn open(link: &Link, held_out: Option<usize>, stop: Arc<AtomicBool>) -> Result<Trainer, CommandError> {
        let heard = Rc::new(RefCell::new(WorkerLog::default()));
        let (every, last) = (link.spec.run.every.max(1), link.spec.run.steps);
        let listening = Rc::clone(&heard);
        let run = HeadlessRun::open(link)
            .with_held_out_limit(held_out)
            .with_listener(move |message| listening.borrow_mut().record(message, every, last));
        let mut trainer = Trainer { run, log: heard, stop };
        trainer.run.apply_pending()?;
        // The page asks before a run that takes long. Who calls a function has asked for it.
        if !trainer.run.has_worker() {
            trainer.run.toggle_play()?;
        }
        trainer.pause()?;
        Ok(trainer)
    }

    /// The run with its measurements, settings and charts.
    pub fn player(&self) -> &Player {
        self.run.player()
    }

    /// Number of training steps that the run has made.
    pub fn step(&self) -> u64 {
        self.player().run.step
    }

    /// Whether the run has reached its end or its loss is no longer finite.
    pub fn is_over(&self) -> bool {
        self.player().run.phase.has_ended()
    }

    /// The message that the loss is no longer finite; `None` for a run whose loss is finite.
    pub fn divergence(&self) -> Option<String> {
        matches!(self.player().run.phase, RunPhase::Diverged { .. }).then(|| self.player().message.clone())
    }

    /// Name of the device, and name of the program that trains (learner).
    pub fn device_and_learner(&self) -> (String, String) {
        let heard = self.log.borrow();
        (heard.device.clone(), heard.learner.clone())
    }

    /// All measurements as a table, and the number of measurements (a measurement has a row for each replica).
    pub fn columns(&self, measures: &MeasureNames) -> (DataColumns, usize) {
        let heard = self.log.borrow();
        (DataColumns::from_measurements(measures, &heard.rows), heard.rows.len())
    }

    /// Trains until measurement `number`, from 0, exists, and returns it; `None` if the run ends or is stopped
    /// before.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn measurement(&mut self, number: usize) -> Result<Option<Measurement>, CommandError> {
        loop {
            if let Some(row) = self.log.borrow().rows.get(number) {
                return Ok(Some(row.clone()));
            }
            let every = self.player().run.spec().run.every.max(1);
            let next = self.step() / every * every + every;
            if self.is_over() || !self.train(Some(next))? {
                return Ok(self.log.borrow().rows.get(number).cloned());
            }
        }
    }

    /// Trains up to the step `until`, or to the end of the run for `None`; returns false if it was stopped before.
    ///
    /// # Errors
    /// When the device stops working.
    pub fn train(&mut self, until: Option<u64>) -> Result<bool, CommandError> {
        if self.is_over() || until.is_some_and(|step| step <= self.step()) {
            return Ok(true);
        }
        self.run.send_command(until.map_or(Command::Play, Command::PlayTo))?;
        while self.run.train_slice()? {
            if self.stop.load(Ordering::Relaxed) {
                self.pause()?;
                return Ok(false);
            }
        }
        self.check_failure()?;
        Ok(true)
    }

    /// Pauses the run, and waits until the worker has computed the data of the charts at the current step.
    fn pause(&mut self) -> Result<(), CommandError> {
        self.run.send_command(Command::Pause)?;
        while self.run.train_slice()? {}
        self.check_failure()
    }

    /// Returns the error of a run whose training has failed; a run that diverged has not failed.
    fn check_failure(&self) -> Result<(), CommandError> {
        match &self.player().run.phase {
            RunPhase::Failed(why) => Err(CommandError::Other(anyhow::anyhow!("{why}"))),
            _ => Ok(()),
        }
    }

    /// A checkpoint of the run at the current step, as the bytes of a safetensors file.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn checkpoint_bytes(&mut self) -> Result<Vec<u8>, CommandError> {
        let step = self.step();
        let kept = |trainer: &Trainer| {
            let heard = trainer.log.borrow();
            heard.checkpoint.as_ref().filter(|(at, _)| *at == step).map(|(_, bytes)| bytes.clone())
        };
        if let Some(bytes) = kept(self) {
            return Ok(bytes);
        }
        self.run.send_command(Command::Checkpoint)?;
        while self.run.train_slice()? {}
        self.check_failure()?;
        kept(self).ok_or_else(|| CommandError::Other(anyhow::anyhow!("the worker gave no weights")))
    }

    /// The weights and optimizer state of all networks at the current step.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn checkpoint(&mut self) -> Result<Checkpoint, CommandError> {
        Ok(Checkpoint::decode(&self.checkpoint_bytes()?)?)
    }

    /// Shows `chart`, waits until its data are measured at the current step, and returns the result of `read`.
    ///
    /// # Errors
    /// Why there is no such chart of this run, or as [`Trainer::train`].
    pub fn with_chart<T>(
        &mut self,
        chart: Chart,
        read: impl FnOnce(&Player) -> T,
    ) -> Result<T, CommandError> {
        chart.applies(&self.player().run).map_err(CommandError::bad_link)?;
        let previous = self.player().run.link.view.show.clone();
        let is_new = !previous.contains(&chart);
        if is_new {
            let shown = [previous.as_slice(), &[chart]].concat();
            self.run.show_charts(shown)?;
            while self.run.train_slice()? {}
            self.check_failure()?;
        }
        let seen = read(self.player());
        // What is watched slows training down.
        if is_new {
            self.run.show_charts(previous)?;
        }
        Ok(seen)
    }
}

/// A function that the run's thread is to call with its trainer.
type Job = Box<dyn FnOnce(&mut Trainer) + Send>;

/// Handle through which Python's threads use the thread that trains a run.
pub struct TrainerThread {
    /// Number of the process that opened the run. A process that was forked from it has no copy of the run's thread.
    process: u32,
    /// Queue of the functions that the run's thread is to call with its trainer.
    jobs: Mutex<Sender<Job>>,
    /// Flag that stops the training of the run after the current time slice.
    stop: Arc<AtomicBool>,
}

impl TrainerThread {
    /// Opens a run in a new thread.
    ///
    /// # Errors
    /// When the system has no thread left, Ctrl-C was pressed, or the run cannot begin.
    pub fn open(
        py: Python<'_>,
        link: Link,
        held_out: Option<usize>,
    ) -> PyResult<Result<TrainerThread, CommandError>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (orders, taken) = channel::<Job>();
        let (told, opened) = channel();
        let stopped = Arc::clone(&stop);
        let work = move || {
            let mut trainer = match Trainer::open(&link, held_out, stopped) {
                Ok(trainer) => trainer,
                Err(trouble) => return drop(told.send(Err(trouble))),
            };
            let _ = told.send(Ok(()));
            while let Ok(order) = taken.recv() {
                order(&mut trainer);
            }
        };
        std::thread::Builder::new().name("vivarium".into()).spawn(work)?;
        let post = TrainerThread { process: std::process::id(), jobs: Mutex::new(orders), stop };
        Ok(post.wait_for_answer(py, opened)?.map(|()| post))
    }

    /// Calls `job` with the trainer, in the run's thread, and returns its result.
    ///
    /// # Errors
    /// When Ctrl-C was pressed, which pauses the run, when the thread has ended, or when another process calls than the
    /// one that opened the run: nobody would answer there.
    pub fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Trainer) -> T + Send + 'static,
    ) -> PyResult<T> {
        // Before the lock, which another thread may have held when the process was forked.
        if std::process::id() != self.process {
            return Err(forked_error());
        }
        let (told, hears) = channel();
        let order: Job = Box::new(move |trainer| drop(told.send(job(trainer))));
        let sent = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(order);
        sent.map_err(|_| thread_ended_error())?;
        self.wait_for_answer(py, hears)
    }

    /// Waits for the result of a job without Python's lock. On Ctrl-C it stops the training and waits for the end of
    /// the time slice.
    fn wait_for_answer<T: Send + 'static>(&self, py: Python<'_>, mut receiver: Receiver<T>) -> PyResult<T> {
        let mut interrupted = None;
        loop {
            let (back, heard) = receive(py, receiver);
            receiver = back;
            match heard {
                Ok(answer) => match interrupted {
                    None => return Ok(answer),
                    Some(error) => {
                        self.stop.store(false, Ordering::Relaxed);
                        return Err(error);
                    }
                },
                Err(RecvTimeoutError::Disconnected) => return Err(thread_ended_error()),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals() {
                        self.stop.store(true, Ordering::Relaxed);
                        interrupted = Some(error);
                    }
                }
            }
        }
    }
}

impl Drop for TrainerThread {
    /// Stops the training of a run that Python no longer references.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The Python exception for a run that another process opened, from which this process was forked.
fn forked_error() -> PyErr {
    TrainingError::new_err(
        "This run was opened in another process, and the thread that trains it is not part of a forked process. Open the \
         run in this process, for example inside the function that multiprocessing calls.",
    )
}

/// The Python exception for a run whose thread ended because of an internal error.
fn thread_ended_error() -> PyErr {
    TrainingError::new_err("The thread that trained this run has ended because of an internal error.")
}
