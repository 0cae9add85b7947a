//! Launching the sequence kernels: buffers, how many steps at a time, and what is read back.
//!
//! # Why
//! A slice's last step is always measured and its last update signed, because the numbers that come
//! back prove that its launches ran, and ran to their end.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::NO_RECORD;
use super::chains::{SAMPLERS, Sampling};
use super::data::{Layout, Questions, Record, mirrored, table};
use super::plan::{LANES, Network, Plan};
use super::sampling::sample;
use super::steps::{FIELDS, answer_all, gradient_all, update_all};
use crate::kernels::client::{client, limits};
use crate::kernels::slices::{Slices, StateSize, schedule};
use crate::platform::now_ms;
use crate::protocol::Failure;
use crate::run::RunSpec;

/// Most steps of one slice.
const SLICE_STEPS: f64 = 4096.0;
/// Bytes of measurements read back in one slice.
const MEASURE_BYTES: usize = 4 << 20;
/// Bytes of symbols, and of what their drawing keeps, in one slice.
const SYMBOL_BYTES: usize = 32 << 20;

/// Replicas of a network on the GPU.
pub struct SequenceNet {
    replicas: usize,
    seed: u64,
    /// Share of doubly stochastic chains in a mixture, in units of 2⁻²⁴.
    bound: u32,
    plan: Plan,
    sampling: Sampling,
    layout: Vec<Layout>,
    /// Its state, and how far it has been trained.
    pub slices: Slices,
    mirror: Handle,
    gradients: Handle,
    work: Handle,
    table: Handle,
    questions: Option<(Questions, Handle)>,
    turns: u64,
}

impl SequenceNet {
    /// The network of `spec`, all zeros until [`SequenceNet::put`], on the GPU that has been opened.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let (network, sampling) = (Network::of(spec)?, Sampling::of(spec)?);
        let client = client();
        let limits = limits(&client);
        let replicas = spec.run.replicas;
        let plan = Plan::of(network, replicas, limits)?;
        if sampling.turns() > limits.turns {
            return Err("its chains take longer to draw than a simulated GPU lets a shader run".into());
        }
        let step_bytes = 4 * replicas * network.batch * (network.length + 1);
        if step_bytes > SYMBOL_BYTES {
            return Err(format!("the symbols of a step take {} MiB", step_bytes >> 20));
        }
        let share = spec.task.sampler().chain_sequences().map_or(0.0, |drawn| drawn.share);
        let layout = Layout::of(spec);
        let groups = replicas * plan.groups;
        let size = StateSize { replicas, each: network.state(), parameters: network.parameters() };
        let state = client.empty(4 * replicas * network.state());
        Ok(SequenceNet {
            replicas,
            seed: spec.run.seed,
            bound: libm::round(share * 16_777_216.0) as u32,
            mirror: client.empty(4 * replicas * network.parameters()),
            gradients: client.empty(4 * groups * network.parameters()),
            work: client.empty(4 * groups * plan.work()),
            table: client.create_from_slice(u32::as_bytes(&table(&layout))),
            plan,
            sampling,
            layout,
            questions: None,
            turns: limits.turns,
            slices: Slices::new(client, state, size, 1.0, SLICE_STEPS),
        })
    }

    /// The division of the work that is compiled.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Contexts, `[count, length]`, that measurements ask about, and on how many of them heads are scored.
    pub fn question(&mut self, contexts: &[u8], scored: usize) {
        let numbers: Vec<u32> = contexts.iter().map(|symbol| u32::from(*symbol)).collect();
        let questions = Questions::new(&self.plan.network, self.replicas, contexts, scored);
        self.questions = Some((questions, self.slices.client.create_from_slice(u32::as_bytes(&numbers))));
    }

    /// Puts the network where [`Slices::save`] found one after `step` steps.
    pub fn put(&mut self, state: &[f32], step: u64) {
        self.slices.put(state, step);
        let mirror = mirrored(&self.layout, state, self.plan.network.state());
        self.mirror = self.slices.client.create_from_slice(f32::as_bytes(&mirror));
    }

    /// The training sequences of `steps` steps from `from` on, as the device draws them: `[steps, replicas, batch,
    /// length + 1]`.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn symbols(&self, from: u64, steps: usize) -> Result<Vec<u32>, Failure> {
        let drawn = self.draw(from, steps);
        let mut bytes = self.slices.client.read_async(vec![drawn]).await.map_err(Failure::lost)?;
        Ok(u32::from_bytes(&bytes.remove(0)).to_vec())
    }

    /// Makes one slice of steps towards step `last`, with the learning rates of `spec`, and measures before each of
    /// them that `every` divides, unless that has been measured before; with `look` the end too, if it is reached.
    ///
    /// # Errors
    /// When the GPU stops working; the network is of no use afterwards.
    pub async fn approach(
        &mut self,
        spec: &RunSpec,
        last: u64,
        every: u64,
        look: bool,
    ) -> Result<Vec<Record>, Failure> {
        let (batch, answers) = self.width();
        let records = (MEASURE_BYTES / (4 * (batch + answers))).max(2) - 1;
        let drawn = (SYMBOL_BYTES / (4 * self.step_symbols())).max(2) - 1;
        let (until, due) = self.slices.next(last, every, look, records, drawn as u64);
        if until == self.slices.step() && due.is_empty() {
            return Ok(vec![]);
        }
        self.slice(spec, until, &due).await
    }

    /// Numbers of one measurement: of the batch, then of the contexts.
    fn width(&self) -> (usize, usize) {
        let answers = self.questions.as_ref().map_or(0, |(questions, _)| questions.numbers());
        (self.replicas * self.plan.groups * FIELDS, answers)
    }

    /// Numbers of the symbols of one step.
    fn step_symbols(&self) -> usize {
        self.replicas * self.plan.network.batch * (self.plan.network.length + 1)
    }

    async fn slice(&mut self, spec: &RunSpec, until: u64, due: &[u64]) -> Result<Vec<Record>, Failure> {
        self.slices.begin();
        let begin = now_ms();
        let end = if due.last() == Some(&until) { until + 1 } else { until };
        // What is due, and the proof.
        let mut measured = due.to_vec();
        if measured.last() != Some(&(end - 1)) {
            measured.push(end - 1);
        }
        let updates = self.plan.network.parameters().div_ceil(LANES) * self.replicas;
        let (batch, answers) = self.width();
        let batches = self.slices.client.empty(4 * (measured.len() * batch + updates));
        let answered = self.slices.client.empty(4 * (due.len() * answers).max(1));
        self.launch(spec, until, end, due, &measured, &batches, &answered);
        let values = self.slices.read(batches).await?;
        let told = if due.len() * answers > 0 { self.slices.read(answered).await? } else { vec![] };
        let took = now_ms() - begin;
        let nonces = values[..measured.len() * batch].chunks(FIELDS).map(|fields| fields[FIELDS - 1]);
        // Without a step there was no update that could have left its number.
        let updated = if until > self.slices.step() { &values[measured.len() * batch..] } else { &[] };
        let nonces = nonces.chain(updated.iter().copied());
        let questions = self.questions.as_ref().map(|(questions, _)| questions);
        let nonces = nonces.chain(told.chunks(answers.max(1)).flat_map(|told| {
            let proofs = questions.map(|questions| questions.proofs(told));
            proofs.into_iter().flatten()
        }));
        self.slices.finish(until, due, took, nonces)?;
        let positions = self.plan.network.batch * self.plan.network.length;
        let records = due.iter().enumerate().map(|(at, step)| {
            let mut record = Record { step: *step, ..Default::default() };
            for groups in values[at * batch..(at + 1) * batch].chunks(self.plan.groups * FIELDS) {
                record.push(groups, positions);
            }
            if let Some(questions) = questions {
                questions.note(&told[at * answers..(at + 1) * answers], &mut record);
            }
            record
        });
        Ok(records.collect())
    }

    /// Draws the sequences of `steps` steps.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn draw(&self, from: u64, steps: usize) -> Handle {
        let numbers = steps * self.step_symbols();
        let out = self.slices.client.empty(4 * numbers);
        let sequences = steps * self.replicas * self.plan.network.batch;
        let most = (SYMBOL_BYTES / (4 * self.sampling.cells()) / SAMPLERS).max(1) * SAMPLERS;
        let at_once = sequences.next_multiple_of(SAMPLERS).min(most).min(32_768 * SAMPLERS);
        let cells = at_once * self.sampling.cells();
        let work = self.slices.client.empty(4 * cells);
        for first in (0..sequences).step_by(at_once) {
            // SAFETY: the lengths are those of the buffers; a lane writes its own sequence and its own cells, of
            // which there are as many as lanes.
            unsafe {
                sample::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static((at_once / SAMPLERS) as u32, 1, 1),
                    CubeDim::new_1d(SAMPLERS as u32),
                    BufferArg::from_raw_parts(out.clone(), numbers),
                    BufferArg::from_raw_parts(work.clone(), cells),
                    self.seed as u32,
                    (self.seed >> 32) as u32,
                    from as u32,
                    (from >> 32) as u32,
                    first as u32,
                    at_once.min(sequences - first) as u32,
                    self.replicas as u32,
                    self.bound,
                    self.sampling,
                );
            }
        }
        out
    }

    /// Steps to `until`, and measurements of those in `due`; `measured` are those and the last.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    #[expect(clippy::too_many_arguments, reason = "buffers and numbers of one slice")]
    fn launch(
        &self,
        spec: &RunSpec,
        until: u64,
        end: u64,
        due: &[u64],
        measured: &[u64],
        batches: &Handle,
        answered: &Handle,
    ) {
        let (network, groups) = (&self.plan.network, self.plan.groups);
        let rate = |step| spec.learning_rate(step);
        let schedule = schedule(&spec.optimizer, rate, self.slices.step(), until);
        let rows = self.slices.client.create_from_slice(f32::as_bytes(&schedule));
        let steps = (end - self.slices.step()) as usize;
        let symbols = self.draw(self.slices.step(), steps);
        let (batch, answers) = self.width();
        let updates = network.parameters().div_ceil(LANES);
        let proofs = measured.len() * batch;
        let length = proofs + updates * self.replicas;
        let whole = |handle: &Handle, length: usize| {
            // SAFETY: the length is that of the buffer.
            unsafe { BufferArg::from_raw_parts(handle.clone(), length) }
        };
        let state = || self.slices.state();
        let mirror = || whole(&self.mirror, self.replicas * network.parameters());
        let work = || whole(&self.work, self.replicas * groups * self.plan.work());
        let gradients = || whole(&self.gradients, self.replicas * groups * network.parameters());
        let each = CubeCount::Static(groups as u32, self.replicas as u32, 1);
        for step in self.slices.step()..end {
            let here = measured.binary_search(&step).map_or(NO_RECORD, |place| place as u32);
            if let (Ok(slot), Some((questions, contexts))) = (due.binary_search(&step), &self.questions) {
                let most = (self.turns / self.plan.turns()).clamp(1, 1024) as usize;
                for begin in (0..questions.count).step_by(groups * most) {
                    let turns = (questions.count - begin).div_ceil(groups).min(most);
                    // SAFETY: a workgroup keeps to its slice of the scratch buffer, and writes the answers to its own
                    // contexts, which are below the count.
                    unsafe {
                        answer_all::launch_unchecked(
                            &self.slices.client,
                            each.clone(),
                            CubeDim::new_1d(LANES as u32),
                            state(),
                            mirror(),
                            whole(contexts, questions.count * network.length),
                            work(),
                            whole(answered, (due.len() * answers).max(1)),
                            begin as u32,
                            turns as u32,
                            questions.count as u32,
                            questions.scored as u32,
                            (slot * answers) as u32,
                            self.slices.nonce(),
                            self.plan,
                        );
                    }
                }
            }
            // SAFETY: a workgroup keeps to its slices of scratch, gradients and measurements, whose sizes follow from
            // the plan as the buffers' do; a lane of the update to its own parameter.
            unsafe {
                gradient_all::launch_unchecked(
                    &self.slices.client,
                    each.clone(),
                    CubeDim::new_1d(LANES as u32),
                    state(),
                    mirror(),
                    whole(&symbols, steps * self.step_symbols()),
                    work(),
                    gradients(),
                    whole(batches, length),
                    (step - self.slices.step()) as u32,
                    here,
                    self.slices.nonce(),
                    self.plan,
                );
                if step < until {
                    update_all::launch_unchecked(
                        &self.slices.client,
                        CubeCount::Static(updates as u32, self.replicas as u32, 1),
                        CubeDim::new_1d(LANES as u32),
                        state(),
                        mirror(),
                        gradients(),
                        whole(&rows, schedule.len()),
                        whole(&self.table, network.parameters()),
                        whole(batches, length),
                        (step - self.slices.step()) as u32,
                        u32::from(step + 1 == until),
                        proofs as u32,
                        self.slices.nonce(),
                        self.plan,
                    );
                }
            }
        }
    }
}
