//! The launches of a batch: how far one goes, what it takes along, what it brings back, and measuring without one.

use std::rc::Rc;

use cubecl::prelude::*;
use cubecl::server::Handle;

use crate::gpu::batched_runs::{BatchedRun, BatchedRuns, PendingLaunch, Snapshots, means, parts};
use crate::session::bit_packed::Batches;
use crate::session::learner::{Progress, Segment};
use vivarium_kernels::pieces::{COEFFICIENTS, SCHEDULE_STEP};
use vivarium_kernels::plan::{Plan, coefficients};
use vivarium_kernels::shape::{FIELDS, Line};
use vivarium_kernels::slices::schedule;
use vivarium_kernels::{measuring, one_hidden_layer};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;

/// Bytes of snapshots, of measurements read back, and of schedules, in one launch.
const SNAPSHOT_BYTES: usize = 64 << 20;
const MEASURE_BYTES: usize = 4 << 20;
const SCHEDULE_BYTES: usize = 4 << 20;

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
    pub(super) async fn advance_run(
        &mut self,
        who: usize,
        segment: &Segment<'_>,
    ) -> Result<Progress, RunError> {
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
    pub(super) async fn look_at(
        &mut self,
        who: usize,
        step: u64,
        held_out: usize,
    ) -> Result<Measurement, RunError> {
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
    pub(super) fn launch(&mut self, who: usize, until: u64) {
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
