//! A run that was left for another one, and the return to the step at which it was left.
//!
//! # Why
//! A single letter starts a run again or gives it a new seed, and a letter is pressed by mistake. So the page keeps the
//! run that it leaves, with its curves and its last checkpoint: Undo trains it from there to its last step again, as a
//! jump to an earlier step does. A sweep is kept with the results of its finished runs. A run of a record file and a
//! sweep that has stopped are shown again as they were, and nothing is trained.

use crate::checkpoints::Checkpoints;
use crate::consent::Consent;
use crate::player::Player;
use crate::trainer::TrainerEffect;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::{RunPhase, RunView};

/// A run at the step at which it was left.
#[derive(Debug, Clone)]
pub struct LeftRun {
    /// The run at its latest step.
    pub run: RunView,
    /// The last checkpoint at or before this step; empty if there was none yet.
    checkpoints: Checkpoints,
    /// Whether the run waited, so that it waits again on return.
    was_paused: bool,
}

impl PartialEq for LeftRun {
    /// Whether both are the same run at the same step.
    fn eq(&self, other: &Self) -> bool {
        (self.run.run_count, self.run.step) == (other.run.run_count, other.run.step)
            && self.run.link == other.run.link
    }
}

impl LeftRun {
    /// Returns an estimate of the bytes of memory that checkpoint and measurements take.
    pub fn size(&self) -> usize {
        let rows = self.run.history.rows();
        let bytes = rows
            .map(|row| 64 + 8 * (5 * row.test_loss.len() + row.measures.iter().map(Vec::len).sum::<usize>()));
        let sweep_bytes = self.run.sweep.as_ref().map_or(0, SweepProgress::byte_count);
        self.checkpoints.total_bytes()
            + self.run.history.packed_byte_count()
            + bytes.sum::<usize>()
            + sweep_bytes
    }
}

impl Player {
    /// Returns the current run at its latest step, so that [`Player::return_to_run`] can show it again. None at step 0,
    /// where its link says everything, unless its sweep has results or a file has given it weights or curves; None also
    /// if the weights of a file are in no checkpoint.
    pub fn left_run(&self) -> Option<LeftRun> {
        let mut run = self.latest_run().clone();
        let seek = self.seek.as_ref().filter(|_| self.latest_run.is_none());
        if let Some(seek) = seek {
            run.phase = seek.phase_on_arrival.clone();
        }
        let is_record = run.file_environment.is_some();
        let has_results = run.sweep.as_ref().is_some_and(|sweep| sweep.ended_count() > 0);
        let has_own_weights = !run.initial_weights_file[0].is_empty();
        if run.step == 0 && !(is_record || has_results || has_own_weights) {
            return None;
        }
        // A record has no weights. Checkpoints of a scrub belong to the run of its link, which is trained for it.
        let mut checkpoints = if is_record { Checkpoints::default() } else { self.checkpoints.clone() };
        let last = self.checkpoint.as_ref().filter(|(step, _)| *step <= run.step && !is_record);
        if let Some((step, bytes)) = last {
            checkpoints.push(*step, bytes, run.latest_accuracy());
        }
        checkpoints.keep_latest_before(run.step);
        // Weights of a file are not those of the link.
        if has_own_weights && !is_record && checkpoints.latest_before(run.step).is_none() {
            return None;
        }
        let was_paused = match run.phase {
            RunPhase::Running => false,
            // A run on its way back goes on when it arrives, unless it was paused.
            RunPhase::Paused if seek.is_some() => self.paused,
            RunPhase::Loading => self.paused,
            _ => true,
        };
        run.resume_message.clear();
        Some(LeftRun { run, checkpoints, was_paused })
    }

    /// Shows a run again at the step at which it was left, and makes the trainer train to this step; then it goes on if it
    /// was training. The run of a record and a sweep that has stopped are shown without training.
    pub fn return_to_run<E: From<TrainerEffect>>(&mut self, left: LeftRun, effects: &mut Vec<E>) {
        let LeftRun { run, checkpoints, was_paused } = left;
        self.clear_goal(effects);
        if self.run.link.spec == run.link.spec {
            // The sweep has been started again since; an older sweep that was put aside stays there.
            self.run.sweep = None;
        }
        self.replace_link(run.link.clone());
        // Else the next start of the sweep would take up the results of the sweep that is left now.
        self.suspended_sweep.take_if(|(spec, _)| *spec == run.link.spec);
        let [runs, findings, changes] =
            [self.run.run_count, self.run.finding_count, self.run.view_changes].map(|count| count + 1);
        self.run = RunView { run_count: runs, finding_count: findings, view_changes: changes, ..run };
        // The second program may have arrived since.
        self.run.init_lazy_state();
        self.consent = Consent::given_for(&self.run.link.spec);
        (self.goal, self.step_rates, self.replaced_at, self.resumed_run) = Default::default();
        (self.latest_run, self.seek) = Default::default();
        (self.checkpoints, self.paused) = (checkpoints, was_paused);
        let is_record = self.run.file_environment.is_some();
        if is_record || self.run.sweep.as_ref().is_some_and(SweepProgress::is_stopped) {
            self.drop_trainer(effects);
            self.checkpoint = None;
            if is_record {
                self.learner = Default::default();
            }
            return;
        }
        if self.run.step == 0 && self.run.sweep.is_some() {
            // The sweep was left at the start of its next run, which starts again.
            self.prepare_run();
            return self.resume(effects);
        }
        let arrival = match &self.run.phase {
            ended if ended.has_ended() && self.run.sweep.is_none() => ended.clone(),
            _ => RunPhase::Paused,
        };
        self.start_seek(arrival, effects);
    }
}
