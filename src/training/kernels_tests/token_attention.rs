//! The kernels of token attention against autodiff and the processor's loop.
//!
//! Without a GPU adapter (a simulated one is enough) these tests are reported as skipped, and fail in CI.

use super::prompt_nets as shared;
use super::{
    cuts_change_nothing, replicas_change_nothing, sessions_measure_the_same, sgd,
    what_is_remembered_comes_back,
};
use crate::gpu::prompt_nets::TokenAttentionGpu;
use crate::launch::device::gpu_or_skip;
use shared::{adam, same_row, task};
use vivarium_kernels::plan::Limits;
use vivarium_kernels::prompt_layout::{LANES, cubes};
use vivarium_kernels::prompt_nets::{Compiled, PromptNet};
use vivarium_kernels::token_attention::covers;
use vivarium_kernels::token_attention::plan::{Network, Plan};
use vivarium_model::models::token_attention::{QueryKey, Scores, Values};
use vivarium_model::models::{Model, TokenAttention};
use vivarium_model::optim::Optimizer;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{SparseTokenRegression, Task};
use vivarium_science::tokens::{NameLists, PositionCodes};

fn spec(task: SparseTokenRegression, net: TokenAttention, optimizer: Optimizer, batch: usize) -> RunSpec {
    shared::spec(task, Model::TokenAttention(net), optimizer, batch)
}

fn net(heads: usize, qk: QueryKey, scores: Scores, values: Values, width: usize) -> TokenAttention {
    TokenAttention { heads, qk, scores, values, width, ..Default::default() }
}

fn agree(spec: &RunSpec, stops: &[u64]) {
    shared::agree(spec, stops, TokenAttentionGpu::new);
}

#[test]
fn scores_that_are_their_own_table_are_what_the_processor_makes_of_them() {
    if gpu_or_skip().is_none() {
        return;
    }
    let (one, hot) = (QueryKey::Combined, PositionCodes::OneHot);
    for (task, net, optimizer, replicas) in [
        (task(8, 1, 2, hot), net(2, one, Scores::Positions, Values::Numbers, 16), adam(0.0), 1),
        (task(5, 2, 3, hot), net(3, one, Scores::All, Values::Token, 9), sgd(0.05, 0.9, 0.01), 2),
        (task(6, 3, 1, hot), net(1, one, Scores::Positions, Values::Token, 300), adam(0.1), 1),
        (task(7, 2, 2, hot), net(2, one, Scores::All, Values::Numbers, 40), sgd(0.1, 0.0, 0.0), 2),
    ] {
        let mut spec = spec(task, net, optimizer, 4);
        spec.run.replicas = replicas;
        agree(&spec, &[1, 10, 100]);
    }
}

#[test]
fn scores_of_long_codes_and_keys_apart_are_what_the_processor_makes_of_them() {
    if gpu_or_skip().is_none() {
        return;
    }
    let (one, two) = (QueryKey::Combined, QueryKey::Separate);
    let random = |task: SparseTokenRegression, code_dim| SparseTokenRegression { code_dim, ..task };
    for (task, net, optimizer, replicas) in [
        (
            random(task(8, 1, 2, PositionCodes::Random), 5),
            net(2, one, Scores::Positions, Values::Numbers, 16),
            adam(0.0),
            2,
        ),
        (
            random(task(5, 2, 2, PositionCodes::Orthogonal), 7),
            net(1, one, Scores::All, Values::Token, 9),
            sgd(0.05, 0.9, 0.01),
            1,
        ),
        (
            task(6, 1, 2, PositionCodes::OneHot),
            net(2, two, Scores::Positions, Values::Numbers, 12),
            adam(0.1),
            1,
        ),
        (
            random(task(6, 2, 1, PositionCodes::Random), 4),
            TokenAttention { key_width: 3, ..net(2, two, Scores::All, Values::Token, 12) },
            sgd(0.05, 0.9, 0.0),
            2,
        ),
    ] {
        let mut spec = spec(task, net, optimizer, 4);
        spec.run.replicas = replicas;
        agree(&spec, &[1, 10, 100]);
    }
}

/// More positions than a warp has lanes, more than a workgroup shares sums of, one list of names, and a finite sample.
#[test]
fn long_prompts_and_finite_samples_are_what_the_processor_makes_of_them() {
    if gpu_or_skip().is_none() {
        return;
    }
    let attention = net(2, QueryKey::Combined, Scores::Positions, Values::Numbers, 20);
    agree(&spec(task(70, 1, 2, PositionCodes::OneHot), attention.clone(), adam(0.0), 3), &[1, 10]);
    let listed = SparseTokenRegression { lists: NameLists::Shared, ..task(20, 1, 3, PositionCodes::OneHot) };
    agree(&spec(listed, attention.clone(), adam(0.0), 3), &[1, 10]);
    let sample = SparseTokenRegression { m: 10, noise: 0.3, ..task(8, 1, 2, PositionCodes::OneHot) };
    let mut sampled = spec(sample.clone(), attention.clone(), adam(0.0), 4);
    sampled.run.replicas = 2;
    agree(&sampled, &[1, 10]);
    // A step takes the whole sample.
    agree(&spec(sample, attention, adam(0.0), 0), &[1, 10]);
}

/// Bit for bit, as long as a workgroup has one prompt.
#[test]
fn replicas_and_cuts_change_no_bit() {
    if gpu_or_skip().is_none() {
        return;
    }
    for (codes, qk) in
        [(PositionCodes::OneHot, QueryKey::Combined), (PositionCodes::Random, QueryKey::Separate)]
    {
        let net = net(2, qk, Scores::All, Values::Token, 12);
        let base = spec(task(6, 1, 2, codes), net, adam(0.1), 4);
        replicas_change_nothing(&base, 1, TokenAttentionGpu::new);
        cuts_change_nothing(&base, TokenAttentionGpu::new);
        what_is_remembered_comes_back(&base, TokenAttentionGpu::new);
    }
}

#[test]
fn runs_that_share_launches_are_what_they_are_alone() {
    if gpu_or_skip().is_none() {
        return;
    }
    for (codes, m) in [(PositionCodes::OneHot, 12), (PositionCodes::Random, 0)] {
        let net = net(2, QueryKey::Combined, Scores::Positions, Values::Numbers, 12);
        let task = SparseTokenRegression { m, ..task(6, 1, 2, codes) };
        shared::company_changes_nothing::<Plan>(&spec(task, net, adam(0.1), 4));
    }
}

/// So many that a workgroup takes several prompts, one after the other.
#[test]
fn many_replicas_share_workgroups() {
    if gpu_or_skip().is_none() {
        return;
    }
    let net = net(1, QueryKey::Combined, Scores::Positions, Values::Numbers, 3);
    let mut spec = spec(task(3, 1, 1, PositionCodes::OneHot), net, sgd(0.05, 0.9, 0.0), 4);
    spec.run.replicas = 300;
    let net = PromptNet::<Plan>::new(std::slice::from_ref(&spec), 10).unwrap();
    assert_eq!((net.plan().groups, net.plan().rounds()), (2, 2));
    agree(&spec, &[1, 3]);
}

#[test]
fn sessions_on_both_devices_measure_the_same() {
    for (codes, launches) in [(PositionCodes::OneHot, "two"), (PositionCodes::Random, "six")] {
        let net = net(2, QueryKey::Combined, Scores::Positions, Values::Numbers, 8);
        let spec = spec(task(6, 1, 2, codes), net, adam(0.0), 3);
        let learner = format!("fused kernels, {launches} launches per step");
        sessions_measure_the_same(&spec, &learner, |a, b| same_row(a, b, 1e-4, codes.slug()));
    }
}

/// What WebGPU grants without being asked: 256 lanes and 16 KiB of memory of a workgroup, 65,535 workgroups in a row,
/// buffers of 128 MiB. The kernels bind seven buffers at most, of eight.
#[test]
fn every_network_that_is_covered_keeps_to_what_a_browser_grants() {
    let limits = Limits { lanes: 256, workgroup_bytes: 16 << 10, buffer_bytes: 128 << 20, turns: u64::MAX };
    let (mut covered, mut refused) = (0, 0);
    for (length, dim, names, codes) in [2, 8, 33, 100, 256].into_iter().flat_map(|n| {
        [(1, 1), (1, 3), (64, 6)].into_iter().flat_map(move |(d, q)| {
            [PositionCodes::OneHot, PositionCodes::Random].map(|codes| (n, d, q, codes))
        })
    }) {
        for (heads, width, batch) in [(1, 1, 1), (2, 64, 64), (8, 4096, 4096)] {
            for qk in [QueryKey::Combined, QueryKey::Separate] {
                let net = net(heads, qk, Scores::All, Values::Token, width);
                let spec = spec(task(length, dim, names, codes), net, adam(0.0), batch);
                let network = Network::of(&spec).unwrap();
                let Ok(plan) = Plan::divided(network, 4, limits) else {
                    refused += 1;
                    continue;
                };
                let shared = length * (names + 1) + 2 * LANES + length;
                assert!(4 * shared <= limits.workgroup_bytes, "{plan:?}");
                assert!(plan.groups <= 65_535 && plan.groups * plan.rounds() >= batch, "{plan:?}");
                assert!(plan.update_groups().max(cubes(plan.expanded())) <= 65_535, "{plan:?}");
                assert!((4 * 4 * plan.groups * plan.work().end) as u64 <= limits.buffer_bytes, "{plan:?}");
                assert!(length * plan.parts(length) <= LANES, "{plan:?}");
                covered += 1;
            }
        }
    }
    assert!(covered > 100 && refused > 0, "{covered} {refused}");
}

#[test]
fn what_does_not_fit_is_refused_with_a_sentence() {
    let base = spec(task(8, 1, 2, PositionCodes::OneHot), TokenAttention::default(), adam(0.0), 4);
    assert_eq!(covers(&base), Ok(()));
    let other = RunSpec::default();
    assert_eq!(covers(&other).unwrap_err(), format!("its model is the {}", other.model.info().name));
    let limits = Limits { lanes: 256, workgroup_bytes: 16 << 10, buffer_bytes: 1 << 27, turns: u64::MAX };
    let long = |width: usize| {
        let net = TokenAttention { width, ..Default::default() };
        spec(task(64, 1, 2, PositionCodes::OneHot), net, adam(0.0), 64)
    };
    let refused = |spec: &RunSpec, limits: Limits| Compiled::<Plan>::of(spec, 10, limits).unwrap_err();
    let little = |mib: u64| Limits { buffer_bytes: mib << 20, ..limits };
    assert_eq!(refused(&long(4096), little(1)), "1 of these networks need a buffer of 1 MiB");
    assert_eq!(refused(&long(64), little(2)), "its gradients need a buffer of 6 MiB");
    let lanes = refused(&base, Limits { lanes: 128, ..limits });
    assert_eq!(lanes, "a workgroup has fewer than 256 lanes or 16 KiB of memory");
    let turns = refused(&base, Limits { turns: 100, ..limits });
    assert_eq!(turns, "one of its steps is longer than a simulated GPU lets a shader run");
    let mut endless = long(4096);
    let Task::SparseTokenRegression(task) = &mut endless.task else { unreachable!("a task of prompts") };
    (task.length, task.dim) = (256, 64);
    let Model::TokenAttention(net) = &mut endless.model else { unreachable!("a network that attends") };
    (net.values, net.heads) = (Values::Token, 8);
    assert_eq!(covers(&endless).unwrap_err(), "one of its steps is too long for one launch");
}
