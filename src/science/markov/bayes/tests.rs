//! Compares the posterior mean with other methods: another quadrature, enumeration, and samples.

use super::*;
use crate::markov::{Chain, ChainDistribution, Strategy, kl_divergence};

fn sequences_of(symbols: usize, length: usize, test: ChainFamily, alpha: f64) -> ChainSequences {
    ChainSequences {
        symbols,
        length,
        order: 2,
        train_family: test,
        test_family: test,
        alpha,
        mixture_weight: 0.3,
    }
}

fn predict_after(drawn: &ChainSequences, context: &[u8]) -> Vec<f64> {
    BayesPredictor::new(drawn, drawn.test_family, 1).unwrap().predict(context, 0).unwrap().mean
}

/// By a midpoint rule with 4,000 nodes for each row in x, where u = x^m / (x^m + (1 − x)^m) and m = ⌈3/α⌉, by NumPy:
///
/// ```text
/// x = (linspace(0, 3999, 4000) + .5) / 4000; lu = m*log(x) - logaddexp(m*log(x), m*log1p(-x)); l1 = lu[::-1]
/// jacobian = log(m) + lu + l1 - log(x) - log1p(-x)
/// g = exp((c01 - 1)*lu + (c00 - 1)*l1 + jacobian); h = exp((c10 - 1)*lu + (c11 - 1)*l1 + jacobian)
/// pi0 = 1 / (1 + exp(lu[:, None] - lu[None, :]))   # v / (u + v)
/// ```
#[test]
fn predictions_for_two_symbols_match_another_quadrature() {
    let long = [0, 0, 1, 1, 0, 1, 0, 0, 0, 1].repeat(10);
    for (context, alpha, expected) in [
        (vec![0, 0, 1, 0, 1, 0], 1.0, 0.567_860_723_669_3),
        (vec![1, 1, 1, 1, 0], 0.3, 0.700_029_957_055_7),
        (vec![0, 1], 1.0, 0.388_957_871_261_7),
        (vec![0], 1.0, 0.409_137_092_586_7),
        (vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.05, 0.104_016_542_2),
        (long, 1.0, 0.265_643_128_784_3),
        (vec![1; 50], 2.5, 0.955_317_197_162_8),
        ([0, 1, 1].repeat(20), 20.0, 0.502_672_082_034_0),
        ([0, 0, 0, 1].repeat(12), 0.1, 0.008_723_172_632_7),
    ] {
        let found = predict_after(&sequences_of(2, 100, ChainFamily::Dirichlet, alpha), &context);
        assert!((found[1] - expected).abs() < 2e-6, "{context:?} {alpha}: {found:?} {expected}");
        assert!((found[0] + found[1] - 1.0).abs() < 1e-12);
    }
}

/// P(1) after `context` by a midpoint rule in x, where u = x^m / (x^m + (1 − x)^m), which removes the singular ends of a
/// Beta density below 1.
fn by_midpoints(context: &[u8], alpha: f64) -> f64 {
    let mut counts = [[alpha; 2]; 2];
    context.windows(2).for_each(|pair| counts[usize::from(pair[0])][usize::from(pair[1])] += 1.0);
    let (n, m) = (1200, (3.0 / alpha).ceil().max(1.0));
    let density = |leaves: f64, stays: f64| -> Vec<(f64, f64)> {
        let node = |i: usize| {
            let x = (i as f64 + 0.5) / n as f64;
            // Logarithms of u / (1 − u), of u and of 1 − u.
            let odds = m * (x / (1.0 - x)).ln();
            let [log_u, log_rest] = [-odds, odds].map(|z| -(1.0 + z.exp()).ln());
            let weight = leaves * log_u + stays * log_rest - x.ln() - (1.0 - x).ln();
            (log_u.exp(), weight)
        };
        let nodes: Vec<(f64, f64)> = (0..n).map(node).collect();
        let max_log_weight = nodes.iter().map(|node| node.1).fold(f64::NEG_INFINITY, f64::max);
        nodes.into_iter().map(|(u, weight)| (u, (weight - max_log_weight).exp())).collect()
    };
    let leave_0 = density(counts[0][1], counts[0][0]);
    let leave_1 = density(counts[1][0], counts[1][1]);
    let (mut above, mut below) = (0.0, 0.0);
    for (u, weight_u) in &leave_0 {
        for (v, weight_v) in &leave_1 {
            let stationary = if context[0] == 0 { v / (u + v) } else { u / (u + v) };
            let weight = weight_u * weight_v * stationary;
            above += weight * if context.last() == Some(&0) { *u } else { 1.0 - v };
            below += weight;
        }
    }
    above / below
}

#[test]
fn predictions_for_random_settings_match_another_quadrature() {
    let random = RandomStream::new(7, Purpose::Noise, 0);
    for setting in 0..20 {
        let unit = |index: u32| f64::from(random.draw_uniform(setting, index));
        // From 0.05 to 20, and from 1 to 100.
        let alpha = 0.05 * 400.0f64.powf(unit(0));
        let length = 100.0f64.powf(unit(1)) as usize;
        let (stay_0, stay_1) = (unit(2), unit(3));
        let mut context = vec![0];
        for place in 1..length {
            let last = context[place - 1];
            let stays = unit(place as u32 + 4) < if last == 0 { stay_0 } else { stay_1 };
            context.push(if stays { last } else { 1 - last });
        }
        let (found, expected) = (
            predict_after(&sequences_of(2, 100, ChainFamily::Dirichlet, alpha), &context)[1],
            by_midpoints(&context, alpha),
        );
        assert!((found - expected).abs() < 1e-5, "{alpha} {context:?}: {found} {expected}");
    }
}

/// With uniform rows, u the probability to leave 0 and v the probability to leave 1, after the single symbol 0:
/// E[uv/(u + v)] / E[v/(u + v)] = 2 E[uv/(u + v)] = (4/3)(1 − ln 2), since ∫∫ uv/(u + v) = (2/3)(1 − ln 2).
#[test]
fn a_context_of_one_symbol_matches_the_closed_form() {
    let found = predict_after(&sequences_of(2, 4, ChainFamily::Dirichlet, 1.0), &[0]);
    assert!((found[1] - 4.0 / 3.0 * (1.0 - std::f64::consts::LN_2)).abs() < 1e-12, "{found:?}");
}

/// The weight of the first symbol becomes the same for all likely matrices as the context grows (remark 8.1).
#[test]
fn first_symbols_change_the_bigram_strategy_less_in_longer_contexts() {
    let drawn = sequences_of(2, 200, ChainFamily::Dirichlet, 1.0);
    let differs = |context: &[u8]| {
        let mut counted = [0.0; 2];
        Strategy::Bigram.predict(2, 1.0, context, &mut counted);
        (predict_after(&drawn, context)[0] - counted[0]).abs()
    };
    let context = [0, 0, 1, 1, 0, 1, 0, 0, 1, 1].repeat(20);
    let [short, middle, long] = [5, 50, 200].map(|length| differs(&context[..length]));
    assert!(short > 5.0 * middle && middle > 2.0 * long && long > 0.0, "{short} {middle} {long}");
}

/// Computes predictions for the same prior by quadrature and by importance sampling.
#[test]
fn an_importance_sample_agrees_with_the_quadrature() {
    for (alpha, length) in [(1.0, 6), (0.3, 12), (4.0, 30)] {
        let of = sequences_of(2, length, ChainFamily::Dirichlet, alpha);
        let mut sample = ImportanceSampler::new(2, 2, alpha, 3);
        for number in 0..40u64 {
            let chain = ChainDistribution::Dirichlet(1.0).draw_chain(
                2,
                2,
                &[(number as u32).wrapping_mul(2_654_435_769), 1 << 31],
            );
            let words: Vec<u32> =
                (1..length as u32).map(|i| (i + 77 * number as u32).wrapping_mul(2_246_822_519)).collect();
            let context = chain.draw_sequence(&words);
            let exact = predict_after(&of, &context);
            let found = sample.predict(&context, number);
            // Five standard deviations of a covariance of at most 0.25 in 64 samples.
            assert!((found.mean[0] - exact[0]).abs() < 0.1, "{alpha} {context:?}: {found:?} {exact:?}");
            let [a, b] = found.half_means.unwrap();
            assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-5 && (b.iter().sum::<f64>() - 1.0).abs() < 1e-5);
        }
    }
}

/// All sequences of six symbols, with the probability of each by a midpoint rule over the one parameter of a doubly stochastic
/// chain and over the one row of independent symbols.
#[test]
fn doubly_stochastic_and_mixed_predictions_match_enumeration() {
    let points: Vec<f64> = (0..4000).map(|i| (f64::from(i) + 0.5) / 4000.0).collect();
    for bits in 0..64u8 {
        let context: Vec<u8> = (0..6).map(|i| bits >> i & 1).collect();
        let doubly = |p: f64| -> f64 {
            0.5 * context.windows(2).map(|w| if w[0] == w[1] { p } else { 1.0 - p }).product::<f64>()
        };
        let even = |q: f64| -> f64 { context.iter().map(|s| if *s == 1 { q } else { 1.0 - q }).product() };
        let mean = |f: &dyn Fn(f64) -> f64| points.iter().map(|p| f(*p)).sum::<f64>() / 4000.0;
        let one = |p: f64| if context[5] == 1 { p } else { 1.0 - p };
        let expected = mean(&|p| doubly(p) * one(p)) / mean(&doubly);
        let found = predict_after(&sequences_of(2, 6, ChainFamily::DoublyStochastic, 1.0), &context);
        assert!((found[1] - expected).abs() < 1e-6, "{context:?}: {found:?} {expected}");
        let expected = mean(&|q| even(q) * q) / mean(&even);
        let found = predict_after(&sequences_of(2, 6, ChainFamily::Independent, 1.0), &context);
        assert!((found[1] - expected).abs() < 1e-6, "{context:?}: {found:?} {expected}");
        let above = 0.3 * mean(&|p| doubly(p) * one(p)) + 0.7 * mean(&|q| even(q) * q);
        let expected = above / (0.3 * mean(&doubly) + 0.7 * mean(&even));
        let found = predict_after(&sequences_of(2, 6, ChainFamily::Mixture, 1.0), &context);
        assert!((found[1] - expected).abs() < 1e-6, "{context:?}: {found:?} {expected}");
    }
}

/// All sequences of seven symbols, with the probability of each by a midpoint rule over both parameters of a chain of order 3:
/// the probability that a symbol repeats the one two places before it, after the symbol 0 and after the symbol 1 between them.
#[test]
fn predictions_without_signal_of_lower_order_match_enumeration() {
    let points: Vec<f64> = (0..150).map(|i| (f64::from(i) + 0.5) / 150.0).collect();
    let of = ChainSequences { order: 3, ..sequences_of(2, 7, ChainFamily::NoLowerOrder, 1.0) };
    for bits in 0..128u8 {
        let context: Vec<u8> = (0..7).map(|i| bits >> i & 1).collect();
        let (mut above, mut below) = (0.0, 0.0);
        for (p, q) in points.iter().flat_map(|p| points.iter().map(move |q| (*p, *q))) {
            let repeats = |middle: u8| if middle == 0 { p } else { q };
            let chance = |w: &[u8]| if w[0] == w[2] { repeats(w[1]) } else { 1.0 - repeats(w[1]) };
            let likelihood: f64 = context.windows(3).map(chance).product();
            above += likelihood * chance(&[context[5], context[6], 1]);
            below += likelihood;
        }
        let found = predict_after(&of, &context);
        assert!((found[1] - above / below).abs() < 1e-4, "{context:?}: {found:?} {}", above / below);
        assert!((found[0] + found[1] - 1.0).abs() < 1e-12);
    }
    // At order 4 the middle symbols 1 1 occurred once before, in 0 1 1 0, and 0 is again the symbol before them.
    let of = ChainSequences { order: 4, ..of };
    let found = predict_after(&of, &[0, 1, 1, 0, 1, 1]);
    assert!((found[0] - 2.0 / 3.0).abs() < 1e-12 && (found[1] - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
}

/// After 2, 0, 1 nothing has followed the symbol 1, so only the first symbol tells of its row. Expected are means over 20 million
/// uniform matrices of NumPy, weighted by π(2) P_20 P_01, where π is in proportion to sums over spanning trees; each has a
/// standard error of 0.0001.
#[test]
fn predictions_for_three_symbols_match_the_mean_over_many_matrices() {
    let context = [2, 0, 1];
    let of = sequences_of(3, 3, ChainFamily::Dirichlet, 1.0);
    let mut bayes = BayesPredictor::new(&of, ChainFamily::Dirichlet, 5).unwrap();
    let count = 400;
    let mut found = [0.0; 3];
    for number in 0..count {
        let one = bayes.predict(&context, number).unwrap().mean;
        found.iter_mut().zip(one).for_each(|(sum, p)| *sum += p / count as f64);
    }
    for (found, expected) in found.iter().zip([0.30223, 0.29463, 0.40315]) {
        assert!((found - expected).abs() < 0.003, "{found} {expected}");
    }
}

/// Means over held-out sequences, against simulations by NumPy (8,000 sequences each; 20,000 for doubly stochastic chains),
/// with four standard errors of both: KL of the strategies with the prior's α and of the posterior mean.
#[test]
fn divergences_match_a_simulation_with_the_prior() {
    for (symbols, length, test, alpha, expected, error) in [
        (3, 50, ChainFamily::Dirichlet, 10.0, [0.0328_f64, 0.0312, 0.0214, 0.0214], 0.0004),
        (3, 50, ChainFamily::Dirichlet, 0.1, [0.9007, 0.2931, 0.0237, 0.0230], 0.0009),
        (2, 10, ChainFamily::Dirichlet, 1.0, [0.2093, 0.1076, 0.0653, 0.0622], 0.0010),
        (2, 10, ChainFamily::Dirichlet, 10.0, [0.0250, 0.0231, 0.0200, 0.0199], 0.0003),
        (3, 10, ChainFamily::Dirichlet, 1.0, [0.2796, 0.2167, 0.1413, 0.1377], 0.0015),
        (2, 100, ChainFamily::DoublyStochastic, 1.0, [0.1927, 0.1940, 0.0100, 0.0049], 0.0002),
    ] {
        let of = sequences_of(symbols, length, test, alpha);
        let (mut sums, count, mut predicted) = ([[0.0_f64; 2]; 3], 4000, vec![0.0; symbols]);
        let mut sequences = vec![];
        of.append_held_out_sequences(test, 3, 0..count, &mut sequences);
        for (example, sequence) in sequences.chunks(length + 1).enumerate() {
            let chain: Chain = of.held_out_chain(test, 3, example);
            let truth = chain.next_symbol_distribution(chain.context_index(&sequence[..length]));
            for (sum, strategy) in sums.iter_mut().zip(Strategy::ALL) {
                strategy.predict(symbols, of.pseudocount(), &sequence[..length], &mut predicted);
                let kl = kl_divergence(&truth, &predicted);
                *sum = [sum[0] + kl, sum[1] + kl * kl];
            }
        }
        let n = count as f64;
        for ([sum, squares], expected) in sums.into_iter().zip(expected) {
            let (mean, own) = (sum / n, ((squares / n - (sum / n) * (sum / n)) / n).sqrt());
            let bound = 4.0 * (own + error * expected / expected.max(0.1));
            assert!(
                (mean - expected).abs() < bound,
                "{symbols} {length} {test:?} {alpha}: {mean} {expected}"
            );
        }
        let line = BayesDivergenceJob::new(&of, 3, count).unwrap().advance(u64::MAX).unwrap();
        let best = sums[2][0] / n;
        assert!(
            line.kl < best + 2e-4 && line.standard_error < 0.002,
            "{symbols} {length} {test:?} {alpha}: {line:?} {best}"
        );
        assert!((line.kl - expected[3]).abs() < 4.0 * error + 0.05 * expected[3], "{line:?} {expected:?}");
    }
}

#[test]
fn slices_give_the_same_divergence() {
    for (of, held_out) in [
        (sequences_of(2, 20, ChainFamily::Dirichlet, 0.5), 100),
        (sequences_of(4, 20, ChainFamily::Dirichlet, 0.5), 300),
        (ChainSequences { order: 3, ..sequences_of(2, 20, ChainFamily::Dirichlet, 1.0) }, 40),
    ] {
        let at_once = BayesDivergenceJob::new(&of, 1, held_out).unwrap().advance(u64::MAX).unwrap();
        let mut job = BayesDivergenceJob::new(&of, 1, held_out).unwrap();
        assert!(
            job.remaining_operations() > 0 && of.bayes_operations(held_out) == job.remaining_operations()
        );
        let lines = std::iter::repeat_with(|| job.advance(1)).take(1000);
        let (parts, line) = lines.enumerate().find_map(|(part, line)| Some((part, line?))).unwrap();
        assert!(parts > 3 && line == at_once, "{parts} {line:?} {at_once:?}");
        assert!(
            line.standard_error.is_finite()
                && (line.standard_error == 0.0) == (of.symbols == 2 && of.order == 2)
        );
        assert_eq!(job.remaining_operations(), 0);
    }
}

#[test]
fn families_without_a_posterior_mean_give_none() {
    for (test, symbols, share, is_there) in [
        (ChainFamily::DoublyStochastic, 3, 0.5, false),
        (ChainFamily::Mixture, 3, 0.5, false),
        (ChainFamily::Mixture, 3, 0.0, true),
        (ChainFamily::Independent, 8, 0.5, true),
        (ChainFamily::Mixture, 2, 1.0, true),
        (ChainFamily::NoLowerOrder, 3, 0.5, false),
        (ChainFamily::NoLowerOrder, 2, 0.5, true),
        (ChainFamily::LowerOrderMixture, 2, 0.5, false),
    ] {
        let of = ChainSequences { mixture_weight: share, ..sequences_of(symbols, 9, test, 1.0) };
        assert_eq!(BayesPredictor::new(&of, test, 0).is_some(), is_there, "{test:?} {symbols}");
        assert_eq!(of.bayes_operations(10) > 0, is_there);
    }
    let of = ChainSequences { order: 3, ..sequences_of(2, 9, ChainFamily::Dirichlet, 1.0) };
    let mut bayes = BayesPredictor::new(&of, of.test_family, 0).unwrap();
    assert!(bayes.predict(&[0], 0).is_none() && bayes.predict(&[], 0).is_none());
    assert!(bayes.predict(&[0, 1], 0).is_some());
    // All chains of a mixture with the share 1 are doubly stochastic.
    let whole = ChainSequences { mixture_weight: 1.0, ..sequences_of(2, 9, ChainFamily::Mixture, 1.0) };
    assert_eq!(
        predict_after(&whole, &[0, 1, 1]),
        predict_after(&sequences_of(2, 9, ChainFamily::DoublyStochastic, 1.0), &[0, 1, 1])
    );
}
