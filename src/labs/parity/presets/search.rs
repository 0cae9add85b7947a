//! No random search: figures 5.1 (right), 5.2 and 5.4 (left).

use super::experiments;
use vivarium_model::chart;
use vivarium_view::presets::{Expectation, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned};

/// Group of presets that compare training times with those of a random search for the relevant bits (figures 5.1, 5.2
/// and 5.4 of Edelman 2024).
const GROUP: PresetGroup =
    PresetGroup { slug: "search", name: "Training is not a random search", charts: &[chart::TIMES] };

/// Presets that compare the times of training with those of random search for the relevant bits.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "no-luck",
        name: "1,000 networks: training is not a random search",
        group: &GROUP,
        link: "#v1/sparse-parity?n=20&lr=1&replicas=1000&steps=1000&every=5&held=128&speed=0&show=loss.accuracy.times",
        claim: "At least 99 % of 1,000 networks find the bits between steps 60 and 250. Random guessing would take 1,140 guesses on average, but sometimes only a few.",
        source: "Edelman 2024, figure 5.2 (left)",
        experiment: Some(&experiments::FIGURE_5_2_LEFT),
        departures: &[("trials", "1,000,000", "1,000")],
        expectations: &[
            expect_learned(1.0, (60, 250), (0.99, 1.0)),
            Expectation::MedianTime { series: 0, at: 0, between: (95, 135) },
        ],
        max_steps: 1_000,
        duration_note: "A few seconds; on one processor core, up to a minute.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "same-start",
        name: "Same initialisation, different data",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=128&replicas=48&inits=6&steps=6000&every=10&held=1024&speed=0&show=loss.accuracy.times",
        claim: "From each of six initialisations, a network is trained with each of eight sequences of examples. The time until the parity is found depends mostly on the initialisation, and less on the examples.",
        source: "Edelman 2024, figure 5.2 (centre)",
        experiment: Some(&experiments::FIGURE_5_2_CENTRE),
        remarks: "For the experiments of section 5.3, the thesis multiplies the argument of the sine by 2; here the factor is 1.",
        expectations: &[
            Expectation::VarianceBetweenInits(0.5),
            expect_learned(1.0, (100, 6_000), (0.85, 1.0)),
        ],
        max_steps: 6_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "scaling",
        name: "Training time against n, for 2, 3 and 4 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?lr=1&replicas=20&steps=10000&every=10&held=128&sweep=n:10_15_20_25_30&series=k:2_3_4&speed=0&show=accuracy.times.sweep",
        claim: "The training time grows like a power of the number n of bits, and the exponent grows with the number k of relevant bits. With fewer relevant bits training is faster, although the network is not given the number k.",
        source: "Edelman 2024, figure 5.1 (right) and figure B.6",
        experiment: Some(&experiments::FIGURE_B_6_RELU_100),
        departures: &[("trials per point", "1,000", "20"), ("steps at most", "100,000", "10,000")],
        expectations: &[
            Expectation::Exponent { series: 0, values: (0, 4), between: (0.2, 1.0) },
            Expectation::Exponent { series: 1, values: (0, 4), between: (0.8, 1.6) },
            Expectation::Exponent { series: 2, values: (0, 4), between: (1.4, 2.4) },
            Expectation::MedianTime { series: 2, at: 4, between: (700, 1_700) },
        ],
        max_steps: 10_000,
        duration_note: "About ten seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "scaling-full",
        name: "Training time against n, 1,000 trials per point",
        group: &GROUP,
        link: "#v1/sparse-parity?lr=1&replicas=1000&steps=10000&every=10&held=128&sweep=n:10_15_20_25_30&series=k:2_3_4&speed=0&show=accuracy.times.sweep",
        claim: "This is the sweep “Training time against n, for 2, 3 and 4 bits”, with a thousand trials per point. The confidence intervals of the medians are as narrow as the lines in the chart.",
        source: "Edelman 2024, figure 5.1 (right) and figure B.6",
        experiment: Some(&experiments::FIGURE_B_6_RELU_100),
        departures: &[("steps at most", "100,000", "10,000")],
        expectations: &[Expectation::Exponent { series: 2, values: (0, 4), between: (1.4, 2.4) }],
        max_steps: 10_000,
        duration_note: "Seconds on a GPU, about five minutes on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "elbow",
        name: "Larger n, larger exponent",
        group: &GROUP,
        link: "#v1/sparse-parity?lr=1&replicas=20&every=10&held=128&sweep=n:10_20_40_80_160&speed=0&show=accuracy.times.sweep",
        claim: "For 3 relevant bits, the training time grows like a power of n whose exponent rises from about 1 to about 2 as n grows from 10 to 160. For random search the exponent would be near 3 for all n.",
        source: "Edelman 2024, figures 5.2 (right) and B.6",
        experiment: Some(&experiments::FIGURE_B_6_RELU_100),
        departures: &[("trials per point", "1,000", "20"), ("steps at most", "100,000", "20,000")],
        expectations: &[
            Expectation::Exponent { series: 0, values: (0, 1), between: (0.7, 1.4) },
            Expectation::Exponent { series: 0, values: (3, 4), between: (1.7, 2.6) },
        ],
        max_steps: 20_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "width-sweep",
        name: "Width 3 to 1,000: no speed-up, less variation",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&bias=hidden&batch=128&replicas=20&every=20&held=1024&sweep=width:3_4_5_7_10_30_100_300_1000&speed=0&show=accuracy.times.sweep",
        claim: "With a hundred times as many neurons, training is not a hundred times faster. But at width 30 training succeeds with nearly every seed, and at width 100 the number of steps depends less on the seed than at width 10.",
        source: "Edelman 2024, figure 5.4 (left) and figure B.10",
        experiment: Some(&experiments::FIGURE_B_10),
        departures: &[("trials per point", "1,000", "20"), ("largest width", "3,000,000", "1,000")],
        remarks: "The smallest width is 3: the thesis counts networks of width 1 and 2 as successful at an accuracy of 55 %.",
        expectations: &[
            Expectation::Solved { series: 0, at: 0, share: (0.0, 0.2) },
            Expectation::Solved { series: 0, at: 5, share: (0.95, 1.0) },
            Expectation::MedianTime { series: 0, at: 6, between: (850, 1_400) },
            Expectation::MedianTime { series: 0, at: 8, between: (750, 1_300) },
            Expectation::NarrowerSpread { from: 4, to: 6, times: 1.5 },
        ],
        max_steps: 20_000,
        duration_note: "About a minute on one processor core.",
    },
];
