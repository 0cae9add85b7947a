//! Non-linearities σ of a hidden neuron (Edelman 2024, appendix B.4.1 and figure B.14): the settings that choose a
//! [`Function`], whose formulas and forms are in [`vivarium_operators::pointwise`].
//!
//! # Why
//! The last four are built so that one neuron with weight 1 on k bits and without bias is their parity: the
//! sum of k signs of which j are negative is k − 2j. That is why all are +1 at k, and shifted with k, and why
//! the triangle wave has period 4, where the thesis's point set has period 2.

use vivarium_core::choices;
use vivarium_operators::pointwise::Function;

choices! {
    /// Non-linearity σ of the hidden layer.
    pub enum Activation {
        /// max(0, z).
        Relu = "relu", "ReLU";
        /// z to the power of the degree.
        Power = "power", "z^degree";
        /// Piecewise linear through alternating points, its ends extended.
        Zigzag = "zigzag", "Zigzag of k segments (k-zigzag)";
        /// Triangle wave of period 4.
        Wave = "wave", "Triangle wave (∞-zigzag)";
        /// Polynomial through alternating points.
        Oscillating = "osc", "Oscillating polynomial of degree k";
        /// Sine of period 4.
        Sine = "sin", "Sine";
    }
}

choices! {
    /// What a neuron on a pair of elements does to the sum of its two embeddings.
    pub enum Sigma {
        /// z².
        Square = "square", "Square z²";
        /// max(z, 0).
        Relu = "relu", "ReLU max(z, 0)";
    }
}

impl Sigma {
    /// σ(z).
    pub fn of(self, z: f32) -> f32 {
        match self {
            Sigma::Square => z * z,
            Sigma::Relu => z.max(0.0),
        }
    }

    /// Degree of homogeneity: σ(cz) = c^degree σ(z) for c > 0.
    pub fn degree(self) -> usize {
        match self {
            Sigma::Square => 2,
            Sigma::Relu => 1,
        }
    }
}

impl Activation {
    /// σ as an operator.
    pub fn function(self, degree: usize) -> Function {
        match self {
            Activation::Relu => Function::Relu,
            Activation::Power => Function::Power(degree),
            Activation::Zigzag => Function::Zigzag(degree),
            Activation::Wave => Function::Wave(degree),
            Activation::Oscillating => Function::Oscillating(degree),
            Activation::Sine => Function::Sine(degree),
        }
    }

    /// σ(z) and σ'(z) in double precision.
    pub fn value_and_slope(self, degree: usize, z: f64) -> (f64, f64) {
        self.function(degree).value_and_derivative(z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARITIES: [Activation; 4] =
        [Activation::Zigzag, Activation::Wave, Activation::Oscillating, Activation::Sine];

    #[test]
    fn one_neuron_is_the_parity_of_k_bits() {
        for activation in PARITIES {
            for k in 1..=8 {
                for word in 0..1u32 << k {
                    let signs = (0..k).map(|i| if word >> i & 1 == 0 { 1.0 } else { -1.0 });
                    let (sum, product) = (signs.clone().sum::<f64>(), signs.product::<f64>());
                    let (value, _) = activation.value_and_slope(k, sum);
                    assert!((value - product).abs() < 1e-12, "{activation:?}, k = {k}: {value} at {sum}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_values() {
        for activation in Activation::ALL {
            for k in 1..=8 {
                for i in -40..40 {
                    let (z, h) = (f64::from(i) * 0.25 + 0.1, 1e-6);
                    let value = |z| activation.value_and_slope(k, z).0;
                    let numeric = (value(z + h) - value(z - h)) / (2.0 * h);
                    let (_, slope) = activation.value_and_slope(k, z);
                    let error = (numeric - slope).abs();
                    assert!(error < 1e-6 * (1.0 + slope.abs()), "{activation:?}, k = {k}, z = {z}");
                }
            }
        }
    }

    #[test]
    fn kinks_have_the_slopes_that_are_stated() {
        let slope = |activation: Activation, z| activation.value_and_slope(3, z).1;
        assert_eq!(slope(Activation::Relu, 0.0), 0.0);
        assert_eq!([-3.0, -1.0, 1.0, 3.0].map(|z| slope(Activation::Zigzag, z)), [1.0, 1.0, -1.0, 1.0]);
        assert_eq!([-1.0, 1.0, 3.0, 5.0].map(|z| slope(Activation::Wave, z)), [0.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn beyond_the_points_the_zigzag_goes_on_and_the_waves_repeat() {
        let value = |activation: Activation, z| activation.value_and_slope(3, z).0;
        assert_eq!([-5.0, 5.0].map(|z| value(Activation::Zigzag, z)), [-3.0, 3.0]);
        for activation in [Activation::Wave, Activation::Sine] {
            for i in -20..20 {
                let z = f64::from(i) * 0.3;
                assert!((value(activation, z) - value(activation, z + 4.0)).abs() < 1e-12);
            }
        }
    }
}
