//! The network whose weights the tokens hold (definition 1 of the paper), without biases.
//!
//! ```text
//! p(0) = x,    p(j)[k] = r(⟨v(j,k), p(j−1)⟩),    j = 1 … N
//! ```
//!
//! Its weights are one vector w = \[v(1,1) … v(1,K₁) v(2,1) … v(N,d)\], layer by layer and neuron by neuron.

use std::ops::Range;

use super::activation::{Activation, OutputActivation};
use vivarium_core::math::dot;
use vivarium_core::rng::{Purpose, RandomStream};

/// Sizes and activation functions of a fully connected network of N layers, without its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentNetwork {
    /// Dimension d_x of an input, including the constant coordinate 1 if there is one.
    pub inputs: usize,
    /// Number of neurons in each hidden layer, from the first, `[N − 1]`.
    pub hidden: Vec<usize>,
    /// Dimension d_y of the output.
    pub outputs: usize,
    /// Activation function r of all hidden layers.
    pub activation: Activation,
    /// Activation function of the output layer.
    pub output_activation: OutputActivation,
}

impl Default for DescentNetwork {
    /// A 2-8-8-1 network with ReLUs.
    fn default() -> Self {
        DescentNetwork {
            inputs: 2,
            hidden: vec![8, 8],
            outputs: 1,
            activation: Activation::Relu,
            output_activation: OutputActivation::Linear,
        }
    }
}

impl DescentNetwork {
    /// Number N of layers, including the output layer.
    pub fn layer_count(&self) -> usize {
        self.hidden.len() + 1
    }

    /// Width of layer `j`, from 0, the input, to N, the output.
    pub fn width(&self, j: usize) -> usize {
        match j {
            0 => self.inputs,
            _ => self.hidden.get(j - 1).copied().unwrap_or(self.outputs),
        }
    }

    /// Activation function of layer `j`, from 1 to N; `None` stands for the identity.
    pub fn activation(&self, j: usize) -> Option<Activation> {
        (j < self.layer_count() || self.output_activation == OutputActivation::Activated)
            .then_some(self.activation)
    }

    /// Number of neurons of all layers, hidden and output.
    pub fn unit_count(&self) -> usize {
        self.unit_count_below(self.layer_count() + 1)
    }

    /// Number of neurons in layers 1 to `j` − 1, which precede layer `j`; `j` counts from 1.
    pub fn unit_count_below(&self, j: usize) -> usize {
        (1..j).map(|i| self.width(i)).sum()
    }

    /// Number D_{j−1} of weights of the layers 1 to `j` − 1, which precede layer `j`.
    pub fn weight_count_below(&self, j: usize) -> usize {
        (1..j).map(|i| self.width(i) * self.width(i - 1)).sum()
    }

    /// Number D_N of weights of all layers.
    pub fn weight_count(&self) -> usize {
        self.weight_count_below(self.layer_count() + 1)
    }

    /// Indices in w of the weights v(j,k) of neuron `k`, from 0, in layer `j`, from 1.
    pub fn neuron_weights(&self, j: usize, k: usize) -> Range<usize> {
        let from = self.weight_count_below(j) + k * self.width(j - 1);
        from..from + self.width(j - 1)
    }

    /// Draws initial weights w, `[weights]`: normal with mean 0 and variance `scale`² divided by the inputs of the
    /// neuron.
    ///
    /// # Why
    /// The paper starts from w = 0. There a network of ReLU, tanh or GELU without biases never moves: all p(j) and
    /// all V_j are 0, and so is every product of the two. `scale` = 0 shows this.
    pub fn draw_weights(&self, seed: u64, replica: u32, scale: f64) -> Vec<f64> {
        draw_normal_weights(self, &RandomStream::new(seed, Purpose::Weights, replica), |_| scale * scale)
    }

    /// Computes the network's output `[outputs]` for the input `x`, `[inputs]`, with the weights `w`, `[weights]`.
    pub fn compute_output(&self, w: &[f64], x: &[f64]) -> Vec<f64> {
        let mut p = x.to_vec();
        for j in 1..=self.layer_count() {
            let neuron = |k| {
                let z = dot(&w[self.neuron_weights(j, k)], &p);
                self.activation(j).map_or(z, |activation| activation.evaluate(z))
            };
            p = (0..self.width(j)).map(neuron).collect();
        }
        p
    }
}

/// Draws normal weights w of `network`, `[weights]`, with mean 0 from the random numbers of `stream`; the variance in
/// layer j, from 1, is `variance(j)` divided by the number of inputs of a neuron.
pub(super) fn draw_normal_weights(
    network: &DescentNetwork,
    stream: &RandomStream,
    variance: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut w = Vec::with_capacity(network.weight_count());
    for j in 1..=network.layer_count() {
        let scale = libm::sqrt(variance(j) / network.width(j - 1) as f64);
        for _ in 0..network.width(j) * network.width(j - 1) {
            w.push(f64::from(stream.draw_normal(0, w.len() as u32)) * scale);
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_ordered_by_layer_and_neuron() {
        let network =
            DescentNetwork { inputs: 3, hidden: vec![4, 2], outputs: 2, ..DescentNetwork::default() };
        assert_eq!((network.layer_count(), network.unit_count(), network.weight_count()), (3, 8, 12 + 8 + 4));
        let mut next = 0;
        for j in 1..=3 {
            assert_eq!(network.weight_count_below(j), next);
            for k in 0..network.width(j) {
                assert_eq!(network.neuron_weights(j, k), next..next + network.width(j - 1));
                next += network.width(j - 1);
            }
        }
        assert_eq!(next, network.weight_count());
        assert_eq!([1, 2, 3].map(|j| network.activation(j).is_some()), [true, true, false]);
        // One layer, which is the output.
        let single = DescentNetwork { hidden: vec![], ..DescentNetwork::default() };
        assert_eq!((single.layer_count(), single.weight_count(), single.unit_count()), (1, 2, 1));
    }

    #[test]
    fn an_output_matches_the_formula() {
        let network = DescentNetwork { hidden: vec![2], ..DescentNetwork::default() };
        let w = [1.0, -0.5, -2.0, 1.0, 3.0, 10.0];
        // relu(2 − 0.5) = 1.5 and relu(−4 + 1) = 0.
        assert_eq!(network.compute_output(&w, &[2.0, 1.0]), [4.5]);
        let activated = DescentNetwork { output_activation: OutputActivation::Activated, ..network };
        assert_eq!(activated.compute_output(&[1.0, -0.5, -2.0, 1.0, -3.0, 10.0], &[2.0, 1.0]), [0.0]);
    }

    #[test]
    fn initial_weights_have_the_stated_variance() {
        let network = DescentNetwork { inputs: 16, hidden: vec![64, 64], ..DescentNetwork::default() };
        let w = network.draw_weights(1, 0, 2.0);
        for j in 1..=2 {
            let layer = &w[network.weight_count_below(j)..network.weight_count_below(j + 1)];
            let variance = layer.iter().map(|w| w * w).sum::<f64>() / layer.len() as f64;
            let wanted = 4.0 / network.width(j - 1) as f64;
            assert!((variance / wanted - 1.0).abs() < 0.2, "{j}: {variance}");
        }
        assert!(network.draw_weights(1, 0, 0.0).iter().all(|w| *w == 0.0));
        assert_ne!(network.draw_weights(1, 0, 1.0), network.draw_weights(1, 1, 1.0));
    }
}
