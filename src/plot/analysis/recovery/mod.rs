//! One step reveals the bits: what the gradient of one batch at a single neuron says about the hidden set S.
//!
//! A ReLU neuron h(x) = max(0, w·x) under the correlation loss has the population gradient, up to its sign,
//!
//! ```text
//! g_i = E[1(w·x > 0) χ_S(x) x_i] = the Fourier coefficient of 1(w·x > 0) at S △ {i}
//! ```
//!
//! (Edelman 2024, proposition B.7 and section C.2). Three starts have it in closed form:
//!
//! ```text
//! signs     w in {−1, 1}ⁿ                       ½ξ_{k−1} on S, ½ξ_{k+1} elsewhere (lemma B.3)
//! ones      w has s ones and zeros              lemmas C.3 and C.4: s > k, "over-sparse"
//! perturbed w has s ones and else ε < 1/(n−s)   lemmas C.13 to C.15: s < k, "under-sparse"
//! ```
//!
//! where ξ_j is the majority's coefficient. A *good* neuron holds all of S among its ones (over-sparse) or has all of
//! its ones in S (under-sparse); wide networks have good neurons by chance (theorems 6.4 and 6.5).
//!
//! # Why
//! The coefficients of the second and third start are products of those of [`majority`](super::majority), for every n
//! and s and not only for the parities of n and s that the lemmas ask for: ties are counted as the derivative
//! 1(z > 0) counts them. How likely one batch reveals S is computed as if the coordinates' means were normal and
//! independent: of 1(z > 0) the coefficients at pairs, which their covariances are, vanish for an odd number of
//! bits. Trials with drawn batches agree with it, see [`trials`].

pub mod trials;

use super::majority::{balance, relu_coefficient};
use super::{Lines, Role, Series};
use vivarium_core::math::binomial;

/// What a neuron's weights are before the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Signs: Edelman 2024, theorem 5.5.
    Signs,
    /// A few ones, and zeros: theorem 6.4.
    Ones,
    /// A few ones, and so small a weight everywhere else that it only breaks ties: theorem 6.5.
    Perturbed,
}

/// A neuron on (n, k)-parity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neuron {
    /// Bits n.
    pub inputs: usize,
    /// Relevant bits k.
    pub relevant: usize,
    /// What its weights are.
    pub start: Start,
    /// Ones s; without meaning for signs.
    pub ones: usize,
    /// Ones that lie on relevant bits.
    pub held: usize,
}

/// Bits that are alike to a neuron.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kind {
    /// Whether they matter.
    pub relevant: bool,
    /// Whether the neuron has a one there.
    pub active: bool,
    /// How many there are.
    pub count: usize,
    /// Population gradient g_i on each, up to the common sign of a neuron of signs.
    pub gradient: f64,
}

impl Neuron {
    /// A good neuron: one of signs; or one whose ones hold all of S or, where there are fewer, lie in S. None where
    /// n, k and s do not go together.
    pub fn good(inputs: usize, relevant: usize, start: Start, ones: usize) -> Option<Self> {
        let ones = if start == Start::Signs { 0 } else { ones };
        let fits = relevant > 0 && relevant < inputs && ones <= inputs;
        let held = match start {
            Start::Signs => 0,
            Start::Ones => relevant,
            Start::Perturbed => ones,
        };
        (fits && held <= ones && held <= relevant).then_some(Neuron { inputs, relevant, start, ones, held })
    }

    /// The Fourier coefficient of 1(w·x > 0) at a set with `inside` bits among the ones and `outside` elsewhere.
    fn coefficient(&self, inside: usize, outside: usize) -> f64 {
        let (s, rest) = (self.ones, self.inputs - self.ones);
        let by_ones = if outside == 0 { relu_coefficient(s, inside) } else { 0.0 };
        match self.start {
            Start::Signs => relu_coefficient(self.inputs, inside + outside),
            Start::Ones => by_ones,
            // Only where the ones are in balance does the rest decide.
            Start::Perturbed if s.is_multiple_of(2) && inside.is_multiple_of(2) => {
                by_ones + balance(s / 2, inside / 2) * relu_coefficient(rest, outside)
            }
            Start::Perturbed => by_ones,
        }
    }

    /// The population gradient by kind of bit: relevant and active, relevant, active, neither.
    pub fn gradient(&self) -> [Kind; 4] {
        let (k, s, a) = (self.relevant, self.ones, self.held);
        let kind = |relevant: bool, active: bool| {
            let (count, inside, outside) = match (relevant, active) {
                (true, true) => (a, a.wrapping_sub(1), k - a),
                (true, false) => (k - a, a, (k - a).wrapping_sub(1)),
                (false, true) => (s - a, a + 1, k - a),
                (false, false) => (self.inputs + a - k - s, a, k - a + 1),
            };
            let gradient = if count == 0 { 0.0 } else { self.coefficient(inside, outside) };
            Kind { relevant, active, count, gradient }
        };
        [kind(true, true), kind(true, false), kind(false, true), kind(false, false)]
    }

    /// Whether the bits with a one are left out when S is read off: the perturbed neuron's own are known already, and
    /// their gradient is zero.
    fn reads(&self, kind: &Kind) -> bool {
        kind.count > 0 && !(self.start == Start::Perturbed && kind.active)
    }

    /// γ: the least |g_i| on the relevant bits that are to be found, less the largest on the others.
    pub fn gap(&self) -> f64 {
        let kinds = self.gradient();
        let of = |relevant: bool| {
            kinds
                .iter()
                .filter(move |kind| kind.relevant == relevant && self.reads(kind))
                .map(|kind| kind.gradient.abs())
        };
        of(true).fold(f64::INFINITY, f64::min) - of(false).fold(0.0, f64::max)
    }

    /// The chance that in the mean gradient of `batch` fresh examples the largest entries, by absolute value, are those
    /// of the relevant bits.
    ///
    /// ```text
    /// P[max_{i∉S} |ĝ_i| < min_{i∈S} |ĝ_i|],   ĝ_i ~ N(g_i, (P[w·x > 0] − g_i²)/B) independently
    /// ```
    pub fn recovery(&self, batch: f64) -> f64 {
        const PLACES: usize = 600;
        let fires = self.coefficient(0, 0);
        let kinds: Vec<(bool, i32, f64, f64)> = self
            .gradient()
            .iter()
            .filter(|kind| self.reads(kind))
            .map(|kind| {
                let g = kind.gradient.abs();
                (kind.relevant, kind.count as i32, g, libm::sqrt((fires - g * g).max(1e-300) / batch))
            })
            .collect();
        let end = kinds.iter().map(|(_, _, g, deviation)| g + 7.0 * deviation).fold(0.0, f64::max);
        // P[|ĝ| < t] of one coordinate.
        let below = |t: f64, g: f64, deviation: f64| {
            let half = |x: f64| libm::erf(x / deviation * std::f64::consts::FRAC_1_SQRT_2);
            0.5 * (half(t - g) + half(t + g))
        };
        let others = |t: f64| -> f64 {
            let others = kinds.iter().filter(|kind| !kind.0);
            others.map(|(_, count, g, deviation)| below(t, *g, *deviation).max(0.0).powi(*count)).product()
        };
        let found = |t: f64| -> f64 {
            let found = kinds.iter().filter(|kind| kind.0);
            found
                .map(|(_, count, g, deviation)| (1.0 - below(t, *g, *deviation)).max(0.0).powi(*count))
                .product()
        };
        let step = end / PLACES as f64;
        let sum: f64 = (0..PLACES)
            .map(|i| {
                let t = i as f64 * step;
                (others(t + step) - others(t)) * found(t + 0.5 * step)
            })
            .sum();
        // What no largest of the others lies beyond.
        (sum + others(0.0) * found(0.0)).clamp(0.0, 1.0)
    }

    /// The least batch, to a hundredth, whose gradient reveals S with this chance; none up to a billion.
    pub fn batch_for(&self, chance: f64) -> Option<f64> {
        let (mut low, mut high) = (1.0f64, 1e9f64);
        if self.recovery(high) < chance {
            return None;
        }
        while high / low > 1.01 {
            let middle = libm::sqrt(low * high);
            if self.recovery(middle) < chance { low = middle } else { high = middle }
        }
        Some(high)
    }

    /// The chance that a neuron whose ones are drawn is good: C(n−k, s−k)/C(n, s) where it is to hold all of S,
    /// C(k, s)/C(n, s) where it is to lie in S; 1 for signs.
    ///
    /// At least (s/2n)^k for s > 4k (lemma C.2), and at most (k/n)^s.
    pub fn chance(&self) -> f64 {
        let (n, k, s) = (self.inputs, self.relevant, self.ones);
        match self.start {
            Start::Signs => 1.0,
            Start::Ones => binomial(n - k, s.wrapping_sub(k)) / binomial(n, s),
            Start::Perturbed => binomial(k, s) / binomial(n, s),
        }
    }

    /// The width at which some neuron is good with a chance of 99 %; none beyond a billion.
    pub fn width(&self) -> Option<f64> {
        let width = match self.chance() {
            1.0 => 1.0,
            chance => libm::ceil(libm::log(0.01) / libm::log1p(-chance)),
        };
        (width.is_finite() && width <= 1e9).then_some(width)
    }
}

/// The chance of recovery over the batch size: a curve for each neuron by its name, and shares of trials as points.
///
/// Batches go from 2^6 to 2^`most`; `points` are places with shares and their intervals, for the neuron of their number.
pub fn chart(neurons: &[(String, Neuron)], most: u32, points: &[(usize, Vec<trials::Share>)]) -> Lines {
    const PER_DOUBLING: u32 = 4;
    let places = || {
        (6 * PER_DOUBLING..=most * PER_DOUBLING).map(|i| libm::exp2(f64::from(i) / f64::from(PER_DOUBLING)))
    };
    let role = |at: usize| [Role::Test, Role::Relevant, Role::Train, Role::Other][at.min(3)];
    let curves = neurons.iter().enumerate().map(|(at, (name, neuron))| Series {
        name: name.clone(),
        role: role(at),
        x: places().collect(),
        y: places().map(|batch| neuron.recovery(batch) as f32).collect(),
        ..Default::default()
    });
    let measured = points.iter().filter(|(_, shares)| !shares.is_empty()).map(|(at, shares)| Series {
        name: tr!(
            "{neuron}, measured on random batches",
            neuron = neurons.get(*at).map_or("", |(name, _)| name)
        ),
        role: role(*at),
        x: shares.iter().map(|share| share.batch as f64).collect(),
        y: shares.iter().map(|share| share.found as f32 / share.all.max(1) as f32).collect(),
        points: true,
        scatter: true,
        ..Default::default()
    });
    Lines {
        title: tr!("One step reveals the bits").into(),
        x_label: tr!("batch size").into(),
        y_label: tr!("probability that one step reveals the relevant bits S").into(),
        x_range: Some((64.0, libm::exp2(f64::from(most)))),
        y_range: Some((0.0, 1.0)),
        log_x: true,
        series: curves.chain(measured).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests;
