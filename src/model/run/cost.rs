//! What a run takes, from its settings alone, before anything is built: the one cost model.
//!
//! # Why
//! Links come from strangers. What they ask for is refused, asked about or done in parts by these numbers, so all of
//! them are computed in 64 bits, saturating: in a browser `usize` has 32. They are estimates within a factor of three
//! or so; what decides about memory is rather too large than too small. `tests/suite/costs.rs` holds them against what
//! runs hold.
//!
//! | who asks | what for |
//! |---|---|
//! | [`RunSpec::problems`] | what is [refused](vivarium_core::bounds::MOST_HELD) |
//! | the page, before a run begins | what a person is [asked](Cost::asks) about |
//! | the page's helpers of a sweep | [how many](Cost::helpers) there is memory for |
//! | the page, of a silent worker | how long to [wait](Cost::patience_s) |
//! | the page, of what it computes itself | what is done at once, and what in parts of [`SLICE`](vivarium_core::bounds::SLICE) |
//! | kernels | how many steps [one launch](Cost::steps_of_launch) may make |

use super::{LearnerChoice, RunSpec};
use crate::models::family::Head;
use crate::models::{Family, Parameter};
use crate::run::time::seconds_of_one;
use vivarium_core::bounds::{
    ASKED_HELD, ASKED_S, MOST_DRAWN, MOST_OF_CURVES, MOST_OF_HELPERS, MOST_OF_LAUNCH, MOST_ROWS, SLICE,
    WORKER, product,
};

/// Most numbers of the checkpoints that it keeps besides the newest.
const MOST_OF_CHECKPOINTS: u64 = 12 << 20;
/// Tensors as large as the largest between inputs and outputs that a step by autodiff holds at once: two, and their
/// gradients.
const TENSORS: u64 = 4;
/// Operations of a normal random number.
const DRAW: u64 = 16;
/// Runs of a sweep that are looked at for the dearest.
const MOST_LOOKED_AT: usize = 64;
/// Operations of a step from which its examples are cut into shards.
const CUT_FLOPS: f64 = 5e7;
/// Operations that a shard has for each number of the network, at the least.
const SHARD_FLOPS_PER_WEIGHT: f64 = 1000.0;
/// Most shards of a step.
const MOST_SHARDS: f64 = 8.0;
/// Operations that a slow processor makes in a second, at the least.
const SLOW_FLOPS: u64 = 50_000_000;

/// What a run takes: numbers of four bytes that are held, and operations. All of them saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Numbers that the page holds: measurements, checkpoints, and the first network's parameters.
    pub page: u64,
    /// Numbers that a worker on the processor holds: weights, what the optimizer remembers, gradients, what the run goes
    /// back to, a checkpoint that is being written, examples and activations.
    pub worker: u64,
    /// Numbers on the GPU.
    pub gpu: u64,
    /// Operations of the beginning: initial weights, and examples that are drawn once.
    pub start: u64,
    /// Operations of a training step of all replicas.
    pub step: u64,
    /// Operations of a measurement of all replicas.
    pub measurement: u64,
    /// Operations of the dearest probe of the first replica, all of its parts together.
    pub probe: u64,
    /// Operations of what theory says of the run: of sequences, the lines of the strategies and of the Bayes-optimal
    /// prediction over the held-out ones; of groups, the largest margin and what the penalty leaves of it.
    pub theory: u64,
    /// Operations of a look into one sequence.
    pub look: u64,
}

impl RunSpec {
    /// What this run takes, of whose task there are no [problems](crate::tasks::Examples::problems); of a sweep, each of
    /// its runs as it would be without the swept settings.
    pub fn cost(&self) -> Cost {
        let task = self.task.examples();
        let (inputs, sizes) = (task.inputs(), self.sizes());
        let [replicas, batch, held_out] =
            [self.run.replicas, self.batch(), self.held_out()].map(|n| n as u64);
        let (weights, moments) = (sizes.weights, self.optimizer.moments() as u64);
        let one = weights / replicas.max(1);
        let step = self.step_flops() as u64;
        let forward = self.answer();
        let state = product([1 + moments, weights]);
        let is_by_autodiff = self.is_by_autodiff();
        // Our loops and kernels take the examples of parities as bits, and go through a step one replica after the
        // other, or in parts of one.
        let is_of_bits = !is_by_autodiff && self.is_on_bits();
        let bits = if is_of_bits { 16 } else { 1 };
        let kept = sum([sizes.samples, sizes.held_out, sizes.splits]) / bits;
        let (data, activations) = match is_by_autodiff {
            true => (sizes.data, product([TENSORS, sizes.activations])),
            false => (
                sizes.data / replicas.max(1) / bits,
                product([batch.max(1), self.architecture().activations(inputs)]).min(sizes.activations),
            ),
        };
        let examples = sum([data, kept]);
        let chains = task.chain_sequences();
        let line = chains.as_ref().map_or(0, |chains| chains.operations_per_sequence());
        let bayes = chains.as_ref().map_or(0, |chains| chains.bayes_operations(self.held_out()));
        let heads: usize = self.model.config().heads().iter().sum();
        let seen = task.sample_size().map_or(batch, |size| size as u64);
        let rows = (self.run.steps / self.run.every.max(1)).saturating_add(1).min(MOST_ROWS);
        let of_row = product([replicas, 5 + task.measures().more.len() as u64]);
        let constructed = self.construction();
        Cost {
            page: sum([
                product([rows, of_row]).min(MOST_OF_CURVES.max(product([64, of_row]))),
                product([2, state]),
                MOST_OF_CHECKPOINTS.min(product([rows, state])),
                product([8, one.min(MOST_DRAWN)]),
            ]),
            // Twice with its gradients, and a checkpoint as numbers, as bytes and as a file.
            worker: sum([product([2, 2 + moments, weights]), product([3, state]), examples, activations]),
            gpu: sum([product([2 + moments, weights]), examples, activations]),
            start: sum([
                product([DRAW, weights]),
                constructed,
                product([held_out, line]),
                product([4, sum([sizes.held_out, sizes.splits, sizes.samples])]),
            ]),
            step,
            measurement: product([forward, sum([held_out, seen]), replicas]),
            probe: product([forward, held_out, 1 + heads as u64]),
            theory: sum([product([held_out, line]), bayes, product([3, self.task.config().theory()])]),
            look: match chains.is_some() || task.traces().is_some() {
                true => self.look(task.length(), task.inputs()),
                false => 0,
            },
        }
    }

    /// Into how many shards the examples of a step are cut on the processor, whose gradients are computed one by one, on one core
    /// or on several, and added: 1 for a step of less than about a millisecond.
    ///
    /// # Why
    /// A power of two, so that weights of equal shards are exact. A shard takes the time of its operations, and as long as some
    /// fifty operations for each number of the network, since its gradient is cleared, written and added.
    pub fn shards(&self) -> usize {
        let operations = self.step_flops() / self.run.replicas.max(1) as f64;
        if operations < CUT_FLOPS {
            return 1;
        }
        let worth = operations / (SHARD_FLOPS_PER_WEIGHT * self.numbers_of_one().max(1) as f64);
        let most = worth.min(self.batch() as f64 / 2.0).min(MOST_SHARDS);
        [2, 4, 8].into_iter().filter(|shards| f64::from(*shards) <= most).max().unwrap_or(1) as usize
    }

    /// Operations of one network's answer to one example: a step goes forward, and twice as far back.
    pub fn answer(&self) -> u64 {
        ((self.architecture().step_flops(self.task.examples().inputs(), 1) / 3.0) as u64).max(1)
    }

    /// Operations that it takes to write down the initial weights, where they are not drawn.
    pub fn construction(&self) -> u64 {
        self.model.config().construction(&self.task).map_or(0, |(_, operations)| operations)
    }

    /// Whether a page may draw or write down the initial weights of the first network at once.
    pub fn is_drawn_at_once(&self) -> bool {
        self.numbers_of_one() <= MOST_DRAWN && self.construction() <= SLICE
    }

    /// Whether a page can hold the parameters of one network, and gives its answer, of so many operations, in no time.
    ///
    /// # Errors
    /// A sentence that says that the network is too large.
    pub fn is_small(&self, operations: f64) -> Result<(), String> {
        match self.numbers_of_one() <= MOST_DRAWN && operations <= SLICE as f64 {
            true => Ok(()),
            false => {
                Err(tr!("This network is too large for the page to show its weights and answers.").into())
            }
        }
    }

    /// Numbers in the parameters of one network.
    fn numbers_of_one(&self) -> u64 {
        let parameters = self.architecture().parameters(self.task.examples().inputs(), 1);
        parameters.iter().map(Parameter::numbers).fold(0, u64::saturating_add)
    }

    /// Whether autodiff makes the steps on the processor: where it is chosen, and where there is no loop for the network
    /// on this task, or the loop cannot do what the optimizer does. It holds whole tensors of activations, where loops hold those of an example.
    pub fn is_by_autodiff(&self) -> bool {
        let run = &self.run;
        let is_looped = match self.model.config().family() {
            Some(Family::OneHiddenLayer(layer)) => layer.head == Head::Sum || self.is_on_bits(),
            family => family.is_some(),
        };
        // As the table of learners has it; the same test holds both against each other.
        let family = self.model.config().family();
        let cannot_clip = matches!(family, Some(Family::Attention(_) | Family::Minimal | Family::Pairs(_)));
        let is_trained =
            family.as_ref().is_some_and(|of| !of.is_executed() && !matches!(of, Family::Forest(_)));
        let is_clipped = self.optimizer.clip() > 0.0 && cannot_clip;
        let is_whole = !self.optimizer.is_entrywise() && is_trained;
        let is_chosen = run.learner == LearnerChoice::Autodiff;
        is_chosen || !is_looped || is_clipped || is_whole || self.drops_embeddings()
    }

    /// Whether dropout makes the tokens of each example its own in a block that is read out at one token, whose loop has one
    /// table of tokens for all examples.
    pub fn drops_embeddings(&self) -> bool {
        matches!(self.model.config().family(), Some(Family::ReadAtCls(net)) if net.dropout.embedding > 0.0)
    }

    /// Whether the loop of one hidden layer takes the examples as bits. The loop of layers takes the others, unless the units
    /// are multiplied.
    ///
    /// As `kernels::plan::Network::of` has it; a test holds both against each other.
    pub fn is_on_bits(&self) -> bool {
        let run = &self.run;
        let visits = product([run.steps, run.batch as u64]);
        let is_counted = |sample: u64| sample == 0 || visits / sample < u64::from(u32::MAX);
        let examples = self.task.examples().parity_examples();
        let are_bits = examples.is_some_and(|of| !of.all_inputs && is_counted(of.sample as u64));
        let is_clipped = self.optimizer.clip() > 0.0;
        matches!(self.model.config().family(), Some(Family::OneHiddenLayer(_)))
            && run.batch > 0
            && are_bits
            && !is_clipped
    }

    /// Operations of a look into a whole context.
    fn look(&self, length: usize, symbols: usize) -> u64 {
        let t = length as u64;
        match self.model.config().family() {
            Some(Family::Attention(net)) => {
                let (d, layers) = (net.hidden as u64, net.heads.len() as u64);
                let matrices = 3 + u64::from(net.norm) + 8 * u64::from(net.mlp);
                let place = sum([product([matrices, d, d]), product([2, t, d])]);
                product([t, sum([product([layers, place]), product([d, symbols as u64])])])
            }
            _ => product([t, t, symbols as u64]),
        }
    }
}

impl Cost {
    /// Memory of the page and of one worker, in numbers.
    pub fn held(&self) -> u64 {
        sum([self.page, self.worker])
    }

    /// What each part of either takes.
    pub fn largest(self, other: Cost) -> Cost {
        Cost {
            page: self.page.max(other.page),
            worker: self.worker.max(other.worker),
            gpu: self.gpu.max(other.gpu),
            start: self.start.max(other.start),
            step: self.step.max(other.step),
            measurement: self.measurement.max(other.measurement),
            probe: self.probe.max(other.probe),
            theory: self.theory.max(other.theory),
            look: self.look.max(other.look),
        }
    }

    /// Whether a person is asked before so dear a run begins, which takes so many seconds.
    pub fn is_dear(&self, seconds: f64) -> bool {
        self.held() > ASKED_HELD || seconds > ASKED_S
    }

    /// What a person is to know of a run that takes so many seconds: "about 300 MiB of memory and up to 3 min".
    pub fn needs(&self, seconds: f64) -> String {
        let (memory, time) = (bytes(self.held()), super::time::duration(seconds));
        tr!("about {memory} of memory and up to {time} on one core of a processor", memory, time)
    }

    /// The sentence that asks a person whether so [dear](Cost::is_dear) a run is to begin; nothing for most runs.
    pub fn asks(&self, seconds: f64) -> Option<String> {
        let needs = self.is_dear(seconds).then(|| self.needs(seconds))?;
        Some(tr!("This run needs {needs}. The button Play starts the run.", needs))
    }

    /// How many helpers of a sweep there is memory for, of `most`: each has a run of its own.
    pub fn helpers(&self, most: usize) -> usize {
        let fit = MOST_OF_HELPERS / sum([self.worker, WORKER]).max(1);
        usize::try_from(fit).unwrap_or(most).min(most)
    }

    /// Seconds in which a worker may be silent, for what it can only do at once, on a slow processor.
    pub fn patience_s(&self, least: u32) -> u32 {
        let at_once = sum([self.start, self.step, self.measurement]) / SLOW_FLOPS;
        least.saturating_add(u32::try_from(at_once).unwrap_or(u32::MAX))
    }

    /// Steps that one launch on a GPU may make that does `flops` operations in a second, so that it takes `ms`
    /// milliseconds: at least one.
    pub fn steps_of_launch(&self, flops: f64, ms: f64) -> u64 {
        let operations = (flops.max(0.0) * ms.max(0.0) / 1e3) as u64;
        (operations / self.step.max(1)).max(1)
    }
}

/// Whether a step of one replica of `spec` is too long for one launch that one workgroup makes.
pub fn is_too_long_for_a_launch(spec: &RunSpec) -> bool {
    is_too_long_for_workgroups(spec, 1)
}

/// Whether a step of one replica of `spec` is too long for one launch that so many workgroups share evenly.
pub fn is_too_long_for_workgroups(spec: &RunSpec, workgroups: usize) -> bool {
    spec.step_flops() / spec.run.replicas as f64 / workgroups.max(1) as f64 > MOST_OF_LAUNCH as f64
}

/// What the dearest of the runs that `spec` stands for takes, in each of its parts.
pub fn dearest(spec: &RunSpec) -> Cost {
    let runs = super::cells::count(spec);
    if runs == 0 {
        return spec.cost();
    }
    // A setting that is swept is dearest at an end, nearly always.
    let looked_at = (0..runs).step_by(runs.div_ceil(MOST_LOOKED_AT).max(1)).chain([runs - 1]);
    let all = super::cells::Runs::of(spec);
    let costs = looked_at.filter_map(|number| all.unchecked(number));
    costs.map(|run| run.cost()).fold(Cost::default(), Cost::largest)
}

/// Seconds of all runs that `spec` stands for, one after the other on one core, at the most.
pub fn seconds(spec: &RunSpec) -> f64 {
    match spec.run.sweep.is_empty() {
        true => seconds_of_one(spec),
        false => super::cells::seconds(spec),
    }
}

/// So many numbers of four bytes as a person says it: "300 MiB", "2.5 GiB".
fn bytes(numbers: u64) -> String {
    let mebibytes = numbers.saturating_mul(4) >> 20;
    match mebibytes {
        0..1024 => format!("{} MiB", mebibytes.max(1)),
        _ => format!("{:.1} GiB", mebibytes as f64 / 1024.0),
    }
}

fn sum<const N: usize>(terms: [u64; N]) -> u64 {
    terms.into_iter().fold(0, u64::saturating_add)
}
