//! The network whose weights travel in the tokens (definition 1 of the paper), without biases.
//!
//! ```text
//! p(0) = x,    p(j)[k] = r(⟨v(j,k), p(j−1)⟩),    j = 1 … N
//! ```
//!
//! Its weights are one vector w = \[v(1,1) … v(1,K₁) v(2,1) … v(N,d)\], layer by layer and neuron by neuron.

use std::ops::Range;

use super::activation::{Activation, Output};
use vivarium_core::math::dot;
use vivarium_core::rng::{Purpose, Stream};

/// The sizes and activations of a network of N layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Numbers d_x of an input, the constant 1 among them where there is one.
    pub inputs: usize,
    /// Neurons of each hidden layer: N − 1 numbers.
    pub hidden: Vec<usize>,
    /// Numbers d_y of an output.
    pub outputs: usize,
    /// Activation r of the hidden layers.
    pub activation: Activation,
    /// What the output layer does with its sums.
    pub output: Output,
}

impl Default for Network {
    /// The network of section 5.1's table: 2-8-8-1 with ReLUs.
    fn default() -> Self {
        Network {
            inputs: 2,
            hidden: vec![8, 8],
            outputs: 1,
            activation: Activation::Relu,
            output: Output::Linear,
        }
    }
}

impl Network {
    /// Layers N, the output layer among them.
    pub fn layers(&self) -> usize {
        self.hidden.len() + 1
    }

    /// Numbers that layer `j` gives, from 0, the input, to N, the output.
    pub fn width(&self, j: usize) -> usize {
        match j {
            0 => self.inputs,
            _ => self.hidden.get(j - 1).copied().unwrap_or(self.outputs),
        }
    }

    /// What layer `j`, from 1 to N, does with its sums; none is the identity.
    pub fn activation(&self, j: usize) -> Option<Activation> {
        (j < self.layers() || self.output == Output::Activated).then_some(self.activation)
    }

    /// Neurons of all layers.
    pub fn units(&self) -> usize {
        self.units_below(self.layers() + 1)
    }

    /// Neurons of the layers below layer `j`, from 1.
    pub fn units_below(&self, j: usize) -> usize {
        (1..j).map(|i| self.width(i)).sum()
    }

    /// Weights D_{j−1} of the layers below layer `j`.
    pub fn weights_below(&self, j: usize) -> usize {
        (1..j).map(|i| self.width(i) * self.width(i - 1)).sum()
    }

    /// Weights D_N of all layers.
    pub fn weights(&self) -> usize {
        self.weights_below(self.layers() + 1)
    }

    /// Where the weights v(j,k) of neuron `k`, from 0, of layer `j`, from 1, stand in w.
    pub fn neuron(&self, j: usize, k: usize) -> Range<usize> {
        let from = self.weights_below(j) + k * self.width(j - 1);
        from..from + self.width(j - 1)
    }

    /// Initial weights: normal with mean 0 and variance `scale`² / inputs of the neuron.
    ///
    /// # Why
    /// The paper begins with w = 0, where a ReLU, tanh or GELU network without biases never moves: all p(j) are 0, all
    /// V_j are 0, and so is every product of the two. `scale` = 0 shows it.
    pub fn draw(&self, seed: u64, replica: u32, scale: f64) -> Vec<f64> {
        drawn(self, &Stream::new(seed, Purpose::Weights, replica), |_| scale * scale)
    }

    /// The network's output for one input.
    pub fn predict(&self, w: &[f64], x: &[f64]) -> Vec<f64> {
        let mut p = x.to_vec();
        for j in 1..=self.layers() {
            let neuron = |k| {
                let z = dot(&w[self.neuron(j, k)], &p);
                self.activation(j).map_or(z, |activation| activation.value(z))
            };
            p = (0..self.width(j)).map(neuron).collect();
        }
        p
    }
}

/// Normal weights of `network` whose variance in layer j is `variance(j)` over the inputs of a neuron.
pub(super) fn drawn(network: &Network, stream: &Stream, variance: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut w = Vec::with_capacity(network.weights());
    for j in 1..=network.layers() {
        let scale = libm::sqrt(variance(j) / network.width(j - 1) as f64);
        for _ in 0..network.width(j) * network.width(j - 1) {
            w.push(f64::from(stream.normal(0, w.len() as u32)) * scale);
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_stand_layer_by_layer_and_neuron_by_neuron() {
        let network = Network { inputs: 3, hidden: vec![4, 2], outputs: 2, ..Network::default() };
        assert_eq!((network.layers(), network.units(), network.weights()), (3, 8, 12 + 8 + 4));
        let mut next = 0;
        for j in 1..=3 {
            assert_eq!(network.weights_below(j), next);
            for k in 0..network.width(j) {
                assert_eq!(network.neuron(j, k), next..next + network.width(j - 1));
                next += network.width(j - 1);
            }
        }
        assert_eq!(next, network.weights());
        assert_eq!([1, 2, 3].map(|j| network.activation(j).is_some()), [true, true, false]);
        // One layer, which is the output.
        let single = Network { hidden: vec![], ..Network::default() };
        assert_eq!((single.layers(), single.weights(), single.units()), (1, 2, 1));
    }

    #[test]
    fn an_output_is_what_the_formula_says() {
        let network = Network { hidden: vec![2], ..Network::default() };
        let w = [1.0, -0.5, -2.0, 1.0, 3.0, 10.0];
        // relu(2 − 0.5) = 1.5 and relu(−4 + 1) = 0.
        assert_eq!(network.predict(&w, &[2.0, 1.0]), [4.5]);
        let activated = Network { output: Output::Activated, ..network };
        assert_eq!(activated.predict(&[1.0, -0.5, -2.0, 1.0, -3.0, 10.0], &[2.0, 1.0]), [0.0]);
    }

    #[test]
    fn initial_weights_have_the_variance_they_promise() {
        let network = Network { inputs: 16, hidden: vec![64, 64], ..Network::default() };
        let w = network.draw(1, 0, 2.0);
        for j in 1..=2 {
            let layer = &w[network.weights_below(j)..network.weights_below(j + 1)];
            let variance = layer.iter().map(|w| w * w).sum::<f64>() / layer.len() as f64;
            let wanted = 4.0 / network.width(j - 1) as f64;
            assert!((variance / wanted - 1.0).abs() < 0.2, "{j}: {variance}");
        }
        assert!(network.draw(1, 0, 0.0).iter().all(|w| *w == 0.0));
        assert_ne!(network.draw(1, 0, 1.0), network.draw(1, 1, 1.0));
    }
}
