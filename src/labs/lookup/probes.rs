//! Probes of networks on prompts: mean attention of each head on each name, and the error at each position.

pub mod example;
#[cfg(test)]
mod tests;

use vivarium_model::models::token_attention::{OnPrompts, Plain, Scores};
use vivarium_model::models::{Family, Model};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ExampleForm, TaskData};
use vivarium_science::tokens::theory::heads::conditional_mean_covariance;
use vivarium_science::tokens::{NameRepeats, Teacher, TeacherKind, TokenPrompts};
use vivarium_view::probing::{Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork};

/// Mean attention weight of each head on the token of each name, `[heads, names]`, averaged over query positions and
/// held-out prompts.
///
/// Its scalars are the mean attention on a name's token under the best one-to-one assignment of heads to names
/// ([`compute_head_assignment`]) and the smallest relative error possible with this attention; the latter is NaN where
/// scores depend on more than positions or the theory does not cover the task. Its counts are heads and names.
pub const HEADS: Probe = Probe { name: "lookup-heads", applies: check_has_heads };
/// Relative error (squared error divided by the variance of a label) at each position, `[positions]`, over held-out
/// prompts.
pub const POSITIONS: Probe = Probe { name: "lookup-positions", applies: check_has_prompts };

/// Probes that evaluate held-out prompts: [`HEADS`] and [`POSITIONS`].
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec::new(HEADS, |network| Some(Box::new(HeadsJob::new(network)?))),
    ProbeSpec::new(POSITIONS, |network| Some(Box::new(PositionsJob::new(&network.spec)?))),
];

/// Approximate floating-point operations of the held-out prompts evaluated in one call of `poll`, at least one prompt;
/// it keeps each call short.
const OPERATIONS_PER_SLICE: f64 = 4e6;
/// Maximum floating-point operations for evaluating all held-out prompts of one measurement; if even 32 prompts need
/// more, 32 are evaluated all the same.
const MAX_OPERATIONS: f64 = 1e9;
/// Minimum and maximum number of held-out prompts that one measurement evaluates, if the run has so many; between them,
/// as many as `MAX_OPERATIONS` allows.
const PROMPT_LIMITS: (usize, usize) = (32, 1000);

/// Returns an error message if the task's examples are not prompts (sequences of tokens with a label at each position).
fn check_has_prompts(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Prompts(_) => Ok(()),
        _ => Err(ExampleForm::Prompt.unavailable_reason().into()),
    }
}

/// Returns an error message unless the task has prompts and the network is an attention network with heads.
fn check_has_heads(spec: &RunSpec) -> Result<(), String> {
    check_has_prompts(spec)?;
    match spec.model.config().family() {
        Some(Family::TokenAttention(_)) => Ok(()),
        _ => Err(no_heads_reason(spec).into()),
    }
}

/// Explains why the heads of a network other than the attention network of this task are not shown.
pub fn no_heads_reason(spec: &RunSpec) -> &'static str {
    match spec.model {
        Model::OwnNetwork(_) => tr!("In this lab, the heads of a network of your own are not measured."),
        _ => tr!("This network has no heads."),
    }
}

/// Held-out prompts (sequences of tokens with labels) that one measurement of `HEADS` or `POSITIONS` evaluates in
/// chunks, so that the page stays responsive.
struct HeldOutPrompts {
    /// Number of positions, entries per token and other settings of the held-out prompts.
    prompts: TokenPrompts,
    /// Held-out prompts as rows of a batch, `[count, row_len]`; a row holds a prompt's tokens, names and labels.
    rows: Vec<f32>,
    /// Number of held-out prompts processed in one call of `poll`; at least 1.
    chunk_len: usize,
    /// Number of held-out prompts processed so far.
    processed: usize,
}

impl HeldOutPrompts {
    /// Samples the held-out prompts of a run; `None` if its task has no prompts.
    fn new(spec: &RunSpec) -> Option<Self> {
        let sampler = spec.task.sampler();
        let prompts = sampler.data().prompts()?;
        // A training step costs three times a forward pass.
        let forward = (spec.architecture().step_flops(sampler.inputs(), 1) / 3.0).max(1.0);
        let count = ((MAX_OPERATIONS / forward) as usize)
            .clamp(PROMPT_LIMITS.0, PROMPT_LIMITS.1)
            .min(spec.held_out_count());
        let mut batch = Batch::default();
        sampler.append_held_out(spec.run.seed, 0, count, &mut batch);
        Some(HeldOutPrompts {
            prompts,
            rows: batch.x,
            chunk_len: ((OPERATIONS_PER_SLICE / forward) as usize).max(1),
            processed: 0,
        })
    }

    /// Number of held-out prompts that the measurement evaluates in all.
    fn count(&self) -> usize {
        self.rows.len() / self.prompts.row_len()
    }

    /// Whether all held-out prompts of the measurement have been processed.
    fn is_done(&self) -> bool {
        self.processed >= self.count()
    }

    /// Batch rows of the next chunk of held-out prompts, which then counts as processed; empty once all prompts are
    /// processed.
    fn next_chunk(&mut self) -> &[f32] {
        let (from, columns) = (self.processed, self.prompts.row_len());
        self.processed = (from + self.chunk_len).min(self.count());
        &self.rows[from * columns..self.processed * columns]
    }
}

/// Attention on the token of a name (a position that a query refers to), averaged over the names, under the one-to-one
/// assignment of heads to names that makes it largest: each head counts for at most one name, and a name without a head
/// counts as 0.
///
/// It is 1 if each name has a head that attends to nothing else, and at most H/q with H heads and q names.
///
/// # Shapes
/// `attention` is `[heads, names]`.
pub fn compute_head_assignment(attention: &[f64], names: usize) -> f64 {
    // Dynamic programming over the set of names that have a head, adding one head at a time.
    let mut best = vec![f64::NEG_INFINITY; 1 << names];
    best[0] = 0.0;
    for head in attention.chunks(names) {
        for set in (0..best.len()).rev() {
            let given = |name: usize| best[set & !(1 << name)] + head[name];
            let with_this = (0..names).filter(|name| set >> name & 1 == 1).map(given);
            best[set] = with_this.fold(best[set], f64::max);
        }
    }
    best.into_iter().fold(0.0, f64::max) / names as f64
}

/// Running measurement of [`HEADS`], the mean attention weight of each head on the token of each name.
struct HeadsJob {
    /// Held-out prompts on which attention is measured.
    held_out: HeldOutPrompts,
    /// Reference implementation of the attention network, in plain loops, which gives the attention weights.
    reference: Plain,
    /// Number of attention heads of the network whose attention is measured.
    heads: usize,
    /// Function that computes labels from named tokens, and the variance of a label; `None` where scores depend on more
    /// than positions or the theory of the smallest possible error does not cover the task.
    teacher: Option<(Teacher, f64)>,
    /// Attention weights on the token of each name, summed over positions and prompts, `[heads, names]`.
    attention_sums: Vec<f64>,
    /// Part of the label variance that can be explained from the heads' attention-weighted sums of tokens, summed over
    /// positions and prompts.
    explained_variance: f64,
}

impl HeadsJob {
    /// Starts to measure the attention weights of the heads on held-out prompts; `None` if the network has no attention
    /// heads.
    fn new(network: &ProbedNetwork) -> Option<Self> {
        let spec = &network.spec;
        let Some(Family::TokenAttention(net)) = spec.model.config().family() else { return None };
        let held_out = HeldOutPrompts::new(spec)?;
        let prompts = held_out.prompts;
        let is_known = prompts.function != TeacherKind::Network || prompts.repeats == NameRepeats::Distinct;
        let teacher = (net.scores == Scores::Positions && is_known)
            .then(|| (prompts.teacher(spec.run.seed), prompts.label_variance(spec.run.seed)));
        Some(HeadsJob {
            held_out,
            heads: net.heads,
            attention_sums: vec![0.0; net.heads * prompts.names],
            reference: OnPrompts { net, prompts }.plain(&network.slices()),
            teacher,
            explained_variance: 0.0,
        })
    }

    /// Adds one held-out prompt, given as a row of a batch, to `attention_sums` and `explained_variance`.
    fn add_prompt(&mut self, row: &[f32]) {
        let prompts = self.held_out.prompts;
        let (n, q, look) = (prompts.length, prompts.names, self.reference.look(row));
        for (i, list) in prompts.split_row(row).1.chunks(q).enumerate() {
            let names: Vec<usize> = list.iter().map(|name| *name as usize).collect();
            let own: Vec<f64> =
                look.shares.chunks(n * n).flat_map(|head| &head[i * n..][..n]).copied().collect();
            for (attention, shares) in self.attention_sums.chunks_mut(q).zip(own.chunks(n)) {
                attention.iter_mut().zip(&names).for_each(|(sum, name)| *sum += shares[*name]);
            }
            if let Some((teacher, _)) = &self.teacher {
                self.explained_variance +=
                    teacher.label_covariance(&conditional_mean_covariance(&own, n, &names));
            }
        }
    }
}

impl ProbeMeasurement for HeadsJob {
    fn poll(&mut self, _network: &ProbedNetwork) -> Option<ProbeResult> {
        let columns = self.held_out.prompts.row_len();
        let rows = self.held_out.next_chunk().to_vec();
        rows.chunks(columns).for_each(|row| self.add_prompt(row));
        self.held_out.is_done().then(|| {
            let names = self.held_out.prompts.names;
            let all = (self.held_out.count() * self.held_out.prompts.length).max(1) as f64;
            let attention: Vec<f64> = self.attention_sums.iter().map(|sum| sum / all).collect();
            let left = self
                .teacher
                .as_ref()
                .map_or(f64::NAN, |(_, variance)| 1.0 - self.explained_variance / all / variance);
            ProbeResult::new(HEADS.id())
                .with_few_numbers([compute_head_assignment(&attention, names), left])
                .with_counts([self.heads, names])
                .with_numbers(attention.into_iter().map(|share| share as f32).collect())
        })
    }
}

/// Running measurement of [`POSITIONS`], the relative error at each position of held-out prompts.
struct PositionsJob {
    /// Held-out prompts on which the error is measured.
    held_out: HeldOutPrompts,
    /// Variance of the labels, by which the squared errors are divided to give relative errors.
    variance: f64,
    /// Squared error of the network's output at each position, summed over the held-out prompts processed so far,
    /// `[length]`.
    squared_errors: Vec<f64>,
}

impl PositionsJob {
    /// Starts to measure the error at each position of held-out prompts; `None` if the task has no prompts.
    fn new(spec: &RunSpec) -> Option<Self> {
        let held_out = HeldOutPrompts::new(spec)?;
        let variance = held_out.prompts.label_variance(spec.run.seed);
        Some(PositionsJob { squared_errors: vec![0.0; held_out.prompts.length], held_out, variance })
    }
}

impl ProbeMeasurement for PositionsJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let prompts = self.held_out.prompts;
        let rows = self.held_out.next_chunk();
        let outputs = network.spec.network().evaluate(&network.slices(), network.inputs(), rows, 0);
        for (row, outputs) in rows.chunks(prompts.row_len()).zip(outputs.chunks(prompts.length)) {
            for ((sum, y), f) in self.squared_errors.iter_mut().zip(prompts.split_row(row).2).zip(outputs) {
                *sum += f64::from(f - y).powi(2);
            }
        }
        self.held_out.is_done().then(|| {
            let unit = self.held_out.count().max(1) as f64 * self.variance;
            let errors = self.squared_errors.iter().map(|sum| (sum / unit) as f32).collect();
            ProbeResult::new(POSITIONS.id()).with_numbers(errors)
        })
    }
}
