//! Adding runs to the comparison and removing them.

use super::MAX_COMPARED;
use crate::effect::Effect;
use crate::library::curves::thin_history;
use crate::library::{ComparedRun, Library, StorageCommand, StorageStatus, run_id};
use crate::state::{State, UndoEntry};
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Command, Measurement};
use vivarium_model::run::{RunSettings, RunSpec};
use vivarium_plot::analysis::curves::RunHistory;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_count, format_thousands};
use vivarium_view::record::saved::parse_saved_link;

/// Largest number of runs, removed from the comparison, whose curves stay in memory for Undo.
const MAX_REMOVED: usize = 2 * MAX_COMPARED;

/// Returns the settings with defaults for the end of the run and the device, and without learning-rate changes from
/// `step` on, to compare what two runs have in common up to `step`.
fn without_ending(spec: &RunSpec, step: u64) -> RunSpec {
    let (mut spec, usual) = (spec.clone(), RunSettings::default());
    spec.run.schedule.retain(|(from, _)| *from < step);
    (spec.run.steps, spec.run.halt, spec.run.target) = (usual.steps, usual.halt, usual.target);
    (spec.run.success, spec.run.limit, spec.run.device) = (usual.success, usual.limit, usual.device);
    spec
}

/// Whether a saved run is an earlier state of a run with these settings, so that its curves are the beginning of that
/// run's curves.
pub(super) fn is_part_of(saved: &RunView, spec: &RunSpec) -> bool {
    let of = saved.spec();
    if of == spec {
        return true;
    }
    // If the learning rate decays towards the last step, or the model has stages, the number of steps affects
    // every step.
    let places = [0, saved.step / 2, saved.step.saturating_sub(1)];
    let trains_alike =
        |at: u64| of.learning_rate(at) == spec.learning_rate(at) && of.stage(at) == spec.stage(at);
    without_ending(of, saved.step) == without_ending(spec, saved.step)
        && (of.run.steps == spec.run.steps || places.into_iter().all(trains_alike))
}

/// Creates a run for the comparison from its link, the note on its [initial weights](RunView::initial_weights_file),
/// its step and its measurements, with the view settings of `shown`.
fn comparison_run(
    shown: &RunView,
    link: Link,
    initial: &[String; 2],
    step: u64,
    rows: Vec<Measurement>,
) -> RunView {
    let initial = initial.clone();
    let history = RunHistory::of(&link.spec);
    let mut run = RunView {
        link,
        initial_weights_file: initial,
        step,
        labs: shown.labs,
        history,
        ..RunView::default()
    };
    rows.into_iter().for_each(|row| run.history.push(row));
    if run.spec().task.info().slug == shown.spec().task.info().slug {
        run.lab_state.clone_from(&shown.lab_state);
    }
    run.link.view.clone_from(&shown.link.view);
    run
}

impl Library {
    /// Returns the colour index of the saved run with this id, or the next index that no compared run has.
    fn free_colour(&self, id: &str) -> usize {
        let own = self.find(id).map_or(0, |saved| saved.colour) % MAX_COMPARED;
        let all = (0..MAX_COMPARED).map(|next| (own + next) % MAX_COMPARED);
        let mut free = all.filter(|tint| self.compared_runs().all(|compared| compared.colour != *tint));
        free.next().unwrap_or(own)
    }

    /// Adds a run with its curves to the comparison, in a free colour.
    fn add_compared(&mut self, id: String, run: RunView) {
        self.awaiting_curves.retain(|recalled| *recalled != id);
        let tint = self.free_colour(&id);
        self.compared.push(ComparedRun { id, run, colour: tint, deleted: false });
        self.drawing_version += 1;
    }

    /// Removes from the comparison all runs for which `stays` is false, and keeps them for Undo.
    fn retain_compared(&mut self, stays: impl Fn(&ComparedRun) -> bool) {
        let all = std::mem::take(&mut self.compared);
        let (stay, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(|run| run.deleted || stays(run));
        self.compared = stay;
        self.removed.retain(|old| gone.iter().all(|run| run.id != old.id));
        self.removed.extend(gone);
        self.removed.drain(..self.removed.len().saturating_sub(MAX_REMOVED));
        if self.compared_runs().next().is_none() {
            self.compared_run_number = None;
        }
        self.drawing_version += 1;
    }
}

impl State {
    /// Returns the ids of the compared runs, including those whose curves are still being read.
    pub fn compared_ids(&self) -> Vec<String> {
        let drawn = self.library.compared_runs().map(|compared| &compared.id);
        drawn.chain(&self.library.awaiting_curves).cloned().collect()
    }

    /// Whether no further run can be compared; if so, sets a message.
    fn is_comparison_full(&mut self) -> bool {
        let is_full = self.library.compared_runs().count() >= MAX_COMPARED;
        if is_full {
            self.player.message = tr!(
                "{most} kept runs are compared already, and the page has no colour for one more run. Remove one run from the comparison first.",
                most = MAX_COMPARED
            );
        }
        is_full
    }

    /// Saves the current run and adds its curves so far to the comparison.
    pub fn compare_current_run(&mut self, effects: &mut Vec<Effect>) {
        let run = self.player.latest_run();
        if run.sweep.is_some() {
            self.player.message =
                tr!("A sweep has many runs. Open one cell of the sweep as a run, then compare that run.")
                    .into();
            return;
        }
        if run.step == 0 || run.history.latest().is_none() {
            self.player.message = tr!("This run has no curve yet. Train first, then compare.").into();
            return;
        }
        let (step, id) = (run.step, run_id(run.spec()));
        let known = self.library.compared_runs().filter(|compared| is_part_of(&compared.run, run.spec()));
        let known = known.map(|compared| compared.run.step).max();
        if known.is_none() && self.is_comparison_full() {
            return;
        }
        self.save_run(true, effects);
        if self.library.find(&id).is_none_or(|saved| saved.step < step) && self.player.latest_run.is_none() {
            // A run is saved at its latest checkpoint, and there is none at this step yet.
            self.player.send(Command::Checkpoint, effects);
        }
        let before = self.compared_ids();
        // The run replaces its own beginning.
        if known.is_none_or(|known| known < step) {
            let spec = self.player.latest_run().spec().clone();
            self.library.retain_compared(|compared| !is_part_of(&compared.run, &spec));
            let run = self.player.latest_run();
            let comparison = comparison_run(
                run,
                run.link.clone(),
                &run.initial_weights_file,
                step,
                thin_history(&run.history),
            );
            self.library.add_compared(id, comparison);
        }
        self.library.compared_run_number = Some(self.player.run.run_count);
        if known.is_none() {
            self.push_undo(UndoEntry::Compared(before));
        }
        self.player.message = tr!(
            "The curves of this run are kept up to step {step}. Change a setting and train: then the curves of both runs are drawn.",
            step = format_thousands(known.unwrap_or(0).max(step))
        );
    }

    /// Adds a saved run to the comparison, or removes it.
    pub fn toggle_compared(&mut self, id: String, effects: &mut Vec<Effect>) {
        let before = self.compared_ids();
        if self.library.is_drawn(&id) {
            let spec = self.player.run.spec();
            let is_same = self.library.compared_runs().any(|of| of.id == id && is_part_of(&of.run, spec));
            if is_same {
                self.library.compared_run_number = None;
            }
            self.library.retain_compared(|compared| compared.id != id);
        } else if self.library.find(&id).is_none() || self.is_comparison_full() {
            return;
        } else {
            self.compare_saved_run(id, effects);
        }
        self.push_undo(UndoEntry::Compared(before));
    }

    /// Removes all runs from the comparison.
    pub fn stop_comparing(&mut self) {
        let before = self.compared_ids();
        self.library.awaiting_curves.clear();
        self.library.retain_compared(|_| false);
        if !before.is_empty() {
            self.push_undo(UndoEntry::Compared(before));
            self.player.message =
                tr!("The compared runs are no longer drawn. They stay in the list of kept runs.").into();
        }
    }

    /// Sets the compared runs to those with these ids: the effect of Undo.
    pub fn restore_comparison(&mut self, ids: &[String], effects: &mut Vec<Effect>) {
        self.library.awaiting_curves.clear();
        self.library.compared_run_number = None;
        self.library.retain_compared(|compared| ids.contains(&compared.id));
        self.player.message = match ids.len() {
            0 => tr!("After Undo, no kept run is compared.").into(),
            count => tr!("Compared again after Undo: {runs}.", runs = format_count(count, "kept run")),
        };
        self.add_compared_runs(ids.to_vec(), effects);
    }

    /// Adds the saved runs with these ids to the comparison, as soon as the list of saved runs has been read.
    pub fn add_compared_runs(&mut self, ids: Vec<String>, effects: &mut Vec<Effect>) {
        let before_anything = self.library.storage == StorageStatus::Unknown;
        for id in ids {
            if self.library.is_drawn(&id) || self.library.compared_runs().count() >= MAX_COMPARED {
                continue;
            }
            let is_here = self.library.removed.iter().any(|old| old.id == id);
            if before_anything && !is_here {
                self.library.awaiting_curves.push(id);
            } else {
                self.compare_saved_run(id, effects);
            }
        }
    }

    /// Adds a saved run to the comparison; its curves are read from storage if necessary.
    fn compare_saved_run(&mut self, id: String, effects: &mut Vec<Effect>) {
        let step = self.library.find(&id).map(|saved| saved.step);
        let old = self.library.removed.iter().position(|old| old.id == id);
        // A later save of the run is preferred.
        if let Some(old) = old.filter(|at| step.is_none_or(|step| step <= self.library.removed[*at].run.step))
        {
            let ComparedRun { id, mut run, .. } = self.library.removed.remove(old);
            run.link.view.clone_from(&self.player.run.link.view);
            return self.library.add_compared(id, run);
        }
        let Some(saved) = self.library.find(&id) else { return };
        match saved.rows.is_empty() && self.library.is_stored(&id) {
            true => {
                if !self.library.awaiting_curves.contains(&id) {
                    self.library.awaiting_curves.push(id.clone());
                }
                effects.push(Effect::Library(StorageCommand::ReadCurves(id)));
            }
            false => {
                let rows = saved.rows.clone();
                self.add_curves(id, rows);
            }
        }
    }

    /// Adds a saved run with these measurements to the comparison.
    pub fn add_curves(&mut self, id: String, rows: Vec<Measurement>) {
        self.library.awaiting_curves.retain(|recalled| *recalled != id);
        let Some(saved) = self.library.find(&id).filter(|_| !self.library.is_drawn(&id)) else { return };
        if rows.is_empty() {
            self.player.message = tr!(
                "The curves of “{name}” are no longer stored. Open the run to train the run again; training gives the same numbers.",
                name = saved.name
            );
            return;
        }
        let (link, step) = (parse_saved_link(&saved.link).unwrap_or_default(), saved.step);
        // Curves reach a little further than the checkpoint.
        let step = rows.last().map_or(step, |row| step.max(row.step));
        let comparison = comparison_run(&self.player.run, link, &saved.initial, step, rows);
        if !self.is_comparison_full() {
            self.library.add_compared(id, comparison);
        }
    }

    /// Copies new measurements of the current run to its copy among the compared runs, if it is compared.
    pub fn update_compared_run(&mut self) {
        let run = self.player.latest_run();
        let grows = |of: &ComparedRun| of.run.step < run.step && is_part_of(&of.run, run.spec());
        // If the learning rate was changed during training, the compared run stays as it was.
        let goes_on = |of: &ComparedRun| of.run.spec().run.schedule == run.spec().run.schedule;
        let position = self.library.compared.iter().position(|of| grows(of) && goes_on(of));
        let Some(at) = position.filter(|_| run.sweep.is_none()) else { return };
        let id = run_id(run.spec());
        let comparison = comparison_run(
            run,
            run.link.clone(),
            &run.initial_weights_file,
            run.step,
            thin_history(&run.history),
        );
        let of = &mut self.library.compared[at];
        (of.id, of.run) = (id, comparison);
    }
}
