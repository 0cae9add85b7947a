//! Reasons why some settings cannot learn. Such runs are allowed: to see that they fail is an experiment too.
//!
//! # Why
//! A user who sees a flat curve should know whether to wait. "Cannot" is used only for what is proved, with
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

use crate::advice::describe_too_few_labels;
use vivarium_model::models::deep_mlp::{DeepMlp, Training};
use vivarium_model::models::mlp::Mlp;
use vivarium_model::models::polynet::Bias;
use vivarium_model::models::{Activation, Model, PowerNet};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Examples, Task};

/// Reasons why a network with these settings cannot learn the parity, or hardly can, as sentences; empty for most
/// settings.
pub fn learning_obstacles(spec: &RunSpec) -> Vec<String> {
    let drawn = spec.run.steps.saturating_mul(spec.batch_size() as u64);
    let Task::SparseParity(task) = &spec.task else { return vec![] };
    let reach = match &spec.model {
        Model::Mlp(mlp) => mlp_expressivity(mlp),
        Model::Polynet(polynet) => product_expressivity(polynet.degree, polynet.bias == Bias::Yes),
        Model::DisjointPolynet(polynet) => product_expressivity(polynet.degree, false),
        Model::DeepMlp(deep) => deep_mlp_expressivity(deep),
        Model::PowerNet(net) => power_net_expressivity(net),
        _ => Expressivity::default(),
    };
    let mut advice: Vec<String> = reach.describe_limit(task.k).into_iter().collect();
    if let Model::DisjointPolynet(polynet) = &spec.model
        && advice.is_empty()
        && !one_bit_per_block(&task.relevant(spec.run.seed), task.n / polynet.degree.max(1), polynet.degree)
    {
        advice.push(
            tr!("The output of this network is a weighted sum of products with one bit from each block, but not every block contains exactly one relevant bit. So the output is uncorrelated with the parity of the relevant bits.")
            .into(),
        );
    }
    if let Model::DeepMlp(deep) = &spec.model
        && deep.training == Training::Greedy
        && let Some(degree) =
            polynomial_degree(deep.activation, deep.degree).filter(|d| advice.is_empty() && *d < task.k)
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
    if spec.learning_rate_before_schedule(0) == 0.0 && spec.run.schedule.iter().all(|(_, lr)| *lr == 0.0) {
        advice
            .push(tr!("With a learning rate of 0 no weight ever changes, so nothing can be learned.").into());
    }
    let labels = task.training_set_size().map_or(drawn, |size| drawn.min(size as u64));
    advice.extend(describe_too_few_labels((task.n, task.k), labels));
    advice
}

/// Properties that a network has for all values of its weights, and that limit the parities which it can compute.
#[derive(Debug, Default)]
struct Expressivity {
    /// Degree of the network as a polynomial of its input; `None` if it is no polynomial.
    degree: Option<usize>,
    /// Symmetry of the output, apart from a constant, when all inputs change sign; `None` if there is none.
    symmetry: Option<Symmetry>,
    /// Kind of biases without which the network has the `symmetry`, as text: "hidden biases".
    missing_biases: &'static str,
    /// For a network that is a function of one weighted sum of the inputs: name of its neuron, and maximum number of
    /// sign changes of the output along that sum.
    sign_changes: Option<(String, usize)>,
    /// Number of ReLU neurons of a network without output bias; `None` for other networks.
    relu_neurons: Option<usize>,
}

/// Symmetry of a function under a change of sign of all inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    /// Function f with f(−x) = f(x) for all inputs x.
    Even,
    /// Function f with f(−x) = −f(x) for all inputs x.
    Odd,
    /// Function that is the sum of an even and a linear function of the inputs.
    EvenAndLinear,
}

impl Symmetry {
    /// Symmetry of the function z ↦ z^degree: even for an even degree, odd for an odd one.
    fn of_degree(degree: usize) -> Symmetry {
        if degree.is_multiple_of(2) { Symmetry::Even } else { Symmetry::Odd }
    }

    /// Text of the symmetry as part of a sentence: "an even function of its input".
    fn describe(self) -> &'static str {
        match self {
            Symmetry::Even => tr!("an even function of its input"),
            Symmetry::Odd => tr!("an odd function of its input"),
            Symmetry::EvenAndLinear => tr!("the sum of an even function and a linear function of its input"),
        }
    }
}

impl Expressivity {
    /// Reason why no weights compute the parity of `k` bits, or why training hardly finds such weights; `None` if
    /// neither holds.
    fn describe_limit(&self, k: usize) -> Option<String> {
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
                missing = self.missing_biases,
                symmetry = symmetry.describe()
            );
            return Some(uncorrelated(what));
        }
        if let Some((name, turns)) = self.sign_changes.as_ref().filter(|(_, turns)| *turns < k) {
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
        match self.relu_neurons {
            Some(2) if k > 1 => Some(
                tr!("Two ReLU neurons without an output bias cannot compute the parity of 2 bits. A parity of more \
                     bits becomes a parity of 2 bits when the other bits are fixed, so the neurons cannot be \
                     right on all inputs.")
                .into(),
            ),
            // Measured, not proved: none of 20 runs of width k learned it, but half of those with an output bias did.
            Some(width) if (3..=k).contains(&width) => Some(tr!(
                "With only {width} ReLU neurons and no output bias a parity of {bits} can hardly be learned.",
                width,
                bits
            )),
            _ => None,
        }
    }
}

/// Limits on the parities that an MLP with one hidden layer can compute: degree, symmetry, sign changes and number of
/// ReLUs.
fn mlp_expressivity(mlp: &Mlp) -> Expressivity {
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
    Expressivity {
        degree: polynomial_degree(mlp.activation, degree),
        symmetry: (!hidden).then(|| match mlp.activation {
            // max(0, z) = |z|/2 + z/2.
            Activation::Relu => Symmetry::EvenAndLinear,
            _ => Symmetry::of_degree(degree),
        }),
        missing_biases: tr!("hidden biases"),
        sign_changes: turns
            .filter(|_| mlp.neurons() == 1)
            .map(|turns| (tr!("One {name} neuron{without}", name, without), turns)),
        relu_neurons: (mlp.activation == Activation::Relu && !output).then(|| mlp.neurons()),
    }
}

/// Limits on the parities that an MLP with several hidden layers can compute: only its degree as a polynomial, the
/// product of the layers' degrees.
fn deep_mlp_expressivity(deep: &DeepMlp) -> Expressivity {
    let layers = deep.widths.len() as u32;
    Expressivity {
        degree: polynomial_degree(deep.activation, deep.degree).map(|d| d.saturating_pow(layers)),
        ..Default::default()
    }
}

/// Degree of an activation function that is a polynomial; `None` for other functions. `degree` is the setting of the
/// activation.
fn polynomial_degree(activation: Activation, degree: usize) -> Option<usize> {
    match activation {
        Activation::Power | Activation::Oscillating => Some(degree),
        Activation::Zigzag if degree == 1 => Some(1),
        _ => None,
    }
}

/// Limits on the parities that a sum of products of `degree` linear forms, each with a bias if `biased`, can compute:
/// degree and symmetry.
fn product_expressivity(degree: usize, biased: bool) -> Expressivity {
    Expressivity {
        degree: Some(degree),
        symmetry: (!biased).then(|| Symmetry::of_degree(degree)),
        missing_biases: "biases",
        ..Default::default()
    }
}

/// Limits on the parities that a power network (sum of powers of linear forms) can compute: degree, and even or odd
/// symmetry as the degree is even or odd.
fn power_net_expressivity(net: &PowerNet) -> Expressivity {
    let degree = net.degree;
    // A positive multiple of (u·x)^k, or a negative one.
    let turns = (tr!("One z^{degree} neuron", degree), degree % 2);
    Expressivity { sign_changes: (net.width == 1).then_some(turns), ..product_expressivity(degree, false) }
}

/// Whether each of the first `blocks` blocks of `size` consecutive bits contains exactly one of the relevant bits
/// (numbers from 0).
fn one_bit_per_block(relevant: &[usize], size: usize, blocks: usize) -> bool {
    (0..blocks).all(|block| relevant.iter().filter(|i| **i / size.max(1) == block).count() == 1)
}

#[cfg(test)]
mod tests;
