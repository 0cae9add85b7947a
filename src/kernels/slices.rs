//! Slices of training steps: what every network on the GPU shares that is trained slice by slice.
//!
//! # Why
//! Steps are enqueued in slices that take about as long as a picture on the screen, and every slice is read back
//! once, with all its measurements. The weights stay on the device. Every launch of a slice writes a number of its
//! own, the nonce, beside its measurements: if it does not come back, the launch was dropped, and whatever else
//! came back is stale.
//!
//! Several runs of one shape lie side by side in the same buffers, with as many replicas each. Those that are
//! [selected](Slices::select) are trained by the next launches, which find the place of every network in a table.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP};
use super::shape::{CARRIED_FIELDS, carry};
use crate::optim::Optimizer;
use crate::protocol::Failure;

/// What one slice is to take.
const SLICE_MS: f64 = 20.0;
/// Why runs do not lie side by side.
pub(super) const DIFFER: &str = "they differ in what the kernels are compiled for";
/// Numbers that one workgroup copies.
const COPIED: usize = 4096;

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

/// How many networks there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Networks {
    /// Runs that lie side by side.
    pub runs: usize,
    /// Networks of each.
    pub replicas: usize,
}

/// A copy on the GPU of what one run has in a buffer that several runs share.
pub struct SavedRun(Handle);

/// A buffer on the GPU in which every run has as many numbers.
pub(super) struct RunBuffer {
    client: Client,
    handle: Handle,
    runs: usize,
    /// Numbers of one run.
    each: usize,
}

impl RunBuffer {
    /// A buffer for `runs` runs with `each` numbers, whatever they are.
    pub fn new(client: &Client, runs: usize, each: usize) -> Self {
        RunBuffer { client: client.clone(), handle: client.empty(4 * runs * each), runs, each }
    }

    /// Replaces the numbers of one run.
    pub fn put(&mut self, run: usize, numbers: &[f32]) {
        debug_assert_eq!(numbers.len(), self.each, "the numbers of this run");
        let handle = self.client.create_from_slice(f32::as_bytes(numbers));
        if self.runs == 1 {
            self.handle = handle;
        } else {
            self.restore(run, &SavedRun(handle));
        }
    }

    /// A copy of the numbers of one run.
    pub fn save(&self, run: usize) -> SavedRun {
        let saved = SavedRun(self.client.empty(4 * self.each));
        self.copy((&self.handle, self.runs * self.each), (&saved.0, self.each), [run * self.each, 0]);
        saved
    }

    /// Takes the numbers of one run back to a copy of them.
    pub fn restore(&mut self, run: usize, saved: &SavedRun) {
        self.copy((&saved.0, self.each), (&self.handle, self.runs * self.each), [0, run * self.each]);
    }

    /// Copies the numbers of a run from one buffer to another: from where and to where.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn copy(&self, from: (&Handle, usize), to: (&Handle, usize), [begin, target]: [usize; 2]) {
        let line = |at: usize| [begin + at, target + at, COPIED.min(self.each - at)];
        let table: Vec<u32> =
            (0..self.each).step_by(COPIED).flat_map(|at| line(at).map(|number| number as u32)).collect();
        let handle = self.client.create_from_slice(u32::as_bytes(&table));
        // SAFETY: every length is that of its buffer, and both stretches are within the buffers.
        unsafe {
            carry::launch_unchecked(
                &self.client,
                CubeCount::Static((table.len() / CARRIED_FIELDS) as u32, 1, 1),
                CubeDim::new_1d(64),
                BufferArg::from_raw_parts(from.0.clone(), from.1),
                BufferArg::from_raw_parts(to.0.clone(), to.1),
                BufferArg::from_raw_parts(handle, table.len()),
            );
        }
    }

    /// The buffer, as a kernel takes it.
    #[expect(unsafe_code, reason = "a buffer is handed over with its length")]
    pub fn whole(&self) -> BufferArg {
        // SAFETY: the length is that of the buffer.
        unsafe { BufferArg::from_raw_parts(self.handle.clone(), self.runs * self.each) }
    }

    /// The first `count` numbers of a run.
    fn part(&self, run: usize, count: usize) -> Handle {
        let (begin, rest) = (run * self.each, (self.runs - run) * self.each - count);
        self.handle.clone().offset_start(4 * begin as u64).offset_end(4 * rest as u64)
    }
}

/// The state of all networks on the GPU, how far those that are selected have been trained, and how long slices are.
pub struct Slices {
    pub(super) client: Client,
    networks: Networks,
    /// Of every network its parameters, then their moments.
    pub(super) state: RunBuffer,
    /// Numbers of the runs that the next launches train, in rising order.
    selected: Vec<usize>,
    step: u64,
    recorded: Option<u64>,
    /// Steps of the next slice, and of any.
    steps: f64,
    most_steps: f64,
    nonce: u32,
}

impl Slices {
    /// At step 0, with `each` numbers of state for a network, all runs selected; the first slice has `steps` steps, and
    /// any has `most_steps` at most.
    pub(super) fn new(client: Client, networks: Networks, each: usize, steps: f64, most_steps: f64) -> Self {
        Slices {
            state: RunBuffer::new(&client, networks.runs, networks.replicas * each),
            client,
            networks,
            selected: (0..networks.runs).collect(),
            step: 0,
            recorded: None,
            steps,
            most_steps,
            nonce: 0,
        }
    }

    /// Steps that the selected runs have made.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The step that they were last measured at.
    pub fn recorded(&self) -> Option<u64> {
        self.recorded
    }

    /// The next launches train these runs, in rising order, all of which have made `step` steps and were last
    /// measured at `recorded`.
    pub fn select(&mut self, runs: Vec<usize>, step: u64, recorded: Option<u64>) {
        debug_assert!(runs.is_sorted() && runs.last().is_none_or(|run| *run < self.networks.runs));
        (self.selected, self.step, self.recorded) = (runs, step, recorded);
    }

    /// Numbers of the selected runs, in rising order.
    pub fn selected(&self) -> &[usize] {
        &self.selected
    }

    /// Networks that the next launches train.
    pub(super) fn lines(&self) -> usize {
        self.selected.len() * self.networks.replicas
    }

    /// The table of these networks, in which `line` says what the kernels read of replica so and so of a run; each line
    /// begins with the number of its network among all.
    pub(super) fn table<const FIELDS: usize>(
        &self,
        line: impl Fn(usize, usize, usize) -> [u32; FIELDS],
    ) -> Vec<u32> {
        let replicas = self.networks.replicas;
        let of = |(at, run): (usize, usize)| {
            let line = &line;
            (0..replicas).flat_map(move |replica| {
                let network = (run * replicas + replica) as u32;
                std::iter::once(network).chain(line(at, run, replica))
            })
        };
        self.selected.iter().copied().enumerate().flat_map(of).collect()
    }

    /// A copy of the state of a run, which stays on the GPU.
    pub fn save(&self, run: usize) -> SavedRun {
        self.state.save(run)
    }

    /// Takes a run back to a copy of its state.
    pub fn restore(&mut self, run: usize, saved: &SavedRun) {
        self.state.restore(run, saved);
    }

    /// Steps of the next slice, as far as its time goes.
    pub fn steps(&self) -> f64 {
        self.steps
    }

    /// The first `count` numbers of the state of a run: of each network the parameters, then their moments.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn state_of(&self, run: usize, count: usize) -> Result<Vec<f32>, Failure> {
        self.read(self.state.part(run, count)).await
    }

    /// The numbers in a buffer.
    pub(super) async fn read(&self, handle: Handle) -> Result<Vec<f32>, Failure> {
        let mut bytes = self.client.read_async(vec![handle]).await.map_err(Failure::lost)?;
        Ok(f32::from_bytes(&bytes.remove(0)).to_vec())
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
