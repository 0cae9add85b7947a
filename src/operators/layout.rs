//! Layout of the columns of a value in panels: one after the other, or in groups that begin panels, as heads and gates need.

use crate::graph::{Graph, NodeId, Operator};
use crate::simd::{Columns, LANES, panels};

/// Groups of the columns of what gated recurrent units read.
const GATES: usize = 3;

/// Groups of the columns, and of the rows, of each value of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    columns: Vec<usize>,
    rows: Vec<usize>,
}

impl Layout {
    /// The layout in which the columns of each head begin a panel.
    ///
    /// # Errors
    /// A sentence that says for which value there is none.
    pub(crate) fn new(graph: &Graph) -> Result<Self, String> {
        let count = graph.nodes().len();
        let mut layout = Layout { columns: vec![1; count], rows: vec![1; count] };
        loop {
            let before = layout.clone();
            for (number, node) in graph.nodes().iter().enumerate() {
                let equal: &[NodeId] = match node.operator {
                    Operator::Linear => {
                        let groups = layout.columns[node.inputs[0].0];
                        layout.need_rows(node.inputs[1], groups);
                        &node.inputs[1..]
                    }
                    Operator::AttentionScores { heads } | Operator::Score { heads } => {
                        node.inputs.iter().for_each(|input| layout.need_columns(*input, heads));
                        &[]
                    }
                    Operator::SelfAttention { heads, .. } => {
                        node.inputs.iter().for_each(|input| layout.need_columns(*input, heads));
                        layout.need_columns(NodeId(number), heads);
                        &[]
                    }
                    Operator::RecurrentUnits => {
                        node.inputs.iter().for_each(|input| layout.need_columns(*input, GATES));
                        &[]
                    }
                    Operator::WeightedSum { heads, .. } => {
                        layout.need_columns(node.inputs[1], heads);
                        layout.need_columns(NodeId(number), heads);
                        &[]
                    }
                    Operator::Product | Operator::BlockDiagonal { .. } => &[],
                    _ => &node.inputs,
                };
                for input in equal {
                    layout.need_columns(*input, layout.columns[number]);
                    layout.need_columns(NodeId(number), layout.columns[input.0]);
                }
            }
            if layout == before {
                break;
            }
        }
        for (number, node) in graph.nodes().iter().enumerate() {
            let columns = |id: &NodeId| layout.columns[id.0];
            let has_plain_rows = |id: &NodeId| layout.rows[id.0] == 1;
            let fits = match node.operator {
                Operator::Parameter(_) => true,
                Operator::Linear => {
                    let (w, others) = (node.inputs[1], [&node.inputs[..1], &node.inputs[2..]].concat());
                    layout.rows[w.0] == columns(&node.inputs[0]) && others.iter().all(has_plain_rows)
                }
                Operator::Product | Operator::BlockDiagonal { .. } => {
                    columns(&node.inputs[0]) == 1 && has_plain_rows(&node.inputs[0])
                }
                Operator::LayerNorm => layout.columns[number] == 1 && node.inputs.iter().all(has_plain_rows),
                Operator::AttentionScores { heads } | Operator::Score { heads } => {
                    let has_heads = |id: &NodeId| columns(id) == heads && has_plain_rows(id);
                    layout.columns[number] == 1 && node.inputs.iter().all(has_heads)
                }
                Operator::RecurrentUnits => {
                    let is_in_thirds = |id: &NodeId| columns(id) == GATES && has_plain_rows(id);
                    layout.columns[number] == 1 && node.inputs.iter().all(is_in_thirds)
                }
                Operator::SelfAttention { heads, .. } => {
                    layout.columns[number] == heads && node.inputs.iter().all(|id| columns(id) == heads)
                }
                Operator::WeightedSum { heads, .. } => {
                    columns(&node.inputs[0]) == 1
                        && columns(&node.inputs[1]) == heads
                        && layout.columns[number] == heads
                }
                _ => node.inputs.iter().all(has_plain_rows),
            };
            let is_parameter = matches!(node.operator, Operator::Parameter(_));
            let is_whole = node.shape.columns % layout.columns[number] == 0
                && (is_parameter || layout.rows[number] == 1);
            if !fits || !is_whole {
                return Err(format!("value {number} is read by layers whose heads or gates differ"));
            }
        }
        Ok(layout)
    }

    fn need_columns(&mut self, id: NodeId, groups: usize) {
        self.columns[id.0] = self.columns[id.0].max(groups);
    }

    fn need_rows(&mut self, id: NodeId, groups: usize) {
        self.rows[id.0] = self.rows[id.0].max(groups);
    }

    /// Whether the columns of a value are in groups.
    pub(crate) fn is_grouped(&self, id: NodeId) -> bool {
        self.columns[id.0] > 1
    }

    /// Components of a group of columns.
    fn size(&self, graph: &Graph, id: NodeId) -> usize {
        graph.node(id).shape.columns / self.columns[id.0]
    }

    /// Panels that the columns of a value fill.
    pub(crate) fn panels(&self, graph: &Graph, id: NodeId) -> usize {
        self.columns[id.0] * panels(self.size(graph, id))
    }

    /// Columns of a value over which products sum: with those that fill the panels of groups.
    pub(crate) fn summed_columns(&self, graph: &Graph, id: NodeId) -> usize {
        match self.columns[id.0] {
            1 => graph.node(id).shape.columns,
            _ => self.panels(graph, id) * LANES,
        }
    }

    /// Layout of the columns of a value.
    pub(crate) fn columns(&self, graph: &Graph, id: NodeId) -> Columns {
        let size = self.size(graph, id);
        let groups: Vec<usize> = (0..self.columns[id.0]).map(|group| group * panels(size)).collect();
        Columns::grouped(size, &groups)
    }

    /// For each group of the rows of a value, rows in it and the row of the panels at which it begins; in all, rows of a panel.
    pub(crate) fn rows(&self, graph: &Graph, id: NodeId) -> (usize, usize, usize) {
        let (rows, groups) = (graph.node(id).shape.rows, self.rows[id.0]);
        match groups {
            1 => (rows, 0, rows),
            _ => {
                let distance = panels(rows / groups) * LANES;
                (rows / groups, distance, groups * distance)
            }
        }
    }
}
