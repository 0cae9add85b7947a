//! One task, many networks: figure 5.1 (left) and the settings of section 5.3.

use super::experiments;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned, expect_not_learned,
};

/// Group of presets in which different networks learn the same sparse parity (figure 5.1 left and related settings of
/// Edelman 2024).
const GROUP: PresetGroup = PresetGroup { slug: "networks", name: "One task, many networks", charts: &[] };

/// Presets of different networks (ReLU, z³, sine, transformer and others) that learn a sparse parity.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "relu-10",
        name: "(i) ReLU, width 10, batch 32",
        group: &GROUP,
        link: "#v1/sparse-parity?width=10&lr=0.5&steps=10000&every=20&speed=200&show=loss.accuracy.weights.movement",
        claim: "Ten ReLU neurons find the 3 relevant bits of 50. The loss falls in several drops, since the neurons learn at different times.",
        source: "Edelman 2024, figure 5.1 (left), panel 1",
        experiment: Some(&experiments::FIGURE_5_1_RELU_10),
        expectations: &[
            expect_learned(1.0, (300, 10_000), (0.95, 1.0)),
            Expectation::MedianTime { series: 0, at: 0, between: (1_330, 1_590) },
        ],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "relu-10-large-batch",
        name: "(i) ReLU, width 10, batch 1,024",
        group: &GROUP,
        link: "#v1/sparse-parity?width=10&lr=0.05&batch=1024&steps=12000&speed=1000",
        claim: "With batches of 1,024 instead of 32 and a tenth of the learning rate, the loss also has a plateau and then falls suddenly.",
        source: "Edelman 2024, figure 5.1 (left), panel 2",
        experiment: Some(&experiments::FIGURE_5_1_LARGE_BATCH),
        expectations: &[expect_learned(1.0, (1_500, 12_000), (0.8, 1.0))],
        max_steps: 12_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "relu-100-single",
        name: "(ii) ReLU, width 100, one example at a time",
        group: &GROUP,
        link: "#v1/sparse-parity?lr=0.05&batch=1&steps=30000&every=100&held=1024&speed=4000",
        claim: "Even with a single example per step, small changes of the weights add up while the loss is flat, until the network has found the parity.",
        source: "Edelman 2024, figure 5.1 (left), panel 3",
        experiment: Some(&experiments::FIGURE_5_1_SINGLE),
        expectations: &[expect_learned(1.0, (8_000, 30_000), (0.9, 1.0))],
        max_steps: 30_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "cubic-10",
        name: "(iv) z³, width 10",
        group: &GROUP,
        link: "#v1/sparse-parity?width=10&act=power&lr=0.05&steps=3000&every=10&speed=200",
        claim: "The activation z³ has the same degree as the parity of 3 bits. The loss also falls suddenly. The median number of steps is about 40 % of the median number with ReLU.",
        source: "Edelman 2024, figure 5.1 (left), panel 4",
        experiment: Some(&experiments::FIGURE_5_1_CUBIC_10),
        expectations: &[
            expect_learned(1.0, (150, 3_000), (0.95, 1.0)),
            Expectation::MedianTime { series: 0, at: 0, between: (520, 630) },
        ],
        max_steps: 3_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "zigzag-1",
        name: "(vii) One neuron with a zigzag activation",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=zigzag&lr=0.2&steps=8000&every=10&speed=100&show=loss.accuracy.weights.paths",
        claim: "A single neuron is enough if its activation turns the sum of the relevant bits into their parity. From an unfavourable initialisation, training may take many steps.",
        source: "Edelman 2024, figure 5.1 (left), panel 5",
        experiment: Some(&experiments::FIGURE_5_1_ZIGZAG),
        expectations: &[expect_learned(1.0, (20, 8_000), (0.8, 1.0))],
        max_steps: 8_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "sine-1",
        name: "(x) One sinusoidal neuron",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=sin&lr=0.05&steps=5000&every=10&speed=100&show=loss.accuracy.weights.paths",
        claim: "With most seeds, one neuron, the sine of a weighted sum, learns the parity of 3 of 50 bits in a few hundred steps.",
        source: "Edelman 2024, figure 5.1 (left), panel 6",
        experiment: Some(&experiments::FIGURE_5_1_SINE),
        departures: &[("factor of the sine's argument", "2", "1")],
        remarks: "Without the factor 2, training succeeds with more seeds.",
        expectations: &[expect_learned(1.0, (30, 5_000), (0.6, 1.0))],
        max_steps: 5_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "transformer",
        name: "A Parity Transformer",
        group: &GROUP,
        link: "#v1/sparse-parity?model=parity-transformer&opt=adam&n=10&batch=256&steps=8000&every=20&held=1024&show=loss.accuracy.attention",
        claim: "A transformer also finds a parity suddenly. At the end of this run, more than 70 % of its attention is on the 3 relevant bits.",
        source: "Edelman 2024, figure 5.1 (left), panel 7",
        experiment: Some(&experiments::FIGURE_5_1_TRANSFORMER),
        expectations: &[expect_learned(1.0, (200, 8_000), (0.8, 1.0))],
        max_steps: 8_000,
        duration_note: "About a second on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "transformer-full",
        name: "The Parity Transformer, full size",
        group: &GROUP,
        link: "#v1/sparse-parity?model=parity-transformer&opt=adam&demb=1024&heads=128&dmlp=4096&lr=0.0005&steps=100000&held=1024&show=loss.accuracy.attention",
        claim: "The transformer of the thesis learns a parity of 3 of 50 bits. Its loss also falls suddenly, but training this network takes hours on a laptop's GPU.",
        source: "Edelman 2024, figure 5.1 (left), panel 7",
        experiment: Some(&experiments::FIGURE_5_1_TRANSFORMER),
        expectations: &[expect_learned(1.0, (200, 100_000), (0.2, 1.0))],
        max_steps: 100_000,
        duration_note: "Hours on a laptop's GPU, days on a processor.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "polynet",
        name: "(xv) PolyNet",
        group: &GROUP,
        link: "#v1/sparse-parity?model=polynet&lr=0.07&steps=2000&every=10&speed=50",
        claim: "A product of three linear forms becomes the parity once each form depends on a different relevant bit, and on no other bit.",
        source: "Edelman 2024, figure 5.1 (left), panel 8",
        experiment: Some(&experiments::FIGURE_5_1_POLYNET),
        expectations: &[expect_learned(1.0, (80, 2_000), (0.9, 1.0))],
        max_steps: 2_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "oscillating-1",
        name: "(viii) One neuron with an oscillating polynomial",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=osc&lr=0.05&steps=8000&every=20&speed=200&show=loss.accuracy.weights.paths",
        claim: "The activation is a cubic polynomial that maps each possible sum of three bits (−3, −1, 1 or 3) to the parity of these bits. So one neuron can compute the parity. Unlike a zigzag, the polynomial is smooth.",
        source: "Edelman 2024, section 5.3, setting (viii), and figures B.2 (row 3) and B.6",
        experiment: Some(&experiments::FIGURES_B_2_AND_B_6_OSCILLATING),
        remarks: "Figure B.2 has one example per step and η = 0.1; figure B.6 has batches of 32, η = 0.01 and at most 40 bits.",
        expectations: &[expect_learned(1.0, (100, 8_000), (0.7, 1.0))],
        max_steps: 8_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "wave-1",
        name: "(ix) One neuron with a triangle wave (∞-zigzag)",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=wave&seed=2&steps=8000&every=10&speed=200&show=loss.accuracy.weights.paths",
        claim: "A triangle wave is a periodic, piecewise linear function. With most seeds, one neuron with the triangle wave as its activation learns the parity; with the other seeds, the neuron does not learn the parity.",
        source: "Edelman 2024, section 5.3, setting (ix)",
        experiment: Some(&experiments::SECTION_5_3_WAVE),
        expectations: &[expect_learned(1.0, (30, 8_000), (0.5, 1.0))],
        max_steps: 8_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "zigzag-bare",
        name: "(xi) Zigzag neuron without a second layer",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=zigzag&bias=hidden&second=ones&steps=5000&every=10&speed=50&show=loss.accuracy.weights.paths",
        claim: "Without a second layer, the output of the neuron itself must become the parity. With nearly every seed, the output does become the parity.",
        source: "Edelman 2024, section 5.3, setting (xi), and figure B.2, row 3",
        experiment: Some(&experiments::FIGURE_B_2_ZIGZAG_BARE),
        expectations: &[expect_learned(1.0, (20, 5_000), (0.9, 1.0))],
        max_steps: 5_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "oscillating-bare",
        name: "(xii) Oscillating polynomial without a second layer",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=osc&bias=hidden&second=ones&lr=0.01&steps=8000&every=20&show=loss.accuracy.weights.paths",
        claim: "One neuron with the oscillating polynomial and no second layer learns the parity, but slowly, since it needs a small learning rate.",
        source: "Edelman 2024, section 5.3, setting (xii), and figure B.2, row 3",
        experiment: Some(&experiments::FIGURE_B_2_OSCILLATING_BARE),
        expectations: &[expect_learned(1.0, (300, 8_000), (0.7, 1.0))],
        max_steps: 8_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "wave-bare",
        name: "(xiii) Triangle wave without a second layer",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=wave&bias=hidden&second=ones&steps=5000&every=10&speed=50&show=loss.accuracy.weights.paths",
        claim: "At this learning rate, a neuron with a triangle wave and no second layer learns fast with about half of the seeds, and not at all with the other seeds.",
        source: "Edelman 2024, section 5.3, setting (xiii)",
        experiment: Some(&experiments::SECTION_5_3_WAVE_BARE),
        expectations: &[expect_learned(1.0, (20, 5_000), (0.2, 0.95))],
        max_steps: 5_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "sine-bare",
        name: "(xiv) Sinusoidal neuron without a second layer",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1&act=sin&bias=hidden&second=ones&lr=0.02&steps=6000&every=10&speed=200&show=loss.accuracy.weights.paths",
        claim: "f(x) = sin(w·x + b) is one neuron and nothing else. This neuron finds the 3 relevant bits of 50 with each of 20 seeds.",
        source: "Edelman 2024, section 5.3, setting (xiv), and figure B.6",
        experiment: Some(&experiments::FIGURE_B_6_SINE_BARE),
        departures: &[("factor of the sine's argument", "2", "1")],
        expectations: &[expect_learned(1.0, (100, 6_000), ALL_REPLICAS)],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "narrowest-relu",
        name: "Three ReLU neurons for three bits",
        group: &GROUP,
        link: "#v1/sparse-parity?n=20&width=3&lr=0.3&every=20",
        claim: "Three ReLU neurons with an output bias can learn a parity of three bits, but training succeeds with only about half of the seeds.",
        source: "Edelman 2024, figure B.2, row 3, setting (*i)",
        experiment: Some(&experiments::FIGURE_B_2_RELU_3),
        remarks: "With the formula of the thesis, which has no output bias, training fails with all of 20 seeds.",
        expectations: &[expect_learned(1.0, (200, 20_000), (0.2, 0.9))],
        max_steps: 20_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "narrowest-relu-unbiased",
        name: "Three ReLU neurons without output bias",
        group: &GROUP,
        link: "#v1/sparse-parity?n=20&width=3&bias=hidden&lr=0.3&every=20&speed=2000",
        claim: "The formula printed in the thesis has no output bias. With this formula, three ReLU neurons do not learn the parity with any of 20 seeds.",
        source: "Edelman 2024, section 5.3 and figure B.2, row 3, setting (*i)",
        experiment: Some(&experiments::FIGURE_B_2_RELU_3),
        remarks: "The control experiment for “Three ReLU neurons for three bits”: only the output bias is missing.",
        expectations: &[expect_not_learned(0.99, 20_000)],
        max_steps: 20_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "narrowest-cubic",
        name: "Three cubic neurons for three bits",
        group: &GROUP,
        link: "#v1/sparse-parity?n=20&width=3&act=power&lr=0.05&steps=5000&every=10&speed=200",
        claim: "Three cubic neurons learn a parity of three bits with each of 20 seeds.",
        source: "Edelman 2024, figure B.2, row 3, setting (*ii)",
        experiment: Some(&experiments::FIGURE_B_2_CUBIC_3),
        expectations: &[expect_learned(1.0, (100, 5_000), ALL_REPLICAS)],
        max_steps: 5_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "disjoint-polynet",
        name: "Disjoint-PolyNet, one example at a time",
        group: &GROUP,
        link: "#v1/sparse-parity?model=disjoint-polynet&n=30&layout=blocks&lr=0.0001&loss=corr&batch=1&seed=6&steps=60000&target=0.95&every=100&held=2048&speed=2000&show=loss.accuracy.paths.plateau",
        claim: "The input bits are divided into blocks, and one bit of each block is relevant. For this case theory predicts the training time; for most of this time the error is above 45 %.",
        source: "Edelman 2024, section 5.4.2 and figure B.1 (right)",
        experiment: Some(&experiments::FIGURE_B_1),
        remarks: "Training stops at 5 % error, since the weights diverge in finite time afterwards.",
        expectations: &[expect_learned(0.95, (3_000, 60_000), (0.6, 1.0))],
        max_steps: 60_000,
        duration_note: "A few seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "disjoint-polynet-all-inputs",
        name: "Disjoint-PolyNet, all inputs: the predicted plateau",
        group: &GROUP,
        link: "#v1/sparse-parity?model=disjoint-polynet&n=15&layout=blocks&data=cube&lr=0.001&loss=corr&batch=0&seed=3&steps=4000&target=0.99&every=20&speed=200&show=loss.paths.plateau",
        claim: "Trained on all 2^15 inputs, the network has the error that theory computes from its initial weights: above 45 % for three quarters of the time, then 0.",
        source: "Edelman 2024, section 5.4.2, theorem 5.7 and figure B.1 (left)",
        experiment: Some(&experiments::FIGURE_B_1_LEFT),
        expectations: &[expect_learned(0.99, (300, 4_000), (0.7, 1.0))],
        max_steps: 4_000,
        ..PRESET_DEFAULTS
    },
];
