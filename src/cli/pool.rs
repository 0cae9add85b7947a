//! Trains runs of a sweep on all cores at once, and on the GPU at the same time.
//!
//! # Why
//! A run on the processor uses one core, and the runs of a sweep are independent: each thread takes the next
//! run when it has finished one. The numbers of a run do not depend on other runs, so they are bit for bit
//! those of training one run at a time. There is only one GPU: the calling thread batches its runs, so that
//! many of them train at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use super::CommandError;
use super::open::DeviceCache;
use vivarium_core::settings::format_thousands;
use vivarium_model::protocol::{DeviceKind, Event, Measurement, RunError};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::{SweepCell, cell};
use vivarium_training::launch::batch_queue::{BatchQueue, covers};
use vivarium_training::launch::choose::prefers_gpu;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Outcome, Session};

/// Milliseconds of training after which a thread looks for messages and for a request to stop.
const SLICE_MS: f64 = 50.0;

/// Message of a worker thread to the coordinator. A run is given by its number in the sweep, from 0, and its
/// settings.
enum WorkerMessage {
    /// A run has finished, or failed.
    Ended(usize, SweepCell, Result<Outcome, RunError>),
    /// A run should train on the GPU.
    ForGpu(usize, SweepCell),
    /// A run has invalid settings.
    Impossible(String),
}

/// Trains one run of a sweep. Its outcome keeps only the last measurement, and those at which a network
/// reached the target.
/// None if `is_stopped` returned true before the end of the run.
fn train_run(
    cell: &SweepCell,
    device: &Device,
    options: Options,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, RunError> {
    let mut session = Session::start(&cell.spec, device, options)?;
    let mut rows: Vec<Measurement> = vec![];
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

/// Callback that returns an exit code once the command should stop, and None before.
pub type StopCheck<'a> = &'a (dyn Fn() -> Option<u8> + Sync);

/// Trains the runs with the numbers `numbers` (positions in the sweep `spec`, from 0) on `threads` CPU
/// threads and the GPU, and calls `handle_outcome` with number, settings and outcome of each finished run.
/// Returns the names of the devices.
///
/// # Errors
/// The first error of a run, of a device or of `handle_outcome`, or a request to stop; no further run is
/// started.
pub fn train_runs(
    spec: &RunSpec,
    numbers: &[usize],
    threads: usize,
    options: Options,
    stop_code: StopCheck<'_>,
    mut handle_outcome: impl FnMut(usize, &SweepCell, &Outcome) -> Result<(), CommandError>,
) -> Result<Vec<String>, CommandError> {
    let (next, stop, no_gpu) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let (told, heard) = sync_channel::<WorkerMessage>(2 * threads + 2);
    let is_stopped = || stop.load(Ordering::Relaxed) || stop_code().is_some();
    let mut made = 0;
    let mut ended = |number: usize, cell: &SweepCell, outcome: &Outcome| {
        made += 1;
        handle_outcome(number, cell, outcome)
    };
    let work = |told: std::sync::mpsc::SyncSender<WorkerMessage>| {
        let device = Device::cpu();
        while !is_stopped() {
            let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let word = match cell(spec, *number) {
                Err(problem) => WorkerMessage::Impossible(problem.to_string()),
                Ok(cell) if prefers_gpu(&cell.spec) && !no_gpu.load(Ordering::Relaxed) => {
                    WorkerMessage::ForGpu(*number, cell)
                }
                Ok(cell) => match train_run(&cell, &device, options, &is_stopped).transpose() {
                    Some(outcome) => WorkerMessage::Ended(*number, cell, outcome),
                    None => break,
                },
            };
            if told.send(word).is_err() {
                break;
            }
        }
    };
    let mut hall = Coordinator {
        devices: DeviceCache::default(),
        options,
        stop_code,
        has_used_cpu: false,
        is_without_gpu: &no_gpu,
        queue: None,
        queued_runs: BTreeMap::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let told = told.clone();
            scope.spawn(|| work(told));
        }
        drop(told);
        // Dropping the receiver releases the threads that wait to send.
        let result = hall.handle_messages(&heard, &mut ended);
        stop.store(true, Ordering::Relaxed);
        drop(heard);
        result
    })?;
    if let Some(code) = stop_code().filter(|_| made < numbers.len()) {
        return Err(stop_error(made, numbers.len(), code));
    }
    let mut names: Vec<String> = hall.devices.device_names().iter().map(|name| name.to_string()).collect();
    names.extend(hall.has_used_cpu.then(|| Device::cpu().report().name.clone()));
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Error of a sweep that was stopped when `done` of `total` runs had finished; `code` is the exit code of the
/// command.
fn stop_error(done: usize, total: usize, code: u8) -> CommandError {
    let (made, of) = (format_thousands(done as u64), format_thousands(total as u64));
    CommandError::Stopped(format!("Stopped when {made} of {of} runs had ended."), code)
}

/// Largest number of runs that wait for or train on the GPU; further runs wait in the worker threads.
const MAX_QUEUED_GPU_RUNS: usize = 4096;

/// The thread that called [`train_runs`]: it receives the messages of the worker threads, and trains the runs
/// that are for the GPU.
struct Coordinator<'a> {
    /// Devices that have been opened for runs that are to train on the GPU.
    devices: DeviceCache,
    /// Options with which the training session of every run is started.
    options: Options,
    /// Callback that returns the exit code of the command once it should stop, and None before.
    stop_code: StopCheck<'a>,
    /// Whether a worker has trained a run on the CPU.
    has_used_cpu: bool,
    /// Set once no GPU was found; the worker threads then train all runs on the CPU.
    is_without_gpu: &'a AtomicBool,
    /// Queue in which several runs train together on the GPU; None before the first of them.
    queue: Option<BatchQueue>,
    /// Runs that wait for or train on the GPU, by their number in the sweep, from 0.
    queued_runs: BTreeMap<usize, SweepCell>,
}

impl Coordinator<'_> {
    /// Handles the messages of the worker threads and trains the runs of the GPU, until all worker threads
    /// have ended and the queue is empty, or the command should stop. `handle_outcome` is called for each
    /// finished run.
    fn handle_messages(
        &mut self,
        messages: &Receiver<WorkerMessage>,
        handle_outcome: &mut impl FnMut(usize, &SweepCell, &Outcome) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let mut is_over = false;
        while !is_over || !self.queued_runs.is_empty() {
            // While runs train on the GPU, messages are not waited for.
            while !is_over && self.queued_runs.len() < MAX_QUEUED_GPU_RUNS {
                let word = match self.queued_runs.is_empty() {
                    true => messages.recv().map_err(|_| TryRecvError::Disconnected),
                    false => messages.try_recv(),
                };
                match word {
                    Ok(word) => self.handle_message(word, handle_outcome)?,
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => is_over = true,
                }
            }
            if (self.stop_code)().is_some() {
                break;
            }
            if let Some(queue) = &mut self.queue {
                for run in pollster::block_on(queue.advance(SLICE_MS))? {
                    let number = run.number;
                    if let Some(cell) = self.queued_runs.remove(&number) {
                        handle_outcome(number, &cell, &run.outcome())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Handles one message of a worker thread; a run for the GPU is queued, or trained at once if it cannot
    /// be batched.
    fn handle_message(
        &mut self,
        message: WorkerMessage,
        handle_outcome: &mut impl FnMut(usize, &SweepCell, &Outcome) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        match message {
            WorkerMessage::Ended(number, cell, outcome) => {
                self.has_used_cpu = true;
                handle_outcome(number, &cell, &outcome?)
            }
            WorkerMessage::Impossible(why) => Err(CommandError::bad_link(why)),
            WorkerMessage::ForGpu(number, cell) => {
                let device = self.devices.find_or_open(&cell.spec)?;
                if device.report().kind == DeviceKind::Cpu {
                    self.is_without_gpu.store(true, Ordering::Relaxed);
                } else if covers(&cell.spec) {
                    let queue = self.queue.get_or_insert_with(|| BatchQueue::new(&device, self.options));
                    queue.add(number, cell.spec.clone());
                    self.queued_runs.insert(number, cell);
                    return Ok(());
                }
                match train_run(&cell, &device, self.options, &|| (self.stop_code)().is_some())? {
                    Some(outcome) => handle_outcome(number, &cell, &outcome),
                    None => Ok(()),
                }
            }
        }
    }
}
