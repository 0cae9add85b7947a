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
//! (50,3)-parity, batch 32, plain SGD, fresh data, on one core of a two-core server, 2026-11-21, steps/s, medians
//! of `lab bench` and `cargo xtask bench --web`:
//!
//! ```text
//! width                      10       100     1000
//! this, natively (AVX2)      600,000  125,000 14,600
//! flex under autodiff         24,500   17,200  3,400
//! this, in Chromium                    59,400
//! flex, in Chromium                    12,500
//! TensorFlow.js 4.22, wasm              2,870         and 593 on its cpu backend
//! ```

mod replica;
mod tables;
#[cfg(test)]
mod tests;
mod units;
mod update;

pub use replica::{Replica, Scratch, Sums};
pub use tables::Patterns;
pub use units::{loss_gradient, measured_loss};
pub use update::Update;
pub use vivarium_operators::simd::{LANES, Row};
