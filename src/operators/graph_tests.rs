//! Each operator by itself, on shapes at random: gradients of the reference against differences of its loss, the executor in
//! vectors against the reference, and each rule against the graph that it replaces.

use crate::graph::{Graph, NodeId, Operator};
use crate::pytorch::ScriptContext;
use crate::reference::Reference;
use crate::rewrite::Rule;
use crate::simd::{BLOCK, LANES, Row};
use crate::weighted_sum::Weighting;
use crate::{Executor, cross_entropy};

/// Numbers at random, the same in every run: splitmix64.
pub(crate) struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    pub(crate) fn size(&mut self, low: usize, high: usize) -> usize {
        low + (self.bits() % (high - low + 1) as u64) as usize
    }

    /// Between −1 and 1.
    pub(crate) fn number(&mut self) -> f64 {
        self.bits() as f64 / u64::MAX as f64 * 2.0 - 1.0
    }
}

/// A graph on pairs of symbols.
pub(crate) struct Case {
    pub name: &'static str,
    pub graph: Graph,
    pub symbols: usize,
}

/// A graph for each operator, whose sizes are drawn.
pub(crate) fn cases(random: &mut Random) -> Vec<Case> {
    let mut cases = vec![];
    for (name, build) in BUILDERS {
        let mut graph = Graph::new(2);
        let symbols = random.size(2, 20);
        let output = build(&mut graph, symbols, random);
        graph.set_output(output);
        cases.push(Case { name, graph, symbols });
    }
    cases
}

type Build = fn(&mut Graph, usize, &mut Random) -> NodeId;

const BUILDERS: [(&str, Build); 11] = [
    ("lookup", |graph, symbols, random| {
        let classes = random.size(2, 40);
        let table = graph.parameter("table", [symbols, classes], 1.0);
        let bias = graph.parameter("bias", [1, classes], 1.0);
        let both = [graph.lookup(table, 0), graph.lookup(table, 1), bias];
        graph.sum(&both)
    }),
    ("slice", |graph, symbols, random| {
        let (inputs, classes) = (random.size(1, 20), random.size(2, 40));
        let table = graph.parameter("table", [symbols, inputs], 1.0);
        let w = graph.parameter("w", [2 * inputs, classes], 1.0);
        let maps = [graph.slice(w, 0, inputs), graph.slice(w, inputs, inputs)];
        let mapped = [0, 1].map(|at| {
            let row = graph.lookup(table, at);
            graph.linear(row, maps[at])
        });
        graph.sum(&mapped)
    }),
    ("linear", |graph, symbols, random| {
        let sizes = [symbols, random.size(1, 50), random.size(1, 50), random.size(2, 40)];
        let [table, w, u] = [0, 1, 2].map(|at| graph.parameter("w", [sizes[at], sizes[at + 1]], 1.0));
        let bias = graph.parameter("bias", [1, sizes[2]], 1.0);
        let row = graph.lookup(table, 1);
        let x = graph.linear(row, w);
        let x = graph.sum(&[x, bias]);
        let x = graph.relu(x);
        graph.linear(x, u)
    }),
    ("residual", |graph, symbols, random| {
        let (size, hidden, classes) = (random.size(1, 40), random.size(1, 40), random.size(2, 20));
        let table = graph.parameter("table", [symbols, size], 1.0);
        let [w, u, v] =
            [[size, hidden], [hidden, size], [size, classes]].map(|shape| graph.parameter("w", shape, 1.0));
        let bias = graph.parameter("bias", [1, size], 1.0);
        let both = [graph.lookup(table, 0), graph.lookup(table, 1)];
        let z = graph.sum(&both);
        let z = graph.relu(z);
        let h = graph.linear(z, w);
        let h = graph.relu(h);
        let h = graph.linear(h, u);
        let y = graph.sum(&[z, h, bias]);
        graph.linear(y, v)
    }),
    ("relu", |graph, symbols, random| {
        let classes = random.size(2, 40);
        let table = graph.parameter("table", [symbols, classes], 1.0);
        let both = [graph.lookup(table, 0), graph.lookup(table, 1)];
        let x = graph.sum(&both);
        let h = graph.relu(x);
        graph.sum(&[x, h])
    }),
    ("attention_scores", |graph, symbols, random| {
        let (heads, size, classes) = (random.size(1, 20), random.size(1, 20), random.size(2, 30));
        let w = graph.parameter("w", [classes, heads * size], 1.0);
        let query = graph.parameter("query", [1, heads * size], 1.0);
        let map = graph.push(Operator::AttentionScores { heads }, vec![w, query]);
        let table = graph.parameter("table", [symbols, classes], 1.0);
        let row = graph.lookup(table, 0);
        let x = graph.linear(row, map);
        let bias = graph.parameter("bias", [1, heads], 1.0);
        graph.sum(&[x, bias])
    }),
    ("weighted_sum", |graph, symbols, random| {
        let (heads, size) = (random.size(1, 20), random.size(1, 20));
        let scores = graph.parameter("scores", [symbols, heads], 1.0);
        let values = graph.parameter("values", [symbols, heads * size], 1.0);
        let [a, b] = [graph.parameter("a", [1, heads], 1.0), graph.parameter("b", [1, heads * size], 1.0)];
        let scores = [graph.lookup(scores, 0), a, graph.lookup(scores, 1)];
        let values = [graph.lookup(values, 0), b, graph.lookup(values, 1)];
        let (scores, values) = (graph.stack(&scores), graph.stack(&values));
        let weighting = drawn_weighting(random);
        let mean = graph.push(Operator::WeightedSum { heads, weighting }, vec![scores, values]);
        let classes = random.size(2, 20);
        let u = graph.parameter("u", [heads * size, classes], 1.0);
        graph.linear(mean, u)
    }),
    ("attention", |graph, symbols, random| {
        let [inputs, heads, size, classes] = [30, 20, 20, 30].map(|high| random.size(1, high));
        let classes = classes + 1;
        let table = graph.parameter("table", [symbols, inputs], 1.0);
        let last = graph.parameter("last", [1, inputs], 1.0);
        let positions = graph.parameter("positions", [3, inputs], 1.0);
        let [wq, wk, wv] =
            ["query", "key", "value"].map(|name| graph.parameter(name, [inputs, heads * size], 1.0));
        let tokens = [graph.lookup(table, 0), graph.lookup(table, 1), last];
        let tokens: Vec<NodeId> = tokens
            .into_iter()
            .enumerate()
            .map(|(at, token)| {
                let position = graph.slice(positions, at, 1);
                graph.sum(&[token, position])
            })
            .collect();
        let x = graph.stack(&tokens);
        let (q, k, v) = (graph.linear(tokens[2], wq), graph.linear(x, wk), graph.linear(x, wv));
        let weighting = drawn_weighting(random);
        let mean = graph.attention([q, k, v], heads, weighting);
        let out = graph.parameter("out", [heads * size, classes], 1.0);
        graph.linear(mean, out)
    }),
    ("layer_norm", |graph, symbols, random| {
        let [size, classes] = [0, 0].map(|_| random.size(4, 40));
        let table = graph.parameter("table", [symbols, size], 1.0);
        let w = graph.parameter("w", [size, classes], 1.0);
        let [gains, shifts] = ["gain", "shift"]
            .map(|name| [graph.parameter(name, [1, size], 1.0), graph.parameter(name, [1, classes], 1.0)]);
        let last = graph.parameter("last", [1, size], 1.0);
        let [a, b] = [graph.lookup(table, 0), graph.lookup(table, 1)];
        let x = graph.layer_norm(a, gains[0], shifts[0]);
        let constant = graph.layer_norm(last, gains[0], shifts[0]);
        let x = graph.sum(&[x, b, constant, last]);
        let y = graph.linear(x, w);
        let z = graph.layer_norm(y, gains[1], shifts[1]);
        graph.sum(&[y, z])
    }),
    ("score", |graph, symbols, random| {
        let (heads, size) = (random.size(2, 20), random.size(1, 20));
        let table = graph.parameter("table", [symbols, heads * size], 1.0);
        let w = graph.parameter("w", [heads * size, heads * size], 1.0);
        let last = graph.parameter("last", [1, heads * size], 1.0);
        let [a, b] = [graph.lookup(table, 0), graph.lookup(table, 1)];
        let x = graph.linear(a, w);
        // A query with others, with a constant and with itself.
        let scores = [[x, b], [last, x], [x, x], [last, last]];
        let scores = scores.map(|pair| graph.push(Operator::Score { heads }, pair.to_vec()));
        graph.sum(&scores)
    }),
    ("positions", |graph, symbols, random| {
        let [heads, size, classes] = [5, 20, 30].map(|high| random.size(1, high));
        let inputs = random.size(4, 20);
        let weighting = drawn_weighting(random);
        let table = graph.parameter("table", [symbols, inputs], 1.0);
        let last = graph.parameter("last", [1, inputs], 1.0);
        let [gain, shift] = [1.0, 0.5].map(|scale| graph.parameter("norm", [1, inputs], scale));
        let mut x = vec![graph.lookup(table, 0), graph.lookup(table, 1), last];
        // In the first layer the query of the last position is a constant, in the second it depends on the example.
        for layer in 0..2 {
            let [wq, wk, wv] =
                ["query", "key", "value"].map(|name| graph.parameter(name, [inputs, heads * size], 1.0));
            let out = graph.parameter("out", [heads * size, inputs], 1.0);
            let normed: Vec<NodeId> = x.iter().map(|x| graph.layer_norm(*x, gain, shift)).collect();
            x = (0..3)
                .map(|at| {
                    let before = if layer == 0 { 3 } else { at + 1 };
                    let all = graph.stack(&normed[..before]);
                    let (q, k, v) =
                        (graph.linear(normed[at], wq), graph.linear(all, wk), graph.linear(all, wv));
                    let mean = graph.attention([q, k, v], heads, weighting);
                    let mean = graph.linear(mean, out);
                    graph.sum(&[x[at], mean])
                })
                .collect();
        }
        let read = graph.parameter("read", [inputs, classes + 1], 1.0);
        let sum = graph.sum(&x);
        graph.linear(sum, read)
    }),
];

/// By how much errors grow: norms of components that hardly differ divide by little.
pub(crate) fn steepness(graph: &Graph) -> f64 {
    if graph.nodes().iter().any(|node| node.operator == Operator::LayerNorm) { 10.0 } else { 1.0 }
}

/// Either weighting.
fn drawn_weighting(random: &mut Random) -> Weighting {
    if random.size(0, 1) == 0 { Weighting::Softmax } else { Weighting::Relu }
}

/// Weights at random, of a size at which softmax is not a maximum.
pub(crate) fn weights(graph: &Graph, random: &mut Random) -> Vec<Vec<f64>> {
    let draw = |parameter: &crate::graph::Parameter| {
        let scale = 1.0 / (parameter.rows as f64).sqrt().max(1.0);
        // Numbers that a vector holds exactly.
        (0..parameter.rows * parameter.columns).map(|_| f64::from((random.number() * scale) as f32)).collect()
    };
    graph.parameters().iter().map(draw).collect()
}

pub(crate) fn examples(symbols: usize, count: usize, random: &mut Random) -> Vec<u32> {
    (0..2 * count).map(|_| random.size(0, symbols - 1) as u32).collect()
}

pub(crate) fn labels(graph: &Graph, count: usize, random: &mut Random) -> Vec<u32> {
    let classes = graph.output().shape.columns;
    (0..count).map(|_| random.size(0, classes - 1) as u32).collect()
}

/// Mean loss and gradient by the reference.
pub(crate) fn mean(
    graph: &Graph,
    w: &[Vec<f64>],
    x: &[u32],
    labels: &[u32],
    smoothing: f64,
) -> (f64, Vec<Vec<f64>>) {
    let reference = Reference::new(graph, w);
    let (mut loss, mut gradient) = (0.0, w.iter().map(|w| vec![0.0; w.len()]).collect::<Vec<_>>());
    for (x, label) in x.chunks(2).zip(labels) {
        let (own, of_own) = reference.gradient(x, *label as usize, smoothing);
        loss += own / labels.len() as f64;
        for (sum, own) in gradient.iter_mut().flatten().zip(of_own.iter().flatten()) {
            *sum += own / labels.len() as f64;
        }
    }
    (loss, gradient)
}

pub(crate) fn rows(weights: &[Vec<f64>]) -> Vec<Vec<Row>> {
    let row = |values: &[f64]| Row(std::array::from_fn(|l| values.get(l).map_or(0.0, |value| *value as f32)));
    weights.iter().map(|values| values.chunks(LANES).map(row).collect()).collect()
}

#[test]
fn gradients_of_the_reference_are_differences_of_its_loss() {
    for seed in 0..6 {
        let random = &mut Random(seed);
        for Case { name, graph, symbols } in cases(random) {
            let (w, x) = (weights(&graph, random), examples(symbols, 3, random));
            let labels = labels(&graph, 3, random);
            let (_, gradient) = mean(&graph, &w, &x, &labels, 0.1);
            for (which, values) in w.iter().enumerate() {
                for _ in 0..4 {
                    let at = random.size(0, values.len() - 1);
                    let loss = |by: f64| {
                        let mut moved = w.clone();
                        moved[which][at] += by;
                        mean(&graph, &moved, &x, &labels, 0.1).0
                    };
                    let difference = (loss(1e-5) - loss(-1e-5)) / 2e-5;
                    let exact = gradient[which][at];
                    let tolerance = 1e-8 * steepness(&graph);
                    assert!(
                        (difference - exact).abs() < tolerance,
                        "{name} {which} {at}: {difference}, {exact}"
                    );
                }
            }
        }
    }
}

#[test]
fn each_rule_computes_the_same() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        for Case { name, graph, symbols } in cases(random) {
            let (w, x) = (weights(&graph, random), examples(symbols, 3, random));
            let labels = labels(&graph, 3, random);
            let (loss, gradient) = mean(&graph, &w, &x, &labels, 0.0);
            let all = Rule::ALL.iter().map(std::slice::from_ref).chain([Rule::ALL]);
            for rules in all {
                let rewritten = graph.rewritten_by(rules);
                assert_eq!(rewritten.parameters(), graph.parameters());
                let (other, other_gradient) = mean(&rewritten, &w, &x, &labels, 0.0);
                assert!((loss - other).abs() < 1e-12, "{name} {rules:?}: {loss}, {other}");
                for (a, b) in gradient.iter().flatten().zip(other_gradient.iter().flatten()) {
                    assert!((a - b).abs() < 1e-12, "{name} {rules:?}: {a}, {b}");
                }
            }
        }
    }
}

/// Rules that find nothing to replace would pass the test above.
#[test]
fn rules_replace_what_they_are_about() {
    let operators =
        |graph: &Graph| -> Vec<Operator> { graph.nodes().iter().map(|node| node.operator).collect() };
    let has = |graph: &Graph, kind: fn(&Operator) -> bool| operators(graph).iter().any(kind);
    let cases = cases(&mut Random(1));
    let graph = |name: &str| &cases.iter().find(|case| case.name == name).unwrap().graph;
    let attention = graph("attention");
    let is_attention = |operator: &Operator| matches!(operator, Operator::Attention { .. });
    let is_weighted_sum = |operator: &Operator| matches!(operator, Operator::WeightedSum { .. });
    assert!(has(attention, is_attention) && !has(attention, is_weighted_sum));
    let constant_query = attention.rewritten_by(&[Rule::ConstantQuery]);
    assert!(!has(&constant_query, is_attention) && has(&constant_query, is_weighted_sum));
    // With tables nothing but the output's map is computed for each example.
    let of_examples = |graph: &Graph| {
        let own =
            graph.nodes().iter().filter(|node| node.shape.per_example && node.operator == Operator::Linear);
        own.count()
    };
    assert_eq!((of_examples(&constant_query), of_examples(&attention.rewritten())), (3, 1));
    assert!(attention.rewritten().cost().example < attention.cost().example);
    let is_sum = |operator: &Operator| *operator == Operator::Sum;
    assert!(has(graph("residual"), is_sum));
    assert_eq!(
        operators(&graph("residual").rewritten_by(&[Rule::Biases])).iter().filter(|o| is_sum(o)).count(),
        1
    );
}

#[test]
fn vectors_compute_what_the_reference_computes() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        for Case { name, graph, symbols } in cases(random) {
            let count = [1, 3, BLOCK - 1, BLOCK, BLOCK + 5][seed as usize % 5];
            let rewritten = graph.rewritten();
            let mut executor = Executor::new(&rewritten).unwrap();
            executor.allocate_gradients();
            // The second network finds nothing of the first, although that was no number.
            for broken in [true, false] {
                let (w, x) = (weights(&graph, random), examples(symbols, count, random));
                let labels = labels(&graph, count, random);
                let mut gradient = rows(&w);
                if broken {
                    let nan: Vec<Vec<f64>> = w.iter().map(|w| vec![f64::NAN; w.len()]).collect();
                    executor.load(&rows(&nan));
                    let measured = executor.measure(&x, &labels);
                    assert!(measured.loss.is_nan() && measured.correct == 0, "{name}");
                    executor.gradient(&x, &labels, 0.0, &mut gradient);
                    continue;
                }
                executor.load(&rows(&w));
                let (_, exact) = mean(&graph, &w, &x, &labels, 0.25);
                executor.gradient(&x, &labels, 0.25, &mut gradient);
                for (which, (own, exact)) in gradient.iter().zip(&exact).enumerate() {
                    let own: Vec<f32> = own.iter().flat_map(|row| row.0).collect();
                    assert!(own[exact.len()..].iter().all(|rest| *rest == 0.0), "{name} {which}");
                    for (own, exact) in own.iter().zip(exact) {
                        let tolerance = 2e-6 * steepness(&graph);
                        assert!(
                            (f64::from(*own) - exact).abs() < tolerance,
                            "{name} {which}: {own}, {exact}"
                        );
                    }
                }
                let reference = Reference::new(&graph, &w);
                let block = x.len().min(2 * BLOCK);
                executor.forward(&x[..block]);
                let (mut loss, mut correct) = (0.0, 0);
                for (example, (x, label)) in x.chunks(2).zip(&labels).enumerate() {
                    let logits = reference.output(x);
                    if example < block / 2 {
                        for (own, exact) in executor.output(example).zip(&logits) {
                            let tolerance = 1e-5 * steepness(&graph);
                            assert!((f64::from(own) - exact).abs() < tolerance, "{name}: {own}, {exact}");
                        }
                    }
                    let label = *label as usize;
                    loss += cross_entropy::forward_backward(&logits, label, 0.0).0;
                    let others = logits.iter().enumerate().filter(|(class, _)| *class != label);
                    correct +=
                        usize::from(others.map(|(_, logit)| *logit).all(|logit| logit < logits[label]));
                }
                let measured = executor.measure(&x, &labels);
                let tolerance = 1e-5 * count as f64 * steepness(&graph);
                assert!((measured.loss - loss).abs() < tolerance, "{name}: {measured:?}, {loss}");
                assert_eq!(measured.correct, correct, "{name}");
            }
        }
    }
}

#[test]
fn labels_find_values_and_weights() {
    let random = &mut Random(3);
    let mut graph = Graph::new(2);
    let output = BUILDERS[7].1(&mut graph, 5, random);
    graph.set_output(output);
    let mean =
        graph.nodes().iter().position(|node| matches!(node.operator, Operator::Attention { .. })).unwrap();
    graph.label(NodeId(mean), "attention");
    let w = weights(&graph, random);
    let rewritten = graph.rewritten();
    let mut executor = Executor::new(&rewritten).unwrap();
    executor.load(&rows(&w));
    executor.forward(&[1, 4, 0, 2]);
    let reference = Reference::new(&graph, &w);
    for (example, pair) in [[1, 4], [0, 2]].iter().enumerate() {
        let values = reference.values(pair);
        let Operator::Attention { heads, weighting } = graph.nodes()[mean].operator else { unreachable!() };
        let inputs = &graph.nodes()[mean].inputs;
        let exact = crate::attention::weights(&values[inputs[0].0], &values[inputs[1].0], heads, weighting);
        let own = executor.weights("attention", 0, example);
        assert_eq!(own.len(), 3 * heads);
        for (at, own) in own.iter().enumerate() {
            let exact = exact.row(at % 3)[at / 3];
            assert!((f64::from(*own) - exact).abs() < 1e-6, "{own}, {exact}");
        }
        assert!(executor.weights("other", 0, example).is_empty());
    }
}

/// The code that PyTorch executes has the formula of the network's paper.
#[test]
fn code_is_written_from_the_formula() {
    let mut graph = Graph::new(2);
    let embed = graph.parameter("embed", [5, 4], 0.5);
    let w = graph.parameter("w", [4, 3], 0.25);
    let bias = graph.parameter("b", [1, 3], 0.0);
    let rows = [graph.lookup(embed, 0), graph.lookup(embed, 1)];
    let h = graph.sum(&rows);
    let z = graph.linear(h, w);
    let z = graph.sum(&[z, bias]);
    let h = graph.relu(z);
    let output = graph.sum(&[z, h]);
    graph.set_output(output);
    let code = crate::pytorch::functions(&graph, ScriptContext::default());
    let forward = "\
def forward(p, x):
    v0 = (one_hot(x, 0) @ p[\"embed\"] + one_hot(x, 1) @ p[\"embed\"]) @ p[\"w\"] + p[\"b\"]
    return v0 + torch.relu(v0)";
    assert!(code.ends_with(forward), "{code}");
    assert!(code.contains("    \"embed\": 0.5,\n    \"w\": 0.25,\n    \"b\": 0,\n"), "{code}");
    assert!(!code.contains("def attention") && !code.contains("def stack"), "{code}");
}

/// The axis of positions of keys and values, of which a single one has none.
#[test]
fn code_of_attention_to_a_single_position_has_an_axis_for_it() {
    let mut graph = Graph::new(2);
    let embed = graph.parameter("embed", [5, 4], 0.5);
    let w = graph.parameter("w", [4, 4], 0.5);
    let rows = [graph.lookup(embed, 0), graph.lookup(embed, 1)];
    let both = graph.stack(&rows);
    let [one, all] = [rows[0], both].map(|x| graph.linear(x, w));
    let weighting = Weighting::Softmax;
    let of_one = graph.attention([rows[1], one, one], 2, weighting);
    let of_all = graph.attention([rows[1], all, all], 2, weighting);
    let output = graph.sum(&[of_one, of_all]);
    graph.set_output(output);
    let code = crate::pytorch::functions(&graph, ScriptContext::default());
    assert_eq!(code.matches(".unsqueeze(2), ").count(), 2, "{code}");
}

/// Positions whose outputs are predictions, and parameters that are not normal.
#[test]
fn code_on_positions_reads_its_input_and_some_of_its_outputs() {
    let mut graph = Graph::on_positions(4, 3);
    graph.parameter("codes", [4, 2], 0.0);
    let w = graph.parameter("w", [3, 1], 0.5);
    let x = graph.input();
    let output = graph.linear(x, w);
    graph.set_output(output);
    let context = ScriptContext {
        positions: Some(("tokens(x)", 2)),
        initial: &[("codes", "drawn_codes()")],
        ..ScriptContext::default()
    };
    let code = crate::pytorch::functions(&graph, context);
    let forward = "\
def forward(p, x):
    x = tokens(x)
    return (x @ p[\"w\"][:, None])[..., ::2, 0]";
    assert!(code.ends_with(forward), "{code}");
    assert!(code.contains("DEVIATIONS.items()} | {\"codes\": drawn_codes()}\n"), "{code}");
    assert!(!code.contains("\"codes\": 0"), "{code}");
}
