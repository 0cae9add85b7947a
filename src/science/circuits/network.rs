//! A circuit as a network of ReLU layers with ordinary dense matrices (section 3.3 and lemma B.1 of the paper).
//!
//! ```text
//! gate layer   h ↦ φ(W₂ φ(W₁ h + b₁) + b₂),       φ(z) = max(z, 0), W₂ diagonal with entries ±1
//!   AND        φ(x₁ + x₂ − 1)
//!   OR         1 − φ(1 − x₁ − x₂)
//!   NOT        φ(1 − x)
//!   ID         φ(x)
//! rounding     z ↦ 3φ(z − 1/3) − 3φ(z − 2/3)      for each coordinate after each gate layer, where it is wanted
//! output       z ↦ 2z − 1
//! toy          x ↦ W_d ⋯ W₁ x − ½                 section 3.1's example: all W_i = 1, and x = 1
//! ```
//!
//! A circuit of q layers becomes 2(q − 1) + 1 linear layers, and rounding adds 2(q − 1). The answer is 1 if the output is
//! above 0.
//!
//! # Why
//! All parameters are one vector θ, so that a perturbation is a vector of the same length: margins are norms of such
//! vectors. The parameters of rounding are held fixed, as in the paper's example; so is the ½ of
//! the toy. An entry that is held is 0 in every perturbation and in every gradient.

use super::circuit::Kind;
use super::error::{CircuitError, within};
use super::layered::Layered;
use super::limits::{MOST_IN_TOY, MOST_PARAMETERS};
use vivarium_core::rng::{Purpose, Stream};

/// Whether every layer's values are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Values go on as they are.
    Off,
    /// Each value is brought back to 0 or 1 after each gate layer.
    On,
}

/// The rounding function: 0 below 1/3, 3z − 1 between, 1 above 2/3 (proposition 3.4).
///
/// # Why
/// It equals 3φ(z − 1/3) − 3φ(z − 2/3), which in floating point misses 0 and 1 by some 10⁻¹⁶; this does not.
pub fn rounded(z: f64) -> f64 {
    if z <= 1.0 / 3.0 {
        0.0
    } else if z >= 2.0 / 3.0 {
        1.0
    } else {
        3.0 * z - 1.0
    }
}

/// What a layer does with its sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    Linear,
    /// φ(z) = max(z, 0).
    Relu,
}

/// Which parameters of a layer a perturbation may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Free {
    /// Weights and biases.
    All,
    /// Weights alone.
    Weights,
    /// None.
    Nothing,
}

/// A linear layer with what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// "layer3.first".
    pub name: String,
    /// Numbers that it gives.
    pub rows: usize,
    /// Numbers that it takes.
    pub columns: usize,
    /// What it does with its sums.
    pub activation: Activation,
    /// Whether its values are rounded in the end.
    pub rounding: Rounding,
    /// Which of its parameters a perturbation may change.
    pub free: Free,
    /// Where its weights begin in θ, row by row; its biases follow them.
    start: usize,
}

impl Layer {
    /// Where the weights of a row stand in θ.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        let from = self.start + row * self.columns;
        from..from + self.columns
    }

    /// Where the bias of a row stands in θ.
    pub fn bias(&self, row: usize) -> usize {
        self.start + self.rows * self.columns + row
    }

    /// Where the weights stand in θ, `[rows, columns]`.
    pub fn weights(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.rows * self.columns
    }

    /// Where the biases stand in θ, `[rows]`.
    pub fn biases(&self) -> std::ops::Range<usize> {
        self.weights().end..self.weights().end + self.rows
    }

    /// Where the parameters stand that a perturbation may change.
    pub fn free(&self) -> std::ops::Range<usize> {
        match self.free {
            Free::All => self.start..self.biases().end,
            Free::Weights => self.weights(),
            Free::Nothing => self.start..self.start,
        }
    }
}

/// A network: its layers and the vector θ of all their parameters.
///
/// ```
/// use vivarium_science::circuits::{Circuit, Network, Rounding};
/// let circuit: Circuit = "out = a and b".parse().unwrap();
/// let network = Network::new(&circuit.layered().unwrap(), Rounding::On).unwrap();
/// assert_eq!(network.output(&[true, true]), Ok(1.0));
/// assert_eq!(network.output(&[true, false]), Ok(-1.0));
/// assert_eq!(network.matrix("layer1.first.weight").unwrap().entries, [1.0, 1.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    inputs: usize,
    layers: Vec<Layer>,
    theta: Vec<f64>,
}

impl Network {
    /// The network that computes a circuit.
    pub fn new(circuit: &Layered, rounding: Rounding) -> Result<Self, CircuitError> {
        let widths: Vec<usize> = circuit.layers().iter().map(Vec::len).collect();
        let parameters = circuit.parameters();
        if parameters > MOST_PARAMETERS as u64 {
            return Err(CircuitError::Parameters(parameters));
        }
        let mut network =
            Network { inputs: widths.first().copied().unwrap_or(0), layers: Vec::new(), theta: Vec::new() };
        for (l, layer) in circuit.layers().iter().enumerate().skip(1) {
            let (below, own) = (widths[l - 1], widths[l]);
            let first = network.add(format!("layer{l}.first"), [own, below], Activation::Relu);
            let second = network.add(format!("layer{l}.second"), [own, own], Activation::Relu);
            network.layers[second].rounding = rounding;
            for (row, place) in layer.iter().enumerate() {
                // Of a gate: the factor of its inputs and the bias, then the sign and the bias of the second layer.
                let (factor, bias, sign, shift) = match place.kind {
                    Some(Kind::And) => (1.0, -1.0, 1.0, 0.0),
                    Some(Kind::Or) => (-1.0, 1.0, -1.0, 1.0),
                    Some(Kind::Not) => (-1.0, 1.0, 1.0, 0.0),
                    Some(Kind::Id) | None => (1.0, 0.0, 1.0, 0.0),
                };
                let reads = place.kind.map_or(1, Kind::reads);
                for read in &place.reads[..reads] {
                    // Where both inputs of a gate are the same, the two weights add up.
                    let at = network.layers[first].row(row).start + read;
                    network.theta[at] += factor;
                }
                let at = network.layers[first].bias(row);
                network.theta[at] = bias;
                let at = network.layers[second].row(row).start + row;
                network.theta[at] = sign;
                let at = network.layers[second].bias(row);
                network.theta[at] = shift;
            }
        }
        let output =
            network.add("output".into(), [1, widths.last().copied().unwrap_or(0)], Activation::Linear);
        let (weight, bias) = (network.layers[output].row(0).start, network.layers[output].bias(0));
        network.theta[weight] = 2.0;
        network.theta[bias] = -1.0;
        Ok(network)
    }

    /// The toy of section 3.1 with `depth` weights, all 1: the product of its weights, less ½. Its input is the bit 1.
    ///
    /// With rounding it is equation (3.1): each weight's product is rounded.
    pub fn toy(depth: usize, rounding: Rounding) -> Result<Self, CircuitError> {
        within(depth, 1, MOST_IN_TOY)?;
        let mut network = Network { inputs: 1, layers: Vec::new(), theta: Vec::new() };
        for l in 1..=depth {
            let at = network.add(format!("layer{l}"), [1, 1], Activation::Linear);
            (network.layers[at].rounding, network.layers[at].free) = (rounding, Free::Weights);
            let weight = network.layers[at].row(0).start;
            network.theta[weight] = 1.0;
        }
        let at = network.add("output".into(), [1, 1], Activation::Linear);
        network.layers[at].free = Free::Nothing;
        let (weight, bias) = (network.layers[at].row(0).start, network.layers[at].bias(0));
        (network.theta[weight], network.theta[bias]) = (1.0, -0.5);
        Ok(network)
    }

    fn add(&mut self, name: String, [rows, columns]: [usize; 2], activation: Activation) -> usize {
        let start = self.theta.len();
        self.layers.push(Layer {
            name,
            rows,
            columns,
            activation,
            rounding: Rounding::Off,
            free: Free::All,
            start,
        });
        self.theta.resize(start + rows * columns + rows, 0.0);
        self.layers.len() - 1
    }

    /// Numbers of an input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Its linear layers, without those of rounding.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// How many values its linear layers have in all.
    pub(super) fn neurons(&self) -> usize {
        self.layers.iter().map(|layer| layer.rows).sum()
    }

    /// θ: the weights and biases of layer after layer, those of rounding apart.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Standard normal numbers for every parameter that may change, and 0 for the others: times σ they are noise of
    /// standard deviation σ on every weight and bias.
    pub fn direction(&self, seed: u64, draw: u32) -> Vec<f64> {
        let stream = Stream::new(seed, Purpose::Construction, draw);
        let mut direction = vec![0.0; self.theta.len()];
        for at in self.layers.iter().flat_map(Layer::free) {
            direction[at] = f64::from(stream.normal(0, at as u32));
        }
        direction
    }

    /// 1 or −1 for every parameter that may change, and 0 for the others: a random direction that costs much less than
    /// normal numbers do.
    pub(super) fn signs(&self, seed: u64, draw: u32) -> Vec<f64> {
        let stream = Stream::new(seed, Purpose::Construction, draw);
        let mut word = 0;
        let mut signs = vec![0.0; self.theta.len()];
        for (place, at) in self.layers.iter().flat_map(Layer::free).enumerate() {
            // Step 0 has the normal numbers.
            if place % 32 == 0 {
                word = stream.word(1, (place / 32) as u32);
            }
            signs[at] = if word >> (place % 32) & 1 == 1 { 1.0 } else { -1.0 };
        }
        signs
    }

    /// The numbers 0 and 1 of an input, if it has the right length.
    pub(super) fn numbers(&self, bits: &[bool]) -> Result<Vec<f64>, CircuitError> {
        let fits = bits.len() == self.inputs;
        let numbers = || bits.iter().map(|bit| f64::from(u8::from(*bit))).collect();
        fits.then(numbers).ok_or(CircuitError::Bits { expected: self.inputs, found: bits.len() })
    }
}
