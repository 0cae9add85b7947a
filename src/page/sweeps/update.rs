//! Sweeps on the page: what a person wants of them, and the run that comes after another.

use super::SweepAction;
use crate::run::consent::Consent;
use crate::run::status::status;
use crate::state::{State, TrainerStatus};
use crate::trainer::{Effect, Program};
use vivarium_model::protocol::{Command, Ending};
use vivarium_view::display::Phase;
use vivarium_view::display::sweep::{Outcome, Sweep};
use vivarium_view::display::words::count;

impl State {
    /// Whether the sweep sets the setting behind `key`, so that its field has no effect.
    pub fn is_swept(&self, key: &str) -> bool {
        let run = &self.form_spec().run;
        [&run.sweep, &run.series].iter().any(|axis| !axis.is_empty() && axis.key == key)
    }

    /// Operations that the device has shown that it makes in a second.
    pub fn flops(&self) -> Option<f64> {
        self.rate.map(|(_, capacity)| capacity * self.run.spec().step_flops()).filter(|flops| *flops > 0.0)
    }

    /// Does what a person wants of sweeps.
    pub fn sweep(&mut self, wish: SweepAction, effects: &mut Vec<Effect>) {
        match wish {
            SweepAction::Make(_) if self.is_locked("sweep") => {}
            SweepAction::Make(link) => {
                // Who presses the button waits for nothing, also where the run before was paused.
                self.paused = false;
                self.run.phase = Phase::Loading;
                // The dialog has said how long it takes.
                self.consent = Consent::to(&link.spec);
                let runs = count(vivarium_model::run::cells::count(&link.spec), "run");
                self.change(
                    *link,
                    tr!("Started a sweep of {runs}. Undo goes back to the previous run.", runs),
                    effects,
                );
            }
            SweepAction::Cancel => {
                let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_at_rest()) else { return };
                sweep.cancelled = true;
                self.paused = true;
                self.awaiting = false;
                self.send(Command::Pause, effects);
                self.rest();
            }
        }
    }

    /// Nobody trains for the sweep any more.
    pub fn rest(&mut self) {
        self.run.phase = Phase::Finished(Ending::LastStep);
        self.message = status(self);
    }

    /// Goes on with a sweep that was cancelled; whether there is one.
    pub fn go_on_sweeping(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| sweep.cancelled) else { return false };
        sweep.cancelled = false;
        self.paused = false;
        self.message = tr!("The sweep goes on.").into();
        self.begin_run(effects);
        true
    }

    /// Tells the trainer which run of a sweep it was given, so that it can begin those after it.
    pub fn look_ahead(&self, effects: &mut Vec<Effect>) {
        if let Some(sweep) = self.run.sweep.as_ref().filter(|_| !self.paused) {
            let command = Command::Sweep(Box::new(self.run.link.spec.clone()), sweep.done.len());
            effects.push(Effect::Send(command, vivarium_model::protocol::Payload::Empty));
        }
    }

    /// A run has ended: of a sweep, the next one begins.
    pub fn next_of_sweep(&mut self, effects: &mut Vec<Effect>) {
        let outcome = Outcome::of(self.run.spec(), &self.run.times(), self.run.history.last());
        let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_at_rest()) else { return };
        sweep.end(outcome);
        if sweep.is_over() {
            self.rest();
        } else {
            self.begin_run(effects);
        }
    }

    /// A run has ended before its turn.
    pub fn ended_ahead(&mut self, run: usize, outcome: Outcome) {
        if let Some(sweep) = self.run.sweep.as_mut().filter(|sweep| !sweep.is_at_rest() && sweep.is_open(run))
        {
            sweep.end_ahead(run, outcome);
        }
    }

    /// The sweep that others may help with, and whether they are to train now: beside a trainer on the processor, which
    /// makes one run at a time, and not at a speed that a person has chosen.
    pub fn helped(&self) -> Option<(&Sweep, bool)> {
        let sweep = self.run.sweep.as_ref().filter(|sweep| !sweep.is_at_rest())?;
        let is_now =
            !self.paused && self.run.link.view.speed == 0 && self.staff == TrainerStatus::Ready(Program::Cpu);
        Some((sweep, is_now))
    }
}
