//! Networks on prompts on the GPU: buffers, how many steps at a time, and what is read back.
//!
//! # Why
//! A slice's last step is always measured and its last update signed, because the numbers that come back prove that its
//! launches ran, and ran to their end.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::data::{Record, mean, push_listed_rows, push_rows};
use super::{FIELDS, NO_RECORD};
use crate::buffer::Buffer;
use crate::client::{client, limits};
use crate::plan::Limits;
use crate::prompt_layout::PromptLayout;
use crate::slices::{DIFFER, MEASURE_BYTES, Networks, Slices, fitting, measured};
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Task};
use vivarium_science::tokens::TokenPrompts;

/// Most steps of one slice.
const SLICE_STEPS: f64 = 4096.0;
/// Bytes of prompts in one slice.
const PROMPT_BYTES: usize = 32 << 20;

/// How networks of a family are divided among workgroups and launched. Every number is of one replica.
pub trait PromptPlan: Copy + PartialEq + std::fmt::Debug + 'static {
    /// Whether prompts that are trained on have lists of who names whom.
    const LISTED: bool;

    /// The division of the network of `spec` on a device with these `limits`.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    fn of(spec: &RunSpec, limits: Limits) -> Result<Self, String>;

    /// Numbers of the state: parameters, then moments.
    fn state(&self) -> usize;

    /// Numbers of each buffer of scratch.
    fn scratch(&self) -> [u64; 3];

    /// Prompts of a step.
    fn batch(&self) -> usize;

    /// Measurements of a batch, whose sums make up the whole.
    fn measures(&self) -> usize;

    /// Workgroups that sign the last update.
    fn updates(&self) -> usize;

    /// Launches of a step.
    fn launches(&self) -> usize;

    /// Launches what measuring and training both need of the weights as they are.
    fn prepare(&self, _launch: &Launch<'_>) {}

    /// Measures `count` prompts of each network, of which field `field` of its line names the first; what comes out goes to
    /// the answers from `at` on, `[lines, count, fields]`.
    fn answer(&self, launch: &Launch<'_>, field: usize, count: usize, at: usize);

    /// Launches the gradients of step number `step` of the slice, and its measurement if it has a number in `record`.
    fn gradient(&self, launch: &Launch<'_>, step: u32, record: u32);

    /// Launches the update of that step, which signs with `proof`.
    fn update(&self, launch: &Launch<'_>, step: u32, proof: bool);
}

/// What the launches of one slice have in common.
pub struct Launch<'a> {
    /// The queue.
    pub client: &'a Client,
    /// Networks that are trained.
    pub lines: usize,
    /// The number that every launch leaves.
    pub nonce: u32,
    /// Turns that a GPU lets a lane's loops make.
    pub turns: u64,
    /// Where the signs of the last update begin in the measurements.
    pub proofs: usize,
    slices: &'a Slices,
    scratch: &'a [Buffer; 3],
    measured: &'a Buffer,
    prompts: Buffer,
    table: Buffer,
    schedule: Buffer,
    measures: Buffer,
    answers: Buffer,
}

impl Launch<'_> {
    /// The state of all networks, `[networks, state]`.
    pub fn state(&self) -> BufferArg {
        self.slices.state.whole()
    }

    /// A buffer of scratch, `[lines, scratch]`.
    pub fn scratch(&self, which: usize) -> BufferArg {
        self.scratch[which].whole()
    }

    /// The prompts that are trained on, `[steps, lines, batch, words]`.
    pub fn prompts(&self) -> BufferArg {
        self.prompts.whole()
    }

    /// The prompts that are measured, `[prompts, words]`.
    pub fn measured(&self) -> BufferArg {
        self.measured.whole()
    }

    /// The table of networks, `[lines, LINE]`.
    pub fn table(&self) -> BufferArg {
        self.table.whole()
    }

    /// The schedules of the runs.
    pub fn schedule(&self) -> BufferArg {
        self.schedule.whole()
    }

    /// Measurements of batches, `[records, lines, measures, FIELDS]`, then signs of the last update.
    pub fn measures(&self) -> BufferArg {
        self.measures.whole()
    }

    /// Measurements of other prompts.
    pub fn answers(&self) -> BufferArg {
        self.answers.whole()
    }

    /// Workgroups for each network.
    pub fn count(&self, groups: usize) -> CubeCount {
        CubeCount::Static(groups as u32, self.lines as u32, 1)
    }
}

/// What a run is compiled for; runs with the same can lie side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compiled<P> {
    /// How its networks are divided among workgroups.
    pub plan: P,
    /// How its prompts are written down.
    prompts: TokenPrompts,
    replicas: usize,
    /// Prompts of its finite sample, if it has one, and of these how many are measured.
    sample: Option<[usize; 2]>,
    /// Prompts that are held out.
    held_out: usize,
}

impl<P: PromptPlan> Compiled<P> {
    /// What `spec` is compiled for, where `most` prompts of a finite sample are measured at most.
    ///
    /// # Errors
    /// A sentence that says why the network does not fit the kernels or the GPU.
    pub fn of(spec: &RunSpec, most: usize, limits: Limits) -> Result<Self, String> {
        let (plan, sampler) = (P::of(spec, limits)?, spec.task.sampler());
        let sample = sampler.training_set_size().map(|size| [size, size.min(most)]);
        // What the labels are of makes no difference here.
        let TokenPrompts { length, dim, names, .. } = sampler.data().prompts().unwrap_or_default();
        let prompts = TokenPrompts { length, dim, names, ..Default::default() };
        let (replicas, held_out) = (spec.run.replicas, spec.held_out_count());
        let compiled = Compiled { plan, prompts, replicas, sample, held_out };
        compiled.fits(1, limits)?;
        Ok(compiled)
    }

    /// Words of a prompt that is measured.
    fn words(&self) -> usize {
        PromptLayout::of(&self.prompts).words()
    }

    /// Words of the prompts of one step of so many runs.
    fn step_words(&self, runs: usize) -> u64 {
        let layout = PromptLayout::of(&self.prompts);
        let each = if P::LISTED { layout.listed_words() } else { layout.words() };
        [self.replicas, self.plan.batch(), each]
            .into_iter()
            .fold(runs as u64, |all, n| all.saturating_mul(n as u64))
    }

    /// Numbers of each buffer that stays for the whole of so many runs: scratch, state, and prompts that are measured.
    fn buffers(&self, runs: usize) -> [u64; 5] {
        let [one, two, three] =
            self.plan.scratch().map(|numbers| (self.replicas as u64).saturating_mul(numbers));
        let state = self.replicas as u64 * self.plan.state() as u64;
        let measured = self.held_out + self.sample.map_or(0, |[_, measured]| self.replicas * measured);
        let measured = measured as u64 * self.words() as u64;
        [one, two, three, state, measured].map(|numbers| numbers.saturating_mul(runs as u64))
    }

    /// Whether so many runs fit side by side.
    fn fits(&self, runs: usize, limits: Limits) -> Result<(), String> {
        let prompts = self.step_words(runs).saturating_mul(4);
        if prompts > PROMPT_BYTES as u64 {
            return Err(format!("the prompts of a step take {} MiB", prompts >> 20));
        }
        let largest = self.buffers(runs).into_iter().max().unwrap_or(0).saturating_mul(4);
        if largest > limits.buffer_bytes {
            return Err(format!("its gradients need a buffer of {} MiB", largest >> 20));
        }
        Ok(())
    }

    /// Bytes that a run takes on the GPU, roughly: its buffers, a copy of its weights, and the prompts of a step.
    pub fn bytes(&self) -> u64 {
        let buffers = self.buffers(1);
        4 * (buffers.iter().sum::<u64>() + buffers[3] + self.step_words(1))
    }

    /// The words of all prompts that are measured, and of each run where the held-out ones begin, and those of its first
    /// replica's sample. Runs that hold out the same prompts share them.
    fn measured(&self, specs: &[RunSpec], samples: &[Vec<Batch>]) -> (Vec<u32>, Vec<[usize; 2]>) {
        let (mut words, mut known, mut places) = (vec![], Vec::<((&Task, u64), usize)>::new(), vec![]);
        let each = self.words();
        for (spec, samples) in specs.iter().zip(samples) {
            let origin = (&spec.task, spec.run.seed);
            let held_out = match known.iter().find(|(known, _)| *known == origin) {
                Some((_, place)) => *place,
                None => {
                    let (place, mut batch) = (words.len() / each, Batch::default());
                    spec.task.sampler().append_held_out(spec.run.seed, 0, self.held_out, &mut batch);
                    push_rows(&self.prompts, &batch.x, &mut words);
                    known.push((origin, place));
                    place
                }
            };
            places.push([held_out, words.len() / each]);
            let seen = self.sample.map_or(0, |[_, measured]| measured) * self.prompts.row_len();
            samples.iter().for_each(|sample| push_rows(&self.prompts, &sample.x[..seen], &mut words));
        }
        // There is no empty buffer.
        if words.is_empty() {
            words.push(0);
        }
        (words, places)
    }
}

/// Replicas of a network on prompts on the GPU, of one run or of several side by side.
pub struct PromptNet<P> {
    specs: Vec<RunSpec>,
    compiled: Compiled<P>,
    /// Their state, and how far they have been trained.
    pub slices: Slices,
    scratch: [Buffer; 3],
    /// Prompts that are measured; and of each run where the held-out ones begin, and those of its first replica's sample.
    measured: Buffer,
    places: Vec<[usize; 2]>,
    /// Of each run and replica its finite sample, if there is one.
    samples: Vec<Vec<Batch>>,
    turns: u64,
}

impl<P: PromptPlan> PromptNet<P> {
    /// The networks of these runs, whose weights are put there later, on the GPU that has been opened; `most` as in
    /// [`Compiled::of`].
    ///
    /// # Errors
    /// A sentence that says why they do not fit the kernels or the GPU, or that they differ in what the kernels are
    /// compiled for.
    pub fn new(specs: &[RunSpec], most: usize) -> Result<Self, String> {
        let client = client();
        let limits = limits(&client);
        let all: Vec<Compiled<P>> =
            specs.iter().map(|spec| Compiled::of(spec, most, limits)).collect::<Result<_, _>>()?;
        let (Some(&compiled), true) = (all.first(), all.windows(2).all(|two| two[0] == two[1])) else {
            return Err(DIFFER.into());
        };
        compiled.fits(specs.len(), limits)?;
        let samples: Vec<Vec<Batch>> = specs.iter().map(|spec| spec.training_sets(usize::MAX)).collect();
        let (measured, places) = compiled.measured(specs, &samples);
        let [one, two, three, ..] = compiled.buffers(specs.len()).map(|numbers| (numbers as usize).max(1));
        let networks = Networks { runs: specs.len(), replicas: compiled.replicas };
        Ok(PromptNet {
            specs: specs.to_vec(),
            scratch: [one, two, three].map(|numbers| Buffer::empty(&client, numbers)),
            measured: Buffer::words(&client, &measured),
            places,
            samples,
            turns: limits.turns,
            slices: Slices::new(client, networks, compiled.plan.state(), 1.0, SLICE_STEPS),
            compiled,
        })
    }

    /// The division of the work that is compiled.
    pub fn plan(&self) -> &P {
        &self.compiled.plan
    }

    /// Another learning rate or schedule from here on, for one run.
    pub fn adjust(&mut self, run: usize, spec: &RunSpec) {
        self.specs[run].run.schedule.clone_from(&spec.run.schedule);
    }

    /// Makes one slice of steps towards step `last` and measures before each of them that `every` divides, unless that
    /// has been measured before; with `look` the end too, if it is reached.
    ///
    /// # Errors
    /// When the GPU stops working; the network is of no use afterwards.
    pub async fn approach(&mut self, last: u64, every: u64, look: bool) -> Result<Vec<Record>, RunError> {
        let (batch, answers) = self.width();
        let (records, drawn) =
            (fitting(MEASURE_BYTES, batch + answers), fitting(PROMPT_BYTES, self.step_words()));
        match self.slices.next(last, every, look, records, drawn as u64) {
            Some((until, due)) => self.slice(until, &due).await,
            None => Ok(vec![]),
        }
    }

    /// Prompts that every network is asked about: those that are held out, and those of its sample.
    fn counts(&self) -> [usize; 2] {
        [self.compiled.held_out, self.compiled.sample.map_or(0, |[_, measured]| measured)]
    }

    /// Numbers of one measurement: of the batch, then of other prompts.
    fn width(&self) -> (usize, usize) {
        let lines = self.slices.lines();
        (lines * self.plan().measures() * FIELDS, lines * self.counts().iter().sum::<usize>() * FIELDS)
    }

    /// Words of the prompts of one step of the runs that are trained.
    fn step_words(&self) -> usize {
        self.compiled.step_words(self.slices.selected().len()) as usize
    }

    async fn slice(&mut self, until: u64, due: &[u64]) -> Result<Vec<Record>, RunError> {
        self.slices.begin();
        let begin = now_ms();
        let (end, measured) = measured(until, due);
        let (batch, answers) = self.width();
        let proofs = measured.len() * batch;
        let [batches, answered] = self.launch(until, end, due, &measured);
        let values = self.slices.read(batches).await?;
        let told = if due.is_empty() { vec![] } else { self.slices.read(answered).await? };
        let took = now_ms() - begin;
        // Without a step there was no update that could have left its number.
        let updated = if until > self.slices.step() { &values[proofs..] } else { &[] };
        let nonces = values[..proofs].chunks(FIELDS).chain(told[..due.len() * answers].chunks(FIELDS));
        let nonces = nonces.map(|fields| fields[FIELDS - 1]).chain(updated.iter().copied());
        self.slices.finish(until, due, took, nonces)?;
        let records = due.iter().enumerate().map(|(at, step)| {
            self.record(*step, &values[at * batch..][..batch], &told[at * answers..][..answers])
        });
        Ok(records.collect())
    }

    /// What workgroups say of the batch, and what they say of other prompts.
    fn record(&self, step: u64, batch: &[f32], told: &[f32]) -> Record {
        let (plan, length) = (self.plan(), self.compiled.prompts.length);
        let [held_out, sample] = self.counts();
        let (test, seen) = told.split_at(self.slices.lines() * held_out * FIELDS);
        let means = |measured: &[f32], each: usize, prompts: usize| -> Vec<f32> {
            measured.chunks(each * FIELDS).map(|one| mean(one, prompts * length)).collect()
        };
        let train = match sample {
            0 => means(batch, plan.measures(), plan.batch()),
            _ => means(seen, sample, sample),
        };
        Record { step, train, test: means(test, held_out.max(1), held_out) }
    }

    /// The table of the networks that are trained: their runs' schedules have `schedule` numbers each.
    fn table(&self, schedule: usize) -> Buffer {
        let [_, sample] = self.counts();
        let line = |at: usize, run: usize, replica: usize| {
            let [held_out, first] = self.places[run];
            [held_out as u32, (first + replica * sample) as u32, (at * schedule) as u32]
        };
        Buffer::words(&self.slices.client, &self.slices.table(line))
    }

    /// The prompts of `steps` steps from `from` on: `[steps, lines, batch, words]`.
    fn draw(&self, from: u64, steps: usize) -> Buffer {
        let prompts = &self.compiled.prompts;
        let (mut words, mut batch) = (Vec::with_capacity(steps * self.step_words()), Batch::default());
        for step in from..from + steps as u64 {
            for run in self.slices.selected() {
                for replica in 0..self.compiled.replicas {
                    batch.clear();
                    self.specs[*run].append_batch(&self.samples[*run], replica, step, &mut batch);
                    let push = if P::LISTED { push_listed_rows } else { push_rows };
                    push(prompts, &batch.x, &mut words);
                }
            }
        }
        Buffer::words(&self.slices.client, &words)
    }

    /// Launches steps to `until`, and measurements of those in `due`; `measured` are those and the last. What comes back
    /// are measurements of batches with the signs of the last update, and those of other prompts.
    fn launch(&self, until: u64, end: u64, due: &[u64], measured: &[u64]) -> [Handle; 2] {
        let (plan, client, begin) = (&self.compiled.plan, &self.slices.client, self.slices.step());
        let (schedules, each) = self.slices.schedules(&self.specs, until);
        let (lines, (batch, answers)) = (self.slices.lines(), self.width());
        let (proofs, told) = (measured.len() * batch, (due.len() * answers).max(1));
        let length = proofs + plan.updates() * lines;
        let launch = Launch {
            client,
            lines,
            nonce: self.slices.nonce(),
            turns: self.turns,
            proofs,
            slices: &self.slices,
            scratch: &self.scratch,
            measured: &self.measured,
            prompts: self.draw(begin, (end - begin) as usize),
            table: self.table(each),
            schedule: Buffer::numbers(client, &schedules),
            measures: Buffer::empty(client, length),
            answers: Buffer::empty(client, told),
        };
        for step in begin..end {
            let here = measured.binary_search(&step).map_or(NO_RECORD, |place| place as u32);
            let row = (step - begin) as u32;
            plan.prepare(&launch);
            if let Ok(slot) = due.binary_search(&step) {
                let mut at = slot * answers;
                for (field, count) in [1, 2].into_iter().zip(self.counts()) {
                    if count > 0 {
                        plan.answer(&launch, field, count, at);
                    }
                    at += lines * count * FIELDS;
                }
            }
            plan.gradient(&launch, row, here);
            if step < until {
                plan.update(&launch, row, step + 1 == until);
            }
        }
        [launch.measures.handle(), launch.answers.handle()]
    }
}
