//! One-step recovery: the probability that the gradient of one batch at a single neuron reveals the hidden set S.
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

use super::majority::{relu_coefficient, tie_coefficient};
use super::{LineChart, Role, Series};
use vivarium_core::math::binomial;

/// Pattern of the initial weights of a neuron: all ±1, or a few ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightPattern {
    /// All weights ±1 (Edelman 2024, theorem 5.5).
    Signs,
    /// A few ones, the rest zero (Edelman 2024, theorem 6.4).
    Ones,
    /// A few ones, the rest so small a constant that it only breaks ties (Edelman 2024, theorem 6.5).
    PerturbedOnes,
}

/// A ReLU neuron that learns the parity of k relevant of n input bits, described by counts of its initial weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParityNeuron {
    /// Number of input bits n.
    pub inputs: usize,
    /// Number of relevant bits k.
    pub relevant: usize,
    /// Pattern of the initial weights: all ±1, or a few ones.
    pub start: WeightPattern,
    /// Number s of initial weights that are one; unused if all weights are ±1.
    pub ones: usize,
    /// Number of initial weights that are one on relevant bits.
    pub relevant_ones: usize,
}

/// A class of input bits of a neuron that have the same gradient entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitClass {
    /// Whether the bits of the class are relevant.
    pub relevant: bool,
    /// Whether the initial weight of the neuron is one on these bits.
    pub active: bool,
    /// Number of input bits in the class.
    pub count: usize,
    /// Entry g_i = E[1(w·x > 0) χ_S(x) x_i] of the population gradient for each bit i of the class, where w are the
    /// initial weights and χ_S is the parity of the relevant bits; for weights ±1, up to a sign that depends on i.
    pub gradient: f64,
}

impl ParityNeuron {
    /// A good neuron for the set S of k = `relevant` out of n = `inputs` bits, with s = `ones` weights of one: for
    /// weights ±1 any neuron; for weights one and zero, one whose ones include all of S; for perturbed ones, one whose
    /// ones lie in S. `None` if n, k and s are inconsistent.
    pub fn good_neuron(inputs: usize, relevant: usize, start: WeightPattern, ones: usize) -> Option<Self> {
        let ones = if start == WeightPattern::Signs { 0 } else { ones };
        let fits = relevant > 0 && relevant < inputs && ones <= inputs;
        let held = match start {
            WeightPattern::Signs => 0,
            WeightPattern::Ones => relevant,
            WeightPattern::PerturbedOnes => ones,
        };
        (fits && held <= ones && held <= relevant).then_some(ParityNeuron {
            inputs,
            relevant,
            start,
            ones,
            relevant_ones: held,
        })
    }

    /// Fourier coefficient of the derivative 1(w·x > 0) of the neuron with initial weights w, at a set of `inside` bits
    /// with weight one and `outside` other bits.
    fn activation_coefficient(&self, inside: usize, outside: usize) -> f64 {
        let (s, rest) = (self.ones, self.inputs - self.ones);
        let by_ones = if outside == 0 { relu_coefficient(s, inside) } else { 0.0 };
        match self.start {
            WeightPattern::Signs => relu_coefficient(self.inputs, inside + outside),
            WeightPattern::Ones => by_ones,
            // Only where the ones are in balance does the rest decide.
            WeightPattern::PerturbedOnes if s.is_multiple_of(2) && inside.is_multiple_of(2) => {
                by_ones + tie_coefficient(s / 2, inside / 2) * relu_coefficient(rest, outside)
            }
            WeightPattern::PerturbedOnes => by_ones,
        }
    }

    /// Population gradient of the neuron for the four classes of bits, in this order: relevant with weight one, other
    /// relevant, irrelevant with weight one, other irrelevant.
    pub fn gradient(&self) -> [BitClass; 4] {
        let (k, s, a) = (self.relevant, self.ones, self.relevant_ones);
        let kind = |relevant: bool, active: bool| {
            let (count, inside, outside) = match (relevant, active) {
                (true, true) => (a, a.wrapping_sub(1), k - a),
                (true, false) => (k - a, a, (k - a).wrapping_sub(1)),
                (false, true) => (s - a, a + 1, k - a),
                (false, false) => (self.inputs + a - k - s, a, k - a + 1),
            };
            let gradient = if count == 0 { 0.0 } else { self.activation_coefficient(inside, outside) };
            BitClass { relevant, active, count, gradient }
        };
        [kind(true, true), kind(true, false), kind(false, true), kind(false, false)]
    }

    /// Whether bits of this class take part when the relevant bits are read off the gradient; bits with weight one of a
    /// perturbed neuron do not, since they are known and their gradient is zero.
    fn is_candidate(&self, kind: &BitClass) -> bool {
        kind.count > 0 && !(self.start == WeightPattern::PerturbedOnes && kind.active)
    }

    /// γ: the smallest absolute population gradient entry on relevant bits minus the largest on other bits, over the
    /// bits that take part in reading the relevant bits off the gradient.
    pub fn gradient_gap(&self) -> f64 {
        let kinds = self.gradient();
        let of = |relevant: bool| {
            kinds
                .iter()
                .filter(move |kind| kind.relevant == relevant && self.is_candidate(kind))
                .map(|kind| kind.gradient.abs())
        };
        of(true).fold(f64::INFINITY, f64::min) - of(false).fold(0.0, f64::max)
    }

    /// Probability that the entries of largest absolute value of the mean gradient ĝ over B = `batch` fresh examples
    /// are those of the set S of relevant bits, with a normal approximation of the entries; g_i are the entries of the
    /// population gradient and w the initial weights:
    ///
    /// ```text
    /// P[max_{i∉S} |ĝ_i| < min_{i∈S} |ĝ_i|],   ĝ_i ~ N(g_i, (P[w·x > 0] − g_i²)/B) independently
    /// ```
    pub fn recovery_probability(&self, batch: f64) -> f64 {
        /// Number of steps of the numerical integral over the threshold t on |ĝ_i| that separates entries of relevant
        /// bits from the others.
        const INTEGRATION_STEPS: usize = 600;
        let fires = self.activation_coefficient(0, 0);
        let kinds: Vec<(bool, i32, f64, f64)> = self
            .gradient()
            .iter()
            .filter(|kind| self.is_candidate(kind))
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
        let step = end / INTEGRATION_STEPS as f64;
        let sum: f64 = (0..INTEGRATION_STEPS)
            .map(|i| {
                let t = i as f64 * step;
                (others(t + step) - others(t)) * found(t + 0.5 * step)
            })
            .sum();
        // What no largest of the others lies beyond.
        (sum + others(0.0) * found(0.0)).clamp(0.0, 1.0)
    }

    /// Smallest batch size, up to a relative error of 1 %, at which the [recovery
    /// probability](Self::recovery_probability) is at least `chance`; `None` above a billion examples.
    pub fn required_batch(&self, chance: f64) -> Option<f64> {
        let (mut low, mut high) = (1.0f64, 1e9f64);
        if self.recovery_probability(high) < chance {
            return None;
        }
        while high / low > 1.01 {
            let middle = libm::sqrt(low * high);
            if self.recovery_probability(middle) < chance { low = middle } else { high = middle }
        }
        Some(high)
    }

    /// Probability that a neuron with s of n weights one at random places is good for the set S of k relevant bits:
    /// C(n−k, s−k)/C(n, s) if its ones must include S, C(k, s)/C(n, s) if they must lie in S, and 1 for weights ±1.
    ///
    /// At least (s/2n)^k for s > 4k (lemma C.2), and at most (k/n)^s.
    pub fn good_neuron_probability(&self) -> f64 {
        let (n, k, s) = (self.inputs, self.relevant, self.ones);
        match self.start {
            WeightPattern::Signs => 1.0,
            WeightPattern::Ones => binomial(n - k, s.wrapping_sub(k)) / binomial(n, s),
            WeightPattern::PerturbedOnes => binomial(k, s) / binomial(n, s),
        }
    }

    /// Minimum number of neurons of a layer, drawn independently, of which at least one is good with probability 99 %;
    /// `None` above a billion.
    pub fn required_width(&self) -> Option<f64> {
        let width = match self.good_neuron_probability() {
            1.0 => 1.0,
            chance => libm::ceil(libm::log(0.01) / libm::log1p(-chance)),
        };
        (width.is_finite() && width <= 1e9).then_some(width)
    }
}

/// Line chart over the batch size of the probability that one batch reveals the relevant bits: a curve for each named
/// neuron, and the success rates of trials as dots.
///
/// Batch sizes go from 2^6 to 2^`max_log2_batch`; `points` are pairs of a neuron's index and its trial counts.
pub fn chart(
    neurons: &[(String, ParityNeuron)],
    max_log2_batch: u32,
    points: &[(usize, Vec<trials::TrialCounts>)],
) -> LineChart {
    /// Number of points of a curve per doubling of the batch size.
    const PER_DOUBLING: u32 = 4;
    let places = || {
        (6 * PER_DOUBLING..=max_log2_batch * PER_DOUBLING)
            .map(|i| libm::exp2(f64::from(i) / f64::from(PER_DOUBLING)))
    };
    let role = |at: usize| [Role::Test, Role::Relevant, Role::Train, Role::Other][at.min(3)];
    let curves = neurons.iter().enumerate().map(|(at, (name, neuron))| Series {
        name: name.clone(),
        role: role(at),
        x: places().collect(),
        y: places().map(|batch| neuron.recovery_probability(batch) as f32).collect(),
        ..Default::default()
    });
    let measured = points.iter().filter(|(_, shares)| !shares.is_empty()).map(|(at, shares)| Series {
        name: tr!(
            "{neuron}, measured on random batches",
            neuron = neurons.get(*at).map_or("", |(name, _)| name)
        ),
        role: role(*at),
        x: shares.iter().map(|share| share.batch as f64).collect(),
        y: shares.iter().map(|share| share.recovered as f32 / share.trials.max(1) as f32).collect(),
        points: true,
        scatter: true,
        ..Default::default()
    });
    LineChart {
        title: tr!("One step reveals the bits").into(),
        x_label: tr!("batch size").into(),
        y_label: tr!("probability that one step reveals the relevant bits S").into(),
        x_range: Some((64.0, libm::exp2(f64::from(max_log2_batch)))),
        y_range: Some((0.0, 1.0)),
        log_x: true,
        series: curves.chain(measured).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests;
