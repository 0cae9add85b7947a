//! Losses of a prediction ŷ against a label y in {−1, +1} (Edelman 2024, section 3.2 and appendix B.4.1):
//!
//! ```text
//! hinge          max(0, 1 − yŷ)
//! square         (y − ŷ)²
//! cross-entropy  ln(1 + exp(−yŷ))
//! correlation    −yŷ
//! ```
//!
//! The appendix prints the cross-entropy without y; chapter 3 has it right. Chapter 3 prints
//! the correlation loss without its minus sign; the appendix and all theory have it. It has no lower bound, so a
//! run ends at its target or diverges.
//!
//! # Smoothed labels
//! With label smoothing ε (Szegedy et al. 2016, section 7, arXiv:1512.00567) the cross-entropy of K classes is taken against
//! the distribution q = (1 − ε) one-hot + ε/K, as PyTorch's `label_smoothing` does it. A label in {−1, +1} stands for two
//! classes with the logits ±ŷ/2, so that their loss becomes
//!
//! ```text
//! (1 − ε/2) ln(1 + exp(−yŷ)) + (ε/2) ln(1 + exp(yŷ)) = ln(1 + exp(−yŷ)) + (ε/2) yŷ
//! ```
//!
//! Only training is smoothed. What is measured is the cross-entropy itself, so that runs with and without smoothing compare.

use vivarium_core::math::softplus;

vivarium_core::choices! {
    /// Loss function that training minimises.
    pub enum Loss {
        /// max(0, 1 − yŷ).
        Hinge = "hinge", "Hinge";
        /// (y − ŷ)².
        Square = "square", "Square";
        /// ln(1 + exp(−yŷ)).
        CrossEntropy = "ce", "Cross-entropy";
        /// −yŷ, without a lower bound.
        Correlation = "corr", "Correlation";
    }
}

impl Loss {
    /// Whether the loss can be negative, so that it cannot be drawn on a logarithmic axis.
    pub fn is_signed(self) -> bool {
        self == Loss::Correlation
    }

    /// Loss of one example with label −1 or +1, in double precision: the reference for the learners' implementations.
    pub fn compute(self, label: f64, output: f64) -> f64 {
        match self {
            Loss::Hinge => (1.0 - label * output).max(0.0),
            Loss::Square => (label - output).powi(2),
            Loss::CrossEntropy => softplus(-(label * output)),
            Loss::Correlation => -label * output,
        }
    }

    /// Derivative dℓ/dŷ of the loss ℓ by the output ŷ, in double precision; 0 at the kink of the hinge loss.
    pub fn derivative(self, label: f64, output: f64) -> f64 {
        match self {
            Loss::Hinge if label * output < 1.0 => -label,
            Loss::Hinge => 0.0,
            Loss::Square => 2.0 * (output - label),
            Loss::CrossEntropy => -label / (1.0 + libm::exp(label * output)),
            Loss::Correlation => -label,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_known_points() {
        assert_eq!(Loss::Hinge.compute(1.0, 0.25), 0.75);
        assert_eq!(Loss::Hinge.compute(-1.0, -3.0), 0.0);
        assert_eq!(Loss::Square.compute(-1.0, 0.5), 2.25);
        assert!((Loss::CrossEntropy.compute(1.0, 0.0) - std::f64::consts::LN_2).abs() < 1e-15);
        assert!((Loss::CrossEntropy.compute(-1.0, 800.0) - 800.0).abs() < 1e-9);
        assert_eq!(Loss::Correlation.compute(-1.0, 3.0), 3.0);
    }

    #[test]
    fn slopes_are_central_differences() {
        for loss in Loss::ALL {
            for (label, output) in [(1.0, 0.3), (-1.0, 0.3), (1.0, -2.0), (-1.0, -2.5), (1.0, 1.7)] {
                let numeric =
                    (loss.compute(label, output + 1e-5) - loss.compute(label, output - 1e-5)) / 2e-5;
                assert!(
                    (loss.derivative(label, output) - numeric).abs() < 1e-9,
                    "{loss:?} at {label}, {output}"
                );
            }
        }
    }
}
