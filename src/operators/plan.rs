//! Slots and steps of the executor in vectors, planned before the first step.

use crate::attention_scores::Heads;
use crate::graph::{Graph, Node, NodeId, Operator, Shape};
use crate::layout::Layout;
use crate::self_attention::Sizes;
use crate::simd::{Columns, LANES, Panels, Row, panels};

/// Largest number of values that an operator reads.
pub(crate) const MAX_SOURCES: usize = 16;

/// Memory of a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    /// `[panel of columns][row or example]`.
    pub(crate) rows: Vec<Row>,
    /// The gradient, in the layout of the rows; empty until it is needed.
    pub(crate) gradient: Vec<Row>,
    /// `[panel of rows][column]`, of weights of recurrent units, and of a linear map whose input has a gradient; else empty.
    pub(crate) transposed: Vec<Row>,
    /// Rows of a panel.
    pub(crate) stride: usize,
    /// Rows that count, of a value that is the same for all examples.
    pub(crate) used: usize,
    /// Columns over which products with the transposed weights sum.
    pub(crate) columns: usize,
}

impl Slot {
    pub(crate) fn panels(&self) -> Panels<'_> {
        Panels::new(&self.rows, self.stride)
    }

    pub(crate) fn panel_count(&self) -> usize {
        self.rows.len() / self.stride
    }
}

/// Which row of a slot a sample reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    /// The sample's own row.
    Sample,
    /// Row 0, the same for all samples.
    Constant,
    /// The row that this symbol of the example names.
    Symbol(usize),
    /// The row that the symbol of the sample's position names.
    Symbols,
    /// The row of the sample's position, of a value that is the same for all examples.
    Position,
}

/// Rows that an operator reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read {
    pub(crate) slot: usize,
    pub(crate) index: Index,
    /// Whether the gradient is written into the slot, and not added.
    pub(crate) overwrites: bool,
}

/// An operator with its slots and workspace.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) operator: Operator,
    /// Reads of each input; a stack has one for each part.
    pub(crate) inputs: Vec<Vec<Read>>,
    /// Slot of the output.
    pub(crate) output: usize,
    /// Whether the output depends on the example.
    pub(crate) per_example: bool,
    /// Positions of an example in the output.
    pub(crate) positions: usize,
    /// Of a sum, whether the output is max(0, sum).
    pub(crate) is_rectified: bool,
    /// Of a linear map, whether it is a [`read_out`](crate::read_out).
    pub(crate) is_read_out: bool,
    /// Of a polynomial: [`Function::coefficients`](crate::pointwise::Function::coefficients).
    pub(crate) coefficients: Vec<f32>,
    pub(crate) heads: Heads,
    pub(crate) workspace: Vec<Row>,
}

impl Step {
    /// Sizes of an attention of each position; none of another operator.
    pub(crate) fn sizes(&self) -> Option<Sizes> {
        let Operator::SelfAttention { weighting, is_causal, .. } = self.operator else { return None };
        Some(Sizes { positions: self.positions, heads: self.heads, weighting, is_causal })
    }
}

/// Layout of a parameter in its slot.
#[derive(Debug, Clone)]
pub(crate) struct ParameterLayout {
    pub(crate) slot: usize,
    pub(crate) columns: Columns,
    /// Rows of a group, and from one group to the next.
    pub(crate) group: (usize, usize),
    pub(crate) rows: usize,
    /// Whether its gradient is computed.
    pub(crate) is_trained: bool,
}

/// A value with a label.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) label: &'static str,
    pub(crate) slot: usize,
    pub(crate) step: usize,
    /// Components.
    pub(crate) size: usize,
    /// Positions of an example.
    pub(crate) positions: usize,
    /// Whether the components are in groups that begin panels.
    pub(crate) is_grouped: bool,
}

/// The executor's parts while it is planned.
pub(crate) struct Plan<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) layout: Layout,
    /// The slot of each value that has one.
    pub(crate) slot_of: Vec<Option<usize>>,
    pub(crate) slots: Vec<Slot>,
    /// Examples of a block.
    pub(crate) examples: usize,
}

impl Plan<'_> {
    pub(crate) fn allocate(&mut self, id: NodeId) -> usize {
        let shape = self.graph.node(id).shape;
        let (_, _, used) = self.layout.rows(self.graph, id);
        let rows = if shape.per_example { shape.rows * self.examples } else { used };
        let stride = rows.next_multiple_of(LANES);
        let count = self.layout.panels(self.graph, id) * stride;
        self.slots.push(Slot {
            rows: vec![Row::ZERO; count],
            gradient: vec![],
            transposed: vec![],
            stride,
            used,
            columns: self.layout.summed_columns(self.graph, id),
        });
        self.slots.len() - 1
    }

    /// Allocates the one column of a parameter that only [`read_out`](crate::read_out) reads, with its numbers in the lanes.
    pub(crate) fn allocate_column(&mut self, numbers: usize) -> usize {
        self.slots.push(Slot {
            rows: vec![Row::ZERO; panels(numbers)],
            stride: 1,
            used: 1,
            columns: numbers,
            ..Slot::default()
        });
        self.slots.len() - 1
    }

    /// The values with labels.
    ///
    /// # Errors
    /// A sentence if such a value has no memory.
    pub(crate) fn labels(&self, steps: &[Step]) -> Result<Vec<Label>, String> {
        let mut labels = vec![];
        for (number, node) in self.graph.nodes.iter().enumerate() {
            let Some(label) = node.label else { continue };
            let slot = self.slot_of[number].ok_or_else(|| format!("{label} has no memory"))?;
            let step = steps.iter().rposition(|step| step.output == slot).unwrap_or(0);
            let is_grouped = self.layout.is_grouped(NodeId(number));
            let Shape { rows: positions, columns: size, .. } = node.shape;
            labels.push(Label { label, slot, step, size, positions, is_grouped });
        }
        Ok(labels)
    }

    /// Slots and rows from which an operator reads a value.
    pub(crate) fn reads(&self, id: NodeId, per_example: bool, rows: usize) -> Result<Vec<Read>, String> {
        let node = self.graph.node(id);
        let read = |id: NodeId, index| match self.slot_of[id.0] {
            Some(slot) => Ok(vec![Read { slot, index, overwrites: false }]),
            None => Err("a looked-up row is looked up in".to_string()),
        };
        match node.operator {
            Operator::Lookup { symbol, count } if self.slot_of[id.0].is_none() => match count {
                1 if rows == 1 => read(node.inputs[0], Index::Symbol(symbol)),
                _ if count == rows && count == self.graph.symbols => read(node.inputs[0], Index::Symbols),
                _ => Err("a looked-up row enters a value of several positions".into()),
            },
            Operator::Stack => {
                let parts = node.inputs.iter().map(|part| self.reads(*part, per_example, 1));
                Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
            }
            _ if per_example && !node.shape.per_example => match node.shape.rows {
                1 => read(id, Index::Constant),
                own if own == rows => read(id, Index::Position),
                _ => Err("a constant of several rows enters a value of an example".into()),
            },
            _ if node.shape.rows == rows => read(id, Index::Sample),
            _ if per_example && node.shape.rows == 1 => {
                Err("a value of one position enters one of several positions".into())
            }
            _ if node.shape.rows == 1 => read(id, Index::Constant),
            _ => read(id, Index::Sample),
        }
    }
}

/// Positions of an example in the values that have several; 1 if none has.
///
/// # Errors
/// A sentence if they differ.
pub(crate) fn positions(graph: &Graph) -> Result<usize, String> {
    let is_value = |node: &&Node| node.shape.per_example && node.operator != Operator::Stack;
    let several = graph.nodes.iter().filter(is_value).map(|node| node.shape.rows).filter(|rows| *rows > 1);
    let several: Vec<usize> = several.collect();
    match several[..] {
        [] => Ok(1),
        [positions, ref others @ ..] if others.iter().all(|other| *other == positions) => Ok(positions),
        _ => Err("values of an example differ in their numbers of positions".into()),
    }
}

/// Whether a look-up needs memory of its own: if it is the output, or if an operator reads it that reads rows one after the other.
pub(crate) fn needs_memory(graph: &Graph, lookup: NodeId, consumers: &[usize]) -> bool {
    let reads_rows = |consumer: &usize| match graph.nodes[*consumer].operator {
        Operator::Linear => graph.nodes[*consumer].inputs[0] == lookup,
        operator => {
            matches!(
                operator,
                Operator::Pointwise(_)
                    | Operator::Product
                    | Operator::LayerNorm
                    | Operator::RecurrentUnits
                    | Operator::SelfAttention { .. }
            )
        }
    };
    lookup.0 == graph.output || consumers.iter().any(reads_rows)
}

/// Marks the first use of each value of an example in the backward pass, which writes the gradient; later uses add to the
/// gradient. Gradients of constants are added over all blocks.
pub(crate) fn mark_first_gradients(steps: &mut [Step], slots: usize, output: usize) {
    let mut is_written = vec![true; slots];
    let of_example = steps.iter().filter(|step| step.per_example && step.output != output);
    of_example.for_each(|step| is_written[step.output] = false);
    for step in steps.iter_mut().rev().filter(|step| step.per_example) {
        for read in step.inputs.iter_mut().flatten().filter(|read| read.index == Index::Sample) {
            if read.slot != step.output {
                read.overwrites = !std::mem::replace(&mut is_written[read.slot], true);
            }
        }
    }
}

/// # Errors
/// A sentence if an operator would read only part of an input.
pub(crate) fn check_reads(graph: &Graph, node: &Node, inputs: &[Vec<Read>]) -> Result<(), String> {
    // The lanes behind the last column of a head must be 0.
    let can_be_nonzero = |input: &NodeId| match graph.node(*input).operator {
        Operator::Pointwise(function) => function.value_and_derivative(0.0).0 != 0.0,
        _ => false,
    };
    let sums_lanes = matches!(
        node.operator,
        Operator::AttentionScores { .. } | Operator::Score { .. } | Operator::SelfAttention { .. }
    );
    if sums_lanes && node.inputs.iter().any(can_be_nonzero) {
        return Err("attention reads a function that is not 0 at 0".into());
    }
    let is_weighted_sum = matches!(node.operator, Operator::WeightedSum { .. });
    let count: usize = match is_weighted_sum {
        true => inputs.iter().map(Vec::len).max().unwrap_or(0),
        false => inputs.iter().map(Vec::len).sum(),
    };
    if count > MAX_SOURCES {
        return Err(format!("an operator reads {count} values"));
    }
    for (input, reads) in inputs.iter().enumerate() {
        let expected = if is_weighted_sum { graph.node(node.inputs[input]).shape.rows } else { 1 };
        let needs_own_rows = match node.operator {
            Operator::WeightedSum { .. } | Operator::Sum | Operator::Lookup { .. } => false,
            Operator::Linear | Operator::RecurrentUnits => input < 2,
            Operator::Score { .. } => false,
            Operator::AttentionScores { .. } | Operator::LayerNorm => input == 0,
            Operator::SelfAttention { .. } => input < 3,
            _ => true,
        };
        if reads.len() != expected || needs_own_rows && reads[0].index != Index::Sample {
            return Err(format!("{:?} reads a stack, or looked-up rows without memory", node.operator));
        }
    }
    Ok(())
}

/// Whether a parameter is the one column of the linear map that is the output, and nothing else.
pub(crate) fn is_read_out(graph: &Graph, parameter: NodeId, consumers: &[usize]) -> bool {
    let is_read_by = |consumer: &usize| {
        let Node { operator, inputs, shape, .. } = &graph.nodes[*consumer];
        let own = inputs.iter().filter(|input| **input == parameter).count();
        let is_weight = *operator == Operator::Linear && inputs[1] == parameter && own == 1;
        is_weight && shape.per_example && *consumer == graph.output
    };
    graph.node(parameter).shape.columns == 1 && !consumers.is_empty() && consumers.iter().all(is_read_by)
}
