//! What the kernels have in common: signs, activations, losses, update rules.
//!
//! # Why
//! Sine, and everything else whose precision WebGPU leaves open, is written out, so that devices differ only by
//! rounding. Whether a number is finite is asked of its bits: a shader compiler may assume that there is no NaN.

#![allow(
    missing_docs,
    clippy::assign_op_pattern,
    clippy::collapsible_if,
    clippy::manual_is_multiple_of,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

use cubecl::prelude::*;

use super::plan::Rule;
use vivarium_model::models::Activation;
use vivarium_model::optim::loss::Loss;

/// Numbers at the head of the schedule that hold for the whole launch.
pub const SCHEDULE_HEAD: usize = 24;
/// Numbers of the schedule for each step.
pub const SCHEDULE_STEP: usize = 4;
/// Place in the head of the strength λ of a norm penalty.
pub const PENALTY: usize = 6;
/// Place in the head of the coefficients of the oscillating polynomial, c_0 first.
pub const COEFFICIENTS: usize = 8;

/// A barrier after which every lane sees what the others left in workgroup memory and in buffers.
#[cube]
pub fn barrier() {
    sync_cube();
    sync_storage();
}

/// Bit `at` of `word` as +1 (unset) or −1 (set).
#[cube]
pub fn sign(word: u32, at: u32) -> f32 {
    select((word >> at) & 1u32 == 1u32, -1.0f32, 1.0f32)
}

/// `count` numbers in registers: variables of their own, since not every shader compiler takes an array apart.
#[cube]
pub fn registers(#[comptime] count: usize) -> Sequence<RuntimeCell<f32>> {
    let mut cells = Sequence::<RuntimeCell<f32>>::new();
    #[unroll]
    for _ in 0..count {
        cells.push(RuntimeCell::<f32>::new(0.0f32));
    }
    cells
}

/// `count` indices or words in registers.
#[cube]
pub fn indices(#[comptime] count: usize) -> Sequence<RuntimeCell<usize>> {
    let mut cells = Sequence::<RuntimeCell<usize>>::new();
    #[unroll]
    for _ in 0..count {
        cells.push(RuntimeCell::<usize>::new(0usize));
    }
    cells
}

/// 1 where `value` is infinite or no number, by its bits.
#[cube]
pub fn broken(value: f32) -> f32 {
    select(u32::reinterpret(value) & 2139095040u32 == 2139095040u32, 1.0f32, 0.0f32)
}

/// sin(πt/2) to 4e-7: the argument is folded to [−1, 1], where seven odd Taylor terms suffice.
#[cube]
pub fn quarter_sine(t: f32) -> f32 {
    let r = t - 4.0f32 * f32::floor(t * 0.25f32 + 0.5f32);
    let folded = select(r > 1.0f32, 2.0f32 - r, select(r < -1.0f32, -2.0f32 - r, r));
    let a = folded * 1.570_796_4f32;
    let q = a * a;
    let tail = 1.0f32 / 120.0f32
        + q * (-1.0f32 / 5040.0f32 + q * (1.0f32 / 362_880.0f32 - q * (1.0f32 / 39_916_800.0f32)));
    a * (1.0f32 + q * (-1.0f32 / 6.0f32 + q * tail))
}

/// σ(z) and σ'(z), as [`Activation::value_and_slope`] defines them, kinks included.
#[cube]
pub fn activate(
    z: f32,
    schedule: &[f32],
    #[comptime] activation: Activation,
    #[comptime] degree: usize,
) -> (f32, f32) {
    let mut value = f32::max(z, 0.0f32);
    let mut slope = select(z > 0.0f32, 1.0f32, 0.0f32);
    if comptime!(activation == Activation::Power) {
        value = z;
        slope = 1.0f32;
        #[unroll]
        for _ in 1..degree {
            slope = slope * z;
            value = value * z;
        }
        slope = slope * comptime!(degree as f32);
    }
    if comptime!(activation == Activation::Zigzag) {
        let top = comptime!(degree as f32);
        let segment = f32::max(f32::min(f32::floor((top - z) * 0.5f32), top - 1.0f32), 0.0f32);
        let odd = segment - 2.0f32 * f32::floor(segment * 0.5f32);
        slope = 1.0f32 - 2.0f32 * odd;
        value = slope * (1.0f32 + z - top + 2.0f32 * segment);
    }
    if comptime!(activation == Activation::Wave) {
        let shifted = (z - comptime!((degree % 4) as f32)) * 0.25f32;
        let t = shifted - f32::floor(shifted + 0.5f32);
        value = 1.0f32 - 4.0f32 * f32::abs(t);
        slope = select(t < 0.0f32, 1.0f32, select(t > 0.0f32, -1.0f32, 0.0f32));
    }
    if comptime!(activation == Activation::Oscillating) {
        value = 0.0f32;
        slope = 0.0f32;
        for i in 0..comptime!(degree + 1) {
            slope = slope * z + value;
            value = value * z + schedule[comptime!(COEFFICIENTS + degree) - i];
        }
    }
    if comptime!(activation == Activation::Sine) {
        let t = z - comptime!(((degree + 3) % 4) as f32);
        value = quarter_sine(t);
        slope = 1.570_796_4f32 * quarter_sine(t + 1.0f32);
    }
    (value, slope)
}

/// Loss of a label in {−1, +1} and an output, and the loss's slope in the output.
#[cube]
pub fn loss_and_gradient(label: f32, output: f32, #[comptime] loss: Loss) -> (f32, f32) {
    let margin = label * output;
    let mut value = f32::max(1.0f32 - margin, 0.0f32);
    let mut slope = select(margin < 1.0f32, -label, 0.0f32);
    if comptime!(loss == Loss::Square) {
        let error = output - label;
        value = error * error;
        slope = 2.0f32 * error;
    }
    if comptime!(loss == Loss::CrossEntropy) {
        let small = f32::exp(-f32::abs(margin));
        value = f32::max(-margin, 0.0f32) + f32::ln(1.0f32 + small);
        slope = -label * select(margin > 0.0f32, small, 1.0f32) / (1.0f32 + small);
    }
    if comptime!(loss == Loss::Correlation) {
        value = -margin;
        slope = -label;
    }
    (value, slope)
}

/// What an answer counts in the accuracy, as [`vivarium_model::optim::accuracy::accuracy_credit`] defines it.
#[cube]
pub fn credit(label: f32, output: f32) -> f32 {
    let margin = label * output;
    select(margin > 0.0f32, 1.0f32, select(margin == 0.0f32, 0.5f32, 0.0f32))
}

/// What gradient `g` makes of the number at `at`, whose moments, `stride` and twice `stride` further on, it moves. λ is
/// `decay`, and a decoupled decay leaves `keep` of the number; the rest is as in [`update()`].
#[cube]
fn moved(
    state: &mut [f32],
    at: usize,
    stride: usize,
    g: f32,
    decay: f32,
    keep: f32,
    schedule: &[f32],
    head: usize,
    row: usize,
    #[comptime] rule: Rule,
) -> f32 {
    let w = state[at];
    let push = g + decay * w;
    let rate = schedule[row];
    if comptime!(rule == Rule::Adam) {
        let first = schedule[head + 1usize] * state[at + stride] + schedule[head + 2usize] * push;
        let second =
            schedule[head + 3usize] * state[at + 2usize * stride] + schedule[head + 4usize] * push * push;
        state[at + stride] = first;
        state[at + 2usize * stride] = second;
        let size = f32::sqrt(second / schedule[row + 1usize]) + schedule[head + 5usize];
        keep * w - rate * first / size
    } else if comptime!(rule == Rule::Lion) {
        let mean = state[at + stride];
        let mixed = schedule[head + 1usize] * mean + schedule[head + 2usize] * push;
        state[at + stride] = schedule[head + 3usize] * mean + schedule[head + 4usize] * push;
        // What is no number has no sign, and stays none.
        let sign = select(mixed > 0.0f32, 1.0f32, select(mixed < 0.0f32, -1.0f32, broken(mixed) * mixed));
        keep * w - rate * sign
    } else {
        let mut step = push;
        if comptime!(rule == Rule::Sgd { momentum: true } || rule == Rule::Nesterov) {
            step = schedule[head + 1usize] * state[at + stride] + push;
            state[at + stride] = step;
        }
        if comptime!(rule == Rule::Nesterov) {
            step = push + schedule[head + 1usize] * step;
        }
        w - rate * step
    }
}

/// As [`update()`], of a number on which weight decay pulls or not; its new value.
#[cube]
pub fn update_where(
    state: &mut [f32],
    at: usize,
    stride: usize,
    g: f32,
    decays: bool,
    schedule: &[f32],
    head: usize,
    row: usize,
    #[comptime] rule: Rule,
) -> f32 {
    let decay = select(decays, schedule[head], 0.0f32);
    let mut keep = 1.0f32;
    if comptime!(rule.decouples()) {
        keep = select(decays, schedule[row + 2usize], 1.0f32);
    }
    let value = moved(state, at, stride, g, decay, keep, schedule, head, row, rule);
    state[at] = value;
    value
}

/// Applies gradient `g` to the number at `at`, whose moments lie `stride` and twice `stride` further on.
///
/// The schedule's head, at `head`, holds λ of a coupled decay, then μ, or β₁, 1 − β₁, β₂, 1 − β₂ and ε; its `row` holds
/// the rate, divided by Adam's first correction; Adam's second correction; what a decoupled decay leaves.
#[cube]
pub fn update(
    state: &mut [f32],
    at: usize,
    stride: usize,
    g: f32,
    schedule: &[f32],
    head: usize,
    row: usize,
    #[comptime] rule: Rule,
) {
    let decay = schedule[head];
    let mut keep = 1.0f32;
    if comptime!(rule.decouples()) {
        keep = schedule[row + 2usize];
    }
    let value = moved(state, at, stride, g, decay, keep, schedule, head, row, rule);
    state[at] = value;
}
