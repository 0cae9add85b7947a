//! How actions change a sweep, and the transition from one of its runs to the next.

use super::SweepAction;
use crate::run::consent::Consent;
use crate::run::status::status_line;
use crate::state::{State, TrainerStatus};
use crate::trainer::{Effect, Program};
use vivarium_model::protocol::{Command, EndReason};
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::{SweepProgress, SweepRunResult};
use vivarium_view::display::words::format_count;

impl State {
    /// Whether the sweep varies the setting `key`, so that the form field of this setting has no effect.
    pub fn is_swept(&self, key: &str) -> bool {
        let run = &self.form_spec().run;
        [&run.sweep, &run.series].iter().any(|axis| !axis.is_empty() && axis.key == key)
    }

    /// Returns the floating-point operations per second that the device reaches on the current run without a speed
    /// limit; None before the first report.
    pub fn measured_flops(&self) -> Option<f64> {
        self.step_rates
            .map(|(_, capacity)| capacity * self.run.spec().step_flops())
            .filter(|flops| *flops > 0.0)
    }

    /// Applies an action of the user on sweeps, such as starting or cancelling one.
    pub fn apply_sweep_action(&mut self, action: SweepAction, effects: &mut Vec<Effect>) {
        match action {
            SweepAction::Start(_) if self.refuse_if_locked("sweep") => {}
            SweepAction::Start(link) => {
                // The sweep starts at once, even if the run before was paused.
                self.paused = false;
                self.run.phase = RunPhase::Loading;
                // The dialog has shown how long it takes.
                self.consent = Consent::given_for(&link.spec);
                let runs = format_count(vivarium_model::run::cells::count_runs_usize(&link.spec), "run");
                self.change_link(
                    *link,
                    tr!("Started a sweep of {runs}. Undo goes back to the previous run.", runs),
                    effects,
                );
            }
            SweepAction::Cancel => {
                let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_stopped()) else { return };
                sweep.cancelled = true;
                self.paused = true;
                self.awaiting_start = false;
                self.send(Command::Pause, effects);
                self.finish_sweep();
            }
        }
    }

    /// Ends the sweep, complete or cancelled: sets the finished phase and the status line.
    pub fn finish_sweep(&mut self) {
        self.run.phase = RunPhase::Finished(EndReason::LastStep);
        self.message = status_line(self);
    }

    /// Continues a cancelled sweep. Returns false if there is no cancelled sweep.
    pub fn resume_sweep(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| sweep.cancelled) else { return false };
        sweep.cancelled = false;
        self.paused = false;
        self.message = tr!("The sweep goes on.").into();
        self.start_current_run(effects);
        true
    }

    /// Sends the sweep and the index of its current run to the trainer, so that it can train later runs in advance.
    pub fn send_sweep_position(&self, effects: &mut Vec<Effect>) {
        if let Some(sweep) = self.run.sweep.as_ref().filter(|_| !self.paused) {
            let command = Command::Sweep(Box::new(self.run.link.spec.clone()), sweep.solved_steps.len());
            effects.push(Effect::Send(command, vivarium_model::protocol::Payload::Empty));
        }
    }

    /// Stores the result of the sweep's run that has ended, and starts the next run.
    pub fn start_next_sweep_run(&mut self, effects: &mut Vec<Effect>) {
        let outcome =
            SweepRunResult::of(self.run.spec(), &self.run.solved_steps(), self.run.history.latest());
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_stopped()) else { return };
        sweep.finish_run(outcome);
        if sweep.is_complete() {
            self.finish_sweep();
        } else {
            self.start_current_run(effects);
        }
    }

    /// Stores the result of the run with index `run` in the sweep, which a sweep worker has trained.
    pub fn handle_worker_outcome(&mut self, run: usize, outcome: SweepRunResult) {
        if let Some(sweep) =
            self.run.sweep.as_mut().filter(|sweep| !sweep.is_stopped() && sweep.can_run_early(run))
        {
            sweep.finish_run_early(run, outcome);
        }
    }

    /// Returns (progress of the sweep that sweep workers may train, whether they should train now); None without such a
    /// sweep. They train only while the trainer is on the CPU and runs without a speed limit.
    pub fn sweep_for_workers(&self) -> Option<(&SweepProgress, bool)> {
        let sweep = self.run.sweep.as_ref().filter(|sweep| !sweep.is_stopped())?;
        let is_now = !self.paused
            && self.run.link.view.speed == 0
            && self.trainer == TrainerStatus::Ready(Program::Cpu);
        Some((sweep, is_now))
    }
}
