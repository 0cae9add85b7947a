//! Measurements over the steps of a run of any length in bounded memory.

/// What was measured at some of the steps, thinned evenly once there is much of it: whenever `capacity` is
/// reached every second measurement is dropped, and from then on only every second one is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinned<T> {
    kept: Vec<(u64, T)>,
    newest: Option<(u64, T)>,
    stride: u64,
    seen: u64,
    capacity: usize,
}

impl<T: Clone> Thinned<T> {
    /// Nothing measured yet; fewer than `capacity` measurements will be kept, besides the newest.
    pub fn new(capacity: usize) -> Self {
        Thinned { kept: vec![], newest: None, stride: 1, seen: 0, capacity: capacity.max(2) }
    }

    /// Adds a measurement. One of no later step than the newest means that the run was taken up from a
    /// checkpoint: what came after it is forgotten.
    pub fn push(&mut self, step: u64, value: T) {
        if self.newest.as_ref().is_some_and(|(last, _)| *last >= step) {
            self.kept.retain(|(old, _)| *old < step);
        }
        // The first is always kept: weights at the start are what movement is measured from.
        if self.seen.is_multiple_of(self.stride) || self.kept.is_empty() {
            self.kept.push((step, value.clone()));
        }
        self.seen += 1;
        self.newest = Some((step, value));
        if self.kept.len() >= self.capacity {
            let mut at = 0;
            self.kept.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The kept measurements with their steps, rising, the newest always among them.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let last = self.kept.last().map(|(step, _)| *step);
        let newest = self.newest.iter().filter(move |(step, _)| last.is_none_or(|last| last < *step));
        self.kept.iter().chain(newest).map(|(step, value)| (*step, value))
    }

    /// The newest measurement.
    pub fn newest(&self) -> Option<(u64, &T)> {
        self.newest.as_ref().map(|(step, value)| (*step, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(of: &Thinned<u64>) -> Vec<u64> {
        assert!(of.iter().all(|(step, value)| step == *value));
        of.iter().map(|(step, _)| step).collect()
    }

    #[test]
    fn memory_is_bounded_and_the_ends_are_kept() {
        let mut thinned = Thinned::new(64);
        for step in 0..100_000 {
            thinned.push(step, step);
            assert!(thinned.kept.len() < 64);
        }
        let steps = steps(&thinned);
        assert!(steps.len() > 16, "{steps:?}");
        assert_eq!((steps[0], *steps.last().unwrap()), (0, 99_999));
        assert!(steps.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn taking_up_an_earlier_checkpoint_forgets_what_came_after() {
        let mut thinned = Thinned::new(64);
        for step in [0, 10, 20, 30, 20, 25] {
            thinned.push(step, step);
        }
        assert_eq!(steps(&thinned), [0, 10, 20, 25]);
        assert_eq!(thinned.newest(), Some((25, &25)));
        thinned.push(0, 0);
        assert_eq!(steps(&thinned), [0]);
    }
}
