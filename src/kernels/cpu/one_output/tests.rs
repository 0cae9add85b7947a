//! Outputs and gradients of the loops against the references in double precision.

use super::layers::LayersLoop;
use super::*;
use crate::kernels::cpu::ReplicaState;
use crate::optim::loss::Loss;
use crate::permalink::decode;
use crate::tasks::Batch;

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
    let losses = found.iter().zip(&batch.y).map(|(f, y)| spec.run.loss.of(f64::from(*y), f64::from(*f)));
    losses.sum::<f64>() / batch.len() as f64
}

/// Outputs are those of the reference, and gradients along a random direction are differences of the loss.
fn agrees<L: OutputLoop>(link: &str, stage: usize) {
    let spec = run(link);
    let (layout, mut batch) = (Layout::of(&spec), Batch::default());
    let initial = spec.initial_of(1);
    let mut replica = Replica::new(&layout);
    for (which, values) in initial.iter().enumerate() {
        replica.write(0, which, values);
    }
    let mut loops = L::of(&spec).unwrap();
    // A second batch finds nothing of the first.
    for step in 0..2 {
        batch.clear();
        spec.draw(&spec.samples(usize::MAX), 0, step, &mut batch);
        loops.load(replica.weights());
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
        ("sparse-parity?n=10&width=15&first=frozen&act=power&degree=2&loss=ce&data=cube", 1),
    ] {
        (0..stages).for_each(|stage| agrees::<LayersLoop>(link, stage));
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
    let mut loops = LayersLoop::of(&spec).unwrap();
    loops.load(replica.weights());
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
