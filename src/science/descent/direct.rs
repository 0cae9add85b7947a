//! Descent on the network itself, without any token: what the transformer is compared with.
//!
//! ```text
//! L_n(w) = 1/(2n) Σ_i ‖f(w, x_i) − y_i‖²                                  (equation 2.2 of the paper, with squares)
//! w ← Proj(w − η ∇L_n(w)),    Proj putting every weight between −B and B
//! ```

use super::examples::Examples;
use super::network::Network;
use super::number::Number;
use super::plan::Plan;

/// A place for the numbers of one pass through the network.
#[derive(Debug, Clone)]
struct Pass<T> {
    /// p(0) … p(N), `[inputs + units]`.
    outputs: Vec<T>,
    /// r′ of every neuron, `[units]`.
    slopes: Vec<T>,
    /// s of every neuron, `[units]`.
    errors: Vec<T>,
}

impl<T: Number> Pass<T> {
    fn new(network: &Network) -> Self {
        let units = network.units();
        let zeros = |count| vec![T::default(); count];
        Pass { outputs: zeros(network.inputs + units), slopes: zeros(units), errors: zeros(units) }
    }

    /// Where the outputs of layer `j`, from 0, begin.
    fn start(network: &Network, j: usize) -> usize {
        if j == 0 { 0 } else { network.inputs + network.units_below(j) }
    }

    fn forward(&mut self, network: &Network, w: &[T], x: &[f64]) {
        self.outputs.iter_mut().zip(x).for_each(|(p, x)| *p = T::of(*x));
        for j in 1..=network.layers() {
            let (below, here) = self.outputs.split_at_mut(Self::start(network, j));
            let below = &below[Self::start(network, j - 1)..];
            for k in 0..network.width(j) {
                let mut z = T::default();
                w[network.neuron(j, k)].iter().zip(below).for_each(|(v, p)| z += *v * *p);
                let unit = network.units_below(j) + k;
                (here[k], self.slopes[unit]) = match network.activation(j) {
                    None => (z, T::of(1.0)),
                    Some(activation) => {
                        (T::of(activation.value(z.wide())), T::of(activation.slope(z.wide())))
                    }
                };
            }
        }
    }

    /// Adds ½ ∂‖p(N) − y‖²/∂w to `gradient`; gives ‖p(N) − y‖².
    fn backward(&mut self, network: &Network, w: &[T], y: &[f64], gradient: &mut [T]) -> f64 {
        let (last, mut squares) = (network.layers(), 0.0);
        let (from, first) = (Self::start(network, last), network.units_below(last));
        for (k, y) in y.iter().enumerate() {
            let difference = self.outputs[from + k] - T::of(*y);
            squares += difference.wide() * difference.wide();
            self.errors[first + k] = self.slopes[first + k] * difference;
        }
        for j in (1..=last).rev() {
            let (inputs, first) = (Self::start(network, j - 1), network.units_below(j));
            let (below, here) = self.errors.split_at_mut(first);
            let here = &here[..network.width(j)];
            for (k, error) in here.iter().enumerate() {
                let p = &self.outputs[inputs..inputs + network.width(j - 1)];
                gradient[network.neuron(j, k)].iter_mut().zip(p).for_each(|(g, p)| *g += *error * *p);
            }
            if j == 1 {
                break;
            }
            let first = network.units_below(j - 1);
            for (m, below) in below[first..].iter_mut().enumerate() {
                let mut sum = T::default();
                for (k, error) in here.iter().enumerate() {
                    sum += w[network.neuron(j, k).start + m] * *error;
                }
                *below = self.slopes[first + m] * sum;
            }
        }
        squares
    }
}

/// ∇L_n(w), and L_n(w).
pub fn gradient<T: Number>(network: &Network, examples: &Examples, w: &[T]) -> (Vec<T>, f64) {
    let (mut pass, mut sum, mut squares) = (Pass::new(network), vec![T::default(); w.len()], 0.0);
    for i in 0..examples.len() {
        pass.forward(network, w, examples.input(i));
        squares += pass.backward(network, w, examples.label(i), &mut sum);
    }
    let n = examples.len().max(1) as f64;
    // ½ ∂‖·‖² has taken the 2 out of 1/(2n).
    sum.iter_mut().for_each(|g| *g = *g / T::of(n));
    (sum, squares / (2.0 * n))
}

/// L_n(w).
pub fn loss<T: Number>(network: &Network, examples: &Examples, w: &[T]) -> f64 {
    let (mut pass, mut squares) = (Pass::new(network), 0.0);
    let from = Pass::<T>::start(network, network.layers());
    for i in 0..examples.len() {
        pass.forward(network, w, examples.input(i));
        let outputs = pass.outputs[from..].iter().zip(examples.label(i));
        squares += outputs.map(|(p, y)| (p.wide() - y) * (p.wide() - y)).sum::<f64>();
    }
    squares / (2.0 * examples.len().max(1) as f64)
}

/// Proj(w − η · gradient).
pub fn moved<T: Number>(plan: &Plan, w: &[T], gradient: &[T]) -> Vec<T> {
    let rate = T::of(plan.rate);
    projected(plan.limit, w.iter().zip(gradient).map(|(w, g)| *w - rate * *g))
}

/// Every weight between −`limit` and `limit`.
pub fn projected<T: Number>(limit: f64, w: impl IntoIterator<Item = T>) -> Vec<T> {
    let limit = T::of(limit);
    let put = |w: T| {
        if w > limit {
            limit
        } else if w < -limit {
            -limit
        } else {
            w
        }
    };
    w.into_iter().map(put).collect()
}

#[cfg(test)]
mod tests {
    use super::super::activation::{Activation, Output};
    use super::*;

    fn examples() -> Examples {
        let x: Vec<f64> = (0..6).map(|i| -1.0 + 0.37 * f64::from(i)).collect();
        Examples {
            inputs: 2,
            outputs: 2,
            y: x.iter().flat_map(|x| [libm::sin(2.0 * x), 0.5 - x * x]).collect(),
            x: x.iter().flat_map(|x| [*x, 1.0]).collect(),
        }
    }

    /// Central differences of the loss, in networks of one to six layers with every activation.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let examples = examples();
        for (i, activation) in Activation::ALL.iter().copied().enumerate() {
            for hidden in [vec![], vec![3], vec![4, 3], vec![3, 2, 4, 2, 3]] {
                for output in [Output::Linear, Output::Activated] {
                    let network = Network {
                        outputs: 2,
                        hidden: hidden.clone(),
                        activation,
                        output,
                        ..Network::default()
                    };
                    let mut w = network.draw(3 + i as u64, 0, 1.3);
                    let (exact, value) = gradient(&network, &examples, &w);
                    assert!((value - loss(&network, &examples, &w)).abs() < 1e-14);
                    for at in 0..w.len() {
                        let (h, here) = (1e-6, w[at]);
                        w[at] = here + h;
                        let above = loss(&network, &examples, &w);
                        w[at] = here - h;
                        let below = loss(&network, &examples, &w);
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
    fn single_precision_is_near_to_double() {
        let (network, examples) = (Network { outputs: 2, ..Network::default() }, examples());
        let w = network.draw(1, 0, 1.0);
        let narrow: Vec<f32> = w.iter().map(|w| *w as f32).collect();
        let (wide, value) = gradient(&network, &examples, &w);
        let (single, same) = gradient(&network, &examples, &narrow);
        assert!(wide.iter().zip(&single).all(|(a, b)| (a - b.wide()).abs() < 1e-5));
        assert!((value - same).abs() < 1e-5);
        let outputs = network.predict(&w, examples.input(2));
        let squares: f64 = outputs.iter().zip(examples.label(2)).map(|(p, y)| (p - y) * (p - y)).sum();
        let alone = Examples {
            x: [examples.input(2), examples.input(5)].concat(),
            y: [examples.label(2), &[0.0; 2]].concat(),
            ..examples
        };
        assert!((loss(&network, &alone, &w) - squares / 2.0).abs() < 1e-14);
    }

    #[test]
    fn weights_stay_in_their_box() {
        let plan = Plan { rate: 0.5, limit: 1.0, ..Plan::default() };
        assert_eq!(moved(&plan, &[0.9, -0.9, 0.2], &[-1.0, 1.0, 0.1]), [1.0, -1.0, 0.2 - 0.5 * 0.1]);
    }
}
