//! Checkpoints along a run, from which any of its steps can be reached again.

use std::sync::Arc;

/// Most bytes that are kept of one run.
///
/// # Why
/// A page beside others in a browser may take some tens of megabytes. Most networks here are a few hundred kilobytes
/// with their optimizer's memory, so that more than a hundred of them fit.
pub const MOST_BYTES: usize = 48 << 20;

/// Most checkpoints that are kept of one run.
const MOST: usize = 256;

/// Change of the accuracy since the last one after which a checkpoint is asked for besides those that come by the
/// clock.
const CHANGE: f32 = 0.1;

/// A run at one step.
#[derive(Debug, Clone)]
struct Kept {
    step: u64,
    bytes: Arc<Vec<u8>>,
    /// Accuracy at that step.
    level: f32,
}

/// Checkpoints of one run by their steps, denser where more changes.
#[derive(Debug, Clone, Default)]
pub struct Checkpoints {
    kept: Vec<Kept>,
    /// Accuracy at the last one, or when it was asked for.
    level: Option<f32>,
}

impl Checkpoints {
    /// Takes a checkpoint at an accuracy of `level`. Where there are too many then, the one goes that is missed the
    /// least.
    pub fn push(&mut self, step: u64, bytes: &[u8], level: f32) {
        let at = self.kept.partition_point(|kept| kept.step < step);
        if self.kept.get(at).is_some_and(|kept| kept.step == step) || bytes.len() > MOST_BYTES {
            return;
        }
        self.level = Some(level);
        self.kept.insert(at, Kept { step, bytes: Arc::new(bytes.to_vec()), level });
        while self.kept.len() > MOST || self.bytes() > MOST_BYTES {
            let least = (0..self.kept.len() - 1).min_by(|a, b| self.worth(*a).total_cmp(&self.worth(*b)));
            self.kept.remove(least.unwrap_or(0));
        }
    }

    /// What would be missed without the `at`th: the part of the run between its neighbours, which has to be trained
    /// again to get there, and how much changes on the way. The start needs no checkpoint.
    fn worth(&self, at: usize) -> f64 {
        let before = at.checked_sub(1).map(|at| &self.kept[at]);
        let (here, after) = (&self.kept[at], &self.kept[at + 1]);
        let last = self.kept.last().map_or(1, |kept| kept.step.max(1));
        let steps = after.step - before.map_or(0, |kept| kept.step);
        let change =
            (after.level - here.level).abs() + before.map_or(0.0, |kept| (here.level - kept.level).abs());
        steps as f64 / last as f64 + if change.is_finite() { f64::from(change) } else { 0.0 }
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.bytes.len()).sum()
    }

    /// The last checkpoint at `step` or before, with its own step.
    pub fn before(&self, step: u64) -> Option<(u64, &[u8])> {
        let at = self.kept.partition_point(|kept| kept.step <= step).checked_sub(1)?;
        Some((self.kept[at].step, &self.kept[at].bytes))
    }

    /// Forgets those after `step`: the run went on otherwise from there.
    pub fn forget_after(&mut self, step: u64) {
        self.kept.retain(|kept| kept.step <= step);
    }

    /// Whether so much has changed, now that the accuracy is `level`, that a checkpoint is worth asking for; it is
    /// said once.
    pub fn wants(&mut self, level: f32) -> bool {
        let much = self.level.map(|before| (level - before).abs() >= CHANGE);
        if much != Some(false) && level.is_finite() {
            self.level = Some(level);
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
            assert!(kept.bytes() <= MOST_BYTES);
        }
        let steps: Vec<u64> = kept.kept.iter().map(|kept| kept.step).collect();
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
        assert!(kept.before(7).is_none());
        for step in [30, 10, 20, 20] {
            kept.push(step, &[step as u8], 0.0);
        }
        assert_eq!(kept.before(9), None);
        assert_eq!(
            [10, 19, 20, 99].map(|at| kept.before(at).unwrap()),
            [(10, &[10][..]), (10, &[10][..]), (20, &[20][..]), (30, &[30][..])]
        );
        kept.forget_after(20);
        assert_eq!((kept.before(99).unwrap().0, kept.bytes()), (20, 2));
    }

    #[test]
    fn a_change_is_asked_for_once() {
        let mut kept = Checkpoints::default();
        kept.push(0, &[], 0.5);
        assert_eq!(
            [0.5, 0.55, 0.61, 0.65, 0.4].map(|level| kept.wants(level)),
            [false, false, true, false, true]
        );
        assert!(!kept.wants(f32::NAN));
        assert!(!Checkpoints::default().wants(0.5), "the start is known");
    }
}
