//! One-layer transformer of Edelman 2024, appendix A.3.1, on many replicas at once: the block of minGPT (Karpathy
//! 2020), read at a token `[CLS]` behind the bits.
//!
//! ```text
//! X_i = E_{b_i} + P_i for i = 1..n,  X_CLS = E_CLS + P_CLS
//! a = Σ_h softmax(q_h · k_h(N₁X_j) / √size over j) v_h(N₁X_j),   q = W_Q N₁X_CLS + b_Q, likewise k and v
//! z = X_CLS + W_O a + b_O        f(x) = N₃(z + W_2 GeLU(W_1 N₂z + b_1) + b_2) · (h_1 − h_0)
//! ```
//!
//! N₁ to N₃ are layer norms with gains and shifts of their own. Every matrix and embedding begins normal with a
//! standard deviation of 0.02, positions included, biases and shifts at zero, gains at one. Two classes have an output
//! embedding each, h_0 and h_1; f is the difference of their outputs, and the cross-entropy of that difference is that
//! of both, so that two outputs and one are the same loss. They are not the same under Adam, which moves each of the
//! two as far as it would move a single one, and both are kept. Keys have no bias, since it would add the same to all
//! scores of a head.
//!
//! [`Dropout`] is where minGPT has it: of X in the tokens and in the residual stream, of the attention weights after the
//! softmax, and of both terms that are added to the stream, a W_O + b_O and the output of the MLP. The paper has 0.1 of each;
//! here it is 0 until it is set.
//!
//! # Why
//! A token is one of two vectors at each of n places, and layer norm acts on each by itself, so that keys and values
//! are needed for 2n + 1 vectors only, whatever the batch. With s_{i,b} the score of bit b at place i, the numerator
//! of a softmax over places is a sum of terms that know one bit each:
//!
//! ```text
//! Σ_i exp(s_{i,b_i}) v_{i,b_i} = Σ_i b_i exp(s_{i,1}) v_{i,1} + (1 − b_i) exp(s_{i,0}) v_{i,0}
//! ```
//!
//! So what all heads see is one product of the batch, as 2n + 1 numbers 0 and 1 a row, with a table, and no array of
//! batch × heads × places is ever made. Sums of positive numbers only lose nothing to rounding. Scores are
//! taken from the largest of a head, and none counts as more than 40 below it: a weight's square, which the gradient
//! of a quotient is divided by, is within single precision then. Heads that are sharper than that, and whose favourite is
//! not there, look at all places alike.

mod reference;
#[cfg(feature = "train")]
mod tensors;

use std::borrow::Cow;

use super::dropout::Dropout;
use super::family::{Family, ReadAtCls, ReadAtClsPlaces};
use super::initialisation::each;
use super::layout::{self, Tensor, Tensors};
use super::{Architecture, Bind, ModelConfig, Network, Parameter, Rows, exceeds_memory};
use crate::tasks::Examples;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2022, EDELMAN_2024_VARIABLES, KARPATHY_2020};
use vivarium_core::{choices, settings};

choices! {
    /// Whether there are layer norms.
    pub enum Norm {
        /// Before attention, before the MLP and before the output.
        Layer = "yes", "Layer norm";
        /// None anywhere.
        None = "no", "None";
    }
}

settings! {
    /// One block of attention and MLP with layer norm, read out at a token of its own.
    pub struct ClsTransformer {
        /// Number of components of a token's vector; each head gets an equal part of these components.
        embedding: usize = 64, "demb", "Embedding size", Range::Int(1, 512);
        /// Number of attention heads; the embedding size must be a multiple of this number.
        heads: usize = 16, "heads", "Heads", Range::Int(1, 64);
        /// Number of neurons in the MLP block.
        hidden: usize = 256, "dmlp", "MLP size", Range::Int(1, 2048), "neurons";
        /// Whether the inputs of attention, MLP and output layer are normalised; without layer norm, twice as many examples are needed.
        norm: Norm = Norm::Layer, "ln", "Layer norm", Range::Choice(Norm::OPTIONS);
        with dropout: Dropout;
    }
}

impl ClsTransformer {
    /// Whether dropout makes keys, values or attention weights of each example its own, so that no table has them.
    fn has_own_tokens(&self) -> bool {
        self.dropout.embedding > 0.0 || self.dropout.attention > 0.0
    }

    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "cls-transformer",
        name: "One-layer transformer",
        about: "One transformer block with layer norm, as in the program minGPT. The output is computed at the token [CLS]. From few examples, this network can find a few relevant bits among many bits.",
        sources: &[EDELMAN_2024_VARIABLES, EDELMAN_2022, KARPATHY_2020],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
X_i = tokens[0 if x_i = 1, else 1] + positions[i]       i = 0 … n − 1
X_n = tokens[2] + tokens[3]                             [CLS]
Y_i = N_0(X_i)
A_g = softmax over i of (Y_n query + biases[0])_g·(Y_i key)_g / √(demb / heads)     g = 0 … heads − 1
o_g = Σ_i A_g[i] (Y_i value + biases[1])_g              i = 0 … n
z   = X_n + [o_0, o_1, …] out + biases[2]
f   = N_2(z + GELU(N_1(z) w1 + b1) w2 + b2) (head[:, 1] − head[:, 0])",
        loss: layout::SIGNS,
        letters: &[
            [
                "N_i(z)",
                "(z − mean) / √(variance + 10⁻⁵) ∘ gains[i] + shifts[i] over the components; N_i(z) = z with `ln=no`",
            ],
            [
                "y_g",
                "the components g · demb / heads … (g + 1) · demb / heads − 1 of a vector y: those of head g",
            ],
            layout::GELU,
        ],
        all: &[
            layout::BIT_POSITIONS,
            Tensor::new(
                "tokens",
                ["4", "demb"],
                ["token 1, token 0, token [CLS], position of [CLS]", "component"],
                "token embeddings, and the position of [CLS]",
            ),
            Tensor::new(
                "gains",
                ["3", "demb"],
                ["layer norm before attention, MLP, output", "component"],
                "gains of the layer norms",
            ),
            Tensor::new(
                "shifts",
                ["3", "demb"],
                ["layer norm before attention, MLP, output", "component"],
                "shifts of the layer norms",
            ),
            Tensor::new(
                "query",
                ["demb", "demb"],
                ["component", "component of the queries, head after head"],
                "W_Q",
            ),
            Tensor::new(
                "key",
                ["demb", "demb"],
                ["component", "component of the keys"],
                "W_K, without a bias",
            ),
            Tensor::new("value", ["demb", "demb"], ["component", "component of the values"], "W_V"),
            Tensor::new(
                "out",
                ["demb", "demb"],
                ["component of the values, head after head", "component"],
                "W_O",
            ),
            Tensor::new(
                "biases",
                ["3", "demb"],
                ["bias of queries, values, W_O", "component"],
                "biases of the attention",
            ),
            layout::MLP[0],
            layout::MLP[1],
            layout::MLP[2],
            layout::MLP[3],
            Tensor::new(
                "head",
                ["demb", "2"],
                ["component", "class −1, +1"],
                "output embeddings of the two classes; f is the difference of their logits",
            ),
        ],
    };
}

/// Place of P, a row for each input, in [`Architecture::parameters`].
pub const POSITIONS: usize = 0;
/// Place of E_1, E_0, E_CLS and P_CLS, a row each.
pub const TOKENS: usize = 1;
/// Place of the gains of N₁, N₂ and N₃.
pub const GAINS: usize = 2;
/// Place of their shifts.
pub const SHIFTS: usize = 3;
/// Place of W_Q, the heads side by side.
pub const QUERY: usize = 4;
/// Place of W_K.
pub const KEY: usize = 5;
/// Place of W_V.
pub const VALUE: usize = 6;
/// Place of W_O, the heads one below the other.
pub const OUT: usize = 7;
/// Place of the biases of queries, values and W_O.
pub const BIASES: usize = 8;
/// Place of W_1.
pub const W1: usize = 9;
/// Place of b_1.
pub const B1: usize = 10;
/// Place of W_2.
pub const W2: usize = 11;
/// Place of b_2.
pub const B2: usize = 12;
/// Place of h_0 and h_1, a column each.
pub const HEAD: usize = 13;

/// Standard deviation of initial weights (minGPT).
const SIGMA: f32 = 0.02;
/// What is added to a variance before its root is taken (PyTorch's default).
const EPSILON: f64 = 1e-5;
/// How far below the largest of its head a score counts.
const DEPTH: f64 = 40.0;

impl Bind for ClsTransformer {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for ClsTransformer {
    fn family(&self) -> Option<Family> {
        let places = ReadAtClsPlaces {
            positions: POSITIONS,
            tokens: TOKENS,
            cls_rows: 2,
            norms: Some([GAINS, SHIFTS]),
            query: QUERY,
            key: KEY,
            value: VALUE,
            out: OUT,
            biases: Some(BIASES),
            mlp: [W1, B1, W2, B2],
            head: HEAD,
            classes: 2,
        };
        Some(Family::ReadAtCls(ReadAtCls {
            embedding: self.embedding,
            heads: self.heads,
            size: self.embedding / self.heads,
            hidden: self.hidden,
            norm: self.norm == Norm::Layer,
            depth: DEPTH as f32,
            dropout: self.dropout,
            places,
        }))
    }

    fn attends_from_cls(&self) -> bool {
        true
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for ClsTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let fixed = if self.norm == Norm::None { vec![GAINS, SHIFTS] } else { vec![] };
        Ok(ScriptPart {
            constant_parameters: fixed,
            ..ScriptPart::from_code(&[include_str!("pytorch/cls_transformer.py")])
        })
    }
}

impl Architecture for ClsTransformer {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        let (embedding, hidden) = (self.embedding, self.hidden);
        let shapes = [
            ("positions", inputs, embedding),
            ("tokens", 4, embedding),
            ("gains", 3, embedding),
            ("shifts", 3, embedding),
            ("query", embedding, embedding),
            ("key", embedding, embedding),
            ("value", embedding, embedding),
            ("out", embedding, embedding),
            ("biases", 3, embedding),
            ("w1", embedding, hidden),
            ("b1", 1, hidden),
            ("w2", hidden, embedding),
            ("b2", 1, embedding),
            ("head", embedding, 2),
        ];
        shapes.map(|(name, rows, columns)| Parameter::new(name, [replicas, rows, columns])).to_vec()
    }

    fn rows(&self) -> Rows {
        Rows::POSITIONS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let draw = |(which, parameter): (usize, &Parameter)| match which {
            GAINS => vec![1.0; parameter.len()],
            SHIFTS | BIASES | B1 | B2 => vec![0.0; parameter.len()],
            _ => each(seed, parameter, |stream, i| SIGMA * stream.draw_normal(which as u64, i)),
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        let (embedding, tokens) = (self.embedding as f64, 2.0 * inputs as f64 + 1.0);
        let across = embedding + self.heads as f64;
        let example = tokens * across + embedding * (embedding + 2.0 * self.hidden as f64);
        // Tokens of its own have keys and values of their own; with attention alone values are weighted one by one.
        let dropped = (inputs + 1) as f64 * embedding;
        let dropped = match (self.dropout.embedding > 0.0, self.dropout.attention > 0.0) {
            (true, _) => dropped * (2.0 * embedding + 2.0),
            (false, true) => dropped,
            (false, false) => 0.0,
        };
        6.0 * (tokens * embedding * across + batch as f64 * (example + dropped))
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let mut problems: Vec<InvalidSetting> =
            exceeds_memory(self.activations(inputs), batch, replicas).into_iter().collect();
        if !self.embedding.is_multiple_of(self.heads) {
            // Either of the two mends it.
            let (heads, embedding) = (self.heads.to_string(), self.embedding.to_string());
            problems.push(InvalidSetting::new(
                "heads",
                &heads,
                tr!("a divisor of the embedding size {embedding}", embedding),
            ));
            problems.push(InvalidSetting::new(
                "demb",
                &embedding,
                tr!("a multiple of the number of heads, {heads}", heads),
            ));
        }
        problems
    }

    fn activations(&self, inputs: usize) -> u64 {
        let dropped = if self.has_own_tokens() { (inputs + 1) * self.embedding } else { 0 };
        (2 * inputs + 1).max(self.embedding + self.heads).max(self.hidden).max(dropped) as u64
    }

    /// As in minGPT: matrices alone, and not embeddings, biases, gains and shifts.
    fn decays(&self, which: usize) -> bool {
        matches!(which, QUERY | KEY | VALUE | OUT | W1 | W2 | HEAD)
    }
}

impl Network for ClsTransformer {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights, inputs);
        x.chunks_exact(inputs).map(|x| plain.output(x) as f32).collect()
    }

    fn attention(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Option<Vec<Vec<f32>>> {
        let (tokens, looks) = (inputs + 1, self.looks(weights, inputs, x)?);
        let examples = (x.len() / inputs).max(1) as f32;
        let mut means = vec![vec![0.0; tokens]; self.heads];
        for (at, shares) in looks.chunks_exact(tokens).enumerate() {
            let mean = &mut means[at % self.heads];
            mean.iter_mut().zip(shares).for_each(|(mean, share)| *mean += share / examples);
        }
        Some(means)
    }

    fn looks(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Option<Vec<f32>> {
        let plain = self.plain(weights, inputs);
        let of = |x: &[f32]| (0..self.heads).flat_map(|head| plain.shares(head, x)).collect::<Vec<_>>();
        Some(x.chunks_exact(inputs).flat_map(of).map(|share| share as f32).collect())
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let (mut all, plain) = (super::inside::Gathered::default(), self.plain(weights, inputs));
        for x in x.chunks_exact(inputs) {
            all.activations("activations", &[("neuron", self.hidden)], plain.walk(x).1);
            let shares = (0..self.heads).flat_map(|head| plain.shares(head, x));
            all.attention("attention", &[("head", self.heads), ("key", inputs + 1)], shares);
        }
        all.arrays()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_begin_as_in_min_gpt() {
        let net = ClsTransformer { embedding: 60, heads: 5, hidden: 90, ..Default::default() };
        for (which, values) in net.initial(2, 40, 2).iter().enumerate() {
            let square = values.iter().map(|v| f64::from(v * v)).sum::<f64>() / values.len() as f64;
            match which {
                GAINS => assert!(values.iter().all(|v| *v == 1.0)),
                SHIFTS | BIASES | B1 | B2 => assert!(values.iter().all(|v| *v == 0.0)),
                _ => assert!((libm::sqrt(square) / 0.02 - 1.0).abs() < 0.12, "{which}: {square}"),
            }
        }
        // About 10⁵ parameters at the paper's sizes.
        let all: usize = ClsTransformer::default().parameters(800, 1).iter().map(Parameter::len).sum();
        assert!((90_000..110_000).contains(&all), "{all}");
    }

    #[test]
    fn heads_divide_the_embedding() {
        let problems = |heads: usize| ClsTransformer { heads, ..Default::default() }.problems(100, 100, 1);
        assert_eq!(problems(5)[0].key, "heads");
        assert!(problems(1).is_empty() && problems(64).is_empty());
    }
}
