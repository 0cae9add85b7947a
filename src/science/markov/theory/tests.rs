//! Compares the theory with the thesis's numbers where they are exact, and with exact numbers where the thesis has
//! only leading orders.

use super::*;
use crate::markov::theory::quadrature::gauss_legendre;
use vivarium_core::rng::{Purpose, RandomStream};

fn independent_tensor(length: usize) -> GradientTensor {
    GradientTensor::compute(TwoSymbolDistribution::Independent, length)
}

fn equal_tensor(epsilon: f64, length: usize) -> GradientTensor {
    GradientTensor::compute(TwoSymbolDistribution::Equal { epsilon }, length)
}

#[track_caller]
fn assert_within(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

type Square = [[f64; 2]; 2];

fn times(a: &Square, b: &Square) -> Square {
    [0, 1].map(|i| [0, 1].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

/// The definition of T for one chain: sums over both positions, and powers by matrix products.
fn by_definition(a: f64, b: f64, length: usize, m: usize, l: usize, d: usize) -> f64 {
    let chain = [[a, 1.0 - a], [1.0 - b, b]];
    let stationary = [(1.0 - b) / (2.0 - a - b), (1.0 - a) / (2.0 - a - b)];
    let power = |n: usize| (0..n).fold([[1.0, 0.0], [0.0, 1.0]], |power, _| times(&power, &chain));
    let mut sum = 0.0;
    for p in 1..=length {
        for q in d + 1..=p {
            for (i, from) in power(p - q).iter().enumerate() {
                sum += (chain[m][i] - 0.5) * stationary[l] * power(d)[l][i] * from[m];
            }
        }
    }
    sum / length as f64
}

#[test]
fn the_tensor_of_a_chain_matches_its_definition() {
    for (a, b) in [(0.3, 0.6), (0.9, 0.95), (0.05, 0.1), (0.4, 0.6), (0.99, 0.02)] {
        let tensor = GradientTensor::compute(TwoSymbolDistribution::Fixed(a, b), 9);
        for (m, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            for (d, found) in tensor.entry(m, l).iter().enumerate() {
                assert_within(*found, by_definition(a, b, 9, m, l, d), 1e-13);
            }
        }
    }
}

#[test]
fn quadrature_over_the_triangle_matches_quadrature_over_the_square() {
    let length = 20;
    let tensor = independent_tensor(length);
    let nodes = gauss_legendre(80);
    let mut sums = [vec![0.0; length], vec![0.0; length], vec![0.0; length], vec![0.0; length]];
    for (a, da) in &nodes {
        for (b, db) in &nodes {
            let one = GradientTensor::compute(TwoSymbolDistribution::Fixed(*a, *b), length);
            for (at, sum) in sums.iter_mut().enumerate() {
                sum.iter_mut().zip(one.entry(at / 2, at % 2)).for_each(|(s, t)| *s += da * db * t);
            }
        }
    }
    for (at, sum) in sums.iter().enumerate() {
        for (found, expected) in tensor.entry(at / 2, at % 2).iter().zip(sum) {
            assert_within(*found, *expected, 2e-5);
        }
    }
}

#[test]
fn sixty_nodes_are_enough() {
    for (distribution, length) in [
        (TwoSymbolDistribution::Independent, 100),
        (TwoSymbolDistribution::Independent, 256),
        (TwoSymbolDistribution::Equal { epsilon: 0.5 }, 256),
    ] {
        let [few, many] =
            [60, 150].map(|nodes| GradientTensor::compute_with_nodes(distribution, length, nodes));
        for l in 0..2 {
            for (few, many) in few.entry(0, l).iter().zip(many.entry(0, l)) {
                assert_within(*few, *many, 1e-12);
            }
        }
    }
}

/// Chains of two symbols with a, b ~ U(0, 1), and the derivative of the margin loss in its linear regime by each product
/// W_ml v_d, counted on every sequence.
#[test]
fn the_tensor_is_the_mean_over_sampled_sequences() {
    const LENGTH: usize = 12;
    let sequences = 60_000u32;
    for (distribution, tensor) in
        [("default", independent_tensor(LENGTH)), ("equal", equal_tensor(0.5, LENGTH))]
    {
        let (mut sums, mut squares) = (vec![0.0; 4 * LENGTH], vec![0.0; 4 * LENGTH]);
        let stream = RandomStream::new(17, Purpose::Chain, 0);
        for e in 0..sequences {
            let unit = |i: u32| f64::from(stream.draw_uniform(u64::from(e), i)) + 0.5 / 16_777_216.0;
            let a = unit(0);
            let b = if distribution == "equal" { a } else { unit(1) };
            let stay = [a, b];
            let mut x = vec![usize::from(unit(2) >= (1.0 - b) / (2.0 - a - b))];
            for i in 1..=LENGTH {
                let now = x[i - 1];
                x.push(if unit(2 + i as u32) < stay[now] { now } else { 1 - now });
            }
            let mut one = [0.0; 4 * LENGTH];
            for p in 0..LENGTH {
                for q in 0..=p {
                    let hit = if x[q] == x[p + 1] { 0.5 } else { -0.5 };
                    for d in 0..=q {
                        one[(2 * x[p] + x[q - d]) * LENGTH + d] += hit / LENGTH as f64;
                    }
                }
            }
            for (i, value) in one.iter().enumerate() {
                sums[i] += value;
                squares[i] += value * value;
            }
        }
        let n = f64::from(sequences);
        for i in 0..4 * LENGTH {
            let mean = sums[i] / n;
            let error = ((squares[i] / n - mean * mean) / n).sqrt();
            let expected = tensor.entry(i / LENGTH / 2, i / LENGTH % 2)[i % LENGTH];
            assert!(
                (mean - expected).abs() < 4.0 * error,
                "{distribution} {i}: {mean} is not {expected} within {error}"
            );
        }
    }
}

/// Equations E.19 to E.22, printed terms (I) to (IV) and all, for one chain and c = 1.
fn printed_kernel(a: f64, b: f64, t: usize) -> Square {
    let (x, t_) = (a + b - 1.0, t as f64);
    let power = |n: usize| x.powi(n as i32);
    let i = (x - (t_ + 1.0) * power(t + 1) + t_ * power(t + 2)) / ((1.0 - x) * (1.0 - x))
        - (1.0 - power(t)) / ((1.0 - 1.0 / x) * (1.0 - x))
        + t_ / (x - 1.0);
    let ii = x * x * (1.0 - power(t)) / (1.0 - x) - x * t_ * (t_ + 3.0) / 2.0 + t_ * (t_ + 1.0) / 2.0;
    let iii = t_ * x / (1.0 - x) - (x * x - power(t + 2)) / ((1.0 - x) * (1.0 - x)) - t_ * (t_ + 1.0) / 2.0;
    let iv = t_ * (t_ + 1.0) * (t_ + 2.0) / 6.0;
    let (g, h, y) = (a - 1.0, b - 1.0, x - 1.0);
    let both = 2.0 * g * h;
    let front = 1.0 / (t_ * y * y * y);
    [
        [
            front
                * h
                * (a - 0.5)
                * (g * (a - b) / y * i + both / (y * y) * ii + both / y * iii + h * (b - a) * iv),
            front
                * g
                * (a - 0.5)
                * (-h * (a - b) / y * i + both / (y * y) * ii - 2.0 * h * h / y * iii + h * (b - a) * iv),
        ],
        [
            front
                * h
                * (0.5 - b)
                * (-g * (a - b) / y * i - both / (y * y) * ii + 2.0 * g * g / y * iii + g * (b - a) * iv),
            front
                * g
                * (0.5 - b)
                * (h * (a - b) / y * i - both / (y * y) * ii - both / y * iii + g * (b - a) * iv),
        ],
    ]
}

/// Equation E.28 for one chain and c = 1, at j = d + 1.
fn printed_lags(a: f64, b: f64, t: usize, d: usize) -> f64 {
    let (x, n) = (a + b - 1.0, t - d);
    let (g, h, y, n_) = (a - 1.0, b - 1.0, x - 1.0, n as f64);
    let quadratic = n_ * (n_ + 1.0) / 2.0 * ((g * g + h * h) / (y * y) - 0.5);
    let linear = 2.0 * x * g * h / (y * y * y) * ((x - x.powi(n as i32 + 1)) / (1.0 - x) - n_);
    (quadratic + linear) / t as f64
}

#[test]
fn the_first_step_matches_the_printed_formulas() {
    for (a, b) in [(0.3, 0.6), (0.7, 0.9), (0.2, 0.1), (0.5, 0.35), (0.15, 0.8)] {
        for t in [2, 10, 50] {
            let tensor = GradientTensor::compute(TwoSymbolDistribution::Fixed(a, b), t);
            let (found, printed) = (tensor.kernel_gradient(&vec![1.0; t]), printed_kernel(a, b, t));
            for (found, printed) in found.as_flattened().iter().zip(printed.as_flattened()) {
                assert_within(*found, *printed, 1e-9 * (t * t) as f64);
            }
            for (d, found) in tensor.lag_gradient(&[[1.0; 2]; 2]).into_iter().enumerate() {
                assert_within(found, printed_lags(a, b, t, d), 1e-9 * t as f64);
            }
        }
    }
}

/// Equations E.24 and E.25; D is of E.29, and the two of the second step are E.42 and the corrected E.43.
#[test]
fn leading_constants_match_the_lemma() {
    // The remainder after the leading order is of order 1/t; twice the second value minus the first removes it.
    let limit = |of: &dyn Fn(&GradientTensor) -> f64| {
        let at = |t: usize| of(&independent_tensor(t));
        let (near, far, farther) = (at(64), at(128), at(256));
        let (one, two) = (2.0 * far - near, 2.0 * farther - far);
        (4.0 * two - one) / 3.0
    };
    let ln2 = std::f64::consts::LN_2;
    let cubic = |t: &GradientTensor| ((t.length() + 1) * (t.length() + 2)) as f64 / 6.0;
    let kernel = |t: &GradientTensor| t.kernel_gradient(&vec![1.0; t.length()]);
    let b = limit(&|t| kernel(t)[0][0] / cubic(t));
    let a = limit(&|t| kernel(t)[0][1] / cubic(t));
    assert_within(b, (8.0 * ln2 - 5.0) / 12.0, 2e-4);
    assert_within(a, (7.0 - 10.0 * ln2) / 6.0, 2e-4);
    assert_within(((8.0 * ln2 - 5.0) / 12.0) / ((7.0 - 10.0 * ln2) / 6.0), 3.98, 5e-3);
    let square = |t: &GradientTensor, d: usize| {
        ((t.length() - d + 1) * (t.length() - d)) as f64 / (2 * t.length()) as f64
    };
    let lags = limit(&|t| t.lag_gradient(&[[1.0; 2]; 2])[0] / square(t, 0));
    assert_within(lags, 2.0 - libm::log(4.0) - 0.5, 2e-4);
    let identity = [[1.0, 0.0], [0.0, 1.0]];
    for (d, expected) in [(0, (1.0 - ln2) / 3.0), (1, (7.0 - 10.0 * ln2) / 2.0 + (8.0 * ln2 - 5.0) / 6.0)] {
        let found = limit(&|t| t.lag_gradient(&identity)[d] / square(t, d));
        assert_within(found, expected, 2e-4);
    }
}

#[test]
fn the_first_step_favours_the_diagonal_by_these_factors() {
    for (t, expected) in [(10, 9.49), (20, 6.48), (50, 4.95), (100, 4.46), (200, 4.22)] {
        let [[own, other], [across, back]] = independent_tensor(t).kernel_gradient(&vec![1.0; t]);
        assert_within(own / other, expected, 0.005);
        assert_eq!((own, other), (back, across));
    }
}

/// The settings of figures E.1 and E.2.
#[test]
fn two_steps_at_length_one_hundred_match_stored_numbers() {
    let tensor = independent_tensor(100);
    let (c, eta) = (0.02, 0.03);
    let start = MinimalModel::with_equal_weights(c, c, 100);
    let gradient = tensor.kernel_gradient(&start.v);
    assert_within(gradient[0][0] / c, 81.703, 5e-4);
    assert_within(gradient[0][1] / c, 18.307, 5e-4);
    let gradient = tensor.lag_gradient(&start.w);
    for (found, expected) in gradient.iter().zip([5.843, 5.729, 5.615]) {
        assert_within(found / c, expected, 6e-4);
    }
    let first = start.gradient_step(&tensor, eta);
    assert_within(first.w[0][0], 0.06902, 5e-6);
    assert_within(first.w[0][1], 0.03098, 5e-6);
    for (found, expected) in first.v.iter().zip([0.02351, 0.02344, 0.02337]) {
        assert_within(*found, expected, 5e-6);
    }
    assert_eq!(first.largest_lag(), 0);
    assert!(first.v.windows(2).all(|v| v[0] > v[1]));
    let (uniform, diagonal) = first.lag_gradient_parts(&tensor);
    let bias = first.diagonal_mean() - first.off_diagonal_mean();
    let per_unit = [5.216, 6.266, 4.386, 5.055, 4.237, 4.558, 4.086, 4.247];
    for (found, expected) in diagonal.iter().zip(per_unit) {
        assert_within(found / bias, expected, 6e-4);
    }
    let second = first.gradient_step(&tensor, eta);
    for (d, found) in second.v.iter().enumerate() {
        assert_within(*found, first.v[d] + eta * (uniform[d] + diagonal[d]), 1e-15);
    }
    for (found, expected) in second.v.iter().zip([0.03489, 0.03591, 0.03359, 0.03418, 0.03308, 0.03328]) {
        assert_within(*found, expected, 6e-6);
    }
    assert_eq!(second.largest_lag(), 1);
}

#[test]
fn the_largest_lag_is_the_first_of_equals() {
    let leader = |v: &[f64]| MinimalModel { w: [[1.0; 2]; 2], v: v.to_vec() }.largest_lag();
    assert_eq!(leader(&[1.0, 3.0, 3.0, 2.0]), 1);
    assert_eq!(leader(&[-1.0, -2.0, -1.0]), 0);
    assert_eq!(leader(&[1.0, 2.0, 2.0, 4.0, 4.0]), 3);
    assert_eq!(MinimalModel::with_equal_weights(0.02, 0.02, 5).largest_lag(), 0);
}

#[test]
fn bigrams_lead_after_two_steps_of_long_enough_contexts() {
    let leader = |t: usize, eta: f64| {
        let tensor = independent_tensor(t);
        MinimalModel::with_equal_weights(0.02, 0.02, t)
            .gradient_step(&tensor, eta)
            .gradient_step(&tensor, eta)
            .largest_lag()
    };
    for (t, expected) in [(10, 0), (20, 0), (30, 0), (40, 0), (50, 1), (60, 1), (100, 1), (200, 1)] {
        assert_eq!(leader(t, 0.03), expected, "t = {t}");
    }
    // The lemma is asymptotic; the required length depends on the learning rate.
    let crossing = |eta: f64| (2..=120).find(|t| leader(*t, eta) == 1);
    assert_eq!([crossing(0.03), crossing(0.3), crossing(0.003)], [Some(50), Some(25), Some(106)]);
}

#[test]
fn the_initial_value_only_rescales_the_model() {
    let tensor = independent_tensor(30);
    let [small, large] = [0.01, 0.08].map(|c| {
        let start = MinimalModel::with_equal_weights(c, c, 30);
        start.gradient_step(&tensor, 0.03).gradient_step(&tensor, 0.03)
    });
    for (small, large) in small.v.iter().zip(&large.v) {
        assert_within(8.0 * small, *large, 1e-14);
    }
}

/// More steps in the linear regime do not lead to bigrams.
#[test]
fn many_steps_converge_to_a_mixture() {
    let tensor = independent_tensor(100);
    let mut theory = MinimalModel::with_equal_weights(0.02, 0.02, 100);
    for _ in 0..60 {
        theory = theory.gradient_step(&tensor, 0.03);
    }
    assert_within(theory.diagonal_ratio(), 4.915, 2e-3);
    for (found, expected) in theory.v.iter().zip([0.868, 1.0, 0.753, 0.836, 0.726, 0.764]) {
        assert_within(found / theory.v[1], expected, 6e-4);
    }
}

/// Corollary E.2, with exact numbers for its leading orders.
#[test]
fn without_unigrams_only_the_diagonal_changes() {
    let cases =
        [(25, 2.32, 0.443), (50, 6.22, 0.588), (100, 16.0, 0.743), (200, 39.7, 0.906), (400, 95.6, 1.07)];
    for (t, diagonal, lag) in cases {
        let tensor = equal_tensor(0.5, t);
        let [[own, other], _] = tensor.kernel_gradient(&vec![1.0; t]);
        assert_within(own, diagonal, 0.005 * diagonal);
        assert_within(other, 0.0, 1e-12 * own);
        let lags = tensor.lag_gradient(&[[1.0; 2]; 2]);
        assert_within(lags[0], lag, 6e-3 * lag);
        for (d, found) in lags.iter().enumerate() {
            let inner = |n: usize| (1..=n / 2).map(|m| 1.0 / (2 * m + 1) as f64).sum::<f64>();
            let sum: f64 = (1..=t - d).map(inner).sum();
            assert_within(*found, sum / (2 * t) as f64, 1e-10);
        }
    }
    // A seventh of the gradient towards unigrams for independent rows.
    assert_within(independent_tensor(100).lag_gradient(&[[1.0; 2]; 2])[0], 5.843, 6e-4);
}

/// Proposition E.3, from W = 0.
#[test]
fn the_curriculum_ends_with_bigrams() {
    let (all, t) = (independent_tensor(100), 100);
    let two_steps = |kernel: f64, first: f64, epsilon: f64| {
        let after = MinimalModel::with_equal_weights(kernel, 0.02, t).gradient_step(&all, first);
        after.gradient_step_with_decay(&equal_tensor(epsilon, t), 1.0 / t as f64, [1.0; 2])
    };
    let cases = [
        (0.1, 6e-4, [0.031, 1.0, 0.031, 0.053, 0.030, 0.030]),
        (0.25, 6e-4, [0.036, 1.0, 0.035, 0.174, 0.034, 0.058]),
        (0.4, 6e-3, [0.05, 1.0, 0.05, 0.40, 0.05, 0.20]),
    ];
    for (epsilon, within, expected) in cases {
        let theory = two_steps(0.0, 1e-4, epsilon);
        assert_eq!(theory.largest_lag(), 1);
        for (found, expected) in theory.v.iter().zip(expected) {
            assert_within(found / theory.v[1], expected, within);
        }
        assert!(theory.w[0][1].abs() < 1e-12 * theory.w[0][0], "W is a multiple of the identity");
        let other = two_steps(0.0, 3e-3, epsilon);
        assert_within(other.v[3] / other.v[1], theory.v[3] / theory.v[1], 1e-12);
        // If W does not start small, v_1 is not small either.
        let disturbed = two_steps(0.02, 1e-3, epsilon);
        let share = disturbed.v[0] / disturbed.v[1];
        assert!((0.40..0.55).contains(&share), "{share}");
    }
}

/// E[(a − ½)(2a − 1)^d] = ½ (2ε)^{d+1}/(d + 2) at odd d, 0 at even d: equation E.57 with its density.
#[test]
fn even_distances_cancel_near_one_half() {
    for epsilon in [0.1, 0.5] {
        for d in 0..7 {
            let nodes = gauss_legendre(20);
            let a = |x: f64| 0.5 + epsilon * (2.0 * x - 1.0);
            let found: f64 = nodes.iter().map(|(x, w)| w * (a(*x) - 0.5) * (2.0 * a(*x) - 1.0).powi(d)).sum();
            let expected =
                if d % 2 == 1 { 0.5 * (2.0 * epsilon).powi(d + 1) / f64::from(d + 2) } else { 0.0 };
            assert_within(found, expected, 1e-15);
        }
    }
}
