//! The network of maximum margin for a sparse parity.

use super::MarginError;
use vivarium_core::math::{add_scaled, dot};

/// The largest number of bits of a parity. A margin is computed over at most 2 to this power inputs.
const MAX_PARITY_BITS: usize = 20;

/// The weights of a network `f(x)[y] = Σ_i (u_i · x)^k w_i[y]`, where answer y is 0 for an even and 1 for an odd
/// number of bits −1.
///
/// # Shapes
///
/// `u` is `[inputs, neurons]` and `w` `[2, neurons]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ParityNetwork {
    /// Number of neurons of the network's only hidden layer.
    pub neuron_count: usize,
    /// Indices, from 0, of the k input bits whose parity is the answer.
    pub support: Vec<usize>,
    /// Input weights of the neurons, `[inputs, neurons]`.
    pub u: Vec<f64>,
    /// Output weights of the neurons for the answers 0 (even) and 1 (odd), `[2, neurons]`.
    pub w: Vec<f64>,
}

/// Builds the network of maximum margin for the parity of the bits `support` among `inputs` bits. It has one neuron
/// for each sign pattern σ up to a common sign, with `u = σ / √(k+1)` and `w = ∏σ (1, −1) / √(2(k+1))`, scaled to
/// Σ‖ω‖^{k+1} = 1 (Edelman 2024, appendix D.7). Its margin is [`parity_margin`](super::parity_margin).
///
/// # Errors
///
/// If `support` is empty, names a bit twice or one that is not there, or has more than 20 bits.
pub fn build_parity_network(inputs: usize, support: &[usize]) -> Result<ParityNetwork, MarginError> {
    let k = support.len();
    let twice = (1..k).any(|j| support[..j].contains(&support[j]));
    if k == 0 || k > MAX_PARITY_BITS || twice || support.iter().any(|bit| *bit >= inputs) {
        return Err(MarginError::InvalidParitySupport(inputs));
    }
    let neurons = 1 << (k - 1);
    let base = (k + 1) as f64;
    let share = libm::pow(neurons as f64, -1.0 / base);
    let mut u = vec![0.0; inputs * neurons];
    let mut w = vec![0.0; 2 * neurons];
    for i in 0..neurons {
        // The sign of the last bit is always +, which fixes the common sign.
        let sign = |j: usize| if i >> j & 1 == 1 { -1.0 } else { 1.0 };
        for (j, bit) in support.iter().enumerate() {
            u[bit * neurons + i] = share * sign(j) / base.sqrt();
        }
        let product: f64 = (0..k).map(sign).product();
        let outer = share * product / (2.0 * base).sqrt();
        (w[i], w[neurons + i]) = (outer, -outer);
    }
    Ok(ParityNetwork { neuron_count: neurons, support: support.to_vec(), u, w })
}

impl ParityNetwork {
    /// Number of bits of an input.
    pub fn inputs(&self) -> usize {
        self.u.len() / self.neuron_count
    }

    /// Computes the logits of both answers for the input whose bit j is −1 if binary digit j of `point` is 1, else
    /// 1.
    pub fn compute_logits(&self, point: usize) -> [f64; 2] {
        let n = self.neuron_count;
        let mut sums = vec![0.0; n];
        for (j, row) in self.u.chunks_exact(n).enumerate() {
            let x = if point >> j & 1 == 1 { -1.0 } else { 1.0 };
            add_scaled(&mut sums, x, row);
        }
        let powers: Vec<f64> = sums.iter().map(|sum| sum.powi(self.support.len() as i32)).collect();
        [0, 1].map(|y| dot(&powers, &self.w[y * n..]))
    }

    /// Computes the right logit minus the wrong logit at an input given as in [`ParityNetwork::compute_logits`].
    pub fn compute_margin(&self, point: usize) -> f64 {
        let odd = self.support.iter().filter(|bit| point >> **bit & 1 == 1).count() % 2 == 1;
        let [even, other] = self.compute_logits(point);
        if odd { other - even } else { even - other }
    }

    /// The norm ‖ω_i‖ of the weights ω_i = (u_i, w_i) of each neuron i, `[neurons]`.
    pub fn neuron_norms(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.neuron_count];
        for row in self.u.chunks_exact(self.neuron_count).chain(self.w.chunks_exact(self.neuron_count)) {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// Computes the minimum margin over all inputs divided by Σ‖ω_i‖^{k+1}, for a parity of k bits and neurons with
    /// weights ω_i. With more than 20 input bits the minimum is over the first 2²⁰ inputs.
    pub fn compute_normalised_margin(&self) -> f64 {
        let mass: f64 = self.neuron_norms().iter().map(|norm| norm.powi(self.support.len() as i32 + 1)).sum();
        let points = 0..1usize << self.inputs().min(MAX_PARITY_BITS);
        points.map(|point| self.compute_margin(point)).fold(f64::INFINITY, f64::min) / mass
    }
}

#[cfg(test)]
mod tests {
    use super::super::parity_margin;
    use super::*;

    #[test]
    fn the_parity_network_reaches_the_maximum_margin() {
        for (inputs, support) in [
            (3, vec![1]),
            (10, vec![0, 1]),
            (10, vec![2, 5, 9]),
            (10, vec![1, 3, 4, 8]),
            (6, vec![0, 1, 2, 3, 5]),
        ] {
            let k = support.len();
            let network = build_parity_network(inputs, &support).unwrap();
            assert_eq!((network.neuron_count, network.inputs()), (1 << (k - 1), inputs));
            let ratio = network.compute_normalised_margin() / parity_margin(k);
            assert!((ratio - 1.0).abs() < 1e-12, "{support:?}: {ratio}");
            let mass: f64 = network.neuron_norms().iter().map(|norm| norm.powi(k as i32 + 1)).sum();
            assert!((mass - 1.0).abs() < 1e-12);
            // Every point is on the margin.
            for point in 0..1 << inputs {
                assert!((network.compute_margin(point) / parity_margin(k) - 1.0).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn an_invalid_support_is_an_error() {
        for support in [vec![], vec![4], vec![1, 1]] {
            assert_eq!(build_parity_network(4, &support), Err(MarginError::InvalidParitySupport(4)));
        }
    }
}
