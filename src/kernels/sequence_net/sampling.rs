//! The sequences of many steps, drawn on the device: a lane draws one sequence with its chain.
//!
//! The same chains and symbols as on the processor: whole numbers, but for the first context, which is drawn by the
//! chain's stationary law. Single precision tells it but where a draw falls next to a bound of the law, for one
//! sequence in some thousand; that one's law is found again in double precision, with every rounding that the
//! processor makes.

use cubecl::prelude::*;

use super::chains::{ONE, SAMPLERS, Sampling};
use super::double::{CELLS, fraction, less, load, nothing, product, quotient, store, sum};
use super::pieces::high;
use vivarium_core::rng::{Purpose, device};
use vivarium_science::markov::ChainFamily;

/// How near to a bound of the law a draw is decided in double precision: a thousand times what single precision errs,
/// since an elimination without differences errs by a few roundings for each context.
const NEAR: f32 = 1.0 / 16_384.0;

/// Where a lane's random numbers come from, and its cells.
#[derive(CubeType, Clone, Copy)]
struct Lane {
    seed_low: u32,
    seed_high: u32,
    replica: u32,
    step_low: u32,
    step_high: u32,
    /// First word of the chain, and of the sequence.
    chain: u32,
    sequence: u32,
    /// First cell, and the distance between two.
    cell: usize,
    stride: usize,
}

#[cube]
fn word(lane: &Lane, #[comptime] purpose: Purpose, index: u32) -> u32 {
    device::draw(
        lane.seed_low,
        lane.seed_high,
        comptime!(purpose as u32),
        lane.replica,
        lane.step_low,
        lane.step_high,
        index,
    )
}

/// Draws rows from `first` word on into the cumulative cells, `rows` of them with words of their own.
#[cube]
fn spacings(work: &mut [f32], lane: &Lane, first: u32, rows: usize, #[comptime] sampling: Sampling) {
    let row = comptime!(sampling.symbols - 1);
    for context in 0..rows {
        for i in 0..row {
            let index = lane.chain + first + (context * row + i) as u32;
            let draw = f32::cast_from(word(lane, Purpose::Chain, index) >> 8u32);
            // Among those before, in rising order.
            let mut at = i;
            let mut moving = true;
            while moving {
                moving = false;
                if at > 0 {
                    let before = work[lane.cell + (context * row + at - 1) * lane.stride];
                    if before > draw {
                        work[lane.cell + (context * row + at) * lane.stride] = before;
                        at -= 1;
                        moving = true;
                    }
                }
            }
            work[lane.cell + (context * row + at) * lane.stride] = draw;
        }
    }
}

/// Cumulative cells of one row for all contexts.
#[cube]
fn independent(work: &mut [f32], lane: &Lane, first: u32, #[comptime] sampling: Sampling) {
    let row = comptime!(sampling.symbols - 1);
    spacings(work, lane, first, 1usize, sampling);
    for context in 1..comptime!(sampling.contexts()) {
        for i in 0..row {
            work[lane.cell + (context * row + i) * lane.stride] = work[lane.cell + i * lane.stride];
        }
    }
}

/// Pair number `which` of different numbers below `k`.
#[cube]
fn pair(which: u32, #[comptime] k: usize) -> (usize, usize) {
    let mut first = 0usize;
    let mut rest = which as usize;
    while rest >= comptime!(k - 1) - first {
        rest -= comptime!(k - 1) - first;
        first += 1;
    }
    (first, first + 1 + rest)
}

/// A doubly stochastic matrix, then its cumulative cells.
#[cube]
fn doubly(work: &mut [f32], lane: &Lane, from: u32, #[comptime] sampling: Sampling) {
    let k = comptime!(sampling.symbols);
    let matrix = comptime!(sampling.contexts() * (sampling.symbols - 1));
    let (each, over) = comptime!((ONE / sampling.symbols as u32, ONE as usize % sampling.symbols));
    for at in 0..comptime!(k * k) {
        let extra = select((at % k + k - at / k) % k < over, 1u32, 0u32);
        work[lane.cell + (matrix + at) * lane.stride] = f32::cast_from(each + extra);
    }
    let pairs = comptime!((k * (k - 1) / 2) as u32);
    for step in 0..comptime!(sampling.moves()) {
        let index = lane.chain + from + 2u32 * step as u32;
        let minor = high(word(lane, Purpose::Chain, index), comptime!(pairs * pairs));
        let (i, j) = pair(minor / pairs, k);
        let (a, b) = pair(minor % pairs, k);
        let ia = lane.cell + (matrix + i * k + a) * lane.stride;
        let ib = lane.cell + (matrix + i * k + b) * lane.stride;
        let ja = lane.cell + (matrix + j * k + a) * lane.stride;
        let jb = lane.cell + (matrix + j * k + b) * lane.stride;
        let down = u32::cast_from(f32::min(work[ia], work[jb]));
        let up = u32::cast_from(f32::min(work[ib], work[ja]));
        let shift = high(word(lane, Purpose::Chain, index + 1u32), down + up + 1u32);
        let more = f32::cast_from(shift) - f32::cast_from(down);
        work[ia] = work[ia] + more;
        work[jb] = work[jb] + more;
        work[ib] = work[ib] - more;
        work[ja] = work[ja] - more;
    }
    for context in 0..k {
        let mut sum = 0.0f32;
        for s in 0..comptime!(k - 1) {
            sum += work[lane.cell + (matrix + context * k + s) * lane.stride];
            work[lane.cell + (context * comptime!(k - 1) + s) * lane.stride] = sum;
        }
    }
}

/// The matrix of the cumulative cells.
#[cube]
fn fill(work: &mut [f32], lane: &Lane, #[comptime] sampling: Sampling) {
    let (k, contexts) = comptime!((sampling.symbols, sampling.contexts()));
    let matrix = comptime!(contexts * (k - 1));
    if comptime!(sampling.order > 2) {
        for at in 0..comptime!(contexts * contexts) {
            work[lane.cell + (matrix + at) * lane.stride] = 0.0f32;
        }
    }
    for context in 0..contexts {
        let mut before = 0.0f32;
        for s in 0..k {
            let mut until = f32::new(16_777_216.0);
            if s < comptime!(k - 1) {
                until = work[lane.cell + (context * comptime!(k - 1) + s) * lane.stride];
            }
            let next = (context * k + s) % contexts;
            work[lane.cell + (matrix + context * contexts + next) * lane.stride] = until - before;
            before = until;
        }
    }
}

/// The context that `draw`, from 0 up to 2²⁴, takes by the stationary law (Grassmann, Taksar and Heyman 1985).
#[cube]
fn stationary_context(work: &mut [f32], lane: &Lane, draw: u32, #[comptime] sampling: Sampling) -> usize {
    let (k, contexts) = comptime!((sampling.symbols, sampling.contexts()));
    let matrix = lane.cell + comptime!(contexts * (k - 1)) * lane.stride;
    let law = matrix + comptime!(contexts * contexts) * lane.stride;
    let mut doubt = false;
    for gone in 0..comptime!(contexts - 1) {
        let last = comptime!(contexts - 1) - gone;
        let mut leaving = 0.0f32;
        for j in 0..last {
            leaving += work[matrix + (last * contexts + j) * lane.stride];
        }
        if leaving > 0.0f32 {
            for i in 0..last {
                let share = work[matrix + (i * contexts + last) * lane.stride];
                if share > 0.0f32 {
                    let factor = share / leaving;
                    work[matrix + (i * contexts + last) * lane.stride] = factor;
                    for j in 0..last {
                        let at = matrix + (i * contexts + j) * lane.stride;
                        let step = work[matrix + (last * contexts + j) * lane.stride];
                        work[at] = work[at] + factor * step;
                    }
                }
            }
        } else {
            // Contexts that the chain leaves for good.
            doubt = true;
        }
    }
    let mut total = f32::new(1.0);
    work[law] = f32::new(1.0);
    for at in 1..contexts {
        let mut share = 0.0f32;
        for i in 0..at {
            share += work[law + i * lane.stride] * work[matrix + (i * contexts + at) * lane.stride];
        }
        work[law + at * lane.stride] = share;
        total += share;
    }
    let place = f32::cast_from(draw) * comptime!(1.0 / ONE as f32);
    let mut until = 0.0f32;
    let mut found = 0usize;
    for at in 0..comptime!(contexts - 1) {
        until += work[law + at * lane.stride] / total;
        found += select(place >= until, 1usize, 0usize);
        doubt = doubt || f32::abs(place - until) < NEAR;
    }
    if doubt {
        found = settle_in_double(work, lane, draw, sampling);
    }
    found
}

/// The same with the processor's operations in the processor's order.
#[cube]
fn settle_in_double(work: &mut [f32], lane: &Lane, draw: u32, #[comptime] sampling: Sampling) -> usize {
    let (k, contexts) = comptime!((sampling.symbols, sampling.contexts()));
    let (stride, each) = (lane.stride, CELLS * lane.stride);
    let matrix = lane.cell + comptime!(contexts * (k - 1)) * stride;
    let law = matrix + comptime!(contexts * contexts) * each;
    let total = law + contexts * each;
    if comptime!(sampling.order > 2) {
        for at in 0..comptime!(contexts * contexts) {
            store(work, matrix + at * each, stride, &fraction(0u32, 0u32));
        }
    }
    for context in 0..contexts {
        let mut before = 0u32;
        for s in 0..k {
            let mut until = 16_777_216u32;
            if s < comptime!(k - 1) {
                until = u32::cast_from(work[lane.cell + (context * comptime!(k - 1) + s) * stride]);
            }
            let at = matrix + (context * contexts + (context * k + s) % contexts) * each;
            store(work, at, stride, &fraction(until - before, 0u32));
            before = until;
        }
    }
    // The first context that the chain comes back to.
    let mut first = 0usize;
    for gone in 0..comptime!(contexts - 1) {
        let last = comptime!(contexts - 1) - gone;
        if first == 0 {
            store(work, total, stride, &fraction(0u32, 0u32));
            for j in 0..last {
                let step = load(&*work, matrix + (last * contexts + j) * each, stride);
                let leaving = sum(&load(&*work, total, stride), &step);
                store(work, total, stride, &leaving);
            }
            if nothing(&load(&*work, total, stride)) {
                first = last;
            } else {
                for i in 0..last {
                    eliminate(work, matrix, i, last, total, stride, sampling);
                }
            }
        }
    }
    store(work, total, stride, &fraction(0u32, 0u32));
    for at in 0..contexts {
        let to = law + at * each;
        store(work, to, stride, &fraction(select(at == first, 1u32, 0u32), 0u32));
        if at > first {
            for i in first..at {
                let entry = load(&*work, matrix + (i * contexts + at) * each, stride);
                let share = product(&load(&*work, law + i * each, stride), &entry);
                let more = sum(&load(&*work, to, stride), &share);
                store(work, to, stride, &more);
            }
        }
        let more = sum(&load(&*work, total, stride), &load(&*work, to, stride));
        store(work, total, stride, &more);
    }
    // The matrix is not needed any more.
    store(work, matrix, stride, &fraction(0u32, 0u32));
    let place = fraction(draw, 24u32);
    let mut found = 0usize;
    let mut looking = true;
    for at in 0..contexts {
        if looking {
            let share = quotient(&load(&*work, law + at * each, stride), &load(&*work, total, stride));
            let until = sum(&load(&*work, matrix, stride), &share);
            store(work, matrix, stride, &until);
            // The last that there is, where rounding leaves the sum below one.
            if !nothing(&share) {
                found = at;
            }
            looking = !less(&place, &until);
        }
    }
    found
}

/// Takes context `last` out of row `i`; the sum of what leaves it is at `leaving`.
#[cube]
fn eliminate(
    work: &mut [f32],
    matrix: usize,
    i: usize,
    last: usize,
    leaving: usize,
    stride: usize,
    #[comptime] sampling: Sampling,
) {
    let contexts = comptime!(sampling.contexts());
    let each = CELLS * stride;
    let from = matrix + (i * contexts + last) * each;
    let share = load(&*work, from, stride);
    if !nothing(&share) {
        let factor = quotient(&share, &load(&*work, leaving, stride));
        store(work, from, stride, &factor);
        for j in 0..last {
            let at = matrix + (i * contexts + j) * each;
            let step = product(&factor, &load(&*work, matrix + (last * contexts + j) * each, stride));
            let entry = sum(&load(&*work, at, stride), &step);
            store(work, at, stride, &entry);
        }
    }
}

/// Numbers of a line of the table: the network among all, its run's number, where its run's schedule begins, the two
/// halves of its seed, and which replica of its run it is.
pub const LINE: usize = 6;

/// Draws sequences number `from` to `from + count`, counted through the steps, the `lines` of the table and the batch: to
/// `out`, which is `[steps, lines, batch, length + 1]`. `work` has cells for every lane; `bound` is the share of doubly
/// stochastic chains in a mixture, in units of 2⁻²⁴.
#[cube(launch_unchecked)]
pub fn sample(
    out: &mut [u32],
    work: &mut [f32],
    table: &[u32],
    step_low: u32,
    step_high: u32,
    from: u32,
    count: u32,
    lines: u32,
    bound: u32,
    #[comptime] sampling: Sampling,
) {
    let (k, contexts, order) = comptime!((sampling.symbols, sampling.contexts(), sampling.order));
    let place = CUBE_POS * SAMPLERS + UNIT_POS as usize;
    if place < count as usize {
        let number = from + place as u32;
        let example = number % comptime!(sampling.batch as u32);
        let rest = number / comptime!(sampling.batch as u32);
        let low = step_low + rest / lines;
        let line = (rest % lines) as usize * LINE;
        let lane = Lane {
            seed_low: table[line + 3],
            seed_high: table[line + 4],
            replica: table[line + 5],
            step_low: low,
            step_high: select(low < step_low, step_high + 1u32, step_high),
            chain: example * comptime!(sampling.chain_words() as u32),
            sequence: example * comptime!(sampling.words() as u32),
            cell: place,
            stride: CUBE_COUNT * SAMPLERS,
        };
        if comptime!(sampling.chains == ChainFamily::Dirichlet) {
            spacings(work, &lane, 0u32, contexts, sampling);
        }
        if comptime!(sampling.chains == ChainFamily::Independent) {
            independent(work, &lane, 0u32, sampling);
        }
        if comptime!(sampling.chains == ChainFamily::DoublyStochastic) {
            doubly(work, &lane, 0u32, sampling);
        }
        if comptime!(sampling.chains == ChainFamily::Mixture) {
            if word(&lane, Purpose::Chain, lane.chain) >> 8u32 < bound {
                doubly(work, &lane, 1u32, sampling);
            } else {
                independent(work, &lane, 1u32, sampling);
            }
        }
        fill(work, &lane, sampling);
        let draw = word(&lane, Purpose::Batch, lane.sequence) >> 8u32;
        let mut context = stationary_context(work, &lane, draw, sampling);
        let to = number as usize * comptime!(sampling.length + 1);
        let mut rest = context;
        for digit in 0..comptime!(order - 1) {
            out[to + comptime!(order - 2) - digit] = (rest % k) as u32;
            rest /= k;
        }
        for i in 1..comptime!(sampling.words()) {
            let draw = f32::cast_from(word(&lane, Purpose::Batch, lane.sequence + i as u32) >> 8u32);
            let mut symbol = 0usize;
            for s in 0..comptime!(k - 1) {
                let until = work[lane.cell + (context * comptime!(k - 1) + s) * lane.stride];
                symbol += select(draw >= until, 1usize, 0usize);
            }
            context = (context * k + symbol) % contexts;
            out[to + comptime!(order - 2) + i] = symbol as u32;
        }
    }
}
