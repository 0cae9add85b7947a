//! Checkpoints along a run, from which any of its steps can be reached again.

use std::sync::Arc;

/// Largest total size in bytes of the checkpoints of a run; beyond it checkpoints are removed, and a single larger one
/// is not kept.
///
/// # Why
/// A page beside others in a browser may take some tens of megabytes. Most networks here are a few hundred kilobytes
/// with their optimizer's memory, so that more than a hundred of them fit.
pub const MAX_BYTES: usize = 48 << 20;

/// Largest number of checkpoints of a run; beyond it the one with the smallest removal cost is removed.
const MAX_CHECKPOINTS: usize = 256;

/// Difference of accuracies, from 0 to 1: when the accuracy has changed by this much since the last checkpoint, another
/// one is requested.
const ACCURACY_CHANGE: f32 = 0.1;

/// Weights and optimizer state of the run at one step.
#[derive(Debug, Clone)]
struct Checkpoint {
    /// Number of training steps completed when the checkpoint was made.
    step: u64,
    /// Encoded weights and optimizer state of the run at this step.
    bytes: Arc<Vec<u8>>,
    /// Held-out accuracy of the run (median over replicas) at the checkpoint's step, from 0 to 1.
    accuracy: f32,
}

/// Checkpoints of a run in the order of their steps, denser where the accuracy changes.
#[derive(Debug, Clone, Default)]
pub struct Checkpoints {
    /// The run's checkpoints, in increasing order of their training steps.
    entries: Vec<Checkpoint>,
    /// Held-out accuracy, from 0 to 1, at the last checkpoint or at the last request of one; None before both.
    last_accuracy: Option<f32>,
}

impl Checkpoints {
    /// Adds the checkpoint `bytes` of training step `step`, at which the accuracy was `level` (from 0 to 1); beyond the
    /// limits on number and bytes, the checkpoint with the smallest removal cost is removed.
    pub fn push(&mut self, step: u64, bytes: &[u8], level: f32) {
        let at = self.entries.partition_point(|kept| kept.step < step);
        if self.entries.get(at).is_some_and(|kept| kept.step == step) || bytes.len() > MAX_BYTES {
            return;
        }
        self.last_accuracy = Some(level);
        self.entries.insert(at, Checkpoint { step, bytes: Arc::new(bytes.to_vec()), accuracy: level });
        while self.entries.len() > MAX_CHECKPOINTS || self.total_bytes() > MAX_BYTES {
            let least = (0..self.entries.len() - 1)
                .min_by(|a, b| self.removal_cost(*a).total_cmp(&self.removal_cost(*b)));
            self.entries.remove(least.unwrap_or(0));
        }
    }

    /// Returns the cost of removing the checkpoint with index `at`: the number of steps between its neighbours as a
    /// share of the run, plus the absolute changes of the held-out accuracy from and to its neighbours.
    fn removal_cost(&self, at: usize) -> f64 {
        let before = at.checked_sub(1).map(|at| &self.entries[at]);
        let (here, after) = (&self.entries[at], &self.entries[at + 1]);
        let last = self.entries.last().map_or(1, |kept| kept.step.max(1));
        let steps = after.step - before.map_or(0, |kept| kept.step);
        let change = (after.accuracy - here.accuracy).abs()
            + before.map_or(0.0, |kept| (here.accuracy - kept.accuracy).abs());
        steps as f64 / last as f64 + if change.is_finite() { f64::from(change) } else { 0.0 }
    }

    /// Returns the total size in bytes of the run's checkpoints.
    pub fn total_bytes(&self) -> usize {
        self.entries.iter().map(|kept| kept.bytes.len()).sum()
    }

    /// Returns (step, bytes) of the last checkpoint at or before `step`; None if there is none.
    pub fn latest_before(&self, step: u64) -> Option<(u64, &[u8])> {
        let at = self.entries.partition_point(|kept| kept.step <= step).checked_sub(1)?;
        Some((self.entries[at].step, &self.entries[at].bytes))
    }

    /// Removes all checkpoints but the last one at or before training step `step`.
    pub fn keep_latest_before(&mut self, step: u64) {
        self.remove_after(step);
        self.entries.drain(..self.entries.len().saturating_sub(1));
    }

    /// Removes the run's checkpoints after training step `step`.
    pub fn remove_after(&mut self, step: u64) {
        self.entries.retain(|kept| kept.step <= step);
    }

    /// Whether the held-out accuracy differs enough (`ACCURACY_CHANGE`) from that at the last checkpoint or request, so
    /// that a new checkpoint is to be requested; true only once for each change.
    pub fn should_request(&mut self, accuracy: f32) -> bool {
        let much = self.last_accuracy.map(|before| (accuracy - before).abs() >= ACCURACY_CHANGE);
        if much != Some(false) && accuracy.is_finite() {
            self.last_accuracy = Some(accuracy);
        }
        much == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_change_is_kept_densely() {
        let mut kept = Checkpoints::default();
        // A million steps, of which a hundredth in the middle makes all the difference.
        let level = |step: u64| ((step as f32 - 500_000.0) / 10_000.0).clamp(0.0, 1.0);
        for step in (0..=1_000_000).step_by(200) {
            kept.push(step, &vec![0; 300_000], level(step));
            assert!(kept.total_bytes() <= MAX_BYTES);
        }
        let steps: Vec<u64> = kept.entries.iter().map(|kept| kept.step).collect();
        assert!(steps.len() > 100 && steps.windows(2).all(|w| w[0] < w[1]), "{}", steps.len());
        assert_eq!(steps.last(), Some(&1_000_000));
        let within = |low, high| steps.iter().filter(|step| (low..high).contains(*step)).count();
        let (dense, sparse) = (within(500_000, 510_000), within(700_000, 710_000));
        assert!(dense > 10 * sparse.max(1), "{dense} in the change, {sparse} after it");
        let widest = steps.windows(2).map(|w| w[1] - w[0]).max().unwrap();
        assert!(widest < 60_000, "no step is far from a checkpoint: {widest}");
    }

    #[test]
    fn the_nearest_before_is_found_and_what_was_not_is_forgotten() {
        let mut kept = Checkpoints::default();
        assert!(kept.latest_before(7).is_none());
        for step in [30, 10, 20, 20] {
            kept.push(step, &[step as u8], 0.0);
        }
        assert_eq!(kept.latest_before(9), None);
        assert_eq!(
            [10, 19, 20, 99].map(|at| kept.latest_before(at).unwrap()),
            [(10, &[10][..]), (10, &[10][..]), (20, &[20][..]), (30, &[30][..])]
        );
        kept.remove_after(20);
        assert_eq!((kept.latest_before(99).unwrap().0, kept.total_bytes()), (20, 2));
        kept.keep_latest_before(19);
        assert_eq!((kept.latest_before(99).unwrap().0, kept.total_bytes()), (10, 1));
        kept.keep_latest_before(5);
        assert_eq!((kept.latest_before(99), kept.total_bytes()), (None, 0));
    }

    #[test]
    fn a_change_is_requested_once() {
        let mut kept = Checkpoints::default();
        kept.push(0, &[], 0.5);
        assert_eq!(
            [0.5, 0.55, 0.61, 0.65, 0.4].map(|level| kept.should_request(level)),
            [false, false, true, false, true]
        );
        assert!(!kept.should_request(f32::NAN));
        assert!(!Checkpoints::default().should_request(0.5), "the start is known");
    }
}
