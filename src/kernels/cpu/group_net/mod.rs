//! Networks on pairs of group elements, trained on one processor core without a tensor: the mean cross-entropy of a
//! batch of pairs and a norm penalty.
//!
//! ```text
//! f(a, b)[c] = Σ_i σ(u_i[a] + v_i[b]) w_i[c],   σ(z) = z² or max(z, 0),   a, b, c ∈ 0..d
//! loss = mean over the pairs of −ln softmax(f)[label] + λ Σ_i ‖ω_i‖₂^ν,   ω_i = (u_i, v_i, w_i)
//! p = softmax(f) − onehot(label)      ∂w_i[c] = Σ p[c] h_i      q_i = σ'(z_i) Σ_c p[c] w_i[c]
//! ∂u_i[a] = Σ_b q_i(a, b)      ∂v_i[b] = Σ_a q_i(a, b)      penalty: λν ‖ω_i‖^(ν−2) ω_i
//! ```
//!
//! The mathematics and the order of the parameters, u, v and w, each `[order, neurons]`, are those of `group_net`,
//! which runs on a GPU.
//!
//! # Why
//! Inputs are looked up, so what is left are three products of pairs × neurons × classes. A tile of pairs, whose
//! activations fit the second-level cache, goes through all of them before the next: outputs, slopes, and per tile
//! of neurons both products backward, the second with the sums into ∂u and ∂v behind it. So activations are
//! computed once and no product is stored but the outputs.
//!
//! Neurons lie in the lanes of [`Row`](super::one_hidden_layer::Row)s, [`LANES`](super::one_hidden_layer::LANES) to
//! a tile; only for the outputs are classes in the lanes, by a copy of w that is turned once per step. So nothing
//! is summed across lanes but a pair's softmax, and that in a fixed order.
//!
//! As in [`super::one_hidden_layer`], only operations occur that IEEE 754 fixes, nothing is contracted, and the
//! exponential is our own: a run has the same bits in every browser and on every processor, whatever its vectors.
//! Fused multiplication would cost that, and on a processor that adds and multiplies side by side it gained
//! nothing.
//!
//! # Speed
//! Steps on all pairs, d² of them, z², plain SGD, in GFLOP/s of the three products (6 d³ m in a step), on one core
//! of a shared two-core server, by the time that the core was had, 2026-11-21:
//!
//! ```text
//! d, m                       23, 200   24, 200   71, 500   113, 512
//! natively, AVX-512               90        96       146        148
//! natively, AVX2                  79        79       103        106
//! wasm with simd128, in V8        28        28        29         30
//! batches of 32, AVX-512          28        26        27         29
//! ```
//!
//! Burn's flex under autodiff makes 5 to 12. Natively 90 GFLOP/s are 6,200 steps/s of d = 23, m = 200. Small batches
//! are bound by the update, which touches every weight.
//!
//! In whole runs (`lab bench --groups --peers`, one of two quiet cores, 2026-11-21), steps/s with all pairs, beside
//! Burn's autodiff and PyTorch 1.13 eager with one thread on the same core: p = 23, m = 200: 3,880 (790, 810); ReLU
//! 4,320 (830, 1,860); p = 71, m = 500: 89 (10.5, 40); p = 113, m = 512: 23 (2.8, 15); S5, m = 2,000: 4.8 (–, 2.0);
//! S5 in batches of 1,000: 47 (16.5, 59), since the update touches every weight.

mod pairs;
mod products;
mod replica;
#[cfg(test)]
mod tests;

pub use pairs::Pairs;
pub use replica::{Part, Replica, Scratch};

pub use super::one_hidden_layer::Update;
pub use crate::plan::{Rule, Sigma};

/// What is known of a network before it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Elements d of the group: classes, and rows of each embedding.
    pub order: usize,
    /// Neurons m.
    pub neurons: usize,
    /// Non-linearity σ.
    pub sigma: Sigma,
    /// Exponent ν of the penalty, at least 2.
    pub nu: usize,
    /// Update rule.
    pub rule: Rule,
}

/// What measuring gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums {
    /// Cross-entropy, summed over the pairs; no number if an output has none.
    pub loss: f64,
    /// Pairs whose label has the largest output.
    pub right: usize,
    /// Least margin over the pairs, which is the label's output less the largest other one; no number if an
    /// output has none, and infinite where there is no pair.
    pub margin: f32,
    /// Σ‖ω‖^ν over the neurons, with which the margin is [normalised](vivarium_model::models::Penalty::normalised).
    pub norms: f64,
}

impl Sums {
    /// Of no pairs.
    const NONE: Sums = Sums { loss: 0.0, right: 0, margin: f32::INFINITY, norms: 0.0 };

    /// Adds one pair, whose loss is no number if it is broken.
    #[inline(always)]
    fn add(&mut self, loss: f32, margin: f32) {
        self.loss += f64::from(loss);
        self.right += usize::from(margin > 0.0 && !loss.is_nan());
        if loss.is_nan() {
            self.margin = f32::NAN;
        } else if margin < self.margin {
            self.margin = margin;
        }
    }
}
