//! Going back to an earlier step of the run, and on from there.
//!
//! # Why
//! Only checkpoints of the past are kept: from the nearest earlier one, training is repeated up to the requested step.
//! So every panel shows that step without special code, and playing from there gives the same run, number by number.
//! The alternative, keeping what each panel has shown, would need memory for every panel, and could not continue from
//! there. 2026-11-21.

use crate::player::{Player, Seek};
use crate::trainer::TrainerEffect;
use vivarium_model::protocol::{Command, Event, EventMessage};
use vivarium_view::display::words::format_thousands;
use vivarium_view::display::{RunPhase, RunView};

impl Player {
    /// Returns the latest step of the run, even while an earlier one is shown.
    pub fn latest_step(&self) -> u64 {
        self.latest_run.as_ref().map_or(self.run.step, |end| end.step)
    }

    /// Returns the run at its latest step, even while an earlier one is shown.
    pub fn latest_run(&self) -> &RunView {
        self.latest_run.as_deref().unwrap_or(&self.run)
    }

    /// Returns (step, description) of every event of the run, including those after the shown step.
    pub fn events(&self) -> Vec<(u64, String)> {
        self.latest_run().events()
    }

    /// Whether the page can show earlier steps of the run now; never during a sweep.
    pub fn can_scrub(&self) -> bool {
        let settled =
            self.seek.is_some() || !matches!(self.run.phase, RunPhase::Loading | RunPhase::Failed(_));
        self.run.sweep.is_none() && self.latest_step() > 0 && settled
    }

    /// Shows the run as it was at `step`, and makes the trainer train to that step.
    pub fn scrub<E: From<TrainerEffect>>(&mut self, step: u64, effects: &mut Vec<E>) {
        if !self.can_scrub() {
            return;
        }
        if step >= self.latest_step() {
            return self.show_latest_step(effects);
        }
        if self.latest_run.is_none() {
            self.store_latest_run();
        }
        let Some(end) = &self.latest_run else { return };
        if step == self.run.step && self.seek.is_none() && self.paused {
            return;
        }
        self.run.history = end.history.up_to_step(step);
        self.run.solved = end.solved.iter().copied().filter(|(_, at)| *at <= step).collect();
        let standing = self.run.step;
        let stands = self.run.phase == RunPhase::Paused && self.seek.is_none() && standing <= step;
        (self.run.step, self.paused) = (step, true);
        self.message.clear();
        if self.seek.is_some() {
            // The trainer handles one target after the other: a pointer moves faster.
            return;
        }
        if stands && self.checkpoints.latest_before(step).is_none_or(|(kept, _)| kept <= standing) {
            self.run.phase = RunPhase::Loading;
            self.seek = Some(Seek { step, phase_on_arrival: RunPhase::Paused });
            return self.send(Command::Reach(step), effects);
        }
        self.start_seek(RunPhase::Paused, effects);
    }

    /// Shows the run at the next measurement (`later`) or at the previous one.
    pub fn scrub_to_neighbour<E: From<TrainerEffect>>(&mut self, later: bool, effects: &mut Vec<E>) {
        let rows =
            self.latest_run.as_ref().map_or(&self.run.history, |end| &end.history).rows().map(|row| row.step);
        let to = match later {
            true => rows.into_iter().find(|step| *step > self.run.step),
            false => rows.into_iter().take_while(|step| *step < self.run.step).last(),
        };
        match to {
            Some(step) => self.scrub(step, effects),
            None if later && self.latest_run.is_some() => self.show_latest_step(effects),
            None => {}
        }
    }

    /// Sets the run at its latest step aside while an earlier step is shown.
    fn store_latest_run(&mut self) {
        let mut end = RunView { resume_message: self.message.clone(), ..self.run.clone() };
        if let Some(seek) = &self.seek {
            end.phase = seek.phase_on_arrival.clone();
        }
        self.latest_run = Some(Box::new(end));
    }

    /// Shows the latest step of the run again, and continues training if it was running.
    pub fn show_latest_step<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        let Some(end) = self.latest_run.take() else { return };
        let left = std::mem::replace(&mut self.run, *end);
        // The view may have changed meanwhile, and charts must be drawn again.
        (self.run.link, self.run.view_changes, self.run.finding_count) =
            (left.link, left.view_changes, left.finding_count + 1);
        self.message = std::mem::take(&mut self.run.resume_message);
        let runs = self.run.phase == RunPhase::Running;
        self.paused = !runs;
        self.start_seek(if runs { RunPhase::Paused } else { self.run.phase.clone() }, effects);
    }

    /// Makes the trainer train to the shown step, from the last checkpoint before it; `then` is the phase of the run on
    /// arrival.
    pub(crate) fn start_seek<E: From<TrainerEffect>>(&mut self, then: RunPhase, effects: &mut Vec<E>) {
        if let Some(end) = &self.latest_run {
            self.run.copy_curves(end);
        }
        self.checkpoint =
            self.checkpoints.latest_before(self.run.step).map(|(step, bytes)| (step, bytes.to_vec()));
        self.seek = Some(Seek { step: self.run.step, phase_on_arrival: then });
        self.resume(effects);
    }

    /// Handles the trainer's answer that it has started to train to the shown step.
    pub fn handle_seek_start<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.awaiting_start = false;
        self.update_seek(effects);
    }

    /// Sends the trainer to the shown step if the user has moved to another step since it started.
    pub fn update_seek<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if !self.awaiting_start && self.seek.as_ref().is_some_and(|seek| seek.step != self.run.step) {
            self.start_seek(RunPhase::Paused, effects);
        }
    }

    /// Handles a message of a trainer that trains to the shown step; only messages at that step count.
    pub fn handle_seek_message<E: From<TrainerEffect>>(
        &mut self,
        message: EventMessage,
        effects: &mut Vec<E>,
    ) {
        let Some(to) = self.seek.as_ref().map(|seek| seek.step) else { return };
        match message.event {
            Event::Weights { step, .. } if step == to => self.handle_event(message, effects),
            Event::Paused { step } if step == to => {
                let Some(seek) = self.seek.take_if(|seek| seek.step == self.run.step) else {
                    return self.update_seek(effects);
                };
                self.run.phase = seek.phase_on_arrival;
                if !self.paused && self.run.phase == RunPhase::Paused {
                    self.send_sweep_position(effects);
                    self.send(Command::Play, effects);
                }
            }
            _ => {}
        }
    }

    /// Requests a checkpoint if the held-out accuracy has changed much since the last one, and ends the view of an
    /// earlier step once the latest step is reached again.
    pub fn update_checkpoints<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if self.latest_run.as_ref().is_some_and(|end| self.run.step >= end.step) && self.seek.is_none() {
            self.latest_run = None;
        }
        let level = self.run.latest_accuracy();
        if self.run.phase == RunPhase::Running && self.checkpoints.should_request(level) {
            self.send(Command::Checkpoint, effects);
        }
    }

    /// Drops later checkpoints and the latest run, because the run continues differently after `step`.
    pub fn discard_after(&mut self, step: u64) {
        self.latest_run = None;
        self.checkpoints.remove_after(step);
    }

    /// Returns the status text of a run that is shown at an earlier step; None at the latest step.
    pub fn earlier_step_text(&self) -> Option<String> {
        let (step, end) = (format_thousands(self.run.step), self.latest_run.as_ref()?);
        let end = format_thousands(end.step);
        match self.run.phase {
            RunPhase::Loading => Some(tr!("Going to step {step} of {end}", step, end)),
            RunPhase::Paused => Some(tr!(
                "Step {step} of {end} is shown again. The button Play continues the training from this step",
                step,
                end
            )),
            _ => None,
        }
    }
}
