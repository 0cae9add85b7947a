//! Tokens beside direct descent: where they agree to the last digits, and how the distance goes with M and δ.

use super::{
    expect_at_least, expect_deviation, expect_explained_variance, expect_final_median, expect_median,
    expect_power_law,
};
use vivarium_model::tasks::in_context_regression::charts;
use vivarium_science::descent::ComparisonMeasure;
use vivarium_view::presets::{PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets on theorem 1 and corollary 1.1 of Wu, Su, Hu, Song and Liu 2024.
const THEOREM_GROUP: PresetGroup = PresetGroup {
    slug: "layers-are-descent",
    name: "Layers that perform gradient descent",
    charts: &[charts::APART, charts::BOTH],
};

/// Menu group of the presets on the distance between the weights in the tokens and those of direct gradient descent as
/// a function of the number M of line segments that approximate an activation, and of the width δ of the band of wrong
/// ReLU derivatives.
const DISTANCE_GROUP: PresetGroup = PresetGroup {
    slug: "sums-of-relus",
    name: "How exact are sums of ReLUs?",
    charts: &[charts::KNOTS, charts::BAND, charts::APART],
};

/// Presets in which the weights in the tokens follow those of direct gradient descent.
pub(super) const THEOREM_PRESETS: &[Preset] = &[
    Preset {
        slug: "relu-descent",
        name: "1,000 layers, 100 steps of gradient descent",
        group: &THEOREM_GROUP,
        link: "#v1/in-context-regression",
        claim: "The transformer's 1,000 layers perform 100 steps of gradient descent on a ReLU network; the tokens store the weights of this network. For 16 of 20 random sets of initial weights, the weights in the tokens and the weights of direct gradient descent agree to 14 decimal places after 25 steps. For 18 of these sets, the input of a ReLU lies between 0 and δ at some step, where the transformer computes a wrong slope of this ReLU. For 18 of the 20 sets the distance between the weights in the tokens and the weights of direct gradient descent is less than 0.004 at every step up to 100.",
        source: "Wu, Su, Hu, Song and Liu 2024, theorem 1 and appendix D",
        remarks: "Our choices: sin(2x) at 16 points, input [x, 1], a network 2-8-8-1 of N = 3 layers with 88 weights in tokens of 145 numbers, 102 heads in the 2N + 4 = 10 layers of a step, a linear output layer, squared loss, η = 0.1, δ = 0.0001, random initial weights, projection of the weights onto a box instead of a ball.",
        expectations: &[
            expect_median(ComparisonMeasure::Distance, 10, (0.0, 1e-14)),
            expect_deviation(25, (0.2, 0.2)),
            expect_deviation(100, (0.9, 0.9)),
            expect_at_least(ComparisonMeasure::Distance, 4e-3, 0.1),
            expect_median(ComparisonMeasure::Distance, 100, (1e-5, 4e-3)),
            expect_median(ComparisonMeasure::SingleDistance, 100, (3e-7, 3e-6)),
            expect_median(ComparisonMeasure::Moved, 100, (0.8, 1.1)),
            expect_explained_variance(100, (0.72, 0.8)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "six-layer-descent",
        name: "Six-layer network, 16 transformer layers per step",
        group: &THEOREM_GROUP,
        link: "#v1/in-context-regression?hidden=6.6.6.6.6&show=both.apart.acting.layerheads",
        claim: "For a network of N = 6 layers, each step of gradient descent takes 2N + 4 = 16 layers of the transformer. For 17 of 20 random sets of initial weights the distance between the weights in the tokens and the weights of direct gradient descent is less than 0.01 at every step up to 100.",
        source: "Wu, Su, Hu, Song and Liu 2024, theorem 1",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with a network of the widths 2-6-6-6-6-6-1.",
        expectations: &[
            expect_median(ComparisonMeasure::Distance, 1, (0.0, 1e-12)),
            expect_at_least(ComparisonMeasure::Distance, 0.01, 0.15),
            expect_median(ComparisonMeasure::Distance, 100, (1e-5, 0.01)),
            expect_median(ComparisonMeasure::Moved, 100, (0.6, 0.9)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "tanh-descent",
        name: "tanh approximated by a sum of ReLUs",
        group: &THEOREM_GROUP,
        link: "#v1/in-context-regression?act=tanh",
        claim: "tanh is not a sum of ReLUs. A piecewise linear function of 32 straight lines approximates tanh, and another such function approximates the slope of tanh. So each step has a small error. After 100 steps the median distance between the weights in the tokens and the weights of direct gradient descent, over 20 random sets of initial weights, is about 0.013, and the losses with the weights of the tokens and of direct gradient descent are nearly the same.",
        source: "Wu, Su, Hu, Song and Liu 2024, definition 4 and theorem 1",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with tanh and M = 32 straight lines on [−4, 4]. A step needs 1,110 heads.",
        expectations: &[
            expect_median(ComparisonMeasure::Distance, 1, (1e-3, 2.5e-3)),
            expect_median(ComparisonMeasure::Distance, 100, (9e-3, 0.02)),
            expect_explained_variance(100, (0.77, 0.83)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
];

/// Presets on the power laws of the final distance from direct gradient descent in the number M of line segments that
/// approximate an activation, and in the width δ of the band of wrong ReLU derivatives.
pub(super) const DISTANCE_PRESETS: &[Preset] = &[
    Preset {
        slug: "knots-descent",
        name: "Twice as many straight lines, a quarter of the error",
        group: &DISTANCE_GROUP,
        link: "#v1/in-context-regression?act=tanh&sweep=knots:8_16_32_64_128&speed=0&show=both.apart.knots",
        claim: "When the number M of straight lines doubles, the median distance between the weights in the tokens and the weights of direct gradient descent after 100 steps falls to about a quarter: from 0.2 with 8 lines to under 0.001 with 128 lines, in proportion to 1/M². So the number of heads for an error ε grows as ε^(−1/2). The theorem's bound on the number of heads is Õ(ε⁻²).",
        source: "Wu, Su, Hu, Song and Liu 2024, lemma 7 and theorem 1",
        remarks: "The settings of “tanh approximated by a sum of ReLUs”, with M = 8, 16, 32, 64 and 128 straight lines.",
        expectations: &[
            expect_final_median(ComparisonMeasure::Distance, 0, (0.15, 0.3)),
            expect_final_median(ComparisonMeasure::Distance, 1, (0.04, 0.08)),
            expect_final_median(ComparisonMeasure::Distance, 2, (9e-3, 0.02)),
            expect_final_median(ComparisonMeasure::Distance, 3, (2e-3, 4e-3)),
            expect_final_median(ComparisonMeasure::Distance, 4, (5e-4, 1e-3)),
            expect_power_law((0, 4), (-2.2, -1.9)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "band-descent",
        name: "The width δ of the band with a wrong ReLU slope",
        group: &DISTANCE_GROUP,
        link: "#v1/in-context-regression?sweep=delta:0.0001_0.001_0.01_0.1&speed=0&show=both.apart.band",
        claim: "The transformer computes a wrong slope of a ReLU only for inputs between 0 and δ. The larger δ is, the larger is the median distance between the final weights in the tokens and the final weights of direct gradient descent: about 0.0006 with δ = 0.0001 and about 0.12 with δ = 0.1.",
        source: "Wu, Su, Hu, Song and Liu 2024, theorem 1, which requires smooth activations",
        remarks: "The settings of “1,000 layers, 100 steps of gradient descent”, with δ = 0.0001, 0.001, 0.01 and 0.1, where δ is the width of the band in which the transformer computes a wrong slope of the ReLU.",
        expectations: &[
            expect_final_median(ComparisonMeasure::Distance, 0, (1e-5, 4e-3)),
            expect_final_median(ComparisonMeasure::Distance, 1, (3e-4, 5e-3)),
            expect_final_median(ComparisonMeasure::Distance, 2, (5e-3, 0.03)),
            expect_final_median(ComparisonMeasure::Distance, 3, (0.06, 0.25)),
            expect_power_law((1, 3), (0.6, 1.3)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
];
