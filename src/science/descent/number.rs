//! Floating-point numbers in double or single precision, so that each algorithm is written once for both.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// A floating-point type, `f64` or `f32`, in which transformer and gradient descent are computed.
pub trait Precision:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + AddAssign
    + Div<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Sub<Output = Self>
    + 'static
{
    /// Rounds a number in double precision to this type.
    fn from_f64(wide: f64) -> Self;

    /// Converts to double precision.
    fn to_f64(self) -> f64;

    /// σ(z) = max(z, 0), the only nonlinearity of the transformers in this module.
    #[inline(always)]
    fn relu(self) -> Self {
        let zero = Self::default();
        if self > zero { self } else { zero }
    }
}

impl Precision for f64 {
    #[inline(always)]
    fn from_f64(wide: f64) -> Self {
        wide
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

impl Precision for f32 {
    #[inline(always)]
    fn from_f64(wide: f64) -> Self {
        wide as f32
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

/// Splits a number into three single-precision numbers whose sum is `wide`, for files that hold single precision
/// only, such as the parameters of a run. Exact if |`wide`| is between 10⁻²⁸ and 10³⁸, or 0.
pub fn split_f64(wide: f64) -> [f32; 3] {
    let high = wide as f32;
    if !high.is_finite() {
        return [high, 0.0, 0.0];
    }
    let rest = wide - f64::from(high);
    let middle = rest as f32;
    [high, middle, (rest - f64::from(middle)) as f32]
}

/// Restores a number from the three parts of [`split_f64`]: the sum of the parts.
pub fn join_f64([high, middle, low]: [f32; 3]) -> f64 {
    f64::from(high) + (f64::from(middle) + f64::from(low))
}

/// The Euclidean distance ‖a − b‖₂ of two vectors.
pub fn euclidean_distance<A: Precision, B: Precision>(a: &[A], b: &[B]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a.to_f64() - b.to_f64()) * (a.to_f64() - b.to_f64()));
    libm::sqrt(squares.sum())
}

/// The smallest power of two that is at least `size` and at least 1.
///
/// # Why
/// Scaling by powers of two is exact, so that the paper's bounds on norms cause no rounding errors.
pub(super) fn next_power_of_two(size: f64) -> f64 {
    let mut power = 1.0;
    while power < size {
        power *= 2.0;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_single_precision_numbers_represent_a_double() {
        let numbers = [0.0, 1.0 / 3.0, -1e-7 / 3.0, 123_456_789.123_456_79, -2.5e-20, std::f64::consts::PI];
        for number in numbers {
            assert_eq!(join_f64(split_f64(number)), number);
            assert_eq!(join_f64(split_f64(-number)), -number);
        }
        assert_eq!(join_f64(split_f64(f64::INFINITY)), f64::INFINITY);
        assert!(join_f64(split_f64(f64::NAN)).is_nan());
    }

    #[test]
    fn powers_of_two_are_at_least_their_argument() {
        assert_eq!([0.0, 1.0, 1.5, 4.0, 1000.0].map(next_power_of_two), [1.0, 1.0, 2.0, 4.0, 1024.0]);
        assert_eq!(next_power_of_two(f64::NAN), 1.0);
        assert_eq!(next_power_of_two(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn a_relu_maps_negative_numbers_to_0() {
        assert_eq!([-2.0, 0.0, 3.0].map(Precision::relu), [0.0, 0.0, 3.0]);
        assert_eq!([-2.0f32, 3.0].map(Precision::relu), [0.0, 3.0]);
    }
}
