//! Controls of the run: play, pause, extend, single step, and the consent to an expensive run.

use crate::consent::Consent;
use crate::player::Player;
use crate::trainer::TrainerEffect;
use vivarium_core::settings::Range;
use vivarium_model::chart::Chart;
use vivarium_model::protocol::{Command, EndReason};
use vivarium_model::run::StopCondition;
use vivarium_view::display::{RunPhase, words};

impl Player {
    /// Plays, pauses or extends the run: the main button.
    pub fn toggle_play<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if self.start_after_consent(false, effects) {
            return;
        }
        match self.run.phase {
            // On arrival, the run plays or pauses accordingly.
            RunPhase::Loading if self.seek.is_some() => self.paused = !self.paused,
            RunPhase::Loading => {
                self.paused = !self.paused;
                self.send(if self.paused { Command::Pause } else { Command::Play }, effects);
            }
            // The pause is stored: in a sweep, the run may have ended meanwhile, and then the next one waits.
            RunPhase::Running => {
                self.paused = true;
                self.send(Command::Pause, effects);
            }
            RunPhase::Paused => {
                self.paused = false;
                self.send(Command::Play, effects);
            }
            RunPhase::Finished(_) if self.run.sweep.is_some() => {
                if !self.resume_sweep(effects) {
                    self.message =
                        tr!("The sweep is complete. The button Reset starts the sweep again.").into();
                }
            }
            RunPhase::Finished(reason) => self.extend_run(reason, effects),
            RunPhase::Diverged { .. } | RunPhase::Failed(_) => {}
        }
    }

    /// Doubles the number of steps of a run that has ended, and continues training; `reason` tells why it had ended.
    fn extend_run<E: From<TrainerEffect>>(&mut self, reason: EndReason, effects: &mut Vec<E>) {
        let Some(Range::Int(_, most)) = self.run.link.spec.setting("steps").map(|k| k.range) else { return };
        let end = (self.run.step * 2).clamp(1, most);
        if end <= self.run.step {
            self.message =
                tr!("A run cannot have more than {most} steps.", most = words::format_thousands(most));
            return;
        }
        if reason == EndReason::Target {
            self.run.link.spec.run.halt = StopCondition::Steps;
        }
        self.run.link.spec.run.steps = end;
        self.show_while_playing(tr!(
            "The run goes on to step {end}; the link contains this change.",
            end = words::format_thousands(end)
        ));
        if self.trainer.ready_program().is_some() {
            self.send(Command::Extend(end), effects);
        } else {
            self.paused = false;
            self.resume(effects);
        }
    }

    /// Continues a run that is paused, or whose trainer has not yet confirmed the pause.
    pub fn undo_pause<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if self.run.phase == RunPhase::Running && self.paused {
            self.paused = false;
            self.send(Command::Play, effects);
        } else if self.is_to_stay_paused() {
            self.toggle_play(effects);
        }
    }

    /// Trains one step and pauses.
    pub fn single_step<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if self.start_after_consent(true, effects) {
            return;
        }
        match self.run.phase {
            RunPhase::Loading if self.seek.is_some() => self.paused = true,
            // A trainer that is not there yet finds the run waiting for the next press, as does the next run of
            // a sweep.
            RunPhase::Running | RunPhase::Paused | RunPhase::Loading => {
                self.paused = true;
                self.send(Command::Step, effects);
            }
            _ => {}
        }
    }

    /// Shows these charts, and has the trainer measure what they need.
    pub fn show_charts<E: From<TrainerEffect>>(&mut self, charts: Vec<Chart>, effects: &mut Vec<E>) {
        self.run.link.view.show = charts;
        self.send_probes(effects);
    }

    /// Removes the step at which the run was to pause, and applies the speed limit again if it was ignored until then.
    pub fn clear_goal<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if self.goal.take().is_some_and(|goal| goal.ignores_speed_limit) {
            self.send(Command::Speed(self.speed_limit()), effects);
        }
    }

    /// Returns whether the run may start. If it is expensive and the user has not agreed, sets the question, pauses the
    /// run and closes the trainer.
    pub fn ask_or_allow_start<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) -> bool {
        self.consent.ask(&self.run.link.spec);
        let Some(question) = self.consent.question.clone() else { return true };
        self.message = question;
        self.drop_trainer(effects);
        (self.run.phase, self.paused) = (RunPhase::Paused, true);
        false
    }

    /// Starts the run about which the user is asked, paused or not, as the user has agreed. Returns false if there is
    /// no question.
    pub fn start_after_consent<E: From<TrainerEffect>>(
        &mut self,
        start_paused: bool,
        effects: &mut Vec<E>,
    ) -> bool {
        let Some(question) = self.consent.question.take() else { return false };
        // The question is answered.
        if self.message == question {
            self.message.clear();
        }
        self.consent = Consent::given_for(&self.run.link.spec);
        self.paused = start_paused;
        self.resume(effects);
        true
    }
}
