//! A graph as PyTorch code: the functions `initial` and `forward` of a script.
//!
//! # Why
//! From the graph as the network describes it, before any rule: a reader of the script wants the formulas of the paper. A value
//! that is read once is written where it is read; only the others have names.

use std::fmt::Write;

use crate::graph::{Graph, NodeId, Operator};
use crate::weighted_sum::Weighting;

/// Attention of one query, as a function of the script; `weights` makes weights of scores `[replicas, batch, positions, heads]`.
const ATTENTION: &str = "\
def attention(query, keys, values, heads, weights):
    q = query.unflatten(-1, (heads, -1)).unsqueeze(2)  # [replicas, batch or 1, 1, heads, size]
    k, v = keys.unflatten(-1, (heads, -1)), values.unflatten(-1, (heads, -1))  # [replicas, batch, positions, heads, size]
    scores = (q * k).sum(-1) / math.sqrt(k.shape[-1])
    return (weights(scores).unsqueeze(-1) * v).sum(2).flatten(2)


";

/// Layer norm, as a function of the script; gain and shift are `[replicas, 1, components]`.
const LAYER_NORM: &str = "\
def layer_norm(x, gain, shift):
    return functional.layer_norm(x, x.shape[-1:], eps=1e-5) * gain + shift


";

/// Block-diagonal matrix of a column, as a function of the script.
const BLOCK_DIAGONAL: &str = "\
def block_diagonal(column, blocks):
    rows = column.shape[1]
    starts = torch.arange(blocks + 1) * rows // blocks
    row = torch.arange(rows)[:, None]
    return column * ((starts[:-1] <= row) & (row < starts[1:]))  # [replicas, rows, blocks]


";

/// Rows of a table for all symbols of an example, as a function of the script.
const LOOK_UP: &str = "\
def look_up(x, table):
    hot = functional.one_hot(x.long(), table.shape[1]).to(table.dtype)
    return hot @ table[:, None]  # [replicas, batch, positions, components]


";

/// Attention of each position, as a function of the script.
const SELF_ATTENTION: &str = "\
def self_attention(query, keys, values, heads, weighting, is_causal, distances=None):
    q, k, v = (x.unflatten(-1, (heads, -1)).transpose(2, 3) for x in (query, keys, values))
    scores = q @ k.transpose(3, 4)  # [replicas, batch, heads, positions, positions]
    if distances is not None:
        # The key at position j, seen from i, has the vector of the distance i - j added.
        r = distances.unflatten(-1, (heads, -1)).transpose(1, 2)[:, None]  # [replicas, 1, heads, positions, size]
        at = torch.arange(scores.shape[-1])
        distance = (at[:, None] - at).clamp(min=0).expand(scores.shape)
        scores = scores + (q @ r.transpose(3, 4)).gather(-1, distance)
    scores = scores / math.sqrt(k.shape[-1])
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1) & is_causal
    if weighting == \"softmax\":
        weights = scores.masked_fill(hidden, -math.inf).softmax(-1)
    else:
        weights = torch.relu(scores).masked_fill(hidden, 0) / (~hidden).sum(-1, keepdim=True)
    return (weights @ v).transpose(2, 3).flatten(3)


";

/// States of gated recurrent units, as a function of the script; `a` is `[replicas, batch, positions, 3 units]`.
const GRU: &str = "\
def gru(a, weights, bias):
    state, states = a.new_zeros(*a.shape[:2], weights.shape[1]), []
    for a_t in a.unbind(2):
        a_r, a_u, a_n = a_t.chunk(3, -1)
        c_r, c_u, c_n = (state @ weights + bias).chunk(3, -1)
        r, u = torch.sigmoid(a_r + c_r), torch.sigmoid(a_u + c_u)
        state = (1 - u) * torch.tanh(a_n + r * c_n) + u * state
        states.append(state)
    return torch.stack(states, 2)


";

/// Positions one below the other, as a function of the script.
const STACK: &str = "\
def stack(*rows):
    return torch.stack(torch.broadcast_tensors(*rows), 2)  # [replicas, batch, positions, components]


";

/// Parts of a script that do not follow from the graph.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptContext<'a> {
    /// Whether the script has another function `initial`.
    pub has_initial: bool,
    /// Of a network on several positions with one output each: the expression of its input, `[replicas or 1, batch, positions,
    /// numbers]`, in the parameters `p` and the examples `x`, and the distance between positions whose outputs are predictions.
    pub positions: Option<(&'a str, usize)>,
    /// Parameters with initial values that are not normal: name, and expression of the values.
    pub initial: &'a [(&'a str, &'a str)],
}

/// The functions `initial`, which returns a dictionary of parameters, and `forward(p, x)`, which returns the outputs for examples
/// `x`. The script has `one_hot(x, symbol)`, `REPLICAS` and the shapes of the parameters in `S["shapes"]`.
pub fn functions(graph: &Graph, context: ScriptContext<'_>) -> String {
    let has = |kind: fn(&Operator) -> bool| graph.nodes.iter().any(|node| kind(&node.operator));
    let mut code = String::new();
    if has(|operator| *operator == Operator::Stack) {
        code += STACK;
    }
    if has(|operator| matches!(operator, Operator::Attention { .. })) {
        code += ATTENTION;
    }
    if has(|operator| matches!(operator, Operator::BlockDiagonal { .. })) {
        code += BLOCK_DIAGONAL;
    }
    if has(|operator| matches!(operator, Operator::Lookup { count: 2.., .. })) {
        code += LOOK_UP;
    }
    if has(|operator| matches!(operator, Operator::SelfAttention { .. })) {
        code += SELF_ATTENTION;
    }
    if has(|operator| *operator == Operator::RecurrentUnits) {
        code += GRU;
    }
    if has(|operator| *operator == Operator::LayerNorm) {
        code += LAYER_NORM;
    }
    let mut functions: Vec<&str> = vec![];
    for node in &graph.nodes {
        if let Operator::Pointwise(function) = node.operator
            && !functions.contains(&function.python_definition())
        {
            functions.push(function.python_definition());
        }
    }
    code += &functions.concat();
    if !context.has_initial {
        write_initial(graph, context.initial, &mut code);
    }
    code += "def forward(p, x):\n";
    if let Some((input, _)) = context.positions {
        // Writing to a string does not fail.
        let _ = writeln!(code, "    x = {input}");
    }
    let mut writer = Writer { graph, names: vec![None; graph.nodes.len()] };
    let consumers = graph.consumers();
    let mut count = 0;
    for (number, node) in graph.nodes.iter().enumerate() {
        let is_parameter = matches!(node.operator, Operator::Parameter(_));
        if consumers[number].len() > 1 && !is_parameter {
            let value = writer.value(NodeId(number));
            let name = format!("v{count}");
            let _ = writeln!(code, "    {name} = {value}");
            writer.names[number] = Some(name);
            count += 1;
        }
    }
    // The positions of all examples one below the other.
    let has_positions = graph.output().shape.rows > 1;
    let output =
        if has_positions { writer.factor(NodeId(graph.output)) } else { writer.value(NodeId(graph.output)) };
    let end = match context.positions {
        Some((_, 1)) => "[..., 0]".to_string(),
        Some((_, distance)) => format!("[..., ::{distance}, 0]"),
        None if has_positions => ".flatten(1, 2)".into(),
        None => String::new(),
    };
    let _ = write!(code, "    return {output}{end}");
    code
}

/// Writes the function `initial`, which draws normal parameters, and `others` by their expressions.
fn write_initial(graph: &Graph, others: &[(&str, &str)], code: &mut String) {
    *code += "# Standard deviations of the initial parameters\nDEVIATIONS = {\n";
    let is_normal = |name: &str| others.iter().all(|(other, _)| *other != name);
    for parameter in graph.parameters.iter().filter(|own| is_normal(&own.name)) {
        let _ = writeln!(code, "    \"{}\": {},", parameter.name, parameter.deviation);
    }
    *code += "}\n";
    let ones = graph.parameters.iter().filter(|parameter| parameter.mean != 0.0);
    let means: Vec<String> = ones.map(|own| format!("\"{}\": {}", own.name, own.mean)).collect();
    let mean = if means.is_empty() { "" } else { "MEANS.get(name, 0) + " };
    if !means.is_empty() {
        let _ = writeln!(code, "# Their means, where they are not 0\nMEANS = {{{}}}", means.join(", "));
    }
    let others: String = others.iter().map(|(name, values)| format!(" | {{\"{name}\": {values}}}")).collect();
    let _ = write!(
        code,
        "\n\ndef initial():\n    shapes = S[\"shapes\"]\n    return {{name: {mean}deviation * torch.randn(REPLICAS, \
         *shapes[name]) for name, deviation in DEVIATIONS.items()}}{others}\n\n\n"
    );
}

/// Writes values as Python expressions.
struct Writer<'a> {
    graph: &'a Graph,
    /// Names of values that are variables.
    names: Vec<Option<String>>,
}

impl Writer<'_> {
    fn value(&self, id: NodeId) -> String {
        if let Some(name) = &self.names[id.0] {
            return name.clone();
        }
        let node = self.graph.node(id);
        let input = |number: usize| self.value(node.inputs[number]);
        let factor = |number: usize| self.factor(node.inputs[number]);
        let list =
            |from: usize| node.inputs[from..].iter().map(|input| self.value(*input)).collect::<Vec<_>>();
        // Parameters that are added to positions have an axis for the examples.
        let has_positions = node.shape.per_example && node.shape.rows > 1;
        let term = |term: &NodeId| match has_positions && !self.graph.node(*term).shape.per_example {
            true => format!("{}[:, None]", self.factor(*term)),
            false => self.value(*term),
        };
        let terms = |from: usize| node.inputs[from..].iter().map(term).collect::<Vec<_>>();
        match node.operator {
            Operator::Input => "x".into(),
            Operator::Parameter(number) => format!("p[\"{}\"]", self.graph.parameters[number].name),
            Operator::Lookup { symbol, count: 1 } => format!("one_hot(x, {symbol}) @ {}", factor(0)),
            Operator::Lookup { .. } => format!("look_up(x, {})", input(0)),
            Operator::Slice { first, count } => format!("{}[:, {first}:{}]", factor(0), first + count),
            Operator::Stack => format!("stack({})", list(0).join(", ")),
            Operator::Linear => {
                // Weights of positions have an axis for the examples.
                let x = self.graph.node(node.inputs[0]).shape;
                let axis = if x.per_example && x.rows > 1 { "[:, None]" } else { "" };
                let product = format!("{} @ {}{axis}", factor(0), factor(1));
                [vec![product], terms(2)].concat().join(" + ")
            }
            Operator::Sum => terms(0).join(" + "),
            Operator::Product => format!("{}.prod(-1, keepdim=True)", factor(0)),
            Operator::BlockDiagonal { blocks } => format!("block_diagonal({}, {blocks})", input(0)),
            Operator::Pointwise(function) => function.python(&input(0)),
            Operator::Attention { heads, weighting } => {
                let weights = match weighting {
                    Weighting::Softmax => "lambda s: s.softmax(2)",
                    Weighting::Relu => "lambda s: torch.relu(s) / s.shape[2]",
                };
                // A single position has no axis of its own.
                let is_single = |number: usize| self.graph.node(node.inputs[number]).shape.rows == 1;
                let of_positions = |number: usize| match is_single(number) {
                    true => format!("{}.unsqueeze(2)", factor(number)),
                    false => input(number),
                };
                let [keys, values] = [1, 2].map(of_positions);
                format!("attention({}, {keys}, {values}, {heads}, {weights})", input(0))
            }
            Operator::SelfAttention { heads, weighting, is_causal } => {
                let name = if weighting == Weighting::Softmax { "softmax" } else { "relu" };
                let is_causal = if is_causal { "True" } else { "False" };
                let all = list(0);
                let distances = all[3..].iter().map(|distances| format!(", {distances}"));
                let distances: String = distances.collect();
                format!(
                    "self_attention({}, {heads}, \"{name}\", {is_causal}{distances})",
                    all[..3].join(", ")
                )
            }
            Operator::RecurrentUnits => format!("gru({})", list(0).join(", ")),
            Operator::LayerNorm => {
                let all = [vec![input(0)], terms(1)].concat();
                format!("layer_norm({})", all.join(", "))
            }
            Operator::Score { .. } | Operator::AttentionScores { .. } | Operator::WeightedSum { .. } => {
                unreachable!("scripts are written from graphs before any rule")
            }
        }
    }

    /// A value as a factor of a product: in parentheses if it is a sum or a product.
    fn factor(&self, id: NodeId) -> String {
        let value = self.value(id);
        let is_sum = self.names[id.0].is_none()
            && matches!(
                self.graph.node(id).operator,
                Operator::Sum | Operator::Linear | Operator::Lookup { .. }
            );
        if is_sum { format!("({value})") } else { value }
    }
}
