//! Chapter 6: data, width, time and luck pay for each other.

use super::experiments;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
    expect_not_learned,
};

/// Group of presets on trade-offs between data, width, time and lucky initial weights on sparse parities (figures 6.1,
/// 6.2 and C.1 of Edelman 2024).
const GROUP: PresetGroup =
    PresetGroup { slug: "frontier", name: "Data, width, time and initial weights", charts: &[] };

/// Presets on trade-offs between number of examples, width, training time and lucky initial weights.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "width-buys-luck",
        name: "More networks succeed with wide layers and sparse initial weights",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&m=400&wd=0.01&replicas=20&target=0.9&every=100&held=512&sweep=width:10_30_100_300&series=init:uniform_sparse&speed=0&show=accuracy.times.sweep",
        claim: "With 400 examples, few networks of width 10 or 30 find the parity, but most networks of width 300 do. If each neuron starts with two weights of 1 and with all other weights at 0, at least 85 % of the networks of width 300 find the parity.",
        source: "Edelman 2024, figures 6.2 (centre) and C.1",
        experiment: Some(&experiments::FIGURE_6_2_CENTRE),
        departures: &[
            ("trials", "50", "20"),
            ("steps at most", "100,000", "20,000"),
            ("largest width", "100,000", "300"),
        ],
        expectations: &[
            Expectation::Solved { series: 0, at: 0, share: (0.0, 0.2) },
            Expectation::Solved { series: 0, at: 1, share: (0.0, 0.3) },
            Expectation::Solved { series: 0, at: 3, share: (0.65, 1.0) },
            Expectation::Solved { series: 1, at: 1, share: (0.1, 0.7) },
            Expectation::Solved { series: 1, at: 3, share: (0.85, 1.0) },
            Expectation::MedianTime { series: 1, at: 3, between: (3_500, 8_500) },
        ],
        max_steps: 20_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "frontier",
        name: "Success by number of examples and width",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&wd=0.01&replicas=10&target=0.9&every=100&held=512&sweep=m:300_400_600_1000_2000&series=width:10_30_100_300&speed=0&show=accuracy.times.sweep",
        claim: "Wide networks need fewer examples to find the parity. With 300 examples hardly any network of width 300 finds the parity. With 400 examples at least half of the networks of width 300 find the parity, but hardly any network of width 10. With 600 examples most networks of width 100 find the parity, and with 2,000 examples most networks of width 10.",
        source: "Edelman 2024, figures 6.1 and C.1",
        experiment: Some(&experiments::APPENDIX_C_3_1),
        departures: &[
            ("trials per point", "50", "10"),
            ("steps at most", "100,000", "20,000"),
            ("largest width", "100,000", "300"),
        ],
        expectations: &[
            Expectation::Solved { series: 3, at: 0, share: (0.0, 0.2) },
            Expectation::Solved { series: 0, at: 1, share: (0.0, 0.2) },
            Expectation::Solved { series: 3, at: 1, share: (0.5, 1.0) },
            Expectation::Solved { series: 2, at: 2, share: (0.8, 1.0) },
            Expectation::Solved { series: 0, at: 4, share: (0.8, 1.0) },
            Expectation::MedianTime { series: 3, at: 2, between: (2_500, 5_000) },
            Expectation::MedianTime { series: 3, at: 4, between: (700, 1_400) },
        ],
        max_steps: 20_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "more-data-hurts",
        name: "More data can hurt",
        group: &GROUP,
        link: "#v1/sparse-parity?n=100&wd=0.01&replicas=10&steps=30000&target=0.9&every=200&held=512&sweep=m:3000_6000_10000_20000_40000&series=width:30_100&speed=0&show=accuracy.times.sweep",
        claim: "Within 30,000 steps nearly all networks with 10,000 training examples find the parity, but at most half of the networks with 40,000 training examples do so. At width 100, networks with 20,000 examples need more steps than networks with 10,000 examples.",
        source: "Edelman 2024, figure 6.2 (right) and appendix C.3.1",
        experiment: Some(&experiments::APPENDIX_C_3_1),
        departures: &[
            ("trials per point", "50", "10"),
            ("steps at most", "100,000", "30,000"),
            ("largest width", "100,000", "100"),
        ],
        expectations: &[
            Expectation::Solved { series: 0, at: 0, share: (0.0, 0.4) },
            Expectation::Solved { series: 0, at: 2, share: (0.8, 1.0) },
            Expectation::Solved { series: 1, at: 2, share: (0.9, 1.0) },
            Expectation::Solved { series: 0, at: 4, share: (0.0, 0.5) },
            Expectation::Solved { series: 1, at: 4, share: (0.0, 0.5) },
            Expectation::MedianTime { series: 1, at: 2, between: (3_500, 5_500) },
            Expectation::MedianTime { series: 1, at: 3, between: (4_800, 8_000) },
        ],
        max_steps: 30_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "lottery",
        name: "A hundred neurons, each with two initial weights of 1",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&k=4&init=sparse&steps=10000&halt=steps&speed=0&show=accuracy.weights.luck",
        claim: "Each of a hundred neurons begins with two weights equal to 1. The network learns the parity. Most of the ten neurons with the largest weight norms at the end began with a weight of 1 on at least one relevant bit.",
        source: "Edelman 2024, figure C.2 (left)",
        experiment: Some(&experiments::FIGURE_C_2),
        expectations: &[expect_learned(0.99, (500, 10_000), (0.9, 1.0))],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "lottery-ticket",
        name: "The five neurons with the largest norms, reset and trained again",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&k=4&init=sparse&keep=2.89.40.10.46&replicas=20&steps=10000&target=0.7&halt=steps&sweep=inits:1_0&speed=0&show=accuracy.times.sweep",
        claim: "Of a hundred neurons, the five with the largest weight norms are reset to their initial weights and trained without the other 95 neurons. This training is repeated 20 times on different random examples. The error of the five neurons falls below 30 % every time. The error of five random neurons falls below 30 % only in some of the runs.",
        source: "Edelman 2024, figure C.2 (centre and right)",
        experiment: Some(&experiments::FIGURE_C_2),
        remarks: "The five neurons are those with the largest weight norms at the end of “A hundred neurons, each with two initial weights of 1”; the link of this run contains the indices of the neurons. All 20 networks start from the same initial weights. For the comparison, 20 initial layers of a hundred neurons are drawn at random, and in each layer only the five neurons with these indices are kept. The first of the 20 layers is the initial layer of the main experiment.",
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 10_000, between: (0.9, 1.0) },
            Expectation::Solved { series: 0, at: 0, share: ALL_REPLICAS },
            Expectation::Solved { series: 0, at: 1, share: (0.15, 0.65) },
        ],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-step",
        name: "One step reveals the bits",
        group: &GROUP,
        link: "#v1/sparse-parity?n=15&k=2&width=1&init=sign&bias=none&second=ones&lr=100&loss=corr&batch=1024&replicas=100&steps=1&halt=steps&every=1&show=weights.movement",
        claim: "A neuron has 15 weights, each +1/√15 or −1/√15 at random, and two of the 15 bits are relevant. On one batch of 1,024 examples, the two largest entries of the gradient, in absolute value, nearly always belong to the two relevant bits.",
        source: "Edelman 2024, proposition B.7 and theorem 5.5",
        remarks: "One neuron and the correlation loss, as in proposition B.7, where the weights are +1 or −1; the size of the weights makes no difference to the gradient of a ReLU neuron. Our choices: k = 2 and n = 15, so that a batch of 1,024 is enough. With a learning rate of 100, the change of the weights in one step is larger than the initial weights.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::Revealed,
                at_least: 1.0,
                steps: (0, 1),
                share: (0.93, 1.0),
            },
            expect_not_learned(0.9, 1),
        ],
        max_steps: 1,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "good-neuron",
        name: "Good initial weights: one training step reveals the bits",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&k=2&s=1.2&width=1&init=sparse&ones=9&bias=none&second=ones&lr=100&loss=corr&batch=1024&replicas=1000&steps=1&halt=steps&every=1&show=weights.movement",
        claim: "Each neuron starts with a weight of 1 on nine random bits of 30, and with a weight of 0 on the other bits. One neuron in twelve has a weight of 1 on both relevant bits. One training step reveals both relevant bits for a neuron of this kind, because the weights on these bits move farthest. For any other neuron, one step hardly ever reveals both bits.",
        source: "Edelman 2024, theorem 6.4 and lemmas C.2 to C.4",
        remarks: "k = 2 instead of 4, so that 1,024 examples are enough; four bits need 65,536 examples. The run has a thousand networks of one neuron each.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::Revealed,
                at_least: 1.0,
                steps: (0, 1),
                share: (0.06, 0.14),
            },
            expect_not_learned(0.9, 1),
        ],
        max_steps: 1,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "half-known",
        name: "With weight 1 on two of four bits, one batch reveals the other two",
        group: &GROUP,
        link: "#v1/sparse-parity?n=31&k=4&width=400&init=perturbed&bias=none&second=ones&keep=2&lr=100&loss=corr&batch=4096&replicas=200&inits=1&steps=1&halt=steps&every=1&show=weights.movement.luck",
        claim: "A neuron starts with two weights of 1, both on relevant bits; four bits are relevant. In most trials, one training step on 4,096 examples reveals the other two relevant bits. For a neuron with random weights of +1 and −1, one step needs more than a million examples to reveal the relevant bits.",
        source: "Edelman 2024, theorem 6.5 and lemmas C.13 to C.15",
        remarks: "The run trains one neuron with two weights of 1 on relevant bits; a layer of 400 neurons, each with two weights of 1 on random bits, almost certainly contains such a neuron. All other initial weights are 1/(2n). The settings are n = 31 bits, k = 4 relevant bits and s = 2 weights of 1. Each of 200 trials makes one training step on another random batch.",
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::Revealed,
                at_least: 1.0,
                steps: (0, 1),
                share: (0.65, 0.88),
            },
            expect_not_learned(0.9, 1),
        ],
        max_steps: 1,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "frozen-features",
        name: "Networks with frozen random features do not learn a parity",
        group: &GROUP,
        link: "#v1/sparse-parity?n=15&first=frozen&replicas=20&steps=6000&target=0.9&every=500&held=2048&sweep=width:100_1000_3000&device=cpu&speed=0&show=accuracy.times.sweep",
        claim: "With a first layer that is frozen at random weights, even 3,000 neurons do not learn a parity of three bits of 15. Half of the networks of 100 trained neurons learn this parity within 900 steps.",
        source: "Edelman 2024, theorem 5.6",
        remarks: "The theorem names no experiment, so all settings are ours: widths 100, 1,000 and 3,000, batch 32 and learning rate 0.1. The theorem is about D fixed features whose vector Ψ(x) has a norm of at most 1, and weights on them with a norm of at most R: if D·R² is less than ε² times 455, the number of sets of three bits among 15, then for some of these sets the hinge loss stays above 1 − ε. Already with the initial weights of 100 neurons, D·R² is more than 455, so the theorem does not explain why these runs fail.",
        expectations: &[
            Expectation::Solved { series: 0, at: 0, share: (0.0, 0.0) },
            Expectation::Solved { series: 0, at: 1, share: (0.0, 0.0) },
            Expectation::Solved { series: 0, at: 2, share: (0.0, 0.0) },
            Expectation::Median {
                measure: ExpectedMeasure::TestAccuracy,
                step: 6_000,
                between: (0.49, 0.57),
            },
            expect_not_learned(0.75, 6_000),
        ],
        max_steps: 6_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "trained-features",
        name: "A trained first layer instead of a frozen first layer",
        group: &GROUP,
        link: "#v1/sparse-parity?n=15&replicas=20&steps=6000&held=2048",
        claim: "Networks of width 100 with a trained first layer classify all held-out examples correctly, half of them within 900 steps.",
        source: "Edelman 2024, theorem 5.6 and section 5.4",
        remarks: "The settings of “Networks with frozen random features do not learn a parity”, with 100 neurons and all weights trained.",
        expectations: &[
            expect_learned(1.0, (200, 2_500), ALL_REPLICAS),
            Expectation::MedianTime { series: 0, at: 0, between: (350, 900) },
        ],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "floor",
        name: "A lower bound on parameters, steps and examples",
        group: &GROUP,
        link: "#v1/sparse-parity?n=100&width=30&wd=0.01&replicas=20&steps=4000&target=0.9&every=100&held=512&sweep=m:30_300_3000_30000&series=k:2_4_6_8&speed=0&show=accuracy.times.sweep",
        claim: "Theory gives a lower bound for gradient descent whose gradients have an adversarial error of up to 1/√m for m examples: for a success rate of one half on every parity, the number of parameters times the number of steps times the number of examples must be at least a quarter of the number of possible sets of relevant bits. With eight relevant bits of 100 and up to 3,000 examples, the product is smaller than that. These runs have no such error, so the bound does not hold for them. In training, the networks already fail with four relevant bits.",
        source: "Edelman 2024, proposition 6.3",
        remarks: "Batch 32, learning rate 0.1 and coupled weight decay 0.01 as in chapter 6; n = 100, width 30 and 4,000 steps are our choices. The proposition also assumes a loss such as the square loss, and a network output with derivatives of at most 1. The runs have the hinge loss.",
        expectations: &[
            Expectation::Solved { series: 0, at: 2, share: (0.8, 1.0) },
            Expectation::Solved { series: 0, at: 3, share: (0.8, 1.0) },
            Expectation::Solved { series: 1, at: 3, share: (0.0, 0.1) },
            Expectation::Solved { series: 3, at: 3, share: (0.0, 0.0) },
        ],
        max_steps: 4_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
];
