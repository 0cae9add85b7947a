//! Sums of ReLUs, by which attention heads compute activation functions (definition 4 of the paper).
//!
//! ```text
//! Σ_m c_m σ(a_m z + b_m)    with |a_m| + |b_m| ≤ 1
//! ```
//!
//! | function | sum | exact |
//! |---|---|---|
//! | identity | σ(z) − σ(−z) | yes |
//! | derivative 1 of the identity | σ(1) | yes |
//! | ReLU | σ(z) | yes |
//! | derivative of the ReLU | σ(z/δ) − σ(z/δ − 1) | except for 0 < z < δ |
//! | tanh, sigmoid, GELU and their derivatives | linear interpolation between M + 1 points of \[−R, R\]: M + 1 ReLUs | error ∼ M⁻² |
//!
//! # Why
//! The line segments start at the middle knot and add a ReLU at each further knot on both sides, so that for even M
//! the sum is exact at 0: a network with weights 0 does not move here either. Outside \[−R, R\] the first and the
//! last line continue.
//!
//! The bound |a| + |b| ≤ 1 is reached by scaling with powers of two, which is exact: all heads of one neuron share
//! ⟨p, v⟩, and computing it once changes no result.

use super::activation::Activation;
use super::number::{Precision, next_power_of_two};

/// How activation functions become sums of ReLUs: number and range of line segments, and the width δ of the band in
/// which the derivative of a ReLU is wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReluApproximation {
    /// Width δ of the band 0 < z < δ of pre-activations z in which the derivative of a ReLU is wrong.
    pub delta: f64,
    /// Number M of line segments that approximate a smooth activation.
    pub knots: usize,
    /// Half-width R of the interval from −R to R that the line segments cover.
    pub range: f64,
}

impl Default for ReluApproximation {
    fn default() -> Self {
        ReluApproximation { delta: 1e-4, knots: 32, range: 4.0 }
    }
}

/// One ReLU c·σ(a z + b) of a sum of ReLUs, as one attention head computes it, with |a| + |b| ≤ 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaledRelu {
    /// Factor a of the argument z, inside the ReLU.
    pub a: f64,
    /// Bias b inside the ReLU.
    pub b: f64,
    /// Factor c by which the ReLU's output is multiplied.
    pub c: f64,
}

/// One term weight · σ(sign · gain · z + shift) of a sum of ReLUs, where all terms of the sum share the gain.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ReluTerm {
    /// Sign of z inside the ReLU: 1, −1, or 0 in a constant term.
    sign: f64,
    /// Bias that is added to the argument inside the ReLU.
    shift: f64,
    /// Factor by which the ReLU's output is multiplied.
    weight: f64,
}

/// A function of one number z that is a sum of scaled and shifted ReLUs.
#[derive(Debug, Clone, PartialEq)]
pub struct ReluSum {
    /// Factor by which the argument z is multiplied inside every ReLU of the sum.
    gain: f64,
    /// The ReLUs whose sum is the function, and constant terms.
    terms: Vec<ReluTerm>,
}

/// Creates the term weight · σ(sign · gain · z + shift) of a sum of ReLUs.
fn relu_term(sign: f64, shift: f64, weight: f64) -> ReluTerm {
    ReluTerm { sign, shift, weight }
}

thread_local! {
    /// Number of ReLUs that `ReluApproximation::interpolate` has created on this thread, for tests.
    #[doc(hidden)]
    pub static INTERPOLATION_RELUS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl ReluApproximation {
    /// Numbers of ReLUs in the sum for an activation function and in the sum for its derivative; an activation of
    /// `None` is the identity.
    pub fn term_counts(&self, activation: Option<Activation>) -> [u64; 2] {
        match activation {
            None => [2, 1],
            Some(Activation::Relu) => [1, 2],
            Some(_) => [(self.knots as u64).saturating_add(1); 2],
        }
    }

    /// The sum of ReLUs that approximates the activation function; `None` stands for the identity.
    pub fn activation_sum(&self, activation: Option<Activation>) -> ReluSum {
        match activation {
            None => ReluSum { gain: 1.0, terms: vec![relu_term(1.0, 0.0, 1.0), relu_term(-1.0, 0.0, -1.0)] },
            Some(Activation::Relu) => ReluSum { gain: 1.0, terms: vec![relu_term(1.0, 0.0, 1.0)] },
            Some(smooth) => self.interpolate(|z| smooth.evaluate(z)),
        }
    }

    /// The sum of ReLUs that approximates the derivative of the activation function; `None` stands for the identity.
    pub fn derivative_sum(&self, activation: Option<Activation>) -> ReluSum {
        match activation {
            None => ReluSum { gain: 1.0, terms: vec![relu_term(0.0, 1.0, 1.0)] },
            Some(Activation::Relu) => ReluSum {
                gain: 1.0 / self.delta,
                terms: vec![relu_term(1.0, 0.0, 1.0), relu_term(1.0, -1.0, -1.0)],
            },
            Some(smooth) => self.interpolate(|z| smooth.derivative(z)),
        }
    }

    /// An upper bound on the absolute value of [`ReluApproximation::activation_sum`] at all z from −`bound` to `bound`.
    ///
    /// # Why
    /// The validation of settings calls it for every run of a sweep, before a transformer is built. So it does not
    /// build the sum: an interpolation that increases everywhere is largest in absolute value at an end, and an
    /// activation that first decreases is bounded by its minimum in between.
    pub fn bound_activation(&self, activation: Option<Activation>, bound: f64) -> f64 {
        match activation {
            None | Some(Activation::Relu) => bound,
            Some(smooth) => {
                self.bound_interpolation(smooth.bound_where_falling(), bound, |z| smooth.evaluate(z))
            }
        }
    }

    /// An upper bound on the absolute value of the linear interpolation of `function` for |z| ≤ `bound`, where
    /// `bound_where_falling` bounds |function| wherever it decreases.
    fn bound_interpolation(
        &self,
        bound_where_falling: f64,
        bound: f64,
        function: impl Fn(f64) -> f64,
    ) -> f64 {
        if !bound.is_finite() {
            return bound;
        }
        let line = |z: f64| {
            let m = ((z + self.range) / self.knot_spacing()) as usize;
            let m = m.min(self.knots.saturating_sub(1));
            function(self.knot(m)) + self.line_slope(m, &function) * (z - self.knot(m))
        };
        // Allows for the rounding error of the sum.
        let rounding = self.knots as f64 * f64::EPSILON * (bound + self.range);
        [-bound, bound].map(|z| line(z).abs()).into_iter().fold(bound_where_falling, f64::max) + rounding
    }

    /// Position on the z axis of knot `m`, from 0 to M: the knots are the ends of the M line segments, evenly spaced
    /// from −R to R.
    fn knot(&self, m: usize) -> f64 {
        -self.range + 2.0 * self.range * m as f64 / self.knots as f64
    }

    /// Distance between two neighbouring knots, the width of a line segment.
    fn knot_spacing(&self) -> f64 {
        2.0 * self.range / self.knots as f64
    }

    /// Slope of the line segment that interpolates `function` between knot `m` and the next one.
    fn line_slope(&self, m: usize, function: impl Fn(f64) -> f64) -> f64 {
        (function(self.knot(m + 1)) - function(self.knot(m))) / self.knot_spacing()
    }

    /// The linear interpolation of `function` between the knots, continued by its first and last line segment outside
    /// of them, as a sum of ReLUs.
    fn interpolate(&self, function: impl Fn(f64) -> f64) -> ReluSum {
        let (count, at) = (self.knots, |m: usize| self.knot(m));
        let slope = |m: usize| self.line_slope(m, &function);
        INTERPOLATION_RELUS.set(INTERPOLATION_RELUS.get() + count + 1);
        let middle = count / 2;
        let mut terms = vec![relu_term(0.0, 1.0, function(at(middle)))];
        terms.extend((middle..count).map(|m| {
            let before = if m > middle { slope(m - 1) } else { 0.0 };
            relu_term(1.0, -at(m), slope(m) - before)
        }));
        terms.extend((1..=middle).rev().map(|m| {
            let before = if m < middle { slope(m) } else { 0.0 };
            relu_term(-1.0, at(m), before - slope(m - 1))
        }));
        ReluSum { gain: 1.0, terms }
    }
}

impl ReluSum {
    /// Number of ReLUs in the sum, constant terms included.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether the sum has no ReLU and no constant term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The ReLU with index `m`, from 0, of the sum, scaled so that |a| + |b| ≤ 1.
    pub fn relu(&self, m: usize) -> ScaledRelu {
        let ReluTerm { sign, shift, weight } = self.terms[m];
        let a = sign * self.gain;
        let scale = next_power_of_two(a.abs() + shift.abs());
        ScaledRelu { a: a / scale, b: shift / scale, c: weight * scale }
    }

    /// Computes the sum of ReLUs at the argument `z`.
    pub fn evaluate(&self, z: f64) -> f64 {
        let mut out = [0.0];
        self.evaluate_scaled(&[self.gain * z], &mut out);
        out[0]
    }

    /// The factor of the argument z that all ReLUs of the sum share.
    pub(super) fn gain<T: Precision>(&self) -> T {
        T::from_f64(self.gain)
    }

    /// Writes the value of the sum at several arguments to `out`, of the same length as `z`, which holds each argument
    /// times the [gain](ReluSum::gain).
    #[inline]
    pub(super) fn evaluate_scaled<T: Precision>(&self, z: &[T], out: &mut [T]) {
        out.fill(T::default());
        for term in &self.terms {
            let (sign, shift, weight) =
                (T::from_f64(term.sign), T::from_f64(term.shift), T::from_f64(term.weight));
            for (out, z) in out.iter_mut().zip(z) {
                *out += (sign * *z + shift).relu() * weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const SMOOTH: [Activation; 3] = [Activation::Tanh, Activation::Sigmoid, Activation::Gelu];

    #[test]
    fn the_identity_and_the_relu_are_exact() {
        let how = ReluApproximation::default();
        let (same, one) = (how.activation_sum(None), how.derivative_sum(None));
        let (relu, step) =
            (how.activation_sum(Some(Activation::Relu)), how.derivative_sum(Some(Activation::Relu)));
        for z in [-7.3, -1e-9, 0.0, 1.1e-4, 0.4, 6.0, 1e3] {
            assert_eq!(same.evaluate(z), z);
            assert_eq!(one.evaluate(z), 1.0);
            assert_eq!(relu.evaluate(z), z.relu());
            assert_eq!(step.evaluate(z), f64::from(z > 0.0), "{z}");
        }
        // Inside of the band the slope rises.
        assert!((step.evaluate(2.5e-5) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn every_relu_is_scaled_within_its_bound_exactly() {
        let how = ReluApproximation { delta: 3e-4, knots: 9, range: 5.0 };
        let all = [None].into_iter().chain(Activation::ALL.iter().copied().map(Some));
        for activation in all {
            let [value, slope] = how.term_counts(activation);
            for (sum, count) in
                [(how.activation_sum(activation), value), (how.derivative_sum(activation), slope)]
            {
                assert_eq!(sum.len() as u64, count);
                assert!(!sum.is_empty());
                for m in 0..sum.len() {
                    let ScaledRelu { a, b, c } = sum.relu(m);
                    assert!(a.abs() + b.abs() <= 1.0, "{a} {b}");
                    let ReluTerm { sign, shift, weight } = sum.terms[m];
                    let z = 0.731;
                    let own = (sign * (sum.gain * z) + shift).relu() * weight;
                    assert_eq!((a * z + b).relu() * c, own, "{activation:?} {m}");
                }
            }
        }
    }

    #[test]
    fn the_interpolation_is_exact_at_the_knots() {
        for knots in [1, 2, 7, 16] {
            let how = ReluApproximation { knots, ..ReluApproximation::default() };
            for smooth in SMOOTH {
                let (value, slope) = (how.activation_sum(Some(smooth)), how.derivative_sum(Some(smooth)));
                for m in 0..=knots {
                    let z = -4.0 + 8.0 * m as f64 / knots as f64;
                    assert!((value.evaluate(z) - smooth.evaluate(z)).abs() < 1e-13, "{smooth:?} {knots} {m}");
                    assert!(
                        (slope.evaluate(z) - smooth.derivative(z)).abs() < 1e-13,
                        "{smooth:?} {knots} {m}"
                    );
                }
            }
        }
        // Exactly so at 0.
        let how = ReluApproximation::default();
        assert_eq!(how.activation_sum(Some(Activation::Tanh)).evaluate(0.0), 0.0);
        assert_eq!(how.activation_sum(Some(Activation::Gelu)).evaluate(0.0), 0.0);
    }

    #[test]
    fn the_interpolation_error_falls_with_the_square_of_the_number_of_knots() {
        for smooth in SMOOTH {
            let error = |knots: usize, slope: bool| {
                let how = ReluApproximation { knots, ..ReluApproximation::default() };
                let sum =
                    if slope { how.derivative_sum(Some(smooth)) } else { how.activation_sum(Some(smooth)) };
                let exact = |z: f64| if slope { smooth.derivative(z) } else { smooth.evaluate(z) };
                let points = (0..=2000).map(|i| -4.0 + 8.0 * f64::from(i) / 2000.0);
                points.map(|z| (sum.evaluate(z) - exact(z)).abs()).fold(0.0, f64::max)
            };
            for slope in [false, true] {
                let ratio = error(32, slope) / error(128, slope);
                assert!((14.0..18.0).contains(&ratio), "{smooth:?} {ratio}");
            }
        }
    }

    /// The largest |value| of a sum, from all places where two lines meet.
    fn exact(sum: &ReluSum, most: f64) -> f64 {
        let bent = sum.terms.iter().filter(|term| term.sign != 0.0);
        let bends = bent.map(|term| -term.shift / (term.sign * sum.gain)).filter(|z| z.abs() <= most);
        bends.chain([-most, most]).map(|z| sum.evaluate(z).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn the_bound_on_a_sum_holds_and_is_close() {
        for (knots, reach) in [(1, 4.0), (2, 0.3), (7, 4.0), (32, 1.0), (101, 100.0), (256, 4.0)] {
            let how = ReluApproximation { knots, range: reach, ..ReluApproximation::default() };
            let all = [None].into_iter().chain(Activation::ALL.iter().copied().map(Some));
            for activation in all {
                let sum = how.activation_sum(activation);
                for most in [0.0, 1e-3, 0.2, 0.75, 1.0, 3.99, 4.0, 17.0, 640.0, 1e9] {
                    let (bound, largest) = (how.bound_activation(activation, most), exact(&sum, most));
                    assert!(bound >= largest, "{activation:?} {knots} {reach} {most}: {bound} {largest}");
                    // A GELU may fall to −0.17, which need not lie within such a distance of 0.
                    let room = if activation == Some(Activation::Gelu) { 0.17 } else { 0.0 };
                    let close = largest.max(room) + 1e-12 * (largest + most + reach);
                    assert!(bound <= close, "{activation:?} {knots} {reach} {most}: {bound} {largest}");
                }
                // So that what is held against a limit is over it.
                assert_eq!(how.bound_activation(activation, f64::INFINITY), f64::INFINITY);
                assert!(how.bound_activation(activation, f64::NAN).is_nan());
            }
        }
    }

    #[test]
    fn the_cost_of_the_bound_does_not_depend_on_the_number_of_knots() {
        for knots in [1, 32, 1024] {
            let (how, asked) = (ReluApproximation { knots, ..ReluApproximation::default() }, Cell::new(0));
            let function = |z: f64| {
                asked.set(asked.get() + 1);
                libm::tanh(z)
            };
            how.bound_interpolation(0.0, 3.0, function);
            assert_eq!(asked.get(), 6, "{knots}");
        }
    }
}
