//! The product of weights that are all 1, whose margins are known exactly with and without rounding.

use super::{expect_final_median, expect_median};
use vivarium_model::tasks::boolean_circuit::charts;
use vivarium_science::circuits::CircuitMetric;
use vivarium_view::presets::{PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets on the product of weights, the example in section 3 of Wei, Chen and Ma 2022.
const PRODUCT_GROUP: PresetGroup = PresetGroup {
    slug: "product-of-weights",
    name: "A product of weights",
    charts: &[charts::DEPTHS, charts::NORMS],
};

/// Presets on networks that multiply a chain of weights, with and without rounding between the layers.
pub(super) const PRODUCT_PRESETS: &[Preset] = &[
    Preset {
        slug: "toy-bare",
        name: "A product of 100 weights",
        group: &PRODUCT_GROUP,
        link: "#v1/boolean-circuit?circuit=toy&levels=100&round=no&show=norms.where",
        claim: "The weights of this network are 100 factors, all equal to 1. The answer is right as long as their product is above 0.5. A change of norm 0.0691 that makes each weight a little smaller brings the product down to 0.5. In each of 8 random directions, only a change with a norm above 0.3 makes the answer wrong.",
        source: "Wei, Chen and Ma 2022, section 3",
        remarks: "Our choices: 100 weights, and a search that finds the exact margin.",
        expectations: &[
            expect_median(CircuitMetric::LeastNorm, 200, (0.0690, 0.0692)),
            expect_median(CircuitMetric::ExactMargin, 200, (0.0690, 0.0692)),
            expect_median(CircuitMetric::NoiseNorm, 200, (0.3, 1.0)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "toy-depth",
        name: "Products of 1 to 400 weights",
        group: &PRODUCT_GROUP,
        link: "#v1/boolean-circuit?circuit=toy&round=no&sweep=levels:1_4_25_100_400&speed=0&show=norms.bydepth",
        claim: "A longer product has a smaller margin. The margin is the norm of the smallest change of the weights that makes the answer wrong. For d weights this norm is √d(1 − 2^(−1/d)): 0.500, 0.318, 0.137, 0.069 and 0.035 for d = 1, 4, 25, 100 and 400.",
        source: "Wei, Chen and Ma 2022, section 3",
        remarks: "Our additions: the exact margin and a search that finds this margin. The paper states that the margin is at most of the order 1/√d.",
        expectations: &[
            expect_final_median(CircuitMetric::LeastNorm, 0, 0, (0.4995, 0.5005)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 1, (0.3175, 0.3185)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 2, (0.1365, 0.1375)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 3, (0.0685, 0.0695)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 4, (0.0345, 0.0355)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "toy-rounded",
        name: "A product of 100 weights, with rounding after each weight",
        group: &PRODUCT_GROUP,
        link: "#v1/boolean-circuit?circuit=toy&levels=100&show=norms.where",
        claim: "This product of 100 weights is rounded after each weight. The smallest change of the weights that makes the answer wrong has norm 0.4907. This is close to the norm 0.5 for a single weight. At any depth, no change with a norm below 1/3 = 0.333 can make the answer wrong if the parameters of rounding stay fixed.",
        source: "Wei, Chen and Ma 2022, claim 3.5",
        remarks: "As in the paper: the parameters of rounding stay fixed. Our addition: the exact margin.",
        expectations: &[
            expect_median(CircuitMetric::LeastNorm, 200, (0.4905, 0.4909)),
            expect_median(CircuitMetric::ExactMargin, 200, (0.4905, 0.4909)),
            expect_median(CircuitMetric::ProofBound, 200, (0.333, 0.334)),
            expect_median(CircuitMetric::NoiseNorm, 200, (1.5, 2.2)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "toy-rounded-depth",
        name: "Products of weights, with and without rounding",
        group: &PRODUCT_GROUP,
        link: "#v1/boolean-circuit?circuit=toy&sweep=levels:1_4_25_100_400&series=round:no_yes&speed=0&show=norms.bydepth",
        claim: "The margin is the norm of the smallest change of the weights that makes the answer wrong. Without rounding the margin falls from 0.500 to 0.035 as the number of weights in the product grows from 1 to 400. With rounding the margin is 0.4907 for 4, 25, 100 and 400 weights.",
        source: "Wei, Chen and Ma 2022, section 3 and claim 3.5",
        remarks: "The settings of “Products of 1 to 400 weights”, with rounding and without. The value 0.4924, which is sometimes given for the margin with rounding, is only a first-order approximation; the exact margin is 0.4907.",
        expectations: &[
            expect_final_median(CircuitMetric::LeastNorm, 0, 0, (0.4995, 0.5005)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 4, (0.0345, 0.0355)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 0, (0.4995, 0.5005)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 1, (0.4905, 0.4909)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 2, (0.4905, 0.4909)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 3, (0.4905, 0.4909)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 4, (0.4905, 0.4909)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
];
