//! Networks whose values have several positions, on shapes at random: gradients of the reference against differences of its loss,
//! rules against the graphs that they replace, and vectors and tensors against the reference.

use crate::graph::Graph;
use crate::graph_tests::{Random, rows, weights};
use crate::reference::Reference;
use crate::rewrite::Rule;
use crate::simd::Row;
use crate::weighted_sum::Weighting;
use crate::{Executor, cross_entropy};

/// Two layers of attention with positions, recurrent units, a norm and an MLP, with logits at each position, and the number of symbols.
fn network(random: &mut Random) -> (Graph, usize) {
    let (length, symbols) = (random.size(2, 56), random.size(2, 9));
    let [heads, size, hidden] = [4, 20, 20].map(|high| random.size(1, high));
    let inputs = random.size(4, 20);
    let is_causal = random.size(0, 2) > 0;
    let weighting = if random.size(0, 1) == 0 { Weighting::Softmax } else { Weighting::Relu };
    let mut graph = Graph::new(length);
    let table = graph.parameter("table", [symbols, inputs], 1.0);
    let positions = graph.parameter("positions", [length, inputs], 1.0);
    let [gain, shift] = ["gain", "shift"].map(|name| graph.parameter(name, [1, inputs], 1.0));
    let x = graph.lookup_all(table);
    let mut x = if random.size(0, 2) == 0 { x } else { graph.sum(&[x, positions]) };
    if random.size(0, 1) == 0 {
        let units = random.size(1, 40);
        let [w_in, w] = [inputs, units].map(|rows| graph.parameter("gates", [rows, 3 * units], 1.0));
        let bias = graph.parameter("bias", [1, 3 * units], 1.0);
        let a = graph.linear(x, w_in);
        let a = if random.size(0, 1) == 0 { a } else { graph.sum(&[a, bias]) };
        let mut states = graph.gru(a, w, bias);
        // A function that must not overwrite the states.
        if random.size(0, 1) == 0 {
            states = graph.pointwise(states, crate::pointwise::Function::Power(2));
        }
        let w_out = graph.parameter("states", [units, inputs], 1.0);
        x = graph.linear(states, w_out);
    }
    for layer in 0..2 {
        let [wq, wk, wv] =
            ["query", "key", "value"].map(|name| graph.parameter(name, [inputs, heads * size], 1.0));
        let out = graph.parameter("out", [heads * size, inputs], 1.0);
        let all = [wq, wk, wv].map(|w| graph.linear(x, w));
        let mut all = all.to_vec();
        if is_causal && random.size(0, 1) == 0 {
            all.push(graph.parameter("distances", [length, heads * size], 1.0));
        }
        let mean = graph.self_attention(&all, heads, weighting, is_causal);
        let mean = graph.linear(mean, out);
        x = graph.sum(&[x, mean]);
        if layer == 0 {
            let normed = graph.layer_norm(x, gain, shift);
            let [w_in, w_out] = [[inputs, hidden], [hidden, inputs]].map(|s| graph.parameter("mlp", s, 1.0));
            let bias = graph.parameter("bias", [1, hidden], 1.0);
            let h = graph.linear(normed, w_in);
            let h = graph.sum(&[h, bias]);
            let h = graph.relu(h);
            let h = graph.linear(h, w_out);
            x = graph.sum(&[x, h]);
        }
    }
    let read = graph.parameter("read", [inputs, symbols], 1.0);
    let logits = graph.linear(x, read);
    graph.set_output(logits);
    (graph, symbols)
}

fn symbols(graph: &Graph, symbols: usize, count: usize, random: &mut Random) -> Vec<u32> {
    (0..count * graph.example_lengths()[0]).map(|_| random.size(0, symbols - 1) as u32).collect()
}

/// The mean of the losses of all positions, and its gradient, by the reference.
fn mean(graph: &Graph, w: &[Vec<f64>], x: &[u32], labels: &[u32]) -> (f64, Vec<Vec<f64>>) {
    let (reference, length) = (Reference::new(graph, w), graph.example_lengths()[0]);
    let classes = graph.output().shape.columns;
    let (mut loss, mut gradient) = (0.0, w.iter().map(|w| vec![0.0; w.len()]).collect::<Vec<_>>());
    for (x, labels) in x.chunks(length).zip(labels.chunks(length)) {
        let (own, of_own) = reference.gradient_of(x, |logits| {
            let each = logits.chunks(classes).zip(labels);
            let each =
                each.map(|(logits, label)| cross_entropy::forward_backward(logits, *label as usize, 0.0));
            let (losses, gradients): (Vec<f64>, Vec<Vec<f64>>) = each.unzip();
            (losses.iter().sum(), gradients.concat())
        });
        loss += own;
        for (sum, own) in gradient.iter_mut().flatten().zip(of_own.iter().flatten()) {
            *sum += own;
        }
    }
    let count = labels.len() as f64;
    gradient.iter_mut().flatten().for_each(|sum| *sum /= count);
    (loss / count, gradient)
}

#[test]
fn gradients_of_sequences_are_differences_of_the_loss() {
    for seed in 0..12 {
        let random = &mut Random(seed);
        let (graph, count) = network(random);
        let (w, x) = (weights(&graph, random), symbols(&graph, count, 2, random));
        let y = symbols(&graph, count, 2, random);
        let (_, gradient) = mean(&graph, &w, &x, &y);
        for (which, values) in w.iter().enumerate() {
            let at = random.size(0, values.len() - 1);
            let loss = |by: f64| {
                let mut moved = w.clone();
                moved[which][at] += by;
                mean(&graph, &moved, &x, &y).0
            };
            let (difference, exact) = ((loss(1e-6) - loss(-1e-6)) / 2e-6, gradient[which][at]);
            assert!((difference - exact).abs() < 1e-7, "{seed} {which}: {difference}, {exact}");
        }
    }
}

#[test]
fn rules_keep_networks_on_sequences() {
    for seed in 0..12 {
        let random = &mut Random(seed);
        let (graph, count) = network(random);
        let (w, x) = (weights(&graph, random), symbols(&graph, count, 2, random));
        let y = symbols(&graph, count, 2, random);
        let (loss, gradient) = mean(&graph, &w, &x, &y);
        for rules in Rule::ALL.iter().map(std::slice::from_ref).chain([Rule::ALL]) {
            let (other, other_gradient) = mean(&graph.rewritten_by(rules), &w, &x, &y);
            assert!((loss - other).abs() < 1e-12, "{seed} {rules:?}: {loss}, {other}");
            for (a, b) in gradient.iter().flatten().zip(other_gradient.iter().flatten()) {
                assert!((a - b).abs() < 1e-11, "{seed} {rules:?}: {a}, {b}");
            }
        }
    }
}

#[test]
fn vectors_compute_sequences_as_the_reference_does() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        let (graph, count) = network(random);
        let length = graph.example_lengths()[0];
        let mut executor = Executor::new(&graph.rewritten()).unwrap();
        executor.allocate_gradients();
        let memory = Executor::memory(&graph.rewritten()).unwrap();
        assert!((executor.held()..3 * executor.held()).contains(&memory), "{memory} {}", executor.held());
        let examples = [1, executor.block(), executor.block() + 1, 3][seed as usize % 4];
        let (w, x) = (weights(&graph, random), symbols(&graph, count, examples, random));
        let y = symbols(&graph, count, examples, random);
        let mut gradient = rows(&w);
        // The second network finds nothing of the first, although that was no number.
        let nan: Vec<Vec<f64>> = w.iter().map(|w| vec![f64::NAN; w.len()]).collect();
        executor.load(&rows(&nan));
        executor.gradient(&x, &y, 0.0, &mut gradient);
        executor.load(&rows(&w));
        executor.gradient(&x, &y, 0.0, &mut gradient);
        let (loss, exact) = mean(&graph, &w, &x, &y);
        for (which, (own, exact)) in gradient.iter().zip(&exact).enumerate() {
            let own: Vec<f32> = own.iter().flat_map(|row: &Row| row.0).collect();
            assert!(own[exact.len()..].iter().all(|rest| *rest == 0.0), "{seed} {which}");
            for (own, exact) in own.iter().zip(exact) {
                assert!((f64::from(*own) - exact).abs() < 2e-5, "{seed} {which}: {own}, {exact}");
            }
        }
        let measured = executor.measure(&x, &y);
        let mean = measured.loss / y.len() as f64;
        assert!((mean - loss).abs() < 1e-4, "{seed}: {mean}, {loss}");
        let first = &x[..length * executor.block().min(examples)];
        executor.forward(first);
        let reference = Reference::new(&graph, &w);
        for (example, x) in first.chunks(length).enumerate() {
            let exact = reference.output(x);
            let own = (0..length).flat_map(|at| executor.output(example * length + at).collect::<Vec<_>>());
            for (own, exact) in own.zip(exact) {
                assert!((f64::from(own) - exact).abs() < 1e-4, "{seed}: {own}, {exact}");
            }
        }
    }
}

#[cfg(feature = "train")]
#[test]
fn tensors_compute_sequences_as_the_reference_does() {
    use crate::tensor_tests::{numbers, tensor};
    use burn::tensor::Device;

    let device = Device::flex();
    for seed in 0..10 {
        let random = &mut Random(seed);
        let (graph, count) = network(random);
        let length = graph.example_lengths()[0];
        let each: Vec<Vec<Vec<f64>>> = (0..2).map(|_| weights(&graph, random)).collect();
        let x = symbols(&graph, count, 2 * 3, random);
        let of_all = |(which, own): (usize, &crate::graph::Parameter)| {
            let all: Vec<f32> = each.iter().flat_map(|w| &w[which]).map(|w| *w as f32).collect();
            tensor(&all, [2, own.rows, own.columns], &device).autodiff().require_grad()
        };
        let parameters: Vec<_> = graph.parameters().iter().enumerate().map(of_all).collect();
        let float: Vec<f32> = x.iter().map(|symbol| *symbol as f32).collect();
        let x_tensor = tensor(&float, [2, 3, length], &device).autodiff();
        let output = crate::tensors::forward(&graph.rewritten(), &parameters, &x_tensor);
        assert_eq!(output.dims(), [2, 3 * length, count]);
        let mut gradients = output.clone().square().sum().backward();
        let output = numbers(output);
        for (replica, w) in each.iter().enumerate() {
            let reference = Reference::new(&graph, w);
            let x = &x[replica * 3 * length..][..3 * length];
            let mut exact: Vec<Vec<f64>> = w.iter().map(|w| vec![0.0; w.len()]).collect();
            for (example, x) in x.chunks(length).enumerate() {
                let at = (replica * 3 + example) * length * count;
                for (own, exact) in output[at..][..length * count].iter().zip(reference.output(x)) {
                    assert!((own - exact).abs() < 1e-4, "{seed}: {own}, {exact}");
                }
                let of_squares = |f: &[f64]| (0.0, f.iter().map(|f| 2.0 * f).collect());
                let (_, own) = reference.gradient_of(x, of_squares);
                exact.iter_mut().flatten().zip(own.iter().flatten()).for_each(|(sum, own)| *sum += own);
            }
            for (parameter, exact) in parameters.iter().zip(&exact) {
                let Some(own) = parameter.grad(&gradients) else {
                    assert!(exact.iter().all(|exact| *exact == 0.0));
                    continue;
                };
                let own = numbers(own);
                for (own, exact) in own[replica * exact.len()..].iter().zip(exact) {
                    assert!((own - exact).abs() < 2e-4 * exact.abs().max(10.0), "{seed}: {own}, {exact}");
                }
            }
        }
        parameters.iter().for_each(|parameter| drop(parameter.grad_remove(&mut gradients)));
    }
}
