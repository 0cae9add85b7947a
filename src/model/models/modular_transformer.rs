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
//! has p + 1 outputs, one for "=" that is never right and left out of every analysis, ours p; their heads are of
//! size d/heads, which is the default here; and `attend=relu`, with max(0, score)/3 for the softmax, is ours.
//!
//! # Why
//! The query is the same for every pair, and a token is one of p at two places: [rules](vivarium_operators::rewrite::Rule) turn
//! scores and values into tables over elements. W_E is the first parameter, so that charts of a first layer, which has one row
//! for each input, show it.

use super::attend::Attend;
use super::graph_network::{ACTIVATIONS, ATTENTION, GraphNetwork};
use super::layout::{self, Tensor, Tensors};
use super::{Family, ModelConfig, lookup};
use crate::tasks::ExampleForm;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::math::matrix_product;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::Range;
use vivarium_core::sources::{NANDA_2023, VASWANI_2017};
use vivarium_operators::{Graph, NodeId};

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
        /// How the scores of the three tokens become weights.
        attend: Attend = Attend::Softmax, "attend", "Attention", Range::Choice(Attend::OPTIONS);
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
s_g[i] = (X_2 query_g)·(X_i key_g) / √dattn             g = 0 … heads − 1
A_g = softmax of s_g (attend=softmax), or max(0, s_g) / 3 (attend=relu)
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

impl ModelConfig for ModularTransformer {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Pair]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Graph)
    }

    fn embeds_by_neuron(&self) -> bool {
        false
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

/// The script has the functions of the graph.
impl ToPyTorch for ModularTransformer {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::default())
    }
}

impl GraphNetwork for ModularTransformer {
    fn build(&self, elements: usize) -> Graph {
        let ModularTransformer { embedding, attention, heads, hidden, attend } = *self;
        let across = heads * attention;
        let scale = 1.0 / (embedding as f32).sqrt();
        let mut graph = Graph::new(2);
        let embed = graph.parameter("embed", [elements, embedding], scale);
        let equals = graph.parameter("equals", [1, embedding], scale);
        let positions = graph.parameter("positions", [3, embedding], scale);
        let query = graph.parameter("query", [embedding, across], scale);
        let key = graph.parameter("key", [embedding, across], scale);
        let value = graph.parameter("value", [embedding, across], scale);
        let out = graph.parameter("out", [across, embedding], scale);
        let w_in = graph.parameter("w_in", [embedding, hidden], scale);
        let b_in = graph.parameter("b_in", [1, hidden], 0.0);
        let w_out = graph.parameter("w_out", [hidden, embedding], scale);
        let b_out = graph.parameter("b_out", [1, embedding], 0.0);
        let unembed = graph.parameter("unembed", [embedding, elements], 1.0 / ((elements + 1) as f32).sqrt());

        let tokens = [graph.lookup(embed, 0), graph.lookup(embed, 1), equals];
        let mut at_position = |token: NodeId, position: usize| {
            let row = graph.slice(positions, position, 1);
            graph.sum(&[token, row])
        };
        let tokens = [at_position(tokens[0], 0), at_position(tokens[1], 1), at_position(tokens[2], 2)];
        let x = graph.stack(&tokens);
        let (query, keys, values) =
            (graph.linear(tokens[2], query), graph.linear(x, key), graph.linear(x, value));
        let attended = graph.attention([query, keys, values], heads, attend.weighting());
        graph.label(attended, ATTENTION);
        let attended = graph.linear(attended, out);
        let z = graph.sum(&[tokens[2], attended]);
        let h = graph.linear(z, w_in);
        let h = graph.sum(&[h, b_in]);
        let h = graph.relu(h);
        graph.label(h, ACTIVATIONS);
        let h = graph.linear(h, w_out);
        let y = graph.sum(&[z, h, b_out]);
        let logits = graph.linear(y, unembed);
        graph.set_output(logits);
        graph
    }

    fn neurons(&self, weights: &[&[f32]], elements: usize) -> Vec<Vec<f32>> {
        // The neuron-logit map W_out W_U; the functions of the elements that neurons see depend on attention.
        let map = matrix_product(weights[W_OUT], weights[UNEMBED], elements); // [hidden, elements]
        vec![lookup::turned(&map, elements)]
    }
}

/// Numbers of W_out and W_U among the parameters.
const W_OUT: usize = 9;
const UNEMBED: usize = 11;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Architecture, Parameter};

    const EMBED: usize = 0;
    const QUERY: usize = 3;
    const KEY: usize = 4;
    const VALUE: usize = 5;
    const B_IN: usize = 8;
    const B_OUT: usize = 10;

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
        let net =
            ModularTransformer { embedding: 48, attention: 20, heads: 3, hidden: 90, ..Default::default() };
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
