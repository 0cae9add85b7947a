//! Runs from files: a record is shown, and weights are trained further.

use crate::player::Player;
use crate::trainer::TrainerEffect;
use vivarium_core::sorting;
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::EndReason;
use vivarium_view::display::RunPhase;
use vivarium_view::record::Record;
use vivarium_view::record::weights::CheckpointHeader;

impl Player {
    /// Shows the run of a record, which replaces the link; nothing is trained.
    pub fn show_record(&mut self, record: Record) {
        self.replace_link(record.link);
        self.prepare_sweep();
        if let Some(sweep) = &mut self.run.sweep {
            sweep.solved_steps = record.times;
        }
        self.prepare_run();
        for row in record.rows {
            self.run.add_measurement(row);
        }
        let solved = record.solved.iter().enumerate();
        self.run.solved = solved.filter_map(|(replica, step)| step.map(|step| (replica, step))).collect();
        // In the order of their steps, as the page lists them.
        sorting::sort_by_key(&mut self.run.solved, |(replica, step)| (*step, *replica));
        self.run.step = record.step;
        if record.held_out > 0 {
            self.run.held_out = record.held_out;
        }
        self.run.phase = match record.ending {
            Some(EndReason::Diverged) => RunPhase::Diverged { step: record.step, last_good: record.step },
            Some(ending) => RunPhase::Finished(ending),
            None => RunPhase::Paused,
        };
        self.paused = true;
        self.learner = Default::default();
        let about = &record.environment;
        self.run.initial_weights_file = [about.weights_file.clone(), about.weights_description.clone()];
        self.run.file_environment = Some(record.environment);
    }

    /// Returns the link of the run of a weights file; the view stays if the task is the same.
    pub fn weights_link(&self, header: &CheckpointHeader) -> Link {
        let is_same_lab = self.run.link.spec.task.info().slug == header.spec.task.info().slug;
        let view = if is_same_lab {
            self.run.link.view.clone()
        } else {
            ViewSettings::default_of_task(&header.spec.task)
        };
        Link { spec: header.spec.clone(), view, ..Default::default() }
    }

    /// Shows the run of a weights file (`header`: its settings and step) with this link, paused at the step of the
    /// weights, and opens a trainer for it.
    pub fn show_weights<E: From<TrainerEffect>>(
        &mut self,
        link: Link,
        header: &CheckpointHeader,
        bytes: Vec<u8>,
        effects: &mut Vec<E>,
    ) {
        self.replace_link(link);
        self.prepare_sweep();
        self.prepare_run();
        // Trajectories and curves before this step are unknown.
        self.run.trajectories = None;
        self.run.step = header.step;
        let solved = header.solved.iter().enumerate();
        self.run.solved = solved.filter_map(|(replica, step)| step.map(|step| (replica, step))).collect();
        self.run.initial_weights_file.clone_from(&header.initial_weights_file);
        self.checkpoint = Some((header.step, bytes));
        self.paused = true;
        self.resume(effects);
    }
}
