//! Numbers in double or in single precision: loops are written once for both.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// A number in double or single precision.
pub trait Number:
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
    /// The nearest number of this precision.
    fn of(wide: f64) -> Self;

    /// The same number in double precision.
    fn wide(self) -> f64;

    /// σ(z) = max(z, 0), the only non-linearity of a transformer in this room.
    #[inline(always)]
    fn relu(self) -> Self {
        let zero = Self::default();
        if self > zero { self } else { zero }
    }
}

impl Number for f64 {
    #[inline(always)]
    fn of(wide: f64) -> Self {
        wide
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
}

impl Number for f32 {
    #[inline(always)]
    fn of(wide: f64) -> Self {
        wide as f32
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

/// Three numbers in single precision whose sum is `wide`, for places that hold single precision alone, such as the
/// parameters of a run. Nothing is lost where |`wide`| lies between 10⁻²⁸ and 10³⁸, or is 0.
pub fn split(wide: f64) -> [f32; 3] {
    let high = wide as f32;
    if !high.is_finite() {
        return [high, 0.0, 0.0];
    }
    let rest = wide - f64::from(high);
    let middle = rest as f32;
    [high, middle, (rest - f64::from(middle)) as f32]
}

/// The number that [`split`] took apart.
pub fn join([high, middle, low]: [f32; 3]) -> f64 {
    f64::from(high) + (f64::from(middle) + f64::from(low))
}

/// ‖a − b‖₂.
pub fn distance<A: Number, B: Number>(a: &[A], b: &[B]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a.wide() - b.wide()) * (a.wide() - b.wide()));
    libm::sqrt(squares.sum())
}

/// The smallest power of two that is at least `size` and at least 1.
///
/// # Why
/// What is scaled by powers of two keeps all its digits, so that norms can be bounded as the paper wants them without a
/// rounding error.
pub(super) fn power_above(size: f64) -> f64 {
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
    fn three_single_numbers_hold_a_double_one() {
        let numbers = [0.0, 1.0 / 3.0, -1e-7 / 3.0, 123_456_789.123_456_79, -2.5e-20, std::f64::consts::PI];
        for number in numbers {
            assert_eq!(join(split(number)), number);
            assert_eq!(join(split(-number)), -number);
        }
        assert_eq!(join(split(f64::INFINITY)), f64::INFINITY);
        assert!(join(split(f64::NAN)).is_nan());
    }

    #[test]
    fn powers_are_at_least_what_they_bound() {
        assert_eq!([0.0, 1.0, 1.5, 4.0, 1000.0].map(power_above), [1.0, 1.0, 2.0, 4.0, 1024.0]);
        assert_eq!(power_above(f64::NAN), 1.0);
        assert_eq!(power_above(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn a_relu_cuts_off_what_is_negative() {
        assert_eq!([-2.0, 0.0, 3.0].map(Number::relu), [0.0, 0.0, 3.0]);
        assert_eq!([-2.0f32, 3.0].map(Number::relu), [0.0, 3.0]);
    }
}
