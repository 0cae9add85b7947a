//! Forward: scores from the table, softmax, heads and the MLP, for the prompt of a workgroup.

use cubecl::prelude::*;

use super::plan::Plan;
use crate::pieces::barrier;
use crate::prompt_layout::LANES;

/// What no score is below.
const LEAST: f32 = -3.4e38;

/// Reads the names of the prompt that begins at `from`: behind the positions themselves, which stand for their own codes,
/// `[blocks, length]`.
#[cube]
pub fn read_names(prompts: &[u32], from: usize, names: &mut Shared<[u32]>, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let begin = from + comptime!(net.prompts.length * (net.prompts.dim + 1));
    let mut at = UNIT_POS as usize;
    while at < comptime!(net.prompts.length * (net.prompts.names + 1)) {
        if at < net.prompts.length {
            names[at] = at as u32;
        } else {
            names[at] = prompts[begin + at - net.prompts.length];
        }
        at += LANES;
    }
}

/// Number `c` of token `j` of the prompt that begins at `from`.
#[cube]
pub fn token(prompts: &[u32], from: usize, j: usize, c: usize, #[comptime] plan: Plan) -> f32 {
    f32::reinterpret(prompts[from + j * comptime!(plan.network.prompts.dim) + c])
}

/// Component `c` of value `j`.
#[cube]
pub fn value(
    work: &[f32],
    work_at: usize,
    prompts: &[u32],
    from: usize,
    j: usize,
    c: usize,
    #[comptime] plan: Plan,
) -> f32 {
    if comptime!(plan.network.tokens) {
        work[work_at + j * comptime!(plan.network.value()) + c]
    } else {
        token(prompts, from, j, c, plan)
    }
}

/// What stands in the table of `head` in the row and column of two features.
#[cube]
fn entry(
    state: &[f32],
    base: usize,
    tables: &[f32],
    tables_at: usize,
    head: usize,
    row: usize,
    column: usize,
    #[comptime] plan: Plan,
) -> f32 {
    let net = comptime!(plan.network);
    let at = (head * comptime!(net.features()) + row) * comptime!(net.features()) + column;
    if comptime!(net.direct()) {
        let one = state[base + comptime!(net.scores()) + at];
        one * weight(row, plan) * weight(column, plan)
    } else {
        tables[tables_at + comptime!(net.tables().table) + at]
    }
}

/// By what a feature of one-hot codes is multiplied.
#[cube]
pub fn weight(feature: usize, #[comptime] plan: Plan) -> f32 {
    if comptime!(plan.network.all) {
        select(feature < comptime!(plan.network.dense()), 1.0f32, comptime!(plan.network.prompts.factor()))
    } else {
        comptime!(plan.network.prompts.factor()).runtime()
    }
}

/// Leaves attention in the first block of the prompt's slice of `spread`, from `spread_at` on, and in the workgroup's
/// slice of `work`, from `work_at` on, what heads give and hidden units before the ReLU.
#[cube]
pub fn forward(
    state: &[f32],
    base: usize,
    tables: &[f32],
    tables_at: usize,
    prompts: &[u32],
    from: usize,
    names: &Shared<[u32]>,
    work: &mut [f32],
    work_at: usize,
    spread: &mut [f32],
    spread_at: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, heads, inner, m) = comptime!((net.prompts.length, net.heads, net.inner(), net.width));
    let places = comptime!(plan.work());
    if comptime!(net.tokens) {
        encode(state, base, prompts, from, names, work, work_at, plan);
    }
    if comptime!(net.all) {
        numbers(state, base, tables, tables_at, prompts, from, names, work, work_at, plan);
    }
    if comptime!(net.tokens || net.all) {
        barrier();
    }
    scores(state, base, tables, tables_at, prompts, from, names, &*work, work_at, spread, spread_at, plan);
    barrier();
    softmax(spread, spread_at, plan);
    barrier();
    // What the heads give.
    let mut at = UNIT_POS as usize;
    while at < comptime!(n * inner) {
        let c = at % comptime!(net.value());
        let head = at / comptime!(net.value()) % heads;
        let i = at / inner;
        let shares = spread_at
            + (head * comptime!(n + net.dense()) + i) * comptime!(net.features())
            + comptime!(net.dense());
        let mut sum = 0.0f32;
        for j in 0..n {
            sum += spread[shares + j] * value(&*work, work_at, prompts, from, j, c, plan);
        }
        work[work_at + comptime!(places.head) + at] = sum;
        at += LANES;
    }
    barrier();
    // Hidden units.
    let mut at = UNIT_POS as usize;
    while at < comptime!(n * m) {
        let unit = at % m;
        let from = work_at + comptime!(places.head) + at / m * inner;
        let mut sum = state[base + comptime!(net.mlp()[1]) + unit];
        for f in 0..inner {
            sum += work[from + f] * state[base + comptime!(net.mlp()[0]) + f * m + unit];
        }
        work[work_at + comptime!(places.hidden) + at] = sum;
        at += LANES;
    }
    barrier();
}

/// Whole tokens as values: numbers, then the codes of the position and of those that it names.
#[cube]
fn encode(
    state: &[f32],
    base: usize,
    prompts: &[u32],
    from: usize,
    names: &Shared<[u32]>,
    work: &mut [f32],
    work_at: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, d, value) = comptime!((net.prompts.length, net.prompts.dim, net.value()));
    let mut at = UNIT_POS as usize;
    while at < comptime!(n * value) {
        let j = at / value;
        let c = at % value;
        if c < d {
            work[work_at + at] = token(prompts, from, j, c, plan);
        } else {
            let block = (c - d) / comptime!(net.prompts.code_dim);
            let which = (c - d) % comptime!(net.prompts.code_dim);
            let name = names[block * n + j] as usize;
            work[work_at + at] = comptime!(net.prompts.factor())
                * state[base + name * comptime!(net.prompts.code_dim) + which];
        }
        at += LANES;
    }
}

/// What scores make of the tokens' numbers: for each head, position and number c first Σ_f T\[f, c\] over the features f of
/// the position, then Σ_f T\[c, f\] over those that are no numbers.
#[cube]
fn numbers(
    state: &[f32],
    base: usize,
    tables: &[f32],
    tables_at: usize,
    prompts: &[u32],
    from: usize,
    names: &Shared<[u32]>,
    work: &mut [f32],
    work_at: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, heads, dense) = comptime!((net.prompts.length, net.heads, net.dense()));
    let mut at = UNIT_POS as usize;
    while at < comptime!(2 * heads * n * dense) {
        let c = at % dense;
        let i = at / dense % n;
        let head = at / comptime!(dense * n) % heads;
        let by_columns = at < comptime!(heads * n * dense);
        let mut sum = 0.0f32;
        if by_columns {
            for e in 0..dense {
                sum += token(prompts, from, i, e, plan)
                    * entry(state, base, tables, tables_at, head, e, c, plan);
            }
        }
        for block in 0..comptime!(net.prompts.names + 1) {
            let code = dense + block * n + names[block * n + i] as usize;
            let row = select(by_columns, code, c);
            let column = select(by_columns, c, code);
            sum += entry(state, base, tables, tables_at, head, row, column, plan);
        }
        work[work_at + comptime!(plan.work().numbers) + at] = sum;
        at += LANES;
    }
}

/// The scores of all pairs of positions.
#[cube]
fn scores(
    state: &[f32],
    base: usize,
    tables: &[f32],
    tables_at: usize,
    prompts: &[u32],
    from: usize,
    names: &Shared<[u32]>,
    work: &[f32],
    work_at: usize,
    spread: &mut [f32],
    spread_at: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, heads, dense) = comptime!((net.prompts.length, net.heads, net.dense()));
    let mut at = UNIT_POS as usize;
    while at < comptime!(heads * n * n) {
        let j = at % n;
        let i = at / n % n;
        let head = at / comptime!(n * n);
        let mut score = 0.0f32;
        #[unroll]
        for a in 0..comptime!(net.prompts.names + 1) {
            let row = dense + a * n + names[a * n + i] as usize;
            #[unroll]
            for b in 0..comptime!(net.prompts.names + 1) {
                let column = dense + b * n + names[b * n + j] as usize;
                score += entry(state, base, tables, tables_at, head, row, column, plan);
            }
        }
        if comptime!(net.all) {
            let columns = work_at + comptime!(plan.work().numbers) + (head * n + i) * dense;
            let rows = work_at + comptime!(plan.work().numbers) + ((heads + head) * n + j) * dense;
            for c in 0..dense {
                score += work[columns + c] * token(prompts, from, j, c, plan)
                    + token(prompts, from, i, c, plan) * work[rows + c];
            }
        }
        spread[spread_at + (head * comptime!(n + net.dense()) + i) * comptime!(net.features()) + dense + j] =
            score;
        at += LANES;
    }
}

/// Attention in the place of scores.
#[cube]
fn softmax(spread: &mut [f32], spread_at: usize, #[comptime] plan: Plan) {
    let net = comptime!(plan.network);
    let (n, heads) = comptime!((net.prompts.length, net.heads));
    let mut at = UNIT_POS as usize;
    while at < comptime!(heads * n) {
        let row = spread_at
            + (at / n * comptime!(n + net.dense()) + at % n) * comptime!(net.features())
            + comptime!(net.dense());
        let mut top = f32::new(LEAST);
        for j in 0..n {
            top = f32::max(top, spread[row + j]);
        }
        let mut total = 0.0f32;
        for j in 0..n {
            let share = f32::exp(spread[row + j] - top);
            spread[row + j] = share;
            total += share;
        }
        let inverse = 1.0f32 / total;
        for j in 0..n {
            spread[row + j] *= inverse;
        }
        at += LANES;
    }
}

/// The error ŷ − y of each position, which its lane leaves in `errors`; all lanes meet at its end.
#[cube]
pub fn answer(
    state: &[f32],
    base: usize,
    prompts: &[u32],
    from: usize,
    work: &[f32],
    work_at: usize,
    room: &mut Shared<[f32]>,
    errors: &mut Shared<[f32]>,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, m) = comptime!((net.prompts.length, net.width));
    let parts = comptime!(plan.parts(net.prompts.length));
    let lane = UNIT_POS as usize;
    if lane < comptime!(n * parts) {
        let hidden = work_at + comptime!(plan.work().hidden) + lane / parts * m;
        let mut sum = 0.0f32;
        let mut unit = lane % parts;
        while unit < m {
            sum += f32::max(work[hidden + unit], 0.0f32) * state[base + comptime!(net.mlp()[2]) + unit];
            unit += parts;
        }
        room[lane] = sum;
    }
    sync_cube();
    if lane < n {
        let mut output = state[base + comptime!(net.mlp()[3])];
        for part in 0..parts {
            output += room[lane * parts + part];
        }
        errors[lane] = output - f32::reinterpret(prompts[from + comptime!(n * net.prompts.dim) + lane]);
    }
    sync_cube();
}
