//! The theory of the first gradient steps of the minimal model on chains of two symbols, exactly (Edelman 2024, section
//! 8.3.2 and appendix E.1).
//!
//! With the margin loss (equation 8.7) as long as no margin is reached, the population loss of
//! `MinimalMarkov` is a constant minus a bilinear form in W and v:
//!
//! ```text
//! J(W, v) = Σ_{m,l,d} T[m,l,d] W_ml v_d
//! T[m,l,d] = (1/t) E_{a,b} Σ_i (P_mi − ½) π_l (P^d)_li (S_N)_im
//! S_N = Σ_{q<N} (N − q) P^q,  N = t − d,  P = [[a, 1 − a], [1 − b, b]],  π its stationary law
//! ```
//!
//! Every step of gradient descent is then W ← W + η Σ_d T v_d and v ← v + η W·T at once. Distances d count from 0; the
//! thesis's v_j is that of d = j − 1.
//!
//! # What the lemmas say, and what is exact
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

pub use explorer::{Curriculum, Explorer, Outcome};
pub use tensor::{Law, Tensor};

/// The minimal model for two symbols.
#[derive(Debug, Clone, PartialEq)]
pub struct Theory {
    /// W, the row being the current symbol's.
    pub w: [[f64; 2]; 2],
    /// v, `[length]`, from distance 0.
    pub v: Vec<f64>,
}

impl Theory {
    /// Every entry of W is `kernel` and every entry of v `lags`. Lemma 8.4 has the same number c for both.
    pub fn constant(kernel: f64, lags: f64, length: usize) -> Self {
        Theory { w: [[kernel; 2]; 2], v: vec![lags; length] }
    }

    /// After a step of gradient descent on `tensor`'s chains, of W and v at once.
    pub fn step(&self, tensor: &Tensor, rate: f64) -> Self {
        self.decayed_step(tensor, rate, [0.0; 2])
    }

    /// The same with weight decay of W and of v: of the weights, 1 − `decay` is kept. The gradients are those before it.
    pub fn decayed_step(&self, tensor: &Tensor, rate: f64, [of_w, of_v]: [f64; 2]) -> Self {
        let (kernel, lags) = (tensor.of_kernel(&self.v), tensor.of_lags(&self.w));
        let moved = |decay: f64, old: f64, by: f64| (1.0 - decay) * old + rate * by;
        Theory {
            w: [0, 1].map(|m| [0, 1].map(|l| moved(of_w, self.w[m][l], kernel[m][l]))),
            v: self.v.iter().zip(&lags).map(|(old, by)| moved(of_v, *old, *by)).collect(),
        }
    }

    /// Mean of W's diagonal.
    pub fn diagonal(&self) -> f64 {
        0.5 * (self.w[0][0] + self.w[1][1])
    }

    /// Mean of the rest of W.
    pub fn rest(&self) -> f64 {
        0.5 * (self.w[0][1] + self.w[1][0])
    }

    /// The diagonal over the rest; not finite where there is no rest.
    pub fn ratio(&self) -> f64 {
        self.diagonal() / self.rest()
    }

    /// The two parts of minus the loss's gradient with respect to v, each `[length]`: of c'·11ᵀ, c' being the mean off the
    /// diagonal, and of what the diagonal has beyond it (section E.1, equations E.33 and following). Together they are
    /// all of it as long as W treats both symbols alike.
    pub fn parts(&self, tensor: &Tensor) -> (Vec<f64>, Vec<f64>) {
        let (rest, bias) = (self.rest(), self.diagonal() - self.rest());
        (tensor.of_lags(&[[rest; 2]; 2]), tensor.of_lags(&[[bias, 0.0], [0.0, bias]]))
    }

    /// The distance with the largest v; of equal ones the first.
    pub fn leader(&self) -> usize {
        let better = |best: usize, d: usize| if self.v[d] > self.v[best] { d } else { best };
        (0..self.v.len()).fold(0, better)
    }
}

#[cfg(test)]
mod tests;
