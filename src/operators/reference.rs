//! Executor in plain loops and double precision, with which tests compare the others.

use crate::graph::{Examples, Graph, Node, Operator};
use crate::matrix::Matrix;
use crate::pointwise::Function;
use crate::{
    attention, attention_scores, block_diagonal, cross_entropy, gru, layer_norm, linear, lookup, pointwise,
    product, relu, score, self_attention, slice, stack, sum, weighted_sum,
};

/// A network with its weights.
#[derive(Debug, Clone)]
pub struct Reference<'a> {
    graph: &'a Graph,
    weights: Vec<Matrix>,
}

/// The value of a node.
fn value(node: &Node, weights: &[Matrix], inputs: &[&Matrix], example: Examples<'_>) -> Matrix {
    match node.operator {
        Operator::Parameter(number) => weights[number].clone(),
        Operator::Input => Matrix {
            rows: node.shape.rows,
            columns: node.shape.columns,
            values: example.numbers.iter().map(|x| f64::from(*x)).collect(),
        },
        Operator::Lookup { symbol, count } => {
            lookup::forward(inputs[0], &example.symbols[symbol..symbol + count])
        }
        Operator::Slice { first, count } => slice::forward(inputs[0], first, count),
        Operator::Stack => stack::forward(inputs),
        Operator::Linear => linear::forward(inputs[0], inputs[1], &inputs[2..]),
        Operator::Sum => sum::forward(inputs, node.shape.rows),
        Operator::Product => product::forward(inputs[0]),
        Operator::BlockDiagonal { blocks } => block_diagonal::forward(inputs[0], blocks),
        Operator::Pointwise(Function::Relu) => relu::forward(inputs[0]),
        Operator::Pointwise(function) => pointwise::forward(inputs[0], function),
        Operator::Attention { heads, weighting } => {
            attention::forward(inputs[0], inputs[1], inputs[2], heads, weighting)
        }
        Operator::SelfAttention { heads, weighting, is_causal } => {
            self_attention::forward(inputs, heads, weighting, is_causal)
        }
        Operator::RecurrentUnits => gru::forward(inputs[0], inputs[1], inputs[2]),
        Operator::LayerNorm => layer_norm::forward(inputs[0], inputs[1], inputs[2]),
        Operator::Score { heads } => score::forward(inputs[0], inputs[1], heads),
        Operator::AttentionScores { heads } => attention_scores::forward(inputs[0], inputs[1], heads),
        Operator::WeightedSum { weighting, .. } => weighted_sum::forward(inputs[0], inputs[1], weighting),
    }
}

/// The gradients of a node's inputs.
fn gradients(
    node: &Node,
    inputs: &[&Matrix],
    output: &Matrix,
    grad_output: &Matrix,
    example: Examples<'_>,
) -> Vec<Matrix> {
    match node.operator {
        Operator::Parameter(_) | Operator::Input => vec![],
        Operator::Lookup { symbol, count } => {
            vec![lookup::backward(inputs[0], &example.symbols[symbol..symbol + count], grad_output)]
        }
        Operator::Slice { first, .. } => vec![slice::backward(inputs[0], first, grad_output)],
        Operator::Stack => stack::backward(inputs, grad_output),
        Operator::Linear => {
            let onto = inputs[2..].iter().map(|onto| sum::backward(onto, grad_output));
            linear::backward(inputs[0], inputs[1], grad_output).into_iter().chain(onto).collect()
        }
        Operator::Sum => inputs.iter().map(|input| sum::backward(input, grad_output)).collect(),
        Operator::Product => vec![product::backward(inputs[0], grad_output)],
        Operator::BlockDiagonal { .. } => vec![block_diagonal::backward(grad_output)],
        Operator::Pointwise(Function::Relu) => vec![relu::backward(output, grad_output)],
        Operator::Pointwise(function) => vec![pointwise::backward(inputs[0], function, grad_output)],
        Operator::Attention { heads, weighting } => {
            attention::backward(inputs[0], inputs[1], inputs[2], heads, weighting, grad_output).to_vec()
        }
        Operator::SelfAttention { heads, weighting, is_causal } => {
            self_attention::backward(inputs, heads, weighting, is_causal, grad_output)
        }
        Operator::RecurrentUnits => {
            gru::backward(inputs[0], inputs[1], inputs[2], output, grad_output).to_vec()
        }
        Operator::LayerNorm => layer_norm::backward(inputs[0], inputs[1], grad_output).to_vec(),
        Operator::Score { heads } => score::backward(inputs[0], inputs[1], heads, grad_output).to_vec(),
        Operator::AttentionScores { heads } => {
            attention_scores::backward(inputs[0], inputs[1], heads, grad_output).to_vec()
        }
        Operator::WeightedSum { weighting, .. } => {
            weighted_sum::backward(inputs[0], inputs[1], weighting, grad_output).to_vec()
        }
    }
}

impl<'a> Reference<'a> {
    /// The network with these weights, in the order of its parameters.
    pub fn new(graph: &'a Graph, weights: &[Vec<f64>]) -> Self {
        let matrix = |(values, parameter): (&Vec<f64>, &crate::graph::Parameter)| Matrix {
            rows: parameter.rows,
            columns: parameter.columns,
            values: values.clone(),
        };
        Reference { graph, weights: weights.iter().zip(&graph.parameters).map(matrix).collect() }
    }

    /// All values for an example, in the order of the nodes.
    pub fn values<'e>(&self, example: impl Into<Examples<'e>>) -> Vec<Matrix> {
        let example = example.into();
        let mut values: Vec<Matrix> = vec![];
        for node in &self.graph.nodes {
            let inputs: Vec<&Matrix> = node.inputs.iter().map(|input| &values[input.0]).collect();
            let value = value(node, &self.weights, &inputs, example);
            values.push(value);
        }
        values
    }

    /// The output for an example.
    pub fn output<'e>(&self, example: impl Into<Examples<'e>>) -> Vec<f64> {
        self.values(example).swap_remove(self.graph.output).values
    }

    /// The cross-entropy of an example, and its gradient in each parameter.
    pub fn gradient<'e>(
        &self,
        example: impl Into<Examples<'e>>,
        label: usize,
        smoothing: f64,
    ) -> (f64, Vec<Vec<f64>>) {
        self.gradient_of(example, |output| cross_entropy::forward_backward(output, label, smoothing))
    }

    /// A loss of the output for an example, and its gradient in each parameter; `loss` gives the loss of an output and the
    /// gradient in the output.
    pub fn gradient_of<'e>(
        &self,
        example: impl Into<Examples<'e>>,
        loss: impl FnOnce(&[f64]) -> (f64, Vec<f64>),
    ) -> (f64, Vec<Vec<f64>>) {
        let example = example.into();
        let values = self.values(example);
        let mut grads: Vec<Matrix> = values.iter().map(Matrix::zeros_like).collect();
        let (loss, gradient) = loss(&values[self.graph.output].values);
        grads[self.graph.output].values = gradient;
        for (number, node) in self.graph.nodes.iter().enumerate().rev() {
            let inputs: Vec<&Matrix> = node.inputs.iter().map(|input| &values[input.0]).collect();
            let of_inputs = gradients(node, &inputs, &values[number], &grads[number], example);
            for (input, gradient) in node.inputs.iter().zip(of_inputs) {
                grads[input.0].add(&gradient);
            }
        }
        let mut of_parameters = vec![vec![]; self.graph.parameters.len()];
        for (node, gradient) in self.graph.nodes.iter().zip(grads) {
            if let Operator::Parameter(number) = node.operator {
                of_parameters[number] = gradient.values;
            }
        }
        (loss, of_parameters)
    }
}
