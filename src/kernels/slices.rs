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

use super::buffer::Buffer;
use super::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP};
use super::shape::{CARRIED_FIELDS, carry};
use vivarium_model::optim::Optimizer;
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;

/// What one slice is to take.
const SLICE_MS: f64 = 20.0;
/// Why runs do not lie side by side.
pub(super) const DIFFER: &str = "they differ in what the kernels are compiled for";
/// Numbers that one workgroup copies.
const COPIED: usize = 4096;
/// Bytes of measurements read back in one slice.
pub(super) const MEASURE_BYTES: usize = 4 << 20;

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

/// How many times so many numbers fit into so many bytes in a slice whose last step is left over: once at least.
pub(super) fn fitting(bytes: usize, numbers: usize) -> usize {
    (bytes / (4 * numbers)).max(2) - 1
}

/// The steps that launches go up to in a slice to `until`, whose end may be `due` itself, and those that they measure:
/// what is due, and the last, which proves that they ran to their end.
pub(super) fn measured(until: u64, due: &[u64]) -> (u64, Vec<u64>) {
    let end = if due.last() == Some(&until) { until + 1 } else { until };
    let mut measured = due.to_vec();
    if measured.last() != Some(&(end - 1)) {
        measured.push(end - 1);
    }
    (end, measured)
}

/// How many networks there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Networks {
    /// Runs that lie side by side.
    pub runs: usize,
    /// Networks of each.
    pub replicas: usize,
}

/// A copy on the GPU of what one run has in the buffers that several runs share.
pub struct SavedRun(Vec<Buffer>);

/// A buffer on the GPU in which every run has as many numbers.
pub(super) struct RunBuffer {
    client: Client,
    buffer: Buffer,
    runs: usize,
    /// Numbers of one run.
    each: usize,
}

impl RunBuffer {
    /// A buffer for `runs` runs with `each` numbers, whatever they are.
    pub fn new(client: &Client, runs: usize, each: usize) -> Self {
        RunBuffer { client: client.clone(), buffer: Buffer::empty(client, runs * each), runs, each }
    }

    /// Replaces the numbers of one run.
    pub fn put(&mut self, run: usize, numbers: &[f32]) {
        debug_assert_eq!(numbers.len(), self.each, "the numbers of this run");
        let numbers = Buffer::numbers(&self.client, numbers);
        if self.runs == 1 {
            self.buffer = numbers;
        } else {
            self.restore(run, &numbers);
        }
    }

    /// A copy of the numbers of one run.
    fn save(&self, run: usize) -> Buffer {
        let saved = Buffer::empty(&self.client, self.each);
        self.copy(&self.buffer, &saved, [run * self.each, 0]);
        saved
    }

    /// Takes the numbers of one run back to a copy of them.
    fn restore(&self, run: usize, saved: &Buffer) {
        self.copy(saved, &self.buffer, [0, run * self.each]);
    }

    /// Copies the numbers of a run from one buffer to another: from where and to where.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn copy(&self, from: &Buffer, to: &Buffer, [begin, target]: [usize; 2]) {
        let line = |at: usize| [begin + at, target + at, COPIED.min(self.each - at)];
        let table: Vec<u32> =
            (0..self.each).step_by(COPIED).flat_map(|at| line(at).map(|number| number as u32)).collect();
        let groups = table.len() / CARRIED_FIELDS;
        // SAFETY: both stretches are within the buffers.
        unsafe {
            carry::launch_unchecked(
                &self.client,
                CubeCount::Static(groups as u32, 1, 1),
                CubeDim::new_1d(64),
                from.whole(),
                to.whole(),
                Buffer::words(&self.client, &table).whole(),
            );
        }
    }

    /// The buffer, as a kernel takes it.
    pub fn whole(&self) -> BufferArg {
        self.buffer.whole()
    }

    /// The first `count` numbers of a run.
    fn part(&self, run: usize, count: usize) -> Handle {
        self.buffer.part(run * self.each, count)
    }
}

/// The state of all networks on the GPU, how far those that are selected have been trained, and how long slices are.
pub struct Slices {
    pub(super) client: Client,
    networks: Networks,
    /// Of every network its parameters, then their moments.
    pub(super) state: RunBuffer,
    /// What the kernels keep of each run besides.
    pub(super) beside: Vec<RunBuffer>,
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
            beside: vec![],
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

    /// Replaces the state of a run: of every replica the parameters, then their moments.
    pub fn put(&mut self, run: usize, state: &[f32]) {
        self.state.put(run, state);
    }

    /// A copy of what there is of a run, which stays on the GPU.
    pub fn save(&self, run: usize) -> SavedRun {
        SavedRun(std::iter::once(&self.state).chain(&self.beside).map(|buffer| buffer.save(run)).collect())
    }

    /// Takes a run back to a copy of what there was.
    pub fn restore(&self, run: usize, saved: &SavedRun) {
        let buffers = std::iter::once(&self.state).chain(&self.beside);
        buffers.zip(&saved.0).for_each(|(buffer, saved)| buffer.restore(run, saved));
    }

    /// Steps of the next slice, as far as its time goes.
    pub fn steps(&self) -> f64 {
        self.steps
    }

    /// The first `count` numbers of the state of a run: of each network the parameters, then their moments.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn state_of(&self, run: usize, count: usize) -> Result<Vec<f32>, RunError> {
        self.read(self.state.part(run, count)).await
    }

    /// The numbers in a buffer.
    pub(super) async fn read(&self, handle: Handle) -> Result<Vec<f32>, RunError> {
        let mut bytes = self.client.read_async(vec![handle]).await.map_err(RunError::gpu_lost)?;
        Ok(f32::from_bytes(&bytes.remove(0)).to_vec())
    }

    /// End of the next slice towards step `last`, and the steps in it that are due: those that `every` divides unless
    /// they have been recorded, and with `look` the end, if it is `last`; nothing where there is nothing to do. A slice
    /// holds `records` measurements and `fits` steps at most.
    pub(super) fn next(
        &self,
        last: u64,
        every: u64,
        look: bool,
        records: usize,
        fits: u64,
    ) -> Option<(u64, Vec<u64>)> {
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
        (until > self.step || !due.is_empty()).then_some((until, due))
    }

    /// The schedules of the selected runs up to step `until`, one after the other, and how many numbers each has.
    pub(super) fn schedules(&self, specs: &[RunSpec], until: u64) -> (Vec<f32>, usize) {
        let of = |run: &usize| {
            let spec = &specs[*run];
            schedule(&spec.optimizer, |step| spec.learning_rate(step), self.step, until)
        };
        let schedules: Vec<Vec<f32>> = self.selected.iter().map(of).collect();
        let each = schedules.first().map_or(0, Vec::len);
        (schedules.concat(), each)
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
    /// [`RunError::GpuLost`] when one is not that of the last launches.
    pub(super) fn finish(
        &mut self,
        until: u64,
        due: &[u64],
        ms: f64,
        nonces: impl IntoIterator<Item = f32>,
    ) -> Result<(), RunError> {
        self.learn(until - self.step, ms);
        self.prove(nonces)?;
        self.step = until;
        self.recorded = due.last().copied().or(self.recorded);
        Ok(())
    }

    /// Whether all numbers are those of the last launches.
    ///
    /// # Errors
    /// [`RunError::GpuLost`] when one is not.
    pub(super) fn prove(&self, nonces: impl IntoIterator<Item = f32>) -> Result<(), RunError> {
        if nonces.into_iter().all(|nonce| nonce == self.nonce as f32) {
            return Ok(());
        }
        Err(RunError::GpuLost("a launch did not give its numbers back".into()))
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
