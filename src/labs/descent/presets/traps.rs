//! Where nothing moves, and what must not change anything.

use super::{expect_explained_variance, expect_final_median, expect_median};
use vivarium_model::tasks::in_context_regression::charts;
use vivarium_science::descent::ComparisonMeasure;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets in which gradient descent does not change the weights.
const FROZEN_GROUP: PresetGroup =
    PresetGroup { slug: "nothing-moves", name: "Weights that do not change", charts: &[charts::BOTH] };

/// Menu group of control presets: changes of the prompt's tokens that must not affect the weights after each step of
/// descent.
const CONTROL_GROUP: PresetGroup = PresetGroup {
    slug: "nothing-changes",
    name: "Token changes that have no effect",
    charts: &[charts::APART, charts::BOTH],
};

/// Expects that the weights of direct gradient descent are at a distance (ℓ₂ norm) of at least 1e−6 from the initial
/// weights within 100 steps, in a share of the networks in the range `share`.
const fn expect_weight_change(share: (f64, f64)) -> Expectation {
    let measure = ExpectedMeasure::Descent(ComparisonMeasure::Moved);
    Expectation::Reaches { measure, at_least: 1e-6, steps: (0, 100), share }
}

/// Presets in which gradient descent does not change the weights in the tokens, and presets with changes of the tokens
/// that must not affect these weights.
pub(super) const CONTROL_PRESETS: &[Preset] = &[
    Preset {
        slug: "zero-descent",
        name: "Initial weights of 0",
        group: &FROZEN_GROUP,
        link: "#v1/in-context-regression?w0=0",
        claim: "In the paper all initial weights are 0. The network has no biases, so every output and every gradient is 0, and gradient descent changes no weight in 100 steps.",
        source: "Wu, Su, Hu, Song and Liu 2024, problem 2, which begins with w(0) = 0",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with initial weights 0.",
        expectations: &[expect_weight_change((0.0, 0.0))],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "dead-descent",
        name: "An output ReLU that is 0 for every example",
        group: &FROZEN_GROUP,
        link: "#v1/in-context-regression?out=same&replicas=20",
        claim: "In the paper's definition 1, the output layer also has the activation function. If this function is a ReLU, the output can be 0 for every example, and then gradient descent changes no weight. In this run, gradient descent changes no weight for five of twenty random sets of initial weights, including the first set.",
        source: "Wu, Su, Hu, Song and Liu 2024, definition 1",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with a ReLU in the output layer and twenty random sets of initial weights.",
        expectations: &[expect_weight_change((0.75, 0.75))],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "query-descent",
        name: "The label 7 instead of 0 in the query's token",
        group: &CONTROL_GROUP,
        link: "#v1/in-context-regression?qy=7",
        claim: "The query's token holds the label 7 instead of 0. In each token, the entry t is 1 for an example and 0 for the query. In a token with t = 0, the layer that computes the loss gradient ignores the label. So all other numbers in the tokens are the same as with the label 0.",
        source: "Wu, Su, Hu, Song and Liu 2024, equation D.14",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with the label 7 in the query's token.",
        expectations: &[
            expect_median(ComparisonMeasure::Distance, 25, (0.0, 1e-14)),
            expect_median(ComparisonMeasure::Moved, 100, (0.9441, 0.9443)),
            expect_explained_variance(100, (0.72, 0.8)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "query-sweep-descent",
        name: "Seven different labels in the query's token",
        group: &CONTROL_GROUP,
        link: "#v1/in-context-regression?sweep=qy:-100_-7_-1_0_1_7_100&speed=0",
        claim: "In seven runs, the label in the query's token has seven different values from −100 to 100. The final weights in the tokens are the same in all seven runs.",
        source: "Wu, Su, Hu, Song and Liu 2024, equation D.14",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with seven different labels in the query's token, one in each run.",
        expectations: &[
            expect_final_median(ComparisonMeasure::Moved, 0, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Moved, 1, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Moved, 2, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Moved, 3, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Moved, 4, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Moved, 5, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Moved, 6, (0.9441, 0.9443)),
            expect_final_median(ComparisonMeasure::Distance, 6, (1e-5, 4e-3)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "shuffled-descent",
        name: "The examples in another order",
        group: &CONTROL_GROUP,
        link: "#v1/in-context-regression?order=shuffled",
        claim: "Attention sums over tokens, so the order of the tokens has no effect. When the examples are shuffled, only rounding errors change: the final weights are nearly the same.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix D",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with the examples in a random order.",
        expectations: &[
            expect_median(ComparisonMeasure::Distance, 25, (0.0, 1e-14)),
            expect_median(ComparisonMeasure::Moved, 100, (0.9441, 0.9443)),
            expect_explained_variance(100, (0.72, 0.8)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
];
