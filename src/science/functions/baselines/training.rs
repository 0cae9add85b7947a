//! A network trained on the examples of one prompt.

use crate::functions::network::{Network, Scratch};

/// Epochs that it is trained for, each one step on all examples.
pub const EPOCHS: usize = 100;
/// Step size of Adam.
const RATE: f64 = 0.01;
/// Memory of the mean gradient, and of the mean squared gradient.
const MEMORY: [f64; 2] = [0.9, 0.999];
const EPSILON: f64 = 1e-8;

/// A network on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    network: Network,
    gradient: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
    epochs: usize,
    scratch: Scratch,
}

impl Training {
    /// From these weights on.
    pub fn new(network: Network) -> Self {
        let none = vec![0.0; network.weights().len()];
        Training {
            network,
            gradient: none.clone(),
            mean: none.clone(),
            square: none,
            epochs: 0,
            scratch: Scratch::default(),
        }
    }

    /// Epochs so far.
    pub fn epochs(&self) -> usize {
        self.epochs
    }

    /// The network as it is.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// The network's output for an input.
    pub fn output(&mut self, x: &[f64]) -> f64 {
        self.network.output(x, &mut self.scratch)
    }

    /// Operations, roughly, of an epoch on so many examples.
    pub fn operations(&self, examples: usize) -> u64 {
        (6 * examples as u64 + 20).saturating_mul(self.gradient.len() as u64)
    }

    /// One step of Adam (Kingma and Ba 2015) on the mean squared error of all examples.
    ///
    /// # Shapes
    /// `x` is `[examples, inputs]`, `y` is `[examples]`.
    pub fn epoch(&mut self, x: &[f64], y: &[f64]) {
        self.epochs += 1;
        if y.is_empty() {
            return;
        }
        self.gradient.fill(0.0);
        let (inputs, factor) = (x.len() / y.len(), 1.0 / y.len() as f64);
        for (x, y) in x.chunks_exact(inputs).zip(y) {
            self.network.add_gradient(x, *y, factor, &mut self.gradient, &mut self.scratch);
        }
        let step = self.epochs as f64;
        let [of_mean, of_square] = MEMORY.map(|memory| 1.0 - libm::pow(memory, step));
        let moments = self.mean.iter_mut().zip(&mut self.square).zip(&self.gradient);
        for (weight, ((mean, square), g)) in self.network.weights_mut().iter_mut().zip(moments) {
            *mean = MEMORY[0] * *mean + (1.0 - MEMORY[0]) * g;
            *square = MEMORY[1] * *square + (1.0 - MEMORY[1]) * g * g;
            *weight -= RATE * (*mean / of_mean) / ((*square / of_square).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One weight before a ReLU and one behind it, on two examples: the first step of Adam is η in every direction.
    #[test]
    fn the_first_step_has_the_size_of_the_rate() {
        let mut training = Training::new(Network::new(vec![1, 1, 1], vec![1.0, 1.0]));
        training.epoch(&[1.0, 2.0], &[3.0, 6.0]);
        assert!(training.network.weights().iter().all(|w| (w - 1.01).abs() < 1e-9));
        for _ in 1..400 {
            training.epoch(&[1.0, 2.0], &[3.0, 6.0]);
        }
        assert_eq!(training.epochs(), 400);
        assert!((training.output(&[1.5]) - 4.5).abs() < 0.01);
    }

    #[test]
    fn nothing_is_learned_of_no_examples() {
        let mut training = Training::new(Network::new(vec![1, 1, 1], vec![1.0, 1.0]));
        training.epoch(&[], &[]);
        assert_eq!(training.into_network().weights(), [1.0, 1.0]);
    }
}
