//! How messages of the trainer change the player, and the replacement of a trainer that is silent or dead.

use crate::player::{GpuFailure, Player};
use crate::status::status_line;
use crate::trainer::{Program, TrainerEffect, TrainerMessage, TrainerPhase};
use vivarium_model::protocol::{EndReason, Event, EventMessage, Payload, RunError};
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_view::display::RunPhase;
use vivarium_view::display::status::{describe_found, examples_name};
use vivarium_view::display::words::{capitalize, format_decimal, format_percent, format_thousands};

impl Player {
    /// Handles a message, or the end, of the trainer that runs `program`; messages of replaced trainers are ignored.
    pub fn handle_trainer_message<E: From<TrainerEffect>>(
        &mut self,
        program: Program,
        message: TrainerMessage,
        effects: &mut Vec<E>,
    ) {
        // A replaced trainer may still have messages on the way.
        if self.trainer.program() != Some(program) {
            return;
        }
        self.trainer.reset_silence();
        match message {
            TrainerMessage::Died(why) => self.replace_trainer(program, &why, false, effects),
            TrainerMessage::Message(EventMessage { event: Event::Ready(report), .. }) => {
                self.device_report = Some(report);
                self.trainer = TrainerPhase::Ready { program, silent_seconds: 0, unanswered_starts: 0 };
                self.time_current_program(effects);
                // A run whose program is not chosen yet may need another one.
                if self.run.phase == RunPhase::Loading && self.device_choice().is_some() {
                    self.send_start(effects);
                }
            }
            TrainerMessage::Message(EventMessage { event: Event::Failed(failure), .. }) => {
                self.handle_failure(program, failure, effects)
            }
            TrainerMessage::Message(EventMessage {
                event: Event::Started { step, relevant, held_out, learner, note, .. },
                ..
            }) => {
                // With another start on its way, or none sent since, the message is about the run before.
                if self.trainer.answer_start() && self.device_choice().is_some() {
                    self.learner = (learner, note);
                    match self.seek {
                        Some(_) => self.handle_seek_start(effects),
                        None => self.handle_started(step, relevant, held_out),
                    }
                }
            }
            TrainerMessage::Message(EventMessage { event: Event::Measured(number, found), .. }) => {
                self.handle_timing(number, found, effects);
            }
            // The message belongs to the run before.
            TrainerMessage::Message(_) if self.awaiting_start => {}
            TrainerMessage::Message(message) if self.seek.is_some() => {
                self.handle_seek_message(message, effects)
            }
            TrainerMessage::Message(message) => {
                self.handle_event(message, effects);
                self.update_checkpoints(effects);
            }
        }
    }

    /// Handles the trainer's answer that the run has started at `step`; `relevant` are indices of the input bits that
    /// determine the label, `held_out` is the number of held-out examples.
    fn handle_started(&mut self, step: u64, relevant: Vec<usize>, held_out: usize) {
        self.awaiting_start = false;
        self.run.handle_started(step, relevant, held_out);
        self.run.phase = if self.paused { RunPhase::Paused } else { RunPhase::Running };
        if self.run.sweep.as_ref().is_some_and(|sweep| sweep.is_stopped()) {
            // The message was on its way when the sweep was cancelled.
            self.finish_sweep();
        }
    }

    /// Handles an event of the run, such as a measurement, that the trainer reports.
    pub(crate) fn handle_event<E: From<TrainerEffect>>(
        &mut self,
        message: EventMessage,
        effects: &mut Vec<E>,
    ) {
        match (message.event, message.payload) {
            (Event::Metrics(rows), _) => {
                for row in rows {
                    self.run.step = self.run.step.max(row.step);
                    self.run.add_measurement(row);
                }
                self.run.update_lambda();
            }
            (Event::Weights { step, inputs, width }, Payload::Numbers(values)) => {
                self.run.set_weights(step, inputs, width, values);
            }
            (Event::Rate { steps_per_s, capacity }, _) => self.step_rates = Some((steps_per_s, capacity)),
            (Event::Solved { replica, step }, _) => {
                self.run.add_solved(replica, step);
                if self.run.solved.len() == self.run.spec().run.replicas && self.run.sweep.is_none() {
                    self.message = describe_found(&self.run);
                }
            }
            (Event::Paused { step }, _) => {
                self.run.step = step;
                if let Some(goal) = self.goal.filter(|goal| step >= goal.step) {
                    // A story has said that training continues up to this step.
                    if !goal.ignores_speed_limit {
                        self.message.clear();
                    }
                    self.clear_goal(effects);
                }
                self.paused = true;
                if !self.run.phase.has_ended() {
                    self.run.phase = RunPhase::Paused;
                }
            }
            (Event::Resumed { step }, _) => {
                self.run.step = step;
                self.paused = false;
                self.run.phase = RunPhase::Running;
            }
            (Event::Finished { step, reason }, _) => {
                self.run.step = step;
                self.clear_goal(effects);
                match reason {
                    EndReason::Diverged if matches!(self.run.phase, RunPhase::Diverged { .. }) => {}
                    EndReason::Diverged => self.run.phase = RunPhase::Diverged { step, last_good: step },
                    _ => self.run.phase = RunPhase::Finished(reason),
                }
                let is_last = reason == EndReason::LastStep;
                let ended =
                    self.run.lazy_lab().filter(|_| is_last).and_then(|lab| (lab.describe_end)(&self.run));
                if self.run.sweep.is_some() {
                    self.start_next_sweep_run(effects);
                } else if let Some(ended) = ended {
                    self.message = ended;
                } else if self.run.spec().run.replicas > 1 && reason != EndReason::Diverged {
                    self.message = status_line(self);
                } else if is_last {
                    let right = self.run.history.latest_median(ReplicaMeasure::TestAccuracy);
                    let (step, right) = (format_thousands(step), format_percent(right));
                    let of = examples_name(&self.run);
                    let of = self.run.lab().score_phrase(of);
                    let kl = self.run.history.latest_median(ReplicaMeasure::TestLoss);
                    self.message = match self.run.vocabulary().shows_training_only {
                        true => {
                            tr!(
                                "Step {step} was the last step: the KL divergence from the true distribution is {kl}.",
                                step,
                                kl = format_decimal(kl)
                            )
                        }
                        false => tr!("Step {step} was the last step: {right} {of}.", step, right, of),
                    };
                }
            }
            (Event::LearningRateChanged { step, lr }, _) => {
                self.replaced_link = Some(Box::new(self.run.link.clone()));
                self.run.link.spec.change_learning_rate(step, lr);
                self.discard_after(step);
                let (lr, step) = (vivarium_core::settings::format_real(lr), format_thousands(step));
                self.message = tr!(
                    "From step {step} on, the learning rate is {lr}; the link contains this change.",
                    lr,
                    step
                );
            }
            (Event::Diverged { step, last_good }, _) => {
                self.run.step = last_good;
                self.run.phase = RunPhase::Diverged { step, last_good };
                let at = tr!(
                    "The loss was no longer a finite number at step {step}",
                    step = format_thousands(step)
                );
                self.message = match self.run.describe_sweep_position() {
                    Some(place) => tr!("{place}. {at}; the sweep goes on.", place, at),
                    None => tr!("{at}. A smaller learning rate may help.", at),
                };
            }
            (Event::Probed { step, finding }, payload) => {
                self.run.add_result(step, finding.with_payload(payload))
            }
            (Event::Checkpoint { step }, Payload::Bytes(bytes)) => {
                self.checkpoints.push(step, &bytes, self.run.latest_accuracy());
                self.checkpoint = Some((step, bytes));
            }
            _ => {}
        }
    }

    /// Handles a failure of the run that the trainer with `program` reports, by another program or a message.
    pub(crate) fn handle_failure<E: From<TrainerEffect>>(
        &mut self,
        program: Program,
        failure: RunError,
        effects: &mut Vec<E>,
    ) {
        if self.awaiting_start {
            self.trainer.answer_start();
        }
        match failure {
            RunError::Impossible(why) => {
                self.cancel_timing();
                self.message = tr!("This run is not possible: {why}", why);
                self.run.phase = RunPhase::Failed(why);
                self.awaiting_start = false;
            }
            RunError::BadCheckpoint(_) if self.checkpoint.take().is_some() => {
                self.run.initial_weights_file = Default::default();
                self.message = tr!(
                    "{failure}. The run restarts from its beginning.",
                    failure = capitalize(&failure.to_string())
                );
                self.send_start(effects);
            }
            RunError::NeedsAutodiff(_) if program == Program::Cpu && !self.loops_failed => {
                self.loops_failed = true;
                self.resume(effects);
            }
            RunError::NeedsAutodiff(why) if self.fused_error.is_none() => {
                self.message = tr!(
                    "{why} The network is trained with autodiff (automatic differentiation) instead.",
                    why = capitalize(&why)
                );
                self.fused_error = Some(why);
                self.resume(effects);
            }
            RunError::TooLarge(why) => self.replace_trainer(program, &why, true, effects),
            other => self.replace_trainer(program, &other.to_string(), false, effects),
        }
    }

    /// Replaces a dead trainer, which ran `program` and died for the reason `why`: the run continues from the last
    /// checkpoint, after a failure of the GPU on the CPU. The run fails if its trainer on the CPU has died before and
    /// there is no later checkpoint. `is_too_large` says that only the size of this run is the reason.
    pub(crate) fn replace_trainer<E: From<TrainerEffect>>(
        &mut self,
        program: Program,
        why: &str,
        is_too_large: bool,
        effects: &mut Vec<E>,
    ) {
        if self.handle_loss_while_timing(program, effects) {
            return;
        }
        self.trainer = TrainerPhase::Absent;
        self.device_report = None;
        self.step_rates = None;
        let why = why.trim_end_matches('.');
        if self.run.phase.has_ended() || matches!(self.run.phase, RunPhase::Failed(_)) {
            // Nothing is lost: another trainer is opened when the user continues.
            return;
        }
        let from = self.checkpoint.as_ref().map(|(step, _)| *step);
        let goes_on = match from {
            Some(step) => tr!("goes on from step {step}", step = format_thousands(step)),
            None => tr!("restarts from its beginning").into(),
        };
        if program.needs_gpu() {
            self.gpu_failure = Some(GpuFailure {
                reason: tr!("WebGPU cannot be used, because {why}", why),
                is_of_this_run: is_too_large,
            });
            self.message =
                tr!("WebGPU cannot be used, because {why}. The run {goes_on} on the CPU.", why, goes_on);
        } else if self.replaced_at.is_none_or(|at| from.is_some_and(|step| step > at)) {
            // Automatically once, and again only if the new trainer got further than the old one.
            self.replaced_at = Some(from.unwrap_or(0));
            self.message = tr!("Training stopped: {why}. The run {goes_on} with a new worker.", why, goes_on);
        } else {
            self.message = tr!("Training stopped again: {why}.", why);
            self.run.phase = RunPhase::Failed(why.to_string());
            self.awaiting_start = false;
            return;
        }
        self.resume(effects);
    }
}
