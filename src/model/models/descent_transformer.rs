//! A transformer whose layers are gradient descent on a network that travels in its tokens (Wu et al. 2024, section 3 and
//! appendix D): written down, not trained. What it computes is in [`vivarium_science::descent`]; here are its settings, and how the
//! state of a run is kept as parameters.
//!
//! # Why
//! A step of the run is 2N + 4 layers, which is one step of descent. Direct descent on the same network goes on beside it, in
//! double and in single precision, and what is measured needs its state too. So the parameters of a run are the four
//! parts of that state: weights in the tokens, those of direct descent, those in single precision, and the
//! bounds that have been measured. Numbers in double precision are kept as three in single precision each, so that a run that
//! is taken up again goes on with the same bits.

use std::borrow::Cow;

#[cfg(not(target_family = "wasm"))]
use super::inside;
use super::layout::{Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples, Task};
use vivarium_core::bounds;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::WU_2024;
#[cfg(not(target_family = "wasm"))]
use vivarium_science::descent::ConstructedTransformer;
use vivarium_science::descent::{
    self, Activation, ComparisonState, DescentPlan, DescentPrompts, MAX_HIDDEN_LAYERS, MAX_KNOTS,
    OutputActivation, ReluApproximation, join_f64,
};

settings! {
    /// The network in the tokens, and how its functions become sums of ReLUs.
    pub struct DescentTransformer {
        /// Number of neurons in each hidden layer of the network stored in the tokens; N is the number of hidden layers plus 1.
        hidden: Vec<usize> = vec![8, 8], "hidden", "Hidden layers", Range::Numbers(1, 64, MAX_HIDDEN_LAYERS);
        /// Activation of the hidden layers.
        activation: Activation = Activation::Relu, "act", "Activation", Range::Choice(Activation::OPTIONS);
        /// Whether the output layer is linear or, as in the paper, has the activation of the hidden layers.
        output: OutputActivation = OutputActivation::Linear, "out", "Output layer", Range::Choice(OutputActivation::OPTIONS);
        /// Number M of straight lines that approximate a smooth activation; the error of the approximation falls like 1/M².
        knots: usize = 32, "knots", "Number M of straight lines", Range::Int(1, MAX_KNOTS as u64);
        /// Bound R of the approximation: the straight lines cover the inputs of the activation from −R to R.
        reach: f64 = 4.0, "reach", "Range R of the straight lines", Range::Real(0.1, 100.0);
        /// Width δ of the band above 0: for an input between 0 and δ, the transformer computes a wrong slope of the ReLU.
        delta: f64 = 1e-4, "delta", "Band δ of the ReLU", Range::Real(1e-9, 10.0);
        /// Bound on the weights: each step ends with a projection of every weight onto the range from −B to B.
        limit: f64 = 10.0, "box", "Bound B on the weights", Range::Real(0.01, 1e6);
        /// Scale of the random initial weights; with 0, as in the paper, the weights of most networks never change.
        scale: f64 = 1.0, "w0", "Scale of the initial weights", Range::Real(0.0, 10.0);
    }
}

/// Place of the weights in the tokens among the parameters.
pub const IN_TOKENS: usize = 0;

impl DescentTransformer {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "descent-transformer",
        name: "Transformer that performs gradient descent",
        about: "A transformer with weights set by hand. Its 2N + 4 layers perform one step of gradient descent on a second network, which has N layers. The tokens store the weights of the second network.",
        sources: &[WU_2024],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
w   = tokens[:, 0] + tokens[:, 1] + tokens[:, 2]     in double precision
p_0 = x
p_j = r(V_j p_{j−1})                 j = 1 … N; r is the activation act
                                     with out=linear, r is the identity for j = N
f   = p_N",
        loss: "½ (f − y)², mean over the examples. The training loss is that of the weights in the tokens, the test loss that of direct descent.",
        letters: &[
            ["W", "weights of the network in the tokens"],
            ["N", "layers of this network: the length of `hidden`, plus 1"],
            [
                "V_j",
                "the next rows of w: a matrix with a row for each neuron of layer j and a column for each neuron of layer j − 1, row after row",
            ],
        ],
        all: &[
            Tensor::new(
                "tokens",
                ["W", "3"],
                ["weight", "part of the sum"],
                "weights in the tokens; a number in double precision is the sum of three numbers",
            ),
            Tensor::new(
                "direct",
                ["W", "3"],
                ["weight", "part of the sum"],
                "weights of direct gradient descent in double precision",
            ),
            Tensor::new(
                "single",
                ["1", "W"],
                ["", "weight"],
                "weights of direct gradient descent in single precision",
            ),
            Tensor::new(
                "measured",
                ["5", "3"],
                [
                    "step, numbers in the band δ, bounds of error, Lipschitz constant and recursion",
                    "part of the sum",
                ],
                "what has been measured so far",
            ),
        ],
    };

    /// The network in the tokens.
    pub fn network(&self, draw: &DescentPrompts) -> descent::DescentNetwork {
        descent::DescentNetwork {
            inputs: draw.inputs(),
            hidden: self.hidden.clone(),
            outputs: 1,
            activation: self.activation,
            output_activation: self.output,
        }
    }

    /// What is built for these examples with learning rate `rate`.
    pub fn plan(&self, draw: &DescentPrompts, rate: f64) -> DescentPlan {
        let DescentTransformer { delta, knots, reach, limit, .. } = *self;
        let approximation = ReluApproximation { delta, knots, range: reach };
        DescentPlan { network: self.network(draw), approximation, learning_rate: rate, weight_bound: limit }
    }

    /// Weights w(0) of a replica, in the box.
    pub fn start(&self, draw: &DescentPrompts, seed: u64, replica: u32) -> Vec<f64> {
        let w = self.network(draw).draw_weights(seed, replica, self.scale);
        descent::direct::project_to_box(self.limit, w)
    }
}

impl Bind for DescentTransformer {
    type Bound = OnExamples;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnExamples> {
        // No other task is suited; what is asked of one that is not has an answer.
        let draw = examples.data().descent_prompts().unwrap_or_default();
        Cow::Owned(OnExamples { net: self.clone(), draw })
    }
}

impl ModelConfig for DescentTransformer {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Fit]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Descent(self.clone()))
    }

    fn has_weights(&self) -> bool {
        false
    }

    fn construction(&self, task: &Task) -> Option<((&'static str, Vec<usize>), u64)> {
        let draw = task.data().descent_prompts()?;
        // The layers are written down head by head.
        let sizes = self.plan(&draw, 1.0).compute_sizes(draw.example_count());
        Some((("hidden", self.hidden.clone()), sizes.heads.saturating_mul(8)))
    }
}

impl ToPyTorch for DescentTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err("The weights of this transformer are set by hand, not trained.".into())
    }
}

/// The transformer for the examples of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct OnExamples {
    /// Its settings.
    pub net: DescentTransformer,
    /// What examples are drawn.
    pub draw: DescentPrompts,
}

impl OnExamples {
    /// What is built, at some learning rate: sizes do not depend on it.
    fn plan(&self) -> DescentPlan {
        self.net.plan(&self.draw, 1.0)
    }
}

impl Architecture for OnExamples {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        // Of a run that is yet to be refused, more than there is memory: 32 bits must not wrap.
        let weights = usize::try_from(self.plan().compute_sizes(self.draw.example_count()).weights)
            .unwrap_or(usize::MAX);
        let [tokens, direct, single, measured] = ComparisonState::NAMES;
        vec![
            Parameter::new(tokens, [replicas, weights, 3]),
            Parameter::new(direct, [replicas, weights, 3]),
            Parameter::new(single, [replicas, 1, weights]),
            Parameter::new(measured, [replicas, 5, 3]),
        ]
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, seed: u64, _inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let mut all: Vec<Vec<f32>> = vec![vec![]; ComparisonState::NAMES.len()];
        for replica in 0..replicas as u32 {
            let parts = ComparisonState::initial(&self.net.start(&self.draw, seed, replica)).to_tensors();
            all.iter_mut().zip(parts).for_each(|(all, part)| all.extend(part));
        }
        all
    }

    fn step_flops(&self, _inputs: usize, _batch: usize) -> f64 {
        self.plan().compute_sizes(self.draw.example_count()).operations as f64
    }

    fn problems(&self, _inputs: usize, _batch: usize, _replicas: usize) -> Vec<InvalidSetting> {
        self.plan().invalid_settings(self.draw.example_count(), self.draw.bound_magnitudes())
    }

    fn activations(&self, _inputs: usize) -> u64 {
        let sizes = self.plan().compute_sizes(self.draw.example_count());
        // Of the tokens, in double precision, an example's share; and the heads, with some numbers each.
        let tokens = bounds::saturating_product([2, sizes.token_dim]);
        tokens.saturating_add(bounds::saturating_product([8, sizes.heads]) / sizes.token_count.max(1))
    }

    fn decays(&self, _which: usize) -> bool {
        false
    }
}

impl Network for OnExamples {
    /// What the network of the tokens answers to inputs, `[examples]`.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let (network, w) = (self.net.network(&self.draw), in_tokens(weights));
        let answer = |x: &[f32]| {
            let x: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            network.compute_output(&w, &x)[0] as f32
        };
        x.chunks_exact(inputs).map(answer).collect()
    }

    /// The tokens before and after every layer of the next step, and the attention of its layers of attention. Each input is
    /// the query of a prompt with the examples of the run.
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
        let (plan, count) = (self.net.plan(&self.draw, at.rate), x.len() / inputs.max(1));
        let descent::TransformerSizes { token_dim: token, token_count: tokens, layers, heads, .. } =
            plan.compute_sizes(self.draw.example_count());
        let mut kept = vec![];
        if at.wants(inside::Kind::Activations) {
            kept = inside::kept(layers, bounds::saturating_product([count as u64, tokens, token]))?;
        }
        if at.wants(inside::Kind::Attention) {
            inside::fits(bounds::saturating_product([count as u64, heads, tokens, tokens]))?;
        }
        let (drawn, w) = (self.draw.draw_examples(at.seed, 0), in_tokens(weights));
        let mut all = inside::Gathered::default();
        for x in x.chunks_exact(inputs.max(1)) {
            let query: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            let prompt = drawn.clone().with_query(&query);
            let transformer = ConstructedTransformer::new(&plan, &prompt);
            let states = transformer.trace(transformer.tokens::<f64>(&prompt, &w));
            let tokens = prompt.token_count();
            if !kept.is_empty() {
                let states = kept.iter().filter_map(|layer| states.get(*layer as usize));
                let values = states.flat_map(|state| (0..tokens).flat_map(|i| state.token(i)));
                let axes = [("layer", kept.len()), ("token", tokens), ("component", token as usize)];
                all.activations("activations", &axes, values);
            }
            let attends = |layer: &&descent::DescentLayer| layer.kind() == descent::LayerKind::Attention;
            let wanted = transformer.layers().iter().enumerate().filter(|(_, layer)| attends(layer));
            for (number, layer) in wanted.filter(|_| at.wants(inside::Kind::Attention)) {
                let weights =
                    (0..layer.head_count()).filter_map(|head| layer.attention_weights(head, &states[number]));
                let axes = [("head", layer.head_count()), ("query", tokens), ("key", tokens)];
                all.attention(&inside::of_layer("attention", number), &axes, weights.flatten());
            }
        }
        let mut arrays = all.arrays();
        arrays.extend((!kept.is_empty()).then(|| inside::layers(&kept)));
        Ok(arrays)
    }
}

/// The weights w in the tokens, in double precision.
fn in_tokens(weights: &[&[f32]]) -> Vec<f64> {
    weights[IN_TOKENS].chunks_exact(3).map(|x| join_f64([x[0], x[1], x[2]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;

    #[test]
    fn parameters_hold_the_state_of_every_replica() {
        let spec = decode("#v1/in-context-regression?replicas=3&seed=5").0.spec;
        let (shapes, initial) = (spec.parameters(), spec.initialize_parameters());
        for (parameter, values) in shapes.iter().zip(&initial) {
            assert_eq!(parameter.len(), values.len(), "{}", parameter.name);
        }
        assert_eq!(shapes[0].shape, [3, 88, 3]);
        let draw = spec.task.data().descent_prompts().unwrap();
        let Some(Family::Descent(net)) = spec.model.config().family() else { panic!("another family") };
        for replica in 0..3 {
            let of = |which: usize| {
                let length = initial[which].len() / 3;
                &initial[which][replica * length..][..length]
            };
            let state = ComparisonState::from_tensors([of(0), of(1), of(2), of(3)]);
            assert_eq!(state, ComparisonState::initial(&net.start(&draw, 5, replica as u32)));
        }
    }

    #[test]
    fn the_answer_is_that_of_the_network_in_the_tokens() {
        let spec = decode("#v1/in-context-regression").0.spec;
        let initial = spec.initialize_parameters();
        let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
        let Some(Family::Descent(net)) = spec.model.config().family() else { panic!("another family") };
        let draw = spec.task.data().descent_prompts().unwrap();
        let w = net.start(&draw, 0, 0);
        let expected = net.network(&draw).compute_output(&w, &[0.5, 1.0])[0];
        let found = spec.network().evaluate(&weights, 2, &[0.5, 1.0], 0);
        assert!((f64::from(found[0]) - expected).abs() < 1e-6);
    }

    /// The output of the network in the query's token is the answer, a step moves the weights, and its scratch is 0 again.
    #[test]
    fn tokens_after_each_layer_are_those_of_a_step() {
        let spec = decode("#v1/in-context-regression?hidden=8&n=4").0.spec;
        let initial = spec.initialize_replicas(1);
        let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
        let (x, kinds) = ([0.5, 1.0, -0.25, 1.0], [inside::Kind::Activations, inside::Kind::Attention]);
        let at = inside::At { seed: 0, step: 0, rate: 0.1, kinds: &kinds };
        let network = spec.network();
        let arrays = network.inside_at(&at, &weights, 2, &x).unwrap();
        let of = |name: &str| arrays.iter().find(|array| array.name == name).unwrap();
        let draw = spec.task.data().descent_prompts().unwrap();
        let Some(Family::Descent(net)) = spec.model.config().family() else { panic!("another family") };
        let layout = descent::TokenLayout::new(&net.network(&draw));
        let (tokens, d) = (of("activations"), layout.len());
        assert_eq!(tokens.axes, ["example", "layer", "token", "component"]);
        // N = 2: eight layers, and the tokens before the first one.
        assert_eq!(tokens.shape, [2, 9, 5, d]);
        assert_eq!(of("layers").values, (0..9).map(|layer| layer as f32).collect::<Vec<_>>());
        let token = |e: usize, layer: usize, i: usize| &tokens.values[((e * 9 + layer) * 5 + i) * d..][..d];
        for (e, (x, f)) in x.chunks(2).zip(network.evaluate(&weights, 2, &x, 0)).enumerate() {
            assert_eq!(&token(e, 0, 4)[layout.block_range(descent::TokenBlock::Input)], x);
            let found = token(e, 2, 4)[layout.outputs(2).start];
            assert!((found - f).abs() < 1e-6, "{found} {f}");
            assert!(token(e, 8, 4)[layout.workspace()].iter().all(|z| z.abs() < 1e-6));
            let w = layout.block_range(descent::TokenBlock::Weights);
            assert_eq!(
                token(e, 7, 0)[w.clone()],
                token(e, 7, 4)[w.clone()],
                "all tokens have the same weights"
            );
            assert_ne!(token(e, 0, 0)[w.clone()], token(e, 8, 0)[w]);
        }
        let [first, slopes] = [1, 3].map(|layer| of(&format!("attention.layer{layer}")));
        assert_eq!((&first.shape[2..], &slopes.shape[2..]), (&[5, 5][..], &[5, 5][..]));
        // A token's neuron is the sum over heads and tokens of what it takes: r(z) has one ReLU, with c = 1.
        assert_eq!(first.shape[..2], [2, 8]);
        for (e, k) in (0..2).flat_map(|e| (0..8).map(move |k| (e, k))) {
            let row = &first.values[((e * 8 + k) * 5 + 4) * 5..][..5];
            let found = token(e, 1, 4)[layout.outputs(1).start + k];
            assert!((row.iter().sum::<f32>() - found).abs() < 1e-6, "{row:?} {found}");
        }
        assert!(arrays.iter().all(|array| array.shape.iter().product::<usize>() == array.values.len()));
        let none = inside::At { kinds: &[], ..at };
        assert_eq!(network.inside_at(&none, &weights, 2, &x), Ok(vec![]));
    }

    #[test]
    fn what_cannot_be_built_is_stated_and_mended() {
        for (link, key) in [
            ("hidden=64.64.64", "hidden"),
            ("hidden=64.64&act=tanh&knots=1024", "knots"),
            ("box=1e6&hidden=64.64.64.64.64", "hidden"),
            ("opt=adam", "opt"),
            ("mom=0.9", "mom"),
            ("warm=10", "warm"),
            ("cool=cosine", "cool"),
            ("loss=hinge", "loss"),
            ("batch=4", "batch"),
            ("model=mlp", "model"),
        ] {
            let (mended, notices) = decode(&format!("#v1/in-context-regression?{link}"));
            assert!(notices.iter().any(|notice| notice.key == key), "{link}: {notices:?}");
            assert_eq!(mended.spec.invalid_settings(), [], "{link}");
        }
    }

    /// Of 32 runs with 510 lines, the page's thread was held for 230 ms by sums that nobody had asked for.
    #[test]
    fn links_are_read_without_a_sum_of_lines_whatever_their_sweep() {
        let link = "act=sigmoid&knots=510&hidden=1.22.20.1.8&out=same";
        for rest in ["", "&sweep=w0:lin:0.7..8.5:32", "&sweep=seed:lin:1..1000:1000&lr=0", "&hidden=64.64.64"]
        {
            let before = descent::INTERPOLATION_RELUS.get();
            let (mended, _) = decode(&format!("#v1/in-context-regression?{link}{rest}"));
            assert_eq!(mended.spec.invalid_settings(), [], "{rest}");
            assert_eq!(descent::INTERPOLATION_RELUS.get(), before, "{rest}");
        }
    }
}
