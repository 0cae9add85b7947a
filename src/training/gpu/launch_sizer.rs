//! How many steps a launch should make: as many as fit into a moment that nobody notices.

/// What one launch is to take, in milliseconds.
const LAUNCH_MS: f64 = 20.0;

/// How many steps a launch makes.
///
/// # Why
/// A launch without steps takes its time too, and in some browsers a reading back alone takes 100 ms: what is
/// held to `LAUNCH_MS` is the time beyond that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchSizer {
    /// Steps of the next launch; a whole number and more.
    pub steps: f64,
    overhead_ms: f64,
    launches: u32,
}

impl Default for LaunchSizer {
    fn default() -> Self {
        LaunchSizer { steps: 1.0, overhead_ms: f64::INFINITY, launches: 0 }
    }
}

impl LaunchSizer {
    /// A launch of `steps` steps took `ms` milliseconds.
    pub fn learn(&mut self, steps: u64, ms: f64) {
        self.launches += 1;
        // The first launches compile shaders.
        if self.launches <= 2 {
            return;
        }
        if steps <= 1 {
            self.overhead_ms = self.overhead_ms.min(ms);
        }
        let beyond = if self.overhead_ms.is_finite() { ms - self.overhead_ms } else { ms };
        let fits = steps as f64 * (LAUNCH_MS / beyond.max(0.01)).clamp(0.25, 4.0);
        // A segment that was cut short says only whether it took too long.
        if steps as f64 + 1.0 > self.steps || fits < self.steps {
            self.steps = fits.clamp(1.0, 1e5);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_grow_to_their_time_whatever_a_reading_back_takes() {
        for (overhead, each) in [(0.2, 0.01), (100.0, 0.05), (2.0, 30.0), (0.1, 1e-4)] {
            let mut sizer = LaunchSizer::default();
            for _ in 0..40 {
                let steps = sizer.steps as u64;
                sizer.learn(steps, overhead + each * steps as f64);
            }
            let compute = each * sizer.steps;
            let fits = (10.0..=40.0).contains(&compute) || sizer.steps == 1.0 || sizer.steps == 1e5;
            assert!(fits, "{overhead} + {each} per step: {} steps", sizer.steps);
        }
    }
}
