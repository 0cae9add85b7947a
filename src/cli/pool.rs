//! Runs of a sweep on all cores at once, and on the GPU beside them.
//!
//! # Why
//! A run on the processor takes one core, and the runs of a sweep know nothing of each other: each thread takes the next
//! one when it has ended its own. The numbers of a run do not depend on who else trains, so that they are those of one
//! at a time, bit for bit. A GPU is one: the calling thread batches its runs, so that many of them train at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use super::Trouble;
use super::open::Devices;
use vivarium_core::settings::thousands;
use vivarium_model::protocol::{DeviceKind, Event, Failure, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::{Cell, cell};
use vivarium_training::launch::batch_queue::{BatchQueue, covers};
use vivarium_training::launch::choose::prefers_gpu;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Outcome, Session};

/// Milliseconds of a run between two looks at what else there is.
const SLICE_MS: f64 = 50.0;

/// What a thread has to say.
enum Word {
    /// A run has ended.
    Ended(usize, Cell, Result<Outcome, Failure>),
    /// A run is the GPU's.
    ForGpu(usize, Cell),
    /// A run cannot be.
    Impossible(String),
}

/// The outcome of a run, with those of its measurements alone at which a network reached the target, and the last one;
/// none when it was stopped before its end.
fn train(
    cell: &Cell,
    device: &Device,
    options: Options,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, Failure> {
    let mut session = Session::start(&cell.spec, device, options)?;
    let mut rows: Vec<Row> = vec![];
    let mut ending = None;
    while !session.finished() {
        if is_stopped() {
            return Ok(None);
        }
        for event in pollster::block_on(session.advance(SLICE_MS, u64::MAX))? {
            match event {
                Event::Metrics(new) => rows.extend(new),
                Event::Finished { reason, .. } => ending = Some(reason),
                _ => {}
            }
        }
        let last = rows.last().map(|row| row.step);
        rows.retain(|row| Some(row.step) == last || session.solved().contains(&Some(row.step)));
    }
    Ok(Some(Outcome { rows, solved: session.solved().to_vec(), ending, step: session.step() }))
}

/// Whether to stop: the exit code to end with then.
pub type Stop<'a> = &'a (dyn Fn() -> Option<u8> + Sync);

/// Makes these runs of the sweep of `spec`, and tells `ended` of each as soon as it has; the names of the devices.
///
/// # Errors
/// The first failure of a run, of a device or of `ended`, or that `asked` said to stop; no run is begun after it.
pub fn make(
    spec: &RunSpec,
    numbers: &[usize],
    threads: usize,
    options: Options,
    asked: Stop<'_>,
    mut ended: impl FnMut(usize, &Cell, &Outcome) -> Result<(), Trouble>,
) -> Result<Vec<String>, Trouble> {
    let (next, stop, no_gpu) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let (told, heard) = sync_channel::<Word>(2 * threads + 2);
    let is_stopped = || stop.load(Ordering::Relaxed) || asked().is_some();
    let mut made = 0;
    let mut ended = |number: usize, cell: &Cell, outcome: &Outcome| {
        made += 1;
        ended(number, cell, outcome)
    };
    let work = |told: std::sync::mpsc::SyncSender<Word>| {
        let device = Device::cpu();
        while !is_stopped() {
            let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let word = match cell(spec, *number) {
                Err(problem) => Word::Impossible(problem.to_string()),
                Ok(cell) if prefers_gpu(&cell.spec) && !no_gpu.load(Ordering::Relaxed) => {
                    Word::ForGpu(*number, cell)
                }
                Ok(cell) => match train(&cell, &device, options, &is_stopped).transpose() {
                    Some(outcome) => Word::Ended(*number, cell, outcome),
                    None => break,
                },
            };
            if told.send(word).is_err() {
                break;
            }
        }
    };
    let mut hall = Hall {
        devices: Devices::default(),
        options,
        asked,
        on_cores: false,
        no_gpu: &no_gpu,
        queue: None,
        cells: BTreeMap::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let told = told.clone();
            scope.spawn(|| work(told));
        }
        drop(told);
        // A thread that waits to be heard is let go by the end of the hearing.
        let result = hall.hear(&heard, &mut ended);
        stop.store(true, Ordering::Relaxed);
        drop(heard);
        result
    })?;
    if let Some(code) = asked().filter(|_| made < numbers.len()) {
        return Err(stopped(made, numbers.len(), code));
    }
    let mut names: Vec<String> = hall.devices.names().iter().map(|name| name.to_string()).collect();
    names.extend(hall.on_cores.then(|| Device::cpu().report().name.clone()));
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn stopped(made: usize, of: usize, code: u8) -> Trouble {
    let (made, of) = (thousands(made as u64), thousands(of as u64));
    Trouble::Stopped(format!("Stopped when {made} of {of} runs had ended."), code)
}

/// Most runs for the GPU that are known of before their turn.
const MOST_AHEAD: usize = 4096;

/// Where the calling thread hears the others, and trains what is the GPU's.
struct Hall<'a> {
    devices: Devices,
    options: Options,
    asked: Stop<'a>,
    on_cores: bool,
    no_gpu: &'a AtomicBool,
    queue: Option<BatchQueue>,
    /// The runs in them.
    cells: BTreeMap<usize, Cell>,
}

impl Hall<'_> {
    fn hear(
        &mut self,
        heard: &Receiver<Word>,
        ended: &mut impl FnMut(usize, &Cell, &Outcome) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut is_over = false;
        while !is_over || !self.cells.is_empty() {
            // What trains on the GPU waits for nobody.
            while !is_over && self.cells.len() < MOST_AHEAD {
                let word = match self.cells.is_empty() {
                    true => heard.recv().map_err(|_| TryRecvError::Disconnected),
                    false => heard.try_recv(),
                };
                match word {
                    Ok(word) => self.take(word, ended)?,
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => is_over = true,
                }
            }
            if (self.asked)().is_some() {
                break;
            }
            if let Some(queue) = &mut self.queue {
                for run in pollster::block_on(queue.advance(SLICE_MS))? {
                    let number = run.number;
                    if let Some(cell) = self.cells.remove(&number) {
                        ended(number, &cell, &run.outcome())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        word: Word,
        ended: &mut impl FnMut(usize, &Cell, &Outcome) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        match word {
            Word::Ended(number, cell, outcome) => {
                self.on_cores = true;
                ended(number, &cell, &outcome?)
            }
            Word::Impossible(why) => Err(Trouble::bad(why)),
            Word::ForGpu(number, cell) => {
                let device = self.devices.device(&cell.spec)?;
                if device.report().kind == DeviceKind::Cpu {
                    self.no_gpu.store(true, Ordering::Relaxed);
                } else if covers(&cell.spec) {
                    let queue = self.queue.get_or_insert_with(|| BatchQueue::new(&device, self.options));
                    queue.add(number, cell.spec.clone());
                    self.cells.insert(number, cell);
                    return Ok(());
                }
                match train(&cell, &device, self.options, &|| (self.asked)().is_some())? {
                    Some(outcome) => ended(number, &cell, &outcome),
                    None => Ok(()),
                }
            }
        }
    }
}
