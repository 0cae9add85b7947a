//! Forward pass of a network, and backward pass: the gradient of the output F with respect to all parameters θ.
//!
//! ```text
//! sum s = W v + b,    value a = act(s),    rounded ζ(a),    input v of the next layer = ζ(a), or a without rounding
//! ∂F/∂W[row, column] = e[row] · v[column],   ∂F/∂b[row] = e[row],   e = (Wᵀ e of the next layer) · (ζ ∘ act)′(s)
//! ```

use super::error::CircuitError;
use super::network::{Activation, FreeParameters, LinearLayer, ReluNetwork, Rounding, apply_rounding};

/// The values of one layer in a forward pass, each `[rows]`.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerValues {
    /// Pre-activations W v + b of the layer, one for each output, `[rows]`.
    pub sums: Vec<f64>,
    /// Activations act(W v + b) of the layer before rounding, one for each output, `[rows]`.
    pub values: Vec<f64>,
    /// Activations after rounding, the input of the next layer; equal to `values` without rounding.
    pub rounded: Vec<f64>,
}

/// The values of all layers in the forward pass for one input.
#[derive(Debug, Clone, PartialEq)]
pub struct ForwardTrace {
    /// The input bits as numbers 0 and 1.
    pub inputs: Vec<f64>,
    /// The pre-activations and activations of each linear layer, from the first to the output layer.
    pub layers: Vec<LayerValues>,
}

impl ForwardTrace {
    /// The network's output F, the only activation of the last linear layer.
    pub fn output(&self) -> f64 {
        self.layers.last().and_then(|layer| layer.rounded.first()).copied().unwrap_or(0.0)
    }

    /// The input vector of linear layer `layer`, from 0: the network's input or the previous layer's output,
    /// `[columns]`.
    pub fn layer_inputs(&self, layer: usize) -> &[f64] {
        let before = layer.checked_sub(1).and_then(|before| self.layers.get(before));
        before.map_or(&self.inputs, |values| &values.rounded)
    }

    /// The largest distance of the activations of linear layer `layer`, from 0, before rounding, from the nearer of 0
    /// and 1.
    pub fn deviation(&self, layer: usize) -> f64 {
        let values = self.layers.get(layer).map_or(&[][..], |layer| &layer.values);
        values.iter().fold(0.0, |max, value| value.abs().min((value - 1.0).abs()).max(max))
    }
}

/// The output F of a network for one input, and the gradient of F with respect to the network's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputGradient {
    /// The network's output F for the input.
    pub output: f64,
    /// Gradient ∂F/∂θ of the output F with respect to all parameters, `[parameters]`; 0 for fixed parameters.
    pub grad_theta: Vec<f64>,
}

/// Whether the output z has the sign of the label y: the loss ℓ₀₋₁(z, y) = 1((y − ½) z ≤ 0) of section 2.1 (Wei, Chen
/// and Ma 2022) is 0.
///
/// The output 0 is an error for both labels, as in the definition of the margin. NaN is an error, too.
pub fn is_correct(output: f64, label: bool) -> bool {
    if label { output > 0.0 } else { output < 0.0 }
}

/// Applies the layer's activation function, ReLU or identity, to the pre-activation `sum`.
fn activate(layer: &LinearLayer, sum: f64) -> f64 {
    match layer.activation {
        Activation::Linear => sum,
        Activation::Relu => sum.max(0.0),
    }
}

/// Applies the rounding function ζ to the activation `value` if the layer has rounding, else returns `value`.
fn round_if_enabled(layer: &LinearLayer, value: f64) -> f64 {
    match layer.rounding {
        Rounding::Off => value,
        Rounding::On => apply_rounding(value),
    }
}

/// Which one-sided derivative is used at a kink: a pre-activation 0 of a ReLU, or an activation 1/3 or 2/3 that is
/// rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum KinkSide {
    /// The derivative of the flat side, 0, as usual for a ReLU.
    Flat,
    /// The derivative of the side to which the pre-activation moves if F changes with this sign. With a single kink, F changes
    /// at least as fast on this side as on the other.
    Towards(f64),
}

/// Distance from a kink within which [`local_derivative`] treats a value as exactly at the kink: a pre-activation near
/// 0, or an activation near 1/3 or 2/3.
const KINK_TOLERANCE: f64 = 1e-9;

/// The derivative of one neuron's output ζ(act(z)), with rounding ζ if the layer has it, at its pre-activation z =
/// `sum`. At a kink, `kink` and the sign of `error`, which is ∂F/∂(output of the neuron), select the side.
fn local_derivative(layer: &LinearLayer, sum: f64, error: f64, kink: KinkSide) -> f64 {
    let is_rising = match kink {
        KinkSide::Flat => sum > 0.0,
        KinkSide::Towards(wanted) if sum.abs() <= KINK_TOLERANCE => wanted * error > 0.0,
        KinkSide::Towards(_) => sum > 0.0,
    };
    if layer.activation == Activation::Relu && !is_rising {
        return 0.0;
    }
    let value = activate(layer, sum);
    let is_between = match kink {
        KinkSide::Towards(wanted) if (value - 1.0 / 3.0).abs() <= KINK_TOLERANCE => wanted * error > 0.0,
        KinkSide::Towards(wanted) if (value - 2.0 / 3.0).abs() <= KINK_TOLERANCE => wanted * error < 0.0,
        _ => (1.0 / 3.0..2.0 / 3.0).contains(&value),
    };
    match layer.rounding {
        Rounding::Off => 1.0,
        Rounding::On => 3.0 * f64::from(u8::from(is_between)),
    }
}

impl ReluNetwork {
    /// Computes the output F for the input `bits`.
    ///
    /// # Errors
    /// `bits` has the wrong length.
    pub fn output(&self, bits: &[bool]) -> Result<f64, CircuitError> {
        self.output_at(self.theta(), bits)
    }

    /// Computes the output F for the input `bits` with the parameters `theta`.
    ///
    /// # Errors
    /// `theta` or `bits` has the wrong length.
    pub fn output_at(&self, theta: &[f64], bits: &[bool]) -> Result<f64, CircuitError> {
        Ok(self.output_unchecked(self.check_parameters(theta)?, &self.encode_bits(bits)?))
    }

    /// Predicts the output bit: whether F > 0. F = 0 stands for neither bit: see [`is_correct`].
    ///
    /// # Errors
    /// `bits` has the wrong length.
    pub fn predict(&self, bits: &[bool]) -> Result<bool, CircuitError> {
        Ok(self.output(bits)? > 0.0)
    }

    /// Computes the pre-activations and activations of all layers for the input `bits`.
    ///
    /// # Errors
    /// `bits` has the wrong length.
    pub fn trace(&self, bits: &[bool]) -> Result<ForwardTrace, CircuitError> {
        self.trace_at(self.theta(), bits)
    }

    /// Computes the values of all layers for the input `bits` with the parameters `theta`.
    ///
    /// # Errors
    /// `theta` or `bits` has the wrong length.
    pub fn trace_at(&self, theta: &[f64], bits: &[bool]) -> Result<ForwardTrace, CircuitError> {
        Ok(self.trace_unchecked(self.check_parameters(theta)?, &self.encode_bits(bits)?))
    }

    /// Computes F and its gradient ∂F/∂θ at the parameters `theta`. The derivative of a ReLU at 0 is 0.
    ///
    /// # Errors
    /// `theta` or `bits` has the wrong length.
    pub fn gradient_at(&self, theta: &[f64], bits: &[bool]) -> Result<OutputGradient, CircuitError> {
        let trace = self.trace_at(theta, bits)?;
        let grad_theta = self.backward(theta, &trace, |at, row, error| {
            local_derivative(&self.layers()[at], trace.layers[at].sums[row], error, KinkSide::Flat)
        });
        Ok(OutputGradient { output: trace.output(), grad_theta })
    }

    /// The perturbed parameters θ + `scale` · `direction`, `[parameters]`.
    pub fn perturb(&self, direction: &[f64], scale: f64) -> Vec<f64> {
        self.theta().iter().zip(direction).map(|(theta, d)| theta + scale * d).collect()
    }

    /// Returns `theta` if it has one entry for each parameter of the network; else an error.
    fn check_parameters<'a>(&self, theta: &'a [f64]) -> Result<&'a [f64], CircuitError> {
        let expected = self.theta().len();
        let fits = theta.len() == expected;
        fits.then_some(theta).ok_or(CircuitError::ParameterLength { expected, found: theta.len() })
    }

    /// Computes the output F with parameters `theta`, without storing the values of the layers and without checking
    /// lengths.
    pub(super) fn output_unchecked(&self, theta: &[f64], inputs: &[f64]) -> f64 {
        let mut values = inputs.to_vec();
        let mut next = Vec::new();
        for layer in self.layers() {
            next.clear();
            next.extend((0..layer.rows).map(|row| {
                round_if_enabled(layer, activate(layer, pre_activation(layer, theta, &values, row)))
            }));
            std::mem::swap(&mut values, &mut next);
        }
        values.first().copied().unwrap_or(0.0)
    }

    /// Computes the values of all layers for one input with parameters `theta`, without checking the lengths of
    /// `theta` and `inputs`.
    pub(super) fn trace_unchecked(&self, theta: &[f64], inputs: &[f64]) -> ForwardTrace {
        let mut trace =
            ForwardTrace { inputs: inputs.to_vec(), layers: Vec::with_capacity(self.layers().len()) };
        for (at, layer) in self.layers().iter().enumerate() {
            let below = trace.layer_inputs(at);
            let sums: Vec<f64> =
                (0..layer.rows).map(|row| pre_activation(layer, theta, below, row)).collect();
            let values: Vec<f64> = sums.iter().map(|sum| activate(layer, *sum)).collect();
            let rounded = values.iter().map(|value| round_if_enabled(layer, *value)).collect();
            trace.layers.push(LayerValues { sums, values, rounded });
        }
        trace
    }

    /// Gradient of F at a point of the decision boundary, with secants instead of derivatives: `theta` and `other` are nearly
    /// equal parameters on the two sides of the boundary.
    ///
    /// # Why
    /// Rounding in layer after layer makes the boundary steep: its derivative grows like 3 to the number of layers, until
    /// neighbouring floating-point numbers have outputs −1 and 1. On either side of such a boundary all later layers are
    /// constant and the gradient is 0. A secant from one side to the other is not 0.
    pub(super) fn secant_gradient(
        &self,
        theta: &[f64],
        inputs: &[f64],
        other: &[f64],
        kink: KinkSide,
    ) -> Vec<f64> {
        let (trace, beyond) = (self.trace_unchecked(theta, inputs), self.trace_unchecked(other, inputs));
        self.backward(theta, &trace, |at, row, error| {
            let layer = &self.layers()[at];
            let (here, there) = (&trace.layers[at], &beyond.layers[at]);
            let distance = there.sums[row] - here.sums[row];
            // Smaller differences are dominated by floating-point errors.
            match distance.abs() > 1e-6 {
                true => (there.rounded[row] - here.rounded[row]) / distance,
                false => local_derivative(layer, here.sums[row], error, kink),
            }
        })
    }

    /// Backward pass: the gradient ∂F/∂θ, `[parameters]`, where `slope(layer, row, error)` is the derivative, or
    /// secant, of output `row` of a layer and `error` is ∂F/∂(that output).
    fn backward(
        &self,
        theta: &[f64],
        trace: &ForwardTrace,
        slope: impl Fn(usize, usize, f64) -> f64,
    ) -> Vec<f64> {
        let mut by = vec![0.0; theta.len()];
        let mut errors = vec![1.0];
        for (at, layer) in self.layers().iter().enumerate().rev() {
            let inputs = trace.layer_inputs(at);
            let mut below = vec![0.0; layer.columns];
            for (row, error) in errors.iter().enumerate() {
                let error = error * slope(at, row, *error);
                if error == 0.0 {
                    continue;
                }
                let weights = &theta[layer.row_range(row)];
                below.iter_mut().zip(weights).for_each(|(below, weight)| *below += error * weight);
                if layer.free != FreeParameters::None {
                    by[layer.row_range(row)]
                        .iter_mut()
                        .zip(inputs)
                        .for_each(|(by, input)| *by = error * input);
                }
                if layer.free == FreeParameters::All {
                    by[layer.bias_index(row)] = error;
                }
            }
            errors = below;
        }
        by
    }
}

/// The pre-activation W v + b of output `row` of a layer, with the parameters `theta` and the layer's input v =
/// `inputs`.
#[inline]
fn pre_activation(layer: &LinearLayer, theta: &[f64], inputs: &[f64], row: usize) -> f64 {
    let products = theta[layer.row_range(row)].iter().zip(inputs).map(|(weight, input)| weight * input);
    products.sum::<f64>() + theta[layer.bias_index(row)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, ParityOrder};

    /// Networks with and without rounding, each with an input.
    fn networks() -> Vec<(ReluNetwork, Vec<bool>)> {
        let mut all = Vec::new();
        for rounding in [Rounding::Off, Rounding::On] {
            all.push((ReluNetwork::toy(6, rounding).unwrap(), vec![true]));
            for circuit in
                [Circuit::parity(4, ParityOrder::Tree), Circuit::carry(2), Circuit::random(5, 14, 3)]
            {
                let circuit = circuit.unwrap();
                let bits = (0..circuit.input_count()).map(|i| i % 3 != 1).collect();
                all.push((ReluNetwork::new(&circuit.to_layers().unwrap(), rounding).unwrap(), bits));
            }
        }
        all
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let mut compared = 0;
        for (network, bits) in networks() {
            // With rounding most draws are on a plateau with gradient 0; the assertion at the end needs some that are not.
            for draw in 0..12 {
                let mut theta = network.perturb(&network.draw_noise(5, draw), 0.15);
                let gradient = network.gradient_at(&theta, &bits).unwrap();
                assert_eq!(gradient.output, network.output_at(&theta, &bits).unwrap());
                for at in 0..theta.len() {
                    let (is_free, own) =
                        (network.layers().iter().any(|layer| layer.free_range().contains(&at)), theta[at]);
                    let mut side = |by: f64| {
                        theta[at] = own + by;
                        network.output_at(&theta, &bits).unwrap()
                    };
                    let [up, down, near] = [1e-6, -1e-6, 1e-8].map(&mut side);
                    theta[at] = own;
                    let slope = (up - down) / 2e-6;
                    // A kink within the interval makes the finite difference wrong.
                    if ((near - gradient.output) / 1e-8 - slope).abs() > 1e-4 * (1.0 + slope.abs()) {
                        continue;
                    }
                    let expected = if is_free { slope } else { 0.0 };
                    let found = gradient.grad_theta[at];
                    assert!((found - expected).abs() < 1e-5 * (1.0 + slope.abs()), "{at} {found} {expected}");
                    compared += usize::from(found != 0.0);
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }

    #[test]
    fn the_secant_gradient_of_a_single_point_is_the_gradient() {
        for (network, bits) in networks() {
            let inputs = network.encode_bits(&bits).unwrap();
            let theta = network.perturb(&network.draw_noise(5, 1), 0.1);
            let exact = network.gradient_at(&theta, &bits).unwrap().grad_theta;
            assert_eq!(network.secant_gradient(&theta, &inputs, &theta, KinkSide::Flat), exact);
        }
    }

    #[test]
    fn a_trace_ends_with_the_output() {
        for (network, bits) in networks() {
            let trace = network.trace(&bits).unwrap();
            assert_eq!(trace.output(), network.output(&bits).unwrap());
            assert_eq!(trace.layers.len(), network.layers().len());
            // Without noise all values after a gate layer are 0 or 1.
            let second =
                network.layers().iter().enumerate().filter(|(_, layer)| layer.name.ends_with("second"));
            second.for_each(|(at, _)| assert_eq!(trace.deviation(at), 0.0));
            let theta = network.perturb(&network.draw_noise(5, 1), 0.01);
            let perturbed = network.trace_at(&theta, &bits).unwrap();
            assert_eq!(perturbed.output(), network.output_at(&theta, &bits).unwrap());
            assert!((0..perturbed.layers.len() - 1).any(|at| perturbed.deviation(at) > 0.0));
        }
    }

    #[test]
    fn vectors_of_wrong_length_are_rejected() {
        let network = ReluNetwork::toy(3, Rounding::On).unwrap();
        assert_eq!(network.output(&[]), Err(CircuitError::InputLength { expected: 1, found: 0 }));
        let wrong = CircuitError::ParameterLength { expected: 8, found: 2 };
        assert_eq!(network.output_at(&[1.0, 2.0], &[true]), Err(wrong.clone()));
        assert_eq!(network.gradient_at(&[1.0, 2.0], &[true]), Err(wrong.clone()));
        assert_eq!(network.trace_at(&[1.0, 2.0], &[true]), Err(wrong));
    }
}
