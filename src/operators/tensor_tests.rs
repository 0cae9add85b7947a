//! Each operator on Burn's tensors, on shapes at random, against the reference in double precision: outputs and gradients of two
//! replicas at once.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};

use crate::graph_tests::{Case, Random, cases, examples, labels, mean, steepness, weights};
use crate::reference::Reference;
use crate::{lookup, tensors};

const REPLICAS: usize = 2;
const BATCH: usize = 5;

pub(crate) fn tensor(values: &[f32], shape: [usize; 3], device: &Device) -> Tensor<3> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

pub(crate) fn numbers(tensor: Tensor<3>) -> Vec<f64> {
    let numbers: Vec<f32> = pollster::block_on(tensor.into_data_async()).unwrap().try_to_vec().unwrap();
    numbers.into_iter().map(f64::from).collect()
}

fn are_close(own: &[f64], exact: &[f64], (name, tolerance): (&str, f64)) {
    assert_eq!(own.len(), exact.len(), "{name}");
    for (own, exact) in own.iter().zip(exact) {
        assert!((own - exact).abs() < tolerance * exact.abs().max(1.0), "{name}: {own}, {exact}");
    }
}

#[test]
fn tensors_compute_what_the_reference_computes() {
    let device = Device::flex();
    for seed in 0..10 {
        let random = &mut Random(seed);
        for Case { name, graph, symbols } in cases(random) {
            let (rewritten, tolerance) = (graph.rewritten(), 1e-5 * steepness(&graph));
            let each: Vec<Vec<Vec<f64>>> = (0..REPLICAS).map(|_| weights(&graph, random)).collect();
            let of_all = |(which, own): (usize, &crate::graph::Parameter)| {
                let all: Vec<f32> =
                    each.iter().flat_map(|weights| &weights[which]).map(|w| *w as f32).collect();
                tensor(&all, [REPLICAS, own.rows, own.columns], &device).autodiff().require_grad()
            };
            let parameters: Vec<Tensor<3>> = graph.parameters().iter().enumerate().map(of_all).collect();
            // Each replica with examples of its own, and both with the same.
            for own_examples in [REPLICAS, 1] {
                let x = examples(symbols, own_examples * BATCH, random);
                let y = labels(&graph, own_examples * BATCH, random);
                let classes = graph.output().shape.columns;
                let float = |all: &[u32]| all.iter().map(|symbol| *symbol as f32).collect::<Vec<_>>();
                let x_tensor = tensor(&float(&x), [own_examples, BATCH, 2], &device).autodiff();
                let y_tensor = tensor(&float(&y), [own_examples, BATCH, 1], &device).autodiff();
                let output = tensors::forward(&rewritten, &parameters, &x_tensor);
                assert_eq!(output.dims(), [REPLICAS, BATCH, classes], "{name}");
                let losses = -(log_softmax(output.clone(), 2) * lookup::one_hot(&y_tensor, 0, classes));
                let mut gradients = (losses / BATCH as f32).sum().backward();
                let gradients: Vec<Vec<f64>> =
                    parameters.iter().map(|p| numbers(p.grad_remove(&mut gradients).unwrap())).collect();
                let output = numbers(output);
                for (replica, weights) in each.iter().enumerate() {
                    let first = if own_examples == 1 { 0 } else { replica * BATCH };
                    let (x, y) = (&x[2 * first..][..2 * BATCH], &y[first..][..BATCH]);
                    let reference = Reference::new(&graph, weights);
                    for (example, x) in x.chunks(2).enumerate() {
                        let at = (replica * BATCH + example) * classes;
                        are_close(&output[at..at + classes], &reference.output(x), (name, tolerance));
                    }
                    let (_, exact) = mean(&graph, weights, x, y, 0.0);
                    for (own, exact) in gradients.iter().zip(&exact) {
                        are_close(&own[replica * exact.len()..][..exact.len()], exact, (name, tolerance));
                    }
                }
            }
        }
    }
}
