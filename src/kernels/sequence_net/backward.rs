//! Backward: the gradients of one sequence, from the last layer to the embedding.
//!
//! Attention is made again a block of columns at a time: each lane its row's probabilities and their slopes, which stay
//! in workgroup memory while other lanes add them up along columns, for keys and values, and along diagonals, for
//! distances. No two lanes add to one number.

use cubecl::prelude::*;

use super::pieces::{barrier, loss_and_gradient, outer, project, put};
use super::plan::{Attention, LANES, Plan};
use crate::pieces::broken;

/// Logits, what they lose, and ∂loss/∂logits: loss, right answers and broken losses of the lane's rows.
#[cube]
pub fn read_out(
    state: &[f32],
    base: usize,
    work: &mut [f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) -> (f32, f32, f32) {
    let (t, k) = comptime!((plan.network.length, plan.network.symbols));
    let to = work_at + comptime!(plan.backward_places()[4]);
    let mut loss = 0.0f32;
    let mut right = 0.0f32;
    let mut wrong = 0.0f32;
    let mut i = UNIT_POS as usize;
    while i < t {
        let mut logits = Array::<f32>::new(k);
        answer(state, base, &*work, work_at, i, &mut logits, net, plan);
        let (position_loss, ahead) = loss_and_gradient(&mut logits, symbols[i + 1] as usize, plan);
        loss += position_loss;
        right += ahead;
        wrong += broken(position_loss);
        #[unroll]
        for s in 0..k {
            work[to + i * k + s] = logits[s];
        }
        i += LANES;
    }
    barrier();
    (loss, right, wrong)
}

/// Logits after place `i`.
#[cube]
pub fn answer(
    state: &[f32],
    base: usize,
    work: &[f32],
    work_at: usize,
    i: usize,
    logits: &mut Array<f32>,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (d, k) = comptime!((net.hidden, plan.network.symbols));
    let from = comptime!(plan.places(net.layers));
    let z = work_at + comptime!(if net.norm { from.normal } else { from.z }) + i * d;
    #[unroll]
    for s in 0..k {
        logits[s] = 0.0f32;
    }
    for a in 0..d {
        let mut value = work[z + a];
        if comptime!(net.norm) {
            value *= state[base + comptime!(net.gain(&plan.network)) + a];
        }
        #[unroll]
        for s in 0..k {
            logits[s] += value * state[base + comptime!(net.readout(&plan.network)) + a * k + s];
        }
    }
}

/// All gradients of the sequence, to `gradients` from `to` on; `first` begins them.
#[cube]
pub fn backward(
    state: &[f32],
    base: usize,
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    room: &mut Shared<[f32]>,
    gradients: &mut [f32],
    to: usize,
    first: bool,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d, k) = comptime!((plan.network.length, net.hidden, plan.network.symbols));
    let [back, heads, _, _, logits] = comptime!(plan.backward_places());
    let last = comptime!(plan.places(net.layers));
    let readout = comptime!(net.readout(&plan.network));
    let gain = comptime!(net.gain(&plan.network));
    outer(
        &*work,
        work_at + comptime!(if net.norm { last.normal } else { last.z }),
        work_at + logits,
        gradients,
        to + readout,
        state,
        base + gain,
        first,
        comptime!(net.norm),
        1usize,
        comptime!((t, d, k)),
        plan,
    );
    project(
        work,
        work_at + logits,
        work_at + comptime!(if net.norm { heads } else { back }),
        mirror,
        other + readout,
        0usize,
        false,
        false,
        1usize,
        comptime!((t, k, d)),
    );
    barrier();
    if comptime!(net.norm) {
        straighten(
            state,
            base,
            work,
            work_at,
            gradients,
            to,
            first,
            gain,
            false,
            comptime!(net.layers),
            net,
            plan,
        );
        barrier();
    }
    if comptime!(net.layers > 3) {
        layer(state, base, mirror, other, work, work_at, room, gradients, to, first, 3usize, net, plan);
    }
    if comptime!(net.layers > 2) {
        layer(state, base, mirror, other, work, work_at, room, gradients, to, first, 2usize, net, plan);
    }
    if comptime!(net.layers > 1) {
        layer(state, base, mirror, other, work, work_at, room, gradients, to, first, 1usize, net, plan);
    }
    layer(state, base, mirror, other, work, work_at, room, gradients, to, first, 0usize, net, plan);
    let mut at = UNIT_POS as usize;
    while at < comptime!(k * d) {
        let symbol = (at / d) as u32;
        let c = at % d;
        let mut sum = 0.0f32;
        for i in 0..t {
            sum += select(symbols[i] == symbol, work[work_at + back + i * d + c], 0.0f32);
        }
        put(gradients, to + at, sum, first, plan);
        at += LANES;
    }
    if comptime!(net.absolute) {
        let mut at = UNIT_POS as usize;
        while at < comptime!(t * d) {
            put(gradients, to + comptime!(k * d) + at, work[work_at + back + at], first, plan);
            at += LANES;
        }
    }
    barrier();
}

/// Through the norm of `layer`: the gradient of its gains, and that of z, from what came back to the gained rows, which
/// lies where that of the heads does.
#[cube]
fn straighten(
    state: &[f32],
    base: usize,
    work: &mut [f32],
    work_at: usize,
    gradients: &mut [f32],
    to: usize,
    first: bool,
    #[comptime] gain: usize,
    #[comptime] add: bool,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d) = comptime!((plan.network.length, net.hidden));
    let [back, incoming, _, _, _] = comptime!(plan.backward_places());
    let from = comptime!(plan.places(layer));
    let mut c = UNIT_POS as usize;
    while c < d {
        let mut sum = 0.0f32;
        for i in 0..t {
            sum += work[work_at + incoming + i * d + c] * work[work_at + comptime!(from.normal) + i * d + c];
        }
        put(gradients, to + gain + c, sum, first, plan);
        c += LANES;
    }
    let share = comptime!(1.0 / net.hidden as f32);
    let mut i = UNIT_POS as usize;
    while i < t {
        let normal = work_at + comptime!(from.normal) + i * d;
        let mut mean = 0.0f32;
        let mut along = 0.0f32;
        for c in 0..d {
            let slope = work[work_at + incoming + i * d + c] * state[base + gain + c];
            mean += slope;
            along += slope * work[normal + c];
        }
        mean *= share;
        along *= share;
        let spread = work[work_at + comptime!(from.spread) + i];
        for c in 0..d {
            let slope = work[work_at + incoming + i * d + c] * state[base + gain + c];
            let mut value = spread * (slope - mean - work[normal + c] * along);
            if comptime!(add) {
                value += work[work_at + back + i * d + c];
            }
            work[work_at + back + i * d + c] = value;
        }
        i += LANES;
    }
}

/// Back through `layer`.
#[cube]
fn layer(
    state: &[f32],
    base: usize,
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    room: &mut Shared<[f32]>,
    gradients: &mut [f32],
    to: usize,
    first: bool,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d) = comptime!((plan.network.length, net.hidden));
    let at = comptime!(net.layer(&plan.network, layer));
    let from = comptime!(plan.places(layer));
    let [back, heads, queries, _, _] = comptime!(plan.backward_places());
    if comptime!(net.norm) {
        outer(
            &*work,
            work_at + comptime!(from.out),
            work_at + back,
            gradients,
            to + comptime!(at.out),
            state,
            0usize,
            first,
            false,
            1usize,
            comptime!((t, d, d)),
            plan,
        );
        project(
            work,
            work_at + back,
            work_at + heads,
            mirror,
            other + comptime!(at.out),
            0usize,
            false,
            false,
            1usize,
            comptime!((t, d, d)),
        );
        barrier();
    }
    attend(mirror, other, work, work_at, room, gradients, to, first, layer, net, plan);
    outer(
        &*work,
        work_at + comptime!(if net.norm { from.normal } else { from.z }),
        work_at + queries,
        gradients,
        to + comptime!(at.query),
        state,
        base + comptime!(at.gain),
        first,
        comptime!(net.norm),
        3usize,
        comptime!((t, d, d)),
        plan,
    );
    gather(mirror, other, work, work_at, layer, net, plan);
    barrier();
    if comptime!(net.norm) {
        straighten(
            state,
            base,
            work,
            work_at,
            gradients,
            to,
            first,
            comptime!(at.gain),
            true,
            layer,
            net,
            plan,
        );
        barrier();
    }
}

/// What queries, keys and values pass back to the rows that they were made of: added to ∂loss/∂z, or with norms in
/// place of what came to the heads.
#[cube]
fn gather(
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d) = comptime!((plan.network.length, net.hidden));
    let [back, heads, queries, _, _] = comptime!(plan.backward_places());
    let matrices = other + comptime!(net.layer(&plan.network, layer).query);
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * d) {
        let i = at / d;
        let c = at % d;
        let mut sum = 0.0f32;
        for b in 0..d {
            #[unroll]
            for m in 0..3usize {
                let slope = work[work_at + queries + m * comptime!(t * d) + i * d + b];
                sum += slope * mirror[matrices + m * comptime!(d * d) + b * d + c];
            }
        }
        if comptime!(net.norm) {
            work[work_at + heads + at] = sum;
        } else {
            work[work_at + back + at] += sum;
        }
        at += LANES;
    }
}

/// ∂loss/∂(queries, keys, values) and the gradients of distances, from what came back to the heads.
#[cube]
fn attend(
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    room: &mut Shared<[f32]>,
    gradients: &mut [f32],
    to: usize,
    first: bool,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d, heads) = comptime!((plan.network.length, net.hidden, net.heads[layer]));
    let (parts, columns, width) = comptime!((plan.parts, plan.columns, net.width(layer)));
    let from = comptime!(plan.places(layer));
    let [back, through, slopes, partial, _] = comptime!(plan.backward_places());
    let scale = comptime!(1.0 / (net.width(layer) as f32).sqrt());
    let places = comptime!(net.layer(&plan.network, layer));
    let lane = UNIT_POS as usize;
    let row = lane % t;
    let part = lane / t;
    let shares = comptime!(columns * t);
    for head in 0..heads {
        let queries = work_at + comptime!(from.query) + head * width;
        let keys = queries + comptime!(t * d);
        let values = keys + comptime!(t * d);
        let incoming = work_at + comptime!(if net.norm { through } else { back }) + head * width;
        let to_queries = work_at + slopes + head * width;
        let distances = other + comptime!(places.distances) + head * comptime!(width * t);
        let mut query = Array::<f32>::new(width);
        let mut slope = Array::<f32>::new(width);
        let mut sum = Array::<f32>::new(width);
        let mut key = Array::<f32>::new(width);
        let mut mean = 0.0f32;
        #[unroll]
        for c in 0..width {
            query[c] = work[queries + row * d + c];
            slope[c] = work[incoming + row * d + c];
            sum[c] = 0.0f32;
            mean += slope[c] * work[work_at + comptime!(from.out) + row * d + head * width + c];
        }
        let top = work[work_at + comptime!(from.top) + head * t + row];
        let inverse = work[work_at + comptime!(from.top) + (heads + head) * t + row];
        for block in 0..comptime!(plan.blocks()) {
            let begin = block * columns;
            if part < parts {
                let mut q = part;
                while q < columns {
                    let j = begin + q;
                    if j <= row {
                        let mut score = 0.0f32;
                        let mut gain = 0.0f32;
                        #[unroll]
                        for c in 0..width {
                            key[c] = work[keys + j * d + c];
                            if comptime!(!net.absolute) {
                                key[c] += mirror[distances + c * t + row - j];
                            }
                            score += query[c] * key[c];
                            gain += slope[c] * work[values + j * d + c];
                        }
                        let p = f32::exp(score * scale - top) * inverse;
                        let ds = p * (gain - mean) * scale;
                        #[unroll]
                        for c in 0..width {
                            sum[c] += ds * key[c];
                        }
                        room[q * t + row] = ds;
                        room[shares + q * t + row] = p;
                    }
                    q += parts;
                }
            }
            sync_cube();
            // Along columns.
            let mut at = lane;
            while at < comptime!(columns * width) {
                let q = at / width;
                let c = at % width;
                let j = begin + q;
                if j < t {
                    let mut to_key = 0.0f32;
                    let mut to_value = 0.0f32;
                    for i in j..t {
                        to_key += room[q * t + i] * work[queries + i * d + c];
                        to_value += room[shares + q * t + i] * work[incoming + i * d + c];
                    }
                    work[to_queries + comptime!(t * d) + j * d + c] = to_key;
                    work[to_queries + comptime!(2 * t * d) + j * d + c] = to_value;
                }
                at += LANES;
            }
            // Along diagonals.
            if comptime!(!net.absolute) {
                let mut at = lane;
                while at < (t - begin) * width {
                    let distance = at / width;
                    let c = at % width;
                    let mut total = 0.0f32;
                    for q in 0..columns {
                        let i = begin + q + distance;
                        if i < t {
                            total += room[q * t + i] * work[queries + i * d + c];
                        }
                    }
                    let which = to + comptime!(places.distances) + distance * d + head * width + c;
                    if block == 0 {
                        put(gradients, which, total, first, plan);
                    } else {
                        gradients[which] += total;
                    }
                    at += LANES;
                }
            }
            sync_cube();
        }
        if part < parts {
            #[unroll]
            for c in 0..width {
                work[work_at + partial + (part * width + c) * t + row] = sum[c];
            }
        }
        barrier();
        let mut at = lane;
        while at < comptime!(t * width) {
            let i = at % t;
            let c = at / t;
            let mut total = 0.0f32;
            for q in 0..parts {
                total += work[work_at + partial + (q * width + c) * t + i];
            }
            work[to_queries + i * d + c] = total;
            at += LANES;
        }
        barrier();
    }
}
