//! Parity Transformer of Edelman 2024, section 5.3, setting (*iii), and appendix B.4.1, on many replicas at once:
//! one attention block, of which only the output at the token `[CLS]` is computed, and one MLP block.
//!
//! ```text
//! X_i = E_{x_i} + P_i for i = 1..n,  X_CLS = E_CLS
//! z = X_CLS + Σ_h softmax(X_CLS W_Q (X W_K)ᵀ / √d_attn) X W_V W_out    each W of head h
//! f(x) = uᵀ(z + W_2 GeLU(W_1 z + b_1) + b_2)
//! ```
//!
//! The thesis prints the attention without the factor X before W_V, and x for z in the MLP. There is no layer
//! norm, no dropout and no position of `[CLS]`. Every matrix begins uniform on ±√(6/(rows + columns)) (Glorot and
//! Bengio 2010), a head's by its own shape and the three tokens as one matrix; biases begin at zero.
//!
//! # Why
//! The query is the same for every input, and a bit of x changes a token by one fixed vector: with the halves
//! m = (E_{+1} + E_{−1})/2 and d = (E_{+1} − E_{−1})/2, X_i = P_i + m + x_i d. So keys and values are needed once per
//! step for the n + 2 vectors P_i + m, E_CLS and d instead of once for every token of every example, and an
//! example's scores and weighted sums follow from them exactly, since both are linear in X.
//! The positions are the first parameter, so that charts of a first layer, which has one row for each input, show
//! them.
//!
//! On the processor its loop is that of the family [`ReadAtCls`]; on GPUs it goes through autodiff.

pub(super) mod reference;

pub use reference::average;

use std::borrow::Cow;

use super::dropout::Dropout;
use super::family::{Family, ReadAtCls, ReadAtClsPlaces};
use super::initialisation::each;
use super::layout::{self, Tensor, Tensors};
use super::{Architecture, Bind, ModelConfig, Network, Parameter, Rows, exceeds_memory};
use crate::tasks::Examples;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2024, VASWANI_2017};

settings! {
    /// One block of attention and MLP, read out at a token of its own.
    pub struct ParityTransformer {
        /// Number of components of a token's vector.
        embedding: usize = 32, "demb", "Embedding size", Range::Int(1, 1024);
        /// Number of components of each query, key and value of a head.
        attention: usize = 8, "dattn", "Size of a head", Range::Int(1, 64);
        /// Number of attention heads; each head has its own query, key and value matrices.
        heads: usize = 4, "heads", "Heads", Range::Int(1, 128);
        /// Number of neurons in the MLP block.
        hidden: usize = 64, "dmlp", "MLP size", Range::Int(1, 4096), "neurons";
    }
}

impl ParityTransformer {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "parity-transformer",
        name: "Parity Transformer",
        about: "One attention layer and an MLP. After training, the attention weights show which bits are relevant. Use Adam as the optimizer.",
        sources: &[EDELMAN_2024, VASWANI_2017],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
X_i = tokens[0 if x_i = 1, else 1] + positions[i]       i = 0 … n − 1
X_n = tokens[2]                                         [CLS]
A_g = softmax over i of (X_n query_g)·(X_i key_g) / √dattn      g = 0 … heads − 1
o_g = Σ_i A_g[i] X_i value_g                            i = 0 … n
z   = X_n + [o_0, o_1, …] out
f   = (z + GELU(z w1 + b1) w2 + b2) u",
        loss: layout::SIGNS,
        letters: &[layout::COLUMNS_OF_HEAD, layout::GELU],
        all: &[
            layout::BIT_POSITIONS,
            Tensor::new("tokens", ["3", "demb"], ["token +1, −1, [CLS]", "component"], "token embeddings"),
            layout::HEADS[0],
            layout::HEADS[1],
            layout::HEADS[2],
            layout::HEADS[3],
            layout::MLP[0],
            layout::MLP[1],
            layout::MLP[2],
            layout::MLP[3],
            Tensor::new("u", ["demb", "1"], ["component", ""], "weights of the output"),
        ],
    };
}

/// Place of P, a row for each input, in [`Architecture::parameters`].
pub const POSITIONS: usize = 0;
/// Place of E_{+1}, E_{−1} and E_CLS, a row each.
pub const TOKENS: usize = 1;
/// Place of W_Q, the heads side by side.
pub const QUERY: usize = 2;
/// Place of W_K.
pub const KEY: usize = 3;
/// Place of W_V.
pub const VALUE: usize = 4;
/// Place of W_out, the heads one below the other.
pub const OUT: usize = 5;
/// Place of W_1.
pub const W1: usize = 6;
/// Place of b_1.
pub const B1: usize = 7;
/// Place of W_2.
pub const W2: usize = 8;
/// Place of b_2.
pub const B2: usize = 9;
/// Place of u.
pub const U: usize = 10;

impl Bind for ParityTransformer {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

/// How far below the largest of its head a score counts in the loop on the processor, which weighs tokens once for all
/// examples: single precision has e^−80 and its reciprocal. Only if a bit moves a score by more than 80, so that an example
/// has no token near the largest, are its shares other ones than those of the softmax.
const DEPTH: f32 = 80.0;

impl ModelConfig for ParityTransformer {
    fn family(&self) -> Option<Family> {
        let places = ReadAtClsPlaces {
            positions: POSITIONS,
            tokens: TOKENS,
            cls_rows: 1,
            norms: None,
            query: QUERY,
            key: KEY,
            value: VALUE,
            out: OUT,
            biases: None,
            mlp: [W1, B1, W2, B2],
            head: U,
            classes: 1,
        };
        Some(Family::ReadAtCls(ReadAtCls {
            embedding: self.embedding,
            heads: self.heads,
            size: self.attention,
            hidden: self.hidden,
            norm: false,
            depth: DEPTH,
            dropout: Dropout::default(),
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

impl ToPyTorch for ParityTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/parity_transformer.py")]))
    }
}

impl Architecture for ParityTransformer {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        let (embedding, hidden, across) = (self.embedding, self.hidden, self.heads * self.attention);
        let shapes = [
            ("positions", inputs, embedding),
            ("tokens", 3, embedding),
            ("query", embedding, across),
            ("key", embedding, across),
            ("value", embedding, across),
            ("out", across, embedding),
            ("w1", embedding, hidden),
            ("b1", 1, hidden),
            ("w2", hidden, embedding),
            ("b2", 1, embedding),
            ("u", embedding, 1),
        ];
        shapes.map(|(name, rows, columns)| Parameter::new(name, [replicas, rows, columns])).to_vec()
    }

    fn rows(&self) -> Rows {
        Rows::POSITIONS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let draw = |(which, parameter): (usize, &Parameter)| {
            let [_, rows, columns] = parameter.shape;
            let fans = match which {
                B1 | B2 => return vec![0.0; parameter.len()],
                QUERY | KEY | VALUE | OUT => self.embedding + self.attention,
                _ => rows + columns,
            };
            let bound = (6.0 / fans as f32).sqrt();
            each(seed, parameter, |stream, i| bound * (2.0 * stream.draw_uniform(which as u64, i) - 1.0))
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        let (heads, attention, d) = (self.heads as f64, self.attention as f64, self.embedding as f64);
        let (across, tokens) = (heads * attention, inputs as f64 + 2.0);
        let tables = 3.0 * tokens * d * across;
        let mlp = 2.0 * d * self.hidden as f64;
        let example = heads * tokens * (attention + 4.0) + across * d + mlp;
        6.0 * (tables + batch as f64 * example)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        exceeds_memory(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, inputs: usize) -> u64 {
        let scores = self.heads * (inputs + 2);
        scores.max(self.heads * self.attention).max(self.hidden).max(self.embedding) as u64
    }
}

impl Network for ParityTransformer {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights, inputs);
        x.chunks_exact(inputs).map(|x| plain.output(x) as f32).collect()
    }

    fn attention(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Option<Vec<Vec<f32>>> {
        Some(self.plain(weights, inputs).attention(x))
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

/// z times the probability that a standard normal number is below z.
#[cfg(feature = "train")]
pub(super) fn gelu(z: burn::tensor::Tensor<3>) -> burn::tensor::Tensor<3> {
    vivarium_operators::pointwise::Function::NormalGelu.forward_tensors(z)
}

#[cfg(feature = "train")]
impl super::Net for ParityTransformer {
    fn forward(
        &self,
        _examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        use burn::tensor::Tensor;
        use burn::tensor::activation::softmax;
        let parameter = |which: usize| parameters[which].clone();
        let [_, batch, n] = x.dims();
        let [replicas, ..] = parameters[TOKENS].dims();
        let (heads, size) = (self.heads, self.attention);
        let [plus, minus, cls] = [0, 1, 2].map(|row| parameter(TOKENS).narrow(1, row, 1));
        let middles = parameter(POSITIONS) + (plus.clone() + minus.clone()) * 0.5;
        // Rows 0 to n − 1 for x_i = 0, row n for [CLS], row n + 1 for what x_i adds.
        let table = Tensor::cat(vec![middles, cls.clone(), (plus - minus) * 0.5], 1);
        let by_head = |t: Tensor<3>| {
            let [_, rows, _] = t.dims();
            t.reshape([replicas, rows, heads, size]).swap_dims(1, 2) // [replicas, heads, rows, size]
        };
        let keys = by_head(table.clone().matmul(parameter(KEY)));
        let values = by_head(table.matmul(parameter(VALUE)));
        let query = by_head(cls.clone().matmul(parameter(QUERY))) / (size as f32).sqrt();
        let scores = query.matmul(keys.transpose()); // [replicas, heads, 1, n + 2]
        let score = |from: usize, count: usize| scores.clone().narrow(3, from, count);
        let x = x.unsqueeze_dim::<4>(1); // [replicas or 1, 1, batch, n]
        let of_bits = x.clone() * score(n + 1, 1) + score(0, n); // [replicas, heads, batch, n]
        let of_cls = score(n, 1).expand([replicas, heads, batch, 1]);
        let shares = softmax(Tensor::cat(vec![of_bits, of_cls], 3), 3);
        let turned = (shares.clone().narrow(3, 0, n) * x).sum_dim(3); // Σ_i share_i x_i
        let mixed = Tensor::cat(vec![shares, turned], 3).matmul(values); // [replicas, heads, batch, size]
        let mixed = mixed.swap_dims(1, 2).reshape([replicas, batch, heads * size]);
        let z = mixed.matmul(parameter(OUT)) + cls; // [replicas, batch, embedding]
        let h = gelu(z.clone().matmul(parameter(W1)) + parameter(B1)); // [replicas, batch, hidden]
        (z + h.matmul(parameter(W2)) + parameter(B2)).matmul(parameter(U))
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; U + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_are_bounded_by_their_own_shape_and_biases_are_zero() {
        let net = ParityTransformer { embedding: 60, attention: 36, heads: 5, hidden: 90 };
        let bounds =
            net.initial(2, 10, 2).into_iter().map(|p| p.into_iter().fold(0.0f32, |m, v| m.max(v.abs())));
        let fans = [70, 63, 96, 96, 96, 96, 150, 0, 150, 0, 61];
        for ((which, bound), fans) in bounds.enumerate().zip(fans) {
            let expected = if fans == 0 { 0.0 } else { (6.0 / fans as f32).sqrt() };
            assert!(bound <= expected && bound >= 0.95 * expected, "{which}: {bound} against {expected}");
        }
    }

    #[test]
    fn more_than_a_browser_holds_is_refused() {
        let net = ParityTransformer { heads: 128, ..Default::default() };
        assert!(net.problems(50, 32, 1).is_empty());
        assert_eq!(net.problems(512, 4096, 1)[0].key, "batch");
        assert_eq!(net.problems(512, 32, 4096)[0].key, "replicas");
    }
}
