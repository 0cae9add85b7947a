//! The theory of maximum margins on finite groups: what the best networks are, and how good.
//!
//! The networks are `f(a, b)[c] = Σ_i (u_i[a] + v_i[b])² w_i[c]`, and the margin of one is
//!
//! ```text
//! γ = min_{a,b} (f(a,b)[ab] − max_{c≠ab} f(a,b)[c]) / Σ_i ‖ω_i‖³,   ‖ω_i‖² = ‖u_i‖² + ‖v_i‖² + ‖w_i‖²
//! ```
//!
//! (Edelman 2024, chapter 7 and appendix D, after Morwani, Edelman, Oncescu, Zhao and Kakade 2023). As the penalty
//! of a trained network goes to zero, its margin goes to the largest there is, γ*.
//!
//! | module | what it gives |
//! |---|---|
//! | [`real_characters`] | the numbers of a group that the theory needs; the condition of theorem 7.9 |
//! | [`margin`] | γ* of any finite group, and what is to be expected at a penalty above zero |
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

pub mod construction;
#[cfg(test)]
mod known;
pub mod margin;
#[cfg(test)]
mod margin_tests;
pub mod parity;
mod program;
pub mod real_characters;
pub mod representation;
#[cfg(test)]
mod representation_tests;

pub use construction::{Construction, Spread, fourier, memorising, memorising_margin};
pub use margin::{Margin, MarginJob, Prediction, PredictionJob};
pub use parity::{ParityConstruction, parity};
pub use real_characters::RealCharacters;

use super::{Group, Irreps};

/// Why the theory has nothing to say.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// There is no wrong answer.
    #[error("a group of one element has no margin: no answer is wrong; take a larger group")]
    Trivial,
    /// The numbers given are not characters of a group.
    #[error("these are not the irreducible real characters of a group: {0}")]
    Characters(String),
    /// The penalty is zero, negative or not a number.
    #[error("a penalty must be above zero, but it is {0}; for the limit at zero take the maximum margin")]
    Penalty(f64),
    /// The program did not come to an end.
    #[error("the optimisation did not converge: its conditions are violated by {0:e}; take a larger penalty")]
    Unsolved(f64),
    /// A construction that exists for odd numbers only.
    #[error(
        "the construction by frequencies needs an odd number of elements, at least 3, but the group has {0}"
    )]
    Even(usize),
    /// The shares given do not fit.
    #[error("the shares must be one number for each irrep, none of them negative, with a sum above zero")]
    Shares,
    /// The matrices given do not make a representation.
    #[error("the matrices of irrep {0} do not make an irreducible real representation")]
    Matrices(usize),
    /// The set of a parity does not fit its inputs.
    #[error("a parity needs 1 to 20 different bits, with numbers below {0}")]
    Support(usize),
}

/// The maximum margin of a group, and the shares of its irreps in Σ‖ω‖³ where it is reached.
///
/// # Errors
///
/// For the group of one element.
///
/// ```
/// use vivarium_science::groups::{Group, Irreps, theory};
/// let group = Group::alternating(5);
/// let margin = theory::max_margin(&group, &Irreps::of(&group))?;
/// assert!((margin.value - 4.31571e-4).abs() < 1e-9);
/// assert_eq!(margin.used, [false, true, true, true, false]); // not the one of dimension 5
/// # Ok::<(), theory::Problem>(())
/// ```
pub fn max_margin(group: &Group, irreps: &Irreps) -> Result<Margin, Problem> {
    RealCharacters::of(group, irreps)?.max_margin()
}

/// The minimum of the mean cross-entropy over all pairs plus `lambda` times Σ‖ω‖³.
///
/// # Errors
///
/// For the group of one element, and if `lambda` is not above zero.
pub fn prediction(group: &Group, irreps: &Irreps, lambda: f64) -> Result<Prediction, Problem> {
    RealCharacters::of(group, irreps)?.prediction(lambda)
}

/// A network with these shares of Σ‖ω‖³, one for each irrep: of maximum margin with those of [`max_margin`].
///
/// # Errors
///
/// For the group of one element, and if the shares do not fit.
pub fn representation(group: &Group, irreps: &Irreps, shares: &[f64]) -> Result<Construction, Problem> {
    RealCharacters::of(group, irreps)?.network(shares, |r| irreps.matrices(r))
}

/// γ* of Z_p: `√(2/27) / (√p (p − 1))` (Edelman 2024, theorem 7.7, for primes above 2). The same holds for every odd `p`:
/// see [`margin_of`], with (p − 1)/2 irreps of dimension 2 and type 2.
pub fn cyclic_margin(p: usize) -> f64 {
    (2.0_f64 / 27.0).sqrt() / ((p as f64).sqrt() * (p as f64 - 1.0))
}

/// γ* of a group of this order from its nontrivial irreducible real representations, of each kind dimension, type and
/// number: `2 / (3 √(3|G|) Σ D^{2.5} / type)`. Edelman 2024, theorem 7.9, has this for groups all of whose irreps are of
/// type 1 (real); the division by the type, for complex and quaternionic irreps, is ours. Whether the theorem's
/// [condition](RealCharacters::condition) holds is for the caller to know.
pub fn margin_of(order: u64, kinds: &[(u32, u32, u64)]) -> f64 {
    let of = |(dimension, kind, count): &(u32, u32, u64)| {
        *count as f64 * libm::pow(f64::from(*dimension), 2.5) / f64::from(*kind)
    };
    2.0 / (3.0 * (3.0 * order as f64).sqrt() * kinds.iter().map(of).sum::<f64>())
}

/// γ* of the parity of `k` bits under `Σ_i ‖ω_i‖^{k+1}`: `k! √(2 (k+1)^{−(k+1)})` (Edelman 2024, theorem 7.8).
///
/// It does not depend on how many other bits there are.
pub fn parity_margin(k: usize) -> f64 {
    let factorial: f64 = (1..=k).map(|j| j as f64).product();
    let base = (k + 1) as f64;
    factorial * (2.0 * libm::pow(base, -base)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_of_cyclic_groups() {
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
            assert!((cyclic_margin(p) / expected - 1.0).abs() < 2e-6, "{p}: {}", cyclic_margin(p));
        }
    }

    #[test]
    fn margins_of_parities() {
        for (k, expected) in [(2, 0.544331), (3, 0.530330), (4, 0.607157), (5, 0.785674)] {
            assert!((parity_margin(k) - expected).abs() < 6e-7, "{k}: {}", parity_margin(k));
        }
    }
}
