//! The theory of maximum margins on finite groups: which networks have the largest normalised margin, and how large
//! it is.
//!
//! The networks are `f(a, b)[c] = Σ_i (u_i[a] + v_i[b])² w_i[c]`, and the margin of one is
//!
//! ```text
//! γ = min_{a,b} (f(a,b)[ab] − max_{c≠ab} f(a,b)[c]) / Σ_i ‖ω_i‖³,   ‖ω_i‖² = ‖u_i‖² + ‖v_i‖² + ‖w_i‖²
//! ```
//!
//! (Edelman 2024, chapter 7 and appendix D, after Morwani, Edelman, Oncescu, Zhao and Kakade 2023). As the penalty of
//! a trained network goes to zero, its margin converges to the maximum margin γ*.
//!
//! | module | what it gives |
//! |---|---|
//! | [`real_characters`] | the numbers of a group that the theory needs; the condition of theorem 7.9 |
//! | [`margin`] | γ* of any finite group, and what is to be expected at a penalty above zero |
//! | [`certificate`] | margins of a given network by class of wrong answers, and of its neurons |
//! | [`construction`] | networks written down: memorising, and by Fourier series |
//! | [`mod@representation`] | networks that reach γ*, from the matrices of irreducible representations |
//! | [`mod@parity`] | the same for sparse parities, with x^k in place of x² |
//!
//! # Why real representations
//!
//! The theorem is for groups all of whose irreducible representations are real, and Z_p has a theorem of its own.
//! Both are one once irreducible *real* representations are counted, with real dimension D and real character χ:
//! whichever its type, the entries `R_ij` have the squared norm |G|/D, and `tr R(a)R(b)R(c)ᵀ` is made from D³
//! products of three entries. The same number bounds every network, so that γ* needs D and χ alone.

pub mod certificate;
pub mod construction;
mod interior_point;
#[cfg(test)]
mod known_tables;
pub mod margin;
#[cfg(test)]
mod margin_tests;
pub mod parity;
pub mod real_characters;
pub mod representation;
#[cfg(test)]
mod representation_tests;

pub use certificate::{NeuronMargins, WrongAnswerClasses};
pub use construction::{
    MarginRange, QuadraticNetwork, build_fourier_network, build_memorising_network, memorising_network_margin,
};
pub use margin::{MaxMargin, MaxMarginJob, PenalisedOptimum, PenalisedOptimumJob};
pub use parity::{ParityNetwork, build_parity_network};
pub use real_characters::RealCharacters;

use super::{Group, Irreps};

/// An input for which the theory of maximum margins has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MarginError {
    /// The group has one element, so that no answer is wrong.
    #[error("a group of one element has no margin: no answer is wrong; take a larger group")]
    TrivialGroup,
    /// The numbers are not the irreducible real characters of a group. The text states the violated property.
    #[error("these are not the irreducible real characters of a group: {0}")]
    InvalidCharacters(String),
    /// The penalty λ is zero, negative or not a number.
    #[error("a penalty must be above zero, but it is {0}; for the limit at zero take the maximum margin")]
    NonPositivePenalty(f64),
    /// The interior-point method did not converge. The number is the violation of the optimality conditions.
    #[error("the optimisation did not converge: its conditions are violated by {0:e}; take a larger penalty")]
    NotConverged(f64),
    /// A construction that exists for odd numbers only.
    #[error(
        "the construction by frequencies needs an odd number of elements, at least 3, but the group has {0}"
    )]
    /// The Fourier network exists only for an odd order of at least 3; the number is the order.
    EvenOrder(usize),
    /// The norm shares of the irreps have the wrong count, a negative entry or no positive sum.
    #[error("the shares must be one number for each irrep, none of them negative, with a sum above zero")]
    InvalidNormShares,
    /// The matrices of this irrep are not an irreducible real representation.
    #[error("the matrices of irrep {0} do not make an irreducible real representation")]
    InvalidMatrices(usize),
    /// The bits of a parity are not 1 to 20 different indices below this number of inputs.
    #[error("a parity needs 1 to 20 different bits, with numbers below {0}")]
    InvalidParitySupport(usize),
}

/// Computes the maximum margin γ* of a group, and the shares of its irreps in Σ‖ω‖³ at which it is reached.
///
/// # Errors
///
/// For the group of one element.
///
/// ```
/// use vivarium_science::groups::{Group, Irreps, theory};
/// let group = Group::alternating(5);
/// let margin = theory::compute_max_margin(&group, &Irreps::compute(&group))?;
/// assert!((margin.value - 4.31571e-4).abs() < 1e-9);
/// assert_eq!(margin.used_irreps, [false, true, true, true, false]); // not the one of dimension 5
/// # Ok::<(), theory::MarginError>(())
/// ```
pub fn compute_max_margin(group: &Group, irreps: &Irreps) -> Result<MaxMargin, MarginError> {
    RealCharacters::from_group(group, irreps)?.compute_max_margin()
}

/// Computes the network with the smallest regularised loss: the mean cross-entropy over all pairs of group elements plus
/// `lambda` times Σ‖ω‖³ over the hidden neurons, where ω are the weights u, v and w of one neuron.
///
/// # Errors
///
/// For the group of one element, and if `lambda` is not above zero.
pub fn compute_penalised_optimum(
    group: &Group,
    irreps: &Irreps,
    lambda: f64,
) -> Result<PenalisedOptimum, MarginError> {
    RealCharacters::from_group(group, irreps)?.compute_penalised_optimum(lambda)
}

/// Builds a network in which the irreps have these shares of Σ‖ω‖³, one share for each irrep. With the shares of
/// [`compute_max_margin`] its margin is γ*.
///
/// # Errors
///
/// For the group of one element, and if the shares do not fit.
pub fn build_max_margin_network(
    group: &Group,
    irreps: &Irreps,
    shares: &[f64],
) -> Result<QuadraticNetwork, MarginError> {
    RealCharacters::from_group(group, irreps)?.build_network(shares, |r| irreps.matrices(r))
}

/// The maximum margin γ* of Z_p: `√(2/27) / (√p (p − 1))` (Edelman 2024, theorem 7.7, for primes above 2). It also
/// holds for every odd `p`: see [`closed_form_margin`], with (p − 1)/2 irreps of dimension 2 and type 2.
pub fn cyclic_group_margin(p: usize) -> f64 {
    (2.0_f64 / 27.0).sqrt() / ((p as f64).sqrt() * (p as f64 - 1.0))
}

/// The maximum margin γ* of a group G of `order` elements, `2 / (3 √(3|G|) Σ D^{2.5} / type)`. `kinds` lists its
/// nontrivial irreducible real representations as (dimension D, type 1, 2 or 4, how many). Edelman 2024, theorem 7.9,
/// proves it for groups whose irreps all have type 1 (real); the division by the type, for complex and quaternionic
/// irreps, is ours. The caller must check the theorem's [condition](RealCharacters::theorem_condition).
pub fn closed_form_margin(order: u64, kinds: &[(u32, u32, u64)]) -> f64 {
    let of = |(dimension, kind, count): &(u32, u32, u64)| {
        *count as f64 * libm::pow(f64::from(*dimension), 2.5) / f64::from(*kind)
    };
    2.0 / (3.0 * (3.0 * order as f64).sqrt() * kinds.iter().map(of).sum::<f64>())
}

/// The maximum margin γ* of the parity of `k` bits, with margins normalised by `Σ_i ‖ω_i‖^{k+1}` over the weights ω_i
/// of neuron i: `k! √(2 (k+1)^{−(k+1)})` (Edelman 2024, theorem 7.8).
///
/// γ* does not depend on the number of other bits.
pub fn parity_margin(k: usize) -> f64 {
    let factorial: f64 = (1..=k).map(|j| j as f64).product();
    let base = (k + 1) as f64;
    factorial * (2.0 * libm::pow(base, -base)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_of_cyclic_groups_match_the_printed_values() {
        let printed = [
            (5, 0.0304290),
            (7, 0.0171448),
            (11, 0.00820610),
            (13, 0.00629043),
            (17, 0.00412561),
            (23, 0.00257957),
            (31, 0.00162941),
            (71, 0.000461430),
        ];
        for (p, expected) in printed {
            assert!(
                (cyclic_group_margin(p) / expected - 1.0).abs() < 2e-6,
                "{p}: {}",
                cyclic_group_margin(p)
            );
        }
    }

    #[test]
    fn margins_of_parities_match_the_printed_values() {
        for (k, expected) in [(2, 0.544331), (3, 0.530330), (4, 0.607157), (5, 0.785674)] {
            assert!((parity_margin(k) - expected).abs() < 6e-7, "{k}: {}", parity_margin(k));
        }
    }
}
