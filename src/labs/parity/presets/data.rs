//! Few examples and wrong labels: figures 5.4 (right), B.11 and B.12.

use super::experiments;
use vivarium_model::chart;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
    expect_not_learned,
};

/// Group of presets with few training examples or wrong labels (figures 5.4 right, B.11 and B.12 of Edelman 2024).
const GROUP: PresetGroup =
    PresetGroup { slug: "data", name: "Few examples and wrong labels", charts: &[chart::ACCURACY] };

/// Presets in which networks learn a sparse parity from few training examples or from partly wrong labels.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-grokking",
        name: "Memorisation first, generalisation later",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&m=700&wd=0.003&seed=2&steps=30000&target=0.98&every=100&speed=2000",
        claim: "The network trains on a fixed sample of 700 examples. It classifies all training examples correctly long before it classifies nearly all held-out examples correctly.",
        source: "Edelman 2024, figure 5.4 (right) and appendix B.3.5",
        experiment: Some(&experiments::FIGURE_B_11),
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::TrainAccuracy,
                at_least: 0.999,
                steps: (300, 4_000),
                share: ALL_REPLICAS,
            },
            expect_learned(0.98, (3_000, 30_000), (0.9, 1.0)),
        ],
        max_steps: 30_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-too-few",
        name: "Too few examples: no generalisation",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&m=300&wd=0.003&steps=30000&target=0.98&every=100&speed=4000",
        claim: "The network memorises 300 examples within 2,000 steps, but it does not generalise within 30,000 steps.",
        source: "Edelman 2024, figure 5.4 (right) and figure B.11",
        experiment: Some(&experiments::FIGURE_B_11),
        remarks: "“Memorisation first, generalisation later” with 300 examples.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::TrainAccuracy,
                at_least: 0.999,
                steps: (100, 2_000),
                share: ALL_REPLICAS,
            },
            expect_not_learned(0.9, 30_000),
        ],
        max_steps: 30_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-enough",
        name: "Enough examples: no generalisation gap",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&m=2000&wd=0.003&steps=10000&target=0.98",
        claim: "With 2,000 examples, training accuracy and held-out accuracy rise together.",
        source: "Edelman 2024, figure 5.4 (right) and figure B.11",
        experiment: Some(&experiments::FIGURE_B_11),
        remarks: "“Memorisation first, generalisation later” with 2,000 examples.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::TrainAccuracy,
                at_least: 0.98,
                steps: (500, 3_000),
                share: ALL_REPLICAS,
            },
            expect_learned(0.98, (500, 3_000), ALL_REPLICAS),
        ],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-no-decay",
        name: "Without weight decay: only memorisation",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&m=1000&seed=2&steps=30000&target=0.98&every=100&speed=4000",
        claim: "Without weight decay, the network memorises all 1,000 training examples, but with most seeds held-out accuracy does not reach 98 % within 30,000 steps.",
        source: "Edelman 2024, figure B.11, top row",
        experiment: Some(&experiments::FIGURE_B_11),
        remarks: "“Memorisation first, generalisation later” with 1,000 examples and a weight decay of 0.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::TrainAccuracy,
                at_least: 0.999,
                steps: (500, 5_000),
                share: ALL_REPLICAS,
            },
            Expectation::Reaches {
                measure: ExpectedMeasure::TestAccuracy,
                at_least: 0.98,
                steps: (0, 30_000),
                share: (0.0, 0.2),
            },
        ],
        max_steps: 30_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-too-much-decay",
        name: "Too much weight decay: the network learns nothing",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&m=1000&wd=0.1&target=0.98&every=100&speed=4000",
        claim: "With a weight decay of 0.1 the network does not even memorise the training examples.",
        source: "Edelman 2024, figure B.11, bottom row",
        experiment: Some(&experiments::FIGURE_B_11),
        remarks: "“Memorisation first, generalisation later” with 1,000 examples and a weight decay of 0.1.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::TrainAccuracy,
                at_least: 0.98,
                steps: (0, 20_000),
                share: (0.0, 0.1),
            },
            expect_not_learned(0.98, 20_000),
        ],
        max_steps: 20_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-map",
        name: "Time to generalise, by sample size and weight decay",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&replicas=6&steps=40000&target=0.98&every=100&held=1024&sweep=m:300_500_700_1000_2000&series=wd:0.003_0.01_0.03&speed=0&show=accuracy.times.sweep",
        claim: "With more weight decay, the network needs fewer examples and generalises after fewer steps. With 300 examples, no network generalises with the smallest weight decay, and hardly any network with the largest.",
        source: "Edelman 2024, figure B.11",
        experiment: Some(&experiments::FIGURE_B_11),
        remarks: "Six trials per point.",
        expectations: &[
            Expectation::Solved { series: 0, at: 0, share: (0.0, 0.0) },
            Expectation::Solved { series: 2, at: 0, share: (0.0, 0.2) },
            Expectation::MedianTime { series: 0, at: 2, between: (5_000, 20_000) },
            Expectation::MedianTime { series: 2, at: 2, between: (1_200, 4_500) },
            Expectation::Solved { series: 2, at: 1, share: (0.6, 1.0) },
        ],
        max_steps: 40_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-noise",
        name: "A quarter of the labels are wrong",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&noise=0.25&target=0.98&speed=1000",
        claim: "If a quarter of the labels, chosen at random, are flipped, the correlation between labels and parity is half as large and the plateau is longer, but the network still finds the parity.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        experiment: Some(&experiments::FIGURE_B_12),
        departures: &[("target accuracy", "100 %", "98 %")],
        expectations: &[expect_learned(0.98, (1_000, 10_000), ALL_REPLICAS)],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "noise-sweep",
        name: "Time against label noise",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&replicas=20&target=0.98&held=1024&sweep=noise:0_0.1_0.2_0.25_0.3_0.35_0.4&speed=0&show=accuracy.times.sweep",
        claim: "If each label is wrong with probability p, the correlation between labels and parity is multiplied by 1 − 2p. With 40 % wrong labels, networks still find the parity, but they need about six times as many steps as with clean labels.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        experiment: Some(&experiments::FIGURE_B_12),
        departures: &[("target accuracy", "100 %", "98 %")],
        expectations: &[
            Expectation::MedianTime { series: 0, at: 0, between: (900, 1_500) },
            Expectation::MedianTime { series: 0, at: 3, between: (2_000, 3_600) },
            Expectation::MedianTime { series: 0, at: 6, between: (5_500, 9_500) },
        ],
        max_steps: 20_000,
        duration_note: "About twenty seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "noise-49",
        name: "49 % of the labels are wrong",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&noise=0.49&batch=1024&steps=60000&target=0.6&every=500&held=4096&speed=0",
        claim: "The correlation between labels and parity is a fiftieth of the correlation with clean labels. With most seeds, the accuracy reaches 60 % after tens of thousands of steps. Faster methods such as Gaussian elimination need clean labels.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        experiment: Some(&experiments::FIGURE_B_12_49),
        remarks: "The parity counts as found at an accuracy of 60 %.",
        expectations: &[expect_learned(0.6, (10_000, 60_000), (0.5, 1.0))],
        max_steps: 60_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
];
