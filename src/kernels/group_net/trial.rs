//! A small network on addition modulo an order, the same wherever it runs: what devices are compared by.

use super::plan::{Sigma, Variant};
use super::{GroupNetReplicas, Shape, Weights};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::optim::{Adam, Optimizer, Sgd};

/// Which network, and how it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Elements d of the group.
    pub order: usize,
    /// Neurons m.
    pub neurons: usize,
    /// ReLU and L2 penalty, instead of squares and the cubic one.
    pub relu: bool,
    /// Adam, instead of gradient descent.
    pub adam: bool,
    /// Many workgroups, instead of one.
    pub many: bool,
}

impl Trial {
    /// Its shape.
    pub fn shape(&self) -> Shape {
        // The larger ε keeps a sign that hangs on rounding from becoming a whole step.
        let adam = Optimizer::Adam(Adam { lr: 0.01, epsilon: 1e-4, ..Default::default() });
        let descent = Optimizer::Sgd(Sgd { lr: 0.5, ..Default::default() });
        Shape {
            order: self.order,
            neurons: self.neurons,
            sigma: if self.relu { Sigma::Relu } else { Sigma::Square },
            nu: if self.relu { 2 } else { 3 },
            lambda: 1e-3,
            optimizer: if self.adam { adam } else { descent },
            steps: 1000,
            replicas: 1,
            variant: Some(if self.many { Variant::Many } else { Variant::One }),
        }
    }

    /// All pairs and their sums.
    pub fn data(&self) -> (Vec<[u32; 2]>, Vec<u32>) {
        let d = self.order as u32;
        let pairs: Vec<[u32; 2]> = (0..d * d).map(|cell| [cell / d, cell % d]).collect();
        let labels = pairs.iter().map(|[a, b]| (a + b) % d).collect();
        (pairs, labels)
    }

    /// Normal weights of standard deviation 0.3.
    pub fn weights(&self) -> Weights {
        let stream = RandomStream::new(3, Purpose::Weights, 0);
        let size = (self.order * self.neurons) as u32;
        let draw = |part: u64| (0..size).map(|i| 0.3 * stream.draw_normal(part, i)).collect();
        Weights { u: draw(0), v: draw(1), w: draw(2) }
    }

    /// The network at its start, on the GPU that has been opened.
    ///
    /// # Errors
    /// As [`GroupNetReplicas::new`].
    pub fn net(&self) -> Result<GroupNetReplicas, String> {
        let (pairs, labels) = self.data();
        GroupNetReplicas::new(self.shape(), &pairs, &labels, &self.weights())
    }
}
