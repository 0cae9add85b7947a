//! The penalty on the norms of neurons, and the margin that is normalised with it.
//!
//! # Why
//! Edelman 2024, section 7.3, normalises the margin h of a network θ as h(θ/‖θ‖) with the norm of the penalty,
//! ‖θ‖ = (Σᵢ‖ωᵢ‖₂^ν)^(1/ν). Where the network is homogeneous of degree D in its weights, this is
//!
//! ```text
//! h(θ) / ‖θ‖^D = h(θ) / (Σᵢ‖ωᵢ‖₂^ν)^(D/ν)
//! ```
//!
//! The thesis has ν = D throughout, so that the denominator is the penalty without λ. Here ν is a setting.

/// What is added to the loss: λ Σ_i ‖ω_i‖₂^ν, where ω_i is column i of all parameters together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    /// Its strength λ.
    pub lambda: f64,
    /// The exponent ν, at least 2.
    pub exponent: usize,
    /// Degree of homogeneity of the network: outputs are multiplied by c^degree if all weights are multiplied by c.
    pub degree: usize,
}

/// Outputs that differ by less than this count as equal: the probabilities that they give differ by less than a
/// hundred-thousandth of themselves.
pub const EQUAL_OUTPUTS: f64 = 1e-5;

impl Penalty {
    /// Σ_i ‖ω_i‖₂^ν of one replica, of `columns` neurons each.
    pub fn norms(&self, weights: &[&[f32]], columns: usize) -> f64 {
        let mut squares = vec![0.0f64; columns];
        for row in weights.iter().flat_map(|weights| weights.chunks_exact(columns)) {
            squares.iter_mut().zip(row).for_each(|(s, w)| *s += f64::from(w * w));
        }
        squares.into_iter().map(|s| libm::pow(s, self.exponent as f64 / 2.0)).sum()
    }

    /// The margin h(θ/‖θ‖) of a network of margin h(θ) = `least` with Σ_i ‖ω_i‖₂^ν = `norms`.
    pub fn normalised(&self, least: f64, norms: f64) -> f64 {
        match self.exponent == self.degree {
            true => least / norms,
            false => least / libm::pow(norms, self.degree as f64 / self.exponent as f64),
        }
    }
}

/// Whether all outputs of a network are equal, up to [`EQUAL_OUTPUTS`], from its least margin and its mean loss; `equal`
/// is the loss of a network whose outputs are equal. Such is a network that a penalty has driven to zero.
///
/// # Why
/// No margin is below −ε then, and if the mean loss is not below that of equal outputs by more than ε either, then the
/// margins are on average not above a small multiple of ε.
pub fn is_zero(least: f64, loss: f64, equal: f64) -> bool {
    least.abs() < EQUAL_OUTPUTS && loss > equal - EQUAL_OUTPUTS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two neurons (u, v, w) = (3, 0, 4) and (0, 5, 12) on a group of one element: norms 5 and 13, output
    /// 3² · 4 + 5² · 12 = 336 with squares, of degree 3, and 3 · 4 + 5 · 12 = 72 with ReLUs, of degree 2.
    #[test]
    fn margins_by_hand() {
        let weights: [&[f32]; 3] = [&[3.0, 0.0], &[0.0, 5.0], &[4.0, 12.0]];
        for (exponent, degree, output, expected) in [
            (3, 3, 336.0, 336.0 / 2_322.0),                   // 5³ + 13³
            (2, 3, 336.0, 336.0 / (194.0 * 194.0f64.sqrt())), // 5² + 13² = 194
            (6, 3, 336.0, 336.0 / 4_842_434.0f64.sqrt()),     // 5⁶ + 13⁶
            (2, 2, 72.0, 72.0 / 194.0),
            (4, 2, 72.0, 72.0 / 29_186.0f64.sqrt()), // 5⁴ + 13⁴
            (3, 2, 72.0, 72.0 / 2_322.0f64.cbrt().powi(2)),
        ] {
            let penalty = Penalty { lambda: 0.1, exponent, degree };
            let found = penalty.normalised(output, penalty.norms(&weights, 2));
            assert!((found / expected - 1.0).abs() < 1e-12, "{exponent}, {degree}: {found}, {expected}");
        }
    }

    #[test]
    fn a_network_is_zero_where_it_answers_nothing() {
        let equal = 23f64.ln();
        assert!(is_zero(0.0, equal, equal) && is_zero(-9e-6, equal + 2e-7, equal));
        // Some pairs are wrong by more, all are right by more, or some are right by much.
        for (least, loss) in [(-2e-5, equal), (3e-5, equal - 3e-5), (0.0, 2.0), (f64::NAN, f64::NAN)] {
            assert!(!is_zero(least, loss, equal), "{least}, {loss}");
        }
    }
}
