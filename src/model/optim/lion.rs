//! Lion (Chen et al. 2023, algorithm 2), which keeps one moment and moves every weight by the same distance:
//!
//! ```text
//! c = β₁ m + (1 − β₁) g      m ← β₂ m + (1 − β₂) g
//! w ← (1 − ηλ) w − η sign(c)
//! ```
//!
//! The sign of 0 is 0. The paper prints w − η (sign(c) + λw), which is the same.

use super::schedule::LearningRateSchedule;
use super::{UpdateConstants, UpdateRule};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::Range;
use vivarium_core::sources::CHEN_2023;

settings! {
    /// Settings of Lion.
    pub struct Lion {
        /// Step size η, by which each weight moves at every step; you can change it during the run.
        lr: f64 = 0.0001, "lr", "Learning rate η", Range::Real(0.0, 10.0);
        /// Share β₁ of the running mean of the gradient in the update; the current gradient has the share 1 − β₁.
        beta1: f64 = 0.9, "b1", "β₁", Range::Real(0.0, 0.9999);
        /// Decay factor β₂ of the running mean of the gradient.
        beta2: f64 = 0.99, "b2", "β₂", Range::Real(0.0, 0.99999);
        /// Strength λ of the decoupled weight decay: every step also multiplies each weight by 1 − ηλ.
        decay: f64 = 0.0, "wd", "Weight decay λ", Range::Real(0.0, 10.0);
        with schedule: LearningRateSchedule;
    }
}

impl Lion {
    /// Slug, name, summary and sources of this optimizer.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "lion",
        name: "Lion",
        about: "In each step, every weight goes up or down by the same amount. The direction is opposite to the sign of a weighted mean of the current and the previous gradients.",
        sources: &[CHEN_2023],
    };
}

impl UpdateRule for Lion {
    usual_settings!();

    fn moment_count(&self) -> usize {
        1
    }

    /// No coupled decay; β₁, 1 − β₁, β₂, 1 − β₂; no ε.
    fn constants(&self) -> UpdateConstants {
        [0.0, self.beta1, 1.0 - self.beta1, self.beta2, 1.0 - self.beta2, 0.0]
    }

    /// Learning rate η, 1, factor 1 − ηλ of the decoupled weight decay, and an unused 0.
    fn scalars(&self, _step: u64, lr: f64) -> [f32; 4] {
        [lr as f32, 1.0, (1.0 - lr * self.decay) as f32, 0.0]
    }
}

impl ToPyTorch for Lion {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/lion.py")]))
    }
}
