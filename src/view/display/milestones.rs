//! Milestones of a run, recognised in its measurements.
//!
//! # Why
//! Each measurement is looked at once, when it comes: to look through all of them at every drawing would take longer
//! than the drawing, with thousands of replicas.

use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::replicas::without_diverged;

/// Threshold from 0 to 1: a fixed training set counts as memorised once the median training accuracy over the replicas
/// is at least this.
const MEMORISED_ACCURACY: f32 = 0.99;
/// Number of consecutive measurements nearest to a strategy (such as unigram prediction) after which the network counts
/// as following it.
const FOLLOWED_AFTER: u32 = 3;

/// Milestones of a run (memorisation, divergence, strategies followed), recognised one measurement at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Milestones {
    /// Training step of the latest measurement that was added to the milestones; `None` before the first.
    last_step: Option<u64>,
    /// Step of the first measurement by which the fixed training set was memorised; `None` before.
    pub(super) memorised: Option<u64>,
    /// Step of the first measurement by which a replica had diverged, and the largest number of
    /// replicas that had diverged by one measurement; `None` before.
    pub(super) diverged: Option<(u64, usize)>,
    /// Names of the strategies that the network followed, in order, each with the first step at which it was nearest.
    pub(super) strategies_followed: Vec<(String, u64)>,
    /// Learning stage (strategy) nearest to the latest measurement: name, first step, and number of consecutive
    /// measurements nearest to it.
    current_stage: Option<(String, u64, u32)>,
}

impl Milestones {
    /// Updates the milestones with the measurement `row`; `diverged` are the indices, from 0, of the replicas that have
    /// diverged by this measurement, `has_sample` says that the training set is fixed, `nearest` names the nearest
    /// strategy. A step that is not later than the last one first removes the milestones from that step on.
    pub(super) fn update(
        &mut self,
        row: &Measurement,
        diverged: &[usize],
        has_sample: bool,
        nearest: Option<String>,
    ) {
        let step = row.step;
        if self.last_step.is_some_and(|last| step <= last) {
            self.memorised = self.memorised.filter(|at| *at < step);
            self.diverged = self.diverged.filter(|(at, _)| *at < step);
            self.strategies_followed.retain(|(_, at)| *at < step);
            self.current_stage = None;
        }
        self.last_step = Some(step);
        let accuracy = || median_range(&without_diverged(&row.train_accuracy, diverged)).0;
        if has_sample && self.memorised.is_none() && accuracy() >= MEMORISED_ACCURACY {
            self.memorised = Some(step);
        }
        let lost = diverged.len();
        self.diverged = match self.diverged {
            None => (lost > 0).then_some((step, lost)),
            // Where all have diverged, the run has.
            Some((first, before)) if lost < row.test_loss.len() => Some((first, before.max(lost))),
            unchanged => unchanged,
        };
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

    /// Number of milestones reached so far: memorisation, divergence and each followed strategy count one each.
    pub(super) fn count(&self) -> usize {
        usize::from(self.memorised.is_some())
            + usize::from(self.diverged.is_some())
            + self.strategies_followed.len()
    }
}
