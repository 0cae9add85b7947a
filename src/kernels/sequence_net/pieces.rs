//! What both kinds of networks are made of: barriers, products, softmax.

use cubecl::prelude::*;

use super::plan::{LANES, Plan};
pub use crate::pieces::barrier;

/// The upper 32 bits of a product, from 16-bit halves.
#[cube]
pub fn high(word: u32, bound: u32) -> u32 {
    let a = word >> 16u32;
    let b = word & 65535u32;
    let c = bound >> 16u32;
    let d = bound & 65535u32;
    let upper = a * d;
    let lower = b * c;
    let middle = ((b * d) >> 16u32) + (upper & 65535u32) + (lower & 65535u32);
    a * c + (upper >> 16u32) + (lower >> 16u32) + (middle >> 16u32)
}

/// Adds `value` to a gradient, or begins it.
#[cube]
pub fn put(gradients: &mut [f32], at: usize, value: f32, first: bool, #[comptime] plan: Plan) {
    let mut sum = value;
    if comptime!(plan.rounds() > 1) {
        if !first {
            sum += gradients[at];
        }
    }
    gradients[at] = sum;
}

/// `count` products of the rows at `left`, `[length, inner]`, with matrices one after the other from `matrices` on, each
/// `[inner, columns]`; what comes out lies one after the other from `to` on. With gains the rows are multiplied by those
/// at `gain` first.
#[cube]
pub fn project(
    work: &mut [f32],
    left: usize,
    to: usize,
    numbers: &[f32],
    matrices: usize,
    gain: usize,
    #[comptime] gains: bool,
    #[comptime] add: bool,
    #[comptime] count: usize,
    #[comptime] size: (usize, usize, usize),
) {
    let (length, inner, columns) = comptime!(size);
    let mut at = UNIT_POS as usize;
    while at < comptime!(length * columns) {
        let row = at / columns;
        let column = at % columns;
        let mut sums = Array::<f32>::new(count);
        #[unroll]
        for m in 0..count {
            sums[m] = 0.0f32;
            if comptime!(add) {
                sums[m] = work[to + m * comptime!(length * columns) + at];
            }
        }
        for a in 0..inner {
            let mut value = work[left + row * inner + a];
            if comptime!(gains) {
                value *= numbers[gain + a];
            }
            #[unroll]
            for m in 0..count {
                sums[m] += value * numbers[matrices + m * comptime!(inner * columns) + a * columns + column];
            }
        }
        #[unroll]
        for m in 0..count {
            work[to + m * comptime!(length * columns) + at] = sums[m];
        }
        at += LANES;
    }
}

/// Gradients of `count` matrices `[rows, columns]`: at `left` is what they were multiplied with, `[length, rows]`, and
/// from `right` on, one after the other, is what came back, `[length, columns]`.
#[cube]
pub fn outer(
    work: &[f32],
    left: usize,
    right: usize,
    gradients: &mut [f32],
    to: usize,
    numbers: &[f32],
    gain: usize,
    first: bool,
    #[comptime] gains: bool,
    #[comptime] count: usize,
    #[comptime] size: (usize, usize, usize),
    #[comptime] plan: Plan,
) {
    let (length, rows, columns) = comptime!(size);
    let mut at = UNIT_POS as usize;
    while at < comptime!(rows * columns) {
        let row = at / columns;
        let column = at % columns;
        let mut sums = Array::<f32>::new(count);
        #[unroll]
        for m in 0..count {
            sums[m] = 0.0f32;
        }
        for i in 0..length {
            let value = work[left + i * rows + row];
            #[unroll]
            for m in 0..count {
                sums[m] += value * work[right + m * comptime!(length * columns) + i * columns + column];
            }
        }
        let mut scale = 1.0f32;
        if comptime!(gains) {
            scale = numbers[gain + row];
        }
        #[unroll]
        for m in 0..count {
            put(gradients, to + m * comptime!(rows * columns) + at, sums[m] * scale, first, plan);
        }
        at += LANES;
    }
}

/// Cross-entropy of the logits and ∂loss/∂logits in their place, divided by all positions of the batch; whether the
/// label's is the largest.
#[cube]
pub fn loss_and_gradient(logits: &mut Array<f32>, label: usize, #[comptime] plan: Plan) -> (f32, f32) {
    let k = comptime!(plan.network.symbols);
    let mut right = 0.0f32;
    let mut other = f32::new(-3.4e38);
    #[unroll]
    for s in 0..k {
        let is_label = s == label;
        right = select(is_label, logits[s], right);
        other = select(is_label, other, f32::max(other, logits[s]));
    }
    let top = f32::max(right, other);
    let mut sum = 0.0f32;
    #[unroll]
    for s in 0..k {
        let p = f32::exp(logits[s] - top);
        logits[s] = p;
        sum += p;
    }
    let share = comptime!(1.0 / (plan.network.length * plan.network.batch) as f32);
    let scale = share / sum;
    #[unroll]
    for s in 0..k {
        let slope = logits[s] * scale;
        logits[s] = select(s == label, slope - share, slope);
    }
    (f32::ln(sum) + top - right, select(right > other, 1.0f32, 0.0f32))
}
