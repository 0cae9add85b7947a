//! Several runs in one launch: many steps of all their networks, then one launch that measures, and one reading.
//!
//! # Why
//! A segment is one launch of the training kernel, which leaves a snapshot of the weights wherever something is due,
//! one launch that measures all snapshots, and one reading back. How many steps a launch makes follows the
//! clock: 10 to 40 ms, so that the desktop stays smooth, Pause is answered at once and no watchdog fires.
//! The numbers do not depend on it: a step is the same wherever a launch begins, and the parts in which
//! losses are added up follow from each run's specification alone. Nor do they depend on who shares the launch; see
//! [`vivarium_kernels::shape`].
//!
//! Networks that have been stopped, and runs that have ended, are left out of the next launch. Their room in the
//! buffers stays until the whole batch is gone, which is why batches are of bounded size.
//!
//! Every launch writes a number of its own beside its measurements. If it does not come back, the launch was
//! dropped, as a browser does with a shader that does not compile, and whatever else came back is stale.

use std::collections::VecDeque;
use std::rc::Rc;

use cubecl::prelude::*;
use cubecl::server::Handle;

use crate::gpu::example_buffer::{Data, Seen, Words};
use crate::gpu::launch_sizer::LaunchSizer;
use crate::gpu::learner::SharedRuns;
use crate::session::learner::{Progress, Segment, StoppedReplicas, Weights};
use vivarium_kernels::client::{client, limits};
use vivarium_kernels::measuring;
use vivarium_kernels::plan::{Limits, Network, Plan};
use vivarium_kernels::shape::{CARRIED_FIELDS, carry};
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Workgroups over which the measuring of one snapshot of all replicas of a run is spread, roughly.
pub(crate) const MEASURE_GROUPS: usize = 256;

/// Snapshots of a launch.
pub(crate) struct Snapshots {
    pub handle: Handle,
    /// Numbers in all of them, and in each.
    pub length: usize,
    pub across: usize,
    /// The networks in each, by run and replica, in order, each with its place.
    pub lines: Vec<(usize, usize, usize)>,
    /// At which steps of the launch they were taken, and the runs' steps at which it began.
    pub due: Vec<u64>,
    pub from: Vec<u64>,
}

impl Snapshots {
    /// Which of them is of run `who` at `step`.
    pub fn record(&self, who: usize, step: u64) -> Option<usize> {
        self.due.iter().position(|due| self.from[who] + due == step)
    }

    /// Which of its lines is of a network.
    pub fn line(&self, who: usize, replica: usize) -> Option<usize> {
        self.lines.binary_search_by_key(&(who, replica), |(who, replica, _)| (*who, *replica)).ok()
    }

    /// Where snapshot `record` of a network lies, if it came along.
    pub fn place(&self, record: usize, who: usize, replica: usize) -> Option<usize> {
        Some(record * self.across + self.lines[self.line(who, replica)?].2)
    }
}

/// A launch whose numbers have not been read.
pub(crate) struct PendingLaunch {
    pub snapshots: Snapshots,
    /// The runs that came along.
    pub members: Vec<usize>,
    pub steps: u64,
    /// Training measurements, then those of snapshots; nothing where no network is awake.
    pub handles: Vec<Handle>,
    /// Lines that measure each network, and parts of each line.
    pub jobs: usize,
    pub parts: usize,
    pub nonce: u32,
    pub begin_ms: f64,
}

/// A run of the batch.
pub(crate) struct BatchedRun {
    pub spec: RunSpec,
    /// Its plan, and the one for measuring, as if it were alone.
    pub plan: Plan,
    pub measuring: Plan,
    /// Where the state of its first replica lies, and where its numbers in the scratch buffer do.
    pub state: usize,
    pub scratch: usize,
    pub data: Data,
    /// Steps made, the last one, the one that has been measured, and on how many held-out examples.
    pub step: u64,
    pub last: u64,
    pub measured_at: Option<u64>,
    pub held_out: usize,
    /// Whether somebody wants it to go on.
    pub active: bool,
    /// Whether launches for others leave it where it is.
    pub detached: bool,
    pub stopped: StoppedReplicas,
    /// What launches have brought it and it has not asked for.
    pub waiting: VecDeque<(Progress, Rc<Snapshots>)>,
    /// Snapshots of the launch whose news it was measured_at last.
    pub snapshots: Option<Rc<Snapshots>>,
    remembered: Remembered,
}

/// Weights that a run can go back to.
enum Remembered {
    /// Those it began with.
    Initial,
    /// Those it was given.
    Given(Vec<f32>),
    /// Those in a snapshot: for each replica its place; none where it has been stopped.
    Snapshot(Handle, usize, Vec<Option<usize>>),
}

impl BatchedRun {
    pub fn replicas(&self) -> usize {
        self.spec.run.replicas
    }

    /// Numbers of one replica's state.
    pub fn size(&self) -> usize {
        self.plan.network.state()
    }

    /// Where the state of `replica` lies.
    pub fn place(&self, replica: usize) -> usize {
        self.state + replica * self.size()
    }

    /// Whether a measurement is due after `step` steps.
    pub fn due(&self, step: u64) -> bool {
        let scheduled = step.is_multiple_of(self.spec.run.every) || step >= self.last;
        scheduled && self.measured_at != Some(step)
    }

    /// How `count` examples are measured.
    pub fn examples(&self, place: usize, data: usize, count: usize) -> measuring::Line {
        let network = &self.measuring.network;
        let shape = [network.inputs, network.width, self.measuring.columns];
        measuring::Line { state: place, shape, data, chunk: parts(count, self.replicas()).0, examples: count }
    }

    /// The lines of the table that measure `replica`, whose state lies at `place`: held-out examples, then what is seen
    /// of a finite sample.
    pub fn measured(&self, replica: usize, place: usize, held_out: usize) -> Vec<measuring::Line> {
        let mut lines = vec![self.examples(place, self.data.held_out, held_out)];
        if let Some(Seen { first, own, count }) = self.data.seen {
            lines.push(self.examples(place, first + replica * own, count));
        }
        lines
    }
}

/// Blocks of one part, and parts, for measuring `count` examples.
pub(crate) fn parts(count: usize, replicas: usize) -> (usize, usize) {
    let blocks = count.div_ceil(32);
    let part = blocks.div_ceil((MEASURE_GROUPS / replicas).clamp(1, blocks));
    (part, blocks.div_ceil(part))
}

/// Mean loss and share of right answers of `[parts, 4]` sums over `count` examples.
pub(crate) fn means(sums: &[f32], count: usize) -> [f32; 2] {
    let sum = |which: usize| sums.iter().skip(which).step_by(4).sum::<f32>();
    let loss = if sum(2) > 0.0 { f32::NAN } else { sum(0) / count as f32 };
    [loss, sum(1) / count as f32]
}

/// Runs that train together on the GPU that has been opened.
pub struct BatchedRuns {
    pub(crate) client: Client,
    pub(crate) limits: Limits,
    pub(crate) plan: Plan,
    pub(crate) measuring: Plan,
    pub(crate) runs: Vec<BatchedRun>,
    pub(crate) state: Handle,
    pub(crate) state_len: usize,
    pub(crate) scratch: Handle,
    pub(crate) scratch_len: usize,
    pub(crate) data: Handle,
    pub(crate) data_len: usize,
    /// What has been launched and not read.
    pub(crate) pending: Option<PendingLaunch>,
    pub(crate) sizer: LaunchSizer,
    nonce: u32,
}

/// The plans that `spec` has by itself: for training, and for measuring.
///
/// # Errors
/// A sentence that says why the network does not fit the kernels or the GPU.
pub(crate) fn plans(spec: &RunSpec, limits: Limits) -> Result<[Plan; 2], String> {
    let network = Network::of(spec)?;
    let plan = Plan::tiled(network, spec.run.replicas, limits)?;
    let measuring = Plan::tiled(Network { batch: 32, ..network }, MEASURE_GROUPS, limits)?;
    if plan.turns() > limits.turns {
        return Err("one of its steps is longer than a simulated GPU lets a shader run".into());
    }
    let largest = 4 * spec.run.replicas * network.state().max(plan.scratch());
    if largest as u64 > limits.buffer_bytes {
        return Err(format!(
            "{} of these networks need a buffer of {} MiB",
            spec.run.replicas,
            largest >> 20
        ));
    }
    Ok([plan, measuring])
}

impl BatchedRuns {
    /// The batch of these runs, each at its initial weights.
    ///
    /// # Errors
    /// A sentence that says why they do not fit the kernels or the GPU, or not together.
    pub fn new(specs: &[RunSpec]) -> Result<BatchedRuns, String> {
        let client = client();
        let limits = limits(&client);
        let (mut runs, mut words, mut state): (Vec<BatchedRun>, _, Vec<f32>) =
            (vec![], Words::default(), vec![]);
        let (mut members, mut scratch) = ([vec![], vec![]], 0);
        for spec in specs {
            let [plan, measuring] = plans(spec, limits)?;
            let replicas = spec.run.replicas;
            members[0].push((plan, replicas));
            members[1].push((measuring, MEASURE_GROUPS));
            runs.push(BatchedRun {
                plan,
                measuring,
                state: state.len(),
                scratch,
                data: words.add(spec),
                step: 0,
                last: spec.run.steps,
                measured_at: None,
                held_out: spec.held_out_count(),
                active: true,
                detached: false,
                stopped: StoppedReplicas::default(),
                waiting: VecDeque::new(),
                snapshots: None,
                remembered: Remembered::Initial,
                spec: spec.clone(),
            });
            scratch += replicas * plan.scratch();
            state.extend(beginning(spec, plan.network.rule.moments()));
        }
        let [plan, measuring] =
            members.each_ref().map(|members| Plan::shared(members, limits).ok_or("they do not fit together"));
        let (plan, measuring) = (plan?, measuring?);
        if runs.iter().any(|run| plan.alone(&run.plan).turns() > limits.turns) {
            return Err("one of their steps is longer than a simulated GPU lets a shader run".into());
        }
        let own = |run: &BatchedRun| plan.hidden_in_workgroup == run.plan.hidden_in_workgroup;
        if !runs.iter().all(own) {
            return Err("some of them need more workgroup memory than others".into());
        }
        let words = words.into_words();
        let largest = 4 * state.len().max(words.len()).max(scratch);
        if largest as u64 > limits.buffer_bytes {
            return Err(format!("together they need a buffer of {} MiB", largest >> 20));
        }
        Ok(BatchedRuns {
            state_len: state.len(),
            state: client.create_from_slice(f32::as_bytes(&state)),
            scratch: client.empty(4 * scratch.max(1)),
            scratch_len: scratch.max(1),
            data: client.create_from_slice(u32::as_bytes(&words)),
            data_len: words.len(),
            pending: None,
            sizer: LaunchSizer::default(),
            nonce: 0,
            client,
            limits,
            plan,
            measuring,
            runs,
        })
    }

    pub(crate) fn next_nonce(&mut self) -> u32 {
        // Exact as a float, and never 0, which fresh memory holds.
        self.nonce = self.nonce % 0x00ff_ffff + 1;
        self.nonce
    }

    pub(crate) async fn read(&self, handles: Vec<Handle>) -> Result<Vec<Vec<f32>>, RunError> {
        let bytes = self.client.read_async(handles).await.map_err(RunError::gpu_lost)?;
        Ok(bytes.iter().map(|bytes| f32::from_bytes(bytes).to_vec()).collect())
    }

    /// Measurements, each with the number of the launch that made it; others are refused.
    pub(crate) async fn read_proven(
        &self,
        handles: Vec<Handle>,
        nonce: u32,
    ) -> Result<Vec<Vec<f32>>, RunError> {
        let read = self.read(handles).await?;
        if read.iter().flat_map(|values| values.chunks(4)).all(|four| four[3] == nonce as f32) {
            return Ok(read);
        }
        let why = crate::gpu::errors::trouble();
        Err(RunError::GpuLost(why.unwrap_or_else(|| "a launch did not give its numbers back".into())))
    }

    /// Puts numbers where line by line `moves` says: from where, to where, how many.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn carry(&self, from: (&Handle, usize), moves: &[[usize; CARRIED_FIELDS]]) {
        if moves.is_empty() {
            return;
        }
        let table: Vec<u32> = moves.iter().flatten().map(|number| *number as u32).collect();
        let handle = self.client.create_from_slice(u32::as_bytes(&table));
        // SAFETY: every length is that of its buffer, and the moves are between places of networks in them.
        unsafe {
            carry::launch_unchecked(
                &self.client,
                CubeCount::Static(moves.len() as u32, 1, 1),
                CubeDim::new_1d(64),
                BufferArg::from_raw_parts(from.0.clone(), from.1),
                BufferArg::from_raw_parts(self.state.clone(), self.state_len),
                BufferArg::from_raw_parts(handle, table.len()),
            );
        }
    }

    /// Replaces the state of `who`, replica by replica.
    fn write(&mut self, who: usize, state: &[f32]) {
        let handle = self.client.create_from_slice(f32::as_bytes(state));
        if self.runs.len() == 1 {
            self.state = handle;
        } else {
            self.carry((&handle, state.len()), &[[0, self.runs[who].state, state.len()]]);
        }
        self.runs[who].snapshots = None;
    }
}

impl SharedRuns for BatchedRuns {
    async fn advance(&mut self, who: usize, segment: &Segment<'_>) -> Result<Progress, RunError> {
        self.advance_run(who, segment).await
    }

    async fn look(&mut self, who: usize, step: u64, held_out: usize) -> Result<Measurement, RunError> {
        self.look_at(who, step, held_out).await
    }

    async fn state_of(&self, who: usize, count: usize) -> Result<Vec<f32>, RunError> {
        let begin = self.runs[who].state;
        let end = self.state_len - begin - count;
        let part = self.state.clone().offset_start(4 * begin as u64).offset_end(4 * end as u64);
        Ok(self.read(vec![part]).await?.remove(0))
    }

    fn load(&mut self, who: usize, weights: &Weights) {
        let run = &self.runs[who];
        let state = weights.by_replica(run.replicas(), run.plan.network.rule.moments());
        self.write(who, &state);
        let run = &mut self.runs[who];
        run.waiting.clear();
        run.remembered = Remembered::Given(state);
    }

    fn remember(&mut self, who: usize, step: u64) {
        let run = &mut self.runs[who];
        let Some(last) = &run.snapshots else { return };
        if let Some(record) = last.record(who, step) {
            let places = (0..run.replicas()).map(|replica| last.place(record, who, replica)).collect();
            run.remembered = Remembered::Snapshot(last.handle.clone(), last.length, places);
        }
    }

    async fn restore(&mut self, who: usize) -> Result<(), RunError> {
        let run = &mut self.runs[who];
        run.waiting.clear();
        run.snapshots = None;
        match std::mem::replace(&mut run.remembered, Remembered::Initial) {
            Remembered::Initial => {
                let state = beginning(&run.spec, run.plan.network.rule.moments());
                self.write(who, &state);
            }
            Remembered::Given(state) => {
                self.write(who, &state);
                self.runs[who].remembered = Remembered::Given(state);
            }
            Remembered::Snapshot(handle, length, places) => {
                let run = &self.runs[who];
                let awake = |replica: &usize| run.stopped.of(*replica).is_none();
                let moves: Vec<_> = (0..places.len())
                    .filter(awake)
                    .filter_map(|replica| Some([places[replica]?, run.place(replica), run.size()]))
                    .collect();
                self.carry((&handle, length), &moves);
                self.runs[who].remembered = Remembered::Snapshot(handle, length, places);
            }
        }
        Ok(())
    }

    fn stop_replica(&mut self, who: usize, replica: usize, row: &Measurement) {
        let run = &mut self.runs[who];
        run.stopped.add(replica, row);
        let (to, size) = (run.place(replica), run.size());
        let Some(last) = &self.runs[who].snapshots else { return };
        if let Some(from) = last.record(who, row.step).and_then(|record| last.place(record, who, replica)) {
            self.carry((&last.handle, last.length), &[[from, to, size]]);
        }
    }

    fn detach(&mut self, who: usize) {
        self.runs[who].detached = true;
    }

    fn end(&mut self, who: usize) {
        self.runs[who].active = false;
        self.runs[who].waiting.clear();
    }

    fn leave(&mut self, who: usize) {
        self.end(who);
        (self.runs[who].remembered, self.runs[who].snapshots) = (Remembered::Initial, None);
    }

    fn launch_next(&mut self) {
        let is_next =
            |run: &BatchedRun| run.active && !run.detached && run.waiting.is_empty() && run.step < run.last;
        if self.pending.is_none()
            && let Some(who) = self.runs.iter().position(is_next)
        {
            self.launch(who, self.runs[who].last);
        }
    }

    fn steps(&self) -> f64 {
        self.sizer.steps
    }

    fn awake(&self) -> usize {
        let runs = self.runs.iter().filter(|run| run.active);
        runs.map(|run| (0..run.replicas()).filter(|r| run.stopped.of(*r).is_none()).count()).sum()
    }
}

/// The state that a run begins with, replica by replica: weights, then moments, which are zero.
fn beginning(spec: &RunSpec, moments: usize) -> Vec<f32> {
    let parameters = spec.initialize_parameters();
    let zeros = parameters.iter().map(|values| vec![vec![0.0; values.len()]; moments]).collect();
    Weights { moments: zeros, parameters }.by_replica(spec.run.replicas, moments)
}
