//! The smallest model, forward and backward, for the sequence of a workgroup.
//!
//! ```text
//! L[q, l] = Σ_{s≤q, x_s = l} v_{q−s}      Z = L Wᵀ      f[p, i] = Σ_{q≤p, x_q = i} Z[q, x_p]
//! ```

use cubecl::prelude::*;

use super::pieces::{barrier, loss_and_gradient, put};
use super::plan::{LANES, Plan};
use crate::pieces::broken;

/// Leaves L, Z and logits, each `[length, symbols]`, in the workgroup's slice of `work`.
#[cube]
pub fn forward(
    state: &[f32],
    base: usize,
    work: &mut [f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    #[comptime] plan: Plan,
) {
    let (t, k) = comptime!((plan.network.length, plan.network.symbols));
    let [counts, rated, _, _, logits] = comptime!(plan.backward_places());
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * k) {
        let q = at / k;
        let l = (at % k) as u32;
        let mut sum = 0.0f32;
        for s in 0..q + 1 {
            sum += select(symbols[s] == l, state[base + comptime!(k * k) + q - s], 0.0f32);
        }
        work[work_at + counts + at] = sum;
        at += LANES;
    }
    barrier();
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * k) {
        let q = at / k;
        let m = at % k;
        let mut sum = 0.0f32;
        for l in 0..k {
            sum += work[work_at + counts + q * k + l] * state[base + m * k + l];
        }
        work[work_at + rated + at] = sum;
        at += LANES;
    }
    barrier();
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * k) {
        let p = at / k;
        let i = (at % k) as u32;
        let now = symbols[p] as usize;
        let mut sum = 0.0f32;
        for q in 0..p + 1 {
            sum += select(symbols[q] == i, work[work_at + rated + q * k + now], 0.0f32);
        }
        work[work_at + logits + at] = sum;
        at += LANES;
    }
    barrier();
}

/// What the logits lose, with ∂loss/∂logits in their place: loss, right answers and broken losses of the lane's rows.
#[cube]
pub fn read_out(
    work: &mut [f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    #[comptime] plan: Plan,
) -> (f32, f32, f32) {
    let (t, k) = comptime!((plan.network.length, plan.network.symbols));
    let at = work_at + comptime!(plan.backward_places()[4]);
    let mut loss = 0.0f32;
    let mut right = 0.0f32;
    let mut wrong = 0.0f32;
    let mut i = UNIT_POS as usize;
    while i < t {
        let mut logits = Array::<f32>::new(k);
        #[unroll]
        for s in 0..k {
            logits[s] = work[at + i * k + s];
        }
        let (position_loss, ahead) = loss_and_gradient(&mut logits, symbols[i + 1] as usize, plan);
        loss += position_loss;
        right += ahead;
        wrong += broken(position_loss);
        #[unroll]
        for s in 0..k {
            work[at + i * k + s] = logits[s];
        }
        i += LANES;
    }
    barrier();
    (loss, right, wrong)
}

/// All gradients of the sequence, to `gradients` from `to` on; `first` begins them.
#[cube]
pub fn backward(
    state: &[f32],
    base: usize,
    work: &mut [f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    gradients: &mut [f32],
    to: usize,
    first: bool,
    #[comptime] plan: Plan,
) {
    let (t, k) = comptime!((plan.network.length, plan.network.symbols));
    let [counts, rated, back, _, logits] = comptime!(plan.backward_places());
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * k) {
        let q = at / k;
        let m = (at % k) as u32;
        let then = symbols[q] as usize;
        let mut sum = 0.0f32;
        for p in q..t {
            sum += select(symbols[p] == m, work[work_at + logits + p * k + then], 0.0f32);
        }
        work[work_at + back + at] = sum;
        at += LANES;
    }
    barrier();
    let mut at = UNIT_POS as usize;
    while at < comptime!(k * k) {
        let mut sum = 0.0f32;
        for q in 0..t {
            sum += work[work_at + back + q * k + at / k] * work[work_at + counts + q * k + at % k];
        }
        put(gradients, to + at, sum, first, plan);
        at += LANES;
    }
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * k) {
        let mut sum = 0.0f32;
        for m in 0..k {
            sum += work[work_at + back + at / k * k + m] * state[base + m * k + at % k];
        }
        // Z is not needed any more.
        work[work_at + rated + at] = sum;
        at += LANES;
    }
    barrier();
    let mut distance = UNIT_POS as usize;
    while distance < t {
        let mut sum = 0.0f32;
        for q in distance..t {
            sum += work[work_at + rated + q * k + symbols[q - distance] as usize];
        }
        put(gradients, to + comptime!(k * k) + distance, sum, first, plan);
        distance += LANES;
    }
    barrier();
}
