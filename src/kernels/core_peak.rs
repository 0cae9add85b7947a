//! How many multiplications and additions a core of the processor makes at most, measured.

/// Operations per second of one processor core in the widest vectors that it has: the best of five times of 20 ms and more,
/// since browsers round the time.
pub fn core_flops(now_ms: impl Fn() -> f64) -> f64 {
    let time = |turns: usize| {
        let begin = now_ms();
        std::hint::black_box(core_turns(turns));
        (now_ms() - begin) / 1e3
    };
    let mut turns = 200_000;
    while time(turns) < 0.02 && turns < 1 << 30 {
        turns *= 2;
    }
    let best = (0..5).map(|_| time(turns)).fold(f64::INFINITY, f64::min);
    (2 * CORE_WIDTH * turns) as f64 / best.max(1e-6)
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
