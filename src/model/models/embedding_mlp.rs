//! A perceptron on the embeddings of two elements, on many replicas at once.
//!
//! ```text
//! sum      f(a, b) = ReLU((E[a] + E'[b]) W + β) U
//! concat   f(a, b) = ReLU((E[a], E'[b]) W + β) U       E' = E where tied
//! ```
//!
//! Tied and summed, and with a bias β besides, this is the network of the notebooks of Pearce et al. 2023 with
//! `embed_config` "input_tied" and `is_collapsed_out`; p = 67, d = 500 and 24 neurons are theirs. Their main
//! figures go back from the neurons to an embedding by one more matrix and from it to the logits by Eᵀ; they find
//! that such a network without ties does not generalise. Untied and summed it is that of Gromov 2023 with a ReLU for
//! the square and an embedding between; he sums two layers of one-hot vectors, which is the same as
//! concatenating those.
//!
//! Initial weights are normal, with the variances of those notebooks (which cut the normal off at two deviations):
//! 2/p for E and E', 1/fan_in for W and U, zero for β.

use super::graph_network::{ACTIVATIONS, GraphNetwork};
use super::layout::{self, Tensor, Tensors};
use super::{Family, ModelConfig, lookup};
use crate::tasks::ExampleForm;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::math::matrix_product;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::Range;
use vivarium_core::sources::{GROMOV_2023, PEARCE_2023};
use vivarium_core::{choices, settings};
use vivarium_operators::Graph;

choices! {
    /// Whether both elements have the same embedding.
    pub enum Tied {
        /// One embedding.
        Yes = "yes", "Tied: the same for a and b";
        /// An embedding for a, and one for b.
        No = "no", "Untied: different for a and b";
    }
}

choices! {
    /// How the embeddings of both elements enter the hidden layer.
    pub enum Join {
        /// Added: with tied embeddings no order of a and b is left.
        Sum = "sum", "Sum";
        /// Side by side, with weights of their own.
        Concat = "concat", "Concatenation";
    }
}

settings! {
    /// One hidden layer on the embeddings of two elements.
    pub struct EmbeddingMlp {
        /// Number of components of an element's embedding.
        embedding: usize = 500, "demb", "Embedding size", Range::Int(1, 1024);
        /// Number of neurons in the hidden layer.
        width: usize = 24, "width", "Width", Range::Int(1, 4096), "neurons";
        /// Whether a and b share the same embedding.
        tied: Tied = Tied::Yes, "tied", "Embeddings", Range::Choice(Tied::OPTIONS);
        /// Whether the embeddings of a and b are added or concatenated.
        join: Join = Join::Sum, "join", "Joining of the embeddings", Range::Choice(Join::OPTIONS);
    }
}

impl EmbeddingMlp {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "embedding-mlp",
        name: "Embedding MLP",
        about: "A small network: embeddings of two elements, then one hidden layer. Trained with AdamW, this network can show grokking.",
        sources: &[PEARCE_2023, GROMOV_2023],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
h = embed[a] + E[b]                                     join=sum
h = [embed[a], E[b]]                                    join=concat
f = max(0, h w + b) unembed                             E = embed (tied=yes) or embed_b (tied=no)",
        loss: layout::CLASSES,
        letters: &[
            ["[a], [b]", "the two elements of the pair, numbers from 0"],
            ["J", "components of h: `demb` with `join=sum`, `2 · demb` with `join=concat`"],
        ],
        all: &[
            Tensor::new(
                "embed",
                ["p", "demb"],
                ["element", "component"],
                "embeddings of the first element, or of both",
            ),
            Tensor::new("w", ["J", "width"], ["component of h", "neuron"], "weights of the hidden layer"),
            Tensor::new("b", ["1", "width"], ["", "neuron"], "biases of the hidden layer"),
            Tensor::new("unembed", ["width", "p"], ["neuron", "element c"], "output weights"),
            Tensor::new(
                "embed_b",
                ["p", "demb"],
                ["element", "component"],
                "embeddings of the second element",
            )
            .only("tied=no"),
        ],
    };
}

impl ModelConfig for EmbeddingMlp {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Pair]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Graph)
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

/// The script has the functions of the graph.
impl ToPyTorch for EmbeddingMlp {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::default())
    }
}

impl GraphNetwork for EmbeddingMlp {
    fn build(&self, elements: usize) -> Graph {
        let EmbeddingMlp { embedding, width, tied, join } = *self;
        let joined = if join == Join::Sum { embedding } else { 2 * embedding };
        let deviation = |gain: f32, fan_in: usize| (gain / fan_in as f32).sqrt();
        let mut graph = Graph::new(2);
        let embed = graph.parameter("embed", [elements, embedding], deviation(2.0, elements));
        let w = graph.parameter("w", [joined, width], deviation(1.0, joined));
        let bias = graph.parameter("b", [1, width], 0.0);
        let unembed = graph.parameter("unembed", [width, elements], deviation(1.0, width));
        let embed_b = match tied {
            Tied::Yes => embed,
            Tied::No => graph.parameter("embed_b", [elements, embedding], deviation(2.0, elements)),
        };

        let (a, b) = (graph.lookup(embed, 0), graph.lookup(embed_b, 1));
        let z = match join {
            Join::Sum => {
                let h = graph.sum(&[a, b]);
                let z = graph.linear(h, w);
                graph.sum(&[z, bias])
            }
            // The product of both side by side with W.
            Join::Concat => {
                let (of_a, of_b) = (graph.slice(w, 0, embedding), graph.slice(w, embedding, embedding));
                let (a, b) = (graph.linear(a, of_a), graph.linear(b, of_b));
                graph.sum(&[a, b, bias])
            }
        };
        let h = graph.relu(z);
        graph.label(h, ACTIVATIONS);
        let logits = graph.linear(h, unembed);
        graph.set_output(logits);
        graph
    }

    fn neurons(&self, weights: &[&[f32]], elements: usize) -> Vec<Vec<f32>> {
        let rows = self.embedding * self.width;
        let second = if self.tied == Tied::Yes { EMBED } else { EMBED_B };
        let first_row = if self.join == Join::Sum { 0 } else { rows };
        let seen = |embed: usize, first: usize| {
            matrix_product(weights[embed], &weights[W][first..][..rows], self.width)
        };
        vec![seen(EMBED, 0), seen(second, first_row), lookup::turned(weights[UNEMBED], elements)]
    }
}

/// Numbers of E, W, U and E' among the parameters.
const EMBED: usize = 0;
const W: usize = 1;
const UNEMBED: usize = 3;
const EMBED_B: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Architecture, Network};

    const BIAS: usize = 2;

    fn kinds() -> impl Iterator<Item = EmbeddingMlp> {
        let pairs = Tied::ALL.iter().flat_map(|tied| Join::ALL.iter().map(move |join| (*tied, *join)));
        pairs.map(|(tied, join)| EmbeddingMlp { embedding: 6, width: 11, tied, join })
    }

    fn drawn(net: &EmbeddingMlp, p: usize) -> Vec<Vec<f32>> {
        let mut weights = net.initial(3, p, 1);
        weights[BIAS].iter_mut().enumerate().for_each(|(i, b)| *b = i as f32 * 0.1 - 0.5);
        weights
    }

    fn slices(weights: &[Vec<f32>]) -> Vec<&[f32]> {
        weights.iter().map(Vec::as_slice).collect()
    }

    /// The formulas of the module with the embeddings joined first.
    fn naive(net: &EmbeddingMlp, w: &[Vec<f32>], p: usize, [a, b]: [usize; 2]) -> Vec<f64> {
        let d = net.embedding;
        let second = if net.tied == Tied::Yes { &w[EMBED] } else { &w[EMBED_B] };
        let (left, right) = (&w[EMBED][a * d..][..d], &second[b * d..][..d]);
        let joined: Vec<f64> = match net.join {
            Join::Sum => left.iter().zip(right).map(|(l, r)| f64::from(*l) + f64::from(*r)).collect(),
            Join::Concat => left.iter().chain(right).map(|v| f64::from(*v)).collect(),
        };
        let hidden = (0..net.width).map(|j| {
            let z: f64 = joined.iter().enumerate().map(|(i, v)| v * f64::from(w[W][i * net.width + j])).sum();
            (z + f64::from(w[BIAS][j])).max(0.0)
        });
        let hidden: Vec<f64> = hidden.collect();
        (0..p)
            .map(|c| hidden.iter().enumerate().map(|(j, h)| h * f64::from(w[UNEMBED][j * p + c])).sum())
            .collect()
    }

    #[test]
    fn logits_are_those_of_the_formula() {
        let p = 7;
        for net in kinds() {
            let weights = drawn(&net, p);
            let x: Vec<f32> = (0..p * p).flat_map(|i| [(i / p) as f32, (i % p) as f32]).collect();
            let logits = net.evaluate(&slices(&weights), p, &x, 0);
            assert_eq!(logits.len(), p * p * p);
            for (i, logits) in logits.chunks_exact(p).enumerate() {
                for (found, expected) in logits.iter().zip(naive(&net, &weights, p, [i / p, i % p])) {
                    assert!((f64::from(*found) - expected).abs() < 1e-5, "{net:?} {i}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn only_tied_and_summed_embeddings_forget_the_order() {
        for net in kinds() {
            let weights = drawn(&net, 9);
            let logits = net.evaluate(&slices(&weights), 9, &[2.0, 7.0, 7.0, 2.0], 0);
            let symmetric = net.tied == Tied::Yes && net.join == Join::Sum;
            assert_eq!(logits[..9] == logits[9..], symmetric, "{net:?}");
        }
    }

    #[test]
    fn parameters_are_there_as_needed_and_begin_with_their_scale() {
        for net in kinds() {
            let net = EmbeddingMlp { embedding: 40, width: 60, ..net };
            let parameters = net.parameters(53, 2);
            let initial = net.initial(1, 53, 2);
            assert_eq!(parameters.len(), if net.tied == Tied::Yes { 4 } else { 5 });
            let joined = if net.join == Join::Sum { 40.0 } else { 80.0 };
            let variances = [2.0 / 53.0, 1.0 / joined, 0.0, 1.0 / 60.0, 2.0 / 53.0];
            for ((values, parameter), expected) in initial.iter().zip(&parameters).zip(variances) {
                assert_eq!(values.len(), parameter.len());
                let square = values.iter().map(|v| f64::from(v * v)).sum::<f64>() / values.len() as f64;
                let error = 4.0 * expected * libm::sqrt(2.0 / values.len() as f64);
                assert!((square - expected).abs() <= error, "{}: {square} {expected}", parameter.name);
            }
            assert_ne!(Some(&initial[EMBED]), initial.get(EMBED_B));
        }
    }

    #[test]
    fn more_than_a_browser_holds_is_refused() {
        let net = EmbeddingMlp::default();
        assert!(net.problems(67, 1796, 1).is_empty());
        assert_eq!(net.problems(67, 1796, 1000)[0].key, "replicas");
    }
}
