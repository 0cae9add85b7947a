//! The fused learner: whole training loops on the GPU, many steps per launch.
//!
//! # Why
//! A leg is one launch of the training kernel, which leaves a snapshot of the weights wherever something is due,
//! one launch that measures all snapshots, and one reading back. How many steps a launch makes follows the
//! clock: 10 to 40 ms, so that the desktop stays smooth, Pause is answered at once and no watchdog fires.
//! The numbers do not depend on it: a step is the same wherever a launch begins, and the chunks in which
//! losses are added up follow from the specification alone.
//!
//! Every launch writes a number of its own beside its measurements. If it does not come back, the launch was
//! dropped, as a browser does with a shader that does not compile, and whatever else came back is stale.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::device::{client, limits};
use super::learner::{Learner, Leg, Local, Progress, Weights, split};
use super::pace::Pace;
use super::packed::{self, Batches};
use crate::kernels::pieces::{COEFFICIENTS, SCHEDULE_HEAD, SCHEDULE_STEP};
use crate::kernels::plan::{Network, Plan};
use crate::kernels::{measuring, one_hidden_layer};
use crate::models::Parameter;
use crate::platform::now_ms;
use crate::protocol::{Failure, Row};
use crate::run::RunSpec;

/// Bytes of snapshots, and of measurements read back, in one leg.
const SNAPSHOT_BYTES: usize = 64 << 20;
const MEASURE_BYTES: usize = 4 << 20;
/// Workgroups over which the measuring of one snapshot of all replicas is spread, roughly.
const MEASURE_GROUPS: usize = 256;

/// Packed examples on the device: for each block of 32 a word for every input and one for the labels.
struct Examples {
    handle: Handle,
    words: usize,
    count: usize,
    /// Words between two replicas; 0 if they share.
    own: usize,
}

/// Snapshots of the last leg: where they are, and before which step each was taken.
#[derive(Clone)]
struct Snapshots {
    handle: Handle,
    steps: Vec<u64>,
}

/// Our kernels over all replicas.
pub struct Fused {
    spec: RunSpec,
    plan: Plan,
    measuring: Plan,
    client: Client,
    shapes: Vec<Parameter>,
    state: Handle,
    scratch: Handle,
    /// The relevant bits, then each replica's rows of a finite sample.
    data: Handle,
    data_words: usize,
    held_out: Option<Examples>,
    seen: Option<Examples>,
    snapshots: Option<Snapshots>,
    remembered: (Handle, usize),
    pace: Pace,
    /// Turns of loops that a launch may make on this device.
    turns: u64,
    nonce: u32,
}

impl Fused {
    /// The learner of `spec` at its initial weights, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let client = client();
        let limits = limits(&client);
        let network = Network::of(spec)?;
        let plan = Plan::tiled(network, spec.run.replicas, limits)?;
        let measuring = Plan::tiled(Network { batch: 32, ..network }, MEASURE_GROUPS, limits)?;
        let replicas = spec.run.replicas;
        if plan.turns() > limits.turns {
            return Err("one of its steps is longer than a simulated GPU lets a shader run".into());
        }
        let largest = 4 * replicas * network.state().max(plan.scratch());
        if largest as u64 > limits.buffer_bytes {
            return Err(format!("{replicas} of these networks need a buffer of {} MiB", largest >> 20));
        }
        let relevant = spec.task.sampler().relevant(spec.run.seed);
        let data = [relevant.iter().map(|i| *i as u32).collect(), packed::rows(spec)].concat();
        let initial = spec.initial();
        let shapes = spec.parameters();
        let moments = shapes.iter().map(|p| vec![vec![0.0; p.len()]; network.rule.moments()]).collect();
        let state = client.empty(4 * replicas * network.state());
        let mut learner = Fused {
            spec: spec.clone(),
            plan,
            measuring,
            shapes,
            remembered: (state.clone(), 0),
            state,
            scratch: client.empty(4 * replicas * plan.scratch()),
            data: client.create_from_slice(u32::as_bytes(&data)),
            data_words: data.len(),
            held_out: None,
            seen: None,
            snapshots: None,
            pace: Pace::default(),
            turns: limits.turns,
            nonce: 0,
            client,
        };
        learner.load(&Weights { parameters: initial, moments });
        Ok(learner)
    }

    /// The division of the work that is compiled.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    fn state_len(&self) -> usize {
        self.spec.run.replicas * self.plan.network.state()
    }

    fn next_nonce(&mut self) -> u32 {
        // Exact as a float, and never 0, which fresh memory holds.
        self.nonce = self.nonce % 0x00ff_ffff + 1;
        self.nonce
    }

    /// Numbers of the update rule: those that hold throughout, then those of each step.
    fn schedule(&self, spec: &RunSpec, from: u64, steps: u64) -> Vec<f32> {
        let mut head = [0.0f32; SCHEDULE_HEAD];
        let constants = spec.optimizer.constants();
        head[..constants.len()].copy_from_slice(&constants);
        let coefficients = crate::kernels::plan::coefficients(&self.plan.network);
        head[COEFFICIENTS..COEFFICIENTS + coefficients.len()].copy_from_slice(&coefficients);
        let mut schedule = head.to_vec();
        for step in from..=from + steps {
            let row: [f32; SCHEDULE_STEP] = spec.optimizer.scalars(step, spec.learning_rate(step));
            schedule.extend(row);
        }
        schedule
    }

    /// Steps of the next launch from `from` on, and the steps in it that are due.
    fn stretch(&self, leg: &Leg, chunks: usize) -> (u64, Vec<u64>) {
        let state = 4 * self.state_len();
        let row = 16 * self.spec.run.replicas * chunks;
        let most = (SNAPSHOT_BYTES / state).min(MEASURE_BYTES / row).clamp(1, 4096);
        let steps = (self.pace.steps as u64).min(self.turns / self.plan.turns()).max(1);
        let mut until = leg.until.min(leg.from + steps);
        let every = leg.spec.run.every;
        let mut due: Vec<u64> = vec![];
        let mut step = leg.from;
        while step < until || (step == until && [leg.last, leg.from].contains(&until)) {
            if leg.due(step) {
                if due.len() == most {
                    until = step;
                    break;
                }
                due.push(step);
            }
            step = (step + 1).next_multiple_of(every).min(leg.last.max(step + 1));
        }
        (until, due)
    }

    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch_training(&mut self, leg: &Leg, until: u64, due: &[u64], nonce: u32) -> (Handle, Handle, usize) {
        let replicas = self.spec.run.replicas;
        let network = self.plan.network;
        let records = due.len().max(1);
        let snapshots = self.client.empty(4 * records * self.state_len());
        let measures = self.client.empty(16 * records * replicas);
        let steps = until - leg.from;
        let schedule = self.schedule(leg.spec, leg.from, steps);
        let visit = leg.from as u128 * network.batch as u128;
        let size = network.sample.max(1) as u128;
        let (seed, noise) = (self.spec.run.seed, leg.spec.task.sampler().noise());
        let first_due = due.first().map_or(u32::MAX, |step| (step - leg.from) as u32);
        let every = u32::try_from(leg.spec.run.every).unwrap_or(u32::MAX);
        let looks = due.last() == Some(&until);
        let table = self.client.create_from_slice(f32::as_bytes(&schedule));
        // SAFETY: every length is that of its buffer, and `train` stays inside: a workgroup touches the slices
        // of its own replica, whose sizes follow from the plan as the buffers' sizes above do.
        unsafe {
            one_hidden_layer::train::launch_unchecked(
                &self.client,
                CubeCount::Static(replicas as u32, 1, 1),
                CubeDim::new_1d(self.plan.lanes as u32),
                BufferArg::from_raw_parts(self.state.clone(), self.state_len()),
                BufferArg::from_raw_parts(self.scratch.clone(), replicas * self.plan.scratch()),
                BufferArg::from_raw_parts(snapshots.clone(), records * self.state_len()),
                BufferArg::from_raw_parts(measures.clone(), records * replicas * 4),
                BufferArg::from_raw_parts(table, schedule.len()),
                BufferArg::from_raw_parts(self.data.clone(), self.data_words),
                seed as u32,
                (seed >> 32) as u32,
                leg.from as u32,
                (leg.from >> 32) as u32,
                (visit / size) as u32,
                (visit % size) as u32,
                (noise * 4_294_967_296.0).ceil() as u32,
                steps as u32,
                u32::from(looks),
                first_due,
                every,
                nonce,
                self.plan,
            );
        }
        (snapshots, measures, records)
    }

    /// Measures `records` states in `states` on `examples`; what comes back is `[records, replicas, chunks, 4]`.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch_measuring(&self, states: &Handle, records: usize, on: &Examples, nonce: u32) -> Handle {
        let replicas = self.spec.run.replicas;
        let (chunk, chunks) = chunks(on.count, replicas);
        let measures = self.client.empty(16 * records * replicas * chunks);
        let scratch = self.client.empty(4);
        let schedule = self.schedule(&self.spec, 0, 0);
        let table = self.client.create_from_slice(f32::as_bytes(&schedule));
        // SAFETY: as above; `measure` writes only its own four numbers, and nothing to scratch.
        unsafe {
            measuring::measure::launch_unchecked(
                &self.client,
                CubeCount::Static(chunks as u32, replicas as u32, records as u32),
                CubeDim::new_1d(self.measuring.lanes as u32),
                BufferArg::from_raw_parts(states.clone(), records * self.state_len()),
                BufferArg::from_raw_parts(scratch, 1),
                BufferArg::from_raw_parts(measures.clone(), records * replicas * chunks * 4),
                BufferArg::from_raw_parts(table, schedule.len()),
                BufferArg::from_raw_parts(on.handle.clone(), on.words),
                on.own as u32,
                chunk as u32,
                on.count as u32,
                nonce,
                self.measuring,
            );
        }
        measures
    }

    /// Uploads held-out examples until there are `count`.
    fn hold_out(&mut self, count: usize) {
        if self.held_out.as_ref().is_none_or(|have| have.count < count) {
            self.held_out = Some(self.upload(packed::held_out(&self.spec, count), count, 0));
        }
    }

    /// The finite sample, or its beginning, as it is measured.
    fn see(&mut self) {
        if self.seen.is_none() {
            let samples = (0..self.spec.run.replicas as u32).filter_map(|r| packed::seen(&self.spec, r));
            let (words, counts): (Vec<_>, Vec<_>) = samples.unzip();
            if let (Some(count), Some(first)) = (counts.first(), words.first()) {
                self.seen = Some(self.upload(words.concat(), *count, first.len()));
            }
        }
    }

    fn upload(&self, words: Vec<u32>, count: usize, own: usize) -> Examples {
        let handle = self.client.create_from_slice(u32::as_bytes(&words));
        Examples { handle, words: words.len(), count, own }
    }

    async fn read(&self, handles: Vec<Handle>) -> Result<Vec<Vec<f32>>, Failure> {
        let bytes = self.client.read_async(handles).await.map_err(Failure::lost)?;
        Ok(bytes.iter().map(|bytes| f32::from_bytes(bytes).to_vec()).collect())
    }

    /// Measurements, each with the number of the launch that made it; others are refused.
    async fn read_proven(&self, handles: Vec<Handle>, nonce: u32) -> Result<Vec<Vec<f32>>, Failure> {
        let read = self.read(handles).await?;
        if read.iter().flat_map(|values| values.chunks(4)).all(|four| four[3] == nonce as f32) {
            return Ok(read);
        }
        Err(Failure::GpuLost("a launch did not give its numbers back".into()))
    }

    /// The state before training step `step`, and its index in the buffer.
    fn at(&self, step: u64) -> (Handle, usize) {
        let found = self.snapshots.as_ref().and_then(|snapshots| {
            let index = snapshots.steps.iter().position(|s| *s == step)?;
            Some((snapshots.handle.clone(), index))
        });
        found.unwrap_or((self.state.clone(), 0))
    }

    async fn run(&mut self, leg: &Leg<'_>) -> Result<Progress, Failure> {
        self.hold_out(leg.held_out);
        self.see();
        let replicas = self.spec.run.replicas;
        let (_, test_chunks) = chunks(leg.held_out, replicas);
        let (until, due) = self.stretch(leg, test_chunks);
        let nonce = self.next_nonce();
        let begin = now_ms();
        let (snapshots, measures, records) = self.launch_training(leg, until, &due, nonce);
        let mut handles = vec![measures];
        if !due.is_empty() {
            for on in [self.held_out.as_ref(), self.seen.as_ref()].into_iter().flatten() {
                let count = if on.own == 0 { leg.held_out } else { on.count };
                let part = Examples { handle: on.handle.clone(), count, ..*on };
                handles.push(self.launch_measuring(&snapshots, records, &part, nonce));
            }
        }
        let read = self.read_proven(handles, nonce).await?;
        self.pace.learn(until - leg.from, now_ms() - begin);
        let mut rows = vec![];
        for (record, step) in due.iter().enumerate() {
            let mut row = Row { step: *step, ..Default::default() };
            let batch = self.plan.network.batch;
            let (loss, right) = totals(&read[0], record, replicas, 1, batch);
            (row.train_loss, row.train_accuracy) = (loss, right);
            let (loss, right) = totals(&read[1], record, replicas, test_chunks, leg.held_out);
            (row.test_loss, row.test_accuracy) = (loss, right);
            if let (Some(seen), Some(values)) = (&self.seen, read.get(2)) {
                let (_, chunks) = chunks(seen.count, replicas);
                (row.train_loss, row.train_accuracy) = totals(values, record, replicas, chunks, seen.count);
            }
            rows.push(row);
        }
        self.snapshots = Some(Snapshots { handle: snapshots, steps: due });
        Ok(Progress { step: until, rows })
    }

    async fn look(&mut self, step: u64, held_out: usize) -> Result<Row, Failure> {
        self.hold_out(held_out);
        self.see();
        let replicas = self.spec.run.replicas;
        let fresh = match self.seen {
            Some(_) => None,
            None => {
                let (batches, mut words, mut own) = (Batches::new(&self.spec), vec![], vec![]);
                for replica in 0..replicas as u32 {
                    batches.draw(replica, step, &mut own);
                    words.extend_from_slice(&own);
                }
                Some(self.upload(words, self.spec.run.batch, own.len()))
            }
        };
        let (handle, index) = self.at(step);
        let state = self.one(&handle, index).await?;
        let nonce = self.next_nonce();
        let mut handles = vec![];
        let mut shapes = vec![];
        for on in [self.held_out.as_ref(), self.seen.as_ref().or(fresh.as_ref())].into_iter().flatten() {
            let count = if on.own == 0 { held_out } else { on.count };
            let part = Examples { handle: on.handle.clone(), count, ..*on };
            handles.push(self.launch_measuring(&state, 1, &part, nonce));
            shapes.push(count);
        }
        let read = self.read_proven(handles, nonce).await?;
        let sums = |which: usize| {
            totals(&read[which], 0, replicas, chunks(shapes[which], replicas).1, shapes[which])
        };
        let ((test_loss, test_accuracy), (train_loss, train_accuracy)) = (sums(0), sums(1));
        Ok(Row { step, train_loss, train_accuracy, test_loss, test_accuracy, ..Default::default() })
    }

    /// State number `index` of a buffer as a buffer of its own. Rare, so it takes the way over the host.
    async fn one(&self, handle: &Handle, index: usize) -> Result<Handle, Failure> {
        if index == 0 {
            return Ok(handle.clone());
        }
        let all = self.read(vec![handle.clone()]).await?.remove(0);
        let length = self.state_len();
        Ok(self.client.create_from_slice(f32::as_bytes(&all[index * length..(index + 1) * length])))
    }
}

/// Blocks of one chunk, and chunks, for measuring `count` examples.
fn chunks(count: usize, replicas: usize) -> (usize, usize) {
    let blocks = count.div_ceil(32);
    let chunk = blocks.div_ceil((MEASURE_GROUPS / replicas).clamp(1, blocks));
    (chunk, blocks.div_ceil(chunk))
}

/// Mean loss and share of right answers of every replica in record `record` of `[records, replicas, chunks, 4]`.
fn totals(
    values: &[f32],
    record: usize,
    replicas: usize,
    chunks: usize,
    count: usize,
) -> (Vec<f32>, Vec<f32>) {
    let size = replicas * chunks * 4;
    let sums = values[record * size..(record + 1) * size].chunks(chunks * 4).map(|chunks| {
        let sum = |which: usize| chunks.iter().skip(which).step_by(4).sum::<f32>();
        let loss = if sum(2) > 0.0 { f32::NAN } else { sum(0) / count as f32 };
        (loss, sum(1) / count as f32)
    });
    sums.unzip()
}

impl Learner for Fused {
    fn advance<'a>(&'a mut self, leg: &'a Leg<'a>) -> Local<'a, Progress> {
        Box::pin(self.run(leg))
    }

    fn measure(&mut self, step: u64, held_out: usize) -> Local<'_, Row> {
        Box::pin(self.look(step, held_out))
    }

    fn weights(&self) -> Local<'_, Weights> {
        let state = self.state.clone();
        Box::pin(async move {
            let numbers = self.read(vec![state]).await?.remove(0);
            let network = self.plan.network;
            let (parameters, moments) = (network.parameters(), network.rule.moments());
            let gather = |part: usize, offset: usize, length: usize| -> Vec<f32> {
                let replicas = numbers.chunks(network.state());
                replicas.flat_map(|r| &r[part * parameters + offset..][..length]).copied().collect()
            };
            let mut weights = Weights::default();
            let mut offset = 0;
            for shape in &self.shapes {
                let length = shape.len() / self.spec.run.replicas;
                weights.parameters.push(gather(0, offset, length));
                weights.moments.push((0..moments).map(|m| gather(m + 1, offset, length)).collect());
                offset += length;
            }
            Ok(weights)
        })
    }

    fn first_replica(&self, count: usize) -> Local<'_, Vec<Vec<f32>>> {
        let shapes = self.shapes.iter().take(count);
        let lengths: Vec<usize> = shapes.map(|s| s.len() / self.spec.run.replicas).collect();
        let state = self.state.clone();
        let all = self.state_len();
        // Only the first replica's numbers are read.
        let first = state.offset_end(4 * (all - self.plan.network.state()) as u64);
        Box::pin(async move {
            let numbers = self.read(vec![first]).await?.remove(0);
            Ok(split(&numbers, lengths))
        })
    }

    fn load(&mut self, weights: &Weights) {
        let replicas = self.spec.run.replicas;
        let moments = self.plan.network.rule.moments();
        let mut state = Vec::with_capacity(self.state_len());
        for replica in 0..replicas {
            let part = |values: &[f32]| -> Vec<f32> {
                let length = values.len() / replicas;
                values[replica * length..(replica + 1) * length].to_vec()
            };
            state.extend(weights.parameters.iter().flat_map(|values| part(values)));
            for moment in 0..moments {
                state.extend(weights.moments.iter().flat_map(|kept| part(&kept[moment])));
            }
        }
        self.state = self.client.create_from_slice(f32::as_bytes(&state));
        // A buffer of its own, because the state is trained in place.
        self.remembered = (self.client.create_from_slice(f32::as_bytes(&state)), 0);
        self.snapshots = None;
    }

    fn remember(&mut self, step: u64) {
        if self.snapshots.as_ref().is_some_and(|snapshots| snapshots.steps.contains(&step)) {
            self.remembered = self.at(step);
        }
    }

    fn restore(&mut self) -> Local<'_, ()> {
        Box::pin(async move {
            let (handle, index) = self.remembered.clone();
            let all = self.read(vec![handle]).await?.remove(0);
            let length = self.state_len();
            let state = &all[index * length..(index + 1) * length];
            self.state = self.client.create_from_slice(f32::as_bytes(state));
            self.remembered = (self.client.create_from_slice(f32::as_bytes(state)), 0);
            self.snapshots = None;
            Ok(())
        })
    }
}
