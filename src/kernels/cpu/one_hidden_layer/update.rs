//! Update rules on rows, operation for operation as [`vivarium_model::optim`] has them on tensors.

use super::Row;
use crate::cpu::muon::MuonStep;
use vivarium_model::optim::adam::WeightDecayKind;
use vivarium_model::optim::{Adam, Optimizer, UpdateRule};

/// An optimizer's numbers at one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Update {
    /// v ← μv + (∇ + λw), w ← w − ηv.
    Sgd {
        /// η.
        rate: f32,
        /// λ.
        decay: f32,
        /// μ.
        momentum: f32,
        /// Whether the weights move by g + μv instead of v, where g is ∇ + λw.
        nesterov: bool,
    },
    /// Adam and AdamW.
    Adam(AdamStep),
    /// Lion.
    Lion {
        /// η.
        rate: f32,
        /// β₁ and 1 − β₁.
        mixed: [f32; 2],
        /// β₂ and 1 − β₂.
        mean: [f32; 2],
        /// 1 − ηλ.
        keep: f32,
    },
    /// Muon on matrices, and Adam on vectors: [`Update::apply`] is its update of vectors.
    Muon(MuonStep, AdamStep),
}

/// The numbers of Adam or AdamW at one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// η / (1 − β₁ᵗ).
    rate: f32,
    /// 1 − β₂ᵗ.
    unbias: f32,
    /// β₁ and 1 − β₁.
    mean: [f32; 2],
    /// β₂ and 1 − β₂.
    square: [f32; 2],
    /// ε.
    epsilon: f32,
    /// λ where it is coupled, or else 0.
    coupled: f32,
    /// 1 − ηλ where the decay is decoupled, or else 1.
    keep: f32,
}

impl AdamStep {
    fn new(adam: &Adam, step: u64, lr: f64) -> Self {
        let [rate, unbias, keep, _] = adam.scalars(step, lr);
        AdamStep {
            rate,
            unbias,
            mean: split(adam.beta1),
            square: split(adam.beta2),
            epsilon: adam.epsilon as f32,
            coupled: if adam.kind == WeightDecayKind::Coupled { adam.decay as f32 } else { 0.0 },
            keep,
        }
    }
}

/// A factor β and 1 − β.
fn split(beta: f64) -> [f32; 2] {
    [beta as f32, (1.0 - beta) as f32]
}

/// The sign of a number: 0 of 0, and no number of what is none.
#[inline(always)]
fn sign(x: f32) -> f32 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

impl Update {
    /// The numbers of `optimizer` at `step`, counted from 0, and learning rate `lr`.
    pub fn new(optimizer: &Optimizer, step: u64, lr: f64) -> Self {
        let [rate, _, keep, _] = optimizer.scalars(step, lr);
        match optimizer {
            Optimizer::Sgd(sgd) => {
                let (decay, momentum) = (sgd.decay as f32, sgd.momentum as f32);
                Update::Sgd { rate, decay, momentum, nesterov: sgd.is_nesterov() }
            }
            Optimizer::Lion(lion) => {
                Update::Lion { rate, mixed: split(lion.beta1), mean: split(lion.beta2), keep }
            }
            Optimizer::Muon(muon) => {
                let (adam, rate) = muon.vector_optimizer(lr);
                Update::Muon(MuonStep::new(muon, lr), AdamStep::new(&adam, step, rate))
            }
            Optimizer::Adam(adam) => Update::Adam(AdamStep::new(adam, step, lr)),
        }
    }

    /// The same without weight decay.
    pub(crate) fn undecayed(&self) -> Update {
        let mut free = *self;
        match &mut free {
            Update::Sgd { decay, .. } => *decay = 0.0,
            Update::Adam(adam) => (adam.coupled, adam.keep) = (0.0, 1.0),
            Update::Lion { keep, .. } => *keep = 1.0,
            Update::Muon(muon, adam) => (muon.keep, adam.coupled, adam.keep) = (1.0, 0.0, 1.0),
        }
        free
    }

    /// Moves `w` against the gradient `g`; `m` and `v` are the moments, of which SGD has one or none.
    #[inline(always)]
    pub fn apply(&self, w: &mut [Row], g: &[Row], m: &mut [Row], v: &mut [Row]) {
        match *self {
            Update::Sgd { rate, decay, momentum: 0.0, .. } => {
                for (w, g) in w.iter_mut().zip(g) {
                    *w = w.zip(*g, |w, g| w - (g + w * decay) * rate);
                }
            }
            Update::Sgd { rate, decay, momentum, nesterov: true } => {
                for ((w, g), m) in w.iter_mut().zip(g).zip(m) {
                    let update = w.zip(*g, |w, g| g + w * decay);
                    *m = m.zip(update, |m, update| m * momentum + update);
                    let ahead = m.zip(update, |m, update| update + m * momentum);
                    *w = *w - ahead * rate;
                }
            }
            Update::Sgd { rate, decay, momentum, nesterov: false } => {
                for ((w, g), m) in w.iter_mut().zip(g).zip(m) {
                    let update = w.zip(*g, |w, g| g + w * decay);
                    *m = m.zip(update, |m, update| m * momentum + update);
                    *w = *w - *m * rate;
                }
            }
            Update::Adam(adam) | Update::Muon(_, adam) => {
                let AdamStep { rate, unbias, mean, square, epsilon, coupled, keep } = adam;
                for (((w, g), m), v) in w.iter_mut().zip(g).zip(m).zip(v) {
                    let g = g.zip(*w, |g, w| g + w * coupled);
                    *m = m.zip(g, |m, g| m * mean[0] + g * mean[1]);
                    *v = v.zip(g, |v, g| v * square[0] + g * g * square[1]);
                    let update = m.zip(*v, |m, v| m * rate / ((v / unbias).sqrt() + epsilon));
                    *w = *w * keep - update;
                }
            }
            Update::Lion { rate, mixed, mean, keep } => {
                for ((w, g), m) in w.iter_mut().zip(g).zip(m) {
                    let push = m.zip(*g, |m, g| sign(m * mixed[0] + g * mixed[1]));
                    *m = m.zip(*g, |m, g| m * mean[0] + g * mean[1]);
                    *w = *w * keep - push * rate;
                }
            }
        }
    }
}
