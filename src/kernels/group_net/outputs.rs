//! The first phase of a step: outputs, softmax, and ∂loss/∂f of a tile of pairs.

use cubecl::prelude::*;

use super::FIELDS;
use super::plan::{Plan, Sigma};
use crate::pieces::broken;

/// σ(z) and σ'(z).
#[cube]
pub fn activate(z: f32, #[comptime] sigma: Sigma) -> (f32, f32) {
    let mut value = f32::max(z, 0.0f32);
    let mut slope = select(z > 0.0f32, 1.0f32, 0.0f32);
    if comptime!(sigma == Sigma::Square) {
        value = z * z;
        slope = 2.0f32 * z;
    }
    (value, slope)
}

/// ln(1 + x) for x ≥ 0, precise where x is small.
#[cube]
fn ln_beyond_one(x: f32) -> f32 {
    select(x < 1e-3f32, x - 0.5f32 * x * x + x * x * x * 0.333_333_34f32, f32::ln(1.0f32 + x))
}

/// Writes ∂loss/∂f of tile number `tile` of the pairs to `slopes` from `to` on, `[order², order]`, divided by
/// the number of pairs.
///
/// `data` holds from `pairs` on for each pair its place in the table, a·order + b, then for each pair its label. If `due`,
/// `measures` takes, from `at` on, sums of loss, right answers and broken losses, and the least margin.
#[cube]
pub fn answer(
    state: &[f32],
    base: usize,
    slopes: &mut [f32],
    to: usize,
    data: &[u32],
    pairs: usize,
    room: &mut Shared<[f32]>,
    tile: usize,
    measures: &mut [f32],
    at: usize,
    due: bool,
    nonce: u32,
    #[comptime] lanes: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let form = comptime!(plan.outputs);
    let (d, m, n) = comptime!((net.order, net.neurons, net.pairs));
    let (te, tc, columns, chunk) = comptime!((form.pairs, form.classes, form.columns, form.chunk));
    let (tall, wide, stride) =
        comptime!((form.hidden_stride(), form.weight_stride(), form.exchange_stride()));
    let weights = comptime!(chunk * tall);
    let rights = comptime!(form.tile() * stride);
    let lane = UNIT_POS as usize;
    let column = lane % columns;
    let band = lane / columns;
    let active = lane < comptime!(form.lanes());
    let first = tile * comptime!(form.tile());

    let mut f = Array::<f32>::new(comptime!(te * tc));
    #[unroll]
    for k in 0..comptime!(te * tc) {
        f[k] = 0.0f32;
    }
    for part in 0..comptime!(m.div_ceil(chunk)) {
        let mut k = lane;
        while k < comptime!(chunk * form.tile()) {
            let i = part * chunk + k % chunk;
            let e = k / chunk;
            let mut value = 0.0f32;
            if first + e < n && i < m {
                let cell = data[pairs + first + e] as usize;
                let z = state[base + cell / d * m + i] + state[base + (d + cell % d) * m + i];
                let (hidden, _slope) = activate(z, net.sigma);
                value = hidden;
            }
            room[k % chunk * tall + e] = value;
            k += lanes;
        }
        let mut k = lane;
        while k < comptime!(chunk * columns * tc) {
            let i = part * chunk + k % chunk;
            let class = k / chunk;
            let mut value = 0.0f32;
            if class < d && i < m {
                value = state[base + (2usize * d + class) * m + i];
            }
            room[weights + k % chunk * wide + class] = value;
            k += lanes;
        }
        sync_cube();
        if active {
            let mut h = Array::<f32>::new(te);
            for k in 0..chunk {
                #[unroll]
                for e in 0..te {
                    h[e] = room[k * tall + band * te + e];
                }
                #[unroll]
                for t in 0..tc {
                    let w = room[weights + k * wide + t * columns + column];
                    #[unroll]
                    for e in 0..te {
                        f[e * tc + t] += h[e] * w;
                    }
                }
            }
        }
        sync_cube();
    }

    // The right output, and the largest other one among each lane's classes.
    let mut label = Array::<usize>::new(te);
    let mut right = Array::<f32>::new(te);
    let mut other = Array::<f32>::new(te);
    if active {
        #[unroll]
        for e in 0..te {
            let pair = first + band * te + e;
            label[e] = data[pairs + n + select(pair < n, pair, n - 1)] as usize;
            let mut most = f32::new(-3.4e38);
            #[unroll]
            for t in 0..tc {
                let class = t * columns + column;
                let value = f[e * tc + t];
                most = select(class < d && class != label[e], f32::max(most, value), most);
                if class == label[e] {
                    room[rights + band * te + e] = value;
                }
            }
            room[(band * te + e) * stride + column] = most;
        }
    }
    sync_cube();
    if active {
        #[unroll]
        for e in 0..te {
            let mut most = f32::new(-3.4e38);
            for q in 0..columns {
                most = f32::max(most, room[(band * te + e) * stride + q]);
            }
            other[e] = most;
            right[e] = room[rights + band * te + e];
        }
    }
    sync_cube();
    if active {
        #[unroll]
        for e in 0..te {
            let top = f32::max(right[e], other[e]);
            let mut sum = 0.0f32;
            #[unroll]
            for t in 0..tc {
                let class = t * columns + column;
                let p = select(class < d && class != label[e], f32::exp(f[e * tc + t] - top), 0.0f32);
                f[e * tc + t] = p;
                sum += p;
            }
            room[(band * te + e) * stride + column] = sum;
        }
    }
    sync_cube();
    let mut total_loss = 0.0f32;
    let mut total_right = 0.0f32;
    let mut total_broken = 0.0f32;
    let mut least = 3.4e38f32;
    if active {
        let share = comptime!(1.0 / net.pairs as f32);
        #[unroll]
        for e in 0..te {
            let pair = first + band * te + e;
            if pair < n {
                // Without the right class, so that a small probability of all others is not rounded away.
                let mut wrong = 0.0f32;
                for q in 0..columns {
                    wrong += room[(band * te + e) * stride + q];
                }
                let top = f32::max(right[e], other[e]);
                let of_label = f32::exp(right[e] - top);
                let scale = share / (of_label + wrong);
                let cell = data[pairs + pair] as usize;
                #[unroll]
                for t in 0..tc {
                    let class = t * columns + column;
                    if class < d {
                        let slope = select(class == label[e], -wrong, f[e * tc + t]);
                        slopes[to + cell * d + class] = slope * scale;
                    }
                }
                let margin = right[e] - other[e];
                let ahead = margin > 0.0f32;
                let loss = select(ahead, ln_beyond_one(wrong), f32::ln(of_label + wrong) - margin);
                total_loss += loss;
                total_right += select(ahead, 1.0f32, 0.0f32);
                total_broken += f32::max(broken(loss), broken(margin));
                least = f32::min(least, margin);
            }
        }
    }
    sync_cube();
    if due {
        if active && column == 0 {
            room[band] = total_loss;
            room[comptime!(form.bands) + band] = total_right;
            room[comptime!(2 * form.bands) + band] = total_broken;
            room[comptime!(3 * form.bands) + band] = least;
        }
        sync_cube();
        if lane < 4 {
            let mut total = room[lane * comptime!(form.bands)];
            for q in 1..comptime!(form.bands) {
                let value = room[lane * comptime!(form.bands) + q];
                total = select(lane == 3, f32::min(total, value), total + value);
            }
            measures[at + tile * FIELDS + lane] = total;
        }
        if lane == 4 {
            measures[at + tile * FIELDS + 4] = f32::cast_from(nonce);
        }
        sync_cube();
    }
}
