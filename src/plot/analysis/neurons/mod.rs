//! What each neuron of a trained network on pairs has become: which irreps its weights lie in, with which phases,
//! and how large it is.
//!
//! ```text
//! f(a, b)[c] = Σᵢ σ(uᵢ[a] + vᵢ[b]) wᵢ[c],   ωᵢ = (uᵢ, vᵢ, wᵢ)
//! ```
//!
//! Each of u, v and w is a function on the group, and the matrix entries of the irreps are an orthogonal basis of
//! those. Networks of largest margin have every neuron in one non-trivial irrep, the same in u, v and w (Edelman
//! 2024, theorems 7.7 and 7.9); for Z_p that is one frequency, and the phase of w is the sum of those of u and v.
//!
//! | module | what it gives |
//! |---|---|
//! | [`survey`] | [`Neurons`] from weights, in portions |
//! | [`readings`] | histograms and charts per irrep |
//! | [`wave`] | one neuron's weights over the group |
//! | [`logits`] | whether margins and wrong logits are equal |
//! | [`cosets`] | which neurons are constant on cosets |
//! | [`character_table`] | the character table |
//!
//! # Why
//! A worker sends the page this summary rather than weights: it is shorter, and the bases stay where they are.

pub mod character_table;
pub mod cosets;
pub mod logits;
pub mod readings;
pub mod survey;
#[cfg(test)]
mod tests;
pub mod wave;

use std::f64::consts::PI;

use super::progress::Operation;
pub use survey::Survey;
use vivarium_core::math::median;

/// A neuron is live from this share of the largest ‖ω‖³ on. The gradient of the L₂,₃ penalty vanishes with the
/// norm, so that training never removes the small ones, and their directions mean nothing.
pub const LIVE: f64 = 1e-3;

/// One of a neuron's three functions on the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// u, the embedding of the first element.
    First,
    /// v, the embedding of the second element.
    Second,
    /// w, the output weights.
    Output,
}

impl Part {
    /// All of them, in the order in which a [`Survey`] takes their arrays.
    pub const ALL: [Part; 3] = [Part::First, Part::Second, Part::Output];

    /// The letter that papers have for it.
    pub fn letter(self) -> &'static str {
        ["u", "v", "w"][self as usize]
    }
}

/// The power of every neuron in every irrep, with norms and, for cyclic groups, phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Neurons {
    parts: usize,
    irreps: usize,
    norms: Vec<f32>,  // [neurons]
    powers: Vec<f32>, // [parts, neurons, irreps]
    phases: Vec<f32>, // [parts, neurons], or none
}

impl Neurons {
    /// Number of neurons, dead ones among them.
    pub fn neurons(&self) -> usize {
        self.norms.len()
    }

    /// Number of irreps, the trivial one among them.
    pub fn irreps(&self) -> usize {
        self.irreps
    }

    /// Number of functions per neuron: 3, or 1 if only an embedding is known.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Whether there are phases, as for cyclic groups.
    pub fn has_phases(&self) -> bool {
        !self.phases.is_empty()
    }

    /// ‖ω‖ of a neuron, over all its parts.
    pub fn norm(&self, neuron: usize) -> f32 {
        self.norms[neuron]
    }

    /// The squared norm of a part within each irrep; empty for a part that is not known.
    pub fn powers(&self, part: Part, neuron: usize) -> &[f32] {
        let from = (part as usize * self.neurons() + neuron) * self.irreps;
        if (part as usize) < self.parts { &self.powers[from..from + self.irreps] } else { &[] }
    }

    /// The parts that are known.
    fn known(&self) -> impl Iterator<Item = Part> {
        Part::ALL.into_iter().take(self.parts)
    }

    /// The squared norm within each irrep, over all parts.
    fn summed(&self, neuron: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.irreps];
        for part in self.known() {
            let powers = self.powers(part, neuron);
            sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += f64::from(*power));
        }
        sums
    }

    /// The share of each irrep in a neuron's squared norm, over all parts; all zero for a neuron that is zero.
    pub fn shares(&self, neuron: usize) -> Vec<f32> {
        let sums = self.summed(neuron);
        let total: f64 = sums.iter().sum();
        sums.iter().map(|sum| if total > 0.0 { (sum / total) as f32 } else { 0.0 }).collect()
    }

    /// The largest share of an irrep in a part, `max_R ‖u_R‖² / ‖u‖²` with the trivial irrep among them, per neuron
    /// (Edelman 2024, figures 7.4 and 7.6); 0 where the part is zero.
    pub fn largest_shares(&self, part: Part) -> Vec<f32> {
        let largest = |neuron| {
            let powers = self.powers(part, neuron);
            let total: f64 = powers.iter().map(|power| f64::from(*power)).sum();
            let most = powers.iter().fold(0.0f32, |most, power| most.max(*power));
            if total > 0.0 { (f64::from(most) / total) as f32 } else { 0.0 }
        };
        (0..self.neurons()).map(largest).collect()
    }

    /// The neurons that count, rising: those with ‖ω‖³ of at least [`LIVE`] of the largest.
    pub fn live(&self) -> Vec<usize> {
        let most = self.norms.iter().fold(0.0f32, |most, norm| most.max(*norm));
        let cube = |norm: f32| f64::from(norm) * f64::from(norm) * f64::from(norm);
        let is_live = |neuron: &usize| most > 0.0 && cube(self.norms[*neuron]) >= LIVE * cube(most);
        (0..self.neurons()).filter(is_live).collect()
    }

    /// The irrep with most of a neuron's squared norm; of equal ones the first.
    pub fn dominant(&self, neuron: usize) -> usize {
        largest(&self.summed(neuron))
    }

    /// The irrep with most of a part's squared norm; of equal ones the first.
    pub fn dominant_of(&self, part: Part, neuron: usize) -> usize {
        let powers: Vec<f64> = self.powers(part, neuron).iter().map(|power| f64::from(*power)).collect();
        largest(&powers)
    }

    /// The share of live neurons whose parts have the same dominant irrep; none if no neuron is live.
    pub fn agreement(&self) -> Option<f32> {
        let live = self.live();
        let agrees = |neuron: &&usize| {
            let first = self.dominant_of(Part::First, **neuron);
            self.known().all(|part| self.dominant_of(part, **neuron) == first)
        };
        let agreeing = live.iter().filter(agrees).count();
        (!live.is_empty()).then(|| agreeing as f32 / live.len() as f32)
    }

    /// θ in `A cos(θ + 2πζa/p)`, which a part of a neuron is at its dominant frequency ζ, within (−π, π]; none without
    /// phases, and at frequency 0, where nothing turns.
    pub fn phase(&self, part: Part, neuron: usize) -> Option<f32> {
        let known = self.has_phases() && (part as usize) < self.parts && self.dominant(neuron) != 0;
        known.then(|| self.phases[part as usize * self.neurons() + neuron])
    }

    /// The [residual](Operation::residual) of the phases within (−π, π], which is 0 in networks of largest margin; none
    /// where a phase is none.
    pub fn phase_residual(&self, neuron: usize, operation: Operation) -> Option<f32> {
        let [u, v, w] = Part::ALL.map(|part| self.phase(part, neuron).map(f64::from));
        Some(wrapped(operation.residual([u?, v?, w?])) as f32)
    }

    /// ‖u‖ / ‖w‖ within the dominant irrep, which is 1 in networks of largest margin; none without w, or where w has
    /// nothing of it.
    pub fn amplitude_ratio(&self, neuron: usize) -> Option<f32> {
        let irrep = self.dominant(neuron);
        let at = |part| self.powers(part, neuron).get(irrep).map(|power| f64::from(*power));
        let (u, w) = (at(Part::First)?, at(Part::Output)?);
        (w > 0.0).then(|| libm::sqrt(u / w) as f32)
    }

    /// Live neurons per dominant irrep.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.irreps];
        self.live().into_iter().for_each(|neuron| counts[self.dominant(neuron)] += 1);
        counts
    }

    /// The share of each dominant irrep in Σ ‖ω‖^exponent over live neurons; the exponent is one more than the
    /// activation's degree. All zero if no neuron is live.
    pub fn masses(&self, exponent: u32) -> Vec<f32> {
        let mut masses = vec![0.0f64; self.irreps];
        for neuron in self.live() {
            masses[self.dominant(neuron)] += libm::pow(f64::from(self.norms[neuron]), f64::from(exponent));
        }
        let total: f64 = masses.iter().sum();
        masses.iter().map(|mass| if total > 0.0 { (mass / total) as f32 } else { 0.0 }).collect()
    }

    /// The median of the largest share of a part over live neurons; none if no neuron is live.
    pub fn median_share(&self, part: Part) -> Option<f32> {
        let shares = self.largest_shares(part);
        let mut live: Vec<f32> = self.live().into_iter().map(|neuron| shares[neuron]).collect();
        live.sort_unstable_by(f32::total_cmp);
        median(&live)
    }

    /// The share of the live neurons that have more than `share` of the power of each part in one irrep; none if no neuron
    /// is live.
    pub fn pure(&self, share: f32) -> Option<f32> {
        let parts: Vec<Vec<f32>> = self.known().map(|part| self.largest_shares(part)).collect();
        let live = self.live();
        let pure = live.iter().filter(|neuron| parts.iter().all(|shares| shares[**neuron] > share)).count();
        (!live.is_empty()).then(|| pure as f32 / live.len() as f32)
    }

    /// All of it as numbers, to be sent: parts, whether there are phases, norms `[neurons]`, powers
    /// `[parts, neurons, irreps]`, and phases `[parts, neurons]` if there are any.
    pub fn to_numbers(&self) -> Vec<f32> {
        let head = [self.parts as f32, if self.has_phases() { 1.0 } else { 0.0 }];
        [&head, self.norms.as_slice(), &self.powers, &self.phases].concat()
    }

    /// What [`Neurons::to_numbers`] has made; none of numbers that cannot be that, for so many neurons and irreps.
    pub fn from_numbers(neurons: usize, irreps: usize, numbers: &[f32]) -> Option<Neurons> {
        let parts = (1..=Part::ALL.len()).find(|parts| numbers.first() == Some(&(*parts as f32)))?;
        let phases = match numbers.get(1)? {
            0.0 => 0,
            1.0 => parts.checked_mul(neurons)?,
            _ => return None,
        };
        let powers = parts.checked_mul(neurons)?.checked_mul(irreps)?;
        let rest = &numbers[2..];
        if irreps == 0 || rest.len() != neurons.checked_add(powers)?.checked_add(phases)? {
            return None;
        }
        let (norms, rest) = rest.split_at(neurons);
        let (powers, phases) = rest.split_at(powers);
        Some(Neurons {
            parts,
            irreps,
            norms: norms.to_vec(),
            powers: powers.to_vec(),
            phases: phases.to_vec(),
        })
    }
}

/// Where the largest value is; of equal ones the first, and 0 where none is a number.
fn largest(values: &[f64]) -> usize {
    let best = values.iter().enumerate().filter(|(_, value)| !value.is_nan());
    best.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(at, _)| at)
}

/// An angle within (−π, π].
fn wrapped(angle: f64) -> f64 {
    let turned = angle - 2.0 * PI * libm::round(angle / (2.0 * PI));
    if turned <= -PI { turned + 2.0 * PI } else { turned }
}
