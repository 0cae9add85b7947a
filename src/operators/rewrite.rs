//! Rules that replace parts of a graph by parts that compute the same, with less work if a step has more examples than the tables
//! have rows.
//!
//! # Why
//! A network is described as its paper does. What is cheaper for a particular shape follows from the graph, so that the
//! description need not say it, and a test compares each rule's graph with the graph that it replaces.

use crate::graph::{Graph, Node, NodeId, Operator};
use crate::simd::TILE_ROWS;

/// Terms of a sum from which on its constants are added up first.
const LONG_SUM: usize = 8;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Attention whose query is the same for all examples, over keys that are linear in the positions: the scores are linear in
    /// the positions too, `heads` numbers for each.
    ConstantQuery,
    /// A linear map of looked-up rows is the look-up of mapped rows: the table is mapped once for all examples. The map of a sum
    /// or of a stack with such rows is mapped term by term, and a constant that is added to looked-up rows is added to the table.
    Tables,
    /// A linear map of positions one below the other is one of each position, and attention over such positions the weighted sum
    /// of their values by the scores of their keys.
    Positions,
    /// A sum with a linear map that nothing else reads is one operator: the products are added to the other terms.
    Biases,
}

impl Rule {
    /// All rules.
    pub const ALL: &[Rule] = &[Rule::ConstantQuery, Rule::Tables, Rule::Positions, Rule::Biases];
}

impl Graph {
    /// The graph after all rules.
    pub fn rewritten(&self) -> Graph {
        self.rewritten_by(Rule::ALL)
    }

    /// The graph after some rules.
    pub fn rewritten_by(&self, rules: &[Rule]) -> Graph {
        let graph = self.mapped(rules).without_unused();
        if rules.contains(&Rule::Biases) { graph.with_biases() } else { graph }
    }

    /// A graph with the parameters of this one, and other values.
    fn with_nodes(&self, nodes: Vec<Node>, output: usize) -> Graph {
        Graph { parameters: self.parameters.clone(), nodes, output, ..*self }
    }

    /// The graph whose values are computed by [`Rule::ConstantQuery`], [`Rule::Tables`] and [`Rule::Positions`].
    fn mapped(&self, rules: &[Rule]) -> Graph {
        let mut graph = self.with_nodes(vec![], 0);
        let mut new: Vec<NodeId> = vec![];
        let has = |rule: Rule| rules.contains(&rule);
        for node in &self.nodes {
            let inputs: Vec<NodeId> = node.inputs.iter().map(|input| new[input.0]).collect();
            let id = match node.operator {
                Operator::Linear if inputs.len() == 2 => graph.push_linear(inputs[0], inputs[1], rules),
                Operator::Sum if has(Rule::Tables) => graph.push_sum(inputs),
                Operator::Attention { heads, weighting } if has(Rule::ConstantQuery) => match self
                    .linear_keys(node)
                {
                    Some([x, w]) => {
                        let map = graph.push(Operator::AttentionScores { heads }, vec![new[w.0], inputs[0]]);
                        let scores = graph.push_linear(new[x.0], map, rules);
                        graph.push(Operator::WeightedSum { heads, weighting }, vec![scores, inputs[2]])
                    }
                    None => graph.push_attention(node.operator, inputs, rules),
                },
                Operator::Attention { .. } => graph.push_attention(node.operator, inputs, rules),
                Operator::Slice { first, count } => graph.slice(inputs[0], first, count),
                operator => graph.push(operator, inputs),
            };
            if node.label.is_some() {
                graph.nodes[id.0].label = node.label;
            }
            new.push(id);
        }
        graph.output = new[self.output].0;
        graph
    }

    /// The positions and the map of the keys of an attention with a constant query.
    fn linear_keys(&self, attention: &Node) -> Option<[NodeId; 2]> {
        let [query, keys, _] = attention.inputs[..] else { return None };
        let keys = self.node(keys);
        let is_constant = !self.node(query).shape.per_example;
        match keys.inputs[..] {
            [x, w] if is_constant && keys.operator == Operator::Linear => Some([x, w]),
            _ => None,
        }
    }

    /// Whether `x` consists of looked-up rows and constants, so that a linear map of it becomes look-ups in mapped tables.
    fn is_of_tables(&self, x: NodeId) -> bool {
        let node = self.node(x);
        // A value with a label must be computed.
        if node.label.is_some() {
            return false;
        }
        match node.operator {
            Operator::Lookup { .. } => true,
            Operator::Sum | Operator::Stack => {
                let can_be_mapped =
                    |input: &NodeId| !self.node(*input).shape.per_example || self.is_of_tables(*input);
                node.shape.per_example && node.inputs.iter().all(can_be_mapped)
            }
            _ => false,
        }
    }

    /// A linear map, after [`Rule::Tables`] and [`Rule::Positions`] if they are among the rules.
    fn push_linear(&mut self, x: NodeId, w: NodeId, rules: &[Rule]) -> NodeId {
        let Node { operator, inputs, shape, label } = self.node(x).clone();
        let has_tables = rules.contains(&Rule::Tables);
        if !has_tables || !self.is_of_tables(x) {
            let has_positions = operator == Operator::Stack && shape.per_example && label.is_none();
            if has_positions && rules.contains(&Rule::Positions) {
                let mapped = inputs.iter().map(|input| self.push_linear(*input, w, rules)).collect();
                return self.push(Operator::Stack, mapped);
            }
            return if has_tables { self.push_mapped_constant(x, w) } else { self.linear(x, w) };
        }
        let mapped: Vec<NodeId> = match operator {
            Operator::Lookup { .. } => {
                let table = self.push_mapped_table(inputs[0], w);
                return self.push(operator, vec![table]);
            }
            _ => inputs.iter().map(|input| self.push_linear(*input, w, rules)).collect(),
        };
        match operator {
            Operator::Sum => self.push_sum(mapped),
            _ => self.push(operator, mapped),
        }
    }

    /// Attention, after [`Rule::Positions`] if it is among the rules.
    fn push_attention(&mut self, operator: Operator, inputs: Vec<NodeId>, rules: &[Rule]) -> NodeId {
        let ([query, keys, values], Operator::Attention { heads, weighting }) = (&inputs[..], operator)
        else {
            return self.push(operator, inputs);
        };
        let keys = match self.node(*keys) {
            Node { operator: Operator::Stack, inputs, .. } => inputs.clone(),
            key if key.shape.rows == 1 => vec![*keys],
            _ => return self.push(operator, inputs),
        };
        if !rules.contains(&Rule::Positions) {
            return self.push(operator, inputs);
        }
        let scores = keys.iter().map(|key| self.push(Operator::Score { heads }, vec![*query, *key]));
        let scores: Vec<NodeId> = scores.collect();
        let scores = self.stack(&scores);
        self.push(Operator::WeightedSum { heads, weighting }, vec![scores, *values])
    }

    /// A linear map of a table. Of a table to which a row was added, table and row are mapped, so that tables that differ by a row
    /// alone share the map.
    fn push_mapped_table(&mut self, table: NodeId, w: NodeId) -> NodeId {
        let Node { operator, inputs, .. } = self.node(table).clone();
        let has_row = || inputs.iter().any(|term| self.node(*term).shape.rows == 1);
        if operator != Operator::Sum || !has_row() {
            return self.push_mapped_constant(table, w);
        }
        let mapped: Vec<NodeId> = inputs.iter().map(|term| self.push_mapped_constant(*term, w)).collect();
        self.sum(&mapped)
    }

    /// A linear map of a constant. A matrix whose rows fill one tile is mapped as a whole, which costs as much as one of its rows.
    fn push_mapped_constant(&mut self, x: NodeId, w: NodeId) -> NodeId {
        let Node { operator, inputs, shape, .. } = self.node(x).clone();
        match operator {
            Operator::Slice { first, count }
                if !shape.per_example && self.node(inputs[0]).shape.rows <= TILE_ROWS =>
            {
                let mapped = self.linear(inputs[0], w);
                self.slice(mapped, first, count)
            }
            _ => self.linear(x, w),
        }
    }

    /// A sum, in which constants are added to the table if a single row is looked up, and sums of looked-up rows are not
    /// nested.
    fn push_sum(&mut self, terms: Vec<NodeId>) -> NodeId {
        let summands = |term: &NodeId| match self.node(*term) {
            sum if sum.operator == Operator::Sum && self.is_of_tables(*term) => sum.inputs.clone(),
            _ => vec![*term],
        };
        let terms: Vec<NodeId> = terms.iter().flat_map(summands).collect();
        let (varying, fixed): (Vec<_>, Vec<_>) =
            terms.iter().copied().partition(|term| self.node(*term).shape.per_example);
        let is_row = |term: &NodeId| self.node(*term).shape.rows == 1;
        if let [only] = varying[..]
            && let Operator::Lookup { .. } = self.node(only).operator
            && fixed.iter().all(is_row)
        {
            let Node { operator, inputs, .. } = self.node(only).clone();
            let table = self.sum(&[inputs, fixed].concat());
            return self.push(operator, vec![table]);
        }
        // Constants of a long sum are one term, so that a map of the sum has fewer.
        if terms.len() > LONG_SUM && fixed.len() > 1 {
            let fixed = self.sum(&fixed);
            return self.sum(&[varying, vec![fixed]].concat());
        }
        self.sum(&terms)
    }

    /// The graph without values on which the output does not depend; parameters stay.
    fn without_unused(&self) -> Graph {
        let mut is_used: Vec<bool> =
            self.nodes.iter().map(|node| matches!(node.operator, Operator::Parameter(_))).collect();
        is_used[self.output] = true;
        for (number, node) in self.nodes.iter().enumerate().rev() {
            if is_used[number] {
                node.inputs.iter().for_each(|input| is_used[input.0] = true);
            }
        }
        let mut numbers = vec![0; self.nodes.len()];
        let mut nodes: Vec<Node> = vec![];
        for (number, node) in self.nodes.iter().enumerate().filter(|(number, _)| is_used[*number]) {
            numbers[number] = nodes.len();
            let inputs = node.inputs.iter().map(|input| NodeId(numbers[input.0])).collect();
            nodes.push(Node { inputs, ..node.clone() });
        }
        self.with_nodes(nodes, numbers[self.output])
    }

    /// The graph in which sums with a linear map are one operator.
    fn with_biases(mut self) -> Graph {
        let consumers = self.consumers();
        for number in 0..self.nodes.len() {
            let sum = self.nodes[number].clone();
            if sum.operator != Operator::Sum {
                continue;
            }
            let is_merged = |term: &&NodeId| {
                let node = self.node(**term);
                node.operator == Operator::Linear
                    && node.shape == sum.shape
                    && consumers[term.0].len() == 1
                    && node.label.is_none()
            };
            let Some(linear) = sum.inputs.iter().find(is_merged).copied() else { continue };
            let mut inputs = self.node(linear).inputs.clone();
            inputs.extend(sum.inputs.iter().filter(|term| **term != linear));
            self.nodes[number] = Node { operator: Operator::Linear, inputs, ..sum };
        }
        self.without_unused()
    }
}
