//! The least-norm perturbation that changes a network's answer, searched along the boundary from several starts.
//!
//! ```text
//! minimise r(u),  the distance from θ to the boundary along the unit vector u
//! step     u ← (1 − α) u + α g,   g = −∇slack / ‖∇slack‖ at the boundary point r(u) u,   the best α of 1, ½, ¼, …
//! ```
//!
//! Where the boundary is a plane, α = 1 ends the search in one step: the point of a plane nearest to θ lies along its
//! normal. With α = 1 this is the iteration of Hasofer, Lind, Rackwitz and Fiessler for the design point of structural
//! reliability (Rackwitz and Fiessler 1978), a Newton step that is projected back to the boundary.
//!
//! ReLUs and rounding make kinks, and the search often stops at one. So each step has three targets g in turn: the normal
//! that takes, at every kink, the side to which the answer changes sooner; the normal with the flat side; and the point
//! nearest to θ beyond all of the last planes, where the boundary is made of several.
//!
//! At the end the nearest end points of the descents are polished. Random points around each, at several distances, are
//! evaluated: if one is beyond the boundary, the search moves there. The tangent planes of the boundary there are further
//! targets, each alone (if one side of a kink is enough to change the answer), and the point nearest to θ beyond all of them
//! (if both sides are needed). Polishing ends after two rounds without an improvement.
//!
//! The search is a sequence of small [iterations](super::LeastNormSearch), so that it can be shown, paused and resumed.
//!
//! # Why
//! The result is a perturbation that does change the answer, so that its norm is an upper bound on the margin; it is the
//! margin itself where the search has found the nearest point, which nothing proves for a circuit. Starts: the gradient at θ,
//! which is 0 with rounding; for every neuron, the perturbation of the neuron's weights and bias that changes its
//! pre-activation most, up and down; and the smallest noise of
//! [`ReluNetwork::find_noise_flips`](super::ReluNetwork::find_noise_flips), so that no noise measured with the same seed is
//! smaller. The search descends from the nearest of all these.
//!
//! Measured on parities of 4 and 8 bits, the carry of 4 bits, the majority of 7 and a random circuit of 40 gates, each with
//! and without rounding: 64 starts and 400 steps find nothing that is nearer than with 12 starts and 40 steps by more than
//! 0.2 %. In 510 searches (31 random circuits of 15 gates, small parities, a carry and the majority of 5, some of them
//! with 11 seeds), 400 random directions around an end point gave a nearer point, by 10⁻⁶, for 8 ends that were not polished
//! and for none that was. One of these, of the majority of 5, was still improving, by 10⁻⁵ per round, at the maximum
//! number of rounds. An end point is only a local minimum: a search with another seed may end at a norm that is nearly half.
//! 2026-11-25.

use super::boundary::NoiseFlip;

/// Seed and effort of a [`LeastNormSearch`](super::LeastNormSearch): numbers of directions, starting points and
/// steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchSettings {
    /// Seed of the noise directions and of the random directions in which end points of descents are polished.
    pub seed: u64,
    /// Number of random noise directions that are candidates for starting points.
    pub draws: usize,
    /// Number of starting points from which the search descends along the boundary: the candidates with the
    /// smallest norms.
    pub starts: usize,
    /// Maximum number of steps of the descent from each starting point.
    pub steps: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings { seed: 0, draws: 8, starts: 16, steps: 60 }
    }
}

/// The smallest perturbation δ that a search found for which the network with the parameters θ + δ gives another answer
/// than with θ.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastNormPerturbation {
    /// The norm ‖δ‖₂ of the perturbation, an upper bound on the all-layer margin.
    pub norm: f64,
    /// The perturbation δ of all parameters, `[parameters]`; 0 for fixed parameters.
    pub delta: Vec<f64>,
    /// Norms ‖δ‖₂ of the perturbations where the descents ended, one for each starting point, before polishing.
    pub ends: Vec<f64>,
    /// For each random direction the smallest noise that changes the answer, smallest norm first.
    pub noise: Vec<NoiseFlip>,
    /// Number of evaluations of the network's output in the whole search, including those for the noise directions.
    pub evaluations: u64,
}
