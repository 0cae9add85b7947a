//! Launching the group kernels: buffers, how many steps at a time, and what is read back.
//!
//! # Why
//! A slice's last step is always measured, because the number that comes back beside it proves that its launches ran,
//! and ran to their end.

use cubecl::prelude::*;

use super::data::{Record, Run, Shape, Weights, sum, table};
use super::plan::{Network, Plan, Variant};
use super::{FIELDS, NO_RECORD, steps};
use crate::buffer::Buffer;
use crate::client::{client, limits};
use crate::pieces::PENALTY;
use crate::plan::{Limits, Rule};
use crate::slices::{DIFFER, MEASURE_BYTES, Networks, Slices, fitting, schedule};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::RunError;

/// Most steps of one slice.
const SLICE_STEPS: f64 = 8192.0;
/// Turns of loops in one launch: after 65535 of them, of all loops together, Mesa's simulated GPU ends every
/// loop. Other GPUs lose nothing, since that is still a matter of milliseconds.
const TURNS: usize = 60_000;

/// Pairs that networks are asked about without being trained on them.
pub struct Others {
    plan: Plan,
    data: Buffer,
    slopes: Buffer,
}

/// A division of the work for `network` alone, as it is compiled.
///
/// # Errors
/// A sentence that says why the network does not fit the GPU.
pub fn plan(shape: &Shape, pairs: usize, limits: Limits) -> Result<Plan, String> {
    let Shape { order, neurons, sigma, nu, replicas, .. } = *shape;
    let rule = Rule::of(&shape.optimizer);
    let network = Network { order, neurons, sigma, nu, pairs, rule };
    let largest = 4 * replicas as u64 * network.state().max(network.slopes()) as u64;
    if largest > limits.buffer_bytes {
        return Err(format!("{replicas} of these networks need a buffer of {} MiB", largest >> 20));
    }
    Plan::tiled(network, replicas, shape.variant, limits)
}

/// Replicas of a network on the GPU, of one run or of several side by side.
pub struct GroupNetReplicas {
    runs: Vec<Shape>,
    plan: Plan,
    /// Their state, and how far they have been trained.
    pub slices: Slices,
    slopes: Buffer,
    data: Buffer,
}

impl GroupNetReplicas {
    /// A network at `weights` that learns the `labels` of `pairs`, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the data, or why the network does not fit the GPU.
    pub fn new(shape: Shape, pairs: &[[u32; 2]], labels: &[u32], weights: &Weights) -> Result<Self, String> {
        let run = Run { shape, pairs: pairs.to_vec(), labels: labels.to_vec() };
        let mut net = GroupNetReplicas::side_by_side(std::slice::from_ref(&run))?;
        let state = run.beginning(weights, net.plan.network.state())?;
        net.slices.put(0, &state);
        Ok(net)
    }

    /// The networks of several runs, without weights until each is put, on the GPU that has
    /// been opened.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the data, why they do not fit the GPU, or that they differ in what the
    /// kernels are compiled for.
    pub fn side_by_side(runs: &[Run]) -> Result<Self, String> {
        let client = client();
        let limits = limits(&client);
        let mut plans = vec![];
        for run in runs {
            run.check()?;
            plans.push((plan(&run.shape, run.pairs.len(), limits)?, run.shape.replicas));
        }
        let (Some(&first), true) = (plans.first(), plans.windows(2).all(|two| two[0] == two[1])) else {
            return Err(DIFFER.into());
        };
        let (plan, replicas) = first;
        let networks = runs.len() * replicas;
        let largest = 4 * networks as u64 * plan.network.state().max(plan.network.slopes()) as u64;
        if largest > limits.buffer_bytes {
            return Err(format!("{networks} of these networks need a buffer of {} MiB", largest >> 20));
        }
        let order = plan.network.order;
        let data: Vec<u32> = runs.iter().flat_map(|run| table(order, &run.pairs, &run.labels)).collect();
        let slopes = vec![0.0f32; networks * plan.network.slopes()];
        let networks = Networks { runs: runs.len(), replicas };
        Ok(GroupNetReplicas {
            runs: runs.iter().map(|run| run.shape.clone()).collect(),
            plan,
            slopes: Buffer::numbers(&client, &slopes),
            data: Buffer::words(&client, &data),
            slices: Slices::new(client, networks, plan.network.state(), 8.0, SLICE_STEPS),
        })
    }

    /// The division of the work that is compiled.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Another learning rate, which the schedule multiplies, and another λ from here on, for one run.
    pub fn adjust(&mut self, run: usize, learning_rate: f64, lambda: f64) {
        let shape = &mut self.runs[run];
        shape.optimizer.set_learning_rate(learning_rate);
        shape.lambda = lambda;
    }

    /// Makes `steps` steps and measures wherever `every` divides the step, the last one included, unless that
    /// has been measured before. With no steps it measures only.
    ///
    /// # Errors
    /// When the GPU stops working; the network is of no use afterwards.
    pub async fn advance(&mut self, steps: u64, every: u64) -> Result<Vec<Record>, RunError> {
        let (last, every) = (self.slices.step() + steps, every.max(1));
        let mut records = vec![];
        loop {
            records.extend(self.approach(last, every, last.is_multiple_of(every)).await?);
            if self.slices.step() == last {
                return Ok(records);
            }
        }
    }

    /// Makes one slice of steps towards step `last` and measures before each of them that `every` divides, unless
    /// that has been measured before; with `look` the end too, if it is reached.
    ///
    /// # Errors
    /// As [`GroupNetReplicas::advance`].
    pub async fn approach(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, RunError> {
        let records = fitting(MEASURE_BYTES, FIELDS * self.plan.measures() * self.slices.lines());
        match self.slices.next(last, every, look, records, u64::MAX) {
            Some((until, due)) => self.slice(until, &due, every).await,
            None => Ok(vec![]),
        }
    }

    /// Other pairs that each run's networks can be asked about, as many for each, with their labels.
    ///
    /// # Errors
    /// As [`GroupNetReplicas::new`].
    pub fn others(&self, each: &[(&[[u32; 2]], &[u32])]) -> Result<Others, String> {
        let pairs = each.first().map_or(0, |(pairs, _)| pairs.len());
        if each.len() != self.runs.len() || each.iter().any(|(others, _)| others.len() != pairs) {
            return Err(DIFFER.into());
        }
        let (order, replicas) = (self.plan.network.order, self.runs[0].replicas);
        let network = Network { pairs, ..self.plan.network };
        let plan = Plan::tiled(network, replicas, Some(Variant::Many), limits(&self.slices.client))?;
        let data: Vec<u32> = each.iter().flat_map(|(pairs, labels)| table(order, pairs, labels)).collect();
        let slopes = self.runs.len() * replicas * network.slopes();
        Ok(Others {
            plan,
            data: Buffer::words(&self.slices.client, &data),
            slopes: Buffer::empty(&self.slices.client, slopes),
        })
    }

    /// Measures on `others`, without a penalty.
    ///
    /// # Errors
    /// As [`GroupNetReplicas::advance`].
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    pub async fn ask(&mut self, others: &Others) -> Result<Record, RunError> {
        self.slices.begin();
        let (plan, lines) = (others.plan, self.slices.lines());
        let each = FIELDS * plan.measures();
        let measures = Buffer::empty(&self.slices.client, lines * each);
        let table = self.table(0, plan.network.pairs);
        // SAFETY: `answer_all` stays inside, as below.
        unsafe {
            steps::answer_all::launch_unchecked(
                &self.slices.client,
                CubeCount::Static(plan.output_tiles() as u32, lines as u32, 1),
                CubeDim::new_1d(plan.output_lanes() as u32),
                self.slices.state.whole(),
                others.slopes.whole(),
                measures.whole(),
                others.data.whole(),
                table.whole(),
                0,
                self.slices.nonce(),
                plan,
            );
        }
        let values = self.slices.read(measures.handle()).await?;
        let mut record = Record { step: self.slices.step(), ..Default::default() };
        for values in values.chunks(each) {
            let outputs = &values[..FIELDS * plan.output_tiles()];
            self.slices.prove(nonces(outputs))?;
            record.push(outputs, plan.network.pairs);
        }
        Ok(record)
    }

    /// The trained numbers of the first run.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn weights(&self) -> Result<Weights, RunError> {
        let Shape { order, neurons, replicas, .. } = self.runs[0];
        let size = order * neurons;
        let state = self.slices.state_of(0, replicas * self.plan.network.state()).await?;
        let gather = |part: usize| -> Vec<f32> {
            let replicas = state.chunks(self.plan.network.state());
            replicas.flat_map(|r| &r[part * size..(part + 1) * size]).copied().collect()
        };
        Ok(Weights { u: gather(0), v: gather(1), w: gather(2) })
    }

    /// Numbers of the update rule of the selected runs, one run after the other, and how many of them each has: those
    /// that hold throughout, λ among them, then those of each step.
    fn schedules(&self, until: u64) -> (Vec<f32>, usize) {
        let (mut all, mut each) = (vec![], 0);
        for run in self.slices.selected() {
            let Shape { optimizer, lambda, steps, .. } = &self.runs[*run];
            let rate = |step| optimizer.learning_rate() * optimizer.schedule_factor(step, *steps);
            let mut one = schedule(optimizer, rate, self.slices.step(), until);
            one[PENALTY] = *lambda as f32;
            each = one.len();
            all.extend(one);
        }
        (all, each)
    }

    /// The table of the networks that are trained: their runs' schedules have `schedule` numbers each,
    /// and each run has `pairs` pairs.
    fn table(&self, schedule: usize, pairs: usize) -> Buffer {
        let line = |at: usize, run: usize, _| [at * schedule, run * 2 * pairs].map(|place| place as u32);
        Buffer::words(&self.slices.client, &self.slices.table(line))
    }

    async fn slice(&mut self, until: u64, due: &[u64], every: u64) -> Result<Vec<Record>, RunError> {
        self.slices.begin();
        let begin = now_ms();
        let end = if due.last() == Some(&until) { until + 1 } else { until };
        // What is due, and the proof: a look at the end has no second phase, so many workgroups prove one before.
        let mut measured = due.to_vec();
        measured.push(end - 1);
        if self.plan.variant == Variant::Many && until > self.slices.step() {
            measured.push(until - 1);
        }
        measured.sort_unstable();
        measured.dedup();
        let width = FIELDS * self.plan.measures();
        let lines = self.slices.lines();
        let measures = Buffer::empty(&self.slices.client, measured.len() * lines * width);
        match self.plan.variant {
            Variant::One => self.launch_one(until, end, due, every, &measures),
            Variant::Many => self.launch_many(until, end, &measured, &measures),
        }
        let values = self.slices.read(measures.handle()).await?;
        self.slices.finish(until, due, now_ms() - begin, nonces(&values))?;
        let records = values.chunks(lines * width).zip(&measured);
        let wanted = records.filter(|(_, step)| due.binary_search(step).is_ok());
        Ok(wanted.map(|(values, step)| self.record(*step, values)).collect())
    }

    fn record(&self, step: u64, values: &[f32]) -> Record {
        let mut record = Record { step, ..Default::default() };
        let lambdas = self.slices.selected().iter().flat_map(|run| {
            let Shape { replicas, lambda, .. } = self.runs[*run];
            std::iter::repeat_n(lambda as f32, replicas)
        });
        for (values, lambda) in values.chunks(FIELDS * self.plan.measures()).zip(lambdas) {
            let (outputs, neurons) = values.split_at(FIELDS * self.plan.output_tiles());
            record.push(outputs, self.plan.network.pairs);
            let norms = sum(neurons, 0);
            if sum(neurons, 1) > 0.0 {
                for broken in [&mut record.loss, &mut record.margin] {
                    broken.pop();
                    broken.push(f32::NAN);
                }
            }
            record.penalty.push(lambda * norms);
            record.norms.push(norms);
        }
        record
    }

    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch_one(&self, until: u64, end: u64, due: &[u64], every: u64, measures: &Buffer) {
        let (numbers, each) = self.schedules(until);
        let schedule = Buffer::numbers(&self.slices.client, &numbers);
        let table = self.table(each, self.plan.network.pairs);
        let most = (TURNS / self.plan.turns()).max(1) as u64;
        let mut from = self.slices.step();
        while from < end {
            let stop = end.min(from + most);
            let record = due.partition_point(|step| *step < from);
            let first_due = due.get(record).map_or(u32::MAX, |step| (step - from) as u32);
            // SAFETY: `train` stays inside: a workgroup touches what belongs to its own network, whose sizes follow from
            // the plan as the buffers' sizes do, and no more records than there is room for.
            unsafe {
                steps::train::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static(self.slices.lines() as u32, 1, 1),
                    CubeDim::new_1d(self.plan.lanes() as u32),
                    self.slices.state.whole(),
                    self.slopes.whole(),
                    measures.whole(),
                    schedule.whole(),
                    self.data.whole(),
                    table.whole(),
                    (from - self.slices.step()) as u32,
                    (stop.min(until) - from) as u32,
                    u32::from(stop > until),
                    record as u32,
                    first_due,
                    u32::try_from(every).unwrap_or(u32::MAX),
                    u32::from(stop == end),
                    self.slices.nonce(),
                    self.plan,
                );
            }
            from = stop;
        }
    }

    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch_many(&self, until: u64, end: u64, measured: &[u64], measures: &Buffer) {
        let lines = self.slices.lines() as u32;
        let (numbers, each) = self.schedules(until);
        let schedule = Buffer::numbers(&self.slices.client, &numbers);
        let table = self.table(each, self.plan.network.pairs);
        for step in self.slices.step()..end {
            let here = measured.binary_search(&step).map_or(NO_RECORD, |place| place as u32);
            // SAFETY: as above; a workgroup writes the slopes of its own pairs, or trains its own neurons.
            unsafe {
                steps::answer_all::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static(self.plan.output_tiles() as u32, lines, 1),
                    CubeDim::new_1d(self.plan.output_lanes() as u32),
                    self.slices.state.whole(),
                    self.slopes.whole(),
                    measures.whole(),
                    self.data.whole(),
                    table.whole(),
                    here,
                    self.slices.nonce(),
                    self.plan,
                );
                steps::learn_all::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static(self.plan.neuron_tiles() as u32, lines, 1),
                    CubeDim::new_1d(self.plan.neuron_lanes() as u32),
                    self.slices.state.whole(),
                    self.slopes.whole(),
                    measures.whole(),
                    schedule.whole(),
                    table.whole(),
                    (step - self.slices.step()) as u32,
                    u32::from(step < until),
                    here,
                    self.slices.nonce(),
                    self.plan,
                );
            }
        }
    }
}

/// The numbers that launches have left beside their measurements.
fn nonces(values: &[f32]) -> impl Iterator<Item = f32> {
    values.chunks(FIELDS).map(|fields| fields[FIELDS - 1])
}
