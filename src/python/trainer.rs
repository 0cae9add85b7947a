//! The thread in which a run trains, and how Python asks it.
//!
//! # Why
//! A session stays on the thread that made it, and Python calls from any: so each run has a thread of its own, which gets
//! orders as functions. Who has given one waits without holding Python's lock, and looks every few milliseconds whether
//! somebody has pressed Ctrl-C; the run then stops at the end of its slice and can go on later. What trains is the page
//! without a browser ([`vivarium_cli::headless`]), so that charts are those of the page, and it measures as `lab run` does,
//! so that numbers are those of the command line.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use super::columns::Columns;
use super::errors::TrainingError;
use vivarium_cli::Trouble;
use vivarium_cli::headless::Headless;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Command, Event, Message, Payload, Row};
use vivarium_model::tasks::Measures;
use vivarium_page::state::{Action, State};
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::Phase;

/// Time between two looks whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(50);

/// What comes within [`PATIENCE`], without Python's lock.
pub fn heard<T: Send>(py: Python<'_>, hears: Receiver<T>) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    py.detach(move || {
        let heard = hears.recv_timeout(PATIENCE);
        (hears, heard)
    })
}

/// A run in progress.
pub struct Trainer {
    page: Headless,
    heard: Rc<RefCell<Heard>>,
    stop: Arc<AtomicBool>,
}

/// What the worker has said that the page does not keep.
#[derive(Default)]
struct Heard {
    /// Every measurement of the run's schedule.
    rows: Vec<Row>,
    /// The last checkpoint, with its step.
    checkpoint: Option<(u64, Vec<u8>)>,
    /// Which learner trains, and on what.
    learner: String,
    device: String,
}

impl Heard {
    /// Takes what is to be kept of a message about a run that is measured every so many steps, up to the last one.
    fn take(&mut self, message: &Message, every: u64, last: u64) {
        match (&message.event, &message.payload) {
            (Event::Metrics(rows), _) => {
                // A measurement where somebody stopped the run is not one of the run's.
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
    /// The run of a link at its start, measured on so many held-out examples, or on all.
    ///
    /// # Errors
    /// When a GPU was asked for and cannot be used, or the run is not possible.
    fn open(link: &Link, held_out: Option<usize>, stop: Arc<AtomicBool>) -> Result<Trainer, Trouble> {
        let heard = Rc::new(RefCell::new(Heard::default()));
        let (every, last) = (link.spec.run.every.max(1), link.spec.run.steps);
        let listening = Rc::clone(&heard);
        let page = Headless::open(link)
            .measured_on(held_out)
            .with_listener(move |message| listening.borrow_mut().take(message, every, last));
        let mut trainer = Trainer { page, heard, stop };
        trainer.page.catch_up()?;
        // The page asks before a run that takes long. Who calls a function has asked for it.
        if !trainer.page.has_worker() {
            trainer.page.act(Action::Toggle)?;
        }
        trainer.rest()?;
        Ok(trainer)
    }

    /// What the page knows.
    pub fn state(&self) -> &State {
        self.page.state()
    }

    /// Steps made.
    pub fn step(&self) -> u64 {
        self.state().run.step
    }

    /// Whether the run has ended.
    pub fn is_over(&self) -> bool {
        matches!(self.state().run.phase, Phase::Finished(_) | Phase::Diverged { .. })
    }

    /// What is said of a run whose loss is no longer finite.
    pub fn diverged(&self) -> Option<String> {
        matches!(self.state().run.phase, Phase::Diverged { .. }).then(|| self.state().message.clone())
    }

    /// The device and the learner.
    pub fn place(&self) -> (String, String) {
        let heard = self.heard.borrow();
        (heard.device.clone(), heard.learner.clone())
    }

    /// Every measurement, as columns, and how many measurements there are.
    pub fn columns(&self, measures: &Measures) -> (Columns, usize) {
        let heard = self.heard.borrow();
        (Columns::of_rows(measures, &heard.rows), heard.rows.len())
    }

    /// Measurement `number`, for which the run is trained up to it; none where the run has ended before, or was stopped.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn row(&mut self, number: usize) -> Result<Option<Row>, Trouble> {
        loop {
            if let Some(row) = self.heard.borrow().rows.get(number) {
                return Ok(Some(row.clone()));
            }
            let every = self.state().run.spec().run.every.max(1);
            let next = self.step() / every * every + every;
            if self.is_over() || !self.train(Some(next))? {
                return Ok(self.heard.borrow().rows.get(number).cloned());
            }
        }
    }

    /// Trains up to a step, or to the end of the run; whether it came so far, and was not stopped.
    ///
    /// # Errors
    /// When the device stops working.
    pub fn train(&mut self, until: Option<u64>) -> Result<bool, Trouble> {
        if self.is_over() || until.is_some_and(|step| step <= self.step()) {
            return Ok(true);
        }
        self.page.tell(until.map_or(Command::Play, Command::PlayTo))?;
        while self.page.slice()? {
            if self.stop.load(Ordering::Relaxed) {
                self.rest()?;
                return Ok(false);
            }
        }
        self.check()?;
        Ok(true)
    }

    /// Lets the run wait where it stands, and has its probes answered.
    fn rest(&mut self) -> Result<(), Trouble> {
        self.page.tell(Command::Pause)?;
        while self.page.slice()? {}
        self.check()
    }

    fn check(&self) -> Result<(), Trouble> {
        match &self.state().run.phase {
            Phase::Failed(why) => Err(Trouble::Other(anyhow::anyhow!("{why}"))),
            _ => Ok(()),
        }
    }

    /// The run as it stands, as the bytes of a file of weights.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn file(&mut self) -> Result<Vec<u8>, Trouble> {
        let step = self.step();
        let kept = |trainer: &Trainer| {
            let heard = trainer.heard.borrow();
            heard.checkpoint.as_ref().filter(|(at, _)| *at == step).map(|(_, bytes)| bytes.clone())
        };
        if let Some(bytes) = kept(self) {
            return Ok(bytes);
        }
        self.page.tell(Command::Checkpoint)?;
        while self.page.slice()? {}
        self.check()?;
        kept(self).ok_or_else(|| Trouble::Other(anyhow::anyhow!("the worker gave no weights")))
    }

    /// The weights of all networks.
    ///
    /// # Errors
    /// As [`Trainer::train`].
    pub fn checkpoint(&mut self) -> Result<Checkpoint, Trouble> {
        Ok(Checkpoint::decode(&self.file()?)?)
    }

    /// What `asked` sees while `chart` is on show, with its probe answered at this step.
    ///
    /// # Errors
    /// Why there is no such chart of this run, or as [`Trainer::train`].
    pub fn with_chart<T>(&mut self, chart: Chart, asked: impl FnOnce(&State) -> T) -> Result<T, Trouble> {
        chart.applies(&self.state().run).map_err(Trouble::bad)?;
        let is_new = !self.state().run.link.view.show.contains(&chart);
        if is_new {
            self.page.act(Action::ToggleChart(chart))?;
            while self.page.slice()? {}
            self.check()?;
        }
        let seen = asked(self.state());
        // What is watched slows training down.
        if is_new {
            self.page.act(Action::ToggleChart(chart))?;
        }
        Ok(seen)
    }
}

/// What the thread is to do next.
type Order = Box<dyn FnOnce(&mut Trainer) + Send>;

/// A run's thread, from outside.
pub struct Post {
    orders: Mutex<Sender<Order>>,
    stop: Arc<AtomicBool>,
}

impl Post {
    /// Opens a run in a thread of its own.
    ///
    /// # Errors
    /// When the system has no thread left, somebody has pressed Ctrl-C, or the run cannot begin.
    pub fn open(py: Python<'_>, link: Link, held_out: Option<usize>) -> PyResult<Result<Post, Trouble>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (orders, taken) = channel::<Order>();
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
        let post = Post { orders: Mutex::new(orders), stop };
        Ok(post.wait(py, opened)?.map(|()| post))
    }

    /// What `order` says, which is done in the run's thread.
    ///
    /// # Errors
    /// When somebody has pressed Ctrl-C: the run then waits where it stands. Or when the thread has ended.
    pub fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        order: impl FnOnce(&mut Trainer) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (told, hears) = channel();
        let order: Order = Box::new(move |trainer| drop(told.send(order(trainer))));
        let sent = self.orders.lock().unwrap_or_else(PoisonError::into_inner).send(order);
        sent.map_err(|_| gone())?;
        self.wait(py, hears)
    }

    /// Waits without Python's lock, and for the end of the slice even where somebody has pressed Ctrl-C.
    fn wait<T: Send + 'static>(&self, py: Python<'_>, mut hears: Receiver<T>) -> PyResult<T> {
        let mut interrupted = None;
        loop {
            let (back, heard) = heard(py, hears);
            hears = back;
            match heard {
                Ok(answer) => match interrupted {
                    None => return Ok(answer),
                    Some(error) => {
                        self.stop.store(false, Ordering::Relaxed);
                        return Err(error);
                    }
                },
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
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

impl Drop for Post {
    /// Nobody waits for a run that nobody has any more.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn gone() -> PyErr {
    TrainingError::new_err("The thread that trained this run has ended because of an internal error.")
}
