//! What a learner on the GPU can go back to: copies of its state, and the measurements of the last segment.

use vivarium_model::platform::now_ms;
use vivarium_model::protocol::Measurement;

/// Between two copies of the state, so that what has to be made again stays a moment's work.
const SAVE_MS: f64 = 1000.0;

/// Copies `S` of the state with their steps, and measurements.
pub(crate) struct RollbackBuffer<S> {
    /// The measurements of the last segment.
    pub recent: Vec<Measurement>,
    /// A state that is known to be good, and a later one that has not been measured yet.
    base: (u64, Option<S>),
    candidate: Option<(u64, S)>,
    saved_at: f64,
    remembered: u64,
}

impl<S> RollbackBuffer<S> {
    /// Nothing yet.
    pub fn new() -> Self {
        RollbackBuffer { recent: vec![], base: (0, None), candidate: None, saved_at: now_ms(), remembered: 0 }
    }

    /// From now on, this is the state at `step`, and nothing was before it.
    pub fn begin(&mut self, step: u64, state: S) {
        (self.base, self.candidate, self.remembered) = ((step, Some(state)), None, step);
        self.recent.clear();
    }

    /// The state that was begun with is that of `step`.
    pub fn stand(&mut self, step: u64) {
        (self.base.0, self.candidate, self.remembered) = (step, None, step);
    }

    /// Whether it is time to copy the state.
    pub fn wants_state(&self) -> bool {
        now_ms() - self.saved_at > SAVE_MS && self.candidate.is_none()
    }

    /// Keeps the state at `step`, which nobody has measured yet.
    pub fn save(&mut self, step: u64, state: S) {
        (self.candidate, self.saved_at) = (Some((step, state)), now_ms());
    }

    /// What was measured at `step`, if it is of the last segment.
    pub fn measured(&self, step: u64) -> Option<&Measurement> {
        self.recent.iter().find(|row| row.step == step)
    }

    /// All was well at `step`.
    pub fn remember(&mut self, step: u64) {
        self.remembered = step;
        if self.candidate.as_ref().is_some_and(|(from, _)| *from <= step)
            && let Some((from, state)) = self.candidate.take()
        {
            self.base = (from, Some(state));
        }
    }

    /// The newest good state with its step, and the step up to which all was well; what came after is forgotten.
    pub fn go_back(&mut self) -> (Option<&S>, u64, u64) {
        self.candidate = None;
        self.recent.clear();
        (self.base.1.as_ref(), self.base.0, self.remembered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_counts_once_all_was_well_after_it() {
        let mut rollback = RollbackBuffer::new();
        rollback.begin(10, 1);
        rollback.recent.push(Measurement { step: 10, ..Default::default() });
        assert!(rollback.measured(10).is_some() && rollback.measured(11).is_none());
        rollback.save(20, 2);
        assert!(!rollback.wants_state(), "one at a time");
        rollback.remember(15);
        rollback.save(20, 2);
        assert_eq!(rollback.go_back(), (Some(&1), 10, 15));
        assert!(rollback.measured(10).is_none());
        rollback.save(20, 2);
        rollback.remember(25);
        assert_eq!(rollback.go_back(), (Some(&2), 20, 25));
        rollback.stand(40);
        assert_eq!(rollback.go_back(), (Some(&2), 40, 40));
    }
}
