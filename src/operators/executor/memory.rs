//! Memory of the executor.

use super::Executor;
use crate::attention_scores::Heads;
use crate::graph::{Graph, NodeId, Operator};
use crate::layout::Layout;
#[cfg(test)]
use crate::plan::Slot;
use crate::plan::positions;
use crate::self_attention::Sizes;
use crate::simd::{BLOCK, LANES};
use crate::{gru, weighted_sum};

/// Examples of a block, of so many positions each.
pub(super) fn block_examples(graph: &Graph, positions: usize) -> usize {
    let is_recurrent = graph.nodes.iter().any(|node| node.operator == Operator::RecurrentUnits);
    (BLOCK / positions).max(if is_recurrent { gru::EXAMPLES } else { 1 })
}

impl Executor {
    /// Numbers that the executor of a graph holds for values, gradients, transposed weights and workspaces, or a few more.
    ///
    /// # Errors
    /// As [`Executor::new`], for errors that show before memory is allocated.
    pub fn memory(graph: &Graph) -> Result<u64, String> {
        let (layout, positions) = (Layout::new(graph)?, positions(graph)?);
        let examples = block_examples(graph, positions);
        let mut rows = 0u64;
        for (number, node) in graph.nodes.iter().enumerate() {
            let (id, shape) = (NodeId(number), node.shape);
            let samples = if shape.per_example { shape.rows * examples } else { layout.rows(graph, id).2 };
            let own =
                (samples.next_multiple_of(LANES) as u64).saturating_mul(layout.panels(graph, id) as u64);
            let workspace = match node.operator {
                Operator::Stack => continue,
                Operator::Pointwise(_) | Operator::LayerNorm => own,
                Operator::WeightedSum { heads, .. } => {
                    let seen = graph.node(node.inputs[0]).shape.rows;
                    weighted_sum::workspace_rows(heads, seen) as u64
                }
                Operator::RecurrentUnits => {
                    let sizes = gru::Sizes { positions: shape.rows, units: shape.columns };
                    sizes.workspace_rows(samples.next_multiple_of(LANES), examples) as u64
                }
                Operator::SelfAttention { heads, weighting, is_causal } => {
                    let heads = Heads { count: heads, size: shape.columns / heads };
                    let sizes = Sizes { positions: shape.rows, heads, weighting, is_causal };
                    sizes.workspace_rows(examples) as u64
                }
                _ => 0,
            };
            // A product reads its weights transposed too, in the backward pass.
            let transposed = match node.operator {
                Operator::Linear | Operator::RecurrentUnits => {
                    let w = node.inputs[1];
                    let rows = layout.rows(graph, w).2.next_multiple_of(LANES) as u64;
                    rows.saturating_mul(layout.panels(graph, w) as u64)
                }
                _ => 0,
            };
            let all = own.saturating_mul(2).saturating_add(workspace).saturating_add(transposed);
            rows = rows.saturating_add(all);
        }
        Ok(rows.saturating_mul(LANES as u64))
    }

    /// Numbers that the executor holds.
    #[cfg(test)]
    pub(crate) fn held(&self) -> u64 {
        let of_slot = |slot: &Slot| slot.rows.len() + slot.gradient.len() + slot.transposed.len();
        let rows = self.slots.iter().map(of_slot).sum::<usize>()
            + self.steps.iter().map(|step| step.workspace.len()).sum::<usize>();
        (rows * LANES) as u64
    }
}
