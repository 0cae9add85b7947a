//! What the kernels of token attention are compiled for: the network, where its numbers lie, and how lanes share its work.
//!
//! # Why
//! Scores take codes as sums of table entries. A token has *features*: its d numbers, if scores read them, and one for each
//! pair of a block of the code and the position that the block names. So `Ω̂` below is the matrix of features by the
//! numbers that scores read, and a head's table is
//!
//! ```text
//! T = Ω̂ W Ω̂ᵀ    or    Ω̂ Q (Ω̂ K)ᵀ / √d_k
//! ```
//!
//! Where codes are one-hot and keys are not apart from queries T is W itself, but for the scale.

use crate::plan::{Limits, Rule, workgroups};
use crate::prompt_layout::{COUNTABLE, LANES, PromptLayout, cubes};
use vivarium_model::models::Family;
use vivarium_model::models::token_attention::{Scores, Values};
use vivarium_model::run::RunSpec;
use vivarium_model::run::cost::exceeds_launch_limit_of_workgroups;
use vivarium_science::tokens::PositionCodes;

/// Operations of a workgroup in one launch that measures, at most: a workgroup of a server's GPU makes 40 Gflop/s.
const MEASURED_FLOPS: u64 = 500_000_000;
/// Lanes that share a sum, at most.
const MOST_PARTS: usize = 32;
/// Parameters of the network: codes, those of scores, and the four of the MLP.
const MOST_PARAMETERS: usize = 7;
/// Workgroups in a row, at most.
const MOST_IN_A_ROW: usize = 65_535;

/// What is known of a network before a kernel is compiled for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Its prompts.
    pub prompts: PromptLayout,
    /// Whether codes are one-hot.
    pub one_hot: bool,
    /// Heads H.
    pub heads: usize,
    /// Width d_k of queries and keys; 0 where one matrix stands for both.
    pub keys: usize,
    /// Whether scores read the tokens' numbers too.
    pub all: bool,
    /// Whether values are whole tokens, and not their numbers alone.
    pub tokens: bool,
    /// Hidden units m.
    pub width: usize,
    /// Prompts of a step.
    pub batch: usize,
    /// Update rule.
    pub rule: Rule,
    /// Whether weight decay pulls on each parameter.
    pub decays: [bool; MOST_PARAMETERS],
}

impl Network {
    /// The network of a run, or why no kernel covers it.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let other = || format!("its model is the {}", spec.model.info().name);
        let prompts = spec.task.data().prompts().ok_or_else(other)?;
        let Some(Family::TokenAttention(net)) = spec.model.config().family() else { return Err(other()) };
        let rule = Rule::of(&spec.optimizer);
        let (architecture, mut decays) = (spec.architecture(), [false; MOST_PARAMETERS]);
        decays.iter_mut().take(spec.parameters().len()).enumerate().for_each(|(which, decays)| {
            *decays = architecture.decays(which);
        });
        Ok(Network {
            prompts: PromptLayout::of(&prompts),
            one_hot: prompts.codes == PositionCodes::OneHot,
            heads: net.heads,
            keys: net.separate(&prompts).unwrap_or(0),
            all: net.scores == Scores::All,
            tokens: net.values == Values::Token,
            width: net.width,
            batch: spec.batch_size(),
            rule,
            decays,
        })
    }

    /// Numbers of a token that scores read.
    pub fn dense(&self) -> usize {
        if self.all { self.prompts.dim } else { 0 }
    }

    /// Numbers of an encoded token that scores read.
    pub fn read(&self) -> usize {
        self.dense() + self.prompts.codes()
    }

    /// Features of a token.
    pub fn features(&self) -> usize {
        self.dense() + (self.prompts.names + 1) * self.prompts.length
    }

    /// Numbers of a value.
    pub fn value(&self) -> usize {
        self.prompts.dim + if self.tokens { self.prompts.codes() } else { 0 }
    }

    /// Numbers that the MLP reads.
    pub fn inner(&self) -> usize {
        self.heads * self.value()
    }

    /// Whether the table of scores is a parameter.
    pub fn direct(&self) -> bool {
        self.one_hot && self.keys == 0
    }

    /// Columns of a head's part of each parameter of scores.
    pub fn depth(&self) -> usize {
        if self.keys == 0 { self.read() } else { self.keys }
    }

    /// Numbers of one parameter of scores.
    pub fn score_size(&self) -> usize {
        self.heads * self.read() * self.depth()
    }

    /// Parameters of scores.
    pub fn score_parameters(&self) -> usize {
        if self.keys == 0 { 1 } else { 2 }
    }

    /// Place of the first parameter of scores.
    pub fn scores(&self) -> usize {
        self.prompts.length * self.prompts.code_dim
    }

    /// Places of W₁, b₁, w₂ and b₂, and where they end.
    pub fn mlp(&self) -> [usize; 5] {
        let first = self.scores() + self.score_parameters() * self.score_size();
        let bias = first + self.inner() * self.width;
        let second = bias + self.width;
        [first, bias, second, second + self.width, second + self.width + 1]
    }

    /// Numbers of the MLP.
    pub fn mlp_size(&self) -> usize {
        (self.inner() + 2) * self.width + 1
    }

    /// Numbers of a replica.
    pub fn parameters(&self) -> usize {
        self.mlp()[4]
    }

    /// Numbers in the state of one replica: parameters, then moments.
    pub fn state(&self) -> usize {
        self.parameters() * (1 + self.rule.moments())
    }

    /// Places in the tables of one network.
    pub fn tables(&self) -> TablePlaces {
        let (features, heads) = (self.features(), self.heads);
        let each = heads * features * self.depth();
        let apart = if self.keys == 0 { 0 } else { each };
        let (right, table) = (each, each + apart);
        let left_slope = table + heads * features * features;
        let right_slope = left_slope + each;
        let end = if self.direct() { 1 } else { right_slope + apart };
        TablePlaces { right, table, left_slope, right_slope, end }
    }

    /// Numbers of one prompt in the buffer of ∂loss/∂scores: `[heads, length + dense, features]`.
    pub fn spread(&self) -> usize {
        self.heads * (self.prompts.length + self.dense()) * self.features()
    }
}

/// Places in the tables of one network; Ω̂W or Ω̂Q, `[heads, features, depth]`, is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TablePlaces {
    /// Ω̂K, `[heads, features, depth]`, where keys are apart.
    pub right: usize,
    /// T, `[heads, features, features]`; after the gradients ∂loss/∂T.
    pub table: usize,
    /// ∂loss/∂ of what is first.
    pub left_slope: usize,
    /// ∂loss/∂ of Ω̂K, where keys are apart.
    pub right_slope: usize,
    /// Where they end.
    pub end: usize,
}

/// Places in a workgroup's slice of the scratch buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkPlaces {
    /// Values `[length, value]`, where they are whole tokens; first of all.
    pub values: usize,
    /// What scores make of the tokens' numbers, `[2, heads, length, dense]`: by columns, and by rows.
    pub numbers: usize,
    /// What the heads give, `[length, inner]`.
    pub head: usize,
    /// ∂loss/∂ of it.
    pub slope: usize,
    /// Hidden units before the ReLU, `[length, width]`; then ∂loss/∂ of them.
    pub hidden: usize,
    /// Σ_j a_ij ∂loss/∂a_ij, `[heads, length]`.
    pub mean: usize,
    /// Gradients of the MLP, in the order of its parameters.
    pub gradient: usize,
    /// Where they end.
    pub end: usize,
}

/// A network with the division of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// What is trained.
    pub network: Network,
    /// Workgroups of a replica.
    pub groups: usize,
}

impl Plan {
    /// The division of `network` on a device with these `limits`, or why there is none.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn divided(network: Network, replicas: usize, limits: Limits) -> Result<Self, String> {
        if limits.lanes < LANES || limits.workgroup_bytes < 16 << 10 {
            return Err(format!("a workgroup has fewer than {LANES} lanes or 16 KiB of memory"));
        }
        if network.prompts.length > LANES {
            return Err(format!("its prompts are longer than {LANES} positions"));
        }
        let (mut plan, bytes) = (Plan { network, groups: network.batch }, limits.buffer_bytes.min(COUNTABLE));
        plan.groups = workgroups(network.batch, replicas, plan.work().end, bytes)?;
        let most = plan.update_groups().max(cubes(plan.table())).max(cubes(plan.expanded()));
        if most > MOST_IN_A_ROW {
            return Err("its scores have more parameters than a launch has lanes".into());
        }
        if plan.turns().max(plan.update_turns()) > limits.turns {
            return Err("one of its steps is longer than a simulated GPU lets a shader run".into());
        }
        Ok(plan)
    }

    /// Prompts that a workgroup takes one after the other.
    pub fn rounds(&self) -> usize {
        self.network.batch.div_ceil(self.groups)
    }

    /// Workgroups that update the parameters of scores.
    pub fn score_groups(&self) -> usize {
        cubes(self.network.score_parameters() * self.network.score_size())
    }

    /// Workgroups that update a replica.
    pub fn update_groups(&self) -> usize {
        self.score_groups() + cubes(self.network.mlp_size())
    }

    /// Numbers of the table of scores.
    pub fn table(&self) -> usize {
        self.network.heads * self.network.features().pow(2)
    }

    /// Numbers of the parameters of scores by features.
    pub fn expanded(&self) -> usize {
        self.network.score_parameters() * self.network.heads * self.network.features() * self.network.depth()
    }

    /// Where a workgroup keeps its numbers.
    pub fn work(&self) -> WorkPlaces {
        let net = &self.network;
        let numbers = if net.tokens { net.prompts.length * net.value() } else { 0 };
        let head = numbers + 2 * net.heads * net.prompts.length * net.dense();
        let slope = head + net.prompts.length * net.inner();
        let hidden = slope + net.prompts.length * net.inner();
        let mean = hidden + net.prompts.length * net.width;
        let gradient = mean + net.heads * net.prompts.length;
        WorkPlaces { values: 0, numbers, head, slope, hidden, mean, gradient, end: gradient + net.mlp_size() }
    }

    /// Lanes that share each of `sums` sums: a power of two.
    pub fn parts(&self, sums: usize) -> usize {
        let fit = (LANES / sums.max(1)).clamp(1, MOST_PARTS);
        1 << fit.ilog2()
    }

    /// Turns of all loops of a lane in a step of one prompt, at most.
    pub fn turns(&self) -> u64 {
        (self.forward_turns() + self.backward_turns()) * self.rounds() as u64
    }

    /// Turns of all loops of a lane on the way to the outputs of one prompt, and in adding up their errors.
    pub fn forward_turns(&self) -> u64 {
        let net = &self.network;
        let (n, heads, inner, m, dense) =
            (net.prompts.length, net.heads, net.inner(), net.width, net.dense());
        let turns = each(n * (net.prompts.names + 1))
            + each(n * net.value())
            + each(2 * heads * n * dense) * (dense + 1)
            + each(heads * n * n) * (2 * dense + 1)
            + each(heads * n) * 3 * n
            + each(n * inner) * n
            + each(n * m) * (inner + 1)
            + m
            + n
            + 3 * LANES;
        turns as u64
    }

    /// Prompts that a workgroup measures in one launch, at most, where a GPU lets a lane's loops make `turns` turns.
    pub fn measured_rounds(&self, turns: u64) -> usize {
        let net = &self.network;
        let [n, m, inner, blocks, dense] =
            [net.prompts.length, net.width, net.inner(), net.prompts.names + 1, net.dense()]
                .map(|size| size as u64);
        let scores = net.heads as u64 * n * n * (blocks * blocks + 2 * dense);
        let flops = 2 * (scores + n * inner * n + n * (inner + 1) * m);
        (turns / self.forward_turns().max(1)).min(MEASURED_FLOPS / flops.max(1)).clamp(1, 1024) as usize
    }

    /// Turns of all loops of a lane on the way back of one prompt, at most.
    fn backward_turns(&self) -> u64 {
        let net = &self.network;
        let (n, heads, inner, m, dense) =
            (net.prompts.length, net.heads, net.inner(), net.width, net.dense());
        let (value, features) = (net.value(), net.features());
        let turns = each(m) * (n + 1)
            + each(inner * m) * (n + 1)
            + each(n * inner) * (m + 1)
            + MOST_PARTS
            + each(heads * n) * (value + 1)
            + each(heads * n * n) * (value + 1)
            + each(heads * n * features) * (n + 1)
            + each(heads * dense * features) * (n + 1)
            + n;
        turns as u64
    }

    /// Turns of all loops of a lane in an update and what comes before it, at most.
    pub fn update_turns(&self) -> u64 {
        let net = &self.network;
        let gather = net.batch * (net.prompts.length + 1);
        gather.max(self.groups).max(net.features() + net.depth() + net.prompts.length) as u64
    }
}

/// Whether a step is short enough for one launch in which so many workgroups share it.
///
/// # Errors
/// A sentence for the person.
pub fn is_short(spec: &RunSpec, workgroups: usize) -> Result<(), String> {
    match exceeds_launch_limit_of_workgroups(spec, workgroups) {
        true => Err("one of its steps is too long for one launch".into()),
        false => Ok(()),
    }
}

/// Rounds that a workgroup needs for so many numbers.
fn each(numbers: usize) -> usize {
    numbers.div_ceil(LANES) + 1
}
