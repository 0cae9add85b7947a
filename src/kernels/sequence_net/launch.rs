//! Launching the sequence kernels: buffers, how many steps at a time, and what is read back.
//!
//! # Why
//! A slice's last step is always measured and its last update signed, because the numbers that come
//! back prove that its launches ran, and ran to their end.

use cubecl::prelude::*;

use super::NO_RECORD;
use super::chains::{SAMPLERS, Sampling};
use super::data::{Layout, Questions, Record, mirrored, places};
use super::plan::{LANES, Network, Plan};
use super::sampling::sample;
use super::steps::{FIELDS, answer_all, gradient_all, update_all};
use crate::buffer::Buffer;
use crate::client::{client, limits};
use crate::plan::Limits;
use crate::slices::{DIFFER, MEASURE_BYTES, Networks, RunBuffer, Slices, fitting, measured};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;

/// Most steps of one slice.
const SLICE_STEPS: f64 = 4096.0;
/// Bytes of symbols, and of what their drawing keeps, in one slice.
const SYMBOL_BYTES: usize = 32 << 20;

/// What a run is compiled for; runs with the same can lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// Its networks, and how a step is divided among workgroups.
    pub plan: Plan,
    /// How its sequences are drawn.
    sampling: Sampling,
    /// Share of doubly stochastic chains in a mixture, in units of 2⁻²⁴.
    bound: u32,
    replicas: usize,
}

impl Compiled {
    /// What `spec` is compiled for.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn of(spec: &RunSpec, limits: Limits) -> Result<Self, String> {
        let (network, sampling) = (Network::of(spec)?, Sampling::of(spec)?);
        let replicas = spec.run.replicas;
        let plan = Plan::of(network, replicas, limits)?;
        if sampling.turns() > limits.turns {
            return Err("its chains take longer to draw than a simulated GPU lets a shader run".into());
        }
        let share = spec.task.data().chain_sequences().map_or(0.0, |drawn| drawn.mixture_weight);
        let compiled = Compiled { plan, sampling, bound: libm::round(share * 16_777_216.0) as u32, replicas };
        compiled.fits(1, limits)?;
        Ok(compiled)
    }

    /// Numbers of the largest buffer that stays for the whole of so many runs.
    fn largest(&self, runs: usize) -> usize {
        let network = &self.plan.network;
        let group = self.plan.groups * network.parameters().max(self.plan.work());
        runs * self.replicas * network.state().max(group)
    }

    /// Whether so many runs fit side by side.
    fn fits(&self, runs: usize, limits: Limits) -> Result<(), String> {
        let symbols = 4 * runs * self.replicas * self.plan.network.batch * (self.plan.network.length + 1);
        if symbols > SYMBOL_BYTES {
            return Err(format!("the symbols of a step take {} MiB", symbols >> 20));
        }
        let largest = 4 * self.largest(runs) as u64;
        if largest > limits.buffer_bytes {
            return Err(format!("their gradients need a buffer of {} MiB", largest >> 20));
        }
        Ok(())
    }

    /// Bytes that a run takes on the GPU, roughly: weights with a copy of them, gradients, scratch, and symbols.
    pub fn bytes(&self) -> u64 {
        let network = &self.plan.network;
        let group = self.plan.groups * (network.parameters() + self.plan.work());
        let symbols = network.batch * (network.length + 1);
        4 * self.replicas as u64 * (3 * network.state() + group + symbols) as u64
    }
}

/// Replicas of a network on the GPU, of one run or of several side by side.
pub struct SequenceNet {
    specs: Vec<RunSpec>,
    compiled: Compiled,
    layout: Vec<Layout>,
    /// Their state, and how far they have been trained.
    pub slices: Slices,
    gradients: Buffer,
    work: Buffer,
    places: Buffer,
    questions: Option<(Questions, Buffer)>,
    turns: u64,
}

impl SequenceNet {
    /// The networks of these runs, without weights until each is [put](SequenceNet::put), on the GPU that has been
    /// opened.
    ///
    /// # Errors
    /// A sentence that says why they do not fit the kernels or the GPU, or that they differ in what the kernels are
    /// compiled for.
    pub fn new(specs: &[RunSpec]) -> Result<Self, String> {
        let client = client();
        let limits = limits(&client);
        let all: Vec<Compiled> =
            specs.iter().map(|spec| Compiled::of(spec, limits)).collect::<Result<_, _>>()?;
        let (Some(&compiled), true) = (all.first(), all.windows(2).all(|two| two[0] == two[1])) else {
            return Err(DIFFER.into());
        };
        compiled.fits(specs.len(), limits)?;
        let Compiled { plan, replicas, .. } = compiled;
        let (network, layout) = (plan.network, Layout::of(&specs[0]));
        let groups = specs.len() * replicas * plan.groups;
        let mirror = RunBuffer::new(&client, specs.len(), replicas * network.parameters());
        let networks = Networks { runs: specs.len(), replicas };
        let gradients = Buffer::empty(&client, groups * network.parameters());
        let work = Buffer::empty(&client, groups * plan.work());
        let places = Buffer::words(&client, &places(&layout));
        let mut slices = Slices::new(client, networks, network.state(), 1.0, SLICE_STEPS);
        slices.beside.push(mirror);
        let (specs, turns) = (specs.to_vec(), limits.turns);
        Ok(SequenceNet { specs, compiled, layout, slices, gradients, work, places, questions: None, turns })
    }

    /// The division of the work that is compiled.
    pub fn plan(&self) -> &Plan {
        &self.compiled.plan
    }

    /// Contexts, `[count, length]`, that measurements of each run ask about, as many for each, and on how many of them
    /// heads are scored.
    pub fn question(&mut self, runs: &[&[u8]], scored: usize) {
        let numbers: Vec<u32> = runs.concat().into_iter().map(u32::from).collect();
        let questions = Questions::new(&self.plan().network, self.compiled.replicas, runs, scored);
        self.questions = Some((questions, Buffer::words(&self.slices.client, &numbers)));
    }

    /// Another learning rate or schedule from here on, for one run.
    pub fn adjust(&mut self, run: usize, spec: &RunSpec) {
        self.specs[run].run.schedule.clone_from(&spec.run.schedule);
    }

    /// Replaces the state of a run: of every replica the parameters, then their moments.
    pub fn put(&mut self, run: usize, state: &[f32]) {
        let mirror = mirrored(&self.layout, state, self.compiled.plan.network.state());
        self.slices.put(run, state);
        self.slices.beside[0].put(run, &mirror);
    }

    /// The training sequences of `steps` steps from `from` on, as the device draws them: `[steps, networks, batch,
    /// length + 1]`.
    ///
    /// # Errors
    /// When the GPU stops working.
    pub async fn symbols(&self, from: u64, steps: usize) -> Result<Vec<u32>, RunError> {
        let drawn = self.draw(from, steps, &self.table(0)).handle();
        let mut bytes = self.slices.client.read_async(vec![drawn]).await.map_err(RunError::gpu_lost)?;
        Ok(u32::from_bytes(&bytes.remove(0)).to_vec())
    }

    /// The table of the networks that are trained: their runs' schedules have `schedule` numbers each.
    fn table(&self, schedule: usize) -> Buffer {
        let line = |at: usize, run: usize, replica: usize| {
            let seed = self.specs[run].run.seed;
            let (low, high) = (seed as u32, (seed >> 32) as u32);
            [run as u32, (at * schedule) as u32, low, high, replica as u32]
        };
        Buffer::words(&self.slices.client, &self.slices.table(line))
    }

    /// Makes one slice of steps towards step `last` and measures before each of them that `every` divides, unless that
    /// has been measured before; with `look` the end too, if it is reached.
    ///
    /// # Errors
    /// When the GPU stops working; the network is of no use afterwards.
    pub async fn approach(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, RunError> {
        let (batch, answers) = self.width();
        let (records, drawn) =
            (fitting(MEASURE_BYTES, batch + answers), fitting(SYMBOL_BYTES, self.step_symbols()));
        match self.slices.next(last, every, look, records, drawn as u64) {
            Some((until, due)) => self.slice(until, &due).await,
            None => Ok(vec![]),
        }
    }

    /// Numbers of one measurement: of the batch, then of the contexts.
    fn width(&self) -> (usize, usize) {
        let lines = self.slices.lines();
        let answers = self.questions.as_ref().map_or(0, |(questions, _)| questions.numbers(lines));
        (lines * self.plan().groups * FIELDS, answers)
    }

    /// Numbers of the symbols of one step.
    fn step_symbols(&self) -> usize {
        let network = &self.plan().network;
        self.slices.lines() * network.batch * (network.length + 1)
    }

    async fn slice(&mut self, until: u64, due: &[u64]) -> Result<Vec<Record>, RunError> {
        self.slices.begin();
        let begin = now_ms();
        let (end, measured) = measured(until, due);
        let updates = self.plan().network.parameters().div_ceil(LANES) * self.slices.lines();
        let (batch, answers) = self.width();
        let batches = Buffer::empty(&self.slices.client, measured.len() * batch + updates);
        let answered = Buffer::empty(&self.slices.client, (due.len() * answers).max(1));
        self.launch(until, end, due, &measured, &batches, &answered);
        let values = self.slices.read(batches.handle()).await?;
        let told = if due.len() * answers > 0 { self.slices.read(answered.handle()).await? } else { vec![] };
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
        let plan = self.compiled.plan;
        let positions = plan.network.batch * plan.network.length;
        let records = due.iter().enumerate().map(|(at, step)| {
            let mut record = Record { step: *step, ..Default::default() };
            for groups in values[at * batch..(at + 1) * batch].chunks(plan.groups * FIELDS) {
                record.push(groups, positions);
            }
            if let Some(questions) = questions {
                let told = &told[at * answers..(at + 1) * answers];
                questions.note(told, self.slices.selected(), &mut record);
            }
            record
        });
        Ok(records.collect())
    }

    /// Draws the sequences of `steps` steps.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn draw(&self, from: u64, steps: usize, table: &Buffer) -> Buffer {
        let (sampling, lines) = (self.compiled.sampling, self.slices.lines());
        let out = Buffer::empty(&self.slices.client, steps * self.step_symbols());
        let sequences = steps * lines * self.plan().network.batch;
        let most = (SYMBOL_BYTES / (4 * sampling.cells()) / SAMPLERS).max(1) * SAMPLERS;
        let at_once = sequences.next_multiple_of(SAMPLERS).min(most).min(32_768 * SAMPLERS);
        let work = Buffer::empty(&self.slices.client, at_once * sampling.cells());
        for first in (0..sequences).step_by(at_once) {
            // SAFETY: a lane writes its own sequence and its own cells, of which there are as many as lanes.
            unsafe {
                sample::launch_unchecked(
                    &self.slices.client,
                    CubeCount::Static((at_once / SAMPLERS) as u32, 1, 1),
                    CubeDim::new_1d(SAMPLERS as u32),
                    out.whole(),
                    work.whole(),
                    table.whole(),
                    from as u32,
                    (from >> 32) as u32,
                    first as u32,
                    at_once.min(sequences - first) as u32,
                    lines as u32,
                    self.compiled.bound,
                    sampling,
                );
            }
        }
        out
    }

    /// Steps to `until`, and measurements of those in `due`; `measured` are those and the last.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    fn launch(
        &self,
        until: u64,
        end: u64,
        due: &[u64],
        measured: &[u64],
        batches: &Buffer,
        answered: &Buffer,
    ) {
        let plan = self.compiled.plan;
        let (network, groups, lines) = (&plan.network, plan.groups, self.slices.lines());
        let (schedules, each) = self.slices.schedules(&self.specs, until);
        let (rows, table) = (Buffer::numbers(&self.slices.client, &schedules), self.table(each));
        let symbols = self.draw(self.slices.step(), (end - self.slices.step()) as usize, &table);
        let (batch, answers) = self.width();
        let (updates, proofs) = (network.parameters().div_ceil(LANES), measured.len() * batch);
        let (state, mirror) = (&self.slices.state, &self.slices.beside[0]);
        let each = CubeCount::Static(groups as u32, lines as u32, 1);
        for step in self.slices.step()..end {
            let here = measured.binary_search(&step).map_or(NO_RECORD, |place| place as u32);
            if let (Ok(slot), Some((questions, contexts))) = (due.binary_search(&step), &self.questions) {
                let most = (self.turns / plan.turns()).clamp(1, 1024) as usize;
                for begin in (0..questions.count).step_by(groups * most) {
                    let turns = (questions.count - begin).div_ceil(groups).min(most);
                    // SAFETY: a workgroup keeps to its slice of the scratch buffer, and writes the answers to its own
                    // contexts, which are below the count.
                    unsafe {
                        answer_all::launch_unchecked(
                            &self.slices.client,
                            each.clone(),
                            CubeDim::new_1d(LANES as u32),
                            state.whole(),
                            mirror.whole(),
                            contexts.whole(),
                            table.whole(),
                            self.work.whole(),
                            answered.whole(),
                            begin as u32,
                            turns as u32,
                            questions.count as u32,
                            questions.scored as u32,
                            (slot * answers) as u32,
                            self.slices.nonce(),
                            plan,
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
                    state.whole(),
                    mirror.whole(),
                    symbols.whole(),
                    table.whole(),
                    self.work.whole(),
                    self.gradients.whole(),
                    batches.whole(),
                    (step - self.slices.step()) as u32,
                    here,
                    self.slices.nonce(),
                    plan,
                );
                if step < until {
                    update_all::launch_unchecked(
                        &self.slices.client,
                        CubeCount::Static(updates as u32, lines as u32, 1),
                        CubeDim::new_1d(LANES as u32),
                        state.whole(),
                        mirror.whole(),
                        self.gradients.whole(),
                        rows.whole(),
                        self.places.whole(),
                        table.whole(),
                        batches.whole(),
                        (step - self.slices.step()) as u32,
                        u32::from(step + 1 == until),
                        proofs as u32,
                        self.slices.nonce(),
                        plan,
                    );
                }
            }
        }
    }
}
