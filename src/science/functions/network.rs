//! Networks of ReLUs without biases and with one output. They serve as the functions of a class, and as a baseline.

use super::normals::append_normals;
use vivarium_core::math::dot;
use vivarium_core::rng::RandomStream;

/// A ReLU network without biases, x ↦ W_N relu(… relu(W₁ x)), with one output, in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct BiasFreeNetwork {
    /// Dimension of the input, then of each layer's output, `[layers + 1]`; the last is 1.
    sizes: Vec<usize>,
    /// Weights of all layers in sequence, each `[outputs, inputs]`.
    weights: Vec<f64>,
}

/// Workspace for the forward and backward pass of a network for one input, reused between calls: the outputs of all
/// layers, and the gradients with respect to them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForwardWorkspace {
    /// The network's input, then the outputs of all layers in sequence.
    outputs: Vec<f64>,
    /// The gradient of the loss with respect to each entry of `outputs`.
    gradients: Vec<f64>,
}

impl BiasFreeNetwork {
    /// The sizes of a network with `inputs` inputs, `layers` layers of weights, `hidden` neurons per hidden layer and
    /// one output, `[layers + 1]`.
    pub fn layer_sizes(inputs: usize, layers: usize, hidden: usize) -> Vec<usize> {
        let mut sizes = vec![hidden; layers + 1];
        sizes[0] = inputs;
        sizes[layers] = 1;
        sizes
    }

    /// Number of weights of a network whose input and layers have these `sizes`.
    pub fn weight_count(sizes: &[usize]) -> usize {
        sizes.windows(2).map(|pair| pair[0] * pair[1]).sum()
    }

    /// Creates a network from its sizes and its weights, layer by layer `[outputs, inputs]`.
    pub fn new(sizes: Vec<usize>, weights: Vec<f64>) -> Self {
        assert_eq!(weights.len(), BiasFreeNetwork::weight_count(&sizes), "a weight for each connection");
        BiasFreeNetwork { sizes, weights }
    }

    /// Draws a network with normal weights from the random words of `step`: variance 2/inputs in hidden layers (He,
    /// Zhang, Ren and Sun 2015), and 1/inputs in the output layer, which has no ReLU.
    pub fn draw(inputs: usize, layers: usize, hidden: usize, stream: &RandomStream, step: u64) -> Self {
        let sizes = BiasFreeNetwork::layer_sizes(inputs, layers, hidden);
        let mut weights = vec![];
        append_normals(stream, step, 0, BiasFreeNetwork::weight_count(&sizes), &mut weights);
        let mut rest = weights.as_mut_slice();
        for (layer, pair) in sizes.windows(2).enumerate() {
            let gain = if layer + 1 < layers { 2.0 } else { 1.0 };
            let deviation = (gain / pair[0] as f64).sqrt();
            let (layer_weights, following) = rest.split_at_mut(pair[0] * pair[1]);
            layer_weights.iter_mut().for_each(|weight| *weight *= deviation);
            rest = following;
        }
        BiasFreeNetwork { sizes, weights }
    }

    /// The weights of all layers in sequence; those of a layer are row-major, `[outputs, inputs]`.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weights of all layers in sequence, mutable; those of a layer are row-major, `[outputs, inputs]`.
    pub fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Computes the network's output for an input `[inputs]`.
    pub fn compute_output(&self, x: &[f64], workspace: &mut ForwardWorkspace) -> f64 {
        self.compute_layer_outputs(x, workspace);
        workspace.outputs.last().copied().unwrap_or(0.0)
    }

    /// Writes the input `x`, `[inputs]`, and the outputs of all layers to the workspace.
    fn compute_layer_outputs(&self, x: &[f64], workspace: &mut ForwardWorkspace) {
        let outputs = &mut workspace.outputs;
        outputs.resize(self.sizes.iter().sum(), 0.0);
        outputs[..x.len()].copy_from_slice(x);
        let (mut weights, mut rest) = (self.weights.as_slice(), outputs.as_mut_slice());
        for (layer, pair) in self.sizes.windows(2).enumerate() {
            let (layer_weights, later_weights) = weights.split_at(pair[0] * pair[1]);
            let (inputs, following) = rest.split_at_mut(pair[0]);
            let is_hidden = layer + 2 < self.sizes.len();
            for (output, row) in following.iter_mut().zip(layer_weights.chunks_exact(pair[0])) {
                let sum = dot(row, inputs);
                *output = if is_hidden { sum.max(0.0) } else { sum };
            }
            (weights, rest) = (later_weights, following);
        }
    }

    /// Adds the gradient of `factor · (f(x) − y)²` with respect to the weights to `gradient`, `[weights]`. Returns
    /// f(x).
    pub fn add_gradient(
        &self,
        x: &[f64],
        y: f64,
        factor: f64,
        gradient: &mut [f64],
        workspace: &mut ForwardWorkspace,
    ) -> f64 {
        self.compute_layer_outputs(x, workspace);
        let ForwardWorkspace { outputs, gradients: grad_outputs } = workspace;
        let output = outputs.last().copied().unwrap_or(0.0);
        grad_outputs.clear();
        grad_outputs.resize(outputs.len(), 0.0);
        if let Some(last) = grad_outputs.last_mut() {
            *last = 2.0 * factor * (output - y);
        }
        let (mut until, mut weight) = (outputs.len(), self.weights.len());
        for (layer, pair) in self.sizes.windows(2).enumerate().rev() {
            let (from, before) = (until - pair[1], until - pair[1] - pair[0]);
            let first = weight - pair[0] * pair[1];
            let (inner, outer) = grad_outputs.split_at_mut(from);
            let (inner, inputs) = (&mut inner[before..], &outputs[before..from]);
            for (unit, output_gradient) in outer[..pair[1]].iter().enumerate() {
                if *output_gradient == 0.0 {
                    continue;
                }
                let row = first + unit * pair[0]..first + (unit + 1) * pair[0];
                let rows = gradient[row.clone()].iter_mut().zip(&self.weights[row]);
                for ((g, w), (s, x)) in rows.zip(inner.iter_mut().zip(inputs)) {
                    *g += output_gradient * x;
                    *s += output_gradient * w;
                }
            }
            // The gradient of an inactive ReLU is 0.
            if layer > 0 {
                inner.iter_mut().zip(inputs).filter(|(_, x)| **x <= 0.0).for_each(|(s, _)| *s = 0.0);
            }
            (until, weight) = (from, first);
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::Purpose;

    fn network(layers: usize) -> BiasFreeNetwork {
        BiasFreeNetwork::draw(3, layers, 5, &RandomStream::new(7, Purpose::Function, 0), 0)
    }

    #[test]
    fn a_network_matches_hand_computation() {
        // relu(x₁ − x₂), relu(2x₂), then 3a − b.
        let network = BiasFreeNetwork::new(vec![2, 2, 1], vec![1.0, -1.0, 0.0, 2.0, 3.0, -1.0]);
        let at = |x: [f64; 2]| network.compute_output(&x, &mut ForwardWorkspace::default());
        assert_eq!(at([5.0, 1.0]), 3.0 * 4.0 - 2.0);
        assert_eq!(at([1.0, 5.0]), -10.0);
        assert_eq!(at([1.0, -5.0]), 18.0);
    }

    #[test]
    fn gradients_match_finite_differences() {
        for layers in 2..=6 {
            let (network, x, y) = (network(layers), [0.3, -1.1, 0.8], 0.4);
            let (mut gradient, mut workspace) =
                (vec![0.0; network.weights.len()], ForwardWorkspace::default());
            let output = network.add_gradient(&x, y, 0.5, &mut gradient, &mut workspace);
            assert_eq!(output, network.compute_output(&x, &mut workspace));
            let loss = |at: usize, by: f64| {
                let mut moved = network.clone();
                moved.weights_mut()[at] += by;
                0.5 * (moved.compute_output(&x, &mut ForwardWorkspace::default()) - y).powi(2)
            };
            for (at, g) in gradient.iter().enumerate() {
                let difference = (loss(at, 1e-6) - loss(at, -1e-6)) / 2e-6;
                assert!((difference - g).abs() < 1e-6 * (1.0 + g.abs()), "{layers} {at}: {difference} {g}");
            }
            assert!(gradient.iter().any(|g| *g != 0.0), "{layers} layers are dead");
        }
    }

    #[test]
    fn weights_have_the_stated_variances() {
        let network = BiasFreeNetwork::draw(4, 3, 60, &RandomStream::new(1, Purpose::Function, 0), 0);
        let variance = |part: &[f64]| part.iter().map(|w| w * w).sum::<f64>() / part.len() as f64;
        let (first, rest) = network.weights().split_at(240);
        let (second, third) = rest.split_at(3600);
        assert!((variance(first) - 0.5).abs() < 0.2 && (variance(second) - 1.0 / 30.0).abs() < 0.004);
        assert!((variance(third) - 1.0 / 60.0).abs() < 0.01 && third.len() == 60);
    }
}
