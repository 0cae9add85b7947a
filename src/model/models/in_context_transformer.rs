//! Small decoders on prompts of points: each label is predicted from the points before it (Garg et al. 2022; Wu et al.
//! 2024, appendix G), on many replicas at once.
//!
//! ```text
//! tokens of point j     question (x_j, 0), then answer (0, y_j), interleaved, or (x_j, y_j), joint
//! h = t R + P           t the tokens, R the read-in, P a row for each place, if there are positions
//! h ← h + A(norm(h))    A: heads side by side, times W_O
//! h ← h + M(norm(h))    M(n) = σ(n W_in) W_out
//! ŷ_j = norm(h) u       at the question of point j
//! ```
//!
//! A token looks at itself and at those before it. Head by head, with scores s_ij = q_i·k_j / √d_h, it gives
//!
//! ```text
//! softmax   Σ_{j ≤ i} softmax_j(s_ij) v_j
//! relu      Σ_{j ≤ i} max(0, s_ij) v_j / (i + 1)          i from 0
//! rms       norm(h) = g · h / √(mean(h²) + ε)
//! layer     norm(h) = g · (h − mean(h)) / √(variance(h) + ε)
//! ```
//!
//! with ε = 1e-5 and gains g of each norm's own. There is no bias anywhere. The question is asked before the answer is
//! there, so ŷ_1 is a guess without examples, and of p points the last answer is never read: p points are 2p − 1 tokens.
//!
//! # Why
//! With interleaved tokens the label y_j stands in another token than x_j, so that one layer has to bring both together
//! before another can compare x_j with the question's x. A joint answer holds both, and its own question, which has the
//! same x_j and no label, is what keeps the prediction honest.
//!
//! Matrices begin with variance 1/rows; those that add to h, W_O and W_out, are divided by √(2 · layers), as GPT-2
//! does.
//!
//! These formulas in PyTorch with these initial weights, on random networks of three layers (d = 1 and a constant, 17
//! points, width 32, 2 heads, Adam at 0.002 with warm-up and decay, 4,000 steps of 64 prompts), one seed, R² on 2,048
//! held-out prompts:
//!
//! ```text
//!                         last point   after 10 examples
//! 1 layer, interleaved    0.54         0.38
//! 1 layer, joint          0.96         0.92
//! 2 layers, interleaved   0.95         0.92
//! ```
//!
//! So most of what a second layer adds to interleaved tokens is that it can bring x and y together. 2026-11-23.
//!
//! [`mod@reference`] has these formulas in double precision, [`backward`](Plain::gradients) their gradients.

mod backward;
pub mod reference;
#[cfg(test)]
mod tests;

use super::attend::Attend;
pub use super::norm::NORM_EPSILON;
pub use reference::{Head, Look, Plain};

#[cfg(feature = "train")]
mod tensors;

use std::borrow::Cow;

use super::initialisation::each;
use super::layout::{Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows, exceeds_memory};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{GARG_2022, VASWANI_2017, WU_2024};
use vivarium_core::{bounds, choices, settings};
use vivarium_science::functions::FunctionPrompts;

choices! {
    /// What the answer's token holds besides the label.
    pub enum Format {
        /// Nothing: x and y come one after the other.
        Interleaved = "interleaved", "Interleaved: a token with x, then a token with y";
        /// The point's x once more.
        Joint = "joint", "Joint: a token with x, then a token with x and y";
    }
}

choices! {
    /// What stands before each attention, each MLP and the read-out.
    pub enum Norm {
        /// Division by the root of the mean square.
        Rms = "rms", "RMSNorm";
        /// The same after the mean is taken off.
        Layer = "layer", "LayerNorm";
    }
}

choices! {
    /// Non-linearity σ of the MLP.
    pub enum Unit {
        /// max(0, z).
        Relu = "relu", "ReLU";
        /// GPT-2's form of GELU, with a hyperbolic tangent.
        Gelu = "gelu", "GELU";
    }
}

choices! {
    /// How tokens know their places.
    pub enum Positions {
        /// A vector for each place.
        Learned = "learned", "Learned vectors";
        /// Not at all, but for what comes before what.
        None = "none", "None";
    }
}

settings! {
    /// A decoder that reads points of a function and predicts the label of the next one.
    pub struct InContextTransformer {
        /// Number of layers; each layer consists of attention and an MLP.
        blocks: usize = 2, "blocks", "Layers", Range::Int(1, 4);
        /// Number of components of a token's vector; each head of a layer gets an equal part of these components.
        width: usize = 32, "width", "Width d", Range::Int(2, 256);
        /// Number of heads in each layer.
        heads: usize = 2, "heads", "Heads", Range::Int(1, 8);
        /// Number of hidden units of each MLP.
        hidden: usize = 64, "dmlp", "MLP size", Range::Int(1, 1024), "neurons";
        /// Whether the token of a label y also contains the x of the same point; interleaved tokens contain either x or y.
        format: Format = Format::Interleaved, "format", "Tokens", Range::Choice(Format::OPTIONS);
        /// How scores become attention weights: softmax, or ReLU divided by the number of tokens as in the paper's theory.
        attend: Attend = Attend::Softmax, "attend", "Attention", Range::Choice(Attend::OPTIONS);
        /// Kind of normalisation before each attention, each MLP and the read-out.
        norm: Norm = Norm::Rms, "norm", "Normalisation", Range::Choice(Norm::OPTIONS);
        /// Non-linearity of the MLP.
        unit: Unit = Unit::Relu, "act", "Activation σ", Range::Choice(Unit::OPTIONS);
        /// Whether a learned vector for each position is added to the tokens.
        positions: Positions = Positions::Learned, "pos", "Positions", Range::Choice(Positions::OPTIONS);
    }
}

impl InContextTransformer {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "in-context-transformer",
        name: "In-context transformer",
        about: "A decoder of one to four layers that reads examples of a function and predicts the next label.",
        sources: &[WU_2024, GARG_2022, VASWANI_2017],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
token 2 j     = (x_j, 0)                                j = 0 … points − 1
token 2 j + 1 = (0, y_j) with format=interleaved, (x_j, y_j) with format=joint
h_i = (token i) read_in (+ positions[i] with pos=learned)
for each layer l = 1 … blocks:
  r_i  = norm(h_i) ∘ gain_attention{l}
  s_ij = (r_i query{l}_g)·(r_j key{l}_g) / √(width / heads)       j ≤ i, g = 0 … heads − 1
  A_ij = softmax over j of s_ij (attend=softmax), or max(0, s_ij) / (i + 1) (attend=relu)
  h_i ← h_i + [Σ_j A_ij r_j value{l}_g for each head g] out{l}
  h_i ← h_i + σ((norm(h_i) ∘ gain_mlp{l}) mlp_in{l}) mlp_out{l}
f_j = (norm(h_{2j}) ∘ gain) readout",
        loss: "(f_j − y_j)², mean over the points of all prompts; the metrics divide this mean by the variance of a label, and the test loss is the mean over the last point alone.",
        letters: &[
            ["I", "numbers in an input: `dim`, plus 1 with `const=yes`"],
            ["Q", "points of the longest prompt: the larger one of `points` and `long`"],
            ["M_g", "the columns g · width / heads … (g + 1) · width / heads − 1 of M: those of head g"],
            [
                "norm(h)",
                "h / √(mean of h² + 10⁻⁵) with `norm=rms`, (h − mean) / √(variance + 10⁻⁵) with `norm=layer`",
            ],
            ["σ(z)", "max(0, z) with `act=relu`, z (1 + tanh(√(2/π) (z + 0.044715 z³))) / 2 with `act=gelu`"],
        ],
        all: &[
            Tensor::new(
                "read_in",
                ["I + 1", "width"],
                ["number of a token: input, then label", "component"],
                "read-in matrix",
            ),
            Tensor::new(
                "positions",
                ["2 · Q", "width"],
                ["place of a token", "component"],
                "positional embeddings",
            )
            .only("pos=learned"),
            Tensor::new(
                "gain_attention{l}",
                ["1", "width"],
                ["", "component"],
                "gains of the norm before the attention",
            ),
            Tensor::new(
                "query{l}",
                ["width", "width"],
                ["component", "component of the queries, head after head"],
                "W_Q",
            ),
            Tensor::new("key{l}", ["width", "width"], ["component", "component of the keys"], "W_K"),
            Tensor::new("value{l}", ["width", "width"], ["component", "component of the values"], "W_V"),
            Tensor::new(
                "out{l}",
                ["width", "width"],
                ["component of the values, head after head", "component"],
                "W_O",
            ),
            Tensor::new("gain_mlp{l}", ["1", "width"], ["", "component"], "gains of the norm before the MLP"),
            Tensor::new("mlp_in{l}", ["width", "dmlp"], ["component", "neuron"], "first layer of the MLP"),
            Tensor::new("mlp_out{l}", ["dmlp", "width"], ["neuron", "component"], "second layer of the MLP"),
            Tensor::new("gain", ["1", "width"], ["", "component"], "gains of the norm before the read-out"),
            Tensor::new("readout", ["width", "1"], ["component", ""], "weights of the output"),
        ],
    };
}

/// Standard deviation of the initial read-in and positions.
pub const DEVIATION: f32 = 0.1;

/// Places of a layer's parameters in [`Architecture::parameters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerPlaces {
    /// Gains of the norm before attention, `[1, width]`.
    pub gain_attention: usize,
    /// W_Q, `[width, width]`, the heads side by side.
    pub query: usize,
    /// W_K, `[width, width]`.
    pub key: usize,
    /// W_V, `[width, width]`.
    pub value: usize,
    /// W_O, `[width, width]`, the heads one below the other.
    pub out: usize,
    /// Gains of the norm before the MLP, `[1, width]`.
    pub gain_mlp: usize,
    /// W_in, `[width, hidden]`.
    pub mlp_in: usize,
    /// W_out, `[hidden, width]`.
    pub mlp_out: usize,
}

/// Places of all parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Places {
    /// R, `[inputs + 1, width]`.
    pub read_in: usize,
    /// P, `[2 · longest, width]`.
    pub positions: Option<usize>,
    /// Layer by layer.
    pub layers: Vec<LayerPlaces>,
    /// Gains of the norm before the read-out, `[1, width]`.
    pub gain: usize,
    /// u, `[width, 1]`.
    pub readout: usize,
}

/// What an initial parameter is drawn from.
enum Law {
    /// All are one.
    Ones,
    /// Normal, with this standard deviation.
    Normal(f32),
}

impl InContextTransformer {
    /// Where each parameter stands.
    pub fn places(&self) -> Places {
        let mut count = 1;
        let mut next = || {
            count += 1;
            count - 1
        };
        let positions = (self.positions == Positions::Learned).then(&mut next);
        let layer = |_| LayerPlaces {
            gain_attention: next(),
            query: next(),
            key: next(),
            value: next(),
            out: next(),
            gain_mlp: next(),
            mlp_in: next(),
            mlp_out: next(),
        };
        let layers = (0..self.blocks).map(layer).collect();
        Places { read_in: 0, positions, layers, gain: next(), readout: next() }
    }

    /// Numbers in the queries, keys and values of a head.
    pub fn head_width(&self) -> usize {
        self.width / self.heads.max(1)
    }

    /// Name, rows and columns of each parameter, and its law.
    fn parts(&self, prompts: &FunctionPrompts) -> Vec<(String, [usize; 2], Law)> {
        let (d, hidden) = (self.width, self.hidden);
        let by_rows = |rows: usize| Law::Normal(1.0 / (rows as f32).sqrt());
        let added = 1.0 / (2.0 * self.blocks as f32).sqrt();
        let by_layers = |rows: usize| Law::Normal(added / (rows as f32).sqrt());
        let mut parts = vec![("read_in".to_string(), [prompts.inputs() + 1, d], Law::Normal(DEVIATION))];
        if self.positions == Positions::Learned {
            parts.push(("positions".into(), [2 * prompts.max_points(), d], Law::Normal(DEVIATION)));
        }
        for layer in 1..=self.blocks {
            let layers = [
                ("gain_attention", [1, d], Law::Ones),
                ("query", [d, d], by_rows(d)),
                ("key", [d, d], by_rows(d)),
                ("value", [d, d], by_rows(d)),
                ("out", [d, d], by_layers(d)),
                ("gain_mlp", [1, d], Law::Ones),
                ("mlp_in", [d, hidden], by_rows(d)),
                ("mlp_out", [hidden, d], by_layers(hidden)),
            ];
            parts.extend(layers.map(|(name, shape, law)| (format!("{name}{layer}"), shape, law)));
        }
        parts.push(("gain".into(), [1, d], Law::Ones));
        parts.push(("readout".into(), [d, 1], by_rows(d)));
        parts
    }
}

impl Bind for InContextTransformer {
    type Bound = OnPoints;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnPoints> {
        Cow::Owned(OnPoints { net: self.clone(), prompts: prompts_of(examples) })
    }
}

/// The prompts of a task on which such networks are, or of another task any.
pub fn prompts_of(examples: &dyn Examples) -> FunctionPrompts {
    examples.data().function_prompts().unwrap_or_default()
}

impl ModelConfig for InContextTransformer {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Points]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::InContext(self.clone()))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for InContextTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let settings = vec![("std_in", vivarium_core::settings::format_real(DEVIATION.into()))];
        Ok(ScriptPart {
            settings,
            ..ScriptPart::from_code(&[include_str!("pytorch/in_context_transformer.py")])
        })
    }
}

/// The network on the prompts of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct OnPoints {
    /// Its settings.
    pub net: InContextTransformer,
    /// What prompts it is on.
    pub prompts: FunctionPrompts,
}

impl OnPoints {
    /// Numbers in a token: the inputs and a label.
    pub fn token(&self) -> usize {
        self.prompts.inputs() + 1
    }
}

impl Architecture for OnPoints {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let parts = self.net.parts(&self.prompts).into_iter();
        parts.map(|(name, [rows, columns], _)| Parameter::new(&name, [replicas, rows, columns])).collect()
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, seed: u64, _inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let draw = |(which, (name, [rows, columns], law)): (usize, (String, [usize; 2], Law))| {
            let parameter = Parameter::new(&name, [replicas, rows, columns]);
            match law {
                Law::Ones => vec![1.0; parameter.len()],
                Law::Normal(deviation) => {
                    each(seed, &parameter, |stream, i| deviation * stream.draw_normal(which as u64, i))
                }
            }
        };
        self.net.parts(&self.prompts).into_iter().enumerate().map(draw).collect()
    }

    fn decays(&self, which: usize) -> bool {
        // Linear layers alone, as GPT-2 has it: neither gains nor vectors of tokens and places.
        let places = self.net.places();
        let linear = |at: &LayerPlaces| ![at.gain_attention, at.gain_mlp].contains(&which);
        let first = places.layers.first().map_or(0, |at| at.gain_attention);
        which >= first && which != places.gain && places.layers.iter().all(linear)
    }

    fn step_flops(&self, _inputs: usize, batch: usize) -> f64 {
        let [d, hidden, token] = [self.net.width, self.net.hidden, self.token()].map(|size| size as f64);
        let tokens = 2.0 * self.prompts.points as f64;
        // Scores and means have half of all pairs of tokens.
        let layer = tokens * (4.0 * d * d + 2.0 * d * hidden) + tokens * tokens * d;
        let ends = tokens * d * (token + 0.5);
        6.0 * batch as f64 * (self.net.blocks as f64 * layer + ends)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let InContextTransformer { width, heads, .. } = self.net;
        let mut problems = vec![];
        if heads == 0 || !width.is_multiple_of(heads) {
            let expected = tr!(
                "a divisor of d = {width}, since the d components are divided equally among the heads",
                width
            );
            problems.push(InvalidSetting::new("heads", &heads.to_string(), expected));
        }
        problems.extend(exceeds_memory(self.activations(inputs), batch, replicas));
        problems
    }

    fn activations(&self, _inputs: usize) -> u64 {
        let tokens = bounds::saturating_product([2, self.prompts.points]);
        let pairs = bounds::saturating_product([tokens, tokens, self.net.heads as u64]);
        pairs.max(bounds::saturating_product([tokens, self.net.width.max(self.net.hidden) as u64]))
    }
}

impl Network for OnPoints {
    /// Predictions for prompts, `[prompts, points]`.
    fn evaluate(&self, weights: &[&[f32]], _inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights);
        x.chunks_exact(self.prompts.row_len()).flat_map(|row| plain.outputs(row)).map(|y| y as f32).collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], _inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let (mut all, plain) = (super::inside::Gathered::default(), self.plain(weights));
        for row in x.chunks_exact(self.prompts.row_len()) {
            for (layer, pass) in plain.walk(row).layers.into_iter().enumerate() {
                let t = pass.hidden.len() / self.net.hidden.max(1);
                let axes = [("head", pass.heads.len()), ("query", t), ("key", t)];
                let weights = pass.heads.into_iter().flat_map(|head| head.weights);
                all.attention(&super::inside::of_layer("attention", layer), &axes, weights);
                let axes = [("position", t), ("neuron", self.net.hidden)];
                all.activations(&super::inside::of_layer("activations", layer), &axes, pass.hidden);
            }
        }
        all.arrays()
    }
}
