//! Theorem D.6 of the paper for one network and one input: a lower bound on the all-layer margin that does not depend on
//! depth, with the constants of the network's own layers.
//!
//! ```text
//! ρ ≥ min{ λ/μ₀, σ_ζ/μ₀, σ_θ, σ_ξ, 1/(2κ_θ), σ_ζ/(2κ_θ λ), σ_h/(2κ_ξ λ), σ_ζ/(4λμκ_ξ), 1/(4μκ_ξ) }
//! ```
//!
//! # Which constants
//! The theorem is applied to 𝒳 = {x}, the single input whose margin is bounded. Its layers f₀ … f_d are the groups of linear
//! layers that end with a rounding: f_i(h) = φ(W₂ φ(W₁ h + b₁) + b₂), and last f_d(h) = w·h + b. The output counts as
//! F/|F(x)|, which is ±1 at x and has the same sign everywhere. The true values h_i are 0 or 1 (checked, or else there is no
//! bound). ‖W‖ below is √(largest column sum · largest row sum) of |W|, at least the operator norm. The following
//! holds for every perturbation of norm at most s = σ_θ = σ_ξ.
//!
//! * **λ** = max{1, ‖h_0‖, …, ‖h_d‖}, the norms themselves (condition D.4).
//! * **σ_ζ** = 1/3: rounding acts on each coordinate, and one within 1/3 of 0 or 1 is brought back exactly (definition D.1).
//! * **κ_θ.** Let a group have layers u_j = φ(W_j u_{j−1} + b_j), u_0 = h, and let û_j be those of θ + Δ with ‖Δ‖ ≤ s. Since
//!   φ is 1-Lipschitz,
//!
//!   ```text
//!   ‖û_j − u_j‖ ≤ ‖W_j‖ ‖û_{j−1} − u_{j−1}‖ + ‖ΔW_j û_{j−1} + Δb_j‖ ≤ ‖W_j‖ ‖û_{j−1} − u_{j−1}‖ + c_j ‖Δ_j‖
//!   c_j = √((‖u_{j−1}‖ + e_{j−1})² + 1),     e_j = ‖W_j‖ e_{j−1} + c_j s,   e_0 = 0
//!   ```
//!
//!   by Cauchy and Schwarz for (û_{j−1}, 1); e_j bounds ‖û_j − u_j‖. The 1 is left out if the biases are fixed, and c_j = 0
//!   if all parameters of layer j are fixed. Unrolled, and by Cauchy and Schwarz for the layers of the group,
//!
//!   ```text
//!   ‖û − u‖ ≤ K ‖Δ‖,    K² = Σ_j (c_j ∏_{i>j} ‖W_i‖)²
//!   ```
//!
//!   κ_θ is the largest K / max{‖h‖, 1} of f_1 … f_d. The theorem divides by max{|||h|||, 1} with the largest norm of *all*
//!   layers before, which is at least ‖h‖.
//! * **μ₀** is K of f_0. The theorem requires it for all θ; its proof uses it only for perturbations of norm at most s.
//! * **μ** is the largest ∏ (‖W_j‖ + s) of f_1 … f_d: each layer is (‖W_j‖ + ‖ΔW_j‖)-Lipschitz, for all h. So **σ_h** = ∞.
//! * **κ_ξ** is the same for rounding, h ↦ V₂ φ(V₁ h + c₁) + c₂ with V₁ = (I; I) and V₂ = (3I, −3I), for every h ∈ ℝ^w. With
//!   M = max{‖h‖, 1}, ‖V₂‖ = 3√2, ‖φ(V₁h + c₁)‖ ≤ √2‖h‖, since each of its entries lies between 0 and |h|, and
//!   √(‖h‖² + 1) ≤ √2 M,
//!
//!   ```text
//!   ‖ζ̂ − ζ‖² / ‖Δ‖² ≤ (3√2 · √2 M)² + (√2 ‖h‖ + √2 M s)² + 1 ≤ M² (36 + 2(1 + s)² + 1),    κ_ξ = √(37 + 2(1 + s)²)
//!   ```
//!
//! All terms but σ_θ = σ_ξ = s fall as s grows; s is chosen where they meet, which makes the minimum largest, so that the
//! bound is s itself.
//!
//! # Three bounds
//! In the theorem a perturbation may change the parameters of rounding too: [`MarginBounds::theorem`]. The margins measured
//! here are for fixed parameters of rounding; they are at least as large, so that the bound holds for them. With fixed
//! rounding, no term with κ_ξ is needed, and the formula of the theorem is min{λ/μ₀, σ_ζ/μ₀, s, 1/(2κ_θ), σ_ζ/(2κ_θ λ)}, its
//! value for κ_ξ = 0: [`MarginBounds::fixed_rounding`]. Its halves leave room for the part E₁ of lemma D.8, the error by
//! rounding's own perturbation. That part is 0 here, so that the proof (not the theorem as it is stated) gives the larger bound
//! min{σ_ζ/μ₀, s, 1/κ_θ, σ_ζ/(κ_θ λ)}: [`MarginBounds::proof`].

use super::error::CircuitError;
use super::forward::ForwardTrace;
use super::network::{FreeParameters, LinearLayer, ReluNetwork, Rounding};
use vivarium_core::math::norm;

/// Radius σ_ζ = 1/3: rounding corrects a value that deviates from 0 or 1 by at most this much (Wei, Chen and Ma 2022,
/// definition D.1).
pub const SIGMA_ZETA: f64 = 1.0 / 3.0;

/// Three lower bounds on the all-layer margin by theorem D.6 (Wei, Chen and Ma 2022), each with its constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginBounds {
    /// Lower bound on the all-layer margin by theorem D.6 as the paper states it, for perturbations that may change the
    /// parameters of rounding too.
    pub theorem: f64,
    /// The constants λ, σ, μ and κ from which the bound `theorem` follows.
    pub constants: TheoremConstants,
    /// Lower bound for perturbations that do not change the parameters of rounding: the formula of theorem D.6 with
    /// κ_ξ, the Lipschitz constant of rounding in its parameters, set to 0.
    pub fixed_rounding: f64,
    /// The constants λ, σ, μ and κ of the bound `fixed_rounding`, which does not use κ_ξ.
    pub fixed_rounding_constants: TheoremConstants,
    /// Lower bound from the proof of theorem D.6 for fixed parameters of rounding, where the error E₁ of lemma D.8,
    /// which comes from their perturbation, is 0; at least `fixed_rounding`.
    pub proof: f64,
    /// The constants λ, σ, μ and κ of the bound `proof`, which does not use κ_ξ.
    pub proof_constants: TheoremConstants,
}

/// The constants λ, σ, μ and κ of conditions D.3 and D.4 of theorem D.6 (Wei, Chen and Ma 2022), for one network and
/// one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TheoremConstants {
    /// The constant λ: largest norm, over all layers of the theorem, of the vector of the layer's values at the input,
    /// at least 1.
    pub lambda: f64,
    /// Radius σ_ζ: rounding corrects a value that deviates from 0 or 1 by at most this much.
    pub sigma_zeta: f64,
    /// Radius σ_θ = σ_ξ: the Lipschitz constants hold for perturbations of the parameters of at most this norm.
    pub sigma: f64,
    /// Lipschitz constant μ₀ of the theorem's first layer in its parameters.
    pub mu_0: f64,
    /// Lipschitz constant μ, in their inputs, of the layers above the theorem's first layer: the maximum over these layers.
    pub mu: f64,
    /// Lipschitz constant κ_θ, in their parameters and relative to the norm of their inputs, of the layers above the
    /// theorem's first layer: the maximum over these layers.
    pub kappa_theta: f64,
    /// Lipschitz constant κ_ξ of rounding in its parameters, relative to the norm of its inputs.
    pub kappa_xi: f64,
}

impl TheoremConstants {
    /// The terms of which the bound of theorem D.6 is the minimum, as pairs (formula, value), without σ_h/(2κ_ξ λ),
    /// which is infinite.
    pub fn terms(&self) -> [(&'static str, f64); 8] {
        let TheoremConstants { lambda, sigma_zeta, sigma, mu_0, mu, kappa_theta, kappa_xi } = *self;
        [
            ("λ/μ₀", lambda / mu_0),
            ("σ_ζ/μ₀", sigma_zeta / mu_0),
            ("σ_θ", sigma),
            ("σ_ξ", sigma),
            ("1/(2κ_θ)", 0.5 / kappa_theta),
            ("σ_ζ/(2κ_θ λ)", sigma_zeta / (2.0 * kappa_theta * lambda)),
            ("σ_ζ/(4λμκ_ξ)", sigma_zeta / (4.0 * lambda * mu * kappa_xi)),
            ("1/(4μκ_ξ)", 0.25 / (mu * kappa_xi)),
        ]
    }

    /// The lower bound of theorem D.6 on the margin: the smallest of its terms.
    fn min_term(&self) -> f64 {
        self.terms().into_iter().fold(f64::INFINITY, |min, (_, term)| min.min(term))
    }

    /// Lower bound on the margin for fixed parameters of rounding: the smallest of those terms of theorem D.6 that stay
    /// finite for κ_ξ = 0.
    fn min_fixed_rounding_term(&self) -> f64 {
        self.terms()[..6].iter().fold(f64::INFINITY, |min, (_, term)| min.min(*term))
    }

    /// Lower bound on the margin from the proof of theorem D.6 with the error E₁ of rounding's own perturbation = 0:
    /// min{σ_ζ/μ₀, σ_θ, 1/κ_θ, σ_ζ/(κ_θ λ)}.
    fn min_proof_term(&self) -> f64 {
        let TheoremConstants { lambda, sigma_zeta, sigma, mu_0, kappa_theta, .. } = *self;
        let by_theta = (1.0 / kappa_theta).min(sigma_zeta / (kappa_theta * lambda));
        (sigma_zeta / mu_0).min(sigma).min(by_theta)
    }
}

impl ReluNetwork {
    /// Computes lower bounds on the all-layer margin for the input `bits` by theorem D.6 (Wei, Chen and Ma 2022).
    /// `None` without rounding, if an activation that is to be rounded is not exactly 0 or 1, or if the output is 0.
    ///
    /// # Errors
    /// `bits` has the wrong length.
    pub fn compute_margin_bounds(&self, bits: &[bool]) -> Result<Option<MarginBounds>, CircuitError> {
        let trace = self.trace(bits)?;
        let Some(groups) = rounding_groups(self, &trace) else { return Ok(None) };
        let with = |sigma| compute_constants(self, &trace, &groups, sigma);
        let constants = choose_radius(with, TheoremConstants::min_term);
        let formula = choose_radius(with, TheoremConstants::min_fixed_rounding_term);
        let held = choose_radius(with, TheoremConstants::min_proof_term);
        Ok(Some(MarginBounds {
            theorem: constants.min_term(),
            constants,
            fixed_rounding: formula.min_fixed_rounding_term(),
            fixed_rounding_constants: formula,
            proof: held.min_proof_term(),
            proof_constants: held,
        }))
    }
}

/// The layers f_i of theorem D.6, each from the layer after one rounding up to the next rounding, as ranges of indices
/// of linear layers. `None` if the theorem does not apply: without rounding, if an activation that is to be rounded is
/// not exactly 0 or 1 in `trace`, or if the output is 0.
fn rounding_groups(network: &ReluNetwork, trace: &ForwardTrace) -> Option<Vec<std::ops::Range<usize>>> {
    let mut groups = Vec::new();
    let mut start = 0;
    for (at, layer) in network.layers().iter().enumerate() {
        if layer.rounding == Rounding::On {
            if trace.deviation(at) != 0.0 {
                return None;
            }
            groups.push(start..at + 1);
            start = at + 1;
        }
    }
    groups.push(start..network.layers().len());
    (groups.len() > 1 && trace.output() != 0.0).then_some(groups)
}

/// The constants for the largest radius σ_θ ≤ 1 that is at most the smallest of their terms, by bisection. `with`
/// computes the constants for a radius, and `min_term` their smallest term.
fn choose_radius(
    with: impl Fn(f64) -> TheoremConstants,
    min_term: impl Fn(&TheoremConstants) -> f64,
) -> TheoremConstants {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match min_term(&with(middle)) >= middle {
            true => low = middle,
            false => high = middle,
        }
    }
    with(low)
}

/// Computes the constants of theorem D.6 for perturbations of norm at most `sigma`, as derived in the module's
/// documentation. `trace` is the forward pass for the input, and `groups` are the theorem's layers as ranges of indices
/// of linear layers.
fn compute_constants(
    network: &ReluNetwork,
    trace: &ForwardTrace,
    groups: &[std::ops::Range<usize>],
    sigma: f64,
) -> TheoremConstants {
    let mut all = TheoremConstants {
        lambda: 1.0,
        sigma_zeta: SIGMA_ZETA,
        sigma,
        mu_0: 0.0,
        mu: 0.0,
        kappa_theta: 0.0,
        kappa_xi: (37.0 + 2.0 * (1.0 + sigma) * (1.0 + sigma)).sqrt(),
    };
    for (i, group) in groups.iter().enumerate() {
        let input = norm(trace.layer_inputs(group.start)).max(1.0);
        let is_last = i + 1 == groups.len();
        // The output counts as ±1.
        let scale = if is_last { 1.0 / trace.output().abs() } else { 1.0 };
        let (mut in_theta, mut in_input) = (0.0, 1.0);
        let mut output_error = 0.0;
        for at in group.clone() {
            let layer = &network.layers()[at];
            let weight = bound_operator_norm(network, layer);
            let reach = norm(trace.layer_inputs(at)) + output_error;
            let c = match layer.free {
                FreeParameters::All => (reach * reach + 1.0).sqrt(),
                FreeParameters::Weights => reach,
                FreeParameters::None => 0.0,
            };
            output_error = weight * output_error + c * sigma;
            in_theta = weight * weight * in_theta + c * c;
            in_input *= weight + if layer.free == FreeParameters::None { 0.0 } else { sigma };
        }
        let in_theta = f64::sqrt(in_theta) * scale;
        if i == 0 {
            all.mu_0 = in_theta;
        } else {
            all.mu = all.mu.max(in_input * scale);
            all.kappa_theta = all.kappa_theta.max(in_theta / input);
        }
        let values = trace.layers.get(group.end - 1).map_or(0.0, |layer| norm(&layer.rounded));
        all.lambda = all.lambda.max(values * scale);
    }
    all
}

/// An upper bound on the operator norm of a layer's weights W: √(largest row sum · largest column sum) of |W|.
fn bound_operator_norm(network: &ReluNetwork, layer: &LinearLayer) -> f64 {
    let mut columns = vec![0.0; layer.columns];
    let mut rows: f64 = 0.0;
    for row in 0..layer.rows {
        let weights = &network.theta()[layer.row_range(row)];
        rows = rows.max(weights.iter().map(|weight| weight.abs()).sum());
        columns.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight.abs());
    }
    (rows * columns.into_iter().fold(0.0, f64::max)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, ParityOrder};

    fn network(circuit: Result<Circuit, CircuitError>) -> ReluNetwork {
        ReluNetwork::new(&circuit.unwrap().to_layers().unwrap(), Rounding::On).unwrap()
    }

    /// The inequalities that the documentation of the module proves, for random perturbations of norm σ.
    #[test]
    fn the_constants_bound_perturbed_layers() {
        for network in [
            network(Circuit::parity(3, ParityOrder::Chain)),
            network(Circuit::majority(5)),
            network(Circuit::random(5, 15, 2)),
            ReluNetwork::toy(4, Rounding::On).unwrap(),
        ] {
            let bits: Vec<bool> = (0..network.input_count()).map(|i| i % 2 == 0).collect();
            let trace = network.trace(&bits).unwrap();
            let groups = rounding_groups(&network, &trace).unwrap();
            let MarginBounds { constants: of, .. } = network.compute_margin_bounds(&bits).unwrap().unwrap();
            for draw in 0..40 {
                for (i, group) in groups.iter().enumerate() {
                    let scale = if i + 1 == groups.len() { 1.0 / trace.output().abs() } else { 1.0 };
                    let mut delta = network.draw_noise(9, draw);
                    let own: Vec<usize> =
                        network.layers()[group.clone()].iter().flat_map(LinearLayer::free_range).collect();
                    if own.is_empty() {
                        continue;
                    }
                    let length = own.iter().map(|at| delta[*at] * delta[*at]).sum::<f64>().sqrt();
                    delta.iter_mut().for_each(|d| *d *= of.sigma / length);
                    let theta = network.perturb(&delta, 1.0);
                    let input = trace.layer_inputs(group.start);
                    let run = |theta: &[f64], input: &[f64]| {
                        let mut values = input.to_vec();
                        for layer in &network.layers()[group.clone()] {
                            let row = |row: usize| {
                                let sum: f64 =
                                    theta[layer.row_range(row)].iter().zip(&values).map(|(w, v)| w * v).sum();
                                let sum = sum + theta[layer.bias_index(row)];
                                if layer.activation == super::super::network::Activation::Relu {
                                    sum.max(0.0)
                                } else {
                                    sum
                                }
                            };
                            values = (0..layer.rows).map(row).collect();
                        }
                        values
                    };
                    let apart = |a: &[f64], b: &[f64]| {
                        scale * norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
                    };
                    let by_theta = apart(&run(&theta, input), &run(network.theta(), input));
                    if i == 0 {
                        assert!(by_theta <= of.mu_0 * of.sigma * (1.0 + 1e-9));
                        continue;
                    }
                    let bound = of.kappa_theta * of.sigma * norm(input).max(1.0);
                    // Where a layer has one weight, the two are equal.
                    assert!(by_theta <= bound * (1.0 + 1e-9), "{by_theta} {bound}");
                    let other: Vec<f64> =
                        input.iter().zip(network.draw_noise(8, draw)).map(|(h, d)| h + d).collect();
                    let by_input = apart(&run(&theta, &other), &run(&theta, input));
                    let between = norm(&other.iter().zip(input).map(|(a, b)| a - b).collect::<Vec<_>>());
                    assert!(by_input <= of.mu * between, "{by_input} {} {between}", of.mu);
                }
            }
        }
    }

    /// ‖ζ̂(h) − ζ(h)‖ ≤ κ_ξ max{‖h‖, 1} ‖Δ‖ with all matrices of rounding perturbed.
    #[test]
    fn the_constant_of_rounding_bounds_perturbed_rounding() {
        let network = network(Circuit::parity(3, ParityOrder::Chain));
        let names = ["first.weight", "first.bias", "second.weight", "second.bias"];
        let matrices = names.map(|name| network.matrix(&format!("layer1.round.{name}")).unwrap());
        let (rows, sigma) = (matrices[3].rows, 0.1_f64);
        let kappa = f64::sqrt(37.0 + 2.0 * (1.0 + sigma) * (1.0 + sigma));
        let run = |of: &[Vec<f64>], h: &[f64]| -> Vec<f64> {
            let layer = |weights: &[f64], biases: &[f64], input: &[f64]| -> Vec<f64> {
                let row = |(weights, bias): (&[f64], &f64)| {
                    weights.iter().zip(input).map(|(w, x)| w * x).sum::<f64>() + bias
                };
                weights.chunks(input.len()).zip(biases).map(row).collect()
            };
            let hidden: Vec<f64> = layer(&of[0], &of[1], h).into_iter().map(|z| z.max(0.0)).collect();
            layer(&of[2], &of[3], &hidden)
        };
        let own: Vec<Vec<f64>> = matrices.iter().map(|matrix| matrix.entries.clone()).collect();
        let draws = vivarium_core::rng::RandomStream::new(1, vivarium_core::rng::Purpose::Construction, 0);
        let mut worst: f64 = 0.0;
        for step in 0..2000 {
            let mut next = 0;
            let mut draw = || {
                next += 1;
                f64::from(draws.draw_normal(step, next))
            };
            let size = 4.0 * draw();
            let h: Vec<f64> = (0..rows).map(|_| size * draw()).collect();
            let mut delta: Vec<Vec<f64>> = own.iter().map(|of| of.iter().map(|_| draw()).collect()).collect();
            let length = delta.iter().flatten().map(|d| d * d).sum::<f64>().sqrt();
            delta.iter_mut().flatten().for_each(|d| *d *= sigma / length);
            let perturbed: Vec<Vec<f64>> =
                own.iter().zip(&delta).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect();
            let (here, there) = (run(&own, &h), run(&perturbed, &h));
            // The two ReLUs are the function that the network applies.
            h.iter()
                .zip(&here)
                .for_each(|(h, z)| assert!((super::super::network::apply_rounding(*h) - z).abs() < 1e-13));
            let apart = norm(&here.iter().zip(&there).map(|(a, b)| a - b).collect::<Vec<_>>());
            worst = worst.max(apart / (sigma * norm(&h).max(1.0)));
        }
        assert!(worst <= kappa && worst > 0.5, "{worst} {kappa}");
    }

    #[test]
    fn the_bound_is_its_smallest_term() {
        let network = network(Circuit::relay(5));
        let bound = network.compute_margin_bounds(&[true]).unwrap().unwrap();
        let of = bound.constants;
        assert_eq!((of.lambda, of.sigma_zeta), (1.0, 1.0 / 3.0));
        let min_term = of.terms().into_iter().map(|(_, term)| term).fold(1.0, f64::min);
        assert_eq!(bound.theorem, min_term);
        // The radius is where it meets σ_ζ/(4λμκ_ξ), the next term.
        assert!((of.terms()[6].1 - bound.theorem).abs() < 1e-12);
        // An ID gate at h = 1: c₁ = √2 and c₂ = √((1 + √2 s)² + 1).
        let c2 = (1.0 + 2f64.sqrt() * of.sigma) * (1.0 + 2f64.sqrt() * of.sigma) + 1.0;
        assert!((of.kappa_theta - (2.0 + c2).sqrt()).abs() < 1e-12);
        // The last layer is 2z − 1: μ = 2 + s.
        assert!((of.mu - (2.0 + of.sigma)).abs() < 1e-12);
        // With fixed rounding the proof gives the paper's 1/3 for its own example (claim 3.5).
        let toy =
            ReluNetwork::toy(50, Rounding::On).unwrap().compute_margin_bounds(&[true]).unwrap().unwrap();
        assert!((toy.proof - 1.0 / 3.0).abs() < 1e-12);
    }

    /// The expected numbers are from an independent program, with its own matrices of lemma B.1 and the constants of the
    /// module's documentation: the theorem with all its terms, its formula with κ_ξ = 0, and the proof with E₁ = 0.
    #[test]
    fn the_three_bounds_equal_those_of_an_independent_program() {
        let xor = Circuit::parity(2, ParityOrder::Chain).unwrap().to_layers().unwrap();
        let deep = xor.clone().pad_to_depth(64).unwrap();
        for (network, input, [bound, formula, held]) in [
            (
                network(Circuit::parity(4, ParityOrder::Chain)),
                4,
                [0.003318893758, 0.043714518117, 0.085853453995],
            ),
            (
                ReluNetwork::new(&xor, Rounding::On).unwrap(),
                2,
                [0.004705608861, 0.067936942661, 0.135260383857],
            ),
            (
                ReluNetwork::new(&deep, Rounding::On).unwrap(),
                2,
                [0.004705608861, 0.067936942661, 0.135260383857],
            ),
            (network(Circuit::relay(5)), 1, [0.006647630012, 0.080921619942, 0.157236572626]),
        ] {
            let found = network.compute_margin_bounds(&vec![true; input]).unwrap().unwrap();
            for (found, expected) in
                [(found.theorem, bound), (found.fixed_rounding, formula), (found.proof, held)]
            {
                assert!((found - expected).abs() < 1e-11, "{found} {expected}");
            }
        }
    }

    #[test]
    fn without_rounding_there_is_no_bound() {
        let circuit = Circuit::relay(5).unwrap().to_layers().unwrap();
        assert_eq!(
            ReluNetwork::new(&circuit, Rounding::Off).unwrap().compute_margin_bounds(&[true]),
            Ok(None)
        );
        assert_eq!(ReluNetwork::toy(5, Rounding::Off).unwrap().compute_margin_bounds(&[true]), Ok(None));
        assert!(ReluNetwork::toy(5, Rounding::Off).unwrap().compute_margin_bounds(&[]).is_err());
    }
}
