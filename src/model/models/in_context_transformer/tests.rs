//! Shapes, the formulas once more, index by index, and gradients by central differences.

use super::*;
use vivarium_core::rng::{Purpose, RandomStream};

/// Prompts of so many inputs and points.
pub(super) fn prompts(inputs: usize, points: usize) -> FunctionPrompts {
    FunctionPrompts { dim: inputs, constant: false, points, held_out_points: 0, ..Default::default() }
}

/// Every combination of switches.
pub(super) fn variants() -> Vec<InContextTransformer> {
    let mut all = vec![];
    for &format in Format::ALL {
        for &attend in Attend::ALL {
            for &norm in Norm::ALL {
                for &unit in Unit::ALL {
                    for &positions in Positions::ALL {
                        let base = InContextTransformer { width: 6, hidden: 5, ..Default::default() };
                        let (blocks, heads) = if all.len() % 3 == 0 { (1, 3) } else { (2, 2) };
                        all.push(InContextTransformer {
                            blocks,
                            heads,
                            format,
                            attend,
                            norm,
                            unit,
                            positions,
                            ..base
                        });
                    }
                }
            }
        }
    }
    all
}

/// So many prompts of normal numbers.
pub(super) fn rows(prompts: &FunctionPrompts, count: usize) -> Vec<f32> {
    let stream = RandomStream::new(7, Purpose::Batch, 0);
    (0..(count * prompts.row_len()) as u32).map(|i| stream.draw_normal(0, i)).collect()
}

/// Weights of one replica that are far from zero, with gains that are not all one.
pub(super) fn weights(on: &OnPoints, replica: u32) -> Vec<Vec<f32>> {
    let stream = RandomStream::new(11, Purpose::Weights, replica);
    let draw = |(which, parameter): (usize, &Parameter)| {
        let (centre, scale) = if parameter.name.starts_with("gain") { (1.0, 0.2) } else { (0.0, 0.6) };
        (0..parameter.len() as u32).map(|i| centre + scale * stream.draw_normal(which as u64, i)).collect()
    };
    on.parameters(0, 1).iter().enumerate().map(draw).collect()
}

fn plain(on: &OnPoints) -> Plain {
    let weights = weights(on, 0);
    on.plain(&weights.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[test]
fn sizes_are_those_of_the_notes_and_parameters_stand_at_their_places() {
    for (blocks, numbers) in [(1, 9_504), (2, 17_760), (4, 34_272)] {
        let net = InContextTransformer { blocks, ..Default::default() };
        let on = OnPoints { net: net.clone(), prompts: prompts(2, 17) };
        let all = on.parameters(2, 1);
        assert_eq!(all.iter().map(Parameter::len).sum::<usize>(), numbers);
        let none = OnPoints { net: InContextTransformer { positions: Positions::None, ..net }, ..on.clone() };
        assert_eq!(none.parameters(2, 1).iter().map(Parameter::len).sum::<usize>(), numbers - 34 * 32);
        for on in [on, none] {
            let (places, all) = (on.net.places(), on.parameters(2, 3));
            let is = |at: usize, name: &str, shape: [usize; 2]| {
                assert_eq!(all[at], Parameter::new(name, [3, shape[0], shape[1]]));
            };
            is(places.read_in, "read_in", [3, 32]);
            places.positions.into_iter().for_each(|at| is(at, "positions", [34, 32]));
            for (layer, at) in places.layers.iter().enumerate() {
                let named = |name: &str| format!("{name}{}", layer + 1);
                is(at.gain_attention, &named("gain_attention"), [1, 32]);
                is(at.query, &named("query"), [32, 32]);
                is(at.key, &named("key"), [32, 32]);
                is(at.value, &named("value"), [32, 32]);
                is(at.out, &named("out"), [32, 32]);
                is(at.gain_mlp, &named("gain_mlp"), [1, 32]);
                is(at.mlp_in, &named("mlp_in"), [32, 64]);
                is(at.mlp_out, &named("mlp_out"), [64, 32]);
            }
            is(places.gain, "gain", [1, 32]);
            is(places.readout, "readout", [32, 1]);
            assert_eq!(all.len(), places.readout + 1);
            let decaying = all.iter().enumerate().filter(|(which, _)| on.decays(*which));
            let decaying: Vec<&str> = decaying.map(|(_, parameter)| parameter.name.as_str()).collect();
            let linear = ["query", "key", "value", "out", "mlp_in", "mlp_out"];
            let expected = (1..=blocks).flat_map(|layer| linear.map(|name| format!("{name}{layer}")));
            assert_eq!(decaying, expected.chain(["readout".to_string()]).collect::<Vec<_>>());
        }
    }
}

/// The formulas in the module's documentation, index by index.
fn naive(on: &OnPoints, plain: &Plain, row: &[f32]) -> Vec<f64> {
    let (net, d, inputs) = (&on.net, on.net.width, on.prompts.inputs());
    let points = row.len() / (inputs + 1);
    let shapes = on.parameters(0, 1);
    let weight = |name: &str, r: usize, c: usize| {
        let which = shapes.iter().position(|shape| shape.name == name).unwrap();
        plain.weights[which][r * shapes[which].shape[2] + c]
    };
    let times = |v: &[f64], name: &str, columns: usize| -> Vec<f64> {
        let sum = |c: usize| v.iter().enumerate().map(|(r, v)| v * weight(name, r, c)).sum();
        (0..columns).map(sum).collect()
    };
    let normed = |h: &[f64], name: &str| -> Vec<f64> {
        let mean = if net.norm == Norm::Layer { h.iter().sum::<f64>() / d as f64 } else { 0.0 };
        let square = h.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / d as f64;
        let root = (square + f64::from(NORM_EPSILON)).sqrt();
        h.iter().enumerate().map(|(c, v)| (v - mean) / root * weight(name, 0, c)).collect()
    };
    let sigma = |z: f64| match net.unit {
        Unit::Relu => z.max(0.0),
        Unit::Gelu => {
            let u = (2.0 / std::f64::consts::PI).sqrt() * (z + 0.044715 * z.powi(3));
            z * (1.0 + u.tanh()) / 2.0
        }
    };
    let mut h: Vec<Vec<f64>> = vec![];
    for token in 0..2 * points {
        let (j, is_answer) = (token / 2, token % 2 == 1);
        let with_x = !is_answer || net.format == Format::Joint;
        let mut t: Vec<f64> =
            (0..inputs).map(|c| if with_x { f64::from(row[j * inputs + c]) } else { 0.0 }).collect();
        t.push(if is_answer { f64::from(row[points * inputs + j]) } else { 0.0 });
        let mut read = times(&t, "read_in", d);
        if net.positions == Positions::Learned {
            read.iter_mut().enumerate().for_each(|(c, v)| *v += weight("positions", token, c));
        }
        h.push(read);
    }
    for layer in 1..=net.blocks {
        let n: Vec<Vec<f64>> = h.iter().map(|h| normed(h, &format!("gain_attention{layer}"))).collect();
        let [q, k, v] = ["query", "key", "value"].map(|name| -> Vec<Vec<f64>> {
            n.iter().map(|n| times(n, &format!("{name}{layer}"), d)).collect()
        });
        let size = d / net.heads;
        for i in 0..h.len() {
            let mut mixed = vec![0.0; d];
            for head in 0..net.heads {
                let columns = head * size..(head + 1) * size;
                let score =
                    |j: usize| columns.clone().map(|c| q[i][c] * k[j][c]).sum::<f64>() / (size as f64).sqrt();
                let weights: Vec<f64> = match net.attend {
                    Attend::Softmax => {
                        let sum: f64 = (0..=i).map(|j| score(j).exp()).sum();
                        (0..=i).map(|j| score(j).exp() / sum).collect()
                    }
                    Attend::Relu => (0..=i).map(|j| score(j).max(0.0) / (i as f64 + 1.0)).collect(),
                };
                for c in columns {
                    mixed[c] = (0..=i).map(|j| weights[j] * v[j][c]).sum();
                }
            }
            let given = times(&mixed, &format!("out{layer}"), d);
            h[i].iter_mut().zip(given).for_each(|(h, given)| *h += given);
            let mut hidden =
                times(&normed(&h[i], &format!("gain_mlp{layer}")), &format!("mlp_in{layer}"), net.hidden);
            hidden.iter_mut().for_each(|z| *z = sigma(*z));
            let given = times(&hidden, &format!("mlp_out{layer}"), d);
            h[i].iter_mut().zip(given).for_each(|(h, given)| *h += given);
        }
    }
    h.iter().step_by(2).map(|h| times(&normed(h, "gain"), "readout", 1)[0]).collect()
}

#[test]
fn outputs_are_those_of_the_formulas() {
    for net in variants() {
        let on = OnPoints { net, prompts: prompts(2, 4) };
        let plain = plain(&on);
        for row in rows(&on.prompts, 2).chunks(on.prompts.row_len()) {
            let look = plain.look(row);
            let expected = naive(&on, &plain, row);
            assert_eq!(look.outputs.len(), 4);
            for (found, expected) in look.outputs.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-10, "{:?}: {found} {expected}", on.net);
            }
            assert!(expected.iter().any(|y| y.abs() > 0.1));
            let numbered = look.heads.iter().map(|head| (head.layer, head.head));
            let all = (0..on.net.blocks).flat_map(|layer| (0..on.net.heads).map(move |head| (layer, head)));
            assert!(numbered.eq(all));
            for head in &look.heads {
                for (i, weights) in head.weights.chunks(7).enumerate() {
                    let sum: f64 = weights.iter().sum();
                    let sums = on.net.attend == Attend::Relu || (sum - 1.0).abs() < 1e-12;
                    assert!(sums && weights[i + 1..].iter().all(|weight| *weight == 0.0));
                    assert!(weights.iter().all(|weight| *weight >= 0.0));
                }
                assert_eq!(head.weights.len(), 49);
            }
        }
        let (rows, weights) = (rows(&on.prompts, 2), weights(&on, 0));
        let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let all = on.evaluate(&weights, 2, &rows, 0);
        assert_eq!(all[4..], plain.outputs(&rows[12..]).iter().map(|y| *y as f32).collect::<Vec<_>>());
    }
}

#[test]
fn gradients_are_central_differences() {
    for net in variants() {
        let on = OnPoints { net, prompts: prompts(2, 4) };
        let (mut plain, rows) = (plain(&on), rows(&on.prompts, 2));
        let (loss, exact) = plain.gradients(&rows, 4);
        let mean = |plain: &Plain| {
            let error = |(f, y): (f64, &f32)| (f - f64::from(*y)).powi(2);
            let of_row = |row: &[f32]| plain.outputs(row).into_iter().zip(&row[8..]).map(error).sum::<f64>();
            rows.chunks(12).map(of_row).sum::<f64>() / 8.0
        };
        assert!((loss - mean(&plain)).abs() < 1e-12 * loss, "{:?}: {loss}", on.net);
        for (which, parameter) in on.parameters(0, 1).iter().enumerate() {
            let mut largest = 0.0f64;
            for (at, exact) in exact[which].iter().enumerate() {
                let (value, h) = (plain.weights[which][at], 1e-6);
                let mut loss = |value: f64| {
                    plain.weights[which][at] = value;
                    mean(&plain)
                };
                let numeric = (loss(value + h) - loss(value - h)) / (2.0 * h);
                plain.weights[which][at] = value;
                let error = (numeric - exact).abs();
                assert!(
                    error < 1e-6 * (1.0 + exact.abs()),
                    "{:?}, {} at {at}: {numeric} against {exact}",
                    on.net,
                    parameter.name
                );
                largest = largest.max(exact.abs());
            }
            assert!(largest > 1e-4, "{:?}: the gradient of {} is not zero", on.net, parameter.name);
        }
    }
}

/// A prediction depends on the points before it and on its own x, and on nothing else.
#[test]
fn what_comes_later_is_not_known() {
    for net in variants() {
        let on = OnPoints { net, prompts: prompts(2, 5) };
        let (plain, row) = (plain(&on), rows(&on.prompts, 1));
        let outputs = plain.outputs(&row);
        for point in 0..5 {
            let (mut label, mut input) = (row.clone(), row.clone());
            label[10 + point] += 1.0;
            input[2 * point] += 1.0;
            let (label, input) = (plain.outputs(&label), plain.outputs(&input));
            assert_eq!(label[..=point], outputs[..=point]);
            assert_eq!(input[..point], outputs[..point]);
            assert_ne!(input[point], outputs[point], "{:?}", on.net);
            assert!(point == 4 || label[point + 1..] != outputs[point + 1..], "{:?}", on.net);
        }
        // A shorter prompt is the beginning of a longer one.
        let shorter: Vec<f32> = row[..6].iter().chain(&row[10..13]).copied().collect();
        let found = plain.outputs(&shorter);
        assert!(found.iter().zip(&outputs).all(|(a, b)| (a - b).abs() < 1e-12) && found.len() == 3);
        let longest = (on.net.positions == Positions::Learned).then_some(5);
        assert_eq!(plain.longest(), longest);
    }
}

#[test]
fn weights_that_are_no_numbers_show() {
    for net in variants() {
        let on = OnPoints { net, prompts: prompts(2, 3) };
        let row = rows(&on.prompts, 1);
        for which in 0..on.parameters(0, 1).len() {
            let mut plain = plain(&on);
            plain.weights[which].fill(f64::NAN);
            assert!(plain.outputs(&row).iter().all(|y| y.is_nan()), "{:?}: parameter {which}", on.net);
        }
    }
}

#[test]
fn units_have_their_values_and_slopes() {
    // numpy: 0.5 z (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))
    for (z, expected) in [(1.0, 0.841_191_990_608), (-0.5, -0.154_285_990_175), (3.0, 2.996_362_607_918)] {
        assert!((Unit::Gelu.value_and_slope(z).0 - expected).abs() < 1e-10);
    }
    for &unit in Unit::ALL {
        for i in -60..60 {
            let (z, h) = (0.1 * f64::from(i) + 0.05, 1e-6);
            let value = |z: f64| unit.value_and_slope(z).0;
            let numeric = (value(z + h) - value(z - h)) / (2.0 * h);
            assert!((numeric - unit.value_and_slope(z).1).abs() < 1e-8, "{unit:?} at {z}");
        }
        assert_eq!([1e3, -1e3].map(|z| unit.value_and_slope(z)), [(1e3, 1.0), (0.0, 0.0)]);
    }
    assert_eq!(Unit::Relu.value_and_slope(0.0), (0.0, 0.0));
}

#[test]
fn initial_weights_have_their_distributions() {
    let net = InContextTransformer { blocks: 2, width: 64, hidden: 128, ..Default::default() };
    let on = OnPoints { net, prompts: prompts(3, 40) };
    let (one, two) = (on.initial(5, 3, 1), on.initial(5, 3, 2));
    for ((one, two), parameter) in one.iter().zip(&two).zip(on.parameters(3, 1)) {
        let (first, second) = two.split_at(one.len());
        assert_eq!(one, first, "a replica does not depend on how many there are");
        let [_, rows, _] = parameter.shape;
        let name = parameter.name.trim_end_matches(char::is_numeric);
        if name.starts_with("gain") {
            assert!(two.iter().all(|gain| *gain == 1.0));
            continue;
        }
        assert_ne!(first, second);
        let expected = match name {
            "read_in" | "positions" => f64::from(DEVIATION),
            "out" | "mlp_out" => 0.5 / (rows as f64).sqrt(),
            _ => 1.0 / (rows as f64).sqrt(),
        };
        let square = two.iter().map(|w| f64::from(*w).powi(2)).sum::<f64>() / two.len() as f64;
        // Four deviations of a mean square of so many numbers.
        let within = 4.0 * (2.0 / two.len() as f64).sqrt();
        assert!((square / expected.powi(2) - 1.0).abs() < within, "{name}: {square} against {expected}²");
    }
}

#[test]
fn what_cannot_be_is_refused_before_it_is_built() {
    let problems = |net: InContextTransformer, points: usize, batch: usize| -> Vec<String> {
        let on = OnPoints { net, prompts: prompts(2, points) };
        on.problems(2, batch, 1).iter().map(ToString::to_string).collect()
    };
    let net = InContextTransformer::default();
    assert_eq!(problems(net.clone(), 17, 64), [""; 0]);
    let uneven = InContextTransformer { heads: 5, ..net.clone() };
    assert_eq!(
        problems(uneven, 17, 64),
        [
            "heads = 5: expected a divisor of d = 32, since the d components are divided equally among the heads"
        ]
    );
    let large = InContextTransformer { width: 256, heads: 8, hidden: 1024, ..net };
    let exceeds_memory = problems(large.clone(), 100_000, 4096);
    assert!(exceeds_memory.len() == 1 && exceeds_memory[0].starts_with("batch = 4096"), "{exceeds_memory:?}");
    let on = OnPoints { net: large, prompts: prompts(2, usize::MAX / 4) };
    assert_eq!(on.activations(2), u64::MAX, "sizes saturate");
}
