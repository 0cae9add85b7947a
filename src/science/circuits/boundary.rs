//! The boundary beyond which a network gives the other answer to one input, and the smallest noise that crosses it.
//!
//! ```text
//! slack(δ) = ± F(x, θ + δ),  the sign being that of F(x, θ):  positive where the answer is unchanged
//! σ*(ε)    = the smallest σ found with slack(σ ε) ≤ 0,        ε normal numbers, one for every parameter
//! ρ        ≤ σ*(ε) ‖ε‖₂                                       for every ε
//! ```
//!
//! # Why
//! σ itself is no bound on ρ: noise of scale σ on p parameters has the norm σ √p. Both numbers are given. Along a direction
//! the answer may change and change back; σ is raised in steps of a fifth until the answer has changed, and only then is it
//! bisected. Whatever is found lies beyond the boundary, so that the bound holds even where an earlier crossing was missed.

use super::error::{CircuitError, within};
use super::limits::MOST_DRAWS;
use super::network::Network;

/// The smallest σ that is tried, 2⁻¹⁰.
const LEAST_SIGMA: f64 = 1.0 / 1024.0;
/// The largest σ that is tried.
const MOST_SIGMA: f64 = 8.0;
/// 2^¼.
const STEP: f64 = 1.189_207_115_002_721;

/// Where noise in one direction changes the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Flip {
    /// Which draw of the noise it is.
    pub draw: u32,
    /// Scale σ of the noise.
    pub sigma: f64,
    /// Norm ‖σ ε‖₂ of the perturbation, which no margin exceeds.
    pub norm: f64,
    /// The perturbation.
    pub delta: Vec<f64>,
}

impl Network {
    /// The smallest noise in each of `draws` directions that changes the answer to an input, smallest norm first.
    ///
    /// Draws whose noise changes nothing up to σ = 8 are left out.
    pub fn noise_flips(&self, bits: &[bool], seed: u64, draws: usize) -> Result<Vec<Flip>, CircuitError> {
        Ok(Boundary::new(self, bits)?
            .noise(seed, within(draws, 1, MOST_DRAWS)?)
            .into_iter()
            .map(Flip::of)
            .collect())
    }
}

impl Flip {
    pub(super) fn of((draw, length, point): (u32, f64, Point)) -> Self {
        let Point { unit, high: norm, .. } = point;
        Flip { draw, sigma: norm / length, norm, delta: unit.iter().map(|u| norm * u).collect() }
    }
}

/// A point of the boundary: `unit` times `high` changes the answer, and times `low`, which is hardly less, it does not yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    pub unit: Vec<f64>,
    pub low: f64,
    pub high: f64,
}

/// The answer of one network to one input, and which perturbations change it.
pub(super) struct Boundary<'a> {
    pub network: &'a Network,
    pub inputs: Vec<f64>,
    /// The sign of F without a perturbation.
    pub sign: f64,
    /// How often F was computed.
    pub evaluations: u64,
}

impl<'a> Boundary<'a> {
    pub fn new(network: &'a Network, bits: &[bool]) -> Result<Self, CircuitError> {
        Ok(Boundary::of(network, network.numbers(bits)?))
    }

    /// The same of inputs that are numbers already.
    pub fn of(network: &'a Network, inputs: Vec<f64>) -> Self {
        let sign = if network.run(network.theta(), &inputs) > 0.0 { 1.0 } else { -1.0 };
        Boundary { network, inputs, sign, evaluations: 0 }
    }

    /// Whether the perturbation `radius` · `unit` changes the answer.
    pub fn flips(&mut self, unit: &[f64], radius: f64) -> bool {
        self.evaluations += 1;
        self.sign * self.network.run(&self.network.moved(unit, radius), &self.inputs) <= 0.0
    }

    /// The boundary in the directions of so many draws of noise: draw, length of the direction and point, nearest first.
    pub fn noise(&mut self, seed: u64, draws: usize) -> Vec<(u32, f64, Point)> {
        let mut found = Vec::new();
        for draw in 0..draws as u32 {
            let (unit, length) = self.drawn(seed, draw);
            found.extend(self.noisy(unit, length).map(|point| (draw, length, point)));
        }
        found.sort_by(|a, b| a.2.high.total_cmp(&b.2.high));
        found
    }

    /// The direction of a draw of noise, and the length that it had.
    pub fn drawn(&self, seed: u64, draw: u32) -> (Vec<f64>, f64) {
        let mut unit = self.network.direction(seed, draw);
        let length = norm(&unit);
        unit.iter_mut().for_each(|u| *u /= length);
        (unit, length)
    }

    /// Where noise in this direction first changes the answer.
    pub fn noisy(&mut self, unit: Vec<f64>, length: f64) -> Option<Point> {
        let point = self.first(unit, [LEAST_SIGMA, MOST_SIGMA].map(|sigma| sigma * length), STEP)?;
        Some(self.sharp(point))
    }

    /// The first radius from `least` to `most`, in steps of a factor, at which the answer is changed.
    pub fn first(&mut self, unit: Vec<f64>, [least, most]: [f64; 2], step: f64) -> Option<Point> {
        let (mut low, mut high) = (0.0, least);
        while high <= most {
            if self.flips(&unit, high) {
                return Some(Point { unit, low, high });
            }
            (low, high) = (high, high * step);
        }
        None
    }

    /// The same point as exactly as numbers allow.
    pub fn sharp(&mut self, point: Point) -> Point {
        self.bisected(point, 1e-12)
    }

    /// The same point up to a relative error.
    pub fn bisected(&mut self, mut point: Point, tolerance: f64) -> Point {
        while point.high - point.low > tolerance * point.high {
            let middle = 0.5 * (point.low + point.high);
            match self.flips(&point.unit, middle) {
                true => point.high = middle,
                false => point.low = middle,
            }
        }
        point
    }
}

/// ‖v‖₂.
pub(super) fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, Rounding};

    #[test]
    fn noise_is_found_where_it_first_changes_the_answer() {
        let network = Network::toy(9, Rounding::Off).unwrap();
        let flips = network.noise_flips(&[true], 4, 20).unwrap();
        assert!(flips.len() > 5);
        for flip in &flips {
            let theta = network.moved(&flip.delta, 1.0);
            assert!(network.output_at(&theta, &[true]).unwrap() <= 1e-9);
            let less = network.moved(&flip.delta, 1.0 - 1e-9);
            assert!(network.output_at(&less, &[true]).unwrap() > 0.0);
            let direction = network.direction(4, flip.draw);
            assert!((flip.sigma * norm(&direction) - flip.norm).abs() < 1e-12);
            assert!(flip.norm >= super::super::margin::toy_margin(9).unwrap());
        }
        assert!(flips.is_sorted_by(|a, b| a.norm <= b.norm));
    }

    #[test]
    fn noise_is_a_function_of_seed_and_draw_and_leaves_what_is_held() {
        let network = Network::toy(5, Rounding::On).unwrap();
        let of = |seed, draw| network.direction(seed, draw);
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(1, 1));
        assert_ne!(of(1, 0), of(2, 0));
        assert_eq!(of(1, 0).iter().filter(|d| **d != 0.0).count(), 5);
        let circuit = Circuit::parity(4, super::super::named::Order::Tree).unwrap().layered().unwrap();
        let network = Network::new(&circuit, Rounding::On).unwrap();
        let all = network.direction(1, 0);
        let mean = all.iter().map(|d| d * d).sum::<f64>() / all.len() as f64;
        assert!((mean - 1.0).abs() < 0.3, "{mean}");
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let network = Network::toy(5, Rounding::On).unwrap();
        assert!(network.noise_flips(&[true], 0, 0).is_err());
        assert!(network.noise_flips(&[true], 0, 257).is_err());
        assert!(network.noise_flips(&[true, false], 0, 1).is_err());
    }
}
