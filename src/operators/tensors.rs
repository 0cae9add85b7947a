//! Executor on Burn's tensors, all replicas at once, for automatic differentiation.

use burn::tensor::Tensor;

use crate::graph::{Graph, Operator};
use crate::{
    attention_scores, block_diagonal, gru, layer_norm, lookup, product, score, self_attention, weighted_sum,
};

/// Values of a node: one, or those of a stack.
type Parts = Vec<Tensor<3>>;

/// The output for a batch of examples.
///
/// # Shapes
/// `parameters` are `[replicas, rows, columns]` in the order of the graph; `x` is `[replicas or 1, batch, symbols or
/// numbers of an example]`; the result is `[replicas, batch · rows of the output, columns of the output]`.
///
/// # Panics
/// If the graph has attention that [`Graph::rewritten`] does not take apart, or another operator than a weighted sum reads a
/// stack: these have no form on tensors.
pub fn forward(graph: &Graph, parameters: &[Tensor<3>], x: &Tensor<3>) -> Tensor<3> {
    let mut values: Vec<Parts> = vec![];
    let depends = graph.depends_on_trained();
    let mut one_hots: Vec<((usize, usize), Tensor<3>)> = vec![];
    for (number, node) in graph.nodes.iter().enumerate() {
        let input = |number: usize| match &values[node.inputs[number].0][..] {
            [value] => value.clone(),
            _ => unreachable!("only a weighted sum reads a stack"),
        };
        let add_from = |first: usize| {
            let positions = if node.shape.per_example { node.shape.rows } else { 1 };
            let terms = node.inputs[first..].iter().map(|term| {
                let value = values[term.0][0].clone();
                // A row for each position is added to the positions of each example.
                let is_repeated = positions > 1 && value.dims()[1] == positions;
                let is_constant = !graph.node(*term).shape.per_example;
                if is_repeated && is_constant { value.repeat_dim(1, x.dims()[1]) } else { value }
            });
            terms.reduce(|sum, term| sum + term)
        };
        let value = match node.operator {
            Operator::Parameter(which) => parameters[which].clone(),
            // Positions of all examples one below the other.
            Operator::Input => {
                let [groups, batch, _] = x.dims();
                x.clone().reshape([groups, batch * node.shape.rows, node.shape.columns])
            }
            Operator::Lookup { symbol, count } => {
                let table = input(0);
                let key = (symbol, table.dims()[1]);
                let [groups, batch, _] = x.dims();
                // Positions of all examples one below the other.
                let x = if count == 1 { x.clone() } else { x.clone().reshape([groups, batch * count, 1]) };
                let one_hot = match one_hots.iter().find(|(own, _)| *own == key) {
                    Some((_, one_hot)) => one_hot.clone(),
                    None => {
                        let one_hot = lookup::one_hot(&x, symbol, key.1);
                        one_hots.push((key, one_hot.clone()));
                        one_hot
                    }
                };
                one_hot.matmul(table)
            }
            Operator::Slice { first, count } => input(0).narrow(1, first, count),
            Operator::Stack => {
                let parts = node.inputs.iter().flat_map(|part| values[part.0].clone());
                values.push(parts.collect());
                continue;
            }
            Operator::Linear => {
                let product = input(0).matmul(input(1));
                match add_from(2) {
                    Some(onto) => onto + product,
                    None => product,
                }
            }
            Operator::Sum => match add_from(0) {
                Some(sum) => sum,
                None => unreachable!("a sum has terms"),
            },
            Operator::Product => product::forward_tensors(input(0)),
            Operator::BlockDiagonal { blocks } => block_diagonal::forward_tensors(input(0), blocks),
            Operator::Pointwise(function) => function.forward_tensors(input(0)),
            Operator::SelfAttention { heads, weighting, is_causal } => {
                let all = [input(0), input(1), input(2)];
                let distances = (node.inputs.len() > 3).then(|| input(3));
                let positions = node.shape.rows;
                self_attention::forward_tensors(all, distances, positions, heads, weighting, is_causal)
            }
            Operator::RecurrentUnits => gru::forward_tensors(input(0), input(1), input(2), node.shape.rows),
            Operator::LayerNorm => layer_norm::forward_tensors(input(0), input(1), input(2)),
            Operator::Score { heads } => score::forward_tensors(input(0), input(1), heads),
            Operator::AttentionScores { heads } => {
                attention_scores::forward_tensors(input(0), input(1), heads)
            }
            Operator::WeightedSum { weighting, .. } => {
                let parts = |number: usize| values[node.inputs[number].0].clone();
                weighted_sum::forward_tensors(parts(0), parts(1), weighting)
            }
            Operator::Attention { .. } => {
                unreachable!("attention is rewritten before it is executed on tensors")
            }
        };
        // The backward pass ends at what depends on no trained parameter. Burn needs a backward pass of something.
        let is_fixed = !depends[number] && !node.inputs.is_empty() && depends[graph.output];
        values.push(vec![if is_fixed { value.detach() } else { value }]);
    }
    values.swap_remove(graph.output).swap_remove(0)
}
