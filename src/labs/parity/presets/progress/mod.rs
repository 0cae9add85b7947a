//! Progress before the loss moves: figure 5.3 and appendix B.3.1 and B.3.3.

pub(super) mod each_network;

use super::experiments;
use vivarium_model::tasks::sparse_parity::charts as parity_charts;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
    expect_not_learned,
};

/// Group of presets in which the Fourier gap or the weights show progress before the loss falls (figure 5.3 and
/// appendices B.3.1 and B.3.3 of Edelman 2024).
const GROUP: PresetGroup = PresetGroup {
    slug: "progress",
    name: "Progress before the loss falls",
    charts: &[parity_charts::GAP, parity_charts::MOVEMENT],
};

/// Presets in which the Fourier gap or the weights show progress before the loss falls.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "hidden-progress",
        name: "Weights move while the loss is flat",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&steps=1500&every=10&speed=100&show=loss.accuracy.movement.paths",
        claim: "With most seeds the loss is flat for hundreds of steps. During these steps the weights on the 3 relevant bits already move away from the other weights.",
        source: "Edelman 2024, figure 5.3 and appendix B.3.3",
        experiment: Some(&experiments::FIGURE_5_3),
        remarks: "For the experiments of section 5.3, the thesis multiplies the argument of the sine by 2; here the factor is 1.",
        expectations: &[
            expect_learned(0.6, (300, 1_500), (0.5, 1.0)),
            Expectation::Reaches {
                measure: ExpectedMeasure::Movement,
                at_least: 0.08,
                steps: (100, 600),
                share: (0.6, 1.0),
            },
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "hidden-progress-noise",
        name: "A sinusoidal neuron on random labels",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&noise=0.5&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&steps=1500&every=10&speed=100&show=loss.accuracy.movement.paths",
        claim: "With random labels the weights move at random: in 600 steps every weight moves by less than 0.08.",
        source: "Edelman 2024, figure 5.3 (right, bottom)",
        experiment: Some(&experiments::FIGURE_5_3_NOISE),
        remarks: "The control experiment for “Weights move while the loss is flat”: half of the labels are flipped at random, so the labels do not depend on the bits.",
        expectations: &[
            expect_not_learned(0.6, 1_500),
            Expectation::Reaches {
                measure: ExpectedMeasure::Movement,
                at_least: 0.08,
                steps: (0, 600),
                share: (0.0, 0.0),
            },
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "hidden-progress-mlp",
        name: "Hidden progress in a network of 100 neurons",
        group: &GROUP,
        link: "#v1/sparse-parity?batch=1024&steps=4000&every=20&held=2048&speed=200&show=loss.accuracy.weights.movement",
        claim: "At step 1,000 the accuracy of most networks is still close to chance, but their largest weight on a relevant bit is already larger than every weight on an irrelevant bit.",
        source: "Edelman 2024, figure B.9",
        experiment: Some(&experiments::FIGURE_B_9_MLP),
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 1_000, between: (0.48, 0.6) },
            Expectation::Median { measure: ExpectedMeasure::Lead, step: 1_000, between: (1.05, 3.0) },
            expect_learned(0.9, (1_000, 4_000), (0.9, 1.0)),
        ],
        max_steps: 4_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "gap-path",
        name: "The Fourier gap grows during training",
        group: &GROUP,
        link: "#v1/sparse-parity?n=15&width=1&act=sin&bias=hidden&second=ones&lr=0.01&steps=600&every=5&held=2048&speed=40&show=loss.accuracy.gap.spectrum",
        claim: "Already before the first step, the population gradient (over all inputs) has its largest entry, in absolute value, on a relevant bit. The Fourier gap is this entry minus the largest entry on an irrelevant bit. During training, the Fourier gap grows with most seeds to more than 0.25.",
        source: "Edelman 2024, figure B.8 (right) and appendix B.3.1",
        experiment: Some(&experiments::FIGURE_B_8_RIGHT),
        remarks: "With 15 bits, as in figure B.7, the average over all 32,768 inputs can be computed exactly. The dashed line of the figure is the gap of the majority function, which is 0 for odd k. Here the dashed line is the gap of a neuron with the same activation and weights ±1/√n.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::Gap,
                at_least: 0.25,
                steps: (10, 600),
                share: (0.8, 1.0),
            },
            Expectation::Median { measure: ExpectedMeasure::Gap, step: 0, between: (0.005, 0.15) },
            Expectation::Reaches {
                measure: ExpectedMeasure::Gap,
                at_least: 1e-4,
                steps: (0, 1),
                share: ALL_REPLICAS,
            },
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "spectrum",
        name: "The Fourier weight moves to degree 3",
        group: &GROUP,
        link: "#v1/sparse-parity?n=12&width=64&steps=2000&every=10&held=2048&speed=100&show=loss.accuracy.gap.spectrum",
        claim: "The Fourier spectrum (Walsh spectrum) of the output is computed exactly over all 4,096 inputs. At first the output is mostly linear; at the end one coefficient of degree 3 dominates.",
        source: "Edelman 2024, section 5.4.1 and equation B.2",
        remarks: "The thesis defines the spectrum and describes no experiment with it. Our choices are 12 bits, so that the spectrum can be computed exactly, and width 64.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::Correlation,
                at_least: 0.9,
                steps: (50, 2_000),
                share: (0.9, 1.0),
            },
            Expectation::Median { measure: ExpectedMeasure::Correlation, step: 0, between: (-0.1, 0.1) },
        ],
        max_steps: 2_000,
        ..PRESET_DEFAULTS
    },
];
