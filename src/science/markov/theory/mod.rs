//! The theory of the first gradient steps of the minimal model on chains of two symbols, exactly (Edelman 2024, section
//! 8.3.2 and appendix E.1).
//!
//! With the margin loss (equation 8.7), as long as no margin is reached, the population loss of `MinimalMarkov` is a
//! constant minus a bilinear form in W and v:
//!
//! ```text
//! J(W, v) = Σ_{m,l,d} T[m,l,d] W_ml v_d
//! T[m,l,d] = (1/t) E_{a,b} Σ_i (P_mi − ½) π_l (P^d)_li (S_N)_im
//! S_N = Σ_{q<N} (N − q) P^q,  N = t − d,  P = [[a, 1 − a], [1 − b, b]],  π its stationary distribution
//! ```
//!
//! Every step of gradient descent is then W ← W + η Σ_d T v_d and v ← v + η W·T, both at once. Distances d count from
//! 0; the thesis's v_j is v_d with d = j − 1.
//!
//! # The lemmas, and the exact values
//! * Lemma 8.4 (E.1), from W = c·11ᵀ and v = c: the first step makes W's diagonal B/A times as large as the rest, B/A
//!   being (ln 256 − 5)/12 over (7 − 10 ln 2)/6, or 3.98, in the limit, 4.46 at t = 100; and v falls with the distance. The
//!   second step lifts distance 1, if t is large enough (50 at η = 0.03).
//! * Corollary E.2, a = b: the rest of W does not move. The thesis has c + cη·∞ on the diagonal and a v that falls by
//!   (cη/2t)(t − j + 1). Both are artefacts of leading orders: the diagonal's gradient grows like t ln t, and v's is
//!   `(c/2t) Σ_{n≤N} Σ_{m≤n/2} 1/(2m + 1)`, of the other sign and nearly flat.
//! * Proposition 8.5 (E.3): one step from W = w·11ᵀ and v = c on all chains with η of order 1/t², then one on a = b near ½
//!   with η of order 1/t and a weight decay of 1 leave W nearly ∝ 1 and v at odd distances, of which the first leads by
//!   (2ε)². That holds if the first step changes W by more than w, so the number in front of 1/t² counts. The text beside
//!   it has the larger rate first; the proof has it second, and so has this. The proof decays W and v (E.53, E.54);
//!   proposition 8.5 and equation E.59 decay W alone, and then v keeps c, which hides the lead unless the steps are large.
//!
//! Printed equations with slips that the tests avoid: E.37 and E.38 (a factor and a sign), E.43 (the second term is
//! (8 ln 2 − 5)/6), E.57 (lacks the density 1/2ε).

pub mod explorer;
pub mod quadrature;
pub mod tensor;

pub use explorer::{Curriculum, TheoryResult, TheorySettings};
pub use tensor::{GradientTensor, TwoSymbolDistribution};

/// The weights W and v of the minimal model of in-context learning on sequences x of two symbols. Its score of the
/// symbol i after position p is `Σ_{q≤p} 1[x_q = i] Σ_{s≤q} v_{q−s} W[x_p, x_s]` (Edelman 2024, equation 8.8).
#[derive(Debug, Clone, PartialEq)]
pub struct MinimalModel {
    /// The matrix W, `[2, 2]`: the row is the current symbol x_p, and the column an earlier symbol x_s.
    pub w: [[f64; 2]; 2],
    /// The weight v_d of each distance d = q − s, from 0, `[length]`: from a position q, whose symbol is counted as
    /// a possible next symbol, back to the position s, whose symbol W compares with the current one.
    pub v: Vec<f64>,
}

impl MinimalModel {
    /// The model for contexts of `length` symbols where every entry of the matrix W is `kernel` and every entry of
    /// the distance weights v is `lags`. Lemma 8.4 of Edelman 2024 uses the same number c for both.
    pub fn with_equal_weights(kernel: f64, lags: f64, length: usize) -> Self {
        MinimalModel { w: [[kernel; 2]; 2], v: vec![lags; length] }
    }

    /// The model after one step of gradient descent of W and v at learning rate `rate`, on the chains of `tensor`.
    pub fn gradient_step(&self, tensor: &GradientTensor, rate: f64) -> Self {
        self.gradient_step_with_decay(tensor, rate, [0.0; 2])
    }

    /// The model after one step of gradient descent at learning rate `rate` on the chains of `tensor`, in which W
    /// and v also decay: W is multiplied by 1 − `of_w` and v by 1 − `of_v`. The gradients are those before the
    /// decay.
    pub fn gradient_step_with_decay(
        &self,
        tensor: &GradientTensor,
        rate: f64,
        [of_w, of_v]: [f64; 2],
    ) -> Self {
        let (kernel, lags) = (tensor.kernel_gradient(&self.v), tensor.lag_gradient(&self.w));
        let moved = |decay: f64, old: f64, by: f64| (1.0 - decay) * old + rate * by;
        MinimalModel {
            w: [0, 1].map(|m| [0, 1].map(|l| moved(of_w, self.w[m][l], kernel[m][l]))),
            v: self.v.iter().zip(&lags).map(|(old, by)| moved(of_v, *old, *by)).collect(),
        }
    }

    /// Mean of the two diagonal entries of the matrix W.
    pub fn diagonal_mean(&self) -> f64 {
        0.5 * (self.w[0][0] + self.w[1][1])
    }

    /// Mean of the two off-diagonal entries of the matrix W.
    pub fn off_diagonal_mean(&self) -> f64 {
        0.5 * (self.w[0][1] + self.w[1][0])
    }

    /// Mean diagonal entry of W divided by the mean off-diagonal entry; not finite if the latter is 0.
    pub fn diagonal_ratio(&self) -> f64 {
        self.diagonal_mean() / self.off_diagonal_mean()
    }

    /// The negative gradient of the loss with respect to v as a sum of two parts, each `[length]`: from the
    /// constant matrix whose entries are the off-diagonal mean of W, and from the diagonal mean minus the
    /// off-diagonal mean, on the diagonal (Edelman 2024, section E.1, equations E.33 and following). The sum is the
    /// whole gradient if W treats both symbols alike.
    pub fn lag_gradient_parts(&self, tensor: &GradientTensor) -> (Vec<f64>, Vec<f64>) {
        let (rest, bias) = (self.off_diagonal_mean(), self.diagonal_mean() - self.off_diagonal_mean());
        (tensor.lag_gradient(&[[rest; 2]; 2]), tensor.lag_gradient(&[[bias, 0.0], [0.0, bias]]))
    }

    /// The distance, from 0, with the largest weight in v; the first one of equals.
    pub fn largest_lag(&self) -> usize {
        let better = |best: usize, d: usize| if self.v[d] > self.v[best] { d } else { best };
        (0..self.v.len()).fold(0, better)
    }
}

#[cfg(test)]
mod tests;
