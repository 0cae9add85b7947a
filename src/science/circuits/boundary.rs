//! The decision boundary in parameter space, beyond which a network's answer to one input changes, and the smallest noise that
//! crosses the boundary.
//!
//! ```text
//! slack(δ) = ± F(x, θ + δ),  the sign being that of F(x, θ):  positive where the answer is unchanged
//! σ*(ε)    = the smallest σ found with slack(σ ε) ≤ 0,        ε normal numbers, one for every parameter
//! ρ        ≤ σ*(ε) ‖ε‖₂                                       for every ε
//! ```
//!
//! # Why
//! σ itself is no bound on ρ: noise of scale σ on p parameters has the norm σ √p. Both numbers are returned. Along a direction
//! the answer may change and change back; σ is multiplied by 2^¼ until the answer has changed, and then bisected. The result
//! lies beyond the boundary, so that the bound holds even if an earlier crossing was missed.

use super::error::{CircuitError, check_range};
use super::limits::MAX_NOISE_DRAWS;
use super::network::ReluNetwork;
use vivarium_core::math::norm;

/// Smallest scale σ that a search along a noise direction ε tries: the parameters are θ + σ ε, with ε standard normal.
/// It is 2⁻¹⁰.
const MIN_SIGMA: f64 = 1.0 / 1024.0;
/// Largest scale σ that a search along a noise direction ε tries; directions that need a larger σ are left out.
const MAX_SIGMA: f64 = 8.0;
/// Ratio of two consecutive scales σ that a search along a noise direction tries: 2^¼.
const SIGMA_FACTOR: f64 = 1.189_207_115_002_721;

/// For one random direction, the smallest noise on a network's parameters that changes its output bit for one
/// input.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseFlip {
    /// Index of the random direction, from 0: the argument `draw` of [`ReluNetwork::draw_noise`].
    pub draw: u32,
    /// Scale σ of the smallest noise along the direction that changes the answer.
    pub sigma: f64,
    /// Norm ‖σ ε‖₂ of the perturbation, an upper bound on the all-layer margin, the smallest norm that changes the
    /// answer.
    pub norm: f64,
    /// The perturbation σ ε of the network's parameters, `[parameters]`.
    pub delta: Vec<f64>,
}

impl ReluNetwork {
    /// Finds, for each of `draws` random directions that `seed` determines, the smallest noise found that changes the
    /// answer for the input `bits`; smallest norm first.
    ///
    /// Directions along which no σ up to 8 changes the answer are left out.
    ///
    /// # Errors
    /// `bits` has the wrong length, or `draws` is 0 or greater than [`MAX_NOISE_DRAWS`].
    pub fn find_noise_flips(
        &self,
        bits: &[bool],
        seed: u64,
        draws: usize,
    ) -> Result<Vec<NoiseFlip>, CircuitError> {
        Ok(DecisionBoundary::new(self, bits)?
            .measure_noise(seed, check_range(draws, 1, MAX_NOISE_DRAWS)?)
            .into_iter()
            .map(NoiseFlip::new)
            .collect())
    }
}

impl NoiseFlip {
    /// Converts a crossing of the decision boundary to a flip, from the index of the random direction, the norm
    /// ‖ε‖₂ of its noise ε and the boundary point.
    pub(super) fn new((draw, length, point): (u32, f64, BoundaryPoint)) -> Self {
        let BoundaryPoint { unit, high: norm, .. } = point;
        NoiseFlip { draw, sigma: norm / length, norm, delta: unit.iter().map(|u| norm * u).collect() }
    }
}

/// A point of the decision boundary, bracketed along a direction: the perturbation `high` · `unit` changes the answer, and
/// `low` · `unit`, with `low` slightly smaller, does not.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoundaryPoint {
    /// Unit vector of the direction in parameter space, `[parameters]`.
    pub unit: Vec<f64>,
    /// Norm of the largest tested perturbation along `unit` that leaves the answer unchanged; slightly less than
    /// `high`.
    pub low: f64,
    /// Norm of the perturbation along `unit` that changes the answer: an upper bound on the all-layer margin.
    pub high: f64,
}

/// The decision boundary of one network for one input: tells which perturbations of the parameters θ change the answer,
/// the sign of the output F.
pub(super) struct DecisionBoundary<'a> {
    /// The network whose parameters are perturbed.
    pub network: &'a ReluNetwork,
    /// The input bits as numbers 0 and 1.
    pub inputs: Vec<f64>,
    /// Sign of the network's output F without a perturbation: 1 if F > 0, else −1.
    pub sign: f64,
    /// Number of evaluations of the network's output F so far.
    pub evaluations: u64,
}

impl<'a> DecisionBoundary<'a> {
    /// The decision boundary of `network` for the input `bits`; an error if the network has another number of
    /// inputs.
    pub fn new(network: &'a ReluNetwork, bits: &[bool]) -> Result<Self, CircuitError> {
        Ok(DecisionBoundary::with_inputs(network, network.encode_bits(bits)?))
    }

    /// The decision boundary for one input vector whose entries are the numbers 0 and 1, `[inputs]`.
    pub fn with_inputs(network: &'a ReluNetwork, inputs: Vec<f64>) -> Self {
        let sign = if network.output_unchecked(network.theta(), &inputs) > 0.0 { 1.0 } else { -1.0 };
        DecisionBoundary { network, inputs, sign, evaluations: 0 }
    }

    /// Whether the output F with the parameters θ + `radius` · `unit` is 0 or has another sign than with θ; `unit` is a
    /// unit vector `[parameters]`.
    pub fn changes_answer(&mut self, unit: &[f64], radius: f64) -> bool {
        self.evaluations += 1;
        self.sign * self.network.output_unchecked(&self.network.perturb(unit, radius), &self.inputs) <= 0.0
    }

    /// For `draws` random noise directions that `seed` determines, the first point where the answer changes, nearest
    /// first, as (index of the direction from 0, norm ‖ε‖₂ of its noise ε, boundary point). Directions without such a
    /// point are left out.
    pub fn measure_noise(&mut self, seed: u64, draws: usize) -> Vec<(u32, f64, BoundaryPoint)> {
        let mut found = Vec::new();
        for draw in 0..draws as u32 {
            let (unit, length) = self.draw_unit_noise(seed, draw);
            found.extend(self.find_noise_crossing(unit, length).map(|point| (draw, length, point)));
        }
        found.sort_by(|a, b| a.2.high.total_cmp(&b.2.high));
        found
    }

    /// Draws the noise ε that `seed` and the index `draw` determine; returns the unit vector ε/‖ε‖₂, `[parameters]`,
    /// and the norm ‖ε‖₂.
    pub fn draw_unit_noise(&self, seed: u64, draw: u32) -> (Vec<f64>, f64) {
        let mut unit = self.network.draw_noise(seed, draw);
        let length = norm(&unit);
        unit.iter_mut().for_each(|u| *u /= length);
        (unit, length)
    }

    /// The first point along `unit` where noise σ ε changes the answer, for σ from [`MIN_SIGMA`] to [`MAX_SIGMA`];
    /// `length` is ‖ε‖₂. `None` if no such σ changes the answer.
    pub fn find_noise_crossing(&mut self, unit: Vec<f64>, length: f64) -> Option<BoundaryPoint> {
        let point =
            self.find_first_crossing(unit, [MIN_SIGMA, MAX_SIGMA].map(|sigma| sigma * length), SIGMA_FACTOR)?;
        Some(self.bisect_fully(point))
    }

    /// Tests the perturbations of norm `min`, `min · step`, `min · step²`, … up to `max` along `unit`, and returns
    /// the first that changes the answer, not yet bisected. `None` if none does.
    pub fn find_first_crossing(
        &mut self,
        unit: Vec<f64>,
        [min, max]: [f64; 2],
        step: f64,
    ) -> Option<BoundaryPoint> {
        let (mut low, mut high) = (0.0, min);
        while high <= max {
            if self.changes_answer(&unit, high) {
                return Some(BoundaryPoint { unit, low, high });
            }
            (low, high) = (high, high * step);
        }
        None
    }

    /// Narrows the bracket `low` … `high` of a boundary point by bisection to a relative error of 10⁻¹².
    pub fn bisect_fully(&mut self, point: BoundaryPoint) -> BoundaryPoint {
        self.bisect(point, 1e-12)
    }

    /// Narrows the bracket of a boundary point by bisection until `high` − `low` is at most `tolerance` · `high`.
    pub fn bisect(&mut self, mut point: BoundaryPoint, tolerance: f64) -> BoundaryPoint {
        while point.high - point.low > tolerance * point.high {
            let middle = 0.5 * (point.low + point.high);
            match self.changes_answer(&point.unit, middle) {
                true => point.high = middle,
                false => point.low = middle,
            }
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, Rounding};

    #[test]
    fn noise_flips_are_just_beyond_the_boundary() {
        let network = ReluNetwork::toy(9, Rounding::Off).unwrap();
        let flips = network.find_noise_flips(&[true], 4, 20).unwrap();
        assert!(flips.len() > 5);
        for flip in &flips {
            let theta = network.perturb(&flip.delta, 1.0);
            assert!(network.output_at(&theta, &[true]).unwrap() <= 1e-9);
            let less = network.perturb(&flip.delta, 1.0 - 1e-9);
            assert!(network.output_at(&less, &[true]).unwrap() > 0.0);
            let direction = network.draw_noise(4, flip.draw);
            assert!((flip.sigma * norm(&direction) - flip.norm).abs() < 1e-12);
            assert!(flip.norm >= super::super::margin::toy_margin(9).unwrap());
        }
        assert!(flips.is_sorted_by(|a, b| a.norm <= b.norm));
    }

    #[test]
    fn noise_depends_on_seed_and_draw_and_is_zero_at_fixed_parameters() {
        let network = ReluNetwork::toy(5, Rounding::On).unwrap();
        let of = |seed, draw| network.draw_noise(seed, draw);
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(1, 1));
        assert_ne!(of(1, 0), of(2, 0));
        assert_eq!(of(1, 0).iter().filter(|d| **d != 0.0).count(), 5);
        let circuit =
            Circuit::parity(4, super::super::families::ParityOrder::Tree).unwrap().to_layers().unwrap();
        let network = ReluNetwork::new(&circuit, Rounding::On).unwrap();
        let all = network.draw_noise(1, 0);
        let mean = all.iter().map(|d| d * d).sum::<f64>() / all.len() as f64;
        assert!((mean - 1.0).abs() < 0.3, "{mean}");
    }

    #[test]
    fn invalid_draw_counts_and_inputs_are_rejected() {
        let network = ReluNetwork::toy(5, Rounding::On).unwrap();
        assert!(network.find_noise_flips(&[true], 0, 0).is_err());
        assert!(network.find_noise_flips(&[true], 0, 257).is_err());
        assert!(network.find_noise_flips(&[true, false], 0, 1).is_err());
    }
}
