//! The sweep that the player trains, and the transition from one of its runs to the next.

use crate::player::Player;
use crate::status::status_line;
use crate::trainer::{Program, TrainerEffect};
use vivarium_model::protocol::{Command, EndReason, Payload};
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::{SweepProgress, SweepRunResult};

impl Player {
    /// Sets the progress of the link's sweep: as it was left, or a new one; none if the link has no sweep.
    pub fn prepare_sweep(&mut self) {
        let shelved = self.suspended_sweep.take_if(|(spec, _)| *spec == self.run.link.spec);
        self.run.sweep = shelved.map(|(_, sweep)| sweep).or_else(|| SweepProgress::of(&self.run.link.spec));
    }

    /// Cancels the sweep that is under way; its complete runs are kept.
    pub fn cancel_sweep<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_stopped()) else { return };
        sweep.cancelled = true;
        self.paused = true;
        self.awaiting_start = false;
        self.seek = None;
        self.send(Command::Pause, effects);
        self.finish_sweep();
    }

    /// Ends the sweep, complete or cancelled: sets the finished phase and the status line.
    pub fn finish_sweep(&mut self) {
        self.run.phase = RunPhase::Finished(EndReason::LastStep);
        self.message = status_line(self);
    }

    /// Continues a cancelled sweep. Returns false if there is no cancelled sweep.
    pub fn resume_sweep<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) -> bool {
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| sweep.cancelled) else { return false };
        sweep.cancelled = false;
        self.paused = false;
        self.show_while_playing(tr!("The sweep goes on.").into());
        self.start_current_run(effects);
        true
    }

    /// Sends the sweep and the index of its current run to the trainer, so that it can train later runs in advance; not
    /// while the trainer returns to the step at which the current run was left.
    pub(crate) fn send_sweep_position<E: From<TrainerEffect>>(&self, effects: &mut Vec<E>) {
        if let Some(sweep) = self.run.sweep.as_ref().filter(|_| !self.paused && self.seek.is_none()) {
            let command = Command::Sweep(Box::new(self.run.link.spec.clone()), sweep.solved_steps.len());
            effects.push(TrainerEffect::Send(command, Payload::Empty).into());
        }
    }

    /// Stores the result of the sweep's run that has ended, and starts the next run.
    pub(crate) fn start_next_sweep_run<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        let outcome = SweepRunResult::of(self.run.spec(), &self.run.solved_steps(), &self.run.history);
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_stopped()) else { return };
        sweep.finish_run(outcome);
        if sweep.is_complete() {
            self.finish_sweep();
        } else {
            self.start_current_run(effects);
        }
    }

    /// Stores the result of the run with index `run` in the sweep, from 0, which a sweep worker has trained; ignores it
    /// if the sweep was stopped or needs no result of this run.
    pub fn handle_worker_outcome(&mut self, run: usize, outcome: SweepRunResult) {
        if let Some(sweep) =
            self.run.sweep.as_mut().filter(|sweep| !sweep.is_stopped() && sweep.can_run_early(run))
        {
            sweep.finish_run_early(run, outcome);
        }
    }

    /// Returns (progress of the sweep that sweep workers may train, whether they should train now); None without such a
    /// sweep. They train only while loops on the CPU train the run, and without a speed limit.
    pub fn sweep_for_workers(&self) -> Option<(&SweepProgress, bool)> {
        let sweep = self.run.sweep.as_ref().filter(|sweep| !sweep.is_stopped())?;
        let is_now =
            !self.paused && self.speed_limit() == 0 && self.trainer.ready_program() == Some(Program::Cpu);
        Some((sweep, is_now))
    }

    /// Returns the floating-point operations per second that the device reaches on the current run without a speed
    /// limit; None before the first report.
    pub fn measured_flops(&self) -> Option<f64> {
        self.step_rates
            .map(|(_, capacity)| capacity * self.run.spec().step_flops())
            .filter(|flops| *flops > 0.0)
    }
}
