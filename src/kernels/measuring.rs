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
use super::pieces::{broken, credit, loss_and_gradient, sign};
use super::plan::{Head, Plan};
use super::shape::{MEASURED_FIELDS, shape};

/// One line of the table: a network with the examples that it is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Line {
    /// Where its state lies in a snapshot.
    pub state: usize,
    /// Inputs, width and columns.
    pub shape: [usize; 3],
    /// Where the examples lie, how many blocks of 32 are a part, and how many examples there are.
    pub data: usize,
    pub chunk: usize,
    pub examples: usize,
}

impl Line {
    /// As the kernel reads it.
    pub fn words(&self) -> [u32; MEASURED_FIELDS] {
        let [inputs, width, columns] = self.shape;
        [self.state, inputs, width, columns, self.data, self.chunk, self.examples, 0].map(|n| n as u32)
    }
}

/// Measures snapshot `CUBE_POS_Z` of the network of line `CUBE_POS_Y` of the table, a [`Line`], on its part number
/// `CUBE_POS_X` of examples. The sums of the parts are added up on the host, in order.
///
/// The plan must be one for blocks of 32. `states` is `[snapshots, across]`; `data` holds for each block of 32
/// examples a word for every input and one for the labels, and no part has more than `most` blocks.
/// `measures` takes loss, right answers, broken outputs and `nonce`, `[snapshots, lines, parts, 4]`.
#[cube(launch_unchecked)]
pub fn measure(
    states: &[f32],
    scratch: &mut [f32],
    measures: &mut [f32],
    schedule: &[f32],
    data: &[u32],
    table: &[u32],
    across: u32,
    most: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let block = comptime!(plan.block);
    let lane = UNIT_POS as usize;
    let line = CUBE_POS_Y as usize * comptime!(MEASURED_FIELDS);
    let shape = shape(table, line, plan);
    let n = shape.inputs;
    let base = CUBE_POS_Z as usize * across as usize + table[line] as usize;
    let first = table[line + 4] as usize;
    let chunk = table[line + 5] as usize;
    let examples = table[line + 6] as usize;
    let mut words = Shared::<[u32]>::new_slice(comptime!(net.inputs + 1));
    let mut totals = Shared::<[f32]>::new_slice(96usize);
    let mut sums = Shared::<[f32]>::new_slice(comptime!(plan.block * plan.sums_stride()));
    let mut hidden =
        Shared::<[f32]>::new_slice(comptime!(if plan.hidden_in_workgroup { plan.hidden() } else { 1 }));
    let mut total_loss = 0.0f32;
    let mut total_right = 0.0f32;
    let mut total_broken = 0.0f32;
    for b in 0..most as usize {
        let which = CUBE_POS_X as usize * chunk + b;
        let inside = b < chunk && which * 32 < examples;
        if inside {
            let from = first + which * (n + 1);
            let mut i = lane;
            while i <= n {
                words[i] = data[from + i];
                i += comptime!(plan.lanes);
            }
        }
        sync_cube();
        if inside {
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
                &shape,
                comptime!(net.head == Head::Product),
                plan,
            );
        }
        sync_cube();
        if inside && lane < block {
            let valid = which * 32 + lane < examples;
            let f = output(states, base, &hidden, &sums, lane, &shape, plan);
            let label = sign(words[n] >> (lane as u32), 0u32);
            let (loss, _slope) = loss_and_gradient(label, f, net.loss);
            total_loss += select(valid, loss, 0.0f32);
            total_right += select(valid, credit(label, f), 0.0f32);
            total_broken += select(valid, broken(f), 0.0f32);
        }
        sync_cube();
    }
    if lane < block {
        totals[lane] = total_loss;
        totals[32 + lane] = total_right;
        totals[64 + lane] = total_broken;
    }
    sync_cube();
    let lines = CUBE_COUNT_Y as usize;
    let at = CUBE_POS_Z as usize * lines + CUBE_POS_Y as usize;
    let to = (at * CUBE_COUNT_X as usize + CUBE_POS_X as usize) * 4;
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
