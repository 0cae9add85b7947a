//! Large steps, which several cores of a processor make together.
//!
//! # Why
//! The examples of a large step are cut into shards, whose gradients are added in the order of the shards. How many shards there
//! are follows from the run alone ([`RunSpec::shard_count`]), so that a run has the same bits whether one core makes all shards or
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

use std::rc::Rc;
#[cfg(not(target_family = "wasm"))]
use std::sync::{Mutex, PoisonError};

use super::network::{CpuNetwork, DataParallel, Pool, Shard};
use crate::session::helper::ShardJob;
use crate::session::learner::Helper;
use vivarium_kernels::cpu::one_hidden_layer::{Row, Update};
use vivarium_kernels::cpu::replica::{Gradient, add_weighted, scale};
use vivarium_model::run::RunSpec;

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
        let shards = if spec.shard_count() <= most { spec.shard_count() } else { 1 << most.max(1).ilog2() };
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

    /// Makes step `at.1` of replica number `at.0` shard by shard, with the helpers that are ready, which get its `weights`.
    pub async fn step_together(
        &mut self,
        network: &mut N,
        replica: &mut N::Replica,
        spec: &RunSpec,
        at: (usize, u64),
        update: &Update,
        weights: Vec<f32>,
    ) {
        let of = self.shards;
        // Nobody without a shard.
        let ready = self.helpers.iter().filter(|helper| helper.is_ready()).take(of - 1);
        let ready: Vec<&Rc<dyn Helper>> = ready.collect();
        let share = |number| Shard { number, of: ready.len() + 1 }.range(of);
        let asked = ready.iter().enumerate().map(|(number, helper)| {
            let job = ShardJob { replica: at.0, step: at.1, shards: share(number + 1), of };
            (job.shards.clone(), helper.ask(&job, weights.clone()))
        });
        // All helpers are at work before this thread is.
        let asked: Vec<_> = asked.collect();
        let Some(network) = network.data_parallel() else { return };
        let [(total, _), (more, _), ..] = &mut self.gradients[..] else { return };
        for number in share(0) {
            add_shard(network, replica, spec, at, Shard { number, of }, [&mut *total, &mut *more]);
        }
        for (shards, answer) in asked {
            let one = 1 + total.iter().map(|rows| rows.len() * Row::ZERO.0.len()).sum::<usize>();
            let answer = answer.await.unwrap_or_default();
            let found = (answer.len() == shards.len() * one).then_some(answer);
            for (at_answer, number) in shards.enumerate() {
                match &found {
                    Some(found) => {
                        let weight = read_gradient(&found[at_answer * one..][..one], more);
                        add(total, more, weight);
                    }
                    // What a helper owes is made here.
                    None => {
                        let shard = Shard { number, of };
                        add_shard(network, replica, spec, at, shard, [&mut *total, &mut *more]);
                    }
                }
            }
        }
        network.descend(replica, spec, at.1, total, update, Pool::ALONE);
    }

    /// What a helper answers, with the weights of `replica`: for each shard its weight and its gradient.
    pub fn gradients(
        &mut self,
        network: &mut N,
        replica: &N::Replica,
        spec: &RunSpec,
        job: &ShardJob,
    ) -> Vec<f32> {
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
            add_shard(network, replica, spec, at, shard, [&mut *total, &mut *more]);
        }
        network.descend(replica, spec, at.1, total, update, Pool::ALONE);
    }
}

/// Adds the gradient of a shard of step `at.1` of replica number `at.0` to the sum of those before it, which the first one
/// begins; `more` is room for another gradient.
fn add_shard<R>(
    network: &mut dyn DataParallel<Replica = R>,
    replica: &R,
    spec: &RunSpec,
    at: (usize, u64),
    shard: Shard,
    [total, more]: [&mut Gradient; 2],
) {
    if shard.number == 0 {
        let weight = network.shard(replica, spec, at, shard, total);
        total.iter_mut().for_each(|total| scale(total, weight));
    } else {
        let weight = network.shard(replica, spec, at, shard, more);
        add(total, more, weight);
    }
}

fn add(total: &mut Gradient, more: &Gradient, weight: f32) {
    total.iter_mut().zip(more).for_each(|(total, more)| add_weighted(total, more, weight));
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
        let pool = Pool::of(pool);
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
mod tests;
