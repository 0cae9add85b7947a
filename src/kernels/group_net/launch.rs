//! Launching the group kernels: buffers, how many steps at a time, and what is read back.
//!
//! # Why
//! A slice's last step is always measured, because the number that comes back beside it proves that its launches ran,
//! and ran to their end.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::data::{Record, Shape, Weights, check, sum, table};
use super::plan::{Network, Plan, Variant};
use super::{FIELDS, NO_RECORD, steps};
use crate::kernels::client::{client, limits};
use crate::kernels::plan::Rule;
use crate::kernels::slices::{Slices, StateSize, schedule};
use crate::optim::Optimizer;
use crate::platform::now_ms;
use crate::protocol::Failure;

/// Most steps of one slice.
const SLICE_STEPS: f64 = 8192.0;
/// Turns of loops in one launch: after 65535 of them, of all loops together, Mesa's simulated GPU ends every
/// loop. Other GPUs lose nothing, since that is still a matter of milliseconds.
const TURNS: usize = 60_000;
/// Bytes of measurements read back in one slice.
const MEASURE_BYTES: usize = 4 << 20;

/// Pairs that a network is asked about without being trained on them.
pub struct Others {
    plan: Plan,
    data: Handle,
    slopes: (Handle, usize),
}

/// Replicas of a network on the GPU.
pub struct GroupNetReplicas {
    shape: Shape,
    plan: Plan,
    /// Its state, and how far it has been trained.
    pub slices: Slices,
    slopes: Handle,
    data: Handle,
}

impl GroupNetReplicas {
    /// A network at `weights` that learns the `labels` of `pairs`, on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the data, or why the network does not fit the GPU.
    pub fn new(shape: Shape, pairs: &[[u32; 2]], labels: &[u32], weights: &Weights) -> Result<Self, String> {
        let Shape { order, neurons, sigma, nu, replicas, .. } = shape;
        check(&shape, pairs, labels, weights)?;
        let rule = match &shape.optimizer {
            Optimizer::Sgd(sgd) => Rule::Sgd { momentum: sgd.momentum > 0.0 },
            Optimizer::Adam(_) => Rule::Adam,
        };
        let network = Network { order, neurons, sigma, nu, pairs: pairs.len(), rule };
        let client = client();
        let limits = limits(&client);
        let largest = 4 * replicas as u64 * network.state().max(network.slopes()) as u64;
        if largest > limits.buffer_bytes {
            return Err(format!("{replicas} of these networks need a buffer of {} MiB", largest >> 20));
        }
        let plan = Plan::tiled(network, replicas, shape.variant, limits)?;
        let data = table(order, pairs, labels);
        let size = order * neurons;
        let mut state = vec![0.0f32; replicas * network.state()];
        for (replica, state) in state.chunks_mut(network.state()).enumerate() {
            for (part, values) in state.chunks_mut(size).zip([&weights.u, &weights.v, &weights.w]) {
                part.copy_from_slice(&values[replica * size..(replica + 1) * size]);
            }
        }
        let slopes = vec![0.0f32; replicas * network.slopes()];
        let size = StateSize { replicas, each: network.state(), parameters: network.parameters() };
        let state = client.create_from_slice(f32::as_bytes(&state));
        Ok(GroupNetReplicas {
            shape,
            plan,
            slopes: client.create_from_slice(f32::as_bytes(&slopes)),
            data: client.create_from_slice(u32::as_bytes(&data)),
            slices: Slices::new(client, state, size, 8.0, SLICE_STEPS),
        })
    }

    /// The division of the work that is compiled.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Another learning rate and another λ from here on.
    pub fn adjust(&mut self, learning_rate: f64, lambda: f64) {
        match &mut self.shape.optimizer {
            Optimizer::Sgd(sgd) => sgd.lr = learning_rate,
            Optimizer::Adam(adam) => adam.lr = learning_rate,
        }
        self.shape.lambda = lambda;
    }

    /// Makes `steps` steps and measures wherever `every` divides the step, the last one included, unless that
    /// has been measured before. With no steps it measures only.
    ///
    /// # Errors
    /// When the GPU stops working; the network is of no use afterwards.
    pub async fn advance(&mut self, steps: u64, every: u64) -> Result<Vec<Record>, Failure> {
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
    pub async fn approach(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, Failure> {
        let row = 4 * FIELDS * self.plan.measures() * self.shape.replicas;
        let records = (MEASURE_BYTES / row).max(2) - 1;
        let (until, due) = self.slices.next(last, every, look, records, u64::MAX);
        if until == self.slices.step() && due.is_empty() {
            return Ok(vec![]);
        }
        self.slice(until, &due, every).await
    }

    /// Puts the network where [`Slices::save`] found one after `step` steps.
    pub fn put(&mut self, state: &[f32], step: u64) {
        self.slices.put(state, step);
    }

    /// Other pairs that this network can be asked about.
    ///
    /// # Errors
    /// As [`GroupNetReplicas::new`].
    pub fn others(&self, pairs: &[[u32; 2]], labels: &[u32]) -> Result<Others, String> {
        let network = Network { pairs: pairs.len(), ..self.plan.network };
        let limits = limits(&self.slices.client);
        let plan = Plan::tiled(network, self.shape.replicas, Some(Variant::Many), limits)?;
        let data = table(self.shape.order, pairs, labels);
        let slopes = self.shape.replicas * network.slopes();
        Ok(Others {
            plan,
            data: self.slices.client.create_from_slice(u32::as_bytes(&data)),
            slopes: (self.slices.client.empty(4 * slopes), slopes),
        })
    }

    /// Measures on `others`, without a penalty.
    ///
    /// # Errors
    /// As [`GroupNetReplicas::advance`].
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    pub async fn ask(&mut self, others: &Others) -> Result<Record, Failure> {
        self.slices.begin();
        let (plan, replicas) = (others.plan, self.shape.replicas);
        let each = FIELDS * plan.measures();
        let measures = self.slices.client.empty(4 * replicas * each);
        // SAFETY: every length is that of its buffer; `answer_all` stays inside, as above.
        unsafe {
            steps::answer_all::launch_unchecked(
                &self.slices.client,
                CubeCount::Static(plan.output_tiles() as u32, replicas as u32, 1),
                CubeDim::new_1d(plan.output_lanes() as u32),
                self.slices.state(),
                BufferArg::from_raw_parts(others.slopes.0.clone(), others.slopes.1),
                BufferArg::from_raw_parts(measures.clone(), replicas * each),
                BufferArg::from_raw_parts(others.data.clone(), 2 * plan.network.pairs),
                0,
                self.slices.nonce(),
                plan,
            );
        }
        let values = self.slices.read(measures).await?;
        let mut record = Record { step: self.slices.step(), ..Default::default() };
        for values in values.chunks(each) {
            let outputs = &values[..FIELDS * plan.output_tiles()];
            self.slices.prove(nonces(outputs))?;
            record.push(outputs, plan.network.pairs);
        }
        Ok(record)
    }

    /// The trained numbers.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn weights(&self) -> Result<Weights, Failure> {
        let state = self.slices.save().await?;
        let size = self.shape.order * self.shape.neurons;
        let gather = |part: usize| -> Vec<f32> {
            let replicas = state.chunks(self.plan.network.state());
            replicas.flat_map(|r| &r[part * size..(part + 1) * size]).copied().collect()
        };
        Ok(Weights { u: gather(0), v: gather(1), w: gather(2) })
    }

    /// Numbers of the update rule: those that hold throughout, then those of each step.
    fn schedule(&self, until: u64) -> Vec<f32> {
        let rate = self.shape.optimizer.learning_rate();
        schedule(&self.shape.optimizer, |_| rate, self.slices.step(), until)
    }

    async fn slice(&mut self, until: u64, due: &[u64], every: u64) -> Result<Vec<Record>, Failure> {
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
        let slots = measured.len();
        let width = FIELDS * self.plan.measures();
        let measures = self.slices.client.empty(4 * slots * self.shape.replicas * width);
        match self.plan.variant {
            Variant::One => self.launch_one(until, end, due, every, slots, &measures),
            Variant::Many => self.launch_many(until, end, &measured, &measures),
        }
        let values = self.slices.read(measures).await?;
        self.slices.finish(until, due, now_ms() - begin, nonces(&values))?;
        let records = values.chunks(self.shape.replicas * width).zip(&measured);
        let wanted = records.filter(|(_, step)| due.binary_search(step).is_ok());
        Ok(wanted.map(|(values, step)| self.record(*step, values)).collect())
    }

    fn record(&self, step: u64, values: &[f32]) -> Record {
        let mut record = Record { step, ..Default::default() };
        for values in values.chunks(FIELDS * self.plan.measures()) {
            let (outputs, neurons) = values.split_at(FIELDS * self.plan.output_tiles());
            record.push(outputs, self.plan.network.pairs);
            let norms = sum(neurons, 0);
            if sum(neurons, 1) > 0.0 {
                for broken in [&mut record.loss, &mut record.margin] {
                    broken.pop();
                    broken.push(f32::NAN);
                }
            }
            record.penalty.push(self.shape.lambda as f32 * norms);
            record.norms.push(norms);
        }
        record
    }

    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch_one(&self, until: u64, end: u64, due: &[u64], every: u64, slots: usize, measures: &Handle) {
        let replicas = self.shape.replicas;
        let schedule = self.schedule(until);
        let table = self.slices.client.create_from_slice(f32::as_bytes(&schedule));
        let most = (TURNS / self.plan.turns()).max(1) as u64;
        let mut from = self.slices.step();
        while from < end {
            let stop = end.min(from + most);
            let record = due.partition_point(|step| *step < from);
            let first_due = due.get(record).map_or(u32::MAX, |step| (step - from) as u32);
            // SAFETY: every length is that of its buffer, and `train` stays inside: a workgroup touches the
            // slices of its own replica, whose sizes follow from the plan as the buffers' sizes do, and as many
            // records as there are slots.
            unsafe {
                steps::train::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static(replicas as u32, 1, 1),
                    CubeDim::new_1d(self.plan.lanes() as u32),
                    self.slices.state(),
                    self.slopes(),
                    self.measures(measures, slots),
                    BufferArg::from_raw_parts(table.clone(), schedule.len()),
                    self.data(),
                    self.shape.lambda as f32,
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
    fn launch_many(&self, until: u64, end: u64, measured: &[u64], measures: &Handle) {
        let replicas = self.shape.replicas;
        let slots = measured.len();
        let schedule = self.schedule(until);
        let table = self.slices.client.create_from_slice(f32::as_bytes(&schedule));
        let lambda = self.shape.lambda as f32;
        for step in self.slices.step()..end {
            let here = measured.binary_search(&step).map_or(NO_RECORD, |place| place as u32);
            // SAFETY: as above; a workgroup writes the slopes of its own pairs, or trains its own neurons.
            unsafe {
                steps::answer_all::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static(self.plan.output_tiles() as u32, replicas as u32, 1),
                    CubeDim::new_1d(self.plan.output_lanes() as u32),
                    self.slices.state(),
                    self.slopes(),
                    self.measures(measures, slots),
                    self.data(),
                    here,
                    self.slices.nonce(),
                    self.plan,
                );
                steps::learn_all::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static(self.plan.neuron_tiles() as u32, replicas as u32, 1),
                    CubeDim::new_1d(self.plan.neuron_lanes() as u32),
                    self.slices.state(),
                    self.slopes(),
                    self.measures(measures, slots),
                    BufferArg::from_raw_parts(table.clone(), schedule.len()),
                    lambda,
                    (step - self.slices.step()) as u32,
                    u32::from(step < until),
                    here,
                    self.slices.nonce(),
                    self.plan,
                );
            }
        }
    }

    #[expect(unsafe_code, reason = "a buffer is handed over with its length")]
    fn slopes(&self) -> BufferArg {
        // SAFETY: the length is that of the buffer.
        unsafe {
            BufferArg::from_raw_parts(self.slopes.clone(), self.shape.replicas * self.plan.network.slopes())
        }
    }

    #[expect(unsafe_code, reason = "a buffer is handed over with its length")]
    fn data(&self) -> BufferArg {
        // SAFETY: the length is that of the buffer.
        unsafe { BufferArg::from_raw_parts(self.data.clone(), 2 * self.plan.network.pairs) }
    }

    #[expect(unsafe_code, reason = "a buffer is handed over with its length")]
    fn measures(&self, measures: &Handle, slots: usize) -> BufferArg {
        let length = slots * self.shape.replicas * FIELDS * self.plan.measures();
        // SAFETY: the length is that of the buffer.
        unsafe { BufferArg::from_raw_parts(measures.clone(), length) }
    }
}

/// The numbers that launches have left beside their measurements.
fn nonces(values: &[f32]) -> impl Iterator<Item = f32> {
    values.chunks(FIELDS).map(|fields| fields[FIELDS - 1])
}
