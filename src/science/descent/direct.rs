//! Gradient descent on the network without tokens, the reference for the transformer.
//!
//! ```text
//! L_n(w) = 1/(2n) Σ_i ‖f(w, x_i) − y_i‖²                                  (equation 2.2 of the paper, with squares)
//! w ← Proj(w − η ∇L_n(w)),    Proj putting every weight between −B and B
//! ```

use super::examples::DescentExamples;
use super::network::DescentNetwork;
use super::number::Precision;
use super::plan::DescentPlan;

/// The values of one forward and backward pass through a network of N layers for one example.
#[derive(Debug, Clone)]
struct ForwardCache<T> {
    /// The input p(0) and the outputs p(1) … p(N) of all layers in sequence, `[inputs + units]`.
    outputs: Vec<T>,
    /// Derivative r′ of the activation function at every neuron of all layers, `[units]`.
    derivatives: Vec<T>,
    /// Backpropagated error s of every neuron of all layers: derivative of half the squared error of the output with
    /// respect to the neuron's pre-activation, `[units]`.
    errors: Vec<T>,
}

impl<T: Precision> ForwardCache<T> {
    /// Allocates the cache, filled with zeros, for a network of the sizes of `network`.
    fn new(network: &DescentNetwork) -> Self {
        let units = network.unit_count();
        let zeros = |count| vec![T::default(); count];
        ForwardCache {
            outputs: zeros(network.inputs + units),
            derivatives: zeros(units),
            errors: zeros(units),
        }
    }

    /// Index in `outputs` of the first output of layer `j`; layer 0 is the input.
    fn start(network: &DescentNetwork, j: usize) -> usize {
        if j == 0 { 0 } else { network.inputs + network.unit_count_below(j) }
    }

    /// Forward pass: computes the outputs of all layers and the derivatives r′ for the weights `w`, `[weights]`, and
    /// the input `x`, `[inputs]`.
    fn forward(&mut self, network: &DescentNetwork, w: &[T], x: &[f64]) {
        self.outputs.iter_mut().zip(x).for_each(|(p, x)| *p = T::from_f64(*x));
        for j in 1..=network.layer_count() {
            let (below, here) = self.outputs.split_at_mut(Self::start(network, j));
            let below = &below[Self::start(network, j - 1)..];
            for k in 0..network.width(j) {
                let mut z = T::default();
                w[network.neuron_weights(j, k)].iter().zip(below).for_each(|(v, p)| z += *v * *p);
                let unit = network.unit_count_below(j) + k;
                (here[k], self.derivatives[unit]) = match network.activation(j) {
                    None => (z, T::from_f64(1.0)),
                    Some(activation) => (
                        T::from_f64(activation.evaluate(z.to_f64())),
                        T::from_f64(activation.derivative(z.to_f64())),
                    ),
                };
            }
        }
    }

    /// Backward pass after [`ForwardCache::forward`]: adds the gradient ½ ∂‖p(N) − y‖²/∂w of the example with label `y`
    /// to `gradient`, `[weights]`. Returns the squared error ‖p(N) − y‖² of the network's output p(N).
    fn backward(&mut self, network: &DescentNetwork, w: &[T], y: &[f64], gradient: &mut [T]) -> f64 {
        let (last, mut squares) = (network.layer_count(), 0.0);
        let (from, first) = (Self::start(network, last), network.unit_count_below(last));
        for (k, y) in y.iter().enumerate() {
            let difference = self.outputs[from + k] - T::from_f64(*y);
            squares += difference.to_f64() * difference.to_f64();
            self.errors[first + k] = self.derivatives[first + k] * difference;
        }
        for j in (1..=last).rev() {
            let (inputs, first) = (Self::start(network, j - 1), network.unit_count_below(j));
            let (below, here) = self.errors.split_at_mut(first);
            let here = &here[..network.width(j)];
            for (k, error) in here.iter().enumerate() {
                let p = &self.outputs[inputs..inputs + network.width(j - 1)];
                gradient[network.neuron_weights(j, k)].iter_mut().zip(p).for_each(|(g, p)| *g += *error * *p);
            }
            if j == 1 {
                break;
            }
            let first = network.unit_count_below(j - 1);
            for (m, below) in below[first..].iter_mut().enumerate() {
                let mut sum = T::default();
                for (k, error) in here.iter().enumerate() {
                    sum += w[network.neuron_weights(j, k).start + m] * *error;
                }
                *below = self.derivatives[first + m] * sum;
            }
        }
        squares
    }
}

/// Computes for the network with weights `w` the gradient ∇L_n(w), `[weights]`, and the value of the training loss
/// L_n(w), half the mean squared error on the n examples.
pub fn loss_and_gradient<T: Precision>(
    network: &DescentNetwork,
    examples: &DescentExamples,
    w: &[T],
) -> (Vec<T>, f64) {
    let (mut pass, mut sum, mut squares) = (ForwardCache::new(network), vec![T::default(); w.len()], 0.0);
    for i in 0..examples.len() {
        pass.forward(network, w, examples.input(i));
        squares += pass.backward(network, w, examples.label(i), &mut sum);
    }
    let n = examples.len().max(1) as f64;
    // The factor ½ of ½ ∂‖·‖² replaces the 2 of 1/(2n).
    sum.iter_mut().for_each(|g| *g = *g / T::from_f64(n));
    (sum, squares / (2.0 * n))
}

/// Computes the training loss L_n(w) of the network with weights `w`: half the mean squared error on the n examples,
/// without the query.
pub fn compute_loss<T: Precision>(network: &DescentNetwork, examples: &DescentExamples, w: &[T]) -> f64 {
    let (mut pass, mut squares) = (ForwardCache::new(network), 0.0);
    let from = ForwardCache::<T>::start(network, network.layer_count());
    for i in 0..examples.len() {
        pass.forward(network, w, examples.input(i));
        let outputs = pass.outputs[from..].iter().zip(examples.label(i));
        squares += outputs.map(|(p, y)| (p.to_f64() - y) * (p.to_f64() - y)).sum::<f64>();
    }
    squares / (2.0 * examples.len().max(1) as f64)
}

/// The weights after one step of gradient descent, w − η · `gradient`, projected to the interval from −B to B, with the
/// learning rate η and the bound B of `plan`.
pub fn descent_step<T: Precision>(plan: &DescentPlan, w: &[T], gradient: &[T]) -> Vec<T> {
    let rate = T::from_f64(plan.learning_rate);
    project_to_box(plan.weight_bound, w.iter().zip(gradient).map(|(w, g)| *w - rate * *g))
}

/// Projects every weight to the interval from −`limit` to `limit`.
pub fn project_to_box<T: Precision>(limit: f64, w: impl IntoIterator<Item = T>) -> Vec<T> {
    let limit = T::from_f64(limit);
    let clamp = |w: T| {
        if w > limit {
            limit
        } else if w < -limit {
            -limit
        } else {
            w
        }
    };
    w.into_iter().map(clamp).collect()
}

#[cfg(test)]
mod tests {
    use super::super::activation::{Activation, OutputActivation};
    use super::*;

    fn examples() -> DescentExamples {
        let x: Vec<f64> = (0..6).map(|i| -1.0 + 0.37 * f64::from(i)).collect();
        DescentExamples {
            inputs: 2,
            outputs: 2,
            y: x.iter().flat_map(|x| [libm::sin(2.0 * x), 0.5 - x * x]).collect(),
            x: x.iter().flat_map(|x| [*x, 1.0]).collect(),
        }
    }

    /// Central differences of the loss, in networks of one to six layers with every activation.
    #[test]
    fn the_gradient_matches_finite_differences() {
        let examples = examples();
        for (i, activation) in Activation::ALL.iter().copied().enumerate() {
            for hidden in [vec![], vec![3], vec![4, 3], vec![3, 2, 4, 2, 3]] {
                for output in [OutputActivation::Linear, OutputActivation::Activated] {
                    let network = DescentNetwork {
                        outputs: 2,
                        hidden: hidden.clone(),
                        activation,
                        output_activation: output,
                        ..DescentNetwork::default()
                    };
                    let mut w = network.draw_weights(3 + i as u64, 0, 1.3);
                    let (exact, value) = loss_and_gradient(&network, &examples, &w);
                    assert!((value - compute_loss(&network, &examples, &w)).abs() < 1e-14);
                    for at in 0..w.len() {
                        let (h, here) = (1e-6, w[at]);
                        w[at] = here + h;
                        let above = compute_loss(&network, &examples, &w);
                        w[at] = here - h;
                        let below = compute_loss(&network, &examples, &w);
                        w[at] = here;
                        let difference = (above - below) / (2.0 * h);
                        let close = (difference - exact[at]).abs() < 1e-8;
                        assert!(close, "{activation:?} {hidden:?} {at}: {difference} {}", exact[at]);
                    }
                }
            }
        }
    }

    #[test]
    fn single_precision_is_close_to_double_precision() {
        let (network, examples) = (DescentNetwork { outputs: 2, ..DescentNetwork::default() }, examples());
        let w = network.draw_weights(1, 0, 1.0);
        let narrow: Vec<f32> = w.iter().map(|w| *w as f32).collect();
        let (wide, value) = loss_and_gradient(&network, &examples, &w);
        let (single, same) = loss_and_gradient(&network, &examples, &narrow);
        assert!(wide.iter().zip(&single).all(|(a, b)| (a - b.to_f64()).abs() < 1e-5));
        assert!((value - same).abs() < 1e-5);
        let outputs = network.compute_output(&w, examples.input(2));
        let squares: f64 = outputs.iter().zip(examples.label(2)).map(|(p, y)| (p - y) * (p - y)).sum();
        let alone = DescentExamples {
            x: [examples.input(2), examples.input(5)].concat(),
            y: [examples.label(2), &[0.0; 2]].concat(),
            ..examples
        };
        assert!((compute_loss(&network, &alone, &w) - squares / 2.0).abs() < 1e-14);
    }

    #[test]
    fn weights_stay_within_their_bound() {
        let plan = DescentPlan { learning_rate: 0.5, weight_bound: 1.0, ..DescentPlan::default() };
        assert_eq!(descent_step(&plan, &[0.9, -0.9, 0.2], &[-1.0, 1.0, 0.1]), [1.0, -1.0, 0.2 - 0.5 * 0.1]);
    }
}
