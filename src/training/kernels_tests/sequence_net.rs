//! The sequence kernels against the processor's loop, autodiff, and the processor's sequences.
//!
//! Without a GPU adapter (a simulated one is enough) these tests are reported as skipped, and fail in CI.

use super::{self as shared, apart, sgd};
use crate::autodiff::Autodiff;
use crate::cpu::sequence_net::SequenceNetCpu;
use crate::gpu::sequence_net::SequenceNetGpu;
use crate::launch::device::Device;
use crate::launch::device::gpu_or_skip;
use crate::session::learner::Learner;
use vivarium_kernels::plan::Limits;
use vivarium_kernels::sequence_net::SequenceNet;
use vivarium_kernels::sequence_net::covers;
use vivarium_kernels::sequence_net::plan::{LANES, Network, Plan};
use vivarium_model::models::attention_only::{Norm, Positions};
use vivarium_model::models::{AttentionOnly, MinimalMarkov, Model};
use vivarium_model::optim::adam::WeightDecayKind;
use vivarium_model::optim::loss::Loss;
use vivarium_model::optim::{Adam, Optimizer};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Examples, MarkovChain, Task};
use vivarium_science::markov::ChainFamily;

fn adam(decay: f64) -> Optimizer {
    Optimizer::Adam(Adam { lr: 0.01, decay, kind: WeightDecayKind::Decoupled, ..Default::default() })
}

fn spec(symbols: usize, length: usize, model: Model, optimizer: Optimizer, batch: usize) -> RunSpec {
    let task = Task::MarkovChain(MarkovChain { symbols, length, ..Default::default() });
    let mut spec = RunSpec { task, model, optimizer, ..Default::default() };
    (spec.run.batch, spec.run.held_out, spec.run.seed, spec.run.loss) = (batch, 64, 3, Loss::CrossEntropy);
    spec
}

fn attention(hidden: usize, heads: &[usize], positions: Positions, norm: Norm) -> Model {
    let heads = heads.to_vec();
    Model::AttentionOnly(AttentionOnly { hidden, heads, positions, norm, scale: 0.3, ..Default::default() })
}

/// Kernels, the processor's loop and autodiff come to the same weights and measurements.
fn agree(spec: &RunSpec, stops: &[u64]) {
    let mut spec = spec.clone();
    spec.run.every = 50;
    let lanes: Box<dyn Learner> = Box::new(SequenceNetCpu::new(&spec).unwrap());
    let autodiff: Box<dyn Learner> = Box::new(Autodiff::new(&spec, Device::cpu().tensors()).unwrap());
    let kernels = SequenceNetGpu::new(&spec).unwrap();
    shared::agree(
        &spec,
        stops,
        kernels,
        vec![("loop", lanes), ("autodiff", autodiff)],
        same_row,
        |_, _, _| {},
    );
}

/// Two measurements of the same weights, but for rounding.
fn same_row(expected: &Measurement, found: &Measurement, tolerance: f32, of: &str) {
    let near = |what: &str, a: &[f32], b: &[f32]| {
        assert!(apart(a, b) <= 10.0 * tolerance, "{of}: {what}: {a:?} {b:?}");
    };
    near("loss", &expected.train_loss, &found.train_loss);
    near("kl", &expected.test_loss, &found.test_loss);
    near("way", &expected.test_accuracy, &found.test_accuracy);
    assert_eq!(expected.measures.len(), found.measures.len(), "{of}");
    for (which, (a, b)) in expected.measures.iter().zip(&found.measures).enumerate() {
        near(&format!("measure {which}"), a, b);
    }
    // Nearly equal logits may change places.
    let worst = apart(&expected.train_accuracy, &found.train_accuracy);
    assert!(worst < 0.03, "{of}: {:?} {:?}", expected.train_accuracy, found.train_accuracy);
}

#[test]
fn attention_is_what_the_processor_makes_of_it() {
    if gpu_or_skip().is_none() {
        return;
    }
    let (relative, absolute) = (Positions::Relative, Positions::Absolute);
    // The deepest without Adam, which makes the rounding of a gradient of nearly nothing as large as any other.
    let cases = [
        (3, 12, attention(8, &[1, 1], relative, Norm::None), adam(0.0), 1),
        (2, 11, attention(8, &[2, 1], relative, Norm::Pre), adam(0.1), 2),
        (3, 9, attention(6, &[2], absolute, Norm::None), sgd(0.1, 0.9, 0.01), 1),
        (2, 16, attention(8, &[1, 1], absolute, Norm::None), adam(0.0), 1),
        (4, 13, attention(8, &[4], relative, Norm::Pre), sgd(0.1, 0.0, 0.0), 1),
        (3, 10, attention(6, &[3, 1, 2], relative, Norm::None), sgd(0.05, 0.9, 0.0), 1),
        (2, 10, attention(4, &[1, 2, 1], absolute, Norm::Pre), sgd(0.05, 0.9, 0.01), 1),
        (2, 8, attention(4, &[1, 1, 1, 1], relative, Norm::Pre), sgd(0.05, 0.9, 0.0), 1),
    ];
    for (symbols, length, model, optimizer, replicas) in cases {
        let mut spec = spec(symbols, length, model, optimizer, 4);
        spec.run.replicas = replicas;
        agree(&spec, &[1, 10, 100]);
    }
}

#[test]
fn long_contexts_and_high_orders_are_what_the_processor_makes_of_them() {
    if gpu_or_skip().is_none() {
        return;
    }
    let model = attention(4, &[1, 1], Positions::Relative, Norm::None);
    agree(&spec(3, 70, model, adam(0.0), 3), &[1, 10]);
    let mut trigrams = spec(2, 20, attention(6, &[3, 3], Positions::Relative, Norm::None), adam(0.0), 3);
    if let Task::MarkovChain(task) = &mut trigrams.task {
        task.order = 3;
    }
    agree(&trigrams, &[1, 10]);
}

#[test]
fn the_smallest_model_is_what_the_processor_makes_of_it() {
    if gpu_or_skip().is_none() {
        return;
    }
    for (symbols, optimizer) in [(3, sgd(0.01, 0.0, 0.0)), (2, adam(0.0))] {
        let mut spec = spec(symbols, 12, Model::MinimalMarkov(MinimalMarkov::default()), optimizer, 5);
        spec.run.replicas = 2;
        agree(&spec, &[1, 10, 100]);
    }
}

/// Bit for bit, as long as a workgroup has one sequence.
#[test]
fn a_replica_does_not_know_how_many_others_there_are() {
    if gpu_or_skip().is_none() {
        return;
    }
    for model in [
        attention(4, &[2, 1], Positions::Relative, Norm::Pre),
        Model::MinimalMarkov(MinimalMarkov::default()),
    ] {
        shared::replicas_change_nothing(&spec(3, 9, model, adam(0.1), 4), 0, SequenceNetGpu::new);
    }
}

/// What WebGPU grants without being asked: 256 lanes and 16 KiB of memory of a workgroup, 65,535 workgroups in a row,
/// buffers of 128 MiB. The kernels bind six buffers at most, of eight.
#[test]
fn every_network_that_is_covered_keeps_to_what_a_browser_grants() {
    let limits = Limits { lanes: 256, workgroup_bytes: 16 << 10, buffer_bytes: 128 << 20, turns: u64::MAX };
    let heads: [&[usize]; 3] = [&[1], &[2, 1], &[8, 8, 8, 8]];
    let mut covered = 0;
    for (length, symbols) in [2, 3, 50, 100, 128, 129, 200, 256].into_iter().flat_map(|t| [(t, 2), (t, 8)]) {
        for (hidden, heads) in [8, 16, 48, 64].into_iter().flat_map(|d| heads.map(|heads| (d, heads))) {
            for (norm, batch) in [(Norm::None, 1), (Norm::Pre, 64), (Norm::Pre, 4096)] {
                let mut spec = spec(
                    symbols,
                    length,
                    attention(hidden, heads, Positions::Relative, norm),
                    adam(0.0),
                    batch,
                );
                spec.run.replicas = 16;
                let network = Network::of(&spec).unwrap();
                let Ok(plan) = Plan::of(network, 16, limits) else { continue };
                assert!(4 * (plan.room() + length + 1) <= limits.workgroup_bytes, "{plan:?}");
                assert!(plan.parts * length <= LANES && plan.columns >= 1, "{plan:?}");
                assert!(2 * plan.columns * length <= plan.room(), "{plan:?}");
                assert!(plan.groups <= 65_535 && plan.groups * plan.rounds() >= batch, "{plan:?}");
                for each in [plan.work(), network.parameters(), network.state()] {
                    assert!((4 * 16 * plan.groups * each) as u64 <= 128 << 20 || each == network.state());
                }
                covered += 1;
            }
        }
    }
    assert_eq!(covered, 16 * 12 * 3);
}

/// So many that a workgroup takes several sequences, one after the other.
#[test]
fn many_replicas_share_workgroups() {
    if gpu_or_skip().is_none() {
        return;
    }
    // Without Adam, as above.
    let mut spec = spec(2, 4, attention(2, &[1], Positions::Relative, Norm::None), sgd(0.1, 0.9, 0.0), 4);
    spec.run.replicas = 300;
    let net = SequenceNet::new(std::slice::from_ref(&spec)).unwrap();
    assert_eq!((net.plan().groups, net.plan().rounds()), (2, 2));
    agree(&spec, &[1, 3]);
}

#[test]
fn sequences_are_the_processors() {
    if gpu_or_skip().is_none() {
        return;
    }
    let laws = [
        ChainFamily::Dirichlet,
        ChainFamily::Independent,
        ChainFamily::DoublyStochastic,
        ChainFamily::Mixture,
    ];
    let cases = laws.into_iter().flat_map(|law| [(law, 2, 2), (law, 3, 2), (law, 5, 2), (law, 8, 2)]);
    for (law, symbols, order) in cases.chain([(ChainFamily::Dirichlet, 2, 3), (ChainFamily::Dirichlet, 3, 4)])
    {
        let model = Model::MinimalMarkov(MinimalMarkov::default());
        let mut spec = spec(symbols, 17, model, adam(0.0), 5);
        spec.run.replicas = 2;
        let Task::MarkovChain(task) = &mut spec.task else { unreachable!("a task of chains") };
        (task.train, task.order, task.share) = (law, order, 0.4);
        let task = task.clone();
        assert!(task.invalid_settings().is_empty());
        let net = SequenceNet::new(std::slice::from_ref(&spec)).unwrap();
        for from in [0, u64::from(u32::MAX) - 1] {
            let found = pollster::block_on(net.symbols(from, 4)).unwrap();
            let mut expected = vec![];
            for (step, replica) in (from..from + 4).flat_map(|step| [(step, 0), (step, 1)]) {
                task.sequence_spec().append_training_sequences(
                    spec.run.seed,
                    replica,
                    step,
                    5,
                    &mut expected,
                );
            }
            let expected: Vec<u32> = expected.iter().map(|symbol| u32::from(*symbol)).collect();
            assert_eq!(found, expected, "{law:?} {symbols} {order} {from}");
        }
    }
}

/// Many, so that some are decided in double precision.
#[test]
fn first_symbols_are_the_processors() {
    if gpu_or_skip().is_none() {
        return;
    }
    for symbols in [2, 3] {
        let model = Model::MinimalMarkov(MinimalMarkov::default());
        let spec = spec(symbols, 2, model, adam(0.0), 1000);
        let Task::MarkovChain(task) = &spec.task else { unreachable!("a task of chains") };
        let net = SequenceNet::new(std::slice::from_ref(&spec)).unwrap();
        let found = pollster::block_on(net.symbols(0, 200)).unwrap();
        let mut expected = vec![];
        for step in 0..200 {
            task.sequence_spec().append_training_sequences(spec.run.seed, 0, step, 1000, &mut expected);
        }
        assert_eq!(found.len(), expected.len());
        let differ = found.iter().zip(expected).filter(|(a, b)| **a != u32::from(*b)).count();
        assert_eq!(differ, 0, "of {} symbols", found.len());
    }
}

#[test]
fn a_run_repeats_itself_bit_for_bit_however_it_is_cut() {
    if gpu_or_skip().is_none() {
        return;
    }
    let spec = spec(2, 9, attention(4, &[1, 1], Positions::Relative, Norm::Pre), adam(0.1), 3);
    shared::cuts_change_nothing(&spec, SequenceNetGpu::new);
}

#[test]
fn what_is_remembered_comes_back() {
    if gpu_or_skip().is_none() {
        return;
    }
    let spec = spec(2, 8, attention(4, &[1], Positions::Relative, Norm::None), adam(0.0), 3);
    shared::what_is_remembered_comes_back(&spec, SequenceNetGpu::new);
}

#[test]
fn sessions_on_both_devices_measure_the_same() {
    let spec = spec(2, 8, attention(4, &[1, 1], Positions::Relative, Norm::None), adam(0.0), 3);
    shared::sessions_measure_the_same(&spec, "fused kernels, two launches per step", |a, b| {
        assert!(apart(&a.train_loss, &b.train_loss) < 1e-3, "{a:?} {b:?}");
        assert!(apart(&a.test_loss, &b.test_loss) < 1e-3, "{a:?} {b:?}");
    });
}

#[test]
fn what_is_not_covered_is_refused_with_a_sentence() {
    let base = spec(2, 8, attention(4, &[1], Positions::Relative, Norm::None), adam(0.0), 3);
    let refused = |change: fn(&mut RunSpec)| {
        let mut spec = base.clone();
        change(&mut spec);
        covers(&spec).unwrap_err()
    };
    assert_eq!(covers(&base), Ok(()));
    let alpha = refused(|spec| {
        let Task::MarkovChain(task) = &mut spec.task else { return };
        task.alpha = 0.5;
    });
    assert_eq!(alpha, "its chains have rows with an α other than 1");
    let mlp = refused(|spec| {
        let Model::AttentionOnly(net) = &mut spec.model else { return };
        net.mlp = vivarium_model::models::attention_only::Block::On;
    });
    assert_eq!(mlp, "its layers have MLPs");
    let contexts = refused(|spec| {
        let Task::MarkovChain(task) = &mut spec.task else { return };
        (task.symbols, task.order) = (8, 3);
    });
    assert_eq!(contexts, "its chains have more than 32 contexts");
}
