//! The values of all layers of a network, and the gradient of its output by all parameters.
//!
//! ```text
//! sum s = W v + b,    value a = act(s),    rounded ζ(a),    v of the next layer = ζ(a) or a
//! ∂F/∂W[row, column] = e[row] · v[column],   ∂F/∂b[row] = e[row],   e = (Wᵀ e of the next layer) · slope of ζ ∘ act
//! ```

use super::error::CircuitError;
use super::network::{Activation, Free, Layer, Network, Rounding, rounded};

/// The values of one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// W v + b.
    pub sums: Vec<f64>,
    /// After the activation.
    pub values: Vec<f64>,
    /// After rounding, which is what the next layer takes; the values themselves where there is none.
    pub rounded: Vec<f64>,
}

/// The values of all layers for one input.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The input.
    pub inputs: Vec<f64>,
    /// Layer by layer.
    pub layers: Vec<Values>,
}

impl Trace {
    /// The output F.
    pub fn output(&self) -> f64 {
        self.layers.last().and_then(|layer| layer.rounded.first()).copied().unwrap_or(0.0)
    }

    /// What a layer takes.
    pub fn inputs_of(&self, layer: usize) -> &[f64] {
        let before = layer.checked_sub(1).and_then(|before| self.layers.get(before));
        before.map_or(&self.inputs, |values| &values.rounded)
    }

    /// The farthest that any value of a layer, before rounding, lies from both 0 and 1.
    pub fn deviation(&self, layer: usize) -> f64 {
        let values = self.layers.get(layer).map_or(&[][..], |layer| &layer.values);
        values.iter().fold(0.0, |most, value| value.abs().min((value - 1.0).abs()).max(most))
    }
}

/// The output of a network and its gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradient {
    /// F.
    pub output: f64,
    /// ∂F/∂θ, 0 for parameters that are held.
    pub by: Vec<f64>,
}

/// Whether the output F = z is the right answer to the label y: the loss ℓ₀₋₁(z, y) = 1((y − ½) z ≤ 0) of section 2.1 is 0.
///
/// The output 0 is an error for both labels, as in the margin, and so is what is no number.
pub fn is_right(output: f64, label: bool) -> bool {
    if label { output > 0.0 } else { output < 0.0 }
}

/// What a layer makes of a sum.
fn value(layer: &Layer, sum: f64) -> f64 {
    match layer.activation {
        Activation::Linear => sum,
        Activation::Relu => sum.max(0.0),
    }
}

fn ends(layer: &Layer, value: f64) -> f64 {
    match layer.rounding {
        Rounding::Off => value,
        Rounding::On => rounded(value),
    }
}

/// Which side's slope counts at a kink: where a ReLU's sum is 0, and where rounding begins or ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kink {
    /// The flat side, as in all gradients.
    Flat,
    /// The side to which the sum moves when the output is to move with this sign. On that side the output moves at least
    /// as far as on the other, as far as one kink alone tells.
    Towards(f64),
}

/// How near a kink a number counts as standing on it.
const ON_KINK: f64 = 1e-9;

/// The slope of what a layer makes of a sum, where the output moves by `error` times what the layer's value moves by.
fn slope(layer: &Layer, sum: f64, error: f64, kink: Kink) -> f64 {
    let is_rising = match kink {
        Kink::Flat => sum > 0.0,
        Kink::Towards(wanted) if sum.abs() <= ON_KINK => wanted * error > 0.0,
        Kink::Towards(_) => sum > 0.0,
    };
    if layer.activation == Activation::Relu && !is_rising {
        return 0.0;
    }
    let value = value(layer, sum);
    let is_between = match kink {
        Kink::Towards(wanted) if (value - 1.0 / 3.0).abs() <= ON_KINK => wanted * error > 0.0,
        Kink::Towards(wanted) if (value - 2.0 / 3.0).abs() <= ON_KINK => wanted * error < 0.0,
        _ => (1.0 / 3.0..2.0 / 3.0).contains(&value),
    };
    match layer.rounding {
        Rounding::Off => 1.0,
        Rounding::On => 3.0 * f64::from(u8::from(is_between)),
    }
}

impl Network {
    /// F for an input.
    pub fn output(&self, bits: &[bool]) -> Result<f64, CircuitError> {
        self.output_at(self.theta(), bits)
    }

    /// F with other parameters.
    pub fn output_at(&self, theta: &[f64], bits: &[bool]) -> Result<f64, CircuitError> {
        Ok(self.run(self.checked(theta)?, &self.numbers(bits)?))
    }

    /// Whether the network says 1. The output 0 says neither bit: see [`is_right`].
    pub fn answer(&self, bits: &[bool]) -> Result<bool, CircuitError> {
        Ok(self.output(bits)? > 0.0)
    }

    /// The values of all layers for an input.
    pub fn trace(&self, bits: &[bool]) -> Result<Trace, CircuitError> {
        self.trace_at(self.theta(), bits)
    }

    /// The values of all layers with other parameters.
    pub fn trace_at(&self, theta: &[f64], bits: &[bool]) -> Result<Trace, CircuitError> {
        Ok(self.traced(self.checked(theta)?, &self.numbers(bits)?))
    }

    /// F and its exact gradient by θ, with other parameters. A ReLU has slope 0 at 0, as elsewhere.
    pub fn gradient_at(&self, theta: &[f64], bits: &[bool]) -> Result<Gradient, CircuitError> {
        let trace = self.trace_at(theta, bits)?;
        let by = self.backward(theta, &trace, |at, row, error| {
            slope(&self.layers()[at], trace.layers[at].sums[row], error, Kink::Flat)
        });
        Ok(Gradient { output: trace.output(), by })
    }

    /// θ + `scale` · `direction`.
    pub fn moved(&self, direction: &[f64], scale: f64) -> Vec<f64> {
        self.theta().iter().zip(direction).map(|(theta, d)| theta + scale * d).collect()
    }

    fn checked<'a>(&self, theta: &'a [f64]) -> Result<&'a [f64], CircuitError> {
        let expected = self.theta().len();
        let fits = theta.len() == expected;
        fits.then_some(theta).ok_or(CircuitError::Theta { expected, found: theta.len() })
    }

    /// F without the values between.
    pub(super) fn run(&self, theta: &[f64], inputs: &[f64]) -> f64 {
        let mut values = inputs.to_vec();
        let mut next = Vec::new();
        for layer in self.layers() {
            next.clear();
            next.extend(
                (0..layer.rows).map(|row| ends(layer, value(layer, sum(layer, theta, &values, row)))),
            );
            std::mem::swap(&mut values, &mut next);
        }
        values.first().copied().unwrap_or(0.0)
    }

    /// All values.
    pub(super) fn traced(&self, theta: &[f64], inputs: &[f64]) -> Trace {
        let mut trace = Trace { inputs: inputs.to_vec(), layers: Vec::with_capacity(self.layers().len()) };
        for (at, layer) in self.layers().iter().enumerate() {
            let below = trace.inputs_of(at);
            let sums: Vec<f64> = (0..layer.rows).map(|row| sum(layer, theta, below, row)).collect();
            let values: Vec<f64> = sums.iter().map(|sum| value(layer, *sum)).collect();
            let rounded = values.iter().map(|value| ends(layer, *value)).collect();
            trace.layers.push(Values { sums, values, rounded });
        }
        trace
    }

    /// Which way the output changes fastest at a place of the boundary between two answers, given by parameters on
    /// either side that are all but the same: the gradient with secants in the place of slopes.
    ///
    /// # Why
    /// Rounding in layer after layer makes the boundary steep: its slope grows like 3 to the number of layers, until no
    /// two neighbouring numbers have outputs between −1 and 1. On either side of such a boundary all later layers are
    /// flat and the gradient is 0. A secant from one side to the other is not.
    pub(super) fn across(&self, theta: &[f64], inputs: &[f64], other: &[f64], kink: Kink) -> Vec<f64> {
        let (trace, beyond) = (self.traced(theta, inputs), self.traced(other, inputs));
        self.backward(theta, &trace, |at, row, error| {
            let layer = &self.layers()[at];
            let (here, there) = (&trace.layers[at], &beyond.layers[at]);
            let distance = there.sums[row] - here.sums[row];
            // Differences of differences of rounding errors say nothing.
            match distance.abs() > 1e-6 {
                true => (there.rounded[row] - here.rounded[row]) / distance,
                false => slope(layer, here.sums[row], error, kink),
            }
        })
    }

    /// ∂F/∂θ with the slope of each layer's row, passed back from the output: the slope may depend on the error there.
    fn backward(&self, theta: &[f64], trace: &Trace, slope: impl Fn(usize, usize, f64) -> f64) -> Vec<f64> {
        let mut by = vec![0.0; theta.len()];
        let mut errors = vec![1.0];
        for (at, layer) in self.layers().iter().enumerate().rev() {
            let inputs = trace.inputs_of(at);
            let mut below = vec![0.0; layer.columns];
            for (row, error) in errors.iter().enumerate() {
                let error = error * slope(at, row, *error);
                if error == 0.0 {
                    continue;
                }
                let weights = &theta[layer.row(row)];
                below.iter_mut().zip(weights).for_each(|(below, weight)| *below += error * weight);
                if layer.free != Free::Nothing {
                    by[layer.row(row)].iter_mut().zip(inputs).for_each(|(by, input)| *by = error * input);
                }
                if layer.free == Free::All {
                    by[layer.bias(row)] = error;
                }
            }
            errors = below;
        }
        by
    }
}

#[inline]
fn sum(layer: &Layer, theta: &[f64], inputs: &[f64], row: usize) -> f64 {
    let products = theta[layer.row(row)].iter().zip(inputs).map(|(weight, input)| weight * input);
    products.sum::<f64>() + theta[layer.bias(row)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{Circuit, Order};

    /// A circuit's network, moved by noise so that no sum stands on a kink.
    fn networks() -> Vec<(Network, Vec<bool>)> {
        let mut all = Vec::new();
        for rounding in [Rounding::Off, Rounding::On] {
            all.push((Network::toy(6, rounding).unwrap(), vec![true]));
            for circuit in [Circuit::parity(4, Order::Tree), Circuit::carry(2), Circuit::random(5, 14, 3)] {
                let circuit = circuit.unwrap();
                let bits = (0..circuit.inputs()).map(|i| i % 3 != 1).collect();
                all.push((Network::new(&circuit.layered().unwrap(), rounding).unwrap(), bits));
            }
        }
        all
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let mut compared = 0;
        for (network, bits) in networks() {
            // With rounding, most draws end on a plateau; some of these do not.
            for draw in 0..12 {
                let mut theta = network.moved(&network.direction(5, draw), 0.15);
                let gradient = network.gradient_at(&theta, &bits).unwrap();
                assert_eq!(gradient.output, network.output_at(&theta, &bits).unwrap());
                for at in 0..theta.len() {
                    let (is_free, own) =
                        (network.layers().iter().any(|layer| layer.free().contains(&at)), theta[at]);
                    let mut side = |by: f64| {
                        theta[at] = own + by;
                        network.output_at(&theta, &bits).unwrap()
                    };
                    let [up, down, near] = [1e-6, -1e-6, 1e-8].map(&mut side);
                    theta[at] = own;
                    let slope = (up - down) / 2e-6;
                    // A kink within the difference makes it wrong.
                    if ((near - gradient.output) / 1e-8 - slope).abs() > 1e-4 * (1.0 + slope.abs()) {
                        continue;
                    }
                    let expected = if is_free { slope } else { 0.0 };
                    let found = gradient.by[at];
                    assert!((found - expected).abs() < 1e-5 * (1.0 + slope.abs()), "{at} {found} {expected}");
                    compared += usize::from(found != 0.0);
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }

    #[test]
    fn the_gradient_across_a_boundary_is_the_gradient_where_there_is_one() {
        for (network, bits) in networks() {
            let inputs = network.numbers(&bits).unwrap();
            let theta = network.moved(&network.direction(5, 1), 0.1);
            let exact = network.gradient_at(&theta, &bits).unwrap().by;
            assert_eq!(network.across(&theta, &inputs, &theta, Kink::Flat), exact);
        }
    }

    #[test]
    fn a_trace_has_the_values_of_the_output() {
        for (network, bits) in networks() {
            let trace = network.trace(&bits).unwrap();
            assert_eq!(trace.output(), network.output(&bits).unwrap());
            assert_eq!(trace.layers.len(), network.layers().len());
            // Without noise all values after a gate layer are 0 or 1.
            let second =
                network.layers().iter().enumerate().filter(|(_, layer)| layer.name.ends_with("second"));
            second.for_each(|(at, _)| assert_eq!(trace.deviation(at), 0.0));
            let theta = network.moved(&network.direction(5, 1), 0.01);
            let moved = network.trace_at(&theta, &bits).unwrap();
            assert_eq!(moved.output(), network.output_at(&theta, &bits).unwrap());
            assert!((0..moved.layers.len() - 1).any(|at| moved.deviation(at) > 0.0));
        }
    }

    #[test]
    fn vectors_of_other_lengths_are_refused() {
        let network = Network::toy(3, Rounding::On).unwrap();
        assert_eq!(network.output(&[]), Err(CircuitError::Bits { expected: 1, found: 0 }));
        let wrong = CircuitError::Theta { expected: 8, found: 2 };
        assert_eq!(network.output_at(&[1.0, 2.0], &[true]), Err(wrong.clone()));
        assert_eq!(network.gradient_at(&[1.0, 2.0], &[true]), Err(wrong.clone()));
        assert_eq!(network.trace_at(&[1.0, 2.0], &[true]), Err(wrong));
    }
}
