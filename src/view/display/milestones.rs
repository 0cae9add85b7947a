//! What was noted in the measurements of a run.
//!
//! # Why
//! Each measurement is looked at once, when it comes: to look through all of them at every drawing would take longer
//! than the drawing, with thousands of replicas.

use vivarium_model::protocol::Row;
use vivarium_plot::analysis::curves::spread;

/// Accuracy on a finite sample from which it counts as memorised.
const MEMORISED: f32 = 0.99;
/// Measurements in a row after which a strategy counts as followed.
const LASTING: u32 = 3;

/// What was noted in measurements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Milestones {
    last: Option<u64>,
    pub(super) memorised: Option<u64>,
    pub(super) lost: Option<(u64, usize)>,
    pub(super) followed: Vec<(String, u64)>,
    /// What the network is nearest to now, of the stages that the lab knows, since when, and in how many measurements.
    nearest: Option<(String, u64, u32)>,
}

impl Milestones {
    /// Looks at a measurement. One that is not later than the last takes the place of what came after it.
    pub(super) fn hear(&mut self, row: &Row, has_sample: bool, nearest: Option<String>) {
        let step = row.step;
        if self.last.is_some_and(|last| step <= last) {
            self.memorised = self.memorised.filter(|at| *at < step);
            self.lost = self.lost.filter(|(at, _)| *at < step);
            self.followed.retain(|(_, at)| *at < step);
            self.nearest = None;
        }
        self.last = Some(step);
        if has_sample && self.memorised.is_none() && spread(&row.train_accuracy).0 >= MEMORISED {
            self.memorised = Some(step);
        }
        if self.lost.is_none() {
            let lost = row.test_loss.iter().filter(|loss| !loss.is_finite()).count();
            self.lost = (lost > 0).then_some((step, lost));
        }
        let Some(now) = nearest else { return };
        let (since, count) = match &self.nearest {
            Some((of, since, count)) if *of == now => (*since, *count),
            _ => (step, 0),
        };
        if count + 1 == LASTING && self.followed.last().is_none_or(|(before, _)| *before != now) {
            self.followed.push((now.clone(), since));
        }
        self.nearest = Some((now, since, count + 1));
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        usize::from(self.memorised.is_some()) + usize::from(self.lost.is_some()) + self.followed.len()
    }
}
