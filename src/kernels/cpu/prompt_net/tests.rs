//! Outputs and gradients of the loops against the references in double precision.

use super::gru::GruLoop;
use super::mlp::MlpLoop;
use super::*;
use crate::cpu::ReplicaState;
use vivarium_model::models::{Model, gru, prompts, token_mlp};
use vivarium_model::permalink::decode;
use vivarium_model::tasks::Batch;

/// A run with the settings of a link.
fn run(settings: &str) -> RunSpec {
    let (link, notices) = decode(&format!("#v1/sparse-token-regression?{settings}"));
    assert!(notices.is_empty(), "{settings}: {notices:?}");
    link.spec
}

/// Outputs and gradient in double precision.
fn exact(spec: &RunSpec, rows: &[f32]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (initial, of_task) = (spec.initialize_replicas(1), prompts::of(spec.task.examples()));
    let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
    let each = rows.chunks(of_task.row_len());
    match &spec.model {
        Model::TokenMlp(net) => {
            let plain = token_mlp::OnPrompts { net: net.clone(), prompts: of_task }.plain(&weights);
            (each.flat_map(|row| plain.outputs(row)).collect(), plain.gradients(rows).1)
        }
        Model::Gru(net) => {
            let plain = gru::OnPrompts { net: net.clone(), prompts: of_task }.plain(&weights);
            (each.flat_map(|row| plain.outputs(row)).collect(), plain.gradients(rows).1)
        }
        _ => unreachable!("a network whose loop is tested here"),
    }
}

fn agrees<L: PromptLoop>(settings: &str) {
    let spec = run(settings);
    let (layout, mut batch) = (Layout::of(&spec), Batch::default());
    let mut replica = Replica::new(&layout);
    for (which, values) in spec.initialize_replicas(1).iter().enumerate() {
        replica.write(0, which, values);
    }
    let mut loops = L::of(&spec).unwrap();
    // A second batch finds nothing of the first.
    for step in 0..2 {
        batch.clear();
        spec.task.sampler().sample(spec.run.seed, 0, step, spec.run.batch, &mut batch);
        let (outputs, gradients) = exact(&spec, &batch.x);
        loops.load(replica.weights());
        let mut mine = vec![];
        loops.outputs(&batch.x, &mut mine);
        assert_eq!(mine.len(), outputs.len());
        for (mine, exact) in mine.iter().zip(&outputs) {
            assert!((f64::from(*mine) - exact).abs() < 1e-5, "{settings}: output {mine}, {exact}");
        }
        let mut gradient = layout.rows();
        loops.gradient(&batch.x, &mut gradient);
        for (which, (mine, exact)) in gradient.iter().zip(&gradients).enumerate() {
            let size = exact.iter().fold(1e-4f64, |size, g| size.max(g.abs()));
            let mut numbers = mine.iter().flat_map(|row| row.0);
            for (at, exact) in exact.iter().enumerate() {
                let error = (f64::from(numbers.next().unwrap()) - exact).abs();
                assert!(error < 3e-5 * size, "{settings}: parameter {which}, {at}: off by {error}, {exact}");
            }
            assert!(numbers.all(|rest| rest == 0.0), "{settings}: what fills up the last row stays zero");
        }
    }
}

/// Prompts of every kind: codes of all kinds and scales, one name and many, one position to name or each.
const PROMPTS: [&str; 7] = [
    "batch=64",
    "n=5&dim=3&q=2&codes=random&de=7&batch=9",
    "n=4&dim=2&q=3&codes=orthogonal&enc=one&batch=1&g=linear",
    "n=20&dim=17&q=1&codes=random&batch=70&g=mean",
    "n=17&dim=1&q=2&batch=67&lists=one",
    "n=70&dim=2&q=1&codes=random&batch=66&g=linear",
    "n=3&dim=5&q=4&draw=free&codes=random&de=33&batch=130&g=network",
];

#[test]
fn perceptrons_are_those_of_the_reference() {
    for (number, prompts) in PROMPTS.iter().enumerate() {
        let widths = ["128.128", "5", "16.33.7", "40", "17.16", "64.32", "1.1"][number];
        agrees::<MlpLoop>(&format!("{prompts}&model=token-mlp&widths={widths}"));
    }
}

#[test]
fn recurrent_networks_are_those_of_the_reference() {
    for (number, prompts) in PROMPTS.iter().enumerate() {
        let width = [64, 5, 16, 33, 17, 8, 1][number];
        agrees::<GruLoop>(&format!("{prompts}&model=gru&width={width}"));
    }
}

#[test]
fn a_long_batch_in_blocks_is_that_of_the_reference() {
    agrees::<GruLoop>("n=40&dim=2&q=1&codes=random&batch=30&model=gru&width=120&g=linear");
}
