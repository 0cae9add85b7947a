//! Networks with explicit weights for the multiplication of a group, and their margins.

use super::MarginError;
use vivarium_core::math::dot;

/// The weights of a network `f(a, b)[c] = Σ_i (u_i[a] + v_i[b])² w_i[c]`.
///
/// # Shapes
///
/// `u`, `v` and `w` are `[order, neurons]`: weight of neuron i at element a at `a * neurons + i`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticNetwork {
    /// Number of neurons of the network's only hidden layer.
    pub neuron_count: usize,
    /// Input weights u_i of the neurons for the first element a, one-hot encoded, `[order, neurons]`.
    pub u: Vec<f64>,
    /// Input weights v_i of the neurons for the second element b, one-hot encoded, `[order, neurons]`.
    pub v: Vec<f64>,
    /// Output weights w_i from the neurons to the logits of the answers c, `[order, neurons]`.
    pub w: Vec<f64>,
}

/// Extremes of the logit margins of a network over a set of pairs (a, b) of group elements: logit of the product a·b
/// minus the largest other logit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginRange {
    /// Minimum over the pairs (a, b) of the logit of the product a·b minus the largest other logit.
    pub min_margin: f64,
    /// Maximum over the pairs (a, b) of the logit of the product a·b minus the largest other logit.
    pub max_margin: f64,
    /// Maximum over the pairs (a, b) of the difference between the largest and the smallest logit of the wrong answers
    /// c ≠ a·b; 0 if all wrong answers have the same logit.
    pub max_wrong_logit_difference: f64,
}

/// The weights u_i, v_i and w_i of one neuron i, `[order]` each.
type NeuronWeights = [Vec<f64>; 3];

impl QuadraticNetwork {
    /// Builds a network for a group of `order` elements from the weights of its neurons.
    pub(super) fn from_neurons(order: usize, neurons: &[NeuronWeights]) -> QuadraticNetwork {
        let layer = |which: usize| {
            (0..order).flat_map(|a| neurons.iter().map(move |neuron| neuron[which][a])).collect::<Vec<f64>>()
        };
        QuadraticNetwork { neuron_count: neurons.len(), u: layer(0), v: layer(1), w: layer(2) }
    }

    /// Number of elements of the group whose products the network computes.
    pub fn order(&self) -> usize {
        self.u.len().checked_div(self.neuron_count).unwrap_or(0)
    }

    /// Computes the logits of all answers c for the pair (a, b) of elements, `[order]`.
    pub fn compute_logits(&self, a: usize, b: usize) -> Vec<f64> {
        let n = self.neuron_count;
        if n == 0 {
            return vec![];
        }
        let (u, v) = (&self.u[a * n..(a + 1) * n], &self.v[b * n..(b + 1) * n]);
        let hidden: Vec<f64> = u.iter().zip(v).map(|(u, v)| (u + v) * (u + v)).collect();
        self.w.chunks_exact(n).map(|row| dot(row, &hidden)).collect()
    }

    /// The norm ‖ω_i‖ of the weights ω_i = (u_i, v_i, w_i) of each neuron i, `[neurons]`.
    pub fn neuron_norms(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.neuron_count];
        for row in [&self.u, &self.v, &self.w]
            .into_iter()
            .flat_map(|layer| layer.chunks_exact(self.neuron_count.max(1)))
        {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// The sum Σ_i ‖ω_i‖^nu over all neurons i, where ω_i = (u_i, v_i, w_i) are the weights of neuron i.
    pub fn norm_mass(&self, nu: i32) -> f64 {
        self.neuron_norms().into_iter().map(|norm| norm.powi(nu)).sum()
    }

    /// Computes the extremes of the logit margins over `pairs` of elements (a, b). `labels` is the multiplication
    /// table, the right answer at `a * order + b`, `[order, order]`.
    pub fn compute_margin_range(
        &self,
        labels: &[u32],
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> MarginRange {
        let order = self.order();
        let mut spread = MarginRange {
            min_margin: f64::INFINITY,
            max_margin: f64::NEG_INFINITY,
            max_wrong_logit_difference: 0.0,
        };
        for (a, b) in pairs {
            let right = labels[a * order + b] as usize;
            let logits = self.compute_logits(a, b);
            let wrong = || logits.iter().enumerate().filter(|(c, _)| *c != right).map(|(_, logit)| *logit);
            let best = wrong().fold(f64::NEG_INFINITY, f64::max);
            let margin = logits[right] - best;
            spread.min_margin = spread.min_margin.min(margin);
            spread.max_margin = spread.max_margin.max(margin);
            spread.max_wrong_logit_difference =
                spread.max_wrong_logit_difference.max(best - wrong().fold(f64::INFINITY, f64::min));
        }
        spread
    }

    /// Computes the minimum logit margin over all pairs (a, b) divided by Σ_i ‖ω_i‖^nu, where ω_i are the weights of
    /// neuron i. `labels` is the multiplication table `[order, order]`. The maximum margin γ* is defined with `nu` = 3.
    pub fn compute_normalised_margin(&self, labels: &[u32], nu: i32) -> f64 {
        let order = self.order();
        let pairs = (0..order).flat_map(|a| (0..order).map(move |b| (a, b)));
        self.compute_margin_range(labels, pairs).min_margin / self.norm_mass(nu)
    }
}

/// Builds a network that memorises the table `[order, order]`: 2·order² neurons with one-hot weights, logit 1 for the
/// right answer and 0 for all others (Edelman 2024, appendix D.4).
///
/// If `balanced`, u, v and w have equal norms; otherwise the norm of w is a quarter, as in the source. The margin is
/// far below γ*: [`memorising_network_margin`].
pub fn build_memorising_network(order: usize, table: &[u32], balanced: bool) -> QuadraticNetwork {
    // The two neurons of a pair add 4 u v w to the right logit, which must be 1.
    let (inner, outer) = if balanced { (libm::cbrt(0.25), libm::cbrt(0.25)) } else { (1.0, 0.25) };
    let one_hot = |at: usize, value: f64| {
        let mut values = vec![0.0; order];
        values[at] = value;
        values
    };
    let mut neurons = Vec::with_capacity(2 * order * order);
    for (pair, right) in table.iter().enumerate().take(order * order) {
        for sign in [1.0, -1.0] {
            neurons.push([
                one_hot(pair / order, inner),
                one_hot(pair % order, sign * inner),
                one_hot(*right as usize, sign * outer),
            ]);
        }
    }
    QuadraticNetwork::from_neurons(order, &neurons)
}

/// Normalised margin of [`build_memorising_network`]: `2 / (3√3 order²)` if balanced, else `1 / (2 order² (2 +
/// 1/16)^{3/2})`.
pub fn memorising_network_margin(order: usize, balanced: bool) -> f64 {
    let pairs = (order * order) as f64;
    if balanced {
        2.0 / (3.0 * 3f64.sqrt() * pairs)
    } else {
        1.0 / (2.0 * pairs * (2.0625 * 2.0625f64.sqrt()))
    }
}

/// Builds the network of maximum margin on Z_p: eight neurons for each frequency, all of amplitude 1 (Edelman 2024,
/// appendix D.6.2). Its logits are 2(p − 1) for the right answer and −2 for all others.
///
/// # Errors
///
/// If `p` is even or below 3: half the order is a frequency of another kind.
pub fn build_fourier_network(p: usize) -> Result<QuadraticNetwork, MarginError> {
    use std::f64::consts::{FRAC_PI_2 as QUARTER, PI, TAU};
    if p < 3 || p.is_multiple_of(2) {
        return Err(MarginError::EvenOrder(p));
    }
    // Each pair is (u + v)² w − (u − v)² w, and the four of them add up to 4 cos(a + b − c).
    let phases = [
        (0.0, 0.0, 0.0),
        (0.0, PI, PI),
        (QUARTER, -QUARTER, 0.0),
        (QUARTER, QUARTER, PI),
        (-QUARTER, 0.0, -QUARTER),
        (-QUARTER, PI, QUARTER),
        (0.0, -QUARTER, -QUARTER),
        (0.0, QUARTER, QUARTER),
    ];
    let mut neurons = Vec::with_capacity(4 * (p - 1));
    for zeta in 1..=(p - 1) / 2 {
        let wave = |phase: f64| -> Vec<f64> {
            (0..p).map(|a| libm::cos(phase + TAU * (zeta * a % p) as f64 / p as f64)).collect()
        };
        neurons.extend(phases.iter().map(|(u, v, w)| [wave(*u), wave(*v), wave(*w)]));
    }
    Ok(QuadraticNetwork::from_neurons(p, &neurons))
}

#[cfg(test)]
mod tests {
    use super::super::cyclic_group_margin;
    use super::*;

    fn table(p: usize) -> Vec<u32> {
        (0..p * p).map(|pair| ((pair / p + pair % p) % p) as u32).collect()
    }

    fn all(p: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..p * p).map(move |pair| (pair / p, pair % p))
    }

    #[test]
    fn the_fourier_network_reaches_the_maximum_margin() {
        for p in [3, 5, 7, 9, 11, 13, 15, 17, 23, 31, 71] {
            let network = build_fourier_network(p).unwrap();
            assert_eq!((network.neuron_count, network.order()), (4 * (p - 1), p));
            let ratio = network.compute_normalised_margin(&table(p), 3) / cyclic_group_margin(p);
            assert!((ratio - 1.0).abs() < 1e-10, "{p}: {ratio}");
            let spread = network.compute_margin_range(&table(p), all(p));
            assert!(
                (spread.min_margin - 2.0 * p as f64).abs() < 1e-9
                    && (spread.max_margin - 2.0 * p as f64).abs() < 1e-9
            );
            assert!(spread.max_wrong_logit_difference < 1e-9, "{spread:?}");
            let logits = network.compute_logits(1, 2);
            assert!((logits[3 % p] - 2.0 * (p - 1) as f64).abs() < 1e-9 && (logits[1] + 2.0).abs() < 1e-9);
        }
        assert_eq!(build_fourier_network(6), Err(MarginError::EvenOrder(6)));
        assert_eq!(build_fourier_network(1), Err(MarginError::EvenOrder(1)));
    }

    #[test]
    fn the_memorising_network_is_correct_with_a_small_margin() {
        let printed = [(7, 0.46, 0.20), (13, 0.36, 0.16), (23, 0.28, 0.12), (71, 0.165, 0.073)];
        for (p, balanced, quarter) in printed {
            for (is_balanced, fraction) in [(true, balanced), (false, quarter)] {
                let found = memorising_network_margin(p, is_balanced) / cyclic_group_margin(p);
                let half_a_digit = if p == 71 { 6e-4 } else { 6e-3 };
                assert!((found - fraction).abs() < half_a_digit, "{p}: {found}, expected {fraction}");
                if p == 71 {
                    continue;
                }
                let network = build_memorising_network(p, &table(p), is_balanced);
                assert_eq!(network.neuron_count, 2 * p * p);
                let margin = network.compute_normalised_margin(&table(p), 3);
                assert!((margin / memorising_network_margin(p, is_balanced) - 1.0).abs() < 1e-12, "{p}");
                let spread = network.compute_margin_range(&table(p), all(p));
                assert!((spread.max_margin - 1.0).abs() < 1e-12 && spread.max_wrong_logit_difference < 1e-12);
            }
        }
    }
}
