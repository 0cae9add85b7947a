//! What a one-hidden-layer kernel is compiled for: the network's shape, and how lanes share its work.
//!
//! # Why
//! A lane computes a small tile of examples × units, so that turning a bit into ±1 and loading a weight are
//! paid once for several products. Which tile is best depends on the shape; [`Plan::tiled`] takes the one that
//! costs the fewest cycles on four schedulers of 32 lanes, as GPUs of today have.

use vivarium_model::models::family::OneHiddenLayer;
use vivarium_model::models::{Activation, Family};
use vivarium_model::optim::Optimizer;
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;

/// The update rule, with what changes the code; its numbers come with the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Stochastic gradient descent, with or without a velocity.
    Sgd {
        /// Whether a velocity is kept.
        momentum: bool,
    },
    /// Stochastic gradient descent with Nesterov's momentum.
    Nesterov,
    /// Adam.
    Adam,
    /// Lion.
    Lion,
    /// Muon, whose updates are of whole matrices: no kernel on a GPU makes them.
    Muon,
}

impl Rule {
    /// The rule of an optimizer.
    pub fn of(optimizer: &Optimizer) -> Self {
        match optimizer {
            Optimizer::Sgd(sgd) if sgd.is_nesterov() => Rule::Nesterov,
            Optimizer::Sgd(sgd) => Rule::Sgd { momentum: sgd.momentum > 0.0 },
            Optimizer::Adam(_) => Rule::Adam,
            Optimizer::Lion(_) => Rule::Lion,
            Optimizer::Muon(_) => Rule::Muon,
        }
    }

    /// Moment arrays kept for each parameter.
    pub fn moments(self) -> usize {
        match self {
            Rule::Sgd { momentum } => usize::from(momentum),
            Rule::Nesterov | Rule::Lion => 1,
            Rule::Adam | Rule::Muon => 2,
        }
    }

    /// Whether weight decay is a factor of the weight rather than a part of the gradient, or may be.
    pub fn decouples(self) -> bool {
        matches!(self, Rule::Adam | Rule::Lion)
    }
}

pub use vivarium_model::models::activation::Sigma;
pub use vivarium_model::models::family::Head;

/// Replicas from which on every scheduler of a large GPU has several workgroups to choose from.
pub(super) const MANY: usize = 256;
/// Workgroups from which on a GPU is full, so that each of them takes several examples.
const MOST_GROUPS: u64 = 1024;
/// Cycles from a load to its use.
const LOAD_CYCLES: f64 = 30.0;

/// What is known of a network before a kernel is compiled for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Input bits n.
    pub inputs: usize,
    /// Hidden units.
    pub width: usize,
    /// Examples per step.
    pub batch: usize,
    /// How units become an output.
    pub head: Head,
    /// Non-linearity of the units; without meaning for a product.
    pub activation: Activation,
    /// The activation's degree.
    pub degree: usize,
    /// Whether the hidden bias is trained.
    pub hidden_bias: bool,
    /// Whether the output bias is trained.
    pub output_bias: bool,
    /// Whether W is trained, and b with it.
    pub first_layer: bool,
    /// Whether u is trained; without meaning for a product.
    pub second_layer: bool,
    /// What is made small.
    pub loss: Loss,
    /// Update rule.
    pub rule: Rule,
    /// Bits whose parity is the label.
    pub relevant: usize,
    /// Size of the finite sample; 0 draws fresh examples.
    pub sample: usize,
    /// Whether fresh labels are flipped at random.
    pub noise: bool,
}

impl Network {
    /// The network of a run, or why no kernel covers it.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let (task, name) = (spec.task.examples(), spec.model.info().name);
        let data = spec.task.data();
        let TaskData::Bits(Some(examples)) = data else {
            return Err(match (data, task.classes()) {
                (TaskData::Bits(_), None) => {
                    tr!("the task of the run is a function other than parity").into()
                }
                (_, None) => tr!("the inputs of the run are numbers, not bits").into(),
                (_, Some(_)) => tr!("the model of the run is the {model}", model = name),
            });
        };
        if examples.all_inputs {
            return Err(tr!("the training sample of the run contains all possible inputs").into());
        }
        if spec.run.batch == 0 {
            return Err(tr!("each training step uses the whole training sample").into());
        }
        let last_visit = spec.run.steps.saturating_mul(spec.run.batch as u64);
        let sample = examples.training_set_size;
        if sample > 0 && last_visit / sample as u64 >= u64::from(u32::MAX) {
            return Err(tr!("the run uses each training example so often that the counter of the GPU kernel would overflow").into());
        }
        let Some(Family::OneHiddenLayer(layer)) = spec.model.config().family() else {
            return Err(tr!("the model of the run is “{other}”", other = name));
        };
        let OneHiddenLayer { width, head, activation, hidden_bias, output_bias, .. } = layer;
        Ok(Network {
            inputs: examples.inputs,
            width,
            batch: spec.run.batch,
            head,
            activation,
            // A ReLU is the same for every degree.
            degree: if activation == Activation::Relu { 1 } else { layer.degree },
            hidden_bias,
            output_bias,
            first_layer: layer.first_layer,
            second_layer: layer.second_layer,
            loss: spec.run.loss,
            rule: Rule::of(&spec.optimizer),
            relevant: examples.relevant_bits,
            sample,
            noise: examples.noise > 0.0 && sample == 0,
        })
    }

    /// What of it the kernels on a GPU cannot do, as our loop on the processor can.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn on_a_gpu(&self) -> Result<(), String> {
        if self.first_layer { Ok(()) } else { Err(tr!("the first layer of the network is frozen").into()) }
    }

    /// Numbers that are trained, of one replica.
    pub fn parameters(&self) -> usize {
        match self.head {
            Head::Sum => self.width * (self.inputs + 2) + 1,
            Head::Product => self.width * (self.inputs + 1),
        }
    }

    /// Numbers in the state of one replica: parameters, then moments.
    pub fn state(&self) -> usize {
        self.parameters() * (1 + self.rule.moments())
    }

    /// Words of one example of a finite sample: its bits, then its label.
    pub fn row_words(&self) -> usize {
        self.inputs / 32 + 1
    }

    /// What a kernel is compiled for: which bits matter, how large the sample is and how many labels are flipped are
    /// read from a table.
    pub fn compiled(self) -> Network {
        Network { relevant: 0, sample: self.sample.min(1), ..self }
    }

    /// Whether networks of both kinds can share a launch: they differ in nothing but inputs, width, relevant bits, the
    /// size of a sample, noise, and numbers of the update rule.
    pub fn joins(&self, other: &Network) -> bool {
        let kind = |network: &Network| Network { inputs: 0, width: 0, noise: false, ..network.compiled() };
        kind(self) == kind(other)
    }
}

/// What the device allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Lanes of one workgroup.
    pub lanes: usize,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: usize,
    /// Bytes of one storage buffer.
    pub buffer_bytes: u64,
    /// Turns of loops that one launch may make, all of a lane's loops counted together.
    pub turns: u64,
}

/// Workgroups that share the examples of a step of each of `replicas` networks, where each of them keeps so many `numbers`
/// in a buffer of so many `bytes`: as many as keep a GPU busy and have room there, and with examples as even as possible.
///
/// # Errors
/// A sentence for the person, where there is room for none.
pub fn workgroups(batch: usize, replicas: usize, numbers: usize, bytes: u64) -> Result<usize, String> {
    let each = 4 * replicas as u64 * numbers as u64;
    let fit = bytes / each;
    if fit == 0 {
        return Err(format!("{replicas} of these networks need a buffer of {} MiB", each >> 20));
    }
    let busy = (MOST_GROUPS / replicas as u64).max(1);
    let most = (fit.min(busy) as usize).min(batch).max(1);
    Ok(batch.div_ceil(batch.div_ceil(most).max(1)).max(1))
}

/// A network with the division of its work among the lanes of a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// What is trained.
    pub network: Network,
    /// Lanes of the workgroup.
    pub lanes: usize,
    /// Examples that are worked on together, at most 32: the bits of one word.
    pub block: usize,
    /// Examples of one lane's forward tile.
    pub examples: usize,
    /// Units of one lane's tile, forward and backward.
    pub units: usize,
    /// Lanes side by side along the units.
    pub columns: usize,
    /// Rounds over the units.
    pub passes: usize,
    /// Inputs of one lane's backward tile.
    pub rows: usize,
    /// Rounds over the inputs.
    pub row_passes: usize,
    /// Whether the hidden activations fit into workgroup memory.
    pub hidden_in_workgroup: bool,
    /// Whether all its networks have these inputs, this width and these columns; where not, they are the most of any.
    pub fixed: bool,
}

impl Plan {
    /// The best division of `network` for `replicas` side by side on a device with these `limits`, or why there
    /// is none.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn tiled(network: Network, replicas: usize, limits: Limits) -> Result<Self, String> {
        network.on_a_gpu()?;
        let (network, block) = (network.compiled(), network.batch.min(32).next_power_of_two());
        let most = limits.lanes.min(256);
        let mut best: Option<(f64, Plan)> = None;
        for units in [4, 2, 1] {
            for examples in [8, 4, 2, 1] {
                if examples > block || units > network.width {
                    continue;
                }
                let plan = Plan::shaped(network, block, examples, units, most);
                let cost = plan.cost(replicas >= MANY);
                if plan.columns > 0 && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, plan));
                }
            }
        }
        let (_, plan) = best.ok_or("the GPU allows too few lanes in a workgroup")?;
        plan.placed(limits)
    }

    /// The plan with its hidden activations where there is room for them.
    pub(super) fn placed(mut self, limits: Limits) -> Result<Self, String> {
        let left = limits.workgroup_bytes.saturating_sub(4 * (self.fixed_words() + 64));
        self.hidden_in_workgroup = 4 * self.hidden() <= left;
        if 4 * (self.fixed_words() + 64) > limits.workgroup_bytes
            || (self.network.head == Head::Product && !self.hidden_in_workgroup)
        {
            let (need, have) = (4 * self.fixed_words() / 1024 + 1, limits.workgroup_bytes / 1024);
            return Err(tr!(
                "the network needs {need} KiB of workgroup memory, and the GPU has only {have} KiB",
                need,
                have
            ));
        }
        Ok(self)
    }

    fn shaped(network: Network, block: usize, examples: usize, units: usize, most: usize) -> Self {
        let bands = block / examples;
        let columns = network.width.div_ceil(units).min(most / bands);
        let groups = most.checked_div(columns).map_or(1, |groups| groups.min(network.inputs).max(bands));
        // As few rounds over the inputs as tiles of at most eight allow.
        let row_passes = network.inputs.div_ceil(groups * 8);
        Plan {
            network,
            // Each example of a block has a lane for its loss, and each sum of a measurement one.
            lanes: (columns * groups).max(block).max(4),
            block,
            examples,
            units,
            columns,
            passes: network.width.div_ceil(units * columns.max(1)),
            rows: network.inputs.div_ceil(groups * row_passes),
            row_passes,
            hidden_in_workgroup: true,
            fixed: true,
        }
    }

    /// Cycles per block of examples, roughly: an instruction is a product, half a bit or half a load. Many
    /// replicas hide each other's waiting, so that only the instructions count; a few wait for every load.
    pub(super) fn cost(&self, many: bool) -> f64 {
        let turn = |lanes: usize, instructions: f64| {
            let warps = lanes as f64 / 128.0;
            if many {
                warps * instructions
            } else {
                (warps.ceil() * instructions).max(instructions + LOAD_CYCLES)
            }
        };
        let (t, e, r) = (self.units as f64, self.examples as f64, self.rows as f64);
        let forward = turn(self.bands() * self.columns, 2.0 * t + 2.0 + 2.0 * e + e * t);
        let backward = turn(self.lanes, 2.0 * t + 2.0 * r + r * t);
        let rounds = (self.row_passes * self.block) as f64;
        let sums = 8.0 * self.columns as f64;
        self.passes as f64 * (self.network.inputs as f64 * forward + rounds * backward) + sums
    }

    /// Lanes side by side along the examples.
    pub fn bands(&self) -> usize {
        self.block / self.examples
    }

    /// Lanes side by side along the inputs.
    pub fn groups(&self) -> usize {
        self.lanes / self.columns
    }

    /// Blocks of a step.
    pub fn blocks(&self) -> usize {
        self.network.batch.div_ceil(32)
    }

    /// Numbers of the hidden activations of a block; a product keeps its slopes beside them.
    pub fn hidden(&self) -> usize {
        let copies = if self.network.head == Head::Product { 2 } else { 1 };
        copies * self.block * self.network.width
    }

    /// Distance between two examples in the partial sums: odd, so that lanes meet no bank twice.
    pub fn sums_stride(&self) -> usize {
        self.columns | 1
    }

    /// Words of workgroup memory besides the hidden activations.
    fn fixed_words(&self) -> usize {
        2 * (self.network.inputs + 1) + self.block * self.sums_stride() + 6 * 32
    }

    /// Numbers of one replica in the scratch buffer: hidden activations, then gradients that are still added
    /// up over the blocks of a step. Never none, since there is no empty buffer.
    pub fn scratch(&self) -> usize {
        let gradients = if self.blocks() > 1 { self.network.parameters() } else { 0 };
        (self.spilled() + gradients).max(1)
    }

    /// Turns of loops that a lane makes in one step, at most.
    pub fn turns(&self) -> u64 {
        let net = &self.network;
        let forward = self.passes * net.inputs;
        let backward = self.row_passes * (1 + self.passes * self.block);
        let units = (net.width / self.lanes + 1) * (self.block * (1 + net.width.min(8)) + 1);
        let data = (net.inputs + 8) / self.lanes + 8 + 2 * self.block + 80;
        (self.blocks() * (forward + backward + units + data + self.columns) + net.state() / self.lanes + 64)
            as u64
    }

    /// Numbers of hidden activations in the scratch buffer.
    pub fn spilled(&self) -> usize {
        if self.hidden_in_workgroup { 0 } else { self.hidden() }
    }
}

/// Coefficients of an activation's polynomial, if it has one, lowest first.
pub fn coefficients(activation: Activation, degree: usize) -> Vec<f32> {
    activation.function(degree).coefficients()
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn a_sample_of_all_inputs_has_no_kernel() {
        let (link, notices) = vivarium_model::permalink::decode("#v1/sparse-parity?n=16&data=cube&batch=0");
        assert!(notices.is_empty(), "{notices:?}");
        let refused = Network::of(&link.spec).unwrap_err();
        assert_eq!(refused, "the training sample of the run contains all possible inputs");
    }
}
