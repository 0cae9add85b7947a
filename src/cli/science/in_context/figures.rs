//! Every figure about transformers as deep optimizers that an independent implementation in numpy and JAX has checked, with
//! what finds it here.
//!
//! # What was not written down there
//! Where the straight lines for tanh end: at ±4 here, which leaves half the distances found there. Whether prompts of one
//! number without a constant had inputs N(0, 1.5²) as those with one: taken to be so. Heads of the wider networks: taken to
//! be 2. The λ of the ridge regressions: the one of our [baselines](Baseline), and that they have a constant. One seed was
//! run of each network there.

use vivarium_science::descent::ComparisonMeasure;
use vivarium_science::functions::InputDistribution;
use vivarium_science::functions::baselines::Baseline;

/// A number that the settings of the built transformer determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Numbers D of a token.
    Token,
    /// Weights in a token.
    Weights,
    /// Layers of a step.
    Layers,
    /// Heads of a step.
    Heads,
}

/// A difference that should be nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// How far weights 0 move in 50 steps.
    Still,
    /// What the label 7 in the query changes in the weights after 30 steps.
    Label,
    /// What another order of the examples changes in them.
    Order,
    /// How far the weights of two tokens are apart.
    Tokens,
    /// The largest number of the scratch after a step.
    Scratch,
}

/// What an independent implementation found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// A further measure of the built transformer after so many steps.
    Measured(ComparisonMeasure, u64, f64),
    /// Its loss after so many steps.
    Loss(u64, f64),
    /// ‖w_tokens − w_descent‖₂ after so many steps with tokens in single precision and δ = 0.001.
    Single(u64, f64),
    /// A size.
    Size(Size, u64),
    /// A difference, which is 0 or a rounding error.
    Nothing(Nothing, f64),
    /// About so many numbers are trained.
    Trained(u64),
    /// R² at the last point of a prompt after so many steps.
    Explained(u64, f64),
    /// R² after so many examples at the end of a run.
    After(usize, f64),
    /// R² of a baseline after so many examples, or at the last point of a prompt.
    Baseline(Baseline, Option<usize>, f64),
    /// The median R² of an affine fit to a random network of so many layers and width 20 on 20 numbers: of ridge regression
    /// from so many examples, or of the best.
    Affine {
        /// Where inputs lie.
        law: InputDistribution,
        /// Layers of the network.
        layers: usize,
        /// Examples; without them it is the best affine fit.
        examples: Option<usize>,
        /// R².
        found: f64,
    },
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Section of the summary, with what is particular.
    pub name: String,
    /// The run, without its task and replicas.
    pub link: String,
    /// Networks that are trained here; 0 where none is.
    pub seeds: usize,
    /// What was found elsewhere.
    pub figure: Figure,
}

/// Seeds of the built transformer.
const BUILT: usize = 20;

/// Every figure, in the order of the summary.
pub fn instances() -> Vec<Instance> {
    let mut all = sizes();
    all.extend(distances());
    all.extend(affine());
    all.extend(trained());
    all.extend(nothing());
    all
}

/// Sections 3 and 5.3: what is counted.
fn sizes() -> Vec<Instance> {
    let one = |what: &str, link: &str, size, found| Instance {
        name: format!("built 3: {what}"),
        link: link.into(),
        seeds: 0,
        figure: Figure::Size(size, found),
    };
    let mut all = vec![
        one("numbers of a token, 2-8-8-1", "", Size::Token, 145),
        one("weights, 2-8-8-1", "", Size::Weights, 88),
        one("heads of a step, ReLU", "", Size::Heads, 102),
        one("heads of a step, tanh, M = 32", "act=tanh", Size::Heads, 1110),
    ];
    let layers = [(2, "8", 8), (3, "8.8", 10), (4, "8.8.8", 12), (6, "6.6.6.6.6", 16)];
    all.extend(layers.map(|(n, hidden, found)| {
        one(&format!("layers of a step, N = {n}"), &format!("hidden={hidden}"), Size::Layers, found)
    }));
    all
}

/// Steps at which the table of section 5.1 has distances.
const STEPS: [u64; 6] = [1, 5, 10, 25, 50, 100];

/// Section 5.1: the built transformer beside direct descent.
fn distances() -> Vec<Instance> {
    let one = |name: String, link: &str, figure| Instance { name, link: link.into(), seeds: BUILT, figure };
    let row = |what: String, link: String, found: &[f64]| {
        let at = |(step, found): (u64, &f64)| {
            one(format!("built 5.1: {what}, step {step}"), &link, distance(step, *found))
        };
        STEPS.into_iter().zip(found).map(at).collect::<Vec<_>>()
    };
    let mut all =
        row("ReLU, δ = 0.0001".into(), String::new(), &[3e-15, 2e-15, 3e-15, 6e-15, 4.5e-4, 4.4e-4]);
    let single = [9e-7, 6e-7, 1e-6, 1.1e-3, 2.5e-3, 1.8e-3];
    all.extend(STEPS.into_iter().zip(single).map(|(step, found)| {
        let name = format!("built 5.1: ReLU, δ = 0.001, single precision, step {step}");
        one(name, "delta=0.001", Figure::Single(step, found))
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
        one("built 5.1: loss of ReLU, step 0".into(), "", Figure::Loss(0, 0.332)),
        one("built 5.1: loss of ReLU, step 100".into(), "", Figure::Loss(100, 0.0384)),
        one("built 5.1: loss of tanh, step 0".into(), "act=tanh", Figure::Loss(0, 0.389)),
        one("built 5.1: loss of tanh, step 100".into(), "act=tanh", Figure::Loss(100, 0.0397)),
        one(
            "built 5.1: distance to the start of ReLU, step 100".into(),
            "",
            Figure::Measured(ComparisonMeasure::Moved, 100, 0.84),
        ),
        one("built 5.1: N = 6, 2-6-6-6-6-6-1, step 50".into(), "hidden=6.6.6.6.6", distance(50, 1.4e-5)),
    ]);
    all
}

const fn distance(step: u64, found: f64) -> Figure {
    Figure::Measured(ComparisonMeasure::Distance, step, found)
}

/// Section 4's caution: random networks are nearly affine where the paper's inputs lie.
fn affine() -> Vec<Instance> {
    let all = [
        (InputDistribution::Mixture, "N(−2, I)", None, [0.83, 0.79, 0.74]),
        (InputDistribution::Mixture, "N(−2, I)", Some(50), [0.69, 0.65, 0.57]),
        (InputDistribution::Normal, "N(0, I)", None, [0.61, 0.56, 0.42]),
        (InputDistribution::Normal, "N(0, I)", Some(50), [0.32, 0.22, 0.09]),
    ];
    let row = |(law, inputs, examples, found): (InputDistribution, &str, Option<usize>, [f64; 3])| {
        let fit = examples.map_or("best affine fit".into(), |count| format!("ridge from {count} examples"));
        let one = |(layers, found)| Instance {
            name: format!("learned 4: {fit}, {layers} layers, {inputs}"),
            link: String::new(),
            seeds: 0,
            figure: Figure::Affine { law, layers, examples, found },
        };
        [3, 4, 6].into_iter().zip(found).map(one).collect::<Vec<_>>()
    };
    all.into_iter().flat_map(row).collect()
}

/// Networks that are trained, what they have in common, and what is found of them.
struct Group {
    /// What is particular.
    name: &'static str,
    link: &'static str,
    seeds: usize,
    figures: &'static [Figure],
}

use Figure::{After, Explained, Trained};

/// Section 5.2: trained transformers and what sees one prompt alone.
const GROUPS: &[Group] = &[
    Group {
        name: "1 layer",
        link: "blocks=1",
        seeds: 5,
        figures: &[Trained(9500), Explained(1000, 0.07), Explained(3000, 0.14), Explained(4000, 0.13)],
    },
    Group {
        name: "2 layers",
        link: "",
        seeds: 5,
        figures: &[
            Trained(17_800),
            Explained(1000, 0.73),
            Explained(3000, 0.86),
            Explained(4000, 0.87),
            After(10, 0.91),
        ],
    },
    Group {
        name: "4 layers",
        link: "blocks=4",
        seeds: 5,
        figures: &[
            Trained(34_300),
            Explained(1000, 0.88),
            Explained(3000, 0.96),
            Explained(4000, 0.97),
            After(10, 0.97),
        ],
    },
    Group {
        name: "baselines",
        link: "",
        seeds: 0,
        figures: &[
            Figure::Baseline(Baseline::BestForAll, None, 0.914),
            Figure::Baseline(Baseline::Ridge, None, 0.683),
            Figure::Baseline(Baseline::BestForAll, Some(10), 0.889),
            Figure::Baseline(Baseline::Ridge, Some(10), 0.56),
        ],
    },
    Group {
        name: "no constant, 13 points, 1 layer",
        link: "const=no&points=13&steps=3000&blocks=1",
        seeds: 3,
        figures: &[Explained(3000, 0.31)],
    },
    Group {
        name: "no constant, 13 points, 2 layers",
        link: "const=no&points=13&steps=3000",
        seeds: 3,
        figures: &[Explained(3000, 0.96)],
    },
    Group {
        name: "no constant, 13 points, 4 layers",
        link: "const=no&points=13&steps=3000&blocks=4",
        seeds: 3,
        figures: &[Explained(3000, 0.98)],
    },
    Group {
        name: "no constant, 13 points, 2 layers, ReLU attention",
        link: "const=no&points=13&steps=3000&attend=relu",
        seeds: 3,
        figures: &[Explained(3000, 0.83)],
    },
    Group {
        name: "no constant, 13 points, baselines",
        link: "const=no&points=13",
        seeds: 0,
        figures: &[
            Figure::Baseline(Baseline::BestForAll, None, 0.92),
            Figure::Baseline(Baseline::Affine, None, 0.49),
        ],
    },
    Group {
        name: "d = 2, 21 points, 3 layers of width 64",
        link: "dim=2&const=no&s=1&points=21&steps=2500&blocks=3&width=64&dmlp=128",
        seeds: 2,
        figures: &[Trained(102_000), Explained(1500, 0.75), Explained(2500, 0.86)],
    },
    Group {
        name: "d = 2, 21 points, baselines",
        link: "dim=2&const=no&s=1&points=21",
        seeds: 0,
        figures: &[
            Figure::Baseline(Baseline::BestForAll, None, 0.89),
            Figure::Baseline(Baseline::Affine, None, 0.27),
        ],
    },
    Group {
        name: "d = 4, N(−2, I), 21 points, 3 layers of width 64",
        link: "dim=4&const=no&dist=mixture&points=21&steps=2000&blocks=3&width=64&dmlp=128",
        seeds: 2,
        figures: &[Explained(2000, 0.45)],
    },
    Group {
        name: "d = 4, N(−2, I), 21 points, baselines",
        link: "dim=4&const=no&dist=mixture&points=21",
        seeds: 0,
        figures: &[Figure::Baseline(Baseline::Affine, None, 0.81)],
    },
];

fn trained() -> Vec<Instance> {
    let of_group = |group: &Group| {
        let one = |figure: &Figure| {
            let what = match figure {
                Trained(_) => "trained numbers".into(),
                Explained(step, _) => format!("R² at step {step}"),
                After(examples, _) => format!("R² after {examples} examples"),
                Figure::Baseline(of, examples, _) => {
                    let at = examples.map_or("at the last point".into(), |k| format!("after {k} examples"));
                    let option = Baseline::OPTIONS.iter().find(|option| option.slug == of.slug());
                    format!("{}, R² {at}", option.map_or("", |option| option.label))
                }
                _ => String::new(),
            };
            Instance {
                name: format!("learned 5.2: {}: {what}", group.name),
                link: group.link.into(),
                seeds: group.seeds,
                figure: *figure,
            }
        };
        group.figures.iter().map(one).collect::<Vec<_>>()
    };
    GROUPS.iter().flat_map(of_group).collect()
}

/// Sections 3 and 5.3: what must not move or change.
fn nothing() -> Vec<Instance> {
    let one = |what: &str, link: &str, of, found| Instance {
        name: format!("built 5.3: {what}"),
        link: link.into(),
        seeds: 0,
        figure: Figure::Nothing(of, found),
    };
    vec![
        one("w(0) = 0, ReLU, 50 steps", "", Nothing::Still, 0.0),
        one("w(0) = 0, tanh, 50 steps", "act=tanh", Nothing::Still, 0.0),
        one("label 7 in the query, 30 steps", "", Nothing::Label, 0.0),
        one("examples in another order", "", Nothing::Order, 2e-16),
        one("weights in all tokens", "", Nothing::Tokens, 0.0),
        one("scratch after a step", "", Nothing::Scratch, 0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as the summary has, by section.
    #[test]
    fn no_figure_is_left_out() {
        let all = instances();
        let count = |section: &str| all.iter().filter(|one| one.name.starts_with(section)).count();
        let sections = ["built 3:", "built 5.1:", "built 5.3:", "learned 4:", "learned 5.2:"];
        assert_eq!(sections.map(count), [8, 53, 6, 12, 31]);
        for (i, instance) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other.name != instance.name), "{}", instance.name);
        }
    }
}
