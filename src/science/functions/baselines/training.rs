//! The baseline that trains a network on the examples of one prompt.

use crate::functions::network::{BiasFreeNetwork, ForwardWorkspace};

/// Number of training epochs of a baseline's network, each one step on all examples.
pub const TRAINING_EPOCHS: usize = 100;
/// Learning rate of Adam when a baseline trains its network on a prompt.
const ADAM_RATE: f64 = 0.01;
/// Decay rates β₁ and β₂ of Adam's moment estimates.
const ADAM_BETAS: [f64; 2] = [0.9, 0.999];
/// Adam's ε, which is added to the root of the mean squared gradient.
const ADAM_EPSILON: f64 = 1e-8;

/// A network that a baseline trains with Adam on the examples of one prompt, and Adam's state.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineTraining {
    /// The network with its current weights.
    network: BiasFreeNetwork,
    /// Gradient of the mean squared error in the current epoch, `[weights]`.
    gradient: Vec<f64>,
    /// Adam's estimate of the mean gradient, `[weights]`.
    mean_gradient: Vec<f64>,
    /// Adam's estimate of the mean squared gradient, `[weights]`.
    mean_squared_gradient: Vec<f64>,
    /// Number of training epochs so far, each one step of Adam on all examples.
    epochs: usize,
    /// Workspace of the forward and backward pass.
    workspace: ForwardWorkspace,
}

impl BaselineTraining {
    /// Starts the training of `network` from its current weights, with Adam's moment estimates 0.
    pub fn new(network: BiasFreeNetwork) -> Self {
        let none = vec![0.0; network.weights().len()];
        BaselineTraining {
            network,
            gradient: none.clone(),
            mean_gradient: none.clone(),
            mean_squared_gradient: none,
            epochs: 0,
            workspace: ForwardWorkspace::default(),
        }
    }

    /// Number of training epochs so far, each one step of Adam on all examples.
    pub fn epochs(&self) -> usize {
        self.epochs
    }

    /// Ends the training and returns the network with the weights of the last epoch.
    pub fn into_network(self) -> BiasFreeNetwork {
        self.network
    }

    /// Computes the network's output for an input `[inputs]`.
    pub fn compute_output(&mut self, x: &[f64]) -> f64 {
        self.network.compute_output(x, &mut self.workspace)
    }

    /// Approximate number of arithmetic operations of one training epoch on `examples` examples.
    pub fn operations_per_epoch(&self, examples: usize) -> u64 {
        (6 * examples as u64 + 20).saturating_mul(self.gradient.len() as u64)
    }

    /// Takes one step of Adam (Kingma and Ba 2015) on the mean squared error of all examples.
    ///
    /// # Shapes
    /// `x` is `[examples, inputs]`, `y` is `[examples]`.
    pub fn run_epoch(&mut self, x: &[f64], y: &[f64]) {
        self.epochs += 1;
        if y.is_empty() {
            return;
        }
        self.gradient.fill(0.0);
        let (inputs, factor) = (x.len() / y.len(), 1.0 / y.len() as f64);
        for (x, y) in x.chunks_exact(inputs).zip(y) {
            self.network.add_gradient(x, *y, factor, &mut self.gradient, &mut self.workspace);
        }
        let step = self.epochs as f64;
        let [of_mean, of_square] = ADAM_BETAS.map(|memory| 1.0 - libm::pow(memory, step));
        let moments = self.mean_gradient.iter_mut().zip(&mut self.mean_squared_gradient).zip(&self.gradient);
        for (weight, ((mean, square), g)) in self.network.weights_mut().iter_mut().zip(moments) {
            *mean = ADAM_BETAS[0] * *mean + (1.0 - ADAM_BETAS[0]) * g;
            *square = ADAM_BETAS[1] * *square + (1.0 - ADAM_BETAS[1]) * g * g;
            *weight -= ADAM_RATE * (*mean / of_mean) / ((*square / of_square).sqrt() + ADAM_EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One weight before a ReLU and one behind it, on two examples: the first step of Adam is η in every direction.
    #[test]
    fn the_first_step_changes_weights_by_the_learning_rate() {
        let mut training = BaselineTraining::new(BiasFreeNetwork::new(vec![1, 1, 1], vec![1.0, 1.0]));
        training.run_epoch(&[1.0, 2.0], &[3.0, 6.0]);
        assert!(training.network.weights().iter().all(|w| (w - 1.01).abs() < 1e-9));
        for _ in 1..400 {
            training.run_epoch(&[1.0, 2.0], &[3.0, 6.0]);
        }
        assert_eq!(training.epochs(), 400);
        assert!((training.compute_output(&[1.5]) - 4.5).abs() < 0.01);
    }

    #[test]
    fn training_without_examples_changes_nothing() {
        let mut training = BaselineTraining::new(BiasFreeNetwork::new(vec![1, 1, 1], vec![1.0, 1.0]));
        training.run_epoch(&[], &[]);
        assert_eq!(training.into_network().weights(), [1.0, 1.0]);
    }
}
