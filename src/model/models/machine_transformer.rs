//! A transformer that runs a Turing machine (Wei, Chen and Ma 2022, section 4 and appendix C): written down weight by weight,
//! not trained. What it computes is in [`vivarium_science::machines`]; here are its settings, and how its weights are parameters.
//!
//! # Why
//! A step of the run is a step of the machine: one more token. The first parameter of a replica is the number of steps that
//! it has made, the others are all matrices and vectors of its [`Construction`], by their names. So a file of the run holds
//! every weight, with its noise, and weights of a file are executed as they are.

use std::borrow::Cow;
use std::sync::Arc;

#[cfg(not(target_family = "wasm"))]
use super::inside;
use super::layout::{Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples, Task};
use vivarium_core::bounds::saturating_product;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::WEI_2022;
use vivarium_core::{choices, settings};
#[cfg(not(target_family = "wasm"))]
use vivarium_science::machines::AttentionTrace;
use vivarium_science::machines::{
    self, Construction, ConstructionSizes, ExecutionMode, MachineProgram, Transformer,
};

choices! {
    /// How attention chooses among the scores.
    pub enum Attending {
        /// The largest score alone.
        Hard = "hard", "Hard maximum";
        /// Softmax of all scores.
        Soft = "soft", "Softmax";
    }
}

choices! {
    /// Whether numbers are rounded.
    pub enum Rounding {
        /// After every block.
        Yes = "yes", "After every block";
        /// Nowhere.
        No = "no", "None";
    }
}

settings! {
    /// How a transformer that runs a machine is executed, and what noise its weights have.
    pub struct MachineTransformer {
        /// How the attention weights are computed from the scores of the past tokens.
        choice: Attending = Attending::Hard, "choice", "Attention", Range::Choice(Attending::OPTIONS);
        /// Inverse temperature β of softmax; with rounding and no noise, β > ln(2(T + m)) is enough for T steps on m input symbols.
        beta: f64 = 10.0, "beta", "Inverse temperature β", Range::Real(0.0, 1000.0), only when "choice" = "soft";
        /// Whether every number is rounded to 0 or 1 after each block. Rounding removes errors below 1/3.
        rounding: Rounding = Rounding::Yes, "round", "Rounding", Range::Choice(Rounding::OPTIONS);
        /// Standard deviation σ of Gaussian noise on every weight and bias of the blocks; rounding, encoder and h₀ have none.
        sigma: f64 = 0.0, "sigma", "Noise σ on the weights", Range::Real(0.0, 1.0);
    }
}

/// Place of the steps made among the parameters.
pub const STEP: usize = 0;

/// Most numbers in double precision that all replicas keep of their past: 256 MiB.
const MOST_KEPT: u64 = 1 << 25;

impl MachineTransformer {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "machine-transformer",
        name: "Transformer that runs a Turing machine",
        about: "Each new token holds one step of the machine. To find the symbol under the machine's head, the transformer must find the most recent past step at which the head was at the same cell. A binary search does this: each block of the search finds one bit of the number of this step.",
        sources: &[WEI_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
step 0: h = h_0, which is 1 in the last component of scr4 and holds the start cell in pos2, in binary
step i: h = output of step i − 1, with i in pos1, in binary
for each block, from the token h that the block before has made:
  h ← h + attention \"own\" of h to the tokens so far, if the block has it
  h ← h + attention \"input\" of h to the tokens of the input, if the block has it
  h ← max(0, layers.{l}.weight h + layers.{l}.bias)     l = 0, 1, … of the block
  h ← 3 max(0, h − 1/3) − 3 max(0, h − 2/3)             round=yes
attention:
  q = query.weight h + query.bias
  keys null_key, and key.weight h_t + key.bias for each token h_t;  values in the same way
  the mean of the values with the largest q·key (choice=hard), or weighted by softmax(beta q·key)",
        loss: "none; the metrics compare the tokens with a simulator of the machine.",
        letters: &[
            ["{block}", "`apply`, `move`, `visited`, `search.0` … `search.{B−1}`, `fetch`, in this order"],
            [
                "{kind}",
                "`own`: attention to the tokens so far; `input`: attention to the tokens of the input",
            ],
            ["B", "bits of the number of a step or cell"],
            ["D", "components of a token"],
            ["K", "components of a key of this block"],
            ["P, H", "inputs and outputs of this layer of the block"],
            [
                "h_0",
                "input of step 0, which fetches the first symbol; the tokens so far are those of steps 1, 2, …",
            ],
        ],
        all: &[
            Tensor::new("step", ["1", "1"], ["", ""], "steps that the machine has made"),
            Tensor::new(
                "{block}.layers.{l}.weight",
                ["H", "P"],
                ["output", "input"],
                "weights of ReLU layer l of the block, from 0; rows are outputs",
            ),
            Tensor::new("{block}.layers.{l}.bias", ["H", "1"], ["output", ""], "its biases"),
            Tensor::new(
                "{block}.{kind}.query.weight",
                ["K", "D"],
                ["component of the query", "component of the token"],
                "query matrix of an attention; rows are outputs",
            ),
            Tensor::new("{block}.{kind}.query.bias", ["K", "1"], ["component of the query", ""], "its bias"),
            Tensor::new(
                "{block}.{kind}.key.weight",
                ["K", "D"],
                ["component of the key", "component of the token"],
                "key matrix",
            ),
            Tensor::new("{block}.{kind}.key.bias", ["K", "1"], ["component of the key", ""], "its bias"),
            Tensor::new(
                "{block}.{kind}.null_key",
                ["K", "1"],
                ["component of the key", ""],
                "key of the null slot, which belongs to no token",
            ),
            Tensor::new(
                "{block}.{kind}.value.weight",
                ["D", "D"],
                ["component of the value", "component of the token"],
                "value matrix",
            ),
            Tensor::new("{block}.{kind}.value.bias", ["D", "1"], ["component of the value", ""], "its bias"),
            Tensor::new(
                "{block}.{kind}.null_value",
                ["D", "1"],
                ["component of the value", ""],
                "value of the null slot",
            ),
        ],
    };

    /// How it is executed.
    pub fn mode(&self) -> ExecutionMode {
        let choice = match self.choice {
            Attending::Hard => machines::AttentionMode::Hard,
            Attending::Soft => machines::AttentionMode::Soft(self.beta),
        };
        ExecutionMode { attention: choice, rounding: self.rounding == Rounding::Yes }
    }

    /// The weights of a program before noise; none where positions would need more bits than there are.
    pub fn exact(&self, program: &MachineProgram) -> Option<Construction> {
        Construction::new(&program.machine, program.bits).ok()
    }

    /// A transformer with these weights before its first step.
    pub fn begin(&self, construction: Construction, program: &MachineProgram) -> Option<Transformer> {
        Transformer::new(construction.into(), &program.input, program.start, self.mode()).ok()
    }
}

impl Bind for MachineTransformer {
    type Bound = OnProgram;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnProgram> {
        // Of a machine that cannot run, and of another task, what is asked has an answer.
        Cow::Owned(OnProgram {
            net: self.clone(),
            program: examples.data().machine_program().unwrap_or_default(),
        })
    }
}

impl ModelConfig for MachineTransformer {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Steps]
    }

    fn constructed(&self, task: &Task, _seed: u64) -> Option<Vec<Vec<f32>>> {
        // With noise the replicas differ.
        let program = task.data().machine_program().filter(|_| self.sigma == 0.0)?;
        Some(OnProgram { net: self.clone(), program }.initial(0, 1, 1))
    }

    fn construction(&self, task: &Task) -> Option<((&'static str, Vec<usize>), u64)> {
        let on = OnProgram { net: self.clone(), program: task.data().machine_program()? };
        let sizes = on.sizes();
        // Noise is drawn number by number, which the number of the weights counts already.
        Some((("t", vec![sizes.width(), sizes.blocks()]), sizes.parameter_count().saturating_mul(4)))
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Machine(self.clone()))
    }

    fn has_weights(&self) -> bool {
        false
    }

    fn is_optimized(&self) -> bool {
        false
    }
}

impl ToPyTorch for MachineTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(machines::pytorch::transformer_part(self.mode()))
    }
}

/// The transformer for one program.
#[derive(Debug, Clone, PartialEq)]
pub struct OnProgram {
    /// Its settings.
    pub net: MachineTransformer,
    /// What it runs.
    pub program: Arc<MachineProgram>,
}

impl OnProgram {
    fn sizes(&self) -> ConstructionSizes {
        let machine = &self.program.machine;
        ConstructionSizes::new(machine.state_names().len(), machine.symbols().len(), self.program.bits)
    }

    fn is_noisy(&self) -> bool {
        self.net.sigma != 0.0
    }

    /// Numbers in double precision that a replica keeps of its past at the end.
    fn kept(&self) -> u64 {
        saturating_product([self.sizes().cached_numbers(self.is_noisy()), self.program.steps as u64])
    }
}

impl OnProgram {
    /// The steps that these inputs stand for, which are shares of T.
    fn wanted(&self, inputs: usize, x: &[f32]) -> Vec<usize> {
        let share = |x: &[f32]| f64::from(x.first().copied().unwrap_or(0.0)).clamp(0.0, 1.0);
        let step = |x: &[f32]| libm::round(share(x) * self.program.steps as f64) as usize;
        x.chunks(inputs.max(1)).map(step).collect()
    }

    /// The transformer with these weights after the last of these steps; none of a machine that cannot run.
    fn run_for(&self, weights: &[&[f32]], steps: &[usize]) -> Option<Transformer> {
        let (exact, own) = self.net.exact(&self.program).zip(weights.get(STEP + 1..))?;
        let mut transformer = self.net.begin(exact.with_tensors(own), &self.program)?;
        let last = steps.iter().copied().max().unwrap_or(0);
        while transformer.steps() < last && transformer.advance().is_some() {}
        Some(transformer)
    }
}

impl Architecture for OnProgram {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let mut all = vec![Parameter::new("step", [replicas, 1, 1])];
        let shapes = self.sizes().tensor_shapes().into_iter();
        all.extend(shapes.map(|shape| Parameter {
            name: shape.name,
            shape: [replicas, shape.rows, shape.columns.unwrap_or(1)],
        }));
        all
    }

    fn numbers(&self, _inputs: usize, replicas: usize) -> u64 {
        self.sizes().parameter_count().saturating_add(1).saturating_mul(replicas as u64)
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let Some(exact) = self.net.exact(&self.program) else {
            return self.parameters(inputs, replicas).iter().map(|one| vec![0.0; one.len()]).collect();
        };
        let mut all = vec![vec![0.0; replicas]];
        for replica in 0..replicas as u32 {
            let written = exact.clone().with_noise(self.net.sigma, seed, replica);
            for (at, tensor) in written.tensors().enumerate() {
                if all.len() < at + 2 {
                    all.push(vec![]);
                }
                all[at + 1].extend(tensor.values.iter().map(|value| *value as f32));
            }
        }
        all
    }

    fn step_flops(&self, _inputs: usize, _batch: usize) -> f64 {
        let MachineProgram { steps, input, .. } = &*self.program;
        (self.sizes().estimated_multiplications(*steps, input.len(), self.is_noisy())
            / (*steps as u64).max(1)) as f64
    }

    fn problems(&self, _inputs: usize, _batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let all = saturating_product([self.kept(), replicas as u64]);
        let expected = tr!(
            "fewer replicas, because the keys and values of all steps do not fit into a browser's memory"
        );
        (all > MOST_KEPT)
            .then(|| InvalidSetting::new("replicas", &replicas.to_string(), expected))
            .into_iter()
            .collect()
    }

    fn activations(&self, _inputs: usize) -> u64 {
        // In single precision, of a step.
        saturating_product([2, self.sizes().cached_numbers(self.is_noisy())])
    }

    fn decays(&self, _which: usize) -> bool {
        false
    }
}

impl Network for OnProgram {
    /// The cell of the head after each of these steps, which are shares of T, as the tokens of the transformer with these weights say.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let wanted = self.wanted(inputs, x);
        let Some(transformer) = self.run_for(weights, &wanted) else { return vec![0.0; wanted.len()] };
        let cell = |step: usize| match step {
            0 => transformer.initial_record().head as f32,
            made => transformer.tokens().get(made - 1).map_or(0.0, |token| token.head as f32),
        };
        wanted.into_iter().map(cell).collect()
    }

    /// The token of each of these steps before and after every block, and the attention of the blocks. Key 0 is the null slot.
    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        at: &inside::At<'_>,
        weights: &[&[f32]],
        inputs: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        if at.wants_nothing() {
            return Ok(vec![]);
        }
        let (sizes, wanted) = (self.sizes(), self.wanted(inputs, x));
        let (count, last) = (wanted.len(), wanted.iter().copied().max().unwrap_or(0));
        let given = self.program.input.len();
        if at.wants(inside::Kind::Activations) {
            inside::fits(saturating_product([count, sizes.blocks() + 1, sizes.width()]))?;
        }
        if at.wants(inside::Kind::Attention) {
            inside::fits(saturating_product([count, sizes.blocks(), last.max(given) + 1]))?;
        }
        let Some(transformer) = self.run_for(weights, &wanted) else { return Ok(vec![]) };
        let mut all = inside::Gathered::default();
        for step in wanted {
            let trace = transformer.recompute_step(step);
            let trace = trace.ok_or_else(|| format!("the transformer has no token for step {step}"))?;
            let blocks = &trace.blocks;
            if at.wants(inside::Kind::Activations) {
                let tokens =
                    std::iter::once(&trace.input_token).chain(blocks.iter().map(|block| &block.residual));
                let axes = [("layer", blocks.len() + 1), ("component", trace.input_token.len())];
                all.activations("activations", &axes, tokens.flatten().copied());
            }
            let own: Vec<&AttentionTrace> =
                blocks.iter().filter_map(|block| block.self_attention.as_ref()).collect();
            let input: Vec<&AttentionTrace> =
                blocks.iter().filter_map(|block| block.cross_attention.as_ref()).collect();
            for (name, looks, keys) in [("attention", own, last), ("attention.input", input, given)] {
                if at.wants(inside::Kind::Attention) && !looks.is_empty() {
                    // Tokens that come later than this one have no weight.
                    let later = |look: &AttentionTrace| vec![0.0; keys.saturating_sub(look.weights.len())];
                    let of = |look: &&AttentionTrace| {
                        [&[look.null_weight][..], &look.weights, &later(look)].concat()
                    };
                    let axes = [("head", looks.len()), ("key", keys + 1)];
                    all.attention(name, &axes, looks.iter().flat_map(of));
                }
            }
        }
        Ok(all.arrays())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;
    use crate::run::RunSpec;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/turing-machine?{link}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn parameters_hold_every_weight_of_every_replica() {
        for link in ["", "replicas=3&sigma=0.003&seed=5", "m=increment&t=14&replicas=2"] {
            let spec = spec(link);
            let (shapes, initial) = (spec.parameters(), spec.initialize_parameters());
            assert_eq!((shapes.len(), shapes[STEP].name.as_str()), (initial.len(), "step"));
            for (parameter, values) in shapes.iter().zip(&initial) {
                assert_eq!(parameter.len(), values.len(), "{}", parameter.name);
            }
            let program = spec.task.data().machine_program().unwrap();
            let Some(Family::Machine(net)) = spec.model.config().family() else { panic!("another family") };
            for replica in 0..spec.run.replicas {
                let expected =
                    net.exact(&program).unwrap().with_noise(net.sigma, spec.run.seed, replica as u32);
                let own: Vec<&[f32]> = initial[1..]
                    .iter()
                    .map(|values| {
                        &values[replica * values.len() / spec.run.replicas..]
                            [..values.len() / spec.run.replicas]
                    })
                    .collect();
                assert_eq!(net.exact(&program).unwrap().with_tensors(&own), expected);
            }
        }
        assert_eq!(spec("").parameters().iter().map(Parameter::numbers).sum::<u64>(), 69_630 + 1);
    }

    #[test]
    fn the_answer_is_the_cell_of_the_head() {
        let spec = spec("");
        let initial = spec.initialize_parameters();
        let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
        let run = spec.task.data().machine_program().unwrap().simulate().unwrap();
        let found = spec.network().evaluate(&weights, 1, &[1.0, 0.0, 5.0 / 107.0, 1e9, -1.0], 0);
        let head = |step: usize| run.records[step - 1].head as f32;
        assert_eq!(found, [head(107), 64.0, head(5), head(107), 64.0]);
    }

    /// Shares of attention sum to one, and the last layer's token is the machine's next moment.
    #[test]
    fn tokens_and_attention_of_every_block_are_arrays() {
        for link in ["", "choice=soft", "m=increment&t=14"] {
            let spec = spec(link);
            let (initial, program) =
                (spec.initialize_replicas(1), spec.task.data().machine_program().unwrap());
            let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
            let (steps, network) = (program.steps as f32, spec.network());
            let x = [1.0 / steps, 5.0 / steps, 9.0 / steps];
            let kinds = [inside::Kind::Activations, inside::Kind::Attention];
            let at = inside::At { seed: 0, step: 0, rate: 0.0, kinds: &kinds };
            let arrays = network.inside_at(&at, &weights, 1, &x).unwrap();
            let of = |name: &str| arrays.iter().find(|array| array.name == name).unwrap();
            let (attention, tokens) = (of("attention"), of("activations"));
            let (bits, width) = (program.bits as usize, tokens.shape[2]);
            assert_eq!(attention.shape, [3, bits + 2, 10]);
            assert_eq!(of("attention.input").shape, [3, 1, program.input.len() + 1]);
            assert_eq!(tokens.shape[..2], [3, bits + 5]);
            for shares in
                attention.values.chunks(10).chain([&of("attention.input").values[..program.input.len() + 1]])
            {
                assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{shares:?}");
            }
            assert!(attention.values[..10 * (bits + 2)].chunks(10).all(|shares| shares[2..] == [0.0; 8]));
            // The last token's cell, in binary.
            let exact = MachineTransformer::default().exact(&program).unwrap();
            let cell = exact.layout().group(machines::TokenGroup::Before);
            let heads = tokens.values.chunks(width * (bits + 5)).map(|token| {
                let last = &token[(bits + 4) * width..][cell.clone()];
                last.iter().fold(0.0, |number, bit| 2.0 * number + bit.round())
            });
            let heads: Vec<f32> = heads.collect();
            assert_eq!(heads, network.evaluate(&weights, 1, &x, 0), "{link}");
            // Step 0 attends to the null slot alone.
            let arrays = network.inside_at(&at, &weights, 1, &[0.0]).unwrap();
            let attention = arrays.iter().find(|array| array.name == "attention").unwrap();
            assert_eq!(attention.shape, [1, bits + 2, 1]);
            assert!(attention.values.iter().all(|share| *share == 1.0), "{attention:?}");
        }
    }

    #[test]
    fn what_is_too_large_is_stated_and_mended() {
        for (link, key) in [
            ("t=10000&replicas=200&sigma=0.001&m=counter", "replicas"),
            ("t=0", "t"),
            ("t=10001", "t"),
            ("sigma=-1", "sigma"),
            ("beta=nan&choice=soft", "beta"),
            ("model=mlp", "model"),
        ] {
            let (mended, notices) = decode(&format!("#v1/turing-machine?{link}"));
            assert!(notices.iter().any(|notice| notice.key == key), "{link}: {notices:?}");
            assert_eq!(mended.spec.invalid_settings(), [], "{link}");
        }
    }
}
