//! How many steps a loop on the processor makes before it looks at the clock.

use crate::session::learner::Segment;
use vivarium_model::platform::now_ms;

/// Milliseconds of training between two looks at the clock.
const LOOK_MS: f64 = 0.5;

/// How many steps a loop on the processor makes between two looks at the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliceSizer {
    steps: f64,
}

impl Default for SliceSizer {
    fn default() -> Self {
        SliceSizer { steps: 1.0 }
    }
}

impl SliceSizer {
    /// The step at which something is due next, or the segment's end.
    pub fn stop(segment: &Segment) -> u64 {
        let due = (segment.from + 1).next_multiple_of(segment.spec.run.every);
        due.min(segment.until).min(segment.last.max(segment.from + 1))
    }

    /// Trains from the segment's beginning to the next step at which something is due, or to its end or deadline, and
    /// returns how far it came; `train` makes the steps from one number to another.
    pub fn train(&mut self, segment: &Segment, mut train: impl FnMut(u64, u64)) -> u64 {
        let (mut step, stop) = (segment.from, Self::stop(segment));
        let mut now = now_ms();
        while step < stop {
            let most = stop.min(step + self.steps as u64);
            train(step, most);
            let (made, begin) = ((most - step) as f64, now);
            (step, now) = (most, now_ms());
            // A short stretch says nothing about long ones, unless it took too long; browsers round the time.
            let fits = self.steps * (LOOK_MS / (now - begin).max(0.01)).clamp(0.25, 2.0);
            if made >= self.steps.floor() || fits < self.steps {
                self.steps = fits.clamp(1.0, 10_000.0);
            }
            if now >= segment.deadline_ms {
                break;
            }
        }
        step
    }
}
