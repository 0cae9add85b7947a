use super::*;
use vivarium_core::rng::{Purpose, RandomStream};

fn labels(p: usize, operation: ModularOperation) -> Vec<u32> {
    (0..p * p).map(|pair| operation.apply(pair / p, pair % p, p) as u32).collect()
}

/// A training set of about a share of all pairs, evenly thrown over them.
fn training(p: usize, share: f32) -> Vec<bool> {
    let stream = RandomStream::new(4, Purpose::Weights, 0);
    (0..(p * p) as u32).map(|i| stream.draw_uniform(0, i) < share).collect()
}

fn logits(p: usize, of: impl Fn(usize, usize, usize) -> f64) -> Vec<f32> {
    let at = |i: usize| of(i / (p * p), i / p % p, i % p) as f32;
    (0..p * p * p).map(at).collect()
}

/// Σ_k α_k cos w_k(s − c).
fn waves(p: usize, operation: ModularOperation, terms: &[(usize, f64)]) -> Vec<f32> {
    logits(p, |a, b, c| {
        let x = TAU * (operation.apply(a, b, p) + p - c) as f64 / p as f64;
        terms.iter().map(|(k, height)| height * libm::cos(*k as f64 * x)).sum()
    })
}

/// 20 for the label of a training pair, otherwise 0.
fn memory(p: usize, training: &[bool]) -> Vec<f32> {
    logits(p, |a, b, c| if training[a * p + b] && (a + b) % p == c { 20.0 } else { 0.0 })
}

#[test]
fn waves_of_the_sum_are_all_restricted_keeps_and_all_excluded_loses() {
    let p = 23;
    for operation in [ModularOperation::Sum, ModularOperation::Difference] {
        let (labels, training) = (labels(p, operation), training(p, 0.3));
        let found = measure_progress(
            &waves(p, operation, &[(2, 3.0), (5, 4.0), (9, 2.5)]),
            p,
            operation,
            &labels,
            &training,
        );
        assert_eq!(found.key_frequencies, [2, 5, 9]);
        let total = 9.0 + 16.0 + 6.25;
        for (k, height) in [(2, 3.0f64), (5, 4.0), (9, 2.5), (1, 0.0), (11, 0.0)] {
            let share = f64::from(found.variance_shares[k - 1]);
            assert!((share - height * height / total).abs() < 1e-6, "{k}: {share}");
        }
        let full = found.test_loss.unwrap();
        assert!(full < 0.3 && (found.restricted_loss - full).abs() < 1e-6, "{found:?}");
        assert!((found.train_loss - full).abs() < 1e-6, "every pair is answered alike");
        assert!((found.excluded_loss - libm::log(p as f64)).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn memory_is_not_taken_for_waves() {
    let p = 23;
    for share in [0.2, 0.3, 0.5, 0.8] {
        let training = training(p, share);
        let found = measure_progress(
            &memory(p, &training),
            p,
            ModularOperation::Sum,
            &labels(p, ModularOperation::Sum),
            &training,
        );
        let chance = libm::log(p as f64);
        assert!(found.key_frequencies.is_empty(), "{share}: {:?}", found.variance_shares);
        assert!(found.train_loss < 1e-5 && (found.test_loss.unwrap() - chance).abs() < 1e-5);
        assert!((found.restricted_loss - chance).abs() < 0.1, "{share}: {}", found.restricted_loss);
        assert!(found.excluded_loss < 1e-5, "{share}: {}", found.excluded_loss);
    }
}

/// Memory above waves that are still small: they help all pairs, and training pairs do without them.
#[test]
fn a_network_on_its_way_has_both() {
    let p = 29;
    let training = training(p, 0.3);
    let small = waves(p, ModularOperation::Sum, &[(3, 2.0), (7, 2.0), (12, 2.0)]);
    let both: Vec<f32> = memory(p, &training).iter().zip(small).map(|(a, b)| a * 0.6 + b).collect();
    let labels = labels(p, ModularOperation::Sum);
    let found = measure_progress(&both, p, ModularOperation::Sum, &labels, &training);
    assert_eq!(found.key_frequencies, [3, 7, 12]);
    assert!(found.restricted_loss < 0.5 * libm::log(p as f64), "{found:?}");
    assert!(found.excluded_loss < 0.1 && found.train_loss < found.excluded_loss, "{found:?}");
    let other = ProgressMeasurement::new(&both[..], p, ModularOperation::Sum, labels, training)
        .with_key_frequencies(vec![1, 2, 4])
        .finish();
    assert!(
        other.restricted_loss > 0.75 * libm::log(p as f64),
        "frequencies that it does not use: {other:?}"
    );
    assert_eq!(other.key_frequencies, [1, 2, 4]);
    assert_eq!(other.train_loss, found.train_loss);
}

/// The transform in a and b by its definition, on logits that are nothing in particular.
#[test]
fn measures_are_those_of_the_definition() {
    for (p, operation) in
        [(7, ModularOperation::Sum), (7, ModularOperation::Difference), (6, ModularOperation::Sum)]
    {
        let stream = RandomStream::new(9, Purpose::Weights, 1);
        let drawn: Vec<f32> = (0..(p * p * p) as u32).map(|i| stream.draw_normal(1, i)).collect();
        let (labels, training) = (labels(p, operation), training(p, 0.5));
        let key: Vec<usize> = (2..=p / 2).collect();
        let job = ProgressMeasurement::new(&drawn[..], p, operation, &labels[..], &training[..]);
        let found = job.with_key_frequencies(key.clone()).finish();
        let centred = logits(p, |a, b, c| {
            let row = &drawn[(a * p + b) * p..][..p];
            f64::from(row[c]) - row.iter().map(|v| f64::from(*v)).sum::<f64>() / p as f64
        });
        let pairs = (p * p) as f64;
        let mean = |f: &dyn Fn(usize) -> f64| (0..p * p).map(f).sum::<f64>() / pairs;
        let at = |pair: usize, c: usize| f64::from(centred[pair * p + c]);
        let constant: Vec<f64> = (0..p).map(|c| mean(&|pair| at(pair, c))).collect();
        let variance: f64 = (0..p).map(|c| mean(&|pair| (at(pair, c) - constant[c]).powi(2))).sum();
        // Waves as vectors on all pairs, of norm one.
        let wave = |k: usize, shift: f64| -> Vec<f64> {
            let s = |pair: usize| operation.apply(pair / p, pair % p, p) as f64;
            let raw: Vec<f64> =
                (0..p * p).map(|pair| libm::cos(TAU * k as f64 * s(pair) / p as f64 - shift)).collect();
            let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt();
            raw.into_iter().map(|v| if norm < 1e-9 { 0.0 } else { v / norm }).collect()
        };
        let mut kept = vec![0.0; p * p * p];
        for k in 1..=p / 2 {
            let mut power = 0.0;
            for wave in [wave(k, 0.0), wave(k, TAU / 4.0)] {
                for c in 0..p {
                    let along: f64 = (0..p * p).map(|pair| wave[pair] * at(pair, c)).sum();
                    power += along * along / pairs;
                    if key.contains(&k) {
                        (0..p * p).for_each(|pair| kept[pair * p + c] += wave[pair] * along);
                    }
                }
            }
            let share = f64::from(found.variance_shares[k - 1]);
            assert!((share - power / variance).abs() < 1e-6, "{p} {k}: {share} {}", power / variance);
        }
        let loss = |pair: usize, of: &dyn Fn(usize) -> f64| {
            let sum: f64 = (0..p).map(|c| libm::exp(of(c))).sum();
            libm::log(sum) - of(labels[pair] as usize)
        };
        let restricted = mean(&|pair| loss(pair, &|c| kept[pair * p + c] + constant[c]));
        assert!(
            (found.restricted_loss - restricted).abs() < 1e-6,
            "{p}: {} {restricted}",
            found.restricted_loss
        );
        let trained: Vec<usize> = (0..p * p).filter(|pair| training[*pair]).collect();
        let over = |f: &dyn Fn(usize) -> f64| {
            trained.iter().map(|pair| f(*pair)).sum::<f64>() / trained.len() as f64
        };
        let excluded = over(&|pair| loss(pair, &|c| at(pair, c) - kept[pair * p + c]));
        assert!((found.excluded_loss - excluded).abs() < 1e-6, "{p}: {} {excluded}", found.excluded_loss);
        assert!((found.train_loss - over(&|pair| loss(pair, &|c| at(pair, c)))).abs() < 1e-6);
    }
}

#[test]
fn portions_do_not_matter() {
    let p = 11;
    let (labels, training) = (labels(p, ModularOperation::Sum), training(p, 0.4));
    let logits = waves(p, ModularOperation::Sum, &[(2, 1.0), (4, 0.7)]);
    let whole = measure_progress(&logits, p, ModularOperation::Sum, &labels, &training);
    let mut job = ProgressMeasurement::new(logits, p, ModularOperation::Sum, labels, training);
    let mut portions = 0;
    while !job.advance(10) {
        portions += 1;
    }
    assert!(portions > 20, "{portions}");
    assert_eq!(job.finish(), whole);
}

#[test]
fn every_frequency_alike_is_key_if_it_adds() {
    let p = 7;
    let exact = logits(p, |a, b, c| if (a + b) % p == c { 8.0 } else { 0.0 });
    let labels = labels(p, ModularOperation::Sum);
    for share in [0.3, 1.1] {
        let found = measure_progress(&exact, p, ModularOperation::Sum, &labels, &training(p, share));
        assert_eq!(found.key_frequencies, [1, 2, 3]);
        assert!((found.restricted_loss - found.train_loss).abs() < 1e-6);
        assert_eq!(found.test_loss.is_none(), share > 1.0);
    }
}

#[test]
fn constant_and_diverged_networks_have_no_key_frequencies() {
    let p = 5;
    let (labels, training) = (labels(p, ModularOperation::Sum), training(p, 0.5));
    let constant =
        measure_progress(&logits(p, |_, _, c| c as f64), p, ModularOperation::Sum, &labels, &training);
    assert!(
        constant.key_frequencies.is_empty() && constant.variance_shares.iter().all(|share| *share == 0.0)
    );
    let mut broken = waves(p, ModularOperation::Sum, &[(1, 1.0)]);
    broken[17] = f32::NAN;
    let broken = measure_progress(&broken, p, ModularOperation::Sum, &labels, &training);
    assert!(broken.key_frequencies.is_empty() && broken.restricted_loss.is_nan(), "{broken:?}");
}

#[test]
fn an_embedding_is_taken_apart_into_orthonormal_waves() {
    for p in [13, 12] {
        let width = 3;
        let embedding: Vec<f32> = (0..p)
            .flat_map(|s| {
                let angle = TAU * 4.0 * s as f64 / p as f64;
                [libm::cos(angle) as f32 * 2.0, libm::sin(angle) as f32, 3.0]
            })
            .collect();
        let norms = embedding_norms(&embedding, p);
        assert_eq!(norms.len(), p);
        let half = libm::sqrt(p as f64 / 2.0);
        // The constant, then cosine and sine of 1, 2, 3 and 4.
        for (at, expected) in [(0, 3.0 * libm::sqrt(p as f64)), (7, 2.0 * half), (8, half), (3, 0.0)] {
            assert!((norms[at] - expected).abs() < 1e-5, "{p} {at}: {} {expected}", norms[at]);
        }
        let square: f64 = embedding.iter().map(|v| f64::from(v * v)).sum();
        let found: f64 = norms.iter().map(|v| v * v).sum();
        assert!((found - square).abs() < 1e-4 * square, "nothing is lost: {found} {square}");
        let spread = EmbeddingConcentration::read(&embedding, p);
        assert!(spread.gini > 0.7 && spread.participation > 1.0 / 3.0, "{spread:?}");
        assert_eq!(embedding.len(), p * width);
    }
}

#[test]
fn charts_have_what_was_measured() {
    let mut trace = ProgressTrace::default();
    let progress = ProgressMeasures {
        key_frequencies: vec![2],
        variance_shares: vec![0.1, 0.8, 0.0],
        restricted_loss: 0.5,
        excluded_loss: 2.0,
        train_loss: 0.1,
        test_loss: None,
        embedding: None,
    };
    trace.push(0, progress.clone());
    trace.push(10, ProgressMeasures { test_loss: Some(0.75), ..progress.clone() });
    let lines = progress_chart(&trace);
    let names: Vec<&str> = lines.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["training loss", "test loss", "restricted loss", "excluded loss"]);
    assert_eq!((&lines.series[1].x[..], &lines.series[1].y[..]), (&[10.0][..], &[0.75][..]));
    assert_eq!(lines.series[3].y, [2.0, 2.0]);
    assert_eq!(concentration_chart(&trace), None);
    trace.push(
        20,
        ProgressMeasures {
            embedding: Some(EmbeddingConcentration { gini: 0.5, participation: 0.25 }),
            ..progress.clone()
        },
    );
    assert_eq!(concentration_chart(&trace).unwrap().series[1].y, [0.25]);
    let bars = frequency_chart(&progress);
    assert_eq!((bars.marked, bars.bars[1].clone()), (vec![1], ("2".to_string(), 0.8)));
}
