//! Slices of training steps: what every network on the GPU shares that is trained slice by slice.
//!
//! # Why
//! Steps are enqueued in slices that take about as long as a picture on the screen, and every slice is read back
//! once, with all its measurements. The weights stay on the device. Every launch of a slice writes a number of its
//! own, the nonce, beside its measurements: if it does not come back, the launch was dropped, and whatever else
//! came back is stale.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP};
use crate::optim::Optimizer;
use crate::protocol::Failure;

/// What one slice is to take.
const SLICE_MS: f64 = 20.0;

/// The numbers of the update rule for steps `from` to `until`: those that hold throughout, then those of each step.
pub fn schedule(optimizer: &Optimizer, rate: impl Fn(u64) -> f64, from: u64, until: u64) -> Vec<f32> {
    let mut schedule = optimizer.constants().to_vec();
    schedule.resize(SCHEDULE_HEAD, 0.0);
    for step in from..=until {
        let row: [f32; SCHEDULE_STEP] = optimizer.scalars(step, rate(step));
        schedule.extend(row);
    }
    schedule
}

/// How large a network's state is.
#[derive(Debug, Clone, Copy)]
pub(super) struct StateSize {
    /// Networks side by side.
    pub replicas: usize,
    /// Numbers of one: its parameters, then their moments.
    pub each: usize,
    /// Its parameters.
    pub parameters: usize,
}

/// The state of all replicas on the GPU, how far it has been trained, and how long slices are.
pub struct Slices {
    pub(super) client: Client,
    state: Handle,
    size: StateSize,
    step: u64,
    recorded: Option<u64>,
    /// Steps of the next slice, and of any.
    steps: f64,
    most_steps: f64,
    nonce: u32,
}

impl Slices {
    /// At step 0, with a `state` of this size; the first slice has `steps` steps, and any has `most_steps` at most.
    pub(super) fn new(client: Client, state: Handle, size: StateSize, steps: f64, most_steps: f64) -> Self {
        Slices { client, state, size, step: 0, recorded: None, steps, most_steps, nonce: 0 }
    }

    /// Steps made so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Counts on from `step`, with the weights as they are.
    pub fn set_step(&mut self, step: u64) {
        (self.step, self.recorded) = (step, None);
    }

    /// Takes it that step `step` has been measured, and no other.
    pub fn set_recorded(&mut self, step: Option<u64>) {
        self.recorded = step;
    }

    /// Replaces the state by one that [`Slices::save`] gave after `step` steps.
    pub(super) fn put(&mut self, state: &[f32], step: u64) {
        debug_assert_eq!(state.len(), self.size.replicas * self.size.each, "a state of this network");
        self.state = self.client.create_from_slice(f32::as_bytes(state));
        self.set_step(step);
    }

    /// Everything that training changes: of every replica the parameters, then their moments.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn save(&self) -> Result<Vec<f32>, Failure> {
        self.read(self.state.clone()).await
    }

    /// The parameters of the first replica.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn save_first(&self) -> Result<Vec<f32>, Failure> {
        let rest = self.size.replicas * self.size.each - self.size.parameters;
        self.read(self.state.clone().offset_end(4 * rest as u64)).await
    }

    /// The numbers in a buffer.
    pub(super) async fn read(&self, handle: Handle) -> Result<Vec<f32>, Failure> {
        let mut bytes = self.client.read_async(vec![handle]).await.map_err(Failure::lost)?;
        Ok(f32::from_bytes(&bytes.remove(0)).to_vec())
    }

    /// The state, as a kernel takes it.
    #[expect(unsafe_code, reason = "a buffer is handed over with its length")]
    pub(super) fn state(&self) -> BufferArg {
        // SAFETY: the length is that of the buffer.
        unsafe { BufferArg::from_raw_parts(self.state.clone(), self.size.replicas * self.size.each) }
    }

    /// End of the next slice towards step `last`, and the steps in it that are due: those that `every` divides unless
    /// they have been recorded, and with `look` the end, if it is `last`. A slice holds `records` measurements and
    /// `fits` steps at most.
    pub(super) fn next(
        &self,
        last: u64,
        every: u64,
        look: bool,
        records: usize,
        fits: u64,
    ) -> (u64, Vec<u64>) {
        let mut until = last.min(self.step + (self.steps as u64).min(fits));
        let mut due = vec![];
        let mut step = self.step.next_multiple_of(every);
        while step < until {
            if due.len() == records {
                until = step;
                break;
            }
            if self.recorded != Some(step) {
                due.push(step);
            }
            step = step.saturating_add(every);
        }
        if look && until == last && self.recorded != Some(until) {
            due.push(until);
        }
        (until, due)
    }

    /// A nonce for the next launches.
    pub(super) fn begin(&mut self) -> u32 {
        // Exact as a float, and never 0, which fresh memory holds.
        self.nonce = self.nonce % 0x00ff_ffff + 1;
        self.nonce
    }

    /// The nonce of the last launches.
    pub(super) fn nonce(&self) -> u32 {
        self.nonce
    }

    /// Takes it that a slice up to `until` took `ms` milliseconds, measured the steps that were `due`, and brought back
    /// these nonces.
    ///
    /// # Errors
    /// [`Failure::GpuLost`] when one is not that of the last launches.
    pub(super) fn finish(
        &mut self,
        until: u64,
        due: &[u64],
        ms: f64,
        nonces: impl IntoIterator<Item = f32>,
    ) -> Result<(), Failure> {
        self.learn(until - self.step, ms);
        self.prove(nonces)?;
        self.step = until;
        self.recorded = due.last().copied().or(self.recorded);
        Ok(())
    }

    /// Whether all numbers are those of the last launches.
    ///
    /// # Errors
    /// [`Failure::GpuLost`] when one is not.
    pub(super) fn prove(&self, nonces: impl IntoIterator<Item = f32>) -> Result<(), Failure> {
        if nonces.into_iter().all(|nonce| nonce == self.nonce as f32) {
            return Ok(());
        }
        Err(Failure::GpuLost("a launch did not give its numbers back".into()))
    }

    /// Fits the length of the next slice to the time of the last.
    fn learn(&mut self, steps: u64, ms: f64) {
        let fits = (self.steps * (SLICE_MS / ms.max(0.1)).clamp(0.25, 4.0)).clamp(1.0, self.most_steps);
        // A short slice says nothing about long ones, unless it took too long.
        if steps >= self.steps as u64 || fits < self.steps {
            self.steps = fits;
        }
    }
}
