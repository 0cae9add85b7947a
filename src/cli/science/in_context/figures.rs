//! Results of an independent implementation in numpy and JAX on transformers as deep optimizers, with the
//! runs that reproduce them.
//!
//! # What was not written down there
//! Where the linear pieces for tanh end: at ±4 here, which leaves half the distances found there. Whether
//! prompts of one number without a constant had inputs N(0, 1.5²) like those with one: taken to be so. Heads
//! of the wider networks: taken to be 2. The λ of the ridge regressions: that of our [baselines](Baseline),
//! and that they have a constant. Each network was run with one seed there.

use vivarium_science::descent::ComparisonMeasure;
use vivarium_science::functions::InputDistribution;
use vivarium_science::functions::baselines::Baseline;

/// A size of the built transformer: its weights are not trained, but set so that it performs gradient descent
/// on a small network whose weights its tokens hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanSize {
    /// Length D of a token: how many numbers it has.
    Token,
    /// Number of weights of the small network, which every token holds.
    Weights,
    /// Number of transformer layers that make one step of gradient descent.
    Layers,
    /// Number of attention heads that make one step of gradient descent.
    Heads,
}

/// A quantity of the built transformer that should be zero, up to rounding; the transformer performs gradient
/// descent on weights that its tokens hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZeroDifference {
    /// Euclidean distance that weights that start at zero move in 50 steps of gradient descent.
    ZeroWeights,
    /// Euclidean distance between the weights after 30 steps with and without the label 7 in the query's
    /// token.
    QueryLabel,
    /// Euclidean distance between the weights after one step with the examples in order and shuffled.
    Shuffling,
    /// Largest distance between the copies of the weights in two tokens.
    TokenCopies,
    /// Largest number in the workspace of the tokens after a step.
    Workspace,
}

/// Result of an independent implementation on transformers as deep optimizers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InContextFigure {
    /// A further measure of the built transformer: measure, step, value.
    Measured(ComparisonMeasure, u64, f64),
    /// Training loss of the built transformer: step, value.
    Loss(u64, f64),
    /// ‖w_tokens − w_descent‖₂ with tokens in single precision and δ = 0.001: step, value.
    SinglePrecision(u64, f64),
    /// A size of the built transformer.
    Size(PlanSize, u64),
    /// A difference that should be zero, up to rounding.
    Zero(ZeroDifference, f64),
    /// Approximate number of trained parameters.
    Trained(u64),
    /// R² at the last point of a prompt: step, value.
    RSquaredAtStep(u64, f64),
    /// R² at the end of a run: number of examples before the point, value.
    RSquaredAfterExamples(usize, f64),
    /// R² of a baseline: number of examples before the point (None: the last point), value.
    Baseline(Baseline, Option<usize>, f64),
    /// Median R² of affine fits to random networks of width 20 on 20 numbers.
    Affine {
        /// Distribution of the inputs.
        distribution: InputDistribution,
        /// Layers of the random network.
        layers: usize,
        /// Examples for ridge regression; None for the best affine fit.
        examples: Option<usize>,
        /// R².
        found: f64,
    },
}

/// A result of the independent implementation on transformers as deep optimizers, with the run that
/// reproduces it.
#[derive(Debug, Clone, PartialEq)]
pub struct InContextInstance {
    /// Name of the result in the table of comparisons: section of the summary on transformers as deep
    /// optimizers, and particulars.
    pub name: String,
    /// Settings of the run as in a link, without task and replicas.
    pub link: String,
    /// Number of networks that are trained, or of random draws of the built transformer; 0 if neither is
    /// needed.
    pub seeds: usize,
    /// Result of the independent implementation.
    pub figure: InContextFigure,
}

/// Number of random draws of initial weights and examples on which the built transformer is measured.
const BUILT_SEEDS: usize = 20;

/// All results of the independent implementation on transformers as deep optimizers, in the order of their
/// summary.
pub fn in_context_instances() -> Vec<InContextInstance> {
    let mut all = size_instances();
    all.extend(distance_instances());
    all.extend(affine_instances());
    all.extend(trained_instances());
    all.extend(zero_instances());
    all
}

/// Results of sections 3 and 5.3 of the summary: sizes of the built transformer.
fn size_instances() -> Vec<InContextInstance> {
    let one = |what: &str, link: &str, size, found| InContextInstance {
        name: format!("built 3: {what}"),
        link: link.into(),
        seeds: 0,
        figure: InContextFigure::Size(size, found),
    };
    let mut all = vec![
        one("numbers of a token, 2-8-8-1", "", PlanSize::Token, 145),
        one("weights, 2-8-8-1", "", PlanSize::Weights, 88),
        one("heads of a step, ReLU", "", PlanSize::Heads, 102),
        one("heads of a step, tanh, M = 32", "act=tanh", PlanSize::Heads, 1110),
    ];
    let layers = [(2, "8", 8), (3, "8.8", 10), (4, "8.8.8", 12), (6, "6.6.6.6.6", 16)];
    all.extend(layers.map(|(n, hidden, found)| {
        one(&format!("layers of a step, N = {n}"), &format!("hidden={hidden}"), PlanSize::Layers, found)
    }));
    all
}

/// Numbers of gradient descent steps after which the table in section 5.1 of the summary has distances
/// between the weights in the tokens of the built transformer and those of direct gradient descent.
const DISTANCE_STEPS: [u64; 6] = [1, 5, 10, 25, 50, 100];

/// Results of section 5.1 of the summary: distances between the weights in the built transformer and those of
/// direct gradient descent.
fn distance_instances() -> Vec<InContextInstance> {
    let one = |name: String, link: &str, figure| InContextInstance {
        name,
        link: link.into(),
        seeds: BUILT_SEEDS,
        figure,
    };
    let row = |what: String, link: String, found: &[f64]| {
        let at = |(step, found): (u64, &f64)| {
            one(format!("built 5.1: {what}, step {step}"), &link, distance_figure(step, *found))
        };
        DISTANCE_STEPS.into_iter().zip(found).map(at).collect::<Vec<_>>()
    };
    let mut all =
        row("ReLU, δ = 0.0001".into(), String::new(), &[3e-15, 2e-15, 3e-15, 6e-15, 4.5e-4, 4.4e-4]);
    let single = [9e-7, 6e-7, 1e-6, 1.1e-3, 2.5e-3, 1.8e-3];
    all.extend(DISTANCE_STEPS.into_iter().zip(single).map(|(step, found)| {
        let name = format!("built 5.1: ReLU, δ = 0.001, single precision, step {step}");
        one(name, "delta=0.001", InContextFigure::SinglePrecision(step, found))
    }));
    let wide = [8.6e-3, 0.027, 0.040, 0.046, 0.038, 0.054];
    all.extend(row("ReLU, δ = 0.1".into(), "delta=0.1".into(), &wide));
    let tanh: [(usize, &[f64]); 5] = [
        (8, &[0.039, 0.11, 0.13, 0.24, 0.32, 0.44]),
        (16, &[0.012, 0.030, 0.034, 0.048, 0.061, 0.087]),
        (32, &[2.5e-3, 6.3e-3, 7.1e-3, 0.010, 0.013, 0.021]),
        (64, &[6.6e-4, 1.5e-3, 1.7e-3, 2.4e-3, 2.7e-3, 4.2e-3]),
        (128, &[1.7e-4, 4.0e-4, 4.1e-4, 6.4e-4, 7.4e-4]),
    ];
    for (knots, found) in tanh {
        all.extend(row(format!("tanh, M = {knots}"), format!("act=tanh&knots={knots}"), found));
    }
    all.extend([
        one("built 5.1: loss of ReLU, step 0".into(), "", InContextFigure::Loss(0, 0.332)),
        one("built 5.1: loss of ReLU, step 100".into(), "", InContextFigure::Loss(100, 0.0384)),
        one("built 5.1: loss of tanh, step 0".into(), "act=tanh", InContextFigure::Loss(0, 0.389)),
        one("built 5.1: loss of tanh, step 100".into(), "act=tanh", InContextFigure::Loss(100, 0.0397)),
        one(
            "built 5.1: distance to the start of ReLU, step 100".into(),
            "",
            InContextFigure::Measured(ComparisonMeasure::Moved, 100, 0.84),
        ),
        one(
            "built 5.1: N = 6, 2-6-6-6-6-6-1, step 50".into(),
            "hidden=6.6.6.6.6",
            distance_figure(50, 1.4e-5),
        ),
    ]);
    all
}

/// A result: Euclidean distance `reference`, in the independent implementation, between the weights in the
/// tokens of the built transformer and those of direct gradient descent after `step` steps.
const fn distance_figure(step: u64, reference: f64) -> InContextFigure {
    InContextFigure::Measured(ComparisonMeasure::Distance, step, reference)
}

/// Results in the caution of section 4 of the summary: random networks are nearly affine in the region of the
/// paper's inputs.
fn affine_instances() -> Vec<InContextInstance> {
    let all = [
        (InputDistribution::Mixture, "N(−2, I)", None, [0.83, 0.79, 0.74]),
        (InputDistribution::Mixture, "N(−2, I)", Some(50), [0.69, 0.65, 0.57]),
        (InputDistribution::Normal, "N(0, I)", None, [0.61, 0.56, 0.42]),
        (InputDistribution::Normal, "N(0, I)", Some(50), [0.32, 0.22, 0.09]),
    ];
    let row = |(law, inputs, examples, found): (InputDistribution, &str, Option<usize>, [f64; 3])| {
        let fit = examples.map_or("best affine fit".into(), |count| format!("ridge from {count} examples"));
        let one = |(layers, found)| InContextInstance {
            name: format!("learned 4: {fit}, {layers} layers, {inputs}"),
            link: String::new(),
            seeds: 0,
            figure: InContextFigure::Affine { distribution: law, layers, examples, found },
        };
        [3, 4, 6].into_iter().zip(found).map(one).collect::<Vec<_>>()
    };
    all.into_iter().flat_map(row).collect()
}

/// Results that share one trained network, or one set of baselines that see a single prompt.
struct FigureGroup {
    /// Description of the network or the baselines in the names of the results, such as "1 layer".
    name: &'static str,
    /// Settings of the run as in a link, without task and replicas.
    link: &'static str,
    /// Number of networks that are trained; 0 for baselines.
    seeds: usize,
    /// Results of the network or of the baselines.
    figures: &'static [InContextFigure],
}

use InContextFigure::{RSquaredAfterExamples, RSquaredAtStep, Trained};

/// Results of section 5.2 of the summary: trained transformers, and baselines that see a single prompt.
const TRAINED_GROUPS: &[FigureGroup] = &[
    FigureGroup {
        name: "1 layer",
        link: "blocks=1",
        seeds: 5,
        figures: &[
            Trained(9500),
            RSquaredAtStep(1000, 0.07),
            RSquaredAtStep(3000, 0.14),
            RSquaredAtStep(4000, 0.13),
        ],
    },
    FigureGroup {
        name: "2 layers",
        link: "",
        seeds: 5,
        figures: &[
            Trained(17_800),
            RSquaredAtStep(1000, 0.73),
            RSquaredAtStep(3000, 0.86),
            RSquaredAtStep(4000, 0.87),
            RSquaredAfterExamples(10, 0.91),
        ],
    },
    FigureGroup {
        name: "4 layers",
        link: "blocks=4",
        seeds: 5,
        figures: &[
            Trained(34_300),
            RSquaredAtStep(1000, 0.88),
            RSquaredAtStep(3000, 0.96),
            RSquaredAtStep(4000, 0.97),
            RSquaredAfterExamples(10, 0.97),
        ],
    },
    FigureGroup {
        name: "baselines",
        link: "",
        seeds: 0,
        figures: &[
            InContextFigure::Baseline(Baseline::BestForAll, None, 0.914),
            InContextFigure::Baseline(Baseline::Ridge, None, 0.683),
            InContextFigure::Baseline(Baseline::BestForAll, Some(10), 0.889),
            InContextFigure::Baseline(Baseline::Ridge, Some(10), 0.56),
        ],
    },
    FigureGroup {
        name: "no constant, 13 points, 1 layer",
        link: "const=no&points=13&steps=3000&blocks=1",
        seeds: 3,
        figures: &[RSquaredAtStep(3000, 0.31)],
    },
    FigureGroup {
        name: "no constant, 13 points, 2 layers",
        link: "const=no&points=13&steps=3000",
        seeds: 3,
        figures: &[RSquaredAtStep(3000, 0.96)],
    },
    FigureGroup {
        name: "no constant, 13 points, 4 layers",
        link: "const=no&points=13&steps=3000&blocks=4",
        seeds: 3,
        figures: &[RSquaredAtStep(3000, 0.98)],
    },
    FigureGroup {
        name: "no constant, 13 points, 2 layers, ReLU attention",
        link: "const=no&points=13&steps=3000&attend=relu",
        seeds: 3,
        figures: &[RSquaredAtStep(3000, 0.83)],
    },
    FigureGroup {
        name: "no constant, 13 points, baselines",
        link: "const=no&points=13",
        seeds: 0,
        figures: &[
            InContextFigure::Baseline(Baseline::BestForAll, None, 0.92),
            InContextFigure::Baseline(Baseline::Affine, None, 0.49),
        ],
    },
    FigureGroup {
        name: "d = 2, 21 points, 3 layers of width 64",
        link: "dim=2&const=no&s=1&points=21&steps=2500&blocks=3&width=64&dmlp=128",
        seeds: 2,
        figures: &[Trained(102_000), RSquaredAtStep(1500, 0.75), RSquaredAtStep(2500, 0.86)],
    },
    FigureGroup {
        name: "d = 2, 21 points, baselines",
        link: "dim=2&const=no&s=1&points=21",
        seeds: 0,
        figures: &[
            InContextFigure::Baseline(Baseline::BestForAll, None, 0.89),
            InContextFigure::Baseline(Baseline::Affine, None, 0.27),
        ],
    },
    FigureGroup {
        name: "d = 4, N(−2, I), 21 points, 3 layers of width 64",
        link: "dim=4&const=no&dist=mixture&points=21&steps=2000&blocks=3&width=64&dmlp=128",
        seeds: 2,
        figures: &[RSquaredAtStep(2000, 0.45)],
    },
    FigureGroup {
        name: "d = 4, N(−2, I), 21 points, baselines",
        link: "dim=4&const=no&dist=mixture&points=21",
        seeds: 0,
        figures: &[InContextFigure::Baseline(Baseline::Affine, None, 0.81)],
    },
];

/// The results of [`TRAINED_GROUPS`], with their runs.
fn trained_instances() -> Vec<InContextInstance> {
    let of_group = |group: &FigureGroup| {
        let one = |figure: &InContextFigure| {
            let what = match figure {
                Trained(_) => "trained numbers".into(),
                RSquaredAtStep(step, _) => format!("R² at step {step}"),
                RSquaredAfterExamples(examples, _) => format!("R² after {examples} examples"),
                InContextFigure::Baseline(of, examples, _) => {
                    let at = examples.map_or("at the last point".into(), |k| format!("after {k} examples"));
                    let option = Baseline::OPTIONS.iter().find(|option| option.slug == of.slug());
                    format!("{}, R² {at}", option.map_or("", |option| option.label))
                }
                _ => String::new(),
            };
            InContextInstance {
                name: format!("learned 5.2: {}: {what}", group.name),
                link: group.link.into(),
                seeds: group.seeds,
                figure: *figure,
            }
        };
        group.figures.iter().map(one).collect::<Vec<_>>()
    };
    TRAINED_GROUPS.iter().flat_map(of_group).collect()
}

/// Results of sections 3 and 5.3 of the summary: differences that should be zero.
fn zero_instances() -> Vec<InContextInstance> {
    let one = |what: &str, link: &str, of, found| InContextInstance {
        name: format!("built 5.3: {what}"),
        link: link.into(),
        seeds: 0,
        figure: InContextFigure::Zero(of, found),
    };
    vec![
        one("w(0) = 0, ReLU, 50 steps", "", ZeroDifference::ZeroWeights, 0.0),
        one("w(0) = 0, tanh, 50 steps", "act=tanh", ZeroDifference::ZeroWeights, 0.0),
        one("label 7 in the query, 30 steps", "", ZeroDifference::QueryLabel, 0.0),
        one("examples in another order", "", ZeroDifference::Shuffling, 2e-16),
        one("weights in all tokens", "", ZeroDifference::TokenCopies, 0.0),
        one("scratch after a step", "", ZeroDifference::Workspace, 0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as the summary has, by section.
    #[test]
    fn no_figure_is_left_out() {
        let all = in_context_instances();
        let count = |section: &str| all.iter().filter(|one| one.name.starts_with(section)).count();
        let sections = ["built 3:", "built 5.1:", "built 5.3:", "learned 4:", "learned 5.2:"];
        assert_eq!(sections.map(count), [8, 53, 6, 12, 31]);
        for (i, instance) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other.name != instance.name), "{}", instance.name);
        }
    }
}
