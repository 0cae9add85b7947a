//! The kernels: prompts as the network sees them, a layer forward, errors, a layer back, and the update of a layer. A lane
//! makes number `CUBE_POS_X`·lanes + lane of the network of line `CUBE_POS_Y`.
//!
//! `state` is `[networks, state]`, `table` `[lines, LINE]`, `work` `[lines, work]`, with places in it as in
//! [`Plan`].

use cubecl::prelude::*;

use super::plan::Plan;
use crate::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP, update_where};
use crate::prompt_layout::LANES;
use crate::prompt_nets::{FIELDS, LINE, NO_RECORD, measure};

/// Where a prompt begins: number `row` behind the `first` of those that the line's field `field` names, or with no field
/// of those that are trained on, of which `first` is the step.
#[cube]
fn prompt(
    table: &[u32],
    line: usize,
    lines: usize,
    field: u32,
    first: u32,
    row: usize,
    #[comptime] plan: Plan,
) -> usize {
    let net = comptime!(plan.network);
    // Field 0 is the number of the network, which is not used then.
    let named = table[line * LINE + field as usize] as usize + first as usize;
    let trained = (first as usize * lines + line) * comptime!(net.batch);
    (select(field == 0u32, trained, named) + row) * comptime!(net.prompts.words())
}

/// Prompts as the network sees them: `rows` of `prompts`, `[prompts, words]`, from those of [`prompt()`] on.
#[cube(launch_unchecked)]
pub fn encode_all(
    state: &[f32],
    prompts: &[u32],
    table: &[u32],
    work: &mut [f32],
    field: u32,
    first: u32,
    rows: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, d, encoded, inputs) =
        comptime!((net.prompts.length, net.prompts.dim, net.encoded(), net.sizes[0]));
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let base = table[line * LINE] as usize * comptime!(net.state());
    if at < rows as usize * inputs {
        let from = prompt(table, line, CUBE_COUNT_Y as usize, field, first, at / inputs, plan);
        let i = at % inputs / encoded;
        let c = at % inputs % encoded;
        let to = line * comptime!(plan.work()) + at;
        if c < d {
            work[to] = f32::reinterpret(prompts[from + i * d + c]);
        } else {
            let block = (c - d) / comptime!(net.prompts.code_dim);
            let which = (c - d) % comptime!(net.prompts.code_dim);
            let mut name = i;
            if block > 0 {
                name = prompts[from + (d + block) * n + i] as usize;
            }
            work[to] = comptime!(net.prompts.factor())
                * state[base + name * comptime!(net.prompts.code_dim) + which];
        }
    }
}

/// What a layer of `inputs` by `outputs` with weights at `weights` gives for the rows at `from`, to `to`.
#[cube(launch_unchecked)]
pub fn layer_all(
    state: &[f32],
    table: &[u32],
    work: &mut [f32],
    inputs: u32,
    outputs: u32,
    weights: u32,
    from: u32,
    to: u32,
    rows: u32,
    is_hidden: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let own = line * comptime!(plan.work());
    let base = table[line * LINE] as usize * comptime!(net.state()) + weights as usize;
    let (inputs, outputs) = (inputs as usize, outputs as usize);
    if at < rows as usize * outputs {
        let unit = at % outputs;
        let row = own + from as usize + at / outputs * inputs;
        let mut weight = base + unit;
        let mut sum = state[base + inputs * outputs + unit];
        for f in 0..inputs {
            sum += work[row + f] * state[weight];
            weight += outputs;
        }
        work[own + to as usize + at] = select(is_hidden == 1u32, f32::max(sum, 0.0f32), sum);
    }
}

/// The errors of prompt `CUBE_POS_X` of the rows, and ∂loss/∂outputs in the place of the outputs. Where `at` is no record,
/// `measures` takes nothing; else from there on, `[lines, count, 3]`, of prompt number `begin` and those behind it sums of
/// squared errors and broken outputs, and `nonce`.
#[cube(launch_unchecked)]
pub fn error_all(
    prompts: &[u32],
    table: &[u32],
    work: &mut [f32],
    measures: &mut [f32],
    field: u32,
    first: u32,
    begin: u32,
    count: u32,
    at: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let n = comptime!(net.prompts.length);
    let scale = comptime!(2.0 / (net.batch as f32 * net.prompts.length as f32));
    let lane = UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let row = CUBE_POS_X as usize;
    let mut errors = Shared::<[f32]>::new_slice(n);
    if lane < n {
        let from = prompt(table, line, CUBE_COUNT_Y as usize, field, first, row, plan);
        let place = line * comptime!(plan.work()) + comptime!(plan.values(net.depth)) + row * n + lane;
        let error = work[place]
            - f32::reinterpret(prompts[from + comptime!(net.prompts.length * net.prompts.dim) + lane]);
        errors[lane] = error;
        work[place] = scale * error;
    }
    sync_cube();
    if at != NO_RECORD {
        let to = at as usize + (line * count as usize + begin as usize + row) * FIELDS;
        measure(&errors, measures, to, nonce, n);
    }
}

/// ∂loss/∂ what the layer below gives before its ReLU, to `to`: `slopes` is ∂loss/∂ what this one gives, and `hidden` what
/// it reads.
#[cube(launch_unchecked)]
pub fn back_all(
    state: &[f32],
    table: &[u32],
    work: &mut [f32],
    inputs: u32,
    outputs: u32,
    weights: u32,
    hidden: u32,
    slopes: u32,
    to: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let at = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let own = line * comptime!(plan.work());
    let base = table[line * LINE] as usize * comptime!(net.state()) + weights as usize;
    let (inputs, outputs) = (inputs as usize, outputs as usize);
    if at < comptime!(net.batch) * inputs {
        let slope = own + slopes as usize + at / inputs * outputs;
        let weight = base + at % inputs * outputs;
        let mut sum = 0.0f32;
        for unit in 0..outputs {
            sum += work[slope + unit] * state[weight + unit];
        }
        let is_active = work[own + hidden as usize + at] > 0.0f32;
        work[own + to as usize + at] = select(is_active, sum, 0.0f32);
    }
}

/// Sums the gradients of a layer over the prompts, in their order, and applies them as row `step` of the line's schedule
/// says. With `proof`, `measures` takes `nonce` at `at` and further on, one for each workgroup.
#[cube(launch_unchecked)]
pub fn update_all(
    state: &mut [f32],
    table: &[u32],
    work: &[f32],
    schedule: &[f32],
    measures: &mut [f32],
    inputs: u32,
    outputs: u32,
    weights: u32,
    from: u32,
    slopes: u32,
    weights_decay: u32,
    bias_decays: u32,
    step: u32,
    proof: u32,
    at: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let which = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let own = line * comptime!(plan.work());
    let base = table[line * LINE] as usize * comptime!(net.state()) + weights as usize;
    let head = table[line * LINE + 3] as usize;
    let row = head + comptime!(SCHEDULE_HEAD) + step as usize * comptime!(SCHEDULE_STEP);
    let (inputs, outputs) = (inputs as usize, outputs as usize);
    if which < (inputs + 1) * outputs {
        let is_weight = which < inputs * outputs;
        let mut slope = own + slopes as usize + which % outputs;
        let mut value = own + from as usize + which / outputs;
        let mut g = 0.0f32;
        for _ in 0..comptime!(net.batch) {
            // Behind the last input there is none.
            let input = if is_weight { work[value] } else { f32::new(1.0) };
            g += input * work[slope];
            slope += outputs;
            value += inputs;
        }
        let decays = select(is_weight, weights_decay, bias_decays) == 1u32;
        let parameters = comptime!(net.parameters());
        update_where(state, base + which, parameters, g, decays, schedule, head, row, comptime!(net.rule));
    }
    if proof == 1u32 && UNIT_POS == 0u32 {
        measures[at as usize + CUBE_POS] = f32::cast_from(nonce);
    }
}
