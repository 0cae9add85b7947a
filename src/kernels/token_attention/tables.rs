//! The table of scores where it is no parameter itself: how it is made of parameters and codes, and how its gradient goes
//! back to them.
//!
//! A lane makes one number of each; what they need of each other lies between launches.

use cubecl::prelude::*;

use super::forward::weight;
use super::plan::Plan;
use crate::prompt_layout::LANES;
use crate::prompt_nets::LINE;

/// Ω̂W, or Ω̂Q and Ω̂K one after the other: number `CUBE_POS_X`·lanes + lane of the network of line `CUBE_POS_Y`.
#[cube(launch_unchecked)]
pub fn expand_all(state: &[f32], tables: &mut [f32], table: &[u32], #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (heads, features, depth) = comptime!((net.heads, net.features(), net.depth()));
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let base = table[line * LINE] as usize * comptime!(net.state());
    if at < comptime!(net.score_parameters() * heads * features * depth) {
        let column = at % depth;
        let feature = at / depth % features;
        // Heads of the first parameter, then those of the second.
        let head = at / comptime!(features * depth);
        let from = base + comptime!(net.scores()) + head * comptime!(net.read() * depth) + column;
        let dense = comptime!(net.dense());
        let mut sum = 0.0f32;
        if comptime!(net.one_hot) {
            sum = weight(feature, plan) * state[from + feature * depth];
        } else {
            if feature < dense {
                sum = state[from + feature * depth];
            } else {
                let block = (feature - dense) / comptime!(net.prompts.length);
                let code = base
                    + (feature - dense) % comptime!(net.prompts.length) * comptime!(net.prompts.code_dim);
                let first = from + (dense + block * comptime!(net.prompts.code_dim)) * depth;
                for e in 0..comptime!(net.prompts.code_dim) {
                    sum += state[code + e] * state[first + e * depth];
                }
                sum *= comptime!(net.prompts.factor());
            }
        }
        tables[line * comptime!(net.tables().end) + at] = sum;
    }
}

/// The table itself.
#[cube(launch_unchecked)]
pub fn table_all(state: &[f32], tables: &mut [f32], table: &[u32], #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (heads, features, depth) = comptime!((net.heads, net.features(), net.depth()));
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let base = table[line * LINE] as usize * comptime!(net.state());
    let own = line * comptime!(net.tables().end);
    if at < comptime!(heads * features * features) {
        let column = at % features;
        let left = own + at / features * depth;
        let mut sum = 0.0f32;
        if comptime!(net.keys > 0) {
            let head = at / comptime!(features * features);
            let right = own + comptime!(net.tables().right) + (head * features + column) * depth;
            for c in 0..depth {
                sum += tables[left + c] * tables[right + c];
            }
            sum *= comptime!(1.0 / (net.keys as f32).sqrt());
        } else {
            let dense = comptime!(net.dense());
            if column < dense {
                sum = tables[left + column];
            } else {
                let block = (column - dense) / comptime!(net.prompts.length);
                let code =
                    base + (column - dense) % comptime!(net.prompts.length) * comptime!(net.prompts.code_dim);
                let first = left + dense + block * comptime!(net.prompts.code_dim);
                for e in 0..comptime!(net.prompts.code_dim) {
                    sum += tables[first + e] * state[code + e];
                }
                sum *= comptime!(net.prompts.factor());
            }
        }
        tables[own + comptime!(net.tables().table) + at] = sum;
    }
}

/// The gradient of the number of the table in row `row` and column `column` of `head`, from all prompts of a step in
/// their order.
#[cube]
pub fn gathered(
    spread: &[f32],
    prompts: &[u32],
    line: usize,
    lines: usize,
    step: usize,
    head: usize,
    row: usize,
    column: usize,
    #[comptime] plan: Plan,
) -> f32 {
    let net = comptime!(plan.network);
    let (n, dense, features, batch) = comptime!((net.prompts.length, net.dense(), net.features(), net.batch));
    let block = (row - select(row < dense, 0, dense)) / n;
    let name = (row - select(row < dense, 0, dense)) % n;
    let is_listed = row >= comptime!(net.dense() + net.prompts.length);
    // A number's row lies behind those of the positions.
    let single = select(row < dense, n + row, name);
    let each = comptime!(net.heads * (n + dense) * features);
    let mut from =
        line * comptime!(net.batch * net.spread()) + head * comptime!((n + dense) * features) + column;
    let mut list = ((step * lines + line) * batch) * comptime!(net.prompts.listed_words())
        + comptime!(net.prompts.words())
        + (block - select(is_listed, 1, block)) * comptime!(2 * net.prompts.length + 1);
    let mut sum = 0.0f32;
    for _ in 0..batch {
        if is_listed {
            let mut at = prompts[list + name] as usize;
            let end = prompts[list + name + 1] as usize;
            while at < end {
                sum += spread[from + prompts[list + n + 1 + at] as usize * features];
                at += 1;
            }
        } else {
            sum += spread[from + single * features];
        }
        from += each;
        list += comptime!(net.prompts.listed_words());
    }
    sum
}

/// ∂loss/∂ of the table, in its place.
#[cube(launch_unchecked)]
pub fn gather_all(tables: &mut [f32], spread: &[f32], prompts: &[u32], step: u32, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (heads, features) = comptime!((net.heads, net.features()));
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    if at < comptime!(heads * features * features) {
        let head = at / comptime!(features * features);
        let (row, column) = (at / features % features, at % features);
        let lines = CUBE_COUNT_Y as usize;
        let g = gathered(spread, prompts, line, lines, step as usize, head, row, column, plan);
        tables[line * comptime!(net.tables().end) + comptime!(net.tables().table) + at] = g;
    }
}

/// ∂loss/∂ of Ω̂W, or of Ω̂Q and Ω̂K one after the other.
#[cube(launch_unchecked)]
pub fn contract_all(state: &[f32], tables: &mut [f32], table: &[u32], #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (heads, features, depth) = comptime!((net.heads, net.features(), net.depth()));
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let base = table[line * LINE] as usize * comptime!(net.state());
    let own = line * comptime!(net.tables().end);
    let slopes = own + comptime!(net.tables().table);
    let size = comptime!(heads * features * depth);
    if at < comptime!(net.score_parameters() * size) {
        let column = at % depth;
        let feature = at / depth % features;
        let head = at / comptime!(features * depth) % heads;
        let begin = slopes + head * comptime!(features * features);
        let mut sum = 0.0f32;
        if comptime!(net.keys > 0) {
            // Of a row of the table with what keys give, or of a column with what queries give.
            let is_left = at < size;
            let stride = select(is_left, 1, features);
            let mut from = begin + feature * select(is_left, features, 1);
            let mut other = own
                + select(is_left, comptime!(net.tables().right), 0)
                + head * comptime!(features * depth)
                + column;
            for _ in 0..features {
                sum += tables[from] * tables[other];
                from += stride;
                other += depth;
            }
            sum *= comptime!(1.0 / (net.keys as f32).sqrt());
        } else {
            let dense = comptime!(net.dense());
            let row = begin + feature * features;
            if column < dense {
                sum = tables[row + column];
            } else {
                let block = (column - dense) / comptime!(net.prompts.code_dim);
                let code = base + (column - dense) % comptime!(net.prompts.code_dim);
                let first = row + dense + block * comptime!(net.prompts.length);
                for r in 0..comptime!(net.prompts.length) {
                    sum += tables[first + r] * state[code + r * comptime!(net.prompts.code_dim)];
                }
                sum *= comptime!(net.prompts.factor());
            }
        }
        tables[own + comptime!(net.tables().left_slope) + at] = sum;
    }
}

/// The gradient of number `at` of the parameters of scores, from [`contract_all()`].
#[cube]
pub fn contracted(
    state: &[f32],
    base: usize,
    tables: &[f32],
    own: usize,
    at: usize,
    #[comptime] plan: Plan,
) -> f32 {
    let net = comptime!(plan.network);
    let (features, depth, read) = comptime!((net.features(), net.depth(), net.read()));
    let dense = comptime!(net.dense());
    let column = at % depth;
    let which = at / depth % read;
    let head = at / comptime!(read * depth);
    let begin = own + comptime!(net.tables().left_slope) + head * comptime!(features * depth) + column;
    let mut sum = 0.0f32;
    if comptime!(net.one_hot) {
        sum = weight(which, plan) * tables[begin + which * depth];
    } else {
        if which < dense {
            sum = tables[begin + which * depth];
        } else {
            let block = (which - dense) / comptime!(net.prompts.code_dim);
            let code = base + (which - dense) % comptime!(net.prompts.code_dim);
            let first = begin + (dense + block * comptime!(net.prompts.length)) * depth;
            for p in 0..comptime!(net.prompts.length) {
                sum += tables[first + p * depth] * state[code + p * comptime!(net.prompts.code_dim)];
            }
            sum *= comptime!(net.prompts.factor());
        }
    }
    sum
}
