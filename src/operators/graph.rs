//! Networks as graphs of operators.
//!
//! A value is a matrix: `[positions of the example, components]` if it depends on the example, else a parameter or what follows
//! from parameters alone, which is computed once for all examples of a step.

use std::borrow::Cow;

use crate::pointwise::Function;
use crate::weighted_sum::Weighting;

/// A value of a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

impl NodeId {
    /// Number of the value in [`Graph::nodes`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// Computes a value; each kind has a module with its formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// The parameter of this number.
    Parameter(usize),
    /// The numbers of the example, with a row for each of its positions.
    Input,
    /// The rows of a table that consecutive symbols of the example name: [`lookup`](crate::lookup).
    Lookup {
        /// Number of the first of these symbols in the example.
        symbol: usize,
        /// Number of symbols.
        count: usize,
    },
    /// Consecutive rows: [`slice`](crate::slice).
    Slice {
        /// First row.
        first: usize,
        /// Number of rows.
        count: usize,
    },
    /// Values one below the other: [`stack`](crate::stack).
    Stack,
    /// A linear map of the first value by the second, added to the others: [`linear`](crate::linear).
    Linear,
    /// [`sum`](crate::sum).
    Sum,
    /// The product of the components of each row: [`product`](crate::product).
    Product,
    /// The block-diagonal matrix of a column: [`block_diagonal`](crate::block_diagonal).
    BlockDiagonal {
        /// Number of blocks.
        blocks: usize,
    },
    /// A function of each number: [`pointwise`](crate::pointwise).
    Pointwise(Function),
    /// The first value normalized, times the second, plus the third: [`layer_norm`](crate::layer_norm).
    LayerNorm,
    /// States of gated recurrent units: [`gru`](crate::gru).
    RecurrentUnits,
    /// Attention of a query over keys and values: [`attention`](crate::attention).
    Attention {
        /// Number of heads.
        heads: usize,
        /// How scores become weights.
        weighting: Weighting,
    },
    /// Attention of each position of queries, keys and values: [`self_attention`](crate::self_attention).
    SelfAttention {
        /// Number of heads.
        heads: usize,
        /// How scores become weights.
        weighting: Weighting,
        /// Whether a position attends to itself and those before it alone.
        is_causal: bool,
    },
    /// The attention score of a query with a key: [`score`](crate::score).
    Score {
        /// Number of heads.
        heads: usize,
    },
    /// The map from positions to scores of a constant query: [`attention_scores`](crate::attention_scores).
    AttentionScores {
        /// Number of heads.
        heads: usize,
    },
    /// The mean of values weighted by scores: [`weighted_sum`](crate::weighted_sum).
    WeightedSum {
        /// Number of heads.
        heads: usize,
        /// How scores become weights.
        weighting: Weighting,
    },
}

/// Rows and columns of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Positions of an example, or rows of a matrix that is the same for all examples.
    pub rows: usize,
    /// Components.
    pub columns: usize,
    /// Whether the value differs from example to example.
    pub per_example: bool,
}

/// A value, and the operator that computes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Operator that computes the value.
    pub operator: Operator,
    /// Values that enter, in the order of the operator's formula.
    pub inputs: Vec<NodeId>,
    /// Rows and columns of the value.
    pub shape: Shape,
    /// Name under which probes find it.
    pub label: Option<&'static str>,
}

/// A matrix of weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Permanent name, used in files.
    pub name: Cow<'static, str>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Mean of the initial values, which are normal.
    pub mean: f32,
    /// Standard deviation of the initial values; 0 where all are equal, and where the network draws its initial values in another
    /// way.
    pub deviation: f32,
    /// Whether training changes the parameter.
    pub is_trained: bool,
}

/// Examples one after the other, or a single one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Examples<'a> {
    /// Symbols, as many for each example.
    pub symbols: &'a [u32],
    /// Numbers, as many for each example.
    pub numbers: &'a [f32],
}

impl<'a> Examples<'a> {
    /// Examples that consist of numbers alone.
    pub fn of_numbers(numbers: &'a [f32]) -> Self {
        Examples { numbers, symbols: &[] }
    }
}

impl<'a, S: AsRef<[u32]> + ?Sized> From<&'a S> for Examples<'a> {
    fn from(symbols: &'a S) -> Self {
        Examples { symbols: symbols.as_ref(), numbers: &[] }
    }
}

/// Multiplications of a pass through the network, and numbers that look-ups read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Once for all examples.
    pub fixed: u64,
    /// For each example.
    pub example: u64,
}

/// A network.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Symbols of an example.
    pub(crate) symbols: usize,
    /// Numbers of an example.
    pub(crate) numbers: usize,
    /// Positions among which these numbers are divided.
    pub(crate) positions: usize,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) output: usize,
}

impl Graph {
    /// A graph without values, on examples of so many symbols.
    pub fn new(symbols: usize) -> Self {
        Graph { symbols, numbers: 0, positions: 1, parameters: vec![], nodes: vec![], output: 0 }
    }

    /// A graph without values, on examples of so many numbers.
    pub fn on_numbers(numbers: usize) -> Self {
        Graph { numbers, ..Graph::new(0) }
    }

    /// A graph without values, on examples of so many positions with as many numbers each.
    pub fn on_positions(positions: usize, numbers: usize) -> Self {
        Graph { numbers: positions * numbers, positions, ..Graph::new(0) }
    }

    /// Symbols and numbers of an example.
    pub fn example_lengths(&self) -> [usize; 2] {
        [self.symbols, self.numbers]
    }

    /// The parameters in their permanent order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The values, each after those that enter it.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The output.
    pub fn output(&self) -> &Node {
        &self.nodes[self.output]
    }

    /// Rows and columns of a value.
    pub fn shape_of(&self, id: NodeId) -> Shape {
        self.node(id).shape
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// A new parameter `[rows, columns]` with normal initial values of this standard deviation.
    pub fn parameter(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        [rows, columns]: [usize; 2],
        deviation: f32,
    ) -> NodeId {
        let own = Parameter { name: name.into(), rows, columns, mean: 0.0, deviation, is_trained: true };
        self.parameters.push(own);
        self.push(Operator::Parameter(self.parameters.len() - 1), vec![])
    }

    /// A new parameter `[1, columns]` that is initially 1 in each column.
    pub fn ones(&mut self, name: impl Into<Cow<'static, str>>, columns: usize) -> NodeId {
        let ones = self.parameter(name, [1, columns], 0.0);
        self.parameters.iter_mut().last().into_iter().for_each(|own| own.mean = 1.0);
        ones
    }

    /// Excludes parameter `which` from training.
    pub fn freeze(&mut self, which: usize) {
        self.parameters[which].is_trained = false;
    }

    /// The numbers of the example, `[positions, numbers of each]`.
    pub fn input(&mut self) -> NodeId {
        self.push(Operator::Input, vec![])
    }

    /// The row of `table` that symbol number `symbol` of the example names.
    pub fn lookup(&mut self, table: NodeId, symbol: usize) -> NodeId {
        self.push(Operator::Lookup { symbol, count: 1 }, vec![table])
    }

    /// The rows of `table` that all symbols of the example name, one below the other.
    pub fn lookup_all(&mut self, table: NodeId) -> NodeId {
        self.push(Operator::Lookup { symbol: 0, count: self.symbols }, vec![table])
    }

    /// `count` rows of `x` from row `first` on.
    pub fn slice(&mut self, x: NodeId, first: usize, count: usize) -> NodeId {
        let Node { operator, inputs, shape, .. } = self.node(x);
        if first == 0 && count == shape.rows {
            return x;
        }
        // Of a stack of single rows, the rows themselves.
        if *operator == Operator::Stack && inputs.len() == shape.rows {
            let parts = inputs[first..first + count].to_vec();
            return self.stack(&parts);
        }
        self.push(Operator::Slice { first, count }, vec![x])
    }

    /// Values one below the other.
    pub fn stack(&mut self, parts: &[NodeId]) -> NodeId {
        match parts {
            [part] => *part,
            _ => self.push(Operator::Stack, parts.to_vec()),
        }
    }

    /// x w.
    pub fn linear(&mut self, x: NodeId, w: NodeId) -> NodeId {
        self.push(Operator::Linear, vec![x, w])
    }

    /// The sum of values.
    pub fn sum(&mut self, terms: &[NodeId]) -> NodeId {
        match terms {
            [term] => *term,
            _ => self.push(Operator::Sum, terms.to_vec()),
        }
    }

    /// The product of the components of each row.
    pub fn product(&mut self, x: NodeId) -> NodeId {
        self.push(Operator::Product, vec![x])
    }

    /// The block-diagonal matrix `[rows, blocks]` of a column.
    pub fn block_diagonal(&mut self, column: NodeId, blocks: usize) -> NodeId {
        self.push(Operator::BlockDiagonal { blocks }, vec![column])
    }

    /// max(0, x).
    pub fn relu(&mut self, x: NodeId) -> NodeId {
        self.pointwise(x, Function::Relu)
    }

    /// σ(x).
    pub fn pointwise(&mut self, x: NodeId, function: Function) -> NodeId {
        self.push(Operator::Pointwise(function), vec![x])
    }

    /// Each row of `x` less its mean, divided by its standard deviation, times `gain`, plus `shift`.
    pub fn layer_norm(&mut self, x: NodeId, gain: NodeId, shift: NodeId) -> NodeId {
        self.push(Operator::LayerNorm, vec![x, gain, shift])
    }

    /// The states of gated recurrent units, which read the inputs `a` of their gates position by position, with recurrent weights
    /// `w` and their biases.
    pub fn gru(&mut self, a: NodeId, w: NodeId, bias: NodeId) -> NodeId {
        self.push(Operator::RecurrentUnits, vec![a, w, bias])
    }

    /// Attention of `query` over positions with these keys and values.
    pub fn attention(
        &mut self,
        [query, keys, values]: [NodeId; 3],
        heads: usize,
        weighting: Weighting,
    ) -> NodeId {
        self.push(Operator::Attention { heads, weighting }, vec![query, keys, values])
    }

    /// Attention of each position with these queries, keys and values.
    ///
    /// `all` are queries, keys and values, and for causal attention the vectors of distances too, if keys have any.
    pub fn self_attention(
        &mut self,
        all: &[NodeId],
        heads: usize,
        weighting: Weighting,
        is_causal: bool,
    ) -> NodeId {
        self.push(Operator::SelfAttention { heads, weighting, is_causal }, all.to_vec())
    }

    /// Gives a value the name under which probes find it.
    pub fn label(&mut self, node: NodeId, label: &'static str) {
        self.nodes[node.0].label = Some(label);
    }

    /// Makes a value the output.
    pub fn set_output(&mut self, node: NodeId) {
        self.output = node.0;
    }

    /// Appends a value, or returns the one that is computed in the same way.
    pub(crate) fn push(&mut self, operator: Operator, inputs: Vec<NodeId>) -> NodeId {
        if let Some(existing) =
            self.nodes.iter().position(|node| node.operator == operator && node.inputs == inputs)
        {
            return NodeId(existing);
        }
        let shape = self.shape(operator, &inputs);
        self.nodes.push(Node { operator, inputs, shape, label: None });
        NodeId(self.nodes.len() - 1)
    }

    /// # Panics
    /// If the shapes of the inputs do not fit the operator.
    fn shape(&self, operator: Operator, inputs: &[NodeId]) -> Shape {
        let of = |number: usize| self.node(inputs[number]).shape;
        let all = || inputs.iter().map(|input| self.node(*input).shape);
        let fits = match operator {
            Operator::Parameter(_) | Operator::Input | Operator::Pointwise(_) => true,
            Operator::Product => of(0).columns > 0,
            Operator::BlockDiagonal { blocks } => {
                of(0).columns == 1 && !of(0).per_example && (1..=of(0).rows).contains(&blocks)
            }
            Operator::Lookup { symbol, count } => {
                count > 0 && symbol + count <= self.symbols && !of(0).per_example
            }
            Operator::Slice { first, count } => first + count <= of(0).rows,
            Operator::Stack => all().all(|shape| shape.columns == of(0).columns),
            Operator::Linear => of(0).columns == of(1).rows && !of(1).per_example,
            Operator::Sum => {
                let rows = all().map(|shape| shape.rows).max();
                all().all(|shape| {
                    shape.columns == of(0).columns && (shape.rows == 1 || Some(shape.rows) == rows)
                })
            }
            Operator::Attention { heads, .. } => {
                let columns = [0, 1, 2].map(|input| of(input).columns);
                of(0).rows == 1
                    && of(1).rows == of(2).rows
                    && columns.iter().all(|c| *c == columns[0] && c % heads == 0)
            }
            Operator::LayerNorm => {
                let row = Shape { rows: 1, columns: of(0).columns, per_example: false };
                of(1) == row && of(2) == row
            }
            Operator::RecurrentUnits => {
                let units = of(1).rows;
                let [weights, bias] =
                    [units, 1].map(|rows| Shape { rows, columns: 3 * units, per_example: false });
                of(0).per_example && of(0).columns == 3 * units && of(1) == weights && of(2) == bias
            }
            Operator::SelfAttention { heads, is_causal, .. } => {
                let distances = Shape { per_example: false, ..of(0) };
                let has_distances = inputs.len() == 4 && is_causal && of(3) == distances;
                all().take(3).all(|shape| shape == of(0))
                    && (inputs.len() == 3 || has_distances)
                    && of(0).per_example
                    && of(0).columns % heads == 0
            }
            Operator::Score { heads } => {
                let [query, key] = [of(0), of(1)];
                query.rows == 1 && key.rows == 1 && query.columns == key.columns && key.columns % heads == 0
            }
            Operator::AttentionScores { heads } => {
                let [w, query] = [of(0), of(1)];
                query.rows == 1
                    && w.columns == query.columns
                    && w.columns % heads == 0
                    && !w.per_example
                    && !query.per_example
            }
            Operator::WeightedSum { heads, .. } => {
                of(0).columns == heads && of(0).rows == of(1).rows && of(1).columns % heads == 0
            }
        };
        assert!(fits, "the inputs of {operator:?} have other shapes: {:?}", all().collect::<Vec<_>>());
        let per_example = all().any(|shape| shape.per_example);
        let (rows, columns) = match operator {
            Operator::Parameter(number) => (self.parameters[number].rows, self.parameters[number].columns),
            Operator::Input => {
                let columns = self.numbers / self.positions;
                return Shape { rows: self.positions, columns, per_example: true };
            }
            Operator::Lookup { count, .. } => {
                return Shape { rows: count, columns: of(0).columns, per_example: true };
            }
            Operator::Slice { count, .. } => (count, of(0).columns),
            Operator::Stack => (all().map(|shape| shape.rows).sum(), of(0).columns),
            Operator::Linear => (of(0).rows, of(1).columns),
            Operator::Sum => (all().map(|shape| shape.rows).max().unwrap_or(1), of(0).columns),
            Operator::Pointwise(_) | Operator::LayerNorm | Operator::SelfAttention { .. } => {
                (of(0).rows, of(0).columns)
            }
            Operator::RecurrentUnits => (of(0).rows, of(1).rows),
            Operator::Product => (of(0).rows, 1),
            Operator::BlockDiagonal { blocks } => (of(0).rows, blocks),
            Operator::Score { heads } => (1, heads),
            Operator::Attention { .. } => (of(0).rows, of(2).columns),
            Operator::AttentionScores { heads } => (of(0).rows, heads),
            Operator::WeightedSum { .. } => (1, of(1).columns),
        };
        Shape { rows, columns, per_example }
    }

    /// Cost of a forward pass of the graph as it is.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for node in &self.nodes {
            let input = |number: usize| self.node(node.inputs[number]).shape;
            let factors = match node.operator {
                Operator::Linear => [node.shape.rows, input(0).columns, node.shape.columns],
                // The exponentials of the gates of a unit cost about as much as 16 products.
                Operator::RecurrentUnits => [node.shape.rows, input(1).rows, input(1).columns + 16],
                Operator::Attention { .. } => [2, input(1).rows, input(1).columns],
                Operator::WeightedSum { .. } => [1, input(1).rows, input(1).columns],
                Operator::AttentionScores { .. } | Operator::Score { .. } => {
                    [1, input(0).rows, input(0).columns]
                }
                // Products with keys, values, and vectors of distances if there are any.
                Operator::SelfAttention { .. } => {
                    [(node.inputs.len() - 1) * input(0).rows, input(0).rows, input(0).columns]
                }
                Operator::Lookup { .. } => [1, node.shape.rows, node.shape.columns],
                _ => continue,
            };
            let product = factors.iter().fold(1u64, |product, factor| product.saturating_mul(*factor as u64));
            let total = if node.shape.per_example { &mut cost.example } else { &mut cost.fixed };
            *total = total.saturating_add(product);
        }
        cost
    }

    /// Largest number of components that a value of one example has; stacks take no memory.
    pub fn widest(&self) -> usize {
        let width = |node: &Node| match node.operator {
            Operator::Stack => 0,
            // Its weights too.
            Operator::WeightedSum { heads, .. } => {
                node.shape.columns.max(heads * self.node(node.inputs[0]).shape.rows)
            }
            Operator::SelfAttention { heads, .. } => {
                node.shape.rows * node.shape.columns.max(heads * node.shape.rows)
            }
            _ => node.shape.columns * node.shape.rows,
        };
        self.nodes.iter().filter(|node| node.shape.per_example).map(width).max().unwrap_or(1)
    }

    /// Number of components of all values of one example together.
    pub fn values(&self) -> u64 {
        let size = |node: &Node| match node.operator {
            Operator::Stack => 0,
            // Autodiff keeps about twelve numbers for each unit: c and the thirds of a and c, the gates, and the terms of the state.
            Operator::RecurrentUnits => 12 * node.shape.rows * node.shape.columns,
            Operator::SelfAttention { heads, .. } => {
                let scores = if node.inputs.len() > 3 { 6 } else { 2 };
                node.shape.rows * (node.shape.columns + scores * heads * node.shape.rows)
            }
            _ => node.shape.rows * node.shape.columns,
        };
        let all = self.nodes.iter().filter(|node| node.shape.per_example);
        all.map(|node| size(node) as u64).fold(0, u64::saturating_add)
    }

    /// For each value, whether it depends on a trained parameter.
    #[cfg(feature = "train")]
    pub(crate) fn depends_on_trained(&self) -> Vec<bool> {
        let mut depends: Vec<bool> = vec![];
        for node in &self.nodes {
            depends.push(match node.operator {
                Operator::Parameter(which) => self.parameters[which].is_trained,
                _ => node.inputs.iter().any(|input| depends[input.0]),
            });
        }
        depends
    }

    /// For each value, the values that it enters.
    pub(crate) fn consumers(&self) -> Vec<Vec<usize>> {
        let mut consumers = vec![vec![]; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            node.inputs.iter().for_each(|input| consumers[input.0].push(number));
        }
        consumers
    }
}
