//! Outputs and gradients of the loops against the references in double precision.

use super::cls::ClsLoop;
use super::graph::GraphLoop;
use super::*;
use crate::cpu::ReplicaState;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::optim::loss::Loss;
use vivarium_model::permalink::decode;
use vivarium_model::tasks::Batch;

/// A run with the settings of a link.
fn run(link: &str) -> RunSpec {
    let (link, notices) = decode(&format!("#v1/{link}"));
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

/// The mean loss in `stage` with these weights, in double precision where the reference is.
fn mean_loss(spec: &RunSpec, weights: &[Vec<f32>], batch: &Batch, stage: usize) -> f64 {
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let found = spec.model.network(spec.task.examples()).evaluate(
        &weights,
        spec.task.examples().inputs(),
        &batch.x,
        stage,
    );
    let losses = found.iter().zip(&batch.y).map(|(f, y)| spec.run.loss.compute(f64::from(*y), f64::from(*f)));
    losses.sum::<f64>() / batch.len() as f64
}

/// Outputs are those of the reference, and gradients along a random direction are differences of the loss, at initial weights.
fn agrees<L: OutputLoop>(link: &str, stage: usize) {
    agrees_beside::<L>(link, stage, 0.0);
}

/// The same at initial weights with normal numbers of this deviation added.
fn agrees_beside<L: OutputLoop>(link: &str, stage: usize, deviation: f32) {
    let spec = run(link);
    let (layout, mut batch) = (Layout::of(&spec), Batch::default());
    let (mut initial, stream) = (spec.initialize_replicas(1), RandomStream::new(3, Purpose::Weights, 0));
    for (which, values) in initial.iter_mut().enumerate() {
        let all = values.iter_mut().zip(0..);
        all.for_each(|(value, i)| *value += deviation * stream.draw_normal(which as u64, i));
    }
    let mut replica = Replica::new(&layout);
    for (which, values) in initial.iter().enumerate() {
        replica.write(0, which, values);
    }
    let mut loops = L::of(&spec).unwrap();
    // A second batch finds nothing of the first.
    for step in 0..2 {
        batch.clear();
        spec.append_batch(&spec.training_sets(usize::MAX), 0, step, &mut batch);
        loops.load(replica.weights(), stage);
        let mut mine = vec![];
        loops.outputs(&batch.x, stage, &mut mine);
        let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
        let inputs = spec.task.examples().inputs();
        let exact = spec.model.network(spec.task.examples()).evaluate(&weights, inputs, &batch.x, stage);
        assert_eq!(mine.len(), exact.len());
        for (mine, exact) in mine.iter().zip(&exact) {
            assert!((mine - exact).abs() < 2e-5 * exact.abs().max(1.0), "{link}: output {mine}, {exact}");
        }
        let (share, mut gradient) = (1.0 / batch.len() as f32, layout.rows());
        let slope = |at: usize, f: f32| loss_gradient(spec.run.loss, batch.y[at], f) * share;
        loops.gradient(&batch.x, stage, slope, &mut gradient);
        for (which, mine) in gradient.iter().enumerate().filter(|(which, _)| loops.trains(*which, stage)) {
            let along: f64 = mine.iter().flat_map(|row| row.0).map(|g| f64::from(g).powi(2)).sum();
            let length = along.sqrt();
            if length < 1e-6 {
                continue;
            }
            let beside = |by: f64| {
                let mut moved = initial.clone();
                let numbers = mine.iter().flat_map(|row| row.0);
                moved[which]
                    .iter_mut()
                    .zip(numbers)
                    .for_each(|(w, g)| *w += (by * f64::from(g) / length) as f32);
                mean_loss(&spec, &moved, &batch, stage)
            };
            let difference = (beside(2e-3) - beside(-2e-3)) / 4e-3;
            assert!(
                (difference - length).abs() < 0.02 * length + 1e-4,
                "{link}: {which}: {difference}, {length}"
            );
            let beyond = initial[which].len();
            assert!(
                mine.iter().flat_map(|row| row.0).skip(beyond).all(|rest| rest == 0.0),
                "{link}: {which}"
            );
        }
    }
}

#[test]
fn layers_are_those_of_the_reference() {
    for (link, stages) in [
        ("sparse-parity?n=12&model=deep-mlp&widths=2.1&loss=ce&batch=50", 1),
        ("sparse-parity?n=20&model=deep-mlp&widths=17.33.5&act=relu&loss=square&batch=130", 1),
        ("sparse-parity?n=9&model=deep-mlp&widths=16.3&act=sin&degree=2&loss=ce&batch=1", 1),
        ("sparse-parity?n=40&model=deep-mlp&widths=20.10&act=osc&degree=3&loss=corr&batch=67", 1),
        ("sparse-parity?n=12&model=deep-mlp&widths=7.5.3&layers=greedy&loss=square&batch=40", 3),
        ("tabular?rows=400&m=100&widths=9.6&act=relu&loss=ce", 1),
        ("sparse-parity?n=12&width=21&act=relu&loss=ce&m=90&batch=0", 1),
        ("teacher-student?n=20&begin=gaussian&batch=33&loss=ce", 1),
        ("sparse-parity?n=8&width=18&data=cube&second=ones&bias=none&loss=square", 1),
        ("sparse-parity?n=10&width=15&first=frozen&act=power&degree=2&loss=ce&data=cube", 1),
    ] {
        (0..stages).for_each(|stage| agrees::<GraphLoop>(link, stage));
    }
}

#[test]
fn blocks_read_at_cls_are_those_of_the_reference() {
    for (link, deviation) in [
        ("sparse-boolean?n=12&demb=6&heads=3&dmlp=5&m=50", 0.0),
        ("sparse-boolean?n=12&demb=6&heads=3&dmlp=5&m=70", 0.3),
        ("sparse-boolean?n=70&demb=40&heads=5&dmlp=33&m=90", 0.2),
        ("sparse-boolean?n=9&demb=34&heads=17&dmlp=18&m=0&batch=65&loss=square", 0.3),
        ("sparse-boolean?n=15&demb=5&heads=1&dmlp=2&ln=no&m=20", 0.5),
        ("sparse-boolean?n=10&demb=18&heads=2&dmlp=17&ln=no&m=40", 0.3),
        ("sparse-parity?n=10&model=parity-transformer&demb=6&dattn=2&heads=3&dmlp=5&batch=40&loss=ce", 0.0),
        ("sparse-parity?n=40&model=parity-transformer&demb=20&dattn=7&heads=5&dmlp=33&batch=67", 0.2),
        ("sparse-parity?n=7&k=2&model=parity-transformer&demb=3&dattn=9&heads=18&dmlp=2&data=cube", 0.3),
        (
            "sparse-parity?n=9&model=parity-transformer&demb=16&dattn=1&heads=1&dmlp=16&batch=1&loss=square",
            0.4,
        ),
    ] {
        agrees_beside::<ClsLoop>(link, 0, deviation);
    }
}

/// One score lies far above the others: its token gets all attention of those that have it, and the others get even shares.
#[test]
fn sharp_heads_answer_as_the_reference_does() {
    let spec =
        run("sparse-parity?n=3&k=2&model=parity-transformer&demb=2&dattn=1&heads=1&dmlp=1&loss=square");
    let (layout, network) = (Layout::of(&spec), spec.model.network(spec.task.examples()));
    let mut weights: Vec<Vec<f32>> =
        spec.initialize_replicas(1).iter().map(|values| vec![0.0; values.len()]).collect();
    // Tokens are (bit, place, …): the query is 1, a 1 has the key 35, and values are those of places.
    weights[0] = vec![0.0, 1.0, 0.0, 2.0, 0.0, 4.0];
    weights[1] = vec![35.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    (weights[2], weights[3], weights[4]) = (vec![1.0, 0.0], vec![1.0, 0.0], vec![0.0, 1.0]);
    (weights[5], weights[10]) = (vec![0.0, 1.0], vec![0.0, 1.0]);
    let mut replica = Replica::new(&layout);
    weights.iter().enumerate().for_each(|(which, values)| replica.write(0, which, values));
    let mut loops = ClsLoop::of(&spec).unwrap();
    loops.load(replica.weights(), 0);
    let x = [1.0, -1.0, 1.0, -1.0, -1.0, -1.0];
    let mut outputs = vec![];
    loops.outputs(&x, 0, &mut outputs);
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let exact = network.evaluate(&slices, 3, &x, 0);
    // Half of 1 and 4; and of the second, whose tokens 0, 0, 0 and [CLS] have scores 0, 0, 0 and 1, shares of 1, 2 and 4.
    let share = 7.0 / (3.0 + std::f32::consts::E);
    for ((mine, exact), by_hand) in outputs.iter().zip(&exact).zip([2.5, share]) {
        assert!((mine - exact).abs() < 1e-5 && (mine - by_hand).abs() < 1e-5, "{outputs:?} {exact}");
    }
}

#[test]
fn one_neuron_of_squares_has_the_slopes_that_paper_gives() {
    // f = u (w·x + b)² + β with two inputs: df/dw = 2 u z x, df/db = 2 u z, df/du = z², df/dβ = 1.
    let spec = run("sparse-parity?n=2&k=2&model=deep-mlp&widths=1&loss=square");
    let layout = Layout::of(&spec);
    let mut replica = Replica::new(&layout);
    for (which, values) in [vec![0.5, -1.0], vec![0.25], vec![2.0], vec![-1.0]].iter().enumerate() {
        replica.write(0, which, values);
    }
    let mut loops = GraphLoop::of(&spec).unwrap();
    loops.load(replica.weights(), 0);
    let x = [1.0, -1.0];
    let mut outputs = vec![];
    loops.outputs(&x, 0, &mut outputs);
    // z = 0.5 + 1 + 0.25 = 1.75.
    assert_eq!(outputs, [2.0 * 1.75 * 1.75 - 1.0]);
    let mut gradient = layout.rows();
    loops.gradient(&x, 0, |_, f| loss_gradient(Loss::Square, 1.0, f), &mut gradient);
    let pull = 2.0 * (outputs[0] - 1.0);
    assert_eq!(gradient[0][0].0[..2], [pull * 7.0, -pull * 7.0]);
    assert_eq!(
        [gradient[1][0].0[0], gradient[2][0].0[0], gradient[3][0].0[0]],
        [pull * 7.0, pull * 1.75 * 1.75, pull]
    );
}

/// With dropout too, the gradient of a batch is the sum of those of its parts, each of which begins where it stands.
#[test]
fn the_parts_of_a_batch_drop_what_the_whole_batch_drops() {
    let spec = run("sparse-boolean?n=12&demb=20&heads=5&dmlp=7&m=90&adrop=0.3&rdrop=0.2");
    let (layout, mut batch) = (Layout::of(&spec), Batch::default());
    spec.append_batch(&spec.training_sets(usize::MAX), 0, 0, &mut batch);
    let mut replica = Replica::new(&layout);
    spec.initialize_replicas(1)
        .iter()
        .enumerate()
        .for_each(|(which, values)| replica.write(0, which, values));
    let mut loops = ClsLoop::of(&spec).unwrap();
    let mut gradient = |range: std::ops::Range<usize>, step: u64| {
        let mut gradient = layout.rows();
        loops.load(replica.weights(), 0);
        loops.begin(dropped::Drawn { replica: 0, step, first: range.start });
        let slope = |at: usize, f: f32| loss_gradient(spec.run.loss, batch.y[range.start + at], f);
        loops.gradient(&batch.x[range.start * 12..range.end * 12], 0, slope, &mut gradient);
        gradient.into_iter().flatten().flat_map(|row| row.0).collect::<Vec<f32>>()
    };
    let (whole, other, parts) =
        (gradient(0..90, 4), gradient(0..90, 5), [0..33, 33..90].map(|part| gradient(part, 4)));
    let scale = whole.iter().fold(0.0f32, |most, slope| most.max(slope.abs()));
    assert!(whole.iter().zip(&other).any(|(a, b)| (a - b).abs() > 0.01 * scale));
    for (whole, (a, b)) in whole.iter().zip(parts[0].iter().zip(&parts[1])) {
        assert!((whole - (a + b)).abs() < 1e-5 * scale, "{whole}: {a} + {b}");
    }
}
