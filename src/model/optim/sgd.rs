//! Stochastic gradient descent with coupled weight decay:
//!
//! ```text
//! g ← ∇ + λ w      v ← μ v + g      w ← w − η v
//! ```
//!
//! With Nesterov's momentum, in the form of Sutskever et al. 2013 that PyTorch has, the last step is w ← w − η (g + μ v).
//!
//! # Why
//! The thesis prints the update as (1 − λ) w − η∇, but its "weight decay 0.01" is PyTorch's, which
//! shrinks by 1 − ηλ: with the printed rule nothing is learned. Biases decay too, as there.

use super::schedule::LearningRateSchedule;
use super::{UpdateConstants, UpdateRule};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::Range;
use vivarium_core::sources::{EDELMAN_2024, SUTSKEVER_2013};
use vivarium_core::{choices, settings};

choices! {
    /// Kind of momentum.
    pub enum MomentumKind {
        /// The weights move by the velocity.
        Classical = "classical", "Classical";
        /// The weights move by the gradient and the velocity of the next step.
        Nesterov = "nesterov", "Nesterov";
    }
}

settings! {
    /// Settings of stochastic gradient descent.
    pub struct Sgd {
        /// Step size η; you can change it during the run.
        lr: f64 = 0.1, "lr", "Learning rate η", Range::Real(0.0, 100.0);
        /// Coupled decay λ: λ times a weight is added to its gradient; without momentum, this addition multiplies the weight by 1 − ηλ.
        decay: f64 = 0.0, "wd", "Weight decay λ", Range::Real(0.0, 10.0);
        /// Share μ of the previous update that is added to the next update.
        momentum: f64 = 0.0, "mom", "Momentum μ", Range::Real(0.0, 0.999);
        /// Nesterov's momentum adds μ times the new update to the gradient; with μ = 0, it is the same as classical momentum.
        kind: MomentumKind = MomentumKind::Classical, "momkind", "Kind of momentum", Range::Choice(MomentumKind::OPTIONS);
        with schedule: LearningRateSchedule;
    }
}

impl Sgd {
    /// Slug, name, summary and sources of this optimizer.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "sgd",
        name: "SGD",
        about: "Stochastic gradient descent, with coupled weight decay and momentum as in PyTorch.",
        sources: &[EDELMAN_2024, SUTSKEVER_2013],
    };

    /// Whether the step uses Nesterov momentum with a coefficient above 0.
    pub fn is_nesterov(&self) -> bool {
        self.momentum > 0.0 && self.kind == MomentumKind::Nesterov
    }
}

impl UpdateRule for Sgd {
    usual_settings!();

    /// One array for the momentum, or none without momentum.
    fn moment_count(&self) -> usize {
        usize::from(self.momentum > 0.0)
    }

    /// Coupled weight decay λ, momentum μ, and unused zeros.
    fn constants(&self) -> UpdateConstants {
        [self.decay, self.momentum, 0.0, 0.0, 0.0, 0.0]
    }

    /// Learning rate, two factors 1 without effect, and an unused 0.
    fn scalars(&self, _step: u64, lr: f64) -> [f32; 4] {
        [lr as f32, 1.0, 1.0, 0.0]
    }
}

impl ToPyTorch for Sgd {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(match self.is_nesterov() {
            true => ScriptPart::from_code(&[include_str!("pytorch/nesterov.py")]),
            false => ScriptPart::from_code(&[include_str!("pytorch/sgd.py")]),
        })
    }
}
