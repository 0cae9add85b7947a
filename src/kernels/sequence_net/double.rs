//! Double precision on devices that have none: sums, products and quotients of numbers from zero on, rounded to the
//! nearest as IEEE 754 says, from whole numbers of 32 bits.
//!
//! # Why
//! The processor draws a sequence's first context in double precision. A shader's single precision decides the same but
//! where a draw falls next to a bound, and those are decided here, so that both draw the same sequences.

use cubecl::prelude::*;

use super::pieces::high;

/// Distance of the kept exponents to the true ones, so that none is negative.
pub const BIAS: u32 = 4096;

/// A number (hi · 2³² + lo) · 2^(power − [`BIAS`]). Unless it is zero, hi · 2³² + lo has 53 bits.
#[derive(CubeType, Clone, Copy)]
pub struct Double {
    /// The upper word.
    pub hi: u32,
    /// The lower word.
    pub lo: u32,
    /// The exponent, [`BIAS`] above the true one.
    pub power: u32,
}

/// 1 where the flag is set, else 0.
#[cube]
pub fn one(flag: bool) -> u32 {
    select(flag, 1u32, 0u32)
}

/// The sum of whole numbers of two words, and the carry.
#[cube]
fn plus(a_hi: u32, a_lo: u32, b_hi: u32, b_lo: u32) -> (u32, u32) {
    let lo = a_lo + b_lo;
    (a_hi + b_hi + one(lo < a_lo), lo)
}

/// A number of 64 bits, the highest of which is set, as one of 53; `rest` says that something is left below.
#[cube]
fn round(hi: u32, lo: u32, rest: bool, power: u32) -> Double {
    let below = lo & 2047u32;
    let odd = (lo >> 11u32) & 1u32 == 1u32;
    let up = below > 1024u32 || (below == 1024u32 && (rest || odd));
    let (h, l) = plus(hi >> 11u32, (lo >> 11u32) | (hi << 21u32), 0u32, one(up));
    // Where all bits were set, it is the next power of two.
    let over = h == 2_097_152u32;
    Double { hi: select(over, 1_048_576u32, h), lo: l, power: power + 11u32 + one(over) }
}

/// Moves a number of one word up by `by` bits, if they are free.
#[cube]
fn lift(n: u32, #[comptime] by: u32) -> u32 {
    select(n >> comptime!(32 - by) == 0u32, n << by, n)
}

/// `number` · 2^−`places`.
#[cube]
pub fn fraction(number: u32, #[comptime] places: u32) -> Double {
    let a = lift(number, 16u32);
    let b = lift(a, 8u32);
    let c = lift(b, 4u32);
    let d = lift(c, 2u32);
    let n = lift(d, 1u32);
    let shift =
        16u32 * one(a != number) + 8u32 * one(b != a) + 4u32 * one(c != b) + 2u32 * one(d != c) + one(n != d);
    // n · 2³² has 64 bits.
    let power = comptime!(BIAS - 32 + 11 - places) - shift;
    Double { hi: n >> 11u32, lo: n << 21u32, power: select(number == 0u32, 0u32, power) }
}

/// Whether it is zero.
#[cube]
pub fn nothing(x: &Double) -> bool {
    x.hi == 0u32
}

/// Whether `x < y`.
#[cube]
pub fn less(x: &Double, y: &Double) -> bool {
    // Zero has the least power.
    let same = x.power == y.power;
    let lower = x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo);
    x.power < y.power || (same && lower)
}

/// x + y.
#[cube]
pub fn sum(x: &Double, y: &Double) -> Double {
    let swap = x.power < y.power;
    let hi = select(swap, y.hi, x.hi);
    let lo = select(swap, y.lo, x.lo);
    let power = select(swap, y.power, x.power);
    let mut small_hi = select(swap, x.hi, y.hi);
    let mut small_lo = select(swap, x.lo, y.lo);
    let far = power - select(swap, x.power, y.power);
    // Ten bits of room below the larger and one above.
    small_hi = (small_hi << 10u32) | (small_lo >> 22u32);
    small_lo = small_lo << 10u32;
    let mut rest = false;
    if far >= 64u32 {
        rest = (small_hi | small_lo) != 0u32;
        small_hi = 0u32;
        small_lo = 0u32;
    } else {
        let mut by = far;
        if by >= 32u32 {
            rest = small_lo != 0u32;
            small_lo = small_hi;
            small_hi = 0u32;
            by -= 32u32;
        }
        if by > 0u32 {
            rest = rest || (small_lo << (32u32 - by)) != 0u32;
            small_lo = (small_lo >> by) | (small_hi << (32u32 - by));
            small_hi = small_hi >> by;
        }
    }
    let (a, b) = plus((hi << 10u32) | (lo >> 22u32), lo << 10u32, small_hi, small_lo);
    let short = a >> 31u32 == 0u32;
    let h = select(short, (a << 1u32) | (b >> 31u32), a);
    let l = select(short, b << 1u32, b);
    let rounded = round(h, l, rest, power - 10u32 - one(short));
    let zero = (hi | lo) == 0u32;
    Double {
        hi: select(zero, 0u32, rounded.hi),
        lo: select(zero, 0u32, rounded.lo),
        power: select(zero, 0u32, rounded.power),
    }
}

/// x y.
#[cube]
pub fn product(x: &Double, y: &Double) -> Double {
    let a = (x.hi << 11u32) | (x.lo >> 21u32);
    let b = x.lo << 11u32;
    let c = (y.hi << 11u32) | (y.lo >> 21u32);
    let d = y.lo << 11u32;
    // The words of the product, from the lowest on.
    let (third, second) = plus(high(a, d), a * d, high(b, c), b * c);
    // The sum may pass 64 bits.
    let over = one(third < high(a, d) || (third == high(a, d) && second < a * d));
    let (third_now, second_now) = plus(third, second, 0u32, high(b, d));
    let once_more = one(third_now == 0u32 && second_now < high(b, d));
    let (e, f) = plus(high(a, c), a * c, over + once_more, third_now);
    let short = e >> 31u32 == 0u32;
    let h = select(short, (e << 1u32) | (f >> 31u32), e);
    let l = select(short, (f << 1u32) | (second_now >> 31u32), f);
    let low = select(short, second_now << 1u32, second_now);
    let rounded = round(h, l, (low | (b * d)) != 0u32, x.power + y.power - comptime!(BIAS - 42) - one(short));
    let zero = x.hi == 0u32 || y.hi == 0u32;
    Double {
        hi: select(zero, 0u32, rounded.hi),
        lo: select(zero, 0u32, rounded.lo),
        power: select(zero, 0u32, rounded.power),
    }
}

/// Turns of the loop of [`quotient()`].
pub const QUOTIENT_TURNS: usize = 55;

/// x / y, where y is not zero.
#[cube]
pub fn quotient(x: &Double, y: &Double) -> Double {
    let below = x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo);
    let mut rest_hi = select(below, (x.hi << 1u32) | (x.lo >> 31u32), x.hi);
    let mut rest_lo = select(below, x.lo << 1u32, x.lo);
    let mut hi = 0u32;
    let mut lo = 0u32;
    for _ in 0..QUOTIENT_TURNS {
        let fits = rest_hi > y.hi || (rest_hi == y.hi && rest_lo >= y.lo);
        hi = (hi << 1u32) | (lo >> 31u32);
        lo = (lo << 1u32) | one(fits);
        if fits {
            rest_hi = rest_hi - y.hi - one(rest_lo < y.lo);
            rest_lo = rest_lo - y.lo;
        }
        rest_hi = (rest_hi << 1u32) | (rest_lo >> 31u32);
        rest_lo = rest_lo << 1u32;
    }
    let rest = (rest_hi | rest_lo) != 0u32;
    let power = x.power + comptime!(BIAS - 63) - y.power - one(below);
    let rounded = round((hi << 9u32) | (lo >> 23u32), lo << 9u32, rest, power);
    let zero = x.hi == 0u32;
    Double {
        hi: select(zero, 0u32, rounded.hi),
        lo: select(zero, 0u32, rounded.lo),
        power: select(zero, 0u32, rounded.power),
    }
}

/// Cells that a number takes.
pub const CELLS: usize = 3;

/// Leaves a number in three cells `stride` apart, each a whole number of at most 24 bits.
#[cube]
pub fn store(work: &mut [f32], at: usize, stride: usize, x: &Double) {
    work[at] = f32::cast_from(x.hi);
    work[at + stride] = f32::cast_from(x.lo >> 8u32);
    work[at + 2 * stride] = f32::cast_from((x.power << 8u32) | (x.lo & 255u32));
}

/// The number in three cells.
#[cube]
pub fn load(work: &[f32], at: usize, stride: usize) -> Double {
    let last = u32::cast_from(work[at + 2 * stride]);
    Double {
        hi: u32::cast_from(work[at]),
        lo: (u32::cast_from(work[at + stride]) << 8u32) | (last & 255u32),
        power: last >> 8u32,
    }
}
