//! The second phase of a step: the gradients of a tile of neurons over all pairs, and their update in place.
//!
//! A slab is the pairs of one a. Between two barriers each lane takes, for its neurons and its rows b of the
//! slab, ∂loss/∂z, which it adds to its sums for v; and, for its neurons and its classes, the sums for w. The
//! sums for u are complete with the slab, so those weights are updated while the next one is fetched.

use cubecl::prelude::*;

use super::FIELDS;
use super::outputs::activate;
use super::plan::Plan;
use crate::pieces::{PENALTY, broken, update};

/// Updates u of element `a` for the neurons of the tile, from the sums that the bands have left.
#[cube]
fn update_u(
    state: &mut [f32],
    base: usize,
    a: usize,
    first: usize,
    room: &Shared<[f32]>,
    schedule: &[f32],
    head: usize,
    row: usize,
    #[comptime] lanes: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let form = comptime!(plan.neurons);
    let (sums, pulls) = comptime!(form.places(net.order));
    let wide = comptime!(form.tile());
    let mut k = UNIT_POS as usize;
    while k < wide {
        if first + k < comptime!(net.neurons) {
            let mut g = 0.0f32;
            for q in 0..comptime!(form.bands) {
                g += room[sums + q * wide + k];
            }
            let at = a * comptime!(net.neurons) + first + k;
            g += room[pulls + k] * state[base + at];
            update(state, base + at, comptime!(net.parameters()), g, schedule, head, row, net.rule);
        }
        k += lanes;
    }
}

/// Trains tile number `tile` of the neurons with the `slopes` that the first phase has left from `from` on, or
/// only measures it unless `apply`. Its schedule begins at `head`, with the numbers of the step at `row`.
///
/// If `due`, `measures` takes, from `at` on, Σ‖ω‖^ν of the weights as they were.
#[cube]
pub fn learn(
    state: &mut [f32],
    base: usize,
    slopes: &[f32],
    from: usize,
    room: &mut Shared<[f32]>,
    tile: usize,
    schedule: &[f32],
    head: usize,
    row: usize,
    apply: bool,
    measures: &mut [f32],
    at: usize,
    due: bool,
    nonce: u32,
    #[comptime] lanes: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let form = comptime!(plan.neurons);
    let (d, m) = comptime!((net.order, net.neurons));
    let (tn, tb, round, across) = comptime!((form.neurons, form.rows, form.round, form.across));
    let (bands, wide, slab, stride) = comptime!((form.bands, form.tile(), form.slab(), d | 1));
    // The room: w as it was, then the slab's slopes and activations, then sums over bands, then penalties.
    let fetched = comptime!(wide * d);
    let hidden = comptime!(fetched + slab * stride);
    let (sums, pulls) = comptime!(form.places(d));
    let lane = UNIT_POS as usize;
    let column = lane % across;
    let band = lane / across;
    let active = lane < comptime!(form.lanes());
    let first = tile * wide;

    let mut unit = Array::<usize>::new(tn);
    let mut v = Array::<f32>::new(comptime!(tb * tn));
    let mut dv = Array::<f32>::new(comptime!(tb * tn));
    let mut dw = Array::<f32>::new(comptime!(tb * tn));
    #[unroll]
    for k in 0..comptime!(tb * tn) {
        v[k] = 0.0f32;
        dv[k] = 0.0f32;
        dw[k] = 0.0f32;
    }
    #[unroll]
    for t in 0..tn {
        let i = first + t * across + column;
        // Lanes beyond the last neuron repeat it, and keep nothing.
        unit[t] = select(i < m, i, m - 1);
    }
    if active {
        #[unroll]
        for t in 0..tn {
            let mut square = 0.0f32;
            #[unroll]
            for r in 0..tb {
                let b = r * bands + band;
                if b < d {
                    let u = state[base + b * m + unit[t]];
                    let w = state[base + (2usize * d + b) * m + unit[t]];
                    v[r * tn + t] = state[base + (d + b) * m + unit[t]];
                    room[b * wide + t * across + column] = w;
                    square += u * u + v[r * tn + t] * v[r * tn + t] + w * w;
                }
            }
            room[sums + band * wide + t * across + column] = square;
        }
    }
    sync_cube();
    let mut k = lane;
    while k < wide {
        let mut square = 0.0f32;
        for q in 0..bands {
            square += room[sums + q * wide + k];
        }
        // ‖ω‖^(ν−2)
        let mut power = 1.0f32;
        #[unroll]
        for _ in 0..comptime!((net.nu - 2) / 2) {
            power *= square;
        }
        if comptime!(net.nu % 2 == 1) {
            power *= f32::sqrt(square);
        }
        room[pulls + k] = comptime!(net.nu as f32) * schedule[head + PENALTY] * power;
        room[pulls + wide + k] = select(first + k < m, power * square, 0.0f32);
        k += lanes;
    }
    sync_cube();
    if due {
        let to = at + (comptime!(plan.output_tiles()) + tile) * FIELDS;
        if lane == 0 {
            let mut total = 0.0f32;
            for k in 0..wide {
                total += room[pulls + wide + k];
            }
            measures[to] = total;
            measures[to + 1] = broken(total);
        }
    }
    let mut slabs = 0u32;
    if apply {
        for a in 0..d {
            slabs += 1u32;
            let mut du = Array::<f32>::new(tn);
            #[unroll]
            for t in 0..tn {
                du[t] = 0.0f32;
            }
            if a > 0 {
                update_u(state, base, a - 1, first, &*room, schedule, head, row, lanes, plan);
            }
            #[unroll]
            for s in 0..comptime!(form.slices()) {
                let mut k = lane;
                while k < comptime!(slab * d) {
                    let b = s * slab + k / d;
                    let mut value = 0.0f32;
                    if b < d {
                        value = slopes[from + (a * d + b) * d + k % d];
                    }
                    room[fetched + k / d * stride + k % d] = value;
                    k += lanes;
                }
                let mut sigma_slope = Array::<f32>::new(comptime!(round * tn));
                let mut hidden_gradient = Array::<f32>::new(comptime!(round * tn));
                #[unroll]
                for k in 0..comptime!(round * tn) {
                    sigma_slope[k] = 0.0f32;
                    hidden_gradient[k] = 0.0f32;
                }
                if active {
                    #[unroll]
                    for t in 0..tn {
                        let u = state[base + a * m + unit[t]];
                        #[unroll]
                        for q in 0..round {
                            // The last slice may end within a round.
                            let r = s * round + q;
                            if r < tb {
                                let (value, slope) = activate(u + v[r * tn + t], net.sigma);
                                sigma_slope[q * tn + t] = slope;
                                room[hidden + (q * bands + band) * wide + t * across + column] = value;
                            }
                        }
                    }
                }
                sync_cube();
                if active {
                    let mut w = Array::<f32>::new(tn);
                    for c in 0..d {
                        #[unroll]
                        for t in 0..tn {
                            w[t] = room[c * wide + t * across + column];
                        }
                        #[unroll]
                        for q in 0..round {
                            let p = room[fetched + (q * bands + band) * stride + c];
                            #[unroll]
                            for t in 0..tn {
                                hidden_gradient[q * tn + t] += p * w[t];
                            }
                        }
                    }
                    #[unroll]
                    for q in 0..round {
                        let r = s * round + q;
                        if r < tb {
                            #[unroll]
                            for t in 0..tn {
                                let dz = hidden_gradient[q * tn + t] * sigma_slope[q * tn + t];
                                du[t] += dz;
                                dv[r * tn + t] += dz;
                            }
                        }
                    }
                    #[unroll]
                    for t in 0..tn {
                        room[sums + band * wide + t * across + column] = du[t];
                    }
                    let rows = select((s + 1) * slab < d, slab, d - s * slab);
                    for b in 0..rows {
                        #[unroll]
                        for t in 0..tn {
                            w[t] = room[hidden + b * wide + t * across + column];
                        }
                        #[unroll]
                        for r in 0..tb {
                            let c = r * bands + band;
                            let p = room[fetched + b * stride + select(c < d, c, d - 1)];
                            #[unroll]
                            for t in 0..tn {
                                dw[r * tn + t] += p * w[t];
                            }
                        }
                    }
                }
                sync_cube();
            }
        }
        update_u(state, base, comptime!(d - 1), first, &*room, schedule, head, row, lanes, plan);
        if active {
            #[unroll]
            for r in 0..tb {
                let b = r * bands + band;
                #[unroll]
                for t in 0..tn {
                    if b < d && first + t * across + column < m {
                        let pull = room[pulls + t * across + column];
                        let at = (d + b) * m + unit[t];
                        let g = dv[r * tn + t] + pull * v[r * tn + t];
                        update(
                            state,
                            base + at,
                            comptime!(net.parameters()),
                            g,
                            schedule,
                            head,
                            row,
                            net.rule,
                        );
                        let at = (2usize * d + b) * m + unit[t];
                        let g = dw[r * tn + t] + pull * room[b * wide + t * across + column];
                        update(
                            state,
                            base + at,
                            comptime!(net.parameters()),
                            g,
                            schedule,
                            head,
                            row,
                            net.rule,
                        );
                    }
                }
            }
        }
    }
    // Mesa's simulated GPU ends the loops of a launch that has turned too often; then there is no proof.
    if due && lane == 4 {
        let complete = !apply || slabs == comptime!(d as u32);
        let to = at + (comptime!(plan.output_tiles()) + tile) * FIELDS;
        measures[to + 4] = select(complete, f32::cast_from(nonce), 0.0f32);
    }
    sync_cube();
}
