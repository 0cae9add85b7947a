//! Adam (Kingma and Ba 2015), with decoupled weight decay on request (AdamW, Loshchilov and Hutter 2019):
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g      v ← β₂ v + (1 − β₂) g²
//! w ← w − η m̂ / (√v̂ + ε),   m̂ = m / (1 − β₁^t),  v̂ = v / (1 − β₂^t)
//! ```
//!
//! Coupled decay adds λw to g; decoupled decay multiplies w by 1 − ηλ first.

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

settings! {
    /// Adam and AdamW.
    pub struct Adam {
        /// Step size η; it may be changed while the run goes on.
        lr: f64 = 0.001, "lr", "Learning rate η", Range::Real(0.0, 10.0);
        /// Memory β₁ of the mean gradient.
        beta1: f64 = 0.9, "b1", "β₁", Range::Real(0.0, 0.9999);
        /// Memory β₂ of the mean squared gradient.
        beta2: f64 = 0.999, "b2", "β₂", Range::Real(0.0, 0.99999);
        /// Small number ε that keeps the division finite.
        epsilon: f64 = 1e-8, "eps", "ε", Range::Real(1e-12, 0.1);
        /// Strength λ of the weight decay.
        decay: f64 = 0.0, "wd", "Weight decay λ", Range::Real(0.0, 10.0);
        /// Whether the decay is added to the gradient or applied to the weights directly.
        kind: Decay = Decay::Decoupled, "wdkind", "Kind of decay", Range::Choice(Decay::OPTIONS);
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
}
