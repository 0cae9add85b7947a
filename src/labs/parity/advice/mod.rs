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

use crate::advice::too_few;
use vivarium_model::models::deep_mlp::{DeepMlp, Training};
use vivarium_model::models::mlp::Mlp;
use vivarium_model::models::polynet::Bias;
use vivarium_model::models::{Activation, Model, PowerNet};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Examples, Task};

/// Why these settings cannot learn, or can hardly, each reason as a sentence; nothing for most settings.
pub fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    let drawn = spec.run.steps.saturating_mul(spec.batch() as u64);
    let Task::SparseParity(task) = &spec.task else { return vec![] };
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
        advice.push(
            tr!("The output of this network is a weighted sum of products with one bit from each block, but not every block contains exactly one relevant bit. So the output is uncorrelated with the parity of the relevant bits.")
            .into(),
        );
    }
    if let Model::DeepMlp(deep) = &spec.model
        && deep.training == Training::Greedy
        && let Some(degree) =
            polynomial(deep.activation, deep.degree).filter(|d| advice.is_empty() && *d < task.k)
    {
        advice.push(tr!(
            "In layer-by-layer training the first layer is a polynomial of degree {degree}. This polynomial is \
             uncorrelated with every parity of {k} bits, so its gradient contains no information about the relevant bits.",
            degree,
            k = task.k
        ));
    }
    if task.noise == 0.5 {
        advice.push(tr!("With half of the labels flipped, the labels contain no information about the inputs, so nothing can be learned.").into());
    }
    if spec.set_rate(0) == 0.0 && spec.run.schedule.iter().all(|(_, lr)| *lr == 0.0) {
        advice
            .push(tr!("With a learning rate of 0 no weight ever changes, so nothing can be learned.").into());
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
            Symmetry::EvenAndLinear => tr!("the sum of an even function and a linear function of its input"),
        }
    }
}

impl Reach {
    /// Why no weights make it the parity of `k` bits, or hardly any that training finds.
    fn short_of(&self, k: usize) -> Option<String> {
        let bits = if k == 1 { tr!("1 bit").into() } else { tr!("{k} bits", k) };
        let uncorrelated = |what: String| {
            tr!(
                "{what}. Its output is uncorrelated with every parity of {bits}, whatever the weights are.",
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
                0 => tr!("has an output that never changes sign").into(),
                1 => tr!("has an output that changes sign at most once along the direction of its weights")
                    .into(),
                2 => tr!("has an output that changes sign at most twice along the direction of its weights")
                    .into(),
                many => tr!(
                    "has an output that changes sign at most {many} times along the direction of its weights",
                    many
                ),
            };
            let times = match k {
                1 => "once".into(),
                2 => "twice".into(),
                k => tr!("{k} times", k),
            };
            return Some(tr!(
                "{name} {turns}. To compute a parity of {bits} on all inputs, the output of the neuron would have to \
                 change its sign {times}.",
                name,
                turns,
                bits,
                times
            ));
        }
        match self.relus {
            Some(2) if k > 1 => Some(
                tr!("Two ReLU neurons without an output bias cannot compute the parity of 2 bits. A parity of more \
                     bits becomes a parity of 2 bits when the other bits are fixed, so the neurons cannot be \
                     right on all inputs.")
                .into(),
            ),
            // Measured, not proved: none of 20 runs of width k, where half of those with an output bias did.
            Some(width) if (3..=k).contains(&width) => Some(tr!(
                "With only {width} ReLU neurons and no output bias a parity of {bits} can hardly be learned.",
                width,
                bits
            )),
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

#[cfg(test)]
mod tests;
