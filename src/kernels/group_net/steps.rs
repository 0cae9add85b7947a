//! The kernels: whole steps by one workgroup per replica, or each phase of a step by many.

#![expect(clippy::manual_is_multiple_of, reason = "a kernel has no such function")]

use cubecl::prelude::*;

use super::neurons::learn;
use super::outputs::answer;
use super::plan::Plan;
use super::{FIELDS, NO_RECORD};
use crate::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP};

/// Numbers of a line of the table: the network among all, where its run's schedule begins, and where its pairs do.
pub const LINE: usize = 3;

/// Trains the network of line `CUBE_POS` for `steps` steps.
///
/// `state` is `[networks, state]`, `slopes` `[networks, order², order]`, zero where a pair is absent; `measures`
/// takes, before each recorded step, `[records, lines, tiles, fields]` from number `record` on, and with
/// `proof` before the last one too. With `look` the weights after the last step are measured. `row` is the first
/// step's in the schedules.
#[cube(launch_unchecked)]
pub fn train(
    state: &mut [f32],
    slopes: &mut [f32],
    measures: &mut [f32],
    schedule: &[f32],
    data: &[u32],
    table: &[u32],
    row: u32,
    steps: u32,
    look: u32,
    record: u32,
    first_due: u32,
    every: u32,
    proof: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let line = CUBE_POS;
    let network = table[line * LINE] as usize;
    let head = table[line * LINE + 1] as usize;
    let pairs = table[line * LINE + 2] as usize;
    let base = network * comptime!(plan.network.state());
    let to = network * comptime!(plan.network.slopes());
    let lanes = comptime!(plan.lanes());
    let mut room = Shared::<[f32]>::new_slice(comptime!(plan.words()));
    let mut place = record as usize;
    for s in 0..(steps + look) {
        let last = proof == 1u32 && s + 1u32 == steps + look;
        let due = last || s >= first_due && (s - first_due) % every == 0u32;
        let row = head + comptime!(SCHEDULE_HEAD) + (row + s) as usize * comptime!(SCHEDULE_STEP);
        let at = (place * CUBE_COUNT + line) * comptime!(plan.measures() * FIELDS);
        for tile in 0..comptime!(plan.output_tiles()) {
            answer(
                &*state, base, slopes, to, data, pairs, &mut room, tile, measures, at, due, nonce, lanes,
                plan,
            );
        }
        sync_storage();
        for tile in 0..comptime!(plan.neuron_tiles()) {
            learn(
                state,
                base,
                &*slopes,
                to,
                &mut room,
                tile,
                schedule,
                head,
                row,
                s < steps,
                measures,
                at,
                due,
                nonce,
                lanes,
                plan,
            );
        }
        sync_storage();
        if due {
            place += 1;
        }
    }
}

/// The first phase of a step, for tile `CUBE_POS_X` of the pairs of the network of line `CUBE_POS_Y`; buffers as for
/// [`train()`]. Measures if there is a `record` to be written.
#[cube(launch_unchecked)]
pub fn answer_all(
    state: &[f32],
    slopes: &mut [f32],
    measures: &mut [f32],
    data: &[u32],
    table: &[u32],
    record: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let line = CUBE_POS_Y as usize;
    let network = table[line * LINE] as usize;
    let pairs = table[line * LINE + 2] as usize;
    let base = network * comptime!(plan.network.state());
    let to = network * comptime!(plan.network.slopes());
    let lanes = comptime!(plan.output_lanes());
    let mut room = Shared::<[f32]>::new_slice(comptime!(plan.outputs.words()));
    let due = record != NO_RECORD;
    let at = (record as usize * CUBE_COUNT_Y as usize + line) * comptime!(plan.measures() * FIELDS);
    answer(
        state,
        base,
        slopes,
        to,
        data,
        pairs,
        &mut room,
        CUBE_POS_X as usize,
        measures,
        at,
        due,
        nonce,
        lanes,
        plan,
    );
}

/// The second phase, for tile `CUBE_POS_X` of the neurons of the network of line `CUBE_POS_Y`, as step number `step` of
/// its schedule.
#[cube(launch_unchecked)]
pub fn learn_all(
    state: &mut [f32],
    slopes: &[f32],
    measures: &mut [f32],
    schedule: &[f32],
    table: &[u32],
    step: u32,
    apply: u32,
    record: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let line = CUBE_POS_Y as usize;
    let network = table[line * LINE] as usize;
    let head = table[line * LINE + 1] as usize;
    let base = network * comptime!(plan.network.state());
    let from = network * comptime!(plan.network.slopes());
    let lanes = comptime!(plan.neuron_lanes());
    let mut room = Shared::<[f32]>::new_slice(comptime!(plan.neurons.words(plan.network.order)));
    let due = record != NO_RECORD;
    let at = (record as usize * CUBE_COUNT_Y as usize + line) * comptime!(plan.measures() * FIELDS);
    let row = head + comptime!(SCHEDULE_HEAD) + step as usize * comptime!(SCHEDULE_STEP);
    learn(
        state,
        base,
        slopes,
        from,
        &mut room,
        CUBE_POS_X as usize,
        schedule,
        head,
        row,
        apply == 1u32,
        measures,
        at,
        due,
        nonce,
        lanes,
        plan,
    );
}
