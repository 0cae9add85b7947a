//! What has happened along the run: marks on the steps of every chart.

use super::milestones::Milestones;
use super::view::{Phase, RunView};
use super::words::thousands;
use vivarium_core::sorting;
use vivarium_model::protocol::Row;

impl RunView {
    /// Notes what a measurement tells.
    pub fn note(&mut self, row: &Row) {
        let has_sample = self.spec().task.examples().sample_size().is_some();
        let nearest = self.state.as_ref().and_then(|state| state.nearest(row));
        self.milestones.hear(row, has_sample, nearest);
    }

    /// Looks at all measurements once more: now more is known of the run.
    pub(super) fn note_again(&mut self) {
        let rows: Vec<Row> = self.history.rows().cloned().collect();
        self.milestones = Milestones::default();
        rows.iter().for_each(|row| self.note(row));
    }

    /// Another number when something has happened.
    pub fn events_count(&self) -> usize {
        self.milestones.count() + 2 * usize::from(matches!(self.phase, Phase::Diverged { .. }))
    }

    /// What has happened, with its steps.
    pub fn events(&self) -> Vec<(u64, String)> {
        let all = self.spec().run.replicas;
        let mut events: Vec<(u64, String)> = vec![];
        // What a network begins with has not happened.
        let followed = self.milestones.followed.iter().filter(|(_, step)| *step > 0);
        events.extend(
            followed.map(|(of, step)| (*step, tr!("network nearest to the {name} strategy", name = of))),
        );
        events.extend(self.milestones.memorised.map(|step| (step, tr!("training sample memorised").into())));
        let steps = || self.solved.iter().map(|(_, step)| *step);
        if let (Some(first), Some(last)) = (steps().min(), steps().max()) {
            let many = thousands(self.solved.len() as u64);
            match all {
                1 => events.push((first, tr!("target reached").into())),
                _ if first == last => events.push((first, tr!("target reached; networks: {many}", many))),
                _ => {
                    events.push((first, tr!("target first reached").into()));
                    events.push((
                        last,
                        tr!("target reached by {many} of {all} networks", many, all = thousands(all as u64)),
                    ));
                }
            }
        }
        match (&self.phase, self.milestones.lost) {
            (Phase::Diverged { step, .. }, _) => events.push((*step, tr!("loss not finite").into())),
            (_, Some((step, lost))) if all > 1 => {
                events.push((step, tr!("diverged networks: {lost}", lost = thousands(lost as u64))));
            }
            _ => {}
        }
        sorting::sort_by_key(&mut events, |(step, _)| *step);
        events
    }
}
