//! Dropout and gradient clipping of the transformer that is read out at `[CLS]`, against plain loops in double precision.

use vivarium::models::Model;
use vivarium::models::cls_transformer::ClsTransformer;
use vivarium::optim::Optimizer;
use vivarium::rng::{Purpose, RandomStream};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::launch::choose::{Chosen, choose};
use vivarium::training::launch::device::Device;
use vivarium::training::launch::learners::{Place, entry};
use vivarium::training::session::learner::{Learner, Weights};

use crate::gradients::numbers;
use crate::reference::{Factors, cls_transformer};
use crate::{finish, session, spec};

const SMALL: &str = "#v1/sparse-boolean?n=5&k=2&demb=6&heads=3&dmlp=5&m=12&held=64&replicas=2&seed=3";

fn net(spec: &RunSpec) -> &ClsTransformer {
    let Model::ClsTransformer(net) = &spec.model else { panic!("another model") };
    net
}

/// The factors of example `at` of a batch, from the words of the generator: 0 for the smallest words, and else 1/(1 − rate).
fn factors(spec: &RunSpec, replica: usize, step: u64, at: usize) -> Factors {
    let (net, tokens) = (net(spec), spec.task.examples().inputs() + 1);
    let stream = RandomStream::new(spec.run.seed, Purpose::Dropout, replica as u32);
    let of = |site: u64, rate: f64, count: usize| -> Vec<f64> {
        let word = |i: usize| f64::from(stream.draw_u32((site << 56) + step, (at * count + i) as u32));
        let factor = |i: usize| if word(i) / 4_294_967_296.0 < rate { 0.0 } else { 1.0 / (1.0 - rate) };
        (0..count).map(factor).collect()
    };
    let rates = net.dropout;
    Factors {
        tokens: of(0, rates.embedding, tokens * net.embedding),
        attention: of(1, rates.attention, net.heads * tokens),
        outputs: [of(2, rates.residual, net.embedding), of(3, rates.residual, net.embedding)],
    }
}

/// The sample of a replica, and its gradient of the mean loss at these weights in `step`, by central differences.
fn gradient(spec: &RunSpec, weights: &[Vec<f32>], replica: usize, step: u64) -> Vec<Vec<f64>> {
    let inputs = spec.task.examples().inputs();
    let mut batch = Batch::default();
    spec.append_batch(&spec.training_sets(usize::MAX), replica, step, &mut batch);
    let own = |values: &Vec<f32>| {
        let one = values.len() / spec.run.replicas;
        values[replica * one..][..one].iter().map(|value| f64::from(*value)).collect()
    };
    let mut weights: Vec<Vec<f64>> = weights.iter().map(own).collect();
    let factors: Vec<Factors> = (0..batch.len()).map(|at| factors(spec, replica, step, at)).collect();
    let loss = |weights: &[Vec<f64>]| {
        let examples = batch.x.chunks(inputs).zip(&batch.y).zip(&factors);
        let losses = examples.map(|((x, y), factors)| {
            let f = cls_transformer(net(spec), weights, x, Some(factors));
            spec.run.loss.compute(f64::from(*y), f)
        });
        losses.sum::<f64>() / batch.len() as f64
    };
    let shapes: Vec<usize> = weights.iter().map(Vec::len).collect();
    let mut slope = |which: usize, at: usize| {
        let (value, h) = (weights[which][at], 1e-5);
        let [above, below] = [value + h, value - h].map(|moved| {
            weights[which][at] = moved;
            loss(&weights)
        });
        weights[which][at] = value;
        (above - below) / (2.0 * h)
    };
    shapes
        .into_iter()
        .enumerate()
        .map(|(which, size)| (0..size).map(|at| slope(which, at)).collect())
        .collect()
}

/// Which parameters are trained.
fn trained(spec: &RunSpec) -> Vec<bool> {
    spec.model.trained(spec.task.examples(), 0)
}

/// Rates alone and together, with and without layer norm, at two steps.
#[test]
fn gradients_with_dropout_are_those_of_the_formula_with_these_factors() {
    for rest in [
        "adrop=0.3",
        "edrop=0.2",
        "rdrop=0.4",
        "adrop=0.2&edrop=0.1&rdrop=0.3",
        "ln=no&adrop=0.5&edrop=0.3&rdrop=0.1",
    ] {
        let spec = spec(&format!("{SMALL}&{rest}"));
        let mut learner = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
        let mut weights = pollster::block_on(learner.weights()).unwrap();
        for (which, values) in weights.parameters.iter_mut().enumerate() {
            let stream = RandomStream::new(9, Purpose::Weights, 0);
            values.iter_mut().zip(0..).for_each(|(w, i)| *w += 0.4 * stream.draw_normal(which as u64, i));
        }
        learner.load(&weights);
        for step in [0, 7] {
            let burn: Vec<Vec<f32>> = learner.gradients(step).into_iter().map(numbers).collect();
            for replica in 0..spec.run.replicas {
                let exact = gradient(&spec, &weights.parameters, replica, step);
                let all = exact.iter().zip(&burn).zip(trained(&spec)).filter(|(_, trained)| *trained);
                for (which, ((exact, burn), _)) in all.enumerate() {
                    let mine = &burn[replica * exact.len()..][..exact.len()];
                    let scale = exact.iter().fold(1e-2f64, |most, slope| most.max(slope.abs()));
                    for (exact, mine) in exact.iter().zip(mine) {
                        let error = (exact - f64::from(*mine)).abs();
                        assert!(error < 5e-5 * scale, "{rest}, step {step}, {which}: {mine} for {exact}");
                    }
                }
            }
        }
    }
}

/// The rule of PyTorch's `clip_grad_norm_`, g · min(1, c/(‖g‖ + 10⁻⁶)) with the norm of all parameters of one network, once
/// with a limit above both norms, once between and once below: what one step of Adam with a large ε then makes of it,
/// w − η ĝ/(|ĝ| + ε), by the loop and by automatic differentiation.
#[test]
fn the_gradient_of_each_network_is_shortened_to_the_limit_and_not_beyond() {
    let dropout = "adrop=0.2&rdrop=0.3";
    let plain = spec(&format!("{SMALL}&{dropout}"));
    let initial = plain.initialize_parameters();
    let gradients: Vec<Vec<Vec<f64>>> =
        (0..2).map(|replica| gradient(&plain, &initial, replica, 0)).collect();
    let norm = |of: &Vec<Vec<f64>>| of.iter().flatten().map(|g| g * g).sum::<f64>().sqrt();
    let mut norms: Vec<f64> = gradients.iter().map(norm).collect();
    norms.sort_by(f64::total_cmp);
    assert!(norms[1] > 1.02 * norms[0], "the two networks have two norms: {norms:?}");
    for (limit, shortened) in [(2.0 * norms[1], 0), (0.5 * (norms[0] + norms[1]), 1), (0.3 * norms[0], 2)] {
        let mut counted = 0;
        for learner in ["auto", "autodiff"] {
            let link = format!(
                "{SMALL}&{dropout}&opt=adam&lr=0.01&eps=0.1&wd=0&clip={limit}&steps=1&halt=steps&learner={learner}"
            );
            let (spec, mut run) = (spec(&link), session(&link));
            let Optimizer::Adam(adam) = &spec.optimizer else { panic!("another optimizer") };
            assert_eq!(spec.uses_autodiff(), learner == "autodiff");
            finish(&mut run);
            let Weights { parameters, .. } = pollster::block_on(run.checkpoint()).unwrap().weights;
            for (replica, of_replica) in gradients.iter().enumerate() {
                let scale = (limit / (norm(of_replica) + 1e-6)).min(1.0);
                counted += u32::from(scale < 1.0);
                for ((exact, begin), moved) in of_replica.iter().zip(&initial).zip(&parameters) {
                    for (at, g) in exact.iter().enumerate() {
                        let (g, at) = (g * scale, replica * exact.len() + at);
                        let wanted = f64::from(begin[at]) - adam.lr * g / (g.abs() + adam.epsilon);
                        let error = (wanted - f64::from(moved[at])).abs();
                        assert!(error < 2e-6, "{learner}, {limit}: {} for {wanted}", moved[at]);
                    }
                }
            }
        }
        assert_eq!(counted, 2 * shortened, "{limit}: {norms:?}");
    }
}

/// At step 0 nothing has been dropped yet, and measurements never drop anything; after a step there is a difference.
#[test]
fn nothing_is_dropped_where_a_network_is_measured() {
    for (rate, learner) in [("adrop=0.5&rdrop=0.5", "auto"), ("adrop=0.5&edrop=0.5&rdrop=0.5", "autodiff")] {
        let rows = |rate: &str| {
            let link = format!("{SMALL}&{rate}&learner={learner}&steps=3&every=1&halt=steps");
            finish(&mut session(&link)).rows
        };
        let (with, without) = (rows(rate), rows(""));
        assert_eq!(with[0], without[0], "{rate}");
        assert_ne!(with[3].train_loss, without[3].train_loss, "{rate}");
    }
}

/// The loop has one table of tokens for all examples, so that it leaves dropout of embeddings to automatic differentiation.
#[test]
fn the_loop_says_that_it_drops_no_embeddings() {
    for (rest, is_looped) in [("adrop=0.1&rdrop=0.1", true), ("edrop=0.1", false), ("", true)] {
        let spec = spec(&format!("{SMALL}&{rest}"));
        let taken = entry(&spec, Place::Cpu).map(|entry| entry.accepts(&spec));
        let expected = match is_looped {
            true => Ok(()),
            false => Err("training steps drop components of the embeddings".to_string()),
        };
        assert_eq!(taken, Some(expected), "{rest}");
        assert_eq!(spec.uses_autodiff(), !is_looped, "{rest}");
        let Ok(Chosen { note, .. }) = choose(&spec, &Device::cpu()) else { panic!("no learner") };
        assert_eq!(note.contains("drop components of the embeddings"), !is_looped, "{note}");
    }
}
