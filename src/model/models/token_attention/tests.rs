//! The formulas once more, index by index, gradients by central differences, and what the weights written by hand promise.

use super::*;
use crate::models::Architecture;
use crate::tasks::{Batch, Sampler, SparseTokenRegression};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::Settings;
use vivarium_science::tokens::{PositionCodes, TeacherKind};

/// Every combination of what scores and values can be, on prompts with codes of every kind.
fn variants() -> Vec<(OnPrompts, SparseTokenRegression)> {
    let mut all = vec![];
    for (at, &qk) in QueryKey::ALL.iter().enumerate() {
        for &scores in Scores::ALL {
            for &values in Values::ALL {
                for (heads, codes) in
                    [(1, PositionCodes::Random), (3, PositionCodes::OneHot), (2, PositionCodes::Orthogonal)]
                {
                    let key_width = [0, 4][(at + heads) % 2];
                    let task = SparseTokenRegression {
                        length: 5,
                        dim: 1 + heads % 2,
                        names: 2,
                        codes,
                        code_dim: 6,
                        ..Default::default()
                    };
                    let net = TokenAttention {
                        heads,
                        qk,
                        key_width,
                        scores,
                        values,
                        width: 7,
                        ..Default::default()
                    };
                    all.push((OnPrompts { net, prompts: task.prompt_spec() }, task));
                }
            }
        }
    }
    all
}

/// A network whose scores are not all alike, and some prompts.
fn drawn(on: &OnPrompts, task: &SparseTokenRegression, count: usize) -> (Plain, Vec<f32>) {
    let mut weights = on.initial(3, task.inputs(), 1);
    let stream = RandomStream::new(8, Purpose::Batch, 0);
    for (which, values) in weights.iter_mut().enumerate().take(on.net.first_layer()).skip(1) {
        for (i, w) in values.iter_mut().enumerate() {
            *w = 0.5 * stream.draw_normal(which as u64, i as u32);
        }
    }
    let mut batch = Batch::default();
    task.sample(3, 0, 0, count, &mut batch);
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    (on.plain(&weights), batch.x)
}

/// The outputs of the formulas in the module's documentation, index by index.
fn naive(on: &OnPrompts, plain: &Plain, row: &[f32]) -> Vec<f64> {
    let (net, prompts) = (&on.net, &on.prompts);
    let shapes = on.parameters(0, 1);
    let at = |name: &str, row: usize, column: usize| {
        let which = shapes.iter().position(|p| p.name == name).unwrap();
        plain.weights[which][row * shapes[which].shape[2] + column]
    };
    let (n, d, size) = (prompts.length, prompts.dim, prompts.code_dim);
    let scale = f64::from(prompts.code_scale());
    let z = |i: usize, c: usize| match c.checked_sub(d) {
        None => f64::from(row[i * d + c]),
        Some(c) => {
            let place = match c / size {
                0 => i,
                k => row[n * d + i * prompts.names + k - 1] as usize,
            };
            scale * at("codes", place, c % size)
        }
    };
    let width = d + (prompts.names + 1) * size;
    let reads: Vec<usize> = match net.scores {
        Scores::All => (0..width).collect(),
        Scores::Positions => (d..width).collect(),
    };
    let s = reads.len();
    let values = if net.values == Values::Token { width } else { d };
    let score = |h: usize, i: usize, j: usize| -> f64 {
        let columns = net.separate(prompts).unwrap_or(s);
        let of = |name: &str, i: usize, c: usize| -> f64 {
            reads.iter().enumerate().map(|(r, from)| z(i, *from) * at(name, h * s + r, c)).sum()
        };
        match net.qk {
            QueryKey::Combined => (0..columns).map(|c| of("qk", i, c) * z(j, reads[c])).sum(),
            QueryKey::Separate => {
                (0..columns).map(|c| of("q", i, c) * of("k", j, c)).sum::<f64>() / (columns as f64).sqrt()
            }
        }
    };
    let head = |h: usize, i: usize, c: usize| -> f64 {
        let powers: Vec<f64> = (0..n).map(|j| score(h, i, j).exp()).collect();
        (0..n).map(|j| powers[j] / powers.iter().sum::<f64>() * z(j, c)).sum()
    };
    let output = |i: usize| {
        let heads: Vec<f64> =
            (0..net.heads * values).map(|column| head(column / values, i, column % values)).collect();
        let unit = |k: usize| {
            let sum: f64 = heads.iter().enumerate().map(|(c, head)| head * at("w1", c, k)).sum();
            (sum + at("b1", 0, k)).max(0.0) * at("w2", k, 0)
        };
        (0..net.width).map(unit).sum::<f64>() + at("b2", 0, 0)
    };
    (0..n).map(output).collect()
}

#[test]
fn outputs_are_those_of_the_formulas() {
    for (on, task) in variants() {
        let (plain, rows) = drawn(&on, &task, 2);
        for row in rows.chunks(on.prompts.row_len()) {
            let (look, n) = (plain.look(row), on.prompts.length);
            for (found, expected) in look.outputs.iter().zip(naive(&on, &plain, row)) {
                assert!((found - expected).abs() < 1e-10, "{:?}: {found} {expected}", on.net);
            }
            assert_eq!(look.shares.len(), on.net.heads * n * n);
            for (shares, scores) in look.shares.chunks(n).zip(look.scores.chunks(n)) {
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let ratio = (scores[1] - scores[0]).exp();
                assert!((shares[1] / shares[0] / ratio - 1.0).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn gradients_are_central_differences() {
    for (on, task) in variants() {
        let (plain, rows) = drawn(&on, &task, 3);
        let (loss, gradients) = plain.gradients(&rows);
        assert!(loss > 0.1);
        assert!(gradients[prompts::CODES].iter().all(|slope| *slope == 0.0));
        for (which, gradient) in gradients.iter().enumerate().skip(1) {
            for at in (0..gradient.len()).step_by(1 + gradient.len() / 9) {
                let moved = |by: f64| {
                    let mut plain = plain.clone();
                    plain.weights[which][at] += by;
                    plain.gradients(&rows).0
                };
                let step = 1e-5;
                let difference = (moved(step) - moved(-step)) / (2.0 * step);
                let error = (difference - gradient[at]).abs();
                assert!(
                    error < 1e-7 * (1.0 + difference.abs()),
                    "{:?}: parameter {which} at {at}: {} against {difference}",
                    on.net,
                    gradient[at]
                );
            }
            let some = gradient.iter().filter(|slope| slope.abs() > 1e-9).count();
            assert!(2 * some >= gradient.len().min(2), "{:?}: parameter {which}", on.net);
        }
    }
}

#[test]
fn initial_weights_are_those_of_linear_layers_and_codes_are_the_same_in_all_replicas() {
    let task = SparseTokenRegression { codes: PositionCodes::Random, length: 40, ..Default::default() };
    let net = TokenAttention { heads: 2, scores: Scores::All, values: Values::Token, ..Default::default() };
    let on = OnPrompts { net, prompts: task.prompt_spec() };
    let (one, two) = (on.initial(5, task.inputs(), 1), on.initial(5, task.inputs(), 2));
    for (which, (one, two)) in one.iter().zip(&two).enumerate() {
        let (first, second) = two.split_at(one.len());
        assert_eq!((one.as_slice(), which == prompts::CODES), (first, first == second));
    }
    assert_eq!(one[prompts::CODES], task.prompt_spec().draw_position_codes(5));
    let deviation = |values: &[f32]| {
        (values.iter().map(|w| f64::from(*w).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    };
    let bound = 1.0 / ((2 * task.prompt_spec().encoded_dim()) as f64).sqrt();
    assert!((deviation(&one[1]) / f64::from(DEVIATION) - 1.0).abs() < 0.05);
    assert!((deviation(&one[2]) / (bound / 3f64.sqrt()) - 1.0).abs() < 0.05);
    assert!(one[2].iter().all(|w| f64::from(w.abs()) <= bound + 1e-6));
}

/// A network with the weights of equation A.2 and its prompts.
fn constructed(task: &SparseTokenRegression, net: TokenAttention) -> (OnPrompts, Plain, Vec<f32>) {
    let net = TokenAttention { begin: Beginning::Construction, width: 1024, ..net };
    let weights = net.looks_up(&Task::SparseTokenRegression(task.clone()), 4).unwrap();
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let on = OnPrompts { net, prompts: task.prompt_spec() };
    let plain = on.plain(&weights);
    let mut batch = Batch::default();
    task.sample(4, 0, 0, 50, &mut batch);
    (on, plain, batch.x)
}

/// Lemma 11: what a head gives is the named token but for N e^{−α d/(2q)} max ‖x‖.
#[test]
fn heads_written_by_hand_look_up_one_name_each_within_the_bound() {
    for (length, dim, names, scores, values, codes, code_dim) in [
        (8, 1, 2, Scores::Positions, Values::Numbers, PositionCodes::OneHot, 0),
        (12, 3, 1, Scores::All, Values::Token, PositionCodes::OneHot, 0),
        (9, 4, 3, Scores::All, Values::Numbers, PositionCodes::Orthogonal, 11),
        (16, 2, 2, Scores::Positions, Values::Token, PositionCodes::Random, 256),
    ] {
        let task = SparseTokenRegression { length, dim, names, codes, code_dim, ..Default::default() };
        let prompts = task.prompt_spec();
        let strong =
            vivarium_science::tokens::count_strong_pairs(&prompts.draw_position_codes(4), prompts.code_dim);
        assert_eq!(strong, 0, "assumption 3 holds");
        let mut errors = vec![];
        for steps in 1..=4 {
            // α d / (2q) = 2, 4, 6, 8.
            let alpha = 4.0 * f64::from(steps) * names as f64 / dim as f64;
            let net = TokenAttention { heads: names + 1, scores, values, alpha, ..Default::default() };
            let (on, plain, rows) = constructed(&task, net);
            let size = on.net.value_width(&prompts);
            let mut worst = 0.0f64;
            for row in rows.chunks(prompts.row_len()) {
                let (tokens, list, _) = prompts.split_row(row);
                let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
                let token = |at: usize| -> Vec<f64> {
                    tokens[at * dim..][..dim].iter().map(|x| f64::from(*x)).collect()
                };
                let longest = (0..length).map(|at| norm(&token(at))).fold(0.0, f64::max);
                let look = plain.look(row);
                for (i, heads) in look.heads.chunks((names + 1) * size).enumerate() {
                    for k in 0..names {
                        let named = token(list[i * names + k] as usize);
                        let off: Vec<f64> =
                            named.iter().zip(&heads[k * size..]).map(|(x, h)| h - x).collect();
                        worst = worst.max(norm(&off) / longest);
                    }
                }
            }
            let bound = length as f64 * (-alpha * dim as f64 / (2.0 * names as f64)).exp();
            assert!(worst <= bound, "{task:?} α = {alpha}: {worst} above {bound}");
            errors.push(worst);
        }
        assert!(errors.windows(2).all(|pair| pair[1] < 0.3 * pair[0]), "sharper is better: {errors:?}");
    }
}

#[test]
fn the_construction_computes_g_as_well_as_its_readout() {
    for function in TeacherKind::ALL {
        for (heads, knots, within) in [(2, 16, 0.02), (3, 64, 5e-4)] {
            let task = SparseTokenRegression { function: *function, dim: 2, ..Default::default() };
            let (on, plain, rows) = constructed(&task, TokenAttention { heads, knots, ..Default::default() });
            let (loss, _) = plain.gradients(&rows);
            let relative = loss / on.prompts.label_variance(4);
            assert!(relative < within, "{function:?}: {relative}");
            // Of a network of so many units that nothing but the look-up can be wrong.
            assert!(*function == TeacherKind::Squares || relative < 1e-6, "{function:?}: {relative}");
        }
    }
}

#[test]
fn a_construction_that_cannot_be_is_named() {
    let task = Task::SparseTokenRegression(SparseTokenRegression { names: 3, ..Default::default() });
    let net = TokenAttention {
        heads: 2,
        qk: QueryKey::Separate,
        width: 64,
        begin: Beginning::Construction,
        ..Default::default()
    };
    let problems: Vec<String> = net.construction_problems(&task).iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "h = 2: expected at least q = 3, because the construction has a separate head for each name",
            "qk = separate: expected combined, because the construction uses one combined matrix W_QK",
            "width = 64: expected at least 96, because the read-out that is set by hand has 96 hidden units",
        ]
    );
    assert_eq!(net.constructed(&task, 0), None);
    let drawn = TokenAttention { begin: Beginning::Random, ..net };
    assert!(drawn.construction_problems(&task).is_empty() && drawn.constructed(&task, 0).is_none());
}

#[test]
fn what_would_not_fit_is_refused_before_it_is_built() {
    let task = SparseTokenRegression { length: 256, dim: 64, names: 6, ..Default::default() };
    let mut net = TokenAttention { heads: 8, width: 4096, values: Values::Token, ..Default::default() };
    let problems = OnPrompts { net: net.clone(), prompts: task.prompt_spec() }.problems(0, 64, 1);
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].key.as_str(), problems[0].found.as_str()), ("batch", "64"));
    net.set("width", &vivarium_core::settings::Value::Int(8)).unwrap();
    let small = OnPrompts { net, prompts: SparseTokenRegression::default().prompt_spec() };
    assert!(small.problems(0, 64, 1).is_empty());
}
