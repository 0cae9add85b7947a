//! Networks on sequences: tensors, plain loops and, by them, central differences give the same numbers.

use burn::tensor::{Tensor, TensorData};
use vivarium::kernels::cpu::sequence_net::Inference;
use vivarium::labs;
use vivarium::models::own::build::Data;
use vivarium::models::{Model, attention_only, minimal_markov};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::launch::device::Device;
use vivarium::training::session::evaluator::Evaluator;
use vivarium::training::session::{Options, Session};
use vivarium_operators::cross_entropy::forward_backward;
use vivarium_operators::reference::Reference as Executed;

use crate::gradients::numbers;
use crate::spec;

/// Every kind of network, as the part of a link.
pub const NETWORKS: &[&str] = &[
    "k=2",
    "k=3&d=6&heads=1",
    "k=3&d=12&heads=3.2",
    "k=4&d=8&heads=1.2.1&std=0.4",
    "k=3&d=8&pos=absolute",
    "k=3&d=8&mlp=on&heads=2",
    "k=3&d=8&norm=pre&std=0.3",
    "k=2&d=12&norm=pre&mlp=on&pos=absolute&heads=3.1&std=0.3",
    "k=2&d=6&from=circuit&c=5",
    "k=3&d=9&from=circuit",
    "model=minimal-markov&k=2",
    "model=minimal-markov&k=4&w0=0.1&v0=-0.03",
    "model=minimal-markov&k=3&from=bigram",
    "model=minimal-markov&k=3&from=layer1&w0=0.1&trained=layer2",
    "model=minimal-markov&k=3&from=layer2",
    "k=2&d=6&from=layer1&c=5",
    "k=2&d=6&from=layer2&c=5&trained=layer1",
    "model=own&k=3",
    "model=own&k=4&net=embed~10;norm;attention~2~size~3~relu;mlp~7~gelu;norm;read",
    "model=own&k=3&net=embed~6;gru~18;square;attention~2;gru~5;read",
];

/// A run on two replicas.
fn run(network: &str) -> RunSpec {
    spec(&format!("#v1/markov?{network}&t=11&batch=6&replicas=2&seed=5&held=64"))
}

/// The weights of one replica at the start, all of which differ.
fn weights(spec: &RunSpec, replica: usize) -> Vec<Vec<f32>> {
    let replicas = spec.run.replicas;
    spec.initialize_parameters()
        .iter()
        .map(|p| p.chunks(p.len() / replicas).nth(replica).unwrap().to_vec())
        .collect()
}

/// Logits and gradients of one replica in double precision.
fn reference(spec: &RunSpec, replica: usize, sequences: &[u8]) -> (Vec<f64>, f64, Vec<Vec<f64>>) {
    let weights = weights(spec, replica);
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let sampler = spec.task.sampler();
    let (k, length) = (sampler.inputs(), sampler.prediction_count());
    let contexts = sequences.chunks_exact(length + 1).map(|s| &s[..length]);
    match &spec.model {
        Model::AttentionOnly(net) => {
            let plain = attention_only::OfLength { net: net.clone(), length }.plain(&slices, k);
            let (loss, gradients) = plain.gradients(sequences);
            (contexts.flat_map(|context| plain.look(context, &[]).logits).collect(), loss, gradients)
        }
        Model::MinimalMarkov(net) => {
            let net = minimal_markov::OfLength { net: net.clone(), length };
            let (loss, gradients) = net.gradients(&slices, k, sequences);
            let logits = contexts.flat_map(|context| net.logits(&slices, k, context)).collect();
            (logits, loss, gradients.to_vec())
        }
        Model::OwnNetwork(net) => {
            let graph = net.graph(Data::of(spec.task.examples())).unwrap();
            let doubles: Vec<Vec<f64>> =
                weights.iter().map(|w| w.iter().map(|w| f64::from(*w)).collect()).collect();
            let (plain, mut loss) = (Executed::new(&graph, &doubles), 0.0);
            let mut gradients: Vec<Vec<f64>> = doubles.iter().map(|w| vec![0.0; w.len()]).collect();
            for sequence in sequences.chunks_exact(length + 1) {
                let symbols: Vec<u32> = sequence.iter().map(|symbol| u32::from(*symbol)).collect();
                let (own, of_own) = plain.gradient_of(&symbols[..length], |logits| {
                    let each = logits.chunks(k).zip(&symbols[1..]);
                    let each = each.map(|(f, label)| forward_backward(f, *label as usize, 0.0));
                    let (losses, gradients): (Vec<f64>, Vec<Vec<f64>>) = each.unzip();
                    (losses.iter().sum(), gradients.concat())
                });
                loss += own;
                for (sum, own) in gradients.iter_mut().flatten().zip(of_own.iter().flatten()) {
                    *sum += own;
                }
            }
            let count = (sequences.len() / (length + 1) * length) as f64;
            gradients.iter_mut().flatten().for_each(|sum| *sum /= count);
            let logits = contexts.flat_map(|context| {
                plain.output(&context.iter().map(|symbol| u32::from(*symbol)).collect::<Vec<_>>())
            });
            (logits.collect(), loss / count, gradients)
        }
        _ => unreachable!("a network on sequences"),
    }
}

#[test]
fn tensors_give_what_plain_loops_give() {
    for network in NETWORKS {
        let spec = run(network);
        let device = Device::cpu();
        let learner = Autodiff::new(&spec, device.tensors()).unwrap();
        let gradients: Vec<Vec<f32>> = learner.gradients(3).into_iter().map(numbers).collect();
        let columns = spec.task.examples().columns();
        let mut both = Batch::default();
        for replica in 0..2 {
            spec.task.sampler().sample(spec.run.seed, replica, 3, spec.run.batch, &mut both);
        }
        let tensor = |values: &[f32], shape: [usize; 3]| {
            Tensor::<3>::from_data(TensorData::new(values.to_vec(), shape), device.tensors())
        };
        let parameters: Vec<Tensor<3>> = spec
            .initialize_parameters()
            .iter()
            .zip(spec.parameters())
            .map(|(values, p)| tensor(values, p.shape))
            .collect();
        let x = tensor(&both.x, [2, spec.run.batch, columns]);
        let net = spec.model.net().unwrap();
        let outputs = numbers(net.forward(spec.task.examples(), &parameters, x, 0));
        for replica in 0..2 {
            let half = both.x.len() / 2;
            let sequences: Vec<u8> =
                both.x[replica * half..][..half].iter().map(|symbol| *symbol as u8).collect();
            let (logits, _, exact) = reference(&spec, replica, &sequences);
            let mine = &outputs[replica * logits.len()..][..logits.len()];
            for (exact, mine) in logits.iter().zip(mine) {
                let error = (exact - f64::from(*mine)).abs();
                assert!(error < 2e-5 * (1.0 + exact.abs()), "{network}: {mine} against {exact}");
            }
            for (which, (exact, mine)) in exact.iter().zip(&gradients).enumerate() {
                let mine = &mine[replica * exact.len()..][..exact.len()];
                let size = exact.iter().fold(1e-6f64, |size, g| size.max(g.abs()));
                for (exact, mine) in exact.iter().zip(mine) {
                    let error = (exact - f64::from(*mine)).abs();
                    assert!(error < 1e-4 * size, "{network}, parameter {which}: {mine} against {exact}");
                }
            }
        }
    }
}

/// The claim of the preset on layers of different steps: with the final vector v, an early matrix W predicts well; with an
/// early v, no W does.
#[test]
fn the_second_layer_of_the_minimal_model_is_learned_first() {
    let spec = labs::find_preset("layers-swapped").unwrap().link().spec;
    let mut session = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
    let mut at = |step: u64| {
        while session.step() < step {
            pollster::block_on(session.advance(f64::INFINITY, step - session.step())).unwrap();
        }
        pollster::block_on(session.checkpoint()).unwrap().weights.parameters
    };
    let networks = [200, 500, 700, 1000].map(&mut at);
    let evaluator = Evaluator::new(&spec).unwrap();
    let mut inference = Inference::new(&spec).unwrap();
    let mut kl = |first: usize, second: usize| {
        let (v, w) = (&networks[first][minimal_markov::LAGS], &networks[second][minimal_markov::KERNEL]);
        let answers = inference.answers(&[w.as_slice(), v.as_slice()], evaluator.contexts(), 0, &[]);
        evaluator.evaluate(&answers).kl
    };
    let (both, early_w) = (kl(3, 3), kl(3, 0));
    assert!(both < 0.06 && early_w < 1.3 * both, "{both} {early_w}");
    for second in 0..4 {
        let early_v = kl(0, second);
        assert!(early_v > 0.08 && early_v > 1.5 * early_w, "W of network {second}: {early_v}");
    }
}
