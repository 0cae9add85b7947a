//! A circuit as a network of ReLU layers with ordinary dense matrices (section 3.3 and lemma B.1 of the paper).
//!
//! ```text
//! gate layer   h ↦ φ(W₂ φ(W₁ h + b₁) + b₂),       φ(z) = max(z, 0), W₂ diagonal with entries ±1
//!   AND        φ(x₁ + x₂ − 1)
//!   OR         1 − φ(1 − x₁ − x₂)
//!   NOT        φ(1 − x)
//!   ID         φ(x)
//! rounding     z ↦ 3φ(z − 1/3) − 3φ(z − 2/3)      for each coordinate after each gate layer, if rounding is on
//! output       z ↦ 2z − 1
//! toy          x ↦ w_d ⋯ w₁ x − ½                 example of section 3.1: all w_i = 1, and x = 1
//! ```
//!
//! A circuit of q layers becomes 2(q − 1) + 1 linear layers, and rounding adds 2(q − 1). The answer is 1 if the output is
//! above 0.
//!
//! # Why
//! All parameters are one vector θ, so that a perturbation is a vector of the same length: margins are norms of such
//! vectors. The parameters of rounding are fixed, as in the paper's example, and so is the ½ of the
//! toy. Perturbations and gradients are 0 at fixed parameters.

use super::circuit::GateKind;
use super::error::{CircuitError, check_range};
use super::layered::LayeredCircuit;
use super::limits::{MAX_NETWORK_PARAMETERS, MAX_TOY_DEPTH};
use vivarium_core::rng::{Purpose, RandomStream};

/// Whether a network rounds the values that its gate layers pass to the next layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// The next layer receives the values unchanged.
    Off,
    /// After each gate layer [`apply_rounding`] moves each value towards 0 or 1.
    On,
}

/// The rounding function ζ of one value: 0 below 1/3, 3z − 1 between, 1 above 2/3 (Wei, Chen and Ma 2022, proposition
/// 3.4).
///
/// # Why
/// In floating point 3φ(z − 1/3) − 3φ(z − 2/3), the same function, misses 0 and 1 by about 10⁻¹⁶; this form is exact.
pub fn apply_rounding(z: f64) -> f64 {
    if z <= 1.0 / 3.0 {
        0.0
    } else if z >= 2.0 / 3.0 {
        1.0
    } else {
        3.0 * z - 1.0
    }
}

/// The activation function of a linear layer of a circuit's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// The identity.
    Linear,
    /// The ReLU, φ(z) = max(z, 0).
    Relu,
}

/// Which parameters of a layer are free: a perturbation may change them. The others are fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreeParameters {
    /// The weights and the biases.
    All,
    /// The weights; the biases are fixed.
    Weights,
    /// No parameter.
    None,
}

/// A linear layer with its activation function act and rounding ζ: it maps its input v to ζ(act(W v + b)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearLayer {
    /// First part of the names of its matrices, for example `layer3.first`.
    pub name: String,
    /// Number of outputs: rows of the weight matrix.
    pub rows: usize,
    /// Number of inputs: columns of the weight matrix.
    pub columns: usize,
    /// The activation function that is applied to W v + b.
    pub activation: Activation,
    /// Whether the layer's activations are rounded before the next layer reads them.
    pub rounding: Rounding,
    /// Which of the layer's parameters, weights or biases, a perturbation may change.
    pub free: FreeParameters,
    /// Index in the network's parameter vector θ of the layer's first weight. The weights are row-major, and the
    /// biases follow.
    start: usize,
}

impl LinearLayer {
    /// Indices in θ of the weights of output `row` of the layer, one for each input.
    pub fn row_range(&self, row: usize) -> std::ops::Range<usize> {
        let from = self.start + row * self.columns;
        from..from + self.columns
    }

    /// Index in θ of the bias of output `row` of the layer.
    pub fn bias_index(&self, row: usize) -> usize {
        self.start + self.rows * self.columns + row
    }

    /// Indices in θ of all weights of the layer, row-major, `[rows, columns]`.
    pub fn weight_range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.rows * self.columns
    }

    /// Indices in θ of all biases of the layer, `[rows]`.
    pub fn bias_range(&self) -> std::ops::Range<usize> {
        self.weight_range().end..self.weight_range().end + self.rows
    }

    /// Indices in θ of the layer's parameters that a perturbation may change.
    pub fn free_range(&self) -> std::ops::Range<usize> {
        match self.free {
            FreeParameters::All => self.start..self.bias_range().end,
            FreeParameters::Weights => self.weight_range(),
            FreeParameters::None => self.start..self.start,
        }
    }
}

/// A ReLU network for a circuit: its layers, and the vector θ of their parameters, without those of rounding.
///
/// ```
/// use vivarium_science::circuits::{Circuit, ReluNetwork, Rounding};
/// let circuit: Circuit = "out = a and b".parse().unwrap();
/// let network = ReluNetwork::new(&circuit.to_layers().unwrap(), Rounding::On).unwrap();
/// assert_eq!(network.output(&[true, true]), Ok(1.0));
/// assert_eq!(network.output(&[true, false]), Ok(-1.0));
/// assert_eq!(network.matrix("layer1.first.weight").unwrap().entries, [1.0, 1.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ReluNetwork {
    /// Number of input bits.
    inputs: usize,
    /// The linear layers in the order of the forward pass; the last computes the output F.
    layers: Vec<LinearLayer>,
    /// The parameter vector θ: weights and biases of each layer in turn.
    theta: Vec<f64>,
}

impl ReluNetwork {
    /// Builds the network that computes `circuit` (Wei, Chen and Ma 2022, lemma B.1), with rounding after each gate
    /// layer if `rounding` is on.
    ///
    /// # Errors
    /// The network would have more than [`MAX_NETWORK_PARAMETERS`] parameters.
    pub fn new(circuit: &LayeredCircuit, rounding: Rounding) -> Result<Self, CircuitError> {
        let widths: Vec<usize> = circuit.layers().iter().map(Vec::len).collect();
        let parameters = circuit.parameter_count();
        if parameters > MAX_NETWORK_PARAMETERS as u64 {
            return Err(CircuitError::TooManyParameters(parameters));
        }
        let mut network = ReluNetwork {
            inputs: widths.first().copied().unwrap_or(0),
            layers: Vec::new(),
            theta: Vec::new(),
        };
        for (l, layer) in circuit.layers().iter().enumerate().skip(1) {
            let (below, own) = (widths[l - 1], widths[l]);
            let first = network.add_layer(format!("layer{l}.first"), [own, below], Activation::Relu);
            let second = network.add_layer(format!("layer{l}.second"), [own, own], Activation::Relu);
            network.layers[second].rounding = rounding;
            for (row, place) in layer.iter().enumerate() {
                // Weight of the gate's inputs and bias in the first layer; weight and bias in the second layer.
                let (factor, bias, sign, shift) = match place.kind {
                    Some(GateKind::And) => (1.0, -1.0, 1.0, 0.0),
                    Some(GateKind::Or) => (-1.0, 1.0, -1.0, 1.0),
                    Some(GateKind::Not) => (-1.0, 1.0, 1.0, 0.0),
                    Some(GateKind::Id) | None => (1.0, 0.0, 1.0, 0.0),
                };
                let input_count = place.kind.map_or(1, GateKind::input_count);
                for read in &place.inputs[..input_count] {
                    // If both inputs of a gate are the same, the two weights are added.
                    let at = network.layers[first].row_range(row).start + read;
                    network.theta[at] += factor;
                }
                let at = network.layers[first].bias_index(row);
                network.theta[at] = bias;
                let at = network.layers[second].row_range(row).start + row;
                network.theta[at] = sign;
                let at = network.layers[second].bias_index(row);
                network.theta[at] = shift;
            }
        }
        let output =
            network.add_layer("output".into(), [1, widths.last().copied().unwrap_or(0)], Activation::Linear);
        let (weight, bias) =
            (network.layers[output].row_range(0).start, network.layers[output].bias_index(0));
        network.theta[weight] = 2.0;
        network.theta[bias] = -1.0;
        Ok(network)
    }

    /// Builds the toy network of section 3.1 (Wei, Chen and Ma 2022): F(x) = w_d ⋯ w₁ x − ½ with d = `depth` weights
    /// that are all 1, for the input x = 1.
    ///
    /// With rounding it is equation (3.1): the product is rounded after each weight.
    ///
    /// # Errors
    /// `depth` is 0 or greater than [`MAX_TOY_DEPTH`].
    pub fn toy(depth: usize, rounding: Rounding) -> Result<Self, CircuitError> {
        check_range(depth, 1, MAX_TOY_DEPTH)?;
        let mut network = ReluNetwork { inputs: 1, layers: Vec::new(), theta: Vec::new() };
        for l in 1..=depth {
            let at = network.add_layer(format!("layer{l}"), [1, 1], Activation::Linear);
            (network.layers[at].rounding, network.layers[at].free) = (rounding, FreeParameters::Weights);
            let weight = network.layers[at].row_range(0).start;
            network.theta[weight] = 1.0;
        }
        let at = network.add_layer("output".into(), [1, 1], Activation::Linear);
        network.layers[at].free = FreeParameters::None;
        let (weight, bias) = (network.layers[at].row_range(0).start, network.layers[at].bias_index(0));
        (network.theta[weight], network.theta[bias]) = (1.0, -0.5);
        Ok(network)
    }

    /// Appends a linear layer of shape `[rows, columns]` whose parameters are all 0 and free; returns the index of
    /// the layer, from 0.
    fn add_layer(&mut self, name: String, [rows, columns]: [usize; 2], activation: Activation) -> usize {
        let start = self.theta.len();
        self.layers.push(LinearLayer {
            name,
            rows,
            columns,
            activation,
            rounding: Rounding::Off,
            free: FreeParameters::All,
            start,
        });
        self.theta.resize(start + rows * columns + rows, 0.0);
        self.layers.len() - 1
    }

    /// Number of input bits.
    pub fn input_count(&self) -> usize {
        self.inputs
    }

    /// The linear layers from the first to the output, without those of rounding.
    pub fn layers(&self) -> &[LinearLayer] {
        &self.layers
    }

    /// Number of neurons: the sum of the numbers of outputs of all linear layers.
    pub(super) fn neuron_count(&self) -> usize {
        self.layers.iter().map(|layer| layer.rows).sum()
    }

    /// The parameter vector θ: weights and biases of each [layer](ReluNetwork::layers) in turn, without those of rounding.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Draws noise for all parameters, `[parameters]`: independent standard normal numbers for free parameters and 0 for fixed
    /// ones.
    ///
    /// `seed` and `draw` determine the numbers.
    pub fn draw_noise(&self, seed: u64, draw: u32) -> Vec<f64> {
        let stream = RandomStream::new(seed, Purpose::Construction, draw);
        let mut direction = vec![0.0; self.theta.len()];
        for at in self.layers.iter().flat_map(LinearLayer::free_range) {
            direction[at] = f64::from(stream.draw_normal(0, at as u32));
        }
        direction
    }

    /// Draws a random direction, `[parameters]`: 1 or −1 for free parameters and 0 for fixed ones.
    ///
    /// This is much faster than [`ReluNetwork::draw_noise`].
    pub(super) fn draw_signs(&self, seed: u64, draw: u32) -> Vec<f64> {
        let stream = RandomStream::new(seed, Purpose::Construction, draw);
        let mut word = 0;
        let mut signs = vec![0.0; self.theta.len()];
        for (place, at) in self.layers.iter().flat_map(LinearLayer::free_range).enumerate() {
            // Step 0 of the stream is for normal numbers.
            if place % 32 == 0 {
                word = stream.draw_u32(1, (place / 32) as u32);
            }
            signs[at] = if word >> (place % 32) & 1 == 1 { 1.0 } else { -1.0 };
        }
        signs
    }

    /// The input bits as numbers 0 and 1; an error if there are too many or too few.
    pub(super) fn encode_bits(&self, bits: &[bool]) -> Result<Vec<f64>, CircuitError> {
        let fits = bits.len() == self.inputs;
        let numbers = || bits.iter().map(|bit| f64::from(u8::from(*bit))).collect();
        fits.then(numbers).ok_or(CircuitError::InputLength { expected: self.inputs, found: bits.len() })
    }
}
