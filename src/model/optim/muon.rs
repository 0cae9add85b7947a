//! Muon (Jordan et al. 2024): Nesterov's momentum of a matrix, of which all singular values are made nearly 1:
//!
//! ```text
//! M ← μ M + G      U = G + μ M
//! X₀ = U / (‖U‖ + 10⁻⁷)      X ← aX + (b A + c A²) X with A = X Xᵀ, five times
//! W ← (1 − ηλ) W − η √max(1, outputs / inputs) X
//! ```
//!
//! a = 3.4445, b = −4.7750 and c = 2.0315 are the authors' numbers: they leave singular values between 0.7 and 1.2 rather
//! than at 1, and reach that in few steps. Where a matrix is taller than wide, its transpose is iterated. Our matrices are
//! `[inputs, outputs]`.
//!
//! A parameter with one row or one column is a vector, and is moved by Adam with decoupled decay, β₁ = 0.9, β₂ = 0.95 and
//! ε = 10⁻¹⁰, as the authors do it, at a rate of its own.
//!
//! # Why
//! The authors leave embeddings and the last layer to Adam as well. Here they are matrices like others, since most networks
//! of these labs have little else. The authors iterate in bfloat16 and we in single precision.

use super::adam::Adam;
use super::schedule::LearningRateSchedule;
use super::{UpdateConstants, UpdateRule};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::Range;
use vivarium_core::sources::JORDAN_2024;

/// Coefficients a, b and c of the quintic Newton–Schulz iteration X ← aX + bXXᵀX + cXXᵀXXᵀX, which makes an update
/// nearly orthogonal.
pub const NEWTON_SCHULZ_COEFFICIENTS: [f64; 3] = [3.4445, -4.7750, 2.0315];
/// Constant that Muon adds to the norm of a matrix before dividing the matrix by it.
pub const NORM_EPSILON: f64 = 1e-7;

settings! {
    /// Settings of Muon.
    pub struct Muon {
        /// Step size η of matrices; you can change it during the run.
        lr: f64 = 0.02, "lr", "Learning rate η", Range::Real(0.0, 10.0);
        /// Factor μ that multiplies the sum of the previous gradients before the new gradient is added.
        momentum: f64 = 0.95, "mom", "Momentum μ", Range::Real(0.0, 0.999);
        /// Strength λ of the decoupled weight decay: every step also multiplies each matrix by 1 − ηλ.
        decay: f64 = 0.0, "wd", "Weight decay λ", Range::Real(0.0, 10.0);
        /// Number of steps of the iteration that makes the singular values of each update nearly 1.
        iterations: usize = 5, "nssteps", "Newton–Schulz steps", Range::Int(1, 10);
        /// Learning rate of Adam for biases and other vectors, divided by η.
        vectors: f64 = 0.015, "vecrate", "Learning rate of vectors, divided by η", Range::Real(0.0, 100.0);
        with schedule: LearningRateSchedule;
    }
}

impl Muon {
    /// Slug, name, summary and sources of this optimizer.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "muon",
        name: "Muon",
        about: "Each update of a matrix is made nearly orthogonal. Adam updates biases and other vectors.",
        sources: &[JORDAN_2024],
    };

    /// Settings of Adam for biases and other vectors, and the learning rate of vectors if `lr` is the learning rate of
    /// matrices.
    pub fn vector_optimizer(&self, lr: f64) -> (Adam, f64) {
        let adam = Adam { beta1: 0.9, beta2: 0.95, epsilon: 1e-10, decay: self.decay, ..Adam::default() };
        (adam, lr * self.vectors)
    }

    /// Factor √max(1, columns / rows) by which Muon multiplies the update of a matrix `[rows, columns]`, that is,
    /// `[inputs, outputs]`.
    pub fn update_scale(rows: usize, columns: usize) -> f64 {
        libm::sqrt((columns as f64 / rows as f64).max(1.0))
    }
}

impl Muon {
    /// Number of floating-point operations that the update of a matrix takes, mostly products of matrices.
    pub fn update_flops(&self, rows: usize, columns: usize) -> f64 {
        let (short, long) = (rows.min(columns) as f64, rows.max(columns) as f64);
        if short < 2.0 { 0.0 } else { self.iterations as f64 * short * short * (4.0 * long + 2.0 * short) }
    }
}

impl UpdateRule for Muon {
    usual_settings!();

    /// Number of moment arrays per parameter: two, for Adam on vectors; for a matrix the second one stays zero.
    fn moment_count(&self) -> usize {
        2
    }

    fn is_entrywise(&self) -> bool {
        false
    }

    /// No coupled decay; momentum μ; 0; 0; 0; and the constant added to the norm of a matrix.
    fn constants(&self) -> UpdateConstants {
        [0.0, self.momentum, 0.0, 0.0, 0.0, NORM_EPSILON]
    }

    /// Learning rate η, 1, factor 1 − ηλ of the decoupled weight decay, and an unused 0.
    fn scalars(&self, _step: u64, lr: f64) -> [f32; 4] {
        [lr as f32, 1.0, (1.0 - lr * self.decay) as f32, 0.0]
    }
}

impl ToPyTorch for Muon {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/muon.py")]))
    }
}
