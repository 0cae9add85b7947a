//! Going back to an earlier step of the run, and on from there.
//!
//! # Why
//! Nothing but checkpoints is kept of the past: from the nearest one before, the same training is made again up to the
//! very step that is asked for. So every panel shows that step without knowing of it, whichever lab it is of, and
//! what is played from there is the same run, number by number. The alternative, keeping what each panel has shown,
//! would grow with the panels, and could not go on from where it is. 2026-11-21.

use super::state::{Phase, State};
use super::trainer::Effect;
use super::words::{difference, thousands};
use crate::analysis::chart::Chart;
use crate::analysis::curves::{History, spread};
use crate::analysis::{Lines, Reading, Role, Series};
use crate::protocol::{Command, Event, Message};

/// A step that the trainer is on its way to.
#[derive(Debug, Clone, PartialEq)]
pub struct Seek {
    /// The step.
    pub to: u64,
    /// What the run does once it is there.
    pub then: Phase,
}

impl State {
    /// The last step of the run so far, whichever is shown.
    pub fn end_step(&self) -> u64 {
        self.end.as_ref().map_or(self.step, |end| end.step)
    }

    /// The run at its newest step, whichever is shown.
    pub fn whole(&self) -> &State {
        self.end.as_deref().unwrap_or(self)
    }

    /// Whether earlier steps can be shown now.
    pub fn can_scrub(&self) -> bool {
        let settled = self.seeking.is_some() || !matches!(self.phase, Phase::Loading | Phase::Failed(_));
        self.sweep.is_none() && self.end_step() > 0 && settled
    }

    /// Shows the run as it was at `step`.
    pub(super) fn scrub(&mut self, step: u64, effects: &mut Vec<Effect>) {
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
        if step == self.step && self.seeking.is_none() && self.paused {
            return;
        }
        let mut history = History::default();
        end.history.rows().take_while(|row| row.step <= step).for_each(|row| history.push(row.clone()));
        self.history = history;
        self.solved = end.solved.iter().copied().filter(|(_, at)| *at <= step).collect();
        let standing = self.step;
        let stands = self.phase == Phase::Paused && self.seeking.is_none() && standing <= step;
        (self.step, self.paused) = (step, true);
        self.message.clear();
        if self.seeking.is_some() {
            // The trainer takes one wish after the other: a pointer moves faster than it.
            return;
        }
        if stands && self.past.before(step).is_none_or(|(kept, _)| kept <= standing) {
            self.phase = Phase::Loading;
            self.seeking = Some(Seek { to: step, then: Phase::Paused });
            return self.send(Command::Reach(step), effects);
        }
        self.seek(Phase::Paused, effects);
    }

    /// Shows the measurement before the step that is shown, or the one after it.
    pub(super) fn scrub_by(&mut self, later: bool, effects: &mut Vec<Effect>) {
        let rows = self.end.as_ref().map_or(&self.history, |end| &end.history).rows().map(|row| row.step);
        let to = match later {
            true => rows.into_iter().find(|step| *step > self.step),
            false => rows.into_iter().take_while(|step| *step < self.step).last(),
        };
        match to {
            Some(step) => self.scrub(step, effects),
            None if later && self.end.is_some() => self.back_to_end(effects),
            None => {}
        }
    }

    /// Keeps what the run is now, for the way back.
    fn leave_end(&mut self) {
        let phase = self.seeking.as_ref().map_or(&self.phase, |seek| &seek.then);
        // What charts and their words are made of, and no more: there may be megabytes of checkpoints.
        self.end = Some(Box::new(State {
            link: self.link.clone(),
            phase: phase.clone(),
            step: self.step,
            history: self.history.clone(),
            weights: self.weights.clone(),
            trajectories: self.trajectories.clone(),
            gaps: self.gaps.clone(),
            spectrum: self.spectrum.clone(),
            attention: self.attention.clone(),
            looks: self.looks.clone(),
            powers: self.powers.clone(),
            pairs: self.pairs.clone(),
            chains: self.chains.clone(),
            relevant: self.relevant.clone(),
            held_out: self.held_out,
            solved: self.solved.clone(),
            noted: self.noted.clone(),
            message: self.message.clone(),
            ..State::default()
        }));
    }

    /// Shows the newest step of the run again, and goes on there if it did.
    pub(super) fn back_to_end(&mut self, effects: &mut Vec<Effect>) {
        let Some(end) = self.end.take() else { return };
        let end = *end;
        (self.history, self.trajectories, self.gaps) = (end.history, end.trajectories, end.gaps);
        (self.spectrum, self.attention, self.powers) = (end.spectrum, end.attention, end.powers);
        (self.weights, self.pairs, self.chains) = (end.weights, end.pairs, end.chains);
        self.looks = end.looks;
        (self.solved, self.step, self.message) = (end.solved, end.step, end.message);
        (self.noted, self.findings) = (end.noted, self.findings + 1);
        let runs = end.phase == Phase::Running;
        self.paused = !runs;
        self.seek(if runs { Phase::Paused } else { end.phase }, effects);
    }

    /// Has the trainer go to the step that is shown.
    fn seek(&mut self, then: Phase, effects: &mut Vec<Effect>) {
        if let Some(end) = &self.end {
            // Curves over the steps forget what is later than what they are told next, and nothing else.
            (self.trajectories, self.gaps) = (end.trajectories.clone(), end.gaps.clone());
            if let (Some(pairs), Some(end)) = (&mut self.pairs, &end.pairs) {
                pairs.progress = end.progress.clone();
            }
            if let (Some(chains), Some(end)) = (&mut self.chains, &end.chains) {
                chains.distances = end.distances.clone();
            }
        }
        self.checkpoint = self.past.before(self.step).map(|(step, bytes)| (step, bytes.to_vec()));
        self.seeking = Some(Seek { to: self.step, then });
        self.resume(effects);
    }

    /// The trainer has begun to go to a step.
    pub(super) fn on_its_way(&mut self, effects: &mut Vec<Effect>) {
        self.awaiting = false;
        self.redirect(effects);
    }

    /// Has the trainer go elsewhere if something else is wanted by now.
    pub(super) fn redirect(&mut self, effects: &mut Vec<Effect>) {
        if !self.awaiting && self.seeking.as_ref().is_some_and(|seek| seek.to != self.step) {
            self.seek(Phase::Paused, effects);
        }
    }

    /// What a trainer says while it goes to a step: only its arrival counts.
    pub(super) fn told_on_its_way(&mut self, message: Message, effects: &mut Vec<Effect>) {
        let Some(to) = self.seeking.as_ref().map(|seek| seek.to) else { return };
        match message.event {
            Event::Weights { step, .. } if step == to => self.told(message, effects),
            Event::Paused { step } if step == to => {
                let Some(seek) = self.seeking.take_if(|seek| seek.to == self.step) else {
                    return self.redirect(effects);
                };
                self.phase = seek.then;
                if !self.paused && self.phase == Phase::Paused {
                    self.send(Command::Play, effects);
                }
            }
            _ => {}
        }
    }

    /// After every message: checkpoints where much changes, and the end of what is made again.
    pub(super) fn follow(&mut self, effects: &mut Vec<Effect>) {
        if self.end.as_ref().is_some_and(|end| self.step >= end.step) && self.seeking.is_none() {
            self.end = None;
        }
        let level = self.level();
        if self.phase == Phase::Running && self.past.wants(level) {
            self.send(Command::Checkpoint, effects);
        }
    }

    /// The newest accuracy.
    pub(super) fn level(&self) -> f32 {
        self.history.last().map_or(0.0, |row| spread(&row.test_accuracy).0)
    }

    /// The run goes on otherwise than it did from `step` on: what it was later is no part of it.
    pub(super) fn branch(&mut self, step: u64) {
        self.end = None;
        self.past.forget_after(step);
    }

    /// What is said of a run that is not shown at its end.
    pub(super) fn place_in_time(&self) -> Option<String> {
        let (step, end) = (thousands(self.step), self.end.as_ref()?);
        let end = thousands(end.step);
        match self.phase {
            Phase::Loading => Some(tr!("Going to step {step} of {end}", step, end)),
            Phase::Paused => Some(tr!("Step {step} of {end}, as it was. Play trains it again", step, end)),
            _ => None,
        }
    }
}

impl Chart {
    /// What is drawn: of a run that is shown at an earlier step, curves go on faintly to its end.
    pub fn drawn(self, state: &State) -> Reading {
        let mut reading = self.divided(state);
        // What is measured along every run of the lab; of probes, a kept run has nothing.
        if let (Chart::Loss | Chart::Accuracy | Chart::Truth, Reading::Lines(lines)) = (self, &mut reading) {
            let spec = state.spec();
            for (id, drawn) in &state.library.drawn {
                let same_lab = drawn.spec().task.info().slug == spec.task.info().slug;
                let (true, Some(kept)) = (same_lab, state.library.find(id)) else { continue };
                if let Reading::Lines(mut others) = self.reading(drawn)
                    && let Some(curve) = others.series.pop()
                {
                    let name = match spec.differences(drawn.spec()).len() {
                        1 | 2 => difference(spec, drawn.spec()),
                        _ => kept.name.clone(),
                    };
                    // Under the curves of the run itself.
                    lines.series.push(Series {
                        name,
                        tint: Some(kept.colour),
                        role: Role::Other,
                        each: None,
                        ..curve
                    });
                }
            }
        }
        reading
    }

    fn divided(self, state: &State) -> Reading {
        let reading = self.reading(state);
        match (&state.end, reading) {
            (Some(end), Reading::Lines(lines)) if lines.is_over_steps() => match self.reading(end) {
                Reading::Lines(whole) => Reading::Lines(divided(whole, state.step)),
                other => other,
            },
            (_, reading) => reading,
        }
    }
}

/// Curves over the steps with those after `step` faint.
fn divided(mut lines: Lines, step: u64) -> Lines {
    let mut rest = vec![];
    for series in &mut lines.series {
        let at = series.x.partition_point(|x| *x <= step as f64);
        // From the last shown point on, so that there is no gap.
        let from = at.saturating_sub(1);
        rest.push(Series {
            x: series.x[from..].to_vec(),
            y: series.y[from..].to_vec(),
            raw: series.raw.get(from..).unwrap_or_default().to_vec(),
            band: vec![],
            faint: true,
            ..series.clone()
        });
        series.x.truncate(at);
        series.y.truncate(at);
        series.raw.truncate(at);
        series.band.truncate(at);
    }
    lines.series.extend(rest);
    lines.marks.push((step as f64, "shown".into()));
    lines
}
