//! Large steps, which several cores of a processor make together.
//!
//! # Why
//! The examples of a large step are cut into shards, whose gradients are added in the order of the shards. How many shards there
//! are follows from the run alone ([`RunSpec::shards`]), so that a run has the same bits whether one core makes all shards or
//! eight cores share them. A run of several replicas without shards gives each core whole replicas instead, which have nothing
//! to do with each other.
//!
//! # Speed
//! Steps per second on one and on both of two quiet cores of an Intel Xeon (`lab bench --cores`, 2026-11-26):
//!
//! ```text
//! z71, all pairs                  65.5     120  (1.83)
//! squares-113                     48.5      93  (1.92)
//! s5, batches of 1,000            43        81  (1.9)
//! a5, all pairs                    169     311  (1.85)
//! figure-2, attention, N = 100      72     128  (1.79)
//! trigrams-one-head, T = 100       331     618  (1.87)
//! two-layers-in-context            226     395  (1.75)
//! table-parity, 20 replicas        469     816  (1.74)
//! ```
//!
//! Shards cost one core 2 to 5 % of these.

use std::ops::Range;
use std::rc::Rc;
#[cfg(not(target_family = "wasm"))]
use std::sync::{Mutex, PoisonError};

use super::learner::CpuNetwork;
use crate::kernels::cpu::ReplicaState;
use crate::kernels::cpu::one_hidden_layer::{Row, Update};
use crate::kernels::cpu::replica::{Gradient, add_weighted, scale};
use crate::run::RunSpec;
use crate::training::session::helper::{Helper, ShardJob};

/// One of the equal parts of the examples of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0.
    pub number: usize,
    /// How many shards there are.
    pub of: usize,
}

impl Shard {
    /// All examples.
    pub const WHOLE: Shard = Shard { number: 0, of: 1 };

    /// Which of `count` examples are in it.
    pub fn range(self, count: usize) -> Range<usize> {
        let until = |number: usize| count * number / self.of;
        until(self.number)..until(self.number + 1)
    }

    /// Its share of `count` examples, by which a mean over it counts.
    pub fn weight(self, count: usize) -> f32 {
        self.range(count).len() as f32 / count.max(1) as f32
    }
}

/// A network whose steps may be made shard by shard.
pub trait DataParallel {
    /// The numbers of one network.
    type Replica;

    /// Room for a gradient.
    fn room(&self) -> Gradient;

    /// Most shards that are worth while for this network, whose steps have shards.
    fn most_shards(&self, _spec: &RunSpec) -> usize {
        usize::MAX
    }

    /// Writes the gradient of one shard of step `at.1` of replica number `at.0`, and returns the weight with which it counts
    /// in the sum over all shards.
    fn shard(
        &mut self,
        replica: &Self::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        shard: Shard,
        gradient: &mut Gradient,
    ) -> f32;

    /// Makes step `step` of `replica` with the gradient of all examples; several cores may take a part each.
    fn descend(
        &mut self,
        replica: &mut Self::Replica,
        spec: &RunSpec,
        step: u64,
        gradient: &mut Gradient,
        update: &Update,
        pool: Pool,
    );
}

/// The threads that jobs are given to; the calling thread alone where there are none.
#[derive(Debug, Clone, Copy)]
pub struct Pool<'a> {
    #[cfg(not(target_family = "wasm"))]
    threads: Option<&'a rayon::ThreadPool>,
    #[cfg(target_family = "wasm")]
    threads: std::marker::PhantomData<&'a ()>,
}

impl Pool<'_> {
    /// The calling thread alone.
    pub const ALONE: Pool<'static> = Pool {
        #[cfg(not(target_family = "wasm"))]
        threads: None,
        #[cfg(target_family = "wasm")]
        threads: std::marker::PhantomData,
    };

    /// How many threads there are.
    pub fn count(self) -> usize {
        #[cfg(not(target_family = "wasm"))]
        if let Some(threads) = self.threads {
            return threads.current_num_threads();
        }
        1
    }

    /// Does all of these jobs, and returns when they are done.
    pub fn run<J: FnOnce() + Send>(self, jobs: impl Iterator<Item = J>) {
        #[cfg(not(target_family = "wasm"))]
        if let Some(threads) = self.threads {
            let jobs: Vec<J> = jobs.collect();
            return threads.scope(|scope| jobs.into_iter().for_each(|job| scope.spawn(|_| job())));
        }
        jobs.for_each(|job| job());
    }
}

/// Rows of a gradient that are worth a thread.
#[cfg(not(target_family = "wasm"))]
const TOGETHER: usize = 1024;

/// The cores that a learner has, each with a network of its own, and the gradients of the shards.
pub struct Cores<N> {
    shards: usize,
    /// One gradient for each shard where there are several cores, otherwise two.
    gradients: Vec<(Gradient, f32)>,
    helpers: Vec<Rc<dyn Helper>>,
    #[cfg(not(target_family = "wasm"))]
    others: Vec<N>,
    #[cfg(not(target_family = "wasm"))]
    pool: Option<rayon::ThreadPool>,
    #[cfg(target_family = "wasm")]
    network: std::marker::PhantomData<N>,
}

impl<N: CpuNetwork> Cores<N> {
    /// One core.
    pub fn new(spec: &RunSpec, network: &mut N) -> Self {
        let room = network.data_parallel().map(|network| network.room());
        let most = network.data_parallel().map_or(1, |network| network.most_shards(spec));
        // A power of two, as the run has it.
        let shards = if spec.shards() <= most { spec.shards() } else { 1 << most.max(1).ilog2() };
        Cores {
            shards,
            gradients: match room {
                Some(room) if shards > 1 => vec![(room, 0.0); 2],
                _ => vec![],
            },
            helpers: vec![],
            #[cfg(not(target_family = "wasm"))]
            others: vec![],
            #[cfg(not(target_family = "wasm"))]
            pool: None,
            #[cfg(target_family = "wasm")]
            network: std::marker::PhantomData,
        }
    }

    /// Whether steps are made shard by shard.
    pub fn has_shards(&self) -> bool {
        self.shards > 1
    }

    /// How many helpers could share a step.
    pub fn wanted_helpers(&self) -> usize {
        self.shards - 1
    }

    /// From now on [`Cores::step_together`] asks these helpers.
    pub fn take_helpers(&mut self, helpers: Vec<Rc<dyn Helper>>) {
        self.helpers = helpers;
    }

    /// Whether a helper can be asked.
    pub fn has_helpers(&self) -> bool {
        self.helpers.iter().any(|helper| helper.is_ready())
    }

    /// Makes step `at.1` of replica number `at.0` shard by shard, with the helpers that are ready; of so many parameters.
    pub async fn step_together(
        &mut self,
        network: &mut N,
        replica: &mut N::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        update: &Update,
        parameters: usize,
    ) {
        let of = self.shards;
        // Nobody without a shard.
        let ready = self.helpers.iter().filter(|helper| helper.is_ready()).take(of - 1);
        let ready: Vec<&Rc<dyn Helper>> = ready.collect();
        let share = |number| Shard { number, of: ready.len() + 1 }.range(of);
        let weights: Vec<f32> = (0..parameters).flat_map(|which| replica.read(0, which)).collect();
        let asked = ready.iter().enumerate().map(|(number, helper)| {
            let job = ShardJob { replica: at.0, step: at.1, shards: share(number + 1), of };
            (job.shards.clone(), helper.ask(&job, weights.clone()))
        });
        // All helpers are at work before this thread is.
        let asked: Vec<_> = asked.collect();
        let Some(network) = network.data_parallel() else { return };
        let [(total, _), (more, _), ..] = &mut self.gradients[..] else { return };
        for number in share(0) {
            let shard = Shard { number, of };
            let into = if number == 0 { &mut *total } else { &mut *more };
            let weight = network.shard(replica, spec, at, shard, into);
            take(total, (number > 0).then_some(&*more), weight);
        }
        for (shards, answer) in asked {
            let one = 1 + total.iter().map(|rows| rows.len() * Row::ZERO.0.len()).sum::<usize>();
            let answer = answer.await.unwrap_or_default();
            let found = (answer.len() == shards.len() * one).then_some(answer);
            for (at_answer, number) in shards.enumerate() {
                let weight = match &found {
                    Some(found) => read_gradient(&found[at_answer * one..][..one], more),
                    // What a helper owes is made here.
                    None => network.shard(replica, spec, at, Shard { number, of }, more),
                };
                take(total, Some(more), weight);
            }
        }
        network.descend(replica, spec, at.1, total, update, Pool::ALONE);
    }

    /// What a helper answers: for each shard its weight and its gradient, with these weights of `replica`.
    pub fn gradients(
        &mut self,
        network: &mut N,
        replica: &mut N::Replica,
        spec: &RunSpec,
        job: &ShardJob,
        weights: &[f32],
    ) -> Vec<f32> {
        let (mut rest, mut which) = (weights, 0);
        while !rest.is_empty() {
            let length = replica.read(0, which).len().clamp(1, rest.len());
            replica.write(0, which, &rest[..length]);
            (rest, which) = (&rest[length..], which + 1);
        }
        let (Some(network), Some((total, _))) = (network.data_parallel(), self.gradients.first_mut()) else {
            return vec![];
        };
        let mut found = vec![];
        for number in job.shards.clone() {
            let shard = Shard { number, of: job.of };
            found.push(network.shard(replica, spec, (job.replica, job.step), shard, total));
            found.extend(total.iter().flatten().flat_map(|row| row.0));
        }
        found
    }

    /// Makes step `at.1` of replica number `at.0` shard by shard, on one core.
    fn step_alone(
        &mut self,
        network: &mut N,
        replica: &mut N::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        update: &Update,
    ) {
        let Some(network) = network.data_parallel() else { return };
        let [(total, _), (more, _), ..] = &mut self.gradients[..] else { return };
        for number in 0..self.shards {
            let shard = Shard { number, of: self.shards };
            let into = if number == 0 { &mut *total } else { &mut *more };
            let weight = network.shard(replica, spec, at, shard, into);
            take(total, (number > 0).then_some(&*more), weight);
        }
        network.descend(replica, spec, at.1, total, update, Pool::ALONE);
    }
}

/// Adds the gradient of a shard to the sum of those before it, or makes the first one count with its weight.
fn take(total: &mut Gradient, more: Option<&Gradient>, weight: f32) {
    match more {
        None => total.iter_mut().for_each(|total| scale(total, weight)),
        Some(more) => total.iter_mut().zip(more).for_each(|(total, more)| add_weighted(total, more, weight)),
    }
}

/// Reads a gradient as [`Cores::gradients`] writes it, and returns its weight.
fn read_gradient(numbers: &[f32], gradient: &mut Gradient) -> f32 {
    let (weight, numbers) = numbers.split_first().unwrap_or((&0.0, &[]));
    let rows = numbers.as_chunks().0;
    gradient.iter_mut().flatten().zip(rows).for_each(|(row, numbers)| *row = Row(*numbers));
    *weight
}

#[cfg(target_family = "wasm")]
impl<N: CpuNetwork> Cores<N> {
    /// Makes step `at.1` of replica number `at.0` shard by shard.
    pub fn step(
        &mut self,
        network: &mut N,
        replica: &mut N::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        update: &Update,
    ) {
        self.step_alone(network, replica, spec, at, update);
    }

    /// Calls `train` for all of these replicas.
    pub fn each<'a>(
        &mut self,
        network: &mut N,
        replicas: impl Iterator<Item = (usize, &'a mut N::Replica)>,
        train: impl Fn(&mut N, usize, &mut N::Replica),
    ) where
        N::Replica: 'a,
    {
        replicas.for_each(|(number, replica)| train(network, number, replica));
    }
}

#[cfg(not(target_family = "wasm"))]
impl<N: CpuNetwork> Cores<N> {
    /// As many cores as `count`, if the run has any use for them.
    pub fn take(&mut self, spec: &RunSpec, count: usize, network: &mut N) {
        let useful = match self.shards {
            1 if N::INDEPENDENT => spec.run.replicas,
            shards => shards,
        };
        let count = count.min(useful);
        let made: Vec<N> = (1..count).filter_map(|_| N::new(spec).ok()).map(|(network, _)| network).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        // A system that gives no threads leaves the run to one core.
        let (Ok(pool), true) = (pool, !made.is_empty()) else { return };
        if let Some(network) = network.data_parallel().filter(|_| self.shards > 1) {
            self.gradients.resize_with(self.shards, || (network.room(), 0.0));
        }
        (self.others, self.pool) = (made, Some(pool));
    }

    /// Makes step `at.1` of replica number `at.0` shard by shard.
    pub fn step(
        &mut self,
        network: &mut N,
        replica: &mut N::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        update: &Update,
    ) {
        let Some(pool) = &self.pool else {
            return self.step_alone(network, replica, spec, at, update);
        };
        let (of, seen) = (self.shards, &*replica);
        let queue = Mutex::new(self.gradients.iter_mut().enumerate());
        let work = |network: &mut N| {
            let Some(network) = network.data_parallel() else { return };
            while let Some((number, (gradient, weight))) = next(&queue) {
                *weight = network.shard(seen, spec, at, Shard { number, of }, gradient);
            }
        };
        on_all(pool, network, &mut self.others, &work);
        let Some(((total, weight), more)) = self.gradients.split_first_mut() else { return };
        let weight = *weight;
        let pool = Pool { threads: Some(pool) };
        for (which, total) in total.iter_mut().enumerate() {
            let each = total.len().div_ceil(pool.count()).max(TOGETHER);
            pool.run(total.chunks_mut(each).enumerate().map(|(chunk, total)| {
                let (first, more) = (chunk * each, &*more);
                move || {
                    let rows = first..first + total.len();
                    scale(total, weight);
                    more.iter().for_each(|(more, weight)| {
                        add_weighted(total, &more[which][rows.clone()], *weight);
                    });
                }
            }));
        }
        if let Some(network) = network.data_parallel() {
            network.descend(replica, spec, at.1, total, update, pool);
        }
    }

    /// Calls `train` for all of these replicas, each on the core that is free first; on the calling thread alone where
    /// there is one core.
    pub fn each<'a>(
        &mut self,
        network: &mut N,
        replicas: impl Iterator<Item = (usize, &'a mut N::Replica)> + Send,
        train: impl Fn(&mut N, usize, &mut N::Replica) + Sync,
    ) where
        N::Replica: 'a,
    {
        let Some(pool) = &self.pool else {
            return replicas.for_each(|(number, replica)| train(network, number, replica));
        };
        let queue = Mutex::new(replicas);
        let work = |network: &mut N| {
            while let Some((number, replica)) = next(&queue) {
                train(network, number, replica);
            }
        };
        on_all(pool, network, &mut self.others, &work);
    }
}

/// What comes next in a queue that several cores take from.
#[cfg(not(target_family = "wasm"))]
fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).next()
}

/// Does some work on all cores, each with a network of its own, and waits for them.
#[cfg(not(target_family = "wasm"))]
fn on_all<N: Send>(pool: &rayon::ThreadPool, own: &mut N, others: &mut [N], work: &(impl Fn(&mut N) + Sync)) {
    pool.scope(|scope| {
        for network in others {
            scope.spawn(move |_| work(network));
        }
        work(own);
    });
}

#[cfg(all(test, not(target_family = "wasm")))]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::kernels::cpu::ReplicaState;
    use crate::kernels::cpu::in_context_net::InContextLoop;
    use crate::kernels::cpu::one_output::layers::LayersLoop;
    use crate::kernels::cpu::pair_net::{embedding::EmbeddingLoop, transformer::TransformerLoop};
    use crate::protocol::Failure;
    use crate::training::cpu::group_net::GroupNetFamily;
    use crate::training::cpu::one_output::OneOutput;
    use crate::training::cpu::pair_net::PairNet;
    use crate::training::cpu::prompt_net::PromptNet;
    use crate::training::cpu::sequence_net::{ChainExamples, SequenceNet};
    use crate::training::launch::choose::choose;
    use crate::training::launch::device::Device;
    use crate::training::session::learner::{Learner, Local, Segment, Weights, ready};

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
        let (link, notices) = crate::permalink::decode(link);
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
    const EMBEDDING: &str = "#v1/groups?n=59&model=embedding-mlp&batch=2048&width=256&held=64&opt=sgd&lr=0.1";
    const CHAINS: &str = "#v1/markov?k=3&t=100&heads=1.1&batch=64&held=64&opt=sgd&lr=0.1";
    const POINTS: &str = "#v1/in-context-learning?batch=64&held=64&opt=sgd&lr=0.01";
    const BITS: &str =
        "#v1/sparse-parity?model=deep-mlp&n=20&widths=128.128&batch=1024&held=64&opt=sgd&lr=0.1";

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
            assert!(spec.shards() > 1, "{link}: {} of {}", spec.shards(), spec.step_flops());
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
            assert_eq!(spec.shards(), 1, "{link}");
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
                true => Err(Failure::Internal("gone".into())),
                false => Ok(self.learner.borrow_mut().shard_gradients(&self.spec, job, &weights)),
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
                    assert_eq!(learner.wanted_helpers(), spec.shards() - 1);
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
            for (which, values) in spec.initial().iter().enumerate() {
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
            let begin: Vec<f32> = spec.initial().into_iter().flatten().collect();
            let square = |a: &[f32], b: &[f32]| -> f64 {
                a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum()
            };
            let (moved, apart) = (square(&whole, &begin), square(&whole, &cut));
            assert!(moved > 0.0 && apart < 1e-6 * moved, "{link}: {apart} of {moved}");
        }
        check::<GroupNetFamily>("#v1/groups?n=43&width=200&opt=sgd&lr=0.1");
        check::<GroupNetFamily>(MIXED_PAIRS);
        check::<PairNet<TransformerLoop>>(TRANSFORMER);
        check::<PairNet<EmbeddingLoop>>(EMBEDDING);
        check::<SequenceNet<ChainExamples>>(CHAINS);
        check::<PromptNet<InContextLoop>>(POINTS);
        check::<OneOutput<LayersLoop>>(BITS);
    }
}
