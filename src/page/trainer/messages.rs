//! What a trainer's message changes in the state, and what is done when one falls silent or dies.

use super::device::Survey;
use crate::run::status::status;
use crate::state::{State, TrainerStatus, UndoEntry};
use crate::trainer::{Effect, Program, TrainerMessage};
use vivarium_model::protocol::{Command, Ending, Event, Failure, Message, Payload};
use vivarium_plot::analysis::curves::spread;
use vivarium_view::display::Phase;
use vivarium_view::display::status::{examples, found};
use vivarium_view::display::words::{capital, decimal, percent, thousands};

/// Seconds in which a GPU must have said that it is ready: a network and a compiler stand between.
const READY_WITHIN: u32 = 20;
/// Seconds in which the browser must have said what GPU it has.
const SURVEY_WITHIN: u32 = 5;
/// Seconds of silence after which a running trainer is asked for a sign.
const ASK_AFTER: u32 = 5;
/// Seconds of silence after which it counts as dead.
const DEAD_AFTER: u32 = 12;

impl State {
    /// A second has passed.
    pub fn tick(&mut self, effects: &mut Vec<Effect>) {
        if let Some(sweep) =
            self.run.sweep.as_mut().filter(|_| self.run.phase == Phase::Running || self.awaiting)
        {
            sweep.seconds += 1;
        }
        self.watch_bench(effects);
        self.redirect(effects);
        self.keep_time(effects);
        match &mut self.staff {
            TrainerStatus::Absent | TrainerStatus::Ready(_)
                if self.choice.is_none()
                    && self.survey == Survey::Unknown
                    && self.run.phase == Phase::Loading =>
            {
                self.silence += 1;
                if self.silence >= SURVEY_WITHIN {
                    self.surveyed(Survey::NoAdapter, effects);
                }
            }
            // The CPU's program may be slow to download, and there is nothing to fall back to.
            TrainerStatus::Opening(program, seconds) if program.on_gpu() => {
                *seconds += 1;
                if *seconds >= READY_WITHIN {
                    let program = *program;
                    let why = tr!(
                        "the worker for the GPU did not answer within {seconds} seconds",
                        seconds = READY_WITHIN
                    );
                    self.lost(program, &why, effects);
                }
            }
            TrainerStatus::Ready(program) if self.run.phase == Phase::Running || self.awaiting => {
                let program = *program;
                self.silence += 1;
                // Large networks may take long for one step, many held-out sequences for a beginning.
                let patience = self.run.spec().cost().patience_s(DEAD_AFTER);
                if self.silence == ASK_AFTER {
                    self.send(Command::Checkpoint, effects);
                } else if self.silence >= patience {
                    self.lost(
                        program,
                        &tr!("the worker sent nothing for {patience} seconds", patience),
                        effects,
                    );
                }
            }
            _ => {}
        }
    }

    /// The trainer with `program` gave a sign.
    pub fn heard(&mut self, program: Program, sign: TrainerMessage, effects: &mut Vec<Effect>) {
        // A trainer that was replaced may still have something in the post.
        if !matches!(self.staff, TrainerStatus::Opening(p, _) | TrainerStatus::Ready(p) if p == program) {
            return;
        }
        self.silence = 0;
        match sign {
            TrainerMessage::Died(why) => self.lost(program, &why, effects),
            TrainerMessage::Said(Message { event: Event::Ready(report), .. }) => {
                self.report = Some(report);
                self.staff = TrainerStatus::Ready(program);
                self.time_next(effects);
                // A run whose device is not chosen yet may want another one.
                if self.run.phase == Phase::Loading && self.choice.is_some() {
                    self.start(effects);
                }
            }
            TrainerMessage::Said(Message { event: Event::Failed(failure), .. }) => {
                self.failed(program, failure, effects)
            }
            TrainerMessage::Said(Message {
                event: Event::Started { step, relevant, held_out, learner, note, .. },
                ..
            }) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                // With another start on its way, or none sent since, it is the run before that began.
                if self.unanswered == 0 && self.choice.is_some() {
                    self.learner = (learner, note);
                    match self.seeking {
                        Some(_) => self.on_its_way(effects),
                        None => self.started(step, relevant, held_out),
                    }
                }
            }
            TrainerMessage::Said(Message { event: Event::Measured(number, found), .. }) => {
                self.timed(number, found, effects);
            }
            // It belongs to the run before.
            TrainerMessage::Said(_) if self.awaiting => {}
            TrainerMessage::Said(message) if self.seeking.is_some() => self.told_on_its_way(message, effects),
            TrainerMessage::Said(message) => {
                self.told(message, effects);
                self.follow(effects);
            }
        }
    }

    fn started(&mut self, step: u64, relevant: Vec<usize>, held_out: usize) {
        self.awaiting = false;
        self.run.started(step, relevant, held_out);
        self.run.phase = if self.paused { Phase::Paused } else { Phase::Running };
        if self.run.sweep.as_ref().is_some_and(|sweep| sweep.is_at_rest()) {
            // It was on its way when the sweep was cancelled.
            self.rest();
        }
    }

    pub(crate) fn told(&mut self, message: Message, effects: &mut Vec<Effect>) {
        match (message.event, message.payload) {
            (Event::Metrics(rows), _) => {
                for row in rows {
                    self.run.step = self.run.step.max(row.step);
                    self.run.measured(row);
                }
                self.run.follow_lambda();
            }
            (Event::Weights { step, inputs, width }, Payload::Numbers(values)) => {
                self.run.weighed(step, inputs, width, values);
            }
            (Event::Rate { steps_per_s, capacity }, _) => self.rate = Some((steps_per_s, capacity)),
            (Event::Solved { replica, step }, _) => {
                self.run.reached(replica, step);
                if self.run.solved.len() == self.run.spec().run.replicas && self.run.sweep.is_none() {
                    self.message = found(&self.run);
                }
            }
            (Event::Paused { step }, _) => {
                self.run.step = step;
                if self.goal.is_some_and(|goal| step >= goal.step) {
                    self.forget_goal(effects);
                }
                self.paused = true;
                if !matches!(self.run.phase, Phase::Finished(_) | Phase::Diverged { .. }) {
                    self.run.phase = Phase::Paused;
                }
            }
            (Event::Resumed { step }, _) => {
                self.run.step = step;
                self.paused = false;
                self.run.phase = Phase::Running;
            }
            (Event::Finished { step, reason }, _) => {
                self.run.step = step;
                self.forget_goal(effects);
                match reason {
                    Ending::Diverged if matches!(self.run.phase, Phase::Diverged { .. }) => {}
                    Ending::Diverged => self.run.phase = Phase::Diverged { step, last_good: step },
                    _ => self.run.phase = Phase::Finished(reason),
                }
                let is_last = reason == Ending::LastStep;
                let ended = self.run.lazy().filter(|_| is_last).and_then(|lab| lab.ended(&self.run));
                if self.run.sweep.is_some() {
                    self.next_of_sweep(effects);
                } else if let Some(ended) = ended {
                    self.message = ended;
                } else if self.run.spec().run.replicas > 1 && reason != Ending::Diverged {
                    self.message = status(self);
                } else if is_last {
                    let right = self.run.history.last().map_or(f32::NAN, |row| spread(&row.test_accuracy).0);
                    let (step, right) = (thousands(step), percent(right));
                    let of = examples(&self.run);
                    let of = self.run.lab().right(of);
                    let kl = self.run.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
                    self.message = match self.run.vocabulary().trains_only {
                        true => {
                            tr!(
                                "Step {step} was the last step: the KL divergence from the true distribution is {kl}.",
                                step,
                                kl = decimal(kl)
                            )
                        }
                        false => tr!("Step {step} was the last step: {right} {of}.", step, right, of),
                    };
                }
            }
            (Event::LearningRateChanged { step, lr }, _) => {
                self.remember(UndoEntry::Link(Box::new(self.run.link.clone())));
                self.run.link.spec.change_learning_rate(step, lr);
                self.branch(step);
                let (lr, step) = (vivarium_core::settings::real(lr), thousands(step));
                self.message = tr!(
                    "From step {step} on, the learning rate is {lr}; the link contains this change.",
                    lr,
                    step
                );
            }
            (Event::Diverged { step, last_good }, _) => {
                self.run.step = last_good;
                self.run.phase = Phase::Diverged { step, last_good };
                let at = tr!("The loss was no longer a finite number at step {step}", step = thousands(step));
                self.message = match self.run.place_in_sweep() {
                    Some(place) => tr!("{place}. {at}; the sweep goes on.", place, at),
                    None => tr!("{at}. A smaller learning rate may help.", at),
                };
            }
            (Event::Probed { step, finding }, payload) => self.run.found(step, finding.with_payload(payload)),
            (Event::Checkpoint { step }, Payload::Bytes(bytes)) => {
                self.past.push(step, &bytes, self.run.level());
                self.checkpoint = Some((step, bytes));
            }
            _ => {}
        }
    }

    pub(crate) fn failed(&mut self, program: Program, failure: Failure, effects: &mut Vec<Effect>) {
        if self.awaiting {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
        match failure {
            Failure::Impossible(why) => {
                self.timing = None;
                self.message = tr!("This run is not possible: {why}", why);
                self.run.phase = Phase::Failed(why);
                self.awaiting = false;
            }
            Failure::BadCheckpoint(_) if self.checkpoint.take().is_some() => {
                self.run.initial = Default::default();
                self.message = tr!(
                    "{failure}. The run restarts from its beginning.",
                    failure = capital(&failure.to_string())
                );
                self.start(effects);
            }
            Failure::NeedsAutodiff(why) if self.uncovered.is_none() => {
                self.message = tr!(
                    "{why} The network is trained with autodiff (automatic differentiation) instead.",
                    why = capital(&why)
                );
                self.uncovered = Some(why);
                self.resume(effects);
            }
            Failure::TooLarge(why) => {
                self.oversized = true;
                self.lost(program, &why, effects);
            }
            other => self.lost(program, &other.to_string(), effects),
        }
    }

    /// The trainer with `program` is gone: the run goes on elsewhere, from the last checkpoint.
    fn lost(&mut self, program: Program, why: &str, effects: &mut Vec<Effect>) {
        if self.lost_while_timing(program, effects) {
            return;
        }
        self.staff = TrainerStatus::Absent;
        self.report = None;
        self.rate = None;
        let why = why.trim_end_matches('.');
        if matches!(self.run.phase, Phase::Finished(_) | Phase::Diverged { .. } | Phase::Failed(_)) {
            // Nothing is lost: another is opened when somebody wants to go on.
            return;
        }
        let from = self.checkpoint.as_ref().map(|(step, _)| *step);
        let goes_on = match from {
            Some(step) => tr!("goes on from step {step}", step = thousands(step)),
            None => tr!("restarts from its beginning").into(),
        };
        if program.on_gpu() {
            self.refused = Some(tr!("WebGPU cannot be used, because {why}", why));
            self.message =
                tr!("WebGPU cannot be used, because {why}. The run {goes_on} on the CPU.", why, goes_on);
        } else if self.replaced_at.is_none_or(|at| from.is_some_and(|step| step > at)) {
            // Once by itself, and again only if the new one got further than the old one.
            self.replaced_at = Some(from.unwrap_or(0));
            self.message = tr!("Training stopped: {why}. The run {goes_on} with a new worker.", why, goes_on);
        } else {
            self.message = tr!("Training stopped again: {why}.", why);
            self.run.phase = Phase::Failed(why.to_string());
            self.awaiting = false;
            return;
        }
        self.resume(effects);
    }
}
