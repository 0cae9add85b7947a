//! The kernels: the gradients of a batch, a workgroup to a prompt; their sum and the update; and the errors on prompts that
//! are not trained on.

use cubecl::prelude::*;

use super::backward::backward;
use super::forward::{answer, forward, read_names, weight};
use super::plan::Plan;
use super::tables::{contracted, gathered};
use crate::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP, barrier, broken, update_where};
use crate::prompt_layout::LANES;
use crate::prompt_nets::{FIELDS, LINE, NO_RECORD, measure};

/// The gradients of step number `step` of those in `prompts`, by group `CUBE_POS_X` of the network of line `CUBE_POS_Y`.
///
/// `state` is `[networks, state]`, `tables` `[lines, tables]`, `prompts` `[steps, lines, batch, words]`, `work` `[lines,
/// groups, work]`, `spread` `[lines, batch, spread]`. If there is a `record` to be written, `measures`, `[records, lines,
/// groups, 3]`, takes sums of squared errors and broken outputs, and `nonce`.
#[cube(launch_unchecked)]
pub fn gradient_all(
    state: &[f32],
    tables: &[f32],
    prompts: &[u32],
    table: &[u32],
    work: &mut [f32],
    spread: &mut [f32],
    measures: &mut [f32],
    step: u32,
    record: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, batch) = comptime!((net.prompts.length, net.batch));
    let lane = UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let group = CUBE_POS_X as usize;
    let place = line * comptime!(plan.groups) + group;
    let base = table[line * LINE] as usize * comptime!(net.state());
    let own = line * comptime!(net.tables().end);
    let work_at = place * comptime!(plan.work().end);
    let mut names = Shared::<[u32]>::new_slice(comptime!(net.prompts.length * (net.prompts.names + 1)));
    let mut room = Shared::<[f32]>::new_slice(comptime!(2 * LANES));
    let mut errors = Shared::<[f32]>::new_slice(n);
    let mut loss = 0.0f32;
    let mut wrong = 0.0f32;
    let mut made = 0u32;
    for round in 0..comptime!(plan.rounds()) {
        let example = group + round * comptime!(plan.groups);
        // The same for the whole workgroup, so the barriers inside are met by all lanes or by none.
        if example < batch {
            let from = ((step as usize * CUBE_COUNT_Y as usize + line) * batch + example)
                * comptime!(net.prompts.listed_words());
            let to = (line * batch + example) * comptime!(net.spread());
            read_names(prompts, from, &mut names, plan);
            sync_cube();
            forward(state, base, tables, own, prompts, from, &names, work, work_at, spread, to, plan);
            answer(state, base, prompts, from, &*work, work_at, &mut room, &mut errors, plan);
            if lane < n {
                loss += errors[lane] * errors[lane];
                wrong += broken(errors[lane]);
            }
            backward(
                state,
                base,
                prompts,
                from,
                work,
                work_at,
                spread,
                to,
                &mut room,
                &errors,
                round == 0,
                plan,
            );
        }
        made += 1u32;
    }
    if record != NO_RECORD {
        room[lane] = loss;
        room[LANES + lane] = wrong;
        sync_cube();
        let at = (record as usize * CUBE_COUNT_Y as usize * comptime!(plan.groups) + place) * FIELDS;
        if lane < 2 {
            let mut total = 0.0f32;
            for i in 0..n {
                total += room[lane * LANES + i];
            }
            measures[at + lane] = total;
        }
        // Some compilers end a loop that turns too often; then there is no proof.
        if lane == 2 && made == comptime!(plan.rounds() as u32) {
            measures[at + 2] = f32::cast_from(nonce);
        }
    }
}

/// Errors on the network's own prompts in `prompts`, of which field `field` of its line names the first, from number
/// `begin` on, `turns` for each group.
///
/// `answers` takes, from `at` on, `[lines, count, 3]`: sums of squared errors and broken outputs of each prompt, and
/// `nonce`.
#[cube(launch_unchecked)]
pub fn answer_all(
    state: &[f32],
    tables: &[f32],
    prompts: &[u32],
    table: &[u32],
    work: &mut [f32],
    spread: &mut [f32],
    answers: &mut [f32],
    field: u32,
    begin: u32,
    turns: u32,
    count: u32,
    at: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let n = comptime!(net.prompts.length);
    let line = CUBE_POS_Y as usize;
    let group = CUBE_POS_X as usize;
    let base = table[line * LINE] as usize * comptime!(net.state());
    let first = table[line * LINE + field as usize] as usize;
    let own = line * comptime!(net.tables().end);
    let work_at = (line * comptime!(plan.groups) + group) * comptime!(plan.work().end);
    // Any of the prompts that are trained on leaves room.
    let to = (line * comptime!(net.batch) + group) * comptime!(net.spread());
    let mut names = Shared::<[u32]>::new_slice(comptime!(net.prompts.length * (net.prompts.names + 1)));
    let mut room = Shared::<[f32]>::new_slice(LANES);
    let mut errors = Shared::<[f32]>::new_slice(n);
    for turn in 0..turns {
        let prompt = (begin + turn * CUBE_COUNT_X + CUBE_POS_X) as usize;
        if prompt < count as usize {
            let from = (first + prompt) * comptime!(net.prompts.words());
            read_names(prompts, from, &mut names, plan);
            sync_cube();
            forward(state, base, tables, own, prompts, from, &names, work, work_at, spread, to, plan);
            answer(state, base, prompts, from, &*work, work_at, &mut room, &mut errors, plan);
            let place = at as usize + (line * count as usize + prompt) * FIELDS;
            measure(&errors, answers, place, nonce, n);
            barrier();
        }
    }
}

/// Sums the gradients of each parameter of the network of line `CUBE_POS_Y` in a fixed order, and applies them as row `row`
/// of its schedule says: the first workgroups take the parameters of scores, the others those of the MLP.
///
/// With `proof`, `measures` takes `nonce` at `at` and further on, one for each workgroup.
#[cube(launch_unchecked)]
pub fn update_all(
    state: &mut [f32],
    slopes: &[f32],
    prompts: &[u32],
    work: &[f32],
    schedule: &[f32],
    table: &[u32],
    measures: &mut [f32],
    step: u32,
    proof: u32,
    at: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (parameters, score_size) = comptime!((net.parameters(), net.score_size()));
    let line = CUBE_POS_Y as usize;
    let lines = CUBE_COUNT_Y as usize;
    let base = table[line * LINE] as usize * comptime!(net.state());
    let head = table[line * LINE + 3] as usize;
    let row = head + comptime!(SCHEDULE_HEAD) + step as usize * comptime!(SCHEDULE_STEP);
    let score_groups = comptime!(plan.score_groups());
    if (CUBE_POS_X as usize) < score_groups {
        let which = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
        if which < comptime!(net.score_parameters() * net.score_size()) {
            let g = if comptime!(net.direct()) {
                let features = comptime!(net.features());
                let (column, feature) = (which % features, which / features % features);
                let head = which / comptime!(net.features() * net.features());
                gathered(slopes, prompts, line, lines, step as usize, head, feature, column, plan)
                    * weight(feature, plan)
                    * weight(column, plan)
            } else {
                contracted(&*state, base, slopes, line * comptime!(net.tables().end), which, plan)
            };
            let mut decays = comptime!(net.decays[1]).runtime();
            if comptime!(net.keys > 0) {
                decays = select(which < score_size, decays, comptime!(net.decays[2]).runtime());
            }
            let place = base + comptime!(net.scores()) + which;
            update_where(state, place, parameters, g, decays, schedule, head, row, comptime!(net.rule));
        }
    } else {
        let which = (CUBE_POS_X as usize - score_groups) * LANES + UNIT_POS as usize;
        if which < comptime!(net.mlp_size()) {
            let mut from =
                line * comptime!(plan.groups * plan.work().end) + comptime!(plan.work().gradient) + which;
            let mut g = 0.0f32;
            for _ in 0..comptime!(plan.groups) {
                g += work[from];
                from += comptime!(plan.work().end);
            }
            let first = comptime!(net.score_parameters() + 1);
            let weights = comptime!(net.inner() * net.width);
            let decays = select(
                which < weights,
                comptime!(net.decays[first]).runtime(),
                select(
                    which < comptime!(weights + net.width),
                    comptime!(net.decays[first + 1]).runtime(),
                    select(
                        which < comptime!(weights + 2 * net.width),
                        comptime!(net.decays[first + 2]).runtime(),
                        comptime!(net.decays[first + 3]).runtime(),
                    ),
                ),
            );
            let place = base + comptime!(net.mlp()[0]) + which;
            update_where(state, place, parameters, g, decays, schedule, head, row, comptime!(net.rule));
        }
    }
    if proof == 1u32 && UNIT_POS == 0u32 {
        measures[at as usize + CUBE_POS] = f32::cast_from(nonce);
    }
}
