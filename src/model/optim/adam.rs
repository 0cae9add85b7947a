//! Adam (Kingma and Ba 2015), with decoupled weight decay on request (AdamW, Loshchilov and Hutter 2019):
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g      v ← β₂ v + (1 − β₂) g²
//! w ← w − η m̂ / (√v̂ + ε),   m̂ = m / (1 − β₁^t),  v̂ = v / (1 − β₂^t)
//! ```
//!
//! Coupled decay adds λw to g; decoupled decay multiplies w by 1 − ηλ first.
//!
//! On request g is the gradient of all parameters of a network, shortened to a largest norm (Pascanu, Mikolov and Bengio
//! 2013) as PyTorch's `clip_grad_norm_` does it: g · min(1, c / (‖g‖ + 10⁻⁶)).

use super::schedule::LearningRateSchedule;
use super::{UpdateConstants, UpdateRule};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::Range;
use vivarium_core::sources::{KINGMA_2015, LOSHCHILOV_2019};
use vivarium_core::{choices, settings};

choices! {
    /// Kind of the weight decay.
    pub enum WeightDecayKind {
        /// AdamW.
        Decoupled = "decoupled", "Decoupled (AdamW)";
        /// Adam with an L2 penalty.
        Coupled = "coupled", "Coupled (L2 penalty)";
    }
}

/// Constant that PyTorch adds to a gradient's norm before dividing the clipping limit by it.
pub const CLIP_EPSILON: f64 = 1e-6;

settings! {
    /// Settings of Adam and AdamW.
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
        kind: WeightDecayKind = WeightDecayKind::Decoupled, "wdkind", "Kind of weight decay", Range::Choice(WeightDecayKind::OPTIONS);
        with schedule: LearningRateSchedule;
        /// Largest norm of a network's gradient; a longer gradient is scaled down to this norm. 0 means no limit.
        clip: f64 = 0.0, "clip", "Largest gradient norm", Range::Real(0.0, 1000.0);
    }
}

impl Adam {
    /// Slug, name, summary and sources of this optimizer.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "adam",
        name: "Adam / AdamW",
        about: "Each step of a weight is proportional to the running mean of its gradient, divided by the square root of the running mean of the squared gradient. AdamW is Adam with decoupled weight decay.",
        sources: &[KINGMA_2015, LOSHCHILOV_2019],
    };
}

impl UpdateRule for Adam {
    usual_settings!();

    fn clip(&self) -> f64 {
        self.clip
    }

    fn moment_count(&self) -> usize {
        2
    }

    /// λ of a coupled (L2) weight decay, β₁, 1 − β₁, β₂, 1 − β₂ and ε.
    fn constants(&self) -> UpdateConstants {
        let coupled = if self.kind == WeightDecayKind::Coupled { self.decay } else { 0.0 };
        [coupled, self.beta1, 1.0 - self.beta1, self.beta2, 1.0 - self.beta2, self.epsilon]
    }

    /// Learning rate η divided by the first bias correction, second bias correction, factor 1 − ηλ of a decoupled
    /// weight decay, and an unused 0.
    fn scalars(&self, step: u64, lr: f64) -> [f32; 4] {
        // libm, so that the correction is the same number on every system.
        let unbias = |beta: f64| 1.0 - libm::pow(beta, (step + 1) as f64);
        let decoupled = if self.kind == WeightDecayKind::Decoupled { self.decay } else { 0.0 };
        [(lr / unbias(self.beta1)) as f32, unbias(self.beta2) as f32, (1.0 - lr * decoupled) as f32, 0.0]
    }
}

impl ToPyTorch for Adam {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/adam.py")]))
    }
}
