//! Noise on all weights, with rounding and without.

use vivarium_model::tasks::boolean_circuit::charts;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets on noise added to all weights of a circuit's network.
const NOISE_GROUP: PresetGroup = PresetGroup {
    slug: "noise-on-weights",
    name: "Noise on all weights",
    charts: &[charts::STRAYS, charts::NORMS],
};

/// Expects the median over replicas of the share of truth table rows answered right, at the end of a sweep's run, to be
/// in the range `between`, for the curve with index `series` and the swept value with index `at`, both from 0.
const fn expect_final_accuracy(series: usize, at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::TestAccuracy, series, at, between }
}

/// Presets on the answers of a circuit's network when noise is added to all its weights.
pub(super) const NOISE_PRESETS: &[Preset] = &[
    Preset {
        slug: "noisy-parity",
        name: "Noise on the weights of a parity network, with and without rounding",
        group: &NOISE_GROUP,
        link: "#v1/boolean-circuit?n=8&replicas=20&steps=2&sweep=sigma:0.003_0.01_0.02_0.03_0.06_0.1&series=round:no_yes&speed=0&show=strays.truth",
        claim: "Every weight and bias of a network for the parity of 8 bits, except the parameters of rounding, gets noise of standard deviation σ. With σ = 0.03 and rounding, all answers are right in at least half of 20 random samples of the noise. With σ = 0.03 and without rounding, the median share of right answers is about one half, which is no better than guessing. With σ = 0.1 the median share of right answers is about one half even with rounding.",
        source: "Wei, Chen and Ma 2022, section 3",
        remarks: "Our choices: 20 random samples of the noise, 64 rows of the truth table, and six values of σ from 0.003 to 0.1.",
        expectations: &[
            expect_final_accuracy(0, 0, (1.0, 1.0)),
            expect_final_accuracy(0, 1, (0.9, 1.0)),
            expect_final_accuracy(0, 2, (0.6, 0.85)),
            expect_final_accuracy(0, 3, (0.45, 0.55)),
            expect_final_accuracy(1, 0, (1.0, 1.0)),
            expect_final_accuracy(1, 2, (1.0, 1.0)),
            expect_final_accuracy(1, 3, (1.0, 1.0)),
            expect_final_accuracy(1, 4, (0.5, 0.85)),
            expect_final_accuracy(1, 5, (0.45, 0.55)),
        ],
        max_steps: 2,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "deviations-bare",
        name: "Errors that grow from layer to layer",
        group: &NOISE_GROUP,
        link: "#v1/boolean-circuit?n=8&round=no&sigma=0.01&replicas=20&steps=20&show=gates.strays",
        claim: "With noise of standard deviation σ = 0.01 on all weights and without rounding, the gate values deviate from their exact values, 0 or 1, and the deviation is larger in later layers. The largest deviation in a network has a median of 0.24 over 20 random samples of the noise.",
        source: "Wei, Chen and Ma 2022, section 3",
        remarks: "Our choices: the parity of 8 bits in 22 layers; 20 networks with different noise and different inputs.",
        expectations: &[Expectation::Median {
            measure: ExpectedMeasure::Circuit(vivarium_science::circuits::CircuitMetric::Deviation),
            step: 20,
            between: (0.23, 0.26),
        }],
        max_steps: 20,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "deviations-rounded",
        name: "Errors that rounding removes after each layer",
        group: &NOISE_GROUP,
        link: "#v1/boolean-circuit?n=8&sigma=0.01&replicas=20&steps=20&show=gates.strays",
        claim: "With noise of standard deviation σ = 0.01 on all weights and with rounding, the largest deviation of a gate value from 0 or 1 before rounding has a median of 0.077 over 20 random samples of the noise. The deviations do not grow from the first layers to the last. A deviation below 1/3 is removed by rounding, so in at least half of the networks all values are 0 or 1 after rounding.",
        source: "Wei, Chen and Ma 2022, proposition 3.4",
        remarks: "The settings of “Errors that grow from layer to layer”, with rounding.",
        expectations: &[
            Expectation::Median {
                measure: ExpectedMeasure::Circuit(vivarium_science::circuits::CircuitMetric::Deviation),
                step: 20,
                between: (0.07, 0.085),
            },
            Expectation::Median { measure: ExpectedMeasure::TrainAccuracy, step: 20, between: (1.0, 1.0) },
        ],
        max_steps: 20,
        ..PRESET_DEFAULTS
    },
];
