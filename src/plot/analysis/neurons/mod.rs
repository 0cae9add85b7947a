//! Fourier analysis of the neurons of a network on pairs of group elements: the irreps of their weights, phases and
//! norms.
//!
//! ```text
//! f(a, b)[c] = Σᵢ σ(uᵢ[a] + vᵢ[b]) wᵢ[c],   ωᵢ = (uᵢ, vᵢ, wᵢ)
//! ```
//!
//! Each of u, v and w is a function on the group, and the matrix entries of the irreps are an orthogonal basis of
//! those. Networks of largest margin have every neuron in one non-trivial irrep, the same in u, v and w (Edelman
//! 2024, theorems 7.7 and 7.9); for Z_p that is one frequency, and the phase of w is the sum of those of u and v.
//!
//! | module | contents |
//! |---|---|
//! | [`survey`] | [`NeuronSpectra`] from weights, in portions |
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

use super::progress::ModularOperation;
pub use survey::NeuronSpectraBuilder;
use vivarium_core::math::median;

/// Minimum of ‖ω‖³ for a live neuron, as a share of the largest ‖ω‖³, where ω joins all weights of a neuron. The
/// gradient of the L₂,₃ penalty vanishes with the norm, so training never removes small neurons, whose directions are
/// meaningless.
pub const MIN_LIVE_SHARE: f64 = 1e-3;

/// One of the three weight functions on the group that make up a neuron of a network on pairs of group elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeuronPart {
    /// u, the embedding of the first element.
    First,
    /// v, the embedding of the second element.
    Second,
    /// w, the output weights.
    Output,
}

impl NeuronPart {
    /// All parts, in the order of the arrays of a [`NeuronSpectraBuilder`].
    pub const ALL: [NeuronPart; 3] = [NeuronPart::First, NeuronPart::Second, NeuronPart::Output];

    /// Letter of this weight function in the papers: u, v or w.
    pub fn letter(self) -> &'static str {
        ["u", "v", "w"][self as usize]
    }
}

/// Power (squared norm) of each part of each neuron in each irreducible representation (irrep) of a group, with norms
/// and, for cyclic groups, phases. The parts of a neuron are its weight functions u, v and w.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuronSpectra {
    /// Number of parts per neuron: 3 (u, v and w), or 1 if only an embedding u is given.
    parts: usize,
    /// Number of irreps of the group, including the trivial one.
    irreps: usize,
    /// Norm of each neuron over all its parts.
    norms: Vec<f32>, // [neurons]
    /// Squared norm of each part of each neuron in each irrep.
    powers: Vec<f32>, // [parts, neurons, irreps]
    /// Phase in radians of each part of each neuron at the neuron's dominant frequency; empty unless the group is
    /// cyclic.
    phases: Vec<f32>, // [parts, neurons], or none
}

impl NeuronSpectra {
    /// Number of neurons of the network, live or not.
    pub fn neuron_count(&self) -> usize {
        self.norms.len()
    }

    /// Number of irreps of the group, including the trivial one.
    pub fn irrep_count(&self) -> usize {
        self.irreps
    }

    /// Number of parts (weight functions) per neuron: 3, or 1 if only an embedding is given.
    pub fn part_count(&self) -> usize {
        self.parts
    }

    /// Whether the phases of the weight functions are known, which only cyclic groups have.
    pub fn has_phases(&self) -> bool {
        !self.phases.is_empty()
    }

    /// Norm ‖ω‖ of the neuron with this index over all its weight functions.
    pub fn norm(&self, neuron: usize) -> f32 {
        self.norms[neuron]
    }

    /// Squared norm of one part (u, v or w) of a neuron in each irrep; empty if this part is not given.
    pub fn powers(&self, part: NeuronPart, neuron: usize) -> &[f32] {
        let from = (part as usize * self.neuron_count() + neuron) * self.irreps;
        if (part as usize) < self.parts { &self.powers[from..from + self.irreps] } else { &[] }
    }

    /// The parts of neurons that are given: u, v and w, or u alone.
    fn known_parts(&self) -> impl Iterator<Item = NeuronPart> {
        NeuronPart::ALL.into_iter().take(self.parts)
    }

    /// Squared norm of a neuron in each irrep, summed over its parts u, v and w.
    fn total_powers(&self, neuron: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.irreps];
        for part in self.known_parts() {
            let powers = self.powers(part, neuron);
            sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += f64::from(*power));
        }
        sums
    }

    /// Share of each irrep in the squared norm of a neuron over all its parts; all zero if the neuron is zero.
    pub fn shares(&self, neuron: usize) -> Vec<f32> {
        let sums = self.total_powers(neuron);
        let total: f64 = sums.iter().sum();
        sums.iter().map(|sum| if total > 0.0 { (sum / total) as f32 } else { 0.0 }).collect()
    }

    /// For each neuron, the largest share of one irrep in the squared norm of a part: max_R ‖u_R‖² / ‖u‖² for u with
    /// component u_R in irrep R, the trivial irrep included (Edelman 2024, figures 7.4 and 7.6); 0 if the part is zero.
    pub fn largest_shares(&self, part: NeuronPart) -> Vec<f32> {
        let largest = |neuron| {
            let powers = self.powers(part, neuron);
            let total: f64 = powers.iter().map(|power| f64::from(*power)).sum();
            let most = powers.iter().fold(0.0f32, |most, power| most.max(*power));
            if total > 0.0 { (f64::from(most) / total) as f32 } else { 0.0 }
        };
        (0..self.neuron_count()).map(largest).collect()
    }

    /// Indices of the live neurons, ascending: those with ‖ω‖³ of at least [`MIN_LIVE_SHARE`] of the largest.
    pub fn live_neurons(&self) -> Vec<usize> {
        let most = self.norms.iter().fold(0.0f32, |most, norm| most.max(*norm));
        let cube = |norm: f32| f64::from(norm) * f64::from(norm) * f64::from(norm);
        let is_live = |neuron: &usize| most > 0.0 && cube(self.norms[*neuron]) >= MIN_LIVE_SHARE * cube(most);
        (0..self.neuron_count()).filter(is_live).collect()
    }

    /// Index of the irrep with the largest squared norm in a neuron, summed over its parts; the first at a tie.
    pub fn dominant_irrep(&self, neuron: usize) -> usize {
        argmax(&self.total_powers(neuron))
    }

    /// Index of the irrep with the largest squared norm in one part (u, v or w) of a neuron; the first at a tie.
    pub fn dominant_irrep_of_part(&self, part: NeuronPart, neuron: usize) -> usize {
        let powers: Vec<f64> = self.powers(part, neuron).iter().map(|power| f64::from(*power)).collect();
        argmax(&powers)
    }

    /// Share of the live neurons whose parts u, v and w all have the same dominant irrep; `None` if no neuron is live.
    pub fn dominant_irrep_agreement(&self) -> Option<f32> {
        let live = self.live_neurons();
        let agrees = |neuron: &&usize| {
            let first = self.dominant_irrep_of_part(NeuronPart::First, **neuron);
            self.known_parts().all(|part| self.dominant_irrep_of_part(part, **neuron) == first)
        };
        let agreeing = live.iter().filter(agrees).count();
        (!live.is_empty()).then(|| agreeing as f32 / live.len() as f32)
    }

    /// Phase θ in (−π, π] of one part of a neuron: at the neuron's dominant frequency ζ the part is A cos(θ + 2πζa/p)
    /// for a in Z_p, A ≥ 0. `None` without phases and at frequency 0.
    pub fn phase(&self, part: NeuronPart, neuron: usize) -> Option<f32> {
        let known = self.has_phases() && (part as usize) < self.parts && self.dominant_irrep(neuron) != 0;
        known.then(|| self.phases[part as usize * self.neuron_count() + neuron])
    }

    /// The [residual](ModularOperation::residual) of the phases of a neuron's parts, in (−π, π], which is 0 in
    /// max-margin networks; `None` if the phase of a part is missing.
    pub fn phase_residual(&self, neuron: usize, operation: ModularOperation) -> Option<f32> {
        let [u, v, w] = NeuronPart::ALL.map(|part| self.phase(part, neuron).map(f64::from));
        Some(wrap_angle(operation.residual([u?, v?, w?])) as f32)
    }

    /// Ratio ‖u‖ / ‖w‖ of the norms of a neuron's embedding u and output weights w within its dominant irrep, which is
    /// 1 in max-margin networks; `None` if w is not given or is zero in this irrep.
    pub fn amplitude_ratio(&self, neuron: usize) -> Option<f32> {
        let irrep = self.dominant_irrep(neuron);
        let at = |part| self.powers(part, neuron).get(irrep).map(|power| f64::from(*power));
        let (u, w) = (at(NeuronPart::First)?, at(NeuronPart::Output)?);
        (w > 0.0).then(|| libm::sqrt(u / w) as f32)
    }

    /// For each irrep, the number of live neurons of which it is the dominant irrep.
    pub fn count_per_irrep(&self) -> Vec<usize> {
        let mut counts = vec![0; self.irreps];
        self.live_neurons().into_iter().for_each(|neuron| counts[self.dominant_irrep(neuron)] += 1);
        counts
    }

    /// For each irrep, the share of Σ ‖ω‖^`exponent` over live neurons that belongs to neurons of which it is the
    /// dominant irrep; ‖ω‖ is a neuron's norm, and the exponent one more than the degree of the activation. All zero if
    /// no neuron is live.
    pub fn norm_mass_per_irrep(&self, exponent: u32) -> Vec<f32> {
        let mut masses = vec![0.0f64; self.irreps];
        for neuron in self.live_neurons() {
            masses[self.dominant_irrep(neuron)] +=
                libm::pow(f64::from(self.norms[neuron]), f64::from(exponent));
        }
        let total: f64 = masses.iter().sum();
        masses.iter().map(|mass| if total > 0.0 { (mass / total) as f32 } else { 0.0 }).collect()
    }

    /// Median over live neurons of the largest share of one irrep in the squared norm of a part; `None` if no neuron is
    /// live.
    pub fn median_share(&self, part: NeuronPart) -> Option<f32> {
        let shares = self.largest_shares(part);
        let mut live: Vec<f32> = self.live_neurons().into_iter().map(|neuron| shares[neuron]).collect();
        live.sort_unstable_by(f32::total_cmp);
        median(&live)
    }

    /// Share of the live neurons that have, in each of their parts, more than the fraction `share`, from 0 to 1, of the
    /// squared norm in one irrep; `None` if no neuron is live.
    pub fn pure_neuron_share(&self, share: f32) -> Option<f32> {
        let parts: Vec<Vec<f32>> = self.known_parts().map(|part| self.largest_shares(part)).collect();
        let live = self.live_neurons();
        let pure = live.iter().filter(|neuron| parts.iter().all(|shares| shares[**neuron] > share)).count();
        (!live.is_empty()).then(|| pure as f32 / live.len() as f32)
    }

    /// Encodes everything as floats for sending: number of parts, whether there are phases, norms `[neurons]`, powers
    /// `[parts, neurons, irreps]`, and phases `[parts, neurons]` if any.
    pub fn to_numbers(&self) -> Vec<f32> {
        let head = [self.parts as f32, if self.has_phases() { 1.0 } else { 0.0 }];
        [&head, self.norms.as_slice(), &self.powers, &self.phases].concat()
    }

    /// Decodes floats that [`NeuronSpectra::to_numbers`] encoded, for `neurons` neurons and `irreps` irreps; `None` if
    /// their number does not match.
    pub fn from_numbers(neurons: usize, irreps: usize, numbers: &[f32]) -> Option<NeuronSpectra> {
        let parts = (1..=NeuronPart::ALL.len()).find(|parts| numbers.first() == Some(&(*parts as f32)))?;
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
        Some(NeuronSpectra {
            parts,
            irreps,
            norms: norms.to_vec(),
            powers: powers.to_vec(),
            phases: phases.to_vec(),
        })
    }
}

/// Index of the largest value; the first at a tie, 0 if all are NaN.
fn argmax(values: &[f64]) -> usize {
    let best = values.iter().enumerate().filter(|(_, value)| !value.is_nan());
    best.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(at, _)| at)
}

/// The angle in radians, wrapped to (−π, π].
fn wrap_angle(angle: f64) -> f64 {
    let turned = angle - 2.0 * PI * libm::round(angle / (2.0 * PI));
    if turned <= -PI { turned + 2.0 * PI } else { turned }
}
