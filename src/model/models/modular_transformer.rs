//! The transformer that Nanda et al. 2023 took apart, on many replicas at once: one layer on the three tokens
//! a, b and "=", of which only the output at "=" is computed.
//!
//! ```text
//! X_0 = W_E[a] + P_0,  X_1 = W_E[b] + P_1,  X_2 = E_= + P_2
//! z = X_2 + Σ_h softmax(X_2 W_Q (X W_K)ᵀ / √d_attn) X W_V W_O    each W of head h
//! f(a, b) = (z + ReLU(z W_in + b_in) W_out + b_out) W_U
//! ```
//!
//! There is no layer norm and no bias but b_in and b_out. Every matrix begins as N(0, 1/d), d being the embedding
//! size, also those whose inputs are more or fewer, but W_U as N(0, 1/(p + 1)); biases begin at zero. All of this
//! is from the code of the paper (`transformers.py`), section 3 and appendix A giving the sizes. What differs: theirs
//! has p + 1 outputs, one for "=" that is never right and left out of every analysis, ours p; and their heads are of
//! size d/heads, which is the default here.
//!
//! # Why
//! The query is the same for every pair, and a token is one of p at two places. So scores and values are needed once
//! per step for p + 3 vectors (an element, the two positions, and "=" at its own) instead of for three tokens of
//! every pair: W_K and the query make a single vector of each head, which stands beside W_V. The row of each pair's
//! elements is then looked up by a one-hot product ([`lookup`] says why), with heads·(1 + d_attn)
//! columns, 132 by default: a fifth of the work of the MLP that follows. To do all p² pairs at once instead would
//! triple the work of a training set of 30 %.
//! W_E is the first parameter, so that charts of a first layer, which has one row for each input, show it.

mod reference;

use std::borrow::Cow;

use super::initialisation::each;
use super::layout::{self, Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows, crowded, lookup};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::math::matrix_product;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{NANDA_2023, VASWANI_2017};

settings! {
    /// One layer of attention and MLP on two elements and "=", where it is read out.
    pub struct ModularTransformer {
        /// Number of components of a token's vector.
        embedding: usize = 128, "demb", "Embedding size", Range::Int(1, 1024);
        /// Number of components of each query, key and value of a head.
        attention: usize = 32, "dattn", "Size of a head", Range::Int(1, 64);
        /// Number of attention heads; each head has its own query, key and value matrices.
        heads: usize = 4, "heads", "Heads", Range::Int(1, 128);
        /// Number of neurons in the MLP block.
        hidden: usize = 512, "dmlp", "MLP size", Range::Int(1, 4096), "neurons";
    }
}

impl ModularTransformer {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "modular-transformer",
        name: "Modular Transformer",
        about: "One attention layer and an MLP on the three tokens a, b and \"=\". After grokking, the network computes a + b modulo p with sines and cosines. Use AdamW as the optimizer.",
        sources: &[NANDA_2023, VASWANI_2017],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
X_0 = embed[a] + positions[0],  X_1 = embed[b] + positions[1],  X_2 = equals + positions[2]
A_g = softmax over i of (X_2 query_g)·(X_i key_g) / √dattn      g = 0 … heads − 1
o_g = Σ_i A_g[i] X_i value_g                            i = 0, 1, 2
z   = X_2 + [o_0, o_1, …] out
f   = (z + max(0, z w_in + b_in) w_out + b_out) unembed",
        loss: layout::CLASSES,
        letters: &[["a, b", "the two elements of the pair, numbers from 0"], layout::COLUMNS_OF_HEAD],
        all: &[
            Tensor::new(
                "embed",
                ["p", "demb"],
                ["element", "component"],
                "token embeddings W_E of the elements",
            ),
            Tensor::new("equals", ["1", "demb"], ["", "component"], "embedding of the token \"=\""),
            Tensor::new("positions", ["3", "demb"], ["token a, b, =", "component"], "positional embeddings"),
            layout::HEADS[0],
            layout::HEADS[1],
            layout::HEADS[2],
            layout::HEADS[3],
            Tensor::new("w_in", ["demb", "dmlp"], ["component", "neuron"], "first layer of the MLP"),
            Tensor::new("b_in", ["1", "dmlp"], ["", "neuron"], "its biases"),
            Tensor::new("w_out", ["dmlp", "demb"], ["neuron", "component"], "second layer of the MLP"),
            Tensor::new("b_out", ["1", "demb"], ["", "component"], "its biases"),
            Tensor::new("unembed", ["demb", "p"], ["component", "element c"], "unembedding W_U"),
        ],
    };
}

/// Place of W_E, a row for each element, in [`Architecture::parameters`].
pub const EMBED: usize = 0;
/// Place of E_=.
pub const EQUALS: usize = 1;
/// Place of P_0, P_1 and P_2, a row each.
pub const POSITIONS: usize = 2;
/// Place of W_Q, the heads side by side.
pub const QUERY: usize = 3;
/// Place of W_K.
pub const KEY: usize = 4;
/// Place of W_V.
pub const VALUE: usize = 5;
/// Place of W_O, the heads one below the other.
pub const OUT: usize = 6;
/// Place of W_in.
pub const W_IN: usize = 7;
/// Place of b_in.
pub const B_IN: usize = 8;
/// Place of W_out.
pub const W_OUT: usize = 9;
/// Place of b_out.
pub const B_OUT: usize = 10;
/// Place of W_U.
pub const UNEMBED: usize = 11;

impl Bind for ModularTransformer {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for ModularTransformer {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Pair]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::PairTransformer(self.clone()))
    }

    fn embeds_by_neuron(&self) -> bool {
        false
    }
}

impl ToPyTorch for ModularTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/modular_transformer.py")]))
    }
}

impl Architecture for ModularTransformer {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        let (embedding, hidden, across) = (self.embedding, self.hidden, self.heads * self.attention);
        let shapes = [
            ("embed", inputs, embedding),
            ("equals", 1, embedding),
            ("positions", 3, embedding),
            ("query", embedding, across),
            ("key", embedding, across),
            ("value", embedding, across),
            ("out", across, embedding),
            ("w_in", embedding, hidden),
            ("b_in", 1, hidden),
            ("w_out", hidden, embedding),
            ("b_out", 1, embedding),
            ("unembed", embedding, inputs),
        ];
        shapes.map(|(name, rows, columns)| Parameter::new(name, [replicas, rows, columns])).to_vec()
    }

    fn rows(&self) -> Rows {
        Rows { name: "Embedding W_E", symbol: "W_E", row: "element", column: "component", entry: "weight" }
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let draw = |(which, parameter): (usize, &Parameter)| {
            let size = match which {
                B_IN | B_OUT => return vec![0.0; parameter.len()],
                UNEMBED => inputs + 1,
                _ => self.embedding,
            };
            let scale = 1.0 / (size as f32).sqrt();
            each(seed, parameter, |stream, i| scale * stream.draw_normal(which as u64, i))
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        let (heads, d, p) = (self.heads as f64, self.embedding as f64, inputs as f64);
        let across = heads * self.attention as f64;
        let looked_up = heads + across;
        let tables = (p + 3.0) * d * looked_up + 2.0 * d * across;
        let mlp = 2.0 * d * self.hidden as f64;
        let example = 2.0 * p * looked_up + 3.0 * across + across * d + mlp + d * p;
        6.0 * (tables + batch as f64 * example)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        crowded(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, inputs: usize) -> u64 {
        let looked_up = self.heads * (self.attention + 1);
        self.hidden.max(looked_up).max(self.embedding).max(inputs) as u64
    }
}

impl Network for ModularTransformer {
    fn neurons(&self, weights: &[&[f32]], inputs: usize) -> Option<Vec<Vec<f32>>> {
        // The neuron-logit map; what neurons see of the elements hangs on attention.
        let map = matrix_product(weights[W_OUT], weights[UNEMBED], inputs); // [hidden, inputs]
        Some(vec![lookup::turned(&map, inputs)])
    }

    /// The logits of every pair in `x`.
    ///
    /// The tables that pairs are looked up in cost as much as some hundred pairs, so few calls of many are better
    /// than many of few.
    ///
    /// # Shapes
    /// `x` is `[examples, 2]`, a and b; the result is `[examples, inputs]`, a logit for each element.
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let mut plain = self.plain(weights, inputs);
        let mut logits = vec![0.0; x.len() / 2 * inputs];
        for (x, logits) in x.chunks_exact(2).zip(logits.chunks_exact_mut(inputs)) {
            plain.logits(super::lookup::pair(x), logits);
        }
        logits
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let mut all = super::inside::Gathered::default();
        let (mut plain, mut logits) = (self.plain(weights, inputs), vec![0.0; inputs]);
        for x in x.chunks_exact(2) {
            let pair = super::lookup::pair(x);
            plain.logits(pair, &mut logits);
            all.activations("activations", &[("neuron", self.hidden)], plain.hidden());
            // Only the last of the three tokens is read out.
            all.attention("attention", &[("head", self.heads), ("key", 3)], plain.attention(pair));
        }
        all.arrays()
    }
}

#[cfg(feature = "train")]
impl super::Net for ModularTransformer {
    fn forward(
        &self,
        _examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        use burn::tensor::Tensor;
        use burn::tensor::activation::{relu, softmax};
        let parameter = |which: usize| parameters[which].clone();
        let [_, batch, _] = x.dims();
        let [replicas, p, d] = parameters[EMBED].dims();
        let (heads, size, across) = (self.heads, self.attention, self.heads * self.attention);
        let equals = parameter(EQUALS) + parameter(POSITIONS).narrow(1, 2, 1); // [replicas, 1, d]
        let query = equals.clone().matmul(parameter(QUERY)) / (size as f32).sqrt();
        let query = query.reshape([replicas, 1, heads, size]);
        let asked = (parameter(KEY).reshape([replicas, d, heads, size]) * query).sum_dim(3);
        // A score of each head, and then the values of all, for every token without its position.
        let map = Tensor::cat(vec![asked.reshape([replicas, d, heads]), parameter(VALUE)], 2);
        let places = parameter(POSITIONS).narrow(1, 0, 2).matmul(map.clone()); // [replicas, 2, heads + across]
        let table = parameter(EMBED).matmul(map.clone()); // [replicas, p, heads + across]
        let at = |place: usize| {
            let rows = super::lookup::one_hot(&x, place, p).matmul(table.clone());
            rows + places.clone().narrow(1, place, 1) // [replicas, batch, heads + across]
        };
        let of_equals = equals.clone().matmul(map).expand([replicas, batch, heads + across]);
        let tokens = [at(0), at(1), of_equals];
        let score =
            |token: &Tensor<3>| token.clone().narrow(2, 0, heads).reshape([replicas, batch, heads, 1]);
        let shares = softmax(Tensor::cat(tokens.iter().map(score).collect(), 3), 3);
        let weighted = |token: Tensor<3>, place: usize| {
            let values = token.narrow(2, heads, across).reshape([replicas, batch, heads, size]);
            values * shares.clone().narrow(3, place, 1)
        };
        let [of_a, of_b, of_equals] = tokens;
        let mixed = weighted(of_a, 0) + weighted(of_b, 1) + weighted(of_equals, 2);
        let z = mixed.reshape([replicas, batch, across]).matmul(parameter(OUT)) + equals; // [replicas, batch, d]
        let h = relu(z.clone().matmul(parameter(W_IN)) + parameter(B_IN)); // [replicas, batch, hidden]
        (z + h.matmul(parameter(W_OUT)) + parameter(B_OUT)).matmul(parameter(UNEMBED))
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; UNEMBED + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_paper() {
        let net = ModularTransformer::default();
        let parameters = net.parameters(113, 1);
        // W_E and W_U of 114 tokens have 113 in ours, besides "=".
        let reference = 114 * 128 + 3 * 128 + 4 * 128 * 128 + 128 * 512 + 512 + 512 * 128 + 128 + 128 * 114;
        assert_eq!(parameters.iter().map(Parameter::len).sum::<usize>(), reference - 128);
        assert_eq!(parameters[EMBED].shape, [1, 113, 128]);
        assert_eq!(parameters[UNEMBED].shape, [1, 128, 113]);
    }

    #[test]
    fn matrices_begin_normal_with_the_scale_of_the_reference_and_biases_at_zero() {
        let net = ModularTransformer { embedding: 48, attention: 20, heads: 3, hidden: 90 };
        let initial = net.initial(5, 71, 2);
        for (which, (values, parameter)) in initial.iter().zip(net.parameters(71, 2)).enumerate() {
            assert_eq!(values.len(), parameter.len());
            let square = values.iter().map(|v| f64::from(v * v)).sum::<f64>() / values.len() as f64;
            let expected = match which {
                B_IN | B_OUT => 0.0,
                UNEMBED => 1.0 / 72.0,
                _ => 1.0 / 48.0,
            };
            // Four standard errors of a mean of squares.
            let error = 4.0 * expected * libm::sqrt(2.0 / values.len() as f64);
            assert!((square - expected).abs() <= error, "{which}: {square} against {expected}");
        }
        assert_ne!(initial[KEY], initial[VALUE]);
        assert_eq!(net.initial(5, 71, 1)[QUERY][..], initial[QUERY][..48 * 60]);
    }

    #[test]
    fn more_than_a_browser_holds_is_refused() {
        let net = ModularTransformer::default();
        assert!(net.problems(113, 3830, 1).is_empty());
        assert_eq!(net.problems(113, 3830, 64)[0].key, "replicas");
        let wide = ModularTransformer { hidden: 4096, ..Default::default() };
        assert_eq!(wide.problems(199, 39_601, 1)[0].key, "batch");
    }
}
