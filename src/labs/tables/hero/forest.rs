//! Trees of a random forest (Breiman 2001), which the page grows beside the run's network on the same training rows.
//!
//! # Why
//! The forests of runs are trained in workers with a library that the page does not contain. These trees follow the same
//! rule: a bootstrap sample, and at each node the best of √n random columns, split where the Gini impurity falls most,
//! until every leaf has one class. They are not the trees of a run.

use vivarium_core::rng::RandomStream;
use vivarium_model::models::family::Trees;
use vivarium_model::tasks::Batch;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    /// The vote of the tree for inputs that come here, −1 or +1.
    Leaf(f32),
    /// A comparison of one column with a value.
    Split {
        /// Index of the column, from 0.
        column: usize,
        /// Inputs whose column is below this value go to the first child, all others to the second.
        edge: f32,
        /// Indices of both children among the nodes of the tree.
        children: [usize; 2],
    },
}

/// A way to split the rows at a node.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Index of the column, from 0.
    column: usize,
    /// Value that separates the rows.
    edge: f32,
    /// Σ s²/r over both sides, where r is the number of rows and s the sum of their labels ±1: the larger, the smaller is
    /// the Gini impurity.
    purity: f32,
}

/// A decision tree; its first node is the root.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    /// All nodes.
    nodes: Vec<Node>,
}

/// The value of a column in a row of a batch of rows of `columns` numbers.
fn value_of(rows: &Batch, columns: usize, row: u32, column: usize) -> f32 {
    rows.x.get(row as usize * columns + column).copied().unwrap_or(0.0)
}

/// Label of a row, −1 or +1.
fn label_of(rows: &Batch, row: u32) -> f32 {
    rows.y.get(row as usize).copied().unwrap_or(0.0)
}

/// An integer that is ordered as the numbers are.
fn sortable(value: f32) -> u64 {
    let bits = value.to_bits();
    u64::from(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 })
}

/// The best split of the rows `sample` by a column; `None` if all of them have the same value.
fn best_split(rows: &Batch, columns: usize, sample: &[u32], column: usize) -> Option<Candidate> {
    let value = |row: u32| value_of(rows, columns, row, column);
    let mut order: Vec<u64> =
        sample.iter().map(|row| sortable(value(*row)) << 32 | u64::from(*row)).collect();
    order.sort_unstable();
    let total: f32 = sample.iter().map(|row| label_of(rows, *row)).sum();
    let (mut sum, mut best) = (0.0, None);
    for (at, pair) in order.windows(2).enumerate() {
        // The lower half of each integer is the row.
        let (row, next) = (pair[0] as u32, pair[1] as u32);
        sum += label_of(rows, row);
        let (low, high) = (value(row), value(next));
        if low < high {
            let below = (at + 1) as f32;
            let above = (order.len() - at - 1) as f32;
            let purity = sum * sum / below + (total - sum) * (total - sum) / above;
            if best.is_none_or(|best: Candidate| purity > best.purity) {
                best = Some(Candidate { column, edge: low + (high - low) / 2.0, purity });
            }
        }
    }
    best
}

impl Tree {
    /// Grows tree number `number` of a forest on rows of `columns` numbers; the stream draws the sample and the columns
    /// that are tried.
    pub(super) fn grow(rows: &Batch, columns: usize, stream: RandomStream, number: u64) -> Tree {
        let mut drawn = 0;
        let mut draw = |bound: usize| {
            drawn += 1;
            stream.draw_below(number, drawn, bound as u32)
        };
        let tried = Trees { count: 1, depth: 0, candidates: 0 }.candidates(columns);
        let sample: Vec<u32> = (0..rows.len()).map(|_| draw(rows.len())).collect();
        let mut nodes = vec![Node::Leaf(0.0)];
        let mut open = vec![(0, sample)];
        while let Some((at, sample)) = open.pop() {
            let sum: f32 = sample.iter().map(|row| label_of(rows, *row)).sum();
            nodes[at] = Node::Leaf(if sum < 0.0 { -1.0 } else { 1.0 });
            if sum.abs() >= sample.len() as f32 {
                continue;
            }
            let tries = (0..tried).filter_map(|_| best_split(rows, columns, &sample, draw(columns) as usize));
            let best = tries.reduce(|best, other| if other.purity > best.purity { other } else { best });
            let Some(Candidate { column, edge, .. }) = best else { continue };
            let is_below = |row: &u32| value_of(rows, columns, *row, column) < edge;
            let (below, above): (Vec<u32>, Vec<u32>) = sample.into_iter().partition(is_below);
            if below.is_empty() || above.is_empty() {
                continue;
            }
            let children = [nodes.len(), nodes.len() + 1];
            nodes.extend([Node::Leaf(0.0); 2]);
            nodes[at] = Node::Split { column, edge, children };
            open.extend(children.into_iter().zip([below, above]));
        }
        Tree { nodes }
    }

    /// The vote of the tree, −1 or +1, for the input whose columns have the values of `value`.
    pub(super) fn vote(&self, value: &dyn Fn(usize) -> f32) -> f32 {
        let mut at = 0;
        loop {
            match self.nodes.get(at) {
                Some(Node::Leaf(vote)) => return *vote,
                Some(Node::Split { column, edge, children }) => {
                    at = children[usize::from(value(*column) >= *edge)];
                }
                None => return 0.0,
            }
        }
    }
}
