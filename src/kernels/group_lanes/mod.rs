//! TODO

mod pairs;
mod products;
mod replica;
mod softmax;
#[cfg(test)]
mod tests;

pub use pairs::Pairs;
pub use replica::{Replica, Scratch};

pub use super::lanes::Push;
pub use super::plan::{Rule, Sigma};

/// What is known of a network before it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Elements d of the group: classes, and rows of each embedding.
    pub order: usize,
    /// Neurons m.
    pub neurons: usize,
    /// Non-linearity σ.
    pub sigma: Sigma,
    /// Exponent ν of the penalty, at least 2.
    pub nu: usize,
    /// Update rule.
    pub rule: Rule,
}

/// What measuring gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums {
    /// Cross-entropy, summed over the pairs; no number if an output has none.
    pub loss: f64,
    /// Pairs whose label has the largest output.
    pub right: usize,
    /// Least margin over the pairs, which is the label's output less the largest other one; no number if an
    /// output has none, and infinite where there is no pair.
    pub margin: f32,
    /// Σ‖ω‖^ν over the neurons, by which the margin of a network that is homogeneous of degree ν is normalised.
    pub norms: f64,
}

impl Sums {
    /// Of no pairs.
    const NONE: Sums = Sums { loss: 0.0, right: 0, margin: f32::INFINITY, norms: 0.0 };

    /// Adds one pair, whose loss is no number if it is broken.
    #[inline(always)]
    fn add(&mut self, loss: f32, margin: f32) {
        self.loss += f64::from(loss);
        self.right += usize::from(margin > 0.0 && !loss.is_nan());
        if loss.is_nan() {
            self.margin = f32::NAN;
        } else if margin < self.margin {
            self.margin = margin;
        }
    }
}
