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
use cubecl::server::Handle;

use vivarium_model::protocol::RunError;

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

/// What a measurement takes at least beside what it is compared with, in seconds: browsers round the time.
const LONG_S: f64 = 0.02;

/// Milliseconds that one launch takes beside its computing: many tiny launches that are waited for together.
///
/// # Errors
/// When the device stops working.
pub async fn launch_ms(client: &Client, now_ms: impl Fn() -> f64) -> Result<f64, RunError> {
    let spinning = Spinning::new(client, 1);
    let one = spinning.best([1, 1], &now_ms).await?;
    let mut launches = 64u32;
    loop {
        let many = spinning.best([1, launches], &now_ms).await?;
        if many - one >= LONG_S || launches >= 1 << 14 {
            return Ok((many - one).max(0.0) * 1e3 / f64::from(launches - 1));
        }
        launches *= 4;
    }
}

/// Operations per second of `groups` workgroups of 256 lanes: the best of five launches of some 20 ms, without what a launch
/// of one turn takes.
///
/// # Errors
/// When the device stops working.
pub async fn flops(client: &Client, groups: u32, now_ms: impl Fn() -> f64) -> Result<f64, RunError> {
    let spinning = Spinning::new(client, groups);
    let short = spinning.best([1, 1], &now_ms).await?;
    let mut turns = 2u32;
    while spinning.run([turns, 1], &now_ms).await? - short < LONG_S && turns < 1 << 24 {
        turns *= 2;
    }
    let long = spinning.best([turns, 1], &now_ms).await?;
    Ok(lane_flops(turns - 1) * spinning.lanes as f64 / (long - short).max(1e-6))
}

/// A buffer for [`spin()`].
struct Spinning<'client> {
    client: &'client Client,
    groups: u32,
    lanes: usize,
    out: Handle,
}

impl<'client> Spinning<'client> {
    fn new(client: &'client Client, groups: u32) -> Self {
        let lanes = groups as usize * 256;
        Spinning { client, groups, lanes, out: client.empty(4 * lanes) }
    }

    /// The shortest of five times of [`Spinning::run`].
    async fn best(&self, how: [u32; 2], now_ms: &impl Fn() -> f64) -> Result<f64, RunError> {
        // The first one compiles.
        self.run(how, now_ms).await?;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(self.run(how, now_ms).await?);
        }
        Ok(best)
    }

    /// Seconds that launches take together: of so many turns each, and so many.
    #[expect(unsafe_code, reason = "launching a kernel hands it a raw buffer")]
    async fn run(&self, [turns, launches]: [u32; 2], now_ms: &impl Fn() -> f64) -> Result<f64, RunError> {
        let begin = now_ms();
        for _ in 0..launches {
            // SAFETY: the buffer holds one number for each lane.
            unsafe {
                spin::launch_unchecked(
                    self.client,
                    CubeCount::Static(self.groups, 1, 1),
                    CubeDim::new_1d(256),
                    BufferArg::from_raw_parts(self.out.clone(), self.lanes),
                    0.999f32,
                    turns,
                );
            }
        }
        // Only the first numbers: waiting for them is waiting for all.
        let first = self.out.clone().offset_end(4 * (self.lanes as u64 - 1));
        self.client.read_async(vec![first]).await.map_err(RunError::gpu_lost)?;
        Ok((now_ms() - begin) / 1e3)
    }
}
