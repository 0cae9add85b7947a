//! Cost model: memory and operations of a run, from its settings alone.
//!
//! # Why
//! Links come from strangers. By these numbers runs are refused, confirmed first, or computed in parts, so all of
//! them are computed in 64 bits, saturating: in a browser `usize` has 32. They are estimates within a factor of three
//! or so; memory is rather estimated too large than too small. `tests/suite/costs.rs` compares them with what
//! runs use.
//!
//! | used by | for |
//! |---|---|
//! | [`RunSpec::invalid_settings`] | [refusing](vivarium_core::bounds::MAX_RUN_MEMORY_FLOATS) runs |
//! | the page, before a run starts | asking for [confirmation](CostEstimate::confirmation_question) |
//! | sweeps on the page | the [number of workers](CostEstimate::max_sweep_workers) that fit into memory |
//! | the page, waiting for a worker | the [timeout](CostEstimate::response_timeout_s) |
//! | the page's own computations | splitting work into parts of
//! [`PAGE_SLICE_OPERATIONS`] |
//! | kernels | the number of [steps per launch](CostEstimate::steps_per_launch) |

use super::{LearnerChoice, RunSpec};
use crate::models::{Family, Parameter};
use crate::run::time::estimate_run_seconds;
use crate::tasks::TaskData;
use vivarium_core::bounds::{
    CONFIRM_MEMORY_FLOATS, CONFIRM_SECONDS, MAX_MEASUREMENT_FLOATS, MAX_MEASUREMENTS, MAX_PACKED_FLOATS,
    MAX_PAGE_INITIAL_WEIGHTS, MAX_SWEEP_WORKER_FLOATS, MAX_WORKGROUP_LAUNCH_OPERATIONS,
    PAGE_SLICE_OPERATIONS, WORKER_BASE_FLOATS, saturating_product,
};

/// Largest number of floats in the checkpoints that the page keeps of earlier steps, besides the latest checkpoint.
const MAX_CHECKPOINT_FLOATS: u64 = 12 << 20;
/// Number of tensors of the size of the largest activations that a step by autodiff holds at once: two tensors of
/// activations, and their gradients.
const AUTODIFF_TENSORS: u64 = 4;
/// Rough number of floating-point operations for drawing one normal random number.
const NORMAL_DRAW_OPERATIONS: u64 = 16;
/// Largest number of runs of a sweep whose cost is computed to find the largest cost; of more runs, an even selection.
const MAX_ESTIMATED_RUNS: usize = 64;
/// Minimum number of floating-point operations of a training step of one replica for its examples to be split into
/// shards for several cores.
const MIN_SHARDED_STEP_FLOPS: f64 = 5e7;
/// Smallest number of floating-point operations that a shard of a training step must have for each weight of the
/// network.
const MIN_SHARD_FLOPS_PER_WEIGHT: f64 = 1000.0;
/// Largest number of shards into which the examples of a training step are split.
const MAX_SHARDS: f64 = 8.0;
/// Assumed floating-point operations per second of a slow processor, for time-outs.
const SLOW_PROCESSOR_FLOPS: u64 = 50_000_000;

/// Estimated cost of a run: memory, counted in floats of 4 bytes, and numbers of floating-point operations. Sums
/// saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostEstimate {
    /// Floats in the page's memory: measurements, checkpoints, and the parameters of the first replica.
    pub page_floats: u64,
    /// Floats in the memory of a worker that trains on the processor: weights, optimizer state, gradients, the state
    /// for restoring a diverged run, a checkpoint that is being written, examples and activations.
    pub worker_floats: u64,
    /// Floats in the memory of the GPU, if a GPU trains the run: weights, gradients, optimizer state, examples and
    /// activations.
    pub gpu_floats: u64,
    /// Floating-point operations before the first training step: initial weights, and examples that are drawn once.
    pub start_operations: u64,
    /// Floating-point operations of one training step of all replicas together.
    pub step_operations: u64,
    /// Floating-point operations of one measurement of loss and accuracy of all replicas, on held-out and training
    /// examples.
    pub measurement_operations: u64,
    /// Floating-point operations of the most expensive probe (a measurement of the first replica on request), from
    /// start to end.
    pub probe_operations: u64,
    /// Operations of the theory: for Markov chains, the strategies' predictions and the Bayes-optimal prediction of the
    /// held-out sequences; for groups, the maximum margin and the bound with the penalty.
    pub theory_operations: u64,
    /// Operations of tracing one sequence through the network, as the panel that shows the network's inside does.
    pub inspection_operations: u64,
}

impl RunSpec {
    /// Estimates the cost of this run, whose task must have no [invalid
    /// settings](crate::tasks::Examples::invalid_settings); of a sweep, the cost of one run without the swept settings'
    /// values.
    pub fn estimate_cost(&self) -> CostEstimate {
        let task = self.task.examples();
        let (inputs, sizes) = (task.inputs(), self.sizes());
        let [replicas, batch, held_out] =
            [self.run.replicas, self.batch_size(), self.held_out_count()].map(|n| n as u64);
        let (weights, moments) = (sizes.weights, self.optimizer.moment_count() as u64);
        let one = weights / replicas.max(1);
        let step = self.step_flops() as u64;
        let forward = self.forward_operations();
        let state = saturating_product([1 + moments, weights]);
        let is_by_autodiff = self.uses_autodiff();
        // Our loops and kernels take the examples of parities as bits, and go through a step one replica after the
        // other, or in parts of one.
        let is_of_bits = !is_by_autodiff && self.uses_packed_bits();
        let bits = if is_of_bits { 16 } else { 1 };
        let kept = saturating_sum([sizes.samples, sizes.held_out, sizes.splits]) / bits;
        let (data, activations) = match is_by_autodiff {
            true => (sizes.data, saturating_product([AUTODIFF_TENSORS, sizes.activations])),
            false => (
                sizes.data / replicas.max(1) / bits,
                saturating_product([batch.max(1), self.architecture().activations(inputs)])
                    .min(sizes.activations),
            ),
        };
        let examples = saturating_sum([data, kept]);
        let chains = self.task.data().chain_sequences();
        let line = chains.as_ref().map_or(0, |chains| chains.operations_per_sequence());
        let bayes = chains.as_ref().map_or(0, |chains| chains.bayes_operations(self.held_out_count()));
        let heads: usize = self.model.config().heads().iter().sum();
        let seen = task.training_set_size().map_or(batch, |size| size as u64);
        let all_rows = (self.run.steps / self.run.every.max(1)).saturating_add(1);
        let rows = all_rows.min(MAX_MEASUREMENTS);
        let of_row = saturating_product([replicas, 5 + task.measure_names().further_measures.len() as u64]);
        // Charts keep some of the measurements of a long run, and files contain all.
        let packed = if all_rows > rows { saturating_product([all_rows, of_row]) } else { 0 };
        let constructed = self.construction_operations();
        CostEstimate {
            page_floats: saturating_sum([
                saturating_product([rows, of_row])
                    .min(MAX_MEASUREMENT_FLOATS.max(saturating_product([64, of_row]))),
                packed.min(MAX_PACKED_FLOATS),
                saturating_product([2, state]),
                MAX_CHECKPOINT_FLOATS.min(saturating_product([rows, state])),
                saturating_product([8, one.min(MAX_PAGE_INITIAL_WEIGHTS)]),
            ]),
            // Twice with its gradients, and a checkpoint as numbers, as bytes and as a file.
            worker_floats: saturating_sum([
                saturating_product([2, 2 + moments, weights]),
                saturating_product([3, state]),
                examples,
                activations,
            ]),
            gpu_floats: saturating_sum([saturating_product([2 + moments, weights]), examples, activations]),
            start_operations: saturating_sum([
                saturating_product([NORMAL_DRAW_OPERATIONS, weights]),
                constructed,
                saturating_product([held_out, line]),
                saturating_product([4, saturating_sum([sizes.held_out, sizes.splits, sizes.samples])]),
            ]),
            step_operations: step,
            measurement_operations: saturating_product([forward, saturating_sum([held_out, seen]), replicas]),
            probe_operations: saturating_product([forward, held_out, 1 + heads as u64]),
            theory_operations: saturating_sum([
                saturating_product([held_out, line]),
                bayes,
                saturating_product([3, self.task.config().theory_operations()]),
            ]),
            inspection_operations: match self.task.data() {
                TaskData::Sequences(_) | TaskData::Traces(_) => {
                    self.inspection_operations(task.prediction_count(), task.inputs())
                }
                _ => 0,
            },
        }
    }

    /// Number of shards into which the examples of a step are split on the processor; the shards' gradients are
    /// computed separately, on one or more cores, and added. 1 for a step of less than about a millisecond.
    ///
    /// # Why
    /// A power of two, so that weights of equal shards are exact. A shard takes the time of its operations, and that of
    /// about fifty operations for each number of the network, since its gradient is cleared, written and added.
    pub fn shard_count(&self) -> usize {
        let operations = self.step_flops() / self.run.replicas.max(1) as f64;
        if operations < MIN_SHARDED_STEP_FLOPS {
            return 1;
        }
        let worth = operations / (MIN_SHARD_FLOPS_PER_WEIGHT * self.weights_per_replica().max(1) as f64);
        let max_shards = worth.min(self.batch_size() as f64 / 2.0).min(MAX_SHARDS);
        [2, 4, 8].into_iter().filter(|shards| f64::from(*shards) <= max_shards).max().unwrap_or(1) as usize
    }

    /// Floating-point operations of the forward pass of one network for one example: a third of the operations of a
    /// training step on it.
    pub fn forward_operations(&self) -> u64 {
        ((self.architecture().step_flops(self.task.examples().inputs(), 1) / 3.0) as u64).max(1)
    }

    /// Floating-point operations for constructing the initial weights by an algorithm; 0 if the initial weights are
    /// drawn at random.
    pub fn construction_operations(&self) -> u64 {
        self.model.config().construction(&self.task).map_or(0, |(_, operations)| operations)
    }

    /// Whether the page may initialise the first replica on its own thread without becoming unresponsive.
    pub fn can_page_initialize(&self) -> bool {
        self.weights_per_replica() <= MAX_PAGE_INITIAL_WEIGHTS
            && self.construction_operations() <= PAGE_SLICE_OPERATIONS
    }

    /// Checks that the page can hold the parameters of one replica and compute an output, which takes `operations`
    /// operations, on its own thread without becoming unresponsive.
    ///
    /// # Errors
    /// A sentence that says that the network is too large.
    pub fn check_fits_page(&self, operations: f64) -> Result<(), String> {
        match self.weights_per_replica() <= MAX_PAGE_INITIAL_WEIGHTS
            && operations <= PAGE_SLICE_OPERATIONS as f64
        {
            true => Ok(()),
            false => {
                Err(tr!("This network is too large for the page to show its weights and answers.").into())
            }
        }
    }

    /// Number of parameters of the network of one replica.
    fn weights_per_replica(&self) -> u64 {
        let parameters = self.architecture().parameters(self.task.examples().inputs(), 1);
        parameters.iter().map(Parameter::numbers).fold(0, u64::saturating_add)
    }

    /// Whether the run executes or searches its networks and trains nothing.
    pub fn is_executed(&self) -> bool {
        self.model.config().family().is_some_and(|family| family.is_executed())
    }

    /// Whether autodiff computes the steps on the processor: if it is chosen, or if no hand-written training loop
    /// supports the network, the task or the optimizer. Autodiff stores whole tensors of activations, where loops store
    /// the activations of one example.
    pub fn uses_autodiff(&self) -> bool {
        let run = &self.run;
        let family = self.model.config().family();
        let is_looped = family.is_some();
        let is_trained =
            family.as_ref().is_some_and(|of| !of.is_executed() && !matches!(of, Family::Forest(_)));
        let is_whole = is_trained && self.needs_whole_gradients() && !self.has_whole_gradients_in_loop();
        let is_chosen = run.learner == LearnerChoice::Autodiff;
        is_chosen || !is_looped || is_whole || self.has_embedding_dropout()
    }

    /// Whether an update needs the gradient of the whole network, or of a whole matrix, at once: to shorten its norm, or for
    /// an optimizer that does not go entry by entry.
    pub fn needs_whole_gradients(&self) -> bool {
        self.optimizer.clip() > 0.0 || !self.optimizer.is_entrywise()
    }

    /// Whether the training loop for this run's network keeps the gradient of the whole network before it updates a weight.
    pub fn has_whole_gradients_in_loop(&self) -> bool {
        // In the loop of networks on pairs, each neuron is updated before the gradient of the next neuron is computed.
        !matches!(self.model.config().family(), Some(Family::Pairs(_)))
    }

    /// Whether dropout applies to the token embeddings of a transformer that is read out at one token; on the processor
    /// only autodiff supports this, since the hand-written training loop has one embedding table for all examples.
    pub fn has_embedding_dropout(&self) -> bool {
        matches!(self.model.config().family(), Some(Family::ReadAtCls(net)) if net.dropout.embedding > 0.0)
    }

    /// Whether the hand-written training loop for one hidden layer reads the examples as packed bits, 32 to a word.
    /// Other examples are trained by the loop that executes graphs.
    ///
    /// It agrees with `kernels::plan::Network::of`, which a test checks.
    pub fn uses_packed_bits(&self) -> bool {
        let run = &self.run;
        let visits = saturating_product([run.steps, run.batch as u64]);
        let is_counted = |sample: u64| sample == 0 || visits / sample < u64::from(u32::MAX);
        let are_bits = matches!(
            self.task.data(),
            TaskData::Bits(Some(of)) if !of.all_inputs && is_counted(of.training_set_size as u64)
        );
        matches!(self.model.config().family(), Some(Family::OneHiddenLayer(_)))
            && run.batch > 0
            && are_bits
            && !self.needs_whole_gradients()
    }

    /// Operations of tracing a whole sequence of `length` tokens over an alphabet of `symbols` symbols through the
    /// network.
    fn inspection_operations(&self, length: usize, symbols: usize) -> u64 {
        let t = length as u64;
        match self.model.config().family() {
            Some(Family::Attention(net)) => {
                let (d, layers) = (net.hidden as u64, net.heads.len() as u64);
                let matrices = 3 + u64::from(net.norm) + 8 * u64::from(net.mlp);
                let place =
                    saturating_sum([saturating_product([matrices, d, d]), saturating_product([2, t, d])]);
                saturating_product([
                    t,
                    saturating_sum([
                        saturating_product([layers, place]),
                        saturating_product([d, symbols as u64]),
                    ]),
                ])
            }
            _ => saturating_product([t, t, symbols as u64]),
        }
    }
}

impl CostEstimate {
    /// Memory of the page and of one worker together, counted in floats of 4 bytes.
    pub fn memory_floats(&self) -> u64 {
        saturating_sum([self.page_floats, self.worker_floats])
    }

    /// The larger of both estimates in each field: enough memory and operations for either run.
    pub fn max(self, other: CostEstimate) -> CostEstimate {
        CostEstimate {
            page_floats: self.page_floats.max(other.page_floats),
            worker_floats: self.worker_floats.max(other.worker_floats),
            gpu_floats: self.gpu_floats.max(other.gpu_floats),
            start_operations: self.start_operations.max(other.start_operations),
            step_operations: self.step_operations.max(other.step_operations),
            measurement_operations: self.measurement_operations.max(other.measurement_operations),
            probe_operations: self.probe_operations.max(other.probe_operations),
            theory_operations: self.theory_operations.max(other.theory_operations),
            inspection_operations: self.inspection_operations.max(other.inspection_operations),
        }
    }

    /// Whether the user must confirm the run before it starts, given its duration in seconds: if memory or duration are
    /// large.
    pub fn needs_confirmation(&self, seconds: f64) -> bool {
        self.memory_floats() > CONFIRM_MEMORY_FLOATS || seconds > CONFIRM_SECONDS
    }

    /// Describes memory and duration of a run that takes `seconds`: "about 300 MiB of memory and up to 3 min".
    pub fn describe_needs(&self, seconds: f64) -> String {
        let (memory, time) = (format_memory(self.memory_floats()), super::time::format_duration(seconds));
        tr!("about {memory} of memory and up to {time} on one core of a processor", memory, time)
    }

    /// Question to the user before a run of `seconds` that [must be confirmed](CostEstimate::needs_confirmation)
    /// starts; None for most runs.
    pub fn confirmation_question(&self, seconds: f64) -> Option<String> {
        let needs = self.needs_confirmation(seconds).then(|| self.describe_needs(seconds))?;
        Some(tr!("This run needs {needs}. The button Play starts the run.", needs))
    }

    /// Number of workers, at most `max_workers`, that fit into the memory for a sweep, each with a run of its own.
    pub fn max_sweep_workers(&self, max_workers: usize) -> usize {
        let fit = MAX_SWEEP_WORKER_FLOATS / saturating_sum([self.worker_floats, WORKER_BASE_FLOATS]).max(1);
        usize::try_from(fit).unwrap_or(max_workers).min(max_workers)
    }

    /// Seconds after which a worker that sends no message counts as stuck, at least `min_seconds`: enough for its
    /// longest computation on a slow processor.
    pub fn response_timeout_s(&self, min_seconds: u32) -> u32 {
        let at_once =
            saturating_sum([self.start_operations, self.step_operations, self.measurement_operations])
                / SLOW_PROCESSOR_FLOPS;
        min_seconds.saturating_add(u32::try_from(at_once).unwrap_or(u32::MAX))
    }

    /// Number of training steps in one kernel launch on a GPU with `flops` operations per second, such that the launch
    /// takes about `launch_ms` milliseconds; at least one.
    pub fn steps_per_launch(&self, flops: f64, launch_ms: f64) -> u64 {
        let operations = (flops.max(0.0) * launch_ms.max(0.0) / 1e3) as u64;
        (operations / self.step_operations.max(1)).max(1)
    }
}

/// Whether a step of one replica of `spec` takes too long for one kernel launch of one GPU workgroup.
pub fn exceeds_launch_limit(spec: &RunSpec) -> bool {
    exceeds_launch_limit_of_workgroups(spec, 1)
}

/// Whether a step of one replica of `spec` takes too long for one kernel launch if this number of GPU workgroups shares
/// it evenly.
pub fn exceeds_launch_limit_of_workgroups(spec: &RunSpec, workgroups: usize) -> bool {
    spec.step_flops() / spec.run.replicas as f64 / workgroups.max(1) as f64
        > MAX_WORKGROUP_LAUNCH_OPERATIONS as f64
}

/// Maximum, field by field, of the costs of `spec` or of the runs of its sweep (of many runs, of an even selection).
pub fn max_cost(spec: &RunSpec) -> CostEstimate {
    let runs = super::cells::count_runs_usize(spec);
    if runs == 0 {
        return spec.estimate_cost();
    }
    // A swept setting is nearly always most expensive at an end of its axis.
    let looked_at = (0..runs).step_by(runs.div_ceil(MAX_ESTIMATED_RUNS).max(1)).chain([runs - 1]);
    let all = super::cells::SweepRuns::new(spec);
    let costs = looked_at.filter_map(|number| all.build_unchecked(number));
    costs.map(|run| run.estimate_cost()).fold(CostEstimate::default(), CostEstimate::max)
}

/// Estimated seconds on one core for the run of `spec`, or for all runs of its sweep one after the other, if each goes
/// to its last step.
pub fn estimate_seconds(spec: &RunSpec) -> f64 {
    match spec.run.sweep.is_empty() {
        true => estimate_run_seconds(spec),
        false => super::cells::estimate_sweep_seconds(spec),
    }
}

/// Formats the memory of `numbers` floats of 4 bytes: "300 MiB", "2.5 GiB".
fn format_memory(numbers: u64) -> String {
    let mebibytes = numbers.saturating_mul(4) >> 20;
    match mebibytes {
        0..1024 => format!("{} MiB", mebibytes.max(1)),
        _ => format!("{:.1} GiB", mebibytes as f64 / 1024.0),
    }
}

/// Sum of all terms, or 2⁶⁴ − 1 where it is larger.
fn saturating_sum<const N: usize>(terms: [u64; N]) -> u64 {
    terms.into_iter().fold(0, u64::saturating_add)
}
