//! Sums of ReLUs: what attention heads add up to instead of an activation (definition 4 of the paper).
//!
//! ```text
//! Σ_m c_m σ(a_m z + b_m)    with |a_m| + |b_m| ≤ 1
//! ```
//!
//! | function | sum | exact |
//! |---|---|---|
//! | identity | σ(z) − σ(−z) | yes |
//! | its slope 1 | σ(1) | yes |
//! | ReLU | σ(z) | yes |
//! | its slope | σ(z/δ) − σ(z/δ − 1) | but for 0 < z < δ |
//! | tanh, sigmoid, GELU and their slopes | straight lines between M + 1 points of \[−R, R\]: M + 1 ReLUs | error ∼ M⁻² |
//!
//! # Why
//! Straight lines start at the point in the middle and bend outwards on both sides, so that with an even M the sum is exact at
//! 0: a network whose weights are all 0 stands still here as well. Outside of \[−R, R\] the first and the last line go on.
//!
//! The bound |a| + |b| ≤ 1 is kept by powers of two, which cost no digits: heads of one neuron have the same
//! ⟨p, v⟩, and nothing changes if that is computed once.

use super::activation::Activation;
use super::number::{Number, power_above};

/// How activations become sums of ReLUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approximation {
    /// Width δ of the band above 0 in which the slope of a ReLU is wrong.
    pub delta: f64,
    /// Straight lines M of a smooth activation.
    pub knots: usize,
    /// They lie between −R and R.
    pub reach: f64,
}

impl Default for Approximation {
    fn default() -> Self {
        Approximation { delta: 1e-4, knots: 32, reach: 4.0 }
    }
}

/// One ReLU of a sum, c·σ(a z + b), as an attention head has it: |a| + |b| ≤ 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relu {
    /// What z is multiplied by.
    pub a: f64,
    /// What is added.
    pub b: f64,
    /// What the ReLU is multiplied by.
    pub c: f64,
}

/// weight · σ(sign · gain · z + shift), with the gain of the whole sum.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    /// 1, −1, or 0 in a constant.
    sign: f64,
    shift: f64,
    weight: f64,
}

/// A sum of ReLUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Relus {
    gain: f64,
    terms: Vec<Term>,
}

fn term(sign: f64, shift: f64, weight: f64) -> Term {
    Term { sign, shift, weight }
}

thread_local! {
    /// ReLUs of straight lines that this thread has written down, for tests here and in other crates.
    #[doc(hidden)]
    pub static WRITTEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Approximation {
    /// ReLUs of the sums for an activation and for its slope; none is the identity.
    pub fn terms(&self, activation: Option<Activation>) -> [u64; 2] {
        match activation {
            None => [2, 1],
            Some(Activation::Relu) => [1, 2],
            Some(_) => [(self.knots as u64).saturating_add(1); 2],
        }
    }

    /// The sum for an activation; none is the identity.
    pub fn value(&self, activation: Option<Activation>) -> Relus {
        match activation {
            None => Relus { gain: 1.0, terms: vec![term(1.0, 0.0, 1.0), term(-1.0, 0.0, -1.0)] },
            Some(Activation::Relu) => Relus { gain: 1.0, terms: vec![term(1.0, 0.0, 1.0)] },
            Some(smooth) => self.lines(|z| smooth.value(z)),
        }
    }

    /// The sum for its slope.
    pub fn slope(&self, activation: Option<Activation>) -> Relus {
        match activation {
            None => Relus { gain: 1.0, terms: vec![term(0.0, 1.0, 1.0)] },
            Some(Activation::Relu) => {
                Relus { gain: 1.0 / self.delta, terms: vec![term(1.0, 0.0, 1.0), term(1.0, -1.0, -1.0)] }
            }
            Some(smooth) => self.lines(|z| smooth.slope(z)),
        }
    }

    /// A bound on |Σ_m c_m σ(a_m z + b_m)| for −`most` ≤ z ≤ `most`, of the sum for an activation.
    ///
    /// # Why
    /// Settings are held against it, those of every run of a sweep one by one, and before anybody has asked for a
    /// transformer. So it is found without the sum: of lines that rise everywhere the largest |value| is at an end, and
    /// between the ends an activation that first falls is no larger than where it turns.
    pub fn largest(&self, activation: Option<Activation>, most: f64) -> f64 {
        match activation {
            None | Some(Activation::Relu) => most,
            Some(smooth) => self.largest_of_lines(smooth.turn(), most, |z| smooth.value(z)),
        }
    }

    /// The same of straight lines between points of `function`, which is at most `turn` where it does not rise.
    fn largest_of_lines(&self, turn: f64, most: f64, function: impl Fn(f64) -> f64) -> f64 {
        if !most.is_finite() {
            return most;
        }
        let line = |z: f64| {
            let m = ((z + self.reach) / self.width()) as usize;
            let m = m.min(self.knots.saturating_sub(1));
            function(self.at(m)) + self.slope_of(m, &function) * (z - self.at(m))
        };
        // The sum has a rounding error of about this size.
        let rounding = self.knots as f64 * f64::EPSILON * (most + self.reach);
        [-most, most].map(|z| line(z).abs()).into_iter().fold(turn, f64::max) + rounding
    }

    /// Point `m` at which lines meet.
    fn at(&self, m: usize) -> f64 {
        -self.reach + 2.0 * self.reach * m as f64 / self.knots as f64
    }

    /// How far apart these points are.
    fn width(&self) -> f64 {
        2.0 * self.reach / self.knots as f64
    }

    /// The slope of the line from point `m` to the next one.
    fn slope_of(&self, m: usize, function: impl Fn(f64) -> f64) -> f64 {
        (function(self.at(m + 1)) - function(self.at(m))) / self.width()
    }

    /// Straight lines between points of `function`.
    fn lines(&self, function: impl Fn(f64) -> f64) -> Relus {
        let (count, at) = (self.knots, |m: usize| self.at(m));
        let slope = |m: usize| self.slope_of(m, &function);
        WRITTEN.set(WRITTEN.get() + count + 1);
        let middle = count / 2;
        let mut terms = vec![term(0.0, 1.0, function(at(middle)))];
        terms.extend((middle..count).map(|m| {
            let before = if m > middle { slope(m - 1) } else { 0.0 };
            term(1.0, -at(m), slope(m) - before)
        }));
        terms.extend((1..=middle).rev().map(|m| {
            let before = if m < middle { slope(m) } else { 0.0 };
            term(-1.0, at(m), before - slope(m - 1))
        }));
        Relus { gain: 1.0, terms }
    }
}

impl Relus {
    /// Number of ReLUs.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// ReLU `m`, with a and b within their bound.
    pub fn relu(&self, m: usize) -> Relu {
        let Term { sign, shift, weight } = self.terms[m];
        let a = sign * self.gain;
        let scale = power_above(a.abs() + shift.abs());
        Relu { a: a / scale, b: shift / scale, c: weight * scale }
    }

    /// The sum at `z`.
    pub fn value(&self, z: f64) -> f64 {
        let mut out = [0.0];
        self.sum(&[self.gain * z], &mut out);
        out[0]
    }

    /// What every head multiplies z by.
    pub(super) fn gain<T: Number>(&self) -> T {
        T::of(self.gain)
    }

    /// The sums at all z, which have been multiplied by the [gain](Relus::gain).
    #[inline]
    pub(super) fn sum<T: Number>(&self, z: &[T], out: &mut [T]) {
        out.fill(T::default());
        for term in &self.terms {
            let (sign, shift, weight) = (T::of(term.sign), T::of(term.shift), T::of(term.weight));
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
        let how = Approximation::default();
        let (same, one) = (how.value(None), how.slope(None));
        let (relu, step) = (how.value(Some(Activation::Relu)), how.slope(Some(Activation::Relu)));
        for z in [-7.3, -1e-9, 0.0, 1.1e-4, 0.4, 6.0, 1e3] {
            assert_eq!(same.value(z), z);
            assert_eq!(one.value(z), 1.0);
            assert_eq!(relu.value(z), z.relu());
            assert_eq!(step.value(z), f64::from(z > 0.0), "{z}");
        }
        // Inside of the band the slope rises.
        assert!((step.value(2.5e-5) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn every_relu_obeys_its_bound_and_loses_no_digit() {
        let how = Approximation { delta: 3e-4, knots: 9, reach: 5.0 };
        let all = [None].into_iter().chain(Activation::ALL.iter().copied().map(Some));
        for activation in all {
            let [value, slope] = how.terms(activation);
            for (sum, count) in [(how.value(activation), value), (how.slope(activation), slope)] {
                assert_eq!(sum.len() as u64, count);
                assert!(!sum.is_empty());
                for m in 0..sum.len() {
                    let Relu { a, b, c } = sum.relu(m);
                    assert!(a.abs() + b.abs() <= 1.0, "{a} {b}");
                    let Term { sign, shift, weight } = sum.terms[m];
                    let z = 0.731;
                    let own = (sign * (sum.gain * z) + shift).relu() * weight;
                    assert_eq!((a * z + b).relu() * c, own, "{activation:?} {m}");
                }
            }
        }
    }

    #[test]
    fn straight_lines_meet_the_function_at_their_ends() {
        for knots in [1, 2, 7, 16] {
            let how = Approximation { knots, ..Approximation::default() };
            for smooth in SMOOTH {
                let (value, slope) = (how.value(Some(smooth)), how.slope(Some(smooth)));
                for m in 0..=knots {
                    let z = -4.0 + 8.0 * m as f64 / knots as f64;
                    assert!((value.value(z) - smooth.value(z)).abs() < 1e-13, "{smooth:?} {knots} {m}");
                    assert!((slope.value(z) - smooth.slope(z)).abs() < 1e-13, "{smooth:?} {knots} {m}");
                }
            }
        }
        // Exactly so at 0.
        let how = Approximation::default();
        assert_eq!(how.value(Some(Activation::Tanh)).value(0.0), 0.0);
        assert_eq!(how.value(Some(Activation::Gelu)).value(0.0), 0.0);
    }

    #[test]
    fn the_error_falls_with_the_square_of_the_number_of_lines() {
        for smooth in SMOOTH {
            let error = |knots: usize, slope: bool| {
                let how = Approximation { knots, ..Approximation::default() };
                let sum = if slope { how.slope(Some(smooth)) } else { how.value(Some(smooth)) };
                let exact = |z: f64| if slope { smooth.slope(z) } else { smooth.value(z) };
                let points = (0..=2000).map(|i| -4.0 + 8.0 * f64::from(i) / 2000.0);
                points.map(|z| (sum.value(z) - exact(z)).abs()).fold(0.0, f64::max)
            };
            for slope in [false, true] {
                let ratio = error(32, slope) / error(128, slope);
                assert!((14.0..18.0).contains(&ratio), "{smooth:?} {ratio}");
            }
        }
    }

    /// The largest |value| of a sum, from all places where two lines meet.
    fn exact(sum: &Relus, most: f64) -> f64 {
        let bent = sum.terms.iter().filter(|term| term.sign != 0.0);
        let bends = bent.map(|term| -term.shift / (term.sign * sum.gain)).filter(|z| z.abs() <= most);
        bends.chain([-most, most]).map(|z| sum.value(z).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn the_bound_on_a_sum_holds_and_is_close() {
        for (knots, reach) in [(1, 4.0), (2, 0.3), (7, 4.0), (32, 1.0), (101, 100.0), (256, 4.0)] {
            let how = Approximation { knots, reach, ..Approximation::default() };
            let all = [None].into_iter().chain(Activation::ALL.iter().copied().map(Some));
            for activation in all {
                let sum = how.value(activation);
                for most in [0.0, 1e-3, 0.2, 0.75, 1.0, 3.99, 4.0, 17.0, 640.0, 1e9] {
                    let (bound, largest) = (how.largest(activation, most), exact(&sum, most));
                    assert!(bound >= largest, "{activation:?} {knots} {reach} {most}: {bound} {largest}");
                    // A GELU may fall to −0.17, which need not lie within such a distance of 0.
                    let room = if activation == Some(Activation::Gelu) { 0.17 } else { 0.0 };
                    let close = largest.max(room) + 1e-12 * (largest + most + reach);
                    assert!(bound <= close, "{activation:?} {knots} {reach} {most}: {bound} {largest}");
                }
                // So that what is held against a limit is over it.
                assert_eq!(how.largest(activation, f64::INFINITY), f64::INFINITY);
                assert!(how.largest(activation, f64::NAN).is_nan());
            }
        }
    }

    #[test]
    fn the_bound_costs_the_same_whatever_the_number_of_lines() {
        for knots in [1, 32, 1024] {
            let (how, asked) = (Approximation { knots, ..Approximation::default() }, Cell::new(0));
            let function = |z: f64| {
                asked.set(asked.get() + 1);
                libm::tanh(z)
            };
            how.largest_of_lines(0.0, 3.0, function);
            assert_eq!(asked.get(), 6, "{knots}");
        }
    }
}
