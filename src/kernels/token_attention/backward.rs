//! The way back: gradients of the MLP, and ∂loss/∂scores added up by columns of the table.

use cubecl::prelude::*;

use super::forward::{token, value};
use super::plan::Plan;
use crate::pieces::barrier;
use crate::prompt_layout::LANES;

/// Adds `value` to a gradient, or begins it.
#[cube]
fn put(work: &mut [f32], at: usize, value: f32, first: bool, #[comptime] plan: Plan) {
    let mut sum = value;
    if comptime!(plan.rounds() > 1) {
        if !first {
            sum += work[at];
        }
    }
    work[at] = sum;
}

/// Adds the gradients of the MLP to those at the end of the workgroup's slice of `work`, where `first` begins them, and
/// leaves in the prompt's slice of `spread` for each head, row and feature f the sum of ∂loss/∂score over the columns that
/// have f; for rows that are the tokens' numbers c the sum over rows of these, each times number c of its token.
///
/// `errors` are the positions' ŷ − y, and what `forward` leaves is there.
#[cube]
pub fn backward(
    state: &[f32],
    base: usize,
    prompts: &[u32],
    from: usize,
    work: &mut [f32],
    work_at: usize,
    spread: &mut [f32],
    spread_at: usize,
    room: &mut Shared<[f32]>,
    errors: &Shared<[f32]>,
    first: bool,
    #[comptime] plan: Plan,
) {
    units(state, base, work, work_at, errors, first, plan);
    barrier();
    weights(work, work_at, first, plan);
    slopes(state, base, work, work_at, room, plan);
    barrier();
    means(work, work_at, plan);
    barrier();
    attention(&*work, work_at, prompts, from, spread, spread_at, plan);
    barrier();
    columns(prompts, from, spread, spread_at, plan);
    if comptime!(plan.network.all) {
        barrier();
        rows(prompts, from, spread, spread_at, plan);
    }
    barrier();
}

/// ∂loss/∂z of hidden units in their place, and the gradients of b₁, w₂ and b₂.
#[cube]
fn units(
    state: &[f32],
    base: usize,
    work: &mut [f32],
    work_at: usize,
    errors: &Shared<[f32]>,
    first: bool,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, m) = comptime!((net.prompts.length, net.width));
    let scale = comptime!(2.0 / (net.batch as f32 * net.prompts.length as f32));
    let places = comptime!(plan.work());
    let gradient = work_at + comptime!(places.gradient);
    let mut unit = UNIT_POS as usize;
    while unit < m {
        let second = state[base + comptime!(net.mlp()[2]) + unit];
        let mut bias = 0.0f32;
        let mut weight = 0.0f32;
        for i in 0..n {
            let at = work_at + comptime!(places.hidden) + i * m + unit;
            let z = work[at];
            let slope = scale * errors[i];
            weight += slope * f32::max(z, 0.0f32);
            let back = select(z > 0.0f32, slope * second, 0.0f32);
            bias += back;
            work[at] = back;
        }
        put(work, gradient + comptime!(net.inner() * m) + unit, bias, first, plan);
        put(work, gradient + comptime!((net.inner() + 1) * m) + unit, weight, first, plan);
        unit += LANES;
    }
    if UNIT_POS == 0u32 {
        let mut sum = 0.0f32;
        for i in 0..n {
            sum += scale * errors[i];
        }
        put(work, gradient + comptime!((net.inner() + 2) * m), sum, first, plan);
    }
}

/// The gradient of W₁.
#[cube]
fn weights(work: &mut [f32], work_at: usize, first: bool, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (n, inner, m) = comptime!((net.prompts.length, net.inner(), net.width));
    let places = comptime!(plan.work());
    let mut at = UNIT_POS as usize;
    while at < comptime!(inner * m) {
        let left = work_at + comptime!(places.head) + at / m;
        let right = work_at + comptime!(places.hidden) + at % m;
        let mut sum = 0.0f32;
        for i in 0..n {
            sum += work[left + i * inner] * work[right + i * m];
        }
        put(work, work_at + comptime!(places.gradient) + at, sum, first, plan);
        at += LANES;
    }
}

/// ∂loss/∂ of what the heads give.
#[cube]
fn slopes(
    state: &[f32],
    base: usize,
    work: &mut [f32],
    work_at: usize,
    room: &mut Shared<[f32]>,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, inner, m) = comptime!((net.prompts.length, net.inner(), net.width));
    let parts = comptime!(plan.parts(net.prompts.length * net.inner()));
    let places = comptime!(plan.work());
    let first = base + comptime!(net.mlp()[0]);
    let lane = UNIT_POS as usize;
    if comptime!(parts == 1) {
        let mut at = lane;
        while at < comptime!(n * inner) {
            let hidden = work_at + comptime!(places.hidden) + at / inner * m;
            let weights = first + at % inner * m;
            let mut sum = 0.0f32;
            for unit in 0..m {
                sum += work[hidden + unit] * state[weights + unit];
            }
            work[work_at + comptime!(places.slope) + at] = sum;
            at += LANES;
        }
    } else {
        if lane < comptime!(n * inner * parts) {
            let at = lane / parts;
            let hidden = work_at + comptime!(places.hidden) + at / inner * m;
            let weights = first + at % inner * m;
            let mut sum = 0.0f32;
            let mut unit = lane % parts;
            while unit < m {
                sum += work[hidden + unit] * state[weights + unit];
                unit += parts;
            }
            room[lane] = sum;
        }
        sync_cube();
        if lane < comptime!(n * inner) {
            let mut sum = 0.0f32;
            for part in 0..parts {
                sum += room[lane * parts + part];
            }
            work[work_at + comptime!(places.slope) + lane] = sum;
        }
    }
}

/// Σ_j a_ij ∂loss/∂a_ij of each head and row: the product of what the head gives and ∂loss/∂ of it.
#[cube]
fn means(work: &mut [f32], work_at: usize, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (n, heads, width) = comptime!((net.prompts.length, net.heads, net.value()));
    let places = comptime!(plan.work());
    let mut at = UNIT_POS as usize;
    while at < comptime!(heads * n) {
        let begin = work_at + (at % n * heads + at / n) * width;
        let mut sum = 0.0f32;
        for c in 0..width {
            sum += work[begin + comptime!(places.head) + c] * work[begin + comptime!(places.slope) + c];
        }
        work[work_at + comptime!(places.mean) + at] = sum;
        at += LANES;
    }
}

/// ∂loss/∂scores in the place of attention.
#[cube]
fn attention(
    work: &[f32],
    work_at: usize,
    prompts: &[u32],
    from: usize,
    spread: &mut [f32],
    spread_at: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, heads, width) = comptime!((net.prompts.length, net.heads, net.value()));
    let places = comptime!(plan.work());
    let mut at = UNIT_POS as usize;
    while at < comptime!(heads * n * n) {
        let j = at % n;
        let i = at / n % n;
        let head = at / comptime!(n * n);
        let slopes = work_at + comptime!(places.slope) + (i * heads + head) * width;
        let mut back = f32::new(0.0) - work[work_at + comptime!(places.mean) + head * n + i];
        for c in 0..width {
            back += work[slopes + c] * value(work, work_at, prompts, from, j, c, plan);
        }
        let to = spread_at
            + (head * comptime!(n + net.dense()) + i) * comptime!(net.features())
            + comptime!(net.dense())
            + j;
        spread[to] *= back;
        at += LANES;
    }
}

/// The columns of features other than a position's own code: each is a sum over the positions that have it.
#[cube]
fn columns(prompts: &[u32], from: usize, spread: &mut [f32], spread_at: usize, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (n, heads, dense, features) = comptime!((net.prompts.length, net.heads, net.dense(), net.features()));
    let others = comptime!(net.features() - net.prompts.length);
    let lists = from + comptime!(net.prompts.words());
    let mut at = UNIT_POS as usize;
    while at < comptime!(heads * n * others) {
        let column = at % others;
        let i = at / others % n;
        let head = at / comptime!(n * others);
        let row = spread_at + (head * comptime!(n + net.dense()) + i) * features;
        let mut sum = 0.0f32;
        if column < dense {
            for j in 0..n {
                sum += spread[row + dense + j] * token(prompts, from, j, column, plan);
            }
            spread[row + column] = sum;
        } else {
            let block = (column - dense) / n;
            let list = lists + block * comptime!(2 * net.prompts.length + 1);
            let name = list + (column - dense) % n;
            let mut each = prompts[name] as usize;
            let end = prompts[name + 1] as usize;
            while each < end {
                sum += spread[row + dense + prompts[list + n + 1 + each] as usize];
                each += 1;
            }
            spread[row + n + column] = sum;
        }
        at += LANES;
    }
}

/// The rows of the tokens' numbers.
#[cube]
fn rows(prompts: &[u32], from: usize, spread: &mut [f32], spread_at: usize, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (n, heads, dense, features) = comptime!((net.prompts.length, net.heads, net.dense(), net.features()));
    let mut at = UNIT_POS as usize;
    while at < comptime!(heads * dense * features) {
        let column = at % features;
        let c = at / features % dense;
        let begin = spread_at + at / comptime!(dense * features) * comptime!((n + dense) * features);
        let mut sum = 0.0f32;
        for i in 0..n {
            sum += token(prompts, from, i, c, plan) * spread[begin + i * features + column];
        }
        spread[begin + (n + c) * features + column] = sum;
        at += LANES;
    }
}
