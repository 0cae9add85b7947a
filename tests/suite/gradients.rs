//! Gradients three ways: central differences, the double-precision reference, and Burn's autodiff.

use burn::tensor::{Tensor, TensorData};
use vivarium::models::mlp::U;
use vivarium::models::{Activation, Model};
use vivarium::optim::loss::Loss;
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::launch::device::Device;
use vivarium::training::session::learner::Learner;

use crate::reference::Reference;
use crate::spec;
use crate::ties::doubled;

/// Every model with every activation and degree, as the part of a link.
pub fn every_model() -> Vec<String> {
    let mut models = vec!["width=7&act=relu".to_string()];
    for degree in 1..=4 {
        for activation in Activation::ALL.iter().filter(|a| **a != Activation::Relu) {
            // Wide enough for every segment and several periods; high powers are better kept small.
            let init = if *activation == Activation::Power { "uniform" } else { "gaussian" };
            models.push(format!("width=7&act={}&degree={degree}&init={init}", activation.slug()));
        }
        models.push(format!("model=polynet&degree={degree}"));
        models.push(format!("model=disjoint-polynet&degree={degree}"));
        // Without the penalty, which the reference does not know.
        models.push(format!("model=power-net&width=7&degree={}&lambda=0", degree + 1));
    }
    models.push("model=polynet&degree=3&bias=no&init=sign".into());
    models.push("width=7&act=sin&second=ones&bias=hidden&init=gaussian".into());
    models.push("width=1&act=zigzag&second=ones&bias=none&init=uniform".into());
    models.push("width=9&init=sparse&keep=3.8.1".into());
    models.push("width=7&act=power&degree=2&init=gaussian&first=frozen".into());
    models.push("model=parity-transformer&demb=6&dattn=2&heads=3&dmlp=5".into());
    models.push("model=parity-transformer&demb=3&dattn=4&heads=1&dmlp=2".into());
    models.push("model=cls-transformer&demb=6&heads=3&dmlp=5".into());
    models.push("model=cls-transformer&demb=5&heads=1&dmlp=2&ln=no".into());
    for widths in ["1", "5.3", "4.6.2"] {
        for layers in ["end", "greedy"] {
            for rest in ["act=power&degree=2", "act=relu", "act=sin&degree=3&init=gaussian"] {
                models.push(format!("model=deep-mlp&widths={widths}&layers={layers}&{rest}"));
            }
        }
    }
    models
}

/// Every model with every loss, on two replicas, with noise so that some labels are wrong.
fn every_case() -> Vec<(String, RunSpec)> {
    let mut cases = vec![];
    for model in every_model() {
        for loss in Loss::ALL {
            let loss = loss.slug();
            let link = format!(
                "#v1/sparse-parity?n=9&k=3&noise=0.2&{model}&loss={loss}&batch=24&replicas=2&seed=5&held=64"
            );
            cases.push((link.clone(), spec(&link)));
        }
    }
    cases
}

/// The first step of every stage.
fn every_stage(spec: &RunSpec) -> impl Iterator<Item = u64> {
    (0..spec.architecture().stages()).map(|stage| spec.first_step_of_stage(stage))
}

/// A replica with its initial weights, as it is at `step`, and that step's batch.
fn reference(spec: &RunSpec, replica: usize, step: u64) -> (Reference, Batch) {
    let inputs = spec.task.examples().inputs();
    let initial = spec.architecture().initial(spec.run.seed, inputs, spec.run.replicas);
    let one: Vec<Vec<f32>> = initial
        .iter()
        .map(|p| p.chunks(p.len() / spec.run.replicas).nth(replica).unwrap().to_vec())
        .collect();
    let mut batch = Batch::default();
    spec.task.sampler().sample(spec.run.seed, replica as u32, step, spec.run.batch, &mut batch);
    let reference = Reference::new(&spec.model, spec.run.loss, inputs, &one);
    (Reference { stage: spec.stage(step), ..reference }, batch)
}

/// The numbers of a tensor, on whatever device.
pub fn numbers(tensor: Tensor<3>) -> Vec<f32> {
    pollster::block_on(tensor.into_data_async()).unwrap().try_to_vec().unwrap()
}

/// Quarters are exact in single precision, so that kinks and the points that define σ are met exactly.
#[test]
fn activations_on_tensors_are_their_formulas_also_at_kinks() {
    let quarters: Vec<f32> = (-48..=48).map(|i| i as f32 / 4.0).collect();
    let data = TensorData::new(quarters.clone(), [1, quarters.len(), 1]);
    let z = Tensor::<3>::from_data(data, Device::cpu().tensors());
    for activation in Activation::ALL {
        for degree in 1..=8 {
            let values = numbers(activation.function(degree).forward_tensors(z.clone()));
            let tracked = z.clone().autodiff().require_grad();
            let mut gradients = activation.function(degree).forward_tensors(tracked.clone()).backward();
            let slopes = numbers(tracked.grad_remove(&mut gradients).unwrap());
            for (i, z) in quarters.iter().enumerate() {
                let exact = activation.value_and_slope(degree, f64::from(*z));
                // A polynomial of degree 8 is a difference of terms of some hundreds.
                let rounding = if *activation == Activation::Oscillating { 1e-3 } else { 1e-5 };
                for (exact, mine) in [(exact.0, values[i]), (exact.1, slopes[i])] {
                    let error = (exact - f64::from(mine)).abs();
                    assert!(
                        error < rounding * (1.0 + exact.abs()),
                        "{activation:?} of degree {degree} at {z}: {mine} against {exact}"
                    );
                }
            }
        }
    }
}

/// With weight one on the relevant bits of a parity and without bias, one neuron is right on every example.
#[test]
fn one_neuron_or_one_product_is_a_parity() {
    for degree in 1..=8 {
        for model in [
            "width=1&act=zigzag",
            "width=1&act=wave",
            "width=1&act=osc",
            "width=1&act=sin",
            "model=polynet",
            "model=disjoint-polynet&layout=blocks",
        ] {
            let spec = spec(&format!("#v1/sparse-parity?n=9&k={degree}&{model}&degree={degree}"));
            let relevant = spec.task.examples().relevant(0);
            let mut parameters = spec.architecture().initial(0, 9, 1);
            parameters.iter_mut().flatten().for_each(|v| *v = 0.0);
            let columns = parameters[0].len() / 9;
            for (place, bit) in relevant.iter().enumerate() {
                parameters[0][bit * columns + place % columns] = 1.0;
            }
            if let Model::Mlp(_) = spec.model {
                parameters[U][0] = 1.0;
            }
            let mut batch = Batch::default();
            spec.task.sampler().sample(0, 0, 0, 256, &mut batch);
            let device = Device::cpu();
            let tensor = |values: &[f32], shape: [usize; 3]| {
                Tensor::<3>::from_data(TensorData::new(values.to_vec(), shape), device.tensors())
            };
            let shapes = spec.parameters();
            let on_device: Vec<Tensor<3>> =
                parameters.iter().zip(&shapes).map(|(values, p)| tensor(values, p.shape)).collect();
            let net = spec.model.net().unwrap();
            let outputs = net.forward(spec.task.examples(), &on_device, tensor(&batch.x, [1, 256, 9]), 0);
            let reference = Reference::new(&spec.model, spec.run.loss, 9, &parameters);
            for ((x, y), output) in batch.x.chunks(9).zip(&batch.y).zip(numbers(outputs)) {
                assert!((output - y).abs() < 1e-3, "{model}, degree {degree}: {output} for {y}");
                assert!((reference.output(x) - f64::from(*y)).abs() < 1e-12, "{model}, degree {degree}");
            }
        }
    }
}

#[test]
fn the_reference_agrees_with_central_differences() {
    for (link, spec) in every_case() {
        for step in every_stage(&spec) {
            let (mut net, batch) = reference(&spec, 0, step);
            let analytic = net.gradients(&batch);
            for (which, exact) in analytic.iter().enumerate() {
                if spec.architecture().stages() > 1
                    && !spec.model.trained(spec.task.examples(), net.stage)[which]
                {
                    assert!(exact.iter().all(|slope| *slope == 0.0), "{link}: frozen");
                    continue;
                }
                for at in [0, net.parameters[which].len() / 2, net.parameters[which].len() - 1] {
                    let (value, h) = (net.parameters[which][at], 1e-6);
                    net.parameters[which][at] = value + h;
                    let above = net.mean_loss(&batch);
                    net.parameters[which][at] = value - h;
                    let below = net.mean_loss(&batch);
                    net.parameters[which][at] = value;
                    let numeric = (above - below) / (2.0 * h);
                    let error = (numeric - exact[at]).abs();
                    assert!(error < 1e-7 * (1.0 + numeric.abs()), "{link}: {numeric} against {}", exact[at]);
                }
            }
        }
    }
}

#[test]
fn autodiff_agrees_with_the_reference() {
    for (link, spec) in every_case() {
        let learner = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
        // The rounding of one layer is multiplied by those above.
        let rounding = if link.contains("deep") || link.contains("transformer") { 2e-5 } else { 2e-6 };
        for step in every_stage(&spec) {
            let burn: Vec<Vec<f32>> = learner.gradients(step).into_iter().map(numbers).collect();
            for replica in 0..spec.run.replicas {
                let (net, batch) = reference(&spec, replica, step);
                let trained = spec.model.trained(spec.task.examples(), net.stage);
                for (which, exact) in net.gradients(&batch).iter().enumerate() {
                    // The reference computes what a parameter that stays as it is would have; the learner need not.
                    if spec.architecture().stages() == 1 && !trained[which] {
                        continue;
                    }
                    let mine = burn[which].chunks(exact.len()).nth(replica).unwrap();
                    // Not less than a hundredth: examples of slope one may cancel, to all but their rounding.
                    let scale = exact.iter().fold(1e-2f64, |m, g| m.max(g.abs()));
                    for (a, b) in exact.iter().zip(mine) {
                        assert!(
                            (a - f64::from(*b)).abs() < rounding * scale,
                            "{link}, parameter {which}: {a} against {b}"
                        );
                    }
                }
            }
        }
    }
}

/// A product's gradient in a factor that is zero is the product of the others, and no quotient.
#[test]
fn a_factor_that_is_zero_has_its_gradient() {
    let spec = spec("#v1/sparse-parity?model=polynet&n=9&batch=24");
    let mut learner = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
    let mut weights = pollster::block_on(learner.weights()).unwrap();
    for parameter in &mut weights.parameters {
        parameter.chunks_mut(3).for_each(|row| row[1] = 0.0);
    }
    learner.load(&weights);
    let burn: Vec<Vec<f32>> = learner.gradients(0).into_iter().map(numbers).collect();
    let mut batch = Batch::default();
    spec.task.sampler().sample(0, 0, 0, 24, &mut batch);
    let exact = Reference::new(&spec.model, spec.run.loss, 9, &weights.parameters).gradients(&batch);
    for (i, (a, b)) in exact.iter().flatten().zip(burn.iter().flatten()).enumerate() {
        assert!((a - f64::from(*b)).abs() < 1e-6, "{i}: {a} against {b}");
        assert_eq!(i % 3 == 1, *b != 0.0, "only the factor that is zero has a gradient");
    }
}

#[test]
fn measured_loss_and_accuracy_are_those_of_the_reference() {
    for (link, spec) in every_case() {
        let mut learner = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
        for step in every_stage(&spec).chain([spec.run.steps]) {
            let row = pollster::block_on(learner.measure(step, 64)).unwrap();
            let (net, batch) = reference(&spec, 1, step);
            let mut held_out = Batch::default();
            spec.task.sampler().append_held_out(spec.run.seed, 0, 64, &mut held_out);
            for (measured, accuracy, batch) in [
                (row.train_loss[1], row.train_accuracy[1], batch),
                (row.test_loss[1], row.test_accuracy[1], held_out),
            ] {
                let exact = net.mean_loss(&batch);
                assert!(
                    (f64::from(measured) - exact).abs() < 1e-5 * (1.0 + exact.abs()),
                    "{link}: {measured} against {exact}"
                );
                let rows = batch.x.chunks(net.inputs).zip(&batch.y);
                let doubled = rows.map(|(x, y)| doubled(net.output(x) * f64::from(*y))).sum::<usize>();
                assert!((accuracy - doubled as f32 / 2.0 / batch.len() as f32).abs() < 1e-6, "{link}");
            }
        }
    }
}
