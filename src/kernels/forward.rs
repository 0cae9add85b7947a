//! The forward pass of a block of examples, shared by training and measuring.

#![allow(
    missing_docs,
    clippy::assign_op_pattern,
    clippy::collapsible_if,
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

use cubecl::prelude::*;

use super::pieces::{activate, indices, registers, sign};
use super::plan::{Head, Plan};
use super::shape::{Shape, place_b, place_beta, place_u};

/// A number of the hidden activations, from workgroup memory or from the scratch buffer.
#[cube]
pub fn load(hidden: &Shared<[f32]>, scratch: &[f32], spill: usize, at: usize, #[comptime] plan: Plan) -> f32 {
    if comptime!(plan.hidden_in_workgroup) { hidden[at] } else { scratch[spill + at] }
}

#[cube]
pub fn store(
    hidden: &mut Shared<[f32]>,
    scratch: &mut [f32],
    spill: usize,
    at: usize,
    value: f32,
    #[comptime] plan: Plan,
) {
    if comptime!(plan.hidden_in_workgroup) {
        hidden[at] = value;
    } else {
        scratch[spill + at] = value;
    }
}

/// A barrier after which every lane sees what the others left of the hidden activations.
#[cube]
pub fn barrier(#[comptime] plan: Plan) {
    if comptime!(plan.hidden_in_workgroup) {
        sync_cube();
    } else {
        sync_storage();
    }
}

/// Forward: z of every unit for the 32 examples whose bits are in `words` from `at` on, and partial sums of
/// the output. The state of the replica starts at `base`.
#[cube]
pub fn forward(
    state: &[f32],
    base: usize,
    words: &Shared<[u32]>,
    at: usize,
    hidden: &mut Shared<[f32]>,
    scratch: &mut [f32],
    spill: usize,
    sums: &mut Shared<[f32]>,
    schedule: &[f32],
    shape: &Shape,
    #[comptime] keep: bool,
    #[comptime] plan: Plan,
) {
    let net = comptime!(plan.network);
    let (te, tu) = comptime!((plan.examples, plan.units));
    let n = shape.inputs;
    let h = shape.width;
    let columns = shape.columns;
    let at_u = place_u(shape);
    let at_b = place_b(shape, net.head);
    let passes = (h + tu * columns - 1) / (tu * columns);
    let stride = comptime!(plan.sums_stride());
    let lane = UNIT_POS as usize;
    let column = lane % columns;
    let band = lane / columns;
    if band < comptime!(plan.bands()) {
        let part = registers(te);
        for pass in 0..passes {
            let z = registers(comptime!(te * tu));
            let w = registers(tu);
            let unit = indices(tu);
            #[unroll]
            for t in 0..tu {
                let j = (pass * tu + t) * columns + column;
                // Lanes beyond the width repeat the last unit, and count it as nothing.
                let this = select(j < h, j, h - 1);
                let bias = state[base + at_b + this];
                unit[t].store(this);
                #[unroll]
                for e in 0..te {
                    z[e * tu + t].store(bias);
                }
            }
            for i in 0..n {
                let bits = words[at + i] >> ((band * te) as u32);
                #[unroll]
                for t in 0..tu {
                    w[t].store(state[base + i * h + unit[t].read()]);
                }
                #[unroll]
                for e in 0..te {
                    let x = sign(bits, e as u32);
                    #[unroll]
                    for t in 0..tu {
                        z[e * tu + t].store(z[e * tu + t].read() + w[t].read() * x);
                    }
                }
            }
            #[unroll]
            for t in 0..tu {
                let inside = (pass * tu + t) * columns + column < h;
                let this = unit[t].read();
                let mut u = 0.0f32;
                if comptime!(net.head == Head::Sum) {
                    u = select(inside, state[base + at_u + this], 0.0f32);
                }
                #[unroll]
                for e in 0..te {
                    let value = z[e * tu + t].read();
                    if comptime!(net.head == Head::Sum) {
                        let (a, _slope) = activate(value, schedule, net.activation, net.degree);
                        part[e].store(part[e].read() + u * a);
                    }
                    if comptime!(keep) {
                        if inside {
                            store(hidden, scratch, spill, (band * te + e) * h + this, value, plan);
                        }
                    }
                }
            }
        }
        if comptime!(net.head == Head::Sum) {
            #[unroll]
            for e in 0..te {
                sums[(band * te + e) * stride + column] = part[e].read();
            }
        }
    }
}

/// The output for example `lane` of the block, after [`forward()`] and a barrier.
#[cube]
pub fn output(
    state: &[f32],
    base: usize,
    hidden: &Shared<[f32]>,
    sums: &Shared<[f32]>,
    lane: usize,
    shape: &Shape,
    #[comptime] plan: Plan,
) -> f32 {
    let net = comptime!(plan.network);
    let mut f = 1.0f32;
    if comptime!(net.head == Head::Sum) {
        let columns = shape.columns;
        let stride = comptime!(plan.sums_stride());
        // Four sums, so that the additions do not wait for each other.
        let mut s0 = state[base + place_beta(shape, net.head)];
        let mut s1 = 0.0f32;
        let mut s2 = 0.0f32;
        let mut s3 = 0.0f32;
        for q in 0..columns / 4 {
            let from = lane * stride + 4 * q;
            s0 += sums[from];
            s1 += sums[from + 1];
            s2 += sums[from + 2];
            s3 += sums[from + 3];
        }
        for q in columns / 4 * 4..columns {
            s1 += sums[lane * stride + q];
        }
        f = (s0 + s1) + (s2 + s3);
    } else {
        for j in 0..shape.width {
            f = f * hidden[lane * shape.width + j];
        }
    }
    f
}
