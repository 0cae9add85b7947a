//! What changes which runs are compared.

use super::MOST;
use crate::library::curves::thinned;
use crate::library::{ComparedRun, Library, LibraryCommand, Storage, id_of};
use crate::state::{State, UndoEntry};
use crate::trainer::Effect;
use vivarium_model::permalink::Link;
use vivarium_model::protocol::{Command, Row};
use vivarium_model::run::{Run, RunSpec};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{count, thousands};
use vivarium_view::record::saved::link;

/// Most runs that Undo can bring back although they are not stored.
const MOST_ASIDE: usize = 2 * MOST;

/// The settings without those that say when and where a run ends, and without changes of the rate from `step` on.
fn bare(spec: &RunSpec, step: u64) -> RunSpec {
    let (mut spec, usual) = (spec.clone(), Run::default());
    spec.run.schedule.retain(|(from, _)| *from < step);
    (spec.run.steps, spec.run.halt, spec.run.target) = (usual.steps, usual.halt, usual.target);
    (spec.run.success, spec.run.limit, spec.run.device) = (usual.success, usual.limit, usual.device);
    spec
}

/// Whether the curve of a kept run is a part of the curve of a run of `spec`: the same training up to its last step.
pub(super) fn is_part(kept: &RunView, spec: &RunSpec) -> bool {
    let of = kept.spec();
    if of == spec {
        return true;
    }
    // Where a rate falls towards the last step, and where a model has stages, the last step changes all of them.
    let places = [0, kept.step / 2, kept.step.saturating_sub(1)];
    let trains_alike =
        |at: u64| of.learning_rate(at) == spec.learning_rate(at) && of.stage(at) == spec.stage(at);
    bare(of, kept.step) == bare(spec, kept.step)
        && (of.run.steps == spec.run.steps || places.into_iter().all(trains_alike))
}

/// The run of a link, from [initial weights](RunView::initial), with these curves, seen as `shown` is.
fn portrait(shown: &RunView, link: Link, initial: &[String; 2], step: u64, rows: Vec<Row>) -> RunView {
    let initial = initial.clone();
    let mut run = RunView { link, initial, step, labs: shown.labs, ..RunView::default() };
    rows.into_iter().for_each(|row| run.history.push(row));
    if run.spec().task.info().slug == shown.spec().task.info().slug {
        run.state.clone_from(&shown.state);
    }
    run.link.view.clone_from(&shown.link.view);
    run
}

impl Library {
    /// The colour of a run, or another one if a compared run has that.
    fn free_tint(&self, id: &str) -> usize {
        let own = self.find(id).map_or(0, |kept| kept.colour) % MOST;
        let all = (0..MOST).map(|next| (own + next) % MOST);
        let mut free = all.filter(|tint| self.compared().all(|compared| compared.tint != *tint));
        free.next().unwrap_or(own)
    }

    fn compare(&mut self, id: String, run: RunView) {
        self.recalled.retain(|recalled| *recalled != id);
        let tint = self.free_tint(&id);
        self.compared.push(ComparedRun { id, run, tint, deleted: false });
        self.drawings += 1;
    }

    /// Compares only those runs that `stays` says.
    fn stop(&mut self, stays: impl Fn(&ComparedRun) -> bool) {
        let all = std::mem::take(&mut self.compared);
        let (stay, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(|run| run.deleted || stays(run));
        self.compared = stay;
        self.aside.retain(|old| gone.iter().all(|run| run.id != old.id));
        self.aside.extend(gone);
        self.aside.drain(..self.aside.len().saturating_sub(MOST_ASIDE));
        if self.compared().next().is_none() {
            self.kept_run = None;
        }
        self.drawings += 1;
    }
}

impl State {
    /// What the compared runs are found by, with those that are being read.
    pub fn compared_ids(&self) -> Vec<String> {
        let drawn = self.library.compared().map(|compared| &compared.id);
        drawn.chain(&self.library.recalled).cloned().collect()
    }

    /// Whether no other run can be compared; then it is said.
    fn is_full(&mut self) -> bool {
        let is_full = self.library.compared().count() >= MOST;
        if is_full {
            self.message = tr!(
                "{most} kept runs are compared already, and the page has no colour for one more run. Remove one run from the comparison first.",
                most = MOST
            );
        }
        is_full
    }

    /// Keeps the run of the page, and draws its curves with those of the runs that come.
    pub fn keep_and_compare(&mut self, effects: &mut Vec<Effect>) {
        let run = self.whole();
        if run.sweep.is_some() {
            self.message =
                tr!("A sweep has many runs. Open one cell of the sweep as a run, then compare that run.")
                    .into();
            return;
        }
        if run.step == 0 || run.history.last().is_none() {
            self.message = tr!("This run has no curve yet. Train first, then compare.").into();
            return;
        }
        let (step, id) = (run.step, id_of(run.spec()));
        let known = self.library.compared().filter(|compared| is_part(&compared.run, run.spec()));
        let known = known.map(|compared| compared.run.step).max();
        if known.is_none() && self.is_full() {
            return;
        }
        self.keep(true, effects);
        if self.library.find(&id).is_none_or(|kept| kept.step < step) && self.end.is_none() {
            // What is kept of a run begins at its newest checkpoint, and there is none of this step.
            self.send(Command::Checkpoint, effects);
        }
        let before = self.compared_ids();
        // The same run further on takes the place of its beginning.
        if known.is_none_or(|known| known < step) {
            let spec = self.whole().spec().clone();
            self.library.stop(|compared| !is_part(&compared.run, &spec));
            let run = self.whole();
            let drawn = portrait(run, run.link.clone(), &run.initial, step, thinned(&run.history));
            self.library.compare(id, drawn);
        }
        self.library.kept_run = Some(self.run.runs);
        if known.is_none() {
            self.remember(UndoEntry::Compared(before));
        }
        self.message = tr!(
            "The curves of this run are kept up to step {step}. Change a setting and train: then the curves of both runs are drawn.",
            step = thousands(known.unwrap_or(0).max(step))
        );
    }

    /// Draws the curves of a kept run over those of the run under way, as soon as they are there, or no longer.
    pub fn toggle_compared(&mut self, id: String, effects: &mut Vec<Effect>) {
        let before = self.compared_ids();
        if self.library.is_drawn(&id) {
            let spec = self.run.spec();
            let is_same = self.library.compared().any(|of| of.id == id && is_part(&of.run, spec));
            if is_same {
                self.library.kept_run = None;
            }
            self.library.stop(|compared| compared.id != id);
        } else if self.library.find(&id).is_none() || self.is_full() {
            return;
        } else {
            self.compare_kept(id, effects);
        }
        self.remember(UndoEntry::Compared(before));
    }

    /// Draws the curves of kept runs no longer.
    pub fn stop_comparing(&mut self) {
        let before = self.compared_ids();
        self.library.recalled.clear();
        self.library.stop(|_| false);
        if !before.is_empty() {
            self.remember(UndoEntry::Compared(before));
            self.message =
                tr!("The compared runs are no longer drawn. They stay in the list of kept runs.").into();
        }
    }

    /// Draws the curves of these runs alone, as they were before the last change.
    pub fn compare_again(&mut self, ids: &[String], effects: &mut Vec<Effect>) {
        self.library.recalled.clear();
        self.library.kept_run = None;
        self.library.stop(|compared| ids.contains(&compared.id));
        self.message = match ids.len() {
            0 => tr!("After Undo, no kept run is compared.").into(),
            many => tr!("Compared again after Undo: {runs}.", runs = count(many, "kept run")),
        };
        self.recall_compared(ids.to_vec(), effects);
    }

    /// Draws the curves of these runs too, as far as they are kept; once it is known what is kept.
    pub fn recall_compared(&mut self, ids: Vec<String>, effects: &mut Vec<Effect>) {
        let before_anything = self.library.storage == Storage::Unknown;
        for id in ids {
            if self.library.is_drawn(&id) || self.library.compared().count() >= MOST {
                continue;
            }
            let is_here = self.library.aside.iter().any(|old| old.id == id);
            if before_anything && !is_here {
                self.library.recalled.push(id);
            } else {
                self.compare_kept(id, effects);
            }
        }
    }

    /// Draws the curves of a kept run, as soon as they are there.
    fn compare_kept(&mut self, id: String, effects: &mut Vec<Effect>) {
        let step = self.library.find(&id).map(|kept| kept.step);
        let old = self.library.aside.iter().position(|old| old.id == id);
        // What was trained on since is better.
        if let Some(old) = old.filter(|at| step.is_none_or(|step| step <= self.library.aside[*at].run.step)) {
            let ComparedRun { id, mut run, .. } = self.library.aside.remove(old);
            run.link.view.clone_from(&self.run.link.view);
            return self.library.compare(id, run);
        }
        let Some(kept) = self.library.find(&id) else { return };
        match kept.rows.is_empty() && self.library.is_stored(&id) {
            true => {
                if !self.library.recalled.contains(&id) {
                    self.library.recalled.push(id.clone());
                }
                effects.push(Effect::Library(LibraryCommand::ReadCurves(id)));
            }
            false => {
                let rows = kept.rows.clone();
                self.draw_over(id, rows);
            }
        }
    }

    /// Draws these curves of a kept run over those of the run under way.
    pub fn draw_over(&mut self, id: String, rows: Vec<Row>) {
        self.library.recalled.retain(|recalled| *recalled != id);
        let Some(kept) = self.library.find(&id).filter(|_| !self.library.is_drawn(&id)) else { return };
        if rows.is_empty() {
            self.message = tr!(
                "The curves of “{name}” are no longer stored. Open the run to train the run again; training gives the same numbers.",
                name = kept.name
            );
            return;
        }
        let (link, step) = (link(&kept.link).unwrap_or_default(), kept.step);
        // Curves reach a little further than the weights that one can go on from.
        let step = rows.last().map_or(step, |row| step.max(row.step));
        let drawn = portrait(&self.run, link, &kept.initial, step, rows);
        if !self.is_full() {
            self.library.compare(id, drawn);
        }
    }

    /// Lets the curve of a compared run grow with the run of the page, if it is the same run.
    pub fn grow_compared(&mut self) {
        let run = self.whole();
        let grows = |of: &ComparedRun| of.run.step < run.step && is_part(&of.run, run.spec());
        // Where the rate was changed on the way, the run of before stays as it was.
        let goes_on = |of: &ComparedRun| of.run.spec().run.schedule == run.spec().run.schedule;
        let found = self.library.compared.iter().position(|of| grows(of) && goes_on(of));
        let Some(at) = found.filter(|_| run.sweep.is_none()) else { return };
        let id = id_of(run.spec());
        let drawn = portrait(run, run.link.clone(), &run.initial, run.step, thinned(&run.history));
        let of = &mut self.library.compared[at];
        (of.id, of.run) = (id, drawn);
    }
}
