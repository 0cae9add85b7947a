//! Networks that are described by a graph of operators: everything but the description follows from the graph.

use std::borrow::Cow;

use super::initialisation::each;
use super::{Architecture, Bind, Network, Parameter, Rows, exceeds_memory};
use crate::tasks::Examples;
use vivarium_core::settings::InvalidSetting;
use vivarium_operators::graph::{Node, Operator};
use vivarium_operators::simd::{LANES, Row};
use vivarium_operators::{Executor, Graph};

/// Label of the values that probes show as activations of neurons.
pub const ACTIVATIONS: &str = "activations";
/// Label of the mean whose weights probes show as attention.
pub const ATTENTION: &str = "attention";

/// A first parameter that has a vector for each element.
pub const ELEMENTS: Rows =
    Rows { name: "Embedding W_E", symbol: "W_E", row: "element", column: "component", entry: "weight" };

/// A network on pairs of elements, with a logit for each element.
pub trait GraphNetwork: Clone + 'static {
    /// The network on so many elements.
    fn build(&self, elements: usize) -> Graph;

    /// As in [`Network::neurons`].
    fn neurons(&self, weights: &[&[f32]], elements: usize) -> Vec<Vec<f32>>;
}

/// The parameters of a graph, for so many replicas.
pub fn parameters(graph: &Graph, replicas: usize) -> Vec<Parameter> {
    let all = graph.parameters().iter();
    all.map(|own| Parameter::new(&own.name, [replicas, own.rows, own.columns])).collect()
}

/// Initial values of the parameters of a graph: normal numbers from `seed`.
pub fn initial(graph: &Graph, seed: u64, replicas: usize) -> Vec<Vec<f32>> {
    let draw = |(which, parameter): (usize, &Parameter)| {
        let own = &graph.parameters()[which];
        match own.deviation {
            0.0 => vec![own.mean; parameter.len()],
            deviation => {
                each(seed, parameter, |stream, i| own.mean + deviation * stream.draw_normal(which as u64, i))
            }
        }
    };
    parameters(graph, replicas).iter().enumerate().map(draw).collect()
}

/// Operations of a step with so many examples: a multiplication and an addition, once forward and twice back.
pub fn step_flops(graph: &Graph, batch: usize) -> f64 {
    step_flops_of(&graph.rewritten(), batch)
}

/// The same of a graph after all rules.
pub fn step_flops_of(rewritten: &Graph, batch: usize) -> f64 {
    let cost = rewritten.cost();
    6.0 * (cost.fixed as f64 + batch as f64 * cost.example as f64)
}

/// The executor of a network with these weights of one replica.
fn executor(graph: &Graph, weights: &[&[f32]]) -> Executor {
    loaded(Executor::new(&graph.rewritten()), weights)
}

/// An executor with these weights of one replica.
fn loaded(executor: Result<Executor, String>, weights: &[&[f32]]) -> Executor {
    let mut executor = match executor {
        Ok(executor) => executor,
        Err(why) => unreachable!("a network of the catalogue has a form in vectors: {why}"),
    };
    let rows = |values: &&[f32]| values.chunks(LANES).map(row).collect();
    executor.load(&weights.iter().map(rows).collect::<Vec<_>>());
    executor
}

/// Numbers in lanes, and zeros behind the last.
fn row(values: &[f32]) -> Row {
    Row(std::array::from_fn(|lane| values.get(lane).copied().unwrap_or(0.0)))
}

/// Sends the examples in `x` through the network, block by block, and calls `read` after each with the number of its examples.
fn forward_blocks(
    executor: &mut Executor,
    graph: &Graph,
    x: &[f32],
    mut read: impl FnMut(&mut Executor, usize),
) {
    let [symbols, numbers] = graph.example_lengths();
    let length = symbols.max(numbers).max(1);
    for x in x.chunks(length * executor.block()) {
        if symbols > 0 {
            let block: Vec<u32> = x.iter().map(|symbol| *symbol as u32).collect();
            executor.forward(&block);
        } else {
            executor.forward(vivarium_operators::Examples::of_numbers(x));
        }
        read(executor, x.len() / length);
    }
}

/// The outputs for every example in `x`, and for each of its positions, one after the other.
///
/// Tables that are looked up in are computed in every call, so few calls with many examples are better than many with few.
pub fn evaluate(graph: &Graph, weights: &[&[f32]], x: &[f32]) -> Vec<f32> {
    let mut outputs = vec![];
    let positions = graph.output().shape.rows;
    forward_blocks(&mut executor(graph, weights), graph, x, |executor, count| {
        (0..count * positions).for_each(|sample| outputs.extend(executor.output(sample)));
    });
    outputs
}

/// Number of heads, if a node is attention with the label [`ATTENTION`].
fn labelled_head_count(node: &Node) -> Option<usize> {
    match node.operator {
        Operator::SelfAttention { heads, .. } | Operator::Attention { heads, .. } => {
            (node.label == Some(ATTENTION)).then_some(heads)
        }
        _ => None,
    }
}

/// Number of heads of each attention layer with the label [`ATTENTION`].
pub fn attention_heads(graph: &Graph) -> Vec<usize> {
    graph.nodes().iter().filter_map(labelled_head_count).collect()
}

/// The weights of a network whose heads in `off`, which count from 0 through the layers of [`attention_heads`], add nothing: the rows
/// of a head in the matrix W_O of its layer are 0.
pub fn remove_heads(graph: &Graph, weights: &[&[f32]], off: &[usize]) -> Vec<Vec<f32>> {
    let mut weights: Vec<Vec<f32>> = weights.iter().map(|values| values.to_vec()).collect();
    let mut first = 0;
    for (number, node) in graph.nodes().iter().enumerate() {
        let Some(heads) = labelled_head_count(node) else { continue };
        let out = graph.nodes().iter().find_map(|reader| match (reader.operator, &reader.inputs[..]) {
            (Operator::Linear, [x, w]) if x.index() == number => match graph.nodes()[w.index()].operator {
                Operator::Parameter(which) => Some(which),
                _ => None,
            },
            _ => None,
        });
        if let Some(values) = out.and_then(|which| weights.get_mut(which)) {
            let of_head = values.len() / heads;
            let of_layer = off.iter().filter_map(|head| head.checked_sub(first)).filter(|head| *head < heads);
            of_layer.for_each(|head| values[head * of_head..][..of_head].fill(0.0));
        }
        first += heads;
    }
    weights
}

/// The outputs for one example, `[positions, outputs]`, and the weights of each attention layer with the label [`ATTENTION`],
/// `[heads, positions, seen positions]`.
pub fn evaluate_with_attention(graph: &Graph, weights: &[&[f32]], x: &[f32]) -> (Vec<f32>, Vec<Vec<f32>>) {
    let mut found = (vec![], vec![]);
    let positions = graph.output().shape.rows;
    let mut executor = loaded(Executor::for_single_examples(&graph.rewritten()), weights);
    forward_blocks(&mut executor, graph, x, |executor, _| {
        let outputs = (0..positions).flat_map(|sample| executor.output(sample).collect::<Vec<f32>>());
        let layers = 0..executor.heads(ATTENTION).len();
        found = (outputs.collect(), layers.map(|layer| executor.weights(ATTENTION, layer, 0)).collect());
    });
    found
}

/// As [`Network::inside`]: the values with the labels [`ACTIVATIONS`] and [`ATTENTION`], with the number of the layer if several
/// layers have attention.
#[cfg(not(target_family = "wasm"))]
pub fn inside(graph: &Graph, weights: &[&[f32]], x: &[f32]) -> Vec<super::inside::Inside> {
    let mut all = super::inside::Gathered::default();
    forward_blocks(&mut executor(graph, weights), graph, x, |executor, count| {
        for example in 0..count {
            let neurons = executor.labelled(ACTIVATIONS, example);
            let positions = executor.positions(ACTIVATIONS);
            if !neurons.is_empty() {
                let axes = [("position", positions), ("neuron", neurons.len() / positions)];
                let axes = if positions == 1 { &axes[1..] } else { &axes[..] };
                all.activations("activations", axes, neurons.into_iter().map(f64::from));
            }
            let (layers, positions) = (executor.heads(ATTENTION), executor.positions(ATTENTION));
            for (layer, heads) in layers.iter().enumerate() {
                let weights = executor.weights(ATTENTION, layer, example);
                let keys = weights.len() / heads / positions;
                let axes = [("head", *heads), ("query", positions), ("key", keys)];
                let axes = if positions == 1 { &[axes[0], axes[2]][..] } else { &axes[..] };
                let name = super::inside::of_layer("attention", layer);
                let name = if layers.len() == 1 { "attention" } else { &name };
                all.attention(name, axes, weights.into_iter().map(f64::from));
            }
        }
    });
    all.arrays()
}

impl<M: GraphNetwork> Bind for M {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl<M: GraphNetwork> Architecture for M {
    fn graph(&self, inputs: usize, _stage: usize) -> Option<Graph> {
        Some(self.build(inputs))
    }

    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        parameters(&self.build(inputs), replicas)
    }

    fn rows(&self) -> Rows {
        ELEMENTS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        initial(&self.build(inputs), seed, replicas)
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        step_flops(&self.build(inputs), batch)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        exceeds_memory(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, inputs: usize) -> u64 {
        self.build(inputs).rewritten().widest() as u64
    }
}

impl<M: GraphNetwork> Network for M {
    fn neurons(&self, weights: &[&[f32]], inputs: usize) -> Option<Vec<Vec<f32>>> {
        Some(GraphNetwork::neurons(self, weights, inputs))
    }

    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        evaluate(&self.build(inputs), weights, x)
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        inside(&self.build(inputs), weights, x)
    }
}

#[cfg(feature = "train")]
impl<M: GraphNetwork> super::Net for M {
    fn forward(
        &self,
        examples: &dyn Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let graph = self.build(examples.inputs()).rewritten();
        vivarium_operators::tensors::forward(&graph, parameters, &x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::attend::Attend;
    use crate::models::embedding_mlp::{EmbeddingMlp, Join, Tied};
    use crate::models::modular_transformer::ModularTransformer;
    use vivarium_operators::reference::Reference;

    /// Initial weights, moved so that biases are not zero and scores differ.
    fn weights(net: &dyn Architecture, elements: usize) -> Vec<Vec<f32>> {
        let mut weights = net.initial(8, elements, 1);
        for (which, values) in weights.iter_mut().enumerate() {
            let shift = |i: usize| 0.3 * libm::sinf((1 + which * 31 + i * 7) as f32);
            values.iter_mut().enumerate().for_each(|(i, value)| *value += shift(i));
        }
        weights
    }

    fn slices(weights: &[Vec<f32>]) -> Vec<&[f32]> {
        weights.iter().map(Vec::as_slice).collect()
    }

    fn all_pairs(elements: usize) -> Vec<f32> {
        (0..elements * elements).flat_map(|i| [(i / elements) as f32, (i % elements) as f32]).collect()
    }

    /// The executor of the rewritten graph in vectors against the graph as it is written, in double precision.
    fn answers_as_its_reference(net: &impl GraphNetwork, elements: usize) {
        let (graph, weights, x) = (net.build(elements), weights(net, elements), all_pairs(elements));
        let doubles: Vec<Vec<f64>> =
            weights.iter().map(|w| w.iter().map(|v| f64::from(*v)).collect()).collect();
        let reference = Reference::new(&graph, &doubles);
        let logits = net.evaluate(&slices(&weights), elements, &x, 0);
        assert_eq!(logits.len(), x.len() / 2 * elements);
        for (pair, logits) in x.chunks_exact(2).zip(logits.chunks_exact(elements)) {
            let exact = reference.output(&[pair[0] as u32, pair[1] as u32]);
            for (own, exact) in logits.iter().zip(exact) {
                assert!(
                    (f64::from(*own) - exact).abs() < 2e-5 * exact.abs().max(1.0),
                    "{pair:?}: {own} {exact}"
                );
            }
        }
    }

    #[test]
    fn networks_answer_as_their_graphs() {
        // Heads that fill more than a panel of scores, or each more than a panel of values, and as few as there can be.
        for [embedding, attention, heads, hidden] in
            [[4, 3, 2, 6], [1, 1, 1, 5], [18, 17, 2, 33], [16, 16, 3, 16], [5, 2, 17, 7]]
        {
            for attend in Attend::ALL {
                let net = ModularTransformer { embedding, attention, heads, hidden, attend: *attend };
                answers_as_its_reference(&net, 9);
            }
        }
        for tied in Tied::ALL {
            for join in Join::ALL {
                for [embedding, width] in [[3, 4], [16, 33], [33, 16]] {
                    let net = EmbeddingMlp { embedding, width, tied: *tied, join: *join };
                    answers_as_its_reference(&net, 11);
                }
            }
        }
    }

    #[test]
    fn a_weight_that_is_no_number_shows_in_every_logit() {
        let net =
            ModularTransformer { embedding: 3, attention: 1, heads: 1, hidden: 2, ..Default::default() };
        for which in 0..net.parameters(4, 1).len() {
            let mut weights = net.initial(0, 4, 1);
            weights[which].fill(f32::NAN);
            assert!(net.evaluate(&slices(&weights), 4, &[0.0, 1.0], 0).iter().all(|logit| logit.is_nan()));
        }
    }

    /// Positions alone distinguish a from b.
    #[test]
    fn without_positions_a_and_b_may_change_places() {
        let net =
            ModularTransformer { embedding: 8, attention: 4, heads: 2, hidden: 9, ..Default::default() };
        let mut weights = weights(&net, 5);
        let difference = |weights: &[Vec<f32>]| {
            let logits = net.evaluate(&slices(weights), 5, &[1.0, 3.0, 3.0, 1.0], 0);
            logits[..5].iter().zip(&logits[5..]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        assert!(difference(&weights) > 1e-2);
        weights[2][..16].fill(0.0);
        assert!(difference(&weights) < 1e-5);
    }

    /// Two elements, one component, one neuron: f(a, b)\[c\] = max(0, (E\[a\] + E\[b\]) w + β) u\[c\].
    #[test]
    fn one_neuron_has_the_gradient_that_paper_and_pencil_give() {
        let net = EmbeddingMlp { embedding: 1, width: 1, tied: Tied::Yes, join: Join::Sum };
        let graph = net.build(2);
        let gradient = |weights: [&[f32]; 4], pairs: &[u32], labels: &[u32]| {
            let (mut executor, mut gradient) = (executor(&graph, &weights), vec![vec![Row::ZERO]; 4]);
            executor.allocate_gradients();
            executor.load(&weights.map(|values| vec![row(values)]));
            executor.gradient(pairs, labels, 0.0, &mut gradient);
            (gradient, executor.measure(pairs, labels))
        };
        let weights = |u: &'static [f32]| [&[0.5, 1.0][..], &[2.0], &[0.25], u];
        // h = 1.5 · 2 + 0.25; both probabilities are a half, so that ∂f is (1/2, −1/2) and u = 0 passes nothing to h.
        let (own, _) = gradient(weights(&[0.0, 0.0]), &[0, 1], &[1]);
        assert_eq!(own[3][0].0[..2], [1.625, -1.625]);
        assert!(own[..3].iter().flatten().flat_map(|row| row.0).all(|g| g == 0.0));
        // The logits are equal, and their gradients times equal weights cancel.
        let (own, _) = gradient(weights(&[2.0, 2.0]), &[0, 1, 1, 1], &[1, 0]);
        assert!(own[..3].iter().flatten().flat_map(|row| row.0).all(|g| g == 0.0));
        let (_, measured) = gradient(weights(&[0.0, 4.0]), &[0, 1], &[1]);
        assert_eq!(measured.correct, 1);
        assert!((measured.loss - libm::log1p(libm::exp(-13.0))).abs() < 1e-9);
    }
}
