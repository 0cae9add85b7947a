//! Stochastic gradient descent with coupled weight decay:
//!
//! ```text
//! v ← μ v + (∇ + λ w)      w ← w − η v
//! ```
//!
//! # Why
//! The thesis prints the update as (1 − λ) w − η∇, but its "weight decay 0.01" is PyTorch's, which
//! shrinks by 1 − ηλ: with the printed rule nothing is learned. Biases decay too, as there.

use crate::catalog::Info;
use crate::settings;
use crate::settings::Range;
use crate::sources::EDELMAN_2024;

settings! {
    /// Stochastic gradient descent.
    pub struct Sgd {
        /// Step size η; you can change it during the run.
        lr: f64 = 0.1, "lr", "Learning rate η", Range::Real(0.0, 100.0);
        /// Coupled decay λ: every step also shrinks each weight by the factor 1 − ηλ.
        decay: f64 = 0.0, "wd", "Weight decay λ", Range::Real(0.0, 10.0);
        /// Share μ of the previous update that is added to the next update.
        momentum: f64 = 0.0, "mom", "Momentum μ", Range::Real(0.0, 0.999);
    }
}

impl Sgd {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "sgd",
        name: "SGD",
        about: "Plain stochastic gradient descent, with PyTorch's coupled weight decay and momentum.",
        sources: &[EDELMAN_2024],
    };
}
