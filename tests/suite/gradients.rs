//! Gradients three ways: central differences, the double-precision reference, and Burn's autodiff.

use vivarium::models::Model;
use vivarium::models::mlp::Activation;
use vivarium::run::RunSpec;
use vivarium::settings::Field;
use vivarium::tasks::Batch;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::device::Device;
use vivarium::training::learner::Learner;
use vivarium::training::loss::Loss;

use crate::reference::Reference;
use crate::spec;

/// Every loss with every activation, on two replicas, with noise so that some labels are wrong.
fn every_case() -> Vec<(String, RunSpec)> {
    let mut cases = vec![];
    for loss in Loss::ALL {
        for activation in Activation::ALL {
            for degree in 2..=4 {
                let link = format!(
                    "#v1/sparse-parity?n=9&k=3&noise=0.2&width=7&act={}&degree={degree}&loss={}&batch=24&replicas=2&seed=5&held=64",
                    activation.to_value(),
                    loss.to_value()
                );
                // A degree says nothing about a ReLU; 3 is the default, which no link states.
                if degree == 3 || *activation == Activation::Power {
                    cases.push((link.clone(), spec(&link)));
                }
            }
        }
    }
    cases
}

fn reference(spec: &RunSpec, replica: usize) -> (Reference, Batch) {
    let Model::Mlp(mlp) = &spec.model;
    let inputs = spec.task.sampler().inputs();
    let initial = spec.model.architecture().initial(spec.run.seed, inputs, spec.run.replicas);
    let one: Vec<Vec<f32>> = initial
        .iter()
        .map(|p| p.chunks(p.len() / spec.run.replicas).nth(replica).unwrap().to_vec())
        .collect();
    let mut batch = Batch::default();
    spec.task.sampler().sample(spec.run.seed, replica as u32, 0, spec.run.batch, &mut batch);
    (Reference::new(mlp, spec.run.loss, inputs, &one), batch)
}

#[test]
fn the_reference_agrees_with_central_differences() {
    for (link, spec) in every_case() {
        let (mut net, batch) = reference(&spec, 0);
        let analytic = net.gradients(&batch);
        for (which, exact) in analytic.iter().enumerate() {
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

#[test]
fn autodiff_agrees_with_the_reference() {
    for (link, spec) in every_case() {
        let learner = Autodiff::new(&spec, Device::cpu().tensors());
        let burn: Vec<Vec<f32>> = learner
            .gradients(0)
            .into_iter()
            .map(|g| pollster::block_on(g.into_data_async()).unwrap().try_to_vec().unwrap())
            .collect();
        for replica in 0..spec.run.replicas {
            let (net, batch) = reference(&spec, replica);
            for (which, exact) in net.gradients(&batch).iter().enumerate() {
                let mine = burn[which].chunks(exact.len()).nth(replica).unwrap();
                let scale = exact.iter().fold(1e-3f64, |m, g| m.max(g.abs()));
                for (a, b) in exact.iter().zip(mine) {
                    assert!(
                        (a - f64::from(*b)).abs() < 2e-6 * scale,
                        "{link}, parameter {which}: {a} against {b}"
                    );
                }
            }
        }
    }
}

#[test]
fn measured_loss_and_accuracy_are_those_of_the_reference() {
    for (link, spec) in every_case() {
        let mut learner = Autodiff::new(&spec, Device::cpu().tensors());
        let row = pollster::block_on(learner.measure(0, 64)).unwrap();
        let (net, batch) = reference(&spec, 1);
        let mut held_out = Batch::default();
        spec.task.sampler().held_out(spec.run.seed, 0, 64, &mut held_out);
        for (measured, accuracy, batch) in [
            (row.train_loss[1], row.train_accuracy[1], batch),
            (row.test_loss[1], row.test_accuracy[1], held_out),
        ] {
            let exact = net.mean_loss(&batch);
            assert!(
                (f64::from(measured) - exact).abs() < 1e-5 * (1.0 + exact),
                "{link}: {measured} against {exact}"
            );
            let rows = batch.x.chunks(net.inputs).zip(&batch.y);
            let right = rows.filter(|(x, y)| net.output(x) * f64::from(**y) > 0.0).count();
            assert!((accuracy - right as f32 / batch.len() as f32).abs() < 1e-6, "{link}");
        }
    }
}
