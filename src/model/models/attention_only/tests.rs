//! The formulas once more, index by index, and gradients by central differences.

use super::*;
use vivarium_core::rng::{Purpose, RandomStream};

/// Every combination of switches on a few shapes.
fn variants() -> Vec<AttentionOnly> {
    let mut all = vec![];
    for &positions in Positions::ALL {
        for &norm in Norm::ALL {
            for &mlp in Block::ALL {
                for heads in [vec![1], vec![3, 2], vec![2, 1, 3]] {
                    let base = AttentionOnly { hidden: 6, scale: 0.5, ..Default::default() };
                    all.push(AttentionOnly { heads, positions, norm, mlp, ..base });
                }
            }
        }
    }
    all
}

fn symbols(seed: u64, k: usize, count: usize) -> Vec<u8> {
    let stream = RandomStream::new(seed, Purpose::Batch, 0);
    (0..count as u32).map(|i| (stream.draw_u32(0, i) as usize % k) as u8).collect()
}

/// A network whose gains are not all one.
fn drawn(net: &AttentionOnly, length: usize, k: usize) -> Plain {
    let model = OfLength { net: net.clone(), length };
    let weights = model.initial(5, k, 1);
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let mut plain = model.plain(&weights, k);
    for (which, values) in plain.weights.iter_mut().enumerate() {
        let gain = values.iter().all(|value| *value == 1.0);
        values
            .iter_mut()
            .enumerate()
            .filter(|_| gain)
            .for_each(|(i, v)| *v += 0.1 * ((i + which) % 5) as f64);
    }
    plain
}

/// The logits of the formulas in the module's documentation, index by index.
fn naive(plain: &Plain, context: &[u8], off: &[usize]) -> Vec<Vec<f64>> {
    let (net, d) = (&plain.net, plain.net.hidden);
    let at = |which: usize, row: usize, column: usize| {
        let [_, _, columns] = shapes(plain)[which].shape;
        plain.weights[which][row * columns + column]
    };
    let times = |row: &[f64], which: usize| -> Vec<f64> {
        let [_, rows, columns] = shapes(plain)[which].shape;
        (0..columns).map(|c| (0..rows).map(|r| row[r] * at(which, r, c)).sum()).collect()
    };
    let normed = |z: &[f64], gain: Option<usize>| -> Vec<f64> {
        let Some(gain) = gain else { return z.to_vec() };
        let mean = z.iter().sum::<f64>() / d as f64;
        let variance = z.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / d as f64;
        let unit =
            |(c, v): (usize, &f64)| (v - mean) / (variance + f64::from(NORM_EPSILON)).sqrt() * at(gain, 0, c);
        z.iter().enumerate().map(unit).collect()
    };
    let embedded = |(i, x): (usize, &u8)| -> Vec<f64> {
        let place = |c| plain.places.positions.map_or(0.0, |positions| at(positions, i, c));
        (0..d).map(|c| at(plain.places.embed, usize::from(*x), c) + place(c)).collect()
    };
    let mut z: Vec<Vec<f64>> = context.iter().enumerate().map(embedded).collect();
    let mut before = 0;
    for (layer, places) in plain.places.layers.iter().enumerate() {
        let y: Vec<Vec<f64>> = z.iter().map(|z| normed(z, places.gain)).collect();
        let [q, k, v] = [places.query, places.key, places.value]
            .map(|which| y.iter().map(|y| times(y, which)).collect::<Vec<_>>());
        for i in 0..context.len() {
            let mut mixed = vec![0.0; d];
            let size = d / net.heads[layer];
            for head in 0..net.heads[layer] {
                let columns = head * size..(head + 1) * size;
                let score = |j: usize| {
                    let distance = |c| places.distances.map_or(0.0, |distances| at(distances, i - j, c));
                    let sum: f64 = columns.clone().map(|c| q[i][c] * (k[j][c] + distance(c))).sum();
                    (sum / (size as f64).sqrt()).exp()
                };
                let total: f64 = (0..=i).map(score).sum();
                if !off.contains(&(before + head)) {
                    for c in columns.clone() {
                        mixed[c] = (0..=i).map(|j| score(j) / total * v[j][c]).sum();
                    }
                }
            }
            let given = places.out.map_or(mixed.clone(), |out| times(&mixed, out));
            z[i].iter_mut().zip(given).for_each(|(z, given)| *z += given);
            if let Some([first, second]) = places.mlp {
                let h = times(&normed(&z[i], places.mlp_gain), first);
                let h: Vec<f64> = h.into_iter().map(|h| h.max(0.0)).collect();
                let given = times(&h, second);
                z[i].iter_mut().zip(given).for_each(|(z, given)| *z += given);
            }
        }
        before += net.heads[layer];
    }
    z.iter().map(|z| times(&normed(z, plain.places.gain), plain.places.readout)).collect()
}

fn shapes(plain: &Plain) -> Vec<Parameter> {
    OfLength { net: plain.net.clone(), length: plain.length }.parameters(plain.symbols, 1)
}

#[test]
fn logits_are_those_of_the_formulas_whichever_heads_are_off() {
    for net in variants() {
        let plain = drawn(&net, 7, 3);
        for (off, length) in [(vec![], 7), (vec![0], 6), (vec![1, 4], 7)] {
            let context = &symbols(3, 3, 7)[..length];
            let look = plain.look(context, &off);
            let expected = naive(&plain, context, &off).concat();
            assert_eq!(look.logits.len(), length * 3);
            for (found, expected) in look.logits.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{net:?} {off:?}: {found} {expected}");
            }
        }
    }
}

#[test]
fn heads_come_layer_by_layer_and_their_shares_are_of_places_up_to_the_row() {
    let plain = drawn(&AttentionOnly { heads: vec![3, 2], hidden: 6, ..Default::default() }, 9, 2);
    let look = plain.look(&symbols(1, 2, 9), &[4]);
    let numbers: Vec<(usize, usize)> = look.heads.iter().map(|head| (head.layer, head.head)).collect();
    assert_eq!(numbers, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
    for head in look.heads {
        for (i, (shares, scores)) in head.shares.chunks(9).zip(head.scores.chunks(9)).enumerate() {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(shares[i + 1..].iter().all(|share| *share == 0.0));
            assert!(scores[i + 1..].iter().all(|score| *score == f64::NEG_INFINITY));
            for j in 0..i {
                let ratio = (scores[j] - scores[i]).exp();
                assert!((shares[j] / shares[i] - ratio).abs() < 1e-9 * ratio);
            }
        }
    }
}

#[test]
fn what_is_no_number_shows() {
    for which in 0..4 {
        let mut plain = drawn(&AttentionOnly { mlp: Block::On, ..Default::default() }, 5, 2);
        plain.weights[which][0] = f64::NAN;
        let logits = plain.look(&[0, 1, 0, 0, 1], &[]).logits;
        assert!(logits[8..].iter().all(|logit| logit.is_nan()), "{which}");
    }
}

#[test]
fn evaluating_gives_the_logits_after_the_last_symbol_and_does_not_look_at_the_label() {
    let net = AttentionOnly { norm: Norm::Pre, ..Default::default() };
    let model = OfLength { net, length: 6 };
    let weights = model.initial(2, 3, 1);
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let mut sequences = symbols(4, 3, 14);
    let found = model.evaluate(&weights, 3, &sequences.iter().map(|x| f32::from(*x)).collect::<Vec<_>>(), 0);
    assert_eq!(found.len(), 6);
    for (sequence, found) in sequences.chunks(7).zip(found.chunks(3)) {
        let logits = model.plain(&weights, 3).look(&sequence[..6], &[]).logits;
        let expected: Vec<f32> = logits[15..].iter().map(|logit| *logit as f32).collect();
        assert_eq!(found, expected);
    }
    sequences[6] = (sequences[6] + 1) % 3;
    let other = model.evaluate(&weights, 3, &sequences.iter().map(|x| f32::from(*x)).collect::<Vec<_>>(), 0);
    assert_eq!(other, found);
}

#[test]
fn the_loss_is_the_mean_cross_entropy() {
    let plain = drawn(&AttentionOnly { hidden: 6, scale: 0.5, ..Default::default() }, 5, 3);
    let sequence = symbols(9, 3, 6);
    let rows = naive(&plain, &sequence[..5], &[]);
    let losses = rows.iter().zip(&sequence[1..]).map(|(logits, label)| {
        let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
        sum.ln() - logits[usize::from(*label)]
    });
    assert!((losses.sum::<f64>() / 5.0 - plain.loss(&sequence)).abs() < 1e-12);
    assert_eq!(plain.loss(&sequence[..1]), 0.0);
}

#[test]
fn gradients_are_central_differences() {
    const STEP: f64 = 1e-6;
    for net in variants() {
        let plain = drawn(&net, 5, 3);
        let sequences = symbols(7, 3, 12);
        let (loss, gradients) = plain.gradients(&sequences);
        let mean = |plain: &Plain| sequences.chunks(6).map(|s| plain.loss(s)).sum::<f64>() / 2.0;
        assert!((loss - mean(&plain)).abs() < 1e-12);
        let parameters = shapes(&plain);
        for (which, gradient) in gradients.iter().enumerate() {
            assert_eq!(gradient.len(), parameters[which].len());
            assert!(gradient.iter().any(|slope| slope.abs() > 1e-6), "{} moves", parameters[which].name);
            for (i, slope) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut plain = plain.clone();
                    plain.weights[which][i] += by;
                    mean(&plain)
                };
                let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                let name = &parameters[which].name;
                assert!((slope - expected).abs() < 1e-8, "{net:?} {name}[{i}]: {slope} {expected}");
            }
        }
    }
}

#[test]
fn weights_of_distances_are_even_without_a_preference_and_follow_queries() {
    let net = AttentionOnly { heads: vec![2, 1], hidden: 4, ..Default::default() };
    let mut plain = drawn(&net, 5, 2);
    let places = plain.places.clone();
    let distances = places.layers[0].distances.unwrap();
    plain.weights[distances].fill(0.0);
    assert!(plain.distances().concat().iter().all(|v| (v - 1.0).abs() < 1e-12));
    // Symbol 0 asks for distance 1 in the second head, symbol 1 for nothing.
    plain.weights[places.embed] = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    plain.weights[places.layers[0].query] = vec![0.0; 16];
    plain.weights[places.layers[0].query][2] = 3.0;
    plain.weights[distances][4 + 2] = 2.0;
    let found = plain.distances();
    assert_eq!(found.len(), 2);
    assert!(found[0].iter().all(|v| (v - 1.0).abs() < 1e-12));
    let power = (6.0 / 2f64.sqrt()).exp();
    let expected = |share: f64| 5.0 * (share / (power + 4.0) + 0.2) / 2.0;
    for (delta, value) in found[1].iter().enumerate() {
        let expected = expected(if delta == 1 { power } else { 1.0 });
        assert!((value - expected).abs() < 1e-12, "{delta}: {value} {expected}");
    }
}

/// A first layer without keys looks by distance alone: its shares at the last place are then those weights of the
/// symbol there, over the length. With norms they are of what the layer reads.
#[test]
fn weights_of_distances_are_shares_of_attention_where_positions_dominate() {
    for &norm in Norm::ALL {
        let net = AttentionOnly { heads: vec![2], hidden: 6, scale: 0.7, norm, ..Default::default() };
        let mut plain = drawn(&net, 6, 2);
        let key = plain.places.layers[0].key;
        plain.weights[key].fill(0.0);
        let looks = [0u8, 1].map(|symbol| plain.look(&[0, 0, 1, 1, 0, symbol], &[]));
        for (head, weights) in plain.distances().iter().enumerate() {
            for (delta, weight) in weights.iter().enumerate() {
                let shares = looks.each_ref().map(|look| look.heads[head].shares[5 * 6 + 5 - delta]);
                assert!((weight - 3.0 * (shares[0] + shares[1])).abs() < 1e-12);
            }
        }
    }
    let absolute = AttentionOnly { positions: Positions::Absolute, ..Default::default() };
    assert!(drawn(&absolute, 6, 2).distances().is_empty());
}

fn names(net: AttentionOnly) -> Vec<(String, usize, usize)> {
    let parameters = OfLength { net, length: 50 }.parameters(2, 3);
    assert!(parameters.iter().all(|p| p.shape[0] == 3));
    parameters.into_iter().map(|p| (p.name, p.shape[1], p.shape[2])).collect()
}

#[test]
fn parameters_have_their_permanent_names_and_shapes() {
    let all = |list: &[(&str, usize, usize)]| -> Vec<(String, usize, usize)> {
        list.iter().map(|(name, rows, columns)| (name.to_string(), *rows, *columns)).collect()
    };
    let plain = [
        ("embed", 2, 16),
        ("query1", 16, 16),
        ("key1", 16, 16),
        ("value1", 16, 16),
        ("distances1", 50, 16),
        ("query2", 16, 16),
        ("key2", 16, 16),
        ("value2", 16, 16),
        ("distances2", 50, 16),
        ("readout", 16, 2),
    ];
    assert_eq!(names(AttentionOnly::default()), all(&plain));
    let full = [
        ("embed", 2, 16),
        ("positions", 50, 16),
        ("gain1", 1, 16),
        ("query1", 16, 16),
        ("key1", 16, 16),
        ("value1", 16, 16),
        ("out1", 16, 16),
        ("mlp_gain1", 1, 16),
        ("mlp_in1", 16, 64),
        ("mlp_out1", 64, 16),
        ("gain", 1, 16),
        ("readout", 16, 2),
    ];
    let net = AttentionOnly {
        heads: vec![4],
        positions: Positions::Absolute,
        norm: Norm::Pre,
        mlp: Block::On,
        ..Default::default()
    };
    assert_eq!(names(net.clone()), all(&full));
    let model = OfLength { net, length: 50 };
    let decays: Vec<String> = model.parameters(2, 1).into_iter().map(|p| p.name).collect();
    let decays: Vec<&str> = decays
        .iter()
        .enumerate()
        .filter(|(which, _)| model.decays(*which))
        .map(|(_, name)| &name[..])
        .collect();
    assert_eq!(decays, ["query1", "key1", "value1", "out1", "mlp_in1", "mlp_out1", "readout"]);
}

#[test]
fn initial_weights_are_normal_with_gains_of_one_and_smaller_on_the_residual_stream() {
    for (norm, residual) in [(Norm::None, 1.0), (Norm::Pre, 0.5)] {
        let net = AttentionOnly {
            hidden: 64,
            mlp: Block::On,
            norm,
            positions: Positions::Absolute,
            scale: 0.3,
            ..Default::default()
        };
        let model = OfLength { net, length: 40 };
        let parameters = model.parameters(8, 2);
        let mut outputs = 0;
        for (parameter, values) in parameters.iter().zip(model.initial(1, 8, 2)) {
            assert_eq!(values.len(), parameter.len());
            if parameter.name.contains("gain") {
                assert!(values.iter().all(|value| *value == 1.0));
                continue;
            }
            let into =
                ["out", "mlp_out"].iter().any(|name| parameter.name.trim_end_matches(['1', '2']) == *name);
            outputs += usize::from(into);
            let expected = 0.3 * if into { residual } else { 1.0 };
            let count = values.len() as f64;
            let moment = |power: i32| values.iter().map(|v| f64::from(*v).powi(power)).sum::<f64>() / count;
            let deviation = moment(2).sqrt() / expected;
            // Four standard errors.
            assert!((deviation - 1.0).abs() < 4.0 / (2.0 * count).sqrt(), "{}: {deviation}", parameter.name);
            assert!(moment(1).abs() < 4.0 * expected / count.sqrt(), "{}", parameter.name);
            let kurtosis = moment(4) / moment(2).powi(2);
            assert!((kurtosis - 3.0).abs() < 4.0 * (24.0 / count).sqrt(), "{}: {kurtosis}", parameter.name);
        }
        assert_eq!(outputs, if norm == Norm::Pre { 4 } else { 2 });
    }
}

#[test]
fn replicas_differ_and_the_first_does_not_depend_on_how_many_there_are() {
    let model = OfLength { net: AttentionOnly::default(), length: 10 };
    let (one, three) = (model.initial(4, 2, 1), model.initial(4, 2, 3));
    for (one, three) in one.iter().zip(&three) {
        assert_eq!(one[..], three[..one.len()]);
        assert_ne!(one[..], three[one.len()..2 * one.len()]);
    }
    assert_ne!(one[1], one[2], "and so do the matrices of a replica");
    assert_ne!(one, model.initial(5, 2, 1));
}

#[test]
fn heads_share_the_columns_evenly_or_are_refused() {
    let keys = |heads: &[usize], hidden: usize| -> Vec<String> {
        let net = AttentionOnly { heads: heads.to_vec(), hidden, ..Default::default() };
        OfLength { net, length: 50 }.problems(2, 32, 1).into_iter().map(|p| p.key).collect()
    };
    assert!(keys(&[4, 1, 2], 8).is_empty());
    assert_eq!(keys(&[1, 3], 16), ["heads"]);
    assert_eq!(keys(&[8], 4), ["heads"]);
    let large = OfLength { net: AttentionOnly { heads: vec![8], ..Default::default() }, length: 256 };
    assert_eq!(large.problems(2, 4096, 1)[0].key, "batch");
}
