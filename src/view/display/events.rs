//! Events along a run, shown as marks on the steps of every chart.

use super::milestones::Milestones;
use super::view::{RunPhase, RunView};
use super::words::format_thousands;
use vivarium_core::sorting;
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::replicas::diverged_replicas;

impl RunView {
    /// Updates the run's milestones (memorisation, divergence, strategies followed) with the new measurement `row`.
    pub fn update_milestones(&mut self, row: &Measurement) {
        let has_sample = self.spec().task.examples().training_set_size().is_some();
        let nearest = self.lab_state.as_ref().and_then(|state| state.nearest_stage(row));
        let diverged = diverged_replicas(row, self.spec().is_executed());
        self.milestones.update(row, &diverged, has_sample, nearest);
    }

    /// Recomputes the milestones from all measurements, after the lab's data, which name the learning stages, have
    /// become available.
    pub(super) fn recompute_milestones(&mut self) {
        let rows: Vec<Measurement> = self.history.rows().cloned().collect();
        self.milestones = Milestones::default();
        rows.iter().for_each(|row| self.update_milestones(row));
    }

    /// Stamp that changes whenever an event is added, so that charts are redrawn: number of milestones reached, plus 2
    /// if the run has diverged.
    pub fn event_stamp(&self) -> usize {
        self.milestones.count() + 2 * usize::from(matches!(self.phase, RunPhase::Diverged { .. }))
    }

    /// Events along the run, such as "training sample memorised", with their steps in increasing order.
    pub fn events(&self) -> Vec<(u64, String)> {
        let all = self.spec().run.replicas;
        let mut events: Vec<(u64, String)> = vec![];
        // The strategy at step 0 is not an event.
        let followed = self.milestones.strategies_followed.iter().filter(|(_, step)| *step > 0);
        events.extend(
            followed.map(|(of, step)| (*step, tr!("network nearest to the {name} strategy", name = of))),
        );
        events.extend(self.milestones.memorised.map(|step| (step, tr!("training sample memorised").into())));
        let steps = || self.solved.iter().map(|(_, step)| *step);
        if let (Some(first), Some(last)) = (steps().min(), steps().max()) {
            let many = format_thousands(self.solved.len() as u64);
            match all {
                1 => events.push((first, tr!("target reached").into())),
                _ if first == last => events.push((first, tr!("target reached; networks: {many}", many))),
                _ => {
                    events.push((first, tr!("target first reached").into()));
                    events.push((
                        last,
                        tr!(
                            "target reached by {many} of {all} networks",
                            many,
                            all = format_thousands(all as u64)
                        ),
                    ));
                }
            }
        }
        match (&self.phase, self.milestones.diverged) {
            (RunPhase::Diverged { step, .. }, _) => events.push((*step, tr!("loss not finite").into())),
            (_, Some((step, lost))) if all > 1 => {
                events.push((step, tr!("diverged networks: {lost}", lost = format_thousands(lost as u64))));
            }
            _ => {}
        }
        sorting::sort_by_key(&mut events, |(step, _)| *step);
        events
    }
}
