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
use crate::session::bit_packed::Batches;
use crate::session::learner::{Progress, Segment, StoppedReplicas, Weights};
use vivarium_kernels::client::{client, limits};
use vivarium_kernels::pieces::{COEFFICIENTS, SCHEDULE_STEP};
use vivarium_kernels::plan::{Limits, Network, Plan, coefficients};
use vivarium_kernels::shape::{CARRIED_FIELDS, FIELDS, Line, carry};
use vivarium_kernels::slices::schedule;
use vivarium_kernels::{measuring, one_hidden_layer};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Bytes of snapshots, of measurements read back, and of schedules, in one launch.
const SNAPSHOT_BYTES: usize = 64 << 20;
const MEASURE_BYTES: usize = 4 << 20;
const SCHEDULE_BYTES: usize = 4 << 20;

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
struct PendingLaunch {
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
fn parts(count: usize, replicas: usize) -> (usize, usize) {
    let blocks = count.div_ceil(32);
    let part = blocks.div_ceil((MEASURE_GROUPS / replicas).clamp(1, blocks));
    (part, blocks.div_ceil(part))
}

/// Mean loss and share of right answers of `[parts, 4]` sums over `count` examples.
fn means(sums: &[f32], count: usize) -> [f32; 2] {
    let sum = |which: usize| sums.iter().skip(which).step_by(4).sum::<f32>();
    let loss = if sum(2) > 0.0 { f32::NAN } else { sum(0) / count as f32 };
    [loss, sum(1) / count as f32]
}

/// Runs that train together on the GPU that has been opened.
pub struct BatchedRuns {
    client: Client,
    limits: Limits,
    plan: Plan,
    measuring: Plan,
    pub(crate) runs: Vec<BatchedRun>,
    state: Handle,
    state_len: usize,
    scratch: Handle,
    scratch_len: usize,
    data: Handle,
    data_len: usize,
    /// What has been launched and not read.
    pending: Option<PendingLaunch>,
    sizer: LaunchSizer,
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

    fn next_nonce(&mut self) -> u32 {
        // Exact as a float, and never 0, which fresh memory holds.
        self.nonce = self.nonce % 0x00ff_ffff + 1;
        self.nonce
    }

    async fn read(&self, handles: Vec<Handle>) -> Result<Vec<Vec<f32>>, RunError> {
        let bytes = self.client.read_async(handles).await.map_err(RunError::gpu_lost)?;
        Ok(bytes.iter().map(|bytes| f32::from_bytes(bytes).to_vec()).collect())
    }

    /// Measurements, each with the number of the launch that made it; others are refused.
    async fn read_proven(&self, handles: Vec<Handle>, nonce: u32) -> Result<Vec<Vec<f32>>, RunError> {
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

/// Adds what was measured of a replica behind the others: loss and accuracy of each.
fn push(row: &mut Measurement, train: [f32; 2], test: [f32; 2]) {
    row.train_loss.push(train[0]);
    row.train_accuracy.push(train[1]);
    row.test_loss.push(test[0]);
    row.test_accuracy.push(test[1]);
}

/// The numbers of the update rule for so many steps of `spec` from `from` on, with the activation's coefficients in
/// their head.
fn schedule_of(spec: &RunSpec, plan: &Plan, from: u64, steps: u64) -> Vec<f32> {
    let mut schedule = schedule(&spec.optimizer, |step| spec.learning_rate(step), from, from + steps);
    let coefficients = coefficients(plan.network.activation, plan.network.degree);
    schedule[COEFFICIENTS..COEFFICIENTS + coefficients.len()].copy_from_slice(&coefficients);
    schedule
}

/// Whether both take the same steps from where they stand.
fn same_schedule(a: &BatchedRun, b: &BatchedRun) -> bool {
    let [one, other] = [&a.spec, &b.spec];
    a.step == b.step
        && one.optimizer == other.optimizer
        && one.run.schedule == other.run.schedule
        // A learning rate that decays ends with the run.
        && (one.run.steps == other.run.steps || !one.optimizer.is_scheduled())
}

/// Parts of the line that has most.
fn parts_of(lines: &[measuring::Line]) -> usize {
    lines.iter().map(|line| line.examples.div_ceil(32).div_ceil(line.chunk)).max().unwrap_or(1)
}

impl BatchedRuns {
    /// What `who` asks for next; others that are at the same place of their rhythm come along.
    async fn advance_run(&mut self, who: usize, segment: &Segment<'_>) -> Result<Progress, RunError> {
        let run = &mut self.runs[who];
        (run.active, run.last, run.held_out) = (true, segment.last, segment.held_out);
        if run.waiting.is_empty() && self.pending.is_none() {
            (run.step, run.measured_at) = (segment.from, segment.measured);
        }
        if run.spec.run.schedule != segment.spec.run.schedule {
            run.spec.run.schedule.clone_from(&segment.spec.run.schedule);
        }
        loop {
            if let Some((mut progress, snapshots)) = self.runs[who].waiting.pop_front() {
                self.runs[who].snapshots = Some(snapshots);
                progress.rows.retain(|row| segment.due(row.step));
                return Ok(progress);
            }
            if self.pending.is_none() {
                self.launch(who, segment.until);
            }
            self.collect().await?;
        }
    }

    /// Measures `who` now, or as it was at a step of the last launch.
    async fn look_at(&mut self, who: usize, step: u64, held_out: usize) -> Result<Measurement, RunError> {
        let nonce = self.next_nonce();
        let run = &self.runs[who];
        let awake: Vec<usize> = (0..run.replicas()).filter(|r| run.stopped.of(*r).is_none()).collect();
        let known = run.snapshots.as_ref().and_then(|last| Some((last, last.record(who, step)?)));
        let known =
            known.filter(|(last, record)| awake.iter().all(|r| last.place(*record, who, *r).is_some()));
        let place = |replica: usize| match known {
            Some((last, record)) => last.place(record, who, replica).unwrap_or_default(),
            None => run.place(replica),
        };
        let (states, length) = match known {
            Some((last, _)) => (&last.handle, last.length),
            None => (&self.state, self.state_len),
        };
        let (mut lines, mut fresh, mut words, mut own) = (vec![], vec![], vec![], vec![]);
        let batches = run.data.seen.is_none().then(|| Batches::new(&run.spec));
        for replica in &awake {
            let place = place(*replica);
            lines.extend(run.measured(*replica, place, held_out));
            if let Some(batches) = &batches {
                batches.draw(*replica as u32, step, &mut own);
                fresh.push(run.examples(place, words.len(), run.spec.run.batch));
                words.extend_from_slice(&own);
            }
        }
        let mut row = Measurement { step, ..Default::default() };
        let mut read = vec![];
        if !awake.is_empty() {
            let data = (self.data.clone(), self.data_len);
            let mut handles = vec![self.launch_measuring((states, length), 1, 0, &lines, data, nonce)];
            if batches.is_some() {
                let data = (self.client.create_from_slice(u32::as_bytes(&words)), words.len());
                handles.push(self.launch_measuring((states, length), 1, 0, &fresh, data, nonce));
            }
            read = self.read_proven(handles, nonce).await?;
        }
        let of = |read: &[f32], lines: &[measuring::Line], line: usize| {
            let size = read.len() / lines.len();
            let (count, own) = (lines[line].examples, parts(lines[line].examples, run.replicas()).1);
            means(&read[line * size..][..4 * own], count)
        };
        let each = lines.len() / awake.len().max(1);
        let mut at = 0;
        for replica in 0..run.replicas() {
            if let Some(last) = run.stopped.of(replica) {
                row.append(last);
                continue;
            }
            let test = of(&read[0], &lines, at * each);
            let train = if each == 2 { of(&read[0], &lines, at * 2 + 1) } else { of(&read[1], &fresh, at) };
            push(&mut row, train, test);
            at += 1;
        }
        Ok(row)
    }

    /// The runs that come along with `who`: those that are measured when it is.
    fn members(&self, who: usize, until: u64) -> Vec<usize> {
        let first = &self.runs[who];
        let every = first.spec.run.every;
        let comes = |run: &BatchedRun| {
            let in_step = run.spec.run.every == every && run.step % every == first.step % every;
            let is_free = run.active && !run.detached && run.waiting.is_empty();
            is_free && in_step && run.step < run.last
        };
        // To measure one run where it stands nobody else is needed.
        let alone = until <= first.step;
        (0..self.runs.len()).filter(|at| *at == who || !alone && comes(&self.runs[*at])).collect()
    }

    /// Networks of these runs that have not been stopped, with their places in a snapshot, and how long one is.
    fn lines(&self, members: &[usize]) -> (Vec<(usize, usize, usize)>, usize) {
        let (mut lines, mut across) = (vec![], 0);
        for who in members {
            let run = &self.runs[*who];
            for replica in (0..run.replicas()).filter(|replica| run.stopped.of(*replica).is_none()) {
                lines.push((*who, replica, across));
                across += run.size();
            }
        }
        (lines, across)
    }

    /// Steps of a launch of these runs up to step `until` of the first one, at most `most` snapshots, and where in it
    /// something is due.
    fn stretch(&self, who: usize, until: u64, members: &[usize], most: usize, fits: u64) -> (u64, Vec<u64>) {
        let runs = || members.iter().map(|at| &self.runs[*at]);
        let (first, turns) = (&self.runs[who], self.limits.turns);
        let slowest = runs().map(|run| self.plan.alone(&run.plan).turns()).max().unwrap_or(1);
        let left = runs().map(|run| run.last.saturating_sub(run.step)).min().unwrap_or(0);
        let steps = (self.sizer.steps as u64).min(turns / slowest).min(fits).max(1);
        let mut steps = steps.min(left).min(until.saturating_sub(first.step));
        // What is due at the end is left to the next launch, unless there is none.
        let is_last = steps == 0 || runs().any(|run| run.step + steps >= run.last);
        let every = first.spec.run.every;
        let is_due = |at: u64| runs().any(|run| run.due(run.step + at));
        let (mut due, mut at) = (vec![], 0);
        while at < steps || at == steps && is_last {
            if is_due(at) {
                if due.len() == most {
                    steps = at;
                    break;
                }
                due.push(at);
            }
            let next = (first.step + at + 1).next_multiple_of(every) - first.step;
            at = if at < steps { next.min(steps) } else { next };
        }
        (steps, due)
    }

    /// Launches training up to step `until` of `who` at most, and the measuring of what it leaves.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch(&mut self, who: usize, until: u64) {
        let members = self.members(who, until);
        let (lines, across) = self.lines(&members);
        let jobs = if self.plan.network.sample > 0 { 2 } else { 1 };
        let runs = || members.iter().map(|at| &self.runs[*at]);
        let counts = |run: &BatchedRun| [Some(run.held_out), run.data.seen.map(|seen| seen.count)];
        let most_parts = runs()
            .flat_map(|run| counts(run).into_iter().flatten().map(|count| parts(count, run.replicas()).1));
        let most_parts = most_parts.max().unwrap_or(1);
        let most = SNAPSHOT_BYTES / (4 * across.max(1));
        let most = most.min(MEASURE_BYTES / (16 * (lines.len() * jobs * most_parts).max(1))).clamp(1, 4096);
        let mut schedules: Vec<(usize, usize)> = vec![];
        let mut which = vec![0; self.runs.len()];
        for at in &members {
            let known =
                schedules.iter().position(|(first, _)| same_schedule(&self.runs[*first], &self.runs[*at]));
            which[*at] = known.unwrap_or(schedules.len());
            if known.is_none() {
                schedules.push((*at, 0));
            }
        }
        let fits = (SCHEDULE_BYTES / (4 * SCHEDULE_STEP * schedules.len().max(1))) as u64;
        let (steps, due) = self.stretch(who, until, &members, most, fits);
        let mut numbers = vec![];
        for (first, place) in &mut schedules {
            *place = numbers.len();
            let run = &self.runs[*first];
            numbers.extend(schedule_of(&run.spec, &self.plan, run.step, steps));
        }
        let from = self.runs.iter().map(|run| run.step).collect();
        let records = due.len().max(1);
        let nonce = self.next_nonce();
        let snapshots = self.client.empty(4 * records * across.max(1));
        let mut pending = PendingLaunch {
            snapshots: Snapshots { handle: snapshots, length: records * across, across, lines, due, from },
            members,
            steps,
            handles: vec![],
            jobs,
            parts: 1,
            nonce,
            begin_ms: now_ms(),
        };
        let Snapshots { handle: snapshots, lines, due, .. } = &pending.snapshots;
        if !lines.is_empty() {
            let table: Vec<u32> =
                lines.iter().flat_map(|line| self.line(*line, schedules[which[line.0]].1).words()).collect();
            let measures = self.client.empty(16 * records * lines.len());
            let first_due = due.first().map_or(u32::MAX, |at| *at as u32);
            let every = self.runs[who].spec.run.every;
            let looks = due.last() == Some(&steps);
            let schedule = self.client.create_from_slice(f32::as_bytes(&numbers));
            let handle = self.client.create_from_slice(u32::as_bytes(&table));
            // SAFETY: every length is that of its buffer, and `train` stays inside: a workgroup touches the numbers
            // of its own line, whose places and sizes follow from the runs' plans as the buffers' sizes do.
            unsafe {
                one_hidden_layer::train::launch_unchecked(
                    &self.client,
                    CubeCount::Static(lines.len() as u32, 1, 1),
                    CubeDim::new_1d(self.plan.lanes as u32),
                    BufferArg::from_raw_parts(self.state.clone(), self.state_len),
                    BufferArg::from_raw_parts(self.scratch.clone(), self.scratch_len),
                    BufferArg::from_raw_parts(snapshots.clone(), records * across),
                    BufferArg::from_raw_parts(measures.clone(), records * lines.len() * 4),
                    BufferArg::from_raw_parts(schedule, numbers.len()),
                    BufferArg::from_raw_parts(self.data.clone(), self.data_len),
                    BufferArg::from_raw_parts(handle, lines.len() * FIELDS),
                    steps as u32,
                    u32::from(looks),
                    first_due,
                    u32::try_from(every).unwrap_or(u32::MAX),
                    across as u32,
                    nonce,
                    self.plan,
                );
            }
            pending.handles.push(measures);
            if !due.is_empty() {
                let measured = |(who, replica, place): &(usize, usize, usize)| {
                    let run = &self.runs[*who];
                    run.measured(*replica, *place, run.held_out)
                };
                let table: Vec<measuring::Line> = lines.iter().flat_map(measured).collect();
                let (states, data) = ((snapshots, records * across), (self.data.clone(), self.data_len));
                pending.parts = parts_of(&table);
                pending.handles.push(self.launch_measuring(states, records, across, &table, data, nonce));
            }
        }
        self.pending = Some(pending);
    }

    /// The line of the table of network `replica` of run `who`, whose schedule lies at `schedule`.
    fn line(&self, (who, replica, snapshot): (usize, usize, usize), schedule: usize) -> Line {
        let run = &self.runs[who];
        let network = &run.plan.network;
        let [rows, own, size] = run.data.rows;
        let visit = u128::from(run.step) * network.batch as u128;
        let all = size.max(1) as u128;
        Line {
            state: run.place(replica),
            scratch: run.scratch + replica * run.plan.scratch(),
            snapshot,
            shape: [network.inputs, network.width, run.plan.columns],
            schedule,
            seed: run.spec.run.seed,
            replica: replica as u32,
            step: run.step,
            epoch: (visit / all) as u32,
            place: (visit % all) as u32,
            threshold: (run.spec.task.examples().noise() * 4_294_967_296.0).ceil() as u32,
            relevant: run.data.relevant,
            rows: [rows + replica * own, size],
        }
    }

    /// Measures `records` states of `across` numbers each in `states`; what comes back is `[records, lines, parts, 4]`.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch_measuring(
        &self,
        states: (&Handle, usize),
        records: usize,
        across: usize,
        lines: &[measuring::Line],
        data: (Handle, usize),
        nonce: u32,
    ) -> Handle {
        let parts = parts_of(lines);
        let most = lines.iter().map(|line| line.chunk).max().unwrap_or(1);
        let measures = self.client.empty(16 * records * lines.len() * parts);
        let scratch = self.client.empty(4);
        let head = schedule_of(&self.runs[0].spec, &self.measuring, 0, 0);
        let schedule = self.client.create_from_slice(f32::as_bytes(&head));
        let table: Vec<u32> = lines.iter().flat_map(measuring::Line::words).collect();
        let handle = self.client.create_from_slice(u32::as_bytes(&table));
        // SAFETY: as above; `measure` writes only its own four numbers, and nothing to scratch.
        unsafe {
            measuring::measure::launch_unchecked(
                &self.client,
                CubeCount::Static(parts as u32, lines.len() as u32, records as u32),
                CubeDim::new_1d(self.measuring.lanes as u32),
                BufferArg::from_raw_parts(states.0.clone(), states.1),
                BufferArg::from_raw_parts(scratch, 1),
                BufferArg::from_raw_parts(measures.clone(), records * lines.len() * parts * 4),
                BufferArg::from_raw_parts(schedule, head.len()),
                BufferArg::from_raw_parts(data.0, data.1),
                BufferArg::from_raw_parts(handle, table.len()),
                across as u32,
                most as u32,
                nonce,
                self.measuring,
            );
        }
        measures
    }

    /// Waits for the launch that is under way and shares out what it brings.
    ///
    /// # Errors
    /// [`RunError::GpuLost`] when its numbers do not come back.
    async fn collect(&mut self) -> Result<(), RunError> {
        let Some(mut pending) = self.pending.take() else { return Ok(()) };
        let handles = std::mem::take(&mut pending.handles);
        let read = if handles.is_empty() { vec![] } else { self.read_proven(handles, pending.nonce).await? };
        self.sizer.learn(pending.steps, now_ms() - pending.begin_ms);
        let mut news = vec![];
        for who in &pending.members {
            let rows: Vec<Measurement> = (0..pending.snapshots.due.len())
                .filter(|record| self.runs[*who].due(self.runs[*who].step + pending.snapshots.due[*record]))
                .map(|record| self.row(*who, record, &pending, &read))
                .collect();
            let run = &mut self.runs[*who];
            run.step += pending.steps;
            run.measured_at = rows.last().map(|row| row.step).or(run.measured_at);
            news.push((*who, Progress { step: run.step, rows }));
        }
        let snapshots = Rc::new(pending.snapshots);
        for (who, progress) in news {
            self.runs[who].waiting.push_back((progress, snapshots.clone()));
        }
        Ok(())
    }

    /// What a launch brought of run `who` in snapshot `record`.
    fn row(&self, who: usize, record: usize, pending: &PendingLaunch, read: &[Vec<f32>]) -> Measurement {
        let (run, snapshots) = (&self.runs[who], &pending.snapshots);
        let mut row = Measurement { step: run.step + snapshots.due[record], ..Default::default() };
        let lines = snapshots.lines.len();
        let measured = |line: usize, job: usize, count: usize| {
            let at = (record * lines * pending.jobs + line * pending.jobs + job) * pending.parts * 4;
            means(&read[1][at..][..4 * parts(count, run.replicas()).1], count)
        };
        for replica in 0..run.replicas() {
            let Some(line) = snapshots.line(who, replica) else {
                row.append(run.stopped.of(replica).unwrap_or(&Measurement::default()));
                continue;
            };
            let train = match run.data.seen {
                Some(seen) => measured(line, 1, seen.count),
                None => means(&read[0][(record * lines + line) * 4..][..4], run.plan.network.batch),
            };
            push(&mut row, train, measured(line, 0, run.held_out));
        }
        row
    }
}
