//! What the kernels of networks on prompts do alike.

#![allow(
    missing_docs,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust"
)]

use cubecl::prelude::*;

use crate::pieces::broken;

/// Leaves the measurement of a prompt in `measures`, from `at` on: the sum of the squares of its `length` errors, how many
/// of them are broken, and `nonce`, by a lane each.
#[cube]
pub fn measure(
    errors: &Shared<[f32]>,
    measures: &mut [f32],
    at: usize,
    nonce: u32,
    #[comptime] length: usize,
) {
    let lane = UNIT_POS as usize;
    if lane == 0 {
        let mut sum = 0.0f32;
        for i in 0..length {
            sum += errors[i] * errors[i];
        }
        measures[at] = sum;
    }
    if lane == 1 {
        let mut wrong = 0.0f32;
        for i in 0..length {
            wrong += broken(errors[i]);
        }
        measures[at + 1] = wrong;
    }
    if lane == 2 {
        measures[at + 2] = f32::cast_from(nonce);
    }
}
