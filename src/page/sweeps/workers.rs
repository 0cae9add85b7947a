//! Additional workers that train runs of a sweep in parallel, if the processor has spare cores.
//!
//! # Why
//! The page shows its sweep run by run from the first one on; the current run is always that of the trainer. So the
//! workers start from the other end, with a run each, until both meet; the last run is left to the trainer, so that the
//! run that is shown at the end was trained there. The result of a run follows from its link, so the number of workers
//! changes nothing but the time. Each worker holds a run in memory, so there are as many as there is
//! [memory](vivarium_model::run::cost::CostEstimate::max_sweep_workers) for.
//!
//! # Speed
//! 2026-11-22, a two-core server, Chromium, the 20 runs of the preset `frontier` from the opening of the page: 69 s
//! with the trainer alone, with the first run at its end after 5.4 s; 44 s and 1.4 s with one worker, since runs at the
//! far end are the ones that succeed early. A second worker, for which there is no core, costs 6 s.

use crate::state::State;
use vivarium_model::protocol::{Command, Event, Payload};
use vivarium_model::run::RunSpec;
use vivarium_model::run::cost::max_cost;
use vivarium_player::start::held_out_limit;
use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
use vivarium_plot::analysis::curves::RunHistory;
use vivarium_view::display::sweep::SweepRunResult;
use vivarium_view::display::upload_command;

/// Largest number of sweep workers (workers that train further runs of a sweep next to the trainer); more would need
/// too much memory.
const MAX_WORKERS: usize = 7;

/// Workers that train further runs of a sweep next to the trainer; `T` is the connection to a worker.
pub struct SweepWorkers<T> {
    /// The open sweep workers, each with the run that it trains.
    workers: Vec<SweepWorker<T>>,
    /// Largest number of sweep workers: one less than the processor's cores and at most [`MAX_WORKERS`]; fewer after
    /// failures.
    max_workers: usize,
    /// Settings of the sweep that the workers train; None without one.
    sweep: Option<Box<RunSpec>>,
    /// Largest number of workers whose runs of this sweep fit in memory.
    memory_limit: usize,
    /// Whether the workers train, and are not paused.
    is_playing: bool,
    /// Number that the sweep worker opened next gets; it identifies the worker's messages.
    next_number: u32,
    /// Connections to sweep workers that have failed; the caller drops them.
    failed_workers: Vec<T>,
}

/// A worker with its number and the run of the sweep that it trains.
struct SweepWorker<T> {
    /// Number of the sweep worker, by which its messages are assigned to it.
    number: u32,
    /// The connection to the sweep worker.
    trainer: T,
    /// The run that the worker trains; None if it is idle.
    job: Option<SweepJob>,
}

/// A run that a sweep worker trains, with its results so far.
struct SweepJob {
    /// Index of the run in the sweep, from 0.
    cell_index: usize,
    /// Settings of the run that the sweep worker trains.
    spec: RunSpec,
    /// Step at which each replica of this run reached the target; None for replicas that have not.
    solved_steps: Vec<Option<u64>>,
    /// Measurements of the run that the sweep worker trains.
    history: RunHistory,
}

impl<T: Trainer> SweepWorkers<T> {
    /// Creates an empty set of workers, for a processor with this number of cores, one of which is left to the trainer.
    pub fn new(cores: usize) -> Self {
        let most = cores.saturating_sub(1).min(MAX_WORKERS);
        SweepWorkers {
            workers: vec![],
            max_workers: most,
            sweep: None,
            memory_limit: 0,
            is_playing: false,
            next_number: 0,
            failed_workers: vec![],
        }
    }

    /// Opens, pauses or closes workers as the state requires; `open` opens a worker with a given number. Returns the
    /// connections that the caller must drop, but not inside a callback of theirs.
    #[must_use]
    pub fn update(&mut self, state: &State, open: impl FnMut(u32) -> Option<T>) -> Vec<T> {
        let mut gone = std::mem::take(&mut self.failed_workers);
        let helped = state.player.sweep_for_workers().filter(|_| self.max_workers > 0);
        if helped.is_none() || self.sweep.as_deref() != Some(&state.player.run.link.spec) {
            gone.extend(self.workers.drain(..).map(|member| member.trainer));
            (self.sweep, self.is_playing) = (None, false);
        }
        let Some((_, is_now)) = helped else { return gone };
        if self.sweep.is_none() {
            self.sweep = Some(Box::new(state.player.run.link.spec.clone()));
            self.memory_limit = max_cost(&state.player.run.link.spec).max_sweep_workers(MAX_WORKERS);
        }
        if is_now != self.is_playing {
            self.is_playing = is_now;
            let command = if is_now { Command::Play } else { Command::Pause };
            for member in self.workers.iter().filter(|member| member.job.is_some()) {
                member.trainer.send(&command, &Payload::Empty);
            }
        }
        if is_now {
            self.assign_jobs(state, open);
        }
        gone
    }

    /// Assigns a run of the sweep to every idle worker, and opens workers while runs are left; `open` opens a worker
    /// with a given number.
    fn assign_jobs(&mut self, state: &State, mut open: impl FnMut(u32) -> Option<T>) {
        loop {
            let free = self.workers.iter().position(|member| member.job.is_none());
            if free.is_none() && self.workers.len() >= self.max_workers.min(self.memory_limit) {
                return;
            }
            let Some(errand) = self.next_job(state) else { return };
            let place = match free {
                Some(place) => place,
                None => {
                    let Some(trainer) = open(self.next_number) else {
                        self.max_workers = self.workers.len();
                        return;
                    };
                    self.workers.push(SweepWorker { number: self.next_number, trainer, job: None });
                    self.next_number += 1;
                    self.workers.len() - 1
                }
            };
            let member = &mut self.workers[place];
            if let Some((command, table)) = upload_command(&errand.spec) {
                member.trainer.send(&command, &table);
            }
            let start = Command::Start {
                spec: errand.spec.clone(),
                speed: 0,
                paused: false,
                held_out_limit: held_out_limit(&errand.spec),
                resting: true,
            };
            member.trainer.send(&start, &Payload::Empty);
            member.job = Some(errand);
        }
    }

    /// Returns the last run of the sweep that has not started, that no worker trains, and that loops on the CPU would train;
    /// None if there is none.
    fn next_job(&self, state: &State) -> Option<SweepJob> {
        let (sweep, _) = state.player.sweep_for_workers()?;
        let is_made =
            |run| self.workers.iter().flat_map(|member| &member.job).any(|errand| errand.cell_index == run);
        let on_cpu =
            |spec| state.player.choose_program_for(spec).is_some_and(|choice| choice.program == Program::Cpu);
        let mut runs = sweep.cells.iter().enumerate().rev();
        let (run, cell) =
            runs.find(|(run, cell)| sweep.can_run_early(*run) && !is_made(*run) && on_cpu(&cell.spec))?;
        let spec = cell.spec.clone();
        let solved_steps = vec![None; spec.run.replicas];
        Some(SweepJob { cell_index: run, solved_steps, history: RunHistory::of(&spec), spec })
    }

    /// Handles a message of the worker with this number. If its run has ended, returns (index of the run in the sweep,
    /// result).
    pub fn handle_message(
        &mut self,
        number: u32,
        message: TrainerMessage,
    ) -> Option<(usize, SweepRunResult)> {
        let place = self.workers.iter().position(|member| member.number == number)?;
        let message = match message {
            TrainerMessage::Message(message) if !matches!(message.event, Event::Failed(_)) => message,
            // Another worker or the trainer takes its run, and it is not replaced: the error may occur again.
            _ => {
                self.failed_workers.push(self.workers.remove(place).trainer);
                self.max_workers = self.max_workers.min(self.workers.len());
                return None;
            }
        };
        let slot = &mut self.workers[place].job;
        let job = slot.as_mut()?;
        match message.event {
            Event::Metrics(rows) => {
                rows.into_iter().for_each(|row| job.history.push(row));
                None
            }
            Event::Solved { replica, step } => {
                job.solved_steps[replica].get_or_insert(step);
                None
            }
            Event::Finished { .. } => {
                let SweepJob { cell_index: run, spec, solved_steps: times, history } = slot.take()?;
                Some((run, SweepRunResult::of(&spec, &times, &history)))
            }
            _ => None,
        }
    }
}
