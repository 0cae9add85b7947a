//! Any number of cores and helpers, and steps of shards against steps of all examples.

use super::*;
use crate::cpu::graph_net::GraphNet;
use crate::cpu::group_net::GroupNetFamily;
use crate::cpu::one_output::OneOutput;
use crate::cpu::prompt_net::PromptNet;
use crate::cpu::sequence_net::{ChainExamples, SequenceNet};
use crate::launch::choose::choose;
use crate::launch::device::Device;
use crate::session::learner::{Learner, Local, Segment, Weights, ready};
use vivarium_kernels::cpu::ReplicaState;
use vivarium_kernels::cpu::in_context_net::InContextLoop;
use vivarium_kernels::cpu::one_output::graph::GraphLoop;
use vivarium_model::protocol::RunError;

#[test]
fn shards_are_all_examples_in_their_order() {
    for count in [0, 1, 7, 8, 1000] {
        let shards = (0..8).map(|number| Shard { number, of: 8 });
        let all: Vec<usize> = shards.clone().flat_map(|shard| shard.range(count)).collect();
        assert_eq!(all, (0..count).collect::<Vec<_>>());
        let weights: f32 = shards.map(|shard| shard.weight(count)).sum();
        assert!(count == 0 || (weights - 1.0).abs() < 1e-6, "{count}: {weights}");
    }
    assert_eq!(Shard::WHOLE.range(12), 0..12);
}

fn spec(link: &str) -> RunSpec {
    let (link, notices) = vivarium_model::permalink::decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

/// Weights after `steps` steps on so many cores, in two stretches.
fn trained(spec: &RunSpec, cores: usize, steps: u64) -> Weights {
    let mut learner = choose(spec, &Device::cpu()).unwrap().learner;
    learner.use_cores(spec, cores);
    advance(learner.as_mut(), spec, &[1, steps]);
    ready(learner.weights())
}

/// Trains up to each of these steps, and measures nothing.
fn advance(learner: &mut dyn Learner, spec: &RunSpec, stops: &[u64]) {
    let mut step = 0;
    for until in stops {
        while step < *until {
            let segment = Segment {
                spec,
                from: step,
                until: *until,
                last: u64::MAX,
                measured: Some(step),
                held_out: 8,
                deadline_ms: f64::INFINITY,
            };
            step = ready(learner.advance(&segment)).step;
        }
    }
}

const MIXED_PAIRS: &str = "#v1/groups?n=43&width=500&batch=1000&opt=sgd&lr=0.1";
const TRANSFORMER: &str = "#v1/groups?n=59&model=modular-transformer&batch=512&held=64&opt=sgd&lr=0.1";
const EMBEDDING: &str =
    "#v1/groups?n=59&model=embedding-mlp&batch=2048&demb=64&width=512&held=64&opt=sgd&lr=0.1";
const CHAINS: &str = "#v1/markov?k=3&t=100&heads=1.1&batch=64&held=64&opt=sgd&lr=0.1";
const POINTS: &str = "#v1/in-context-learning?batch=64&held=64&opt=sgd&lr=0.01";
const BITS: &str = "#v1/sparse-parity?model=deep-mlp&n=20&widths=128.128&batch=1024&held=64&opt=sgd&lr=0.1";

#[test]
fn any_number_of_cores_gives_the_same_bits() {
    for link in [
        "#v1/groups?n=43&width=200&wd=0.01",
        MIXED_PAIRS,
        TRANSFORMER,
        EMBEDDING,
        CHAINS,
        "#v1/machine-traces?t=128&d=32&heads=2.2&batch=16&held=64",
        "#v1/in-context-learning?batch=64&held=64&clip=0.1",
        BITS,
    ] {
        let spec = spec(link);
        assert!(spec.shard_count() > 1, "{link}: {} of {}", spec.shard_count(), spec.step_flops());
        let alone = trained(&spec, 1, 4);
        assert!(alone.parameters.iter().flatten().all(|w| w.is_finite()), "{link}");
        for cores in [2, 3, 8] {
            assert!(trained(&spec, cores, 4) == alone, "{link}: {cores} cores");
        }
    }
}

/// Small steps of several replicas: each core takes whole replicas.
#[test]
fn replicas_on_any_number_of_cores_have_the_same_bits() {
    for link in [
        "#v1/sparse-parity?n=20&width=50&replicas=5&steps=40",
        "#v1/groups?n=7&width=20&replicas=3",
        "#v1/markov?k=2&t=20&batch=4&replicas=4&held=64",
    ] {
        let spec = spec(link);
        assert_eq!(spec.shard_count(), 1, "{link}");
        let alone = trained(&spec, 1, 30);
        for cores in [2, 8] {
            assert!(trained(&spec, cores, 30) == alone, "{link}: {cores} cores");
        }
    }
}

/// A learner of the same run in this thread, which answers some jobs and fails at others.
struct Near {
    spec: RunSpec,
    learner: std::cell::RefCell<Box<dyn Learner>>,
    jobs: std::cell::Cell<u64>,
    fails: bool,
}

impl Helper for Near {
    fn is_ready(&self) -> bool {
        // It comes late.
        self.jobs.set(self.jobs.get() + 1);
        self.jobs.get() > 2
    }

    fn ask(&self, job: &ShardJob, weights: Vec<f32>) -> Local<'static, Vec<f32>> {
        let found = match self.fails && job.step == 3 {
            true => Err(RunError::Internal("gone".into())),
            false => {
                let found = self.learner.borrow_mut().shard_gradients(&self.spec, job, &weights);
                assert!(!found.is_empty(), "a helper that owes everything");
                Ok(found)
            }
        };
        Box::pin(std::future::ready(found))
    }
}

#[test]
fn helpers_give_the_same_bits_whether_they_answer_or_fail() {
    for link in [MIXED_PAIRS, TRANSFORMER, CHAINS, BITS] {
        let spec = spec(&format!("{link}&replicas=2"));
        let alone = trained(&spec, 1, 6);
        for count in [1, 2, 3] {
            let near = |number| -> Rc<dyn Helper> {
                let learner = choose(&spec, &Device::cpu()).unwrap().learner;
                assert_eq!(learner.wanted_helpers(), spec.shard_count() - 1);
                let learner = std::cell::RefCell::new(learner);
                Rc::new(Near { spec: spec.clone(), learner, jobs: 0.into(), fails: number == 1 })
            };
            let mut learner = choose(&spec, &Device::cpu()).unwrap().learner;
            learner.take_helpers((0..count).map(near).collect());
            advance(learner.as_mut(), &spec, &[1, 6]);
            assert!(ready(learner.weights()) == alone, "{link}: {count} helpers");
        }
    }
}

/// Shards change the order of a sum, and nothing else. Without moments, so that a small gradient stays small.
#[test]
fn a_step_of_shards_is_the_step_of_all_examples() {
    fn check<N: CpuNetwork>(link: &str) {
        let spec = spec(link);
        let (mut network, mut whole) = N::new(&spec).unwrap();
        for (which, values) in spec.initialize_parameters().iter().enumerate() {
            whole.write(0, which, values);
        }
        let mut cut = whole.clone();
        let mut cores = Cores::new(&spec, &mut network);
        assert!(cores.has_shards(), "{link}");
        for step in 0..3 {
            let update = Update::new(&spec.optimizer, step, spec.learning_rate(step));
            network.draw(&spec, 0, step);
            network.step(&mut whole, &spec, step, &update);
            cores.step(&mut network, &mut cut, &spec, (0, step), &update);
        }
        let parameters = spec.parameters().len();
        let [whole, cut] = [whole, cut].map(|replica| -> Vec<f32> {
            (0..parameters).flat_map(|which| replica.read(0, which)).collect()
        });
        let begin: Vec<f32> = spec.initialize_parameters().into_iter().flatten().collect();
        let square =
            |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum() };
        let (moved, apart) = (square(&whole, &begin), square(&whole, &cut));
        assert!(moved > 0.0 && apart < 1e-6 * moved, "{link}: {apart} of {moved}");
    }
    check::<GroupNetFamily>("#v1/groups?n=43&width=200&opt=sgd&lr=0.1");
    check::<GroupNetFamily>(MIXED_PAIRS);
    check::<GraphNet>(TRANSFORMER);
    check::<GraphNet>(EMBEDDING);
    check::<SequenceNet<ChainExamples>>(CHAINS);
    check::<PromptNet<InContextLoop>>(POINTS);
    check::<OneOutput<GraphLoop>>(BITS);
}
