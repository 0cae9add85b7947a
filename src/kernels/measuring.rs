//! Loss and accuracy of many snapshots at once on examples that are not trained on.

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

use super::forward::{forward, output};
use super::pieces::{broken, lose, sign};
use super::plan::{Head, Plan};

/// Measures snapshot `CUBE_POS_Z` of replica `CUBE_POS_Y` on chunk `CUBE_POS_X` of the examples, which are
/// `chunk` blocks of 32. The sums of the chunks are added up on the host, in order.
///
/// The plan must be one for blocks of 32. `states` is `[snapshots, replicas, state]`; `data` holds for each block of 32 examples a word for every input
/// and one for the labels, and `own` words further on those of the next replica, or of all if `own` is 0.
/// `measures` takes loss, right answers, broken outputs and `nonce`, `[snapshots, replicas, chunks, 4]`.
#[cube(launch_unchecked)]
pub fn measure(
    states: &[f32],
    scratch: &mut [f32],
    measures: &mut [f32],
    schedule: &[f32],
    data: &[u32],
    own: u32,
    chunk: u32,
    examples: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (n, block) = comptime!((net.inputs, plan.block));
    let lane = UNIT_POS as usize;
    let replicas = CUBE_COUNT_Y as usize;
    let replica = CUBE_POS_Y as usize;
    let base = (CUBE_POS_Z as usize * replicas + replica) * comptime!(net.state());
    let mut words = Shared::<[u32]>::new_slice(comptime!(n + 1));
    let mut totals = Shared::<[f32]>::new_slice(96usize);
    let mut sums = Shared::<[f32]>::new_slice(comptime!(plan.block * plan.sums_stride()));
    let mut hidden =
        Shared::<[f32]>::new_slice(comptime!(if plan.hidden_in_workgroup { plan.hidden() } else { 1 }));
    let mut total_loss = 0.0f32;
    let mut total_right = 0.0f32;
    let mut total_broken = 0.0f32;
    for b in 0..chunk as usize {
        let which = CUBE_POS_X as usize * chunk as usize + b;
        // The same for the whole workgroup, so the barriers inside are met by all lanes or by none.
        if which * 32 < examples as usize {
            let from = replica * own as usize + which * comptime!(n + 1);
            let mut i = lane;
            while i <= n {
                words[i] = data[from + i];
                i += comptime!(plan.lanes);
            }
            sync_cube();
            forward(
                states,
                base,
                &words,
                0,
                &mut hidden,
                scratch,
                0,
                &mut sums,
                schedule,
                comptime!(net.head == Head::Product),
                plan,
            );
            sync_cube();
            if lane < block {
                let valid = which * 32 + lane < examples as usize;
                let f = output(states, base, &hidden, &sums, lane, plan);
                let label = sign(words[n] >> (lane as u32), 0u32);
                let (loss, _slope) = lose(label, f, net.loss);
                total_loss += select(valid, loss, 0.0f32);
                total_right += select(valid && f * label > 0.0f32, 1.0f32, 0.0f32);
                total_broken += select(valid, broken(f), 0.0f32);
            }
            sync_cube();
        }
    }
    if lane < block {
        totals[lane] = total_loss;
        totals[32 + lane] = total_right;
        totals[64 + lane] = total_broken;
    }
    sync_cube();
    let to = ((CUBE_POS_Z as usize * replicas + replica) * CUBE_COUNT_X as usize + CUBE_POS_X as usize) * 4;
    if lane < 3 {
        let mut total = 0.0f32;
        for e in 0..block {
            total += totals[lane * 32 + e];
        }
        measures[to + lane] = total;
    }
    if lane == 3 {
        measures[to + 3] = f32::cast_from(nonce);
    }
}
