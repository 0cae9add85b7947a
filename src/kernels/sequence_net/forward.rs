//! Forward: embedding, layers of attention and the residual stream, for the sequence of a workgroup.
//!
//! A lane takes a row of attention, or with short contexts a part of one, and never keeps more of it than a number: the
//! largest score so far, the sum of exponentials, and the values by their weights.

use cubecl::prelude::*;

use super::pieces::{barrier, project};
use super::plan::{Attention, LANES, Plan};

/// What no score is below.
const LEAST: f32 = -3.4e38;

/// Leaves z of every layer, and what the way back needs, in the workgroup's slice of `work`, from `own` on.
///
/// `mirror` holds every parameter with rows and columns exchanged.
#[cube]
pub fn forward(
    state: &[f32],
    base: usize,
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    room: &mut Shared<[f32]>,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d, k) = comptime!((plan.network.length, net.hidden, plan.network.symbols));
    let mut at = UNIT_POS as usize;
    while at < comptime!(t * d) {
        let mut value = state[base + symbols[at / d] as usize * d + at % d];
        if comptime!(net.absolute) {
            value += state[base + comptime!(k * d) + at];
        }
        work[work_at + at] = value;
        at += LANES;
    }
    barrier();
    layer(state, base, mirror, other, work, work_at, room, 0usize, net, plan);
    if comptime!(net.layers > 1) {
        layer(state, base, mirror, other, work, work_at, room, 1usize, net, plan);
    }
    if comptime!(net.layers > 2) {
        layer(state, base, mirror, other, work, work_at, room, 2usize, net, plan);
    }
    if comptime!(net.layers > 3) {
        layer(state, base, mirror, other, work, work_at, room, 3usize, net, plan);
    }
    if comptime!(net.norm) {
        normalise(work, work_at, comptime!(net.layers), net, plan);
        barrier();
    }
}

/// The rows that `layer` reads less their means, divided by their deviations.
#[cube]
fn normalise(
    work: &mut [f32],
    work_at: usize,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d) = comptime!((plan.network.length, net.hidden));
    let from = comptime!(plan.places(layer));
    let mut i = UNIT_POS as usize;
    while i < t {
        let z = work_at + comptime!(from.z) + i * d;
        let mut mean = 0.0f32;
        for c in 0..d {
            mean += work[z + c];
        }
        mean *= comptime!(1.0 / net.hidden as f32);
        let mut variance = 0.0f32;
        for c in 0..d {
            let apart = work[z + c] - mean;
            variance += apart * apart;
        }
        variance *= comptime!(1.0 / net.hidden as f32);
        let spread = 1.0f32 / f32::sqrt(variance + vivarium_model::models::attention_only::NORM_EPSILON);
        for c in 0..d {
            work[work_at + comptime!(from.normal) + i * d + c] = (work[z + c] - mean) * spread;
        }
        work[work_at + comptime!(from.spread) + i] = spread;
        i += LANES;
    }
}

/// z of the layer after `layer`.
#[cube]
fn layer(
    state: &[f32],
    base: usize,
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    room: &mut Shared<[f32]>,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d) = comptime!((plan.network.length, net.hidden));
    let at = comptime!(net.layer(&plan.network, layer));
    let from = comptime!(plan.places(layer));
    let next = comptime!(plan.places(layer + 1).z);
    if comptime!(net.norm) {
        normalise(work, work_at, layer, net, plan);
        barrier();
    }
    project(
        work,
        work_at + comptime!(if net.norm { from.normal } else { from.z }),
        work_at + comptime!(from.query),
        state,
        base + comptime!(at.query),
        base + comptime!(at.gain),
        comptime!(net.norm),
        false,
        3usize,
        comptime!((t, d, d)),
    );
    barrier();
    attend(mirror, other, work, work_at, room, layer, net, plan);
    // What comes out is added to z.
    if comptime!(net.norm) {
        let mut i = UNIT_POS as usize;
        while i < comptime!(t * d) {
            work[work_at + next + i] = work[work_at + comptime!(from.z) + i];
            i += LANES;
        }
        // The same lane adds to what it has copied.
        project(
            work,
            work_at + comptime!(from.out),
            work_at + next,
            state,
            base + comptime!(at.out),
            0usize,
            false,
            true,
            1usize,
            comptime!((t, d, d)),
        );
    } else {
        let mut i = UNIT_POS as usize;
        while i < comptime!(t * d) {
            work[work_at + next + i] =
                work[work_at + comptime!(from.z) + i] + work[work_at + comptime!(from.out) + i];
            i += LANES;
        }
    }
    barrier();
}

/// softmax(A) v of every head, largest scores and inverse sums.
#[cube]
fn attend(
    mirror: &[f32],
    other: usize,
    work: &mut [f32],
    work_at: usize,
    room: &mut Shared<[f32]>,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let (t, d, heads) = comptime!((plan.network.length, net.hidden, net.heads[layer]));
    let (parts, width) = comptime!((plan.parts, net.width(layer)));
    let from = comptime!(plan.places(layer));
    let partial = work_at + comptime!(plan.backward_places()[3]);
    let distances = other + comptime!(net.layer(&plan.network, layer).distances);
    let lane = UNIT_POS as usize;
    let row = lane % t;
    let part = lane / t;
    for head in 0..heads {
        let queries = work_at + comptime!(from.query) + head * width;
        let keys = queries + comptime!(t * d);
        let values = keys + comptime!(t * d);
        if part < parts {
            let mut query = Array::<f32>::new(width);
            let mut sum = Array::<f32>::new(width);
            #[unroll]
            for c in 0..width {
                query[c] = work[queries + row * d + c] * comptime!(1.0 / (net.width(layer) as f32).sqrt());
                sum[c] = 0.0f32;
            }
            let mut top = f32::new(LEAST);
            let mut total = 0.0f32;
            let mut j = part;
            while j <= row {
                let mut score = 0.0f32;
                #[unroll]
                for c in 0..width {
                    let mut key = work[keys + j * d + c];
                    if comptime!(!net.absolute) {
                        key += mirror[distances + (head * width + c) * t + row - j];
                    }
                    score += query[c] * key;
                }
                if score > top {
                    let shrink = f32::exp(top - score);
                    total *= shrink;
                    #[unroll]
                    for c in 0..width {
                        sum[c] *= shrink;
                    }
                    top = score;
                }
                let p = f32::exp(score - top);
                total += p;
                #[unroll]
                for c in 0..width {
                    sum[c] += p * work[values + j * d + c];
                }
                j += parts;
            }
            room[part * t + row] = top;
            room[(parts + part) * t + row] = total;
            #[unroll]
            for c in 0..width {
                work[partial + (part * width + c) * t + row] = sum[c];
            }
        }
        barrier();
        let mut at = lane;
        while at < comptime!(t * width) {
            let i = at % t;
            let c = at / t;
            let mut top = room[i];
            for q in 1..parts {
                top = f32::max(top, room[q * t + i]);
            }
            let mut total = 0.0f32;
            let mut sum = 0.0f32;
            for q in 0..parts {
                let share = f32::exp(room[q * t + i] - top);
                total += share * room[(parts + q) * t + i];
                sum += share * work[partial + (q * width + c) * t + i];
            }
            let inverse = 1.0f32 / total;
            work[work_at + comptime!(from.out) + i * d + head * width + c] = sum * inverse;
            if c == 0 {
                work[work_at + comptime!(from.top) + head * t + i] = top;
                work[work_at + comptime!(from.top) + (heads + head) * t + i] = inverse;
            }
            at += LANES;
        }
        barrier();
    }
}
