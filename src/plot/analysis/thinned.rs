//! Measurements over the steps of a run of any length in bounded memory.

/// Measurements (step, value) of a run in bounded memory: whenever `capacity` is reached, every second one is dropped
/// and the sampling interval doubles.
#[derive(Debug, Clone, PartialEq)]
pub struct ThinnedHistory<T> {
    /// Stored measurements as pairs (training step, value), ascending by step.
    entries: Vec<(u64, T)>,
    /// The latest measurement as (step, value), whether it is stored in `entries` or not; `None` before the first.
    latest: Option<(u64, T)>,
    /// Number of measurements from one stored measurement to the next; a power of two.
    stride: u64,
    /// Number of measurements that were added so far, including those that are no longer stored.
    push_count: u64,
    /// Number of stored measurements at which every second one is dropped.
    capacity: usize,
}

impl<T: Clone> ThinnedHistory<T> {
    /// An empty history that stores fewer than `capacity` measurements, plus the latest.
    pub fn new(capacity: usize) -> Self {
        ThinnedHistory { entries: vec![], latest: None, stride: 1, push_count: 0, capacity: capacity.max(2) }
    }

    /// Adds a measurement. If its step is not after the latest one, the run was resumed from a checkpoint:
    /// measurements from that step on are discarded.
    pub fn push(&mut self, step: u64, value: T) {
        if self.latest.as_ref().is_some_and(|(last, _)| *last >= step) {
            self.entries.retain(|(old, _)| *old < step);
        }
        // The first is always kept: weights at the start are what movement is measured from.
        if self.push_count.is_multiple_of(self.stride) || self.entries.is_empty() {
            self.entries.push((step, value.clone()));
        }
        self.push_count += 1;
        self.latest = Some((step, value));
        if self.entries.len() >= self.capacity {
            let mut at = 0;
            self.entries.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The stored measurements with their steps, ascending, always including the latest.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let last = self.entries.last().map(|(step, _)| *step);
        let newest = self.latest.iter().filter(move |(step, _)| last.is_none_or(|last| last < *step));
        self.entries.iter().chain(newest).map(|(step, value)| (*step, value))
    }

    /// The latest measurement with its step; `None` before the first.
    pub fn latest(&self) -> Option<(u64, &T)> {
        self.latest.as_ref().map(|(step, value)| (*step, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(of: &ThinnedHistory<u64>) -> Vec<u64> {
        assert!(of.iter().all(|(step, value)| step == *value));
        of.iter().map(|(step, _)| step).collect()
    }

    #[test]
    fn memory_is_bounded_and_the_ends_are_kept() {
        let mut thinned = ThinnedHistory::new(64);
        for step in 0..100_000 {
            thinned.push(step, step);
            assert!(thinned.entries.len() < 64);
        }
        let steps = steps(&thinned);
        assert!(steps.len() > 16, "{steps:?}");
        assert_eq!((steps[0], *steps.last().unwrap()), (0, 99_999));
        assert!(steps.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn taking_up_an_earlier_checkpoint_forgets_what_came_after() {
        let mut thinned = ThinnedHistory::new(64);
        for step in [0, 10, 20, 30, 20, 25] {
            thinned.push(step, step);
        }
        assert_eq!(steps(&thinned), [0, 10, 20, 25]);
        assert_eq!(thinned.latest(), Some((25, &25)));
        thinned.push(0, 0);
        assert_eq!(steps(&thinned), [0]);
    }
}
