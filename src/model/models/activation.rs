//! Non-linearities σ of a hidden neuron (Edelman 2024, appendix B.4.1 and figure B.14), in double precision
//! for the reference and on tensors for training. k is the degree:
//!
//! ```text
//! relu    max(0, z)                                           slope 0 at z = 0
//! power   z^k
//! zigzag  (−1)^j (1 + z − p_j) on p_{j+1} < z ≤ p_j, where p_j = k − 2j; the outer of the k segments, j = 0
//!         and j = k − 1, go on for ever                       a kink has the slope of the segment below it
//! wave    1 − 4|t|, where t = (z − k)/4 − ⌊(z − k)/4 + 1/2⌋    slope −sign(t): 0 at the tops, where t = 0,
//!                                                             and 1 at the bottoms, where t = −1/2
//! osc     Σ_m (−1)^(k+m)/m! · Π_{i<m} (z + k − 2i)            through the points (p_j, (−1)^j), j = 0..k
//! sin     sin(πz/2 + π/2 − πk/2)
//! ```
//!
//! # Why
//! The last four are built so that one neuron with weight 1 on k bits and without bias is their parity: the
//! sum of k signs of which j are negative is k − 2j. That is why all are +1 at k, and shifted with k, and why
//! the triangle wave has period 4, where the thesis's point set has period 2.
//! A kernel that is to agree with the tensors to the last segment must take the slopes above at the kinks.

use vivarium_core::choices;

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
    /// σ(z) and σ'(z): the reference for the tensor form and for kernels.
    pub fn value_and_slope(self, degree: usize, z: f64) -> (f64, f64) {
        let k = degree as f64;
        match self {
            Activation::Relu if z > 0.0 => (z, 1.0),
            Activation::Relu => (0.0, 0.0),
            Activation::Power => {
                let below = (1..degree).fold(1.0, |power, _| power * z);
                (below * z, k * below)
            }
            Activation::Zigzag => {
                let j = libm::floor((k - z) / 2.0).clamp(0.0, k - 1.0);
                let slope = if j % 2.0 == 0.0 { 1.0 } else { -1.0 };
                (slope * (1.0 + z - (k - 2.0 * j)), slope)
            }
            // By the distance from the top on the left.
            Activation::Wave => match (z - k).rem_euclid(4.0) {
                0.0 => (1.0, 0.0),
                distance if distance < 2.0 => (1.0 - distance, -1.0),
                distance => (distance - 3.0, 1.0),
            },
            Activation::Oscillating => {
                let horner = |(value, slope), c: &f64| (value * z + c, slope * z + value);
                interpolant(degree).iter().rev().fold((0.0, 0.0), horner)
            }
            Activation::Sine => {
                let half = std::f64::consts::FRAC_PI_2;
                let angle = half * (z + 1.0 - k);
                (libm::sin(angle), half * libm::cos(angle))
            }
        }
    }
}

/// Coefficients c_0 to c_k of the polynomial of degree k through (k − 2j, (−1)^j) for j from 0 to k.
///
/// Newton's form over the points from −k upwards has the divided differences (−1)^(k+m)/m!, so that k! times
/// the polynomial has whole coefficients: they are summed without rounding, and c_k−1, c_k−3 and so on are zero.
pub fn interpolant(k: usize) -> Vec<f64> {
    let factorial: i64 = (1..=k as i64).product();
    let mut sum = vec![0i64; k + 1];
    let mut product = vec![1i64]; // Π_{i<m} (z + k − 2i), the constant first
    let mut weight = if k.is_multiple_of(2) { factorial } else { -factorial }; // (−1)^(k+m) k!/m!
    for m in 0..=k as i64 {
        for (c, p) in sum.iter_mut().zip(&product) {
            *c += weight * p;
        }
        weight = -weight / (m + 1);
        let shift = k as i64 - 2 * m;
        product.push(0);
        for i in (0..product.len()).rev() {
            product[i] = shift * product[i] + if i > 0 { product[i - 1] } else { 0 };
        }
    }
    sum.into_iter().map(|c| c as f64 / factorial as f64).collect()
}

#[cfg(feature = "train")]
mod tensors {
    use burn::tensor::Tensor;
    use burn::tensor::activation::relu;

    use super::{Activation, interpolant};

    impl Activation {
        /// σ of every number of a tensor.
        ///
        /// # Shapes
        /// Any, kept.
        pub fn forward(self, degree: usize, z: Tensor<3>) -> Tensor<3> {
            match self {
                Activation::Relu => relu(z),
                // By multiplication: a power function is NaN for negative bases on some GPUs.
                Activation::Power => (1..degree).fold(z.clone(), |power, _| power * z.clone()),
                Activation::Zigzag => zigzag(degree, z),
                Activation::Wave => {
                    let t = turns(z, degree);
                    (relu(t.clone()) + relu(-t)) * -4.0 + 1.0
                }
                Activation::Oscillating => oscillating(degree, z),
                Activation::Sine => (turns(z, degree - 1) * std::f64::consts::TAU).sin(),
            }
        }
    }

    /// The lowest segment, and at each kink above it twice the slope that takes it from one to the other.
    fn zigzag(degree: usize, z: Tensor<3>) -> Tensor<3> {
        let slope = if degree.is_multiple_of(2) { -1.0 } else { 1.0 };
        let lowest = (z.clone() + (degree as f32 - 1.0)) * slope;
        let mut turn = -2.0 * slope;
        (1..degree).fold(lowest, |sum, i| {
            let kink = 2.0 * i as f32 - degree as f32;
            let bent = sum + relu(z.clone() - kink) * turn;
            turn = -turn;
            bent
        })
    }

    /// Horner's rule; every other coefficient is zero and not added.
    fn oscillating(degree: usize, z: Tensor<3>) -> Tensor<3> {
        let coefficients = interpolant(degree);
        let mut sum = z.clone() * coefficients[degree];
        for i in (0..degree).rev() {
            if coefficients[i] != 0.0 {
                sum = sum + coefficients[i];
            }
            if i > 0 {
                sum = sum * z.clone();
            }
        }
        sum
    }

    /// (z − top)/4 less the nearest whole number, from −1/2 on and below 1/2: where in its period z is.
    ///
    /// The sine needs it as well, since WGSL promises sines only between −π and π.
    fn turns(z: Tensor<3>, top: usize) -> Tensor<3> {
        // The remainder keeps the digits that z loses in a subtraction.
        let t = (z - (top % 4) as f32) * 0.25;
        let whole = (t.clone() + 0.5).detach().floor();
        t - whole
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
    fn interpolants_are_the_printed_polynomials() {
        assert_eq!(interpolant(1), [0.0, 1.0]);
        assert_eq!(interpolant(2), [-1.0, 0.0, 0.5]);
        assert_eq!(interpolant(3), [0.0, -7.0 / 6.0, 0.0, 1.0 / 6.0]);
        for k in 1..=8 {
            assert_eq!(interpolant(k).len(), k + 1);
            for j in 0..=k {
                let z = k as f64 - 2.0 * j as f64;
                let value: f64 = interpolant(k).iter().enumerate().map(|(i, c)| c * z.powi(i as i32)).sum();
                let expected = if j % 2 == 0 { 1.0 } else { -1.0 };
                assert!((value - expected).abs() < 1e-12, "k = {k}: {value} at {z}");
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
