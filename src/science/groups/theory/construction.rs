//! Networks written down, and their margins.

use super::Problem;
use vivarium_core::math::dot;

/// The weights of a network `f(a, b)[c] = Σ_i (u_i[a] + v_i[b])² w_i[c]`.
///
/// # Shapes
///
/// `u`, `v` and `w` are `[order, neurons]`: weight of neuron i at element a at `a * neurons + i`.
#[derive(Debug, Clone, PartialEq)]
pub struct Construction {
    /// Neurons.
    pub neurons: usize,
    /// Weights of the first element.
    pub u: Vec<f64>,
    /// Weights of the second element.
    pub v: Vec<f64>,
    /// Weights to the answers.
    pub w: Vec<f64>,
}

/// The right logit against the wrong ones, over all pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Smallest of right − best wrong.
    pub least: f64,
    /// Largest of right − best wrong.
    pub most: f64,
    /// Largest difference of two wrong logits of one pair.
    pub wrong: f64,
}

/// The three functions of one neuron, `[order]` each.
type Neuron = [Vec<f64>; 3];

impl Construction {
    /// From neurons one by one.
    pub(super) fn of(order: usize, neurons: &[Neuron]) -> Construction {
        let layer = |which: usize| {
            (0..order).flat_map(|a| neurons.iter().map(move |neuron| neuron[which][a])).collect::<Vec<f64>>()
        };
        Construction { neurons: neurons.len(), u: layer(0), v: layer(1), w: layer(2) }
    }

    /// Elements of the group.
    pub fn order(&self) -> usize {
        self.u.len().checked_div(self.neurons).unwrap_or(0)
    }

    /// Logits of the pair (a, b), `[order]`.
    pub fn logits(&self, a: usize, b: usize) -> Vec<f64> {
        let n = self.neurons;
        if n == 0 {
            return vec![];
        }
        let (u, v) = (&self.u[a * n..(a + 1) * n], &self.v[b * n..(b + 1) * n]);
        let hidden: Vec<f64> = u.iter().zip(v).map(|(u, v)| (u + v) * (u + v)).collect();
        self.w.chunks_exact(n).map(|row| dot(row, &hidden)).collect()
    }

    /// ‖ω_i‖ of each neuron.
    pub fn norms(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.neurons];
        for row in
            [&self.u, &self.v, &self.w].into_iter().flat_map(|layer| layer.chunks_exact(self.neurons.max(1)))
        {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// Σ_i ‖ω_i‖^nu.
    pub fn mass(&self, nu: i32) -> f64 {
        self.norms().into_iter().map(|norm| norm.powi(nu)).sum()
    }

    /// How the right logit stands against the wrong ones, over the pairs given; `labels` is the table `[order, order]`.
    pub fn spread(&self, labels: &[u32], pairs: impl Iterator<Item = (usize, usize)>) -> Spread {
        let order = self.order();
        let mut spread = Spread { least: f64::INFINITY, most: f64::NEG_INFINITY, wrong: 0.0 };
        for (a, b) in pairs {
            let right = labels[a * order + b] as usize;
            let logits = self.logits(a, b);
            let wrong = || logits.iter().enumerate().filter(|(c, _)| *c != right).map(|(_, logit)| *logit);
            let best = wrong().fold(f64::NEG_INFINITY, f64::max);
            let margin = logits[right] - best;
            spread.least = spread.least.min(margin);
            spread.most = spread.most.max(margin);
            spread.wrong = spread.wrong.max(best - wrong().fold(f64::INFINITY, f64::min));
        }
        spread
    }

    /// The smallest margin over all pairs divided by Σ_i ‖ω_i‖^nu; γ of the networks here is at `nu` = 3.
    pub fn normalised_margin(&self, labels: &[u32], nu: i32) -> f64 {
        let order = self.order();
        let pairs = (0..order).flat_map(|a| (0..order).map(move |b| (a, b)));
        self.spread(labels, pairs).least / self.mass(nu)
    }
}

/// A network that looks each pair up: 2·order² neurons with one-hot weights, and logits 1 for the right answer and
/// 0 for all others (Edelman 2024, appendix D.4).
///
/// `balanced` gives u, v and w equal norms; else w is a quarter, as printed. Either way its margin is far below
/// γ*: [`memorising_margin`]. `table` is `[order, order]`.
pub fn memorising(order: usize, table: &[u32], balanced: bool) -> Construction {
    // Two neurons make 4 u v w, which is to be 1.
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
    Construction::of(order, &neurons)
}

/// Normalised margin of [`memorising`]: `2 / (3√3 order²)` balanced, else `1 / (2 order² (2 + 1/16)^{3/2})`.
pub fn memorising_margin(order: usize, balanced: bool) -> f64 {
    let pairs = (order * order) as f64;
    if balanced {
        2.0 / (3.0 * 3f64.sqrt() * pairs)
    } else {
        1.0 / (2.0 * pairs * (2.0625 * 2.0625f64.sqrt()))
    }
}

/// The network of maximum margin on Z_p, eight neurons for each frequency, all of amplitude 1 (Edelman 2024,
/// appendix D.6.2). Its logits are 2(p − 1) for the right answer and −2 for all others.
///
/// # Errors
///
/// If `p` is even or below 3: half the order is a frequency of another kind.
pub fn fourier(p: usize) -> Result<Construction, Problem> {
    use std::f64::consts::{FRAC_PI_2 as QUARTER, PI, TAU};
    if p < 3 || p.is_multiple_of(2) {
        return Err(Problem::Even(p));
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
    Ok(Construction::of(p, &neurons))
}

#[cfg(test)]
mod tests {
    use super::super::cyclic_margin;
    use super::*;

    fn table(p: usize) -> Vec<u32> {
        (0..p * p).map(|pair| ((pair / p + pair % p) % p) as u32).collect()
    }

    fn all(p: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..p * p).map(move |pair| (pair / p, pair % p))
    }

    #[test]
    fn frequencies_reach_the_maximum_margin() {
        for p in [3, 5, 7, 9, 11, 13, 15, 17, 23, 31, 71] {
            let network = fourier(p).unwrap();
            assert_eq!((network.neurons, network.order()), (4 * (p - 1), p));
            let ratio = network.normalised_margin(&table(p), 3) / cyclic_margin(p);
            assert!((ratio - 1.0).abs() < 1e-10, "{p}: {ratio}");
            let spread = network.spread(&table(p), all(p));
            assert!(
                (spread.least - 2.0 * p as f64).abs() < 1e-9 && (spread.most - 2.0 * p as f64).abs() < 1e-9
            );
            assert!(spread.wrong < 1e-9, "{spread:?}");
            let logits = network.logits(1, 2);
            assert!((logits[3 % p] - 2.0 * (p - 1) as f64).abs() < 1e-9 && (logits[1] + 2.0).abs() < 1e-9);
        }
        assert_eq!(fourier(6), Err(Problem::Even(6)));
        assert_eq!(fourier(1), Err(Problem::Even(1)));
    }

    #[test]
    fn memorising_is_correct_with_a_small_margin() {
        let printed = [(7, 0.46, 0.20), (13, 0.36, 0.16), (23, 0.28, 0.12), (71, 0.165, 0.073)];
        for (p, balanced, quarter) in printed {
            for (is_balanced, fraction) in [(true, balanced), (false, quarter)] {
                let found = memorising_margin(p, is_balanced) / cyclic_margin(p);
                let half_a_digit = if p == 71 { 6e-4 } else { 6e-3 };
                assert!((found - fraction).abs() < half_a_digit, "{p}: {found}, expected {fraction}");
                if p == 71 {
                    continue;
                }
                let network = memorising(p, &table(p), is_balanced);
                assert_eq!(network.neurons, 2 * p * p);
                let margin = network.normalised_margin(&table(p), 3);
                assert!((margin / memorising_margin(p, is_balanced) - 1.0).abs() < 1e-12, "{p}");
                let spread = network.spread(&table(p), all(p));
                assert!((spread.most - 1.0).abs() < 1e-12 && spread.wrong < 1e-12);
            }
        }
    }
}
