//! Settings that cannot learn, and why. Such runs are allowed: to see that they fail is an experiment too.
//!
//! # Why
//! A person who meets a flat curve should know whether to wait. "Cannot" stands only for what is proved, with
//! f the network's output, χ_S the parity of k bits, and an answer being right where χ_S(x)·f(x) > 0:
//!
//! ```text
//! E[f·χ_S] = 0 for all weights    f is not right everywhere, for then E[f·χ_S] = E|f| > 0; and by convexity
//!                                 the population's loss stays above that of f = 0 (Jensen)
//!   f a polynomial of degree < k  all its products of coordinates are other parities
//!   f(−x) = f(x), k odd           likewise, even functions having products of evenly many coordinates only;
//!   f(−x) = −f(x), k even         a constant β and, if k ≥ 2, a linear term change nothing
//! f(x) = g(w·x)                   flipping the bits of S in the order of w·x changes χ_S k times, and so g
//! ```
//!
//! Sources: Edelman 2024, appendices B.3.2 (odd parities need a bias) and B.3.7 (depth and degree). The
//! symmetry needs a hidden bias to break it; an output bias does not help.

use crate::models::deep_mlp::{DeepMlp, Training};
use crate::models::mlp::Mlp;
use crate::models::polynet::Bias;
use crate::models::{Activation, Model, PowerNet};
use crate::run::RunSpec;
use crate::settings::thousands;
use crate::tasks::{Sampler, Task};

/// Why these settings cannot learn, or can hardly, each reason as a sentence; nothing for most settings.
///
/// ```
/// use vivarium::{advice::cannot_learn, permalink::decode};
/// let advice = |link: &str| cannot_learn(&decode(link).0.spec);
/// assert!(advice("#v1/sparse-parity?k=3").is_empty());
/// assert!(advice("#v1/sparse-parity?k=3&model=polynet&degree=2")[0].contains("a polynomial of degree 2"));
/// ```
pub fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    let drawn = spec.run.steps.saturating_mul(spec.batch() as u64);
    let task = match &spec.task {
        Task::SparseParity(task) => task,
        Task::SparseBoolean(task) => {
            let labels = task.sample_size().map_or(drawn, |size| size as u64);
            return too_few((task.n, task.k), labels).into_iter().collect();
        }
        _ => return vec![],
    };
    let reach = match &spec.model {
        Model::Mlp(mlp) => perceptron(mlp),
        Model::Polynet(polynet) => product(polynet.degree, polynet.bias == Bias::Yes),
        Model::DisjointPolynet(polynet) => product(polynet.degree, false),
        Model::DeepMlp(deep) => composition(deep),
        Model::PowerNet(net) => powers(net),
        _ => Reach::default(),
    };
    let mut advice: Vec<String> = reach.short_of(task.k).into_iter().collect();
    if let Model::DisjointPolynet(polynet) = &spec.model
        && advice.is_empty()
        && !one_in_each(&task.relevant(spec.run.seed), task.n / polynet.degree.max(1), polynet.degree)
    {
        advice.push(tr!(
            "Every product of this network takes one bit from each block, and the relevant bits do not lie so: it \
             is uncorrelated with their parity.").into());
    }
    if let Model::DeepMlp(deep) = &spec.model
        && deep.training == Training::Greedy
        && let Some(degree) =
            polynomial(deep.activation, deep.degree).filter(|d| advice.is_empty() && *d < task.k)
    {
        advice.push(tr!(
            "Layer by layer, the first layer is trained as a polynomial of degree {degree}, which is uncorrelated \
             with every parity of {k} bits: its gradient holds no signal.", degree, k = task.k));
    }
    if task.noise == 0.5 {
        advice.push(tr!("With half of the labels flipped they say nothing about the inputs, so nothing can be learned from them.").into());
    }
    if spec.learning_rate(0) == 0.0 && spec.run.schedule.iter().all(|(_, lr)| *lr == 0.0) {
        advice.push(tr!("With a learning rate of 0 no weight ever moves, so nothing can be learned.").into());
    }
    let labels = task.sample_size().map_or(drawn, |size| drawn.min(size as u64));
    advice.extend(too_few((task.n, task.k), labels));
    advice
}

/// What a network can be, whatever its weights.
#[derive(Debug, Default)]
struct Reach {
    /// Its degree, if it is a polynomial.
    degree: Option<usize>,
    /// What it is when all inputs change their sign, a constant aside.
    symmetry: Option<Symmetry>,
    /// Which biases that symmetry is for want of.
    missing: &'static str,
    /// For a function of one weighted sum: its name, and how often it changes its sign at most.
    turns: Option<(String, usize)>,
    /// How many ReLU neurons it is, if there is no constant.
    relus: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    Even,
    Odd,
    /// An even function and a linear one.
    EvenAndLinear,
}

impl Symmetry {
    /// Of a function that is even or odd as the degree is.
    fn of(degree: usize) -> Symmetry {
        if degree.is_multiple_of(2) { Symmetry::Even } else { Symmetry::Odd }
    }

    fn words(self) -> &'static str {
        match self {
            Symmetry::Even => tr!("an even function of its input"),
            Symmetry::Odd => tr!("an odd function of its input"),
            Symmetry::EvenAndLinear => tr!("an even function of its input plus a linear one"),
        }
    }
}

impl Reach {
    /// Why no weights make it the parity of `k` bits, or hardly any that training finds.
    fn short_of(&self, k: usize) -> Option<String> {
        let bits = if k == 1 { tr!("1 bit").into() } else { tr!("{k} bits", k) };
        let uncorrelated = |what: String| {
            tr!(
                "{what}, which is uncorrelated with every parity of {bits}: no weights make it one.",
                what,
                bits
            )
        };
        if let Some(degree) = self.degree.filter(|degree| *degree < k) {
            return Some(uncorrelated(tr!("This network is a polynomial of degree {degree}", degree)));
        }
        let symmetry = self.symmetry.filter(|symmetry| match symmetry {
            Symmetry::Even => !k.is_multiple_of(2),
            Symmetry::Odd => k.is_multiple_of(2),
            Symmetry::EvenAndLinear => !k.is_multiple_of(2) && k > 1,
        });
        if let Some(symmetry) = symmetry {
            let what = tr!(
                "Without {missing} this network is {symmetry}",
                missing = self.missing,
                symmetry = symmetry.words()
            );
            return Some(uncorrelated(what));
        }
        if let Some((name, turns)) = self.turns.as_ref().filter(|(_, turns)| *turns < k) {
            let turns = match turns {
                0 => tr!("never changes its sign").into(),
                1 => tr!("changes its sign at most once along its weights").into(),
                2 => tr!("changes its sign at most twice along its weights").into(),
                many => tr!("changes its sign at most {many} times along its weights", many),
            };
            let times = match k {
                1 => "once".into(),
                2 => "twice".into(),
                k => tr!("{k} times", k),
            };
            return Some(tr!(
                "{name} {turns}, and a parity of {bits} does so {times}: it cannot be right on all inputs.",
                name,
                turns,
                bits,
                times
            ));
        }
        match self.relus {
            Some(2) if k > 1 => Some(
                tr!(
                    "Two ReLU neurons without an output bias cannot be the parity of 2 bits, and that is what is \
                     left when all others stand still: they cannot be right on all inputs.")
                    .into(),
            ),
            // Measured, not proved: none of 20 runs of width k, where half of those with an output bias did.
            Some(width) if (3..=k).contains(&width) => Some(tr!("With only {width} ReLU neurons and no output bias a parity of {bits} can hardly be learned.", width, bits)),
            _ => None,
        }
    }
}

fn perceptron(mlp: &Mlp) -> Reach {
    let (hidden, output) = mlp.biases();
    let degree = mlp.degree;
    let is_even = degree.is_multiple_of(2);
    let (name, turns) = match mlp.activation {
        Activation::Relu => (tr!("ReLU").into(), Some(usize::from(output))),
        Activation::Power if is_even => (format!("z^{degree}"), Some(if output { 2 } else { 0 })),
        Activation::Power => (format!("z^{degree}"), Some(1)),
        Activation::Zigzag => (format!("{degree}-zigzag"), Some(degree)),
        Activation::Oscillating => (tr!("degree-{degree} oscillating", degree), Some(degree)),
        Activation::Wave | Activation::Sine => (String::new(), None),
    };
    let without = if turns == Some(0) { tr!(" without an output bias") } else { "" };
    Reach {
        degree: polynomial(mlp.activation, degree),
        symmetry: (!hidden).then(|| match mlp.activation {
            // max(0, z) = |z|/2 + z/2.
            Activation::Relu => Symmetry::EvenAndLinear,
            _ => Symmetry::of(degree),
        }),
        missing: tr!("hidden biases"),
        turns: turns
            .filter(|_| mlp.neurons() == 1)
            .map(|turns| (tr!("One {name} neuron{without}", name, without), turns)),
        relus: (mlp.activation == Activation::Relu && !output).then(|| mlp.neurons()),
    }
}

/// Layers of a polynomial multiply their degrees.
fn composition(deep: &DeepMlp) -> Reach {
    let layers = deep.widths.len() as u32;
    Reach {
        degree: polynomial(deep.activation, deep.degree).map(|d| d.saturating_pow(layers)),
        ..Default::default()
    }
}

/// The degree of an activation that is a polynomial.
fn polynomial(activation: Activation, degree: usize) -> Option<usize> {
    match activation {
        Activation::Power | Activation::Oscillating => Some(degree),
        Activation::Zigzag if degree == 1 => Some(1),
        _ => None,
    }
}

fn product(degree: usize, biased: bool) -> Reach {
    Reach {
        degree: Some(degree),
        symmetry: (!biased).then(|| Symmetry::of(degree)),
        missing: "biases",
        ..Default::default()
    }
}

/// A sum of powers, each even or odd as its degree is.
fn powers(net: &PowerNet) -> Reach {
    let degree = net.degree;
    // A positive multiple of (u·x)^k, or a negative one.
    let turns = (tr!("One z^{degree} neuron", degree), degree % 2);
    Reach { turns: (net.width == 1).then_some(turns), ..product(degree, false) }
}

/// Whether exactly one of these bits lies in each of `blocks` blocks.
fn one_in_each(relevant: &[usize], size: usize, blocks: usize) -> bool {
    (0..blocks).all(|block| relevant.iter().filter(|i| **i / size.max(1) == block).count() == 1)
}

/// Whether all labels of a run together hold less than it takes to name the relevant bits.
fn too_few((n, k): (usize, usize), labels: u64) -> Option<String> {
    let sets = (0..k as u64).fold(1u64, |sets, i| sets.saturating_mul(n as u64 - i) / (i + 1));
    let apart = 1u64.checked_shl(labels.try_into().ok()?)?;
    (labels < 63 && apart < sets).then(|| {
        tr!(
            "{labels} labels tell at most {apart} sets of bits apart, and there are {sets}: this can hardly be \
             learned.", labels, apart = thousands(apart), sets = thousands(sets))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::mlp::Biases;
    use crate::permalink::decode;
    use crate::presets::{Expect, Measure, PRESETS};
    use crate::rng::{Purpose, Stream};

    fn advice(settings: &str) -> Vec<String> {
        let (link, notices) = decode(&format!("#v1/sparse-parity?{settings}"));
        assert!(notices.is_empty(), "{notices:?}");
        cannot_learn(&link.spec)
    }

    /// Numbers from −2 to 2.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let (stream, mut at) = (Stream::new(seed, Purpose::Weights, 0), 0);
        move || {
            at += 1;
            f64::from(stream.unit(0, at)) * 4.0 - 2.0
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
                let z = w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b;
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
    fn perceptrons_are_uncorrelated_exactly_where_it_is_said() {
        for activation in Activation::ALL {
            for biases in Biases::ALL {
                for (degree, k) in (1..=4).flat_map(|degree| (1..=5).map(move |k| (degree, k))) {
                    let mlp = Mlp {
                        width: 6,
                        activation: *activation,
                        degree,
                        biases: *biases,
                        ..Default::default()
                    };
                    let said = perceptron(&mlp).short_of(k);
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
            cannot_learn(
                &crate::permalink::decode(&format!("#v1/sparse-parity?model=disjoint-polynet&n=9&{query}"))
                    .0
                    .spec,
            )
        };
        assert!(advice("layout=blocks").is_empty() && advice("s=1.5.9").is_empty());
        assert!(advice("s=1.2.9")[0].contains("one bit from each block"));
        assert!(advice("degree=1&layout=blocks")[0].contains("a polynomial of degree 1"));
    }

    #[test]
    fn products_are_uncorrelated_exactly_where_it_is_said() {
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
                let said = product(degree, *bias == Bias::Yes).short_of(k);
                let largest = (0..8).map(|seed| correlation(6, k, |x| f(seed, x)).abs()).fold(0.0, f64::max);
                assert_eq!(said.is_some(), largest < 1e-9, "degree {degree}, {bias:?}, k = {k}: {largest}");
            }
        }
    }

    #[test]
    fn powers_are_uncorrelated_exactly_where_it_is_said() {
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
            let said = powers(&net).short_of(k);
            let largest = (0..8).map(|seed| correlation(6, k, |x| f(seed, x)).abs()).fold(0.0, f64::max);
            assert_eq!(said.is_some(), largest < 1e-6, "degree {degree}, k = {k}: {largest}, {said:?}");
        }
        let said = advice("model=power-net&width=1&k=3");
        assert!(
            said.len() == 1 && said[0].starts_with("One z^3 neuron changes its sign at most once"),
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
    fn one_neuron_changes_its_sign_as_often_as_is_said_and_no_oftener() {
        for activation in Activation::ALL {
            for (degree, biases) in (1..=5).flat_map(|d| [Biases::Both, Biases::Hidden].map(|b| (d, b))) {
                let mlp = Mlp { width: 1, activation: *activation, degree, biases, ..Default::default() };
                let Some((_, turns)) = perceptron(&mlp).turns else { continue };
                let most = (0..200).map(|seed| {
                    let f = output(&mlp, 1, seed);
                    let signs = (-4000..4000).map(|i| f(&[f64::from(i) / 100.0]));
                    let signs: Vec<f64> = signs.filter(|v| *v != 0.0).map(f64::signum).collect();
                    signs.windows(2).filter(|w| w[0] != w[1]).count()
                });
                assert_eq!(most.max(), Some(turns), "{mlp:?}");
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
                "This network is a polynomial of degree 2, which is uncorrelated with every parity of 3 bits: no \
                 weights make it one."
            ]
        );
        assert_eq!(
            advice("k=3&bias=output"),
            [
                "Without hidden biases this network is an even function of its input plus a linear one, which is \
                 uncorrelated with every parity of 3 bits: no weights make it one."
            ]
        );
        assert_eq!(
            advice("k=3&width=1&act=zigzag&degree=2"),
            [
                "One 2-zigzag neuron changes its sign at most twice along its weights, and a parity of 3 bits does \
                 so 3 times: it cannot be right on all inputs."
            ]
        );
        assert_eq!(
            advice("k=1&width=1&bias=hidden"),
            [
                "One ReLU neuron without an output bias never changes its sign, and a parity of 1 bit does so once: \
                 it cannot be right on all inputs."
            ]
        );
        assert_eq!(
            advice("m=10"),
            [
                "10 labels tell at most 1,024 sets of bits apart, and there are 19,600: this can hardly be learned."
            ]
        );
        for (settings, word) in [
            ("noise=0.5", "half of the labels"),
            ("lr=0", "learning rate of 0"),
            ("width=3&bias=hidden", "can hardly"),
            ("width=2&bias=hidden", "Two ReLU neurons"),
            ("model=polynet&degree=4&bias=no", "Without biases this network is an even function"),
            ("k=2&act=sin&bias=none", "an odd function"),
            ("k=8&n=512&m=50", "50 labels tell"),
        ] {
            let said = advice(settings);
            assert!(said.len() == 1 && said[0].contains(word), "{settings}: {said:?}");
        }
        assert_eq!(advice("noise=0.5&lr=0&act=power&degree=2").len(), 3);
    }

    #[test]
    fn settings_that_learn_are_left_alone() {
        // Controls are there to fail, and say that they do.
        let fails = |expect: &Expect| match expect {
            Expect::Reaches { measure: Measure::TestAccuracy, share, .. } => *share == (0.0, 0.0),
            _ => false,
        };
        for preset in PRESETS.iter().filter(|p| !p.expect.iter().any(fails)) {
            assert_eq!(cannot_learn(&preset.link().spec), Vec::<String>::new(), "{}", preset.slug);
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
}
