//! Networks with one hidden layer on bits: all steps of a launch in one workgroup per replica.
//!
//! ```text
//! f(x) = Σ_j u_j σ(z_j) + β   or   f(x) = Π_j z_j,   z = xW + b,   x ∈ {−1, +1}ⁿ
//! ```
//!
//! A step takes its examples in blocks of 32, the bits of one word. For each block, between barriers:
//!
//! 1. forward: each lane a tile of examples × units; partial sums over its units;
//! 2. loss: each of 32 lanes one example, while the others draw the next block;
//! 3. units: each lane a unit, which gives the gradients of u and b and turns z into ∂loss/∂z;
//! 4. backward: each lane a tile of inputs × units of ∂loss/∂W, and the update in place.
//!
//! # Why
//! Products with ±1 are exact, so devices differ only in the order of additions and in the last bit of the few
//! other operations. A lane holds a tile of up to 8 × 4 sums in registers, for which turning a bit into ±1 takes
//! two instructions for four products, and a weight is loaded once for eight; the first prototype took three
//! instructions for each product. W stays in the storage buffer, which the first-level cache holds, so that any
//! width works; only activations and partial sums need workgroup memory, and from width 256 on at batch 32 the
//! activations spill to a scratch buffer too. Five barriers a step are left. The loss needs 32 lanes; the
//! others draw the next batch meanwhile, so that the generator's hundred dependent instructions cost nothing.
//!
//! # Speed
//! A step of (50,3)-parity at width 100 and batch 32 is 0.32 million multiply-adds. At the 1.7 instructions for
//! each that the tiles come to, and with loss and update, it is about 24,000 instructions of 32 lanes, so 6,000
//! cycles of a multiprocessor that issues four a cycle: at most 300,000 steps/s for one replica and 39 million
//! replica-steps/s on the 132 multiprocessors of an NVIDIA H200 at 1.8 GHz. The prototype, with three
//! instructions a product and without these tiles, made 66,400 and 19.1 million there, of which the same count
//! allows 24 million. This kernel has not been timed on a GPU yet, only on two processor cores that simulate
//! one, which says little: 2,300 steps/s at width 100 on llvmpipe, where lanes that wait cost as much as lanes
//! that work (autodiff 380), and 650 in Chromium on SwiftShader (TensorFlow.js on WebGPU 20). 2026-11-21.

#![allow(
    missing_docs,
    clippy::assign_op_pattern,
    clippy::collapsible_if,
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

use cubecl::prelude::*;

use super::drawing::{choose_rows, draw_fresh, drawn, gather_rows};
use super::forward::{barrier, forward, load, output, store};
use super::pieces::{
    SCHEDULE_HEAD, SCHEDULE_STEP, activate, broken, credit, indices, loss_and_gradient, registers, sign,
    update,
};
use super::plan::{Head, Plan};
use super::shape::{FIELDS, Shape, parameters, place_b, place_beta, place_u, shape};

/// Where a step's numbers lie: of its network, of its gradients, of its schedule.
#[derive(CubeType, Clone, Copy)]
struct Place {
    base: usize,
    spill: usize,
    gradients: usize,
    head: usize,
    row: usize,
    /// Numbers from a parameter to its moment.
    stride: usize,
}

/// Adds gradient `g` of parameter `which` to those of the step's other blocks; the last block's is applied.
#[cube]
fn accumulate_or_update(
    state: &mut [f32],
    scratch: &mut [f32],
    which: usize,
    g: f32,
    block: usize,
    schedule: &[f32],
    place: &Place,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let blocks = comptime!(plan.blocks());
    let at = place.base + which;
    let mut sum = g;
    if comptime!(blocks > 1) {
        if block > 0 {
            sum += scratch[place.gradients + which];
        }
        if block < comptime!(blocks - 1) {
            scratch[place.gradients + which] = sum;
        } else {
            update(state, at, place.stride, sum, schedule, place.head, place.row, net.rule);
        }
    } else {
        update(state, at, place.stride, sum, schedule, place.head, place.row, net.rule);
    }
}

/// Trains the network of line `CUBE_POS` of the table, a [`Line`](crate::shape::Line), for `steps` steps.
///
/// `state` holds its weights and moments where the line says; `snapshots` takes them before each recorded step,
/// `[records, across]`, and `measures` the loss, right answers and broken outputs of that step's batch, with
/// `nonce` as proof that this launch wrote them, `[records, lines, 4]`. `data` holds relevant inputs and the rows of
/// finite samples. With `look` the batch after the last step is measured and not trained on.
#[cube(launch_unchecked)]
pub fn train(
    state: &mut [f32],
    scratch: &mut [f32],
    snapshots: &mut [f32],
    measures: &mut [f32],
    schedule: &[f32],
    data: &[u32],
    table: &[u32],
    steps: u32,
    look: u32,
    first_due: u32,
    every: u32,
    across: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let block = comptime!(plan.block);
    // From the words of one block to those of the next.
    let apart = comptime!(net.inputs + 1);
    let lane = UNIT_POS as usize;
    let line = CUBE_POS as usize * comptime!(FIELDS);
    let shape = shape(table, line, plan);
    let n = shape.inputs;
    let h = shape.width;
    let at_u = place_u(&shape);
    let at_b = place_b(&shape, net.head);
    let at_beta = place_beta(&shape, net.head);
    let stride = parameters(&shape, net.head);
    let size = stride * comptime!(1 + net.rule.moments());
    let base = table[line] as usize;
    let spill = table[line + 4] as usize;
    let snapshot = table[line + 5] as usize;
    let head = table[line + 6] as usize;
    let threshold = table[line + 14];
    let relevant = table[line + 15] as usize;
    let bits = table[line + 16] as usize;
    let spilled = if comptime!(plan.hidden_in_workgroup) { 0usize.runtime() } else { block * h };
    // Lanes that have no example to take the loss of draw the next block meanwhile.
    let first = comptime!(if plan.lanes >= 2 * block { block } else { 0 });

    let mut words = Shared::<[u32]>::new_slice(comptime!(2 * apart));
    let mut flips = Shared::<[u32]>::new_slice(64usize);
    let mut visits = Shared::<[u32]>::new_slice(32usize);
    let mut slopes = Shared::<[f32]>::new_slice(32usize);
    let mut totals = Shared::<[f32]>::new_slice(96usize);
    let mut sums = Shared::<[f32]>::new_slice(comptime!(plan.block * plan.sums_stride()));
    let mut hidden =
        Shared::<[f32]>::new_slice(comptime!(if plan.hidden_in_workgroup { plan.hidden() } else { 1 }));

    let mut draw = drawn(table, line);
    let mut half_words = 0usize;
    let mut record = 0usize;
    let mut made = 0u32;
    // The first turn only draws, so that the drawing stands in the kernel once.
    for turn in 0..(steps + look + 1u32) {
        let live = turn > 0u32;
        let s = select(live, turn - 1u32, 0u32);
        let due = live && s >= first_due && (s == steps || (s - first_due) % every == 0u32);
        let row = head + comptime!(SCHEDULE_HEAD) + s as usize * comptime!(SCHEDULE_STEP);
        let place = Place { base, spill, gradients: spill + spilled, head, row, stride };
        if due {
            let to = record * across as usize + snapshot;
            let mut i = lane;
            while i < size {
                snapshots[to + i] = state[base + i];
                i += comptime!(plan.lanes);
            }
        }
        let mut total_loss = 0.0f32;
        let mut total_right = 0.0f32;
        let mut total_broken = 0.0f32;
        for b in 0..select(live, comptime!(plan.blocks()), 1usize) {
            let at = half_words * apart;
            let next_at = (1 - half_words) * apart;
            if live {
                forward(
                    &*state,
                    base,
                    &words,
                    at,
                    &mut hidden,
                    scratch,
                    spill,
                    &mut sums,
                    schedule,
                    &shape,
                    true,
                    plan,
                );
            }
            barrier(plan);
            if live && lane < block {
                let valid = b * 32 + lane < comptime!(net.batch);
                let f = output(&*state, base, &hidden, &sums, lane, &shape, plan);
                let mut word = 0u32;
                if comptime!(net.sample == 0) {
                    for k in 0..bits {
                        word = word ^ words[at + data[relevant + k] as usize];
                    }
                    word = word >> (lane as u32);
                    if comptime!(net.noise) {
                        word = word ^ flips[half_words * 32 + lane];
                    }
                } else {
                    word = words[at + n] >> (lane as u32);
                }
                let label = sign(word, 0u32);
                let (loss, slope) = loss_and_gradient(label, f, net.loss);
                slopes[lane] = select(valid, slope * comptime!(1.0 / net.batch as f32), 0.0f32);
                total_loss += select(valid, loss, 0.0f32);
                total_right += select(valid, credit(label, f), 0.0f32);
                total_broken += select(valid, broken(f), 0.0f32);
            }
            // The block after this one.
            let mut next_block = select(live, b + 1, 0usize);
            if next_block == comptime!(plan.blocks()) {
                next_block = 0;
                draw.step_low = draw.step_low + 1u32;
                if draw.step_low == 0u32 {
                    draw.step_high = draw.step_high + 1u32;
                }
                if comptime!(net.sample > 0) {
                    let after = draw.place + comptime!(net.batch as u32);
                    draw.epoch = draw.epoch + after / draw.size;
                    draw.place = after % draw.size;
                }
            }
            if comptime!(net.sample == 0) {
                draw_fresh(
                    &mut words,
                    next_at,
                    &mut flips,
                    (1 - half_words) * 32,
                    &draw,
                    &shape,
                    next_block,
                    threshold,
                    first,
                    plan,
                );
            } else {
                choose_rows(&mut visits, &draw, next_block, first, plan);
            }
            sync_cube();
            if comptime!(net.sample > 0) {
                gather_rows(&mut words, next_at, &visits, data, &draw, &shape, plan);
            }
            let trains = live && s < steps;
            if trains {
                let mut j = lane;
                while j <= h {
                    if j < h {
                        let mut du = 0.0f32;
                        let mut db = 0.0f32;
                        if comptime!(net.head == Head::Sum) {
                            let u = state[base + at_u + j];
                            for e in 0..block {
                                let z = load(&hidden, &*scratch, spill, e * h + j, plan);
                                let (a, slope) = activate(z, schedule, net.activation, net.degree);
                                let g = slopes[e];
                                let d = g * u * slope;
                                du += g * a;
                                db += d;
                                store(&mut hidden, scratch, spill, e * h + j, d, plan);
                            }
                            if comptime!(net.second_layer) {
                                accumulate_or_update(state, scratch, at_u + j, du, b, schedule, &place, plan);
                            }
                        } else {
                            for e in 0..block {
                                let mut d = slopes[e];
                                for other in 0..h {
                                    d = d * select(other == j, 1.0f32, hidden[e * h + other]);
                                }
                                db += d;
                                hidden[block * h + e * h + j] = d;
                            }
                        }
                        if comptime!(net.hidden_bias) {
                            accumulate_or_update(state, scratch, at_b + j, db, b, schedule, &place, plan);
                        }
                    } else if comptime!(net.head == Head::Sum && net.output_bias) {
                        let mut total = 0.0f32;
                        for e in 0..block {
                            total += slopes[e];
                        }
                        accumulate_or_update(state, scratch, at_beta, total, b, schedule, &place, plan);
                    }
                    j += comptime!(plan.lanes);
                }
            }
            barrier(plan);
            if trains {
                backward(state, &words, at, &hidden, scratch, b, schedule, &shape, &place, plan);
            }
            sync_storage();
            half_words = 1 - half_words;
        }
        made += 1u32;
        if due {
            if lane < block {
                totals[lane] = total_loss;
                totals[32 + lane] = total_right;
                totals[64 + lane] = total_broken;
            }
            sync_cube();
            if lane < 3 {
                let mut total = 0.0f32;
                for e in 0..block {
                    total += totals[lane * 32 + e];
                }
                measures[(record * CUBE_COUNT as usize + CUBE_POS as usize) * 4 + lane] = total;
            }
            record += 1;
            sync_cube();
        }
    }
    // Only a launch that made every step proves it: some compilers end a loop that turns too often.
    if lane == 3 && made == steps + look + 1u32 {
        for r in 0..max(record, 1usize) {
            measures[(r * CUBE_COUNT as usize + CUBE_POS as usize) * 4 + 3] = f32::cast_from(nonce);
        }
    }
}

/// Backward: ∂loss/∂W of the block, tile by tile, and its update.
#[cube]
fn backward(
    state: &mut [f32],
    words: &Shared<[u32]>,
    at: usize,
    hidden: &Shared<[f32]>,
    scratch: &mut [f32],
    block: usize,
    schedule: &[f32],
    shape: &Shape,
    place: &Place,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (tr, tu) = comptime!((plan.rows, plan.units));
    let n = shape.inputs;
    let h = shape.width;
    let columns = shape.columns;
    let groups = comptime!(plan.lanes) / columns;
    let passes = (h + tu * columns - 1) / (tu * columns);
    let row_passes = (n + groups * tr - 1) / (groups * tr);
    // A product keeps its slopes beside the values.
    let slopes =
        if comptime!(net.head == Head::Product) { comptime!(plan.block) * h } else { 0usize.runtime() };
    let lane = UNIT_POS as usize;
    let column = lane % columns;
    let group = lane / columns;
    for row_pass in 0..row_passes {
        let i = (row_pass * groups + group) * tr;
        // Lanes left over by the division belong to no group.
        if group < groups && i < n {
            let bits = indices(tr);
            #[unroll]
            for r in 0..tr {
                bits[r].store(words[at + select(i + r < n, i + r, n - 1)] as usize);
            }
            for pass in 0..passes {
                let g = registers(comptime!(tr * tu));
                let d = registers(tu);
                let unit = indices(tu);
                #[unroll]
                for t in 0..tu {
                    let j = (pass * tu + t) * columns + column;
                    unit[t].store(select(j < h, j, h - 1));
                }
                for e in 0..comptime!(plan.block) {
                    #[unroll]
                    for t in 0..tu {
                        d[t].store(load(
                            hidden,
                            &*scratch,
                            place.spill,
                            slopes + e * h + unit[t].read(),
                            plan,
                        ));
                    }
                    #[unroll]
                    for r in 0..tr {
                        let x = sign(bits[r].read() as u32, e as u32);
                        #[unroll]
                        for t in 0..tu {
                            g[r * tu + t].store(g[r * tu + t].read() + d[t].read() * x);
                        }
                    }
                }
                #[unroll]
                for r in 0..tr {
                    #[unroll]
                    for t in 0..tu {
                        let j = (pass * tu + t) * columns + column;
                        if i + r < n && j < h {
                            let which = (i + r) * h + j;
                            let gradient = g[r * tu + t].read();
                            accumulate_or_update(
                                state, scratch, which, gradient, block, schedule, place, plan,
                            );
                        }
                    }
                }
            }
        }
    }
}
