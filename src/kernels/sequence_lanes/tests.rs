use super::*;
use crate::models::attention_only::OfLength;
use crate::models::minimal_markov;
use crate::models::{AttentionOnly, MinimalMarkov};
use crate::permalink::decode;
use crate::rng::{Purpose, Stream};
use crate::training::optimizers::{Adam, Optimizer, Sgd};

fn spec(link: &str) -> RunSpec {
    let decoded = decode(&format!("#v1/markov?{link}")).0.spec;
    assert!(decoded.problems().is_empty(), "{link}: {:?}", decoded.problems());
    decoded
}

/// Weights of standard deviation `scale`, gains around 1.
fn drawn(spec: &RunSpec, scale: f32) -> Vec<Vec<f32>> {
    let stream = Stream::new(5, Purpose::Weights, 0);
    let parameters = spec.architecture().parameters(spec.task.sampler().inputs(), 1);
    let draw = |(which, p): (usize, &crate::models::Parameter)| {
        let mean = if p.name.contains("gain") { 1.0 } else { 0.0 };
        (0..p.len() as u32).map(|i| mean + scale * stream.normal(which as u64, i)).collect()
    };
    parameters.iter().enumerate().map(draw).collect()
}

/// Sequences of symbols that do not all come equally often.
fn sequences(network: &Network, count: usize) -> Vec<u8> {
    let stream = Stream::new(8, Purpose::Batch, 0);
    let draw = |i: usize| {
        let u = stream.unit(3, i as u32);
        (u * u * network.symbols as f32) as u8
    };
    (0..count * (network.length + 1)).map(draw).collect()
}

fn loaded(network: &Network, weights: &[Vec<f32>]) -> Replica {
    let mut replica = Replica::new(network);
    for (which, values) in weights.iter().enumerate() {
        replica.write(0, which, values);
        assert_eq!(replica.read(0, which, values.len()), *values);
    }
    replica
}

/// The reference: loss and gradients.
fn exact(spec: &RunSpec, weights: &[Vec<f32>], batch: &[u8]) -> (f64, Vec<Vec<f64>>) {
    let (symbols, length) = (spec.task.sampler().inputs(), spec.task.sampler().length());
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    match &spec.model {
        Model::AttentionOnly(net) => {
            let net = OfLength { net: net.clone(), length };
            net.plain(&weights, symbols).gradients(batch)
        }
        Model::MinimalMarkov(net) => {
            let (loss, gradients) =
                minimal_markov::OfLength { net: net.clone(), length }.gradients(&weights, symbols, batch);
            (loss, gradients.to_vec())
        }
        _ => unreachable!(),
    }
}

fn close(found: &[f32], exact: &[f64], tolerance: f64, what: &str) {
    let most = exact.iter().fold(1e-7f64, |most, v| most.max(v.abs()));
    assert_eq!(found.len(), exact.len(), "{what}");
    for (at, (a, b)) in found.iter().zip(exact).enumerate() {
        assert!((f64::from(*a) - b).abs() <= tolerance * most, "{what}, {at}: {a} instead of {b}");
    }
}

/// Gradients of one batch: at the first step the velocity is the gradient.
fn gradients(network: &Network, weights: &[Vec<f32>], batch: &[u8]) -> Vec<Vec<f32>> {
    let network = Network { rule: Rule::Sgd { momentum: true }, ..network.clone() };
    let mut replica = loaded(&network, weights);
    let descent = Optimizer::Sgd(Sgd { lr: 0.5, momentum: 0.5, decay: 0.0, ..Default::default() });
    replica.step(&mut Scratch::new(&network), batch, &Push::new(&descent, 0, 0.5));
    (0..weights.len()).map(|which| replica.read(1, which, weights[which].len())).collect()
}

fn check(link: &str, scale: f32, count: usize, tolerance: f64) {
    let spec = spec(link);
    let network = Network::of(&spec).unwrap();
    let (weights, batch) = (drawn(&spec, scale), sequences(&network, count));
    let (loss, exact) = exact(&spec, &weights, &batch);
    let names = spec.parameters();
    let tally = loaded(&network, &weights).measure(&mut Scratch::new(&network), &batch);
    let places = (count * network.length) as f64;
    close(&[(tally.loss / places) as f32], &[loss], 0.1 * tolerance, link);
    for (which, found) in gradients(&network, &weights, &batch).iter().enumerate() {
        close(found, &exact[which], tolerance, &format!("{link} at {scale}, {}", names[which].name));
    }
}

const VARIANTS: [&str; 14] = [
    "heads=1.1",
    "heads=1",
    "heads=1.1&pos=absolute",
    "heads=1.1&norm=pre",
    "heads=1.1&mlp=on",
    "heads=1.1&norm=pre&mlp=on",
    "heads=2.4&pos=absolute&norm=pre&mlp=on",
    "heads=2.4",
    "heads=4.2.1&norm=pre",
    "d=6&heads=1.1",
    "d=20&heads=2.1&norm=pre&mlp=on",
    "d=48&heads=3.1",
    "d=48&heads=3.2&norm=pre",
    "d=24&heads=3.3&mlp=on",
];

#[test]
fn gradients_are_those_of_the_definition() {
    for variant in VARIANTS {
        for (k, t) in [(2, 21), (3, 16), (5, 3), (8, 35), (2, 2), (4, 50)] {
            // With the larger numbers scores are too far apart for the first layer's tables, and lose digits.
            for (scale, tolerance) in [(0.3, 1e-4), (1.2, 1e-2)] {
                check(&format!("model=attention-only&k={k}&t={t}&{variant}"), scale, 3, tolerance);
            }
        }
    }
}

#[test]
fn gradients_of_the_minimal_model_are_those_of_the_definition() {
    for (k, t) in [(2, 21), (3, 16), (5, 3), (8, 35), (2, 2), (4, 100)] {
        check(&format!("model=minimal&k={k}&t={t}"), 0.2, 3, 1e-4);
    }
}

/// Seconds that this thread has had a core, which others may share.
fn busy() -> f64 {
    let stated = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stated.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| crate::platform::now_ms() / 1e3, |ns| ns / 1e9)
}

#[test]
#[ignore = "measures speed"]
fn speed() {
    for link in [
        "model=attention-only&k=2&t=50&batch=32&d=16&heads=1.1",
        "model=attention-only&k=3&t=100&batch=64&d=16&heads=1.1&norm=pre",
        "model=attention-only&k=2&t=100&batch=64&d=48&heads=3.3",
        "model=attention-only&k=2&t=50&batch=32&d=16&heads=1.1&pos=absolute",
        "model=minimal&k=2&t=100&batch=64",
    ] {
        let spec = spec(link);
        let network = Network::of(&spec).unwrap();
        let mut replica = loaded(&network, &drawn(&spec, 0.1));
        let mut scratch = Scratch::new(&network);
        let batch = sequences(&network, spec.batch());
        let contexts = &batch[..spec.batch() * network.length];
        let steps = (3e9 / spec.step_flops()) as usize + 1;
        let (mut least, mut looks) = (f64::INFINITY, f64::INFINITY);
        for round in 0..5 {
            let start = busy();
            for step in 0..steps {
                let push = Push::new(&spec.optimizer, (round * steps + step) as u64, 1e-4);
                replica.step(&mut scratch, &batch, &push);
            }
            least = least.min((busy() - start) / steps as f64);
            let start = busy();
            for _ in 0..steps {
                answers(&mut replica, &mut scratch, contexts, 0, &[]);
            }
            looks = looks.min((busy() - start) / steps as f64 / spec.batch() as f64);
        }
        let rate = spec.step_flops() / least / 1e9;
        println!("{link}: {:.0} steps/s, {rate:.1} GFLOP/s, {:.1} us an answer", 1.0 / least, 1e6 * looks);
    }
}
