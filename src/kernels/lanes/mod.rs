//! Whole training loops on one processor core: draw, forward, loss, backward and update without a tensor.
//!
//! ```text
//! z = Wx + b      f = uᵀσ(z) + β      d = ∂loss/∂f
//! ∂W = u · Σ x d σ'(z)      ∂b = u · Σ d σ'(z)      ∂u = Σ d σ(z)      ∂β = Σ d
//! ```
//!
//! # Why
//! Inputs are signs, so both large products are sums of rows with signs, and those go by the method of four
//! Russians (Arlazarov, Dinic, Kronrod and Faradzev 1970): for every four rows the sixteen signed sums are
//! tabulated once, and then each example (forward) or each input (backward) adds one row of a table where it
//! would have multiplied and added four. With 50 inputs and a batch of 32 that is less than a fifth of the
//! arithmetic, and no multiplication at all.
//!
//! Units lie in plain arrays, [`LANES`] to a tile, that the compiler turns into vectors of whatever width there
//! is. Only additions, multiplications, divisions, roots and comparisons occur, which IEEE 754 fixes to the last
//! bit; nothing is contracted, since a fused multiplication rounds once where two operations round twice; nothing
//! is summed across lanes but the outputs, and that in a fixed order. So a run has the same bits in every browser
//! and on every processor, which Burn's flex does not promise.
//!
//! The factor u/batch is applied after summing over the examples. Under the hinge loss the sums for piecewise
//! linear σ are then small integers and cancel exactly where they should: Adam would blow a remainder of rounding
//! up to a full step.
//!
//! # Speed
//! (50,3)-parity, width 100, batch 32, plain SGD, fresh data, on one core of a shared two-core server, 2026-11-21,
//! steps/s of processor time: 160,000 to 200,000 natively with AVX2 and 80,000 to 87,000 in wasm with SIMD under
//! V8 (Node 20); by the clock, with the other core busy, 90,000 to 120,000 natively, where flex under autodiff makes
//! 12,000 to 19,300. Adam makes 80,000 to 95,000 and 45,000. Measuring 8,192 examples takes 0.55 to 0.7 ms and
//! 1.1 to 1.3 ms, as much as about a hundred steps.
//!
//! The size of a tile, in steps/s natively and in wasm: 94,000 and 87,000 with 8 units, 199,000 and 66,000 with 16,
//! 85,000 and 46,000 with 32. So it is 8 in wasm and 16 elsewhere; outputs are summed in eight lanes with both, and
//! the bits are the same.
//!
//! Tried and lost: two tiles side by side in measuring, to find the places of both at once; the compiler no longer
//! made vectors of it, and it took ten times as long. Closures around whole non-linearities are not inlined into the
//! code for AVX2 and made the sine four times slower than it is. Optimisation level 2 leaves rows as single
//! numbers: 17,000 steps/s natively.

mod push;
mod replica;
mod tables;
#[cfg(test)]
mod tests;
mod units;

pub use push::Push;
pub use replica::{Replica, Scratch, Sums};
pub use tables::Patterns;

use std::ops::{Add, Mul, Sub};

/// Units in a tile. Sixteen spread the cost of finding a table's row over four vectors of wasm.
pub const LANES: usize = 16;

/// One number for each unit of a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// Nothing in every lane.
    pub const ZERO: Row = Row([0.0; LANES]);

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Row {
        Row(std::array::from_fn(|l| f(self.0[l])))
    }

    /// `f` of two rows, lane by lane.
    #[inline(always)]
    fn zip(self, other: Row, f: impl Fn(f32, f32) -> f32) -> Row {
        Row(std::array::from_fn(|l| f(self.0[l], other.0[l])))
    }

    /// The sum over lanes, halving, so that the order does not depend on the vectors' width.
    #[inline(always)]
    fn sum(mut self) -> f32 {
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
