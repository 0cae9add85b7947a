//! How many multiplications and additions a core of the processor makes at most, measured.

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
