//! Models in plain loops, as probes evaluate them, against tensors and central differences.

use burn::tensor::{Tensor, TensorData};
use vivarium::models::parity_transformer::average;
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::launch::device::Device;

use crate::gradients::{every_model, numbers};
use crate::{finish, session, spec};

/// Every model on two replicas.
fn every_spec() -> Vec<(String, RunSpec)> {
    let link = |model| format!("#v1/sparse-parity?n=9&k=3&{model}&batch=40&replicas=2&seed=5");
    every_model().into_iter().map(|model| (model.clone(), spec(&link(model)))).collect()
}

/// The weights of one replica at the start.
fn weights(spec: &RunSpec, replica: usize) -> Vec<Vec<f32>> {
    let initial = spec.architecture().initial(spec.run.seed, 9, spec.run.replicas);
    initial.iter().map(|p| p.chunks(p.len() / 2).nth(replica).unwrap().to_vec()).collect()
}

fn slices(weights: &[Vec<f32>]) -> Vec<&[f32]> {
    weights.iter().map(Vec::as_slice).collect()
}

fn examples(spec: &RunSpec) -> Batch {
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, 40, &mut batch);
    batch
}

#[test]
fn plain_loops_give_what_tensors_give() {
    for (link, spec) in every_spec() {
        let device = Device::cpu();
        let tensor = |values: &[f32], shape: [usize; 3]| {
            Tensor::<3>::from_data(TensorData::new(values.to_vec(), shape), device.tensors())
        };
        let (network, net) = (spec.network(), spec.model.net().unwrap());
        let initial = network.initial(spec.run.seed, 9, 2);
        let parameters: Vec<Tensor<3>> =
            initial.iter().zip(spec.parameters()).map(|(values, p)| tensor(values, p.shape)).collect();
        let x = examples(&spec).x;
        for stage in 0..network.stages() {
            let x_tensor = tensor(&x, [1, 40, 9]);
            let outputs = net.forward(spec.task.examples(), &parameters, x_tensor, stage);
            let outputs = numbers(outputs);
            for replica in 0..2 {
                let weights = weights(&spec, replica);
                let plain = network.evaluate(&slices(&weights), 9, &x, stage);
                assert_eq!(plain.len(), 40);
                for (plain, tensors) in plain.iter().zip(&outputs[replica * 40..]) {
                    let error = (plain - tensors).abs();
                    assert!(error < 1e-5 * (1.0 + plain.abs()), "{link}, {stage}: {plain}, {tensors}");
                }
            }
        }
    }
}

#[test]
fn heads_continue_first_layers_and_know_their_slopes() {
    for (link, spec) in every_spec() {
        let network = spec.network();
        let (weights, x) = (weights(&spec, 1), examples(&spec).x);
        let weights = slices(&weights);
        let Some(first) = network.linear_first_layer() else { continue };
        let (w, b) = first.first_layer(&weights, 9);
        let width = b.len();
        assert_eq!(w.len(), 9 * width, "{link}");
        let stage = network.stages() - 1;
        for (x, output) in x.chunks(9).zip(network.evaluate(&weights, 9, &x, stage)) {
            let form = |j: usize| {
                f64::from(b[j]) + (0..9).map(|i| f64::from(x[i]) * f64::from(w[i * width + j])).sum::<f64>()
            };
            let mut z: Vec<f64> = (0..width).map(form).collect();
            let mut gradient = vec![f64::NAN; width];
            let head = first.head(&weights, &z, &mut gradient, stage);
            assert!((head - f64::from(output)).abs() < 1e-6 * (1.0 + head.abs()), "{link}: {head}, {output}");
            let mut unused = gradient.clone();
            for j in 0..width {
                let (value, h) = (z[j], 1e-6);
                let mut at = |moved: f64| {
                    z[j] = moved;
                    first.head(&weights, &z, &mut unused, stage)
                };
                let numeric = (at(value + h) - at(value - h)) / (2.0 * h);
                at(value);
                let error = (numeric - gradient[j]).abs();
                assert!(error < 1e-6 * (1.0 + numeric.abs()), "{link}: {numeric} against {}", gradient[j]);
            }
        }
    }
}

/// The run of the preset: at its end more than 70 % of the attention is on the three relevant bits of ten, as the preset
/// claims.
#[test]
fn a_trained_transformer_attends_to_the_relevant_bits() {
    let link = vivarium::labs::find_preset("transformer").unwrap().link;
    let (mut run, spec) = (session(link), spec(link));
    let x = examples(&spec).x;
    let mass = |weights: &[Vec<f32>]| -> f32 {
        let heads = spec.network().attention(&slices(weights), 10, &x).unwrap();
        assert_eq!((heads.len(), heads[0].len()), (4, 11));
        assert!(heads.iter().all(|head| (head.iter().sum::<f32>() - 1.0).abs() < 1e-5));
        spec.task.examples().relevant(0).iter().map(|bit| average(&heads)[*bit]).sum()
    };
    let before = mass(&pollster::block_on(run.checkpoint()).unwrap().weights.parameters);
    assert!(finish(&mut run).solved[0].is_some());
    let after = mass(&pollster::block_on(run.checkpoint()).unwrap().weights.parameters);
    assert!((0.2..0.4).contains(&before) && after > 0.7, "{before} to {after}");
}
