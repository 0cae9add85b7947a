//! Adam (Kingma and Ba 2015), with decoupled weight decay on request (AdamW, Loshchilov and Hutter 2019):
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g      v ← β₂ v + (1 − β₂) g²
//! w ← w − η m̂ / (√v̂ + ε),   m̂ = m / (1 − β₁^t),  v̂ = v / (1 − β₂^t)
//! ```
//!
//! Coupled decay adds λw to g; decoupled decay multiplies w by 1 − ηλ first.
//!
//! On request η rises linearly at the beginning and falls linearly to 0 at the end of the run, and g is the gradient of all
//! parameters of a network, shortened to a largest norm (Pascanu, Mikolov and Bengio 2013) as PyTorch's
//! `clip_grad_norm_` does it: g · min(1, c / (‖g‖ + 10⁻⁶)).

use crate::catalog::Info;
use crate::settings::Range;
use crate::sources::{KINGMA_2015, LOSHCHILOV_2019};
use crate::{choices, settings};

choices! {
    /// Where the weight decay enters.
    pub enum Decay {
        /// AdamW.
        Decoupled = "decoupled", "Decoupled (AdamW)";
        /// Adam with an L2 penalty.
        Coupled = "coupled", "Coupled (L2 penalty)";
    }
}

choices! {
    /// How the learning rate ends.
    pub enum Cooling {
        /// It stays.
        None = "none", "None";
        /// In a straight line from the end of the warm-up to 0 at the last step of the run.
        Linear = "linear", "Linear to 0";
    }
}

/// What PyTorch adds to the norm of a gradient before it divides by it.
pub const CLIP_EPSILON: f64 = 1e-6;

settings! {
    /// Adam and AdamW.
    pub struct Adam {
        /// Step size η; you can change it during the run.
        lr: f64 = 0.001, "lr", "Learning rate η", Range::Real(0.0, 10.0);
        /// Decay factor β₁ of the running mean of the gradient.
        beta1: f64 = 0.9, "b1", "β₁", Range::Real(0.0, 0.9999);
        /// Decay factor β₂ of the running mean of the squared gradient.
        beta2: f64 = 0.999, "b2", "β₂", Range::Real(0.0, 0.99999);
        /// Small number ε, added to the denominator of each update so that the update stays finite.
        epsilon: f64 = 1e-8, "eps", "ε", Range::Real(1e-12, 0.1);
        /// Strength λ of the weight decay.
        decay: f64 = 0.0, "wd", "Weight decay λ", Range::Real(0.0, 10.0);
        /// Whether the decay is added to the gradient or applied to the weights directly.
        kind: Decay = Decay::Decoupled, "wdkind", "Kind of decay", Range::Choice(Decay::OPTIONS);
        /// Steps during which the learning rate rises linearly to η; with 0, the learning rate starts at η.
        warm: u64 = 0, "warm", "Warm-up", Range::Int(0, 10_000_000), "steps";
        /// Whether the learning rate falls linearly to 0 at the last step of the run.
        cool: Cooling = Cooling::None, "cool", "Decay of the learning rate", Range::Choice(Cooling::OPTIONS);
        /// Largest norm of a network's gradient; a longer gradient is scaled down to this norm. 0 means no limit.
        clip: f64 = 0.0, "clip", "Largest gradient norm", Range::Real(0.0, 1000.0);
    }
}

impl Adam {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "adam",
        name: "Adam / AdamW",
        about: "Steps scaled by running means of the gradient and its square.",
        sources: &[KINGMA_2015, LOSHCHILOV_2019],
    };
}

impl Adam {
    /// As [`super::Optimizer::scalars`].
    pub fn scalars(&self, step: u64, lr: f64) -> [f32; 4] {
        // libm, so that the correction is the same number on every system.
        let unbias = |beta: f64| 1.0 - libm::pow(beta, (step + 1) as f64);
        let decoupled = if self.kind == Decay::Decoupled { self.decay } else { 0.0 };
        [(lr / unbias(self.beta1)) as f32, unbias(self.beta2) as f32, (1.0 - lr * decoupled) as f32, 0.0]
    }

    /// As [`super::Optimizer::rate_share`].
    pub fn rate_share(&self, step: u64, steps: u64) -> f64 {
        if step < self.warm {
            return (step + 1) as f64 / self.warm as f64;
        }
        match self.cool {
            Cooling::None => 1.0,
            Cooling::Linear => {
                steps.saturating_sub(step) as f64 / steps.saturating_sub(self.warm).max(1) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls_in_straight_lines() {
        let adam = Adam { warm: 200, cool: Cooling::Linear, ..Default::default() };
        let share = |step| adam.rate_share(step, 1200);
        assert_eq!(
            [0, 99, 199, 200, 700, 1199, 1200, 5000].map(share),
            [1.0 / 200.0, 0.5, 1.0, 1.0, 0.5, 1.0 / 1000.0, 0.0, 0.0]
        );
        // Without both, and without either.
        let warm = Adam { warm: 4, ..Default::default() };
        assert_eq!([0, 1, 3, 4, 900].map(|step| warm.rate_share(step, 10)), [0.25, 0.5, 1.0, 1.0, 1.0]);
        let cool = Adam { cool: Cooling::Linear, ..Default::default() };
        assert_eq!([0, 5, 9, 10].map(|step| cool.rate_share(step, 10)), [1.0, 0.5, 0.1, 0.0]);
        assert_eq!(Adam::default().rate_share(7, 10), 1.0);
    }

    #[test]
    fn a_warm_up_beyond_the_last_step_divides_by_nothing() {
        let adam = Adam { warm: 100, cool: Cooling::Linear, ..Default::default() };
        for step in [0, 49, 50, 99, 100, 101, u64::MAX] {
            let share = adam.rate_share(step, 50);
            assert!((0.0..=1.0).contains(&share), "{step}: {share}");
        }
    }
}
