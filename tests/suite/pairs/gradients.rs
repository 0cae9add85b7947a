//! Gradients by autodiff, the penalty's among them, against central differences in double precision.

use vivarium::tasks::Batch;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::launch::device::Device;
use vivarium::training::session::learner::Learner;

use super::reference::{Reference, replica};
use super::{block_on, every_model, stirred};
use crate::gradients::numbers;
use crate::spec;

/// Every model with all pairs and with a part of them, in a task that tells a from b.
#[test]
fn every_models_gradients_are_central_differences() {
    for model in every_model() {
        for data in ["batch=0", "batch=7", "batch=7&frac=0.6", "batch=0&frac=0.6"] {
            let link = format!("#v1/groups?op=sub&n=5&{model}&{data}&replicas=2&seed=5");
            let spec = spec(&link);
            let mut learner = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
            let weights = stirred(&spec);
            let mut loaded = block_on(learner.weights()).unwrap();
            loaded.parameters.clone_from(&weights);
            learner.load(&loaded);
            for step in [0, 3] {
                let found: Vec<Vec<f32>> = learner.gradients(step).into_iter().map(numbers).collect();
                let penalty = spec.architecture().penalty(step);
                for r in 0..2 {
                    let mut batch = Batch::default();
                    spec.task.sampler().sample(spec.run.seed, r as u32, step, spec.batch_size(), &mut batch);
                    let exact = Reference::new(&spec, &replica(&weights, r, 2)).gradients(&batch, penalty);
                    let mine = replica(&found, r, 2);
                    assert_eq!(exact.len(), mine.len());
                    for (which, (exact, mine)) in exact.iter().zip(&mine).enumerate() {
                        let scale = exact.iter().fold(1e-3f64, |m, g| m.max(g.abs()));
                        assert_eq!(exact.len(), mine.len());
                        for (a, b) in exact.iter().zip(mine) {
                            let error = (a - f64::from(*b)).abs();
                            assert!(
                                error < 2e-4 * scale,
                                "{link}, parameter {which} at step {step}: {a} against {b}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// λ of the step is what pulls, and one of zero does not.
#[test]
fn the_penalty_follows_its_changes() {
    let link = |lambda: &str| format!("#v1/groups?n=5&width=4&std=0.5&{lambda}&seed=2");
    let at = |lambda: &str, step: u64| -> Vec<Vec<f32>> {
        let spec = spec(&link(lambda));
        let learner = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
        learner.gradients(step).into_iter().map(numbers).collect()
    };
    let changing = "lambda=0.2&lambdas=10:0_20:0.05";
    assert_eq!(at(changing, 9), at("lambda=0.2", 0));
    assert_eq!(at(changing, 10), at("lambda=0", 0));
    assert_eq!(at(changing, 20), at("lambda=0.05", 0));
    // 3λ‖ω_i‖ω_i, and nothing else, is between them.
    let initial = spec(&link("lambda=0")).initialize_parameters();
    let square =
        |i: usize| initial.iter().flat_map(|p| p.iter().skip(i).step_by(4)).map(|w| w * w).sum::<f32>();
    assert_eq!(at("lambda=0.2", 0).len(), 3);
    for ((with, without), own) in at("lambda=0.2", 0).iter().zip(at("lambda=0", 0)).zip(&initial) {
        for (at, ((a, b), w)) in with.iter().zip(&without).zip(own).enumerate() {
            let pull = 3.0 * 0.2 * square(at % 4).sqrt() * w;
            assert!((a - b - pull).abs() < 1e-5, "{a} less {b} against {pull}");
        }
    }
}
