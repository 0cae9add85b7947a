//! Milestones of a run, recognised in its measurements.
//!
//! # Why
//! Each measurement is looked at once, when it comes: to look through all of them at every drawing would take longer
//! than the drawing, with thousands of replicas.

use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::curves::median_range;

/// Training accuracy from which a finite sample counts as memorised.
const MEMORISED_ACCURACY: f32 = 0.99;
/// Number of consecutive measurements after which a strategy counts as followed.
const FOLLOWED_AFTER: u32 = 3;

/// Milestones of a run, recognised one measurement at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Milestones {
    /// Step of the latest measurement.
    last_step: Option<u64>,
    /// Step at which the training sample was memorised.
    pub(super) memorised: Option<u64>,
    /// Step of the first non-finite loss, and number of replicas that diverged there.
    pub(super) diverged: Option<(u64, usize)>,
    /// Strategies that the network followed in turn, each with its first step.
    pub(super) strategies_followed: Vec<(String, u64)>,
    /// Current learning stage: name, first step, and number of consecutive measurements.
    current_stage: Option<(String, u64, u32)>,
}

impl Milestones {
    /// Updates the milestones with a measurement; one at an earlier step first removes the milestones after it.
    pub(super) fn update(&mut self, row: &Measurement, has_sample: bool, nearest: Option<String>) {
        let step = row.step;
        if self.last_step.is_some_and(|last| step <= last) {
            self.memorised = self.memorised.filter(|at| *at < step);
            self.diverged = self.diverged.filter(|(at, _)| *at < step);
            self.strategies_followed.retain(|(_, at)| *at < step);
            self.current_stage = None;
        }
        self.last_step = Some(step);
        if has_sample && self.memorised.is_none() && median_range(&row.train_accuracy).0 >= MEMORISED_ACCURACY
        {
            self.memorised = Some(step);
        }
        if self.diverged.is_none() {
            let lost = row.test_loss.iter().filter(|loss| !loss.is_finite()).count();
            self.diverged = (lost > 0).then_some((step, lost));
        }
        let Some(now) = nearest else { return };
        let (since, count) = match &self.current_stage {
            Some((of, since, count)) if *of == now => (*since, *count),
            _ => (step, 0),
        };
        if count + 1 == FOLLOWED_AFTER
            && self.strategies_followed.last().is_none_or(|(before, _)| *before != now)
        {
            self.strategies_followed.push((now.clone(), since));
        }
        self.current_stage = Some((now, since, count + 1));
    }

    /// Number of milestones reached.
    pub(super) fn count(&self) -> usize {
        usize::from(self.memorised.is_some())
            + usize::from(self.diverged.is_some())
            + self.strategies_followed.len()
    }
}
