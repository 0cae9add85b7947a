//! Operators on examples of numbers: functions of each number, and linear maps to one number, on shapes at random. Gradients of
//! the reference against differences of its loss, and the executor in vectors against the reference.

use crate::graph::{Examples, Graph};
use crate::graph_tests::{Random, rows, weights};
use crate::pointwise::Function;
use crate::pytorch::ScriptContext;
use crate::reference::Reference;
use crate::simd::{BLOCK, LANES, Row};
use crate::weighted_sum::Weighting;
use crate::{Executor, pytorch};

/// Every function with this degree.
fn functions(k: usize) -> [Function; 8] {
    use Function::{Gelu, NormalGelu, Oscillating, Power, Relu, Sine, Wave, Zigzag};
    [Relu, Power(k), Zigzag(k), Wave(k), Oscillating(k), Sine(k), Gelu, NormalGelu]
}

/// Layers of a function with skips, so that a value is read before and after the function, and one output.
fn network(function: Function, random: &mut Random) -> Graph {
    let [inputs, width, top] = [0, 0, 0].map(|_| random.size(1, 40));
    let mut graph = Graph::on_numbers(inputs);
    let [w, v] = [[inputs, width], [width, top]].map(|shape| graph.parameter("w", shape, 1.0));
    let b = graph.parameter("b", [1, width], 1.0);
    let [u, skip] = [[top, 1], [width, 1]].map(|shape| graph.parameter("u", shape, 1.0));
    let beta = graph.parameter("beta", [1, 1], 1.0);
    let x = graph.input();
    let z = graph.linear(x, w);
    let z = graph.sum(&[z, b]);
    let h = graph.pointwise(z, function);
    let y = graph.linear(h, v);
    let y = graph.pointwise(y, Function::Relu);
    let y = graph.pointwise(y, function);
    let f = graph.linear(y, u);
    let from_z = graph.linear(z, skip);
    let f = graph.sum(&[f, from_z, beta]);
    graph.set_output(f);
    // Some parameters stay as they are; those below them are trained or not.
    for which in 0..graph.parameters().len() {
        if random.size(0, 3) == 0 {
            graph.freeze(which);
        }
    }
    graph
}

/// A product of linear forms, each of its own inputs, times a product of forms of all inputs.
fn products(random: &mut Random) -> Graph {
    let inputs = random.size(1, 40);
    let [blocks, forms] = [random.size(1, inputs.min(20)), random.size(1, 4)];
    let mut graph = Graph::on_numbers(inputs);
    let column = graph.parameter("column", [inputs, 1], 1.0);
    let w = graph.parameter("w", [inputs, forms], 1.0);
    let b = graph.parameter("b", [1, forms], 1.0);
    let u = graph.parameter("u", [1, 1], 1.0);
    let x = graph.input();
    let matrix = graph.block_diagonal(column, blocks);
    let z = graph.linear(x, matrix);
    let of_blocks = graph.product(z);
    let y = graph.linear(x, w);
    let y = graph.sum(&[y, b]);
    let of_all = graph.product(y);
    // The forms of all inputs are read twice, so that their gradient is added up.
    let y = graph.pointwise(y, Function::Zigzag(1));
    let again = graph.product(y);
    let f = graph.sum(&[of_blocks, of_all, again]);
    let f = graph.linear(f, u);
    graph.set_output(f);
    if random.size(0, 3) == 0 {
        graph.freeze(random.size(0, 3));
    }
    graph
}

/// Attention, recurrent units and an MLP on several positions, with one output at each.
fn positions(random: &mut Random) -> Graph {
    let (length, inputs) = (random.size(2, 40), random.size(1, 20));
    let [heads, size, units] = [3, 18, 20].map(|high| random.size(1, high));
    let is_causal = random.size(0, 1) == 0;
    let mut graph = Graph::on_positions(length, inputs);
    // No value depends on it, as on the codes of positions.
    graph.parameter("unused", [length, 3], 1.0);
    graph.freeze(0);
    let embed = graph.parameter("embed", [inputs, size], 1.0);
    let [query, key, value] =
        ["query", "key", "value"].map(|name| graph.parameter(name, [size, heads * size], 1.0));
    let out = graph.parameter("out", [heads * size, size], 1.0);
    let [gates, w] = [size, units].map(|rows| graph.parameter("gates", [rows, 3 * units], 1.0));
    let bias = graph.parameter("bias", [1, 3 * units], 1.0);
    let read = graph.parameter("read", [units, 1], 1.0);
    let x = graph.input();
    let x = graph.linear(x, embed);
    let all = [query, key, value].map(|w| graph.linear(x, w));
    let mean = graph.self_attention(&all, heads, Weighting::Softmax, is_causal);
    let mean = graph.linear(mean, out);
    let x = graph.sum(&[x, mean]);
    let a = graph.linear(x, gates);
    let states = graph.gru(a, w, bias);
    let h = graph.pointwise(states, Function::NormalGelu);
    let f = graph.linear(h, read);
    graph.set_output(f);
    graph
}

/// A network with each function of degree `k`, one with products, and one on several positions.
fn networks(k: usize, random: &mut Random) -> Vec<(String, Graph)> {
    let all = functions(k).map(|function| (format!("{function:?}"), network(function, random)));
    let others = [("products".to_string(), products(random)), ("positions".to_string(), positions(random))];
    all.into_iter().chain(others).collect()
}

/// Inputs of so many examples at random.
fn numbers(graph: &Graph, count: usize, random: &mut Random) -> Vec<f32> {
    (0..count * graph.numbers).map(|_| random.number() as f32).collect()
}

/// Half of the square of f − 1, summed over all outputs, and its derivatives.
fn loss(output: &[f64]) -> (f64, Vec<f64>) {
    let errors = output.iter().map(|f| f - 1.0);
    (0.5 * errors.clone().map(|error| error.powi(2)).sum::<f64>(), errors.collect())
}

/// The sum of the losses of examples, and its gradient.
fn total(graph: &Graph, w: &[Vec<f64>], x: &[f32]) -> (f64, Vec<Vec<f64>>) {
    let reference = Reference::new(graph, w);
    let (mut sum, mut gradient) = (0.0, w.iter().map(|w| vec![0.0; w.len()]).collect::<Vec<_>>());
    for numbers in x.chunks_exact(graph.numbers) {
        let (own, of_own) = reference.gradient_of(Examples::of_numbers(numbers), loss);
        sum += own;
        for (sum, own) in gradient.iter_mut().flatten().zip(of_own.iter().flatten()) {
            *sum += own;
        }
    }
    (sum, gradient)
}

#[test]
fn gradients_of_functions_are_differences_of_the_loss() {
    for seed in 0..12 {
        let random = &mut Random(seed);
        for (function, graph) in networks(1 + seed as usize % 4, random) {
            let (w, x) = (weights(&graph, random), numbers(&graph, 2, random));
            let (_, gradient) = total(&graph, &w, &x);
            for (which, values) in w.iter().enumerate() {
                let at = random.size(0, values.len() - 1);
                let loss = |by: f64| {
                    let mut moved = w.clone();
                    moved[which][at] += by;
                    total(&graph, &moved, &x).0
                };
                let (difference, exact) = ((loss(1e-6) - loss(-1e-6)) / 2e-6, gradient[which][at]);
                let error = (difference - exact).abs();
                assert!(error < 1e-6 * exact.abs().max(1.0), "{function} {which}: {difference}, {exact}");
            }
        }
    }
}

#[test]
fn vectors_compute_functions_and_single_outputs_as_the_reference_does() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        for (function, graph) in networks(1 + seed as usize % 4, random) {
            let count = [1, 3, BLOCK - 1, BLOCK, BLOCK + 5][seed as usize % 5];
            let mut executor = Executor::new(&graph.rewritten()).unwrap();
            executor.allocate_gradients();
            let (w, x) = (weights(&graph, random), numbers(&graph, count, random));
            let examples = Examples::of_numbers(&x);
            let derivative = |_: usize, f: f32| f - 1.0;
            let untouched = Row([7.0; LANES]);
            let mut gradient: Vec<Vec<Row>> =
                rows(&w).iter().map(|rows| vec![untouched; rows.len()]).collect();
            // The second network finds nothing of the first, although that was no number.
            let nan: Vec<Vec<f64>> = w.iter().map(|w| vec![f64::NAN; w.len()]).collect();
            executor.load(&rows(&nan));
            executor.gradient_of_outputs(examples, derivative, &mut gradient);
            executor.load(&rows(&w));
            let of_trained = graph.parameters().iter().zip(&mut gradient).filter(|(own, _)| own.is_trained);
            of_trained.for_each(|(_, gradient)| gradient.fill(Row::ZERO));
            executor.gradient_of_outputs(examples, derivative, &mut gradient);
            let (_, exact) = total(&graph, &w, &x);
            let scale = count as f64;
            for ((own, exact), parameter) in gradient.iter().zip(&exact).zip(graph.parameters()) {
                if !parameter.is_trained {
                    assert!(own.iter().all(|row| *row == untouched), "{function} {}", parameter.name);
                    continue;
                }
                let own: Vec<f32> = own.iter().flat_map(|row| row.0).collect();
                assert!(own[exact.len()..].iter().all(|rest| *rest == 0.0), "{function}");
                for (own, exact) in own.iter().zip(exact) {
                    let error = (f64::from(*own) - exact).abs();
                    assert!(error < 1e-4 * exact.abs().max(scale), "{function}: {own}, {exact}");
                }
            }
            let (block, positions) = (count.min(executor.block()), graph.output().shape.rows);
            executor.forward(Examples::of_numbers(&x[..block * graph.numbers]));
            let reference = Reference::new(&graph, &w);
            for (example, numbers) in x.chunks_exact(graph.numbers).take(block).enumerate() {
                let exact = reference.output(Examples::of_numbers(numbers));
                assert_eq!(exact.len(), positions);
                for (position, exact) in exact.into_iter().enumerate() {
                    let own: Vec<f32> = executor.output(example * positions + position).collect();
                    assert_eq!(own.len(), 1);
                    let error = (f64::from(own[0]) - exact).abs();
                    assert!(error < 2e-5 * exact.abs().max(1.0), "{function}: {own:?}, {exact}");
                }
            }
        }
    }
}

/// The code that PyTorch executes defines each function that it calls once.
#[test]
fn code_has_the_functions_that_it_calls() {
    for function in functions(3) {
        let code = pytorch::functions(&network(function, &mut Random(1)), ScriptContext::default());
        let definition = function.python_definition();
        assert!(code.contains(definition), "{code}");
        let name = function.python("").split('(').next().map(str::to_string).unwrap();
        let definitions = usize::from(!definition.is_empty());
        let calls = if function == Function::Relu { 3 } else { 2 };
        assert_eq!(code.matches(&format!("def {name}(")).count(), definitions, "{code}");
        assert_eq!(code.matches(&format!("{name}(")).count(), calls + definitions, "{code}");
    }
}

#[cfg(feature = "train")]
#[test]
fn tensors_compute_functions_as_the_reference_does() {
    use crate::tensor_tests::{numbers as numbers_of, tensor};
    use burn::tensor::Device;

    let device = Device::flex();
    for seed in 0..10 {
        let random = &mut Random(seed);
        for (function, graph) in networks(1 + seed as usize % 4, random) {
            let (w, x) = (weights(&graph, random), numbers(&graph, 3, random));
            let float = |all: &[f64]| all.iter().map(|w| *w as f32).collect::<Vec<f32>>();
            let parameters: Vec<_> = (graph.parameters().iter().zip(&w))
                .map(|(own, w)| {
                    tensor(&float(w), [1, own.rows, own.columns], &device).autodiff().require_grad()
                })
                .collect();
            let x_tensor = tensor(&x, [1, 3, graph.numbers], &device).autodiff();
            let output = crate::tensors::forward(&graph.rewritten(), &parameters, &x_tensor);
            let mut gradients = (output.clone() - 1.0).square().sum().backward();
            let reference = Reference::new(&graph, &w);
            let exact = x
                .chunks_exact(graph.numbers)
                .flat_map(|numbers| reference.output(Examples::of_numbers(numbers)));
            let (output, exact) = (numbers_of(output), exact.collect::<Vec<_>>());
            assert_eq!(output.len(), exact.len(), "{function}");
            for (own, exact) in output.iter().zip(exact) {
                assert!((own - exact).abs() < 2e-5 * exact.abs().max(1.0), "{function}: {own}, {exact}");
            }
            let (_, exact) = total(&graph, &w, &x);
            for ((tensor, exact), own) in parameters.iter().zip(&exact).zip(graph.parameters()) {
                let found = tensor.grad_remove(&mut gradients);
                // Of a parameter that stays as it is there is none.
                assert!(found.is_some() || !own.is_trained, "{function} {}", own.name);
                let Some(found) = found.filter(|_| own.is_trained) else { continue };
                for (found, exact) in numbers_of(found).iter().zip(exact) {
                    let error = (found / 2.0 - exact).abs();
                    assert!(error < 1e-4 * exact.abs().max(1.0), "{function} {}: {found}, {exact}", own.name);
                }
            }
        }
    }
}
