//! A row of lanes.

use std::ops::{Add, Mul, Sub};

/// Numbers of a row. Sixteen are four vectors of wasm, and one of AVX-512.
pub const LANES: usize = 16;

/// One number for each lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// Zero in every lane.
    pub const ZERO: Row = Row([0.0; LANES]);

    /// `f` of each lane.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f32) -> f32) -> Row {
        Row(std::array::from_fn(|l| f(self.0[l])))
    }

    /// `f` of two rows, lane by lane.
    #[inline(always)]
    pub fn zip(self, other: Row, f: impl Fn(f32, f32) -> f32) -> Row {
        Row(std::array::from_fn(|l| f(self.0[l], other.0[l])))
    }

    /// The sum over lanes, halving, so that the order does not depend on the vectors' width.
    #[inline(always)]
    pub fn sum(mut self) -> f32 {
        let mut half = LANES / 2;
        while half > 0 {
            for l in 0..half {
                self.0[l] += self.0[l + half];
            }
            half /= 2;
        }
        self.0[0]
    }
}

impl Add for Row {
    type Output = Row;
    #[inline(always)]
    fn add(self, other: Row) -> Row {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Row {
    type Output = Row;
    #[inline(always)]
    fn sub(self, other: Row) -> Row {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul<f32> for Row {
    type Output = Row;
    #[inline(always)]
    fn mul(self, by: f32) -> Row {
        self.map(|a| a * by)
    }
}
