//! What the kernels of token MLPs are compiled for, and where their numbers lie.

use crate::plan::{Limits, Rule};
use crate::prompt_layout::{COUNTABLE, LANES, PromptLayout};
use vivarium_model::models::{Family, token_mlp};
use vivarium_model::run::RunSpec;

/// Most layers of weights: six hidden layers, and the outputs.
const MOST_LAYERS: usize = 7;
/// Prompts that are measured at a time, where there is room and no more are trained on.
const MEASURED: usize = 256;
/// Lanes of a launch, at most.
const MOST_AT_ONCE: u64 = 65_535 * LANES as u64;
/// Operations of a launch, at most: a tenth of a second of a laptop's GPU, which makes 100 Gflop/s of such loops or so.
const MOST_FLOPS: u64 = 10_000_000_000;

/// What is known of a network before a kernel is compiled for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    /// Its prompts.
    pub prompts: PromptLayout,
    /// Layers of weights.
    pub depth: usize,
    /// Inputs of each layer, then the outputs of the last; 0 beyond.
    pub sizes: [usize; MOST_LAYERS + 1],
    /// Prompts of a step.
    pub batch: usize,
    /// Update rule.
    pub rule: Rule,
    /// Whether weight decay pulls on weights and bias of each layer.
    pub decays: [[bool; 2]; MOST_LAYERS],
}

impl Network {
    /// The network of a run, or why no kernel covers it.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let other = || format!("its model is the {}", spec.model.info().name);
        let prompts = spec.task.data().prompts().ok_or_else(other)?;
        let Some(Family::TokenMlp(net)) = spec.model.config().family() else { return Err(other()) };
        let layers = net.layers(&prompts);
        if layers.len() > MOST_LAYERS {
            return Err(format!("it has more than {MOST_LAYERS} layers"));
        }
        let rule = Rule::of(&spec.optimizer);
        let numbers =
            layers.iter().map(|[inputs, outputs]| (*inputs as u64 + 1).saturating_mul(*outputs as u64));
        if numbers.max().unwrap_or(0) > MOST_AT_ONCE {
            return Err("a layer has more weights than a launch has lanes".into());
        }
        let (architecture, mut sizes) = (spec.architecture(), [0; MOST_LAYERS + 1]);
        let mut decays = [[false; 2]; MOST_LAYERS];
        for (layer, [inputs, outputs]) in layers.iter().enumerate() {
            (sizes[layer], sizes[layer + 1]) = (*inputs, *outputs);
            decays[layer] =
                [token_mlp::w(layer), token_mlp::b(layer)].map(|which| architecture.decays(which));
        }
        Ok(Network {
            prompts: PromptLayout::of(&prompts),
            depth: layers.len(),
            sizes,
            batch: spec.batch_size(),
            rule,
            decays,
        })
    }

    /// Numbers of an encoded token.
    pub fn encoded(&self) -> usize {
        self.prompts.dim + self.prompts.codes()
    }

    /// Numbers of a layer, its bias among them.
    pub fn layer_size(&self, layer: usize) -> usize {
        (self.sizes[layer] + 1) * self.sizes[layer + 1]
    }

    /// Numbers of scratch of a prompt: what layers read and give, and ∂loss/∂ what hidden ones give.
    pub fn row(&self) -> u64 {
        let sum = |sizes: &[usize]| sizes.iter().map(|size| *size as u64).sum::<u64>();
        sum(&self.sizes) + sum(&self.sizes[1..self.depth])
    }

    /// Place of the weights of `layer`; its bias lies behind them.
    pub fn weights(&self, layer: usize) -> usize {
        self.prompts.length * self.prompts.code_dim
            + (0..layer).map(|layer| self.layer_size(layer)).sum::<usize>()
    }

    /// Numbers of a replica.
    pub fn parameters(&self) -> usize {
        self.weights(self.depth)
    }

    /// Numbers in the state of one replica: parameters, then moments.
    pub fn state(&self) -> usize {
        self.parameters() * (1 + self.rule.moments())
    }
}

/// A network with the division of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// What is trained.
    pub network: Network,
    /// Prompts that there is room for at a time.
    pub rows: usize,
}

impl Plan {
    /// The division of `network` on a device with these `limits`, or why there is none.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn divided(network: Network, replicas: usize, limits: Limits) -> Result<Self, String> {
        if limits.lanes < LANES {
            return Err(format!("a workgroup has fewer than {LANES} lanes"));
        }
        if network.prompts.length > LANES {
            return Err(format!("its prompts are longer than {LANES} positions"));
        }
        let bytes = limits.buffer_bytes.min(COUNTABLE);
        let net_sizes = &network.sizes[..=network.depth];
        let fits = |rows: usize| {
            let sizes = net_sizes.iter().map(|size| *size as u64);
            let widest = sizes.clone().max().unwrap_or(0).saturating_mul(rows as u64);
            let layers = sizes.clone().zip(sizes.skip(1)).map(|(inputs, outputs)| 2 * inputs * outputs);
            let flops = layers.max().unwrap_or(0).saturating_mul(rows as u64 * replicas as u64);
            let work = network.row().saturating_mul(4 * rows as u64 * replicas as u64);
            let is_short = widest <= MOST_AT_ONCE && flops <= MOST_FLOPS && rows <= 65_535;
            (is_short && work <= bytes).then_some(Plan { network, rows })
        };
        let plan = fits(network.batch.max(MEASURED)).or_else(|| fits(network.batch));
        let plan = plan.ok_or("the prompts of a step do not fit one launch")?;
        // A lane's loop goes over all inputs or outputs of a layer, or all prompts.
        let longest = network.sizes.iter().copied().max().unwrap_or(0).max(network.batch) + 2 * LANES;
        if longest as u64 > limits.turns {
            return Err("one of its steps is longer than a simulated GPU lets a shader run".into());
        }
        Ok(plan)
    }

    /// Place of what layer `layer` reads, `[rows, size]`; behind the last layer, of the outputs, and then of ∂loss/∂outputs.
    pub fn values(&self, layer: usize) -> usize {
        self.rows * self.network.sizes[..layer].iter().sum::<usize>()
    }

    /// Place of ∂loss/∂ what `layer` gives, before its ReLU.
    pub fn slopes(&self, layer: usize) -> usize {
        let net = &self.network;
        match layer + 1 == net.depth {
            true => self.values(net.depth),
            false => self.values(net.depth + 1) + self.rows * net.sizes[1..=layer].iter().sum::<usize>(),
        }
    }

    /// Numbers of scratch of a replica.
    pub fn work(&self) -> usize {
        self.rows * self.network.row() as usize
    }
}
