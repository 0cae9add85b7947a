//! Learning rate schedule: a factor on the base rate that depends on the step alone.
//!
//! ```text
//! warm-up      (t + 1) / w             for t < w
//! none         1
//! linear       (T − t) / (T − w)
//! cosine       (1 + cos(π (t − w) / (T − w))) / 2
//! drops        γ^⌊(t − w) / d⌋
//! ```
//!
//! t is the step, counted from 0, T the last step of the run, w the steps of the warm-up, d the steps between two drops. The
//! cosine is that of Loshchilov and Hutter 2017 (SGDR, arXiv:1608.03983) without restarts. Both linear decay and cosine end
//! at 0 and stay there.
//!
//! # Why
//! The factor multiplies the base rate at the step. So a change of the rate by the user, which the link records, sets
//! the base rate from that step on, and a run that continues from a checkpoint continues its schedule. The factor is
//! computed in double precision with libm, so that every device gets the same rates.

use vivarium_core::settings::Range;
use vivarium_core::{choices, settings};

choices! {
    /// Shape of the learning rate decay after the warm-up.
    pub enum RateDecay {
        /// No decay.
        None = "none", "None";
        /// Linear to 0 at the last step of the run.
        Linear = "linear", "Linear to 0";
        /// Half a period of a cosine to 0 at the last step of the run.
        Cosine = "cosine", "Cosine to 0";
        /// By a constant factor after every `drop` steps.
        Drops = "drops", "In sudden drops";
    }
}

settings! {
    /// Warm-up and decay of the learning rate.
    pub struct LearningRateSchedule {
        /// Number of steps during which the learning rate rises linearly to η; with 0, the learning rate starts at η.
        warm: u64 = 0, "warm", "Warm-up", Range::Int(0, 10_000_000), "steps";
        /// How the learning rate falls after the warm-up; with "Linear" and "Cosine" the rate is 0 at the last step.
        cool: RateDecay = RateDecay::None, "cool", "Decay of the learning rate", Range::Choice(RateDecay::OPTIONS);
        /// Number of training steps between two drops of the learning rate.
        drop: u64 = 1000, "drop", "Steps between drops", Range::Int(1, 10_000_000), "steps", only when "cool" = "drops";
        /// Factor γ by which each drop multiplies the learning rate.
        gamma: f64 = 0.1, "gamma", "Factor γ of each drop", Range::Real(0.0, 1.0), only when "cool" = "drops";
    }
}

impl LearningRateSchedule {
    /// Whether the learning rate changes during a run, by a warm-up or a decay.
    pub fn is_active(&self) -> bool {
        self.warm > 0 || self.cool != RateDecay::None
    }

    /// Factor on the learning rate in step `step` of a run of `steps` steps, from 0 to 1.
    pub fn factor(&self, step: u64, steps: u64) -> f64 {
        if step < self.warm {
            return (step + 1) as f64 / self.warm as f64;
        }
        let (made, all) = (step - self.warm, steps.saturating_sub(self.warm).max(1));
        match self.cool {
            RateDecay::None => 1.0,
            RateDecay::Linear => steps.saturating_sub(step) as f64 / all as f64,
            RateDecay::Cosine if step >= steps => 0.0,
            RateDecay::Cosine => 0.5 * (1.0 + libm::cos(std::f64::consts::PI * made as f64 / all as f64)),
            RateDecay::Drops => libm::pow(self.gamma, (made / self.drop.max(1)) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls_in_straight_lines() {
        let both = LearningRateSchedule { warm: 200, cool: RateDecay::Linear, ..Default::default() };
        let share = |step| both.factor(step, 1200);
        assert_eq!(
            [0, 99, 199, 200, 700, 1199, 1200, 5000].map(share),
            [1.0 / 200.0, 0.5, 1.0, 1.0, 0.5, 1.0 / 1000.0, 0.0, 0.0]
        );
        // Without both, and without either.
        let warm = LearningRateSchedule { warm: 4, ..Default::default() };
        assert_eq!([0, 1, 3, 4, 900].map(|step| warm.factor(step, 10)), [0.25, 0.5, 1.0, 1.0, 1.0]);
        let cool = LearningRateSchedule { cool: RateDecay::Linear, ..Default::default() };
        assert_eq!([0, 5, 9, 10].map(|step| cool.factor(step, 10)), [1.0, 0.5, 0.1, 0.0]);
        assert_eq!(LearningRateSchedule::default().factor(7, 10), 1.0);
    }

    /// `torch.optim.lr_scheduler.CosineAnnealingLR` with `T_max = 12` gives (1 + cos(πt/12)) / 2.
    #[test]
    fn a_cosine_is_flat_at_its_ends_and_half_in_the_middle() {
        let cosine = LearningRateSchedule { warm: 4, cool: RateDecay::Cosine, ..Default::default() };
        let found = [0, 3, 4, 8, 10, 12, 15, 16, 17].map(|step| cosine.factor(step, 16));
        let exact = [
            0.25,
            1.0,
            1.0,
            0.75,                    // cos 60° = 1/2
            0.5,                     // cos 90° = 0
            0.25,                    // cos 120° = −1/2
            0.017_037_086_855_465_9, // (1 − 0.9659258262890683) / 2
            0.0,
            0.0,
        ];
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() < 1e-15, "{found} {exact}");
        }
    }

    /// `torch.optim.lr_scheduler.StepLR(step_size=10, gamma=0.5)`, after a warm-up of 5 steps.
    #[test]
    fn drops_come_after_so_many_steps() {
        let drops = LearningRateSchedule { warm: 5, cool: RateDecay::Drops, drop: 10, gamma: 0.5 };
        let found = [0, 4, 5, 14, 15, 24, 25, 1005].map(|step| drops.factor(step, 30));
        let exact = [0.2, 1.0, 1.0, 1.0, 0.5, 0.5, 0.25, 0.5f64.powi(100)];
        assert_eq!(found, exact);
        // γ = 0 makes a step of the first rate last as long as `drop`, and nothing after it.
        let end = LearningRateSchedule { cool: RateDecay::Drops, drop: 3, gamma: 0.0, ..Default::default() };
        assert_eq!([0, 2, 3, 9].map(|step| end.factor(step, 30)), [1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn every_factor_lies_between_0_and_1_whatever_the_length_of_the_run() {
        for cool in RateDecay::ALL {
            let schedule = LearningRateSchedule { warm: 100, cool: *cool, ..Default::default() };
            for steps in [1, 50, 100, 101, 5000] {
                for step in [0, 49, 50, 99, 100, 101, 4999, u64::MAX] {
                    let share = schedule.factor(step, steps);
                    assert!((0.0..=1.0).contains(&share), "{cool:?}, {step} of {steps}: {share}");
                }
            }
        }
    }
}
