//! Activation functions of the network in the tokens, and their derivatives.

use super::number::Precision;
use vivarium_core::choices;
use vivarium_core::math::{logistic, normal_cdf};

choices! {
    /// The activation function r of the hidden layers.
    pub enum Activation {
        /// max(z, 0).
        Relu = "relu", "ReLU";
        /// tanh(z).
        Tanh = "tanh", "tanh";
        /// 1 / (1 + e^(−z)).
        Sigmoid = "sigmoid", "Sigmoid";
        /// z Φ(z), Φ being the distribution function of a standard normal number.
        Gelu = "gelu", "GELU";
    }
}

choices! {
    /// The activation function of the output layer.
    pub enum OutputActivation {
        /// No activation: the identity.
        Linear = "linear", "Linear";
        /// The activation of the hidden layers, as in definition 1 of the paper.
        Activated = "same", "With the activation of the hidden layers";
    }
}

impl Activation {
    /// Computes the activation function r(z).
    pub fn evaluate(self, z: f64) -> f64 {
        match self {
            Activation::Relu => z.relu(),
            Activation::Tanh => libm::tanh(z),
            Activation::Sigmoid => logistic(z),
            Activation::Gelu => z * normal_cdf(z),
        }
    }

    /// An upper bound on |r(z)| over all z where the activation function r decreases; 0 if r increases everywhere.
    pub(super) fn bound_where_falling(self) -> f64 {
        match self {
            // −0.16997 at z = −0.7518.
            Activation::Gelu => 0.17,
            Activation::Relu | Activation::Tanh | Activation::Sigmoid => 0.0,
        }
    }

    /// Computes the derivative r′(z) of the activation function. For the ReLU it is 0 at z = 0.
    pub fn derivative(self, z: f64) -> f64 {
        match self {
            Activation::Relu => f64::from(z > 0.0),
            Activation::Tanh => {
                let tanh = libm::tanh(z);
                1.0 - tanh * tanh
            }
            Activation::Sigmoid => {
                let value = self.evaluate(z);
                value * (1.0 - value)
            }
            Activation::Gelu => {
                let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI);
                normal_cdf(z) + z * density
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        for activation in Activation::ALL {
            for z in [-3.2, -1.0, -0.3, 0.2, 0.9, 2.7] {
                let h = 1e-6;
                let slope = (activation.evaluate(z + h) - activation.evaluate(z - h)) / (2.0 * h);
                assert!((slope - activation.derivative(z)).abs() < 1e-8, "{activation:?} {z}");
            }
        }
        assert_eq!(Activation::Relu.derivative(0.0), 0.0);
        assert!((Activation::Gelu.evaluate(1.0) - 0.841_344_746_068_542_9).abs() < 1e-14);
    }

    #[test]
    fn no_activation_falls_below_its_bound() {
        for activation in Activation::ALL {
            let falling =
                (-4000..=4000).map(|i| f64::from(i) / 1000.0).filter(|z| activation.derivative(*z) < 0.0);
            let max_value = falling.map(|z| activation.evaluate(z).abs()).fold(0.0, f64::max);
            assert!(
                max_value <= activation.bound_where_falling()
                    && activation.bound_where_falling() < max_value + 1e-4,
                "{activation:?} {max_value}"
            );
        }
    }
}
