//! The loop against the plain loops in double precision.

use super::*;
use crate::cpu::one_hidden_layer::LANES;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::models::Architecture;
use vivarium_model::models::in_context_transformer::{InContextTransformer, Positions};
use vivarium_science::functions::FunctionPrompts;

/// Width, heads, neurons, numbers of an input, points and layers: whole panels, parts of them, and one point alone.
const SIZES: [[usize; 6]; 4] =
    [[32, 2, 64, 2, 17, 2], [12, 3, 20, 1, 5, 1], [40, 2, 33, 19, 9, 3], [16, 1, 7, 16, 1, 1]];

/// Prompts of a step.
const PROMPTS: usize = 3;

fn network([width, heads, hidden, inputs, points, blocks]: [usize; 6], variant: u32) -> OnPoints {
    let is = |flag: u32| variant & flag > 0;
    OnPoints {
        net: InContextTransformer {
            blocks,
            width,
            heads,
            hidden,
            attend: if is(1) { Attend::Relu } else { Attend::Softmax },
            norm: if is(2) { Norm::Layer } else { Norm::Rms },
            format: if is(4) { Format::Joint } else { Format::Interleaved },
            positions: if is(8) { Positions::None } else { Positions::Learned },
            unit: if is(16) { Unit::Gelu } else { Unit::Relu },
        },
        prompts: FunctionPrompts {
            dim: inputs,
            constant: false,
            points,
            held_out_points: points + 3,
            ..Default::default()
        },
    }
}

/// Weights that are all in use: gains beside 1, and scores far enough apart for attention to matter.
fn weights(on: &OnPoints) -> Vec<Vec<f32>> {
    let stream = RandomStream::new(5, Purpose::Weights, 0);
    let parameters = on.parameters(on.prompts.inputs(), 1).into_iter().enumerate();
    let draw = |(which, parameter): (usize, vivarium_model::models::Parameter)| -> Vec<f32> {
        let centre = if parameter.name.starts_with("gain") { 1.0 } else { 0.0 };
        (0..parameter.len() as u32).map(|i| centre + 0.3 * stream.draw_normal(which as u64, i)).collect()
    };
    parameters.map(draw).collect()
}

fn prompts(on: &OnPoints) -> Vec<f32> {
    let stream = RandomStream::new(6, Purpose::Batch, 0);
    (0..(PROMPTS * on.prompts.row_len()) as u32).map(|i| stream.draw_normal(0, i)).collect()
}

fn lanes(values: &[f32]) -> Vec<Row> {
    let row = |values: &[f32]| {
        let mut row = Row::ZERO;
        row.0[..values.len()].copy_from_slice(values);
        row
    };
    values.chunks(LANES).map(row).collect()
}

#[test]
fn predictions_and_gradients_are_those_of_double_precision() {
    for sizes in SIZES {
        for variant in 0..32 {
            let on = network(sizes, variant);
            let (weights, rows) = (weights(&on), prompts(&on));
            let plain = on.plain(&weights.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let (loss, exact) = plain.gradients(&rows, on.prompts.points);
            let mut looped = InContextLoop::new(Shape::new(&on));
            let parameters: Vec<Vec<Row>> = weights.iter().map(|values| lanes(values)).collect();
            let mut gradient: Vec<Vec<Row>> =
                parameters.iter().map(|rows| vec![Row([f32::NAN; LANES]); rows.len()]).collect();
            let mut outputs = vec![];
            looped.load(&parameters);
            looped.outputs(&rows, &mut outputs);
            let mut sum = 0.0;
            let points = on.prompts.points;
            for (row, outputs) in rows.chunks(on.prompts.row_len()).zip(outputs.chunks(points)) {
                let labels = &row[row.len() - points..];
                sum += labels.iter().zip(outputs).map(|(y, f)| f64::from(f - y).powi(2)).sum::<f64>();
                let alone = plain.outputs(row);
                let worst =
                    alone.iter().zip(outputs).fold(0.0f64, |m, (a, b)| m.max((a - f64::from(*b)).abs()));
                assert!(worst < 1e-4 * (1.0 + alone.iter().fold(0.0f64, |m, a| m.max(a.abs()))), "{on:?}");
            }
            let found = sum / (PROMPTS * points) as f64;
            assert!((found - loss).abs() < 1e-4 * loss, "{on:?}: {found} {loss}");
            looped.gradient(&rows, &mut gradient);
            for (which, (exact, mine)) in exact.iter().zip(&gradient).enumerate() {
                let scale = exact.iter().fold(1e-9f64, |m, g| m.max(g.abs()));
                for (n, g) in exact.iter().enumerate() {
                    let mine = f64::from(mine[n / LANES].0[n % LANES]);
                    assert!((g - mine).abs() < 1e-4 * scale, "{on:?}: parameter {which}, {n}: {mine} {g}");
                }
            }
        }
    }
}

#[test]
fn what_comes_later_changes_nothing_before() {
    let on = network(SIZES[0], 4);
    let (weights, mut rows) = (weights(&on), prompts(&on));
    let parameters: Vec<Vec<Row>> = weights.iter().map(|values| lanes(values)).collect();
    let mut looped = InContextLoop::new(Shape::new(&on));
    looped.load(&parameters);
    let (mut before, mut after) = (vec![], vec![]);
    let (columns, points) = (on.prompts.row_len(), on.prompts.points);
    looped.outputs(&rows[..columns], &mut before);
    // The label of point 9, counted from 0, and the last, which nobody reads.
    rows[columns - points + 9] += 1.0;
    rows[columns - 1] += 1.0;
    looped.outputs(&rows[..columns], &mut after);
    assert_eq!(before[..=9], after[..=9]);
    assert!(before[10..].iter().zip(&after[10..]).all(|(a, b)| a != b), "{before:?} {after:?}");
    // And a prompt leaves nothing behind for the next.
    let mut again = vec![];
    looped.outputs(&rows[columns..2 * columns], &mut again);
    let mut fresh = InContextLoop::new(Shape::new(&on));
    fresh.load(&parameters);
    let mut alone = vec![];
    fresh.outputs(&rows[columns..2 * columns], &mut alone);
    assert_eq!(again, alone);
}
