//! Contribution of one output to the accuracy, which is the mean over the examples.
//!
//! A network with one output ŷ predicts the sign of ŷ. For a label y in {−1, +1} an output contributes
//!
//! ```text
//! 1    yŷ > 0
//! 1/2  ŷ = 0: a tie
//! 0    yŷ < 0, or ŷ is not a number
//! ```
//!
//! # Why
//! "When f(x; θ) = 0 in practice (e.g. with sign initialization), we break the tie arbitrarily" (Edelman 2024, section 5.2).
//! An arbitrary sign is right with probability 1/2. A tie counts this probability, so that measuring needs no random numbers,
//! and a network that is 0 everywhere has the accuracy of guessing. A ReLU network without output bias is 0 wherever all its
//! neurons are off. Sums of halves are exact in single precision up to 2²³, so the order of a sum does not change its bits.
//!
//! # Classes
//! Of several classes the label's output must be larger than every other output ([`margins`](super::loss) above 0). Equal
//! largest outputs count as wrong: the maximum margins of chapter 7 ask for the same, and 1/(number of largest outputs) would
//! not be exact in binary.

/// Contribution of one example to the accuracy, for its label −1 or +1 and the network's output: 1 if their signs
/// agree, 0.5 if the output is 0, else 0.
#[inline(always)]
pub fn accuracy_credit(label: f32, output: f32) -> f64 {
    let margin = label * output;
    if margin > 0.0 {
        1.0
    } else if margin == 0.0 {
        0.5
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_one_half_for_either_label() {
        for label in [-1.0, 1.0] {
            assert_eq!([label, 0.0, -label].map(|output| accuracy_credit(label, output)), [1.0, 0.5, 0.0]);
            assert_eq!(accuracy_credit(label, -0.0), 0.5);
            let least = f32::from_bits(1);
            assert_eq!([least, -least].map(|output| accuracy_credit(label, label * output)), [1.0, 0.0]);
            assert_eq!(
                [f32::INFINITY, -f32::INFINITY].map(|output| accuracy_credit(label, label * output)),
                [1.0, 0.0]
            );
            assert_eq!([f32::NAN, -f32::NAN].map(|output| accuracy_credit(label, output)), [0.0; 2]);
        }
    }

    /// Four outputs: right, a tie, wrong, right. By hand (1 + 1/2 + 0 + 1)/4 = 5/8.
    #[test]
    fn four_answers_with_one_tie() {
        let examples = [(1.0, 0.25), (-1.0, 0.0), (1.0, -3.0), (-1.0, -0.5)];
        let sum: f64 = examples.iter().map(|(label, output)| accuracy_credit(*label, *output)).sum();
        assert_eq!(sum / 4.0, 0.625);
    }
}
