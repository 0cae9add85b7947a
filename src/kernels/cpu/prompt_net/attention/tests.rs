//! The loops against the formulas in double precision.

use super::*;
use crate::cpu::ReplicaState;
use crate::cpu::one_hidden_layer::{LANES, Update};
use crate::cpu::prompt_net::{Layout, Replica};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::models::token_attention::{OnPrompts, Plain};
use vivarium_model::permalink::decode;
use vivarium_model::tasks::Batch;

/// Every kind of network on prompts of every kind, as parts of links.
const NETWORKS: &[&str] = &[
    "",
    "h=1&n=5&q=1&width=3",
    "h=3&n=6&q=3&width=20&draw=free",
    "h=2&n=17&q=2&dim=3&codes=random&lists=one",
    "h=2&n=7&q=2&dim=2&scores=all&width=33",
    "h=1&n=12&q=1&dim=10&codes=random&scores=all&values=token&width=100&batch=24",
    "h=3&n=9&q=2&dim=3&codes=orthogonal&de=20&values=token&enc=one",
    "h=1&n=20&q=1&dim=17&scores=all&values=token&g=linear&codes=random&de=18",
    "h=2&qk=separate&n=6&q=2",
    "h=1&qk=separate&dk=5&n=10&q=1&dim=4&codes=random&scores=all&values=token&g=network",
    "h=2&qk=separate&dk=20&n=19&q=2&dim=3&codes=random&scores=all",
    "h=1&n=40&q=2&dim=2&width=130",
];

fn spec(link: &str) -> RunSpec {
    let link = format!("#v1/sparse-token-regression?{link}");
    let (link, notices) = decode(&link);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

/// Weights of one replica whose scores are far from equal.
fn drawn(spec: &RunSpec) -> Vec<Vec<f32>> {
    let mut weights = spec.initialize_parameters();
    let stream = RandomStream::new(3, Purpose::Batch, 9);
    for (which, values) in weights.iter_mut().enumerate().skip(1) {
        for (i, value) in values.iter_mut().enumerate() {
            *value = 0.3 * stream.draw_normal(which as u64, i as u32);
        }
    }
    weights
}

fn plain(spec: &RunSpec, weights: &[Vec<f32>]) -> Plain {
    let Some(Family::TokenAttention(net)) = spec.model.config().family() else { panic!() };
    let prompts = spec.task.data().prompts().unwrap();
    OnPrompts { net, prompts }.plain(&weights.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn batch(spec: &RunSpec, step: u64) -> Vec<f32> {
    let mut batch = Batch::default();
    spec.task.sampler().sample(1, 0, step, spec.batch_size(), &mut batch);
    batch.x
}

/// A replica with these weights.
fn loaded(layout: &Layout, weights: &[Vec<f32>]) -> Replica {
    let mut replica = Replica::new(layout);
    weights.iter().enumerate().for_each(|(which, values)| replica.write(0, which, values));
    replica
}

#[test]
fn outputs_and_gradients_are_those_of_the_formulas() {
    for network in NETWORKS {
        let spec = spec(network);
        let (layout, weights) = (Layout::of(&spec), drawn(&spec));
        let (replica, plain) = (loaded(&layout, &weights), plain(&spec, &weights));
        let mut loops = AttentionLoop::of(&spec).unwrap();
        let columns = spec.task.examples().columns();
        // The second time what the first has left behind must not matter.
        for step in 0..2 {
            let rows = batch(&spec, step);
            loops.load(replica.weights());
            let (mut found, mut gradient) = (vec![], layout.rows());
            loops.outputs(&rows, &mut found);
            let expected: Vec<f64> =
                rows.chunks_exact(columns).flat_map(|row| plain.look(row).outputs).collect();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                let error = (f64::from(*found) - expected).abs();
                assert!(error < 2e-5 * (1.0 + expected.abs()), "{network}: {found} {expected}");
            }
            loops.load(replica.weights());
            loops.gradient(&rows, &mut gradient);
            let (_, exact) = plain.gradients(&rows);
            for (which, (exact, found)) in exact.iter().zip(&gradient).enumerate() {
                let size = exact.iter().fold(0.0f64, |size, g| size.max(g.abs()));
                assert!(size > 1e-4 || which == CODES, "{network}: parameter {which}");
                let found: Vec<f32> = found.iter().flat_map(|row| row.0).collect();
                for (at, (exact, found)) in exact.iter().zip(&found).enumerate() {
                    let error = (exact - f64::from(*found)).abs();
                    assert!(error <= 2e-5 * size, "{network}: parameter {which} at {at}: {found} {exact}");
                }
                assert!(found[exact.len()..].iter().all(|g| *g == 0.0), "{network}: {which} is filled up");
            }
        }
    }
}

#[test]
fn weights_that_are_no_numbers_show() {
    for network in ["", "h=1&n=6&dim=3&scores=all&values=token&qk=separate"] {
        let spec = spec(network);
        let (layout, weights, rows) = (Layout::of(&spec), drawn(&spec), batch(&spec, 0));
        let mut loops = AttentionLoop::of(&spec).unwrap();
        let outputs = |loops: &mut AttentionLoop, replica: &Replica| {
            let mut out = vec![];
            loops.load(replica.weights());
            loops.outputs(&rows, &mut out);
            out
        };
        let whole = outputs(&mut loops, &loaded(&layout, &weights));
        for which in 1..weights.len() {
            let mut broken = loaded(&layout, &weights);
            broken.write(0, which, &vec![f32::NAN; weights[which].len()]);
            assert!(outputs(&mut loops, &broken).iter().all(|y| y.is_nan()), "{network}: parameter {which}");
            // Nor do they stay behind in the memory.
            assert_eq!(outputs(&mut loops, &loaded(&layout, &weights)), whole, "{network}: {which}");
        }
    }
}

#[test]
fn what_has_tables_too_large_is_left_to_autodiff() {
    let long = AttentionLoop::covers(&spec("n=256&q=6&h=4&codes=random&de=30"));
    assert_eq!(long.unwrap_err(), "its tables of scores would have 12845056 entries, of 4194304 at most");
    assert!(AttentionLoop::covers(&spec("n=256&q=2&h=4&codes=random")).is_ok());
}

/// A few steps, folded into one number. Browsers must find the same.
#[test]
fn the_bits_are_the_same_everywhere() {
    let run = |link: &str| {
        let spec = spec(link);
        let (layout, mut loops) = (Layout::of(&spec), AttentionLoop::of(&spec).unwrap());
        let mut replica = loaded(&layout, &drawn(&spec));
        let mut gradient = layout.rows();
        for step in 0..12 {
            loops.load(replica.weights());
            loops.gradient(&batch(&spec, step), &mut gradient);
            replica.update(&layout, &mut gradient, &Update::new(&spec.optimizer, step, 0.01));
        }
        let count = spec.parameters().len();
        let numbers = (0..3).flat_map(|part| (0..count).map(move |which| (part, which)));
        let numbers = numbers.flat_map(|(part, which)| replica.read(part, which));
        let fold = |hash: u32, v: f32| {
            assert!(v.is_finite());
            (hash ^ v.to_bits()).wrapping_mul(16_777_619)
        };
        numbers.fold(2_166_136_261, fold)
    };
    let found = [
        "wd=0.01&batch=9&enc=root",
        "h=1&n=12&q=1&dim=10&codes=random&scores=all&values=token&width=100&batch=5&enc=root",
        "h=2&qk=separate&dk=5&n=19&q=2&dim=3&scores=all&batch=7&enc=root",
    ]
    .map(run);
    assert_eq!(found, [2_520_412_221, 2_429_903_275, 124_340_826]);
    assert_eq!(LANES, 16, "sums go over lanes in pairs");
}
