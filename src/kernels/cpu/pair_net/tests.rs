//! Logits and gradients of the loops against the references, and their bits.

use super::embedding::EmbeddingLoop;
use super::transformer::TransformerLoop;
use super::*;
use crate::cpu::ReplicaState;
use vivarium_model::permalink::decode;
use vivarium_model::tasks::Batch;

/// A run with the settings of a link.
fn run(settings: &str) -> RunSpec {
    let (link, notices) = decode(&format!("#v1/groups?{settings}"));
    assert!(notices.is_empty(), "{settings}: {notices:?}");
    link.spec
}

/// Initial weights, with biases that are not zero.
fn stirred(spec: &RunSpec) -> Vec<Vec<f32>> {
    let mut weights = spec.initialize_replicas(1);
    for (which, values) in weights.iter_mut().enumerate() {
        for (i, value) in values.iter_mut().enumerate() {
            *value += 0.1 * libm::sinf((1 + which * 31 + i * 7) as f32);
        }
    }
    weights
}

fn replica(layout: &Layout, weights: &[Vec<f32>]) -> Replica {
    let mut replica = Replica::new(layout);
    for (which, values) in weights.iter().enumerate() {
        replica.write(0, which, values);
    }
    replica
}

/// The batch of a step: as tensors have it, its pairs and its labels.
fn batch(spec: &RunSpec, step: u64) -> (Batch, Vec<[u32; 2]>, Vec<u32>) {
    let mut batch = Batch::default();
    spec.append_batch(&spec.training_sets(usize::MAX), 0, step, &mut batch);
    let numbers = |values: &[f32]| -> Vec<u32> { values.iter().map(|v| *v as u32).collect() };
    let (pairs, labels) = (numbers(&batch.x).as_chunks::<2>().0.to_vec(), numbers(&batch.y));
    (batch, pairs, labels)
}

fn logits(spec: &RunSpec, weights: &[Vec<f32>], x: &[f32]) -> Vec<f32> {
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let examples = spec.task.examples();
    spec.model.network(examples).evaluate(&weights, examples.inputs(), x, 0)
}

/// Mean cross-entropies of smoothed labels, and the share of right answers.
fn mean(spec: &RunSpec, weights: &[Vec<f32>], batch: &Batch) -> (f64, f64) {
    let (classes, smoothing) = (spec.task.examples().classes().unwrap(), f64::from(spec.label_smoothing()));
    let (mut loss, mut right) = (0.0, 0.0);
    for (f, y) in logits(spec, weights, &batch.x).chunks(classes).zip(&batch.y) {
        let top = f.iter().fold(f32::NEG_INFINITY, |top, f| top.max(*f));
        let sum: f64 = f.iter().map(|f| libm::exp(f64::from(f - top))).sum();
        let losses = f.iter().map(|f| libm::log(sum) - f64::from(f - top));
        let label = *y as usize;
        for (class, of) in losses.enumerate() {
            let target = f64::from(class == label) * (1.0 - smoothing) + smoothing / classes as f64;
            loss += target * of;
        }
        let is_largest = f.iter().enumerate().all(|(class, other)| class == label || *other < f[label]);
        right += f64::from(is_largest);
    }
    (loss / batch.len() as f64, right / batch.len() as f64)
}

/// Logits are those of the reference, and gradients differences of the loss: along themselves, and along random directions.
fn agrees<L: PairLoop>(settings: &str) {
    let spec = run(settings);
    let (layout, weights) = (Layout::of(&spec), stirred(&spec));
    let replica = replica(&layout, &weights);
    let classes = spec.task.examples().classes().unwrap();
    let mut loops = L::of(&spec).unwrap();
    // A second batch finds nothing of the first.
    for step in 0..2 {
        let (batch, pairs, labels) = batch(&spec, step);
        loops.load(replica.weights());
        let exact = logits(&spec, &weights, &batch.x);
        let mut all = exact.chunks(classes);
        for pairs in pairs.chunks(TOGETHER) {
            let mine = loops.forward(pairs);
            for (at, exact) in (0..pairs.len()).zip(&mut all) {
                let mine = mine.of(at);
                assert_eq!(mine.len(), classes);
                for (mine, exact) in mine.iter().zip(exact) {
                    let fits = (mine - exact).abs() < 2e-5 * exact.abs().max(1.0);
                    assert!(fits, "{settings}: {mine}, {exact}");
                }
            }
        }
        assert!(all.next().is_none());
        let mut gradient = layout.rows();
        loops.gradient(&pairs, &labels, spec.label_smoothing(), &mut gradient);
        for (which, mine) in gradient.iter().enumerate() {
            let numbers: Vec<f64> = mine.iter().flat_map(|row| row.0).map(f64::from).collect();
            let (numbers, beyond) = numbers.split_at(weights[which].len());
            assert!(beyond.iter().all(|rest| *rest == 0.0), "{settings}: {which}");
            let length = numbers.iter().map(|g| g * g).sum::<f64>().sqrt();
            assert!(length > 1e-6, "{settings}: {which}");
            for seed in 0..4 {
                let along: Vec<f64> = match seed {
                    0 => numbers.to_vec(),
                    _ => (0..numbers.len()).map(|i| libm::sin((seed * 100 + i * i) as f64)).collect(),
                };
                let norm = along.iter().map(|v| v * v).sum::<f64>().sqrt();
                let slope: f64 = numbers.iter().zip(&along).map(|(g, v)| g * v / norm).sum();
                let beside = |by: f64| {
                    let mut moved = weights.clone();
                    let all = moved[which].iter_mut().zip(&along);
                    all.for_each(|(w, v)| *w += (by * v / norm) as f32);
                    mean(&spec, &moved, &batch).0
                };
                let difference = (beside(1e-3) - beside(-1e-3)) / 2e-3;
                assert!(
                    (difference - slope).abs() < 0.03 * length + 2e-4,
                    "{settings}: parameter {which} along {seed}: {difference}, {slope} of {length}"
                );
            }
        }
    }
}

/// Measures are those of the reference, and what was loaded before leaves nothing behind, even if it is no number.
fn measures<L: PairLoop>(settings: &str) {
    let spec = run(settings);
    let (layout, weights) = (Layout::of(&spec), stirred(&spec));
    let replica = replica(&layout, &weights);
    let (batch, pairs, labels) = batch(&spec, 0);
    let mut fresh = L::of(&spec).unwrap();
    fresh.load(replica.weights());
    let judged = fresh.measure(&pairs, &labels);
    let (loss, right) = mean(&spec, &weights, &batch);
    let count = pairs.len() as f64;
    assert!((judged.loss / count - loss).abs() < 1e-5, "{settings}: {judged:?}, {loss}");
    assert_eq!(judged.right as f64 / count, right, "{settings}");
    let mut gradient = layout.rows();
    fresh.gradient(&pairs, &labels, 0.0, &mut gradient);

    let mut used = L::of(&spec).unwrap();
    for (which, values) in weights.iter().enumerate() {
        let mut broken = replica.clone();
        broken.write(0, which, &vec![f32::NAN; values.len()]);
        used.load(broken.weights());
        let judged = used.measure(&pairs, &labels);
        assert!(judged.loss.is_nan() && judged.right == 0, "{settings}: {which}: {judged:?}");
        let mut none = layout.rows();
        used.gradient(&pairs, &labels, 0.0, &mut none);
    }
    used.load(replica.weights());
    assert_eq!(used.measure(&pairs[..3], &labels[..3]).loss, fresh.measure(&pairs[..3], &labels[..3]).loss);
    assert_eq!(used.measure(&pairs, &labels), judged, "{settings}");
    let mut again = layout.rows();
    used.gradient(&pairs, &labels, 0.0, &mut again);
    assert_eq!(again, gradient, "{settings}");
}

/// Embeddings of each kind: small, so that a random direction sees all of a gradient, and with full and broken panels.
fn embeddings() -> Vec<String> {
    let mut all = vec![];
    for tied in ["yes", "no"] {
        for join in ["sum", "concat"] {
            for sizes in ["n=5&demb=3&width=4", "n=17&demb=16&width=33&frac=0.6", "n=11&demb=33&width=16"] {
                all.push(format!("model=embedding-mlp&tied={tied}&join={join}&{sizes}"));
            }
        }
    }
    all.push("model=embedding-mlp&n=5&demb=1&width=9&batch=1".into());
    all.push("model=embedding-mlp&n=16&demb=5&width=7&batch=65&ls=0.2&tied=no".into());
    all
}

#[test]
fn embeddings_of_pairs_are_those_of_the_reference() {
    for settings in embeddings() {
        agrees::<EmbeddingLoop>(&settings);
    }
}

#[test]
fn embeddings_of_pairs_are_measured_and_leave_nothing_behind() {
    for settings in embeddings().iter().filter(|settings| !settings.contains("batch")) {
        measures::<EmbeddingLoop>(settings);
    }
}

/// Transformers: heads that fill more than a panel of scores, or each more than a panel of values, and as few as there can be.
const TRANSFORMERS: [&str; 6] = [
    "n=5&demb=4&dattn=3&heads=2&dmlp=6",
    "n=5&demb=1&dattn=1&heads=1&dmlp=5&frac=0.7",
    "n=7&demb=18&dattn=17&heads=2&dmlp=33",
    "n=13&demb=16&dattn=16&heads=3&dmlp=16&frac=0.6",
    "n=6&demb=5&dattn=2&heads=17&dmlp=7",
    "n=17&demb=9&dattn=4&heads=4&dmlp=20&batch=67&ls=0.3",
];

#[test]
fn transformers_on_pairs_are_those_of_the_reference() {
    for settings in TRANSFORMERS {
        let settings = format!("model=modular-transformer&{settings}");
        agrees::<TransformerLoop>(&settings);
        measures::<TransformerLoop>(&settings.replace("&ls=0.3", ""));
    }
}

#[test]
fn a_loop_takes_only_its_own_networks() {
    let why = |settings: &str| {
        let spec = run(settings);
        [EmbeddingLoop::of(&spec).err(), TransformerLoop::of(&spec).err()]
    };
    assert_eq!(why("model=embedding-mlp"), [None, Some("its model is Embedding MLP".into())]);
    assert_eq!(why("model=modular-transformer"), [Some("its model is Modular Transformer".into()), None]);
}

/// Two elements, one component, one neuron: f(a, b)[c] = max(0, (E[a] + E[b]) w + β) u[c].
#[test]
fn one_neuron_has_the_slopes_that_paper_gives() {
    let spec = run("n=2&model=embedding-mlp&demb=1&width=1");
    let layout = Layout::of(&spec);
    let replica = replica(&layout, &[vec![0.5, 1.0], vec![2.0], vec![0.25], vec![0.0, 0.0]]);
    let mut loops = EmbeddingLoop::of(&spec).unwrap();
    loops.load(replica.weights());
    let mut gradient = layout.rows();
    loops.gradient(&[[0, 1]], &[1], 0.0, &mut gradient);
    // h = 1.5 · 2 + 0.25; both shares are a half, so that ∂f is (1/2, −1/2) and u = 0 lets nothing through to h.
    assert_eq!(gradient[3][0].0[..2], [1.625, -1.625]);
    assert!(gradient[..3].iter().flatten().flat_map(|row| row.0).all(|g| g == 0.0));
    let mut other = replica.clone();
    other.write(0, 3, &[2.0, 2.0]);
    loops.load(other.weights());
    // The logits are equal, and their slopes times equal weights cancel.
    loops.gradient(&[[0, 1], [1, 1]], &[1, 0], 0.0, &mut gradient);
    assert!(gradient[..3].iter().flatten().flat_map(|row| row.0).all(|g| g == 0.0));
    other.write(0, 3, &[0.0, 4.0]);
    loops.load(other.weights());
    let judged = loops.measure(&[[0, 1]], &[1]);
    assert_eq!(judged.right, 1);
    assert!((judged.loss - libm::log1p(libm::exp(-13.0))).abs() < 1e-9);
}
