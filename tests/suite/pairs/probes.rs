//! Probes of networks on pairs, alone and through the worker.

use vivarium::analysis::neurons::{NeuronPart, NeuronSpectra};
use vivarium::analysis::progress::ModularOperation;
use vivarium::groups::Irreps;
use vivarium::groups::theory::{RealCharacters, build_memorising_network};
use vivarium::labs;
use vivarium::labs::groups::probes::{
    CLASS_MARGINS, COSETS, NEURON_MARGINS, NEURONS, OUTPUTS, PROGRESS, modular_operation,
};
use vivarium::models::Model;
use vivarium::probing::Probe;
use vivarium::protocol::{Event, EventMessage, Payload, ProbeResult};
use vivarium::run::RunSpec;
use vivarium::tasks::Task;

use super::reference::{Reference, measure};
use super::{PROBES, block_on, both_sets, every_model, stirred};
use crate::probes::{rows, watched};
use crate::{finish, session, spec};

fn found(probe: Probe, spec: &RunSpec, weights: Vec<Vec<f32>>) -> ProbeResult {
    labs::run_probe(&probe.id(), spec, 0, weights).unwrap()
}

fn neurons(spec: &RunSpec, weights: Vec<Vec<f32>>) -> NeuronSpectra {
    let found = found(NEURONS, spec, weights);
    let [neurons, irreps] = found.counts[..] else { panic!("neurons") };
    NeuronSpectra::from_numbers(neurons, irreps, &found.numbers).unwrap()
}

/// A small group of every kind, as parts of links.
const GROUPS: [&str; 6] = [
    "n=6",
    "op=sub&n=7",
    "op=dihedral&n=3",
    "op=symmetric&letters=3",
    "op=quaternion",
    "op=product&factors=2.3",
];

/// u, v and w of every neuron, or the last alone, `[elements, neurons]`, in double precision.
fn functions(spec: &RunSpec, weights: &[Vec<f32>]) -> Vec<Vec<f64>> {
    let order = spec.task.examples().inputs();
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
    let product = |a: &[f64], b: &[f64], inner: usize| -> Vec<f64> {
        let columns = b.len() / inner;
        let entry = |i: usize, j: usize| (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]).sum();
        (0..a.len() / inner * columns).map(|at| entry(at / columns, at % columns)).collect()
    };
    let turned = |a: &[f64], columns: usize| -> Vec<f64> {
        (0..a.len()).map(|at| a[at % (a.len() / columns) * columns + at / (a.len() / columns)]).collect()
    };
    let p: Vec<Vec<f64>> = weights.iter().map(|values| wide(values)).collect();
    match &spec.model {
        Model::GroupNet(_) => p,
        Model::OwnNetwork(_) => vec![p[0].clone()],
        Model::EmbeddingMlp(net) => {
            let rows = net.embedding * net.width;
            let second = p.get(4).unwrap_or(&p[0]);
            let own = if p[1].len() == rows { &p[1] } else { &p[1][rows..].to_vec() };
            vec![
                product(&p[0], &p[1][..rows], net.embedding),
                product(second, own, net.embedding),
                turned(&p[3], order),
            ]
        }
        Model::ModularTransformer(net) => vec![turned(&product(&p[9], &p[11], net.embedding), order)],
        other => panic!("{} has no neurons on pairs", other.info().name),
    }
}

/// Networks of largest margin for a ± b. With uᵢ[a] = cos(θu + x a) and vᵢ[b] = cos(θv + x b) the product 2uᵢvᵢ holds
/// cos(θu ± θv + x (a ± b)), which is largest at c = a ± b times wᵢ[c] = cos(θw + x c) where θu ± θv = θw.
#[test]
fn phases_of_networks_of_largest_margin_leave_no_residual() {
    for n in [3, 5, 8, 13, 23] {
        for (op, own, other) in [
            ("add", ModularOperation::Sum, ModularOperation::Difference),
            ("sub", ModularOperation::Difference, ModularOperation::Sum),
        ] {
            let spec = spec(&format!("#v1/groups?op={op}&n={n}&from=maximum"));
            assert_eq!(modular_operation(&spec.task), Some(own));
            let found = neurons(&spec, spec.initialize_replicas(1));
            let largest = |operation: ModularOperation| {
                let sizes = found
                    .live_neurons()
                    .into_iter()
                    .map(|i| found.phase_residual(i, operation).unwrap().abs());
                sizes.fold(0.0f32, f32::max)
            };
            // Every frequency has neurons in which v is shifted by a quarter of a turn, where the wrong sign is off by half
            // of one; the frequency of alternating signs has no quarters.
            assert!(
                found.live_neurons().len() >= 4 * (n - 1) / 2 && largest(own) < 1e-5,
                "{op} {n}: {}",
                largest(own)
            );
            assert!(largest(other) > 3.0, "{op} {n}: {}", largest(other));
        }
    }
    for op in ["mul", "quad", "random", "dihedral", "symmetric", "product", "quaternion"] {
        assert_eq!(modular_operation(&spec(&format!("#v1/groups?op={op}&n=5")).task), None, "{op}");
    }
}

/// Parseval: what neurons have in all irreps together is what they have.
#[test]
fn powers_add_up_to_squared_norms() {
    for group in GROUPS {
        for model in every_model() {
            let spec = spec(&format!("#v1/groups?{group}&{model}&seed=6"));
            let (weights, order) = (stirred(&spec), spec.task.examples().inputs());
            let (now, functions) = (neurons(&spec, weights.clone()), functions(&spec, &weights));
            assert_eq!(now.part_count(), functions.len());
            let width = functions[0].len() / order;
            assert_eq!(now.neuron_count(), width);
            for neuron in 0..width {
                let mut all = 0.0;
                for (part, function) in NeuronPart::ALL.into_iter().zip(&functions) {
                    let direct: f64 = function.iter().skip(neuron).step_by(width).map(|f| f * f).sum();
                    let powers: f64 = now.powers(part, neuron).iter().map(|p| f64::from(*p)).sum();
                    assert!(
                        (powers - direct).abs() < 1e-5 * (1e-3 + direct),
                        "{group}, {model}: {powers} {direct}"
                    );
                    all += direct;
                }
                let norm = f64::from(now.norm(neuron));
                assert!((norm * norm - all).abs() < 1e-5 * (1e-3 + all), "{group}, {model}: {norm}");
                let shares: f32 = now.shares(neuron).iter().sum();
                assert!((shares - 1.0).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn shown_outputs_are_the_networks() {
    for model in every_model() {
        let spec = spec(&format!("#v1/groups?op=dihedral&n=5&{model}&seed=6"));
        let weights = stirred(&spec);
        let reference = Reference::new(&spec, &weights);
        let ProbeResult { counts: pairs, numbers: outputs, .. } = found(OUTPUTS, &spec, weights);
        assert!(pairs.len() == 96 && outputs.len() == 480, "48 pairs of 10 classes: {}", outputs.len());
        for (pair, outputs) in pairs.chunks(2).zip(outputs.chunks(10)) {
            for (exact, output) in reference.logits(pair[0], pair[1]).iter().zip(outputs) {
                let error = (exact - f64::from(*output)).abs();
                assert!(error < 1e-5 * (1.0 + exact.abs()), "{model}: {exact} {output}");
            }
        }
    }
}

/// A neuron whose weights are the sign of a permutation is constant on the cosets of the even ones.
#[test]
fn neurons_on_cosets_are_counted_by_their_subgroup() {
    let spec = spec("#v1/groups?op=symmetric&letters=3&width=5");
    let Task::Groups(task) = &spec.task else { panic!("a group") };
    let group = task.group().unwrap();
    let even = |a: usize| group.element_order(a) != 2;
    let sign: Vec<f32> = (0..6).map(|a| if even(a) { 1.0 } else { -1.0 }).collect();
    let values: Vec<f32> = (0..30).map(|at| sign[at / 5] * (1.0 + 0.1 * (at % 5) as f32)).collect();
    // Subgroups of order 1, 2, 3 and 6, up to conjugacy.
    let counted = found(COSETS, &spec, vec![values; 3]);
    assert_eq!(counted.counts, [0, 0, 5, 0]);
    for group in GROUPS {
        let spec = crate::spec(&format!("#v1/groups?{group}&width=20&seed=9"));
        let live = neurons(&spec, spec.initialize_parameters()).live_neurons().len();
        let counts = found(COSETS, &spec, spec.initialize_parameters()).counts;
        assert_eq!(
            counts.iter().sum::<usize>(),
            live,
            "{group}: random neurons are constant on single elements"
        );
    }
}

/// A network that looks up its training pairs and says nothing on others.
fn memorised(spec: &RunSpec, size: f64) -> Vec<Vec<f32>> {
    let Task::Groups(task) = &spec.task else { panic!("a group") };
    let order = task.order();
    let net = build_memorising_network(order, &task.product_table(spec.run.seed), true);
    let trained = task.split(spec.run.seed).0;
    let factor = libm::cbrt(size);
    [net.u, net.v, net.w]
        .iter()
        .map(|values| {
            let kept = |at: usize| trained.contains(&((at % net.neuron_count / 2) as u32));
            values
                .iter()
                .enumerate()
                .map(|(at, value)| if kept(at) { (factor * value) as f32 } else { 0.0 })
                .collect()
        })
        .collect()
}

#[test]
fn progress_tells_memory_from_waves() {
    let link = "#v1/groups?n=11&width=242&frac=0.4";
    let spec = spec(link);
    let weights = memorised(&spec, 12.0);
    let reference = Reference::new(&spec, &weights);
    let [trained, held_out] = both_sets(&spec).map(|batch| reference.measure(&batch));
    assert_eq!((trained.accuracy, held_out.accuracy), (1.0, 0.0));
    let ProbeResult { counts: key, numbers: shares, few, .. } = found(PROGRESS, &spec, weights);
    assert!(key.is_empty(), "no frequency stands out: {shares:?}");
    let [restricted, excluded, train, test, gini, participation] = few[..] else { panic!("six numbers") };
    assert!((train - trained.loss).abs() < 1e-5 && (test - held_out.loss).abs() < 1e-5);
    assert!((excluded - trained.loss).abs() < 1e-5, "there are no waves to leave out");
    assert!(restricted > 2.0, "and nothing is left of it without them: {restricted:?}");
    assert!(gini < 0.3 && participation < 0.3, "one-hot vectors have every wave: {gini}, {participation}");
    // A network that adds, trained on all pairs.
    let link = "#v1/groups?n=11&width=120&steps=400&every=100";
    let mut run = session(link);
    finish(&mut run);
    let spec = crate::spec(link);
    let weights = block_on(run.first_replica()).unwrap();
    let ProbeResult { counts: key, numbers: shares, few, .. } = found(PROGRESS, &spec, weights);
    assert_eq!(key, [1, 2, 3, 4, 5], "every frequency has its neurons: {shares:?}");
    assert!(shares.iter().sum::<f32>() > 0.98, "{shares:?}");
    let [restricted, excluded, train, test, ..] = few[..] else { panic!("six numbers") };
    assert!(test.is_nan(), "nothing is held out");
    assert!(excluded > 2.0 && restricted < 1.5 * train + 0.01, "{few:?}");
}

#[test]
fn findings_survive_the_journey_next_to_their_message() {
    for link in ["#v1/groups?n=5&width=6&frac=0.6", "#v1/groups?op=symmetric&width=6"] {
        let spec = spec(link);
        for probe in PROBES.into_iter().filter(|probe| (probe.applies)(&spec).is_ok()) {
            let whole = found(probe, &spec, spec.initialize_parameters());
            let mut sent = whole.clone();
            let numbers = sent.take_numbers();
            let is_large = probe.name != COSETS.name;
            assert_eq!(matches!(numbers, Payload::Numbers(_)), is_large, "{probe:?}");
            assert_eq!(sent.numbers != whole.numbers, is_large, "{probe:?}: what travels is taken out");
            assert_same(&sent.with_payload(numbers), &whole, probe.name);
        }
    }
}

/// Steps and whole findings of a worker's messages.
fn findings(messages: &[EventMessage]) -> Vec<(u64, ProbeResult)> {
    let probed = messages.iter().filter_map(|message| match &message.event {
        Event::Probed { step, finding } => {
            Some((*step, finding.clone().with_payload(message.payload.clone())))
        }
        _ => None,
    });
    probed.collect()
}

/// Both are equal; what does not apply is not a number in both.
fn assert_same(a: &ProbeResult, b: &ProbeResult, what: &str) {
    let bits = |found: &ProbeResult| found.few.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(a), bits(b), "{what}");
    let others = |found: &ProbeResult| ProbeResult { few: vec![], ..found.clone() };
    assert_eq!(others(a), others(b), "{what}");
}

/// The newest of every kind is of the last step and of its weights, and looking changes no number.
#[test]
fn a_worker_that_is_watched_sends_every_finding() {
    for (link, there) in [
        ("#v1/groups?n=7&width=12&frac=0.6&steps=600&every=20", &PROBES[..]),
        ("#v1/groups?op=symmetric&width=12&steps=600&every=20", &PROBES[..3]),
        ("#v1/groups?n=5&model=embedding-mlp&demb=6&width=5&steps=20&every=5", &PROBES),
    ] {
        let (alone, seen) = (watched(link, &[]), watched(link, &PROBES));
        assert_eq!(rows(&alone), rows(&seen), "{link}");
        assert!(findings(&alone).is_empty());
        let found_there = findings(&seen);
        assert!(found_there.iter().all(|(_, finding)| there.iter().any(|probe| probe.id() == finding.probe)));
        let mut run = session(link);
        let end = finish(&mut run).step;
        let weights = block_on(run.first_replica()).unwrap();
        for probe in there {
            let of_kind: Vec<&(u64, ProbeResult)> =
                found_there.iter().filter(|(_, finding)| finding.probe == probe.id()).collect();
            let steps: Vec<u64> = of_kind.iter().map(|(step, _)| *step).collect();
            assert!(steps.is_sorted() && steps.first() == Some(&0), "{link}: {probe:?} at {steps:?}");
            assert_eq!(steps.last(), Some(&end), "{link}: {probe:?}");
            let start = found(*probe, &spec(link), spec(link).initialize_parameters());
            assert_same(&of_kind[0].1, &start, &format!("{link}: {probe:?} at the start"));
            let end = found(*probe, &spec(link), weights.clone());
            assert_same(&of_kind[of_kind.len() - 1].1, &end, &format!("{link}: {probe:?}"));
        }
    }
}

/// What the page computes losses from is what the run measures.
#[test]
fn outputs_on_all_pairs_of_a_small_group_give_its_loss() {
    let link = "#v1/groups?n=6&width=20&steps=60&every=20";
    let mut run = session(link);
    let last = finish(&mut run).rows.pop().unwrap();
    let spec = spec(link);
    let weights = block_on(run.first_replica()).unwrap();
    let ProbeResult { counts: pairs, numbers: outputs, .. } = found(OUTPUTS, &spec, weights);
    assert_eq!(pairs.len(), 72, "36 pairs are fewer than are shown of large groups");
    let labels: Vec<f32> = pairs.chunks(2).map(|pair| ((pair[0] + pair[1]) % 6) as f32).collect();
    let logits: Vec<Vec<f64>> =
        outputs.chunks(6).map(|row| row.iter().map(|f| f64::from(*f)).collect()).collect();
    let found = measure(&logits, &labels);
    assert!((found.loss - f64::from(last.train_loss[0])).abs() < 1e-5, "{found:?} {last:?}");
    assert!((found.accuracy - f64::from(last.train_accuracy[0])).abs() < 1e-6);
}

/// The claim of the preset on the certificate: each neuron is as good as any neuron can be, and the network is not, because the
/// division of the norm among the irreps is not the best one.
#[test]
fn trained_neurons_are_optimal_where_the_network_is_not() {
    let spec = labs::find_preset("s3-certificate").unwrap().link().spec;
    let mut session = session(labs::find_preset("s3-certificate").unwrap().link);
    finish(&mut session);
    let weights = block_on(session.first_replica()).unwrap();
    let Task::Groups(task) = &spec.task else { panic!("another task") };
    let group = task.group().unwrap();
    let theory =
        RealCharacters::from_group(&group, &Irreps::compute(&group)).unwrap().compute_max_margin().unwrap();
    let largest = theory.value;
    let classes = found(CLASS_MARGINS, &spec, weights.clone()).numbers;
    let relative: Vec<f64> = classes.iter().map(|margin| f64::from(*margin) / largest).collect();
    assert!((1.06..1.08).contains(&relative[0]) && (0.93..0.945).contains(&relative[1]), "{relative:?}");
    let neurons = found(NEURON_MARGINS, &spec, weights);
    let (parts, margins) = neurons.numbers.split_at(neurons.counts[0]);
    let weights = &theory.class_weights;
    let weighted = |margins: &[f32]| f64::from(margins[0]) * weights[0] + f64::from(margins[1]) * weights[1];
    for (part, margins) in parts.iter().zip(margins.chunks(2)).filter(|(part, _)| **part > 1e-6) {
        let ratio = weighted(margins) / largest;
        assert!((0.99..1.0001).contains(&ratio), "{part}: {ratio}");
    }
}
