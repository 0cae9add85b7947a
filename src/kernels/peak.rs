//! How many multiplications and additions a device makes at most, measured: the line that a bench is held against.

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

/// Chains of multiply-adds that one lane keeps going at once, so that none waits for itself.
const CHAINS: usize = 16;
/// Rounds of [`CHAINS`] in one turn of the loop.
const ROUNDS: usize = 8;

/// Operations of one lane in `turns` turns: a multiplication and an addition each.
pub fn lane_flops(turns: u32) -> f64 {
    f64::from(turns) * (2 * CHAINS * ROUNDS) as f64
}

/// Makes `turns` turns, and leaves a number that hangs on all of them.
#[cube(launch_unchecked)]
pub fn spin(out: &mut [f32], factor: f32, turns: u32) {
    let mut chain = Array::<f32>::new(CHAINS);
    #[unroll]
    for c in 0..CHAINS {
        chain[c] = f32::cast_from(UNIT_POS) + c as f32;
    }
    for _ in 0..turns {
        #[unroll]
        for _ in 0..ROUNDS {
            #[unroll]
            for c in 0..CHAINS {
                chain[c] = chain[c] * factor + 0.5f32;
            }
        }
    }
    let mut total = 0.0f32;
    #[unroll]
    for c in 0..CHAINS {
        total += chain[c];
    }
    out[ABSOLUTE_POS] = total;
}

/// Operations per second of `groups` workgroups of 256 lanes: the best of five launches of about 20 ms.
#[expect(unsafe_code, reason = "launching a kernel hands it a raw buffer")]
pub fn flops(client: &Client, groups: u32, now_ms: impl Fn() -> f64) -> f64 {
    let lanes = groups as usize * 256;
    let out = client.empty(4 * lanes);
    let run = |turns: u32| {
        let begin = now_ms();
        // SAFETY: the buffer holds one number for each lane.
        unsafe {
            spin::launch_unchecked(
                client,
                CubeCount::Static(groups, 1, 1),
                CubeDim::new_1d(256),
                BufferArg::from_raw_parts(out.clone(), lanes),
                0.999f32,
                turns,
            );
        }
        // Only the first numbers: waiting for them is waiting for all.
        let first = out.clone().offset_end(4 * (lanes as u64 - 1));
        let read = client.read_one(first).is_ok();
        if read { (now_ms() - begin) / 1e3 } else { f64::INFINITY }
    };
    run(1);
    let mut turns = 16u32;
    while run(turns) < 0.02 && turns < 1 << 24 {
        turns *= 2;
    }
    // What a launch costs by itself is taken off.
    let empty = (0..5).map(|_| run(1)).fold(f64::INFINITY, f64::min);
    let best = (0..5).map(|_| run(turns)).fold(f64::INFINITY, f64::min);
    lane_flops(turns) * lanes as f64 / (best - empty).max(1e-6)
}

/// Operations per second of one processor core in the widest vectors that it has: the best of five.
pub fn core_flops(now_ms: impl Fn() -> f64) -> f64 {
    const TURNS: usize = 400_000;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begin = now_ms();
        std::hint::black_box(core_turns(TURNS));
        best = best.min((now_ms() - begin) / 1e3);
    }
    (2 * CORE_WIDTH * TURNS) as f64 / best
}

/// Numbers that one core works on at once: enough that no operation waits for the one before.
const CORE_WIDTH: usize = 96;

#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "what a processor has is known only when it runs")
)]
fn core_turns(turns: usize) -> [f32; CORE_WIDTH] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: both features were just found.
        return unsafe { wide_turns(turns) };
    }
    plain_turns(turns, |value, factor, term| value * factor + term)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn wide_turns(turns: usize) -> [f32; CORE_WIDTH] {
    plain_turns(turns, f32::mul_add)
}

#[inline(always)]
fn plain_turns(turns: usize, step: impl Fn(f32, f32, f32) -> f32) -> [f32; CORE_WIDTH] {
    let mut chain: [f32; CORE_WIDTH] = std::array::from_fn(|i| i as f32);
    let (factor, term) = (std::hint::black_box(0.999f32), std::hint::black_box(0.5f32));
    for _ in 0..turns {
        for value in &mut chain {
            *value = step(*value, factor, term);
        }
    }
    chain
}
