//! Tensors against the reference: outputs and gradients of every kind of network.

use burn::tensor::{Device, Tensor, TensorData};

use crate::models::in_context_transformer::OnPoints;
use crate::models::in_context_transformer::tests::{prompts, rows, variants, weights};
use crate::models::{Architecture, Net, Network};
use crate::tasks::{Examples, TaskData};
use vivarium_core::settings::InvalidSetting;

/// Replicas of every test.
const REPLICAS: usize = 2;
/// Prompts of a batch.
const BATCH: usize = 3;
/// Points of a prompt.
const POINTS: usize = 5;

/// Examples of which nothing but their layout is known.
struct Points(vivarium_science::functions::FunctionPrompts);

impl Examples for Points {
    fn data(&self) -> TaskData {
        TaskData::Points(self.0.clone())
    }

    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    fn training_set_size(&self) -> Option<usize> {
        None
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        vec![]
    }
}

/// Parameters of all replicas, and the weights of each.
fn parameters(on: &OnPoints, device: &Device) -> (Vec<Tensor<3>>, Vec<Vec<Vec<f32>>>) {
    let each: Vec<Vec<Vec<f32>>> = (0..REPLICAS as u32).map(|replica| weights(on, replica)).collect();
    let tensor = |(which, parameter): (usize, &crate::models::Parameter)| {
        let all: Vec<f32> = each.iter().flat_map(|weights| weights[which].clone()).collect();
        Tensor::from_data(TensorData::new(all, parameter.shape), device)
    };
    (on.parameters(0, REPLICAS).iter().enumerate().map(tensor).collect(), each)
}

fn numbers(tensor: Tensor<3>) -> Vec<f32> {
    pollster::block_on(tensor.into_data_async()).unwrap().try_to_vec().unwrap()
}

#[test]
fn outputs_and_gradients_are_those_of_the_reference() {
    let device = Device::flex();
    for net in variants() {
        let on = OnPoints { net: net.clone(), prompts: prompts(2, POINTS) };
        let examples = Points(on.prompts.clone());
        let (parameters, each) = parameters(&on, &device);
        let columns = on.prompts.row_len();
        // Each replica with examples of its own, and all with the same.
        for of_x in [REPLICAS, 1] {
            let all = rows(&on.prompts, of_x * BATCH);
            let x = Tensor::<3>::from_data(TensorData::new(all.clone(), [of_x, BATCH, columns]), &device);
            let labels = x.clone().narrow(2, columns - POINTS, POINTS);
            let tracked: Vec<Tensor<3>> =
                parameters.iter().map(|p| p.clone().autodiff().require_grad()).collect();
            let outputs = net.forward(&examples, &parameters, x.clone(), 0);
            assert_eq!(outputs.dims(), [REPLICAS, BATCH, POINTS]);
            let error = net.forward(&examples, &tracked, x.autodiff(), 0) - labels.autodiff();
            let mut gradients = (error.clone() * error / (BATCH * POINTS) as f32).backward();
            let gradients: Vec<Vec<f32>> =
                tracked.iter().map(|p| numbers(p.grad_remove(&mut gradients).unwrap())).collect();
            let outputs = numbers(outputs);
            for (replica, weights) in each.iter().enumerate() {
                let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
                let part = if of_x == 1 { 0 } else { replica };
                let rows = &all[part * BATCH * columns..(part + 1) * BATCH * columns];
                let expected = on.evaluate(&weights, 2, rows, 0);
                for (found, expected) in outputs[replica * BATCH * POINTS..].iter().zip(&expected) {
                    let error = (found - expected).abs();
                    assert!(error < 1e-4 * (1.0 + expected.abs()), "{net:?}: {found} {expected}");
                }
                let (_, exact) = on.plain(&weights).gradients(rows, POINTS);
                for (which, exact) in exact.iter().enumerate() {
                    let size = exact.iter().fold(0.0f64, |size, g| size.max(g.abs()));
                    assert!(size > 1e-4, "{net:?}: parameter {which}");
                    let found = &gradients[which][replica * exact.len()..];
                    for (at, (exact, found)) in exact.iter().zip(found).enumerate() {
                        let error = (exact - f64::from(*found)).abs();
                        assert!(error < 2e-4 * size, "{net:?}: {which} at {at}: {found} {exact}");
                    }
                }
            }
        }
    }
}
