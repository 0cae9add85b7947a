//! Where a step's examples come from, inside a kernel: the generator, or rows of a finite sample.
//!
//! The same words as in [`vivarium_model::tasks::sparse_parity`], bit for bit: one word holds one input of 32 examples.

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

use super::plan::Plan;
use super::shape::Shape;
use vivarium_core::rng::{Purpose, device};

/// Where a step's random numbers come from.
#[derive(CubeType, Clone, Copy)]
pub struct Draw {
    pub seed_low: u32,
    pub seed_high: u32,
    pub replica: u32,
    pub step_low: u32,
    pub step_high: u32,
    /// Epoch and place in it of the step's first example, for a finite sample.
    pub epoch: u32,
    pub place: u32,
    /// How many rows that sample has, and half the bits of the next power of four; where the first of them lies.
    pub size: u32,
    pub half: u32,
    pub rows: usize,
}

/// Where the random numbers of the line that begins at `at` come from; see `kernels::shape::Line`.
#[cube]
pub fn drawn(table: &[u32], at: usize) -> Draw {
    Draw {
        seed_low: table[at + 7],
        seed_high: table[at + 8],
        replica: table[at + 9],
        step_low: table[at + 10],
        step_high: table[at + 11],
        epoch: table[at + 12],
        place: table[at + 13],
        size: table[at + 18],
        half: table[at + 19],
        rows: table[at + 17] as usize,
    }
}

/// Fresh examples: the words of the block's inputs, and which labels are flipped. Lanes from `first` on work.
#[cube]
pub fn draw_fresh(
    words: &mut Shared<[u32]>,
    at: usize,
    flips: &mut Shared<[u32]>,
    flips_at: usize,
    draw: &Draw,
    shape: &Shape,
    block: usize,
    threshold: u32,
    #[comptime] first: usize,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let n = shape.inputs;
    let helpers = comptime!(plan.lanes - first);
    let lane = UNIT_POS as usize;
    if lane >= first {
        let begin = block * n;
        let quads = (begin + n - 1) / 4 - begin / 4 + 1;
        let mut q = lane - first;
        while q < quads {
            let quad = begin / 4 + q;
            let (w0, w1, w2, w3) = device::draw_four(
                draw.seed_low,
                draw.seed_high,
                comptime!(Purpose::Batch as u32),
                draw.replica,
                draw.step_low,
                draw.step_high,
                quad as u32,
            );
            let mut w = Array::<u32>::new(4usize);
            w[0] = w0;
            w[1] = w1;
            w[2] = w2;
            w[3] = w3;
            #[unroll]
            for k in 0..4usize {
                let index = 4 * quad + k;
                if index >= begin && index < begin + n {
                    words[at + index - begin] = w[k];
                }
            }
            q += helpers;
        }
        if comptime!(net.noise) {
            let mut q = lane - first;
            while q < 8 {
                let (w0, w1, w2, w3) = device::draw_four(
                    draw.seed_low,
                    draw.seed_high,
                    comptime!(Purpose::Noise as u32),
                    draw.replica,
                    draw.step_low,
                    draw.step_high,
                    (block * 8 + q) as u32,
                );
                flips[flips_at + 4 * q] = select(w0 < threshold, 1u32, 0u32);
                flips[flips_at + 4 * q + 1] = select(w1 < threshold, 1u32, 0u32);
                flips[flips_at + 4 * q + 2] = select(w2 < threshold, 1u32, 0u32);
                flips[flips_at + 4 * q + 3] = select(w3 < threshold, 1u32, 0u32);
                q += helpers;
            }
        }
    }
}

/// Which rows of the finite sample make the block.
#[cube]
pub fn choose_rows(
    visits: &mut Shared<[u32]>,
    draw: &Draw,
    block: usize,
    #[comptime] first: usize,
    #[comptime] plan: Plan,
) {
    let size = draw.size;
    let mut e = UNIT_POS as usize;
    if e >= first {
        e = e - first;
        while e < comptime!(plan.block) {
            let visit = draw.place + (block * 32 + e) as u32;
            let epoch = draw.epoch + visit / size;
            let (k0, k1, k2, k3) = device::draw_four(
                draw.seed_low,
                draw.seed_high,
                comptime!(Purpose::Order as u32),
                draw.replica,
                epoch,
                0u32,
                0u32,
            );
            let (k4, k5, k6, k7) = device::draw_four(
                draw.seed_low,
                draw.seed_high,
                comptime!(Purpose::Order as u32),
                draw.replica,
                epoch,
                0u32,
                1u32,
            );
            visits[e] = device::permuted(visit % size, size, draw.half, k0, k1, k2, k3, k4, k5, k6, k7);
            e += comptime!(plan.lanes - first);
        }
    }
}

/// The words of the chosen rows: bit e of word i is input i of example e; the last word is the label.
#[cube]
pub fn gather_rows(
    words: &mut Shared<[u32]>,
    at: usize,
    visits: &Shared<[u32]>,
    data: &[u32],
    draw: &Draw,
    shape: &Shape,
    #[comptime] plan: Plan,
) {
    let across = shape.inputs / 32 + 1;
    let mut i = UNIT_POS as usize;
    while i <= shape.inputs {
        let mut word = 0u32;
        for e in 0..comptime!(plan.block) {
            let row = draw.rows + visits[e] as usize * across;
            word = word | (((data[row + i / 32] >> ((i % 32) as u32)) & 1u32) << (e as u32));
        }
        words[at + i] = word;
        i += comptime!(plan.lanes);
    }
}
