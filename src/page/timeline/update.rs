//! What going back and forth along the run changes in the state.

use super::Seek;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_model::protocol::{Command, Event, Message};
use vivarium_view::display::words::thousands;
use vivarium_view::display::{Phase, RunView};

impl State {
    /// The last step of the run so far, whichever is shown.
    pub fn end_step(&self) -> u64 {
        self.end.as_ref().map_or(self.run.step, |end| end.step)
    }

    /// The run at its newest step, whichever is shown.
    pub fn whole(&self) -> &RunView {
        self.end.as_deref().unwrap_or(&self.run)
    }

    /// What has happened, with its steps: of a run that is shown at an earlier step, all of it.
    pub fn events(&self) -> Vec<(u64, String)> {
        self.whole().events()
    }

    /// Whether earlier steps can be shown now.
    pub fn can_scrub(&self) -> bool {
        let settled = self.seeking.is_some() || !matches!(self.run.phase, Phase::Loading | Phase::Failed(_));
        self.run.sweep.is_none() && self.end_step() > 0 && settled
    }

    /// Shows the run as it was at `step`.
    pub fn scrub(&mut self, step: u64, effects: &mut Vec<Effect>) {
        if !self.can_scrub() {
            return;
        }
        if step >= self.end_step() {
            return self.back_to_end(effects);
        }
        if self.end.is_none() {
            self.leave_end();
        }
        let Some(end) = &self.end else { return };
        if step == self.run.step && self.seeking.is_none() && self.paused {
            return;
        }
        self.run.history = end.history.until(step);
        self.run.solved = end.solved.iter().copied().filter(|(_, at)| *at <= step).collect();
        let standing = self.run.step;
        let stands = self.run.phase == Phase::Paused && self.seeking.is_none() && standing <= step;
        (self.run.step, self.paused) = (step, true);
        self.message.clear();
        if self.seeking.is_some() {
            // The trainer takes one wish after the other: a pointer moves faster than it.
            return;
        }
        if stands && self.past.before(step).is_none_or(|(kept, _)| kept <= standing) {
            self.run.phase = Phase::Loading;
            self.seeking = Some(Seek { to: step, then: Phase::Paused });
            return self.send(Command::Reach(step), effects);
        }
        self.seek(Phase::Paused, effects);
    }

    /// Shows the measurement before the step that is shown, or the one after it.
    pub fn scrub_by(&mut self, later: bool, effects: &mut Vec<Effect>) {
        let rows = self.end.as_ref().map_or(&self.run.history, |end| &end.history).rows().map(|row| row.step);
        let to = match later {
            true => rows.into_iter().find(|step| *step > self.run.step),
            false => rows.into_iter().take_while(|step| *step < self.run.step).last(),
        };
        match to {
            Some(step) => self.scrub(step, effects),
            None if later && self.end.is_some() => self.back_to_end(effects),
            None => {}
        }
    }

    /// Keeps what the run is now, for the way back.
    fn leave_end(&mut self) {
        let mut end = RunView { message: self.message.clone(), ..self.run.clone() };
        if let Some(seek) = &self.seeking {
            end.phase = seek.then.clone();
        }
        self.end = Some(Box::new(end));
    }

    /// Shows the newest step of the run again, and goes on there if it did.
    pub fn back_to_end(&mut self, effects: &mut Vec<Effect>) {
        let Some(end) = self.end.take() else { return };
        let left = std::mem::replace(&mut self.run, *end);
        // How it is shown may have changed meanwhile, and charts are to know that it has.
        (self.run.link, self.run.looked, self.run.findings) = (left.link, left.looked, left.findings + 1);
        self.message = std::mem::take(&mut self.run.message);
        let runs = self.run.phase == Phase::Running;
        self.paused = !runs;
        self.seek(if runs { Phase::Paused } else { self.run.phase.clone() }, effects);
    }

    /// Has the trainer go to the step that is shown.
    fn seek(&mut self, then: Phase, effects: &mut Vec<Effect>) {
        if let Some(end) = &self.end {
            self.run.take_curves(end);
        }
        self.checkpoint = self.past.before(self.run.step).map(|(step, bytes)| (step, bytes.to_vec()));
        self.seeking = Some(Seek { to: self.run.step, then });
        self.resume(effects);
    }

    /// The trainer has begun to go to a step.
    pub fn on_its_way(&mut self, effects: &mut Vec<Effect>) {
        self.awaiting = false;
        self.redirect(effects);
    }

    /// Has the trainer go elsewhere if something else is wanted by now.
    pub fn redirect(&mut self, effects: &mut Vec<Effect>) {
        if !self.awaiting && self.seeking.as_ref().is_some_and(|seek| seek.to != self.run.step) {
            self.seek(Phase::Paused, effects);
        }
    }

    /// What a trainer says while it goes to a step: only its arrival counts.
    pub fn told_on_its_way(&mut self, message: Message, effects: &mut Vec<Effect>) {
        let Some(to) = self.seeking.as_ref().map(|seek| seek.to) else { return };
        match message.event {
            Event::Weights { step, .. } if step == to => self.told(message, effects),
            Event::Paused { step } if step == to => {
                let Some(seek) = self.seeking.take_if(|seek| seek.to == self.run.step) else {
                    return self.redirect(effects);
                };
                self.run.phase = seek.then;
                if !self.paused && self.run.phase == Phase::Paused {
                    self.send(Command::Play, effects);
                }
            }
            _ => {}
        }
    }

    /// After every message: checkpoints where much changes, and the end of what is made again.
    pub fn follow(&mut self, effects: &mut Vec<Effect>) {
        if self.end.as_ref().is_some_and(|end| self.run.step >= end.step) && self.seeking.is_none() {
            self.end = None;
        }
        let level = self.run.level();
        if self.run.phase == Phase::Running && self.past.wants(level) {
            self.send(Command::Checkpoint, effects);
        }
    }

    /// The run goes on otherwise than it did from `step` on: what it was later is no part of it.
    pub fn branch(&mut self, step: u64) {
        self.end = None;
        self.past.forget_after(step);
    }

    /// What is said of a run that is not shown at its end.
    pub fn place_in_time(&self) -> Option<String> {
        let (step, end) = (thousands(self.run.step), self.end.as_ref()?);
        let end = thousands(end.step);
        match self.run.phase {
            Phase::Loading => Some(tr!("Going to step {step} of {end}", step, end)),
            Phase::Paused => Some(tr!(
                "Step {step} of {end} is shown again. The button Play continues the training from this step",
                step,
                end
            )),
            _ => None,
        }
    }
}
