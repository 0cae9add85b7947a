//! The kernels of token MLPs against autodiff and the processor's loop.
//!
//! Without a GPU adapter (a simulated one is enough) these tests are reported as skipped, and fail in CI.

use super::prompt_nets as shared;
use super::{
    cuts_change_nothing, replicas_change_nothing, sessions_measure_the_same, sgd,
    what_is_remembered_comes_back,
};
use crate::gpu::prompt_nets::TokenMlpGpu;
use crate::launch::device::gpu_or_skip;
use shared::{adam, same_row, task};
use vivarium_kernels::plan::Limits;
use vivarium_kernels::prompt_nets::Compiled;
use vivarium_kernels::token_mlp::covers;
use vivarium_kernels::token_mlp::plan::{Network, Plan};
use vivarium_model::models::{Model, TokenMlp};
use vivarium_model::optim::{Adam, Optimizer};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::SparseTokenRegression;
use vivarium_science::tokens::PositionCodes;

fn spec(task: SparseTokenRegression, widths: &[usize], optimizer: Optimizer, batch: usize) -> RunSpec {
    shared::spec(task, Model::TokenMlp(TokenMlp { widths: widths.to_vec() }), optimizer, batch)
}

fn agree(spec: &RunSpec, stops: &[u64]) {
    shared::agree(spec, stops, TokenMlpGpu::new);
}

#[test]
fn networks_are_what_the_processor_makes_of_them() {
    if gpu_or_skip().is_none() {
        return;
    }
    let random = SparseTokenRegression { code_dim: 5, ..task(6, 2, 3, PositionCodes::Random) };
    for (task, widths, optimizer, batch, replicas) in [
        (task(8, 1, 2, PositionCodes::OneHot), &[16, 12][..], adam(0.1), 4, 1),
        (random, &[9], sgd(0.05, 0.9, 0.01), 3, 2),
        (task(5, 1, 1, PositionCodes::Orthogonal), &[300, 3, 7], sgd(0.05, 0.0, 0.0), 5, 1),
        (SparseTokenRegression { m: 9, ..task(4, 1, 2, PositionCodes::OneHot) }, &[20, 20], adam(0.0), 4, 2),
        // A step takes the whole sample.
        (SparseTokenRegression { m: 6, ..task(4, 1, 2, PositionCodes::OneHot) }, &[11], adam(0.0), 0, 1),
    ] {
        let mut spec = spec(task, widths, optimizer, batch);
        spec.run.replicas = replicas;
        agree(&spec, &[1, 10, 100]);
    }
}

#[test]
fn replicas_cuts_and_company_change_no_bit() {
    if gpu_or_skip().is_none() {
        return;
    }
    let base = spec(task(5, 1, 2, PositionCodes::OneHot), &[10, 7], adam(0.1), 4);
    replicas_change_nothing(&base, 1, TokenMlpGpu::new);
    cuts_change_nothing(&base, TokenMlpGpu::new);
    what_is_remembered_comes_back(&base, TokenMlpGpu::new);
    shared::company_changes_nothing::<Plan>(&base);
}

#[test]
fn sessions_choose_these_kernels() {
    let mut spec = spec(task(5, 1, 2, PositionCodes::OneHot), &[10, 7], adam(0.0), 3);
    // More prompts than go forward at a time.
    spec.run.held_out = 600;
    let learner = "fused kernels, some launches per layer and step";
    sessions_measure_the_same(&spec, learner, |a, b| same_row(a, b, 1e-4, "a session"));
}

#[test]
fn what_does_not_fit_is_refused_with_a_sentence() {
    let base = spec(task(8, 1, 2, PositionCodes::OneHot), &[16], adam(0.0), 4);
    assert_eq!(covers(&base), Ok(()));
    let other = RunSpec::default();
    assert_eq!(covers(&other).unwrap_err(), format!("its model is the {}", other.model.info().name));
    let limits = Limits { lanes: 256, workgroup_bytes: 16 << 10, buffer_bytes: 1 << 27, turns: u64::MAX };
    let network = Network::of(&base).unwrap();
    let plan = Plan::divided(network, 1, limits).unwrap();
    assert_eq!((plan.rows, plan.network.sizes[..3].to_vec()), (256, vec![8 * 25, 16, 8]));
    let little = Plan::divided(network, 1, Limits { buffer_bytes: 20 << 10, ..limits }).unwrap();
    assert_eq!(little.rows, 4, "what is measured takes no more than what is trained on");
    let none = Plan::divided(network, 1, Limits { buffer_bytes: 1 << 10, ..limits }).unwrap_err();
    assert_eq!(none, "the prompts of a step do not fit one launch");
    let simulated = Plan::divided(network, 1, Limits { turns: 100, ..limits }).unwrap_err();
    assert_eq!(simulated, "one of its steps is longer than a simulated GPU lets a shader run");
    let long = SparseTokenRegression { length: 256, dim: 64, names: 6, ..Default::default() };
    let wide = spec(long, &[4096], Optimizer::Adam(Adam::default()), 4);
    assert_eq!(covers(&wide).unwrap_err(), "a layer has more weights than a launch has lanes");
    let many = spec(task(8, 1, 2, PositionCodes::OneHot), &[16], adam(0.0), 200_000);
    let most = Compiled::<Plan>::of(&many, 10, limits).unwrap_err();
    assert_eq!(most, "the prompts of a step do not fit one launch");
}
