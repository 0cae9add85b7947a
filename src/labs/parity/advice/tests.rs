use super::*;
use crate::PRESETS;
use vivarium_core::math::dot;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::models::mlp::Biases;
use vivarium_model::permalink::decode;
use vivarium_view::presets::{Expectation, ExpectedMeasure};

fn advice(settings: &str) -> Vec<String> {
    let (link, notices) = decode(&format!("#v1/sparse-parity?{settings}"));
    assert!(notices.is_empty(), "{notices:?}");
    learning_obstacles(&link.spec)
}

/// Numbers from −2 to 2.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let (stream, mut at) = (RandomStream::new(seed, Purpose::Weights, 0), 0);
    move || {
        at += 1;
        f64::from(stream.draw_uniform(0, at)) * 4.0 - 2.0
    }
}

/// The perceptron of `n` inputs with some weights.
fn output(mlp: &Mlp, n: usize, seed: u64) -> impl Fn(&[f64]) -> f64 {
    let (mlp, mut next, (hidden, output)) = (mlp.clone(), numbers(seed), mlp.biases());
    let neurons: Vec<(Vec<f64>, f64, f64)> = (0..mlp.width)
        .map(|_| ((0..n).map(|_| next()).collect(), if hidden { next() } else { 0.0 }, next()))
        .collect();
    let beta = if output { next() } else { 0.0 };
    move |x| {
        let neuron = |(w, b, u): &(Vec<f64>, f64, f64)| {
            let z = dot(w, x) + b;
            u * mlp.activation.value_and_slope(mlp.degree, z).0
        };
        neurons.iter().map(neuron).sum::<f64>() + beta
    }
}

/// E[f·χ_S] over all inputs of `n` bits, S being the first k.
fn correlation(n: usize, k: usize, f: impl Fn(&[f64]) -> f64) -> f64 {
    let signs = |word: u32| (0..n).map(move |i| if word >> i & 1 == 0 { 1.0 } else { -1.0 });
    let term = |word| {
        let x: Vec<f64> = signs(word).collect();
        f(&x) * x[..k].iter().product::<f64>()
    };
    (0..1u32 << n).map(term).sum::<f64>() / f64::from(1u32 << n)
}

#[test]
fn perceptrons_are_uncorrelated_exactly_where_it_is_stated() {
    for activation in Activation::ALL {
        for biases in Biases::ALL {
            for (degree, k) in (1..=4).flat_map(|degree| (1..=5).map(move |k| (degree, k))) {
                let mlp =
                    Mlp { width: 6, activation: *activation, degree, biases: *biases, ..Default::default() };
                let said = mlp_expressivity(&mlp).describe_limit(k);
                let largest =
                    (0..8).map(|seed| correlation(6, k, output(&mlp, 6, seed)).abs()).fold(0.0, f64::max);
                assert_eq!(said.is_some(), largest < 1e-9, "{mlp:?}, k = {k}: {largest}, {said:?}");
            }
        }
    }
}

#[test]
fn a_disjoint_product_needs_one_bit_of_each_block() {
    let advice = |query: &str| {
        learning_obstacles(
            &vivarium_model::permalink::decode(&format!(
                "#v1/sparse-parity?model=disjoint-polynet&n=9&{query}"
            ))
            .0
            .spec,
        )
    };
    assert!(advice("layout=blocks").is_empty() && advice("s=1.5.9").is_empty());
    assert!(advice("s=1.2.9")[0].contains("one bit from each block"));
    assert!(advice("degree=1&layout=blocks")[0].contains("a polynomial of degree 1"));
}

#[test]
fn products_are_uncorrelated_exactly_where_it_is_stated() {
    for (degree, k) in (1..=5).flat_map(|degree| (1..=5).map(move |k| (degree, k))) {
        for bias in Bias::ALL {
            let f = |seed: u64, x: &[f64]| {
                let mut next = numbers(seed);
                let mut form = || {
                    let z: f64 = x.iter().map(|x| x * next()).sum();
                    z + if *bias == Bias::Yes { next() } else { 0.0 }
                };
                (0..degree).map(|_| form()).product()
            };
            let text = product_expressivity(degree, *bias == Bias::Yes).describe_limit(k);
            let largest = (0..8).map(|seed| correlation(6, k, |x| f(seed, x)).abs()).fold(0.0, f64::max);
            assert_eq!(text.is_some(), largest < 1e-9, "degree {degree}, {bias:?}, k = {k}: {largest}");
        }
    }
}

#[test]
fn powers_are_uncorrelated_exactly_where_it_is_stated() {
    for (degree, k) in (2..=6).flat_map(|degree| (1..=6).map(move |k| (degree, k))) {
        let f = |seed: u64, x: &[f64]| -> f64 {
            let mut next = numbers(seed);
            let mut neuron = || {
                let z: f64 = x.iter().map(|x| x * next()).sum();
                z.powi(degree as i32) * next()
            };
            (0..5).map(|_| neuron()).sum()
        };
        let net = PowerNet { degree, ..Default::default() };
        let said = power_net_expressivity(&net).describe_limit(k);
        let largest = (0..8).map(|seed| correlation(6, k, |x| f(seed, x)).abs()).fold(0.0, f64::max);
        assert_eq!(said.is_some(), largest < 1e-6, "degree {degree}, k = {k}: {largest}, {said:?}");
    }
    let said = advice("model=power-net&width=1&k=3");
    assert!(
        said.len() == 1 && said[0].starts_with("One z^3 neuron has an output that changes sign at most once"),
        "{said:?}"
    );
}

#[test]
fn a_whole_sample_is_as_many_labels_as_it_holds() {
    assert!(advice("n=10&k=3&data=cube&batch=0").is_empty());
    assert_eq!(advice("n=10&k=3&m=5&batch=0").len(), 1);
    assert!(advice("n=10&k=3&m=500&batch=0").is_empty());
}

#[test]
fn one_neuron_changes_its_sign_as_often_as_is_stated_and_no_oftener() {
    for activation in Activation::ALL {
        for (degree, biases) in (1..=5).flat_map(|d| [Biases::Both, Biases::Hidden].map(|b| (d, b))) {
            let mlp = Mlp { width: 1, activation: *activation, degree, biases, ..Default::default() };
            let Some((_, turns)) = mlp_expressivity(&mlp).sign_changes else { continue };
            let max_value = (0..200).map(|seed| {
                let f = output(&mlp, 1, seed);
                let signs = (-4000..4000).map(|i| f(&[f64::from(i) / 100.0]));
                let signs: Vec<f64> = signs.filter(|v| *v != 0.0).map(f64::signum).collect();
                signs.windows(2).filter(|w| w[0] != w[1]).count()
            });
            assert_eq!(max_value.max(), Some(turns), "{mlp:?}");
        }
    }
}

#[test]
fn two_relus_are_never_the_parity_of_two_bits_without_an_output_bias() {
    let found = |biases| {
        let mlp = Mlp { width: 2, biases, ..Default::default() };
        let right = |seed: u64| {
            let f = output(&mlp, 2, seed);
            [1.0, -1.0].iter().all(|a| [1.0, -1.0].iter().all(|b| f(&[*a, *b]) * a * b > 0.0))
        };
        (0..20_000).filter(|seed| right(*seed)).count()
    };
    assert_eq!(found(Biases::Hidden), 0);
    assert!(found(Biases::Both) > 10);
    assert_eq!(advice("n=20&k=2&width=2&bias=hidden").len(), 1);
    assert!(advice("n=20&k=2&width=2").is_empty() && advice("n=20&k=1&width=2&bias=hidden").is_empty());
}

#[test]
fn reasons_are_sentences() {
    assert_eq!(
        advice("k=3&act=power&degree=2"),
        [
            "This network is a polynomial of degree 2. Its output is uncorrelated with every parity of 3 bits, \
             whatever the weights are."
        ]
    );
    assert_eq!(
        advice("k=3&bias=output"),
        [
            "Without hidden biases this network is the sum of an even function and a linear function of its input. Its output is \
             uncorrelated with every parity of 3 bits, whatever the weights are."
        ]
    );
    assert_eq!(
        advice("k=3&width=1&act=zigzag&degree=2"),
        [
            "One 2-zigzag neuron has an output that changes sign at most twice along the direction of its weights. To \
             compute a parity of 3 bits on all inputs, the output of the neuron would have to change its sign 3 times."
        ]
    );
    assert_eq!(
        advice("k=1&width=1&bias=hidden"),
        [
            "One ReLU neuron without an output bias has an output that never changes sign. To compute a parity of 1 bit on \
             all inputs, the output of the neuron would have to change its sign once."
        ]
    );
    assert_eq!(
        advice("m=10"),
        [
            "With 10 training labels, at most 1,024 sets of bits can be distinguished, but there are 19,600 possible sets: the \
             relevant bits can hardly be learned."
        ]
    );
    for (settings, word) in [
        ("noise=0.5", "half of the labels"),
        ("lr=0", "learning rate of 0"),
        ("width=3&bias=hidden", "can hardly"),
        ("width=2&bias=hidden", "Two ReLU neurons"),
        ("model=polynet&degree=4&bias=no", "Without biases this network is an even function"),
        ("k=2&act=sin&bias=none", "an odd function"),
        ("k=8&n=512&m=50", "With 50 training labels"),
    ] {
        let said = advice(settings);
        assert!(said.len() == 1 && said[0].contains(word), "{settings}: {said:?}");
    }
    assert_eq!(advice("noise=0.5&lr=0&act=power&degree=2").len(), 3);
}

#[test]
fn settings_that_learn_are_left_alone() {
    // Controls are there to fail, and say that they do.
    let fails = |expect: &Expectation| match expect {
        Expectation::Reaches { measure: ExpectedMeasure::TestAccuracy, share, .. } => *share == (0.0, 0.0),
        _ => false,
    };
    for preset in PRESETS.iter().filter(|p| !p.expectations.iter().any(fails)) {
        assert_eq!(learning_obstacles(&preset.link().spec), Vec::<String>::new(), "{}", preset.slug);
    }
    for settings in [
        "",
        "k=1&width=1",
        "k=2&bias=none",
        "width=4&bias=hidden",
        "width=3",
        "k=3&width=1&act=zigzag",
        "k=3&width=1&act=osc&bias=none",
        "k=3&act=power&degree=4",
        "k=1&act=power&degree=3&bias=none",
        "noise=0.49",
        "lr=0&lrs=100:0.1",
        "m=15",
    ] {
        assert_eq!(advice(settings), Vec::<String>::new(), "{settings}");
    }
}
